//! The curve of a run as SVG, for browsers without JavaScript and for paper, and its decisions' predictions beside what was measured.

use maud::{Markup, html};

use super::data::thin;
use super::decisions::Decision;
use super::run::Run;
use crate::chart::{self, BOTTOM, Compared, LEFT, Scale, WIDTH, tick, ticks};

const HEIGHT: f64 = 260.0;
const TOP: f64 = 12.0;
/// Points of a curve: about one per pixel.
const MOST_POINTS: usize = 900;

fn line(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
}

/// Time and ideal of each window, with a numbered line at each decision.
pub fn curve(run: &Run) -> Markup {
    let most_s = run.points.iter().map(|point| point.time_s).fold(0.0, f64::max) * 1.05;
    let last = run.x.last().copied().unwrap_or(0) as f64;
    let first = run.x.first().copied().unwrap_or(0) as f64;
    let x = Scale { from: (first, last.max(first + 1.0)), to: (LEFT, WIDTH - 10.0) };
    let y = Scale { from: (0.0, most_s), to: (HEIGHT - BOTTOM, TOP) };
    let kept = thin(&run.points, MOST_POINTS);
    let time = line(kept.iter().map(|at| (x.at(run.x[*at] as f64), y.at(run.points[*at].time_s))));
    let known = kept.iter().filter_map(|at| Some((x.at(run.x[*at] as f64), y.at(run.points[*at].ideal_s?))));
    let ideal = line(known);
    let marks = run
        .decisions
        .iter()
        .enumerate()
        .filter_map(|(number, decision)| Some((number + 1, x.at(run.x[decision.place?] as f64), decision)));
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("time of each {}", run.unit)) {
            @for value in ticks(most_s) {
                line.grid x1=(LEFT) x2=(WIDTH - 10.0) y1=(y.at(value)) y2=(y.at(value)) {}
                text x=(LEFT - 6.0) y=(y.at(value) + 4.0) text-anchor="end" { (tick(value)) }
            }
            @for value in ticks(last).into_iter().filter(|value| *value >= first) {
                text x=(x.at(value)) y=(HEIGHT - 10.0) text-anchor="middle" { (value) }
            }
            @for (number, at, decision) in marks {
                line class=(format!("mark {}", decision.verdict)) x1=(at) x2=(at) y1=(TOP) y2=(HEIGHT - BOTTOM) {
                    title { (number) ": " (decision.change) ": " (decision.verdict) }
                }
                text.number x=(at) y=(TOP - 2.0) text-anchor="middle" { (number) }
            }
            polyline.ideal points=(ideal) {}
            polyline.time points=(time) {}
        }
    }
}

/// Predicted time with its interval, and measured time, of each decision that has both.
pub fn predictions(decisions: &[Decision]) -> Option<Markup> {
    let both = |(at, decision): (usize, &Decision)| {
        let (predicted_s, within) = decision.predicted_s?;
        let interval_s = within.map_or((predicted_s, predicted_s), |within| within.interval(predicted_s));
        Some(Compared {
            name: format!("decision {}", at + 1),
            predicted_s,
            interval_s,
            measured_s: decision.measured_s?,
        })
    };
    chart::compared(&decisions.iter().enumerate().filter_map(both).collect::<Vec<_>>())
}
