//! Simulated forecasts for numbers of workers.

use crate::confidence::{Confidence, Gain};
use crate::master_worker::candidates;
use crate::master_worker::workload::WorkloadEstimator;
use crate::model_error::EXACT;
use midrun_models::simulate::{Drawings, SimResult};
use midrun_scheduling::TechniqueParameters;

/// Numbers of workers that are simulated, at most; drawings of each, and tasks that these hold: few tasks scatter more.
const CANDIDATES: u32 = 24;
const RUNS: (u64, u64) = (4, 20);
const TASKS: u64 = 4_000;

/// Forecast for a number of workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Workers.
    pub workers: u32,
    /// The setting that it is expected with.
    pub setting: TechniqueParameters,
    /// Expected iteration time, seconds.
    pub iteration_s: f64,
    /// Useful work of its tasks, seconds: the same for every number, though tasks may take longer with more workers, or less
    /// time where slow ones are parked.
    pub work_s: f64,
    /// Standard deviation of the iteration time by chance of the tasks, as a share of it.
    pub deviation: f64,
    /// By how much its iterations are shorter than those of the present number, on the same drawings.
    pub faster: Gain,
}

impl Forecast {
    /// Pi, seconds (César 2006, ch. III).
    pub fn pi_s(&self) -> f64 {
        f64::from(self.workers) * self.iteration_s * self.iteration_s / self.work_s
    }
}

/// The forecast of least cost; of equal ones, that with the fewest workers.
pub fn cheapest<'a>(all: impl Iterator<Item = &'a Forecast>, cost: impl Fn(&Forecast) -> f64) -> Option<Forecast> {
    all.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.workers.cmp(&b.workers))).copied()
}

/// Standard error of the time of another number, as a share; or, with the setting `now`, of the gain over the present number. Each
/// of what it is worked out from is carried through the simulation, of both on the same drawings, and they are taken for
/// independent.
pub fn input_error(
    workload: &WorkloadEstimator,
    now: Option<&TechniqueParameters>,
    to: &TechniqueParameters,
    workers: u32,
    seed: u64,
) -> f64 {
    let time_s = |there: &WorkloadEstimator, setting: &TechniqueParameters| {
        let load = there.load();
        Drawings::new(&load, seed..seed + RUNS.0).run(&load, setting, RUNS.0 as usize).iteration_s
    };
    let gain = |here: &WorkloadEstimator, there: &WorkloadEstimator| {
        now.map_or(0.0, |now| time_s(here, now).ln()) - time_s(there, to).ln()
    };
    let known = gain(&workload.with_workers(workload.workers), &workload.with_workers(workers));
    let off = workload.within_errors(workload.workers).into_iter().zip(workload.within_errors(workers));
    let squares: f64 = off.map(|(here, there)| (gain(&here, &there) - known).powi(2)).sum();
    if squares.is_finite() { squares.sqrt() } else { 0.0 }
}

