//! Measures how soon the number of workers is right when a job begins far off, and what it costs after that.
//!
//! Each load runs with a row of fixed numbers (scheduling is tuned all the same); the one with the least Pi of the whole run
//! is the best. Then it runs twice with the number free, from 2 workers and from all. All runs of a load have the same tasks.
//!
//! Pi of several iterations is that of one that does all their work: `(sum n T) (sum T) / sum Tc`. A sum of their own Pi would
//! be ruled by iterations with hardly any work, whose efficiency is bad whatever is done.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun};

/// Iterations until the number of workers is within 5 % of the best fixed one, and the regret after that.
#[derive(Parser)]
struct Arguments {
    /// Workers that are there.
    #[arg(long, default_value_t = 24)]
    workers: u32,
    #[arg(long, default_value_t = 20)]
    iterations: usize,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Only loads whose name holds this.
    #[arg(long, default_value = "")]
    only: String,
    /// Shows the iterations and the decisions, too.
    #[arg(long)]
    decisions: bool,
}

/// Iterations at the beginning of a run with a fixed number in which the scheduling technique still changes.
const WARM_UP: usize = 3;
/// A number whose Pi is this close to the best counts as right.
const NEAR: f64 = 1.05;
/// Three in a row so far from the best, and farther each time: fewer workers are worse still.
const FAR: f64 = 1.5;

struct Load {
    name: &'static str,
    program: &'static str,
    words: &'static str,
    /// The option that sets the number of iterations.
    iterations: &'static str,
}

const fn synthetic(name: &'static str, words: &'static str) -> Load {
    Load { name, program: "mw_synthetic", words, iterations: "--iterations" }
}

const LOADS: [Load; 8] = [
    synthetic("2000 tasks of 1 ms, 40 %", "--tasks 2000 --mean-us 1000 --sigma-pct 40 --technique dpf --work sleep"),
    synthetic("200 tasks of 8 ms, even", "--tasks 200 --mean-us 8000 --sigma-pct 0 --technique dpf --work sleep"),
    synthetic(
        "60 tasks of 20 ms, exponential",
        "--tasks 60 --mean-us 20000 --dist exponential --technique dpf --work sleep",
    ),
    synthetic(
        "480 tasks of 4 ms with 32 KiB each",
        "--tasks 480 --mean-us 4000 --sigma-pct 0 --bytes 32768 --technique dpf --work sleep",
    ),
    synthetic(
        "40 tasks of 8 ms, 80 %, ten times longer from the middle on",
        "--tasks 40 --mean-us 8000 --sigma-pct 80 --jump 10 --technique dpf --work sleep",
    ),
    synthetic(
        "48 tasks of 4 ms, 40 %, ten times longer from the middle on",
        "--tasks 48 --mean-us 4000 --sigma-pct 40 --jump 10 --technique dpf --work sleep",
    ),
    Load {
        name: "nbody, 400 bodies of 4 ms",
        program: "nbody",
        words: "--bodies 400 --pace 4000",
        iterations: "--steps",
    },
    Load {
        name: "forest_fire, 100 rows, 4 ms per heat",
        program: "forest_fire",
        words: "--size 100 --cost 10 --pace 4000",
        iterations: "--steps",
    },
];

/// One iteration: its workers, its time, and the time of its tasks, seconds.
#[derive(Clone, Copy)]
struct Step {
    workers: f64,
    time_s: f64,
    task_s: f64,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    for load in LOADS.iter().filter(|load| load.name.contains(&a.only)) {
        measure(&a, load)?;
    }
    Ok(())
}

fn measure(a: &Arguments, load: &Load) -> Result<()> {
    // From the most to the fewest, and no further where it only gets worse.
    let numbers_of = [48, 32, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 3, 2, 1].into_iter().filter(|n| *n <= a.workers);
    let (mut all, mut best) = (Vec::new(), None::<(u32, f64, Vec<Step>)>);
    for n in numbers_of {
        let steps = run(a, load, n, "fixed")?;
        let pi_s = pi_s(&steps[WARM_UP..]);
        all.push((n, pi_s));
        if let (Some((_, least_s, _)), [.., (_, a_s), (_, b_s), (_, c_s)]) = (&best, all.as_slice())
            && FAR * least_s < *a_s
            && a_s < b_s
            && b_s < c_s
        {
            break;
        }
        if best.as_ref().is_none_or(|(_, least_s, _)| pi_s < *least_s) {
            best = Some((n, pi_s, steps));
        }
    }
    let (best_n, least_s, best) = best.context("no number of workers")?;
    println!("{}: least Pi with {best_n} of {} workers", load.name, a.workers);
    let row: Vec<String> =
        all.iter().map(|(n, pi_s)| format!("{n}: {:+.1} %", 100.0 * (pi_s / least_s - 1.0))).collect();
    println!("   fixed {}", row.join(", "));
    for start in [2, a.workers] {
        let steps = run(a, load, start, "efficiency")?;
        let regret = |from: usize| pi_s(&steps[from..]) / pi_s(&best[from..]) - 1.0;
        let list: Vec<String> = steps.iter().map(|step| format!("{}", step.workers)).collect();
        let found = (0..steps.len() - WARM_UP).find(|&i| 1.0 + regret(i) <= NEAR);
        let found = match found {
            Some(at) => format!("within 5 % from iteration {at} on, regret after that {:+.1} %", 100.0 * regret(at)),
            None => "never within 5 %".to_owned(),
        };
        println!(
            "   from {start:>2}: {found}; of the whole run {:+.1} %; workers {}",
            100.0 * regret(0),
            list.join(" ")
        );
    }
    Ok(())
}

/// Pi of all these iterations, seconds.
fn pi_s(steps: &[Step]) -> f64 {
    let sum = |of: fn(&Step) -> f64| steps.iter().map(of).sum::<f64>();
    sum(|step| step.workers * step.time_s) * sum(|step| step.time_s) / sum(|step| step.task_s).max(f64::MIN_POSITIVE)
}

/// The iterations of a run.
fn run(a: &Arguments, load: &Load, start: u32, objective: &str) -> Result<Vec<Step>> {
    let program = prefix().join(format!("../../examples/build/{}/{}", a.mpi, load.program));
    let words = format!("{} {} {} {}", program.display(), load.words, load.iterations, a.iterations);
    let mut application: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    application.extend(["--workers".to_owned(), start.to_string()]);
    let flags = ["--objective", objective].map(str::to_owned);
    let summary = run_under_midrun(&flags, &Launcher::local(&a.mpi, a.workers + 1, false)?, &application)?;
    let (times, ideals, workers) =
        (numbers(&summary, "iteration_s"), numbers(&summary, "ideal_s"), numbers(&summary, "workers"));
    let step =
        |((time_s, ideal_s), n): ((&f64, &f64), &f64)| Step { workers: *n, time_s: *time_s, task_s: ideal_s * n };
    if a.decisions {
        show(&summary, objective, start);
    }
    Ok(times.iter().zip(&ideals).zip(&workers).map(step).collect())
}

fn show(summary: &serde_json::Value, objective: &str, start: u32) {
    println!("   {objective}, from {start}: iterations {:.4?} s", numbers(summary, "iteration_s"));
    for d in summary["decisions"].as_array().into_iter().flatten() {
        println!(
            "      {}: {} {} -> {}: predicted {}, measured {}, {}: {}",
            d["iteration"],
            d["tuning_point"],
            d["from"],
            d["to"],
            d["predicted_s"],
            d["measured_s"],
            d["verdict"],
            d["why"]
        );
    }
}
