//! Measured quality of the settings that were in force, and how far it scatters.

use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::BTreeMap;

/// Iterations after which a measurement no longer counts: programs change.
const OLD: u64 = 40;
/// Weight of a new measurement in the moving average.
const NEW: f64 = 0.4;

/// Settings that experience does not distinguish: code of the technique, and its share in tenths.
pub type Family = (u32, u32);

/// The family of a setting.
pub fn family(setting: &TechniqueParameters) -> Family {
    let has_share = matches!(setting.kind, Technique::Fsc | Technique::Dpf);
    (setting.kind.code(), if has_share { (setting.share() * 10.0).round() as u32 } else { 0 })
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
    /// Adds the ratio of a whole iteration; drops families measured more than [`OLD`] iterations ago.
    pub fn add(&mut self, setting: &TechniqueParameters, ratio: f64, iteration: u64) {
        self.0.retain(|_, m| m.last + OLD >= iteration);
        let m = self.0.entry(family(setting)).or_insert(Measured { ratio, count: 0, last: iteration });
        m.ratio += NEW * (ratio - m.ratio);
        m.count += 1;
        m.last = iteration;
    }

    /// Average ratio of a family that was measured at least `least` times.
    pub fn ratio(&self, setting: &TechniqueParameters, least: u32) -> Option<f64> {
        self.0.get(&family(setting)).filter(|m| m.count >= least).map(|m| m.ratio)
    }

    /// Forgets all: the program has changed.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

/// Scatter of iteration time / ideal over the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Spread {
    /// Adds the ratio of a whole iteration.
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
