//! Measured quality of the settings that were in force, and how far it scatters.

use crate::confidence::{Confidence, Gain};
use crate::noise::Noise;
use crate::trial::run_delays_apart;
use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::BTreeMap;

/// After a change of the program what was measured counts for so much less: its standard error doubles.
const WIDER: f64 = 4.0;

/// Shares of FSC and DPF that are tried, and told apart: tenths.
pub const SHARES: u32 = 10;

/// Settings that experience does not distinguish: code of the technique, others where chunks come from the shared counter or from
/// sub-masters or are recalled, and its share.
pub type Family = (u32, u32);

/// The family of a setting.
pub fn family(setting: &TechniqueParameters) -> Family {
    // Chunks that the master sends, that are taken, and that sub-masters send are measured apart; each with synchronous sends, and recall.
    let how = if setting.counts() { 1 } else { 2 * u32::from(setting.sub_team_size().is_some()) };
    let how = how + 3 * u32::from(setting.synchronous) + 6 * u32::from(setting.recall);
    (
        setting.kind.code() + how * Technique::ALL.len() as u32,
        if setting.kind.has_share() { (setting.share() * f64::from(SHARES)).round() as u32 } else { 0 },
    )
}

/// Measured iteration time / ideal, per family.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    seen: BTreeMap<Family, Mean>,
    /// Share of the time for which ranks had no core when a family was measured last, at least.
    run_delays: BTreeMap<Family, f64>,
    /// The same in the newest iteration.
    run_delay: f64,
    last: Option<Family>,
    noise: Noise,
    /// Of the iteration's time per task.
    time_noise: Noise,
    /// ln(iteration time / the busiest worker's task time).
    late: Mean,
    /// The last iteration, if it was off the mean of its family as none by chance: that mean before it, its ratio and lateness.
    off: Option<(Mean, f64, f64)>,
}

/// A mean whose memory grows with the run: the k-th measurement counts k times as much as the first. What held for long is known ever better, and what
/// comes new still counts most.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    value: f64,
    /// As many measurements it rests on.
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.value += 2.0 / (self.count + 1.0) * (value - self.value);
    }

    /// Measurements whose plain mean is as exact: `(sum k)^2 / sum k^2`.
    fn weight(&self) -> f64 {
        1.5 * self.count * (self.count + 1.0) / (2.0 * self.count + 1.0)
    }

    /// What was measured counts for less.
    fn widen(&mut self) {
        self.count /= WIDER;
    }
}

impl Experience {
    /// Adds the ratio of a whole iteration, its time per task, seconds, its ln(time / the busiest worker's task time), and for which share of it ranks had no core.
    /// A ratio that is off the mean at the level counts as one at the bound (Huber 1964): something else may have stalled that iteration. Where the next one is off to the same
    /// side, the work has moved: both count as the nearer one, and what was measured before counts for less.
    pub fn add(
        &mut self,
        setting: &TechniqueParameters,
        (ratio, per_task_s): (f64, f64),
        (late, run_delay): (f64, f64),
        confidence: Confidence,
    ) {
        let family = family(setting);
        if self.last != Some(family) {
            self.noise.interrupt();
            self.time_noise.interrupt();
            self.off = None;
        }
        let mean = self.seen.entry(family).or_insert(Mean { value: ratio, count: 0.0 });
        let (off, bound) = ((ratio / mean.value).ln(), confidence.two_sided() * self.noise.deviation());
        let former = self.off.take();
        if off.abs() <= bound {
            mean.add(ratio);
            self.late.add(late);
        } else if let Some((was, before, late_before)) =
            former.filter(|(was, before, _)| (*before > was.value) == (off > 0.0))
        {
            // One of both may have been stalled: the work has moved as far as both say.
            let before_off = (before / was.value).ln();
            let (ratio, late) = if before_off.abs() < off.abs() { (before, late_before) } else { (ratio, late) };
            *mean = was;
            for _ in 0..2 {
                mean.add(ratio);
                mean.widen();
                self.late.add(late);
            }
        } else {
            self.off = Some((*mean, ratio, late));
            mean.add(mean.value * bound.copysign(off).exp());
        }
        self.noise.add(ratio);
        self.time_noise.add(per_task_s);
        self.run_delay = run_delay;
        self.run_delays.insert(family, run_delay);
        self.last = Some(family);
    }

