//! Tunlet `search`: tuning points that no model describes.
//!
//! It observes the time of each iteration, per unit of progress or of work if the amount changes, or the time between two outputs of a stream.
//! It sets the tuning points that the user names, within the values that the user allows, on every rank that has them. Its
//! objective is the shortest time. [`midrun_models::search`] chooses what to measure next, by what knowing it is expected to
//! gain and to cost; this module sets the values, measures, and in the end sets the best.

mod change;
mod options;
mod turns;
mod unended;

#[cfg(test)]
mod tests;

use crate::confidence::{Confidence, Gain};
use crate::master_worker::shares;
use crate::options::SearchOptions;
use crate::report::{self, Refusal, Report, SearchReport, TriedLine};
use crate::trial::{JUDGED, Measurement, Measurements, Rule, Trial, Trials};
use crate::tuning_point::names;
use crate::{Explanation, Judgement, Observation, Proposal, Settled, TuningPoint, Tunlet, Verdict, Window, Worth};
use change::Change;
use midrun_models::search::{Ask, Known, Search, Space};
use midrun_vocabulary::names::PROGRESS;
pub use options::BUDGETS;
use options::Requested;
use std::collections::BTreeMap;
use turns::Turns;
use unended::Stopped;

/// After a proposal that was not applied it waits so long, after each further one by so much longer, seconds of iterations: a rank may
/// not have joined yet, an agent may be away.
const PAUSE_S: f64 = 1.0;

/// See the module.
#[derive(Clone, Debug)]
pub struct SearchTunlet {
    confidence: Confidence,
    requested: Requested,
    engine: Option<Search>,
    /// The last iteration before it begins, where it searches the share.
    before: Option<Window>,
    trouble: Option<String>,
    /// What it waits for: tuning points that no rank offers, or progress whose line was refused, and since which iteration.
    missing: Option<Refusal>,
    /// Number of the newest window.
    last: Option<u64>,
    /// First window in which the values that the engine asks for are in force; `None` if they are not.
    in_force: Option<u64>,
    /// Number of the newest window when the change that is under way was proposed first.
    asked_at: Option<u64>,
    /// Windows since then, with their times, seconds.
    since: Vec<(u64, f64)>,
    /// The iteration whose values were left while it ran, until its window or the change inside it comes.
    left: Option<u64>,
    /// See [`SearchTunlet::stop`].
    stopped: Option<Stopped>,
    /// Iterations are others than before, and none has ended yet.
    is_other: bool,
    /// See [`turns`].
    turns: Turns,
    /// The phase of the program, and the searches of others, each with the work of its first window and its turns.
    phase: u32,
    others: BTreeMap<u32, (Option<Search>, Option<f64>, Turns)>,
    /// What was proposed last.
    proposed: Option<Vec<f64>>,
    /// By how much the time of the last window was scaled for its work; `None` where work differs by more than times scatter, and where
    /// progress counts: how much of that an iteration makes is known at its end, so none is left before.
    scale: Option<f64>,
    /// The last proposal was for several ranks.
    several: bool,
    /// The last proposal was a synchronized change.
    synchronized: bool,
    /// A part of the values that the engine asks for was set before.
    in_parts: bool,
    /// The last proposal sets only a part of the values that the engine asks for.
    partial: bool,
    trials: Trials<Vec<f64>>,
    judgements: Vec<Judgement>,
    failures: u32,
    /// Time of iterations to wait before the next proposal, seconds.
    pause_s: f64,
    /// How often ranks offered its points when it was asked last.
    offers: usize,
    streams: bool,
    /// Work of the first window, to which all times are scaled where no progress is measured.
    work: Option<f64>,
    /// Progress of the newest iteration that said it: times are per unit of progress from the first one on.
    progress: Option<f64>,
    /// The values at start.
    start: Option<Vec<f64>>,
    /// Why a rank refused the line of the points that measures the progress.
    progress_refused: Option<String>,
    /// Values that a tuning point does not take.
    left_out: Vec<Refusal>,
}

