//! One run as a report shows it: its windows, decisions and times of ranks.

use midrun_analyzer::recording::Timeline;
use serde_json::Value;

use super::decisions::{self, Decision};
use crate::run_file::RunFile;

/// A window on a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Number of the iteration, or of the window of a stream.
    pub number: u64,
    /// Time of the iteration, or between two outputs, seconds.
    pub time_s: f64,
    /// Task time / workers, or the best period by the model, seconds.
    pub ideal_s: Option<f64>,
    /// Workers.
    pub workers: Option<u64>,
}

impl Point {
    /// Time / ideal; 1 is perfect.
    pub fn ratio(&self) -> Option<f64> {
        self.ideal_s.filter(|ideal_s| *ideal_s > 0.0).map(|ideal_s| self.time_s / ideal_s)
    }
}

/// Times of a rank as shares of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct RankTimes {
    /// The rank.
    pub rank: u64,
    /// Useful, waiting, other MPI, framework; they add up to 1.
    pub shares: [f64; 4],
}

/// A run.
pub struct Run {
    /// Name of its file.
    pub name: String,
    /// Its summary.
    pub summary: Value,
    /// What a point of the curve is: iteration or window.
    pub unit: &'static str,
    /// The curve.
    pub points: Vec<Point>,
    /// Position of each point on the x axis: its number, or its place where numbers begin anew within the run.
    pub x: Vec<u64>,
    /// Decisions in order.
    pub decisions: Vec<Decision>,
    /// Times of ranks.
    pub ranks: Vec<RankTimes>,
    /// Of a recording.
    pub timeline: Option<Timeline>,
}

impl Run {
    /// The run of a file.
    pub fn of(file: RunFile) -> Run {
        let RunFile { name, summary, recorded, .. } = file;
        let (unit, points) = points(&summary);
        let is_rising = points.windows(2).all(|pair| pair[0].number < pair[1].number);
        let x = (0..).zip(&points).map(|(at, point)| if is_rising { point.number } else { at }).collect();
        let numbers: Vec<u64> = points.iter().map(|point| point.number).collect();
        let decisions = decisions::of(&summary, &numbers);
        let ranks = summary["pop"]["ranks"].as_array().into_iter().flatten().filter_map(rank_times).collect();
        Run { name, unit, points, x, decisions, ranks, timeline: recorded.map(|recorded| recorded.timeline), summary }
    }

    /// Text of a key of the summary.
    pub fn text(&self, key: &str) -> &str {
        self.summary[key].as_str().unwrap_or("-")
    }
}

fn numbers(summary: &Value, key: &str) -> Vec<Option<f64>> {
    summary[key].as_array().into_iter().flatten().map(Value::as_f64).collect()
}

fn points(summary: &Value) -> (&'static str, Vec<Point>) {
    let periods = numbers(summary, "period_s");
    if !periods.is_empty() {
        let ideal_s = summary["ideal_period_s"].as_f64();
        let point =
            |(number, time_s): (u64, Option<f64>)| Some(Point { number, time_s: time_s?, ideal_s, workers: None });
        return ("window", (0..).zip(periods).filter_map(point).collect());
    }
    let [ideal, numbered, workers, tasks] =
        ["ideal_s", "iteration", "workers", "tasks"].map(|key| numbers(summary, key));
    let at = |list: &[Option<f64>], at: usize| list.get(at).copied().flatten();
    let point = |(place, time_s): (usize, Option<f64>)| {
        let has_tasks = at(&tasks, place).is_none_or(|tasks| tasks > 0.0);
        Some(Point {
            number: at(&numbered, place).map_or(place as u64, |number| number as u64),
            time_s: time_s?,
            ideal_s: at(&ideal, place).filter(|ideal_s| *ideal_s > 0.0 && has_tasks),
            workers: at(&workers, place).filter(|_| has_tasks).map(|workers| workers as u64),
        })
    };
    ("iteration", numbers(summary, "iteration_s").into_iter().enumerate().filter_map(point).collect())
}

fn rank_times(line: &Value) -> Option<RankTimes> {
    let seconds = ["useful_s", "waiting_s", "mpi_s", "framework_s"].map(|key| line[key].as_f64().unwrap_or(0.0));
    let all_s: f64 = seconds.iter().sum();
    (all_s > 0.0).then_some(RankTimes { rank: line["rank"].as_u64()?, shares: seconds.map(|s| s / all_s) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(summary: Value) -> Run {
        Run::of(RunFile { name: "r.json".into(), job: "j".into(), summary, recorded: None })
    }

    #[test]
    fn points_keep_the_numbers_of_the_program_unless_it_counts_anew() {
        let summary = |iteration: Value| {
            json!({"iterations": 3, "decisions": [], "iteration": iteration, "iteration_s": [0.5, 0.4, 0.3],
                "ideal_s": [0.25, 0.25, 0.25], "tasks": [5, 5, 0], "workers": [2, 2, 4]})
        };
        let rising = run(summary(json!([0, 2, 3])));
        assert_eq!((rising.x.clone(), rising.unit), (vec![0, 2, 3], "iteration"));
        let [first, .., last] = &rising.points[..] else { panic!("three points") };
        assert_eq!((first.ratio(), first.workers), (Some(2.0), Some(2)));
        assert_eq!((last.ratio(), last.workers), (None, None), "without tasks nobody knows an ideal");
        assert_eq!(run(summary(json!([0, 1, 0]))).x, [0, 1, 2]);
        // A summary of an older version has no numbers.
        assert_eq!(run(summary(Value::Null)).x, [0, 1, 2]);
    }

    #[test]
    fn a_stream_is_drawn_by_its_periods() {
        let stream =
            run(json!({"iterations": 0, "decisions": [], "period_s": [0.4, null, 0.1], "ideal_period_s": 0.1}));
        assert_eq!((stream.unit, stream.x.clone(), stream.points[1].ratio()), ("window", vec![0, 2], Some(1.0)));
    }
}
