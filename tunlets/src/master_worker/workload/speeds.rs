//! Speeds of workers, from the tasks that different workers computed in the last iterations.
//!
//! What a chunk took says as much of its tasks as of its worker. Both are fitted together: a task takes what its place takes, times how slow its
//! worker is (iterative proportional fitting, Deming and Stephan 1940: the likelihood's maximum for Poisson counts, and for times whose variance is
//! in proportion to them). The fit begins with the speeds that are known, at first with equal ones: where always the same worker computed a place,
//! the place explains what it took longer. Whose tasks mostly do not bear the fit out stays as it was known. Its error is the jackknife's over iterations,
//! about the fit to all.

mod moved;
mod places;
mod throughout;

use crate::confidence::Confidence;
pub(super) use moved::AGAIN;
use moved::moved;
use places::{Beside, Compared, Iteration, MOVES};
use std::collections::BTreeMap;

/// Logarithm of how much longer a worker takes than the others do for the same tasks.
#[derive(Clone, Copy, Debug)]
struct Slower {
    /// As it was known.
    known: f64,
    /// By how much these iterations say otherwise.
    news: f64,
    /// Variance of the news.
    variance: f64,
    /// Tasks that were compared: by chance the variance is in proportion to their reciprocal.
    compared: f64,
    /// Share of all tasks that this worker computed.
    share: f64,
    /// Its tasks do not bear out that it differs from what was known: nothing scatters.
    is_held: bool,
}

/// What iterations say of their workers' speeds. Relative times per task of each rank are 1 for the average one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Speeds {
    /// They differ by no more than chance explains.
    Alike,
    /// By all these iterations, and what was known.
    Differ(BTreeMap<u32, f64>),
    /// In the last [`AGAIN`] iterations a worker was faster or slower than before. Iterations before say no more what it is now.
    Moved(BTreeMap<u32, f64>),
}

/// Speeds of the workers of these iterations, where they are `known`, or else alike: at the level of one of them in a series, and at that of `one`
/// test. Iterations have the same number of tasks, each of them in one chunk; where tasks were not timed (`timed`), one dear task makes a chunk dear, and
/// it must be sure that most of a worker's chunks bear its speed out.
pub(super) fn speeds_of(
    iterations: &[&Iteration],
    timed: bool,
    known: &BTreeMap<u32, f64>,
    (level, one): (Confidence, Confidence),
) -> Speeds {
    let compared = Compared::of(iterations, known);
    // Where chunks are cut otherwise, one that has a dear task makes another part of the index range dear.
    if timed && let Some(moved) = moved(&compared, (level, one)) {
        return Speeds::Moved(moved);
    }
    let held = compared.held(|_| true, if timed { 0.0 } else { one.two_sided() });
    believed(&each(&compared, &held), known.is_empty(), compared.count, level)
}

/// Each worker beside the others, as it was known and by all these iterations.
fn each(compared: &Compared, held: &[bool]) -> BTreeMap<u32, Slower> {
    let known = compared.beside_others(&compared.start);
    let whole = compared.beside_others(&compared.fit(|_| true, held));
    let mut squares = vec![0.0; compared.ranks.len()];
    for left_out in 0..compared.count {
        let without = compared.beside_others(&compared.fit(|iteration| iteration != left_out, held));
        for (sum, (one, all)) in squares.iter_mut().zip(without.iter().zip(&whole)) {
            *sum += (one - all).powi(2);
        }
    }
    let all: f64 = compared.workers.iter().map(|worker| worker.tasks).sum();
    let slower = |(at, worker): (usize, &Beside)| {
        let by_iterations = squares[at] * (compared.count - 1) as f64 / compared.count as f64;
        let variance = by_iterations + worker.unlike / worker.compared.powi(2) + MOVES * MOVES;
        let share = worker.tasks / all;
        let news = whole[at] - known[at];
        let is_held = held[at];
        (compared.ranks[at], Slower { known: known[at], news, variance, compared: worker.compared, share, is_held })
    };
    compared.workers.iter().enumerate().map(slower).collect()
}

