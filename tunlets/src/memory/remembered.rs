//! A start that an earlier run gave, as a text that travels to the ranks and to the analyzer.

use super::{Learnt, deviation};
use crate::confidence::Confidence;
use crate::noise;
use midrun_scheduling::{Setting, Start, start};
use midrun_vocabulary::Count;
use std::fmt;
use std::str::FromStr;

/// A start that an earlier run gave, and what was measured with it there.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// What the ranks begin with.
    pub start: Start,
    /// End of the earlier run, seconds since 1970.
    pub time_s: u64,
    /// See [`Learnt::iteration_s`].
    pub iteration_s: f64,
    /// See [`Learnt::cost_ln`].
    pub cost_ln: f64,
    /// See [`Learnt::deviation`].
    pub deviation: f64,
    /// See [`Learnt::iterations`].
    pub iterations: u32,
    /// Standard deviation of `cost_ln` from run to run; as long as there is one, that from iteration to iteration.
    pub deviation_of_runs: f64,
}

impl Remembered {
    /// What `learnt` says at the start of a later run. `others` are the `cost_ln` of the further runs with the same start.
    pub fn of(learnt: &Learnt, time_s: u64, others: &[f64]) -> Option<Remembered> {
        let all: Vec<f64> = others.iter().copied().chain([learnt.cost_ln]).collect();
        let remembered = Remembered {
            start: learnt.start.parse().ok()?,
            time_s,
            iteration_s: learnt.iteration_s,
            cost_ln: learnt.cost_ln,
            deviation: learnt.deviation,
            iterations: learnt.iterations,
            deviation_of_runs: deviation(&all).unwrap_or(0.0).max(learnt.deviation),
        };
        remembered.to_string().parse().ok()
    }

    /// The setting and its workers, for people.
    pub fn setting(&self) -> String {
        let setting = &self.start.setting;
        match setting {
            Setting::Scheduling(_) => format!("{}, {}", setting.name(), Count(setting.workers() as u64, "worker")),
            Setting::Pattern(_) | Setting::Values(_) => setting.name(),
        }
    }

    /// Half the width of the interval that holds the logarithm of the cost of `count` new windows, at this confidence level. The scatter of
    /// few windows is shrunk towards that of windows elsewhere. Runs differ at least as windows do.
    pub(super) fn half_width(&self, count: usize, confidence: Confidence) -> f64 {
        let (before, new) = (f64::from(self.iterations), count as f64);
        let (deviation, freedom) = noise::pooled(self.deviation, before - 1.0);
        let of_runs = self.deviation_of_runs.max(deviation);
        confidence.student(freedom) * of_runs.hypot(deviation * (1.0 / before + 1.0 / new).sqrt())
    }
}

impl FromStr for Remembered {
    type Err = String;

    fn from_str(text: &str) -> Result<Remembered, String> {
        let real = |key| {
            let number: f64 = start::number(text, key)?;
            if number.is_finite() { Ok(number) } else { Err(format!("a start has {key}={number}")) }
        };
        let of_least = |key, least: f64| match real(key)? {
            number if number >= least => Ok(number),
            number => Err(format!("a start has {key}={number}")),
        };
        Ok(Remembered {
            start: text.parse()?,
            time_s: start::number(text, "time_s")?,
            iteration_s: of_least("iteration_s", 0.0)?,
            cost_ln: real("cost_ln")?,
            deviation: of_least("deviation", 0.0)?,
            iterations: of_least("iterations", 2.0)? as u32,
            deviation_of_runs: of_least("deviation_of_runs", 0.0)?,
        })
    }
}

impl fmt::Display for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Remembered { start, time_s, iteration_s, cost_ln, deviation, iterations, deviation_of_runs } = self;
        write!(f, "{start};time_s={time_s};iteration_s={iteration_s};cost_ln={cost_ln};deviation={deviation};")?;
        write!(f, "iterations={iterations};deviation_of_runs={deviation_of_runs}")
    }
}
