//! Runs real jobs, strikes parts of midrun at random moments, and compares with undisturbed runs of the same jobs.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use midrun_tests::chaos::{self, Plan, With};
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
    /// Jobs over three emulated hosts, whose links go down, too
    #[arg(long)]
    hosts: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let scratches = runner::end_tests_with_me();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_millis());
    let first = arguments.seed.unwrap_or_else(|| u64::try_from(now % 1_000_000_000).unwrap_or(1));
    println!("{} jobs, --seed {first}", arguments.jobs);
    if arguments.hosts && !chaos::has_hosts() {
        println!(
            "no emulated hosts: they take root, network namespaces, Open MPI and MPICH 5 (tests/run installs them)"
        );
        return ExitCode::FAILURE;
    }
    let mut backs = Vec::new();
    let (mut failed, mut struck, mut ratios) = (Vec::new(), 0, Vec::new());
    for seed in first..first.saturating_add(arguments.jobs) {
        let (plan, calm) = if arguments.hosts {
            let plan = Plan::over_hosts(seed);
            let calm = chaos::run(&plan.of_network(), With::Nothing);
            (plan, calm)
        } else {
            let plan = Plan::of(seed);
            let calm = chaos::run(&Plan { faults: Vec::new(), ..plan.clone() }, With::Midrun);
            (plan, calm)
        };
        let stormy = chaos::run(&plan, With::Midrun);
        backs.extend(stormy.back);
        struck += stormy.struck;
        let ratio = stormy.took.as_secs_f64() / calm.took.as_secs_f64();
        ratios.push(ratio);
        let times = format!("{:.1} s undisturbed, {:.1} s", calm.took.as_secs_f64(), stormy.took.as_secs_f64());
        let linked = stormy.linked.map_or_else(String::new, |it| format!(", linked after {:.1} s", it.as_secs_f64()));
        let back = stormy.back.map_or_else(String::new, |back| format!(", back after {:.1} s", back.as_secs_f64()));
        println!("seed {seed}: {plan} {} faults struck; {times}{linked}{back}", stormy.struck);
        let calm = calm.broken.iter().map(|why| format!("undisturbed: {why}"));
        let broken: Vec<String> = calm.chain(stormy.broken).collect();
        if !broken.is_empty() {
            broken.iter().for_each(|why| println!("  {why}"));
            let hosts = if arguments.hosts { " --hosts" } else { "" };
            println!("  again: tests/chaos --jobs 1 --seed {seed}{hosts}");
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
    backs.sort_unstable();
    if let (Some(middle), Some(most)) = (backs.get(backs.len() / 2), backs.last()) {
        let (middle, most) = (middle.as_secs_f64(), most.as_secs_f64());
        println!("measured again after a link was down, {} times: median {middle:.1} s, most {most:.1} s", backs.len());
    }
    let _ = std::fs::remove_dir(scratches);
    if failed.is_empty() && struck > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
