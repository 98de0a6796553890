//! Combinations among which a search chooses: all of them, or the measured ones, their neighbours and some drawn at random.

use std::collections::BTreeSet;

use super::space::{Point, Space};
use crate::random::Random;

/// Most combinations that are compared at once: what a choice takes grows with their square.
const MOST: usize = 64;

/// The combinations to compare, where `measured` were, the best first, and `near` lies near the values at start.
pub(super) fn choose(space: &Space, near: &Point, measured: &[Point], random: &mut Random) -> Vec<Point> {
    if let Some(all) = space.allowed_points(MOST) {
        return all;
    }
    let mut chosen: BTreeSet<Point> = measured.iter().cloned().collect();
    // Half of what is left is near the best, the rest anywhere.
    let around = |room: usize| chosen.len() + room / 2;
    let most = around(MOST);
    for point in measured.iter().chain([near]) {
        for beside in neighbours(space, point) {
            if chosen.len() < most {
                chosen.insert(beside);
            }
        }
    }
    let most = chosen.len().max(most) + MOST / 2;
    // Drawn twice is once: a bounded number of draws.
    for _ in 0..MOST {
        if chosen.len() < most {
            chosen.extend(space.any(random));
        }
    }
    chosen.into_iter().collect()
}

/// Allowed combinations 1, 2, 4 … values away on one axis; on an axis of names all others.
fn neighbours(space: &Space, point: &Point) -> Vec<Point> {
    let mut all = Vec::new();
    for (k, dimension) in space.dimensions.iter().enumerate() {
        let count = dimension.values.len();
        let far = |at: usize| if dimension.categorical { 1 } else { at.abs_diff(point[k]) };
        let others = (0..count).filter(|at| *at != point[k] && far(*at).is_power_of_two());
        all.extend(others.map(|at| {
            let mut other = point.clone();
            other[k] = at;
            other
        }));
    }
    // The nearest first.
    all.sort_by_key(|other| other.iter().zip(point).map(|(a, b)| a.abs_diff(*b)).sum::<usize>());
    all.retain(|other| space.allows(other));
    all
}
