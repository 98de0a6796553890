//! Tunlet `pipeline`: replicates and groups stages by their measured times.
//!
//! César 2006, ch. IV, with an exact search in place of the source's. A change is nearly free (inputs on their way keep the
//! old pattern), so only the uncertainty of its gain holds it back.

mod estimate;
mod explanation;
mod growing;
mod layout;
mod over_start;
mod reasons;
pub mod recorded;

pub use reasons::{StageTimes, stage_times};

use crate::confidence::{Confidence, Gain};
use crate::model_error::{EXACT, Simulated, correction};
use crate::noise::Noise;
use crate::options::Objective;
use crate::prediction_errors::PredictionErrors;
use crate::trial::{JUDGED, Measurement, Measurements, Rule, Trial, Trials, worth};
use crate::tuning_point::names;
use crate::{
    Explanation, Judgement, NextAllocation, Observation, Proposal, Recent, Refusal, Report, Settled, StreamWindow,
    TuningPoint, Tunlet, Value, Verdict, Worth, started,
};
use estimate::{Estimate, Holds, Known};
use layout::{Layout, best, cost, cost_of, forecast};
pub use midrun_models::pipeline::exact::Grouping;
use midrun_scheduling::plan::Plan;
use midrun_vocabulary::Seconds;
use over_start::SinceStart;
use std::collections::BTreeMap;

/// Advice for the next allocation goes up to this many times the present ranks.
const NEXT_TIME: u32 = 4;

/// State of the stream in the last windows.
#[derive(Clone, Debug)]
struct Now {
    number: u64,
    plan: String,
    period_s: f64,
    /// Time of the last window, seconds.
    window_s: f64,
    /// Time in source and sink per output, seconds.
    head_s: f64,
    ranks: u32,
    /// Outputs that the estimates rest on.
    outputs: f64,
    /// The present plan on its ranks; `None` where its outputs went by several, or not all ranks were seen.
    layout: Option<Layout>,
    names: Vec<String>,
}

impl Now {
    fn worth(&self, gain: Gain) -> Worth {
        worth(gain, (self.number + 1, 1), self.window_s)
    }
}

/// The proposal in flight.
#[derive(Clone, Debug)]
struct Proposed {
    to: String,
    from: String,
    /// Gain that is expected, and the period that it promises, seconds.
    expected: (Gain, f64),
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Pipeline {
    objective: Objective,
    confidence: Confidence,
    grouping: Grouping,
    /// Most ranks that compute; 0 = all there are.
    most: u32,
    estimate: Estimate,
    known: Option<Known>,
    now: Option<Now>,
    recent: Recent,
    fresh: bool,
    /// Ranks that computed when it was made.
    ranks_before: u32,
    proposed: Option<Proposed>,
    trials: Trials<String>,
    /// Gain that is expected of the change being watched, and the period that it promises, seconds.
    expected: (Gain, f64),
    /// Measurements with the present plan, how they scatter, and how far forecasts of them were off.
    present: Measurements,
    noise: Noise,
    errors: PredictionErrors,
    /// How often patterns were asked for and not taken since the program last changed.
    refused: BTreeMap<String, u32>,
    /// Period measured since the program last changed, by plan, seconds, and the windows that it rests on.
    measured: BTreeMap<String, (f64, f64)>,
    since_start: SinceStart,
    judgements: Vec<Judgement>,
    /// Processes that have joined; how many a decision asked for, in proposal and, with its number, until they joined or were given up.
    came: u32,
    asked: Option<u32>,
    starting: Option<(u64, u32)>,
    /// Why no process is started for which a communication manager would be needed.
    manager: Option<Refusal>,
}

impl Pipeline {
    /// Creates the tunlet; it has learnt nothing yet.
    pub fn new(objective: Objective, confidence: Confidence, grouping: Grouping, most: u32) -> Pipeline {
        Pipeline {
            objective,
            confidence,
            grouping,
            most,
            estimate: Estimate::new(confidence),
            known: None,
            now: None,
            recent: Recent::default(),
            fresh: false,
            proposed: None,
            ranks_before: 0,
            trials: Trials::default(),
            expected: (Gain::NONE, f64::NAN),
            present: Measurements::default(),
            noise: Noise::default(),
            errors: PredictionErrors::default(),
            refused: BTreeMap::new(),
            measured: BTreeMap::new(),
            since_start: SinceStart::default(),
            judgements: Vec::new(),
            came: 0,
            asked: None,
            starting: None,
            manager: None,
        }
    }

