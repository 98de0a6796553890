//! The technique of a program's first iteration, of which nothing is known: never bad, whatever the tasks and workers are like.

use midrun_models::simulate::{SimInput, compare};
use midrun_scheduling::{Technique, TechniqueParameters};

/// Iterations, perhaps the first of a program: task laws, positions, sizes, workers that differ, and what a chunk costs.
fn loads(first: bool) -> Vec<SimInput> {
    let linear: Vec<f64> = (0..64).map(|bin| 0.3 + 1.4 * f64::from(bin) / 63.0).collect();
    let peak: Vec<f64> = (0..64).map(|bin| if (24..32).contains(&bin) { 4.5 } else { 0.5 }).collect();
    let falling: Vec<f64> = linear.iter().rev().copied().collect();
    let mut loads = Vec::new();
    for (tasks, workers) in [(40, 4), (200, 25), (2000, 25)] {
        for profile in [Vec::new(), linear.clone(), falling.clone(), peak.clone()] {
            for variation in [0.0, 0.4, 1.0, 3.0] {
                for slow in [0, 1, 2] {
                    let slowness = match slow {
                        0 => vec![],
                        1 => (0..workers).map(|w| if w % 2 == 0 { 4.0 } else { 1.0 }).collect(),
                        _ => vec![8.0],
                    };
                    for (overhead_s, latency_s) in [(5e-6, 2e-5), (5e-5, 2e-4)] {
                        loads.push(SimInput {
                            tasks,
                            workers,
                            mean_s: 2e-3,
                            profile: profile.clone(),
                            variation,
                            slowness: slowness.clone(),
                            overhead_s,
                            latency_s,
                            first,
                            ..SimInput::default()
                        });
                    }
                }
            }
        }
    }
    loads
}

/// Iteration time over that of the best technique with or without recall, sorted over all loads.
fn regrets(first: bool, start: TechniqueParameters) -> Vec<f64> {
    let with = |recall: bool| {
        Technique::ALL.into_iter().map(move |kind| TechniqueParameters { recall, ..TechniqueParameters::new(kind) })
    };
    let all: Vec<TechniqueParameters> = with(false).chain(with(true)).collect();
    let at = all.iter().position(|other| *other == start).unwrap();
    let of = |load: &SimInput| {
        let times: Vec<f64> = compare(load, &all, 0..2).iter().map(|result| result.iteration_s).collect();
        times[at] / times.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let mut regrets: Vec<f64> = loads(first).iter().map(of).collect();
    regrets.sort_by(f64::total_cmp);
    regrets
}

/// The best of 24 in hindsight knows the drawn tasks, of which there are as few as eight for a worker: part of the regret is luck.
#[test]
fn the_start_of_a_program_that_names_none_is_never_bad() {
    for first in [true, false] {
        let regrets = regrets(first, TechniqueParameters::START);
        let count = regrets.len();
        let (mean, p95) = (regrets.iter().sum::<f64>() / count as f64, regrets[count * 95 / 100]);
        assert!(mean < 1.25 && p95 < 1.9, "mean {mean}, p95 {p95}, worst {} (first: {first})", regrets[count - 1]);
    }
}
