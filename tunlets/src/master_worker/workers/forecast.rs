//! Simulated forecasts for numbers of workers.

use crate::master_worker::candidates;
use crate::master_worker::workload::WorkloadEstimator;
use midrun_models::simulate::Drawings;
use midrun_scheduling::TechniqueParameters;

/// Costs this close are the same: then fewer workers are preferred.
const TIE: f64 = 0.01;
/// Numbers of workers that are simulated, at most; drawings of each, and tasks that these hold: few tasks scatter more.
const CANDIDATES: u32 = 24;
const RUNS: (u64, u64) = (2, 20);
const TASKS: u64 = 4_000;
/// How far the simulation's scale may be corrected.
const SCALE: (f64, f64) = (0.8, 1.5);

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
}

impl Forecast {
    /// Pi, seconds (César 2006, ch. III).
    pub fn pi_s(&self) -> f64 {
        f64::from(self.workers) * self.iteration_s * self.iteration_s / self.work_s
    }
}

/// The forecast of least cost; of those that are as good as that, the one with the fewest workers.
pub fn cheapest<'a>(
    all: impl Iterator<Item = &'a Forecast> + Clone,
    cost: impl Fn(&Forecast) -> f64,
) -> Option<Forecast> {
    let least = all.clone().map(&cost).fold(f64::INFINITY, f64::min);
    all.filter(|f| cost(f) <= least * (1.0 + TIE)).min_by_key(|f| f.workers).copied()
}

/// Standard error of the iteration time of so many workers by those of what its forecast rests on, as a share of it: each
/// is carried through the simulation, and they are taken for independent.
pub fn input_error(workload: &WorkloadEstimator, setting: &TechniqueParameters, workers: u32, seed: u64) -> f64 {
    let time_s = |there: &WorkloadEstimator| {
        let load = there.load();
        Drawings::new(&load, seed..seed + RUNS.0).run(&load, setting, RUNS.0 as usize).iteration_s
    };
    let known_s = time_s(&workload.with_workers(workers));
    let squares: f64 = workload.within_errors(workers).iter().map(|off| (time_s(off) / known_s - 1.0).powi(2)).sum();
    if squares.is_finite() { squares.sqrt() } else { 0.0 }
}

/// Forecasts of the present number, of both ends, and of numbers between them, each with what suits it best of `settings`.
/// `scale` corrects the simulation.
pub fn forecasts(
    workload: &WorkloadEstimator,
    settings: &[TechniqueParameters],
    range: (u32, u32),
    seed: u64,
    scale: f64,
) -> Vec<Forecast> {
    let scale = scale.clamp(SCALE.0, SCALE.1);
    // The tasks are the same for any number of workers, unless dV says that there are more or fewer.
    let runs = (TASKS / workload.tasks.max(1)).clamp(RUNS.0, RUNS.1);
    let drawings = Drawings::new(&workload.load(), seed..seed + runs);
    let one = |workers: u32| {
        let there = workload.with_workers(workers);
        let load = there.load();
        let own = (load.tasks != workload.tasks).then(|| Drawings::new(&load, seed..seed + runs));
        let drawings = own.as_ref().unwrap_or(&drawings);
        let work_s = there.work_s(there.tasks);
        let with = |setting: &TechniqueParameters| {
            let fitted = candidates::informed(setting.kind, setting.factor, &there);
            let setting = if setting.min_chunk > 1 { fitted } else { *setting };
            let result = drawings.run(&load, &setting, runs as usize);
            let iteration_s = result.iteration_s * scale;
            Forecast { workers, setting, iteration_s, work_s, deviation: result.deviation }
        };
        settings.iter().map(with).min_by(|a, b| a.iteration_s.total_cmp(&b.iteration_s))
    };
    numbers(workload.workers, range).into_iter().filter_map(one).collect()
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
