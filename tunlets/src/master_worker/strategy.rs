//! Chooses the next change from the estimates, the simulated candidates and the trials: at most one change at a time.

mod cadence;
mod explanation;
mod growing;
mod kinds;
mod next_run;
mod number;
mod obstacles;
mod other_work;
mod over_start;
mod own_chunks;
mod weighing;

use super::candidates;
use super::experience::{Experience, Family, family};
use super::own_chunks::OwnChunks;
use super::regime::{Busy, Regime};
use super::workers::{self, Workers};
use super::workload::{Learnt, WorkloadEstimator};
use crate::confidence::{Confidence, Gain};
use crate::options::Objective;
use crate::prediction_errors::PredictionErrors;
use crate::trial::{JUDGED, Measurement, Measurements, Rule, Trial, Trials, worth};
use crate::tuning_point::names;
use crate::{
    Explanation, Judgement, Observation, Proposal, Refusal, Report, Settled, TuningPoint, Tunlet, Verdict, Window,
    Worth,
};
use cadence::Cadence;
use kinds::KindsSeen;
use midrun_models::batches::Rest;
use midrun_models::simulate::SimInput;
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_vocabulary::Seconds;
use next_run::NotSet;
pub use obstacles::MOST_TASKS;
use obstacles::Obstacles;
use other_work::OtherWork;
use weighing::Weighed;
pub use weighing::{explain, preferred};

/// Technique that the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Any technique.
    Auto,
    /// This technique; only its parameters are adapted.
    Fixed(Technique),
}

/// What a trial compares: the technique, or the values by which a program cuts chunks by itself.
#[derive(Clone, Debug, PartialEq)]
struct Setting {
    technique: TechniqueParameters,
    own: Option<Vec<f64>>,
}

/// The proposal in flight.
#[derive(Clone, Debug)]
enum Change {
    /// From and to a technique, and the gain that is expected.
    Technique(TechniqueParameters, TechniqueParameters, Gain),
    /// Of a program's own chunks: from these values, `None` for a rollback; and the gain that is expected.
    Own(Option<Vec<f64>>, Gain),
    /// From and to a number of workers, with the setting that goes with it.
    Workers(u32, u32, TechniqueParameters),
    /// Further worker processes are started, up to this number.
    Start(u32),
}

/// See the module.
#[derive(Clone, Debug)]
pub struct MasterWorker {
    mode: Mode,
    /// The tuning points that a person has set by hand.
    held: Vec<TuningPoint>,
    confidence: Confidence,
    workload: Option<WorkloadEstimator>,
    experience: Experience,
    /// Technique and parameters in force, as far as known.
    current: Option<TechniqueParameters>,
    last: Option<(u64, f64)>,
    /// Windows so far, and the iterations that each of them stands for; see [`Window::so_far`].
    windows: (u64, u64),
    regime: Option<Regime>,
    /// What was busy under the present setting with the present workers.
    busy: Busy,
    fresh: bool,
    /// The program starts: so far each iteration from the first on took longer than it is simulated.
    is_cold: bool,
    cadence: Cadence,
    proposed: Option<Change>,
    /// Time that it promises, and the ideal one of the work that it is promised of, seconds.
    proposed_s: (f64, f64),
    /// The technique that was advised last and not set.
    not_set: Option<NotSet>,
    /// Measurements under the present setting with the present workers.
    present: Measurements,
    present_of: Option<(Family, u32)>,
    /// By how much the last of them was longer than it counts, as a difference of logarithms: nobody knows whether the program's start took that.
    shortened_by: f64,
    errors: PredictionErrors,
    /// The same of iteration time / ideal, which does not depend on how much work there is, but on where it is.
    places: PredictionErrors,
    obstacles: Obstacles,
    trials: Trials<Setting>,
    /// The last decision that was applied, and the time that it promised, seconds.
    promised: Option<(u64, f64)>,
    /// Gain that is expected of the change being watched.
    expected: Gain,
    /// Standard deviation of an iteration by chance of the tasks, with those settings of the last proposal that scatter more, as a share.
    drawn: f64,
    /// What the program does with the tasks that its own batches leave, where that was seen.
    rest_seen: Option<Rest>,
    /// Iterations have different numbers of tasks.
    tasks_vary: bool,
    tasks: Option<u64>,
    /// First iteration that ran with the present chunks of its own as a whole.
    of_own: u64,
    /// The chunks of the last iteration were not those of its values.
    differed: bool,
    /// Chunks of the last iteration had tasks in common.
    overlapped: bool,
    /// Changes of the technique and its parameters that were made since the work is what it is, those back among them.
    changes: u64,
    workers: Workers,
    /// Decision that starts worker processes, and the number that it asks for.
    starting: Option<(u64, u32)>,
    judgements: Vec<Judgement>,
    /// Iteration at whose safe point the last change was applied.
    changed_at: Option<u64>,
    /// Technique and number of workers in the first iteration.
    at_start: Option<(TechniqueParameters, u32)>,
    /// Technique that was set last.
    set_last: Option<Family>,
    /// What was proposed last is the way back from a change.
    rolls_back: bool,
    other_work: OtherWork,
    kinds: KindsSeen,
}

