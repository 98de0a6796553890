//! The speed of a worker, learned from the times of its chunks.

/// Measured speed of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerSpeed {
    /// Tasks computed.
    pub tasks: u64,
    /// Chunks computed.
    pub chunks: u64,
    /// Mean time of one task, seconds.
    pub mean_s: f64,
    /// Variance of the time of one task, seconds squared.
    pub var_s2: f64,
    /// Sum of the chunks' times, seconds, the k-th counted k times, and of their tasks. Their ratio is the weighted average
    /// performance of adaptive weighted factoring (Cariño, Banicescu 2008), in which later chunks count more.
    weighted_s: f64,
    weighted_tasks: f64,
}

impl WorkerSpeed {
    /// A speed that was measured on `chunks` chunks of `tasks` tasks in all; mean and variance of a task's time in seconds.
    pub fn known(tasks: u64, chunks: u64, mean_s: f64, var_s2: f64) -> WorkerSpeed {
        let weighted_tasks = tasks as f64 * (chunks as f64 + 1.0) / 2.0;
        WorkerSpeed { tasks, chunks, mean_s, var_s2, weighted_s: mean_s * weighted_tasks, weighted_tasks }
    }

    /// Adds a chunk of `tasks` tasks that took `busy_s` seconds; `sum_sq_s2` is the sum of the squared task times.
    pub fn add_chunk(&mut self, tasks: u64, busy_s: f64, sum_sq_s2: f64) {
        self.add_chunks(1, tasks, busy_s, sum_sq_s2);
    }

    /// Adds several chunks of `tasks` tasks together, of which only the sums are known: they are taken for equal ones.
    pub fn add_chunks(&mut self, chunks: u64, tasks: u64, busy_s: f64, sum_sq_s2: f64) {
        if tasks == 0 {
            return;
        }
        let (before, all) = (self.tasks as f64, (self.tasks + tasks) as f64);
        let squares_s2 = (self.var_s2 + self.mean_s * self.mean_s) * before + sum_sq_s2;
        self.mean_s = (self.mean_s * before + busy_s) / all;
        self.var_s2 = (squares_s2 / all - self.mean_s * self.mean_s).max(0.0);
        self.tasks += tasks;
        let number = self.chunks as f64 + (chunks as f64 + 1.0) / 2.0; // theirs on average
        self.chunks += chunks;
        self.weighted_s += number * busy_s;
        self.weighted_tasks += number * tasks as f64;
    }

    /// Weighted average performance: time per task, seconds; NaN before the first chunk.
    pub(crate) fn performance_s(&self) -> f64 {
        self.weighted_s / self.weighted_tasks
    }

    /// This speed with three quarters of its weight, as the start of the next iteration. A worker that computes one
    /// chunk per iteration thereby converges to a weight of 3 or 4 chunks.
    pub fn faded(self) -> WorkerSpeed {
        // Three quarters of the chunks, each counted three quarters of the times.
        let weighted = 0.75 * 0.75;
        WorkerSpeed {
            tasks: self.tasks - self.tasks / 4,
            chunks: self.chunks - self.chunks / 4,
            weighted_s: weighted * self.weighted_s,
            weighted_tasks: weighted * self.weighted_tasks,
            ..self
        }
    }

    /// Standard error of the mean, as a share of the mean. Neighbouring tasks of one chunk may be alike, so each chunk
    /// counts as one sample.
    pub(crate) fn relative_error(&self) -> f64 {
        (self.var_s2 / self.chunks.max(1) as f64).sqrt() / self.mean_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workers_mean_and_variance_are_those_of_its_tasks() {
        let mut speed = WorkerSpeed::default();
        speed.add_chunk(2, 3.0, 5.0); // tasks of 1 s and 2 s
        speed.add_chunk(1, 3.0, 9.0);
        assert_eq!((speed.tasks, speed.chunks, speed.mean_s), (3, 2, 2.0));
        assert!((speed.var_s2 - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn later_chunks_count_more_in_the_weighted_average_performance() {
        let mut speed = WorkerSpeed::default();
        assert!(speed.performance_s().is_nan());
        speed.add_chunk(10, 10.0, 10.0);
        speed.add_chunk(5, 10.0, 20.0);
        // (1 * 10 + 2 * 10) / (1 * 10 + 2 * 5)
        assert!((speed.performance_s() - 1.5).abs() < 1e-12);
        assert!((speed.faded().performance_s() - 1.5).abs() < 1e-12);
        assert_eq!(WorkerSpeed::known(8, 4, 0.5, 0.0).performance_s(), 0.5);
        let (mut one_by_one, mut together) = (speed, speed);
        (0..4).for_each(|_| one_by_one.add_chunk(2, 3.0, 5.0));
        together.add_chunks(4, 8, 12.0, 20.0);
        assert!((one_by_one.performance_s() - together.performance_s()).abs() < 1e-12);
        assert!((one_by_one.var_s2 - together.var_s2).abs() < 1e-12 && one_by_one.chunks == together.chunks);
    }
}
