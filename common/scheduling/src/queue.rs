//! The chunks that one worker holds, and the prefetch rule: when the master sends it a second one.

use crate::{Chunk, Technique};
use std::collections::VecDeque;

/// A chunk is small when at least this many chunks of its size are left for each worker: a prefetched one then binds
/// only a small part of the remaining tasks to its worker.
const SMALL_CHUNKS_LEFT: u64 = 8;
/// The tail of an iteration begins at this many remaining tasks per worker.
const TAIL_TASKS: u64 = 2;

/// The chunks that the master has sent to one worker and whose results it does not have yet.
#[derive(Clone, Debug, Default)]
pub struct WorkerQueue {
    chunks: VecDeque<Chunk>,
    asked: bool,
}

impl WorkerQueue {
    /// Returns whether the master sends this worker a chunk now, with `left` tasks to schedule for `workers` workers.
    ///
    /// An idle worker always gets one. A worker with one chunk gets a second one (prefetch) if it has asked for it or if
    /// that chunk is small; but not in the tail of the iteration, where each task is best left to whoever is free first,
    /// and not with the static technique, which cuts exactly one chunk per worker.
    pub fn may_receive(&self, technique: Technique, left: u64, workers: u64) -> bool {
        let is_small = |chunk: &Chunk| chunk.count.saturating_mul(workers * SMALL_CHUNKS_LEFT) <= left;
        match self.chunks.len() {
            0 => true,
            1 => {
                let wanted = self.asked || self.chunks.back().is_some_and(is_small);
                wanted && left > TAIL_TASKS * workers && technique != Technique::None
            }
            _ => false,
        }
    }

    /// Appends a chunk that the master sends; it answers the worker's request, if there was one.
    pub fn push(&mut self, chunk: Chunk) {
        self.chunks.push_back(chunk);
        self.asked = false;
    }

    /// Removes the oldest chunk. A worker computes in the order in which it receives, so this is the one that comes back.
    pub fn pop(&mut self) -> Option<Chunk> {
        self.chunks.pop_front()
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
        queue.push(Chunk { first: 0, count });
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
        asking.push(Chunk { first: 10, count: 1 });
        assert!(!asking.may_receive(technique, 1000, 4), "a third chunk waits");
    }
}
