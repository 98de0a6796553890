//! The values at start measured once more, beside those that seem better: they were measured when the run was young, and a program may become
//! faster by itself, as caches fill and links are made.

use super::observations::{REPEATS, error_of_difference};
use crate::chance::normal_quantile;

/// Times of one combination, seconds.
#[derive(Clone, Debug)]
struct Times(Vec<f64>);

impl Times {
    /// Sum of their logarithms.
    fn sum(&self) -> f64 {
        self.0.iter().map(|time| time.ln()).sum()
    }

    /// Mean of their logarithms.
    fn mean(&self) -> f64 {
        self.sum() / self.count() as f64
    }

    fn count(&self) -> usize {
        self.0.len()
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Check {
    first: Times,
    again: Times,
    better: Times,
    level: f64,
    /// The newest measurement of the start was left, for it is surely worse: its time is only what had passed.
    is_left: bool,
}

impl Check {
    /// `first`: times of the start so far; `better`: the newest ones of the values that seem better, seconds.
    pub(super) fn new(first: &[f64], better: &[f64], level: f64) -> Check {
        Check {
            first: Times(first.to_vec()),
            again: Times(Vec::new()),
            better: Times(better.to_vec()),
            level,
            is_left: false,
        }
    }

    /// Adds a time of the start, seconds.
    pub(super) fn add(&mut self, time_s: f64) {
        self.again.0.push(time_s);
    }

    /// The newest time was this, seconds.
    pub(super) fn correct(&mut self, time_s: f64) {
        self.again.0.last_mut().into_iter().for_each(|newest| *newest = time_s);
    }

    /// The newest measurement was left.
    pub(super) fn on_left(&mut self) {
        self.is_left = true;
    }

    /// Whether nothing was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.again.0.is_empty()
    }

    /// What its next measurement is expected to be, if it takes as long as at first: seconds, and the standard deviation of its logarithm.
    pub(super) fn expected(&self, noise: f64) -> (f64, f64) {
        (self.first.mean().exp(), noise * (1.0 + 1.0 / self.first.count() as f64).sqrt())
    }

    /// Whether the start takes another time than at first.
    pub(super) fn has_drifted(&self, noise: f64) -> bool {
        let by = (self.again.mean() - self.first.mean()).abs();
        !self.is_left
            && by
                > normal_quantile(0.5 + 0.5 * self.level)
                    * error_of_difference(noise, self.again.count(), self.first.count())
    }

    /// Whether the start takes surely longer than the others.
    pub(super) fn is_worse(&self, noise: f64) -> bool {
        let by = self.again.mean() - self.better.mean();
        self.is_left
            || by > normal_quantile(self.level) * error_of_difference(noise, self.again.count(), self.better.count())
    }

    /// Whether nothing more is to be measured.
    pub(super) fn is_done(&self, noise: f64) -> bool {
        let is_told = || self.is_worse(noise) || !self.has_drifted(noise);
        !self.is_empty() && (self.again.count() >= REPEATS || is_told())
    }

    /// The time, seconds, with which the next measurement makes the start surely worse.
    pub(super) fn limit_s(&self, noise: f64) -> f64 {
        let count = self.again.count() + 1;
        let error = error_of_difference(noise, count, self.better.count());
        let mean = self.better.mean() + normal_quantile(self.level) * error;
        (count as f64 * mean - self.again.sum()).exp()
    }

    /// Times of the start, again, seconds. What had passed of one that was left says that it takes no less, and as long as at first it may take.
    pub(super) fn again(mut self) -> Vec<f64> {
        let first_s = self.first.mean().exp();
        if self.is_left
            && let Some(passed_s) = self.again.0.last_mut()
        {
            *passed_s = passed_s.max(first_s);
        }
        self.again.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_became_faster_by_itself_is_told_from_one_that_is_worse() {
        let mut same = Check::new(&[1.5, 1.5], &[1.0; 3], 0.95);
        assert!(!same.is_done(0.05));
        same.add(1.5);
        assert!(same.is_done(0.05) && same.is_worse(0.05) && !same.has_drifted(0.05));
        let mut faster = Check::new(&[1.5, 1.5], &[1.0; 3], 0.95);
        (0..REPEATS).for_each(|_| {
            assert!(!faster.is_done(0.05));
            faster.add(1.01);
        });
        assert!(faster.is_done(0.05) && faster.has_drifted(0.05) && !faster.is_worse(0.05));
    }

    #[test]
    fn what_had_passed_of_a_start_that_was_left_is_no_time_of_it() {
        let left = |passed_s: f64| {
            let mut check = Check::new(&[0.077], &[0.031; 2], 0.95);
            check.add(passed_s);
            check.on_left();
            check.again()[0]
        };
        assert!((left(0.044) - 0.077).abs() < 1e-12 && left(0.09) == 0.09);
    }

    #[test]
    fn at_its_limit_a_measurement_tells_that_the_start_is_worse() {
        for times in [&[][..], &[1.02], &[0.98, 1.1]] {
            let mut check = Check::new(&[1.5], &[1.0, 1.1], 0.95);
            times.iter().for_each(|time| check.add(*time));
            let limit_s = check.limit_s(0.05);
            for (share, is_worse) in [(0.999, false), (1.001, true)] {
                let mut check = check.clone();
                check.add(share * limit_s);
                assert_eq!(check.is_worse(0.05), is_worse, "{times:?} {limit_s}");
            }
        }
    }
}
