//! The period of a recorded pipeline.

use std::fmt::Write;

use midrun_scheduling::plan::{Group, Plan};
use midrun_tunlets::StreamWindow;
use midrun_tunlets::recorded::Answer;
use midrun_tunlets::recorded::pipeline::{Answered, Recording};
use midrun_vocabulary::Count;
use serde_json::{Value, json};

use super::{Args, as_json, legend};
use crate::table::Column::{Left, Right};

/// The prediction as text or JSON.
///
/// # Errors
/// A part of a sentence that says what is missing, or asked for in vain.
pub fn predicted(args: &Args, windows: &[StreamWindow]) -> Result<String, String> {
    if !(args.workers.is_empty() && args.technique.is_empty()) {
        return Err("is of a pipeline: ask for --replicas, --pattern or --ranks, not for workers and techniques".into());
    }
    let nothing = "has too few outputs of some stage to learn from: record a longer run";
    let recording = Recording::of(windows).ok_or(nothing)?;
    let link = args.network.unwrap_or_default();
    let answers: Vec<Answered> = plans(args, &recording)?.iter().map(|plan| recording.answer(plan, link)).collect();
    let names: Vec<String> =
        windows.last().map_or_else(Vec::new, |window| window.stages.iter().map(|stage| stage.name.clone()).collect());
    Ok(if args.json {
        json_of(args, &recording, &names, &answers)
    } else {
        text_of(args, &recording, &names, &answers)
    })
}

/// The plans asked for; without any, the recorded ones.
fn plans(args: &Args, recording: &Recording) -> Result<Vec<Plan>, String> {
    let fit = &recording.fit;
    let mut plans = Vec::new();
    if !args.replicas.is_empty() {
        if args.replicas.len() != fit.stages() {
            return Err(format!("has {} stages: --replicas needs a number for each", fit.stages()));
        }
        let group = |(stage, replicas): (usize, &u32)| Group::any(stage, 1, *replicas as usize);
        let plan = Plan(args.replicas.iter().enumerate().map(group).collect());
        plans.push(fit.plan(&plan.to_string()).map_err(|why| format!("cannot have these replicas: {why}"))?);
    }
    for text in &args.pattern {
        plans.push(fit.plan(text).map_err(|why| format!("cannot have the pattern {text}: {why}"))?);
    }
    for ranks in &args.ranks {
        plans.push(fit.best(*ranks).ok_or_else(|| format!("has no pattern on {ranks} ranks"))?);
    }
    if plans.is_empty() {
        plans = recording.seen().filter_map(|(text, _)| fit.plan(text).ok()).collect();
    }
    if plans.is_empty() {
        return Err("shows no pattern alone for two windows: say --pattern, or record a longer run".into());
    }
    Ok(plans)
}

/// Until the last of so many outputs: the first takes the way through all stages.
fn total_s(recording: &Recording, answer: &Answer, outputs: u64) -> f64 {
    let through_s: f64 = recording.fit.inputs().iter().map(|(compute_s, _)| compute_s).sum();
    through_s + outputs.saturating_sub(1) as f64 * answer.time_s
}

fn text_of(args: &Args, recording: &Recording, names: &[String], answers: &[Answered]) -> String {
    let mut text = String::new();
    for (plan, windows) in recording.seen() {
        let _ = writeln!(text, "recorded: {} of {plan}", Count(windows as u64, "window"));
    }
    for (stage, (compute_s, bytes)) in recording.fit.inputs().iter().enumerate() {
        let name = names.get(stage).filter(|name| !name.is_empty()).map_or(String::new(), |name| format!(" ({name})"));
        let _ = writeln!(text, "learnt: stage {stage}{name} takes {:.3} ms and sends {bytes:.0} B on", compute_s * 1e3);
    }
    let (start_up_s, per_byte_s) = recording.fit.link();
    let _ = writeln!(
        text,
        "learnt: a message costs {:.1} us and {:.3} ns/B, source and sink {:.3} ms per output\n",
        start_up_s * 1e6,
        per_byte_s * 1e9,
        recording.fit.head_s() * 1e3,
    );
    let row = |Answered { plan, answer, .. }: &Answered| {
        let total_s = args.iterations.map(|count| total_s(recording, answer, count));
        ([plan.to_string(), plan.ranks().to_string()], *answer, total_s)
    };
    text += &super::answers([Left("pattern"), Right("ranks")], "period s", args, answers.iter().map(row));
    let all: Vec<Answer> = answers.iter().map(|answered| answered.answer).collect();
    text + legend(&all, "pipeline")
}

fn json_of(args: &Args, recording: &Recording, names: &[String], answers: &[Answered]) -> String {
    let row = |Answered { plan, answer, tr_s }: &Answered| {
        let mut row = as_json(answer);
        row["pattern"] = json!(plan.to_string());
        row["ranks"] = json!(plan.ranks());
        row["tr_s"] = json!(tr_s);
        row["total_s"] = json!(args.iterations.map(|count| total_s(recording, answer, count)));
        row
    };
    let stage = |(at, (compute_s, bytes)): (usize, &(f64, f64))| json!({"stage": at, "name": names.get(at), "compute_s": compute_s, "message_bytes": bytes});
    let (start_up_s, per_byte_s) = recording.fit.link();
    let all = json!({
        "per": "output", "stages": recording.fit.inputs().iter().enumerate().map(stage).collect::<Vec<Value>>(),
        "start_up_s": start_up_s, "per_byte_s": per_byte_s, "head_s": recording.fit.head_s(),
        "recorded": recording.seen().map(|(plan, windows)| json!({"pattern": plan, "windows": windows})).collect::<Vec<Value>>(),
        "answers": answers.iter().map(row).collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}
