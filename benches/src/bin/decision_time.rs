//! Measures the decision time: how long the tunlet `master_worker` takes for one window.

use anyhow::Result;
use midrun_benches::spread;
use midrun_models::simulate::{SimInput, iteration};
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::options::TuningOptions;
use midrun_tunlets::{Observation, PROFILE_BINS, ProfileBin, TuningPoint, Window, WorkerWork, catalogue, tuning_point};
use std::time::Instant;

const WINDOWS: u64 = 12;

fn main() -> Result<()> {
    println!("{:>8} {:>8}  decision time, ms: median [p10 … p90]", "workers", "tasks");
    for (workers, tasks) in [(8, 2_000), (25, 10_000), (100, 10_000), (1_000, 100_000)] {
        let mut tunlet = catalogue::create(&TuningOptions::default())?;
        let load = SimInput {
            tasks,
            workers,
            mean_s: 2e-3,
            variation: 0.8,
            overhead_s: 8e-6,
            latency_s: 50e-6,
            ..SimInput::default()
        };
        let tuning_points = tuning_points(workers);
        let mut times = Vec::new();
        for number in 0..WINDOWS {
            let window = window(&load, number);
            let begin = Instant::now();
            tunlet.observe(Observation::Iteration(&window));
            // Nothing is applied, so the next window asks for the same decision.
            std::hint::black_box(tunlet.propose(&tuning_points));
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        if let Some(spread) = spread(times) {
            println!("{workers:>8} {tasks:>8}  {spread}");
        }
    }
    Ok(())
}

/// The tuning points of a master that runs with `none`.
fn tuning_points(workers: u32) -> Vec<TuningPoint> {
    let offer = |name: &str, whole: bool, range: (f64, f64), value: f64| TuningPoint {
        rank: 0,
        name: name.into(),
        whole,
        range,
        value,
        declared: value,
        text: None,
    };
    vec![
        offer(tuning_point::names::TECHNIQUE, true, (0.0, 7.0), 0.0),
        offer(tuning_point::names::FACTOR, false, (0.0, 1.0), 0.0),
        offer(tuning_point::names::WORKERS, true, (1.0, f64::from(workers)), f64::from(workers)),
    ]
}

/// A simulated iteration as the analyzer would show it.
fn window(load: &SimInput, number: u64) -> Window {
    let setting = TechniqueParameters::new(Technique::None);
    let result = iteration(load, &setting, number);
    let mut per_worker: Vec<WorkerWork> =
        (0..load.workers).map(|w| WorkerWork { rank: w + 1, tasks_timed: true, ..WorkerWork::default() }).collect();
    let mut profile = vec![ProfileBin::default(); PROFILE_BINS];
    for chunk in &result.log {
        let work = &mut per_worker[chunk.worker as usize];
        work.tasks += chunk.count;
        work.chunks += 1;
        work.busy_s += chunk.busy_s;
        work.sum_sq_s2 += chunk.sum_sq_s2;
        let bin = &mut profile[(chunk.first * PROFILE_BINS as u64 / load.tasks) as usize];
        bin.tasks += chunk.count as f64;
        bin.busy_s += chunk.busy_s;
    }
    Window {
        iteration: number,
        tasks: load.tasks,
        workers: load.workers,
        iteration_s: result.iteration_s,
        chunks: result.chunks as u64,
        master_busy_s: result.chunks * load.overhead_s,
        prepare_s: None,
        network: None,
        setting,
        setting_changed: false,
        per_worker,
        profile,
        points: Vec::new(),
        coverage: 1.0,
    }
}
