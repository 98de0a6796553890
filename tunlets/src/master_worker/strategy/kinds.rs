//! What a change makes of the other kinds of iterations, where kinds take turns: it is worth what all of them gain.

use super::{Busy, MasterWorker};
use crate::Window;
use crate::confidence::{Confidence, Gain};
use crate::master_worker::candidates::{self, Forecast};
use crate::master_worker::experience::{Family, family};
use crate::master_worker::workload::{Learnt, WorkloadEstimator};
use crate::model_error::{Simulated, correction};
use crate::trial::{JUDGED, WATCHED_LONG};
use midrun_models::chance::poisson_limits;
use midrun_models::line::median;
use midrun_scheduling::TechniqueParameters;
use std::collections::{BTreeMap, VecDeque};

/// What trials remember of the kinds of iterations, which the workload tells apart.
#[derive(Clone, Debug, Default)]
pub(super) struct KindsSeen {
    /// The kind that trials compare.
    watched: u64,
    /// The last iteration was of another.
    pub(super) is_exception: bool,
    /// The kind of the last exceptions in a row, and how many there were of whatever kind.
    exceptions: (u64, u32),
    /// The last iteration was of a new kind.
    was_new: bool,
    pub(super) measured: Measured,
}

/// The newest measured times of the kinds of iterations under each setting: logarithms of the time over the tasks' own, divided by the workers.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured(BTreeMap<(u64, Family), VecDeque<f64>>);

impl Measured {
    /// Adds an iteration of the present kind.
    pub(super) fn add(&mut self, workload: &WorkloadEstimator, window: &Window) {
        let ratio = window.iteration_s * f64::from(window.workers) / window.task_s();
        let times = self.0.entry((workload.kind, family(&window.setting))).or_default();
        times.push_back(ratio.ln());
        times.drain(..times.len().saturating_sub(WATCHED_LONG));
        self.0.retain(|(kind, _), _| workload.knows(*kind));
    }

    /// Another number of workers: nothing was measured with it.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// ln(measured / simulated) of a kind under a setting that was simulated, and the number of measurements.
    fn residual(&self, kind: &WorkloadEstimator, of: &Forecast) -> Option<(f64, f64)> {
        let times = self.0.get(&(kind.kind, family(&of.setting)))?;
        let simulated = of.iteration_s * f64::from(kind.workers) / kind.compute_s();
        Some((median(times.iter().copied().collect()) - simulated.ln(), times.len() as f64))
    }
}

/// What a change makes of the iterations of another kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elsewhere {
    /// As many were seen.
    seen: f64,
    /// Time of one now, seconds.
    now_s: f64,
    /// Seconds that the change saves in one, and its standard error.
    saved_s: f64,
    error_s: f64,
}

impl Elsewhere {
    /// Seconds that are saved for each iteration of the present kind, of which so many were seen. How often this kind comes is known as well as a few
    /// events tell: what is saved counts as often as it surely comes, what is lost as often as it comes at most.
    fn sure_s(&self, present: f64, confidence: Confidence) -> (f64, f64) {
        let (least, most) = poisson_limits(self.seen, confidence.level());
        let often = if self.saved_s > 0.0 { least / present } else { most / present };
        (often * self.saved_s, often * self.error_s)
    }
}

/// The gain over all kinds, where one iteration of the present kind, of which so many were seen, takes `now_s` seconds and gains so much.
pub(super) fn overall(
    gain: Gain,
    (now_s, present): (f64, f64),
    elsewhere: &[Elsewhere],
    confidence: Confidence,
) -> Gain {
    if elsewhere.is_empty() {
        return gain;
    }
    let here_s = now_s * (-gain.mean).exp();
    let before_s = now_s + elsewhere.iter().map(|kind| kind.seen / present * kind.now_s).sum::<f64>();
    let (mut saved_s, mut error_s) = (now_s - here_s, here_s * gain.error);
    for (sure_s, its_error_s) in elsewhere.iter().map(|kind| kind.sure_s(present, confidence)) {
        (saved_s, error_s) = (saved_s + sure_s, error_s.hypot(its_error_s));
    }
    let after_s = before_s - saved_s;
    Gain { mean: (before_s / after_s).ln(), error: error_s / after_s }
}

/// Mean time of an iteration over all kinds, seconds, where one of the present kind, of which so many were seen, takes `now_s`.
pub(super) fn mean_s((now_s, present): (f64, f64), elsewhere: &[Elsewhere]) -> f64 {
    let others = elsewhere.iter().map(|kind| kind.seen).sum::<f64>();
    (present * now_s + elsewhere.iter().map(|kind| kind.seen * kind.now_s).sum::<f64>()) / (present + others)
}

/// What a decision rests on beside the gain in the present kind of iterations; nothing where there is no other.
pub(super) fn text(workload: &WorkloadEstimator, here: Gain) -> String {
    let others: Vec<u32> = workload.other_kinds().map(|kind| kind.iterations()).collect();
    let (count, iterations) = (others.len(), others.iter().sum::<u32>());
    if others.is_empty() {
        return String::new();
    }
    format!(
        "; {iterations} of {} iterations are of {count} other {}, and count in the gain: {:.2} % in the present kind",
        iterations + workload.iterations(),
        if count == 1 { "kind" } else { "kinds" },
        100.0 * (1.0 - (-here.mean).exp())
    )
}

