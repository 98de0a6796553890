//! The master's books: who has which tasks, what came back, and whether everything was computed exactly once.

use crate::marks::learnt;
use midrun_handout::{Chunk, WorkerSpeed};
use std::collections::VecDeque;

/// What the master knows of one iteration and its workers.
#[derive(Debug, Default)]
pub struct Tally {
    /// By worker: chunks sent and not answered, oldest first. A worker answers in order.
    out: Vec<VecDeque<Chunk>>,
    /// By worker: it asked for more and was put off.
    put_off: Vec<bool>,
    /// By worker, kept over iterations, for AF.
    speeds: Vec<WorkerSpeed>,
    pub done: u64,
    pub chunks: u64,
    pub task_ns: u64,
}

impl Tally {
    pub fn new(workers: u32) -> Self {
        let n = workers as usize;
        Tally {
            out: vec![VecDeque::new(); n],
            put_off: vec![false; n],
            speeds: vec![WorkerSpeed::default(); n],
            ..Self::default()
        }
    }

    /// A new iteration: what was learnt of the workers' speed fades, so that AF follows a program that changes.
    pub fn begin(&mut self) {
        (self.done, self.chunks, self.task_ns) = (0, 0, 0);
        self.put_off.fill(false);
        for s in &mut self.speeds {
            (s.tasks, s.chunks) = (s.tasks.div_ceil(2), s.chunks.div_ceil(2));
        }
    }

    pub fn speeds(&self) -> &[WorkerSpeed] {
        &self.speeds
    }

    pub fn sent(&mut self, worker: u32, chunk: Chunk) {
        self.out[worker as usize].push_back(chunk);
        self.put_off[worker as usize] = false;
        self.chunks += 1;
    }

    pub fn is_idle(&self, worker: u32) -> bool {
        self.out[worker as usize].is_empty()
    }

    pub fn all_idle(&self) -> bool {
        self.out.iter().all(VecDeque::is_empty)
    }

    pub fn put_off(&mut self, worker: u32) {
        self.put_off[worker as usize] = true;
    }

    /// Workers that were put off and may be asked again, after a change of setting.
    pub fn waiting(&self) -> impl Iterator<Item = u32> + '_ {
        self.put_off.iter().zip(0..).filter(|(off, _)| **off).map(|(_, worker)| worker)
    }

    /// A worker answered; `false` when that chunk is not the one it owed.
    pub fn answered(&mut self, worker: u32, chunk: Chunk, busy_ns: u64, sum_sq_s2: f64) -> bool {
        let owed = self.out.get_mut(worker as usize).and_then(VecDeque::pop_front);
        if owed != Some(chunk) {
            return false;
        }
        self.done += chunk.count;
        self.task_ns += busy_ns;
        let speed = &mut self.speeds[worker as usize];
        *speed = learnt(*speed, chunk.count, busy_ns as f64 * 1e-9, sum_sq_s2);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chunk_is_taken_once_and_from_the_worker_that_has_it() {
        let mut tally = Tally::new(2);
        let (a, b) = (Chunk { first: 0, count: 3 }, Chunk { first: 3, count: 2 });
        tally.sent(0, a);
        tally.sent(0, b);
        assert!(!tally.all_idle() && tally.is_idle(1));
        assert!(!tally.answered(1, a, 1, 0.0), "another worker's chunk");
        assert!(tally.answered(0, a, 1, 0.0));
        assert!(!tally.answered(0, a, 1, 0.0), "a second time");
    }

    #[test]
    fn a_worker_put_off_waits_until_it_gets_something() {
        let mut tally = Tally::new(3);
        tally.put_off(1);
        assert_eq!(tally.waiting().collect::<Vec<_>>(), [1]);
        tally.sent(1, Chunk { first: 0, count: 1 });
        assert_eq!(tally.waiting().count(), 0);
    }
}