impl SearchTunlet {
    /// Creates the tunlet from its options.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what is allowed.
    pub fn new(options: &SearchOptions, confidence: Confidence) -> Result<SearchTunlet, String> {
        Ok(SearchTunlet {
            requested: options::read(options, confidence)?,
            confidence,
            engine: None,
            before: None,
            trouble: None,
            missing: None,
            last: None,
            in_force: None,
            asked_at: None,
            since: Vec::new(),
            left: None,
            stopped: None,
            is_other: false,
            turns: Turns::default(),
            phase: 0,
            others: BTreeMap::new(),
            proposed: None,
            scale: None,
            several: false,
            synchronized: false,
            in_parts: false,
            partial: false,
            trials: Trials::default(),
            judgements: Vec::new(),
            failures: 0,
            pause_s: 0.0,
            offers: 0,
            streams: false,
            work: None,
            progress: None,
            start: None,
            progress_refused: None,
            left_out: Vec::new(),
        })
    }

    fn names(&self) -> Vec<&str> {
        self.requested.space.dimensions.iter().map(|dimension| dimension.name.as_str()).collect()
    }

    /// What to measure next; `None` in the end, after it gave up, and while the iterations have stopped.
    fn asked(&mut self) -> Option<Ask> {
        if self.trouble.is_none() && self.stopped.is_none() { self.engine.as_mut()?.ask() } else { None }
    }

    /// Values to set: those to measure next, or the best; while the iterations have stopped, what is sure.
    fn target(&mut self) -> Option<Vec<f64>> {
        if self.stopped.is_some() {
            return Some(self.engine.as_ref()?.sure());
        }
        let asked = self.asked().map(|ask| ask.values);
        asked.or_else(|| Some(self.engine.as_ref()?.best()?.values))
    }

    fn is_over(&self) -> bool {
        self.trouble.is_some() || self.engine.as_ref().is_some_and(Search::is_over)
    }

    /// A proposal was not applied: retry later; after [`JUDGED`] failures give up and set the best values.
    fn fail(&mut self, why: Option<String>) {
        self.failures += 1;
        // While no iteration ends none passes.
        self.pause_s = if self.is_urgent() { 0.0 } else { PAUSE_S * f64::from(self.failures) };
        if self.failures >= JUDGED && self.trouble.is_none() {
            let what = "its values were not taken over";
            self.trouble = Some(why.map_or_else(|| what.to_owned(), |why| format!("{what}: {why}")));
            self.failures = 0;
        }
    }

    /// More ranks offer its points than before: a change that failed without them is worth another attempt at once.
    fn welcome(&mut self, tuning_points: &[TuningPoint]) {
        let names = self.names();
        let offers = tuning_points.iter().filter(|point| names.contains(&point.name.as_str())).count();
        if offers > std::mem::replace(&mut self.offers, offers) {
            (self.failures, self.pause_s) = (0, 0.0);
        }
    }

    /// Takes in the time of a window, `None` if it is unknown.
    fn measured(&mut self, number: u64, time_s: Option<f64>) {
        self.last = Some(number);
        let stopped = self.stopped.take_if(|stopped| stopped.iteration <= number);
        if self.left.take_if(|left| *left <= number) == Some(number)
            && let (Some(engine), Some(time_s)) = (&mut self.engine, time_s)
        {
            // The next values are on their way: this was the whole iteration with those that were left.
            engine.tell_whole(self.turns.end(number, time_s));
            self.turns.see(number, Some(time_s), Some(engine.present()));
            if stopped.is_some() {
                self.judge();
                self.in_force = None;
            }
            return;
        }
        if self.asked_at.is_some() {
            self.since.extend(time_s.map(|time_s| (number, time_s)));
        }
        if let Some(stopped) = stopped {
            return self.go_on(stopped, time_s);
        }
        let before = self.target();
        let is_in_force = self.in_force.is_some_and(|from| number >= from);
        if !self.streams {
            self.turns.see(number, time_s, before.clone().filter(|_| is_in_force));
        }
        let Some(time_s) = time_s.filter(|_| is_in_force) else { return };
        let Some(time_s) = self.turns.measure(number, time_s) else { return };
        self.trials.measure(number, Measurement::new(time_s, time_s), self.watch());
        let was_over = self.is_over();
        if let (Some(engine), false) = (&mut self.engine, was_over) {
            engine.tell(time_s);
        }
        if self.trouble.is_none() && self.turns.show(self.confidence.level()) {
            // What was measured so far is of one kind or another.
            self.judge();
            return self.begin_again();
        }
        let asks_others = self.target() != before;
        if was_over || asks_others {
            self.judge();
        }
        if asks_others {
            self.in_force = None;
        }
    }

