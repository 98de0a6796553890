//! Measures how soon a search finds the factor of the scheduling technique, and how good it is, against every factor measured by itself.
//!
//! Each load runs once per factor (`--dry-run`, so that both sides carry the same recording): the median of iteration / ideal is
//! the truth. Then a search runs several times with other tasks. Its regret at the end is the truth of the factor it ends at over the least
//! truth; its regret over 60 iterations is their mean, trials and all, over the least truth.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, first_set, last_change, numbers, prefix, run_under_midrun, spread};
use serde_json::Value;

/// Iterations until a search has found its factor, and the regret of that factor.
#[derive(Parser)]
struct Arguments {
    /// Workers, which sleep.
    #[arg(long, default_value_t = 8)]
    workers: u32,
    /// Searches.
    #[arg(long, default_value_t = 5)]
    repeats: u64,
    /// Iterations with each factor for the truth.
    #[arg(long, default_value_t = 30)]
    truth: usize,
    /// Only loads whose name holds this.
    #[arg(long, default_value = "")]
    only: String,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
}

/// (name, words for mw_synthetic). The technique cuts batches by the factor; see `mw.factor`.
const LOADS: [(&str, &str); 3] = [
    ("alike", "--tasks 400 --mean-us 500 --sigma-pct 10 --technique dpf --work sleep"),
    ("uneven", "--tasks 400 --mean-us 500 --sigma-pct 80 --technique dpf --work sleep"),
    ("linear", "--tasks 400 --mean-us 500 --sigma-pct 50 --dist linear --technique dpf --work sleep"),
];
/// Hundredths: 5, 10 … 95.
const STEP: u32 = 5;
const FACTORS: u32 = 19;
/// The first iterations of a run.
const WARM_UP: usize = 2;
/// Iterations of a run that searches.
const ITERATIONS: u32 = 120;
const BUDGET: u32 = 60;

fn factor(k: u32) -> f64 {
    f64::from(STEP * k) / 100.0
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    for (name, words) in LOADS.iter().filter(|(name, _)| name.contains(&a.only)) {
        measure(&a, name, words)?;
    }
    Ok(())
}

fn measure(a: &Arguments, name: &str, words: &str) -> Result<()> {
    let mut truth = Vec::new();
    for k in 1..=FACTORS {
        let more = format!("--iterations {} --factor {} --seed 1", a.truth + WARM_UP, factor(k));
        let summary = run(a, words, &more, &["--dry-run", "--tunlet", "master_worker"])?;
        let ratios = ratios(&summary).split_off(WARM_UP);
        truth.push((factor(k), spread(ratios).context("no iterations")?.median));
    }
    let &(best, least) = truth.iter().min_by(|a, b| a.1.total_cmp(&b.1)).context("no factors")?;
    let worst = truth.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
    println!("{name}: {words}, {} workers", a.workers);
    println!("   every factor alone: best {best} with {least:.4} of the ideal, worst {worst:.4}");
    let of = |factor: f64| truth.iter().find(|(known, _)| (known - factor).abs() < 1e-9).map(|(_, ratio)| *ratio);
    let (mut found, mut ended, mut measured) = (Vec::new(), Vec::new(), Vec::new());
    let (mut regret, mut lost) = (Vec::new(), Vec::new());
    for seed in 1..=a.repeats {
        let more = format!("--iterations {ITERATIONS} --factor {} --seed {seed}", factor(FACTORS));
        let values = format!("mw.factor={}..{} step {}", factor(1), factor(FACTORS), factor(1));
        let budget = BUDGET.to_string();
        let flags = ["--search", &values, "--search-budget", &budget, "--no-memory"];
        let summary = run(a, words, &more, &flags)?;
        let report = &summary["search"];
        let last = report["best"][0].as_f64().context("no factor")?;
        found.push(first_set(&summary, last));
        ended.push(last_change(&summary));
        measured.push(report["measured"].as_f64().unwrap_or(f64::NAN));
        // Only the start itself can be outside the grid, and it is on it here.
        regret.push(100.0 * (of(last).context("a factor of the grid")? / least - 1.0));
        let run: Vec<f64> = ratios(&summary).into_iter().take(BUDGET as usize).collect();
        lost.push(100.0 * (run.iter().sum::<f64>() / run.len() as f64 / least - 1.0));
    }
    for (what, list) in [
        ("found in iteration", found),
        ("last change in iteration", ended),
        ("measures", measured),
        ("regret at the end, %", regret),
        ("regret over 60 iterations, %", lost),
    ] {
        if let Some(spread) = spread(list) {
            println!("   {what:<28} {spread}");
        }
    }
    Ok(())
}

/// Iteration / ideal of each iteration.
fn ratios(summary: &Value) -> Vec<f64> {
    let (times, ideals) = (numbers(summary, "iteration_s"), numbers(summary, "ideal_s"));
    times.iter().zip(&ideals).map(|(time_s, ideal_s)| time_s / ideal_s).collect()
}

fn run(a: &Arguments, words: &str, more: &str, flags: &[&str]) -> Result<Value> {
    let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi));
    let line = format!("{} {words} {more}", program.display());
    let application: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    run_under_midrun(&flags, &Launcher::local(&a.mpi, a.workers + 1, false)?, &application)
}
