//! Measures what a warm start is worth: the first iterations, or inputs, of a program's first run, and of its next run, which remembers.
//!
//! Each pair of runs has a state directory of its own and the same command. A ratio is the total time of the first iterations over the time of
//! their work / workers of the job, parked ones included; of a pipeline, the time from the first input until so many outputs over as many
//! periods of the model's best pattern for the measured stages.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, numbers, prefix, run_with_memory, spread};
use serde_json::Value;

/// Ratio of the first iterations or inputs to the ideal, cold and warm.
#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 8)]
    workers: u32,
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

/// A program with options, and the first iterations or outputs that count.
struct Load {
    name: &'static str,
    program: &'static str,
    options: &'static str,
    first: [usize; 2],
}

const fn load(program: &'static str, name: &'static str, options: &'static str, first: [usize; 2]) -> Load {
    Load { name, program, options, first }
}

const fn tasks(name: &'static str, options: &'static str) -> Load {
    load("mw_synthetic", name, options, [1, 5])
}

const LOADS: [Load; 12] = [
    tasks("400 tasks of 2 ms, even", "--iterations 20 --tasks 400 --mean-us 2000 --sigma-pct 0"),
    tasks("400 tasks of 2 ms, 80 %", "--iterations 20 --tasks 400 --mean-us 2000 --sigma-pct 80"),
    tasks(
        "400 tasks of 2 ms, linear (0 to 2 means)",
        "--iterations 20 --tasks 400 --mean-us 2000 --dist linear --sigma-pct 57",
    ),
    tasks("60 tasks of 10 ms, exponential", "--iterations 20 --tasks 60 --mean-us 10000 --dist exponential"),
    tasks(
        "400 tasks of 2 ms, half the workers four times slower",
        "--iterations 20 --tasks 400 --mean-us 2000 --sigma-pct 40 --slow-workers 0.5:4",
    ),
    tasks(
        "480 tasks of 2 ms with 32 KiB each",
        "--iterations 20 --tasks 480 --mean-us 2000 --sigma-pct 20 --bytes 32768",
    ),
    load(
        "pipe_synthetic",
        "pipeline of 10, 40 and 10 ms",
        "--json --times --inputs 400 --stages 10,40,10 --bytes 512",
        [100, 400],
    ),
    load(
        "pipe_synthetic",
        "pipeline of 10, 40 and 10 ms, 40 %",
        "--json --times --inputs 400 --stages 10,40,10 --sigma-pct 40",
        [100, 400],
    ),
    load(
        "pipe_synthetic",
        "pipeline of 10, 40 and 10 ms, ranks 1 to 3 four times slower",
        "--json --times --inputs 400 --stages 10,40,10 --slow 3:4",
        [100, 400],
    ),
    load("quadrature", "quadrature, unequal parts", "--solves 10 --digits 9 --from 100 --pace 400", [1, 5]),
    load("quadrature", "quadrature, less unequal parts", "--solves 10 --digits 9 --from 10000 --pace 400", [1, 5]),
    load("quadrature", "quadrature, few problems", "--solves 10 --digits 7 --from 200000 --pace 400", [1, 5]),
];

fn main() -> Result<()> {
    let a = Arguments::parse();
    for load in LOADS.iter().filter(|load| load.name.contains(&a.only)) {
        let pairs = (1..=a.seeds).map(|seed| pair(&a, load, seed)).collect::<Result<Vec<_>>>()?;
        let of = |each: &dyn Fn(&Pair) -> f64| {
            spread(pairs.iter().map(each).collect()).map_or("-".into(), |spread| spread.to_string())
        };
        println!("{}:", load.name);
        for (at, first) in load.first.into_iter().enumerate() {
            let (cold, warm) = (of(&|pair| pair.cold[at]), of(&|pair| pair.warm[at]));
            println!("   first {first}: cold {cold}, warm {warm}, warm / cold {}", of(&|p| p.warm[at] / p.cold[at]));
        }
        for pair in &pairs {
            println!("   {:.4} -> {:.4}: {}", pair.cold[1], pair.warm[1], pair.start);
        }
    }
    Ok(())
}

struct Pair {
    cold: [f64; 2],
    warm: [f64; 2],
    start: String,
}

fn pair(a: &Arguments, load: &Load, seed: u32) -> Result<Pair> {
    let state = tempfile::tempdir()?;
    let program = prefix().join(format!("../../examples/build/{}/{}", a.mpi, load.program));
    // What quadrature computes has no seed.
    let seed = if load.program == "quadrature" { String::new() } else { format!("--seed {seed}") };
    let words = format!("{} {} {seed}", program.display(), load.options);
    let application: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let launcher = Launcher::local(&a.mpi, a.workers + 1, a.realtime)?;
    let run = || run_with_memory(Some(state.path()), &[], &launcher, &application);
    let cold = run()?;
    let mut warm = run()?;
    for _ in 1..a.warm {
        warm = run()?;
    }
    let of = |(summary, said): &(Value, String), first: usize| match load.program {
        "mw_synthetic" => Some(of_tasks(summary, first, a.workers)),
        "pipe_synthetic" => of_outputs(summary, said, first),
        _ => of_solves(summary, first, a.workers),
    };
    let both = |run: &(Value, String)| {
        let ratios = load.first.map(|first| of(run, first));
        ratios[0].zip(ratios[1]).map(<[f64; 2]>::from).with_context(|| format!("{words}: nothing was measured"))
    };
    let start = &warm.0["start"];
    let words = ["setting", "verdict", "reason"].map(|key| start[key].as_str().unwrap_or_default()).join(" ");
    let start = format!("{words} (was {})", cold.0["learnt"]["setting"]);
    Ok(Pair { cold: both(&cold)?, warm: both(&warm)?, start })
}

/// Total time of the first iterations / their task time on all workers.
fn of_tasks(summary: &Value, iterations: usize, workers: u32) -> f64 {
    let (times, ideals, active) =
        (numbers(summary, "iteration_s"), numbers(summary, "ideal_s"), numbers(summary, "workers"));
    let task_s: f64 = ideals.iter().zip(&active).take(iterations).map(|(ideal_s, active)| ideal_s * active).sum();
    times.iter().take(iterations).sum::<f64>() * f64::from(workers) / task_s
}

/// Total time of the first solves / the time of all their problems, which is the same in each, on all workers.
fn of_solves(summary: &Value, solves: usize, workers: u32) -> Option<f64> {
    let number = |key: &str| summary["learnt"][key].as_f64();
    let work_s = number("iteration_s")? / number("cost_ln")?.exp();
    let total_s: f64 = numbers(summary, "iteration_s").iter().take(solves).sum();
    Some(total_s * f64::from(workers) / (solves as f64 * work_s))
}

/// Time from the first input until so many outputs / as many of the best pattern's periods.
fn of_outputs(summary: &Value, said: &str, outputs: usize) -> Option<f64> {
    let result: Value = serde_json::from_str(said.lines().find(|line| line.starts_with('{'))?).ok()?;
    let mut came_s = numbers(&result, "came_s");
    came_s.sort_by(f64::total_cmp);
    Some(came_s.get(outputs - 1)? / (outputs as f64 * summary["ideal_period_s"].as_f64()?))
}
