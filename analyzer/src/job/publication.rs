//! Brings a job's owner settings to its agents and to the journal, and notes which of them have the newest copy.

use std::collections::BTreeMap;

use crate::agents::Agents;
use crate::context::Ctx;
use crate::ids::AgentId;
use crate::input::Output;
use crate::limits;
use crate::owner::OwnerSettings;

/// Copies at one agent.
#[derive(Clone, Copy, Debug, Default)]
struct Copies {
    sent: u64,
    kept: u64,
}

/// Copies of the settings of one job.
#[derive(Debug, Default)]
pub(super) struct Publication {
    /// 0: nothing was set.
    version: u64,
    since_ns: u64,
    /// Revision of the manual overrides in the newest copy.
    revision: u64,
    /// Version of the copy in the journal.
    journaled: u64,
    agents: BTreeMap<AgentId, Copies>,
    /// Some agent lacks the newest copy.
    is_due: bool,
}

impl Publication {
    /// Of a job that was opened by name at `now`, or of one whose owner has set nothing yet.
    pub(super) fn begin(now: u64, opened: bool) -> Publication {
        let mut publication = Publication::default();
        if opened {
            publication.on_change(now);
        }
        publication
    }

    /// The manual overrides have this revision.
    pub(super) fn on_revision(&mut self, now: u64, revision: u64) {
        if std::mem::replace(&mut self.revision, revision) != revision && revision > 0 {
            self.on_change(now);
        }
    }

    /// Something was set at `now`.
    pub(super) fn on_change(&mut self, now: u64) {
        self.version += 1;
        self.since_ns = now;
        self.is_due = true;
    }

    /// An agent has ranks of the job.
    pub(super) fn on_agent(&mut self, agent: &AgentId) {
        if !self.agents.contains_key(agent) {
            self.agents.insert(agent.clone(), Copies::default());
            self.is_due = true;
        }
    }

    /// An agent's link has ended; over its next one it gets a copy again.
    pub(super) fn on_agent_lost(&mut self, agent: &AgentId) {
        self.agents.remove(agent);
    }

    /// An agent has this copy.
    pub(super) fn on_kept(&mut self, agent: &AgentId, version: u64) {
        if let Some(copies) = self.agents.get_mut(agent) {
            copies.kept = copies.kept.max(version);
        }
    }

    /// Version of the newest copy.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Whether [`Publication::send`] has something to do.
    pub(super) fn is_due(&self) -> bool {
        self.is_due && self.version > 0
    }

    /// Sends the newest copy to every linked agent that lacks it.
    pub(super) fn send(&mut self, ctx: &mut Ctx<'_>, settings: &OwnerSettings) {
        self.is_due = false;
        if self.journaled < self.version {
            self.journaled = self.version;
            ctx.out.push(Output::KeepSettings(Box::new(settings.clone())));
        }
        for (agent, copies) in &mut self.agents {
            if copies.sent < self.version
                && let Some(link) = ctx.links.link_of(agent)
            {
                copies.sent = self.version;
                ctx.out.push(Output::ShowSettings { link, settings: Box::new(settings.clone()) });
            }
        }
    }

    /// Whether every linked agent has the newest copy, or has had enough time for it: a stopped agent is not waited for.
    pub(super) fn is_kept(&self, now: u64, links: &Agents) -> bool {
        let has = |(agent, copies): (&AgentId, &Copies)| copies.kept >= self.version || links.link_of(agent).is_none();
        now >= self.since_ns.saturating_add(limits::SETTINGS_WAIT_MS * 1_000_000) || self.agents.iter().all(has)
    }
}
