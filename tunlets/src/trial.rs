//! One trial for all tunlets: a change is applied, watched, judged, and kept or rolled back.
//!
//! A tunlet measures each window as a cost (what its objective minimises) and a time. [`Trials`] watches one change at a
//! time. A [`Rule`] says how many windows are watched and when the change counts as worse. [`Tabu`] remembers what was
//! rolled back.

use midrun_models::line::{median, robust_deviation};
use std::collections::VecDeque;

use crate::confidence::{Confidence, Gain};
use crate::model_error::OwnError;
use crate::{Judgement, Proposal, Verdict, Worth};

/// Iterations from the one after which a change is decided to the first that runs with it as a whole.
pub const AHEAD: u64 = 2;
/// Whole windows that a change is watched before it is judged.
pub const WATCHED: usize = 2;
/// Windows from a decision to its judgement at the earliest. What does not show for as long is given up.
pub const JUDGED: u32 = AHEAD as u32 + WATCHED as u32;
/// Windows after which a change is judged by what is more likely, though it is not sure.
pub const WATCHED_LONG: usize = 8;
/// Measurements before a change that it is compared with.
pub const REMEMBERED: usize = 4;
/// Errors of the models beside chance, as a share of the time.
pub const MODEL: f64 = 0.03;
/// One window under one setting.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// What the tunlet's objective minimises.
    pub cost: f64,
    /// Iteration time, or time between two outputs, seconds.
    pub time_s: f64,
    /// Share of the time for which the rank that lacked a core longest had none while it computed, at least; see [`run_delays_apart`].
    pub run_delay: f64,
    /// Tasks, where times are compared for each.
    pub tasks: f64,
}

impl Measurement {
    /// One of as much work as any other, by ranks of which nobody knows that they lacked cores.
    pub fn new(cost: f64, time_s: f64) -> Measurement {
        Measurement { cost, time_s, run_delay: 0.0, tasks: 1.0 }
    }
}

fn costs(of: &[Measurement]) -> Vec<f64> {
    of.iter().map(|measurement| measurement.cost).collect()
}

fn times_s(of: &[Measurement]) -> Vec<f64> {
    of.iter().map(|measurement| measurement.time_s).collect()
}

fn per_task_s(of: &[Measurement]) -> Vec<f64> {
    of.iter().map(|measurement| measurement.time_s / measurement.tasks).collect()
}

fn run_delay(of: &[Measurement]) -> f64 {
    median(of.iter().map(|measurement| measurement.run_delay).collect())
}

fn time_s(of: &[Measurement]) -> Option<f64> {
    (!of.is_empty()).then(|| median(times_s(of)))
}

/// By how much costs move from window to window beyond what chance explains, as a difference of logarithms.
fn drift(costs: &[f64], rule: Rule) -> f64 {
    let steps: Vec<f64> = costs.windows(2).map(|pair| (pair[1] / pair[0]).ln()).collect();
    let step = if steps.is_empty() { 0.0 } else { median(steps) };
    (step.abs() - rule.confidence.two_sided() * rule.deviation).max(0.0)
}

/// Standard error of one measurement beside another, as a difference of logarithms, where ranks had no core for these shares of the time: what they
/// lacked cores for may have made all of the difference that it can make, in one of them.
pub fn run_delays_apart((before, since): (f64, f64)) -> f64 {
    let with_cores = |run_delay: f64| (1.0 - run_delay).max(f64::EPSILON);
    (with_cores(before) / with_cores(since)).ln().abs()
}

/// The newest measurements under the present setting.
#[derive(Clone, Debug, Default)]
pub struct Measurements(VecDeque<Measurement>);

impl Measurements {
    /// Adds one and drops the oldest beyond [`REMEMBERED`].
    pub fn push(&mut self, measurement: Measurement) {
        self.0.push_back(measurement);
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn list(&self) -> Vec<Measurement> {
        self.0.iter().copied().collect()
    }

    /// Median cost; `None` without measurements.
    pub fn cost(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| median(costs(&self.list())))
    }

