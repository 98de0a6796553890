//! Measures how well the Master/Worker model predicts iteration times, and the number of workers it would choose.
//!
//! The source's grid (César 2006): compute time, volume, number of workers. One chunk per worker and iteration (technique
//! `none`, equal tasks), so that each worker gets one message and sends one. Start-up and byte time are what the run itself
//! measured. Two predictions: the source's expression (7) or (8), since the framework's sends never wait, and the simulation
//! by which the tunlet decides. The source has one start-up time per message, which keeps the master busy and delays the
//! worker; the simulation knows the two apart.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::Hosts;
use midrun_benches::runs::{Balanced, Load, Place};
use midrun_models::master_worker::{Model, Protocol};

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

/// One prediction against what was measured, over the whole grid.
#[derive(Default)]
struct Score {
    errors: Vec<f64>,
    regrets: Vec<f64>,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let hosts = a.hosts.map(|count| Hosts::up(count, "100mbit")).transpose()?;
    let place = Place { mpi: &a.mpi, hosts: hosts.as_ref(), realtime: false };
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
                let load = Load { compute_s: 1e-3 * f64::from(compute_ms), volume, synchronous: false };
                let measured = place.balanced(load, workers, a.iterations)?;
                let (source, mcmc) = by_source(&measured);
                let predicted = [source, measured.simulation_s()];
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
                let pi = |time_s| measured.pi_s(time_s);
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
fn by_source(measured: &Balanced) -> (f64, f64) {
    let model = Model {
        start_up_s: measured.start_up_s,
        per_byte_s: measured.per_byte_s,
        volume_bytes: measured.volume as f64,
        master_share: 0.5,
        compute_s: measured.task_s,
        prepare_s: 0.0,
        protocol: Protocol::Async,
        growth: 0.0,
    };
    let occupied = Model { start_up_s: measured.overhead_s, ..model };
    (model.iteration_s(measured.workers), occupied.mcmc())
}
