//! Measures the decision time: how long the tunlet `master_worker` takes for one window, with recall (as programs that name no technique
//! begin) and without.

use anyhow::Result;
use midrun_benches::{master, spread};
use midrun_models::simulate::{SimInput, iteration};
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::options::TuningOptions;
use midrun_tunlets::{Observation, catalogue};
use std::time::Instant;

const WINDOWS: u64 = 12;

fn main() -> Result<()> {
    println!("{:>8} {:>8} {:>8}  decision time, ms: median [p10 … p90]", "workers", "tasks", "recall");
    let sizes = [(8, 2_000), (25, 10_000), (100, 10_000), (1_000, 100_000), (6_400, 64_000)];
    for ((workers, tasks), recall) in sizes.into_iter().flat_map(|size| [(size, false), (size, true)]) {
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
        let setting = TechniqueParameters { recall, ..TechniqueParameters::new(Technique::None) };
        let ranks: Vec<u32> = (1..=workers).collect();
        let tuning_points = master::tuning_points(&setting, workers, workers);
        let mut times = Vec::new();
        for number in 0..WINDOWS {
            let result = iteration(&load, &setting, number);
            let window = master::window(number, tasks, &result, &ranks, &setting, load.overhead_s);
            let begin = Instant::now();
            tunlet.observe(Observation::Iteration(&window));
            // Nothing is applied, so the next window asks for the same decision.
            std::hint::black_box(tunlet.propose(&tuning_points));
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        if let Some(spread) = spread(times) {
            println!("{workers:>8} {tasks:>8} {:>8}  {spread}", if recall { "yes" } else { "no" });
        }
    }
    Ok(())
}
