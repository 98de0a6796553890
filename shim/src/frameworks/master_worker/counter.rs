//! The master's part of an iteration whose chunks are taken from a shared counter.
//!
//! The workers that share memory with the master take their chunks themselves ([`super::taker`]). The others, and the master where it
//! computes, too, get theirs from the same counter: the master takes them, one for each that is idle.

use super::master::{Master, now_s};
use super::message::{Header, Kind};
use super::results;
use crate::mpi::MpiFailed;
use crate::status;
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
        let Some(shared) = &mut self.shared else { return self.ledger.cut(worker, now_s()) };
        if shared.takes[worker] || !self.ledger.is_idle(worker) || self.ledger.is_stopped() {
            return None;
        }
        let chunk = shared.next(self.endpoint)?;
        self.ledger.hold(worker, chunk, now_s());
        Some(chunk)
    }

    /// After a failure: nobody finds a chunk any more.
    pub fn exhaust(&self) {
        if self.shared.is_some() {
            self.endpoint.count(self.tasks);
        }
    }

    /// A worker sends the results of chunks that it took.
    pub fn on_results(&mut self, worker: usize, header: &Header, mut payload: &[u8]) {
        let takes = self.shared.as_ref().is_some_and(|shared| shared.takes[worker]);
        for _ in 0..header.count {
            let Some((done, results)) = results::next(&mut payload).filter(|_| takes) else {
                self.fail(status::ERR_COUNT);
                break;
            };
            let chunk = Chunk { first: done.first, count: done.count };
            if !self.ledger.take_shared(worker, chunk, (done.total as f64 * 1e-9, done.sum_sq_s2)) {
                self.fail(status::ERR_COUNT);
                break;
            }
            self.task_ns += done.total;
            if self.status == status::OK && !self.config.collect(self.iteration, done.first, done.count, results) {
                self.fail(status::ERR_TASK);
            }
        }
        if header.status != status::OK {
            self.fail(header.status);
        }
        if header.total != 0 && !(takes && self.ledger.leave()) {
            self.fail(status::ERR_COUNT);
        }
    }

    /// Whether such a message belongs to this iteration.
    pub fn expects(&self, header: &Header) -> bool {
        header.kind == Kind::Results && header.iteration == self.iteration
    }
}