    /// Median time, seconds; `None` without measurements.
    pub fn time_s(&self) -> Option<f64> {
        time_s(&self.list())
    }

    /// Median time of a task, seconds; `None` without measurements.
    pub fn per_task_s(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| median(per_task_s(&self.list())))
    }
}

impl From<Measurement> for Measurements {
    fn from(only: Measurement) -> Measurements {
        Measurements(VecDeque::from([only]))
    }
}

/// When a change is judged, and when it counts as worse: it is rolled back as soon as it is a loss at the confidence level, by what was
/// expected of it and what was measured since, and kept as soon as it is a gain (see [`Rule::must_show`]).
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Windows that must have been measured with the change.
    pub windows: usize,
    /// Gain that was expected of the change.
    pub expected: Gain,
    /// Whether a measurement that contradicts what was expected counts alone, and a loss that is likely, and not sure, goes back in the end.
    pub refutable: bool,
    /// Gain that it must have to be kept, as a difference of logarithms.
    pub least: Gain,
    /// Standard deviation of one cost, as a share of it.
    pub deviation: f64,
    /// Whether a gain must show before the change is kept, if there is time to watch on: one that is sure only by what was expected, while what was
    /// measured speaks against it, gives way to others meanwhile.
    pub must_show: bool,
    /// Confidence level of the verdict.
    pub confidence: Confidence,
}

impl Rule {
    /// The usual rule of what was expected, where one cost scatters by `deviation`, as a share.
    pub fn of(expected: Gain, deviation: f64, confidence: Confidence) -> Rule {
        Rule { windows: WATCHED, expected, refutable: true, least: Gain::NONE, deviation, must_show: false, confidence }
    }

    /// Says when a change of `cost` is rolled back; see [`Rule::refutable`].
    pub fn explain(cost: &str, refutable: bool, confidence: Confidence) -> String {
        let stays = if refutable { "what is more likely the better stays" } else { "it stays" };
        format!(
            "it is rolled back once {cost} is higher than before with a probability of {confidence}, by what was expected and what was \
             measured, and kept once it is lower; after {WATCHED_LONG} windows without either {stays}"
        )
    }

    /// What is sure of a change that was `measured`.
    fn weigh(self, measured: Gain) -> Known {
        // It is asked after each of the windows.
        let looks = self.confidence.in_series(1, WATCHED_LONG - WATCHED + 1);
        let gain = match self.refutable {
            true => self.expected.unless_refuted(measured, looks),
            false => self.expected.after(measured),
        };
        let beyond = |gain: Gain| Gain { mean: gain.mean - self.least.mean, error: gain.error.hypot(self.least.error) };
        let better = beyond(gain).probability();
        let is_sure = better.max(1.0 - better) >= self.confidence.level();
        let is_promise = self.must_show && is_sure && better > 0.5 && beyond(measured).mean < 0.0;
        Known { gain, better, is_sure, is_promise }
    }

    /// The verdict on a change that was `measured` in so many windows, and where that is not sure, how far the two settings may lie apart, as a
    /// share of the cost; `None` while it is not sure, or only a promise, and there is time to watch on.
    fn judge(self, measured: Gain, windows: usize) -> Option<(Verdict, Option<f64>)> {
        let Known { gain, better, is_sure, is_promise } = self.weigh(measured);
        let apart = (!is_sure).then(|| gain.mean.abs() + self.confidence.two_sided() * gain.error);
        let is_worse = better < 0.5 && (is_sure || self.refutable);
        let verdict = if is_worse { Verdict::RolledBack } else { Verdict::Kept };
        ((is_sure && !is_promise) || windows >= WATCHED_LONG).then_some((verdict, apart))
    }
}

/// What is known of a change: its gain, and the probability that it is one.
struct Known {
    gain: Gain,
    better: f64,
    /// It is one, or none.
    is_sure: bool,
    /// It is surely one by what was expected alone: what was measured speaks against it.
    is_promise: bool,
}

