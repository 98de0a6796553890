//! Programs that know nothing of midrun, simulated: what `unmodified` runs really, for as many programs as show what is luck.
//!
//! Each begins with what an author may have told it, and with values and a number of workers drawn without care. What is compared is the total from the
//! first iteration on, over the best of fixed values with all workers, in hindsight.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::own::Kind;
use midrun_benches::programs::Program;
use midrun_benches::tuned::{Setting, Tuned, tuned};
use midrun_benches::{first_seed, print_spread};
use midrun_models::random::Random;
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::{TuningOptions, catalogue};

/// Simulated programs of their own loops, tuned, against fixed values.
#[derive(Parser)]
struct Arguments {
    /// Programs.
    #[arg(long, default_value_t = 40)]
    programs: u64,
    /// Iterations of each.
    #[arg(long, default_value_t = 60)]
    iterations: u64,
    /// Most workers of a program.
    #[arg(long, default_value_t = 64)]
    workers: u32,
    /// First seed; the default is drawn from the clock and printed.
    #[arg(long)]
    seed: Option<u64>,
    /// The programs hand out chunks of one size, instead of batches.
    #[arg(long)]
    chunks: bool,
    /// Prints each decision.
    #[arg(long)]
    verbose: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let first = first_seed(arguments.seed);
    println!("{} programs from seed {first} on, {} iterations", arguments.programs, arguments.iterations);
    let (mut over_best, mut over_alone, mut last, mut changes) =
        ([const { Vec::new() }; 2], [const { Vec::new() }; 2], Vec::new(), [const { Vec::new() }; 2]);
    let mut predictions = (0, 0);
    for seed in first..first + arguments.programs {
        let program = Program::draw(seed, arguments.iterations, arguments.workers);
        let kind = Kind::of(&program, arguments.chunks);
        let with_all = |values: Vec<f64>| Setting::own(kind, (values, kind.workers));
        let grid = kind.grid().into_iter().map(|values| with_all(values).fixed_s(&program));
        let best_s = grid.fold(f64::INFINITY, f64::min);
        let careless = Setting::own(kind, kind.careless(&mut Random::new(seed ^ 0xca5e)));
        let mut shown = Vec::new();
        for (at, setting) in [with_all(kind.author()), careless].into_iter().enumerate() {
            let alone_s = setting.fixed_s(&program);
            let options = TuningOptions { tunlet: "master_worker".into(), ..TuningOptions::default() };
            let mut tunlet = catalogue::create(&options).context("the tunlet of Master/Worker programs")?;
            let run: Tuned = tuned(&program, setting, tunlet.as_mut(), Confidence::default());
            shown.push(format!(
                "{:.4} of best, {:.4} of alone, {} changes, {} of {} workers at last",
                run.total_s / best_s,
                run.total_s / alone_s,
                run.changes,
                run.last_workers,
                program.workers
            ));
            if arguments.verbose {
                run.log.iter().chain(&run.refusals).for_each(|line| println!("  {line}"));
            }
            over_best[at].push(run.total_s / best_s);
            over_alone[at].push(run.total_s / alone_s);
            changes[at].push(run.changes as f64);
            last.push(f64::from(run.last_workers) / f64::from(program.workers));
            predictions = (predictions.0 + run.predictions.0, predictions.1 + run.predictions.1);
        }
        println!(
            "{seed}: author {}; careless {}; {:?} {:?} {:?} {:?}, {} tasks of {:.2} ms",
            shown[0],
            shown[1],
            kind.cut,
            program.law,
            program.drift,
            program.hosts,
            program.tasks,
            program.mean_s * 1e3
        );
    }
    for (at, name) in ["author's", "careless"].into_iter().enumerate() {
        print_spread(&format!("from {name}: tuned / best fixed"), &over_best[at]);
        print_spread(&format!("from {name}: tuned / alone"), &over_alone[at]);
        print_spread(&format!("from {name}: changes"), &changes[at]);
    }
    print_spread("workers at last / all", &last);
    println!("measured inside 90 % intervals: {} of {}", predictions.1, predictions.0);
    Ok(())
}