/// A setting beside another, as the log names it.
fn named(setting: &TechniqueParameters, other: &TechniqueParameters) -> String {
    let recall = if setting.recall && !other.recall { " with recall" } else { "" };
    format!("{setting}{recall}")
}

/// What an iteration measured: its ratio to the ideal, and its time, seconds.
fn measurement(window: &Window, (ratio, time_s): (f64, f64)) -> Measurement {
    Measurement { cost: ratio, time_s, run_delay: window.held_up, tasks: window.tasks.max(1) as f64 }
}

impl MasterWorker {
    /// Creates the tunlet; it has learnt nothing yet.
    pub fn new(mode: Mode, objective: Objective, confidence: Confidence, limits: workers::Limits) -> Self {
        MasterWorker {
            mode,
            held: Vec::new(),
            confidence,
            workload: None,
            experience: Experience::default(),
            current: None,
            last: None,
            windows: (1, 1),
            regime: None,
            busy: Busy::default(),
            fresh: false,
            is_cold: false,
            cadence: Cadence::default(),
            proposed: None,
            present: Measurements::default(),
            present_of: None,
            shortened_by: 0.0,
            errors: PredictionErrors::default(),
            places: PredictionErrors::default(),
            obstacles: Obstacles::default(),
            trials: Trials::default(),
            promised: None,
            proposed_s: (f64::NAN, f64::NAN),
            not_set: None,
            expected: Gain::NONE,
            drawn: 0.0,
            rest_seen: None,
            tasks_vary: false,
            tasks: None,
            of_own: 0,
            differed: false,
            overlapped: false,
            changes: 0,
            workers: Workers::new(objective, confidence, limits),
            starting: None,
            judgements: Vec::new(),
            changed_at: None,
            at_start: None,
            set_last: None,
            rolls_back: false,
            other_work: OtherWork::default(),
            kinds: KindsSeen::default(),
        }
    }

    /// Whether a change is being watched, or is to be taken back.
    pub fn is_busy(&self) -> bool {
        let trial = self.trials.watched.is_some() || self.trials.rollback.is_some();
        trial || self.workers.is_on_trial() || self.starting.is_some()
    }

    /// Leaves this technique alone, unless the user asked for another.
    pub fn keep_technique(&mut self, kind: Technique) {
        if self.mode == Mode::Auto {
            self.mode = Mode::Fixed(kind);
        }
    }

    /// What the user asked for; of a technique that a person set by hand only the parameters are adapted.
    fn mode(&self) -> Mode {
        let is_held = self.held.iter().any(|point| point.name == names::TECHNIQUE);
        self.current.filter(|_| is_held).map_or(self.mode, |current| Mode::Fixed(current.kind))
    }

    /// How tasks are handed out, as far as it is known: the input of the simulation, and the technique.
    pub fn hand_out(&self) -> Option<(SimInput, TechniqueParameters)> {
        let (workload, setting) = (self.workload.as_ref()?, self.current?);
        Some((workload.load(), TechniqueParameters { recall: workload.recall, ..setting }))
    }