/// Half the width of the interval in which the median of the watched windows is expected, as a share of the prediction: two
/// standard errors of chance and of the model's inputs, and the model's own error. `deviation` is that of one iteration.
pub fn uncertainty(deviation: f64, input_error: f64) -> f64 {
    2.0 * (deviation / (WATCHED as f64).sqrt()).hypot(input_error) + MODEL
}

/// What a change is worth after `seen` windows of so many iterations (see [`crate::Window::so_far`]) that take `iteration_s` seconds each: as many are
/// to come (Lindy's rule), and a loss is taken back after [`JUDGED`].
pub fn worth(gain: Gain, (seen, iterations): (u64, u64), iteration_s: f64) -> Worth {
    Worth::Seconds(gain.saves(seen, JUDGED) * iterations as f64 * iteration_s)
}

/// Whether windows that came while a proposal was thought, of so many seconds each, were in the middle as short as it promises, without it. What is due
/// is not asked so, nor what promises no shorter ones.
pub fn is_outdated(proposal: &Proposal, since_s: Vec<f64>) -> bool {
    let promises = proposal.worth != Worth::Due && proposal.predicted_s < proposal.unchanged_s;
    promises && since_s.len() >= WATCHED && median(since_s) <= proposal.predicted_s
}

/// A change that is in force and being watched. `S` is what the tunlet changes.
#[derive(Clone, Debug)]
pub struct Trial<S> {
    /// Number of the decision.
    pub decision: u64,
    /// Setting to roll back to; `None` if the change is kept whatever it measures.
    pub from: Option<S>,
    /// Setting in force now.
    pub to: S,
    /// First iteration that runs with the change from its beginning.
    pub first: u64,
    /// Measurements before the change; empty if there is nothing to compare with.
    pub before: Measurements,
    since: Vec<Measurement>,
    /// Standard error of what was measured before, where something else than chance makes it uncertain, as a difference of logarithms.
    before_error: f64,
    /// Seconds for each unit of cost, for the work that a time was foreseen of; `None` where windows have the same work, or cost no time.
    unit_s: Option<f64>,
    missed: u32,
    /// It is the way back from another: what is no sure loss stays.
    is_back: bool,
    /// The work seems to be another since the change: that may be its effect.
    other_work: bool,
    /// See [`Trial::gives_way`].
    gives_way: bool,
}

impl<S> Trial<S> {
    /// Begins the trial of decision `decision`, which set `to` and counts from iteration `first` on.
    pub fn new(decision: u64, from: Option<S>, to: S, first: u64, before: Measurements) -> Trial<S> {
        Trial {
            decision,
            from,
            to,
            first,
            before,
            since: Vec::new(),
            before_error: 0.0,
            unit_s: None,
            missed: 0,
            is_back: false,
            other_work: false,
            gives_way: false,
        }
    }

    /// The same where what was measured before has a further standard error, as a difference of logarithms.
    pub fn uncertain_by(self, before_error: f64) -> Trial<S> {
        Trial { before_error, ..self }
    }

    /// The same where times of a task are compared, and no costs per work.
    pub fn by_time(self) -> Trial<S> {
        Trial { other_work: true, ..self }
    }

    /// The same where the time that is told is that of the work that was foreseen, of which a unit of cost takes so many seconds.
    pub fn of_work(self, unit_s: f64) -> Trial<S> {
        Trial { unit_s: Some(unit_s).filter(|unit_s| unit_s.is_finite()), ..self }
    }

    /// Median cost with the change; NaN if none was measured.
    pub fn cost(&self) -> f64 {
        if self.since.is_empty() { f64::NAN } else { median(costs(&self.since)) }
    }

    /// Median time with the change, seconds; NaN if none was measured.
    pub fn time_s(&self) -> f64 {
        time_s(&self.since).unwrap_or(f64::NAN)
    }