    /// Whether a change is being watched, or is to be taken back.
    pub fn is_busy(&self) -> bool {
        self.trials.watched.is_some() || self.trials.rollback.is_some()
    }

    fn watch(&mut self, window: &StreamWindow) {
        let Some(trial) = &self.trials.watched else { return };
        if window.plan != trial.to {
            self.judgements.extend(self.trials.miss(window.period_s()).map(|(_, judgement)| judgement));
            return;
        }
        if !window.settled {
            return;
        }
        let measurement = self.measurement(window);
        let (gain, promised_s) = self.expected;
        // What is expected counts by how far forecasts were off.
        let expected = Gain { error: gain.error.hypot(self.errors.deviation()), ..gain };
        let (deviation, confidence) = (self.noise.deviation(), self.confidence);
        let rule = Rule::of(expected, deviation, confidence);
        let Some((_, judgement)) = self.trials.measure(window.number, measurement, rule) else { return };
        self.errors.learn(judgement.measured_s, promised_s);
        self.judgements.push(judgement);
    }

    /// The window as the objective sees it. Where not all ranks were seen, they are as many as before.
    fn measurement(&self, window: &StreamWindow) -> Measurement {
        let layout = self.now.as_ref().and_then(|now| now.layout.as_ref());
        let ranks = layout.map_or(self.ranks_before, |layout| layout.ranks);
        Measurement::new(value(self.objective, window.period_s(), ranks), window.period_s())
    }

    /// Keeps the measurements with the present plan.
    fn remember(&mut self, window: &StreamWindow) {
        if self.recent.count() <= 1 {
            // The first with its plan.
            self.present.clear();
            self.noise.interrupt();
            self.errors.interrupt();
        }
        if !window.settled {
            return;
        }
        let measurement = self.measurement(window);
        self.present.push(measurement);
        self.noise.add(measurement.cost);
        let foreseen_s = self.present.time_s().unwrap_or(measurement.time_s);
        self.errors.add(measurement.time_s, foreseen_s);
    }

    /// The plan to change to, the period that it promises, seconds, and the gain: the best one, if it surely gains, or if it meets a deadline
    /// with fewer ranks.
    fn better(&self) -> Option<(Layout, f64, Gain)> {
        let (known, now) = (self.known.as_ref()?, self.now.as_ref()?);
        let present = now.layout.as_ref()?;
        let most = if self.most == 0 { now.ranks } else { self.most.min(now.ranks) };
        let mut next = best(known, most, self.grouping, self.objective, now.head_s)?;
        if parts_state(known, &next.plan, &present.plan) {
            next = best(known, most, Grouping::None, self.objective, now.head_s)?;
        }
        let plan = next.plan.to_string();
        if plan == now.plan || self.is_refused(&plan) {
            return None;
        }
        let gain = self.gain(known, now, (present, &next), self.objective);
        let fewer = matches!(self.objective, Objective::Deadline(_)) && next.ranks < present.ranks && gain.mean >= 0.0;
        let in_time = self.gain(known, now, (present, &next), Objective::Time);
        let next_s = now.period_s * (-in_time.mean).exp();
        (gain.is_sure(self.confidence) || fewer).then_some((next, next_s, gain))
    }

