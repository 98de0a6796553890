//! Charts as SVG, for browsers without JavaScript and for paper.

use maud::{Markup, html};
use midrun_vocabulary::Seconds;

use super::data::thin;
use super::decisions::Decision;
use super::run::Run;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 30.0;
const TOP: f64 = 12.0;
/// Points of a curve: about one per pixel.
const MOST_POINTS: usize = 900;
/// Steps between two grid lines are one of these times a power of ten.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];

/// A linear scale from values to pixels.
struct Scale {
    from: (f64, f64),
    to: (f64, f64),
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let share = (value - self.from.0) / (self.from.1 - self.from.0).max(f64::MIN_POSITIVE);
        ((self.to.0 + share * (self.to.1 - self.to.0)) * 10.0).round() / 10.0
    }
}

/// Values for grid lines between 0 and `most`: about five.
fn ticks(most: f64) -> Vec<f64> {
    let rough = (most / 5.0).max(f64::MIN_POSITIVE);
    let power = 10_f64.powf(rough.log10().floor());
    let step = STEPS.map(|step| step * power).into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
    (0..=10).map(|count| f64::from(count) * step).take_while(|value| *value <= most).collect()
}

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
                text x=(LEFT - 6.0) y=(y.at(value) + 4.0) text-anchor="end" { (if value > 0.0 { Seconds(value).to_string() } else { "0".into() }) }
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
        let (predicted_s, half_s) = decision.predicted_s?;
        Some((at + 1, predicted_s, half_s.unwrap_or(0.0), decision.measured_s?))
    };
    let rows: Vec<_> = decisions.iter().enumerate().filter_map(both).collect();
    let reach = |(_, predicted_s, half_s, measured_s): &(usize, f64, f64, f64)| (predicted_s + half_s).max(*measured_s);
    let most_s = rows.iter().map(reach).fold(0.0, f64::max) * 1.05;
    if rows.is_empty() {
        return None;
    }
    let height = 24.0 * rows.len() as f64 + BOTTOM;
    let x = Scale { from: (0.0, most_s), to: (LEFT, WIDTH - 10.0) };
    Some(html! {
        svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label="predicted and measured times" {
            @for value in ticks(most_s) {
                line.grid x1=(x.at(value)) x2=(x.at(value)) y1="0" y2=(height - BOTTOM) {}
                text x=(x.at(value)) y=(height - 10.0) text-anchor="middle" { (if value > 0.0 { Seconds(value).to_string() } else { "0".into() }) }
            }
            @for (at, (number, predicted_s, half_s, measured_s)) in rows.iter().enumerate() {
                @let y = 12.0 + 24.0 * at as f64;
                text x=(LEFT - 6.0) y=(y + 4.0) text-anchor="end" { "decision " (number) }
                line.interval x1=(x.at((predicted_s - half_s).max(0.0))) x2=(x.at(predicted_s + half_s)) y1=(y) y2=(y) {}
                circle.predicted cx=(x.at(*predicted_s)) cy=(y) r="4" { title { "predicted " (Seconds(*predicted_s)) } }
                path.measured d=(format!("M{0} {1}l5 5l-5 5l-5-5z", x.at(*measured_s), y - 5.0)) { title { "measured " (Seconds(*measured_s)) } }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_lines_are_round_and_few() {
        assert_eq!(ticks(1.05), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(0.0), [0.0]);
        assert_eq!(ticks(9999.0), [0.0, 2000.0, 4000.0, 6000.0, 8000.0]);
        assert!([1e-9, 0.3, 7.0, 1e12].into_iter().all(|most| (2..=6).contains(&ticks(most).len())));
    }
}
