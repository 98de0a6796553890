//! A report of one run, made from its summary: each decision with its prediction, application, measurement and verdict.

use midrun_vocabulary::{Count, Seconds, Within};
use serde::Serialize;
use serde_json::Value;

use crate::figures::{of_master, of_progress};
use crate::summary::{has_tasks, without_tasks};

/// The report of one decision.
#[derive(Debug, Serialize)]
struct DecisionReport {
    tunlet: String,
    iteration: u64,
    /// One sentence per step, in the order in which they happened.
    #[serde(rename = "told")]
    steps: Vec<String>,
}

/// The report of one run.
#[derive(Debug, Serialize)]
pub struct RunReport {
    job: String,
    opening: String,
    start: Option<String>,
    decisions: Vec<DecisionReport>,
    controls: Vec<String>,
    refusals: Vec<String>,
    never: Vec<String>,
    shadow: Vec<String>,
    ending: String,
}

impl RunReport {
    /// Makes the report from a summary.
    pub fn of(summary: &Value) -> RunReport {
        let list = |key: &str| summary[key].as_array().cloned().unwrap_or_default();
        let decisions: Vec<DecisionReport> = list("decisions").iter().map(decision_report).collect();
        RunReport {
            job: text(summary, "job"),
            opening: opening(summary, decisions.is_empty()),
            start: crate::summary::start(&summary["start"]),
            decisions,
            controls: list("controls").iter().map(control).collect(),
            refusals: list("refusals").iter().map(refusal).collect(),
            never: list("never").iter().filter_map(|line| line.as_str().map(str::to_owned)).collect(),
            shadow: list("shadow").iter().map(shadow).collect(),
            ending: ending(summary),
        }
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut text = format!("job {}: {}\n", self.job, self.opening);
        if let Some(start) = &self.start {
            text += &format!("\n{start}\n");
        }
        for decision in &self.decisions {
            for (at, sentence) in decision.steps.iter().enumerate() {
                text += &format!("{}{sentence}\n", if at == 0 { "\n" } else { "    " });
            }
        }
        for (heading, lines) in [
            ("by hand", &self.controls),
            ("refused", &self.refusals),
            ("never possible", &self.never),
            ("advised only", &self.shadow),
        ] {
            if !lines.is_empty() {
                text += &format!("\n{heading}\n");
                lines.iter().for_each(|line| text += &format!("    {line}\n"));
            }
        }
        format!("{text}\n{}\n", self.ending)
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or("-").to_owned()
}

fn count(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

fn opening(summary: &Value, nothing: bool) -> String {
    if let Some(why) = summary["untuned"].as_str() {
        return format!("the job ran untuned: {why}");
    }
    if let Some(why) = summary["lost"].as_str() {
        return format!("what midrun did is not known: {why}");
    }
    let (ranks, iterations) = (count(summary, "ranks"), count(summary, "iterations"));
    let windows = summary["period_s"].as_array().map_or(0, Vec::len);
    let seen = match windows {
        0 => Count(iterations, "iteration").to_string(),
        _ => format!("{} of a stream", Count(windows as u64, "window")),
    };
    let without_tasks = without_tasks(summary).filter(|_| iterations > 0);
    if let Some(why) = summary["search"]["trouble"].as_str().filter(|_| nothing && ranks > 0) {
        return format!("{}, {seen}; nothing was decided, for the search was refused: {why}", Count(ranks, "rank"));
    }
    let why = match () {
        () if ranks == 0 => "; nothing was decided: no rank reported to an agent",
        () if iterations == 0 && windows == 0 => {
            "; nothing was decided: the program neither uses a framework nor marks its iterations, its MPI calls have no period, and no tunlet said where iterations begin"
        }
        () if nothing && !summary["controls"].as_array().is_none_or(Vec::is_empty) => "; midrun decided nothing",
        () if nothing && without_tasks.is_some() => "; nothing was decided",
        () if nothing && iterations > 0 && !has_tasks(summary) => {
            "; nothing was decided: the program has no tasks to distribute, and neither --search nor a tunlet said what to tune"
        }
        () if nothing && iterations == 1 => {
            "; nothing was decided: one iteration ends before what it showed can be put to use"
        }
        () if nothing => "; nothing was decided: no change promised enough",
        () => "",
    };
    let because = without_tasks.filter(|_| nothing).map(|why| format!(": {why}")).unwrap_or_default();
    format!("{}, {seen}{why}{because}", Count(ranks, "rank"))
}

fn decision_report(decision: &Value) -> DecisionReport {
    let per_output = decision["per"] == "output";
    let (window, safe_point) = if per_output { ("window", "input") } else { ("iteration", "iteration") };
    let number = |key: &str| decision[key].as_f64();
    let (tunlet, iteration) = (text(decision, "tunlet"), count(decision, "iteration"));
    let mut steps = vec![format!(
        "{window} {iteration}{}: {tunlet} proposed {} {} -> {}",
        of_master(decision),
        text(decision, "tuning_point"),
        text(decision, "from"),
        text(decision, "to")
    )];
    steps.push(format!("because {}", text(decision, "why")));
    let unchanged = format!("{}{}", Seconds(number("unchanged_s").unwrap_or(f64::NAN)), of_progress(decision));
    steps.push(match (number("predicted_s").map(Seconds), number("uncertainty")) {
        (Some(predicted), Some(share)) => {
            format!("predicted {predicted} {} instead of {unchanged}", Within(share))
        }
        (Some(predicted), None) => format!("predicted {predicted} instead of {unchanged}"),
        (None, _) => format!("without a prediction; it took {unchanged} then"),
    });
    let verdict = text(decision, "verdict");
    steps.push(match (decision["applied_iteration"].as_u64(), verdict.as_str()) {
        (Some(at), _) => format!("applied at {safe_point} {at}"),
        (None, "advised") => "only advised: --dry-run forbade it".into(),
        (None, _) => match decision["reason"].as_str() {
            Some(reason) => format!("not applied: {reason}"),
            None => "not applied: the run ended before".into(),
        },
    });
    if let Some(sentence) = measured(decision, &verdict) {
        steps.push(sentence);
    }
    DecisionReport { tunlet, iteration, steps }
}

fn measured(decision: &Value, verdict: &str) -> Option<String> {
    let number = |key: &str| decision[key].as_f64();
    let Some(measured) = number("measured_s") else {
        return match verdict {
            "open" => Some("the run ended before it could be judged".to_owned()),
            "left" => decision["reason"].as_str().map(str::to_owned),
            _ => None,
        };
    };
    let beside = number("predicted_s")
        .map(|predicted| format!(", {:+.1} % beside the prediction", 100.0 * (measured - predicted) / predicted));
    let verdict = match verdict {
        "kept" => "it was kept",
        "rolled-back" => "it was rolled back",
        other => other,
    };
    let unit = of_progress(decision);
    Some(format!("measured {}{unit}{}: {verdict}", Seconds(measured), beside.unwrap_or_default()))
}

/// A manual override: when, what, and each value that changed.
fn control(control: &Value) -> String {
    let changes = control["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let change =
        |change: &Value| format!("rank {} {} -> {}", change["rank"], plain(&change["from"]), plain(&change["to"]));
    let applied: Vec<String> = changes.iter().filter(|change| change["refused"].is_null()).map(change).collect();
    let values = if applied.is_empty() { String::new() } else { format!(" ({})", applied.join(", ")) };
    format!("{:.1} s: {}{values}", control["at_s"].as_f64().unwrap_or(0.0), text(control, "text"))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn refusal(refusal: &Value) -> String {
    let times = match count(refusal, "times") {
        0 | 1 => String::new(),
        times => format!(" ({times} times)"),
    };
    format!("iteration {}: {}: {}{times}", count(refusal, "iteration"), text(refusal, "tunlet"), text(refusal, "why"))
}

fn shadow(score: &Value) -> String {
    let tested = match score["median_error"].as_f64() {
        Some(error) => format!("its predictions were off by {:.1} % (median)", 100.0 * error),
        None => "its predictions stayed untested".to_owned(),
    };
    format!(
        "{}: {}, {} of them measured later: {tested}; it had proposed {} of {} made",
        text(score, "tunlet"),
        Count(count(score, "proposals"), "proposal"),
        count(score, "tested"),
        count(score, "agreed"),
        Count(count(score, "acting"), "change"),
    )
}

fn ending(summary: &Value) -> String {
    let list = |key: &str| summary[key].as_array().cloned().unwrap_or_default();
    let verdicts = |wanted: &str| list("decisions").iter().filter(|d| d["verdict"] == wanted).count();
    let counts: Vec<String> = ["kept", "tried", "left", "rolled-back", "advised", "not-applied", "open"]
        .into_iter()
        .filter(|verdict| verdicts(verdict) > 0)
        .map(|verdict| format!("{} {verdict}", verdicts(verdict)))
        .collect();
    let counts = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
    let times: Vec<f64> = list("iteration_s").iter().filter_map(Value::as_f64).collect();
    let change = match (times.first(), times.last()) {
        (Some(first), Some(last)) if times.len() > 1 => {
            format!("; the first iteration took {}, the last {}", Seconds(*first), Seconds(*last))
        }
        _ => String::new(),
    };
    format!("decisions: {counts}{change}")
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    fn decision(verdict: &str, more: Value) -> Value {
        let mut decision = json!({"per": "iteration", "iteration": 3, "tunlet": "climb", "tuning_point": "factor", "from": "0.5",
            "to": "0.6", "why": "tasks are uneven", "predicted_s": 0.8, "uncertainty": 0.05, "unchanged_s": 0.9,
            "measured_s": null, "verdict": verdict, "applied_iteration": null, "reason": null});
        for (key, value) in more.as_object().into_iter().flatten() {
            decision[key] = value.clone();
        }
        decision
    }

    pub fn summary() -> Value {
        json!({"job": "j1", "ranks": 9, "iterations": 12, "iteration_s": [0.9, 0.82],
            "decisions": [
                decision("kept", json!({"applied_iteration": 4, "measured_s": 0.82})),
                decision("not-applied", json!({"reason": "refused: the value is out of the tuning point's range", "predicted_s": null})),
                decision("open", json!({"applied_iteration": 11})),
            ],
            "refusals": [{"tunlet": "climb", "iteration": 7, "why": "no rank measures x", "times": 3}],
            "controls": [
                {"at_s": 1.25, "control": "set", "done": true, "text": "block = 64 applied on ranks 0-1 at iteration 5",
                 "changes": [{"rank": 0, "tuning_point": "block", "from": 8.0, "to": 64.0, "refused": null},
                             {"rank": 1, "tuning_point": "block", "from": 16.0, "to": 64.0, "refused": null}]},
                {"at_s": 2.0, "control": "freeze", "done": true, "text": "frozen: tunlets decide nothing more", "changes": []}],
            "never": ["no rank offers a tuning point F9"],
            "shadow": [{"tunlet": "auto", "proposals": 2, "tested": 1, "median_error": 0.04, "agreed": 1, "acting": 1}]})
    }

    #[test]
    fn a_run_is_reported_in_the_order_in_which_it_happened() {
        let text = RunReport::of(&summary()).text();
        for part in [
            "job j1: 9 ranks, 12 iterations\n",
            "iteration 3: climb proposed factor 0.5 -> 0.6\n    because tasks are uneven\n    predicted 0.800 s +- 5 % instead of 0.900 s",
            "applied at iteration 4\n    measured 0.820 s, +2.5 % beside the prediction: it was kept",
            "not applied: refused: the value is out of",
            "without a prediction; it took 0.900 s then",
            "the run ended before it could be judged",
            "by hand\n    1.2 s: block = 64 applied on ranks 0-1 at iteration 5 (rank 0 8.0 -> 64.0, rank 1 16.0 -> 64.0)\n",
            "    2.0 s: frozen: tunlets decide nothing more\n",
            "refused\n    iteration 7: climb: no rank measures x (3 times)",
            "never possible\n    no rank offers a tuning point F9",
            "auto: 2 proposals, 1 of them measured later: its predictions were off by 4.0 % (median); it had proposed 1 of 1 change made",
            "decisions: 1 kept, 1 not-applied, 1 open; the first iteration took 0.900 s, the last 0.820 s",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn a_run_without_decisions_says_why() {
        let text = |summary: Value| RunReport::of(&summary).text();
        assert!(text(json!({"ranks": 0, "decisions": []})).contains("no rank reported"));
        assert!(text(json!({"ranks": 4, "iterations": 0, "decisions": []})).contains("nor marks its iterations"));
        assert!(
            text(json!({"ranks": 4, "iterations": 3, "tasks": [9], "decisions": []}))
                .contains("no change promised enough")
        );
        assert!(text(json!({"ranks": 4, "iterations": 3, "decisions": []})).contains("no tasks to distribute"));
        let one = text(json!({"ranks": 4, "iterations": 1, "tasks": [9], "decisions": []}));
        assert!(one.contains("1 iteration; nothing was decided: one iteration ends before"), "{one}");
        let declared = |line: &str, tasks: u32| {
            text(
                json!({"ranks": 4, "iterations": 3, "decisions": [], "tasks": [tasks], "points": {"declared": ["iteration function f", line]}}),
            )
        };
        assert!(declared("work function g first 1 int tasks 2 int", 0).contains("no call of g with tasks was seen"));
        assert!(
            declared("tune chunk.tasks variable C int 1..9", 0).contains("chunk.tasks tunes a Master/Worker program")
        );
        assert!(declared("tune tile variable C int 1..9", 0).contains("no tasks to distribute"));
        assert!(declared("work function g first 1 int tasks 2 int", 7).contains("no change promised enough"));
        for iterations in [0, 3] {
            let search = json!({"trouble": "no rank offers nosuch"});
            let text =
                text(json!({"ranks": 4, "iterations": iterations, "tasks": [9], "decisions": [], "search": search}));
            let why = "nothing was decided, for the search was refused: no rank offers nosuch";
            assert!(text.contains(why) && !text.contains("promised"), "{text}");
        }
    }
}
