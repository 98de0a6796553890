//! Windows and lines from what points measured.

use super::*;

fn measured(label: &str, iteration: u64, count: u64, sum: f64) -> PointMeasured {
    let each = sum / count as f64;
    let seen = PointWindow {
        label: label.into(),
        count,
        timed: count,
        sum,
        squares: each * sum,
        minimum: each,
        maximum: each,
        ..PointWindow::default()
    };
    PointMeasured { span_ns: (0, 0), iteration: Some(iteration), seen, cost_s: 0.25 }
}

#[test]
fn an_iteration_closes_when_every_rank_reported_it_with_the_time_of_the_slowest() {
    let mut points = Points::default();
    points.on_measured(10, 0, 0, measured("iteration", 0, 1, 2.0));
    points.on_measured(11, 1, 0, measured("solve", 0, 4, 1.0));
    points.on_measured(11, 1, 0, measured("solve", 0, 1, 3.0));
    assert!(points.close(12, false, 2, 100).is_empty());
    points.on_measured(13, 1, 0, measured("iteration", 0, 1, 4.0));
    let closed = points.close(14, false, 2, 100);
    let [Closed { window, task_s, .. }] = &closed[..] else { panic!("{closed:?}") };
    assert_eq!((window.iteration, window.tasks, window.workers, window.iteration_s, *task_s), (0, 0, 2, 4.0, 6.0));
    let [solve] = &window.points[..] else { panic!("{:?}", window.points) };
    assert_eq!((solve.rank, solve.count, solve.sum, solve.minimum, solve.maximum), (1, 5, 4.0, 0.25, 3.0));
    assert_eq!(solve.mean(), Some(0.8));
    assert_eq!(window.nonsense(), None);
    points.on_measured(15, 1, 0, measured("iteration", 0, 1, 4.0));
    assert!(points.close(999, true, 2, 100).is_empty(), "it is over");
}

#[test]
fn an_iteration_waits_neither_for_ever_nor_for_more_than_two_others() {
    let mut points = Points::default();
    points.on_measured(10, 0, 0, measured("iteration", 0, 1, 2.0));
    assert!(points.close(109, false, 2, 100).is_empty());
    assert_eq!(points.close(110, false, 2, 100).len(), 1);
    (1..4).for_each(|iteration| points.on_measured(10, 0, 0, measured("iteration", iteration, 1, 2.0)));
    let numbers: Vec<u64> = points.close(20, false, 2, 100).iter().map(|closed| closed.window.iteration).collect();
    assert_eq!(numbers, [1]);
    assert_eq!(points.close(20, true, 2, 100).len(), 2);
}

#[test]
fn what_was_measured_is_summed_up_over_ranks_and_iterations() {
    let mut points = Points::default();
    points.on_measured(1, 0, 0, measured("solve", 0, 2, 1.0));
    points.on_measured(1, 3, 0, measured("solve", 1, 2, 3.0));
    points.on_measured(1, 3, 0, PointMeasured { iteration: None, ..measured("solve", 1, 4, 4.0) });
    let lines = points.lines("measure solve function solve sum").expect("lines");
    let [line] = &lines.measured[..] else { panic!("{lines:?}") };
    assert_eq!((line.ranks, line.count, line.mean, line.cost_s), (2, 8, Some(1.0), 0.75));
    assert_eq!((line.minimum, line.maximum), (Some(0.5), Some(1.5)));
    assert_eq!(lines.declared, ["measure solve function solve sum"]);
    assert_eq!(points.take(0).len(), 1);
    assert!(Points::default().lines("").is_none());
}

#[test]
fn the_same_refusal_of_many_ranks_is_reported_once() {
    let mut points = Points::default();
    let refused = PointRefused { line: 3, why: "there is no such function".into(), shed: false };
    assert!(points.on_refused(0, &refused));
    assert!(!points.on_refused(1, &refused));
    assert!(points.on_refused(1, &PointRefused { why: "another".into(), ..refused.clone() }));
    let lines = points.lines("").expect("lines");
    assert_eq!(lines.refused[0].ranks.len(), 2);
}

#[test]
fn what_a_rank_without_iterations_measures_goes_to_the_iteration_of_its_time() {
    let mut points = Points::default();
    let unknown = |begin: u64, end: u64, sum: f64| PointMeasured {
        iteration: None,
        span_ns: (begin, end),
        ..measured("solve", 0, 1, sum)
    };
    let ended = |iteration: u64| PointMeasured {
        span_ns: (100 * iteration + 5, 100 * iteration + 95),
        ..measured("iteration", iteration, 1, 90e-9)
    };
    let wait_ns = limits::ATTRIBUTION_MS * 1_000_000;
    // Rank 1's clock is 1000 ns ahead: what it says is moved to that of rank 0, whose iterations they are.
    points.on_measured(1, 1, -1000, unknown(1010, 1040, 1.0));
    points.on_measured(2, 0, 0, ended(0));
    assert!(points.close(3, false, 2, u64::MAX).is_empty(), "more may come of iteration 0");
    points.on_measured(4, 1, -1000, unknown(1070, 1098, 2.0));
    points.on_measured(5, 1, -1000, unknown(1110, 1150, 4.0));
    let closed = points.close(2 + wait_ns, false, 2, wait_ns);
    let [Closed { window, .. }] = &closed[..] else { panic!("{closed:?}") };
    let of: Vec<(u32, u64, f64)> = window.points.iter().map(|point| (point.rank, point.count, point.sum)).collect();
    assert_eq!((window.workers, of), (1, vec![(1, 2, 3.0)]), "the third is of the next iteration");
    points.on_measured(6 + wait_ns, 0, 0, ended(1));
    let closed = points.close(6 + 2 * wait_ns, false, 2, u64::MAX);
    assert_eq!(closed[0].window.points[0].sum, 4.0);
}
