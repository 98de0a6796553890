//! How far the cost of one window scatters under one setting: robust, from consecutive windows, so that drift hardly counts.

use crate::chance::variance_ratio_probability;
use crate::confidence::Confidence;
use midrun_models::line::{EFFICIENCY, robust_deviation};
use std::collections::VecDeque;

/// Differences of consecutive windows that the scatter rests on: the newest ones.
const DIFFERENCES: usize = 16;
/// Standard deviation before any is known, as a share, and the differences that it counts for: the machine's (docs/measuring.md).
const PRIOR: (f64, f64) = (0.005, 2.0);

/// Standard deviation `seen` in `freedom` independent observations, with the prior, and the observations that both count for.
pub fn pooled(seen: f64, freedom: f64) -> (f64, f64) {
    let (prior, weight) = PRIOR;
    (((weight * prior * prior + freedom * seen * seen) / (weight + freedom)).sqrt(), weight + freedom)
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    last: Option<f64>,
    differences: VecDeque<f64>,
}

impl Noise {
    /// Adds the cost of a window that follows the one before under the same setting.
    pub fn add(&mut self, cost: f64) {
        let difference = self.last.map(|before| (cost / before).ln().abs()).filter(|difference| difference.is_finite());
        self.last = Some(cost);
        self.differences.extend(difference);
        if self.differences.len() > DIFFERENCES {
            self.differences.pop_front();
        }
    }

    /// The next window does not follow the last one.
    pub fn interrupt(&mut self) {
        self.last = None;
    }

    /// Observations that the deviation rests on.
    fn freedom(&self) -> f64 {
        PRIOR.1 + EFFICIENCY * self.differences.len() as f64
    }

    /// How far a window may lie by chance, as a difference of logarithms, where what was drawn explains a standard error `drawn` and the rest
    /// one of `windows` times the scatter of a window.
    pub fn half_width(&self, drawn: f64, windows: f64, level: Confidence) -> f64 {
        self.half_widths(windows, level)(drawn)
    }

    /// The same for many numbers of one window.
    pub fn half_widths(&self, windows: f64, level: Confidence) -> impl Fn(f64) -> f64 + use<> {
        let (of_drawn, rest) = (level.two_sided(), level.student(self.freedom()) * windows * self.deviation());
        move |drawn| (of_drawn * drawn).hypot(rest)
    }

    /// Whether it is surely the greater one, where the same windows were measured in two ways.
    pub fn exceeds(&self, other: &Noise, level: Confidence) -> bool {
        let ratio = (self.deviation() / other.deviation()).powi(2);
        variance_ratio_probability(ratio, (self.freedom(), other.freedom())) > level.level()
    }

    /// Standard deviation of the cost of one window, as a share.
    pub fn deviation(&self) -> f64 {
        if self.differences.is_empty() {
            return PRIOR.0;
        }
        // Two windows differ by the root of two times what one scatters.
        let seen = robust_deviation(self.differences.iter().copied()) / 2.0_f64.sqrt();
        pooled(seen, self.differences.len() as f64).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scatter_is_that_of_consecutive_windows_and_one_that_was_disturbed_does_not_count() {
        let mut noise = Noise::default();
        assert_eq!(noise.deviation(), PRIOR.0);
        for k in 0..40 {
            let late = if k == 20 { 1.0 } else { 0.0 };
            noise.add(1.0 + f64::from(k % 2) * 0.02 + f64::from(k) * 0.001 + late);
        }
        assert!((0.01..0.03).contains(&noise.deviation()), "{}", noise.deviation());
        let before = noise.clone();
        noise.interrupt();
        noise.add(9.0);
        assert_eq!(noise.deviation(), before.deviation());
    }
}
