//! Measures how well scheduling techniques balance tasks: iteration time / ideal, for each fixed technique and tuned, in one run.
//!
//! ideal = the tasks' own total time / workers, as midrun's summary has it. Fixed techniques run with
//! `--dry-run`, so that both sides carry the same recording.

use anyhow::Result;
use clap::Parser;
use midrun_benches::runs::Place;
use midrun_benches::{Hosts, Spread};

/// Hand-out quality of every technique and of the tuner, as iteration time / ideal.
#[derive(Parser)]
struct Arguments {
    /// Numbers of sleeping workers.
    #[arg(long, value_delimiter = ',', default_value = "25")]
    workers: Vec<u32>,
    /// Mean task times, microseconds.
    #[arg(long, value_delimiter = ',', default_value = "2000")]
    mean_us: Vec<u64>,
    /// Standard deviations, per cent of the mean.
    #[arg(long, value_delimiter = ',', default_value = "0,20,40,60,80")]
    sigma_pct: Vec<u32>,
    /// Distributions of the task time.
    #[arg(long, value_delimiter = ',', default_value = "normal")]
    dist: Vec<String>,
    /// Techniques, and `tuned` for the tuner that starts from `none`.
    #[arg(long, value_delimiter = ',', default_value = "none,ss,fsc,gss,fac2,dpf,daf,af,tss,mfsc,awf-b,awf-c,tuned")]
    techniques: Vec<String>,
    #[arg(long, default_value_t = 10_000)]
    tasks: u64,
    #[arg(long, default_value_t = 15)]
    iterations: u32,
    /// Iterations left out at the start of every run: the tuner may learn in them.
    #[arg(long, default_value_t = 2)]
    warm_up: usize,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Runs the ranks under SCHED_FIFO 1, where other load is on the machine.
    #[arg(long)]
    realtime: bool,
    /// Emulated hosts with links of 100 Mbit/s to spread the ranks over (Open MPI; needs root).
    #[arg(long)]
    hosts: Option<u32>,
    /// Further words for mw_synthetic, e.g. "--slow-workers 0.5:4".
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    extra: String,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    anyhow::ensure!(
        !a.realtime || a.mpi == "openmpi",
        "--realtime is for Open MPI: MPICH spins at start and end, for ever"
    );
    let hosts = a.hosts.map(|count| Hosts::up(count, "100mbit")).transpose()?;
    println!(
        "{:>7} {:>7} {:>11} {:>5}  {:>6}  iteration/ideal: median [p10 … p90]",
        "workers", "mean us", "dist", "sigma", "technique"
    );
    for &workers in &a.workers {
        for &mean_us in &a.mean_us {
            for dist in &a.dist {
                for &sigma_pct in &a.sigma_pct {
                    Case { a: &a, hosts: hosts.as_ref(), workers, mean_us, dist, sigma_pct }.measure()?;
                }
            }
        }
    }
    Ok(())
}

/// One load, measured under every technique.
struct Case<'a> {
    a: &'a Arguments,
    hosts: Option<&'a Hosts>,
    workers: u32,
    mean_us: u64,
    dist: &'a str,
    sigma_pct: u32,
}

impl Case<'_> {
    fn measure(&self) -> Result<()> {
        let mut best_fixed: Option<(&str, f64)> = None;
        let mut tuned = None;
        for technique in &self.a.techniques {
            let measured = self.ratio(technique)?;
            let Case { workers, mean_us, dist, sigma_pct, .. } = self;
            println!("{workers:>7} {mean_us:>7} {dist:>11} {sigma_pct:>4}%  {technique:>6}  {measured}");
            if technique == "tuned" {
                tuned = Some(measured.median);
            } else if best_fixed.is_none_or(|(_, best)| measured.median < best) {
                best_fixed = Some((technique, measured.median));
            }
        }
        if let (Some(tuned), Some((name, best))) = (tuned, best_fixed) {
            let more = 100.0 * (tuned / best - 1.0);
            println!("        -> tuned is {more:+.2} % against the best fixed technique of this run, {name}");
        }
        Ok(())
    }

    fn ratio(&self, technique: &str) -> Result<Spread> {
        let a = self.a;
        let place = Place { mpi: &a.mpi, hosts: self.hosts, realtime: a.realtime };
        let options = format!(
            "--tasks {} --iterations {} --mean-us {} --sigma-pct {} --dist {} --seed 1 {}",
            a.tasks, a.iterations, self.mean_us, self.sigma_pct, self.dist, a.extra
        );
        place.ratios(self.workers, technique, &options, a.warm_up)
    }
}
