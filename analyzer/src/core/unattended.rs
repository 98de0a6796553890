//! Ranks whose agent has died: another agent of their node learns which they are, and tells when they have ended.

use super::Core;
use crate::input::Output;

impl Core {
    /// Tells agents of a node which ranks of it no agent attends: of each job, the newest one that may know. Called when an agent has
    /// come, and when one has gone: of two agents that follow each other, the end of the first one may be noticed after the begin of the
    /// second.
    pub(super) fn hand_over(&self, node: &str, out: &mut Vec<Output>) {
        for job in self.jobs.values() {
            let ranks = job.unattended(node);
            let may = |token: &str| self.may(token, &job.spec.token);
            if !ranks.is_empty()
                && let Some(link) = self.agents.newest_on(node, may)
            {
                out.push(Output::HandOver { link, ranks });
            }
        }
    }
}
