//! Runs simulations of the whole system, one per seed, and names the seeds in which a promise was broken.
//!
//! Each runs in a process of its own: tokio counts the runtimes of a process, and its choice between ready branches follows from that.

use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use midrun_simulation::{Outcome, note_panics, run};

/// Simulates the whole system and watches its promises.
#[derive(Parser)]
struct Arguments {
    /// Number of seeds
    #[arg(long, default_value_t = 300)]
    seeds: u64,
    /// The first of them
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Run this seed alone and tell what happens
    #[arg(long)]
    seed: Option<u64>,
    /// Tell it as one line of JSON
    #[arg(long, requires = "seed")]
    json: bool,
    /// End at the first seed in which a promise was broken
    #[arg(long)]
    first: bool,
    /// Simulations at a time; 0: as many as there are processors
    #[arg(long, default_value_t = 0)]
    at_once: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("MIDRUN_LOG");
    if let Ok(filter) = filter {
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    }
    note_panics();
    match arguments.seed {
        Some(seed) if arguments.json => {
            println!("{}", serde_json::to_string(&run(seed)).expect("numbers and texts"));
            ExitCode::SUCCESS
        }
        Some(seed) => tell(&run(seed)),
        None => all(&arguments),
    }
}

/// The outcome of a seed, from a process of its own.
fn apart(seed: u64) -> anyhow::Result<Outcome> {
    let mut simulation = Command::new(std::env::current_exe()?);
    // What it logs is for the terminal.
    let output = simulation.args(["--json", "--seed", &seed.to_string()]).stderr(Stdio::inherit()).output()?;
    serde_json::from_slice(&output.stdout).with_context(|| output.status.to_string())
}

fn tell(outcome: &Outcome) -> ExitCode {
    print!("{}", outcome.story);
    println!(
        "{} actions applied, {} agents carried by others, at most {} KiB held, fingerprint {:016x}",
        outcome.applied,
        outcome.carried,
        outcome.most_held >> 10,
        outcome.fingerprint
    );
    match &outcome.broken {
        Some(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
        None => ExitCode::SUCCESS,
    }
}

#[derive(Default)]
struct Totals {
    run: u64,
    broken: Vec<u64>,
    applied: u64,
    carried: u64,
    most_held: i64,
}

fn all(arguments: &Arguments) -> ExitCode {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if arguments.at_once == 0 { processors } else { arguments.at_once };
    let (next, totals, begun) = (AtomicU64::new(0), Mutex::new(Totals::default()), Instant::now());
    let totals_of = || totals.lock().expect("no thread panics with it");
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= arguments.seeds || (arguments.first && !totals_of().broken.is_empty()) {
                        return;
                    }
                    let seed = arguments.from + number;
                    let outcome =
                        apart(seed).unwrap_or_else(|error| Outcome::broken(format!("the simulation ended: {error:#}")));
                    let mut totals = totals_of();
                    totals.run += 1;
                    totals.applied += outcome.applied;
                    totals.carried += outcome.carried;
                    totals.most_held = totals.most_held.max(outcome.most_held);
                    if let Some(why) = outcome.broken {
                        totals.broken.push(seed);
                        println!("seed {seed}, {why}\n  again: tests/simulate --seed {seed}");
                    }
                }
            });
        }
    });
    let totals = totals_of();
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{} seeds in {seconds:.0} s, {} broken; {} actions applied, {} agents carried by others, at most {} KiB held",
        totals.run,
        totals.broken.len(),
        totals.applied,
        totals.carried,
        totals.most_held >> 10
    );
    if totals.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
