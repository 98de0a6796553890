//! Programs that cut their batches by themselves and offer `F0`, `F1`, `F2` …: the share of all tasks of each batch.

use super::workload::WorkloadEstimator;
use crate::{Proposal, TuningPoint};
use midrun_models::batches;

/// Smallest change of a share that is worth an action.
const CHANGE: f64 = 0.05;
/// Most factors that are set.
pub use crate::proposal::ASSIGNMENTS as MOST;

/// The factors that are offered, in order and without a gap: `F0`, `F1` …
pub fn exposed(tuning_points: &[TuningPoint]) -> Vec<&TuningPoint> {
    (0..MOST).map_while(|n| tuning_points.iter().find(|tuning_point| tuning_point.name == format!("F{n}"))).collect()
}

/// Proposes the former shares.
pub fn rollback(factors: &[&TuningPoint], former: &[f64], (iteration, iteration_s): (u64, f64)) -> Option<Proposal> {
    let why = "the new factors measured worse: back to the former".to_owned();
    proposal(factors, former, why, iteration, (iteration_s, iteration_s))
}

/// Proposes shares that promise `least_gain` or more against the last iteration.
pub fn better(
    factors: &[&TuningPoint],
    workload: &WorkloadEstimator,
    (iteration, iteration_s): (u64, f64),
    least_gain: f64,
) -> Option<Proposal> {
    let ideal_s = workload.ideal_s();
    let found = batches::best(workload.variation(), workload.tasks, workload.workers, factors.len())?;
    let predicted_s = ideal_s * found.ratio;
    if predicted_s > iteration_s * (1.0 - least_gain) {
        return None;
    }
    let clamp = |(share, tuning_point): (&f64, &&TuningPoint)| share.clamp(tuning_point.range.0, tuning_point.range.1);
    let wanted: Vec<f64> = found.shares.iter().zip(factors).map(clamp).collect();
    let near =
        |(want, tuning_point): (&f64, &&TuningPoint)| (want - tuning_point.value).abs() <= CHANGE * want.max(0.01);
    if wanted.iter().zip(factors).all(near) {
        return None;
    }
    let why = format!(
        "tasks take {:.4} ms +- {:.4} ms, ideal {ideal_s:.4} s: shares for {} workers and {} batches",
        workload.mean_s * 1e3,
        workload.sigma_s * 1e3,
        workload.workers,
        factors.len()
    );
    proposal(factors, &wanted, why, iteration, (predicted_s, iteration_s))
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
