//! The status of a running job as text.

use midrun_vocabulary::{Count, Seconds};
use serde_json::Value;

use crate::figures::{masters, of_master};
use crate::numbers::plain;
use crate::table::{Column, table};

/// Formats a status, which is JSON, as lines of text.
pub fn status(json: &str) -> String {
    let status: Value = serde_json::from_str(json).unwrap_or_default();
    let mut lines = vec![headline(&status), progress(&status)];
    lines.extend(masters(&status).into_iter().map(|line| format!("  {line}")));
    lines.push(tuning(&status));
    let points = points(&status["tuning_points"]);
    lines.push(if points.is_empty() { "no tuning points are declared yet".into() } else { "tuning points:".into() });
    lines.extend(points);
    for (key, title, line) in [
        ("decisions", "last decisions:", decision as fn(&Value) -> String),
        ("controls", "last controls:", control as fn(&Value) -> String),
    ] {
        let list = status[key].as_array().cloned().unwrap_or_default();
        if !list.is_empty() {
            lines.push(title.into());
            lines.extend(list.iter().map(line));
        }
    }
    lines.join("\n") + "\n"
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("-")
}

fn headline(status: &Value) -> String {
    let mpi = status["mpi"].as_str().filter(|mpi| !mpi.is_empty()).unwrap_or("no rank has reported its MPI yet");
    let list = |key: &str| status[key].as_array().cloned().unwrap_or_default();
    let in_state = |state: &str| list("ranks").iter().filter(|rank| rank["state"] == state).count();
    let mut ranks = Count(list("ranks").len() as u64, "rank").to_string();
    for (state, word) in [("ended", "ended"), ("lost", "lost")] {
        match in_state(state) {
            0 => {}
            count => ranks += &format!(", {count} {word}"),
        }
    }
    let hosts: Vec<String> = list("hosts").iter().map(host).collect();
    format!("job {} ({mpi}): {ranks} on {}", text(status, "job"), hosts.join(", "))
}

fn host(host: &Value) -> String {
    let away = if host["linked"] == true { "" } else { " (its agent is not connected)" };
    format!("{}{away}", text(host, "node"))
}

fn progress(status: &Value) -> String {
    let time = |key: &str| status[key].as_f64().map(|s| format!(", the last took {}", Seconds(s))).unwrap_or_default();
    let wall = status["wall_s"].as_f64().unwrap_or(0.0);
    match status["outputs"].as_u64() {
        Some(outputs) => format!("{} in {wall:.1} s{}", Count(outputs, "output"), time("period_s")),
        None => {
            let count = status["iterations"].as_u64().unwrap_or(0);
            format!("{} in {wall:.1} s{}", Count(count, "iteration"), time("iteration_s"))
        }
    }
}

fn tuning(status: &Value) -> String {
    let Some(tunlet) = status["tunlet"].as_str() else { return "tuning is off: the tunlet failed".into() };
    let mode = match text(status, "mode") {
        "frozen" => "is frozen: it decides nothing, values stay (midrun resume)",
        "paused" => "is paused: it decides nothing, values are those at start (midrun resume)",
        _ if status["dry_run"] == true => "gives advice only (--dry-run)",
        _ => "is deciding",
    };
    let count = |key: &str| status[key].as_u64().unwrap_or(0);
    let mut line = format!("tunlet {tunlet} {mode}");
    if count("in_flight") + count("controls_waiting") > 0 {
        line += &format!(
            "; {} in flight, {} pending",
            Count(count("in_flight"), "action"),
            Count(count("controls_waiting"), "control")
        );
    }
    line
}

/// Formats the tuning points; ranks with equal columns share a line.
fn points(list: &Value) -> Vec<String> {
    let mut groups: Vec<(Vec<u32>, Vec<String>)> = Vec::new();
    for point in list.as_array().into_iter().flatten() {
        let rank = point["rank"].as_u64().and_then(|rank| u32::try_from(rank).ok()).unwrap_or(0);
        let columns = columns(point);
        match groups.iter_mut().find(|(_, known)| *known == columns) {
            Some((ranks, _)) => ranks.push(rank),
            None => groups.push((vec![rank], columns)),
        }
    }
    let row = |(ranks, columns): (Vec<u32>, Vec<String>)| [vec![ranges(&ranks)], columns].concat();
    table(&[Column::Left(""); 6], groups.into_iter().map(row)).lines().map(str::to_owned).collect()
}

