//! What the simulation gets wrong of a setting: `ln(measured / simulated) = common + own + chance`.
//!
//! *Common* to all settings is what the machine adds to each iteration; it cancels between two of them. A setting's *own* error is
//! what does not. Both have normal priors, so that what was measured of two settings says how far their simulated difference is off, and what was
//! measured of others whether that is common.

use crate::confidence::{Confidence, Gain};

/// Prior standard deviation of a setting's own error where it is balanced: how far techniques that the simulation takes for
/// equal lie apart when they are measured (docs/measuring.md).
pub const EXACT: f64 = 0.004;
/// Changes that it counts for beside those of the run: as many as of other scatter of a machine ([`crate::noise`]).
const CHANGES: f64 = 2.0;
/// The same as a share of what the simulation says that it is worse than the other, or of what a first iteration took beyond it: what both lack, both
/// lack alike.
const OF_DIFFERENCE: f64 = 0.3;
/// And as a share of its simulated excess over the ideal that is no lateness: the less even an end, the less is known of it.
const OF_EXCESS: f64 = 0.05;

/// What changes that were judged say of a setting's own error: where they turned out otherwise than expected the model is believed less.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnError {
    /// Sum of the squares of what the own errors made of changes, and their number.
    squares: f64,
    changes: f64,
}

impl OwnError {
    /// A gain was expected and measured. What the errors of both do not explain at the level shows an error that was not known; both settings have
    /// one of their own.
    pub fn learn(&mut self, expected: Gain, measured: Gain, confidence: Confidence) {
        let (apart, known) = (expected.mean - measured.mean, expected.error.hypot(measured.error));
        let refuted = apart.abs() > confidence.two_sided() * known;
        let square = if refuted { (apart.powi(2) - known.powi(2)) / 2.0 } else { 0.0 };
        if expected.error.is_finite() && square.is_finite() {
            self.squares += square;
            self.changes += 1.0;
        }
    }

    /// Its standard deviation, as a difference of logarithms: [`EXACT`] before any was judged.
    pub fn deviation(&self) -> f64 {
        ((CHANGES * EXACT.powi(2) + self.squares) / (CHANGES + self.changes)).sqrt()
    }
}

/// A setting that was simulated, and perhaps measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// Simulated iteration time / ideal.
    pub ratio: f64,
    /// Standard error of its logarithm by what is not known of the tasks: the more uneven settings are off by more, and all to the same side.
    pub inputs: f64,
    /// ln(measured / simulated) and its standard error by chance.
    pub residual: Option<Gain>,
}

impl Simulated {
    /// Prior variance of its own error beside that of another.
    fn own(&self, other: &Simulated, (late, exact): (f64, f64)) -> f64 {
        let (worse, excess) = ((self.ratio / other.ratio).ln().max(0.0), (self.ratio.ln() - late).max(0.0));
        let inputs = (self.inputs - other.inputs).max(0.0);
        exact.powi(2) + (OF_DIFFERENCE * worse).powi(2) + (OF_EXCESS * excess).powi(2) + inputs.powi(2)
    }

    /// Share of what was measured beyond the common error that counts as its own, mean, and variance given the common one.
    fn posterior(&self, other: &Simulated, known: (f64, f64)) -> (f64, f64, f64) {
        let own = self.own(other, known);
        self.residual.map_or((0.0, 0.0, own), |residual| {
            let chance = residual.error.powi(2);
            let share = own / (own + chance);
            (share, residual.mean, share * chance)
        })
    }
}

/// A gain over the present setting, whose first iteration took so much longer than simulated, a difference of logarithms: if that was not the program's
/// start, another setting takes as much longer, but for the same share as of other differences.
pub fn over_unexplained(gain: Gain, unexplained: f64) -> Gain {
    Gain { error: gain.error.hypot(OF_DIFFERENCE * unexplained), ..gain }
}

