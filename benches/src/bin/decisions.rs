//! Decisions on programs that no tunlet was written for: simulated runs of generated Master/Worker programs, from the first
//! iteration on, against the best fixed technique in hindsight.
//!
//! Each run draws new programs unless `--seed` repeats them. See [`midrun_benches::programs`].

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::print_spread;
use midrun_benches::programs::{Drawn, Hosts, Program, WORST};
use midrun_benches::tuned::{LATE, Setting, all_fixed_s, fixed_s, tuned};
use midrun_models::random::Random;
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::{TuningOptions, catalogue};

/// Tuned runs of generated programs against fixed techniques.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    drawn: Drawn,
    /// Objective of the tuned runs.
    #[arg(long, default_value = "time")]
    objective: String,
    /// Confidence level of the tuned runs.
    #[arg(long, default_value_t = 0.95)]
    confidence: f64,
    /// Only programs whose law, or change over the run, has this in its name, such as `fire` or `flips`.
    #[arg(long, default_value = "")]
    law: String,
    /// Technique that programs start with; the default is the framework's.
    #[arg(long)]
    start: Option<String>,
    /// Programs begin with a number of workers drawn between one and all.
    #[arg(long)]
    few: bool,
    /// Further runs of each program that took more than 1.05 of the best fixed technique in hindsight, beside the technique that is the best in
    /// all of them together: known beforehand, it owes nothing to luck.
    #[arg(long, default_value_t = 0)]
    repeat: u64,
    /// Prints each decision.
    #[arg(long)]
    verbose: bool,
}

/// Total of tuned runs 1 .. `runs` of a program over that of the fixed technique that is the best of all in these runs together.
fn over_best_beforehand(
    program: &Program,
    runs: u64,
    start: &Setting,
    (options, level): (&TuningOptions, Confidence),
) -> Result<f64> {
    let (mut tuned_s, mut fixed) = (0.0, Technique::ALL.map(|_| 0.0));
    for run in 1..=runs {
        let program = Program { run, ..program.clone() };
        tuned_s += tuned(&program, start.clone(), catalogue::create(options)?.as_mut(), level).total_s;
        fixed.iter_mut().zip(all_fixed_s(&program)).for_each(|(sum_s, one_s)| *sum_s += one_s);
    }
    Ok(tuned_s / fixed.into_iter().fold(f64::INFINITY, f64::min))
}

/// A number of workers that a program may begin with.
fn drawn_number(program: &Program) -> u32 {
    1 + Random::new(program.seed ^ 0xfe33).below(program.workers as usize) as u32
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let start = match arguments.start.as_deref() {
        None => TechniqueParameters::START,
        Some(name) => TechniqueParameters::new(Technique::parse(name).with_context(|| format!("no technique {name}"))?),
    };
    let (mut ratios, mut late, mut fewest, mut predictions) = (Vec::new(), Vec::new(), Vec::new(), (0, 0));
    let mut last = Vec::new();
    let mut late_alike = Vec::new();
    let (mut seconds, mut beforehand) = (Vec::new(), Vec::new());
    let iterations = arguments.drawn.iterations;
    let name = |program: &Program| format!("{:?} {:?}", program.law, program.drift).to_lowercase();
    let asked_for = |program: &Program| name(program).contains(&arguments.law);
    for program in arguments.drawn.programs(asked_for) {
        let seed = program.seed;
        let all: Vec<(Technique, f64)> = Technique::ALL.into_iter().zip(all_fixed_s(&program)).collect();
        let (best, best_s) = all.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are techniques");
        // Who knew that one worker is slow would do without it.
        let without = program.workers.saturating_sub(1).max(1);
        let without_s = matches!(program.hosts, Hosts::One(_)).then(|| {
            let all_s = Technique::ALL.map(|kind| fixed_s(&program, kind, without));
            (without, all_s.into_iter().fold(f64::INFINITY, f64::min))
        });
        let fewer = [2, 4].map(|part| program.workers.div_ceil(part)).map(|n| (n, fixed_s(&program, best, n)));
        let (number, _) = std::iter::once((program.workers, best_s))
            .chain(without_s)
            .chain(fewer)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("there are numbers");
        let options = TuningOptions {
            tunlet: "master_worker".into(),
            objective: arguments.objective.clone(),
            confidence: arguments.confidence,
            ..TuningOptions::default()
        };
        let level = Confidence::new(arguments.confidence).context(Confidence::ALLOWED)?;
        let workers = if arguments.few { drawn_number(&program) } else { program.workers };
        let start = Setting::farm(start, workers);
        let began = std::time::Instant::now();
        let run = tuned(&program, start.clone(), catalogue::create(&options)?.as_mut(), level);
        seconds.push(began.elapsed().as_secs_f64() / iterations as f64);
        let ratio = run.total_s / without_s.map_or(best_s, |(_, s)| best_s.min(s));
        println!(
            "{seed}: {ratio:.4} of {} ({} of {} workers best, least {}, last {}), {} changes, {} late; {:?} {:?} {:?}, {} tasks of {:.2} ms{}",
            best.name(),
            number,
            program.workers,
            run.least_workers,
            run.last_workers,
            run.changes,
            run.late_changes,
            program.law,
            program.drift,
            program.hosts,
            program.tasks,
            program.mean_s * 1e3,
            [
                if program.lasting.deviation > 0.0 { ", slow in a row" } else { "" },
                &program.turn.map_or_else(String::new, |turn| format!(", {turn:?}")),
            ]
            .concat()
        );
        if arguments.verbose {
            println!("  {program:?}");
            all.iter().for_each(|(kind, s)| println!("  {} {:.4}", kind.name(), s / best_s));
            run.log.iter().chain(&run.refusals).for_each(|line| println!("  {line}"));
        }
        if arguments.repeat > 0 && ratio > WORST {
            let over = over_best_beforehand(&program, arguments.repeat, &start, (&options, level))?;
            println!("  {} further runs: {over:.4} of the best known beforehand", arguments.repeat);
            beforehand.push(over);
        }
        ratios.push(ratio);
        late.push(run.late_changes as f64 * 100.0 / (iterations - LATE.min(iterations - 1)) as f64);
        late_alike.extend(late.last().copied().filter(|_| program.stays_alike()));
        last.push(f64::from(run.last_workers) / f64::from(number));
        fewest.push(f64::from(run.least_workers) / f64::from(number));
        predictions = (predictions.0 + run.predictions.0, predictions.1 + run.predictions.1);
    }
    print_spread("total / best fixed technique", &ratios);
    println!("above {WORST}: {} of {}", ratios.iter().filter(|r| **r > WORST).count(), ratios.len());
    if arguments.repeat > 0 {
        let high = beforehand.iter().filter(|over| **over > WORST).count();
        println!("of these above it in {} further runs, too: {high} of {}", arguments.repeat, beforehand.len());
    }
    print_spread("changes per 100 iterations after the tenth", &late);
    print_spread("the same where work stays alike", &late_alike);
    println!("above 3 there: {} of {}", late_alike.iter().filter(|late| **late > 3.0).count(), late_alike.len());
    print_spread("last workers / best number", &last);
    println!("fewest workers / best number: {:.2}", fewest.iter().copied().fold(f64::INFINITY, f64::min));
    println!("measured inside 90 % intervals: {} of {}", predictions.1, predictions.0);
    print_spread("simulated run and decisions, seconds per iteration", &seconds);
    Ok(())
}
