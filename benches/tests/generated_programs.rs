//! Generated programs in simulated runs from their first iteration on, against the best fixed technique in hindsight.

use midrun_benches::programs::{Law, Program};
use midrun_benches::tuned::{Setting, Tuned, all_fixed_s, tuned};
use midrun_scheduling::TechniqueParameters;
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::{TuningOptions, catalogue};

const ITERATIONS: u64 = 60;

/// A tuned run, and its total over that of the best fixed technique.
fn against_best_fixed(program: &Program) -> (Tuned, f64) {
    let mut tunlet = catalogue::create(&TuningOptions {
        tunlet: "master_worker".into(),
        objective: "time".into(),
        ..TuningOptions::default()
    })
    .expect("a tunlet");
    let run = tuned(
        program,
        Setting::farm(TechniqueParameters::START, program.workers),
        tunlet.as_mut(),
        Confidence::default(),
    );
    let ratio = run.total_s / all_fixed_s(program).into_iter().fold(f64::INFINITY, f64::min);
    (run, ratio)
}

/// Work that spreads over the index range, as a fire over a forest. Other programs:
/// `MIDRUN_SEED=N cargo nextest run -p midrun-benches --test generated_programs`.
#[test]
fn a_program_whose_work_spreads_is_never_much_slower_than_with_the_best_fixed_technique() {
    let first = std::env::var("MIDRUN_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(40_000);
    let spreads = |program: &Program| matches!(program.law, Law::Fire(_) | Law::FireFront(_));
    let programs = (first..).map(|seed| Program::draw(seed, ITERATIONS, 16)).filter(spreads);
    let mut ratios = Vec::new();
    // Of two workers one at times has nothing to do in the best run: which one is chance.
    for program in programs.filter(|program| program.workers > 2).take(12) {
        let (run, ratio) = against_best_fixed(&program);
        println!("{ratio:.4} {program:?} {:#?} {:?}", run.log, run.refusals);
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[ratios.len() / 2] <= 1.02 && ratios[ratios.len() - 1] <= 1.10, "{ratios:.3?}");
}

/// A few tasks for two workers: which technique suits them only a trial can tell.
#[test]
fn a_first_change_that_is_not_sure_is_tried_where_it_may_gain_much() {
    let (run, ratio) = against_best_fixed(&Program::draw(40376, 12, 4));
    assert!(run.log.iter().any(|line| line.contains("not sure, but worth its trial")), "{:#?}", run.log);
    assert!(ratio < 1.1, "{ratio}");
}

/// One worker of four is slow, and its first chunk has a dear task.
#[test]
fn a_slow_worker_that_few_tasks_hide_is_counted_with() {
    let (_, ratio) = against_best_fixed(&Program::draw(5120, ITERATIONS, 64));
    assert!(ratio < 1.15, "1.25 where workers without a visible difference are taken for equal: {ratio}");
}
