//! Decisions on programs that no tunlet was written for: simulated runs of generated Master/Worker programs, from the first
//! iteration on, against the best fixed technique in hindsight.
//!
//! Each run draws new programs unless `--seed` repeats them. See [`midrun_benches::programs`].

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::programs::Program;
use midrun_benches::{master, spread};
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{Observation, Proposal, Settled, TuningOptions, Tunlet, Value, Verdict, catalogue};

/// Tuned runs of generated programs against fixed techniques.
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
    /// Objective of the tuned runs.
    #[arg(long, default_value = "time")]
    objective: String,
    /// Technique that programs start with; the default is the framework's.
    #[arg(long)]
    start: Option<String>,
    /// Prints each decision.
    #[arg(long)]
    verbose: bool,
}

/// Iteration from which on changes are counted as late.
const LATE: u64 = 10;

/// What a tuned run did.
#[derive(Default)]
struct Tuned {
    total_s: f64,
    least_workers: u32,
    changes: usize,
    late_changes: usize,
    /// Predictions that were judged, and those whose 90 % interval held the measurement.
    predictions: (usize, usize),
    log: Vec<String>,
}

/// Half the width of a 90 % interval over that of a 95 % one.
const NARROWER: f64 = 1.645 / 1.96;

/// The setting and the number of workers after a proposal.
fn apply(proposal: &Proposal, setting: &mut TechniqueParameters, workers: &mut u32) {
    for (name, value) in &proposal.assignments {
        let Value::Number(value) = value else { continue };
        match name.as_str() {
            names::TECHNIQUE => setting.kind = Technique::from_code(*value as u32).unwrap_or(setting.kind),
            names::FACTOR => setting.factor = *value,
            names::TASK_MEAN_S => setting.mean_s = *value,
            names::TASK_SIGMA_S => setting.sigma_s = *value,
            names::MIN_CHUNK => setting.min_chunk = *value as u64,
            names::WORKERS => *workers = *value as u32,
            _ => {}
        }
    }
}

/// As the analyzer drives a tunlet: a proposal after iteration i is applied inside i + 1, or where i + 2 begins.
fn tuned(program: &Program, start: TechniqueParameters, tunlet: &mut dyn Tunlet) -> Tuned {
    let mut run = Tuned { least_workers: program.workers, ..Tuned::default() };
    let (mut setting, mut workers) = (start, program.workers);
    let (mut asked, mut sent) = (None::<Proposal>, None::<Proposal>);
    let mut decision = 0;
    let mut predicted: Vec<(u64, f64, f64)> = Vec::new();
    for iteration in 0..program.iterations {
        let begins = sent.take();
        let inside = asked.take_if(|proposal| proposal.at_once);
        let changed = inside.is_some();
        sent = asked.take();
        for proposal in begins.into_iter().chain(inside) {
            apply(&proposal, &mut setting, &mut workers);
            tunlet.on_settled(decision, Settled::Applied { iteration });
            predicted.push((decision, proposal.predicted_s, proposal.uncertainty));
            decision += 1;
        }
        let mut window = program.run(iteration, workers, &setting);
        window.setting_changed = changed;
        run.total_s += window.iteration_s;
        run.least_workers = run.least_workers.min(workers);
        for judgement in tunlet.observe(Observation::Iteration(&window)) {
            run.log.push(format!("{iteration}: {:?}, measured {:.4} s", judgement.verdict, judgement.measured_s));
            let of = predicted.iter().find(|(decision, ..)| *decision == judgement.decision);
            if let Some((_, predicted_s, uncertainty)) = of.filter(|(_, s, by)| s.is_finite() && *by > 0.0) {
                run.predictions.0 += 1;
                let off = (judgement.measured_s / predicted_s - 1.0).abs();
                run.predictions.1 += usize::from(off <= uncertainty * NARROWER);
            }
            if judgement.verdict == Verdict::Kept {
                predicted.retain(|(decision, ..)| *decision != judgement.decision);
            }
        }
        if sent.is_some() {
            continue; // one change at a time
        }
        if let Some(proposal) = tunlet.propose(&master::tuning_points(&setting, workers, program.workers)) {
            run.changes += 1;
            run.late_changes += usize::from(iteration >= LATE);
            run.log.push(format!(
                "{iteration}: {:.4} s, {} -> {}: {:.4} s +- {:.1} %, unchanged {:.4}: {}",
                window.iteration_s,
                proposal.from,
                proposal.to,
                proposal.predicted_s,
                100.0 * proposal.uncertainty,
                proposal.unchanged_s,
                proposal.why
            ));
            asked = Some(proposal);
        }
    }
    run
}

