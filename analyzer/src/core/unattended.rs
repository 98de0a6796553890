//! Ranks whose agent has died: another agent of their node learns which they are, and tells when they have ended.

use super::Core;
use crate::events::Unattended;
use crate::input::Output;

impl Core {
    /// Tells the newest linked agent of a node which ranks of it no agent attends. Called when an agent has come, and when one has gone:
    /// of two agents that follow each other, the end of the first one may be noticed after the begin of the second.
    pub(super) fn hand_over(&self, node: &str, out: &mut Vec<Output>) {
        let Some((link, token)) = self.agents.newest_on(node) else { return };
        let jobs = self.jobs.values().filter(|job| self.may(token, &job.spec.token));
        let ranks: Vec<Unattended> = jobs.flat_map(|job| job.unattended(node)).collect();
        if !ranks.is_empty() {
            out.push(Output::HandOver { link, ranks });
        }
    }
}
