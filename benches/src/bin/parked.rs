//! Measures what parked ranks cost, and how soon they work when they are needed. No other job may run beside it.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun, spread};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// CPU time of parked ranks, and the delay of the first iteration with workers that were parked.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Ranks; the first is the master.
    #[arg(long, default_value_t = 9)]
    ranks: u32,
    /// Jobs that bring parked workers in.
    #[arg(long, default_value_t = 5)]
    jobs: u32,
}

/// Longest time until all ranks are there.
const START: Duration = Duration::from_secs(20);
const SETTLE: Duration = Duration::from_secs(2);
const WATCH: Duration = Duration::from_secs(5);

fn main() -> Result<()> {
    let a = Arguments::parse();
    cpu_time(&a)?;
    time_to_work(&a)
}

/// One worker works, the others are parked.
fn cpu_time(a: &Arguments) -> Result<()> {
    let application = words(a, "--tasks 8000 --mean-us 1000 --sigma-pct 0 --iterations 1 --workers 1");
    let launcher = Launcher::local(&a.mpi, a.ranks, false)?;
    let job = thread::spawn(move || run_under_midrun(&["--objective".into(), "fixed".into()], &launcher, &application));
    let ranks: Vec<u32> = (2..a.ranks).collect();
    let begin = Instant::now();
    while begin.elapsed() < START && !ranks.iter().all(|rank| find(*rank).is_some()) {
        thread::sleep(Duration::from_millis(100));
    }
    thread::sleep(SETTLE);
    let before: Vec<(u32, f64)> = ranks.iter().filter_map(|rank| find(*rank)).collect();
    let begin = Instant::now();
    thread::sleep(WATCH);
    let wall_s = begin.elapsed().as_secs_f64();
    let shares: Vec<f64> =
        before.iter().filter_map(|(pid, was_s)| cpu_s(*pid).map(|is_s| 100.0 * (is_s - was_s) / wall_s)).collect();
    job.join().map_err(|_| anyhow::anyhow!("the job's thread panicked"))??;
    let s = spread(shares).context("no parked rank was found")?;
    println!("CPU time of a parked rank, % of a core: {s} over {} ranks and {wall_s:.0} s", s.count);
    Ok(())
}

/// From 2 workers to all: how long the decision waits for an iteration's start, and how much longer the first iteration with
/// all of them takes than those after it.
fn time_to_work(a: &Arguments) -> Result<()> {
    let application = words(a, "--tasks 400 --mean-us 1000 --sigma-pct 0 --iterations 12 --workers 2 --technique dpf");
    let (mut waits, mut extra) = (Vec::new(), Vec::new());
    for _ in 0..a.jobs {
        let summary = run_under_midrun(&[], &Launcher::local(&a.mpi, a.ranks, false)?, &application)?;
        let (times, workers) = (numbers(&summary, "iteration_s"), numbers(&summary, "workers"));
        waits.extend(numbers(&summary, "actions.latency_ms").first());
        let Some(first) = workers.iter().position(|n| *n > 2.0) else { continue };
        let same = |i: &usize| workers[*i] == workers[first];
        let later: Vec<f64> = (first + 1..times.len()).take_while(same).map(|i| times[i]).collect();
        let usual = spread(later).context("the number was changed again at once")?.median;
        extra.push(1e3 * (times[first] - usual));
    }
    println!("decision to the iteration's start, ms: {}", spread(waits).context("no worker was brought in")?);
    println!("the first iteration with them, longer than later ones by, ms: {}", spread(extra).context("none")?);
    Ok(())
}

fn words(a: &Arguments, options: &str) -> Vec<String> {
    let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi));
    let line = format!("{} --work sleep {options}", program.display());
    line.split_whitespace().map(str::to_owned).collect()
}

/// The process of a rank and its CPU time until now, seconds.
fn find(rank: u32) -> Option<(u32, f64)> {
    let is_rank = |variable: &[u8]| {
        ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].iter().any(|name| variable == format!("{name}={rank}").as_bytes())
    };
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let name = fs::read_to_string(entry.path().join("comm")).ok()?;
        let variables = fs::read(entry.path().join("environ")).ok()?;
        let ours = name.trim() == "mw_synthetic" && variables.split(|byte| *byte == 0).any(is_rank);
        ours.then(|| cpu_s(pid).map(|time_s| (pid, time_s)))?
    })
}

/// CPU time of a process with all its threads, seconds.
fn cpu_s(pid: u32) -> Option<f64> {
    let mut total_ns = 0.0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        total_ns += text.split_whitespace().next()?.parse::<f64>().ok()?;
    }
    Some(total_ns * 1e-9)
}
