//! The diagram, run many times with drawn stage times, and the choice between that and all states.

use std::sync::Arc;

use super::{Diagram, Prediction, exact};
use midrun_models::random::Random;

/// Confidence of the simulation's interval.
pub const LEVEL: f64 = 0.95;
/// Two-sided quantile of the normal distribution for [`LEVEL`].
const QUANTILE: f64 = 1.959_964;
/// Fewest runs whose spread counts: from here on the normal quantile is Student's within a thousandth.
const FEWEST: u32 = 1000;

/// Mean finishing time of `runs` runs and the interval it lies in; the same seed gives the same answer.
///
/// The times of process p and stage s of a run depend on the seed, the run, p and s alone, not on who waits for whom.
///
/// ```
/// use midrun_predict::state_diagram::{Diagram, Time, simulate};
/// let diagram = Diagram::manager_workers(2, 1, Time::erlang(1.0, 1)?)?;
/// let answer = simulate(&diagram, 100_000, 7);
/// assert!((answer.mean_s - 1.5).abs() < 0.02);
/// # Ok::<(), midrun_predict::state_diagram::DiagramError>(())
/// ```
pub fn simulate(diagram: &Diagram, runs: u32, seed: u64) -> Prediction {
    simulate_to(diagram, 0.0, runs, seed)
}

/// [`simulate`], with as many runs, at most so many, as bring half the interval below this share of the mean.
pub fn simulate_to(diagram: &Diagram, share: f64, most: u32, seed: u64) -> Prediction {
    let mut random = Random::new(seed);
    let (mut mean, mut squares, mut half) = (0.0, 0.0, f64::INFINITY);
    for run in 1..=most.max(1) {
        let time_s = run_once(diagram, &mut random);
        let before = time_s - mean;
        mean += before / f64::from(run);
        squares += before * (time_s - mean);
        if run > 1 {
            half = QUANTILE * (squares / f64::from(run - 1) / f64::from(run)).sqrt();
        }
        if run >= FEWEST && half <= share * mean {
            break;
        }
    }
    Prediction { mean_s: mean, states: None, phases: None, interval_s: Some((mean - half, mean + half)) }
}

/// What can be proved: the exact answer where the times and so many states allow it, else a simulation to the asked-for interval.
pub fn proved(diagram: &Diagram, states: u64, share: f64, most: u32, seed: u64) -> Prediction {
    exact(diagram, states).unwrap_or_else(|_| simulate_to(diagram, share, most, seed))
}

/// When the last process of one run has finished, seconds.
fn run_once(diagram: &Diagram, random: &mut Random) -> f64 {
    let mut finished: Vec<Vec<f64>> = diagram.times.iter().map(|times| Vec::with_capacity(times.len())).collect();
    let most = diagram.times.iter().map(Vec::len).max().unwrap_or(0);
    for stage in 0..most {
        // Processes with the same list of predecessors share the maximum of their end times.
        let mut last: Option<(&Arc<[usize]>, f64)> = None;
        for p in 0..diagram.processes() {
            let Some(time) = diagram.times[p].get(stage) else {
                continue;
            };
            let mut start_s = 0.0;
            if stage > 0 {
                let list = &diagram.waits[p][stage];
                let others_s = match last {
                    Some((known, time_s)) if Arc::ptr_eq(known, list) => time_s,
                    _ => list.iter().map(|&q| finished[q][diagram.awaited_stage(q, stage)]).fold(0.0, f64::max),
                };
                last = Some((list, others_s));
                start_s = finished[p][stage - 1].max(others_s);
            }
            let variation = time.variance_s2() / (time.mean_s() * time.mean_s());
            finished[p].push(start_s + time.mean_s() * random.gamma(variation));
        }
    }
    finished.iter().filter_map(|times| times.last()).fold(0.0, |a, &b| a.max(b))
}
