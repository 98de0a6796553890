//! Tunlet `pipeline`: replicates and groups stages by their measured times.
//!
//! César 2006, ch. IV, with an exact search in place of the source's. A change is nearly free (inputs on their way keep the
//! old pattern), so only the uncertainty of its gain holds it back.

mod estimate;
mod explanation;
mod layout;
mod reasons;
pub mod recorded;

pub use reasons::{StageTimes, stage_times};

use crate::options::Objective;
use crate::trial::{MODEL, Measurement, Rule, Tabu, Trial, Trials, WATCHED, Worse};
use crate::tuning_point::names;
use crate::{
    Explanation, Judgement, NextAllocation, Observation, Proposal, Recent, Report, Settled, StreamWindow, TuningPoint,
    Tunlet, Value, Verdict,
};
use estimate::{Estimate, Holds, Known};
use layout::{Layout, best, cost, forecast};
pub use midrun_models::pipeline::exact::Grouping;
use midrun_scheduling::plan::Plan;
use midrun_vocabulary::Seconds;
use std::collections::BTreeMap;

/// A gain below this share is not worth a change.
const GAIN: f64 = 0.03;
/// A gain of this share is taken at once; a smaller one is to be advised twice.
const CLEAR_GAIN: f64 = 0.25;
/// Windows by another pattern after which a change is given up.
const NEVER: u32 = 50;
/// A pattern is worse whose objective exceeds the former one's by more than this share.
const WORSE: f64 = 0.02;
/// Windows for which a pattern that was rolled back is tabu.
const TABU: u64 = 30;
/// Advice for the next allocation goes up to this many times the present ranks.
const NEXT_TIME: u32 = 4;

/// State of the stream in the last windows.
#[derive(Clone, Debug)]
struct Now {
    number: u64,
    plan: String,
    period_s: f64,
    /// Time in source and sink per output, seconds.
    head_s: f64,
    ranks: u32,
    /// The present plan on its ranks; `None` where its outputs went by several, or not all ranks were seen.
    layout: Option<Layout>,
    names: Vec<String>,
}

/// See the module.
#[derive(Debug)]
pub struct Pipeline {
    objective: Objective,
    grouping: Grouping,
    /// Most ranks that compute; 0 = all there are.
    most: u32,
    estimate: Estimate,
    known: Option<Known>,
    now: Option<Now>,
    recent: Recent,
    fresh: bool,
    /// Plan that the last window advised.
    advised: Option<String>,
    /// Ranks that computed when it was made.
    ranks_before: u32,
    /// The proposal in flight: to, from, and the measurement with the latter.
    proposed: Option<(String, String, Measurement)>,
    trials: Trials<String>,
    tabu: Tabu<String>,
    /// Period measured since the program last changed, by plan, seconds.
    measured: BTreeMap<String, f64>,
    judgements: Vec<Judgement>,
}

impl Pipeline {
    /// Creates the tunlet; it has learnt nothing yet.
    pub fn new(objective: Objective, grouping: Grouping, most: u32) -> Pipeline {
        Pipeline {
            objective,
            grouping,
            most,
            estimate: Estimate::default(),
            known: None,
            now: None,
            recent: Recent::default(),
            fresh: false,
            advised: None,
            proposed: None,
            ranks_before: 0,
            trials: Trials::default(),
            tabu: Tabu::default(),
            measured: BTreeMap::new(),
            judgements: Vec::new(),
        }
    }

    fn watch(&mut self, window: &StreamWindow) {
        let Some(trial) = &self.trials.watched else { return };
        if window.plan != trial.to {
            self.judgements.extend(self.trials.miss(NEVER, window.period_s()).map(|(_, judgement)| judgement));
            return;
        }
        let Some(now) = self.now.as_ref().filter(|_| self.recent.count() >= WATCHED) else { return };
        // Where not all ranks were seen, they are as many as before.
        let cost = match &now.layout {
            Some(layout) => self.value(now.period_s, layout.ranks),
            None => self.value(now.period_s, self.ranks_before),
        };
        // The last windows count as one: they were merged.
        let rule = Rule { windows: 1, worse: Worse::ByMargin(WORSE) };
        let measurement = Measurement { cost, time_s: now.period_s };
        let Some((trial, judgement)) = self.trials.measure(window.number, measurement, rule) else { return };
        self.judgements.push(judgement);
        if judgement.verdict == Verdict::RolledBack {
            self.tabu.add(trial.to, window.number, TABU);
        }
    }

    /// Value of the objective for a measured period on so many ranks.
    fn value(&self, period_s: f64, ranks: u32) -> f64 {
        match self.objective {
            Objective::Efficiency => f64::from(ranks) * period_s * period_s,
            Objective::Deadline(most_s) if period_s <= most_s => most_s * f64::from(ranks) * 1e-6,
            _ => period_s,
        }
    }

    /// The plan to change to, if one is worth it.
    fn better(&mut self) -> Option<(Layout, f64)> {
        let (known, now) = (self.known.as_ref()?, self.now.as_ref()?);
        let present = now.layout.as_ref()?;
        let most = if self.most == 0 { now.ranks } else { self.most.min(now.ranks) };
        let mut next = best(known, most, self.grouping, self.objective, now.head_s)?;
        if parts_state(known, &next.plan, &present.plan) {
            next = best(known, most, Grouping::None, self.objective, now.head_s)?;
        }
        let plan = next.plan.to_string();
        let next_s = self.measured.get(&plan).copied().unwrap_or(next.period_s().max(now.head_s));
        let (was, is) = (self.value(now.period_s, present.ranks), self.value(next_s, next.ranks));
        // Compare the model with the model, too: a measured period may be long for a reason that no pattern mends.
        let promise =
            1.0 - cost(known, &next, self.objective, now.head_s) / cost(known, present, self.objective, now.head_s);
        let gain = promise.min(1.0 - is / was);
        let fewer = gain > -GAIN / 2.0 && next.ranks < present.ranks && self.objective != Objective::Efficiency;
        let tabu = !self.tabu.allows(&plan, now.number);
        if plan == now.plan || tabu || (gain < GAIN && !fewer) {
            self.advised = None;
            return None;
        }
        let again = self.advised.replace(plan.clone()).is_some_and(|before| before == plan);
        (again || gain >= CLEAR_GAIN).then_some((next, next_s))
    }

