//! What the master knows of its workers: the chunks that each holds, and how fast each is. Whom to ask for tasks back.
//!
//! Which workers are idle, and whose work ends last, is kept up to date change by change: a master of thousands of workers asks
//! for it with every result of an iteration's tail.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{Chunk, Recall, Returned, WorkerQueue, WorkerSpeed};

/// The workers of one iteration, by number.
#[derive(Clone, Debug)]
pub struct Workers {
    queues: Vec<WorkerQueue>,
    speeds: Vec<WorkerSpeed>,
    /// A bit for each worker that holds no chunk, and how many they are.
    idle: Vec<u64>,
    idle_count: usize,
    /// Places of workers that are gone, without another in their place.
    vacant: usize,
    /// Requests for tasks without an answer.
    pending: usize,
    order: Order,
}

/// The workers that may be asked for tasks, in the order of what they have left.
#[derive(Clone, Debug)]
struct Order {
    /// What counts of each worker.
    counted: Vec<Counted>,
    /// Workers that changed since.
    changed: Vec<usize>,
    /// Sum of the time per task of the measured workers, seconds, and their number.
    measured_s: f64,
    measured: usize,
    /// Tasks per second of the idle workers that were measured, and the number of the others.
    idle_rate: f64,
    idle_unmeasured: usize,
    /// When the work that each holds is expected to end, and its tasks; and the same by tasks alone. Of a worker that changed
    /// since, an older version is left behind.
    by_end: BinaryHeap<(i64, u64, Reverse<usize>, u32)>,
    by_tasks: BinaryHeap<(u64, Reverse<usize>, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    version: u32,
    is_changed: bool,
    /// Time per task, seconds; 0: never measured, or not counted yet.
    task_s: f64,
    is_idle: bool,
}

/// Bits that order as `f64::total_cmp` does.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

impl Workers {
    /// Workers of these speeds, that hold nothing.
    pub fn new(speeds: Vec<WorkerSpeed>) -> Workers {
        let n = speeds.len();
        let order = Order {
            counted: vec![Counted { is_changed: true, ..Counted::default() }; n],
            changed: (0..n).collect(),
            measured_s: 0.0,
            measured: 0,
            idle_rate: 0.0,
            idle_unmeasured: 0,
            by_end: BinaryHeap::new(),
            by_tasks: BinaryHeap::new(),
        };
        let mut idle = vec![0; n.div_ceil(64)];
        (0..n).for_each(|worker| idle[worker / 64] |= 1 << (worker % 64));
        Workers { queues: vec![WorkerQueue::default(); n], speeds, idle, idle_count: n, vacant: 0, pending: 0, order }
    }

    /// Number of workers.
    pub fn count(&self) -> usize {
        self.queues.len()
    }

    /// The chunks that each holds.
    pub fn queues(&self) -> &[WorkerQueue] {
        &self.queues
    }

    /// The speed of each.
    pub fn speeds(&self) -> &[WorkerSpeed] {
        &self.speeds
    }

    /// Workers that hold no chunk.
    pub fn idle(&self) -> usize {
        self.idle_count
    }

    /// Returns whether no worker holds a chunk.
    pub fn hold_nothing(&self) -> bool {
        self.idle_count + self.vacant == self.count()
    }

    /// Workers that are not gone.
    pub fn living(&self) -> usize {
        self.count() - self.vacant
    }

    /// The worker is gone; where its place is not `is_vacant`, another has it from now on, of which nothing is known. What it held is to be
    /// computed again. Returns the number of those tasks.
    pub fn lose(&mut self, returned: &mut Returned, worker: usize, is_vacant: bool) -> u64 {
        self.vacant += usize::from(is_vacant);
        self.speeds[worker] = WorkerSpeed::default();
        let chunks = self.change(worker, |queue| queue.lose(is_vacant));
        let tasks = chunks.iter().map(|chunk| chunk.count).sum();
        chunks.into_iter().for_each(|chunk| returned.add(chunk));
        tasks
    }

    /// The first idle worker.
    pub fn first_idle(&self) -> Option<usize> {
        let word = self.idle.iter().position(|word| *word != 0)?;
        Some(64 * word + self.idle[word].trailing_zeros() as usize)
    }

