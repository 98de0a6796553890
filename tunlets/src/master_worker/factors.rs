//! Programs that cut their batches by themselves and offer `F0`, `F1`, `F2` …: the share of all tasks of each batch; or
//! `F0.rest`, `F1.rest` …: the share of the tasks that are left.

use super::workload::WorkloadEstimator;
use crate::tuning_point::names;
use crate::{Proposal, TuningPoint};
use midrun_models::batches;

/// Most factors that are set.
pub use crate::proposal::ASSIGNMENTS as MOST;

/// The factors that are offered, in order and without a gap: `F0`, `F1` … or `F0.rest`, `F1.rest` …; of the lowest rank that
/// offers them, for a program has them in every rank, and the master is as a rule rank 0.
pub fn exposed(tuning_points: &[TuningPoint]) -> Vec<&TuningPoint> {
    let of = |ending: &str| -> Vec<&TuningPoint> {
        let name = |n: usize| format!("F{n}{ending}");
        let first = tuning_points.iter().filter(|point| point.name == name(0)).map(|point| point.rank).min();
        let named = |n| tuning_points.iter().find(|point| Some(point.rank) == first && point.name == name(n));
        (0..MOST).map_while(named).collect()
    };
    let of_all = of("");
    if of_all.is_empty() { of(names::SHARE_OF_REST) } else { of_all }
}

/// Shares of all tasks as shares of what is left when their batch begins. Of the last one that is all.
fn of_rest(shares: &[f64]) -> Vec<f64> {
    let mut left = 1.0;
    let share = |share: &f64| {
        let own = if left > 0.0 { (share / left).min(1.0) } else { 1.0 };
        left -= share;
        own
    };
    shares.iter().map(share).collect()
}

/// Shares of what is left when their batch begins as shares of all tasks.
fn of_all(shares: &[f64]) -> Vec<f64> {
    let mut left = 1.0;
    let share = |share: &f64| {
        let own = left * share;
        left -= own;
        own
    };
    shares.iter().map(share).collect()
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
    let (variation, slowness) = (workload.variation_of_one(), workload.slowness_of_all());
    let found = batches::best(variation, workload.tasks, &slowness, factors.len())?;
    let predicted_s = ideal_s * found.ratio;
    if predicted_s > iteration_s * (1.0 - least_gain) {
        return None;
    }
    let clamp = |(share, tuning_point): (&f64, &&TuningPoint)| share.clamp(tuning_point.range.0, tuning_point.range.1);
    let are_of_rest = factors.first().is_some_and(|factor| factor.name.ends_with(names::SHARE_OF_REST));
    let shares = if are_of_rest { of_rest(&found.shares) } else { found.shares };
    let wanted: Vec<f64> = shares.iter().zip(factors).map(clamp).collect();
    // What the model cannot tell from the shares in force is in force already.
    let values: Vec<f64> = factors.iter().map(|point| point.value).collect();
    let present = if are_of_rest { of_all(&values) } else { values };
    let ratio = batches::expected_ratio(&present, variation, workload.tasks, &slowness, found.runs);
    if (ratio / found.ratio).ln() <= least_gain {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn point(rank: u32, name: &str) -> TuningPoint {
        TuningPoint { rank, name: name.into(), whole: false, range: (0.0, 1.0), value: 0.5, declared: 0.5, text: None }
    }

    #[test]
    fn factors_are_those_of_the_lowest_rank_that_has_them_by_either_name() {
        let all = ["F0", "F1", "F3"].map(|name| point(2, name)).into_iter().chain([point(1, "F0"), point(1, "F1")]);
        let all: Vec<TuningPoint> = all.collect();
        let names: Vec<(u32, &str)> = exposed(&all).into_iter().map(|point| (point.rank, &*point.name)).collect();
        assert_eq!(names, [(1, "F0"), (1, "F1")]);
        let rest = ["F0.rest", "F1.rest", "F2.rest"].map(|name| point(0, name));
        assert_eq!(exposed(&rest).len(), 3);
        assert!(exposed(&[point(0, "F1")]).is_empty());
    }

    #[test]
    fn shares_of_what_is_left_give_the_same_batches_as_shares_of_all() {
        let shares = [0.5, 0.3, 0.15, 0.05];
        let of_rest = of_rest(&shares);
        assert!(of_all(&of_rest).iter().zip(&shares).all(|(own, share)| (own - share).abs() < 1e-12), "{of_rest:?}");
        assert!((of_rest[3] - 1.0).abs() < 1e-12, "the last batch takes all that is left");
        assert_eq!(super::of_rest(&[1.0, 0.0]), [1.0, 1.0]);
    }
}
