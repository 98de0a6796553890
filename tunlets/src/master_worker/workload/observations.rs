//! Observations in one window: scatter of task times, differences between workers, largest possible cost of a chunk.

use crate::confidence::Confidence;
use crate::{ChunkWork, Window, WorkerWork};
use std::collections::BTreeMap;

/// Standard deviation of task times in one window if nothing but chance told tasks apart, seconds.
///
/// Where tasks were timed singly: from their squares. Where only chunks were: the variance of a task follows from how
/// chunk sums scatter, `(sum of T²/n - mean² M)/chunks`.
pub(super) fn drawn_s(window: &Window, mean_s: f64) -> f64 {
    let (mut excess, mut degrees) = (0.0, 0.0);
    for w in &window.per_worker {
        excess += w.sum_sq_s2 - mean_s * mean_s * w.tasks as f64;
        degrees += if w.tasks_timed { w.tasks as f64 } else { w.chunks as f64 };
    }
    if degrees > 1.0 { (excess / degrees).max(0.0).sqrt() } else { 0.0 }
}

/// The most that the longest task of a window can have taken, seconds: of `n` times none lies farther above their mean than `sqrt(n - 1)` standard
/// deviations (Samuelson 1968).
pub(super) fn longest_s(window: &Window) -> f64 {
    let of_chunk = |chunk: &ChunkWork| {
        let (tasks, mean_s) = (chunk.tasks as f64, chunk.busy_s / chunk.tasks.max(1) as f64);
        let squares = (chunk.sum_sq_s2 - mean_s * chunk.busy_s).max(0.0);
        mean_s + (squares * (1.0 - 1.0 / tasks.max(1.0))).sqrt()
    };
    let chunks = window.per_worker.iter().flat_map(|w| &w.each_chunk);
    chunks.filter(|chunk| chunk.tasks > 0).map(of_chunk).fold(0.0, f64::max)
}

/// Relative time per task of each rank, as far as `chance` does not explain it: how far one may lie from 1, by the standard error of the tasks
/// that it drew, at a level; the others are taken for equal. Where tasks may be `placed`, those of one
/// chunk may be alike: then its chunks are what a worker drew.
pub(super) fn slowness_in(
    window: &Window,
    mean_s: f64,
    placed: bool,
    (chance, level): (impl Fn(f64) -> f64, Confidence),
) -> BTreeMap<u32, f64> {
    let Scatter { of_own: pooled, of_all } = Scatter::of(window.per_worker.iter(), mean_s);
    // A worker that had one chunk had one stretch of the index range: its mean says more of that than of it.
    let chunks: u64 = window.per_worker.iter().map(|w| w.chunks).sum();
    let several = chunks >= 3 * u64::from(window.workers);
    let drawn = |w: &WorkerWork| if placed { w.chunks } else { w.tasks };
    let of_all_drawn: u64 = window.per_worker.iter().map(drawn).sum();
    let speed = |w: &WorkerWork| {
        let slowness = w.busy_s / w.tasks as f64 / mean_s;
        let drawn = drawn(w);
        // Of few very different tasks its own say more.
        let within = pooled.max(Scatter::of(std::iter::once(w), mean_s).of_own);
        // One that drew none of the dear tasks is no faster: what it drew does not show how far tasks scatter.
        let chance = chance((within * slowness).max(of_all) / (drawn as f64).sqrt());
        let differs = slowness > 0.0 && (slowness - 1.0).abs() > chance;
        let known = several && differs && is_beyond_luck(drawn, of_all_drawn, level);
        known.then_some(slowness)
    };
    let speeds: Vec<(&WorkerWork, Option<f64>)> = window.per_worker.iter().map(|w| (w, speed(w))).collect();
    let others = speeds.iter().filter(|(_, known)| known.is_none());
    let (busy_s, tasks) = others.fold((0.0, 0), |(s, n), (w, _)| (s + w.busy_s, n + w.tasks));
    let usual = if tasks > 0 && busy_s > 0.0 { busy_s / tasks as f64 / mean_s } else { 1.0 };
    speeds.into_iter().map(|(w, known)| (w.rank, known.unwrap_or(usual))).collect()
}

/// Whether at this level it is no luck that one worker drew the `drawn` dearest, or cheapest, of `all`: among equal workers each choice of so many is
/// as likely (the permutation test of Fisher 1935). One dear task is no slow worker, however dear it is.
fn is_beyond_luck(drawn: u64, all: u64, level: Confidence) -> bool {
    let others = all.saturating_sub(drawn);
    let (few, most) = (drawn.min(others), all as f64);
    let allowed = 1.0 - level.level();
    let mut luck = 1.0;
    (0..few).map(|at| at as f64).any(|at| {
        luck *= (few as f64 - at) / (most - at);
        luck < allowed
    })
}

/// Standard deviation of the tasks of one worker: between workers their speeds differ, too.
struct Scatter {
    /// As a share of the worker's own mean, as if tasks scattered in proportion to its speed.
    of_own: f64,
    /// As a share of the mean of all tasks, as if all workers were equal.
    of_all: f64,
}

impl Scatter {
    /// Of the tasks of these workers together; all tasks take `mean_s` on average, seconds.
    fn of<'a>(workers: impl Iterator<Item = &'a WorkerWork>, mean_s: f64) -> Scatter {
        let (mut of_own, mut of_all, mut degrees, mut alone) = (0.0, 0.0, 0.0, 0.0);
        for w in workers.filter(|w| w.tasks > 0 && w.busy_s > 0.0) {
            let own_s = w.busy_s / w.tasks as f64;
            let excess = w.sum_sq_s2 - own_s * own_s * w.tasks as f64;
            let draws = if w.tasks_timed { w.tasks } else { w.chunks };
            of_own += excess / (own_s * own_s);
            of_all += excess / (mean_s * mean_s);
            degrees += draws as f64 - 1.0;
            // One draw has no scatter of its own: among equal workers it differs from the mean by what it drew.
            if draws == 1 {
                of_all += (own_s / mean_s - 1.0).powi(2) * w.tasks as f64;
                alone += 1.0;
            }
        }
        let deviation =
            |squares: f64, degrees: f64| if degrees > 0.0 { (squares / degrees).max(0.0).sqrt() } else { 0.0 };
        Scatter { of_own: deviation(of_own, degrees), of_all: deviation(of_all, degrees + alone) }
    }
}

/// Variance of task times that these relative times per task explain, as a share of the squared mean. Weighted by what each
/// worker gets done, the mean slowness is 1 by the way it was measured.
pub(super) fn variance_of(slowness: impl Iterator<Item = f64>) -> f64 {
    let (rates, scatter) = slowness.fold((0.0, 0.0), |(r, s), slow| (r + 1.0 / slow, s + (slow - 1.0).powi(2) / slow));
    if rates > 0.0 { scatter / rates } else { 0.0 }
}

/// Least idle time per chunk over all workers, seconds: no chunk costs more than that beyond its tasks.
pub(super) fn idle_per_chunk_s(window: &Window) -> f64 {
    let idle_s = |w: &WorkerWork| (w.chunks > 0).then(|| (window.iteration_s - w.busy_s) / w.chunks as f64);
    window.per_worker.iter().filter_map(idle_s).fold(f64::INFINITY, f64::min)
}
