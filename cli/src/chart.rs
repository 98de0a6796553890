//! Charts as SVG, for browsers without JavaScript and for paper.

use maud::{Markup, html};
use midrun_vocabulary::Seconds;

pub const WIDTH: f64 = 900.0;
pub const LEFT: f64 = 70.0;
pub const BOTTOM: f64 = 30.0;
/// Height of a row of a chart.
const ROW: f64 = 24.0;
/// Width of a character, at most.
const CHARACTER: f64 = 7.5;
/// Characters of a row's name; the whole one is its title.
const NAME: usize = 28;
/// Steps between two grid lines are one of these times a power of ten.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];

/// A linear scale from values to pixels.
pub struct Scale {
    pub from: (f64, f64),
    pub to: (f64, f64),
}

impl Scale {
    pub fn at(&self, value: f64) -> f64 {
        let share = (value - self.from.0) / (self.from.1 - self.from.0).max(f64::MIN_POSITIVE);
        ((self.to.0 + share * (self.to.1 - self.to.0)) * 10.0).round() / 10.0
    }
}

/// Values for grid lines between 0 and `most`: about five.
pub fn ticks(most: f64) -> Vec<f64> {
    let rough = (most / 5.0).max(f64::MIN_POSITIVE);
    let power = 10_f64.powf(rough.log10().floor());
    let step = STEPS.map(|step| step * power).into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
    (0..=10).map(|count| f64::from(count) * step).take_while(|value| *value <= most).collect()
}

/// A time at a grid line.
pub fn tick(value: f64) -> String {
    if value > 0.0 { Seconds(value).to_string() } else { "0".to_owned() }
}

/// A time that was predicted, with its interval, and measured.
pub struct Compared {
    pub name: String,
    pub predicted_s: f64,
    pub interval_s: (f64, f64),
    pub measured_s: f64,
}

/// The names of rows, the room they take, and the grid of their times.
fn rows(names: &[&str], most_s: f64) -> (Scale, f64, Markup) {
    let longest = names.iter().map(|name| name.chars().count().min(NAME)).max().unwrap_or(0);
    let left = (CHARACTER * longest as f64 + 12.0).max(LEFT);
    let height = ROW * names.len() as f64 + BOTTOM;
    let x = Scale { from: (0.0, most_s), to: (left, WIDTH - 10.0) };
    let markup = html! {
        @for value in ticks(most_s) {
            line.grid x1=(x.at(value)) x2=(x.at(value)) y1="0" y2=(height - BOTTOM) {}
            text x=(x.at(value)) y=(height - 10.0) text-anchor="middle" { (tick(value)) }
        }
        @for (at, name) in names.iter().enumerate() {
            @let short: String = name.chars().take(NAME).collect();
            text x=(left - 6.0) y=(16.0 + ROW * at as f64) text-anchor="end" { title { (name) } (short) (if short.len() < name.len() { "…" } else { "" }) }
        }
    };
    (x, height, markup)
}

/// Predicted times with their intervals, and measured times; `None` without rows.
pub fn compared(of: &[Compared]) -> Option<Markup> {
    let most_s = of.iter().map(|row| row.interval_s.1.max(row.measured_s)).fold(0.0, f64::max) * 1.05;
    if of.is_empty() {
        return None;
    }
    let names: Vec<&str> = of.iter().map(|row| row.name.as_str()).collect();
    let (x, height, grid) = rows(&names, most_s);
    Some(html! {
        svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label="predicted and measured times" {
            (grid)
            @for (at, row) in of.iter().enumerate() {
                @let y = 12.0 + ROW * at as f64;
                line.interval x1=(x.at(row.interval_s.0.max(0.0))) x2=(x.at(row.interval_s.1)) y1=(y) y2=(y) {}
                circle.predicted cx=(x.at(row.predicted_s)) cy=(y) r="4" { title { "predicted " (Seconds(row.predicted_s)) } }
                path.measured d=(format!("M{0} {1}l5 5l-5 5l-5-5z", x.at(row.measured_s), y - 5.0)) { title { "measured " (Seconds(row.measured_s)) } }
            }
        }
    })
}

/// Bars of times by activity, one behind the other; `classes` has the class and the name of each activity.
pub fn stacked<const N: usize>(label: &str, of: &[(String, [f64; N])], classes: &[(&str, &str); N]) -> Markup {
    let most_s = of.iter().map(|(_, times)| times.iter().sum()).fold(0.0, f64::max) * 1.02;
    let names: Vec<&str> = of.iter().map(|(name, _)| name.as_str()).collect();
    let (x, height, grid) = rows(&names, most_s);
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(label) {
            (grid)
            @for (at, (name, times)) in of.iter().enumerate() {
                @for (activity, (class, what)) in classes.iter().enumerate() {
                    @let before: f64 = times[..activity].iter().sum();
                    @let (from, to) = (x.at(before), x.at(before + times[activity]));
                    @if times[activity] > 0.0 {
                        rect class=(class) x=(from) y=(4.0 + ROW * at as f64) width=(((to - from) * 10.0).round() / 10.0) height="16" {
                            title { (name) ": " (what) " " (Seconds(times[activity])) }
                        }
                    }
                }
            }
        }
    }
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

    #[test]
    fn bars_stand_one_behind_the_other_and_end_at_the_sum() {
        let rows = [("a".to_owned(), [1.0, 2.0, 1.0]), ("b".to_owned(), [0.0, 0.0, 2.0])];
        let classes = [("useful", "computing"), ("mpi", "communicating"), ("waiting", "waiting")];
        let text = stacked("times", &rows, &classes).into_string();
        let bars: Vec<(f64, f64)> = text
            .split("<rect ")
            .skip(1)
            .map(|bar| {
                let number = |key: &str| -> f64 {
                    bar.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
                };
                (number("x"), number("width"))
            })
            .collect();
        assert_eq!(bars.len(), 4, "what takes no time has no bar: {text}");
        assert!((bars[0].0 + bars[0].1 - bars[1].0).abs() < 0.11 && (bars[1].0 + bars[1].1 - bars[2].0).abs() < 0.11);
        assert!(((bars[2].0 + bars[2].1 - bars[0].0) / bars[3].1 - 2.0).abs() < 0.01, "{bars:?}");
        assert!(text.contains("a: communicating 2.000 s"));
    }
}
