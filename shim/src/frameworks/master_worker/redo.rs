//! Workers that die in an iteration: what they held goes to the others, each task once.
//!
//! A result counts if it arrived before the master was told of the death; what was still on its way is computed again. A parked worker takes
//! the place of the dead one, if there is one. Chunks that a worker took from the shared counter are known only by what is missing at the end.

use super::master::Master;
use crate::mpi::MpiFailed;
use crate::{records, status, stderr};

impl Master<'_> {
    /// Hands out again what workers had that died.
    pub fn bear_losses(&mut self) -> Result<(), MpiFailed> {
        while let Some(rank) = self.endpoint.next_lost() {
            self.losses.workers += 1;
            let tasks = self.lose(rank);
            self.losses.tasks += tasks;
            let held = match self.shared {
                Some(_) => "what it had taken is".to_owned(),
                None => format!("{tasks} of its tasks are"),
            };
            let iteration = self.iteration;
            match self.team.most() {
                0 => stderr::warn(format_args!("rank {rank} was lost in iteration {iteration}: no worker is left")),
                others => stderr::warn(format_args!(
                    "rank {rank} was lost in iteration {iteration}: {held} handed out again; workers left: {others}"
                )),
            }
            records::loss(self.iteration, 1, tasks, self.team.most() as u32, self.endpoint.in_world(rank));
        }
        if self.ledger.living() == 0 {
            self.fail(status::ERR_NO_WORKER);
        }
        if self.losses.workers == 0 {
            return Ok(());
        }
        let missing = self.ledger.reclaim();
        self.losses.tasks += missing;
        if missing > 0 {
            records::loss(self.iteration, 0, missing, self.team.most() as u32, None);
        }
        self.feed_idle()
    }

    /// Returns the number of tasks that this worker held.
    fn lose(&mut self, rank: usize) -> u64 {
        let Some((worker, is_vacant)) = self.team.lose(rank) else { return 0 };
        self.round_trips.forget(worker);
        if self.shared.as_mut().is_some_and(|shared| std::mem::take(&mut shared.takes[worker])) {
            self.ledger.leave();
        }
        self.ledger.lose(worker, is_vacant)
    }
}
