//! Brings a text to each rank that takes it: the tunlet's points, or what begins the rank's iterations.

use std::collections::{BTreeMap, BTreeSet};

use midrun_tunlets::Value;
use serde_json::json;

use super::dispatcher::Dispatcher;
use super::membership::Roster;
use crate::actions::{ActionResult, ActionStatus};
use crate::context::Ctx;
use crate::ids::{ActionId, AgentId};
use crate::limits;

/// A text that came too late, or after a newer action, is sent again so often.
const ATTEMPTS: u32 = 5;

/// Ranks that have the text, or are to get it.
#[derive(Debug)]
pub(super) struct PointTexts {
    /// The tuning point that takes it.
    name: &'static str,
    /// Ranks to send it to now.
    due: BTreeSet<u32>,
    /// Ranks to send it to once they can be reached again.
    unreached: BTreeSet<u32>,
    /// Ranks that have not answered yet.
    open: BTreeSet<u32>,
    /// Ranks that were sent it: by which action, and how often.
    sent: BTreeMap<u32, (ActionId, u32)>,
}

impl PointTexts {
    /// No rank is known that has the tuning point `name`.
    pub(super) fn of(name: &'static str) -> PointTexts {
        PointTexts {
            name,
            due: BTreeSet::new(),
            unreached: BTreeSet::new(),
            open: BTreeSet::new(),
            sent: BTreeMap::new(),
        }
    }

    /// The text is another one now: every rank is to get it.
    pub(super) fn renew(&mut self) {
        self.due.extend(std::mem::take(&mut self.sent).into_keys());
    }

    /// A rank has a tuning point; if it takes the text, it is to get it.
    pub(super) fn on_declared(&mut self, rank: u32, name: &str) {
        if name == self.name && !self.sent.contains_key(&rank) {
            self.due.insert(rank);
        }
    }

    /// A rank joined, perhaps by another agent.
    pub(super) fn on_joined(&mut self, rank: u32) {
        self.due.extend(self.unreached.take(&rank));
    }

    /// An agent is back, and its ranks can be reached.
    pub(super) fn on_agent_back(&mut self, agent: &AgentId, roster: &Roster) {
        let attached = |rank: &u32| roster.members.is_attached(*rank, agent);
        let (back, rest): (BTreeSet<u32>, _) = std::mem::take(&mut self.unreached).into_iter().partition(attached);
        self.due.extend(back);
        self.unreached = rest;
    }

    /// A rank answered. If it was sent the text and has not taken it, the text is due again.
    pub(super) fn on_result(&mut self, rank: u32, result: &ActionResult) {
        let Some(&(_, attempts)) = self.sent.get(&rank).filter(|(action, _)| *action == result.action) else {
            return;
        };
        self.open.remove(&rank);
        let again =
            matches!(result.status, ActionStatus::RefusedStale | ActionStatus::Expired | ActionStatus::Undeliverable);
        if again && attempts < ATTEMPTS {
            self.due.insert(rank);
        }
    }

    /// Whether a rank may have another text.
    pub(super) fn is_pending(&self) -> bool {
        !(self.due.is_empty() && self.unreached.is_empty() && self.open.is_empty())
    }

    /// Whether a rank waits for the text.
    pub(super) fn any_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Sends each rank's text where it is due and there is one.
    pub(super) fn send(
        &mut self,
        ctx: &mut Ctx<'_>,
        text: impl Fn(u32) -> Option<String>,
        dispatcher: &mut Dispatcher,
        roster: &Roster,
    ) {
        for (rank, text) in std::mem::take(&mut self.due).into_iter().filter_map(|rank| Some((rank, text(rank)?))) {
            let Some(link) = roster.members.link_of(rank, ctx.links) else {
                self.unreached.insert(rank);
                continue;
            };
            let assignments = vec![(self.name.to_owned(), Value::Text(text))];
            if let Some(why) = roster.points.objection(rank, &assignments) {
                let text = format!("rank {rank} cannot be sent its {}: {why}", self.name);
                ctx.life("points-withheld", text, json!({"rank": rank, "why": why}));
                continue;
            }
            let action = dispatcher.aside(ctx, (rank, assignments), limits::ACTION_TTL_MS);
            let attempts = self.sent.get(&rank).map_or(0, |(_, attempts)| *attempts);
            self.sent.insert(rank, (action.id, attempts + 1));
            self.open.insert(rank);
            ctx.send(link, action);
        }
    }
}
