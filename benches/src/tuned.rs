//! A tuned run of a generated program, from its first iteration on, and runs with fixed techniques beside it.

use midrun_models::chance::normal_quantile;
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{Observation, Proposal, Settled, TuningPoint, Tunlet, Value, Verdict, Window};

use crate::master;
use crate::own::Kind;
use crate::programs::{Program, Run};

/// Iteration from which on changes are counted as late.
pub const LATE: u64 = 10;

/// What a tuned run did.
#[derive(Default)]
pub struct Tuned {
    /// Total of all iterations, seconds.
    pub total_s: f64,
    /// Fewest workers that it ran with, and those of its last iteration.
    pub least_workers: u32,
    /// See `least_workers`.
    pub last_workers: u32,
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

/// What a program is told.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Of a farm.
    technique: TechniqueParameters,
    /// Number of workers.
    workers: u32,
    /// A program that cuts its tasks by itself, and its values.
    own: Option<(Kind, Vec<f64>)>,
}

impl Setting {
    /// A farm is told a technique and a number of workers.
    pub fn farm(technique: TechniqueParameters, workers: u32) -> Setting {
        Setting { technique, workers, own: None }
    }

    /// A program that cuts its tasks by itself is told values and a number of workers.
    pub fn own(kind: Kind, (values, workers): (Vec<f64>, u32)) -> Setting {
        Setting { technique: TechniqueParameters::FALLBACK, workers, own: Some((kind, values)) }
    }

    fn apply(&mut self, proposal: &Proposal) {
        for (name, value) in &proposal.assignments {
            let Value::Number(value) = value else { continue };
            let technique = &mut self.technique;
            match name.as_str() {
                names::TECHNIQUE => technique.kind = Technique::from_code(*value as u32).unwrap_or(technique.kind),
                names::FACTOR => technique.factor = *value,
                names::TASK_MEAN_S => technique.mean_s = *value,
                names::TASK_SIGMA_S => technique.sigma_s = *value,
                names::MIN_CHUNK => technique.min_chunk = *value as u64,
                names::WORKERS | names::OWN_WORKERS => self.workers = *value as u32,
                own => {
                    let Some((kind, values)) = &mut self.own else { continue };
                    let known = kind.values_of().into_iter().zip(values).find(|((name, _), _)| name == own);
                    known.into_iter().for_each(|(_, now)| *now = *value);
                }
            }
        }
    }

    fn tuning_points(&self, most: u32) -> Vec<TuningPoint> {
        match &self.own {
            Some((kind, values)) => kind.tuning_points(values, self.workers),
            None => master::tuning_points(&self.technique, self.workers, most),
        }
    }

    fn iterate(&self, run: &mut Run<'_>) -> Window {
        match &self.own {
            Some((kind, values)) => run.iterate_own(self.workers, kind.batches(values)),
            None => run.iterate(self.workers, &self.technique),
        }
    }

    /// Total of all iterations of a program that is told nothing else, seconds.
    pub fn fixed_s(&self, program: &Program) -> f64 {
        let mut run = program.start();
        (0..program.iterations).map(|_| self.iterate(&mut run).iteration_s).sum()
    }
}

/// As the analyzer drives a tunlet of this confidence level: a proposal after iteration i is applied inside i + 1, or where i + 2 begins. The program
/// begins with this `setting`.
pub fn tuned(program: &Program, mut setting: Setting, tunlet: &mut dyn Tunlet, level: Confidence) -> Tuned {
    // Half the width of a 90 % interval over that of one at the level.
    let narrower = normal_quantile(0.95) / level.two_sided();
    let mut run = Tuned { least_workers: setting.workers, ..Tuned::default() };
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
            setting.apply(&proposal);
            tunlet.on_settled(decision, Settled::Applied { iteration });
            predicted.push((decision, proposal.predicted_s, proposal.uncertainty));
            decision += 1;
        }
        let mut window = setting.iterate(&mut master);
        window.setting_changed = changed;
        run.total_s += window.iteration_s;
        run.least_workers = run.least_workers.min(setting.workers);
        for judgement in tunlet.observe(Observation::Iteration(&window)) {
            run.log.push(format!("{iteration}: {:?}, measured {:.4} s", judgement.verdict, judgement.measured_s));
            let of = predicted.iter().find(|(decision, ..)| *decision == judgement.decision);
            if let Some((_, predicted_s, uncertainty)) = of.filter(|(_, s, by)| s.is_finite() && *by > 0.0) {
                run.predictions.0 += 1;
                let off = (judgement.measured_s / predicted_s).ln().abs();
                run.predictions.1 += usize::from(off <= (uncertainty * narrower).ln_1p());
            }
            if judgement.verdict == Verdict::Kept {
                predicted.retain(|(decision, ..)| *decision != judgement.decision);
            }
        }
        if sent.is_some() {
            continue; // one change at a time
        }
        if let Some(proposal) = tunlet.propose(&setting.tuning_points(program.workers)) {
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
    run.last_workers = setting.workers;
    run.refusals =
        tunlet.refusals().into_iter().map(|refusal| format!("{}: {}", refusal.iteration, refusal.why)).collect();
    run
}

/// Total of a technique with its default parameters and so many workers, seconds.
pub fn fixed_s(program: &Program, kind: Technique, workers: u32) -> f64 {
    Setting::farm(TechniqueParameters::new(kind), workers).fixed_s(program)
}

/// The same of all techniques with all workers, in the order of [`Technique::ALL`].
pub fn all_fixed_s(program: &Program) -> [f64; Technique::ALL.len()] {
    Technique::ALL.map(|kind| fixed_s(program, kind, program.workers))
}
