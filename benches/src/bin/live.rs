//! Measures how soon the number of workers is right when a job begins far off, and what it costs after that.
//!
//! Each load runs with a row of fixed numbers (their hand-out tuned all the same), which gives the least Pi; then twice
//! with the number free, from 2 workers and from all.

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
}

/// What is run: a name, and words for mw_synthetic.
const LOADS: [(&str, &str); 4] = [
    ("4000 tasks of 1 ms, 40 %", "--tasks 4000 --mean-us 1000 --sigma-pct 40"),
    ("200 tasks of 2 ms, even", "--tasks 200 --mean-us 2000 --sigma-pct 0"),
    ("60 tasks of 5 ms, exponential", "--tasks 60 --mean-us 5000 --dist exponential"),
    ("2000 tasks of 50 us, even", "--tasks 2000 --mean-us 50 --sigma-pct 0"),
];

fn main() -> Result<()> {
    let a = Arguments::parse();
    let numbers_of: Vec<u32> =
        [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48].into_iter().filter(|n| *n <= a.workers).collect();
    for (name, load) in LOADS {
        let mut best: Option<(u32, f64)> = None;
        for &n in &numbers_of {
            let pis = run(&a, load, n, "fixed")?;
            let pi = median(pis.iter().skip(3).map(|(_, pi)| *pi).collect()).context("no iteration")?;
            if best.is_none_or(|(_, least)| pi < least) {
                best = Some((n, pi));
            }
        }
        let (best_n, least) = best.context("no number of workers")?;
        println!("{name}: least Pi {least:.4} s with {best_n} of {} workers", a.workers);
        for start in [2, a.workers] {
            let pis = run(&a, load, start, "efficiency")?;
            let near = |(_, pi): &(f64, f64)| *pi <= 1.05 * least;
            // From here on at least every second iteration is near.
            let found = (0..pis.len()).find(|i| {
                let rest = &pis[*i..];
                near(&rest[0]) && rest.iter().filter(|one| near(one)).count() * 2 >= rest.len()
            });
            let list: Vec<String> = pis.iter().map(|(n, _)| format!("{n}")).collect();
            match found {
                Some(at) => {
                    let rest = &pis[at..];
                    let mean = rest.iter().map(|(_, pi)| pi).sum::<f64>() / rest.len() as f64;
                    println!(
                        "   from {start:>2}: within 5 % at iteration {at}, regret after that {:+.1} %; workers {}",
                        100.0 * (mean / least - 1.0),
                        list.join(" ")
                    );
                }
                None => println!("   from {start:>2}: never within 5 %; workers {}", list.join(" ")),
            }
        }
    }
    Ok(())
}

/// (workers, Pi) of each iteration.
fn run(a: &Arguments, load: &str, start: u32, objective: &str) -> Result<Vec<(f64, f64)>> {
    let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi));
    let iterations = if objective == "fixed" { 9 } else { a.iterations };
    let words =
        format!("{} {load} --iterations {iterations} --work sleep --workers {start} --policy dpf", program.display());
    let application: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let flags = ["--objective", objective].map(str::to_owned);
    let summary = run_under_midrun(&flags, &Launcher::local(&a.mpi, a.workers + 1, false)?, &application)?;
    let (times, ideals, workers) =
        (numbers(&summary, "iteration_s"), numbers(&summary, "ideal_s"), numbers(&summary, "workers"));
    let pi = |((time_s, ideal_s), n): ((&f64, &f64), &f64)| (*n, time_s * time_s / ideal_s);
    Ok(times.iter().zip(&ideals).zip(&workers).map(pi).collect())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
