//! Measures how well the Master/Worker model predicts iteration times, and the number of workers it would choose.
//!
//! The source's grid (César 2006): compute time, volume, number of workers. One chunk per worker and iteration (technique
//! `none`, equal tasks), so that each worker gets one message and sends one. Start-up and byte time are what the run itself
//! measured. Two predictions: the source's expression (7) or (8), since the framework's sends never wait, and the simulation
//! by which the tunlet decides. The source has one start-up time per message, which keeps the master busy and delays the
//! worker; the simulation knows the two apart.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Hosts, Launcher, numbers, prefix, run_under_midrun};
use midrun_models::master_worker::{Model, Protocol};
use midrun_models::simulate::{SimInput, compare};
use midrun_scheduling::{Technique, TechniqueParameters};

/// Predicted against measured iteration time, and chosen against best number of workers.
#[derive(Parser)]
struct Arguments {
    /// Compute time of all workers per iteration, milliseconds.
    #[arg(long, value_delimiter = ',', default_value = "1000,5000")]
    compute_ms: Vec<u32>,
    /// Bytes of one iteration in both directions.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,512000,2000000")]
    volume: Vec<u64>,
    /// Growth of the volume with each worker above the first number, per cent.
    #[arg(long, value_delimiter = ',', default_value = "0")]
    growth_pct: Vec<u32>,
    /// Numbers of workers.
    #[arg(long, value_delimiter = ',', default_value = "2,5,10,20,40")]
    workers: Vec<u32>,
    #[arg(long, default_value_t = 4)]
    iterations: u32,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Emulated hosts with links of 100 Mbit/s to spread the ranks over (Open MPI; needs root).
    #[arg(long)]
    hosts: Option<u32>,
}

/// Equal tasks per iteration; a multiple of every number of workers of the grid.
const TASKS: u64 = 400;

/// What a run with a fixed number of workers gave.
struct Measured {
    iteration_s: f64,
    task_s: f64,
    start_up_s: f64,
    per_byte_s: f64,
    /// Time the master was busy per chunk, seconds.
    overhead_s: f64,
}

/// One prediction against what was measured, over the whole grid.
#[derive(Default)]
struct Score {
    errors: Vec<f64>,
    regrets: Vec<f64>,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let hosts = a.hosts.map(|count| Hosts::up(count, "100mbit")).transpose()?;
    println!(
        "{:>10} {:>9} {:>7}  {:>10}  {:>18}  {:>18}",
        "compute ms", "volume B", "workers", "measured s", "source s", "simulation s"
    );
    let mut scores = [Score::default(), Score::default()];
    for &compute_ms in &a.compute_ms {
        for (&least_volume, &growth_pct) in a.volume.iter().flat_map(|v| a.growth_pct.iter().map(move |g| (v, g))) {
            // Workers, and Pi as measured and as each prediction has it.
            let mut rows = Vec::new();
            for &workers in &a.workers {
                let more = workers - a.workers[0];
                let volume = least_volume + least_volume * u64::from(growth_pct * more) / 100;
                let measured = measure(&a, hosts.as_ref(), compute_ms, volume, workers)?;
                let (source, mcmc) = by_source(&measured, volume, workers);
                let predicted = [source, by_simulation(&measured, volume, workers)];
                let errors = predicted.map(|time_s| time_s / measured.iteration_s - 1.0);
                let beyond = f64::from(workers) > mcmc;
                println!(
                    "{compute_ms:>10} {volume:>9} {workers:>7}  {:>10.4}  {:>10.4} {:>+6.1}%  {:>10.4} {:>+6.1}%{}",
                    measured.iteration_s,
                    predicted[0],
                    100.0 * errors[0],
                    predicted[1],
                    100.0 * errors[1],
                    if beyond { "  beyond MCMC" } else { "" }
                );
                if !beyond {
                    scores.iter_mut().zip(errors).for_each(|(score, error)| score.errors.push(error.abs()));
                }
                let pi = |time_s: f64| f64::from(workers) * time_s * time_s / measured.task_s;
                rows.push((workers, pi(measured.iteration_s), predicted.map(pi)));
            }
            let best = rows.iter().min_by(|x, y| x.1.total_cmp(&y.1)).context("no row")?;
            for (k, score) in scores.iter_mut().enumerate() {
                let chosen = rows.iter().min_by(|x, y| x.2[k].total_cmp(&y.2[k])).context("no row")?;
                score.regrets.push(chosen.1 / best.1 - 1.0);
            }
        }
    }
    for (name, score) in ["source", "simulation"].into_iter().zip(&mut scores) {
        score.errors.sort_by(f64::total_cmp);
        println!(
            "{name}: error up to MCMC: median {:.1} %, worst {:.1} % of {}; choice within 5 % of the least Pi in {} of {} cases",
            100.0 * score.errors.get(score.errors.len() / 2).copied().unwrap_or(f64::NAN),
            100.0 * score.errors.last().copied().unwrap_or(f64::NAN),
            score.errors.len(),
            score.regrets.iter().filter(|regret| **regret <= 0.05).count(),
            score.regrets.len()
        );
    }
    Ok(())
}

