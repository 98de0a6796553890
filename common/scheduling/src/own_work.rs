//! Whether the master computes a task itself.
//!
//! While it computes, nobody serves the workers: one that runs dry waits. Computing pays where the waits that are to be expected
//! cost fewer tasks than the one that gets done.

use crate::normal::excess;
use crate::{WorkerQueue, WorkerSpeed};

/// A task that the master could compute: mean and standard deviation of its time, seconds.
#[derive(Clone, Copy, Debug)]
pub struct OwnTask {
    /// Mean, seconds.
    pub mean_s: f64,
    /// Standard deviation, seconds.
    pub sigma_s: f64,
}

/// Returns whether computing `task` costs the workers fewer tasks than the one that gets done: for each of them the time by which
/// the task is expected to last longer than what the worker holds, over the worker's time per task. `queues` and `speeds` are
/// those of the workers at `now_s`, without the master's own.
pub fn pays<'a>(task: OwnTask, workers: impl Iterator<Item = (&'a WorkerQueue, &'a WorkerSpeed)>, now_s: f64) -> bool {
    let mut lost_tasks = 0.0;
    for (queue, speed) in workers {
        let (task_s, sigma_s) = match speed.tasks > 0 && speed.mean_s > 0.0 {
            true => (speed.mean_s, task.sigma_s * speed.mean_s / task.mean_s),
            false => (task.mean_s, task.sigma_s),
        };
        let (left_s, variance) = queue.left_if_not_done(task_s, sigma_s, now_s);
        lost_tasks += excess(task.mean_s - left_s, task.sigma_s * task.sigma_s + variance) / task_s;
        if lost_tasks >= 1.0 {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chunk;

    /// Workers that each began so many tasks of 1 s so long ago, and a task with this deviation.
    fn tried(sigma_s: f64, held: &[(u64, f64)]) -> bool {
        let queue = |(count, ago_s): &(u64, f64)| {
            let mut queue = WorkerQueue::default();
            queue.push(Chunk { first: 0, count: *count }, -ago_s);
            queue
        };
        let (queues, speed): (Vec<_>, _) = (held.iter().map(queue).collect(), WorkerSpeed::known(9, 3, 1.0, 0.0));
        pays(OwnTask { mean_s: 1.0, sigma_s }, queues.iter().map(|queue| (queue, &speed)), 0.0)
    }

    #[test]
    fn the_master_computes_while_the_workers_are_busy_for_longer() {
        assert!(tried(0.0, &[(9, 0.0); 100]) && tried(0.0, &[(2, 0.9); 100]));
        assert!(tried(0.0, &[(1, 0.9)]), "one worker waits for 0.9 s: less than a task");
        assert!(!tried(0.0, &[(1, 0.9); 2]), "two of them do not");
        assert!(!tried(0.0, &[(1, 2.0)]), "overdue: its result comes at once");
        assert!(tried(1.0, &[(2, 0.5); 2]) && !tried(1.0, &[(2, 0.5); 20]), "what scatters may run dry");
        assert!(tried(1.0, &[(50, 0.5); 100]), "with as long chunks it does not");
    }
}
