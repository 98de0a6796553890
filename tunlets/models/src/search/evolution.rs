//! Differential evolution on the values there are; names without an order are taken over or drawn.

use super::observations::Observations;
use super::space::{Point, Space};
use crate::random::Random;

/// Members per dimension, and the fewest and most of all.
const PER_DIMENSION: usize = 3;
const MEMBERS: (usize, usize) = (6, 24);
/// Share of the dimensions in which a child differs from its parent.
const CROSSOVER: f64 = 0.9;
/// Share of categorical values that are drawn at random.
const FRESH: f64 = 0.15;
/// Draws for a child that was not measured yet.
const DRAWS: usize = 50;
/// Rounds without anything better before it ends.
const PATIENCE: usize = 3;

/// The state of a differential evolution.
#[derive(Clone, Debug)]
pub(super) struct Evolution {
    members: Vec<Point>,
    size: usize,
    /// The child being measured, and the index of the member it may replace.
    child: Option<(usize, Point)>,
    turn: usize,
    best_s: f64,
    idle: usize,
    random: Random,
}

impl Evolution {
    /// The first members: `start` and random ones.
    pub(super) fn new(space: &Space, start: Point, random: Random) -> Evolution {
        // Each name has its turn among the first members.
        let names = space.dimensions.iter().filter(|dimension| dimension.categorical).map(|d| d.values.len() + 1);
        let size =
            (PER_DIMENSION * space.dimensions.len() + 3).max(names.max().unwrap_or(0)).clamp(MEMBERS.0, MEMBERS.1);
        let (child, turn, best_s, idle) = (None, 0, f64::INFINITY, 0);
        Evolution { members: vec![start], size, child, turn, best_s, idle, random }
    }

    /// The next combination to be measured; `None`: no improvement for several rounds.
    pub(super) fn next(&mut self, space: &Space, seen: &Observations) -> Option<Point> {
        if let Some(point) = self.members.iter().find(|point| seen.of(point).is_none()) {
            return Some(point.clone());
        }
        if let Some((place, child)) = self.child.take() {
            let time_s = |point: &Point| seen.of(point).unwrap_or(f64::INFINITY);
            if time_s(&child) <= time_s(&self.members[place]) {
                self.members[place] = child;
            }
        }
        let best_s = seen.ranking().first().map_or(f64::INFINITY, |best| best.1);
        self.idle = if best_s < self.best_s { 0 } else { self.idle + 1 };
        self.best_s = self.best_s.min(best_s);
        if self.members.len() < self.size {
            self.idle = 0;
            let fresh = self.first(space, seen).or_else(|| self.fresh(space, seen))?;
            self.members.push(fresh.clone());
            return Some(fresh);
        }
        if self.idle > PATIENCE * self.size {
            return None;
        }
        let place = self.turn % self.members.len();
        self.turn += 1;
        let bred = (0..DRAWS).map(|_| self.breed(space, seen, place));
        let new = |child: &Point| space.allows(child) && seen.of(child).is_none();
        let child = bred.collect::<Vec<_>>().into_iter().find(new).or_else(|| self.fresh(space, seen))?;
        self.child = Some((place, child.clone()));
        Some(child)
    }

    /// One more of the first members: categorical values take turns, the others are random.
    fn first(&mut self, space: &Space, seen: &Observations) -> Option<Point> {
        let turn = self.members.len() - 1;
        let of_turn = |mut point: Point| {
            let all = point.iter_mut().zip(&space.dimensions);
            all.filter(|(_, dimension)| dimension.categorical).for_each(|(at, d)| *at = turn % d.values.len());
            Some(point).filter(|point| space.allows(point) && seen.of(point).is_none())
        };
        (0..DRAWS).find_map(|_| space.any(&mut self.random).and_then(of_turn))
    }

    /// A random combination that was not measured yet.
    fn fresh(&mut self, space: &Space, seen: &Observations) -> Option<Point> {
        let drawn = (0..DRAWS).find_map(|_| space.any(&mut self.random).filter(|point| seen.of(point).is_none()));
        drawn.or_else(|| {
            let all = space.allowed_points(usize::MAX)?;
            all.into_iter().find(|point| seen.of(point).is_none())
        })
    }

    /// A child of the best member and the difference of two others (best/1/bin, Storn and Price 1997).
    fn breed(&mut self, space: &Space, seen: &Observations, place: usize) -> Point {
        let time_s = |at: &usize| seen.of(&self.members[*at]).unwrap_or(f64::INFINITY);
        let best = (0..self.members.len()).min_by(|a, b| time_s(a).total_cmp(&time_s(b))).unwrap_or(0);
        let (one, other) = (self.random.below(self.members.len()), self.random.below(self.members.len()));
        let scale = 0.5 + 0.5 * self.random.uniform();
        let sure = self.random.below(space.dimensions.len());
        let mut child = self.members[place].clone();
        for (k, dimension) in space.dimensions.iter().enumerate() {
            if k != sure && self.random.uniform() > CROSSOVER {
                continue;
            }
            let count = dimension.values.len();
            child[k] = if dimension.categorical {
                match self.random.uniform() {
                    u if u < FRESH => self.random.below(count),
                    u if u < 0.5 => self.members[one][k],
                    _ => self.members[best][k],
                }
            } else {
                let place_of = |at: usize| self.members[at][k] as f64;
                // A little chance, so that members that agree do not stay where they are.
                let x = place_of(best) + scale * (place_of(one) - place_of(other)) + self.random.normal();
                reflected(x, count as f64 - 1.0).round() as usize
            };
        }
        child
    }
}

/// Back into 0 to `most`, by as much as it is outside.
fn reflected(x: f64, most: f64) -> f64 {
    let inside = if x < 0.0 {
        -x
    } else if x > most {
        2.0 * most - x
    } else {
        x
    };
    inside.clamp(0.0, most)
}
