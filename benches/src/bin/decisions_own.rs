//! Programs that know nothing of midrun, simulated: what `unmodified` runs really, for as many programs as show what is luck.
//!
//! Each begins with what an author may have told it, and with values and a number of workers drawn without care. What is compared is the total from the
//! first iteration on, over the best of fixed values with all workers, in hindsight.

use anyhow::Result;
use clap::Parser;
use midrun_benches::own::Kind;
use midrun_benches::print_spread;
use midrun_benches::programs::Drawn;
use midrun_benches::tuned::{Setting, tuned};
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::{TuningOptions, catalogue};

/// Simulated programs of their own loops, tuned, against fixed values.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    drawn: Drawn,
    /// The programs hand out chunks of one size, instead of batches.
    #[arg(long)]
    chunks: bool,
    /// Prints each decision.
    #[arg(long)]
    verbose: bool,
}

/// What programs of one kind of start took.
#[derive(Default)]
struct Taken {
    over_best: Vec<f64>,
    over_alone: Vec<f64>,
    changes: Vec<f64>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut taken = ["author's", "careless"].map(|name| (name, Taken::default()));
    let (mut last, mut predictions) = (Vec::new(), (0, 0));
    let options = TuningOptions { tunlet: "master_worker".into(), ..TuningOptions::default() };
    for program in arguments.drawn.programs(|_| true) {
        let kind = Kind::of(&program, arguments.chunks);
        let with_all = |values: Vec<f64>| Setting::own(kind, (values, kind.workers));
        let grid = kind.grid().into_iter().map(|values| with_all(values).fixed_s(&program));
        let best_s = grid.fold(f64::INFINITY, f64::min);
        let starts = [with_all(kind.author()), Setting::own(kind, kind.careless(program.seed))];
        let mut shown = Vec::new();
        for (setting, (name, taken)) in starts.into_iter().zip(&mut taken) {
            let alone_s = setting.fixed_s(&program);
            let run = tuned(&program, setting, catalogue::create(&options)?.as_mut(), Confidence::default());
            let (over_best, over_alone) = (run.total_s / best_s, run.total_s / alone_s);
            shown.push(format!(
                "{name} {over_best:.4} of best, {over_alone:.4} of alone, {} changes, {} of {} workers at last",
                run.changes, run.last_workers, program.workers
            ));
            if arguments.verbose {
                run.log.iter().chain(&run.refusals).for_each(|line| println!("  {line}"));
            }
            taken.over_best.push(over_best);
            taken.over_alone.push(over_alone);
            taken.changes.push(run.changes as f64);
            last.push(f64::from(run.last_workers) / f64::from(program.workers));
            predictions = (predictions.0 + run.predictions.0, predictions.1 + run.predictions.1);
        }
        println!(
            "{}: {}; {:?} {:?} {:?} {:?}, {} tasks of {:.2} ms",
            program.seed,
            shown.join("; "),
            kind.cut,
            program.law,
            program.drift,
            program.hosts,
            program.tasks,
            program.mean_s * 1e3
        );
    }
    for (name, Taken { over_best, over_alone, changes }) in &taken {
        print_spread(&format!("from {name}: tuned / best fixed"), over_best);
        print_spread(&format!("from {name}: tuned / alone"), over_alone);
        print_spread(&format!("from {name}: changes"), changes);
    }
    print_spread("workers at last / all", &last);
    println!("measured inside 90 % intervals: {} of {}", predictions.1, predictions.0);
    Ok(())
}
