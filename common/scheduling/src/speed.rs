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
}

impl WorkerSpeed {
    /// Adds a chunk of `tasks` tasks that took `busy_s` seconds; `sum_sq_s2` is the sum of the squared task times.
    pub fn add_chunk(&mut self, tasks: u64, busy_s: f64, sum_sq_s2: f64) {
        let (before, all) = (self.tasks as f64, (self.tasks + tasks) as f64);
        let squares_s2 = (self.var_s2 + self.mean_s * self.mean_s) * before + sum_sq_s2;
        self.mean_s = (self.mean_s * before + busy_s) / all;
        self.var_s2 = (squares_s2 / all - self.mean_s * self.mean_s).max(0.0);
        self.tasks += tasks;
        self.chunks += 1;
    }

    /// This speed with three quarters of its weight, as the start of the next iteration. A worker that computes one
    /// chunk per iteration thereby converges to a weight of 3 or 4 chunks.
    pub fn faded(self) -> WorkerSpeed {
        WorkerSpeed { tasks: self.tasks - self.tasks / 4, chunks: self.chunks - self.chunks / 4, ..self }
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
}