    /// See [`WorkerQueue::push`].
    pub fn push(&mut self, worker: usize, chunk: Chunk, now_s: f64) {
        self.change(worker, |queue| queue.push(chunk, now_s))
    }

    /// See [`WorkerQueue::pop`].
    pub fn pop(&mut self, worker: usize, now_s: f64) -> Option<Chunk> {
        self.change(worker, |queue| queue.pop(now_s))
    }

    /// See [`WorkerQueue::ask`].
    pub fn ask(&mut self, worker: usize) {
        self.queues[worker].ask();
    }

    /// The worker gives up what it holds.
    pub fn clear(&mut self, worker: usize) {
        self.change(worker, |queue| *queue = WorkerQueue::default())
    }

    /// Records the answer of `worker` to a recall of its chunk `recalled`: it gives the last tasks of that chunk back, or none.
    /// Returns `false` when it was not asked, or these are not the last tasks of that chunk.
    pub fn on_answer(&mut self, returned: &mut Returned, worker: usize, recalled: u64, tasks: Chunk) -> bool {
        let accepted = self.change(worker, |queue| queue.give_back(recalled, tasks));
        if accepted && tasks.count > 0 {
            returned.add(tasks);
        }
        accepted
    }

    /// See [`WorkerSpeed::add_chunk`].
    pub fn add_chunk(&mut self, worker: usize, tasks: u64, busy_s: f64, sum_sq_s2: f64) {
        self.speeds[worker].add_chunk(tasks, busy_s, sum_sq_s2);
        self.order.touch(worker);
    }

    fn change<T>(&mut self, worker: usize, change: impl FnOnce(&mut WorkerQueue) -> T) -> T {
        let queue = &mut self.queues[worker];
        let before = (queue.is_idle(), queue.is_recalled());
        let result = change(queue);
        let (is_idle, is_recalled) = (queue.is_idle(), queue.is_recalled());
        if before.0 != is_idle {
            self.idle[worker / 64] ^= 1 << (worker % 64);
            self.idle_count = if is_idle { self.idle_count + 1 } else { self.idle_count - 1 };
        }
        self.pending = self.pending + usize::from(is_recalled) - usize::from(before.1);
        self.order.touch(worker);
        result
    }

    /// Whom to ask at `now_s` for tasks, and marks that worker as asked: the one with most expected work left, or `only` that
    /// one. `None` when no worker is idle and waits for an answer, or nobody holds more than one task. For when nothing is left
    /// to schedule.
    pub fn recall(&mut self, now_s: f64, only: Option<usize>) -> Option<Recall> {
        if self.idle_count <= self.pending {
            return None;
        }
        self.order.refresh(&self.queues, &self.speeds);
        let worker = match only {
            None => self.order.busiest(now_s)?,
            Some(worker) => worker,
        };
        let idle_rate = self.order.idle_rate(self.idle_count);
        let idle_s = (self.pending + 1) as f64 / idle_rate; // all idle workers share what comes back from all that were asked
        let chunk = self.change(worker, WorkerQueue::recall)?;
        Some(Recall { worker, chunk, own_s: self.order.task_s(worker), idle_s })
    }
}

impl Order {
    fn touch(&mut self, worker: usize) {
        if !std::mem::replace(&mut self.counted[worker].is_changed, true) {
            self.changed.push(worker);
        }
    }

    /// The typical time per task: a worker that was never measured counts as one of average speed.
    fn typical_s(&self) -> f64 {
        self.measured_s / self.measured.max(1) as f64
    }

    fn task_s(&self, worker: usize) -> f64 {
        let task_s = self.counted[worker].task_s;
        if task_s > 0.0 { task_s } else { self.typical_s() }
    }

    /// Tasks per second of the `idle` workers together.
    fn idle_rate(&self, idle: usize) -> f64 {
        let unmeasured = match self.idle_unmeasured {
            0 => 0.0,
            unmeasured => unmeasured as f64 / self.typical_s(),
        };
        // What is left of a sum of which all was taken away again is rounding.
        if idle == self.idle_unmeasured { unmeasured } else { self.idle_rate + unmeasured }
    }

