//! Who begins: the order in which workers get their first chunks.

use crate::Technique;

/// The order in which workers, by 0 .. `workers`, get their first chunks of an iteration. Each begins in turn: where always the same worker computes a
/// place nothing tells whether the place is dear or the worker slow. With equal parts ([`Technique::None`]) each worker keeps its part, and what its caches
/// hold of it.
///
/// ```
/// use midrun_scheduling::{Technique, in_turn};
/// assert_eq!(in_turn(Technique::Fac2, 7, 3).collect::<Vec<_>>(), [1, 2, 0]);
/// assert_eq!(in_turn(Technique::None, 7, 3).collect::<Vec<_>>(), [0, 1, 2]);
/// ```
pub fn in_turn(technique: Technique, iteration: u64, workers: usize) -> impl Iterator<Item = usize> + Clone {
    let first = match technique {
        Technique::None => 0,
        _ => (iteration % workers.max(1) as u64) as usize,
    };
    (first..workers).chain(0..first)
}