    /// Gain of the second plan over the present one, the first: by what was measured of both since the program last changed, else by the model and its errors.
    fn gain(&self, known: &Known, now: &Now, (present, next): (&Layout, &Layout), objective: Objective) -> Gain {
        let noise = self.noise.deviation();
        let windows = self.present.count().max(1) as f64;
        if let Some((period_s, count)) = self.measured.get(&next.plan.to_string()) {
            let value = |period_s, ranks| value(objective, period_s, ranks);
            let (was, is) = (value(now.period_s, present.ranks), value(*period_s, next.ranks));
            return Gain { mean: (was / is).ln(), error: noise * (1.0 / windows + 1.0 / count).sqrt() };
        }
        let paced_s = present.paced_s(now.head_s);
        let residual = (now.period_s / paced_s).ln();
        // Where outputs came faster than the stage that holds them up seems to be, it is not that slow.
        let was = cost_of(known, present.ranks, paced_s.min(now.period_s), objective);
        let promise = (was / cost(known, next, objective, now.head_s)).ln();
        // A period that is long for a reason that no pattern mends is long with both.
        let measured = Gain { mean: residual.max(0.0), error: noise / windows.sqrt() };
        let errors = correction(
            Simulated { ratio: promise.exp(), inputs: 0.0, residual: Some(measured) },
            Simulated { ratio: 1.0, inputs: 0.0, residual: None },
            &[],
            (residual.abs(), EXACT),
        );
        // The means of the stages, of as many inputs.
        let inputs = known.spread * (2.0 / now.outputs.max(1.0)).sqrt();
        Gain { mean: promise, error: inputs }.plus(errors)
    }

    /// Whether a pattern was so often asked for in vain that the reason is likely to hold: the first times it may have come too late.
    fn is_refused(&self, plan: &str) -> bool {
        self.refused.get(plan).is_some_and(|times| *times >= JUDGED)
    }

    /// Proposes the former pattern, until it is in force.
    fn roll_back(&mut self, tuning_point: &TuningPoint) -> Option<Proposal> {
        let former = |trial: &Trial<String>| Some((trial.from.clone()?, trial.before.time_s()?));
        let (plan, was_s) = self.trials.rollback.as_ref().and_then(former)?;
        let Some(now) = self.now.as_ref().filter(|now| now.plan != plan) else {
            self.trials.rollback = None;
            return None;
        };
        let ranks = now.layout.as_ref().map_or(0, |layout| layout.ranks);
        let (is, was) = (Seconds(now.period_s), Seconds(was_s));
        let why = match now.period_s > was_s {
            true => format!("it measured {is} per output, not {was} as before"),
            // The period is shorter, but the objective counts the ranks, too.
            false => format!("{is} per output are too little gain for {ranks} ranks: with those before it was {was}"),
        };
        let proposal = self.proposal(tuning_point, &plan, (was_s, 0.0), why);
        let expected = (Gain { mean: (now.period_s / was_s).ln(), error: self.noise.deviation() }, was_s);
        (self.proposed, self.ranks_before) = (Some(Proposed { to: plan, from: now.plan.clone(), expected }), ranks);
        Some(Proposal { worth: Worth::Due, ..proposal })
    }

    fn proposal(
        &self,
        tuning_point: &TuningPoint,
        plan: &str,
        (predicted_s, uncertainty): (f64, f64),
        why: String,
    ) -> Proposal {
        let (number, from, unchanged_s) =
            self.now.as_ref().map_or((0, String::new(), f64::NAN), |now| (now.number, now.plan.clone(), now.period_s));
        Proposal {
            tunlet: "pipeline".into(),
            iteration: number,
            ranks: vec![tuning_point.rank],
            assignments: vec![(tuning_point.name.clone(), Value::Text(plan.into()))],
            tuning_point: "pattern".into(),
            from,
            to: plan.into(),
            why,
            predicted_s,
            uncertainty,
            unchanged_s,
            ..Proposal::default()
        }
    }