    fn watch(&mut self, window: &Window, ratio: f64) {
        if window.setting_changed || self.kinds.is_exception {
            return;
        }
        // The user, or the program, has set another technique: what that takes says nothing of the change. (Windows do not tell own chunks' values.)
        let is_other = |trial: &Trial<Setting>| {
            let is_own = trial.from.as_ref().is_some_and(|from| from.own.is_some());
            !is_own && window.iteration >= trial.first && family(&trial.to.technique) != family(&window.setting)
        };
        if self.trials.watched.as_ref().is_some_and(is_other) {
            if let Some((_, judgement)) = self.trials.miss(window.iteration_s) {
                self.judgements.push(judgement);
                self.current = Some(window.setting);
            }
            return;
        }
        let measurement = measurement(window, (ratio, window.iteration_s));
        let noise = if self.trials.compares_times() { self.experience.time_noise() } else { self.experience.noise() };
        // Few iterations hardly show how far those scatter whose long tasks are rare.
        let (deviation, confidence) = (noise.max(self.drawn), self.confidence);
        let rule = Rule { least: self.least_gain(), must_show: true, ..Rule::of(self.expected, deviation, confidence) };
        self.judgements
            .extend(self.trials.measure(window.iteration, measurement, rule).map(|(_, judgement)| judgement));
    }

    /// The work is another: what was measured says less of it.
    fn on_moved(&mut self) {
        self.workers.forget();
        self.experience.widen();
        self.changes = 0;
    }

    /// Another change takes over: the one before is kept.
    fn end_trial(&mut self) {
        self.judgements.extend(self.trials.end(Verdict::Kept));
    }

    /// Learns from an iteration, and judges the change that is being watched.
    fn learn(&mut self, window: &Window) {
        if self.has_too_many_tasks(window) {
            return;
        }
        self.note_overlap(window);
        let learnt = WorkloadEstimator::learn(&mut self.workload, window, self.confidence);
        match learnt {
            Learnt::Nothing => return,
            Learnt::OtherWorkers => {
                self.not_set = None;
                // The techniques were measured with the other number.
                self.experience.forget();
                self.kinds.measured.forget();
                self.end_trial();
            }
            Learnt::Anew => {
                self.not_set = None;
                self.on_moved();
            }
            Learnt::Returned | Learnt::Added => {}
        }
        self.note_kind(learnt);
        let varies = self.tasks.replace(window.tasks).is_some_and(|tasks| tasks != window.tasks);
        self.tasks_vary |= varies;
        self.note_other_work(learnt, window.iteration);
        if matches!(learnt, Learnt::Anew | Learnt::OtherWorkers) || window.setting_changed {
            self.cadence.restart();
        }
        self.at_start.get_or_insert((window.setting, window.workers));
        self.last = Some((window.iteration, window.iteration_s));
        self.windows = (window.so_far(), window.iterations);
        self.fresh = true;
        // The window holds technique and share; mean and sigma are those of the last proposal.
        let same = self.current.filter(|known| family(known) == family(&window.setting));
        if !window.setting_changed && same.is_none() && self.trials.watched.is_none() {
            self.current = Some(window.setting);
        }
        // By the speeds that are known: the time of all tasks depends on how many the slow workers got.
        let ideal_s = self.workload.as_ref().map_or(0.0, |known| known.ideal_of_s(window));
        if ideal_s > 0.0 && window.is_complete() {
            self.is_cold |= window.iteration == 0;
            let (ratio, is_measured) = self.without_start(window, ideal_s);
            self.is_cold &= !is_measured && window.iteration + 1 < u64::from(JUDGED);
            if let Some(workload) = self.workload.as_ref().filter(|_| !window.setting_changed && !self.is_cold) {
                self.kinds.measured.add(workload, window);
            }
            // Exactly 1 where nothing was taken off.
            let shortened = ratio / (window.iteration_s / ideal_s);
            let time_s = shortened * window.iteration_s;
            if self.kinds.is_exception {
                // It counts for the workload alone.
            } else if window.setting_changed || window.iteration < self.of_own {
                self.interrupt(None);
            } else {
                let normalized = self
                    .workload
                    .as_ref()
                    .map(|known| (shortened * known.normalized_s(window), known.work_s(window.tasks)));
                self.judgements
                    .extend(normalized.and_then(|(time_s, work_s)| self.workers.watch(window, time_s, work_s)));
                let of = Some((family(&window.setting), window.workers));
                if self.present_of != of {
                    self.interrupt(of);
                }
                self.busy.add(window);
                self.regime = Some(self.busy.regime());
                let late = (time_s / window.busiest_s()).ln().max(0.0);
                let per_task_s = time_s / window.tasks.max(1) as f64;
                self.experience.add(&window.setting, (ratio, per_task_s), (late, window.run_delay()), self.confidence);
                self.present.push(measurement(window, (ratio, time_s)));
                self.shortened_by = -shortened.ln();
                if is_measured {
                    self.explain(window, ratio);
                }
                let unchanged = self.experience.ratio(&window.setting).unwrap_or(ratio);
                self.cadence.on_iteration((ratio / unchanged).ln(), self.experience.noise(), self.confidence);
                let foreseen_s = self.workload.as_ref().map_or(time_s, |known| unchanged * known.ideal_s());
                self.errors.add(time_s, foreseen_s);
                self.places.add(ratio, unchanged);
                if shortened < 1.0 {
                    // What the next one takes longer is no noise.
                    self.experience.interrupt();
                }
            }
            self.watch(window, ratio);
        }
    }

