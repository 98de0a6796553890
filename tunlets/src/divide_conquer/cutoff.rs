//! Chooses the cut-off depth: simulates each depth whose times are known, changes where that surely gains, and watches the change.

use super::forecast::{self, Forecast, HandOut};
use super::tree::Tree;
use crate::confidence::{Confidence, Gain};
use crate::model_error::{EXACT, Simulated, correction};
use crate::noise::Noise;
use crate::prediction_errors::PredictionErrors;
use crate::trial::{Measurement, Measurements, Rule, Trial, Trials, worth};
use crate::tuning_point::names;
use crate::{Judgement, Proposal, Settled, TuningPoint, Window, Worth};
use midrun_vocabulary::Seconds;
use std::collections::BTreeMap;

/// The last iteration.
#[derive(Clone, Debug)]
struct Now {
    iteration: u64,
    iteration_s: f64,
    /// Windows so far, and the iterations that each of them stands for.
    windows: (u64, u64),
    workers: u32,
    tree: Tree,
    hand_out: Option<HandOut>,
}

/// The proposal in flight: from and to a depth, the gain that is expected and the time that it promises, seconds.
type Proposed = (u32, u32, (Gain, f64));

/// See the module.
#[derive(Clone, Debug)]
pub struct CutOff {
    confidence: Confidence,
    now: Option<Now>,
    fresh: bool,
    proposed: Option<Proposed>,
    trials: Trials<u32>,
    expected: (Gain, f64),
    present: Measurements,
    errors: PredictionErrors,
    /// Sum of the logarithms of the cost by depth, and how many, with the present technique and workers.
    measured: BTreeMap<u32, (f64, f64)>,
    /// What `measured` holds for: workers and technique.
    measured_with: Option<(u32, u32)>,
    /// The problems of one solve are others than those of the next, so costs are times per work. Else they are times: what a task costs its
    /// worker beside its problem is no work, and another depth has more tasks.
    problems_vary: bool,
    /// How times scatter, and how they do per work.
    scatter: (Noise, Noise),
}

impl CutOff {
    /// Nothing is learnt yet.
    pub fn new(confidence: Confidence) -> CutOff {
        CutOff {
            confidence,
            now: None,
            fresh: false,
            proposed: None,
            trials: Trials::default(),
            expected: (Gain::NONE, f64::NAN),
            present: Measurements::default(),
            errors: PredictionErrors::default(),
            measured: BTreeMap::new(),
            measured_with: None,
            problems_vary: false,
            scatter: Default::default(),
        }
    }

    /// Whether a change is being watched, or is to be taken back.
    pub fn is_busy(&self) -> bool {
        self.trials.watched.is_some() || self.trials.rollback.is_some()
    }

    /// Learns from an iteration; returns the judgement on the change that is being watched.
    pub fn learn(&mut self, window: &Window, tree: Tree, hand_out: Option<HandOut>) -> Option<Judgement> {
        let with = Some((window.workers, window.setting.kind.code()));
        if self.measured_with != with {
            self.measured.clear();
            self.interrupt();
            self.measured_with = with;
        }
        let cutoff = tree.in_force;
        if self.now.as_ref().is_none_or(|now| now.tree.in_force != cutoff) {
            self.interrupt();
        }
        if !window.setting_changed {
            self.scatter.0.add(window.iteration_s);
            self.scatter.1.add(window.iteration_s / tree.work_s());
        }
        let are_others = self.now.as_ref().is_some_and(|now| !now.tree.has_problems_of(&tree))
            || self.scatter.0.exceeds(&self.scatter.1, self.confidence);
        if are_others && !self.problems_vary {
            self.problems_vary = true;
            self.measured.clear();
            self.interrupt();
            self.trials.on_other_work();
        }
        let (iteration, iteration_s, workers) = (window.iteration, window.iteration_s, window.workers);
        let unit_s = self.unit_s(&tree, workers);
        let measurement =
            Measurement { run_delay: window.held_up, ..Measurement::new(iteration_s / unit_s, iteration_s) };
        self.now = Some(Now {
            iteration,
            iteration_s,
            windows: (window.so_far(), window.iterations),
            workers,
            tree,
            hand_out,
        });
        self.fresh = true;
        if window.setting_changed || !measurement.cost.is_finite() {
            return None;
        }
        let foreseen_s = self.present.cost().map_or(iteration_s, |cost| cost * unit_s);
        self.errors.add(iteration_s, foreseen_s);
        self.present.push(measurement);
        let known = self.measured.entry(cutoff).or_default();
        *known = (known.0 + measurement.cost.ln(), known.1 + 1.0);
        self.watch(iteration, cutoff, measurement)
    }