/// Each as far as its error lets it be believed (empirical Bayes): news beside what was known, and speeds beside equal ones. What is known of workers
/// that are not compared stays. Where nothing is known (`is_first`), one must differ beyond chance.
fn believed(workers: &BTreeMap<u32, Slower>, is_first: bool, count: usize, level: Confidence) -> Speeds {
    let compared: Vec<&Slower> = workers.values().filter(|one| one.compared > 0.0).collect();
    let number = compared.len() as f64;
    let freedom = (number - 1.0) * (count as f64 - 1.0);
    // Few iterations can agree by chance; all workers' together say how far one is off. Whoever had fewer tasks in common with others is off further.
    let scattering = || compared.iter().filter(|one| !one.is_held);
    let pooled = scattering().map(|one| one.variance * one.compared).sum::<f64>() / scattering().count().max(1) as f64;
    let variance = |one: &Slower| one.variance.max(pooled / one.compared);
    let fit = |one: &Slower| one.known + one.news;
    let is_sure = |one: &&Slower| fit(one).abs() > level.student(freedom) * variance(one).sqrt();
    if is_first && !(freedom >= 1.0 && compared.iter().any(is_sure)) {
        return Speeds::Alike;
    }
    // Variance that chance does not explain, by as many tasks as were compared of each.
    let tasks: f64 = compared.iter().map(|one| one.compared).sum();
    let beyond = |what: &dyn Fn(&Slower) -> f64| {
        let sum: f64 = compared.iter().map(|one| one.compared * (what(one).powi(2) - variance(one))).sum();
        (sum / tasks).max(0.0)
    };
    let (between, moved) = (beyond(&fit), beyond(&|one| one.news));
    if is_first && between <= 0.0 {
        return Speeds::Alike;
    }
    let share = |of: f64, one: &Slower| if of > 0.0 && one.compared > 0.0 { of / (of + variance(one)) } else { 0.0 };
    let of_one = |one: &Slower| {
        let now = share(between, one) * fit(one);
        let ratio = if is_first { now } else { one.known + share(moved, one) * (now - one.known) }.exp();
        // From a multiple of the others' mean to one of the mean of all.
        ratio / (one.share * ratio + 1.0 - one.share)
    };
    Speeds::Differ(workers.iter().map(|(rank, one)| (*rank, of_one(one))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkWork;
    use midrun_models::random::Random;

    /// An iteration of one task per chunk: the time of each at its place, and who computes it.
    fn iteration(tasks: usize, mut of: impl FnMut(usize) -> (u32, f64)) -> Vec<(u32, ChunkWork)> {
        let chunk = |at: usize| {
            let (rank, busy_s) = of(at);
            (rank, ChunkWork { first: at as u64, tasks: 1, busy_s, sum_sq_s2: busy_s * busy_s })
        };
        (0..tasks).map(chunk).collect()
    }

    fn levels(test: u64, workers: usize) -> (Confidence, Confidence) {
        (Confidence::default().in_series(test, workers), Confidence::default())
    }

    fn speeds(iterations: &[Vec<(u32, ChunkWork)>]) -> Speeds {
        let all: Vec<&[(u32, ChunkWork)]> = iterations.iter().map(AsRef::as_ref).collect();
        speeds_of(&all, true, &BTreeMap::new(), levels(8, 3))
    }

    fn slowness(iterations: &[Vec<(u32, ChunkWork)>]) -> Option<BTreeMap<u32, f64>> {
        match speeds(iterations) {
            Speeds::Differ(known) => Some(known),
            _ => None,
        }
    }

    #[test]
    fn workers_that_change_places_differ_by_what_they_took_there() {
        // Tasks of 1, 2, ... 21 ms in turns by three workers, of which the last takes twice as long, but for 1 %.
        let of = |turn: usize, at: usize| {
            let rank = (at + turn) % 3;
            let slow = if rank == 2 { 2.0 } else { 1.0 } * if (at + turn).is_multiple_of(2) { 1.01 } else { 0.99 };
            (rank as u32, 1e-3 * (1 + at) as f64 * slow)
        };
        let all: Vec<_> = (0..4).map(|turn| iteration(21, |at| of(turn, at))).collect();
        let known = slowness(&all).expect("they differ");
        assert!((known[&2] / known[&0] - 2.0).abs() < 0.05 && (known[&1] / known[&0] - 1.0).abs() < 0.05, "{known:?}");
        let mean = known.values().sum::<f64>() / 3.0;
        assert!((mean - 1.0).abs() < 0.02, "{known:?}");
    }

    #[test]
    fn slow_workers_that_begin_at_the_same_places_are_no_dear_places() {
        // Chunks of five equal tasks, handed out in turn: the first worker is four times slower, and always begins with the first chunk.
        let mut random = Random::new(5);
        let mut iteration = || {
            let (mut free, mut all) = ([0.0; 4], Vec::new());
            for first in (0..80).step_by(5) {
                let worker = (0..4).min_by(|a, b| f64::total_cmp(&free[*a], &free[*b])).unwrap_or(0);
                let each_s = if worker == 0 { 4e-3 } else { 1e-3 } * (1.0 + 0.2 * random.uniform());
                free[worker] += 5.0 * each_s;
                let (busy_s, sum_sq_s2) = (5.0 * each_s, 5.0 * each_s * each_s);
                all.push((worker as u32, ChunkWork { first, tasks: 5, busy_s, sum_sq_s2 }));
            }
            all
        };
        let all: Vec<_> = (0..6).map(|_| iteration()).collect();
        let known = slowness(&all).expect("they differ");
        assert!((3.2..4.8).contains(&(known[&0] / known[&2])), "{known:?}");
    }

    #[test]
    fn a_worker_that_becomes_slow_is_known_by_the_last_iterations_alone() {
        let mut random = Random::new(6);
        let mut iteration = |workers: u32, slow: f64| {
            iteration(60, |at| {
                let rank = (at as u32 + random.below(workers as usize) as u32) % workers;
                (rank, if rank == 1 { slow } else { 1.0 } * (1.0 + 0.2 * random.uniform()))
            })
        };
        for (workers, slow) in [(2, 3.0), (3, 2.0), (4, 10.0), (8, 4.0)] {
            let before: Vec<_> = (0..5).map(|_| iteration(workers, 1.0)).collect();
            let after: Vec<_> = (0..3).map(|_| iteration(workers, slow)).collect();
            assert_eq!(speeds(&before), Speeds::Alike);
            assert_eq!(speeds(&[&before[..], &after[..2]].concat()), Speeds::Alike, "two may have been disturbed");
            match speeds(&[&before[..], &after[..]].concat()) {
                Speeds::Moved(now) => {
                    let ratio = now[&1] / now[&0] / slow;
                    assert!((0.85..1.15).contains(&ratio), "{workers} workers: {now:?}");
                }
                other => panic!("{workers} workers: {other:?}"),
            }
        }
    }

    #[test]
    fn places_that_become_dear_are_no_slow_worker() {
        let mut random = Random::new(8);
        let mut iteration = |dear: f64| {
            iteration(60, |at| ((at / 20) as u32, if at < 20 { dear } else { 1.0 } * (1.0 + 0.2 * random.uniform())))
        };
        let all: Vec<_> = [1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0].into_iter().map(&mut iteration).collect();
        assert_eq!(speeds(&all), Speeds::Alike);
    }

    #[test]
    fn the_edge_of_a_fire_that_moves_on_makes_no_worker_slow() {
        // Chunks of ever fewer tasks by whoever is free; two edges of a few tasks that take a hundred times as long move apart.
        for seed in 0..10 {
            let mut random = Random::new(seed);
            let mut iteration = |turn: u64| {
                let (mut free, mut all, mut first) = ([0.0; 8], Vec::new(), 0);
                while first < 200 {
                    let tasks = ((200 - first) / 12).max(1);
                    let worker = (0..8).min_by(|a, b| f64::total_cmp(&free[*a], &free[*b])).unwrap_or(0);
                    let burns = |at: u64| at.abs_diff(100).abs_diff(20 + turn) < 2;
                    let mut time_s = |at| if burns(at) { 1e-1 } else { 1e-3 } * (0.5 + random.uniform());
                    let times: Vec<f64> = (first..first + tasks).map(&mut time_s).collect();
                    let (busy_s, sum_sq_s2) = (times.iter().sum(), times.iter().map(|s| s * s).sum());
                    free[worker] += busy_s;
                    all.push((worker as u32, ChunkWork { first, tasks, busy_s, sum_sq_s2 }));
                    first += tasks;
                }
                all
            };
            let all: Vec<_> = (0..40).map(&mut iteration).collect();
            let mut known = BTreeMap::new();
            for (turn, last) in all.windows(8).enumerate() {
                let last: Vec<&[(u32, ChunkWork)]> = last.iter().map(AsRef::as_ref).collect();
                if let Speeds::Differ(now) | Speeds::Moved(now) =
                    speeds_of(&last, true, &known, levels(8 + turn as u64, 8))
                {
                    known = now;
                }
                let (slowest, fastest) =
                    known.values().fold((1.0, 1.0), |(s, f), v| (f64::max(s, *v), f64::min(f, *v)));
                assert!(slowest < 2.0 * fastest, "{seed} {turn}: {known:?}");
            }
        }
    }

    #[test]
    fn one_worker_alone_is_the_average_one() {
        let alone = iteration(9, |_| (4, 1e-3));
        let known = BTreeMap::from([(4, 0.57), (5, 1.4)]);
        let level = levels(8, 3);
        assert_eq!(speeds_of(&[&alone, &alone], true, &known, level), Speeds::Differ(BTreeMap::from([(4, 1.0)])));
    }

    #[test]
    fn a_first_belief_is_followed_by_a_better_one() {
        let mut random = Random::new(9);
        let mut iteration = || {
            let rank = |at: usize, turn: usize| ((at + turn) % 4) as u32;
            let turn = random.below(4);
            iteration(80, |at| (rank(at, turn), random.exponential() * if rank(at, turn) == 1 { 4.0 } else { 1.0 }))
        };
        let mut known = BTreeMap::from([(0, 0.8), (1, 1.6), (2, 0.8), (3, 0.8)]);
        let all: Vec<_> = (0..20).map(|_| iteration()).collect();
        for last in all.windows(8) {
            let last: Vec<&[(u32, ChunkWork)]> = last.iter().map(AsRef::as_ref).collect();
            match speeds_of(&last, true, &known, levels(20, 4)) {
                Speeds::Differ(now) | Speeds::Moved(now) => known = now,
                Speeds::Alike => panic!("they are known"),
            }
        }
        let ratio = known[&1] / known[&0];
        assert!((2.8..5.5).contains(&ratio), "{known:?}");
    }

    #[test]
    fn what_is_known_of_workers_stays_until_iterations_say_otherwise() {
        let mut random = Random::new(7);
        let mut each_s = |rank: u32, slow: f64| if rank == 1 { slow } else { 1.0 } * (1.0 + 0.2 * random.uniform());
        let known = BTreeMap::from([(0, 0.6), (1, 1.8), (2, 0.6)]);
        let level = levels(8, 3);
        let mut after = |slow: f64, turns: u32| {
            let all: Vec<_> = (0..6)
                .map(|turn| {
                    iteration(30, |at| {
                        let rank = (at as u32 / 10 + turn * turns) % 3;
                        (rank, each_s(rank, slow))
                    })
                })
                .collect();
            match speeds_of(&all.iter().map(AsRef::as_ref).collect::<Vec<_>>(), true, &known, level) {
                Speeds::Differ(now) => now[&1] / now[&0],
                other => panic!("{other:?}"),
            }
        };
        assert!((after(1.0, 0) - 3.0).abs() < 1e-9, "each has its own place: that says nothing of it");
        let same = after(3.0, 1);
        assert!((2.8..3.2).contains(&same), "{same}");
        let equal = after(1.0, 1);
        assert!((0.9..1.1).contains(&equal), "{equal}");
    }

    #[test]
    fn who_always_has_the_same_places_is_not_known_to_be_slow() {
        let of = |at: usize| ((at / 7) as u32, 1e-3 * (1 + at) as f64);
        assert_eq!(slowness(&[iteration(21, of), iteration(21, of), iteration(21, of), iteration(21, of)]), None);
        let once = |at: usize| (((at + 1) / 7).min(2) as u32, 1e-3 * (1 + at) as f64);
        let all = [iteration(21, of), iteration(21, once), iteration(21, of), iteration(21, of)];
        assert_eq!(slowness(&all), None, "all rests on one iteration");
    }

    #[test]
    fn parts_of_unlike_chunks_are_no_same_tasks() {
        // Ever dearer tasks: the first worker has the cheaper half of each part that two chunks have in common, which differ each time.
        let chunk = |first: u64, end: u64| {
            let times = || (first..end).map(|at| 1e-3 * (1 + at) as f64);
            let (busy_s, sum_sq_s2) = (times().sum(), times().map(|time_s| time_s * time_s).sum());
            ChunkWork { first, tasks: end - first, busy_s, sum_sq_s2 }
        };
        let of = |at: u64| vec![(1, chunk(0, at)), (2, chunk(at, 40))];
        assert_eq!(slowness(&[of(20), of(22), of(18), of(21), of(19)]), None);
        let tasks: Vec<f64> = places::places(&[&of(20), &of(22), &of(18)]).iter().map(|(tasks, _)| *tasks).collect();
        assert_eq!(tasks, [18.0, 2.0, 2.0, 18.0]);
    }

    /// Shares of 300 jobs in which the last of three workers seems to differ after eight iterations of 30 tasks, and its mean ratio there.
    fn found(slow: f64, mut draw: impl FnMut(&mut Random) -> f64) -> (f64, f64) {
        let mut random = Random::new(11);
        let mut ratios = Vec::new();
        for _ in 0..300 {
            let mut of = |_| {
                let rank = random.below(3) as u32;
                (rank, draw(&mut random) * if rank == 2 { slow } else { 1.0 })
            };
            let all: Vec<_> = (0..8).map(|_| iteration(30, &mut of)).collect();
            match speeds(&all) {
                Speeds::Alike => {}
                Speeds::Differ(known) | Speeds::Moved(known) => ratios.push(known[&2] / known[&0]),
            }
        }
        (ratios.len() as f64 / 300.0, ratios.iter().sum::<f64>() / ratios.len() as f64)
    }

    #[test]
    fn equal_workers_are_equal_whatever_tasks_they_drew_and_slow_ones_are_found() {
        let exponential = |random: &mut Random| random.exponential();
        // Three in a thousand tasks take two hundred times as long as the others.
        let dear = |random: &mut Random| if random.uniform() < 0.003 { 200.0 } else { 1.0 };
        let (few, _) = found(1.0, exponential);
        assert!(few < 0.01, "{few}");
        let (few, _) = found(1.0, dear);
        assert!(few < 0.01, "{few}");
        let (most, ratio) = found(3.0, exponential);
        assert!(most > 0.8 && (2.5..3.5).contains(&ratio), "{most} {ratio}");
    }
}
