//! The Gantt chart of a recording: a row per rank, a bar per iteration or stage.

use std::collections::BTreeMap;

use midrun_analyzer::recording::{Activity, Slice, Timeline};
use serde_json::{Value, json};

use crate::numbers::rounded;

/// Bars of a chart; beyond them, neighbours become one.
const MOST_BARS: usize = 12_000;

/// A row: a rank and what it does there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    rank: u32,
    what: String,
}

fn row(slice: &Slice) -> Row {
    let what = match &slice.activity {
        Activity::Iteration => "iterations".to_owned(),
        Activity::Work => "tasks".to_owned(),
        Activity::Stage(stage, name) if name.is_empty() => format!("stage {stage}"),
        Activity::Stage(stage, name) => format!("stage {stage} {name}"),
    };
    Row { rank: slice.rank, what }
}

/// The chart as JSON: `rows`, and `bars` of a row each as begin, length, busy share, first number, tasks; `merged`: slices in a bar.
pub fn gantt(timeline: &Timeline) -> Value {
    let mut rows: BTreeMap<Row, Vec<&Slice>> = BTreeMap::new();
    for slice in &timeline.slices {
        rows.entry(row(slice)).or_default().push(slice);
    }
    let merged = timeline.slices.len().div_ceil(MOST_BARS).max(1);
    let bars = |slices: &[&Slice]| slices.chunks(merged).map(bar).collect::<Vec<Value>>();
    json!({
        "merged": merged,
        "rows": rows.keys().map(|row| format!("{} {}", row.rank, row.what)).collect::<Vec<_>>(),
        "bars": rows.values().map(|slices| bars(slices)).collect::<Vec<_>>(),
        "applied": timeline.applied.iter().take(MOST_BARS).map(|applied| rounded(applied.at_s)).collect::<Vec<_>>(),
    })
}

fn bar(slices: &[&Slice]) -> Value {
    let begin_s = slices.iter().map(|slice| slice.begin_s).fold(f64::INFINITY, f64::min);
    let end_s = slices.iter().map(|slice| slice.end_s).fold(f64::NEG_INFINITY, f64::max);
    let busy_s: f64 = slices.iter().map(|slice| slice.busy_s).sum();
    let share = (100.0 * busy_s / (end_s - begin_s).max(f64::MIN_POSITIVE)).clamp(0.0, 100.0).round();
    let done: u64 = slices.iter().map(|slice| slice.done).fold(0, u64::saturating_add);
    let number = slices.first().and_then(|slice| slice.number);
    let microseconds = |s: f64| (s * 1e6).round() / 1e6;
    json!([microseconds(begin_s), microseconds(end_s - begin_s), share, number, done])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_bar_where_there_are_too_many() {
        let slice = |number: u64| Slice {
            rank: number as u32 % 2,
            activity: Activity::Work,
            number: Some(number),
            begin_s: number as f64,
            end_s: number as f64 + 1.0,
            busy_s: 0.5,
            done: 3,
        };
        let chart = |count: u64| gantt(&Timeline { slices: (0..count).map(slice).collect(), ..Timeline::default() });
        let few = chart(4);
        assert_eq!((&few["merged"], &few["rows"]), (&1.into(), &json!(["0 tasks", "1 tasks"])));
        assert_eq!(few["bars"][1], json!([[1.0, 1.0, 50.0, 1, 3], [3.0, 1.0, 50.0, 3, 3]]));
        let many = chart(30_000);
        let count: usize = many["bars"].as_array().unwrap().iter().map(|row| row.as_array().unwrap().len()).sum();
        assert!(count <= MOST_BARS + 2 && many["merged"] == 3, "{count}");
        assert_eq!(many["bars"][0][0], json!([0.0, 5.0, 30.0, 0, 9]));
    }
}