    /// Proposes the former pattern, once.
    fn roll_back(&mut self, tuning_point: &TuningPoint) -> Option<Proposal> {
        let trial = self.trials.rollback.take()?;
        let (plan, was_s) = (trial.from?, trial.before.time_s()?);
        let now = self.now.as_ref().filter(|now| now.plan != plan)?;
        let ranks = now.layout.as_ref().map_or(0, |layout| layout.ranks);
        let (is, was) = (Seconds(now.period_s), Seconds(was_s));
        let why = match now.period_s > was_s {
            true => format!("it measured {is} per output, not {was} as before"),
            // The period is shorter, but the objective counts the ranks, too.
            false => format!("{is} per output are too little gain for {ranks} ranks: with those before it was {was}"),
        };
        let proposal = self.proposal(tuning_point, &plan, (was_s, 0.0), why);
        let measured = Measurement { cost: self.value(now.period_s, ranks), time_s: now.period_s };
        (self.proposed, self.ranks_before) = (Some((plan, now.plan.clone(), measured)), ranks);
        Some(proposal)
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
            let kept = |decision| Judgement { decision, measured_s: window.period_s(), verdict: Verdict::Kept };
            self.judgements.extend(trials.watched.map(|trial| kept(trial.decision)));
            self.tabu.clear();
        }
        self.recent.push(window);
        let recent = self.recent.merged();
        let seen = recent.as_ref().unwrap_or(window);
        self.known = self.estimate.known(seen.ranks);
        let stateful: Vec<bool> = seen.stages.iter().map(|stage| stage.stateful).collect();
        let plan = Plan::parse(&seen.plan, &stateful).ok().filter(|_| recent.is_some());
        let layout = self.known.as_ref().zip(plan).and_then(|(known, plan)| {
            let places = reasons::places(seen, &plan)?;
            Some(forecast(known, &plan, &places))
        });
        if let Some(recent) = &recent {
            self.measured.insert(recent.plan.clone(), recent.period_s());
        }
        self.now = Some(Now {
            number: window.number,
            plan: seen.plan.clone(),
            period_s: seen.period_s(),
            head_s: seen.head_s / seen.outputs.max(1) as f64,
            ranks: seen.ranks,
            layout,
            names: seen.stages.iter().map(|stage| stage.name.clone()).collect(),
        });
        self.fresh = true;
        self.watch(window);
    }

    fn ideal_period_s(&self) -> Option<f64> {
        let (known, now) = (self.known.as_ref()?, self.now.as_ref()?);
        let best = best(known, now.ranks, self.grouping, Objective::Time, now.head_s)?;
        Some(best.period_s().max(now.head_s))
    }

    fn next_allocation(&self) -> Option<NextAllocation> {
        let (known, now) = (self.known.as_ref()?, self.now.as_ref()?);
        let present = now.layout.as_ref()?;
        let objective = if self.objective == Objective::Fixed { Objective::Efficiency } else { self.objective };
        let most = now.ranks.saturating_mul(NEXT_TIME);
        // Further ranks are thought of as like most.
        let alike = Known { slowness: vec![1.0; most as usize], extra_s: vec![0.0; most as usize], ..known.clone() };
        let next = best(&alike, most, self.grouping, objective, now.head_s)?;
        Some(NextAllocation {
            regime: reasons::regime(now, present),
            workers_now: present.ranks,
            iteration_now_s: now.period_s,
            workers: next.ranks,
            iteration_s: next.period_s().max(now.head_s),
            uncertainty: self.uncertainty(now),
        })
    }

    /// Half the width of the interval of a prediction, as a share: the model's error and chance.
    fn uncertainty(&self, now: &Now) -> f64 {
        let chance = self.known.as_ref().map_or(0.0, |known| 2.0 * known.spread / 4.0);
        let model =
            now.layout.as_ref().map_or(0.0, |layout| (now.period_s / layout.period_s().max(now.head_s) - 1.0).abs());
        (MODEL.max(model).powi(2) + chance.powi(2)).sqrt()
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
        explanation::explain(self.objective, self.grouping, self.most)
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
        let (next, next_s) = self.better()?;
        let now = self.now.as_ref()?;
        let present = now.layout.as_ref()?;
        let why = reasons::why(now, present, &next);
        let plan = next.plan.to_string();
        let proposal = self.proposal(tuning_point, &plan, (next_s, self.uncertainty(now)), why);
        let measured = Measurement { cost: self.value(now.period_s, present.ranks), time_s: now.period_s };
        let ranks = present.ranks;
        (self.proposed, self.ranks_before) = (Some((plan, now.plan.clone(), measured)), ranks);
        Some(proposal)
    }

    fn report(&self) -> Report {
        Report { ideal_period_s: self.ideal_period_s(), next_allocation: self.next_allocation(), ..Report::default() }
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        self.advised = None;
        let Some((to, from, measured)) = self.proposed.take() else { return };
        match settled {
            Settled::Applied { .. } => self.trials.start(Trial::new(decision, Some(from), to, 0, measured.into())),
            // The reason for a refusal is likely to hold for the next window, too.
            Settled::NotApplied { .. } => self.tabu.add(to, self.now.as_ref().map_or(0, |now| now.number), TABU),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
