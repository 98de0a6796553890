//! Recall: idle workers get the tasks that a busy worker has not begun.
//!
//! When nothing is left to schedule and a worker is idle, the master asks the worker with most expected work left
//! ([`crate::Workers::recall`]) for a part of the tasks that it has not begun. That worker answers before the result of the chunk, or the result is the answer: messages
//! of one sender keep their order, so each task is in one hand at any time.

use crate::Chunk;

/// A request to a worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recall {
    /// Whom to ask.
    pub worker: usize,
    /// First task of the newest chunk that it holds: the one that is to become smaller.
    pub chunk: u64,
    /// Time that it takes for a task, as far as the master knows, seconds; 0: unknown.
    pub own_s: f64,
    /// Time per task of the idle workers for whom it is asked, together, seconds; 0: unknown.
    pub idle_s: f64,
}

/// The task time of a worker that computed `begun` tasks of a chunk in `busy_s` seconds: what the master knows of it counts as one
/// task.
pub fn own_task_s(known_s: f64, begun: u64, busy_s: f64) -> f64 {
    if known_s > 0.0 { (known_s + busy_s) / (1.0 + begun as f64) } else { busy_s / begun.max(1) as f64 }
}

/// Tasks to give back, of `unbegun` by a worker that is about to begin the next one: so many that it ends at the same time as
/// those that get them, or as nearly as whole tasks allow. 0 where that is fewer than `least`.
///
/// `own_s` is the worker's time per task, `idle_s` that of the idle ones together; where one is unknown, half of the tasks.
pub fn tasks_to_return(unbegun: u64, own_s: f64, idle_s: f64, least: u64) -> u64 {
    let known = own_s.is_finite() && own_s > 0.0 && idle_s.is_finite() && idle_s > 0.0;
    let (own_s, idle_s) = if known { (own_s, idle_s) } else { (1.0, 1.0) };
    let fewer = ((unbegun as f64 * own_s / (own_s + idle_s)) as u64).min(unbegun);
    let end_s = |count: u64| f64::max((unbegun - count) as f64 * own_s, count as f64 * idle_s);
    let count = if fewer < unbegun && end_s(fewer + 1) < end_s(fewer) { fewer + 1 } else { fewer };
    if count < least { 0 } else { count }
}

/// The tasks that workers gave back, or that were lost with a worker, and nobody has got yet.
#[derive(Clone, Debug, Default)]
pub struct Returned(Vec<Chunk>);

impl Returned {
    /// Number of tasks.
    pub fn tasks(&self) -> u64 {
        self.0.iter().map(|chunk| chunk.count).sum()
    }

    /// Adds some.
    pub fn add(&mut self, tasks: Chunk) {
        self.0.push(tasks);
    }

    /// The next chunk, if there is one: an even part for each of the `idle` workers.
    pub fn next(&mut self, idle: u64) -> Option<Chunk> {
        let part = self.tasks().div_ceil(idle.max(1));
        let mut chunk = self.0.pop()?;
        if chunk.count > part {
            self.0.push(Chunk { first: chunk.first + part, count: chunk.count - part });
            chunk.count = part;
        }
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_end_at_the_same_time() {
        assert_eq!(tasks_to_return(100, 3.0, 1.0, 1), 75, "the idle worker is three times as fast");
        assert_eq!((tasks_to_return(1, 1.0, 1.0, 1), tasks_to_return(2, 1.0, 1.0, 1)), (0, 1));
        assert_eq!(tasks_to_return(8, 16.0, 2.0 / 3.0, 1), 8, "three idle ones are done before the next task would be");
        assert_eq!((tasks_to_return(10, 1.0, 1.0, 6), tasks_to_return(10, f64::NAN, 1.0, 1)), (0, 5));
        assert_eq!((tasks_to_return(10, 0.0, 0.0, 1), tasks_to_return(0, 1.0, 1.0, 0)), (5, 0));
        assert_eq!((own_task_s(2.0, 1, 4.0), own_task_s(0.0, 2, 4.0), own_task_s(2.0, 0, 0.0)), (3.0, 2.0, 2.0));
    }
}
