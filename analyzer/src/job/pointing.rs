//! Points of a job: the tunlet's text goes to each rank that takes it, what comes back becomes windows and notices.

use std::collections::{BTreeMap, BTreeSet};

use midrun_tunlets::{Observation, Value};

use super::{Fate, Job};
use crate::ids::{ActionId, AgentId, LinkId};
use crate::input::{ActionResult, ActionStatus, Output, PointRefused};
use crate::limits;
use crate::tell;

/// The tuning point that takes the text.
const POINTS: &str = "points";
/// A text that came too late, or after a newer action, is sent again so often.
const ATTEMPTS: u32 = 5;

/// Which ranks have the text, or are to get it.
#[derive(Debug, Default)]
pub struct Pointing {
    /// Ranks that take it and were not sent it yet.
    due: BTreeSet<u32>,
    /// Ranks that were sent it: by which action, and how often.
    sent: BTreeMap<u32, (ActionId, u32)>,
}

impl Job {
    /// A rank has a tuning point; if it takes points, it is to get them.
    pub(super) fn offers_points(&mut self, rank: u32, name: &str) {
        if name == POINTS && !self.pointing.sent.contains_key(&rank) {
            self.pointing.due.insert(rank);
        }
    }

    /// Sends the tunlet's text where it is due.
    pub(super) fn send_points(
        &mut self,
        now: u64,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        if self.pointing.due.is_empty() {
            return;
        }
        let text = self.decider.points();
        if text.is_empty() || self.spec.dry_run {
            return self.pointing.due.clear();
        }
        for rank in std::mem::take(&mut self.pointing.due) {
            let present = self.ranks.get(&rank).filter(|rank| rank.fate == Fate::Present);
            let Some(link) = present.and_then(|rank| link_of(&rank.agent)) else {
                self.pointing.due.insert(rank);
                continue;
            };
            let assignments = vec![(POINTS.to_owned(), Value::Text(text.clone()))];
            if let Some(why) = self.tuning_points.objection(rank, &assignments) {
                let text = format!("rank {rank} cannot be sent the points: {why}");
                self.tell(tell::life(&self.id, "points-withheld", text), out);
                continue;
            }
            let action = self.actions.aside(now, &self.id, rank, assignments, limits::ACTION_TTL_MS);
            let attempts = self.pointing.sent.get(&rank).map_or(0, |(_, attempts)| *attempts);
            self.pointing.sent.insert(rank, (action.id, attempts + 1));
            out.push(Output::Act { link, action });
        }
    }

    /// A rank answered; if it was to the text and it has not got it, it is due again.
    pub(super) fn on_points_settled(&mut self, rank: u32, result: &ActionResult) {
        let Some(&(action, attempts)) = self.pointing.sent.get(&rank) else { return };
        let again =
            matches!(result.status, ActionStatus::RefusedStale | ActionStatus::Expired | ActionStatus::Undeliverable);
        if action == result.action && again && attempts < ATTEMPTS {
            self.pointing.due.insert(rank);
        }
    }

    /// A rank could not do a line: the tunlet hears it, people once.
    pub(super) fn on_point_refused(&mut self, rank: u32, refused: &PointRefused, out: &mut Vec<Output>) {
        if !refused.shed {
            let why = &refused.why;
            self.decider.observe(Observation::PointRefused { rank, line: refused.line, why });
        }
        if self.points.on_refused(rank, refused) {
            let what = if refused.shed { "gives up detail" } else { "is refused" };
            let text = format!("line {} of the points {what} in rank {rank}: {}", refused.line, refused.why);
            let event = if refused.shed { "point-shed" } else { "point-refused" };
            self.tell(tell::life(&self.id, event, text), out);
        }
    }

    /// Closes iterations that are only known by points.
    pub(super) fn close_pointed(
        &mut self,
        now: u64,
        all: bool,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        if self.windows.master.is_some() {
            return; // the master's iterations are the job's
        }
        let present = self.ranks.values().filter(|rank| rank.fate == Fate::Present).count();
        for closed in self.points.close(now, all, present, self.spec.window_grace_ms * 1_000_000) {
            self.on_window(now, &closed, !all, link_of, out);
        }
    }
}
