//! The last iterations, chunk by chunk: the simulation draws iterations like them.

use super::speeds::{self, AGAIN, Speeds};
use crate::confidence::Confidence;
use crate::{ChunkWork, PROFILE_BINS, ProfileBin, Window, WorkerWork};
use midrun_models::seen::{Places, Seen, Stretch};
use midrun_vocabulary::profile::{Profile, spread};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Iterations that are kept: what was longer ago counts no more. Twice the half-life of the other estimates.
const KEPT: usize = 8;
/// Speeds are compared by as many of the last iterations as have no more places times iterations than this: some milliseconds' work.
const CELLS: usize = 1 << 14;

/// The chunks of an iteration in their order, with who computed them.
#[derive(Clone, Debug)]
struct Iteration {
    chunks: Arc<[(u32, ChunkWork)]>,
    /// Each task was timed, singly or alone in its chunk. Else the squares of a chunk's times are as its worker's chunks differ.
    timed: bool,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct LastIterations(VecDeque<Iteration>);

impl LastIterations {
    /// Of one iteration; nothing where not each of its tasks is in a chunk that is known.
    pub(super) fn of(window: &Window) -> LastIterations {
        let is_timed = |w: &WorkerWork| w.tasks_timed || w.each_chunk.iter().all(|chunk| chunk.tasks == 1);
        let timed = window.per_worker.iter().all(is_timed);
        let unlike = if timed { 0.0 } else { between_chunks(window) };
        let of_worker = |w: &WorkerWork| {
            let (rank, is_timed) = (w.rank, is_timed(w));
            let one = move |chunk: &ChunkWork| {
                let squares = chunk.busy_s * chunk.busy_s * (1.0 + unlike) / chunk.tasks.max(1) as f64;
                (rank, ChunkWork { sum_sq_s2: if is_timed { chunk.sum_sq_s2 } else { squares }, ..*chunk })
            };
            w.each_chunk.iter().map(one).collect::<Vec<(u32, ChunkWork)>>()
        };
        let mut all: Vec<(u32, ChunkWork)> = window.per_worker.iter().flat_map(of_worker).collect();
        all.sort_by_key(|(_, chunk)| chunk.first);
        let is_next = |next: &mut u64, (_, chunk): &(u32, ChunkWork)| {
            let is_next = chunk.first == *next;
            *next += chunk.tasks;
            Some(is_next)
        };
        let whole = all.iter().scan(0, is_next).all(|is_next| is_next)
            && all.iter().map(|(_, chunk)| chunk.tasks).sum::<u64>() == window.tasks;
        let iteration = (whole && !all.is_empty()).then(|| Iteration { chunks: all.into(), timed });
        LastIterations(iteration.into_iter().collect())
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
    fn alike(&self) -> impl Iterator<Item = &Iteration> {
        let tasks = |all: &Iteration| all.chunks.last().map(|(_, chunk)| chunk.first + chunk.tasks);
        let now = self.0.back().and_then(tasks);
        self.0.iter().filter(move |all| tasks(all) == now)
    }

    /// Relative time per task of each rank of them, 1 for the average one of the last iteration, where they are `known` or differ beyond chance at the
    /// level of one of them in a series, and that of one test; else `None`. Iterations before a rank became faster or slower are dropped.
    pub(super) fn slowness(
        &mut self,
        known: &BTreeMap<u32, f64>,
        levels: (Confidence, Confidence),
    ) -> Option<BTreeMap<u32, f64>> {
        let all: Vec<&[(u32, ChunkWork)]> = self.alike().map(|all| all.chunks.as_ref()).collect();
        let is_bounded =
            |all: &[&[(u32, ChunkWork)]]| all.iter().map(|one| one.len()).sum::<usize>() * all.len() <= CELLS;
        let last = |count: usize| &all[all.len() - count..];
        let count = (1..=all.len()).rev().find(|count| *count == 1 || is_bounded(last(*count)))?;
        let timed = self.alike().skip(all.len() - count).all(|all| all.timed);
        let mut slowness = match speeds::speeds_of(last(count), timed, known, levels) {
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
        let (sum, tasks) = now.chunks.iter().fold((0.0, 0.0), |(sum, tasks), (rank, chunk)| {
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
        self.0.iter().map(|all| profile(&all.chunks)).collect()
    }

    /// To draw from, where each worker takes so many times as long as the average one: those whose tasks were timed.
    pub(super) fn seen(&self, slowness: &BTreeMap<u32, f64>, places: Places) -> Seen {
        let stretch = |(rank, chunk): &(u32, ChunkWork)| {
            let slow = slowness.get(rank).copied().unwrap_or(1.0);
            Stretch { tasks: chunk.tasks, time: chunk.busy_s / slow, squares: chunk.sum_sq_s2 / (slow * slow) }
        };
        let timed = self.0.iter().filter(|all| all.timed);
        Seen { iterations: timed.map(|all| all.chunks.iter().map(stretch).collect()).collect(), places }
    }
}

/// Variance of the tasks of one chunk as a share of their squared mean, by how far the means of each worker's chunks lie apart: that of a mean of n tasks
/// is by chance the n-th part.
fn between_chunks(window: &Window) -> f64 {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for w in window.per_worker.iter().filter(|w| w.busy_s > 0.0 && !w.each_chunk.is_empty()) {
        let usual_s = w.busy_s / w.tasks.max(1) as f64;
        let square = |chunk: &ChunkWork| {
            let tasks = chunk.tasks.max(1) as f64;
            tasks * (chunk.busy_s / tasks / usual_s - 1.0).powi(2)
        };
        squares += w.each_chunk.iter().map(square).sum::<f64>();
        freedom += w.each_chunk.len() as f64 - 1.0;
    }
    if freedom > 0.0 { squares / freedom } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::window;
    use midrun_models::random::Random;

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
        let untimed = iteration(false, [&[chunk(0, 3)], &[chunk(3, 3)]]);
        assert!(
            untimed.0.len() == 1 && untimed.seen(&BTreeMap::new(), Places::Kept).iterations.is_empty(),
            "not timed"
        );
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
            LastIterations(VecDeque::from([Iteration { chunks: all.into(), timed: true }]))
        };
        let mut known = iteration(0);
        (1..8).for_each(|turn| known.add(iteration(turn)));
        let slowness = known.slowness(&BTreeMap::new(), level).expect("they differ");
        assert!((slowness[&0] / slowness[&1] - 3.0).abs() < 0.05, "{slowness:?}");
    }

    #[test]
    fn a_slow_worker_is_known_by_whole_chunks() {
        let level = (Confidence::default().in_series(8, 2), Confidence::default());
        // Chunks in order, each for who is free first; the second worker takes so many times as long.
        let untimed = |sizes: &[u64], slow: f64, random: &mut Random| {
            let (mut free, mut first) = ([0.0; 2], 0);
            let mut of_each = [Vec::new(), Vec::new()];
            for tasks in sizes.iter().copied() {
                let at = usize::from(free[1] < free[0]);
                let each_s = |_| 1e-3 * (1.0 + 0.1 * random.uniform());
                let busy_s = (0..tasks).map(each_s).sum::<f64>() * [1.0, slow][at];
                of_each[at].push(ChunkWork { first, tasks, busy_s, sum_sq_s2: 0.0 });
                (free[at], first) = (free[at] + busy_s, first + tasks);
            }
            let work = |(rank, each_chunk): (u32, Vec<ChunkWork>)| WorkerWork {
                rank,
                tasks: each_chunk.iter().map(|chunk| chunk.tasks).sum(),
                busy_s: each_chunk.iter().map(|chunk| chunk.busy_s).sum(),
                each_chunk,
                ..WorkerWork::default()
            };
            let per_worker = [1, 2].into_iter().zip(of_each).map(work).collect();
            LastIterations::of(&Window { tasks: first, per_worker, ..window(0, 2, 0.1) })
        };
        let slowness = |slow: f64| {
            let (mut last, mut random) = (LastIterations::default(), Random::new(3));
            for turn in 0..6 {
                let sizes: &[u64] = if turn < 3 { &[10, 10, 5, 5, 3, 3, 2, 2] } else { &[20, 10, 5, 3, 2] };
                last.add(untimed(sizes, slow, &mut random));
            }
            last.slowness(&BTreeMap::new(), level)
        };
        let known = slowness(3.0).expect("one is slow");
        assert!((2.7..3.3).contains(&(known[&2] / known[&1])), "{known:?}");
        assert_eq!(slowness(1.0), None);
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
