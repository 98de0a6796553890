//! The scripted tunlet: evaluates windows, asks the file's program for changes, and watches their trials.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhai::{Map, Scope};

use super::explanation;
use super::file::Description;
use super::limits;
use super::mistake::Mistake;
use super::program::Program;
use super::request::cut;
use super::scope::{self, TuningPointState};
use super::setting::{Pending, Setting, Values};
use crate::confidence::{Confidence, Gain};
use crate::noise::Noise;
use crate::prediction_errors::PredictionErrors;
use crate::trial::{Measurement, Measurements, REMEMBERED, Rule, Tabu, Trial, Trials};
use crate::{
    Explanation, Judgement, Observation, Proposal, Recent, Refusal, Report, Settled, StreamWindow, TuningPoint, Tunlet,
    Value, Verdict, Window,
};

/// The window that came last.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub iteration: u64,
    pub iteration_s: f64,
    /// Time of the window, which in streams has several outputs, seconds.
    pub window_s: f64,
    pub scope: Scope<'static>,
    pub objective: f64,
}

/// What a window is to the trial of a change.
struct Seen {
    number: u64,
    time_s: f64,
    window_s: f64,
    /// Whether one setting was in force all the time.
    judged: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Scripted {
    pub(super) description: Description,
    pub(super) confidence: Confidence,
    pub(super) program: Arc<Program>,
    pub(super) last: Option<Last>,
    fresh: bool,
    pub(super) tuning_points: Vec<TuningPointState>,
    pub(super) ranks: Vec<Vec<u32>>,
    pub(super) measured: Measurements,
    pub(super) noise: Noise,
    /// Gain that is expected of the change being watched, and the time that it promises, seconds.
    expected: Gain,
    promised_s: f64,
    pub(super) errors: PredictionErrors,
    pub(super) pending: Option<Pending>,
    pub(super) trials: Trials<Setting>,
    /// Rollbacks proposed in succession.
    pub(super) rollback_tries: u32,
    pub(super) outcome: Option<Map>,
    pub(super) state: Map,
    pub(super) tabu: Tabu<Values>,
    pub(super) changes: u64,
    pub(super) quiet_until: u64,
    pub(super) in_succession: u32,
    /// Switched off after too many failures.
    pub(super) off: bool,
    pub(super) refused: BTreeMap<String, String>,
    refusals: Vec<Refusal>,
    pub(super) offered: Vec<bool>,
    seen_points: Vec<String>,
    windows: u64,
    /// The program is a pipeline, and its windows so far.
    is_stream: bool,
    recent: Recent,
    judgements: Vec<Judgement>,
}

impl Scripted {
    /// The same at this confidence level.
    pub fn at(self, confidence: Confidence) -> Scripted {
        Scripted { confidence, ..self }
    }

    /// The tunlet that a file's text describes.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn read(text: &str) -> Result<Scripted, Mistake> {
        let description = Description::read(text)?;
        let program = Arc::new(Program::compile(&description)?);
        let tuning_points = description.tuning_points.len();
        Ok(Scripted {
            description,
            confidence: Confidence::default(),
            program,
            last: None,
            fresh: false,
            tuning_points: Vec::new(),
            ranks: Vec::new(),
            measured: Measurements::default(),
            noise: Noise::default(),
            expected: Gain::UNKNOWN,
            promised_s: f64::NAN,
            errors: PredictionErrors::default(),
            pending: None,
            trials: Trials::default(),
            rollback_tries: 0,
            outcome: None,
            state: Map::new(),
            tabu: Tabu::default(),
            changes: 0,
            quiet_until: 0,
            in_succession: 0,
            off: false,
            refused: BTreeMap::new(),
            refusals: Vec::new(),
            offered: vec![false; tuning_points],
            seen_points: Vec::new(),
            windows: 0,
            is_stream: false,
            recent: Recent::default(),
            judgements: Vec::new(),
        })
    }

    pub(super) fn note(&mut self, why: String) {
        let why = cut(why);
        if let Some(known) = self.refusals.iter_mut().find(|refusal| refusal.why == why) {
            known.times += 1;
        } else if self.refusals.len() < limits::REFUSALS {
            let iteration = self.last.as_ref().map_or(0, |last| last.iteration);
            let tunlet = self.description.name.clone();
            self.refusals.push(Refusal { tunlet, iteration, why, times: 1 });
        }
    }

