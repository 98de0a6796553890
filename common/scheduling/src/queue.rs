//! The chunks that one worker holds, the prefetch rule (when the master sends it a second one), and what it gives back.

use crate::normal::above_zero;
use crate::{Chunk, Technique};
use std::collections::VecDeque;

/// A chunk is small when at least this many chunks of its size are left for each worker: a prefetched one then binds
/// only a small part of the remaining tasks to its worker.
const SMALL_CHUNKS_LEFT: u64 = 8;
/// The tail of an iteration begins at this many remaining tasks per worker.
const TAIL_TASKS: u64 = 2;

/// Whether a chunk of so many tasks is small, with `left` tasks to schedule for `workers` workers.
pub fn is_small(tasks: u64, left: u64, workers: u64) -> bool {
    tasks.saturating_mul(workers * SMALL_CHUNKS_LEFT) <= left
}

/// Whether a chunk may be sent to a worker that holds another one: not in the tail of an iteration, nor with the static technique.
pub fn may_be_ahead(technique: Technique, left: u64, workers: u64) -> bool {
    left > TAIL_TASKS * workers && technique != Technique::None
}

/// The chunks that the master has sent to one worker and whose results it does not have yet.
#[derive(Clone, Debug, Default)]
pub struct WorkerQueue {
    chunks: VecDeque<Chunk>,
    asked: bool,
    /// When it began its oldest chunk, as far as the master knows, seconds.
    since_s: f64,
    /// First task of the chunk of which the master asked tasks back, while there is no answer.
    recalled: Option<u64>,
    /// It had no task to give back, and got no chunk since.
    exhausted: bool,
    /// The worker is gone: it gets no chunk any more.
    lost: bool,
}

impl WorkerQueue {
    /// Returns whether the master sends this worker a chunk now, with `left` tasks to schedule for `workers` workers.
    ///
    /// An idle worker always gets one. A worker with one chunk gets a second one (prefetch) if it has asked for it or if
    /// that chunk is small; but not in the tail of the iteration, where each task is best left to whoever is free first,
    /// and not with the static technique, which cuts exactly one chunk per worker.
    pub fn may_receive(&self, technique: Technique, left: u64, workers: u64) -> bool {
        match self.chunks.len() {
            0 => !self.lost,
            1 if self.recalled.is_none() => {
                let wanted = self.asked || self.chunks.back().is_some_and(|chunk| is_small(chunk.count, left, workers));
                wanted && may_be_ahead(technique, left, workers)
            }
            _ => false,
        }
    }

    /// Returns whether the worker holds no chunk, or has asked for the next one.
    pub fn wants(&self) -> bool {
        self.asked || self.is_idle()
    }

    /// Returns whether the worker holds no chunk and could compute one.
    pub fn is_idle(&self) -> bool {
        self.is_empty() && !self.lost
    }

    /// Returns whether the worker is gone.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The worker is gone, and its place stays empty or is another's from now on. Returns the chunks that it held.
    pub(crate) fn lose(&mut self, is_vacant: bool) -> VecDeque<Chunk> {
        std::mem::replace(self, WorkerQueue { lost: is_vacant, ..WorkerQueue::default() }).chunks
    }

    /// Appends a chunk that the master sends at `now_s`; it answers the worker's request, if there was one.
    pub fn push(&mut self, chunk: Chunk, now_s: f64) {
        if self.chunks.is_empty() {
            self.since_s = now_s;
        }
        self.chunks.push_back(chunk);
        (self.asked, self.exhausted) = (false, false);
    }

    /// Removes the oldest chunk, whose result came at `now_s`. A worker computes in the order in which it receives, so this is
    /// the one that comes back. If the master had asked for tasks of it, the result is the answer.
    pub fn pop(&mut self, now_s: f64) -> Option<Chunk> {
        let chunk = self.chunks.pop_front();
        self.since_s = now_s;
        self.recalled = self.recalled.filter(|recalled| chunk.is_some_and(|chunk| chunk.first != *recalled));
        chunk
    }

    /// Tasks that the worker holds.
    pub fn tasks(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.count).sum()
    }

    /// When it is expected to be done with the tasks that it holds, of `task_s` each, seconds.
    pub(crate) fn expected_end_s(&self, task_s: f64) -> f64 {
        self.since_s + self.tasks() as f64 * task_s
    }

    /// The time from `now_s` until then for tasks that scatter by `sigma_s`, given that it is not done: mean and variance. The tasks'
    /// sum is taken as normal.
    pub(crate) fn left_if_not_done(&self, task_s: f64, sigma_s: f64, now_s: f64) -> (f64, f64) {
        let tasks = self.tasks() as f64;
        above_zero(tasks * task_s - (now_s - self.since_s), tasks * sigma_s * sigma_s)
    }

    /// The newest chunk, if the master may ask for tasks of it: one task has begun.
    pub(crate) fn recallable(&self) -> Option<Chunk> {
        self.chunks.back().copied().filter(|_| self.recalled.is_none() && !self.exhausted && self.tasks() > 1)
    }

    /// Marks that the master asks for tasks of the newest chunk; returns that chunk's first task.
    pub(crate) fn recall(&mut self) -> Option<u64> {
        self.recalled = Some(self.recallable()?.first);
        self.recalled
    }

    /// Returns whether the master waits for an answer.
    pub(crate) fn is_recalled(&self) -> bool {
        self.recalled.is_some()
    }

    /// The answer to a recall of the chunk `recalled`: its last tasks, or none. Returns `false` when it is no answer to that.
    pub(crate) fn give_back(&mut self, recalled: u64, tasks: Chunk) -> bool {
        let at = self.chunks.iter().position(|chunk| chunk.first == recalled);
        let Some(at) = at.filter(|_| self.recalled == Some(recalled)) else { return false };
        let chunk = &mut self.chunks[at];
        if tasks.count > 0 {
            let fits = tasks.count <= chunk.count && tasks.first == chunk.first + (chunk.count - tasks.count);
            if !fits {
                return false;
            }
            chunk.count -= tasks.count;
            if chunk.count == 0 {
                self.chunks.remove(at);
            }
        }
        (self.recalled, self.exhausted) = (None, tasks.count == 0);
        true
    }

    /// Records that the worker asks for its next chunk because it computes the last task of its current one.
    pub fn ask(&mut self) {
        self.asked = true;
    }

    /// The chunk with this position, counted from the oldest.
    pub fn get(&self, position: usize) -> Option<Chunk> {
        self.chunks.get(position).copied()
    }

    /// Returns whether the worker holds no chunk.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(count: u64) -> WorkerQueue {
        let mut queue = WorkerQueue::default();
        queue.push(Chunk { first: 0, count }, 0.0);
        queue
    }

    #[test]
    fn a_second_chunk_is_sent_ahead_while_the_first_is_small_or_asked_about() {
        let technique = Technique::Dpf;
        assert!(WorkerQueue::default().may_receive(technique, 1, 4));
        assert!(queue(10).may_receive(technique, 320, 4) && !queue(10).may_receive(technique, 319, 4));
        let mut asking = queue(10);
        asking.ask();
        assert!(asking.may_receive(technique, 9, 4) && !asking.may_receive(technique, 8, 4), "the tail");
        assert!(!asking.may_receive(Technique::None, 9, 4));
        asking.push(Chunk { first: 10, count: 1 }, 0.0);
        assert!(!asking.may_receive(technique, 1000, 4), "a third chunk waits");
    }
}