    /// The engine judges: no rule ends the trial before it asks for other values.
    fn watch(&self) -> Rule {
        Rule { windows: usize::MAX, refutable: false, ..Rule::of(Gain::NONE, 0.0, self.confidence) }
    }

    /// The values asked for are in force from window `in_force` on; those before window `whole` had the values before.
    fn arrived(&mut self, in_force: u64, whole: u64) {
        let since = std::mem::take(&mut self.since);
        if let (Some(asked_at), Some(engine)) = (self.asked_at.take(), &mut self.engine) {
            let turn = self.turns.length();
            engine.took(in_force.saturating_sub(asked_at + 1) as f64 / turn as f64);
            self.turns.had(asked_at + 1..whole, &engine.present());
            let before: Vec<(u64, f64)> = since.into_iter().filter(|(number, _)| *number < whole).collect();
            for in_a_row in before.chunk_by(|one, next| one.0 + 1 == next.0) {
                let turns = in_a_row.chunks_exact(turn);
                turns.for_each(|turn| {
                    engine.tell_again(turn.iter().map(|(_, time_s)| time_s / turn.len() as f64).sum())
                });
            }
        }
    }

    /// Judges the trial: values are kept if they are the best so far.
    fn judge(&mut self) {
        let Some(trial) = &self.trials.watched else { return };
        let best = self.engine.as_ref().and_then(Search::best);
        let verdict = if best.is_some_and(|best| best.values == trial.to) { Verdict::Kept } else { Verdict::Tried };
        self.judgements.extend(self.trials.end(verdict));
    }

    /// Starts the engine once every tuning point is offered.
    fn begin(&mut self, tuning_points: &[TuningPoint]) {
        let mut space = self.requested.space.clone();
        let (mut start, mut left_out) = (Vec::new(), Vec::new());
        for (k, name) in self.names().into_iter().enumerate() {
            let of_name =
                || tuning_points.iter().filter(|tuning_point| tuning_point.name == name && tuning_point.text.is_none());
            let Some(first) = of_name().min_by_key(|tuning_point| tuning_point.rank) else {
                // The program may offer it later.
                let why = report::not_offered(&self.names(), tuning_points);
                return why.into_iter().for_each(|why| self.miss(why));
            };
            if let Some(why) = of_name().find_map(TuningPoint::outside) {
                return self.miss(format!("it cannot begin with {name}: {why}"));
            }
            let least = of_name().map(|tuning_point| tuning_point.range.0).fold(f64::NEG_INFINITY, f64::max);
            let most = of_name().map(|tuning_point| tuning_point.range.1).fold(f64::INFINITY, f64::min);
            let asked = space.dimensions[k].values.len();
            let lacks_step = space.dimensions[k].steps_by_one && !first.whole;
            let takes = format!(
                "{name} takes {} from {least} to {most}",
                if first.whole { "whole numbers" } else { "numbers" }
            );
            match space.clone().within(k, (least, most), first.whole) {
                Some(narrower) => {
                    space = narrower;
                    let left = space.dimensions[k].values.len();
                    if left < asked {
                        left_out.push(format!("{takes}: of its {asked} values {left} are tried"));
                    }
                    if lacks_step {
                        left_out.push(format!("{takes}, and the search says no step: the {left} whole ones are tried"));
                    }
                }
                None => {
                    self.trouble = Some(format!("{takes}, which leaves nothing to search"));
                    return;
                }
            }
            start.push(first.value);
        }
        self.missing = None;
        self.left_out = left_out.into_iter().map(|why| self.refusal(why)).collect();
        let start = self.start.get_or_insert(start).clone();
        let mut known = self.requested.known.clone();
        known.extend(self.by_model(&space, &start));
        self.engine = Some(Search::new(space, start, &known, self.requested.plan));
    }