    /// Learns from a window, and judges the change that is being watched.
    fn learn(&mut self, window: &StreamWindow) {
        let holds = self.estimate.learn(window);
        if holds != Holds::All {
            self.recent.forget();
            self.measured.clear();
        }
        if holds == Holds::Nothing {
            // Before and after are no longer of the same program.
            let trials = std::mem::take(&mut self.trials);
            let kept = |decision| Judgement::new(decision, window.period_s(), Verdict::Kept);
            self.judgements.extend(trials.watched.map(|trial| kept(trial.decision)));
            self.refused.clear();
        }
        self.recent.push(window);
        let recent = self.recent.merged();
        let seen = recent.as_ref().unwrap_or(window);
        let members = window.ranks.saturating_sub(self.came);
        self.known = self.estimate.known(window.ranks).map(|known| Known { members, ..known });
        let stateful: Vec<bool> = seen.stages.iter().map(|stage| stage.stateful).collect();
        let plan = Plan::parse(&seen.plan, &stateful).ok().filter(|_| recent.is_some());
        let head_s = seen.head_s / seen.outputs.max(1) as f64;
        let layout = self.known.as_ref().zip(plan).and_then(|(known, plan)| {
            let places = reasons::places(seen, &plan)?;
            self.since_start.add(window, (&plan, &places), (known, head_s));
            Some(forecast(known, &plan, &places))
        });
        if let Some(recent) = &recent {
            self.measured.insert(recent.plan.clone(), (recent.period_s(), self.recent.count() as f64));
        }
        self.now = Some(Now {
            number: window.number,
            plan: seen.plan.clone(),
            period_s: seen.period_s(),
            window_s: window.seconds,
            head_s,
            ranks: window.ranks,
            outputs: seen.outputs as f64,
            layout,
            names: seen.stages.iter().map(|stage| stage.name.clone()).collect(),
        });
        self.fresh = true;
        self.remember(window);
        self.watch(window);
    }

    fn ideal_period_s(&self) -> Option<f64> {
        let (known, now) = (self.known.as_ref()?, self.now.as_ref()?);
        let best = best(known, now.ranks, self.grouping, Objective::Time, now.head_s)?;
        Some(best.paced_s(now.head_s))
    }

    /// See [`Report::farm`]; `ideal_s`: the period of the best pattern that may be chosen, seconds.
    fn farm(&self, ideal_s: f64) -> Option<(String, f64)> {
        let (known, now) = (self.known.as_ref()?, self.now.as_ref()?);
        let farm = best(known, now.ranks, Grouping::Any, Objective::Time, now.head_s)?;
        let period_s = farm.paced_s(now.head_s);
        ((ideal_s / period_s).ln() > EXACT).then(|| (farm.plan.to_string(), period_s))
    }