    /// How costs scatter.
    fn noise(&self) -> &Noise {
        if self.problems_vary { &self.scatter.1 } else { &self.scatter.0 }
    }

    /// Seconds for each unit of cost.
    fn unit_s(&self, tree: &Tree, workers: u32) -> f64 {
        if self.problems_vary { tree.work_s() / f64::from(workers.max(1)) } else { 1.0 }
    }

    fn interrupt(&mut self) {
        self.present.clear();
        self.scatter.0.interrupt();
        self.scatter.1.interrupt();
        self.errors.interrupt();
    }

    fn watch(&mut self, iteration: u64, cutoff: u32, measurement: Measurement) -> Option<Judgement> {
        let trial = self.trials.watched.as_ref()?;
        if trial.to != cutoff {
            return self.trials.miss(measurement.time_s).map(|(_, judgement)| judgement);
        }
        let (gain, promised_s) = self.expected;
        let expected = Gain { error: gain.error.hypot(self.errors.deviation()), ..gain };
        let (deviation, confidence) = (self.noise().deviation(), self.confidence);
        let rule = Rule::of(expected, deviation, confidence);
        let (_, judgement) = self.trials.measure(iteration, measurement, rule)?;
        self.errors.learn(judgement.measured_s, promised_s);
        Some(judgement)
    }

    /// By how much iterations with this depth cost more than simulated, and the standard error of that, as a difference of logarithms.
    fn residual(&self, simulated: &Forecast, unit_s: f64) -> Option<Gain> {
        let (sum, count) = self.measured.get(&simulated.depth)?;
        let mean = sum / count - (simulated.iteration_s / unit_s).ln();
        Some(Gain { mean, error: self.noise().deviation() / count.sqrt() })
    }

    /// Gain of a depth over the present one: by what was measured of both with the present technique and workers, else by the model and its
    /// errors. What the model gets wrong of a depth it gets wrong of its neighbours alike.
    fn gain(&self, now: &Now, all: &[Forecast], present: &Forecast, next: &Forecast) -> Gain {
        let noise = self.noise().deviation();
        let mean = |depth: u32| self.measured.get(&depth).map(|(sum, count)| (sum / count, *count));
        if let (Some((was, windows)), Some((is, count))) = (mean(present.depth), mean(next.depth)) {
            return Gain { mean: was - is, error: noise * (1.0 / windows + 1.0 / count).sqrt() };
        }
        let unit_s = self.unit_s(&now.tree, now.workers);
        let nearest = self.measured.keys().min_by_key(|depth| depth.abs_diff(next.depth));
        let neighbour = nearest.filter(|depth| **depth != present.depth).and_then(|depth| all.get(*depth as usize));
        let residual = self.residual(present, unit_s);
        let promise = (present.iteration_s / next.iteration_s).ln();
        let errors = correction(
            Simulated { ratio: promise.exp(), inputs: 0.0, residual },
            Simulated {
                ratio: 1.0,
                inputs: 0.0,
                residual: neighbour.and_then(|neighbour| self.residual(neighbour, unit_s)),
            },
            &[],
            (residual.map_or(0.0, |residual| residual.mean.abs()), EXACT),
        );
        // What is not known of a message may cost its worker time: whether work that waits there hides it shows only when it is measured.
        let more = next.tasks.abs_diff(present.tasks) as f64 / f64::from(now.workers.max(1));
        let messages = more * now.hand_out.as_ref().map_or(0.0, |hand_out| hand_out.message_error_s) / next.iteration_s;
        // The next problem is divided otherwise by chance.
        let error = noise.hypot(present.error).hypot(next.error).hypot(messages);
        let gain = Gain { mean: promise, error }.plus(errors);
        // A present order of the tasks that ends more evenly than most promises no iteration that is shorter than its work.
        let is = mean(present.depth).map_or((now.iteration_s / unit_s).ln(), |(cost, _)| cost);
        Gain { mean: gain.mean.min(is - (next.least_s / unit_s).ln()), ..gain }
    }

