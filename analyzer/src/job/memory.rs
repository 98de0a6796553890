//! The job's memory: what it learns for later runs of its program, and the trial of the start that an earlier run gave.

use midrun_scheduling::{PointValue, Setting};
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::memory::{Cut, Learning, Learnt, Remembered, StartTrial, StartVerdict};
use midrun_tunlets::options::Objective;
use midrun_tunlets::{Observation, TuningOptions};
use midrun_vocabulary::{Seconds, UnixTime};
use serde_json::json;

use super::dispatcher::Group;
use super::own_values::OwnValues;
use super::start_values::by_rank;
use crate::actions::Action;
use crate::context::Ctx;
use crate::decisions::Per;
use crate::summary::StartLine;
use crate::tuning_points::TuningPoints;

/// See the module.
pub(super) struct Memory {
    learning: Learning,
    own: OwnValues,
    trial: Option<StartTrial>,
    announced: bool,
}

impl Memory {
    /// The memory of a job with these options.
    pub(super) fn new(options: &TuningOptions) -> Memory {
        // The catalogue has refused options that cannot be read.
        let objective = Objective::parse(&options.objective).unwrap_or(Objective::Time);
        let confidence = Confidence::new(options.confidence).unwrap_or_default();
        let remembered: Option<Remembered> = options.start.parse().ok();
        let trial = remembered.map(|remembered| StartTrial::new(remembered, confidence));
        Memory { learning: Learning::new(objective, confidence), own: OwnValues::default(), trial, announced: false }
    }

    /// Whether nothing may be changed after windows of this kind, because the start is being judged by them.
    pub(super) fn is_judging(&self, per: Per) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.is_open() && unit_of(trial) == per)
    }

    /// The values of the start that ranks are still to be asked to set.
    pub(super) fn values_to_set(&self) -> Option<&[PointValue]> {
        self.trial.as_ref()?.values_to_set()
    }

    /// Ranks were asked to set them.
    pub(super) fn on_asked(&mut self) {
        self.trial.iter_mut().for_each(StartTrial::on_asked);
    }

    /// They are not set.
    pub(super) fn on_not_set(&mut self, ctx: &mut Ctx<'_>, why: &'static str) {
        let Some(trial) = self.trial.as_mut().filter(|trial| trial.is_open()) else { return };
        trial.on_not_set(why);
        let text = outcome(trial, &from(trial));
        ctx.life("start-judged", text, json!({"start": line(trial)}));
    }

    /// The ranks that were asked to set them have answered.
    pub(super) fn on_start_settled(&mut self, ctx: &mut Ctx<'_>, group: &Group) {
        if group.has_failed() {
            self.on_not_set(ctx, "the program did not take its values");
        } else {
            self.trial.iter_mut().for_each(|trial| trial.on_set(group.iteration()));
        }
    }

    /// Whether this iteration ran before the values of the start were in force, which are set or still to be.
    pub(super) fn awaits_values(&self, iteration: u64) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.awaits_values(iteration))
    }

    /// A rank takes the values of an action over; `points` still has those before.
    pub(super) fn on_applied(&mut self, action: &Action, iteration: Option<u64>, points: &TuningPoints) {
        self.own.on_applied(action, iteration.unwrap_or(0), points);
    }

    /// Takes in a window, and reports what becomes of the start.
    pub(super) fn observe(&mut self, ctx: &mut Ctx<'_>, observation: Observation<'_>, points: &TuningPoints) {
        let cut = match observation {
            Observation::Iteration(window) => self.own.cut(window.iteration, points.list()),
            _ => Cut::Unknown,
        };
        self.learning.observe(observation, &cut);
        let is_offered = |values: &[PointValue]| {
            by_rank(values).iter().all(|(rank, assignments)| points.objection(*rank, assignments).is_none())
        };
        if matches!(observation, Observation::Iteration(_)) && self.values_to_set().is_some_and(|all| !is_offered(all))
        {
            return self.on_not_set(ctx, "the program does not offer these values any more");
        }
        let (per, number) = match observation {
            Observation::Iteration(window) => (Per::Iteration, window.iteration),
            Observation::Stream(window) => (Per::Output, window.number),
            _ => return,
        };
        let Some(trial) = self.trial.as_mut().filter(|trial| trial.is_open() && unit_of(trial) == per) else { return };
        let decided = trial.observe(observation, &cut);
        let from = from(trial);
        let is_used = trial.was_in_force() && !matches!(trial.verdict, StartVerdict::NotUsed(_));
        let window = per.window();
        if is_used && !std::mem::replace(&mut self.announced, true) {
            let time = Seconds(trial.remembered.iteration_s);
            let text = format!("{window} {number}: start {from}, {time} per {}", per.name());
            ctx.life("start-remembered", text, json!({window: number, "start": line(trial)}));
        }
        if decided {
            let text = format!("{window} {number}: {}", outcome(trial, &from));
            ctx.life("start-judged", text, json!({window: number, "start": line(trial)}));
        }
    }

    /// The start in the summary; `None` without one.
    pub(super) fn start(&self) -> Option<StartLine> {
        self.trial.as_ref().map(line)
    }

    /// What a job of so many ranks learnt.
    pub(super) fn learnt(&self, ranks: u32) -> Option<Learnt> {
        self.learning.learnt(ranks)
    }
}

/// The windows that a start is judged by.
fn unit_of(trial: &StartTrial) -> Per {
    match trial.remembered.start.setting {
        Setting::Scheduling(_) | Setting::Values(_) => Per::Iteration,
        Setting::Pattern(_) => Per::Output,
    }
}

/// Where a start comes from, and what it is.
fn from(trial: &StartTrial) -> String {
    let remembered = &trial.remembered;
    format!("remembered from the run of {}: {}", UnixTime(remembered.time_s), remembered.setting())
}

/// What became of a start, as a sentence.
fn outcome(trial: &StartTrial, from: &str) -> String {
    let measured = Seconds(trial.measured_s().unwrap_or(f64::NAN));
    let (expected_s, share) = trial.expected().unwrap_or((f64::NAN, f64::NAN));
    let (expected, percent) = (Seconds(expected_s), 100.0 * share);
    match trial.verdict {
        StartVerdict::NotUsed(why) => format!("the start {from} is not used: {why}"),
        StartVerdict::Worse => {
            format!(
                "the remembered start measured {measured}, expected were {expected} +- {percent:.1} %: decided anew"
            )
        }
        _ => format!("the remembered start is kept: measured {measured} (expected {expected} +- {percent:.1} %)"),
    }
}

fn line(trial: &StartTrial) -> StartLine {
    let (verdict, reason) = match trial.verdict {
        StartVerdict::Open => ("open", None),
        StartVerdict::Kept => ("kept", None),
        StartVerdict::Worse => ("worse", None),
        StartVerdict::NotUsed(why) => ("not-used", Some(why.to_owned())),
    };
    let (expected_s, uncertainty) = trial.expected().unzip();
    StartLine {
        per: unit_of(trial),
        remembered_unix_s: trial.remembered.time_s,
        setting: trial.remembered.setting(),
        remembered_s: trial.remembered.iteration_s,
        expected_s,
        uncertainty,
        measured_s: trial.measured_s(),
        verdict: verdict.to_owned(),
        reason,
    }
}
