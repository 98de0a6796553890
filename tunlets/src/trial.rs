//! One trial for all tunlets: a change is applied, watched, judged, and kept or rolled back.
//!
//! A tunlet measures each window as a cost (what its objective minimises) and a time. [`Trials`] watches one change at a
//! time. A [`Rule`] says how many windows are watched and when the change counts as worse. [`Tabu`] remembers what was
//! rolled back.

use midrun_models::line::median;
use std::collections::VecDeque;

use crate::confidence::{Gain, LEVEL};
use crate::{Judgement, Verdict};

/// Whole windows that a change is watched before it is judged.
pub const WATCHED: usize = 2;
/// Windows after which a change is kept that chance may still explain.
const WATCHED_LONG: usize = 8;
/// Measurements before a change that it is compared with.
pub const REMEMBERED: usize = 4;
/// Errors of the models beside chance, as a share of the time.
pub const MODEL: f64 = 0.03;
/// A change that raises the cost by no more than this share is not worse.
const WORSE: f64 = 0.01;
/// Standard errors that chance exceeds in one of a hundred cases; a change is judged after each of several windows.
const SURE: f64 = 2.33;
/// Least scatter of iterations, as a share: that of the machine.
pub const MACHINE: f64 = 0.005;

/// One window under one setting.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// What the tunlet's objective minimises.
    pub cost: f64,
    /// Iteration time, or time between two outputs, seconds.
    pub time_s: f64,
}

fn costs(of: &[Measurement]) -> Vec<f64> {
    of.iter().map(|measurement| measurement.cost).collect()
}

fn time_s(of: &[Measurement]) -> Option<f64> {
    (!of.is_empty()).then(|| median(of.iter().map(|measurement| measurement.time_s).collect()))
}

/// The newest measurements under the present setting.
#[derive(Clone, Debug, Default)]
pub struct Measurements(VecDeque<Measurement>);

impl Measurements {
    /// Adds one and drops the oldest beyond [`REMEMBERED`].
    pub fn push(&mut self, measurement: Measurement) {
        self.0.push_back(measurement);
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn list(&self) -> Vec<Measurement> {
        self.0.iter().copied().collect()
    }

    /// Median cost; `None` without measurements.
    pub fn cost(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| median(costs(&self.list())))
    }

    /// Median time, seconds; `None` without measurements.
    pub fn time_s(&self) -> Option<f64> {
        time_s(&self.list())
    }

    /// Standard deviation of the costs, as a share of their mean.
    pub fn deviation(&self) -> f64 {
        let costs = costs(&self.list());
        let mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
        let squares: f64 = costs.iter().map(|cost| (cost - mean).powi(2)).sum();
        if costs.len() > 1 && mean > 0.0 { (squares / (costs.len() - 1) as f64).sqrt() / mean } else { 0.0 }
    }
}

impl From<Measurement> for Measurements {
    fn from(only: Measurement) -> Measurements {
        Measurements(VecDeque::from([only]))
    }
}

/// When a change is judged, and when it counts as worse.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Windows that must have been measured with the change.
    pub windows: usize,
    /// How the costs with the change are compared with those before it.
    pub worse: Worse,
}

/// Comparison of the costs with a change and before it.
#[derive(Clone, Copy, Debug)]
pub enum Worse {
    /// The least cost exceeds the one before by more than this share. (A disturbance makes an iteration slower, never faster.)
    ByMargin(f64),
    /// It is a loss at the confidence level, by what was expected of it and what was measured since.
    Probable {
        /// Gain that was expected of the change.
        expected: Gain,
        /// Standard deviation of one cost, as a share of it.
        deviation: f64,
    },
    /// The median cost exceeds the one before by more than chance explains.
    BeyondChance {
        /// Standard deviation of one cost that the model expects, as a share of it.
        deviation: f64,
        /// Share by which the change had to lower the cost.
        least_gain: f64,
    },
}

impl Worse {
    /// Says when a change of `cost` is rolled back.
    pub fn explain(self, cost: &str) -> String {
        match self {
            Worse::ByMargin(share) => {
                format!("it is rolled back if {cost} exceeds the one before by more than {} %", percent(share))
            }
            Worse::Probable { .. } => format!(
                "it is rolled back once {cost} is higher than before with a probability of {} %, by what was expected and what was \
                 measured, and kept once it is lower; after {WATCHED_LONG} windows without either it is kept",
                percent(LEVEL)
            ),
            Worse::BeyondChance { least_gain, .. } => {
                let gain = if least_gain > 0.0 { format!(" less {} %", percent(least_gain)) } else { String::new() };
                format!(
                    "it is rolled back if the median of {cost} exceeds the one before{gain} by more than {} % and {SURE} \
                     standard errors; after {WATCHED_LONG} windows without a clear difference it is kept",
                    percent(WORSE)
                )
            }
        }
    }