    /// Notes a failure of the program; after too many in succession it is switched off.
    pub(super) fn fail(&mut self, why: String) {
        self.note(why);
        self.in_succession += 1;
        if self.in_succession < self.description.limits.failures || self.off {
            return;
        }
        self.off = true;
        self.note(format!("it is switched off after {} failures in succession", self.in_succession));
        // Nobody can tell any more whether the change helps.
        if let Some(trial) = self.trials.watched.take_if(|trial| trial.from.is_some()) {
            let (decision, measured_s) = (trial.decision, trial.time_s());
            self.judgements.push(Judgement::new(decision, measured_s, Verdict::RolledBack));
            (self.trials.rollback, self.rollback_tries) = (Some(trial), 0);
        }
        self.trials.watched = None;
    }

    fn watch(&mut self, iteration: u64, measurement: Measurement) {
        if self.trials.watched.as_ref().is_some_and(|trial| iteration < trial.first) {
            return;
        }
        self.measured.push(measurement);
        self.noise.add(measurement.cost);
        let foreseen_s = self.measured.time_s().unwrap_or(measurement.time_s);
        self.errors.add(measurement.time_s, foreseen_s);
        let limits = self.description.limits;
        // What it predicts has the least gain already.
        let least = if self.expected.error.is_finite() { 0.0 } else { -(-limits.min_gain).ln_1p() };
        let rule = Rule {
            windows: limits.watched_iterations as usize,
            least: Gain { mean: least, error: 0.0 },
            ..Rule::of(self.expected, self.noise.deviation(), self.confidence)
        };
        let Some((trial, judgement)) = self.trials.measure(iteration, measurement, rule) else { return };
        self.errors.learn(judgement.measured_s, self.promised_s);
        self.judgements.push(judgement);
        self.quiet_until = iteration + limits.cool_down_iterations;
        self.outcome = Some(self.outcome_of(&trial, judgement.verdict));
        if judgement.verdict == Verdict::RolledBack {
            self.tabu.add(trial.to.values, iteration);
            self.rollback_tries = 0;
        }
    }

    fn outcome_of(&self, trial: &Trial<Setting>, verdict: Verdict) -> Map {
        let label =
            |name: &String| self.description.tuning_points.iter().find(|tuning_point| tuning_point.name == *name);
        let set = trial.to.values.iter().filter_map(|(name, value)| {
            let value = match value {
                Value::Number(number) => (*number).into(),
                Value::Text(text) => text.clone().into(),
            };
            Some((label(name)?.label.as_str().into(), value))
        });
        let objective = |cost: f64| self.program.cost(cost);
        Map::from([
            ("set".into(), rhai::Dynamic::from(set.collect::<Map>())),
            ("verdict".into(), verdict.as_str().into()),
            ("before".into(), trial.before.cost().map_or(rhai::Dynamic::UNIT, |cost| objective(cost).into())),
            ("measured".into(), objective(trial.cost()).into()),
        ])
    }

    /// A rank could not carry out a line of the file's points.
    fn on_point_refused(&mut self, rank: u32, line: u32, why: &str) {
        let Some(declaration) = self.description.declarations.get((line as usize).wrapping_sub(1)) else { return };
        let text = midrun_points::print(std::slice::from_ref(declaration));
        let label = declaration.label().map(|label| label.as_str().to_owned());
        if let Some(label) = label {
            self.refused.entry(label).or_insert_with(|| cut(why.to_owned()));
        }
        self.note(format!("rank {rank} cannot do \"{}\": {why}", text.trim_end()));
    }

    /// Evaluates the objective for an iteration, and judges the change that is being watched.
    fn learn(&mut self, window: &Window) {
        self.windows += 1;
        for point in &window.points {
            let known = self.seen_points.contains(&point.label);
            if !known && self.description.measured().any(|label| label == point.label) {
                self.seen_points.push(point.label.clone());
            }
        }
        let labels: Vec<String> = self.description.measured().map(str::to_owned).collect();
        let scope = || scope::of_window(window, &labels, &self.refused);
        let time_s = window.iteration_s;
        let seen = Seen { number: window.iteration, time_s, window_s: time_s, judged: !window.setting_changed };
        self.evaluate(seen, if self.off { Scope::new() } else { scope() });
    }