    /// The next iteration does not follow the last one.
    pub fn interrupt(&mut self) {
        self.last = None;
    }

    /// Average ratio of a family that was measured.
    pub fn ratio(&self, setting: &TechniqueParameters) -> Option<f64> {
        self.seen.get(&family(setting)).map(|mean| mean.value)
    }

    /// ln(measured / simulated) of a family that was measured, and its standard error by chance, and by how much more or less ranks lacked cores then than in
    /// the newest iteration.
    pub fn residual(&self, setting: &TechniqueParameters, simulated: f64, noise: f64) -> Option<Gain> {
        let family = family(setting);
        let measured = self.seen.get(&family)?;
        let then = self.run_delays.get(&family).copied().unwrap_or_default();
        let cores = run_delays_apart((then, self.run_delay));
        Some(Gain { mean: (measured.value / simulated).ln(), error: (noise / measured.weight().sqrt()).hypot(cores) })
    }

    /// By how much iterations were longer than their busiest worker was busy, as a difference of logarithms.
    pub fn late(&self) -> f64 {
        self.late.value
    }

    /// Standard deviation of the ratio of one iteration, as a share, from consecutive ones under one setting.
    pub fn noise(&self) -> f64 {
        self.noise.deviation()
    }

    /// The same of the iteration's time per task.
    pub fn time_noise(&self) -> f64 {
        self.time_noise.deviation()
    }

    /// The program has changed: what was measured is less certain.
    pub fn widen(&mut self) {
        self.seen.values_mut().for_each(Mean::widen);
        self.late.widen();
        self.last = None;
    }

    /// Another number of workers: nothing was measured with it.
    pub fn forget(&mut self) {
        self.seen.clear();
        self.run_delays.clear();
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_says_what_the_simulation_gets_wrong() {
        let setting = TechniqueParameters::FALLBACK;
        let mut known = Experience::default();
        for k in 0..40 {
            let ratio = 1.0 + f64::from(k % 2) * 0.02;
            known.add(&setting, (ratio, ratio), (0.0, 0.0), Confidence::default());
        }
        assert!((0.01..0.03).contains(&known.noise()), "{}", known.noise());
        let residual = known.residual(&setting, 1.0, known.noise()).unwrap();
        assert!((residual.mean - 0.01_f64.ln_1p()).abs() < 5e-4, "{residual:?}");
        // 30.4 if none of the first had been off by the scatter that is taken for likely before any is known.
        let weight = (known.noise() / residual.error).powi(2);
        assert!((25.0..30.4).contains(&weight), "{weight}");
        known.widen();
        let wider = known.residual(&setting, 1.0, known.noise()).unwrap();
        assert!(wider.mean == residual.mean && (wider.error / residual.error - 1.966).abs() < 0.02, "{wider:?}");
        let gss = TechniqueParameters::new(Technique::Gss);
        assert_eq!(known.residual(&gss, 1.0, 0.01), None);
        let mut disturbed = known.clone();
        disturbed.add(&gss, (2.0, 2.0), (0.0, 0.5), Confidence::default());
        assert!(disturbed.residual(&setting, 1.0, 0.0).unwrap().error > 0.69, "measured while ranks had their cores");
        assert_eq!(disturbed.residual(&gss, 1.0, 0.0).unwrap().error, 0.0);
        (0..4).for_each(|_| known.add(&setting, (2.0, 2.0), (0.0, 0.0), Confidence::default()));
        assert!(known.ratio(&setting).unwrap() > 1.9, "the work has moved: {:?}", known.ratio(&setting));
    }
}