    /// Iteration time / ideal without what a program does for the first time, which is no matter of the setting: the first iterations count as
    /// they are simulated while they take longer, and at least as long as a worker computed. And whether that was measured.
    fn without_start(&self, window: &Window, ideal_s: f64) -> (f64, bool) {
        let ratio = window.iteration_s / ideal_s;
        match (&self.workload, self.current) {
            // How a program cuts its tasks by itself must be known to simulate it.
            (Some(workload), Some(_)) if window.own_loop && workload.own_batches().is_none() => (ratio, true),
            (Some(workload), Some(current)) if self.is_cold => {
                let (simulated, busiest) = (candidates::present(workload, current).ratio, window.busiest_s() / ideal_s);
                (ratio.min(simulated.max(busiest)), simulated.max(busiest) >= ratio || busiest > simulated)
            }
            _ => (ratio, true),
        }
    }

    /// Notes other tasks once a second iteration agrees, and their mean time or its scatter is another one: one alone may have been disturbed. What a change made of
    /// the tasks, as other chunks meet other workers, is no other work.
    fn note_other_work(&mut self, learnt: Learnt, iteration: u64) {
        let Some(workload) = &self.workload else { return };
        let times_s = (workload.mean_s, workload.sigma_s());
        let is_of_change = self.changed_at.is_some_and(|changed_at| iteration <= changed_at + 1);
        match learnt {
            Learnt::Anew | Learnt::Returned if self.last.is_some() && !is_of_change => {
                self.other_work.since = Some(iteration);
            }
            Learnt::Added => self.other_work.confirm(times_s),
            _ => {}
        }
    }

    /// What follows was not measured under the setting before.
    fn interrupt(&mut self, of: Option<(Family, u32)>) {
        self.present_of = of;
        self.shortened_by = 0.0;
        self.busy = Busy::default();
        self.present.clear();
        self.experience.interrupt();
        self.errors.interrupt();
        self.places.interrupt();
    }

    /// Technique to roll back to; measured time / ideal with it, and with the present one.
    fn rollback(&self, ideal_s: f64) -> Option<(TechniqueParameters, f64, f64)> {
        let trial = self.trials.rollback.as_ref()?;
        let (was, is) = match trial.compares_times() {
            true => {
                let ratio = self.workload.as_ref()?.tasks.max(1) as f64 / ideal_s;
                (trial.before.per_task_s()? * ratio, trial.per_task_s() * ratio)
            }
            false => (trial.before.cost()?, trial.cost()),
        };
        Some((trial.from.as_ref()?.technique, was, is))
    }

