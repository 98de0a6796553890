//! Runs real jobs, strikes parts of midrun at random moments, and compares with undisturbed runs of the same jobs.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use midrun_tests::chaos::{self, Plan};
use midrun_tests::runner;

/// Strikes midrun under real jobs at random moments. Exit code 1: a job ended otherwise than undisturbed.
#[derive(Parser)]
struct Arguments {
    /// Number of jobs
    #[arg(long, default_value_t = 20)]
    jobs: u64,
    /// Seed of the first job; each further job has the next one; else drawn and printed
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let scratches = runner::end_tests_with_me();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_millis());
    let first = arguments.seed.unwrap_or_else(|| u64::try_from(now % 1_000_000_000).unwrap_or(1));
    println!("{} jobs, --seed {first}", arguments.jobs);
    let (mut failed, mut struck, mut ratios) = (Vec::new(), 0, Vec::new());
    for seed in first..first.saturating_add(arguments.jobs) {
        let plan = Plan::of(seed);
        let calm = chaos::run(&plan, false);
        let stormy = chaos::run(&plan, true);
        struck += stormy.struck;
        let ratio = stormy.took.as_secs_f64() / calm.took.as_secs_f64();
        ratios.push(ratio);
        let times = format!("{:.1} s undisturbed, {:.1} s", calm.took.as_secs_f64(), stormy.took.as_secs_f64());
        println!("seed {seed}: {plan} {} faults struck; {times}", stormy.struck);
        let calm = calm.broken.iter().map(|why| format!("undisturbed: {why}"));
        let broken: Vec<String> = calm.chain(stormy.broken).collect();
        if !broken.is_empty() {
            broken.iter().for_each(|why| println!("  {why}"));
            println!("  again: tests/chaos --jobs 1 --seed {seed}");
            failed.push(seed);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let (middle, most) = (ratios.get(ratios.len() / 2), ratios.last());
    println!(
        "{} jobs, {struck} faults struck, {} failed {failed:?}; time against undisturbed: median {:.2}, most {:.2}",
        arguments.jobs,
        failed.len(),
        middle.unwrap_or(&1.0),
        most.unwrap_or(&1.0)
    );
    let _ = std::fs::remove_dir(scratches);
    if failed.is_empty() && struck > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