    /// `None` while chance may explain the difference and there is time to watch on.
    fn holds(self, before: &[f64], since: &[f64]) -> Option<bool> {
        match self {
            Worse::ByMargin(share) => {
                let least = since.iter().copied().fold(f64::INFINITY, f64::min);
                Some(!before.is_empty() && least > median(before.to_vec()) * (1.0 + share))
            }
            Worse::Probable { expected, deviation } => {
                let (was, is) = (median(before.to_vec()).ln(), median(since.to_vec()).ln());
                if !(was - is).is_finite() {
                    return Some(false); // nothing to compare with
                }
                let error = deviation * (1.0 / before.len() as f64 + 1.0 / since.len() as f64).sqrt();
                match expected.after(Gain { mean: was - is, error }).probability() {
                    better if better >= LEVEL => Some(false),
                    better if better <= 1.0 - LEVEL => Some(true),
                    _ if since.len() >= WATCHED_LONG => Some(false),
                    _ => None,
                }
            }
            Worse::BeyondChance { deviation, least_gain } => {
                let before: Vec<f64> = before.iter().map(|cost| cost * (1.0 - least_gain)).collect();
                is_worse(&before, since, deviation)
            }
        }
    }
}

/// A share as people read it: 0.005 is `0.5`.
fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

/// Whether the costs `since` are worse than those `before`, where one cost scatters by `deviation` (a share of it); `None`
/// while chance may explain the difference and there is time to watch on.
fn is_worse(before: &[f64], since: &[f64], deviation: f64) -> Option<bool> {
    let median_ln = |costs: &[f64]| {
        let mut costs = costs.to_vec();
        costs.sort_by(f64::total_cmp);
        // Of two the better: a disturbance makes an iteration slower, never faster.
        costs.get(costs.len().saturating_sub(1) / 2).map(|cost| cost.ln())
    };
    let (Some(was), Some(is)) = (median_ln(before), median_ln(since)) else { return Some(false) };
    let of_both = 1.0 / before.len() as f64 + 1.0 / since.len() as f64;
    let error = deviation.max(MACHINE).max(scatter(before, since)) * of_both.sqrt();
    let more = is - was - WORSE;
    match () {
        () if more > SURE * error => Some(true),
        () if more <= 0.0 => Some(false),
        () if since.len() >= WATCHED_LONG => Some(false),
        () => None,
    }
}