    /// What is known of the work, and what these tuning points let the program do with it.
    fn workload_with(&self, tuning_points: &[TuningPoint]) -> Option<WorkloadEstimator> {
        let mut workload = self.workload.clone()?;
        let may_have = |name: &str| tuning_points.iter().find(|k| k.name == name && !(k.held && k.value == 0.0));
        workload.counter = may_have(names::COUNTER).is_some() && !workload.is_far();
        // What the user asked for is used as it is published, unless the program recalls.
        let may_recall = self.mode() == Mode::Auto && may_have(names::RECALL).is_some();
        workload.recall |= may_recall && workload.tasks_timed;
        let teams = may_have(names::TEAM_SIZE);
        // Where workers can take chunks themselves nobody need send them.
        workload.largest_team = teams.filter(|_| !workload.counter).map_or(0, |k| k.range.1 as u32);
        Some(workload)
    }

    /// Goes back to the technique before a change that measured worse.
    fn roll_back_technique(
        &mut self,
        rank: u32,
        (iteration, ideal_s): (u64, f64),
        current: TechniqueParameters,
    ) -> Option<Proposal> {
        let (former, was, is) = self.rollback(ideal_s)?;
        let why = format!(
            "{} measured {is:.4} of the ideal time, {} before it {was:.4}: back to the former",
            current.kind.name(),
            former.kind.name()
        );
        let noise = self.experience.noise();
        let times = (was * ideal_s, is * ideal_s, self.errors.half_width(noise, self.confidence));
        let gain = Gain { mean: (is / was).ln(), error: noise };
        self.rolls_back = true;
        let proposal = self.proposal(rank, iteration, (current, former, (gain, gain)), why, times);
        Some(Proposal { worth: Worth::Due, ..proposal })
    }

    fn decide(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let (iteration, _) = self.last?;
        self.held = tuning_points.iter().filter(|point| point.held).cloned().collect();
        let workload = self.workload_with(tuning_points)?;
        self.note_obstacles(iteration, &workload, tuning_points);
        let count = number::tuning_point_of_number(tuning_points).filter(|count| !count.held);
        let spare = tuning_points.iter().find(|k| k.name == names::SPAWNED && !k.held);
        self.judge_start(spare);
        self.rolls_back = false;
        if let (Some(tuning_point), Some(to)) = (count, self.workers.rollback()) {
            return self.roll_back_workers(tuning_point, &workload, to);
        }
        // One iteration of another kind: it is weighed beside the others in those to come.
        if self.workers.is_on_trial() || self.kinds.is_exception {
            return None;
        }
        if let Some(own) = OwnChunks::offered(tuning_points) {
            let may_tell = self.cuts_as_offered(&own, iteration, &workload);
            return self.decide_own(&own, count, (&workload, may_tell));
        }
        let technique = tuning_points.iter().find(|tuning_point| tuning_point.name == names::TECHNIQUE)?;
        let current = self.current?;
        let ideal_s = workload.ideal_s();
        if let Some(proposal) = self.roll_back_technique(technique.rank, (iteration, ideal_s), current) {
            return Some(proposal);
        }
        if self.trials.watched.as_ref().is_some_and(|trial| trial.from.is_some() && !trial.gives_way()) {
            return None;
        }
        let Weighed { best, now, unchanged, scale, mean_s } = self.weigh(&workload, current);
        let requested = self.is_requested(&current);
        let unbounded = self.places.are_unusual(self.confidence) && !candidates::is_bounded(&current);
        let better =
            best.filter(|best| requested || self.is_worth(best.overall) || (unbounded && best.overall.mean > 0.0));
        if better.is_none() {
            self.not_set = None;
        }
        // Technique and number of workers change together: a new number starts with the setting that suits it.
        let change = (current, better.map_or(current, |best| best.setting));
        if let Some(proposal) = count.and_then(|tuning_point| {
            self.other_workers((tuning_point, spare), &workload, change, (unchanged * ideal_s, scale))
        }) {
            return Some(proposal);
        }
        if better.is_none() && !self.is_busy() {
            self.note_missed_deadline(iteration, workload.workers, tuning_points);
        }
        let best = better?;
        let what = if requested {
            "this technique was asked for"
        } else {
            explanation::what_calls_for(&best.setting, &current, self.regime)
        };
        let is_tried = !requested && !best.overall.is_sure(self.confidence) && self.is_worth(best.overall);
        let why = format!(
            "{what}: tasks take {:.4} ms +- {:.4} ms, {} tasks, {} workers, {:.1} us per chunk; of the ideal {ideal_s:.4} s: \
             unchanged {unchanged:.4} (simulated {:.4}), {} {:.4}{}; {}{}",
            workload.mean_s * 1e3,
            workload.sigma_s() * 1e3,
            workload.tasks,
            workload.workers,
            workload.chunk_cost_s * 1e6,
            now.ratio,
            best.setting,
            best.ratio,
            kinds::text(&workload, best.gain),
            self.stake(best.overall, best.drawn, mean_s),
            if is_tried { explanation::TRIED } else { "" },
        );
        self.drawn = now.deviation.max(best.deviation);
        let times = (best.iteration_s, unchanged * ideal_s, self.errors.half_width(best.gain.error, self.confidence));
        let gains = (best.gain, best.overall);
        let proposal = self.proposal(technique.rank, iteration, (current, best.setting, gains), why, times);
        let worth = if requested { Worth::Due } else { worth(best.overall, self.windows, mean_s) };
        Some(Proposal { worth, ..proposal })
    }

