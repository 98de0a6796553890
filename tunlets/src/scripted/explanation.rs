//! Explains a scripted tunlet to people.

use super::file::{Decides, Description, TuningPoint, Whose};
use super::setting::Values;
use crate::confidence::Confidence;
use crate::explain::{Explanation, Formula, Turn};
use crate::trial::Rule;

/// Values for people: `f0 0.5, f1 0.25`, one alone without its name.
pub fn values(values: &Values) -> String {
    match values.as_slice() {
        [(_, value)] => value.to_string(),
        many => many.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<String>>().join(", "),
    }
}

/// Explains what a file describes.
pub fn explain(description: &Description, confidence: Confidence) -> Explanation {
    let d = description;
    let points = midrun_points::print(&d.declarations);
    let seen = points.lines().filter(|line| line.starts_with("measure") || line.starts_with("iteration"));
    let numbers = "each iteration: its time, tasks, workers, their task times, and the scheduling technique".to_owned();
    Explanation {
        tunlet: d.name.clone(),
        about: d.about.clone(),
        sees: std::iter::once(numbers).chain(seen.map(str::to_owned)).collect(),
        turns: d.tuning_points.iter().map(turn).collect(),
        objective: format!(
            "{} {}",
            if d.objective.maximise { "the largest" } else { "the smallest" },
            d.objective.text.text.trim()
        ),
        decides: decides(d),
        limits: limits(d, confidence),
    }
}

fn turn(tuning_point: &TuningPoint) -> Turn {
    let range = match (tuning_point.range, tuning_point.step) {
        (Some((least, most)), Some(step)) => format!("{least} to {most} in steps of {step}"),
        (Some((least, most)), None) => format!("{least} to {most}"),
        (None, Some(step)) => format!("what the rank allows, in steps of {step}"),
        (None, None) => "what the rank allows".to_owned(),
    };
    let rank = match tuning_point.whose {
        Whose::Lowest => "the lowest rank that offers it".to_owned(),
        Whose::Rank(rank) => format!("rank {rank}"),
        Whose::All => "all ranks that offer it".to_owned(),
    };
    let synchronized = if tuning_point.synchronized { ", in one and the same iteration" } else { "" };
    Turn {
        tuning_point: tuning_point.name.clone(),
        what: format!("{}; of {rank}{synchronized}", tuning_point.what),
        range,
    }
}

fn decides(d: &Description) -> Vec<Formula> {
    let formula = |says: String| Formula { says, source: String::new() };
    match &d.decides {
        Decides::Script(text) => text.text.lines().map(|line| formula(line.to_owned())).collect(),
        Decides::Rules(rules) => rules
            .iter()
            .map(|rule| {
                let set: Vec<String> =
                    rule.set.iter().map(|(label, text)| format!("{label} = {}", text.text)).collect();
                formula(format!("when {}: {}, because {}", rule.when.text.trim(), set.join(", "), rule.why))
            })
            .collect(),
    }
}

fn limits(d: &Description, confidence: Confidence) -> Vec<String> {
    let l = &d.limits;
    let mut list = vec![
        format!(
            "a change is watched for {} iterations at least; {}",
            l.watched_iterations,
            Rule::explain("the objective", true, confidence)
        ),
        format!("no change for {} iterations after each verdict", l.cool_down_iterations),
        "values that were rolled back are not tried again before the run is twice as old".to_owned(),
        format!("switched off after {} failures in succession", l.failures),
        format!("{} operations of the script per window", super::limits::OPERATIONS),
    ];
    if l.min_gain > 0.0 {
        list.push(format!("a gain of {} % at least", 100.0 * l.min_gain));
    }
    if let Some(most) = l.max_changes {
        list.push(format!("{most} changes of a run at most"));
    }
    list
}
