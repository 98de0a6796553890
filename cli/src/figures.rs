//! Lines of text about a status: headline, progress, stages, tuning points, decisions, losses.

use midrun_tunlets::PER_PROGRESS;
use midrun_vocabulary::{Count, Seconds, Within};
use serde_json::Value;

use crate::numbers::plain;

/// Text of a key; "-" without it.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("-")
}

/// The entries of a list.
pub fn list<'a>(status: &'a Value, key: &str) -> &'a [Value] {
    status[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Job, MPI, ranks, hosts, and how long it has run.
pub fn headline(status: &Value) -> String {
    let ranks = Count(list(status, "ranks").len() as u64, "rank");
    let hosts = Count(list(status, "hosts").len() as u64, "host");
    let wall = status["wall_s"].as_f64().unwrap_or(0.0);
    let ended = if status["ended"] == true { ", ended" } else { "" };
    format!("{} · {} · {ranks} on {hosts} · {wall:.0} s{ended}", text(status, "job"), text(status, "mpi"))
}

/// Who decides.
pub fn mode(status: &Value) -> String {
    let Some(tunlet) = status["tunlet"].as_str() else { return "tuning is off: the tunlet failed".into() };
    match text(status, "mode") {
        "frozen" => format!("{tunlet} frozen: values stay (r resumes)"),
        "paused" => format!("{tunlet} paused: values of the start (r resumes)"),
        _ if status["dry_run"] == true => format!("{tunlet} only advises (--dry-run)"),
        _ => format!("{tunlet} decides"),
    }
}

/// The newest window: its time, ideal and ratio, and what is in force. Where that is wider than `room`, the ideal is left out.
pub fn progress(status: &Value, room: usize) -> String {
    let Some(window) = list(status, "windows").last() else {
        let ranks = list(status, "ranks").len();
        return if ranks == 0 { "no rank has joined yet".into() } else { "no iteration has ended yet".into() };
    };
    let seconds = |key: &str| window[key].as_f64().map(Seconds);
    let time = seconds("time_s").unwrap_or(Seconds(f64::NAN));
    if window["per"] == "output" {
        let outputs = Count(status["outputs"].as_u64().unwrap_or(0), "output");
        let on_way = window["on_way"].as_u64().unwrap_or(0);
        return format!("{outputs} · one every {time} · {on_way} on their way · pattern {}", text(status, "pattern"));
    }
    let mut parts = vec![format!("iteration {}", window["number"]), time.to_string()];
    let ideal = window["ideal_s"].as_f64().filter(|ideal| *ideal > 0.0);
    if let Some(ideal) = ideal {
        parts.extend([format!("ideal {}", Seconds(ideal)), format!("ratio {:.3}", time.0 / ideal)]);
    }
    if let (Some(workers), Some(1..)) = (window["workers"].as_u64(), window["tasks"].as_u64()) {
        parts.push(Count(workers, "worker").to_string());
    }
    parts.extend(status["technique"].as_str().map(str::to_owned));
    let line = parts.join(" · ");
    if line.chars().count() <= room || ideal.is_none() {
        return line;
    }
    parts.remove(2);
    parts.join(" · ")
}

/// What limits the program, and its efficiencies.
pub fn regime(status: &Value) -> String {
    let percent = |key: &str| status["pop"][key].as_f64().map(|share| format!("{:.0} %", 100.0 * share));
    let regime = status["regime"].as_str().map(str::to_owned);
    let pop = percent("parallel_efficiency").zip(percent("load_balance")).zip(percent("communication_efficiency"));
    let pop = pop.map(|((all, balance), calls)| {
        format!("parallel efficiency {all} = load balance {balance} x communication {calls}")
    });
    regime.into_iter().chain(pop).collect::<Vec<_>>().join(" · ")
}

/// The masters, where there are several.
pub fn masters(status: &Value) -> Vec<String> {
    let line = |line: &Value| {
        let count = |key: &str| line[key].as_u64().unwrap_or(0);
        let time = line["iteration_s"].as_f64().map(|s| format!(", the last {}", Seconds(s))).unwrap_or_default();
        let (iterations, workers) = (Count(count("iterations"), "iteration"), Count(count("workers"), "worker"));
        format!("master {}: {iterations}{time}, {workers}, {}", line["master"], text(line, "technique"))
    };
    list(status, "instances").iter().map(line).collect()
}

/// The stages of a pipeline: replicas, compute time, and the periods Tr (alone) and rTr (as measured).
pub fn stages(status: &Value) -> Vec<String> {
    let time = |stage: &Value, key: &str| stage[key].as_f64().map_or_else(|| "-".into(), |s| Seconds(s).to_string());
    let line = |(number, stage): (usize, &Value)| {
        format!(
            "{number} {:<10.10} x{:<3} computes {:>8}  Tr {:>8}  rTr {:>8}",
            text(stage, "name"),
            stage["replicas"].as_u64().unwrap_or(0),
            time(stage, "compute_s"),
            time(stage, "tr_s"),
            time(stage, "rtr_s"),
        )
    };
    list(status, "stages").iter().enumerate().map(line).collect()
}

/// The tuning points, first those that were changed; ranks with equal values share a line, and texts that nobody set have none.
pub fn tuning_points(status: &Value) -> Vec<String> {
    let mut groups: Vec<(String, Vec<u64>)> = Vec::new();
    let is_unset = |point: &&Value| point["text"] == true && point["value"] == "";
    let mut points: Vec<&Value> = list(status, "tuning_points").iter().filter(|point| !is_unset(point)).collect();
    points.sort_by_key(|point| point["turned"].is_null());
    for point in points {
        let value = point["means"].as_str().map_or_else(|| plain(&point["value"]), str::to_owned);
        let by = point["turned"]["by"].as_str().map_or_else(|| "as at start".to_owned(), |by| format!("set by {by}"));
        let held = if point["held"] == true { ", held" } else { "" };
        let line = format!("{} = {value} ({by}{held})", text(point, "name"));
        let rank = point["rank"].as_u64().unwrap_or(0);
        match groups.iter_mut().find(|(known, _)| *known == line) {
            Some((_, ranks)) => ranks.push(rank),
            None => groups.push((line, vec![rank])),
        }
    }
    let ranks = |ranks: &[u64]| match ranks {
        [one] => format!("rank {one}"),
        many => format!("{} ranks", many.len()),
    };
    groups.iter().map(|(line, of)| format!("{}: {line}", ranks(of))).collect()
}

/// Names the master whose iterations a decision counts, where there are several.
pub fn of_master(decision: &Value) -> String {
    decision["master"].as_u64().map_or_else(String::new, |rank| format!(" of master {rank}"))
}

/// Whether a decision is about the iterations that the summary lists: those of the first master.
pub fn is_of_first(summary: &Value, decision: &Value) -> bool {
    decision["master"].is_null() || decision["master"] == summary["instances"][0]["master"]
}

/// What the times of a decision refer to, where that is no iteration.
pub fn of_progress(decision: &Value) -> String {
    if decision["per_progress"] == true { format!(" {PER_PROGRESS}") } else { String::new() }
}

/// The newest decisions, the newest first: the change, and what was predicted and measured.
pub fn decisions(status: &Value) -> Vec<(String, String)> {
    let decision = |line: &Value| {
        let seconds = |key: &str| line[key].as_f64().map(Seconds);
        let what = if line["per"] == "output" { "window" } else { "iteration" };
        let mut parts = Vec::new();
        if let Some(predicted) = seconds("predicted_s") {
            let share = line["uncertainty"].as_f64().map(|share| format!(" {}", Within(share)));
            parts.push(format!("predicted {predicted}{}", share.unwrap_or_default()));
        }
        parts.extend(seconds("measured_s").map(|measured| format!("measured {measured}")));
        let numbers =
            if parts.is_empty() { String::new() } else { format!(" ({}{})", parts.join(", "), of_progress(line)) };
        let change = format!("{} {} -> {}", text(line, "tuning_point"), text(line, "from"), text(line, "to"));
        let verdict = text(line, "verdict");
        let when = format!("{what} {}{}", line["iteration"], of_master(line));
        (format!("{when}: {change}: {verdict}{numbers}"), text(line, "why").to_owned())
    };
    list(status, "decisions").iter().rev().map(decision).collect()
}

/// What was lost on the way.
pub fn losses(status: &Value) -> String {
    let count = |key: &str| status["records"][key].as_u64().unwrap_or(0);
    let actions = |key: &str| status["actions"][key].as_u64().unwrap_or(0);
    format!(
        "records {} of {}, {} dropped · events dropped {} · actions {} sent, {} applied",
        count("collected"),
        count("produced"),
        count("dropped"),
        status["events_dropped"].as_u64().unwrap_or(0),
        actions("sent"),
        actions("applied"),
    )
}