    /// What is expected of a change: its gain, what the interval is made of, what it is worth and what it may cost. As many iterations are to
    /// come as there were (Lindy's rule); a loss lasts until it is judged, and is taken back in the next iteration.
    fn stake(&self, gain: Gain, drawn: f64, unchanged_s: f64) -> String {
        let (to_come, lost) = (self.last.map_or(0, |(iteration, _)| iteration) + 1, gain.expected_loss());
        let (windows, each) = self.windows;
        let window_s = each as f64 * unchanged_s;
        let percent = |error: f64| 100.0 * Gain { error, ..gain }.as_share(self.confidence).1;
        let rest = (gain.error.powi(2) - drawn.powi(2)).max(0.0).sqrt();
        format!(
            "gain {:.2} % +- {:.2} % ({:.2} % by the tasks drawn, {:.2} % by model and noise), forecasts so far within {:.1} %; worth {} \
             in the {to_come} iterations to come (as many as so far), {} at risk until it is judged",
            100.0 * gain.as_share(self.confidence).0,
            percent(gain.error),
            percent(drawn),
            percent(rest),
            100.0 * self.errors.half_width(0.0, self.confidence),
            Seconds(gain.saves(windows, JUDGED) * window_s),
            Seconds(lost * f64::from(JUDGED) * window_s),
        )
    }

    fn proposal(
        &mut self,
        rank: u32,
        iteration: u64,
        (from, to, (gain, overall)): (TechniqueParameters, TechniqueParameters, (Gain, Gain)),
        why: String,
        (predicted_s, unchanged_s, uncertainty): (f64, f64, f64),
    ) -> Proposal {
        self.proposed = Some(Change::Technique(from, to, gain));
        let tuning_point = if from.counts() != to.counts() {
            "counter"
        } else if from.sub_team_size() != to.sub_team_size() {
            "team size"
        } else if from.kind == to.kind && from.recall != to.recall {
            "recall"
        } else if from.kind == to.kind && from.factor != to.factor {
            "factor"
        } else if from.kind == to.kind {
            "task times"
        } else {
            "technique"
        };
        Proposal {
            tunlet: "master_worker".into(),
            iteration,
            ranks: vec![rank],
            assignments: candidates::assignments(&to),
            tuning_point: tuning_point.into(),
            from: named(&from, &to),
            to: named(&to, &from),
            why,
            predicted_s,
            uncertainty,
            unchanged_s,
            gain: Some(overall.as_share(self.confidence)),
            over_kinds: overall != gain,
            at_once: candidates::begins_at_once(&from, &to),
            ..Proposal::default()
        }
    }
}

