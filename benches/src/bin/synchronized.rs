//! Measures synchronized changes: seconds and iterations from the request to the effect in the last rank, by the length of the
//! iterations.

#![forbid(unsafe_code)]

use anyhow::{Context, Result, ensure};
use clap::Parser;
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun, spread};
use std::process::{Command, Stdio};
use std::time::Duration;

/// From `midrun set --together` to its effect on all ranks.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    #[arg(long, default_value_t = 16)]
    ranks: u32,
    /// Lengths of an iteration, ms.
    #[arg(long, value_delimiter = ',', default_value = "1,10,100")]
    iteration_ms: Vec<u64>,
    /// Changes with each length.
    #[arg(long, default_value_t = 20)]
    changes: usize,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    println!("{} ranks, {} changes each: median [10 % … 90 %]", arguments.ranks, arguments.changes);
    println!("iteration asked for, measured ms | to effect ms | iterations | rounds per change");
    arguments.iteration_ms.iter().try_for_each(|ms| measure(&arguments, *ms))
}

fn measure(arguments: &Arguments, iteration_ms: u64) -> Result<()> {
    let launcher = Launcher::local(&arguments.mpi, arguments.ranks, false)?;
    let program = prefix().join("../../examples/build").join(&arguments.mpi).join("allreduce_choice");
    // Ten iterations for each change, and time for the commands themselves.
    let iterations = 10 * arguments.changes as u64 + 6_000 / iteration_ms;
    let options = format!("--delay-us 0 --iterations {iterations} --period-us {}", 1_000 * iteration_ms);
    let mut application = vec![program.display().to_string()];
    application.extend(options.split(' ').map(str::to_owned));
    let summary = std::thread::scope(|scope| {
        let run = scope.spawn(|| run_under_midrun(&[], &launcher, &application));
        std::thread::sleep(Duration::from_secs(2));
        (1..=arguments.changes).for_each(|n| ask(n % 3));
        run.join().map_err(|_| anyhow::anyhow!("the job's thread failed"))?
    })?;
    let latency_ms = numbers(&summary, "actions.latency_ms");
    let controls = summary["controls"].as_array().context("no controls")?;
    let when = |control: &serde_json::Value| {
        Some((control["at_s"].as_f64()?, control["changes"][0]["applied_iteration"].as_f64()?))
    };
    let moments: Vec<(f64, f64)> = controls.iter().filter_map(when).collect();
    let ([(t0, i0), .., (t1, i1)], true) = (&moments[..], latency_ms.len() > 1) else {
        anyhow::bail!("{} of {} changes were applied", latency_ms.len(), arguments.changes)
    };
    let measured_ms = 1e3 * (t1 - t0) / (i1 - i0);
    ensure!(measured_ms > 0.0, "iterations that take no time");
    let rounds = summary["actions"]["sent"].as_f64().unwrap_or(f64::NAN) / controls.len() as f64;
    let iterations = spread(latency_ms.iter().map(|ms| ms / measured_ms).collect()).context("no change")?;
    let ms = spread(latency_ms).context("no change")?;
    println!("{iteration_ms} {measured_ms:.2} | {ms} | {iterations} | {rounds:.2} ({} applied)", ms.count);
    Ok(())
}

/// Of the one job of midrun that runs here. What is refused (it may be over) shows in how many were applied.
fn ask(value: usize) {
    let mut set = Command::new(prefix().join("bin/midrun"));
    set.args(["set", "algorithm", &value.to_string(), "--together"]);
    let _ = set.stdout(Stdio::null()).stderr(Stdio::null()).status();
}
