//! Did a change help? What each setting really gave, and the change that is being watched.

use midrun_models::line::median;
use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::BTreeMap;

/// Whole iterations that a change is watched.
pub const WATCHED: usize = 2;
/// The simulation is no more exact than this share, chance apart.
pub const MODEL: f64 = 0.03;
/// A setting that measures worse than another by more than this share is given up.
pub const WORSE: f64 = 0.005;
/// Iterations after which a measurement says nothing any more.
const OLD: u64 = 40;
/// Weight of a new measurement.
const NEW: f64 = 0.4;

/// A setting as far as experience tells settings apart: the technique, and its share in tenths.
pub type Family = (u32, u32);

/// The family of a setting.
pub fn family(setting: &TechniqueParameters) -> Family {
    let has_share = matches!(setting.kind, Technique::Fsc | Technique::Dpf);
    (setting.kind.code(), if has_share { (setting.share() * 10.0).round() as u32 } else { 0 })
}

/// Costs that are remembered of the present number; windows that a change is watched at most.
pub const REMEMBERED: usize = 4;
const WATCHED_LONG: usize = 8;
/// A number of workers is given up when its objective measures worse than before by more than this share.
const WORSE_COST: f64 = 0.01;
/// Standard errors that are no chance: one in a hundred, for it is looked at after each of several windows.
const SURE: f64 = 2.33;
/// Iterations scatter by so much at least, whatever the tasks: the machine.
const MACHINE: f64 = 0.005;

/// Whether the costs `seen` are worse than those `before`, where one cost scatters by `chance` (a share of it); `None` while
/// that cannot be told and there is time to look on.
pub fn is_worse(before: &[f64], seen: &[f64], chance: f64) -> Option<bool> {
    let median_ln = |costs: &[f64]| {
        let mut costs = costs.to_vec();
        costs.sort_by(f64::total_cmp);
        // Of two the better: a disturbance from outside makes an iteration slower, never faster.
        costs.get(costs.len().saturating_sub(1) / 2).map(|cost| cost.ln())
    };
    let (Some(was), Some(is)) = (median_ln(before), median_ln(seen)) else { return Some(false) };
    let of_both = 1.0 / before.len() as f64 + 1.0 / seen.len() as f64;
    let error = chance.max(MACHINE).max(scatter(before, seen)) * of_both.sqrt();
    let more = is - was - WORSE_COST;
    match () {
        () if more > SURE * error => Some(true),
        () if more <= 0.0 => Some(false),
        // What cannot be told from chance after so long is not worse than chance.
        () if seen.len() >= WATCHED_LONG => Some(false),
        () => None,
    }
}

/// How far costs of one kind scatter, as a share of them, by what both kinds show; 0 where they are too few.
fn scatter(before: &[f64], seen: &[f64]) -> f64 {
    let squares = |costs: &[f64]| {
        let logs: Vec<f64> = costs.iter().map(|cost| cost.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
    };
    let degrees = (before.len() + seen.len()).saturating_sub(2);
    if degrees > 1 { ((squares(before) + squares(seen)) / degrees as f64).sqrt() } else { 0.0 }
}

/// Half the width of the interval in which the median of the watched iterations is expected, as a share of the prediction:
/// two standard errors of chance and of what was measured, and the model's own error. `deviation` is that of one iteration.
pub fn uncertainty(deviation: f64, input_error: f64) -> f64 {
    2.0 * (deviation / (WATCHED as f64).sqrt()).hypot(input_error) + MODEL
}

/// Measured iteration time / ideal, per family.
#[derive(Clone, Debug, Default)]
pub struct Experience(BTreeMap<Family, Measured>);

#[derive(Clone, Copy, Debug)]
struct Measured {
    ratio: f64,
    count: u32,
    last: u64,
}

impl Experience {
    /// Adds a whole iteration's ratio, and forgets what was measured long ago.
    pub fn add(&mut self, setting: &TechniqueParameters, ratio: f64, iteration: u64) {
        self.0.retain(|_, m| m.last + OLD >= iteration);
        let m = self.0.entry(family(setting)).or_insert(Measured { ratio, count: 0, last: iteration });
        m.ratio += NEW * (ratio - m.ratio);
        m.count += 1;
        m.last = iteration;
    }

    /// What a family really gave, once seen at least `least` times.
    pub fn ratio(&self, setting: &TechniqueParameters, least: u32) -> Option<f64> {
        self.0.get(&family(setting)).filter(|m| m.count >= least).map(|m| m.ratio)
    }

    /// The program has changed: nothing measured holds any more.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

/// How far iteration time / ideal scatters, over the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Spread {
    /// Adds a whole iteration's ratio.
    pub fn add(&mut self, ratio: f64) {
        self.count += 1.0;
        self.sum += ratio;
        self.squares += ratio * ratio;
    }

    /// Standard deviation.
    pub fn deviation(&self) -> f64 {
        if self.count < 2.0 {
            return 0.0;
        }
        let mean = self.sum / self.count;
        (self.squares / self.count - mean * mean).max(0.0).sqrt()
    }
}

/// A change that was applied and is being watched.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Number of the decision.
    pub decision: u64,
    /// What was in force before.
    pub former: TechniqueParameters,
    /// What it gave, where measured.
    pub former_ratio: Option<f64>,
    /// What is in force now.
    pub setting: TechniqueParameters,
    /// Iteration at whose safe point it was applied: that one is mixed, those after it count.
    pub applied_in: u64,
    /// (ratio, iteration time) of the whole iterations since.
    pub seen: Vec<(f64, f64)>,
}

impl Trial {
    /// Whether the technique was changed, not only what it knows.
    pub fn is_of_technique(&self) -> bool {
        family(&self.former) != family(&self.setting)
    }

    /// Whether it was seen often enough to be judged.
    pub fn is_over(&self) -> bool {
        self.seen.len() >= WATCHED
    }

    /// The better of the watched ratios: a disturbance from outside makes an iteration slower, never faster.
    pub fn ratio(&self) -> f64 {
        self.seen.iter().map(|(ratio, _)| *ratio).fold(f64::INFINITY, f64::min)
    }

    /// Median iteration time since, seconds.
    pub fn measured_s(&self) -> f64 {
        if self.seen.is_empty() { 0.0 } else { median(self.seen.iter().map(|(_, time_s)| *time_s).collect()) }
    }

    /// Whether it made things worse than what was measured before.
    pub fn is_worse(&self) -> bool {
        self.former_ratio.is_some_and(|former| self.ratio() > former * (1.0 + WORSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_is_what_chance_does_not_explain() {
        assert_eq!(is_worse(&[], &[9.0, 9.0], 0.0), Some(false), "nothing to compare with");
        assert_eq!(is_worse(&[1.0, 1.0], &[1.1, 1.1], 0.0), Some(true));
        assert_eq!(is_worse(&[1.0, 1.0], &[0.9, 1.3], 0.0), Some(false), "one disturbed iteration says nothing");
        assert_eq!(is_worse(&[1.0, 1.0], &[1.3, 1.3], 0.4), None, "such a difference can be chance");
        assert_eq!(is_worse(&[1.0, 1.4, 0.9, 1.6], &[1.4, 1.2], 0.0), None, "they scatter more than was foreseen");
        assert_eq!(is_worse(&[1.0; 4], &[1.8; 8], 0.4), Some(true), "a large one that stays is not");
        assert_eq!(is_worse(&[1.0; 4], &[1.3; 8], 0.4), Some(false), "what cannot be told for long is kept");
    }
}
