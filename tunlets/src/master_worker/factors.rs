//! Programs that cut their batches by themselves and offer `F0`, `F1`, `F2` …: the share of all tasks of each batch; or
//! `F0.rest`, `F1.rest` …: the share of the tasks that are left.

use crate::tuning_point::names;
use crate::{Proposal, TuningPoint};
use midrun_models::batches::Batches;

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

/// The batches that the program cuts with these values of its factors. What they leave goes out task by task where `singly` says so.
pub fn batches(factors: &[&TuningPoint], values: &[f64], singly: bool) -> Batches {
    match factors.first() {
        Some(factor) if factor.name.ends_with(names::SHARE_OF_REST) => Batches { shares: values.to_vec(), singly },
        _ => Batches::of_all(values, singly),
    }
}

/// The values now.
pub fn values(factors: &[&TuningPoint]) -> Vec<f64> {
    factors.iter().map(|point| point.value).collect()
}

/// Values for these batches, as far as the ranges allow.
pub fn values_for(factors: &[&TuningPoint], batches: &Batches) -> Vec<f64> {
    let are_of_rest = factors.first().is_some_and(|factor| factor.name.ends_with(names::SHARE_OF_REST));
    let shares = if are_of_rest { batches.shares.clone() } else { batches.shares_of_all() };
    let within = |(share, point): (f64, &&TuningPoint)| share.clamp(point.range.0, point.range.1);
    shares.into_iter().zip(factors).map(within).collect()
}

/// Whether an iteration shows what the program does with what its batches leave: `Some(true)` where it sends that task by task, `Some(false)` as one
/// batch more. Nothing where they leave too little to tell.
pub fn sends_singly(batches: &Batches, tasks: u64, workers: u32, chunks: u64) -> Option<bool> {
    let (left, of_batch) = (batches.left() * tasks as f64, f64::from(workers));
    let more = chunks as f64 - of_batch * batches.shares.len() as f64;
    // Half-way between both on a logarithmic scale. What rounding leaves of one batch more are single tasks, fewer than workers.
    let between = (left * of_batch).sqrt();
    (more > 0.0 && between > 2.0 * of_batch).then_some(more > between)
}

/// A proposal of these values.
pub fn proposal(
    factors: &[&TuningPoint],
    wanted: &[f64],
    why: String,
    iteration: u64,
    (predicted_s, unchanged_s): (f64, f64),
) -> Option<Proposal> {
    let list = |values: &[f64]| values.iter().map(|v| format!("{v:.3}")).collect::<Vec<String>>().join(", ");
    Some(Proposal {
        tunlet: "master_worker".into(),
        iteration,
        ranks: vec![factors.first()?.rank],
        assignments: factors.iter().zip(wanted).map(|(point, want)| (point.name.clone(), (*want).into())).collect(),
        tuning_point: "factors".into(),
        from: list(&values(factors)),
        to: list(wanted),
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
    fn the_chunks_of_an_iteration_tell_where_what_is_left_goes() {
        let halves = Batches { shares: vec![0.5; 3], singly: false };
        let of = |chunks| sends_singly(&halves, 400, 4, chunks);
        assert_eq!([16, 17, 62].map(of), [Some(false), Some(false), Some(true)]);
        assert_eq!(
            sends_singly(&Batches { shares: vec![0.5, 1.0], singly: false }, 400, 4, 10),
            None,
            "they leave nothing"
        );
    }

    #[test]
    fn values_stand_for_the_same_batches_as_shares_of_all_and_of_what_is_left() {
        let batches = Batches { shares: vec![0.5, 0.5, 1.0], singly: false };
        for (ending, expected) in [("", [0.5, 0.25, 0.25]), (names::SHARE_OF_REST, [0.5, 0.5, 1.0])] {
            let points = [0, 1, 2].map(|n| point(0, &format!("F{n}{ending}")));
            let points: Vec<&TuningPoint> = points.iter().collect();
            let values = values_for(&points, &batches);
            assert_eq!((&*values, super::batches(&points, &values, false)), (&expected[..], batches.clone()));
        }
    }
}