/// Total of a technique with its default parameters and so many workers, seconds.
fn fixed_s(program: &Program, kind: Technique, workers: u32) -> f64 {
    let setting = TechniqueParameters::new(kind);
    (0..program.iterations).map(|iteration| program.run(iteration, workers, &setting).iteration_s).sum()
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let clock =
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs() % 1_000_000);
    let first = arguments.seed.unwrap_or_else(clock);
    let start = match arguments.start.as_deref() {
        None => TechniqueParameters::START,
        Some(name) => TechniqueParameters::new(Technique::parse(name).with_context(|| format!("no technique {name}"))?),
    };
    println!("programs {first} to {}, {} iterations", first + arguments.programs - 1, arguments.iterations);
    let (mut ratios, mut late, mut fewest, mut predictions) = (Vec::new(), Vec::new(), Vec::new(), (0, 0));
    let mut seconds = Vec::new();
    for seed in first..first + arguments.programs {
        let program = Program::draw(seed, arguments.iterations, arguments.workers);
        let all = Technique::ALL.map(|kind| (kind, fixed_s(&program, kind, program.workers)));
        let (best, best_s) = all.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are techniques");
        let fewer = [2, 4].map(|part| program.workers.div_ceil(part)).map(|n| (n, fixed_s(&program, best, n)));
        let (number, _) = std::iter::once((program.workers, best_s))
            .chain(fewer)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("there are numbers");
        let options = TuningOptions {
            tunlet: "master_worker".into(),
            objective: arguments.objective.clone(),
            ..TuningOptions::default()
        };
        let began = std::time::Instant::now();
        let run = tuned(&program, start, catalogue::create(&options)?.as_mut());
        seconds.push(began.elapsed().as_secs_f64() / arguments.iterations as f64);
        let ratio = run.total_s / best_s;
        println!(
            "{seed}: {ratio:.4} of {} ({} of {} workers best, least {}), {} changes, {} late; {:?} {:?} {:?}, {} tasks of {:.2} ms",
            best.name(),
            number,
            program.workers,
            run.least_workers,
            run.changes,
            run.late_changes,
            program.law,
            program.drift,
            program.hosts,
            program.tasks,
            program.mean_s * 1e3
        );
        if arguments.verbose {
            println!("  {program:?}");
            all.iter().for_each(|(kind, s)| println!("  {} {:.4}", kind.name(), s / best_s));
            run.log.iter().for_each(|line| println!("  {line}"));
        }
        ratios.push(ratio);
        late.push(run.late_changes as f64 * 100.0 / (arguments.iterations - LATE.min(arguments.iterations - 1)) as f64);
        fewest.push(f64::from(run.least_workers) / f64::from(number));
        predictions = (predictions.0 + run.predictions.0, predictions.1 + run.predictions.1);
    }
    let print = |what: &str, values: &[f64]| {
        if let Some(spread) = spread(values.to_vec()) {
            println!("{what}: {spread}, worst {:.4}", values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    };
    print("total / best fixed technique", &ratios);
    println!("above 1.05: {} of {}", ratios.iter().filter(|r| **r > 1.05).count(), ratios.len());
    print("changes per 100 iterations after the tenth", &late);
    println!("fewest workers / best number: {:.2}", fewest.iter().copied().fold(f64::INFINITY, f64::min));
    println!("measured inside 90 % intervals: {} of {}", predictions.1, predictions.0);
    print("simulated run and decisions, seconds per iteration", &seconds);
    Ok(())
}