/// Pooled standard deviation of two groups of costs, as a share of them; 0 where they are too few.
fn scatter(before: &[f64], since: &[f64]) -> f64 {
    let squares = |costs: &[f64]| {
        let logs: Vec<f64> = costs.iter().map(|cost| cost.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
    };
    let degrees = (before.len() + since.len()).saturating_sub(2);
    if degrees > 1 { ((squares(before) + squares(since)) / degrees as f64).sqrt() } else { 0.0 }
}

/// Half the width of the interval in which the median of the watched windows is expected, as a share of the prediction: two
/// standard errors of chance and of the model's inputs, and the model's own error. `deviation` is that of one iteration.
pub fn uncertainty(deviation: f64, input_error: f64) -> f64 {
    2.0 * (deviation / (WATCHED as f64).sqrt()).hypot(input_error) + MODEL
}

/// A change that is in force and being watched. `S` is what the tunlet changes.
#[derive(Clone, Debug)]
pub struct Trial<S> {
    /// Number of the decision.
    pub decision: u64,
    /// Setting to roll back to; `None` if the change is kept whatever it measures.
    pub from: Option<S>,
    /// Setting in force now.
    pub to: S,
    /// First iteration that runs with the change from its beginning.
    pub first: u64,
    /// Measurements before the change; empty if there is nothing to compare with.
    pub before: Measurements,
    /// Highest cost that the prediction explains: a change is kept at that cost even if it is no better than before.
    pub expected: Option<f64>,
    since: Vec<Measurement>,
    missed: u32,
}

impl<S> Trial<S> {
    /// Begins the trial of decision `decision`, which set `to` and counts from iteration `first` on.
    pub fn new(decision: u64, from: Option<S>, to: S, first: u64, before: Measurements) -> Trial<S> {
        Trial { decision, from, to, first, before, expected: None, since: Vec::new(), missed: 0 }
    }

    /// Median cost with the change; NaN if none was measured.
    pub fn cost(&self) -> f64 {
        if self.since.is_empty() { f64::NAN } else { median(costs(&self.since)) }
    }

    /// Median time with the change, seconds; NaN if none was measured.
    pub fn time_s(&self) -> f64 {
        time_s(&self.since).unwrap_or(f64::NAN)
    }

    fn verdict(&self, rule: Rule) -> Option<Verdict> {
        if self.since.len() < rule.windows {
            return None;
        }
        let explained = self.expected.is_some_and(|most| self.cost() <= most);
        if self.from.is_none() || explained {
            return Some(Verdict::Kept);
        }
        let worse = rule.worse.holds(&costs(&self.before.list()), &costs(&self.since))?;
        Some(if worse { Verdict::RolledBack } else { Verdict::Kept })
    }
}

/// The change being watched, and the one that must be rolled back.
#[derive(Clone, Debug)]
pub struct Trials<S> {
    /// The change being watched.
    pub watched: Option<Trial<S>>,
    /// The last change measured worse: its `from` is proposed until it is in force.
    pub rollback: Option<Trial<S>>,
}

impl<S> Default for Trials<S> {
    fn default() -> Self {
        Trials { watched: None, rollback: None }
    }
}

impl<S: Clone> Trials<S> {
    /// Watches a change that was applied. If it was the rollback, that is done.
    pub fn start(&mut self, trial: Trial<S>) {
        (self.watched, self.rollback) = (Some(trial), None);
    }

    /// Adds the measurement of iteration `iteration`; returns the change and the judgement once the rule allows one.
    pub fn measure(&mut self, iteration: u64, measurement: Measurement, rule: Rule) -> Option<(Trial<S>, Judgement)> {
        let trial = self.watched.as_mut().filter(|trial| iteration >= trial.first)?;
        trial.since.push(measurement);
        let verdict = trial.verdict(rule)?;
        let trial = self.watched.take()?;
        let judgement = Judgement { decision: trial.decision, measured_s: trial.time_s(), verdict };
        if verdict == Verdict::RolledBack {
            self.rollback = Some(trial.clone());
        }
        Some((trial, judgement))
    }

    /// Counts a window in which the change was not in force; after more than `most` of them it is given up.
    pub fn miss(&mut self, most: u32, measured_s: f64) -> Option<(Trial<S>, Judgement)> {
        let trial = self.watched.as_mut()?;
        trial.missed += 1;
        if trial.missed <= most {
            return None;
        }
        let trial = self.watched.take()?;
        let judgement = Judgement { decision: trial.decision, measured_s, verdict: Verdict::NotApplied };
        Some((trial, judgement))
    }

    /// Ends the trial with `verdict`; no judgement if nothing was measured.
    pub fn end(&mut self, verdict: Verdict) -> Option<Judgement> {
        let trial = self.watched.take().filter(|trial| !trial.since.is_empty())?;
        Some(Judgement { decision: trial.decision, measured_s: trial.time_s(), verdict })
    }

    /// Forgets what was measured before the change: the program has changed since.
    pub fn forget_before(&mut self) {
        if let Some(trial) = &mut self.watched {
            trial.before.clear();
        }
    }
}

/// Settings that were rolled back, and the iteration until which each is not tried again.
#[derive(Clone, Debug)]
pub struct Tabu<K>(Vec<(K, u64)>);

impl<K> Default for Tabu<K> {
    fn default() -> Self {
        Tabu(Vec::new())
    }
}

impl<K: PartialEq> Tabu<K> {
    /// Forbids a setting for so many iterations from `iteration` on.
    pub fn add(&mut self, setting: K, iteration: u64, length: u64) {
        self.0.retain(|(known, until)| *until > iteration && *known != setting);
        self.0.push((setting, iteration + length));
    }

    /// Whether a setting may be tried in `iteration`.
    pub fn allows(&self, setting: &K, iteration: u64) -> bool {
        !self.0.iter().any(|(known, until)| known == setting && iteration < *until)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
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

    /// The verdict after `since`, where the prediction explains costs up to 5 % above `predicted`.
    fn verdict(before: &[f64], predicted: Option<f64>, since: &[f64], least_gain: f64) -> Option<Verdict> {
        let measurement = |cost: &f64| Measurement { cost: *cost, time_s: *cost };
        let mut known = Measurements::default();
        before.iter().for_each(|cost| known.push(measurement(cost)));
        let mut trial = Trial::new(0, Some(()), (), 0, known);
        trial.expected = predicted.map(|cost| cost * 1.05);
        trial.since = since.iter().map(measurement).collect();
        trial.verdict(Rule { windows: 2, worse: Worse::BeyondChance { deviation: 0.0, least_gain } })
    }

    #[test]
    fn what_measures_worse_than_before_and_than_predicted_goes_back() {
        assert_eq!(verdict(&[1.0, 1.0], None, &[1.2, 1.2], 0.0), Some(Verdict::RolledBack));
        assert_eq!(verdict(&[1.0, 1.0], None, &[0.9, 0.9], 0.0), Some(Verdict::Kept));
        assert_eq!(verdict(&[1.0, 1.0], Some(0.8), &[1.2, 1.2], 0.0), Some(Verdict::RolledBack));
        assert_eq!(verdict(&[1.0, 1.0], Some(0.8), &[0.95, 0.95], 0.0), Some(Verdict::Kept), "better than before");
        assert_eq!(verdict(&[1.0, 1.0], Some(0.8), &[0.95], 0.0), None, "one window says nothing");
        assert_eq!(verdict(&[1.0, 1.0], None, &[0.99, 0.99], 0.05), Some(Verdict::RolledBack), "too small a gain");
    }
}
