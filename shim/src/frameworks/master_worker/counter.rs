//! The master's part of an iteration whose chunks are taken from a shared counter.
//!
//! The workers that share memory with the master take their chunks themselves ([`super::taker`]). The others, and the master where it
//! computes, too, get theirs from the same counter: the master takes them, one for each that is idle.

use super::master::{Master, now_s};
use crate::mpi::MpiFailed;
use midrun_scheduling::Chunk;

impl Master<'_> {
    /// Tells the workers that can to take their chunks themselves.
    pub fn order(&mut self) -> Result<(), MpiFailed> {
        let Some(shared) = &self.shared else { return Ok(()) };
        for (worker, rank) in self.team.active().iter().enumerate() {
            if shared.takes[worker] {
                let mut message = self.endpoint.buffer();
                shared.order.write(&mut message, self.iteration);
                self.endpoint.send(*rank, message)?;
            }
        }
        Ok(())
    }

    /// The next chunk for a worker to which the master sends it; `None` when it shall get none now.
    pub fn cut(&mut self, worker: usize) -> Option<Chunk> {
        if self.subteams.as_ref().is_some_and(|subteams| subteams.team_of(worker).is_some()) {
            return None; // its sub-master gets it
        }
        let Some(shared) = &mut self.shared else { return self.ledger.cut(worker, now_s()) };
        if shared.takes[worker] || !self.ledger.is_idle(worker) || self.ledger.is_stopped() {
            return None;
        }
        // First what others lost.
        let chunk = self.ledger.next(worker).or_else(|| shared.next(self.endpoint))?;
        self.ledger.hold(worker, chunk, now_s());
        Some(chunk)
    }

    /// After a failure: nobody finds a chunk any more.
    pub fn exhaust(&self) {
        if self.shared.is_some() {
            self.endpoint.count(self.tasks);
        }
    }
}
