//! Whether a worker has become faster or slower than it was.

use super::places::{Compared, MOVES, of_places};
use crate::confidence::Confidence;
use midrun_models::line::{median, robust_deviation};
use std::collections::{BTreeMap, BTreeSet};

/// So many iterations after a worker's speed has changed it counts: one or two may have been disturbed.
pub const AGAIN: usize = 3;

/// Where a worker was late, or early, in each of the last [`AGAIN`] iterations as by chance none is, beside the others and what the iterations before
/// say: the speeds of all by the last ones.
pub fn moved(compared: &Compared, (level, one): (Confidence, Confidence)) -> Option<BTreeMap<u32, f64>> {
    let before = compared.count.checked_sub(AGAIN).filter(|before| *before >= AGAIN)?;
    let is_before = |iteration: usize| iteration < before;
    let slowness = compared.fit(is_before, &compared.held(is_before, one.two_sided()));
    let late = late(compared, &slowness, before);
    let workers = || 0..late.len();
    let beside = |worker: usize, iteration: usize| {
        let others = workers().filter(|other| *other != worker).filter_map(|other| late[other][iteration]);
        let others: Vec<f64> = others.collect();
        late[worker][iteration].filter(|_| !others.is_empty()).map(|own| own - median(others))
    };
    let of_before = workers().flat_map(|worker| (0..before).filter_map(move |at| beside(worker, at)));
    let of_before: Vec<f64> = of_before.collect();
    let freedom = of_before.len().saturating_sub(late.len()) as f64;
    if freedom < 1.0 {
        return None;
    }
    let bound = level.student(freedom) * robust_deviation(of_before.into_iter()).max(MOVES);
    let was_late = |worker: usize| {
        let last: Option<Vec<f64>> = (before..compared.count).map(|at| beside(worker, at)).collect();
        last.is_some_and(|last| last.iter().all(|late| *late > bound) || last.iter().all(|late| *late < -bound))
    };
    let since = |worker: usize| {
        let last: Vec<f64> = late[worker][before..].iter().flatten().copied().collect();
        (!last.is_empty()).then(|| last.iter().sum::<f64>() / last.len() as f64)
    };
    // All workers may have been late: what those were that have not moved is the iteration's.
    let by = |moved: &[bool]| -> Vec<f64> {
        let stayed: Vec<f64> = workers().filter(|worker| !moved[*worker]).filter_map(since).collect();
        let usual = if stayed.is_empty() { 0.0 } else { median(stayed) };
        workers().map(|worker| since(worker).filter(|_| moved[worker]).map_or(0.0, |late| late - usual)).collect()
    };
    // Where it alone computed its places, these may have become dearer; and where few of its tasks were late, these.
    let is_shared = shared(compared, before);
    let mut moved: Vec<bool> = workers().map(|worker| is_shared[worker] && was_late(worker)).collect();
    if !moved.contains(&true) {
        return None;
    }
    let moves = by(&moved);
    let now: Vec<f64> = slowness.iter().zip(&moves).map(|(slow, by)| slow * by.exp()).collect();
    let residuals = compared.residuals(|iteration| iteration >= before, &now);
    workers().for_each(|worker| moved[worker] &= residuals.bear_out(worker, moves[worker]) > one.two_sided());
    // What was known of the others was compared more often.
    let now = |(worker, by): (usize, f64)| match moved[worker] {
        true => slowness[worker] * by.exp(),
        false => compared.start[worker],
    };
    let all = by(&moved).into_iter().enumerate().map(now);
    moved.contains(&true).then(|| compared.ranks.iter().copied().zip(all).collect())
}

/// For each worker, whether others computed the places of most of its tasks, too, in the iterations from `since` on.
fn shared(compared: &Compared, since: usize) -> Vec<bool> {
    let last = || compared.cells.iter().filter(|cell| cell.iteration >= since);
    let mut of_places: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    last().for_each(|cell| {
        of_places.entry(cell.place).or_default().insert(cell.worker);
    });
    let mut tasks = vec![(0.0, 0.0); compared.workers.len()];
    for cell in last() {
        let (shared, all) = &mut tasks[cell.worker];
        *all += cell.tasks;
        *shared += if of_places[&cell.place].len() > 1 { cell.tasks } else { 0.0 };
    }
    tasks.into_iter().map(|(shared, all)| 2.0 * shared > all).collect()
}

/// For each worker, logarithm of what each iteration took it beside what the first ones, `before`, say; none where it computed nothing.
fn late(compared: &Compared, slowness: &[f64], before: usize) -> Vec<Vec<Option<f64>>> {
    let first = compared.cells.iter().filter(|cell| cell.iteration < before);
    let of_places = of_places(first, slowness, compared.places);
    let mut sums = vec![vec![(0.0, 0.0); compared.count]; slowness.len()];
    for cell in &compared.cells {
        let (of_place_s, tasks) = of_places[cell.place];
        let (time_s, expected_s) = &mut sums[cell.worker][cell.iteration];
        (*time_s, *expected_s) =
            (*time_s + cell.time_s, *expected_s + cell.tasks * slowness[cell.worker] * of_place_s / tasks);
    }
    let late =
        |(time_s, expected_s): (f64, f64)| (time_s > 0.0 && expected_s > 0.0).then(|| (time_s / expected_s).ln());
    sums.into_iter().map(|of_one| of_one.into_iter().map(late).collect()).collect()
}