    /// The measured time to be told, seconds: of the work that was foreseen, where windows differ in theirs; of the tasks of the last window before the change, where
    /// times of tasks are compared.
    fn told_s(&self) -> f64 {
        match (self.unit_s, self.before.0.back()) {
            (Some(unit_s), _) if !self.other_work => unit_s * self.cost(),
            (_, Some(last)) if self.other_work => self.per_task_s() * last.tasks,
            _ => self.time_s(),
        }
    }

    /// Median time of a task with the change, seconds; NaN if none was measured.
    pub fn per_task_s(&self) -> f64 {
        if self.since.is_empty() { f64::NAN } else { median(per_task_s(&self.since)) }
    }

    /// Whether times are compared, and no costs per work.
    pub fn compares_times(&self) -> bool {
        self.other_work
    }

    /// Whether another change may take over: it is watched on only because what was measured does not bear out what was expected.
    pub fn gives_way(&self) -> bool {
        self.gives_way
    }

    /// See [`Rule::judge`].
    fn verdict(&self, rule: Rule) -> Option<(Verdict, Option<f64>)> {
        if self.since.len() < rule.windows {
            return None;
        }
        match self.measured(rule).filter(|_| self.from.is_some()) {
            Some(measured) => rule.judge(measured, self.since.len()),
            // Without anything to compare with, or to go back to, it is kept.
            None => Some((Verdict::Kept, None)),
        }
    }

    /// The gain that was measured, where one window scatters by the rule's deviation; `None` if there is nothing to compare.
    fn measured(&self, rule: Rule) -> Option<Gain> {
        let of = if self.other_work { per_task_s } else { costs };
        let (before, since) = (of(&self.before.list()), of(&self.since));
        let cores = run_delays_apart(self.run_delays()?);
        let usual = median(since.clone());
        // Where the watched windows lie farther apart than windows did before, one of them may have been stalled.
        let apart = robust_deviation(since.iter().map(|cost| (cost / usual).ln()));
        let chance = rule.deviation.max(apart) * (1.0 / before.len() as f64 + 1.0 / since.len() as f64).sqrt();
        // What moved before the change moves on: from the middle of those windows to that of these.
        let lag = 0.5 * (before.len() + since.len()) as f64 - 1.0 + AHEAD as f64;
        let error = chance.hypot(lag * drift(&before, rule)).hypot(self.before_error).hypot(cores);
        let mean = (median(before) / usual).ln();
        mean.is_finite().then_some(Gain { mean, error })
    }

    /// For which shares of the time ranks had no core before and since; `None` if there is nothing to compare.
    fn run_delays(&self) -> Option<(f64, f64)> {
        let before = self.before.list();
        (!before.is_empty() && !self.since.is_empty()).then(|| (run_delay(&before), run_delay(&self.since)))
    }
}

/// The change being watched, and the one that must be rolled back.
#[derive(Clone, Debug)]
pub struct Trials<S> {
    /// The change being watched.
    pub watched: Option<Trial<S>>,
    /// The last change measured worse: its `from` is proposed until it is in force.
    pub rollback: Option<Trial<S>>,
    /// As often the way back was not applied.
    refused: u32,
    /// What the changes that were judged say of the model.
    own_error: OwnError,
}

impl<S> Default for Trials<S> {
    fn default() -> Self {
        Trials { watched: None, rollback: None, refused: 0, own_error: OwnError::default() }
    }
}

impl<S: Clone> Trials<S> {
    /// Watches a change that was applied. If it was the rollback, that is done.
    pub fn start(&mut self, trial: Trial<S>) {
        let is_back = self.rollback.is_some();
        (self.watched, self.rollback, self.refused) = (Some(Trial { is_back, ..trial }), None, 0);
    }

    /// What was proposed is no way back: if it is applied, there is none any more.
    pub fn abandon_rollback(&mut self) {
        (self.rollback, self.refused) = (None, 0);
    }

    /// What was proposed was not applied. After [`JUDGED`] times the way back is given up: what is in force stays.
    pub fn on_not_applied(&mut self) {
        self.refused += u32::from(self.rollback.is_some());
        if self.refused == JUDGED {
            (self.rollback, self.refused) = (None, 0);
        }
    }

