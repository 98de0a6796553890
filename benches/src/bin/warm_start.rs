//! Measures what a warm start is worth: the first iterations of a program's first run, and of its next run, which remembers.
//!
//! Each pair of runs has a state directory of its own and the same command. A ratio is the total time of the first iterations over their
//! task time / workers of the job, parked ones included.

use anyhow::Result;
use clap::Parser;
use midrun_benches::{Launcher, numbers, prefix, run_with_memory, spread};
use serde_json::Value;

/// Ratio of the first iterations to the ideal, cold and warm.
#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 8)]
    workers: u32,
    /// Iterations of each run.
    #[arg(long, default_value_t = 20)]
    iterations: usize,
    /// Iterations that count.
    #[arg(long, default_value_t = 5)]
    first: usize,
    /// Pairs of runs, each with tasks of its own.
    #[arg(long, default_value_t = 5)]
    seeds: u32,
    /// Warm runs after each cold one; the last counts.
    #[arg(long, default_value_t = 1)]
    warm: u32,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Keeps other load away (see docs/measuring.md); Open MPI only.
    #[arg(long)]
    realtime: bool,
    /// Only loads whose name holds this.
    #[arg(long, default_value = "")]
    only: String,
}

/// Name and options of `mw_synthetic`.
const LOADS: [(&str, &str); 6] = [
    ("400 tasks of 2 ms, even", "--tasks 400 --mean-us 2000 --sigma-pct 0"),
    ("400 tasks of 2 ms, 80 %", "--tasks 400 --mean-us 2000 --sigma-pct 80"),
    ("400 tasks of 2 ms, linear (0 to 2 means)", "--tasks 400 --mean-us 2000 --dist linear --sigma-pct 57"),
    ("60 tasks of 10 ms, exponential", "--tasks 60 --mean-us 10000 --dist exponential"),
    (
        "400 tasks of 2 ms, half the workers four times slower",
        "--tasks 400 --mean-us 2000 --sigma-pct 40 --slow-workers 0.5:4",
    ),
    ("480 tasks of 2 ms with 32 KiB each", "--tasks 480 --mean-us 2000 --sigma-pct 20 --bytes 32768"),
];

fn main() -> Result<()> {
    let a = Arguments::parse();
    for (name, options) in LOADS.iter().filter(|(name, _)| name.contains(&a.only)) {
        let pairs = (1..=a.seeds).map(|seed| pair(&a, options, seed)).collect::<Result<Vec<_>>>()?;
        let of =
            |each: fn(&Pair) -> f64| spread(pairs.iter().map(each).collect()).map_or("-".into(), |s| s.to_string());
        println!("{name}: cold {}, warm {}, warm / cold {}", of(|p| p.cold), of(|p| p.warm), of(|p| p.warm / p.cold));
        println!("   iteration 0: cold {}, warm {}", of(|p| p.cold_0), of(|p| p.warm_0));
        for pair in &pairs {
            println!("   {:.4} -> {:.4}: {}", pair.cold, pair.warm, pair.start);
        }
    }
    Ok(())
}

struct Pair {
    cold: f64,
    warm: f64,
    cold_0: f64,
    warm_0: f64,
    start: String,
}

fn pair(a: &Arguments, options: &str, seed: u32) -> Result<Pair> {
    let state = tempfile::tempdir()?;
    let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi));
    let words = format!("{} {options} --seed {seed} --iterations {}", program.display(), a.iterations);
    let application: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let launcher = Launcher::local(&a.mpi, a.workers + 1, a.realtime)?;
    let run = || run_with_memory(Some(state.path()), &[], &launcher, &application);
    let cold = run()?;
    let mut warm = run()?;
    for _ in 1..a.warm {
        warm = run()?;
    }
    let of = |summary: &Value, iterations: usize| ratio(summary, iterations, a.workers);
    let start = &warm["start"];
    let words = ["setting", "verdict", "reason"].map(|key| start[key].as_str().unwrap_or_default()).join(" ");
    let start = format!("{words} (was {})", cold["technique"]);
    let (cold_0, warm_0) = (of(&cold, 1), of(&warm, 1));
    Ok(Pair { cold: of(&cold, a.first), warm: of(&warm, a.first), cold_0, warm_0, start })
}

/// Total time of the first iterations / their task time on all workers.
fn ratio(summary: &Value, iterations: usize, workers: u32) -> f64 {
    let (times, ideals, active) =
        (numbers(summary, "iteration_s"), numbers(summary, "ideal_s"), numbers(summary, "workers"));
    let task_s: f64 = ideals.iter().zip(&active).take(iterations).map(|(ideal_s, active)| ideal_s * active).sum();
    times.iter().take(iterations).sum::<f64>() * f64::from(workers) / task_s
}
