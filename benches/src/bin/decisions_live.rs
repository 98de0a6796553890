//! Decisions in real jobs of programs that no tunlet was written for: the programs of `decisions`, with tasks that sleep, from the first
//! iteration on, against techniques that stay.
//!
//! Each run draws new programs unless `--seed` repeats them. The jobs of a program run one after the other with the same task times. The
//! least of several noisy totals is below what its technique takes on average, so that *best fixed* flatters the field.

use anyhow::Result;
use clap::Parser;
use midrun_benches::print_spread;
use midrun_benches::programs::WORST;
use midrun_benches::real::{Draws, Farm};
use midrun_benches::tuned::LATE;
use midrun_scheduling::Technique;

/// Tuned jobs of generated programs against fixed techniques.
#[derive(Parser)]
struct Arguments {
    /// Programs.
    #[arg(long, default_value_t = 24)]
    programs: u64,
    /// Iterations of each.
    #[arg(long, default_value_t = 30)]
    iterations: u64,
    /// Most workers of a program.
    #[arg(long, default_value_t = 16)]
    workers: u32,
    #[command(flatten)]
    draws: Draws,
    /// Prints each decision, and not only those of runs above 1.05 of the best fixed technique.
    #[arg(long)]
    verbose: bool,
}

/// The field's adaptive techniques first.
const FIXED: [Technique; 7] = [
    Technique::AwfB,
    Technique::AwfC,
    Technique::Af,
    Technique::Fac2,
    Technique::Gss,
    Technique::Mfsc,
    Technique::None,
];

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let draws = &arguments.draws;
    let (mut against_best, mut against_start, mut late) = (Vec::new(), Vec::new(), Vec::new());
    let mut against_each = vec![Vec::new(); FIXED.len()];
    for program in draws.programs(arguments.programs, arguments.iterations, arguments.workers) {
        let real = draws.real(&program, program.workers + 1, Farm::default())?;
        let start_s = real.fixed_s(None)?;
        let all = FIXED.iter().map(|kind| real.fixed_s(Some(*kind))).collect::<Result<Vec<f64>>>()?;
        let run = real.tuned()?;
        let (best, best_s) = FIXED
            .iter()
            .zip(&all)
            .min_by(|a, b| a.1.total_cmp(b.1))
            .map(|(kind, s)| (kind.name(), *s))
            .expect("not empty");
        let late_changes = run.decisions.iter().filter(|(iteration, _)| *iteration >= LATE).count();
        println!(
            "{}: {:.4} of {best}, {:.4} of the start; {} changes, {late_changes} late; {:?} {:?} {:?}, {} workers, {} tasks of {:.2} ms",
            program.seed,
            run.total_s / best_s,
            run.total_s / start_s,
            run.decisions.len(),
            program.law,
            program.drift,
            program.hosts,
            program.workers,
            program.tasks,
            program.mean_s * 1e3
        );
        // A miss says by itself what was decided: it may not come again.
        if arguments.verbose || run.total_s > WORST * best_s {
            FIXED.iter().zip(&all).for_each(|(kind, s)| println!("  {} {:.4}", kind.name(), s / best_s));
            run.decisions.iter().for_each(|(_, said)| println!("  {said}"));
        }
        against_best.push(run.total_s / best_s);
        against_start.push(run.total_s / start_s);
        against_each.iter_mut().zip(&all).for_each(|(list, s)| list.push(run.total_s / s));
        late.push(late_changes as f64 * 100.0 / (arguments.iterations - LATE.min(arguments.iterations - 1)) as f64);
    }
    print_spread("total / best fixed technique", &against_best);
    println!("above {WORST}: {} of {}", against_best.iter().filter(|r| **r > WORST).count(), against_best.len());
    print_spread("total / the framework's start, untuned", &against_start);
    FIXED.iter().zip(&against_each).for_each(|(kind, list)| print_spread(&format!("total / {}", kind.name()), list));
    print_spread("changes per 100 iterations after the tenth", &late);
    Ok(())
}