    /// Adds the measurement of iteration `iteration`; returns the change and the judgement once the rule allows one.
    pub fn measure(&mut self, iteration: u64, measurement: Measurement, rule: Rule) -> Option<(Trial<S>, Judgement)> {
        let trial = self.watched.as_mut().filter(|trial| iteration >= trial.first)?;
        trial.since.push(measurement);
        let rule = Rule { refutable: rule.refutable && !trial.is_back, ..rule };
        let Some((verdict, apart)) = trial.verdict(rule) else {
            trial.gives_way = trial.since.len() >= rule.windows
                && trial.measured(rule).is_some_and(|gain| rule.weigh(gain).is_promise);
            return None;
        };
        let trial = self.watched.take()?;
        let measured = trial.measured(rule);
        if let Some(measured) = measured {
            self.own_error.learn(rule.expected, measured, rule.confidence);
        }
        // Told where they are what makes it uncertain most.
        let is_most =
            |run_delays| measured.is_some_and(|of| 2.0 * run_delays_apart(run_delays).powi(2) > of.error.powi(2));
        let run_delays = trial.run_delays().filter(|run_delays| is_most(*run_delays));
        let judgement = Judgement { decision: trial.decision, measured_s: trial.told_s(), verdict, apart, run_delays };
        if verdict == Verdict::RolledBack {
            self.rollback = Some(trial.clone());
        }
        Some((trial, judgement))
    }

    /// Standard deviation of what the model gets wrong of one balanced setting alone, as a difference of logarithms: by the changes so far.
    pub fn own_error(&self) -> f64 {
        self.own_error.deviation()
    }

    /// Counts a window in which the change was not in force; after [`JUDGED`] of them it is given up.
    pub fn miss(&mut self, measured_s: f64) -> Option<(Trial<S>, Judgement)> {
        let trial = self.watched.as_mut()?;
        trial.missed += 1;
        if trial.missed < JUDGED {
            return None;
        }
        let trial = self.watched.take()?;
        let judgement = Judgement::new(trial.decision, measured_s, Verdict::NotApplied);
        Some((trial, judgement))
    }

    /// Ends the trial with `verdict`; no judgement if nothing was measured.
    pub fn end(&mut self, verdict: Verdict) -> Option<Judgement> {
        let trial = self.watched.take().filter(|trial| !trial.since.is_empty())?;
        Some(Judgement::new(trial.decision, trial.told_s(), verdict))
    }

    /// The program's work is another since this window. If no window of the change was measured before, it may be its effect, as where ranks
    /// share cores: then times are compared, and no costs per work.
    pub fn on_other_work(&mut self) {
        match &mut self.watched {
            Some(trial) if trial.since.is_empty() => trial.other_work = true,
            _ => self.forget_before(),
        }
    }

    /// Whether the change being watched is judged by times.
    pub fn compares_times(&self) -> bool {
        self.watched.as_ref().is_some_and(Trial::compares_times)
    }

    /// Forgets what was measured before the change: the program has changed since.
    pub fn forget_before(&mut self) {
        if let Some(trial) = &mut self.watched {
            trial.before.clear();
        }
    }
}

/// Settings that were rolled back, and the iteration until which each is not tried again.
#[derive(Clone, Debug)]
pub struct Tabu<K>(Vec<(K, u64)>);

impl<K> Default for Tabu<K> {
    fn default() -> Self {
        Tabu(Vec::new())
    }
}

impl<K: PartialEq> Tabu<K> {
    /// Forbids a setting that failed in iteration `iteration` until the run is twice as old: what held so far holds for as long again
    /// (Lindy's rule).
    pub fn add(&mut self, setting: K, iteration: u64) {
        self.0.retain(|(known, until)| *until > iteration && *known != setting);
        self.0.push((setting, 2 * iteration + 1));
    }

