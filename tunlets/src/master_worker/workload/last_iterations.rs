//! The last iterations, chunk by chunk: the simulation draws iterations like them.

use super::speeds::{self, AGAIN, Speeds};
use crate::confidence::Confidence;
use crate::{ChunkWork, PROFILE_BINS, ProfileBin, Window};
use midrun_models::seen::{Places, Seen, Stretch};
use midrun_vocabulary::profile::{Profile, spread};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Iterations that are kept: what was longer ago counts no more. Twice the half-life of the other estimates.
const KEPT: usize = 8;
/// Speeds are compared by as many of the last iterations as have no more places times iterations than this: some milliseconds' work.
const CELLS: usize = 1 << 14;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct LastIterations(VecDeque<Arc<[(u32, ChunkWork)]>>);

impl LastIterations {
    /// Of one iteration; nothing where not each of its tasks is in a chunk that is known, and timed singly or alone in it.
    pub(super) fn of(window: &Window) -> LastIterations {
        let known = |chunk: &ChunkWork, timed: bool| timed || chunk.tasks == 1;
        let all = window.per_worker.iter().flat_map(|w| w.each_chunk.iter().map(move |chunk| (w, chunk)));
        let mut all: Vec<(u32, ChunkWork)> =
            all.filter(|(w, chunk)| known(chunk, w.tasks_timed)).map(|(w, chunk)| (w.rank, *chunk)).collect();
        all.sort_by_key(|(_, chunk)| chunk.first);
        let is_next = |next: &mut u64, (_, chunk): &(u32, ChunkWork)| {
            let is_next = chunk.first == *next;
            *next += chunk.tasks;
            Some(is_next)
        };
        let whole = all.iter().scan(0, is_next).all(|is_next| is_next)
            && all.iter().map(|(_, chunk)| chunk.tasks).sum::<u64>() == window.tasks;
        LastIterations(if whole && !all.is_empty() { VecDeque::from([all.into()]) } else { VecDeque::new() })
    }

    /// Another iteration. One of which the chunks are not known ends what can be drawn.
    pub(super) fn add(&mut self, now: LastIterations) {
        if now.0.is_empty() {
            self.0.clear();
        }
        self.0.extend(now.0);
        while self.0.len() > KEPT {
            self.0.pop_front();
        }
    }

    /// Those of as many tasks as the last one, in their order.
    fn alike(&self) -> impl Iterator<Item = &Arc<[(u32, ChunkWork)]>> {
        let tasks = |all: &[(u32, ChunkWork)]| all.last().map(|(_, chunk)| chunk.first + chunk.tasks);
        let now = self.0.back().and_then(|all| tasks(all));
        self.0.iter().filter(move |all| tasks(all) == now)
    }

    /// Relative time per task of each rank of them, 1 for the average one of the last iteration, where they are `known` or differ beyond chance at the
    /// level of one of them in a series, and that of one test; else `None`. Iterations before a rank became faster or slower are dropped.
    pub(super) fn slowness(
        &mut self,
        known: &BTreeMap<u32, f64>,
        levels: (Confidence, Confidence),
    ) -> Option<BTreeMap<u32, f64>> {
        let all: Vec<&[(u32, ChunkWork)]> = self.alike().map(AsRef::as_ref).collect();
        let is_bounded =
            |all: &[&[(u32, ChunkWork)]]| all.iter().map(|one| one.len()).sum::<usize>() * all.len() <= CELLS;
        let last = |count: usize| &all[all.len() - count..];
        let count = (1..=all.len()).rev().find(|count| *count == 1 || is_bounded(last(*count)))?;
        let mut slowness = match speeds::speeds_of(last(count), known, levels) {
            Speeds::Alike => return None,
            Speeds::Differ(slowness) => slowness,
            Speeds::Moved(slowness) => {
                let before = all.len() - AGAIN;
                self.0 = self.alike().skip(before).cloned().collect();
                slowness
            }
        };
        let now = self.0.back()?;
        let slow = |rank: &u32| slowness.get(rank).copied().unwrap_or(1.0);
        let (sum, tasks) = now.iter().fold((0.0, 0.0), |(sum, tasks), (rank, chunk)| {
            (sum + chunk.tasks as f64 * slow(rank), tasks + chunk.tasks as f64)
        });
        slowness.values_mut().for_each(|slow| *slow *= tasks / sum);
        Some(slowness)
    }