/// Forecasts of the present number, first, and of those of `range` that are `worth` it with the shortest possible time; none if
/// none is. Each is with what suits it best of `settings`: the first of these unless another is better by more than the model's
/// error. `scale` corrects the simulation. The time that ranks waited for a core stays: other ranks do not bring other cores.
pub fn forecasts(
    workload: &WorkloadEstimator,
    settings: &[TechniqueParameters],
    range: (u32, u32),
    (seed, scale, confidence): (u64, f64, Confidence),
    worth: impl Fn(&Forecast) -> bool,
) -> Vec<Forecast> {
    let others: Vec<u32> = numbers(workload.workers, range).into_iter().filter(|n| *n != workload.workers).collect();
    let others: Vec<u32> = others.into_iter().filter(|n| worth(&shortest(workload, settings[0], *n))).collect();
    if others.is_empty() && range != (workload.workers, workload.workers) {
        return Vec::new();
    }
    // The tasks are the same for any number of workers, unless dV says that there are more or fewer.
    let runs = (TASKS / workload.tasks.max(1)).clamp(RUNS.0, RUNS.1);
    let drawings = Drawings::new(&workload.load(), seed..seed + runs);
    let one = |workers: u32, now_s: Option<&[f64]>| {
        let there = workload.with_workers(workers);
        let load = there.load();
        let own = (load.tasks != workload.tasks).then(|| Drawings::new(&load, seed..seed + runs));
        let drawings = own.as_ref().unwrap_or(&drawings);
        let (work_s, shortest_s) = (there.work_s(there.tasks), there.ideal_s());
        let with = |setting: &TechniqueParameters, most_s: f64| {
            let fitted = candidates::informed(setting.kind, setting.factor, &there);
            let setting = if setting.min_chunk > 1 { fitted } else { *setting };
            let each = drawings.each_within(&load, &setting, 0..runs as usize, most_s)?;
            let result = SimResult::mean(&each);
            let mixed = |(at, result): (usize, &SimResult)| match now_s.and_then(|now_s| now_s.get(at)) {
                Some(now_s) => workload.run_delay * now_s + (1.0 - workload.run_delay) * result.iteration_s,
                None => result.iteration_s,
            };
            let times_s: Vec<f64> = each.iter().enumerate().map(mixed).collect();
            let independent = drawings.independent();
            let faster =
                now_s.map_or(Gain::NONE, |now_s| Gain::paired(now_s, &times_s, confidence).of_independent(independent));
            let mean_s = times_s.iter().sum::<f64>() / times_s.len().max(1) as f64;
            let iteration_s = (mean_s * scale).max(shortest_s);
            let forecast = Forecast { workers, setting, iteration_s, work_s, deviation: result.deviation, faster };
            Some((forecast, times_s, result.iteration_s))
        };
        let (first, times_s, first_s) = with(settings.first()?, f64::INFINITY)?;
        let better = |(f, ..): &(Forecast, _, _)| f.iteration_s < first.iteration_s * (1.0 - EXACT);
        let others = settings.iter().skip(1).filter_map(|setting| with(setting, first_s)).filter(better);
        let other = others.min_by(|a, b| a.0.iteration_s.total_cmp(&b.0.iteration_s));
        Some(other.map_or((first, times_s), |(forecast, times_s, _)| (forecast, times_s)))
    };
    let Some((now, now_s)) = one(workload.workers, None) else { return Vec::new() };
    let others = others.into_iter().filter_map(|workers| one(workers, Some(&now_s))).map(|(forecast, _)| forecast);
    std::iter::once(now).chain(others).collect()
}

/// The shortest time that so many workers can take.
pub fn shortest(workload: &WorkloadEstimator, setting: TechniqueParameters, workers: u32) -> Forecast {
    let there = workload.with_workers(workers);
    let (iteration_s, work_s) = (there.ideal_s(), there.work_s(there.tasks));
    Forecast { workers, setting, iteration_s, work_s, deviation: 0.0, faster: Gain::NONE }
}

/// `now`, both ends, and numbers between them: all of them, or those that lie evenly on a logarithmic scale.
fn numbers(now: u32, (low, high): (u32, u32)) -> Vec<u32> {
    let count = (high - low + 1).min(CANDIDATES);
    let dense = high - low < CANDIDATES;
    let between = |k: u32| {
        // Denser where they are few: there one worker more changes most.
        let share = f64::from(k) / f64::from(count - 1);
        (f64::from(low) * (f64::from(high) / f64::from(low)).powf(share)).round() as u32
    };
    let mut numbers: Vec<u32> = (0..count).map(|k| if dense { low + k } else { between(k) }).collect();
    if !dense {
        // What lies beside the present number is always looked at.
        numbers.extend([now.saturating_sub(1), now + 1].map(|n| n.clamp(low, high)));
    }
    numbers.push(now);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
