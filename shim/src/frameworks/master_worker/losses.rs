//! Workers that died while the job went on, and what they held ([`super::redo`] hands it out again).

use super::team::Team;
use crate::frameworks::endpoint::Endpoint;
use crate::{records, scheduling, stderr};

/// What was lost in an iteration, and since the one before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    /// Workers.
    pub workers: u32,
    /// Tasks that had been handed to them, and were handed to others.
    pub tasks: u64,
}

impl Losses {
    /// Before an iteration: workers that died since the last one.
    pub fn between(endpoint: &mut Endpoint, team: &mut Team, iteration: u64) -> Losses {
        let mut losses = Losses::default();
        while let Some(rank) = endpoint.next_lost() {
            team.lose(rank);
            losses.workers += 1;
            stderr::warn(format_args!("rank {rank} was lost; workers left: {}", team.most()));
        }
        if losses.workers > 0 {
            records::loss(iteration, losses.workers, 0, team.most() as u32);
        }
        losses.settle(team);
        losses
    }

    /// Nobody counts on those workers any more.
    pub fn settle(&self, team: &mut Team) {
        if self.workers > 0 {
            team.settle();
            scheduling::shrink(team.most() as u32);
        }
    }
}