    /// The values at start with the share that the Master/Worker model takes for best: where to begin, unless an earlier run knows better.
    fn by_model(&mut self, space: &Space, start: &[f64]) -> Option<Known> {
        let window = self.before.take()?;
        let at = self.names().iter().position(|name| *name == names::FACTOR)?;
        let mut values = start.to_vec();
        values[at] = *shares(&window, self.confidence).first()?;
        Some(Known { values: space.values(&space.nearest(&values)), time_s: None })
    }

    /// Times from before do not compare with those that come: they are per unit of progress, or of another part of a turn.
    fn begin_again(&mut self) {
        self.engine = None;
        self.forget_present();
    }

    /// What was under way is of other iterations than those that come.
    fn forget_present(&mut self) {
        (self.in_force, self.asked_at, self.left, self.stopped) = (None, None, None, None);
        self.since.clear();
        self.turns.begin_again();
        self.trials = Trials::default();
    }

    /// Whether the user asked for times per unit of progress, and none was measured.
    fn lacks_progress(&self) -> bool {
        self.requested.progress_line.is_some() && self.progress.is_none()
    }

    /// Waits for progress, which another rank than the one that refused its line may still make.
    fn miss_progress(&mut self) {
        if let (Some(line), Some(why)) = (self.requested.progress_line, &self.progress_refused) {
            let why = format!(
                "it does not run without the measure point {PROGRESS}, and line {line} of the points was refused: {why}"
            );
            self.miss(why);
        }
    }

    /// What it lacks in the end, where it has not begun.
    fn lack(&self) -> Option<String> {
        let of_progress = || {
            let waits = self.engine.is_none() && self.last.is_some() && self.lacks_progress();
            waits.then(|| format!("no rank measured any {PROGRESS}, which the points name to compare times by"))
        };
        self.missing.as_ref().map(|missing| missing.why.clone()).or_else(of_progress)
    }

    fn refusal(&self, why: String) -> Refusal {
        Refusal { tunlet: "search".to_owned(), iteration: self.last.unwrap_or(0), why, times: 1 }
    }

    fn miss(&mut self, why: String) {
        let refusal = self.refusal(why);
        if self.missing.as_ref().is_none_or(|known| known.why != refusal.why) {
            self.missing = Some(refusal);
        }
    }

