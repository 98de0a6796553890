//! What the page's script draws, as JSON: curves thinned out so that a long run stays a small file.

use serde_json::{Value, json};

use super::gantt;
use super::run::{Point, Run};
use crate::numbers::rounded;

/// Points of a curve: more than a screen has columns, and both extremes of each part are among them.
const MOST_POINTS: usize = 2000;

/// The data of all runs, fit to stand in a `script` element.
pub fn data(runs: &[Run]) -> String {
    let runs: Vec<Value> = runs.iter().map(run).collect();
    // No text can end the element.
    json!({"runs": runs}).to_string().replace('<', "\\u003c")
}

fn run(run: &Run) -> Value {
    let kept = thin(&run.points, MOST_POINTS);
    let point = |at: &usize| &run.points[*at];
    let marks = run.decisions.iter().enumerate().filter_map(|(number, decision)| {
        let x = run.x[decision.place?];
        Some(json!({"x": x, "n": number + 1, "text": decision.change, "verdict": decision.verdict}))
    });
    json!({
        "name": run.name, "unit": run.unit,
        "x": kept.iter().map(|at| run.x[*at]).collect::<Vec<_>>(),
        "time": kept.iter().map(|at| rounded(point(at).time_s)).collect::<Vec<_>>(),
        "ideal": kept.iter().map(|at| point(at).ideal_s.map(rounded)).collect::<Vec<_>>(),
        "ratio": kept.iter().map(|at| point(at).ratio().map(rounded)).collect::<Vec<_>>(),
        "workers": kept.iter().map(|at| point(at).workers).collect::<Vec<_>>(),
        "marks": marks.collect::<Vec<_>>(),
        "gantt": run.timeline.as_ref().map(gantt::gantt),
    })
}

/// Places of at most about `most` points, with the shortest and the longest time of each part of the curve, and both ends.
pub fn thin(points: &[Point], most: usize) -> Vec<usize> {
    if points.len() <= most {
        return (0..points.len()).collect();
    }
    let part = points.len().div_ceil(most / 2);
    let mut kept = vec![0, points.len() - 1];
    for begin in (0..points.len()).step_by(part) {
        let end = (begin + part).min(points.len());
        let by_time = |a: &usize, b: &usize| points[*a].time_s.total_cmp(&points[*b].time_s);
        kept.extend((begin..end).min_by(by_time));
        kept.extend((begin..end).max_by(by_time));
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_extremes_and_its_ends() {
        let point =
            |number: u64| Point { number, time_s: 1.0 + (number % 7) as f64 / 10.0, ideal_s: None, workers: None };
        let mut points: Vec<Point> = (0..10_000).map(point).collect();
        (points[4321].time_s, points[8765].time_s) = (9.0, 0.1);
        let kept = thin(&points, 2000);
        assert!(kept.len() <= 2002 && kept.is_sorted(), "{}", kept.len());
        assert!([0, 4321, 8765, 9999].iter().all(|at| kept.contains(at)));
        assert_eq!(thin(&points[..5], 2000), [0, 1, 2, 3, 4]);
    }
}
