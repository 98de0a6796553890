//! How far iterations of one program differ: what goes beyond it is a change of the program, or a worker that is slower than others.
//!
//! Two things are chance: which tasks were drawn, and what the machine adds to all tasks of an iteration. The first follows from the scatter
//! of the tasks, the second is measured from consecutive iterations.

use crate::confidence::Confidence;
use crate::noise::Noise;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Steadiness {
    /// Iterations that were compared: each is a test of one series, whatever the program became.
    tests: u64,
    mean: Noise,
    spread: Noise,
}

/// Standard deviation over mean, so that its differences are shares also where tasks are even.
fn stretched(variation: f64) -> f64 {
    1.0 + variation
}

impl Steadiness {
    /// Adds an iteration: mean time of a task, seconds, and its variation. One with another number of workers follows none.
    pub(super) fn add(&mut self, mean_s: f64, variation: f64, other_number: bool) {
        self.tests += 1;
        if other_number {
            self.mean.interrupt();
            self.spread.interrupt();
        }
        self.mean.add(mean_s);
        self.spread.add(stretched(variation));
    }

    /// How far `numbers` numbers of one iteration may all lie from what is known by chance, where tasks drawn explain a standard error
    /// `drawn` and the machine one of `machine`, known with so much `freedom`.
    fn chance(&self, drawn: f64, (machine, freedom): (f64, f64), numbers: usize, confidence: Confidence) -> f64 {
        let level = confidence.in_series(self.tests, numbers);
        (level.two_sided() * drawn).hypot(level.student(freedom) * machine)
    }

    /// Whether the mean, as a ratio to what is known from so many `windows`, differs beyond chance; `drawn` is its standard error by the tasks
    /// that were drawn, as a share.
    pub(super) fn has_moved(&self, ratio: f64, drawn: f64, windows: u32, confidence: Confidence) -> bool {
        let machine = (self.mean.deviation() * both(windows), self.mean.freedom());
        ratio.ln().abs() > self.chance(drawn, machine, 1, confidence)
    }

    /// Whether the variation differs beyond chance from the `known` one; `drawn` is its standard error by the tasks that were drawn.
    pub(super) fn has_spread(
        &self,
        (known, now): (f64, f64),
        drawn: f64,
        windows: u32,
        confidence: Confidence,
    ) -> bool {
        let machine = (self.spread.deviation() * both(windows), self.spread.freedom());
        let by = (stretched(now) / stretched(known)).ln().abs();
        by > self.chance(drawn / stretched(known), machine, 1, confidence)
    }

    /// How far each of `workers` workers' own means may lie from the mean by chance, as a share, where the tasks that it drew explain `drawn`.
    /// What the machine adds to one of them is measured in the mean of all.
    pub(super) fn of_worker(&self, drawn: f64, workers: usize, confidence: Confidence) -> f64 {
        let machine = (self.mean.deviation() * (workers as f64).sqrt(), self.mean.freedom());
        self.chance(drawn, machine, workers, confidence)
    }
}

/// Standard error of the difference between one iteration and the mean of so many, in standard deviations of one.
fn both(windows: u32) -> f64 {
    (1.0 + 1.0 / f64::from(windows.max(1))).sqrt()
}