/// Expression (7) or (8), seconds, and the MCMC by what a message really occupies the master.
fn by_source(measured: &Measured, volume: u64, workers: u32) -> (f64, f64) {
    let model = Model {
        start_up_s: measured.start_up_s,
        per_byte_s: measured.per_byte_s,
        volume_bytes: volume as f64,
        master_share: 0.5,
        compute_s: measured.task_s,
        prepare_s: 0.0,
        protocol: Protocol::Async,
        growth: 0.0,
    };
    let occupied = Model { start_up_s: measured.overhead_s, ..model };
    (model.iteration_s(workers), occupied.mcmc())
}

fn by_simulation(measured: &Measured, volume: u64, workers: u32) -> f64 {
    let bytes_s = measured.per_byte_s * (volume / (2 * TASKS)) as f64;
    let input = SimInput {
        tasks: TASKS,
        workers,
        mean_s: measured.task_s / TASKS as f64,
        overhead_s: measured.overhead_s,
        latency_s: measured.start_up_s,
        send_s: bytes_s,
        back_s: bytes_s,
        ..SimInput::default()
    };
    compare(&input, &[TechniqueParameters::new(Technique::None)], 0..1)[0].iteration_s
}

fn measure(a: &Arguments, hosts: Option<&Hosts>, compute_ms: u32, volume: u64, workers: u32) -> Result<Measured> {
    let launcher = match hosts {
        Some(hosts) => hosts.launcher(workers + 1, false)?,
        None => Launcher::local(&a.mpi, workers + 1, false)?,
    };
    let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi));
    let words = format!(
        "{} --tasks {TASKS} --iterations {} --mean-us {} --sigma-pct 0 --bytes {} --work sleep --technique none",
        program.display(),
        a.iterations,
        f64::from(compute_ms) * 1e3 / TASKS as f64,
        volume / (2 * TASKS)
    );
    let application: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let summary = run_under_midrun(&["--dry-run".to_owned()], &launcher, &application)?;
    // Median of the iterations after the first.
    let median = |key: &str| {
        let mut values: Vec<f64> = numbers(&summary, key).split_off(1);
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().with_context(|| format!("no {key} in the summary"))
    };
    let links = summary["links"].as_array().cloned().unwrap_or_default();
    let slowest =
        links.iter().find(|link| link["same_host"] == false).or(links.first()).context("no link was measured")?;
    Ok(Measured {
        iteration_s: median("iteration_s")?,
        task_s: median("ideal_s")? * f64::from(workers),
        overhead_s: median("master_busy_s")? / f64::from(workers),
        start_up_s: slowest["start_up_s"].as_f64().context("no start-up time")?,
        per_byte_s: slowest["per_byte_s"].as_f64().context("no byte time")?,
    })
}