    /// The depth that gains most of those that surely gain.
    fn better(&self, now: &Now) -> Option<(Forecast, Forecast, Gain)> {
        let all = forecast::all(&now.tree, now.hand_out.as_ref()?);
        let present = Forecast { depth: now.tree.in_force, ..*all.get(now.tree.cutoff as usize)? };
        let gains = all
            .iter()
            .filter(|next| next.depth != present.depth)
            .map(|next| (next, self.gain(now, &all, &present, next)));
        let sure = gains.filter(|(_, gain)| gain.is_sure(self.confidence));
        let (next, gain) = sure.max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))?;
        Some((present, *next, gain))
    }

    /// The former depth after a change that measured worse, or one that surely gains.
    pub fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let tuning_point = tuning_points.iter().find(|point| point.name == names::CUTOFF)?;
        if !std::mem::take(&mut self.fresh) || self.trials.watched.is_some() {
            return None;
        }
        let now = self.now.clone()?;
        let from = now.tree.in_force;
        if let Some(trial) = self.trials.rollback.clone() {
            let (Some(to), Some(was_s)) = (trial.from.filter(|to| *to != from), trial.before.time_s()) else {
                self.trials.rollback = None;
                return None;
            };
            let why = format!("{} measured, not {} as before", Seconds(trial.time_s()), Seconds(was_s));
            let gain = Gain { mean: (trial.time_s() / was_s).ln(), error: self.noise().deviation() };
            let proposal = self.proposal(tuning_point, &now, (from, to, (gain, was_s)), why);
            return Some(Proposal { worth: Worth::Due, ..proposal });
        }
        let (present, next, gain) = self.better(&now)?;
        let at = |forecast: &Forecast| {
            format!(
                "{} tasks of {} at most, and the master divides and combines for {}",
                forecast.tasks,
                Seconds(forecast.longest_s),
                Seconds(forecast.serial_s)
            )
        };
        let (share, half) = gain.as_share(self.confidence);
        let why = format!(
            "at depth {} there are {}; at depth {from} {}; all problems take {}, the longest chain of them {}; gain {:.1} % +- {:.1} %",
            next.depth,
            at(&next),
            at(&present),
            Seconds(now.tree.work_s()),
            Seconds(now.tree.span_s),
            100.0 * share,
            100.0 * half
        );
        let promised_s = (now.iteration_s * (-gain.mean).exp()).max(next.least_s);
        Some(self.proposal(tuning_point, &now, (from, next.depth, (gain, promised_s)), why))
    }

    fn proposal(&mut self, tuning_point: &TuningPoint, now: &Now, proposed: Proposed, why: String) -> Proposal {
        let (from, to, (gain, predicted_s)) = proposed;
        self.proposed = Some(proposed);
        Proposal {
            tunlet: "divide_conquer".into(),
            iteration: now.iteration,
            ranks: vec![tuning_point.rank],
            assignments: vec![(tuning_point.name.clone(), f64::from(to).into())],
            tuning_point: "cut-off depth".into(),
            from: from.to_string(),
            to: to.to_string(),
            why,
            predicted_s,
            uncertainty: self.errors.half_width(gain.error, self.confidence),
            unchanged_s: now.iteration_s,
            gain: Some(gain.as_share(self.confidence)),
            worth: worth(gain, now.windows, now.iteration_s),
            ..Proposal::default()
        }
    }

    /// The proposal became a decision and was settled.
    pub fn on_settled(&mut self, decision: u64, settled: &Settled) {
        let Some((from, to, expected)) = self.proposed.take() else { return };
        let Settled::Applied { iteration } = settled else {
            self.trials.on_not_applied();
            return;
        };
        self.expected = expected;
        // It was applied before the master divided.
        self.trials.start(Trial::new(decision, Some(from), to, *iteration, self.present.clone()));
    }
}