    /// The same for a window of a pipeline. Outputs that an earlier pattern computed or held up judge no change.
    fn learn_stream(&mut self, window: &StreamWindow) {
        self.windows += 1;
        self.is_stream = true;
        self.recent.push(window);
        let labels: Vec<String> = self.description.measured().map(str::to_owned).collect();
        let judged = window.settled;
        let seen = Seen { number: window.number, time_s: window.period_s(), window_s: window.seconds, judged };
        self.evaluate(seen, if self.off { Scope::new() } else { scope::of_stream(window, &labels) });
    }

    fn evaluate(&mut self, seen: Seen, scope: Scope<'static>) {
        let Seen { number: iteration, time_s: iteration_s, window_s, judged } = seen;
        if self.off {
            // Only a rollback may still be due: it needs no more than the time.
            self.last = Some(Last { iteration, iteration_s, window_s, scope, objective: 0.0 });
            return;
        }
        match self.program.objective(&scope) {
            Ok((objective, cost)) => {
                self.last = Some(Last { iteration, iteration_s, window_s, scope, objective });
                self.fresh = true;
                if judged {
                    self.watch(iteration, Measurement::new(cost, iteration_s));
                }
            }
            Err(why) => self.fail(why),
        }
    }

    /// Tuning points and measure points that no rank has had so far.
    fn unavailable(&self) -> Vec<String> {
        if self.windows == 0 {
            return vec!["it saw no iteration".into()];
        }
        let tuning_points = (0..self.offered.len()).filter(|at| !self.offered[*at]).map(|at| self.not_offered(at));
        let points = self.description.measured().filter(|label| !self.seen_points.iter().any(|seen| seen == label));
        let points = points.map(|label| match self.refused.get(label) {
            Some(why) => format!("no rank measured {label}: {why}"),
            None => format!("no rank measured {label}"),
        });
        tuning_points.chain(points).collect()
    }

    /// Whether the present setting was seen as often as a new one will be.
    fn is_known(&self) -> bool {
        self.measured.count() as u64 >= self.description.limits.watched_iterations.min(REMEMBERED as u64)
    }
}

impl Tunlet for Scripted {
    fn name(&self) -> &str {
        &self.description.name
    }

    fn explain(&self) -> Explanation {
        explanation::explain(&self.description, self.confidence)
    }

    fn points(&self) -> String {
        midrun_points::print(&self.description.declarations)
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        match observation {
            Observation::Iteration(window) => self.learn(window),
            Observation::Stream(window) => self.learn_stream(window),
            Observation::Further(_) | Observation::Running { .. } | Observation::Resting { .. } => {}
            Observation::OtherIterations { .. } => {
                self.measured.clear();
                self.trials.forget_before();
            }
            Observation::PointRefused { rank, line, why } => self.on_point_refused(rank, line, why),
        }
        std::mem::take(&mut self.judgements)
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        self.find(tuning_points);
        if self.trials.rollback.is_some() {
            return self.roll_back();
        }
        // One look per window: without news there is nothing new to say.
        if !std::mem::take(&mut self.fresh) || self.off || self.trials.watched.is_some() || !self.is_known() {
            return None;
        }
        self.ask()
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.refusals.clone()
    }

    fn report(&self) -> Report {
        Report { unavailable: self.unavailable(), ..Report::default() }
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        let Some(Pending { from, to, expected, promised_s, iteration: proposed_in }) = self.pending.take() else {
            return;
        };
        let Settled::Applied { iteration } = settled else {
            if from.is_some() {
                self.tabu.add(to.values, proposed_in);
            }
            return;
        };
        self.changes += u64::from(from.is_some());
        // The iteration at whose safe point it was applied ran with both settings.
        let before = std::mem::take(&mut self.measured);
        self.noise.interrupt();
        self.errors.interrupt();
        (self.expected, self.promised_s) = (expected, promised_s);
        // Windows of a stream have numbers of their own: the one that is open has both settings, too.
        let first = match &self.last {
            Some(last) if self.is_stream => last.iteration + 2,
            _ => iteration + 1,
        };
        self.trials.start(Trial::new(decision, from, to, first, before));
        if self.off {
            self.trials.watched = None;
        }
    }
}