    /// Counts the workers that changed.
    fn refresh(&mut self, queues: &[WorkerQueue], speeds: &[WorkerSpeed]) {
        for &worker in &self.changed {
            let speed = &speeds[worker];
            let task_s = if speed.tasks > 0 && speed.mean_s > 0.0 { speed.mean_s } else { 0.0 };
            let is_idle = queues[worker].is_idle();
            let counted = &mut self.counted[worker];
            // Taken away as it was counted, and counted as it is.
            for (sign, task_s, is_idle) in [(-1.0, counted.task_s, counted.is_idle), (1.0, task_s, is_idle)] {
                let one = sign as isize;
                if task_s > 0.0 {
                    self.measured_s += sign * task_s;
                    self.measured = self.measured.saturating_add_signed(one);
                }
                match is_idle {
                    true if task_s > 0.0 => self.idle_rate += sign / task_s,
                    true => self.idle_unmeasured = self.idle_unmeasured.saturating_add_signed(one),
                    false => {}
                }
            }
            *counted = Counted { version: counted.version.wrapping_add(1), is_changed: false, task_s, is_idle };
        }
        while let Some(worker) = self.changed.pop() {
            let (queue, version) = (&queues[worker], self.counted[worker].version);
            if queue.recallable().is_some() {
                let (end_s, tasks) = (queue.expected_end_s(self.task_s(worker)), queue.tasks());
                self.by_end.push((ordered(end_s), tasks, Reverse(worker), version));
                self.by_tasks.push((tasks, Reverse(worker), version));
            }
        }
    }