/// By how much more (mean, standard error) `to` gains over `from` than simulated, as a difference of logarithms; `others` are settings that
/// were measured besides.
///
/// `late` is by how much iterations were longer than their busiest worker was busy: the common error is hardly larger, beside what the inputs of both
/// are off. `exact` is the standard deviation of a balanced setting's own error ([`OwnError`]).
pub fn correction(from: Simulated, to: Simulated, others: &[Simulated], (late, exact): (f64, f64)) -> Gain {
    // The common error is what all residuals show of it, beside its prior.
    let (mut precision, mut sum) = (late.max(EXACT).hypot(from.inputs.min(to.inputs)).powi(-2), 0.0);
    for (setting, other) in [(from, to), (to, from)].into_iter().chain(others.iter().map(|other| (*other, from))) {
        if let Some(residual) = setting.residual {
            let weight = 1.0 / (setting.own(&other, (late, exact)) + residual.error.powi(2));
            (precision, sum) = (precision + weight, sum + weight * residual.mean);
        }
    }
    let common = sum / precision;
    let ((of_from, seen_from, var_from), (of_to, seen_to, var_to)) =
        (from.posterior(&to, (late, exact)), to.posterior(&from, (late, exact)));
    let mean = of_from * (seen_from - common) - of_to * (seen_to - common);
    let variance = var_from + var_to + (of_to - of_from).powi(2) / precision;
    Gain { mean, error: variance.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simulated(ratio: f64, residual: Option<(f64, f64)>) -> Simulated {
        Simulated { ratio, inputs: 0.0, residual: residual.map(|(mean, error)| Gain { mean, error }) }
    }

    #[test]
    fn what_a_balanced_setting_lacks_is_the_machines_and_that_of_an_unbalanced_one_its_own() {
        let other = simulated(1.0, None);
        let late = correction(simulated(1.0, Some((0.02, 0.002))), other, &[], (0.03, EXACT));
        assert!(late.mean < 0.002 && late.error < 0.008, "{late:?}");
        let uneven = correction(simulated(1.3, Some((-0.1, 0.01))), other, &[], (0.03, EXACT));
        assert!(uneven.mean < -0.07, "it was less uneven than simulated: {uneven:?}");
    }

    #[test]
    fn a_model_whose_changes_turned_out_otherwise_is_believed_less() {
        let gain = |mean, error| Gain { mean, error };
        let (mut own, usual) = (OwnError::default(), Confidence::default());
        assert_eq!(own.deviation(), EXACT);
        (0..4).for_each(|_| own.learn(gain(0.1, 0.02), gain(0.11, 0.02), usual));
        assert!(own.deviation() < EXACT, "chance explains the difference");
        own.learn(Gain::UNKNOWN, gain(-0.5, 0.02), usual);
        assert!(own.deviation() < EXACT, "nothing was expected");
        own.learn(gain(0.05, 0.02), gain(-1.3, 0.05), usual);
        let exact = own.deviation();
        assert!(exact > 0.3, "{exact}");
        let gain = correction(simulated(1.1, None), simulated(1.0, None), &[], (0.0, exact));
        assert!(gain.error > exact, "{gain:?}");
    }

    #[test]
    fn what_a_first_iteration_took_beyond_the_model_speaks_for_no_other_setting() {
        let (now, there) = (simulated(1.02, Some((0.25, 0.02))), simulated(1.02, None));
        let known = correction(now, there, &[], (0.02, EXACT));
        let gain = over_unexplained(known, 0.25);
        assert!(gain.mean == known.mean && known.mean < 0.01, "{gain:?}");
        assert!(known.error < 0.01 && gain.error > 0.07, "{known:?} {gain:?}");
    }

    #[test]
    fn two_settings_that_were_measured_differ_by_what_was_measured() {
        let both =
            correction(simulated(1.05, Some((0.0, 1e-4))), simulated(1.01, Some((0.08, 1e-4))), &[], (0.03, EXACT));
        assert!((both.mean + 0.08).abs() < 1e-3 && both.error < 1e-3, "{both:?}");
        let unknown = correction(simulated(1.05, None), simulated(1.01, None), &[], (0.03, EXACT));
        assert!(unknown.mean == 0.0 && unknown.error > 0.01, "{unknown:?}");
    }

    #[test]
    fn what_several_settings_took_longer_than_simulated_another_will_take_too() {
        let late = |ratio| simulated(ratio, Some((0.07, 0.005)));
        let gain = |others: &[Simulated]| correction(late(1.1), simulated(1.03, None), others, (0.01, EXACT)).mean;
        let (alone, beside) = (gain(&[]), gain(&[late(1.05), late(1.06), late(1.04)]));
        assert!(alone > 0.03 && beside < 0.5 * alone, "{alone} {beside}");
    }
}
