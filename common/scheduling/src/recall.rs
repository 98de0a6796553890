//! Recall: idle workers get the tasks that a busy worker has not begun.
//!
//! When nothing is left to schedule and a worker is idle, the master asks the worker with most expected work left for a part of
//! the tasks that it has not begun. That worker answers before the result of the chunk, or the result is the answer: messages
//! of one sender keep their order, so each task is in one hand at any time.

use crate::{Chunk, WorkerQueue, WorkerSpeed};

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

/// The tasks that workers gave back and nobody has got yet.
#[derive(Clone, Debug, Default)]
pub struct Returned(Vec<Chunk>);

impl Returned {
    /// Number of tasks.
    pub fn tasks(&self) -> u64 {
        self.0.iter().map(|chunk| chunk.count).sum()
    }

    /// Records the answer of a worker to a recall of its chunk `recalled`: it gives the last tasks of that chunk back, or none.
    /// Returns `false` when it was not asked, or these are not the last tasks of that chunk.
    pub fn on_answer(&mut self, queue: &mut WorkerQueue, recalled: u64, tasks: Chunk) -> bool {
        let accepted = queue.give_back(recalled, tasks);
        if accepted && tasks.count > 0 {
            self.0.push(tasks);
        }
        accepted
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

/// Whom of those that `may_ask` names to ask at `now_s` for tasks, and marks that worker as asked; `None` when no worker is idle
/// and waits for an answer, or nobody holds more than one task. For when nothing is left to schedule.
pub fn recall(
    queues: &mut [WorkerQueue],
    speeds: &[WorkerSpeed],
    now_s: f64,
    may_ask: impl Fn(usize) -> bool,
) -> Option<Recall> {
    let idle = queues.iter().filter(|queue| queue.is_empty()).count();
    let pending = queues.iter().filter(|queue| queue.is_recalled()).count();
    if idle <= pending {
        return None;
    }
    // A worker that was never measured counts as one of average speed.
    let measured = || speeds.iter().filter(|speed| speed.tasks > 0 && speed.mean_s > 0.0);
    let typical_s = measured().map(|speed| speed.mean_s).sum::<f64>() / measured().count().max(1) as f64;
    let task_s = |worker: usize| match speeds.get(worker) {
        Some(speed) if speed.tasks > 0 && speed.mean_s > 0.0 => speed.mean_s,
        _ => typical_s,
    };
    let left_s = |worker: usize| queues[worker].expected_left_s(task_s(worker), now_s);
    let candidates = (0..queues.len()).filter(|worker| may_ask(*worker) && queues[*worker].recallable().is_some());
    let worker = candidates.max_by(|a, b| {
        left_s(*a).total_cmp(&left_s(*b)).then(queues[*a].tasks().cmp(&queues[*b].tasks())).then(b.cmp(a))
    })?;
    let idle_rate: f64 = (0..queues.len()).filter(|w| queues[*w].is_empty()).map(|w| 1.0 / task_s(w)).sum();
    let own_s = task_s(worker);
    let chunk = queues[worker].recall()?;
    // All idle workers share what comes back from all that were asked.
    Some(Recall { worker, chunk, own_s, idle_s: (pending + 1) as f64 / idle_rate })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(first: u64, count: u64) -> WorkerQueue {
        let mut queue = WorkerQueue::default();
        queue.push(Chunk { first, count }, 0.0);
        queue
    }

    fn known(mean_s: f64) -> WorkerSpeed {
        WorkerSpeed::known(10, 3, mean_s, 0.0)
    }

    #[test]
    fn the_worker_with_most_work_left_is_asked_and_only_once() {
        let mut queues = [WorkerQueue::default(), queue(0, 10), queue(10, 10), queue(20, 1)];
        let speeds = [known(1.0), known(1.0), known(3.0), known(9.0)];
        // At 4 s the second has 6 s left, the third 26 s; the fourth has begun its only task.
        let asked = Recall { worker: 2, chunk: 10, own_s: 3.0, idle_s: 1.0 };
        assert_eq!(recall(&mut queues, &speeds, 4.0, |_| true), Some(asked));
        assert_eq!(recall(&mut queues, &speeds, 4.0, |_| true), None, "one idle worker, one request");
        let mut returned = Returned::default();
        assert!(!returned.on_answer(&mut queues[1], 0, Chunk { first: 9, count: 1 }), "it was not asked");
        assert!(!returned.on_answer(&mut queues[2], 10, Chunk { first: 15, count: 4 }), "not its last tasks");
        assert!(returned.on_answer(&mut queues[2], 10, Chunk { first: 15, count: 5 }));
        assert_eq!(queues[2].get(0), Some(Chunk { first: 10, count: 5 }));
        assert_eq!(returned.next(2), Some(Chunk { first: 15, count: 3 }), "half for each of two idle workers");
        assert_eq!((returned.next(1), returned.next(1)), (Some(Chunk { first: 18, count: 2 }), None));
    }

    #[test]
    fn who_had_nothing_to_give_is_not_asked_again_before_its_next_chunk() {
        let mut queues = [WorkerQueue::default(), queue(0, 2)];
        let speeds = [WorkerSpeed::default(); 2];
        let asked = recall(&mut queues, &speeds, 1.0, |_| true).unwrap();
        assert_eq!((asked.worker, asked.own_s), (1, 0.0), "nothing is known of the speeds");
        assert!(Returned::default().on_answer(&mut queues[1], 0, Chunk { first: 0, count: 0 }));
        assert_eq!(recall(&mut queues, &speeds, 2.0, |_| true), None);
        assert_eq!(queues[1].pop(3.0), Some(Chunk { first: 0, count: 2 }));
        queues[1].push(Chunk { first: 9, count: 2 }, 3.0);
        assert!(recall(&mut queues, &speeds, 4.0, |_| true).is_some());
    }

    #[test]
    fn a_result_answers_a_recall_that_came_too_late() {
        let mut queues = [WorkerQueue::default(), queue(0, 9), queue(9, 9)];
        let speeds = [known(1.0); 3];
        let asked = recall(&mut queues, &speeds, 1.0, |_| true).unwrap().worker;
        queues[asked].pop(2.0);
        assert!(!queues[asked].is_recalled());
        assert!(recall(&mut queues, &speeds, 2.0, |_| true).is_some(), "the other one is asked");
    }

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
