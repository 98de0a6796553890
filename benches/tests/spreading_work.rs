//! Work that spreads over the index range, as a fire over a forest: simulated runs from their first iteration on, against the best
//! fixed technique in hindsight.

use midrun_benches::programs::{Law, Program};
use midrun_benches::tuned::{fixed_s, tuned};
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::{TuningOptions, catalogue};

const ITERATIONS: u64 = 60;

/// Other programs: `MIDRUN_SEED=N cargo nextest run -p midrun-benches --test spreading_work`.
#[test]
fn a_program_whose_work_spreads_is_never_much_slower_than_with_the_best_fixed_technique() {
    let first = std::env::var("MIDRUN_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(40_000);
    let spreads = |program: &Program| matches!(program.law, Law::Fire(_) | Law::FireFront(_));
    let programs = (first..).map(|seed| Program::draw(seed, ITERATIONS, 16)).filter(spreads);
    let mut ratios = Vec::new();
    // Of two workers one at times has nothing to do in the best run: which one is chance.
    for program in programs.filter(|program| program.workers > 2).take(12) {
        let mut tunlet = catalogue::create(&TuningOptions {
            tunlet: "master_worker".into(),
            objective: "time".into(),
            ..TuningOptions::default()
        })
        .expect("a tunlet");
        let run = tuned(&program, TechniqueParameters::START, tunlet.as_mut(), Confidence::default());
        let fixed = Technique::ALL.map(|kind| fixed_s(&program, kind, program.workers));
        let ratio = run.total_s / fixed.into_iter().fold(f64::INFINITY, f64::min);
        println!("{ratio:.4} {program:?} {:#?} {:?}", run.log, run.refusals);
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[ratios.len() / 2] <= 1.02 && ratios[ratios.len() - 1] <= 1.10, "{ratios:.3?}");
}
