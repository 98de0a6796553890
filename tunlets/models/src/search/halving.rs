//! Successive halving: every combination once, the better half twice as often, until one is left.

use std::collections::VecDeque;

use super::observations::Observations;
use super::space::Point;
use crate::random::Random;

/// A tournament.
#[derive(Clone, Debug)]
pub(super) struct Halving {
    left: Vec<Point>,
    /// Combinations still to be measured in this round.
    round: VecDeque<Point>,
    /// Measurements of each remaining combination required by the end of this round.
    wanted: usize,
}

impl Halving {
    /// All combinations in random order, so that a drift of the times does not look like an effect of the values.
    pub(super) fn new(mut points: Vec<Point>, random: &mut Random) -> Halving {
        for at in (1..points.len()).rev() {
            points.swap(at, random.below(at + 1));
        }
        Halving { round: points.iter().cloned().collect(), left: points, wanted: 1 }
    }

    /// The next combination and its required number of measurements; `None`: one is left.
    pub(super) fn next(&mut self, seen: &Observations, margin: f64) -> Option<(Point, usize)> {
        loop {
            let best_s = self.left.iter().map(|point| time_s(seen, point)).fold(f64::INFINITY, f64::min);
            let is_done = |point: &Point| {
                let count = seen.count(&Some(point.clone()));
                // A clearly worse combination is not measured again.
                count >= self.wanted || (count > 0 && time_s(seen, point) > best_s * (1.0 + margin))
            };
            while self.round.front().is_some_and(is_done) {
                self.round.pop_front();
            }
            if let Some(point) = self.round.front() {
                return Some((point.clone(), self.wanted));
            }
            if self.left.len() <= 1 {
                return None;
            }
            self.left.sort_by(|a, b| time_s(seen, a).total_cmp(&time_s(seen, b)));
            let half = self.left.len().div_ceil(2);
            let near = self.left.iter().take_while(|point| time_s(seen, point) <= best_s * (1.0 + margin)).count();
            self.left.truncate(half.min(near.max(1)));
            self.round = if self.left.len() > 1 { self.left.iter().cloned().collect() } else { VecDeque::new() };
            self.wanted *= 2;
        }
    }
}

fn time_s(seen: &Observations, point: &Point) -> f64 {
    seen.of(point).unwrap_or(f64::INFINITY)
}