impl MasterWorker {
    /// One iteration of another kind than those before says nothing of a setting. After two of one kind in a row the work has moved, and it moves on where
    /// each is of a new kind, or none is of the former one for as long as a change is given: measurements before do not compare with those after it.
    pub(super) fn note_kind(&mut self, learnt: Learnt) {
        let Some((kind, seen)) = self.workload.as_ref().map(|known| (known.kind, known.iterations())) else { return };
        let is_new = learnt == Learnt::Anew;
        let moves_on = std::mem::replace(&mut self.kinds.was_new, is_new) && is_new;
        let was_exception = std::mem::replace(&mut self.kinds.is_exception, kind != self.kinds.watched);
        let (last, count) = self.kinds.exceptions;
        self.kinds.exceptions = if self.kinds.is_exception { (kind, count + 1) } else { (kind, 0) };
        if self.kinds.is_exception && (moves_on || (was_exception && (kind == last || count + 1 >= JUDGED))) {
            (self.kinds.watched, self.kinds.is_exception, self.kinds.exceptions) = (kind, false, (kind, 0));
            // A change cannot have made what was there before.
            if seen > 2 {
                self.trials.forget_before();
                self.on_moved();
            } else {
                self.trials.on_other_work();
            }
            self.present.clear();
            self.busy = Busy::default();
        }
        if self.kinds.is_exception || was_exception {
            // The next iteration does not follow the last one.
            self.experience.interrupt();
            self.errors.interrupt();
            self.places.interrupt();
        }
    }

    /// What a change from `current` to each of `settings` makes of other kinds of iterations.
    pub(super) fn elsewhere(
        &self,
        kinds: &[WorkloadEstimator],
        current: TechniqueParameters,
        settings: &[TechniqueParameters],
    ) -> Vec<Vec<Elsewhere>> {
        let of_kinds: Vec<Vec<Elsewhere>> = kinds.iter().map(|kind| self.of_kind(kind, current, settings)).collect();
        (0..settings.len()).map(|at| of_kinds.iter().map(|of_kind| of_kind[at]).collect()).collect()
    }

    fn of_kind(
        &self,
        kind: &WorkloadEstimator,
        current: TechniqueParameters,
        settings: &[TechniqueParameters],
    ) -> Vec<Elsewhere> {
        let (now, there) = candidates::compare(kind, current, settings, self.confidence);
        let simulated =
            |of: &Forecast| Simulated { ratio: of.ratio, inputs: kind.excess_error(of.ratio), residual: None };
        let known = (self.experience.late(), self.trials.own_error());
        // An end that is less even than simulated: nobody knows where the dear tasks were.
        let (uneven, count) = self.kinds.measured.residual(kind, &now).unwrap_or((0.0, 1.0));
        let (now_s, chance) = (now.iteration_s * uneven.exp(), self.experience.noise() / count.sqrt());
        let seen = f64::from(kind.iterations());
        let of_setting = |there: &Forecast| {
            if let Some((by, count)) = self.kinds.measured.residual(kind, there) {
                let there_s = there.iteration_s * by.exp();
                let error_s = there_s * chance.hypot(self.experience.noise() / count.sqrt());
                return Elsewhere { seen, now_s, saved_s: now_s - there_s, error_s };
            }
            let gain = there.gain.plus(correction(simulated(&now), simulated(there), &[], known));
            // A setting that ends evenly wherever they are does not share it, but for the longest task (Graham 1969).
            let evens = candidates::ends_evenly(&there.setting) && !candidates::ends_evenly(&current);
            let least_s = kind.longest_s.max(there.iteration_s);
            let evened = if evens { uneven.min((now_s / least_s).ln()).max(0.0) } else { 0.0 };
            let gain = gain.plus(Gain { mean: evened, error: if evened > 0.0 { chance } else { 0.0 } });
            let there_s = now_s * (-gain.mean).exp();
            Elsewhere { seen, now_s, saved_s: now_s - there_s, error_s: there_s * gain.error }
        };
        there.iter().map(of_setting).collect()
    }

    /// The gain in the present kind of iterations that the change being watched must have, as a difference of logarithms: what the other kinds
    /// lose by it; or, negative, what they gain is what it may lose.
    pub(super) fn least_gain(&self) -> Gain {
        let (Some(workload), Some(trial)) = (&self.workload, &self.trials.watched) else { return Gain::NONE };
        let (Some(from), Some(before_s)) = (&trial.from, trial.before.time_s()) else { return Gain::NONE };
        if from.own.is_some() {
            return Gain::NONE;
        }
        let kinds: Vec<WorkloadEstimator> = workload.other_kinds().collect();
        let (mut saved_s, mut error_s) = (0.0, 0.0_f64);
        for kind in self.elsewhere(&kinds, from.technique, &[trial.to.technique]).iter().flatten() {
            let often = kind.seen / f64::from(workload.iterations());
            saved_s += often * kind.saved_s;
            // As often as it was counted, and that scatters by its root (Poisson).
            error_s = error_s.hypot(often * kind.error_s.hypot(kind.saved_s / kind.seen.sqrt()));
        }
        // What is lost elsewhere no gain may make up for: so it counts as a share, whose logarithm need not exist.
        let share = saved_s / before_s;
        if share < 0.0 {
            return Gain { mean: -share, error: error_s / before_s };
        }
        Gain { mean: -share.ln_1p(), error: error_s / before_s / (1.0 + share) }
    }
}