fn columns(point: &Value) -> Vec<String> {
    let means = point["means"].as_str().map(|word| format!(" ({word})")).unwrap_or_default();
    let range = match point["text"] == true {
        true => "a text".to_owned(),
        false => format!("{} to {}", plain(&point["minimum"]), plain(&point["maximum"])),
    };
    let start = if point["declared"].is_null() { "-".into() } else { plain(&point["declared"]) };
    let changed = &point["turned"];
    let by = match changed["by"].as_str() {
        // Each rank applies a value at an iteration of its own: the JSON has those.
        Some(by) => format!("{by}: {}", text(changed, "why")),
        None => "never changed".into(),
    };
    let held = if point["held"] == true { " (manual override)" } else { "" };
    vec![
        text(point, "name").to_owned(),
        format!("{}{means}", plain(&point["value"])),
        range,
        format!("at start {start}"),
        format!("{by}{held}"),
    ]
}

fn ranges(ranks: &[u32]) -> String {
    match ranks {
        [one] => format!("rank {one}"),
        [first, .., last] if ranks.len() as u32 == last - first + 1 => format!("ranks {first}-{last}"),
        _ => format!("ranks {}", ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
    }
}

fn decision(line: &Value) -> String {
    let when = if line["per"] == "output" { "window" } else { "iteration" };
    format!(
        "  {when} {}{}: {} {} -> {}: {}",
        line["iteration"],
        of_master(line),
        text(line, "tuning_point"),
        text(line, "from"),
        text(line, "to"),
        text(line, "verdict")
    )
}

fn control(line: &Value) -> String {
    format!("  {:.1} s: user: {}", line["at_s"].as_f64().unwrap_or(0.0), text(line, "text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_names_ranks_tuning_points_decisions_and_controls() {
        let point = |rank: u32, value: f64, held: bool| {
            serde_json::json!({"rank": rank, "name": "block", "value": value, "minimum": 8.0, "maximum": 256.0,
                "declared": 64.0, "whole": true, "text": false, "held": held, "means": null,
                "turned": held.then(|| serde_json::json!({"by": "user", "why": "set by hand", "iteration": 7}))})
        };
        let json = serde_json::json!({
            "job": "j1", "mpi": "Open MPI 4.1.4", "wall_s": 2.5, "iterations": 9, "outputs": null, "iteration_s": 0.25,
            "ranks": [{"rank": 0, "state": "running"}, {"rank": 1, "state": "lost"}],
            "hosts": [{"node": "h1", "linked": true}, {"node": "h2", "linked": false}],
            "tunlet": "auto", "mode": "frozen", "dry_run": false, "in_flight": 0, "controls_waiting": 0,
            "tuning_points": [point(0, 64.0, false), point(1, 64.0, false), point(2, 32.0, true)],
            "decisions": [{"per": "iteration", "iteration": 3, "tuning_point": "technique", "from": "none", "to": "daf",
                "verdict": "kept"}],
            "controls": [{"at_s": 2.25, "text": "block = 32 applied on rank 2"}],
        });
        let expected = "\
job j1 (Open MPI 4.1.4): 2 ranks, 1 lost on h1, h2 (its agent is not connected)
9 iterations in 2.5 s, the last took 0.250 s
tunlet auto is frozen: it decides nothing, values stay (midrun resume)
tuning points:
  ranks 0-1  block  64  8 to 256  at start 64  never changed
  rank 2     block  32  8 to 256  at start 64  user: set by hand (manual override)
last decisions:
  iteration 3: technique none -> daf: kept
last controls:
  2.2 s: user: block = 32 applied on rank 2
";
        assert_eq!(status(&json.to_string()), expected);
    }
}
