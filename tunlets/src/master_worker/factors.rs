//! Programs that cut their batches by themselves and expose `F0`, `F1`, `F2` …: the share of all tasks of each batch.

use super::memory::Memory;
use crate::{Proposal, TuningPoint};
use midrun_models::batches;

/// Smallest change of a share that is worth an action.
const CHANGE: f64 = 0.05;
/// Most factors that are set.
pub use crate::proposal::ASSIGNMENTS as MOST;

/// The exposed factors in order: `F0`, `F1` … without a gap.
pub fn exposed(tuning_points: &[TuningPoint]) -> Vec<&TuningPoint> {
    (0..MOST).map_while(|n| tuning_points.iter().find(|tuning_point| tuning_point.name == format!("F{n}"))).collect()
}

/// Changes of the factors: what is tried, and the way back when it made things worse.
#[derive(Debug, Default)]
pub struct Shares {
    /// Values before the change that is being watched.
    former: Option<Vec<f64>>,
    /// These were better.
    back_to: Option<Vec<f64>>,
    /// Nothing new is tried before this iteration.
    quiet_until: u64,
}

impl Shares {
    /// Whether a change is being watched that can be undone.
    pub fn is_on_trial(&self) -> bool {
        self.former.is_some()
    }

    /// The change that was watched is judged; a worse one is undone, and for `quiet` iterations nothing is tried.
    pub fn on_judged(&mut self, worse: bool, iteration: u64, quiet: u64) {
        let former = self.former.take();
        if worse {
            self.back_to = former;
            self.quiet_until = iteration + quiet;
        }
    }

    /// What was proposed last is in force.
    pub fn on_applied(&mut self) {
        self.back_to = None;
    }

    /// The way back, or shares that promise `least_gain` or more against the last iteration.
    pub fn propose(
        &mut self,
        factors: &[&TuningPoint],
        memory: &Memory,
        (iteration, iteration_s): (u64, f64),
        least_gain: f64,
    ) -> Option<Proposal> {
        let now: Vec<f64> = factors.iter().map(|tuning_point| tuning_point.value).collect();
        if let Some(former) = &self.back_to {
            let why = "the new factors measured worse: back to the former".to_owned();
            return proposal(factors, former, why, iteration, (iteration_s, iteration_s));
        }
        let ideal_s = memory.ideal_s();
        if iteration < self.quiet_until {
            return None;
        }
        let found = batches::best(memory.variation(), memory.tasks, memory.workers, factors.len())?;
        let predicted_s = ideal_s * found.ratio;
        if predicted_s > iteration_s * (1.0 - least_gain) {
            return None;
        }
        let clamp =
            |(share, tuning_point): (&f64, &&TuningPoint)| share.clamp(tuning_point.range.0, tuning_point.range.1);
        let wanted: Vec<f64> = found.shares.iter().zip(factors).map(clamp).collect();
        if wanted.iter().zip(&now).all(|(want, now)| (want - now).abs() <= CHANGE * want.max(0.01)) {
            return None;
        }
        let why = format!(
            "tasks take {:.4} ms +- {:.4} ms, ideal {ideal_s:.4} s: shares for {} workers and {} batches",
            memory.mean_s * 1e3,
            memory.sigma_s * 1e3,
            memory.workers,
            factors.len()
        );
        self.former = Some(now);
        proposal(factors, &wanted, why, iteration, (predicted_s, iteration_s))
    }
}

fn proposal(
    factors: &[&TuningPoint],
    wanted: &[f64],
    why: String,
    iteration: u64,
    (predicted_s, unchanged_s): (f64, f64),
) -> Option<Proposal> {
    let list = |values: &mut dyn Iterator<Item = f64>| {
        let texts: Vec<String> = values.map(|v| format!("{v:.3}")).collect();
        texts.join(", ")
    };
    Some(Proposal {
        tunlet: "master_worker".into(),
        iteration,
        ranks: vec![factors.first()?.rank],
        assignments: factors
            .iter()
            .zip(wanted)
            .map(|(tuning_point, want)| (tuning_point.name.clone(), (*want).into()))
            .collect(),
        tuning_point: "factors".into(),
        from: list(&mut factors.iter().map(|tuning_point| tuning_point.value)),
        to: list(&mut wanted.iter().copied()),
        why,
        predicted_s,
        unchanged_s,
        ..Proposal::default()
    })
}
