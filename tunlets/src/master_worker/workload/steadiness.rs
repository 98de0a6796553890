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

    /// The level at which one number of this iteration is judged.
    pub(super) fn level(&self, confidence: Confidence) -> Confidence {
        confidence.in_series(self.tests, 1)
    }

    /// How far the mean of an iteration may lie by chance from what is known from so many `windows`, as a difference of logarithms; `drawn` is
    /// its standard error by the tasks that were drawn.
    pub(super) fn of_mean(&self, drawn: f64, windows: u32, confidence: Confidence) -> f64 {
        self.mean.half_width(drawn, both(windows), self.level(confidence))
    }

    /// Whether the variation differs beyond chance from the `known` one; `drawn` is its standard error by the tasks that were drawn.
    pub(super) fn has_spread(
        &self,
        (known, now): (f64, f64),
        drawn: f64,
        windows: u32,
        confidence: Confidence,
    ) -> bool {
        let by = (stretched(now) / stretched(known)).ln().abs();
        by > self.spread.half_width(drawn / stretched(known), both(windows), self.level(confidence))
    }

    /// The level at which each of so many workers of this iteration is judged.
    pub(super) fn level_of_workers(&self, workers: usize, confidence: Confidence) -> Confidence {
        confidence.in_series(self.tests, workers)
    }

    /// How far each of `workers` workers' own means may lie from the mean by chance, as a share, by the standard error that the tasks explain
    /// which it drew, and the level of that. What the machine adds to one of them is measured in the mean of all.
    pub(super) fn of_workers(
        &self,
        workers: usize,
        confidence: Confidence,
    ) -> (impl Fn(f64) -> f64 + use<>, Confidence) {
        let each = self.level_of_workers(workers, confidence);
        (self.mean.half_widths((workers as f64).sqrt(), each), each)
    }
}

/// Standard error of the difference between one iteration and the mean of so many, in standard deviations of one.
fn both(windows: u32) -> f64 {
    (1.0 + 1.0 / f64::from(windows.max(1))).sqrt()
}
