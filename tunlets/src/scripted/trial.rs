//! Did a change help? The same measure as for built-in tunlets, on the file's own objective.

use std::collections::VecDeque;

use midrun_models::line::median;

use crate::master_worker::trial::{REMEMBERED, is_worse};
use crate::{Value, Verdict};

/// Costs (what is to become small) and iteration times of whole windows under one setting.
#[derive(Clone, Debug, Default)]
pub struct Measured(VecDeque<(f64, f64)>);

impl Measured {
    /// One more; of those before a change only the newest count.
    pub fn push(&mut self, cost: f64, iteration_s: f64) {
        self.0.push_back((cost, iteration_s));
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    fn costs(&self) -> Vec<f64> {
        self.0.iter().map(|(cost, _)| *cost).collect()
    }

    /// Median cost; none where nothing was measured.
    pub fn cost(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| median(self.costs()))
    }

    /// Median iteration time, seconds.
    pub fn time_s(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| median(self.0.iter().map(|(_, time_s)| *time_s).collect()))
    }

    /// How far costs scatter, as a share of their mean.
    pub fn deviation(&self) -> f64 {
        let costs = self.costs();
        let mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
        let squares: f64 = costs.iter().map(|cost| (cost - mean).powi(2)).sum();
        if costs.len() > 1 && mean > 0.0 { (squares / (costs.len() - 1) as f64).sqrt() / mean } else { 0.0 }
    }
}

/// Values of tuning points of one rank.
pub type Values = Vec<(String, Value)>;

/// A change that is in force and watched.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Number of the decision.
    pub decision: u64,
    /// Windows after this iteration count.
    pub applied_in: u64,
    /// Whose tuning points were turned.
    pub ranks: Vec<u32>,
    /// What was set.
    pub to: Values,
    /// What to go back to; none for a way back.
    pub from: Option<Values>,
    /// Before the change.
    pub before: Measured,
    /// Cost expected, and by which share it may lie beside.
    pub predicted: Option<(f64, f64)>,
    /// Costs and times since.
    pub seen: Vec<(f64, f64)>,
}

impl Trial {
    /// What the windows so far say: kept where the cost lies within what was predicted, or is not worse than before, by
    /// `min_gain` better where nothing was predicted. None while that cannot be told.
    pub fn verdict(&self, watched: usize, min_gain: f64) -> Option<Verdict> {
        if self.seen.len() < watched {
            return None;
        }
        if self.from.is_none() {
            return Some(Verdict::Kept);
        }
        let seen: Vec<f64> = self.seen.iter().map(|(cost, _)| *cost).collect();
        if self.predicted.is_some_and(|(cost, share)| self.cost() <= cost * (1.0 + share)) {
            return Some(Verdict::Kept);
        }
        let asked = if self.predicted.is_some() { 1.0 } else { 1.0 - min_gain };
        let before: Vec<f64> = self.before.costs().iter().map(|cost| cost * asked).collect();
        let worse = is_worse(&before, &seen, 0.0)?;
        Some(if worse { Verdict::RolledBack } else { Verdict::Kept })
    }

    /// Median cost since.
    pub fn cost(&self) -> f64 {
        median(self.seen.iter().map(|(cost, _)| *cost).collect())
    }

    /// Median iteration time since, seconds; not a number where there was none.
    pub fn time_s(&self) -> f64 {
        let times: Vec<f64> = self.seen.iter().map(|(_, time_s)| *time_s).collect();
        if times.is_empty() { f64::NAN } else { median(times) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(before: &[f64], predicted: Option<f64>, seen: &[f64]) -> Trial {
        let mut measured = Measured::default();
        before.iter().for_each(|cost| measured.push(*cost, *cost));
        Trial {
            decision: 0,
            applied_in: 0,
            ranks: vec![0],
            to: Vec::new(),
            from: Some(Vec::new()),
            before: measured,
            predicted: predicted.map(|cost| (cost, 0.05)),
            seen: seen.iter().map(|cost| (*cost, *cost)).collect(),
        }
    }

    #[test]
    fn what_measures_worse_than_before_and_than_predicted_goes_back() {
        let verdict = |before: &[f64], predicted, seen: &[f64]| trial(before, predicted, seen).verdict(2, 0.0);
        assert_eq!(verdict(&[1.0, 1.0], None, &[1.2, 1.2]), Some(Verdict::RolledBack));
        assert_eq!(verdict(&[1.0, 1.0], None, &[0.9, 0.9]), Some(Verdict::Kept));
        assert_eq!(verdict(&[1.0, 1.0], Some(0.8), &[1.2, 1.2]), Some(Verdict::RolledBack));
        assert_eq!(verdict(&[1.0, 1.0], Some(0.8), &[0.95, 0.95]), Some(Verdict::Kept), "better than before");
        assert_eq!(verdict(&[1.0, 1.0], Some(0.8), &[0.95]), None, "one window says nothing");
        assert_eq!(
            trial(&[1.0, 1.0], None, &[0.99, 0.99]).verdict(2, 0.05),
            Some(Verdict::RolledBack),
            "too small a gain"
        );
    }
}
