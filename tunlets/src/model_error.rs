//! What the simulation gets wrong of a setting: `ln(measured / simulated) = common + own + chance`.
//!
//! *Common* to all settings is what the machine adds to each iteration; it cancels between two of them. A setting's *own* error is
//! what does not. Both have normal priors, so that what was measured of two settings says how far their simulated difference is off.

use crate::confidence::Gain;

/// Prior standard deviation of a setting's own error where it is balanced: how far techniques that the simulation takes for
/// equal lie apart when they are measured (docs/measuring.md).
pub const EXACT: f64 = 0.004;
/// The same as a share of what the simulation says that it is worse than the other: what both lack, both lack alike.
const OF_DIFFERENCE: f64 = 0.3;
/// And as a share of its simulated excess over the ideal that is no lateness: the less even an end, the less is known of it.
const OF_EXCESS: f64 = 0.05;

/// A setting that was simulated, and perhaps measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// Simulated iteration time / ideal.
    pub ratio: f64,
    /// ln(measured / simulated) and its standard error by chance.
    pub residual: Option<Gain>,
}

impl Simulated {
    /// Prior variance of its own error beside that of another.
    fn own(&self, other: &Simulated, late: f64) -> f64 {
        let (worse, excess) = ((self.ratio / other.ratio).ln().max(0.0), (self.ratio.ln() - late).max(0.0));
        EXACT.powi(2) + (OF_DIFFERENCE * worse).powi(2) + (OF_EXCESS * excess).powi(2)
    }

    /// Share of what was measured beyond the common error that counts as its own, mean, and variance given the common one.
    fn posterior(&self, other: &Simulated, late: f64) -> (f64, f64, f64) {
        let own = self.own(other, late);
        self.residual.map_or((0.0, 0.0, own), |residual| {
            let chance = residual.error.powi(2);
            let share = own / (own + chance);
            (share, residual.mean, share * chance)
        })
    }
}

/// By how much more (mean, standard error) `to` gains over `from` than simulated, as a difference of logarithms.
///
/// `late` is by how much iterations were longer than their busiest worker was busy: the common error is hardly larger.
pub fn correction(from: Simulated, to: Simulated, late: f64) -> Gain {
    // The common error is what both residuals show of it, beside its prior.
    let (mut precision, mut sum) = (late.max(EXACT).powi(-2), 0.0);
    for (setting, other) in [(from, to), (to, from)] {
        if let Some(residual) = setting.residual {
            let weight = 1.0 / (setting.own(&other, late) + residual.error.powi(2));
            (precision, sum) = (precision + weight, sum + weight * residual.mean);
        }
    }
    let common = sum / precision;
    let ((of_from, seen_from, var_from), (of_to, seen_to, var_to)) =
        (from.posterior(&to, late), to.posterior(&from, late));
    let mean = of_from * (seen_from - common) - of_to * (seen_to - common);
    let variance = var_from + var_to + (of_to - of_from).powi(2) / precision;
    Gain { mean, error: variance.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simulated(ratio: f64, residual: Option<(f64, f64)>) -> Simulated {
        Simulated { ratio, residual: residual.map(|(mean, error)| Gain { mean, error }) }
    }

    #[test]
    fn what_a_balanced_setting_lacks_is_the_machines_and_that_of_an_unbalanced_one_its_own() {
        let other = simulated(1.0, None);
        let late = correction(simulated(1.0, Some((0.02, 0.002))), other, 0.03);
        assert!(late.mean < 0.002 && late.error < 0.008, "{late:?}");
        let uneven = correction(simulated(1.3, Some((-0.1, 0.01))), other, 0.03);
        assert!(uneven.mean < -0.07, "it was less uneven than simulated: {uneven:?}");
    }

    #[test]
    fn two_settings_that_were_measured_differ_by_what_was_measured() {
        let both = correction(simulated(1.05, Some((0.0, 1e-4))), simulated(1.01, Some((0.08, 1e-4))), 0.03);
        assert!((both.mean + 0.08).abs() < 1e-3 && both.error < 1e-3, "{both:?}");
        let unknown = correction(simulated(1.05, None), simulated(1.01, None), 0.03);
        assert!(unknown.mean == 0.0 && unknown.error > 0.01, "{unknown:?}");
    }
}
