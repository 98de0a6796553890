//! The technique of a program's first iteration, of which nothing is known: never bad, whatever the tasks and workers are like.

use midrun_models::simulate::{SimInput, compare};
use midrun_scheduling::{Technique, TechniqueParameters};

/// Work by position: even, rising, falling, a peak, and nearly all at the end.
fn profiles() -> [Vec<f64>; 5] {
    let linear: Vec<f64> = (0..64).map(|bin| 0.3 + 1.4 * f64::from(bin) / 63.0).collect();
    let falling: Vec<f64> = linear.iter().rev().copied().collect();
    let peak: Vec<f64> = (0..64).map(|bin| if (24..32).contains(&bin) { 4.5 } else { 0.5 }).collect();
    let end: Vec<f64> = (0..64).map(|bin| if bin < 60 { 0.2 } else { 13.0 }).collect();
    [Vec::new(), linear, falling, peak, end]
}

/// Iterations, perhaps the first of a program: task laws, positions, sizes (tasks and workers), workers that differ, and what a chunk costs.
fn loads(first: bool, sizes: &[(u64, u32)], profiles: &[Vec<f64>]) -> Vec<SimInput> {
    let mut loads = Vec::new();
    for &(tasks, workers) in sizes {
        for profile in profiles {
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

/// Iteration time over that of the best of `all`, sorted over all loads.
fn regrets(loads: &[SimInput], start: TechniqueParameters, all: &[TechniqueParameters]) -> Vec<f64> {
    let of = |load: &SimInput| {
        let mut times_s =
            compare(load, &[&[start][..], all].concat(), 0..2).into_iter().map(|result| result.iteration_s);
        times_s.next().unwrap() / times_s.fold(f64::INFINITY, f64::min)
    };
    let mut regrets: Vec<f64> = loads.iter().map(of).collect();
    regrets.sort_by(f64::total_cmp);
    regrets
}

/// Mean, 95th percentile and worst.
fn spread(regrets: &[f64]) -> (f64, f64, f64) {
    let count = regrets.len();
    (regrets.iter().sum::<f64>() / count as f64, regrets[count * 95 / 100], regrets[count - 1])
}

fn sent() -> Vec<TechniqueParameters> {
    let with = |recall: bool| {
        Technique::ALL.into_iter().map(move |kind| TechniqueParameters { recall, ..TechniqueParameters::new(kind) })
    };
    with(false).chain(with(true)).collect()
}

/// The best of 24 in hindsight knows the drawn tasks, of which there are as few as eight for a worker: part of the regret is luck.
#[test]
fn the_start_of_a_program_that_names_none_is_never_bad() {
    for first in [true, false] {
        let loads = loads(first, &[(40, 4), (200, 25), (2000, 25)], &profiles()[..4]);
        let (mean, p95, worst) = spread(&regrets(&loads, TechniqueParameters::START, &sent()));
        assert!(mean < 1.25 && p95 < 1.9, "mean {mean}, p95 {p95}, worst {worst} (first: {first})");
    }
}

/// Nor is the start by counter, with few tasks and with many, and dear ones at the end: it is better than the other one there.
#[test]
fn nor_is_the_start_of_one_whose_workers_share_a_counter() {
    let taken = Technique::ALL.into_iter().filter(|kind| kind.is_fixed());
    let taken = taken.map(|kind| TechniqueParameters { counter: true, ..TechniqueParameters::new(kind) });
    let all: Vec<TechniqueParameters> = sent().into_iter().chain(taken).collect();
    let loads = loads(true, &[(6, 4), (40, 4), (200, 25), (2000, 25), (1000, 2), (6000, 4)], &profiles());
    let (mean, p95, worst) = spread(&regrets(&loads, TechniqueParameters::START_BY_COUNTER, &all));
    let (of_other, p95_of_other, worst_of_other) = spread(&regrets(&loads, TechniqueParameters::START, &all));
    assert!(mean < 1.25 && mean < of_other, "mean {mean}, of the other {of_other}");
    assert!(p95 < p95_of_other, "p95 {p95}, of the other {p95_of_other}");
    assert!(worst < worst_of_other, "worst {worst}, of the other {worst_of_other}");
}
