//! Mean and standard deviation of the tasks' times, learnt from the chunks that come back.

/// Moments of the times of an iteration's tasks, over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TaskTimes {
    tasks: f64,
    sum_s: f64,
    /// Independent times behind the squares: tasks, or chunks where a chunk was timed as a whole.
    samples: f64,
    sum_sq_s2: f64,
}

impl TaskTimes {
    /// Moments that were known before, with the weight of `tasks` tasks (two at least); mean and standard deviation in seconds.
    /// Senseless numbers count as unknown.
    pub fn known(tasks: u32, mean_s: f64, sigma_s: f64) -> TaskTimes {
        if !(mean_s.is_finite() && mean_s > 0.0 && sigma_s.is_finite() && sigma_s >= 0.0) {
            return TaskTimes::default();
        }
        let tasks = f64::from(tasks.max(2));
        let sum_sq_s2 = tasks * mean_s * mean_s + (tasks - 1.0) * sigma_s * sigma_s;
        TaskTimes { tasks, sum_s: tasks * mean_s, samples: tasks, sum_sq_s2 }
    }

    /// Adds a chunk of `tasks` tasks that took `busy_s` seconds; `sum_sq_s2` is the sum of the squared task times. With
    /// `timed_singly` false, only the chunk was timed, and `sum_sq_s2` is `busy_s²/tasks`.
    pub fn add(&mut self, tasks: u64, busy_s: f64, sum_sq_s2: f64, timed_singly: bool) {
        self.tasks += tasks as f64;
        self.sum_s += busy_s;
        // The mean of c tasks has the variance sigma²/c, so c (mean of the chunk - mean)² has the expectation sigma²: a chunk
        // is one sample.
        self.samples += if timed_singly { tasks as f64 } else { 1.0 };
        self.sum_sq_s2 += sum_sq_s2;
    }

    /// Both together.
    pub(crate) fn with(self, other: &TaskTimes) -> TaskTimes {
        TaskTimes {
            tasks: self.tasks + other.tasks,
            sum_s: self.sum_s + other.sum_s,
            samples: self.samples + other.samples,
            sum_sq_s2: self.sum_sq_s2 + other.sum_sq_s2,
        }
    }

    /// Mean and standard deviation of one task's time, seconds; `None` with fewer than two samples.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let mean_s = self.sum_s / self.tasks;
        let around_s2 = (self.sum_sq_s2 - self.tasks * mean_s * mean_s).max(0.0);
        let sigma_s = (around_s2 / (self.samples - 1.0)).sqrt();
        (self.samples >= 2.0 && mean_s > 0.0 && sigma_s.is_finite()).then_some((mean_s, sigma_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_tasks() {
        let mut times = TaskTimes::default();
        times.add(2, 3.0, 5.0, true); // 1 s and 2 s
        assert_eq!(times.moments(), Some((1.5, 0.5_f64.sqrt())));
        assert_eq!(TaskTimes::default().moments(), None);
        assert_eq!(TaskTimes::known(3, f64::NAN, 1.0), TaskTimes::default());
        let (mean_s, sigma_s) = TaskTimes::known(25, 2e-3, 1.6e-3).moments().unwrap();
        assert!((mean_s - 2e-3).abs() < 1e-12 && (sigma_s - 1.6e-3).abs() < 1e-12);
    }

    #[test]
    fn chunks_that_were_timed_as_a_whole_show_the_deviation_of_their_tasks() {
        // Chunks of 100 tasks whose means are 0.9 s and 1.1 s: a task deviates by sqrt(100) * 0.1414 s.
        let mut times = TaskTimes::default();
        times.add(100, 90.0, 81.0, false);
        assert_eq!(times.moments(), None, "one chunk says nothing about the deviation");
        times.add(100, 110.0, 121.0, false);
        let (mean_s, sigma_s) = times.moments().unwrap();
        assert!((mean_s - 1.0).abs() < 1e-12 && (sigma_s - 2.0_f64.sqrt()).abs() < 1e-9, "{sigma_s}");
    }
}
