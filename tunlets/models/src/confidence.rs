//! The confidence level, and gains with their errors: when a gain is sure.

use crate::chance::{normal_probability, normal_quantile, student_half_width};
use std::fmt;

/// Confidence level, unless the user names another: what is said or judged holds with this probability.
pub const LEVEL: f64 = 0.95;

/// The confidence level of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(f64);

impl Default for Confidence {
    fn default() -> Self {
        Confidence(LEVEL)
    }
}

impl Confidence {
    /// What a level may be.
    pub const ALLOWED: &'static str = "a number above 0.5 and below 1";

    /// `level` as a probability; 0: [`LEVEL`]. `None` if it is not [`Self::ALLOWED`].
    pub fn new(level: f64) -> Option<Confidence> {
        let level = if level == 0.0 { LEVEL } else { level };
        (level > 0.5 && level < 1.0).then_some(Confidence(level))
    }

    /// The probability.
    pub fn level(self) -> f64 {
        self.0
    }

    /// Standard errors by which a number may fall short of its mean.
    pub fn standard_errors(self) -> f64 {
        normal_quantile(self.0)
    }

    /// Standard errors to each side of a mean within which a number lies.
    pub fn two_sided(self) -> f64 {
        normal_quantile(0.5 + 0.5 * self.0)
    }

    /// The level of the `test`-th test, from 1, of a series without end, each of so many numbers at once: then the level holds for all
    /// numbers of all tests together. The k-th test may be wrong with 1/(k (k + 1)) of what the level leaves, and these add up to it
    /// (Bonferroni 1936). No level comes so close to 1 that arithmetic takes it for certainty.
    pub fn in_series(self, test: u64, numbers: usize) -> Confidence {
        let test = test.max(1) as f64;
        let wrong = (1.0 - self.0) / (test * (test + 1.0) * numbers.max(1) as f64);
        Confidence(1.0 - wrong.max(8.0 * f64::EPSILON))
    }

    /// Half the width of the interval that holds a number of Student's distribution.
    pub fn student(self, freedom: f64) -> f64 {
        student_half_width(self.0, freedom)
    }
}

impl fmt::Display for Confidence {
    /// As people read it: 0.995 is `99.5 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", (self.0 * 1e6).round() / 1e4)
    }
}

/// Expected gain of a change, as a difference of logarithms of the cost (a share, where it is small), and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Its mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

impl Gain {
    /// No gain, for sure.
    pub const NONE: Gain = Gain { mean: 0.0, error: 0.0 };
    /// Nothing is known of it.
    pub const UNKNOWN: Gain = Gain { mean: 0.0, error: f64::INFINITY };

    /// Of times `to` over times `from`, pair by pair on the same random numbers, so that what both have in common counts for
    /// nothing. The error is so large that a normal distribution has the quantile of Student's at the level.
    pub fn paired(from: &[f64], to: &[f64], confidence: Confidence) -> Gain {
        let all: Vec<f64> =
            from.iter().zip(to).map(|(from, to)| (from / to).ln()).filter(|gain| gain.is_finite()).collect();
        let count = all.len() as f64;
        let mean = all.iter().sum::<f64>() / count.max(1.0);
        if all.len() < 2 {
            return Gain { mean, error: f64::INFINITY };
        }
        let variance = all.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let wider = student_half_width(2.0 * confidence.level() - 1.0, count - 1.0) / confidence.standard_errors();
        Gain { mean, error: wider * (variance / count).sqrt() }
    }

    /// The same where only this share of what was paired is independent of the rest.
    pub fn of_independent(self, share: f64) -> Gain {
        Gain { error: self.error / share.sqrt(), ..self }
    }

    /// The sum of two independent ones.
    pub fn plus(self, other: Gain) -> Gain {
        Gain { mean: self.mean + other.mean, error: self.error.hypot(other.error) }
    }

    /// Whether it is one, at the level.
    pub fn is_sure(self, confidence: Confidence) -> bool {
        self.least(confidence) > 0.0
    }

    /// Whether it is worth the `change`-th change, from 1, since the work is what it is, where `to_come` windows are to come. It must be sure at the
    /// level. A further change that gains less than a window in all must be sure as one of a series ([`Confidence::in_series`]): settings are weighed
    /// again and again, and sooner or later one of them seems better by chance; such a gain is too small to show that it is none.
    pub fn is_worth_change(self, change: u64, to_come: u64, confidence: Confidence) -> bool {
        let is_further = change > 1 && self.mean * to_come as f64 <= 1.0;
        self.is_sure(if is_further { confidence.in_series(change, 1) } else { confidence })
    }

