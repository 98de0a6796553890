//! How large inputs and results of any size are.

/// Bytes of inputs and results of any size: sums over the tasks sent and the tasks done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    pub sent: (usize, u64),
    done: (usize, u64),
}

impl Sizes {
    /// Adds the results of so many tasks.
    pub fn add_done(&mut self, bytes: usize, tasks: u64) {
        self.done.0 += bytes;
        self.done.1 += tasks;
    }

    /// Means per task.
    pub fn per_task(&self) -> (usize, usize) {
        let mean = |(bytes, tasks): (usize, u64)| bytes.checked_div(tasks as usize).unwrap_or(0);
        (mean(self.sent), mean(self.done))
    }
}
