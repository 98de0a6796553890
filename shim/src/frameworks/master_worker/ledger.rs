//! The master's book: which chunk is where, and that each task comes back exactly once.

use crate::markers::learnt;
use midrun_scheduling::{Chunk, ChunkScheduler, Technique, TechniqueParameters, WorkerSpeed};
use std::collections::VecDeque;

/// A chunk is queued behind another when so many more of its size are left for each worker: then it binds little.
const CHEAP: u64 = 8;

/// One iteration's book.
#[derive(Debug)]
pub struct Ledger {
    handout: ChunkScheduler,
    /// What is left of a chunk that was too large for one message.
    leftover: Option<Chunk>,
    max_tasks: u64,
    out: Vec<VecDeque<Chunk>>,
    asked: Vec<bool>,
    /// What was measured of each worker.
    pub speeds: Vec<WorkerSpeed>,
    total: u64,
    /// Tasks that came back, and chunks handed out.
    pub done: u64,
    /// Chunks handed out.
    pub chunks: u64,
    stopped: bool,
}

impl Ledger {
    /// An iteration of `total` tasks, of which at most `max_tasks` fit into a message.
    pub fn new(
        setting: TechniqueParameters,
        total: u64,
        workers: usize,
        max_tasks: u64,
        speeds: Vec<WorkerSpeed>,
    ) -> Ledger {
        Ledger {
            handout: ChunkScheduler::new(setting, total, workers as u32),
            leftover: None,
            max_tasks: max_tasks.max(1),
            out: (0..workers).map(|_| VecDeque::new()).collect(),
            asked: vec![false; workers],
            speeds,
            total,
            done: 0,
            chunks: 0,
            stopped: false,
        }
    }

    /// Takes a new setting over at once.
    pub fn set(&mut self, setting: TechniqueParameters) {
        self.handout.set(setting);
    }

    /// Hands out nothing more.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    fn left(&self) -> u64 {
        self.handout.remaining() + self.leftover.map_or(0, |c| c.count)
    }

    /// What `worker` shall get now: always something when it has nothing; ahead of time when it asks or the chunk is
    /// small, but not in the iteration's tail, where each task is best left to whoever is free first.
    pub fn cut(&mut self, worker: usize) -> Option<Chunk> {
        let workers = self.out.len() as u64;
        let have = self.out[worker].len();
        let ahead = || {
            let small = |c: &Chunk| c.count.saturating_mul(workers * CHEAP) <= self.left();
            let wanted = self.asked[worker] || self.out[worker].back().is_some_and(small);
            have == 1 && wanted && self.left() > 2 * workers && self.handout.setting().kind != Technique::None
        };
        if self.stopped || (have > 0 && !ahead()) {
            return None;
        }
        let mut chunk = match self.leftover.take() {
            Some(chunk) => chunk,
            None => self.handout.next(worker as u32, &self.speeds)?,
        };
        if chunk.count > self.max_tasks {
            let rest = Chunk { first: chunk.first + self.max_tasks, count: chunk.count - self.max_tasks };
            self.leftover = Some(rest);
            chunk.count = self.max_tasks;
        }
        self.out[worker].push_back(chunk);
        self.asked[worker] = false;
        self.chunks += 1;
        Some(chunk)
    }

    /// Whether `worker` has nothing to do.
    pub fn is_idle(&self, worker: usize) -> bool {
        self.out[worker].is_empty()
    }

    /// `worker` is about to run dry.
    pub fn ask(&mut self, worker: usize) {
        self.asked[worker] = true;
    }

    /// A chunk came back. `false` when it was not out at that worker: computed twice, or never handed out.
    pub fn take(&mut self, worker: usize, first: u64, count: u64, busy_s: f64, sum_sq_s2: f64) -> bool {
        // A worker computes in the order in which it receives, so the oldest comes back first.
        if self.out[worker].pop_front() != Some(Chunk { first, count }) {
            return false;
        }
        self.done += count;
        self.speeds[worker] = learnt(self.speeds[worker], count, busy_s, sum_sq_s2);
        true
    }

    /// Whether nothing is out and nothing more goes out.
    pub fn closed(&self) -> bool {
        (self.stopped || self.left() == 0) && self.out.iter().all(VecDeque::is_empty)
    }

    /// Whether every task came back.
    pub fn balanced(&self) -> bool {
        self.done == self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(kind: Technique, tasks: u64, workers: usize, max_tasks: u64) -> u64 {
        let speeds = vec![WorkerSpeed::default(); workers];
        let mut ledger = Ledger::new(TechniqueParameters::new(kind), tasks, workers, max_tasks, speeds);
        let mut seen = vec![0u32; tasks as usize];
        while !ledger.closed() {
            for worker in 0..workers {
                while ledger.cut(worker).is_some() {}
                if let Some(chunk) = ledger.out[worker].front().copied() {
                    assert!(chunk.count <= max_tasks);
                    seen[chunk.first as usize..][..chunk.count as usize].iter_mut().for_each(|s| *s += 1);
                    ledger.ask(worker);
                    assert!(ledger.take(worker, chunk.first, chunk.count, 1.0, 1.0));
                }
            }
        }
        assert!(ledger.balanced() && seen.iter().all(|s| *s == 1));
        ledger.chunks
    }

    #[test]
    fn every_technique_hands_out_each_task_once() {
        for kind in Technique::ALL {
            for (tasks, workers) in [(0, 3), (1, 3), (2, 3), (100, 1), (1000, 7)] {
                play(kind, tasks, workers, u64::MAX);
                play(kind, tasks, workers, 5);
            }
        }
    }

    #[test]
    fn none_gives_each_worker_exactly_one_chunk() {
        assert_eq!(play(Technique::None, 1000, 7, u64::MAX), 7);
    }

    #[test]
    fn a_chunk_that_comes_twice_or_was_never_out_is_noticed() {
        let mut ledger = Ledger::new(TechniqueParameters::new(Technique::Ss), 10, 1, 99, vec![WorkerSpeed::default()]);
        let chunk = ledger.cut(0).unwrap();
        assert!(ledger.take(0, chunk.first, chunk.count, 1.0, 1.0));
        assert!(!ledger.take(0, chunk.first, chunk.count, 1.0, 1.0));
        assert!(!ledger.balanced());
    }

    #[test]
    fn after_a_stop_what_is_out_still_comes_back() {
        let mut ledger =
            Ledger::new(TechniqueParameters::new(Technique::Ss), 10, 2, 99, vec![WorkerSpeed::default(); 2]);
        let chunk = ledger.cut(0).unwrap();
        ledger.stop();
        assert!(ledger.cut(1).is_none() && !ledger.closed());
        assert!(ledger.take(0, chunk.first, chunk.count, 1.0, 1.0));
        assert!(ledger.closed() && !ledger.balanced());
    }
}
