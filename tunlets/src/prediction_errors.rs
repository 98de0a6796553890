//! How far forecasts of the present setting were off in this run: so far at least those of other settings are off, too.
//!
//! An iteration is foreseen when a change could be decided, and measured when that change would be judged: chance of the tasks, the
//! machine's noise, drift of the work and the model's error all show.

use crate::confidence::Confidence;
use crate::trial::{AHEAD, WATCHED};
use midrun_models::chance::variance_ratio_probability;
use midrun_models::line::{EFFICIENCY, robust_deviation};
use std::collections::VecDeque;

/// Prior standard deviation of the logarithm of measured over foreseen time, and the observations that it counts for: of the first
/// forecasts of the programs of bench `decisions`.
const PRIOR: (f64, f64) = (0.08, 3.0);
/// Newest errors that count.
const RECENT: usize = 24;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct PredictionErrors {
    /// Windows that were added.
    added: u64,
    /// Forecasts that are not measured yet: the window after which they were made, and the time, seconds.
    open: VecDeque<(u64, f64)>,
    /// The newest windows under one setting, and their times, seconds.
    measured: VecDeque<(u64, f64)>,
    errors: VecDeque<f64>,
    /// Those of unchanged settings.
    unchanged: VecDeque<f64>,
}

fn push(errors: &mut VecDeque<f64>, error: f64) {
    errors.extend(Some(error).filter(|error| error.is_finite()));
    if errors.len() > RECENT {
        errors.pop_front();
    }
}

/// Standard deviation of an error with its prior, as a difference of logarithms, and the observations that it rests on.
fn deviation(errors: &VecDeque<f64>) -> (f64, f64) {
    let (prior, weight) = PRIOR;
    let freedom = weight + errors.len() as f64;
    let squares = weight * prior * prior + errors.iter().map(|error| error * error).sum::<f64>();
    ((squares / freedom).sqrt(), freedom)
}

impl PredictionErrors {
    /// A window under the present setting took `time_s` seconds; so much is foreseen of those to come.
    pub fn add(&mut self, time_s: f64, foreseen_s: f64) {
        self.added += 1;
        self.measured.push_back((self.added, time_s));
        if self.measured.len() > WATCHED {
            self.measured.pop_front();
        }
        let first = self.measured.front().map_or(0, |(first, _)| *first);
        while let Some((made, foreseen_s)) = self.open.front().copied().filter(|(made, _)| made + AHEAD <= first) {
            self.open.pop_front();
            if made + AHEAD == first && self.measured.len() == WATCHED {
                let mean_s = self.measured.iter().map(|(_, time_s)| time_s).sum::<f64>() / WATCHED as f64;
                self.learn(mean_s, foreseen_s);
                push(&mut self.unchanged, (mean_s / foreseen_s).ln());
            }
        }
        self.open.push_back((self.added, foreseen_s));
    }

    /// A time was foreseen and measured: by the iterations of one setting, or the judgement on a decision.
    pub fn learn(&mut self, measured_s: f64, foreseen_s: f64) {
        push(&mut self.errors, (measured_s / foreseen_s).ln());
    }

    /// Another setting is in force: what was foreseen is not measured any more.
    pub fn interrupt(&mut self) {
        self.open.clear();
        self.measured.clear();
    }

    /// By how much forecasts of unchanged settings were off beyond what is usual: so far what they rest on is not known.
    pub fn unforeseen(&self) -> f64 {
        (deviation(&self.unchanged).0.powi(2) - PRIOR.0.powi(2)).max(0.0).sqrt()
    }

    /// Whether forecasts of unchanged settings were surely off by more than is usual.
    pub fn are_unusual(&self, confidence: Confidence) -> bool {
        let (prior, weight) = PRIOR;
        // By their median: an iteration that something else stalls says nothing of what was foreseen.
        let square = robust_deviation(self.unchanged.iter().copied()).powi(2);
        let count = EFFICIENCY * self.unchanged.len() as f64;
        variance_ratio_probability(square / prior.powi(2), (count, weight)) >= confidence.level()
    }

    /// Standard deviation by which forecasts were off, as a difference of logarithms.
    pub fn deviation(&self) -> f64 {
        deviation(&self.errors).0
    }

    /// Half the width of the interval around a forecast, as a share of it, that holds the measurement at this confidence level;
    /// `error` is what is uncertain beside, as a difference of logarithms. The errors so far are independent observations of one
    /// normal distribution whose variance is unknown: the next one has Student's.
    pub fn half_width(&self, error: f64, confidence: Confidence) -> f64 {
        let (deviation, freedom) = deviation(&self.errors);
        (confidence.student(freedom) * deviation).hypot(confidence.two_sided() * error).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_as_wide_as_forecasts_were_off() {
        let usual = Confidence::default();
        let after = |off: f64| {
            let mut errors = PredictionErrors::default();
            (0..20).for_each(|_| errors.add(1.0 + off, 1.0));
            errors.half_width(0.0, usual)
        };
        assert!(PredictionErrors::default().half_width(0.0, usual) > 0.1, "nothing is known yet");
        assert!(after(0.0) < 0.1 && after(0.3) > 0.5, "{} {}", after(0.0), after(0.3));
        assert!(after(0.0) < PredictionErrors::default().half_width(0.0, usual));
    }

    #[test]
    fn errors_are_unusual_where_chance_does_not_explain_them() {
        let after = |off: f64, count: u64| {
            let mut errors = PredictionErrors::default();
            (0..count).for_each(|_| errors.add(off.exp(), 1.0));
            errors.are_unusual(Confidence::default())
        };
        assert!(!after(0.0, 20) && !after(PRIOR.0, 20) && after(4.0 * PRIOR.0, 20));
        assert!(!after(9.0, 3), "nothing was foreseen long enough ago");
    }

    #[test]
    fn a_forecast_is_measured_by_the_iterations_that_a_change_is_judged_by() {
        let mut errors = PredictionErrors::default();
        // Foreseen after the first, judged by the third and the fourth.
        [9.0, 9.0, 1.5, 2.5].into_iter().for_each(|time_s| errors.add(time_s, 2.0));
        assert_eq!(errors.errors, [0.0]);
        errors.interrupt();
        (4..7).for_each(|_| errors.add(9.0, 2.0));
        assert_eq!(errors.errors, [0.0], "those of another setting say nothing");
    }
}