    fn proposal(&mut self, tuning_points: &[TuningPoint], target: &[f64]) -> Option<Proposal> {
        let asked = self.asked();
        let measures = asked.is_some();
        let dimensions = &self.requested.space.dimensions;
        let change = change::next(dimensions, target, tuning_points)?;
        self.partial = change::next(dimensions, target, &change.done(tuning_points)).is_some();
        let Change { assignments, ranks, synchronized } = change;
        let rank = *ranks.first()?;
        (self.several, self.synchronized) = (ranks.len() > 1, synchronized);
        let value = |name: &str| {
            tuning_points
                .iter()
                .find(|tuning_point| tuning_point.rank == rank && tuning_point.name == name)
                .map(|tuning_point| tuning_point.value)
        };
        let list = |words: Vec<String>| words.join(", ");
        let engine = self.engine.as_ref()?;
        let (best, present_s, spent) = (engine.best(), engine.present_s(), engine.spent());
        let of_best = (best.as_ref().map_or(f64::NAN, |best| best.time_s), engine.noise());
        // The rest of a change that ranks have in part, and what ends an iteration that is surely bad, cannot wait.
        let seconds = |time_s: f64| Worth::Seconds(time_s * self.progress.unwrap_or(1.0));
        let worth = match (&best, &asked) {
            _ if self.in_parts || self.is_urgent() => Worth::Due,
            (_, Some(ask)) => {
                let turn = self.turns.length() as f64;
                ask.worth_s.map_or(Worth::Unknown, |worth_s| seconds(worth_s * turn))
            }
            (Some(best), None) => present_s.map_or(Worth::Unknown, |present_s| {
                seconds((present_s - best.time_s) * (self.last.unwrap_or(0) + 1) as f64)
            }),
            (None, None) => Worth::Unknown,
        };
        // The values measured last may have been shorter once, and yet not be the best.
        let ends_lucky = asked.is_none() && present_s.is_some_and(|present_s| present_s < of_best.0);
        let unchanged_s = present_s.filter(|_| !ends_lucky).unwrap_or(f64::NAN);
        let (why, (predicted_s, deviation)) = match (best, asked) {
            _ if self.stopped.is_some() => {
                let why = "the program may iterate no more: what is not measured to its end does not stay in force";
                (why.to_owned(), (f64::NAN, 0.0))
            }
            (Some(best), None) if best.start => {
                ("nothing that was measured is better than the values at start".to_owned(), of_best)
            }
            (_, None) if ends_lucky => (
                format!(
                    "it is the best by all {spent} measurements together, which take the shorter time measured last for chance"
                ),
                of_best,
            ),
            (_, None) => (format!("it is the best of {spent} measurements"), of_best),
            (_, Some(ask)) => {
                let again =
                    if ask.again { "; the values at start again, before others are taken for better" } else { "" };
                let left = |left| format!("; iteration {left} was left, for its values are surely worse than the best");
                let left = self.left.map(left).unwrap_or_default();
                let turn = match self.turns.length() {
                    1 => String::new(),
                    turn => format!(", each of {turn} iterations, which take turns"),
                };
                let why = format!("measurement {} of at most {}{turn}{left}{again}", spent + 1, engine.budget());
                (why, ask.expected.map_or((f64::NAN, 0.0), |expected| (expected.time_s, expected.deviation)))
            }
        };
        Some(Proposal {
            tunlet: "search".into(),
            // What leaves an iteration while it runs is decided in that one.
            iteration: self.stopped.map(|stopped| stopped.iteration).or(self.left).or(self.last)?,
            ranks,
            synchronized,
            tuning_point: list(assignments.iter().map(|(name, _)| name.clone()).collect()),
            from: list(assignments.iter().map(|(name, _)| value(name).unwrap_or(f64::NAN).to_string()).collect()),
            to: list(assignments.iter().map(|(_, value)| value.to_string()).collect()),
            assignments,
            why,
            rather_than: String::new(),
            predicted_s,
            per_progress: self.progress.is_some(),
            uncertainty: if predicted_s.is_finite() { (self.confidence.two_sided() * deviation).exp_m1() } else { 0.0 },
            unchanged_s,
            gain: None,
            over_kinds: false,
            worth,
            trial: measures,
            at_once: self.is_urgent() && !synchronized,
        })
    }

    /// Time of an iteration: per unit of progress, as soon as any was measured, else as if all had as much work as the first one.
    fn time_s(&mut self, window: &Window) -> Option<f64> {
        let Some(progress) = window.progress() else {
            // Where it was not reported in time, nobody knows how much the iteration did.
            return if self.progress.is_none() { self.time_by_work_s(window) } else { None };
        };
        if self.progress.replace(progress).is_none() {
            // Iterations that differ by what they do may be alike by that.
            self.turns = Turns::default();
            self.begin_again();
        }
        self.scale = None;
        (!window.setting_changed).then_some(window.iteration_s / progress)
    }

