//! The job's memory: what it learns for later runs of its program, and the trial of the start that an earlier run gave.

use midrun_scheduling::Setting;
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::memory::{Learning, Learnt, Remembered, StartTrial, StartVerdict};
use midrun_tunlets::options::Objective;
use midrun_tunlets::{Observation, TuningOptions};
use midrun_vocabulary::{Seconds, UnixTime};
use serde_json::json;

use crate::context::Ctx;
use crate::decisions::Per;
use crate::summary::StartLine;

/// See the module.
pub(super) struct Memory {
    learning: Learning,
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
        Memory { learning: Learning::new(objective, confidence), trial, announced: false }
    }

    /// Whether nothing may be changed after windows of this kind, because the start is being judged by them.
    pub(super) fn is_judging(&self, per: Per) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.is_open() && unit_of(trial) == per)
    }

    /// Takes in a window, and reports what becomes of the start.
    pub(super) fn observe(&mut self, ctx: &mut Ctx<'_>, observation: Observation<'_>) {
        self.learning.observe(observation);
        let (per, number) = match observation {
            Observation::Iteration(window) => (Per::Iteration, window.iteration),
            Observation::Stream(window) => (Per::Output, window.number),
            _ => return,
        };
        let Some(trial) = self.trial.as_mut().filter(|trial| trial.is_open() && unit_of(trial) == per) else { return };
        let decided = trial.observe(observation);
        let remembered = &trial.remembered;
        let from = format!("remembered from the run of {}: {}", UnixTime(remembered.time_s), remembered.setting());
        let is_used = !matches!(trial.verdict, StartVerdict::NotUsed(_));
        let window = per.window();
        if is_used && !std::mem::replace(&mut self.announced, true) {
            let time = Seconds(remembered.iteration_s);
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
        Setting::Scheduling(_) => Per::Iteration,
        Setting::Pattern(_) => Per::Output,
    }
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