    /// The profile of each, as the average worker would have made it, where each takes so many times as long.
    pub(super) fn profiles(&self, slowness: &BTreeMap<u32, f64>) -> Vec<Vec<ProfileBin>> {
        let profile = |all: &[(u32, ChunkWork)]| {
            let mut parts: Profile = [(0.0, 0.0); PROFILE_BINS];
            let total = all.iter().map(|(_, chunk)| chunk.tasks).sum();
            for (rank, chunk) in all {
                let busy_s = chunk.busy_s / slowness.get(rank).copied().unwrap_or(1.0);
                spread(&mut parts, chunk.first, chunk.tasks, total, busy_s);
            }
            parts.iter().map(|&(tasks, busy_s)| ProfileBin { tasks, busy_s }).collect()
        };
        self.0.iter().map(|all| profile(all)).collect()
    }

    /// To draw from, where each worker takes so many times as long as the average one.
    pub(super) fn seen(&self, slowness: &BTreeMap<u32, f64>, places: Places) -> Seen {
        let stretch = |(rank, chunk): &(u32, ChunkWork)| {
            let slow = slowness.get(rank).copied().unwrap_or(1.0);
            Stretch { tasks: chunk.tasks, time: chunk.busy_s / slow, squares: chunk.sum_sq_s2 / (slow * slow) }
        };
        Seen { iterations: self.0.iter().map(|all| all.iter().map(stretch).collect()).collect(), places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerWork;
    use crate::testing::window;

    fn chunk(first: u64, tasks: u64) -> ChunkWork {
        let busy_s = 0.5 * tasks as f64;
        ChunkWork { first, tasks, busy_s, sum_sq_s2: 0.25 * tasks as f64 }
    }

    /// An iteration of two workers with these chunks.
    fn iteration(tasks_timed: bool, of_each: [&[ChunkWork]; 2]) -> LastIterations {
        let work = |(rank, chunks): (u32, &[ChunkWork])| WorkerWork {
            rank,
            tasks_timed,
            each_chunk: chunks.to_vec(),
            ..WorkerWork::default()
        };
        let per_worker = [1, 2].into_iter().zip(of_each).map(work).collect();
        LastIterations::of(&Window { tasks: 6, per_worker, ..window(0, 2, 0.1) })
    }

    #[test]
    fn an_iteration_is_drawn_from_if_each_of_its_tasks_is_known() {
        let whole = iteration(true, [&[chunk(3, 2), chunk(0, 1)], &[chunk(5, 1), chunk(1, 2)]]);
        let seen = whole.seen(&BTreeMap::from([(2, 0.5)]), Places::Kept);
        let times: Vec<(u64, f64, f64)> = seen.iterations[0].iter().map(|s| (s.tasks, s.time, s.squares)).collect();
        assert_eq!(
            times,
            [(1, 0.5, 0.25), (2, 2.0, 2.0), (2, 1.0, 0.5), (1, 1.0, 1.0)],
            "at the speed of the average worker"
        );
        let none = |known: LastIterations| known.0.is_empty();
        assert!(none(iteration(true, [&[chunk(0, 3)], &[chunk(4, 2)]])), "one is missing");
        assert!(none(iteration(true, [&[chunk(0, 3)], &[chunk(2, 3)]])), "one was there twice");
        assert!(none(iteration(false, [&[chunk(0, 3)], &[chunk(3, 3)]])), "tasks were not timed");
        assert!(none(iteration(true, [&[], &[]])));
    }

    #[test]
    fn speeds_are_compared_by_fewer_iterations_where_chunks_are_many() {
        // The first worker takes longer for each of a thousand tasks, and nobody has the same places twice.
        let level = (Confidence::default().in_series(20, 4), Confidence::default());
        let iteration = |turn: u64| {
            let of = |first: u64| ((first * 7 + turn * (1 + first % 3)) % 4) as u32;
            let chunk = |first| ChunkWork { first, tasks: 1, busy_s: 1e-3, sum_sq_s2: 1e-6 };
            let slow = |rank, chunk: ChunkWork| ChunkWork { busy_s: if rank == 0 { 3e-3 } else { 1e-3 }, ..chunk };
            let all: Vec<_> = (0..1000).map(|first| (of(first), slow(of(first), chunk(first)))).collect();
            LastIterations(VecDeque::from([all.into()]))
        };
        let mut known = iteration(0);
        (1..8).for_each(|turn| known.add(iteration(turn)));
        let slowness = known.slowness(&BTreeMap::new(), level).expect("they differ");
        assert!((slowness[&0] / slowness[&1] - 3.0).abs() < 0.05, "{slowness:?}");
    }

    #[test]
    fn the_last_iterations_are_kept_and_none_after_one_that_is_not_known() {
        let whole = || iteration(true, [&[chunk(0, 3)], &[chunk(3, 3)]]);
        let mut known = whole();
        (0..20).for_each(|_| known.add(whole()));
        assert_eq!(known.0.len(), KEPT);
        known.add(LastIterations::default());
        assert!(known.seen(&BTreeMap::new(), Places::Kept).iterations.is_empty());
    }
}