    fn time_by_work_s(&mut self, window: &Window) -> Option<f64> {
        let scheduling = [names::TECHNIQUE, names::FACTOR, names::TASK_MEAN_S, names::TASK_SIGMA_S, names::MIN_CHUNK];
        // Scheduling does not change the task times, so they measure the work; other tuning points may change them.
        let by_tasks = self.names().iter().all(|name| scheduling.contains(name));
        let work = if by_tasks { window.ideal_s() } else { window.tasks as f64 };
        if window.setting_changed || (by_tasks && !window.is_complete()) {
            return None;
        }
        if work <= 0.0 {
            self.scale = Some(1.0);
            return Some(window.iteration_s);
        }
        let first = *self.work.get_or_insert(work);
        let noise = self.engine.as_ref().map_or(0.0, Search::noise);
        self.scale = Some(first / work).filter(|scale| scale.ln().abs() <= self.confidence.two_sided() * noise);
        Some(window.iteration_s * first / work)
    }
}

impl Tunlet for SearchTunlet {
    fn name(&self) -> &'static str {
        "search"
    }

    fn explain(&self) -> Explanation {
        let mut explanation = Explanation {
            about: "tuning points that no model describes: it measures what their values give".into(),
            sees: vec![
                "each iteration's time, per unit of progress or of work where the amount changes; the time between two outputs"
                    .into(),
            ],
            objective: "the shortest time".into(),
            limits: vec![format!("{} measurements at most; at the end the best stays", self.requested.plan.budget)],
            ..Explanation::of_name("search")
        };
        for name in self.names() {
            let synchronized = self.requested.space.dimensions.iter().any(|own| own.name == name && own.synchronized);
            let how = if synchronized { ", in one and the same iteration" } else { "" };
            let range = format!("what --search says, on all ranks that have it{how}");
            explanation = explanation.turns(name, "named by --search", &range);
        }
        explanation.decides(
            "measured next: what is expected to save most in the iterations to come, by a Gaussian process, less what it costs",
            "Ryzhov, Powell, Frazier 2012",
        )
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        match observation {
            Observation::Iteration(window) => {
                self.is_other = false;
                self.pause_s -= window.iteration_s;
                if self.engine.is_none() && self.names().contains(&names::FACTOR) {
                    self.before = Some(window.clone());
                }
                let time_s = self.time_s(window);
                self.measured(window.iteration, time_s);
            }
            Observation::Stream(window) => {
                self.streams = true;
                self.pause_s -= window.seconds;
                let time_s = window.settled.then(|| window.period_s()).filter(|s| s.is_finite());
                self.measured(window.number, time_s);
            }
            Observation::Running { iteration, elapsed_s } => self.leave(iteration, elapsed_s),
            Observation::Resting { iteration, elapsed_s } => self.stop(iteration, elapsed_s),
            Observation::OtherIterations { phase } => {
                self.judge();
                // No iteration of the phase that is over says anything of it any more.
                let open = self.trials.watched.take();
                self.judgements.extend(open.map(|trial| Judgement::new(trial.decision, f64::NAN, Verdict::NotApplied)));
                let former = (self.engine.take(), self.work.take(), std::mem::take(&mut self.turns));
                self.others.insert(std::mem::replace(&mut self.phase, phase), former);
                (self.engine, self.work, self.turns) = self.others.remove(&phase).unwrap_or_default();
                self.forget_present();
                self.is_other = true;
                // No iteration passes while it waits.
                self.pause_s = 0.0;
            }
            Observation::PointRefused { line, why, .. } if self.requested.progress_line == Some(line) => {
                self.progress_refused.get_or_insert_with(|| why.to_owned());
            }
            Observation::Further(_) | Observation::PointRefused { .. } => {}
        }
        std::mem::take(&mut self.judgements)
    }

    fn longest(&self) -> Option<(u64, f64)> {
        let running = self.last? + 1;
        let waits = !self.streams && self.trouble.is_none() && self.stopped.is_none();
        Some((running, self.worse_s(running).filter(|_| waits)?))
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        self.welcome(tuning_points);
        let in_vain = self.trouble.is_some() && self.failures >= JUDGED;
        if in_vain || self.pause_s > 0.0 {
            return None;
        }
        if self.engine.is_none() && self.trouble.is_none() {
            match self.lacks_progress() {
                true => self.miss_progress(),
                false => self.begin(tuning_points),
            }
        }
        let target = self.target()?;
        let proposal = self.proposal(tuning_points, &target);
        self.proposed = proposal.is_some().then_some(target);
        self.in_force = match proposal {
            // Somebody else may have set it: windows until the change is applied do not count.
            Some(_) => {
                let since = match self.left {
                    _ if self.stopped.is_some() => None,
                    Some(left) => Some(left).filter(|_| self.synchronized),
                    None => self.last,
                };
                self.asked_at = self.asked_at.or(since);
                None
            }
            None => self.in_force.or(self.last.max(self.left).map(|last| last + 1)),
        };
        proposal
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        match settled {
            Settled::Applied { iteration } => {
                self.failures = 0;
                // Without synchronization ranks apply values one by one, and inputs of a stream are not windows: skip a mixed window.
                let mixed = self.streams || (self.several && !self.synchronized);
                let next = self.last.max(self.left).map_or(0, |last| last + if mixed { 2 } else { 1 });
                // A synchronized change applies where `iteration` begins; some ranks may still be in the one before. What was left inside
                // its iteration may have changed there.
                let inside = self.left.take_if(|left| iteration <= *left).is_some();
                let taken_over = if self.synchronized || inside { iteration + 1 } else { iteration };
                let in_force = if self.streams { next } else { next.max(taken_over) };
                // Meanwhile others may be asked for.
                let proposed = self.proposed.take();
                let is_asked = proposed == self.target();
                self.in_force = (!self.partial && is_asked).then_some(in_force);
                let in_parts = std::mem::replace(&mut self.in_parts, self.partial);
                if !self.partial {
                    self.arrived(in_force, if mixed || in_parts { 0 } else { iteration });
                }
                let values = proposed.unwrap_or_default();
                self.trials.start(Trial::new(decision, None, values, 0, Measurements::default()));
            }
            Settled::NotApplied { why } => self.fail(why),
        }
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.missing.iter().chain(&self.left_out).cloned().collect()
    }

    fn report(&self) -> Report {
        // Of several phases the one that tells most.
        let tells = |(engine, _): &(&Search, &Turns)| (engine.is_over(), engine.spent());
        let others = self.others.values().filter_map(|(engine, _, turns)| Some((engine.as_ref()?, turns)));
        let own = self.engine.as_ref().map(|engine| (engine, &self.turns));
        let (engine, turns) = others.chain(own).max_by_key(tells).unzip();
        let best = engine.and_then(Search::best);
        let line = |(values, time_s, times)| TriedLine { values, time_s, times };
        let search = SearchReport {
            points: self.names().into_iter().map(str::to_owned).collect(),
            ended: engine.is_some_and(Search::is_over),
            trouble: self.trouble.clone().or_else(|| self.lack()),
            measured: engine.map_or(0, Search::spent),
            turn: turns.map_or(1, Turns::length),
            budget: self.requested.plan.budget,
            per_progress: self.progress.is_some(),
            start_s: engine.and_then(Search::start_s),
            best_is_start: best.as_ref().is_some_and(|best| best.start),
            best_is_sure: engine.is_some_and(Search::is_sure),
            best_s: best.as_ref().map(|best| best.time_s),
            best: best.map(|best| best.values),
            tried: engine.map(|engine| engine.ranking().into_iter().map(line).collect()).unwrap_or_default(),
        };
        Report { search: Some(search), ..Report::default() }
    }
}