    /// Whether it is worth a trial of so many windows though it may be none, where `to_come` windows are to come: it is expected to save more
    /// than the trial, were all of it lost; and what it may lose, weighed by its probability, is no larger a share of that than the level leaves.
    pub fn is_worth_trial(self, windows: u32, to_come: u64, confidence: Confidence) -> bool {
        let is_unlikely_to_lose = self.expected_loss() <= (1.0 - confidence.level()) * self.mean;
        self.mean * to_come as f64 > f64::from(windows) && is_unlikely_to_lose
    }

    /// Probability that it is above 0.
    pub fn probability(self) -> f64 {
        match self.error > 0.0 {
            true => normal_probability(self.mean / self.error),
            false => f64::from(u8::from(self.mean > 0.0)),
        }
    }

    /// As a share of the cost before, and half the width of its interval at the level.
    pub fn as_share(self, confidence: Confidence) -> (f64, f64) {
        let left = (-self.mean).exp();
        (1.0 - left, left * confidence.standard_errors() * self.error)
    }

    /// What it is expected to lose: `E[max(-gain, 0)]`; without a mean, the error over the root of 2 pi.
    pub fn expected_loss(self) -> f64 {
        if self.error <= 0.0 {
            return (-self.mean).max(0.0);
        }
        let z = self.mean / self.error;
        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        (self.error * density - self.mean * normal_probability(-z)).max(0.0)
    }

    /// Windows that it is expected to save of `to_come`, where a loss is taken back after `judged` of them: `E[max(gain, 0)]` of all, as a share
    /// of their time, less the expected loss of those.
    pub fn saves(self, to_come: u64, judged: u32) -> f64 {
        let lost = self.expected_loss();
        (1.0 - (-self.mean).exp() + lost) * to_come as f64 - lost * f64::from(judged)
    }

    /// The least gain at the level; negative: a loss.
    pub fn least(self, confidence: Confidence) -> f64 {
        self.mean - confidence.standard_errors() * self.error
    }

    /// What is known of it after it was measured as `mean`, with an independent standard error.
    pub fn after(self, measured: Gain) -> Gain {
        let (before, new) = (self.error * self.error, measured.error * measured.error);
        if before + new <= 0.0 || before.is_infinite() {
            return measured;
        }
        let mean = (self.mean * new + measured.mean * before) / (before + new);
        Gain { mean, error: (before * new / (before + new)).sqrt() }
    }