    /// Whether a setting may be tried in `iteration`.
    pub fn allows(&self, setting: &K, iteration: u64) -> bool {
        !self.0.iter().any(|(known, until)| known == setting && iteration < *until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change that shows after two windows, of which one scatters by so much.
    fn rule(expected: Gain, deviation: f64) -> Rule {
        Rule { must_show: true, ..Rule::of(expected, deviation, Confidence::default()) }
    }

    /// The verdict after `since`, where a gain of `expected` was expected and one cost scatters by 1 %.
    fn verdict(before: &[f64], expected: Gain, since: &[f64], least: f64) -> Option<Verdict> {
        let measurement = |cost: &f64| Measurement::new(*cost, *cost);
        let mut known = Measurements::default();
        before.iter().for_each(|cost| known.push(measurement(cost)));
        let mut trial = Trial::new(0, Some(()), (), 0, known);
        trial.since = since.iter().map(measurement).collect();
        let judged = trial.verdict(Rule { least: Gain { mean: least, error: 0.0 }, ..rule(expected, 0.01) });
        judged.map(|(verdict, _)| verdict)
    }

    #[test]
    fn what_measures_worse_than_before_goes_back_unless_what_was_expected_outweighs_it() {
        let unknown = Gain::UNKNOWN;
        let [sure, small] = [(0.2, 0.001), (0.02, 0.005)].map(|(mean, error)| Gain { mean, error });
        assert_eq!(verdict(&[1.0, 1.0], unknown, &[1.2, 1.2], 0.0), Some(Verdict::RolledBack));
        assert_eq!(verdict(&[1.0, 1.0], unknown, &[0.9, 0.9], 0.0), Some(Verdict::Kept));
        assert_eq!(verdict(&[1.0, 1.0], small, &[1.0, 1.0], 0.0), Some(Verdict::Kept), "disturbed, more likely");
        assert_eq!(verdict(&[1.0, 1.0], sure, &[1.01, 1.01], 0.0), None, "refuted, but no sure loss");
        assert_eq!(verdict(&[1.0, 1.0], sure, &[1.2, 1.2], 0.0), Some(Verdict::RolledBack), "refuted");
        assert_eq!(verdict(&[1.0, 1.0], unknown, &[1.2], 0.0), None, "one window says nothing");
        assert_eq!(verdict(&[1.0, 1.0], unknown, &[1.005, 0.995], 0.0), None, "such a difference can be chance");
        assert_eq!(verdict(&[1.0; 4], unknown, &[1.0; 8], 0.0), Some(Verdict::Kept), "what cannot be told for long");
        assert_eq!(verdict(&[1.0; 4], unknown, &[1.005; 7], 0.0), None, "a loss is likely, and not sure");
        assert_eq!(verdict(&[1.0; 4], unknown, &[1.005; 8], 0.0), Some(Verdict::RolledBack), "nor will it be");
        assert_eq!(verdict(&[1.0, 1.0], unknown, &[0.98, 0.98], 0.05), Some(Verdict::RolledBack), "too small a gain");
        assert_eq!(verdict(&[], unknown, &[9.0, 9.0], 0.0), Some(Verdict::Kept), "nothing to compare with");
    }

    #[test]
    fn what_was_not_really_measured_before_takes_no_change_back() {
        let verdict = |before_error: f64, windows: usize| {
            let before = Measurements::from(Measurement::new(1.0, 1.0));
            let mut trial = Trial::new(0, Some(()), (), 0, before).uncertain_by(before_error);
            trial.since = vec![Measurement::new(1.3, 1.3); windows];
            let expected = Gain { mean: 0.08, error: 0.02 };
            let rule = rule(expected, 0.01);
            trial.verdict(rule).map(|(verdict, _)| verdict)
        };
        assert_eq!(verdict(0.0, 2), Some(Verdict::RolledBack));
        assert_eq!(verdict(0.25, 2), None, "nothing that was measured speaks for it");
        assert_eq!(verdict(0.25, WATCHED_LONG), Some(Verdict::Kept), "the expectation is surer than the measurement");
    }

    #[test]
    fn a_change_that_was_measured_while_ranks_lacked_cores_is_not_taken_back_for_that() {
        let judged = |run_delay: f64| {
            let mut trials = Trials::default();
            let mut before = Measurements::default();
            (0..3).for_each(|_| before.push(Measurement { run_delay: 0.02, ..Measurement::new(1.0, 1.0) }));
            trials.start(Trial::new(0, Some("a"), "b", 1, before));
            let rule = rule(Gain { mean: 0.06, error: 0.02 }, 0.01);
            let disturbed = Measurement { run_delay, ..Measurement::new(1.9, 1.9) };
            let (windows, judgement) = (1..).find_map(|k| Some((k, trials.measure(k, disturbed, rule)?.1))).unwrap();
            (windows as usize, judgement.verdict, judgement.run_delays)
        };
        assert_eq!(judged(0.02), (WATCHED, Verdict::RolledBack, None));
        assert_eq!(judged(0.5), (WATCHED_LONG, Verdict::Kept, Some((0.02, 0.5))));
        assert!(run_delays_apart((1.0, 0.0)).is_finite() && run_delays_apart((1.0, 1.0)) == 0.0);
    }

    #[test]
    fn a_change_that_is_good_by_its_promise_alone_is_watched_on_and_gives_way() {
        let mut trials = Trials::default();
        let before = Measurements::from(Measurement::new(1.0, 1.0));
        trials.start(Trial::new(0, Some("a"), "b", 1, before));
        let rule = rule(Gain { mean: 0.05, error: 0.02 }, 0.3);
        let mut measure = |iteration, cost| {
            let judged = trials.measure(iteration, Measurement::new(cost, cost), rule);
            (judged.map(|(_, judgement)| judgement.verdict), trials.watched.as_ref().is_some_and(Trial::gives_way))
        };
        assert_eq!(measure(1, 1.3), (None, false));
        assert_eq!(measure(2, 1.3), (None, true), "what was measured says nothing for it");
        assert_eq!(measure(3, 0.9), (None, true));
        assert_eq!(measure(4, 0.9), (None, true), "in the middle still 1.1");
        assert_eq!(measure(5, 0.9), (Some(Verdict::Kept), false));
    }

    #[test]
    fn a_verdict_that_is_not_sure_says_how_far_the_settings_may_lie_apart() {
        let rule = rule(Gain::UNKNOWN, 0.01);
        let judge = |mean, windows| rule.judge(Gain { mean, error: 0.01 }, windows);
        assert_eq!(judge(0.02, 2), Some((Verdict::Kept, None)));
        assert_eq!(judge(-0.02, 2), Some((Verdict::RolledBack, None)));
        assert_eq!(judge(-0.01, WATCHED_LONG - 1), None);
        let (verdict, apart) = judge(-0.01, WATCHED_LONG).unwrap();
        assert!(verdict == Verdict::RolledBack && (apart.unwrap() - 0.0296).abs() < 1e-4, "{apart:?}");
    }

    #[test]
    fn what_the_change_makes_of_the_work_is_judged_by_time() {
        let rule = |expected| rule(expected, 0.05);
        let expected = Gain { mean: 0.05, error: 0.02 };
        // Of half the work per task, as it seems, in half the time; or in more.
        for (time_s, verdict) in [(0.5, Verdict::Kept), (1.6, Verdict::RolledBack)] {
            let mut trials = Trials::default();
            let before = Measurements::from(Measurement::new(1.1, 1.0));
            trials.start(Trial::new(0, Some("a"), "b", 1, before));
            trials.on_other_work();
            let measurement = Measurement::new(2.2 * time_s, time_s);
            let judged = (1..4).find_map(|k| trials.measure(k, measurement, rule(expected)));
            assert_eq!(judged.map(|(_, judgement)| judgement.verdict), Some(verdict), "{time_s}");
            assert!(trials.own_error() > crate::model_error::EXACT, "neither was expected");
        }
        let mut trials = Trials::default();
        trials.start(Trial::new(0, Some("a"), "b", 1, Measurements::from(Measurement::new(1.0, 1.0))));
        let slow = Measurement::new(9.0, 9.0);
        assert!(trials.measure(1, slow, rule(expected)).is_none());
        trials.on_other_work();
        let judged = trials.measure(2, slow, rule(expected)).map(|(_, judgement)| judgement.verdict);
        assert_eq!(judged, Some(Verdict::Kept), "the program changed later: nothing to compare with");
    }

    #[test]
    fn the_time_that_is_told_is_that_of_the_work_that_was_foreseen() {
        let rule = rule(Gain { mean: 0.1, error: 0.02 }, 0.01);
        let mut trials = Trials::default();
        let before = Measurements::from(Measurement::new(1.1, 0.55));
        trials.start(Trial::new(0, Some("a"), "b", 1, before).of_work(0.5));
        // Twice as much work, and then a tenth of it.
        assert!(trials.measure(1, Measurement::new(1.0, 1.0), rule).is_none());
        let judged = trials.measure(2, Measurement::new(1.0, 0.05), rule).map(|(_, judgement)| judgement);
        assert!(judged.is_some_and(|judged| judged.verdict == Verdict::Kept && judged.measured_s == 0.5), "{judged:?}");
    }

    #[test]
    fn times_of_tasks_are_compared_where_their_number_differs() {
        let judged = |per_task_s: f64| {
            let mut trials = Trials::default();
            let of = |tasks: f64, per_task_s: f64| Measurement { tasks, ..Measurement::new(1.0, tasks * per_task_s) };
            trials.start(Trial::new(0, Some("a"), "b", 1, Measurements::from(of(100.0, 1e-3))).by_time());
            let judge = |k: u64| trials.measure(k, of(1000.0 + k as f64, per_task_s), rule(Gain::UNKNOWN, 0.01));
            (1..4).find_map(judge).map(|(_, judgement)| (judgement.verdict, (judgement.measured_s * 1e3).round()))
        };
        assert_eq!(judged(0.8e-3), Some((Verdict::Kept, 80.0)));
        assert_eq!(judged(1.2e-3), Some((Verdict::RolledBack, 120.0)));
    }

    #[test]
    fn a_way_back_that_nobody_takes_is_given_up() {
        let mut trials = Trials::default();
        let back = || Some(Trial::new(0, Some("a"), "b", 1, Measurements::default()));
        for _ in 0..2 {
            trials.rollback = back();
            let kept = (0..JUDGED).take_while(|_| {
                trials.on_not_applied();
                trials.rollback.is_some()
            });
            assert_eq!(kept.count() as u32, JUDGED - 1);
        }
        trials.on_not_applied();
        trials.rollback = back();
        trials.on_not_applied();
        assert!(trials.rollback.is_some(), "what was refused before was no way back");
    }

    #[test]
    fn what_is_measured_without_a_change_while_it_is_thought_outdates_its_promise() {
        let proposal = |worth, predicted_s| Proposal { worth, predicted_s, unchanged_s: 0.1, ..Proposal::default() };
        let after = |proposal: Proposal, since_s: &[f64]| is_outdated(&proposal, since_s.to_vec());
        let promise = || proposal(Worth::Seconds(1.0), 0.05);
        assert!(after(promise(), &[0.02, 0.03, 0.9]) && !after(promise(), &[0.09, 0.1]));
        assert!(!after(promise(), &[0.02]), "one may be an exception");
        assert!(!after(proposal(Worth::Due, 0.05), &[0.02, 0.02]), "a way back is not asked");
        assert!(!after(proposal(Worth::Unknown, 0.2), &[0.1, 0.1]), "fewer workers, for longer");
        assert!(!after(proposal(Worth::Unknown, f64::NAN), &[0.1, 0.1]), "a search promises nothing");
    }

    #[test]
    fn what_failed_is_not_tried_again_before_the_run_is_twice_as_old() {
        let mut tabu = Tabu::default();
        tabu.add("a", 20);
        assert!(!tabu.allows(&"a", 40) && tabu.allows(&"a", 41) && tabu.allows(&"b", 20));
    }
}
