//! A mean over runs, and how far it is off.

use crate::state_diagram::LEVEL;
use midrun_models::chance::student_half_width;

/// Fewest runs whose spread says how far their mean is off.
const FEWEST: u32 = 10;

/// Mean and spread of the values so far (Welford 1962).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mean {
    pub(crate) runs: u32,
    pub(crate) value: f64,
    squares: f64,
}

impl Mean {
    pub(crate) fn add(&mut self, value: f64) {
        self.runs += 1;
        let before = value - self.value;
        self.value += before / f64::from(self.runs);
        self.squares += before * (value - self.value);
    }

    /// Where the mean lies with confidence [`LEVEL`], for values that are not below 0; from one run nobody knows.
    pub(crate) fn interval(&self) -> (f64, f64) {
        let half = self.half_width();
        ((self.value - half).max(0.0), self.value + half)
    }

    /// True once half the interval is below this share of the mean.
    pub(crate) fn is_within(&self, share: f64) -> bool {
        self.runs >= FEWEST && self.half_width() <= share * self.value
    }

    fn half_width(&self) -> f64 {
        if self.runs < 2 {
            return f64::INFINITY;
        }
        let freedom = f64::from(self.runs - 1);
        student_half_width(LEVEL, freedom) * (self.squares / freedom / f64::from(self.runs)).sqrt()
    }
}
