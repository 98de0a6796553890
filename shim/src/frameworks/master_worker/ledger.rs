//! The master's ledger of one iteration: which worker holds which chunk, and that each task comes back exactly once.

use midrun_scheduling::{Chunk, ChunkScheduler, TechniqueParameters, WorkerQueue, WorkerSpeed};

/// The chunks and tasks of one iteration.
#[derive(Debug)]
pub struct Ledger {
    scheduler: ChunkScheduler,
    /// The rest of a chunk that was too large for one message.
    rest: Option<Chunk>,
    max_tasks: u64,
    /// Chunks that each worker holds.
    queues: Vec<WorkerQueue>,
    /// Measured speed of each worker.
    pub speeds: Vec<WorkerSpeed>,
    total: u64,
    /// Tasks whose results came back.
    pub done: u64,
    /// Chunks sent.
    pub chunks: u64,
    stopped: bool,
}

impl Ledger {
    /// An iteration of `total` tasks, of which at most `max_tasks` fit into one message.
    pub fn new(
        parameters: TechniqueParameters,
        total: u64,
        workers: usize,
        max_tasks: u64,
        speeds: Vec<WorkerSpeed>,
    ) -> Ledger {
        Ledger {
            scheduler: ChunkScheduler::new(parameters, total, workers as u32),
            rest: None,
            max_tasks: max_tasks.max(1),
            queues: vec![WorkerQueue::default(); workers],
            speeds,
            total,
            done: 0,
            chunks: 0,
            stopped: false,
        }
    }

    /// Changes the technique for the remaining tasks at once.
    pub fn set(&mut self, parameters: TechniqueParameters) {
        self.scheduler.set(parameters);
    }

    /// Sends no further chunk.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    fn left(&self) -> u64 {
        self.scheduler.remaining() + self.rest.map_or(0, |chunk| chunk.count)
    }

    /// Cuts the chunk that `worker` shall get now; `None` when it shall get none ([`WorkerQueue::may_receive`]).
    pub fn cut(&mut self, worker: usize) -> Option<Chunk> {
        let workers = self.queues.len() as u64;
        if self.stopped || !self.queues[worker].may_receive(self.scheduler.technique(), self.left(), workers) {
            return None;
        }
        let mut chunk = match self.rest.take() {
            Some(chunk) => chunk,
            None => self.scheduler.next(worker as u32, &self.speeds)?,
        };
        if chunk.count > self.max_tasks {
            self.rest = Some(Chunk { first: chunk.first + self.max_tasks, count: chunk.count - self.max_tasks });
            chunk.count = self.max_tasks;
        }
        self.queues[worker].push(chunk);
        self.chunks += 1;
        Some(chunk)
    }

    /// Returns whether `worker` holds no chunk.
    pub fn is_idle(&self, worker: usize) -> bool {
        self.queues[worker].is_empty()
    }

    /// Records that `worker` computes its last task.
    pub fn ask(&mut self, worker: usize) {
        self.queues[worker].ask();
    }

    /// Takes a chunk back. Returns `false` when it is not the oldest of that worker: computed twice, or never sent.
    pub fn take(&mut self, worker: usize, chunk: Chunk, busy_s: f64, sum_sq_s2: f64) -> bool {
        if self.queues[worker].pop() != Some(chunk) {
            return false;
        }
        self.done += chunk.count;
        self.speeds[worker].add_chunk(chunk.count, busy_s, sum_sq_s2);
        true
    }

    /// Returns whether every chunk is back and no further one will be sent.
    pub fn is_closed(&self) -> bool {
        (self.stopped || self.left() == 0) && self.queues.iter().all(WorkerQueue::is_empty)
    }

    /// Returns whether every task came back.
    pub fn is_balanced(&self) -> bool {
        self.done == self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_scheduling::Technique;

    fn play(kind: Technique, tasks: u64, workers: usize, max_tasks: u64) -> u64 {
        let speeds = vec![WorkerSpeed::default(); workers];
        let mut ledger = Ledger::new(TechniqueParameters::new(kind), tasks, workers, max_tasks, speeds);
        let mut computed = vec![0u32; tasks as usize];
        while !ledger.is_closed() {
            for worker in 0..workers {
                while ledger.cut(worker).is_some() {}
                if let Some(chunk) = ledger.queues[worker].get(0) {
                    assert!(chunk.count <= max_tasks);
                    computed[chunk.first as usize..][..chunk.count as usize].iter_mut().for_each(|s| *s += 1);
                    ledger.ask(worker);
                    assert!(ledger.take(worker, chunk, 1.0, 1.0));
                }
            }
        }
        assert!(ledger.is_balanced() && computed.iter().all(|s| *s == 1));
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
        assert!(ledger.take(0, chunk, 1.0, 1.0));
        assert!(!ledger.take(0, chunk, 1.0, 1.0));
        assert!(!ledger.is_balanced());
    }

    #[test]
    fn after_a_stop_what_is_out_still_comes_back() {
        let mut ledger =
            Ledger::new(TechniqueParameters::new(Technique::Ss), 10, 2, 99, vec![WorkerSpeed::default(); 2]);
        let chunk = ledger.cut(0).unwrap();
        ledger.stop();
        assert!(ledger.cut(1).is_none() && !ledger.is_closed());
        assert!(ledger.take(0, chunk, 1.0, 1.0));
        assert!(ledger.is_closed() && !ledger.is_balanced());
    }
}