impl Tunlet for MasterWorker {
    fn name(&self) -> &'static str {
        "master_worker"
    }

    fn explain(&self) -> Explanation {
        let (objective, limits) = self.workers.requested();
        explanation::explain(self.mode, objective, self.confidence, limits)
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        if let Observation::Iteration(window) = observation {
            self.learn(window);
        }
        for judgement in &self.judgements {
            let promised = self.promised.filter(|(decision, _)| *decision == judgement.decision);
            if let (Some((_, promised_s)), true) = (promised, judgement.verdict != Verdict::NotApplied) {
                self.errors.learn(judgement.measured_s, promised_s);
            }
        }
        std::mem::take(&mut self.judgements)
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        self.note_own(tuning_points);
        // At most one proposal per window.
        let pending = self.is_busy() || self.current.is_some_and(|current| self.is_requested(&current));
        if !std::mem::take(&mut self.fresh) || !(self.cadence.is_due(self.confidence) || pending) {
            return None;
        }
        let mut proposal = self.decide(tuning_points);
        if let Some(proposal) = &mut proposal {
            candidates::fit(&mut proposal.assignments, tuning_points);
            proposal.why.extend(self.by_pi(tuning_points, proposal.predicted_s));
        }
        let ideal_s = self.workload.as_ref().map_or(f64::NAN, WorkloadEstimator::ideal_s);
        self.proposed_s = (proposal.as_ref().map_or(f64::NAN, |proposal| proposal.predicted_s), ideal_s);
        proposal
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.obstacles.said()
    }

    fn report(&self) -> Report {
        let other_work = self.other_work.from.iter().copied().collect();
        let unequal_workers = self.workload.as_ref().is_some_and(|known| !known.are_equal());
        let (next_allocation, most_gained) = (self.next_allocation(), self.most_gained());
        Report { next_allocation, other_work, unequal_workers, most_gained, ..Report::default() }
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        let Some(change) = self.proposed.take() else { return };
        let iteration = match settled {
            Settled::Applied { iteration } => iteration,
            Settled::NotApplied { why } => return self.on_not_applied(decision, change, why.is_none()),
        };
        // With another setting nothing is foreseen so well.
        self.is_cold = false;
        self.not_set = None;
        self.promised = Some((decision, self.proposed_s.0));
        self.changed_at = Some(iteration);
        let (from, to, gain) = match change {
            Change::Technique(former, technique, gain) => {
                self.current = Some(technique);
                self.changes += 1;
                // Parameters of the same technique are kept, and what the user asked for.
                let judged = family(&former) != family(&technique) && !self.is_requested(&former);
                (judged.then_some(Setting { technique: former, own: None }), technique, gain)
            }
            Change::Own(former, gain) => {
                let Some(technique) = self.current else { return };
                // The iteration at whose safe point they were applied may have begun with the former.
                (self.of_own, self.changes) = (iteration + 1, self.changes + 1);
                self.experience.forget();
                (former.map(|values| Setting { technique, own: Some(values) }), technique, gain)
            }
            Change::Workers(from, to, technique) => {
                self.end_trial();
                let former = self.current.unwrap_or(technique);
                self.workers.on_applied(decision, iteration, (from, former), (to, technique));
                self.current = Some(technique);
                self.set_last = Some(family(&technique));
                return;
            }
            Change::Start(number) => {
                self.starting = Some((decision, number));
                return;
            }
        };
        self.end_trial();
        // The change that gave way to this one may have been judged meanwhile.
        if !self.rolls_back {
            self.trials.abandon_rollback();
        }
        self.set_last = self.current.as_ref().map(family);
        self.expected = gain;
        let before = if from.is_some() { self.present.clone() } else { Measurements::default() };
        let shortened_by = self.shortened_by;
        self.interrupt(None);
        let to = Setting { technique: to, own: None };
        // The iteration at whose safe point it was applied ran with both settings.
        let is_own = from.as_ref().is_some_and(|from| from.own.is_some());
        let trial = Trial::new(decision, from, to, iteration + 1, before).uncertain_by(shortened_by);
        let trial = trial.of_work(self.proposed_s.1);
        // What a chunk costs inside the function that computes it counts as task time: with smaller chunks the ideal time grows.
        self.trials.start(if is_own { trial.by_time() } else { trial });
    }
}