    fn next_allocation(&self) -> Option<NextAllocation> {
        let (known, now) = (self.known.as_ref()?, self.now.as_ref()?);
        let present = now.layout.as_ref()?;
        let objective = if self.objective == Objective::Fixed { Objective::Efficiency } else { self.objective };
        let most = now.ranks.saturating_mul(NEXT_TIME);
        // Further ranks are thought of as like most.
        let alike = Known {
            slowness: vec![1.0; most as usize],
            extra_s: vec![0.0; most as usize],
            members: u32::MAX,
            ..known.clone()
        };
        let next = best(&alike, most, self.grouping, objective, now.head_s)?;
        Some(NextAllocation {
            regime: reasons::regime(now, present),
            workers_now: present.ranks,
            iteration_now_s: now.period_s,
            workers: next.ranks,
            iteration_s: next.paced_s(now.head_s),
            uncertainty: self.errors.half_width(0.0, self.confidence),
            own_chunks: None,
            technique: None,
            one_more_s: None,
        })
    }
}

/// Value of an objective for a measured period on so many ranks.
fn value(objective: Objective, period_s: f64, ranks: u32) -> f64 {
    match objective {
        Objective::Efficiency => f64::from(ranks) * period_s * period_s,
        Objective::Deadline(most_s) if period_s <= most_s => most_s * f64::from(ranks) * 1e-6,
        _ => period_s,
    }
}

/// Whether a plan puts two stages with state together that are not together now: their states are on different ranks.
fn parts_state(known: &Known, next: &Plan, present: &Plan) -> bool {
    let group_of = |stage: usize| present.0.iter().position(|group| group.range().contains(&stage));
    next.0.iter().any(|group| {
        let mut homes = group.range().filter(|stage| known.pipeline.stages[*stage].stateful).map(group_of);
        let first = homes.next();
        first.is_some_and(|first| homes.any(|home| home != first))
    })
}

impl Tunlet for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn explain(&self) -> Explanation {
        explanation::explain(self.objective, self.confidence, self.grouping, self.most)
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        if let Observation::Stream(window) = observation {
            self.learn(window);
        }
        std::mem::take(&mut self.judgements)
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let tuning_point = tuning_points
            .iter()
            .find(|tuning_point| tuning_point.name == names::PATTERN && tuning_point.text.is_some())?;
        if !std::mem::take(&mut self.fresh) || self.objective == Objective::Fixed || self.trials.watched.is_some() {
            return None;
        }
        if self.trials.rollback.is_some() {
            return self.roll_back(tuning_point);
        }
        let spare = tuning_points.iter().find(|tuning_point| tuning_point.name == names::PIPE_SPAWNED);
        let before = self.came;
        if let Some(spare) = spare {
            self.judge_start(spare);
            self.came = started::came(spare);
        }
        // Ranks that there are come first. The window may be of before the last ones joined.
        let Some((next, next_s, gain)) = self.better() else {
            return spare.filter(|_| self.came == before).and_then(|spare| self.start_ranks(spare));
        };
        let now = self.now.as_ref()?;
        let present = now.layout.as_ref()?;
        let (share, half) = gain.as_share(self.confidence);
        let managers = self.known.as_ref().and_then(|known| reasons::managers(known, &next, self.grouping));
        let why = format!(
            "{}; gain {:.1} % +- {:.1} %{}",
            reasons::why(now, present, &next),
            100.0 * share,
            100.0 * half,
            managers.unwrap_or_default()
        );
        let plan = next.plan.to_string();
        let half_width = self.errors.half_width(gain.error, self.confidence);
        let proposal = Proposal {
            gain: Some((share, half)),
            worth: now.worth(gain),
            ..self.proposal(tuning_point, &plan, (next_s, half_width), why)
        };
        let (from, expected, ranks) = (now.plan.clone(), (gain, next_s), present.ranks);
        (self.proposed, self.ranks_before) = (Some(Proposed { to: plan, from, expected }), ranks);
        Some(proposal)
    }

    fn report(&self) -> Report {
        let ideal_period_s = self.ideal_period_s();
        Report {
            ideal_period_s,
            farm: ideal_period_s.and_then(|ideal_s| self.farm(ideal_s)),
            over_start: self.since_start.report(),
            next_allocation: self.next_allocation(),
            ..Report::default()
        }
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.manager.iter().cloned().collect()
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        if let Some(asked) = self.asked.take() {
            if let Settled::Applied { .. } = settled {
                self.starting = Some((decision, asked));
            }
            return;
        }
        let Some(Proposed { to, from, expected }) = self.proposed.take() else { return };
        match settled {
            Settled::Applied { .. } => {
                self.expected = expected;
                self.trials.start(Trial::new(decision, Some(from), to, 0, self.present.clone()));
            }
            Settled::NotApplied { .. } if self.trials.rollback.is_some() => self.trials.on_not_applied(),
            Settled::NotApplied { .. } => *self.refused.entry(to).or_default() += 1,
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
