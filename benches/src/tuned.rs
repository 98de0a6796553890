//! A tuned run of a generated program, from its first iteration on, and runs with fixed techniques beside it.

use midrun_models::chance::normal_quantile;
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{Observation, Proposal, Settled, Tunlet, Value, Verdict};

use crate::master;
use crate::programs::Program;

/// Iteration from which on changes are counted as late.
pub const LATE: u64 = 10;

/// What a tuned run did.
#[derive(Default)]
pub struct Tuned {
    /// Total of all iterations, seconds.
    pub total_s: f64,
    /// Fewest workers that it ran with.
    pub least_workers: u32,
    /// Changes, and those of them after iteration [`LATE`].
    pub changes: usize,
    /// See `changes`.
    pub late_changes: usize,
    /// Predictions that were judged, and those whose 90 % interval held the measurement.
    pub predictions: (usize, usize),
    /// Its decisions and judgements.
    pub log: Vec<String>,
    /// What it would not do.
    pub refusals: Vec<String>,
}

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

/// As the analyzer drives a tunlet of this confidence level: a proposal after iteration i is applied inside i + 1, or where i + 2 begins.
pub fn tuned(program: &Program, start: TechniqueParameters, tunlet: &mut dyn Tunlet, level: Confidence) -> Tuned {
    // Half the width of a 90 % interval over that of one at the level.
    let narrower = normal_quantile(0.95) / level.two_sided();
    let mut run = Tuned { least_workers: program.workers, ..Tuned::default() };
    let (mut setting, mut workers) = (start, program.workers);
    let mut master = program.start();
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
        let mut window = master.iterate(workers, &setting);
        window.setting_changed = changed;
        run.total_s += window.iteration_s;
        run.least_workers = run.least_workers.min(workers);
        for judgement in tunlet.observe(Observation::Iteration(&window)) {
            run.log.push(format!("{iteration}: {:?}, measured {:.4} s", judgement.verdict, judgement.measured_s));
            let of = predicted.iter().find(|(decision, ..)| *decision == judgement.decision);
            if let Some((_, predicted_s, uncertainty)) = of.filter(|(_, s, by)| s.is_finite() && *by > 0.0) {
                run.predictions.0 += 1;
                let off = (judgement.measured_s / predicted_s - 1.0).abs();
                run.predictions.1 += usize::from(off <= uncertainty * narrower);
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
    run.refusals =
        tunlet.refusals().into_iter().map(|refusal| format!("{}: {}", refusal.iteration, refusal.why)).collect();
    run
}

/// Total of a technique with its default parameters and so many workers, seconds.
pub fn fixed_s(program: &Program, kind: Technique, workers: u32) -> f64 {
    let setting = TechniqueParameters::new(kind);
    let mut master = program.start();
    (0..program.iterations).map(|_| master.iterate(workers, &setting).iteration_s).sum()
}

/// The same of all techniques with all workers, in the order of [`Technique::ALL`].
pub fn all_fixed_s(program: &Program) -> [f64; Technique::ALL.len()] {
    Technique::ALL.map(|kind| fixed_s(program, kind, program.workers))
}