    /// The worker with most time left at `now_s`; where all are overdue, with most tasks.
    fn busiest(&mut self, now_s: f64) -> Option<usize> {
        let is_now = |worker: usize, version: u32| self.counted[worker].version == version;
        while self.by_end.peek().is_some_and(|&(_, _, Reverse(worker), version)| !is_now(worker, version)) {
            self.by_end.pop();
        }
        let &(end, _, Reverse(last), _) = self.by_end.peek()?;
        if end > ordered(now_s) {
            return Some(last);
        }
        while self.by_tasks.peek().is_some_and(|&(_, Reverse(worker), version)| !is_now(worker, version)) {
            self.by_tasks.pop();
        }
        self.by_tasks.peek().map(|&(_, Reverse(worker), _)| worker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Workers that hold so many tasks each, of these mean times.
    fn workers(held: &[u64], mean_s: &[f64]) -> Workers {
        let speed = |mean_s: &f64| match *mean_s {
            0.0 => WorkerSpeed::default(),
            mean_s => WorkerSpeed::known(10, 3, mean_s, 0.0),
        };
        let mut workers = Workers::new(mean_s.iter().map(speed).collect());
        let mut first = 0;
        for (worker, &count) in held.iter().enumerate().filter(|(_, count)| **count > 0) {
            workers.push(worker, Chunk { first, count }, 0.0);
            first += count;
        }
        workers
    }

    #[test]
    fn the_worker_with_most_work_left_is_asked_and_only_once() {
        let mut workers = workers(&[0, 10, 10, 1], &[1.0, 1.0, 3.0, 9.0]);
        // At 4 s the second has 6 s left, the third 26 s; the fourth has begun its only task.
        let asked = Recall { worker: 2, chunk: 10, own_s: 3.0, idle_s: 1.0 };
        assert_eq!(workers.recall(4.0, None), Some(asked));
        assert_eq!(workers.recall(4.0, None), None, "one idle worker, one request");
        let mut returned = Returned::default();
        assert!(!workers.on_answer(&mut returned, 1, 0, Chunk { first: 9, count: 1 }), "it was not asked");
        assert!(!workers.on_answer(&mut returned, 2, 10, Chunk { first: 15, count: 4 }), "not its last tasks");
        assert!(workers.on_answer(&mut returned, 2, 10, Chunk { first: 15, count: 5 }));
        assert_eq!(workers.queues()[2].get(0), Some(Chunk { first: 10, count: 5 }));
        assert_eq!(returned.next(2), Some(Chunk { first: 15, count: 3 }), "half for each of two idle workers");
        assert_eq!((returned.next(1), returned.next(1)), (Some(Chunk { first: 18, count: 2 }), None));
    }

    #[test]
    fn who_had_nothing_to_give_is_not_asked_again_before_its_next_chunk() {
        let mut workers = workers(&[0, 2], &[0.0, 0.0]);
        let asked = workers.recall(1.0, None).unwrap();
        assert_eq!((asked.worker, asked.own_s), (1, 0.0), "nothing is known of the speeds");
        assert!(workers.on_answer(&mut Returned::default(), 1, 0, Chunk { first: 0, count: 0 }));
        assert_eq!(workers.recall(2.0, None), None);
        assert_eq!(workers.pop(1, 3.0), Some(Chunk { first: 0, count: 2 }));
        workers.push(1, Chunk { first: 9, count: 2 }, 3.0);
        assert!(workers.recall(4.0, None).is_some());
    }

    #[test]
    fn a_result_answers_a_recall_that_came_too_late() {
        let mut workers = workers(&[0, 9, 9], &[1.0, 1.0, 1.0]);
        let asked = workers.recall(1.0, None).unwrap().worker;
        workers.pop(asked, 2.0);
        assert!(!workers.queues()[asked].is_recalled());
        assert!(workers.recall(2.0, None).is_some(), "the other one is asked");
    }

    /// Whom to ask, found by looking at every worker.
    fn by_hand(workers: &Workers, now_s: f64) -> Option<(usize, f64)> {
        let (queues, speeds) = (workers.queues(), workers.speeds());
        let idle: Vec<usize> = (0..queues.len()).filter(|w| queues[*w].is_empty()).collect();
        let pending = queues.iter().filter(|queue| queue.is_recalled()).count();
        assert_eq!((workers.idle(), workers.first_idle()), (idle.len(), idle.first().copied()));
        let rate: f64 = idle.iter().map(|w| 1.0 / speeds[*w].mean_s).sum();
        let left_s = |w: usize| (queues[w].expected_end_s(speeds[w].mean_s) - now_s).max(0.0);
        (0..queues.len())
            .filter(|w| queues[*w].recallable().is_some())
            .max_by(|a, b| {
                left_s(*a).total_cmp(&left_s(*b)).then(queues[*a].tasks().cmp(&queues[*b].tasks())).then(b.cmp(a))
            })
            .filter(|_| idle.len() > pending)
            .map(|worker| (worker, (pending + 1) as f64 / rate))
    }

    proptest! {
        /// Whatever happens to the workers, one after the other.
        #[test]
        fn who_is_asked_is_who_has_most_left_of_all(
            steps in prop::collection::vec((0usize..70, 0u8..4, 1u64..20), 1..400),
        ) {
            let mean_s: Vec<f64> = (0..70).map(|w| 0.5 + f64::from(w % 9)).collect();
            let mut workers = workers(&[0; 70], &mean_s);
            let (mut first, mut requests) = (0, Vec::new());
            for (at, (worker, what, count)) in steps.into_iter().enumerate() {
                let now_s = at as f64 / 4.0;
                match what {
                    0 if workers.queues()[worker].get(1).is_none() => {
                        workers.push(worker, Chunk { first, count }, now_s);
                        first += count;
                    }
                    1 => {
                        if let Some(chunk) = workers.pop(worker, now_s) {
                            workers.add_chunk(worker, chunk.count, now_s / 9.0, now_s);
                        }
                    }
                    2 => {
                        if let Some(Recall { worker, chunk, .. }) = requests.pop() {
                            workers.on_answer(&mut Returned::default(), worker, chunk, Chunk { first: 0, count: 0 });
                        }
                    }
                    _ => {
                        let expected = by_hand(&workers, now_s);
                        let asked = workers.recall(now_s, None);
                        prop_assert_eq!(asked.map(|asked| asked.worker), expected.map(|(worker, _)| worker));
                        if let (Some(asked), Some((_, idle_s))) = (asked, expected) {
                            prop_assert!((asked.idle_s / idle_s - 1.0).abs() < 1e-9);
                            requests.push(asked);
                        }
                    }
                }
            }
        }
    }
}