    /// As [`Gain::after`], unless the two lie further apart than both errors explain at the level: then whatever was expected of it rests on
    /// something wrong, and what was measured counts alone.
    pub fn unless_refuted(self, measured: Gain, confidence: Confidence) -> Gain {
        let apart = (self.mean - measured.mean).abs();
        match apart > confidence.two_sided() * self.error.hypot(measured.error) {
            true => measured,
            false => self.after(measured),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expectation_that_a_measurement_refutes_counts_no_more() {
        let gain = |mean, error| Gain { mean, error };
        let usual = Confidence::default();
        let (sure, far) = (gain(0.11, 0.03), gain(-0.5, 0.18));
        assert!(sure.after(far).mean > 0.09, "the expectation is the more exact of the two");
        assert_eq!(sure.unless_refuted(far, usual), far);
        let near = gain(-0.2, 0.18);
        assert_eq!(sure.unless_refuted(near, usual), sure.after(near));
        assert_eq!(Gain::UNKNOWN.unless_refuted(far, usual), far);
    }

    #[test]
    fn a_level_lies_between_a_half_and_one() {
        assert_eq!(Confidence::new(0.0), Some(Confidence::default()));
        assert_eq!(Confidence::new(0.995).map(|level| level.to_string()), Some("99.5 %".into()));
        for wrong in [0.5, 1.0, 95.0, -0.9, f64::NAN, f64::INFINITY] {
            assert_eq!(Confidence::new(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_series_of_tests_is_wrong_as_seldom_as_one() {
        let level = Confidence::default();
        let wrong = |numbers: usize| (1..100_000).map(|k| 1.0 - level.in_series(k, numbers).level()).sum::<f64>();
        assert!((wrong(1) - 0.05).abs() < 1e-5 && (8.0 * wrong(8) - 0.05).abs() < 1e-5);
        assert!((level.in_series(1, 1).two_sided() - 2.2414).abs() < 1e-4);
        assert!((level.in_series(1_000, 64).two_sided() - 6.149).abs() < 1e-3);
        let latest = level.in_series(u64::MAX, usize::MAX);
        assert!(
            (7.0..9.0).contains(&latest.two_sided()) && (10.0..100.0).contains(&latest.student(18.0)),
            "{latest:?}"
        );
    }

    #[test]
    fn a_further_change_for_a_small_gain_must_be_sure_as_one_of_a_series() {
        let usual = Confidence::default();
        let is_worth = |errors: f64, change, to_come| {
            Gain { mean: 0.01, error: 0.01 / errors }.is_worth_change(change, to_come, usual)
        };
        assert!(is_worth(1.65, 1, 10) && !is_worth(1.64, 1, 10), "the first");
        assert!(is_worth(2.40, 2, 10) && !is_worth(2.39, 2, 10) && !is_worth(2.40, 3, 10), "further ones");
        assert!(is_worth(1.65, 3, 101) && !is_worth(1.65, 3, 100), "worth more than a window");
    }

    #[test]
    fn a_gain_saves_its_share_of_what_is_to_come_less_what_its_trial_may_lose() {
        let half = Gain { mean: 2.0_f64.ln(), error: 0.0 };
        assert!((half.saves(10, 4) - 5.0).abs() < 1e-12);
        let unsure = Gain { mean: 0.0, error: 0.1 };
        assert!((unsure.saves(10, 4) - 0.6 * 0.398_942).abs() < 1e-5, "{}", unsure.saves(10, 4));
        assert!(unsure.saves(2, 4) < 0.0, "the trial lasts longer than the run");
    }

    #[test]
    fn what_is_unsure_is_tried_where_it_may_gain_much_and_lose_little() {
        let usual = Confidence::default();
        let is_worth = |mean, error, to_come| Gain { mean, error }.is_worth_trial(4, to_come, usual);
        assert!(!Gain { mean: 0.18, error: 0.126 }.is_sure(usual));
        assert!(is_worth(0.18, 0.126, 23) && !is_worth(0.18, 0.126, 22), "less than the trial may take");
        assert!(
            is_worth(0.18, 0.152, 100) && !is_worth(0.18, 0.154, 100),
            "5 % of what it saves, at 1.18 standard errors"
        );
        assert!(!is_worth(0.18, 10.0, 1000), "nothing is known of it");
        assert!(!is_worth(-0.1, 0.2, 1000) && !is_worth(f64::NAN, 0.1, 1000));
    }

    #[test]
    fn a_gain_is_sure_at_the_level_and_a_measurement_counts_by_its_error() {
        let gain = |mean, error| Gain { mean, error };
        let usual = Confidence::default();
        assert!(gain(0.1, 0.06).is_sure(usual) && !gain(0.1, 0.062).is_sure(usual));
        let [bold, careful] = [0.6, 0.999].map(|level| Confidence::new(level).unwrap());
        assert!(gain(0.1, 0.3).is_sure(bold) && !gain(0.1, 0.06).is_sure(careful));
        assert!((gain(0.1, 0.1).probability() - 0.841_34).abs() < 1e-4);
        assert_eq!((gain(0.1, 0.0).probability(), gain(-0.1, 0.0).probability()), (1.0, 0.0));
        let (share, half) = gain(0.5_f64.ln().abs(), 0.1).as_share(usual);
        assert!((share - 0.5).abs() < 1e-12 && (half - 0.082_243).abs() < 1e-6, "half of the time is saved: {half}");
        assert!((gain(0.0, 1.0).expected_loss() - 0.398_942).abs() < 1e-6 && gain(1.0, 0.1).expected_loss() < 1e-12);
        assert_eq!((gain(-0.2, 0.0).expected_loss(), gain(0.2, 0.0).expected_loss()), (0.2, 0.0));
        let both = gain(0.1, 0.1).after(gain(-0.1, 0.1));
        assert!(both.mean.abs() < 1e-12 && (both.error - 0.1 / 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(gain(0.1, 0.0).after(gain(-0.1, 0.1)).mean, 0.1, "what is certain stays");
        assert_eq!(gain(0.1, 0.1).after(gain(-0.1, 0.0)).mean, -0.1);
    }
}
