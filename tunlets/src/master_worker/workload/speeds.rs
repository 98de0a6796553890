//! Speeds of workers, from the tasks that different workers computed in the last iterations.
//!
//! What a chunk took says as much of its tasks as of its worker. Both are fitted together: a task takes what its place takes, times how slow its
//! worker is (iterative proportional fitting, Deming and Stephan 1940: the likelihood's maximum for Poisson counts, and for times whose variance is
//! in proportion to them). The fit begins with the speeds that are known, at first with equal ones: where always the same worker computed a place,
//! the place explains what it took longer. Its error is the jackknife's over iterations, about the fit to all.

use crate::ChunkWork;
use crate::confidence::Confidence;
use midrun_models::line::{median, robust_deviation};
use std::collections::{BTreeMap, BTreeSet};

/// The chunks of an iteration in the order of the index range, each with who computed it.
type Iteration = [(u32, ChunkWork)];

/// The fit ends when no worker's slowness moves by more than this share, which is less than its error, or after [`ROUNDS`].
const MOVES: f64 = 1e-3;
/// See [`MOVES`].
const ROUNDS: usize = 100;

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
}

/// What iterations say of their workers' speeds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Speeds {
    /// They differ by no more than chance explains.
    Alike,
    /// Relative time per task of each rank, 1 average: as it was known, or where these iterations say otherwise beyond chance, as far as their error
    /// lets that be believed (empirical Bayes).
    Differ(BTreeMap<u32, f64>),
    /// In the last [`AGAIN`] iterations a worker was faster or slower than before: these alone say what it is now.
    Moved,
}

/// So many iterations after a worker's speed has changed it counts: one alone may have been disturbed.
pub(super) const AGAIN: usize = 2;

/// Speeds of the workers of these iterations, at the `level` of one of them, where they are `known`, or else alike. Iterations have the same number
/// of tasks, each of them in one chunk.
pub(super) fn speeds_of(iterations: &[&Iteration], known: &BTreeMap<u32, f64>, level: Confidence) -> Speeds {
    let (workers, has_moved) = compare(iterations, known, level);
    if has_moved {
        return Speeds::Moved;
    }
    let compared: Vec<&Slower> = workers.values().filter(|one| one.compared > 0.0).collect();
    let (count, number) = (iterations.len() as f64, compared.len() as f64);
    let mean = |what: &dyn Fn(&Slower) -> f64| compared.iter().map(|one| what(one)).sum::<f64>() / number;
    let freedom = (number - 1.0) * (count - 1.0);
    // Few iterations can agree by chance; all workers' together say how far one is off. Whoever had fewer tasks in common with others is off further.
    let pooled = mean(&|one| one.variance * one.compared);
    let variance = |one: &Slower| one.variance.max(pooled / one.compared);
    let is_sure = |one: &&Slower| one.news.abs() > level.student(freedom) * variance(one).sqrt();
    let are_news = freedom >= 1.0 && compared.iter().any(is_sure);
    if !are_news && known.is_empty() {
        return Speeds::Alike;
    }
    let between = (mean(&|one| one.news * one.news) - mean(&variance)).max(0.0);
    let believed = |one: &Slower| {
        let share = if are_news && one.compared > 0.0 { between / (between + variance(one)) } else { 0.0 };
        let ratio = (one.known + share * one.news).exp();
        // From a multiple of the others' mean to one of the mean of all.
        ratio / (one.share * ratio + 1.0 - one.share)
    };
    Speeds::Differ(workers.iter().map(|(rank, one)| (*rank, believed(one))).collect())
}

/// What one worker computed of one place in one iteration; all three by their numbers.
#[derive(Clone, Copy, Debug)]
struct Cell {
    iteration: usize,
    place: usize,
    worker: usize,
    tasks: f64,
    time_s: f64,
}

/// What one worker computed, as far as others can be compared with it.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    tasks: f64,
    /// Its tasks in places that others computed, too.
    compared: f64,
    /// Variance by unlike tasks of one chunk, times the square of `compared`.
    unlike: f64,
}

/// Each worker beside the others, as `known` and by these iterations; and whether one of them has become faster or slower at the `level`.
fn compare(iterations: &[&Iteration], known: &BTreeMap<u32, f64>, level: Confidence) -> (BTreeMap<u32, Slower>, bool) {
    let places = places(iterations);
    let busy = |(_, chunk): &&(u32, ChunkWork)| chunk.busy_s > 0.0;
    let ranks = iterations.iter().flat_map(|all| all.iter()).filter(busy).map(|(rank, _)| *rank);
    let ranks: Vec<u32> = ranks.collect::<BTreeSet<u32>>().into_iter().collect();
    let mut workers = vec![Beside::default(); ranks.len()];
    let mut cells = Vec::new();
    for (place, (tasks, chunks)) in places.iter().enumerate() {
        let mut of_place: BTreeMap<usize, f64> = BTreeMap::new();
        for (iteration, (rank, chunk)) in chunks.iter().enumerate() {
            let Ok(worker) = ranks.binary_search(rank) else { continue };
            let time_s = chunk.busy_s / chunk.tasks as f64 * tasks;
            cells.push(Cell { iteration, place, worker, tasks: *tasks, time_s });
            *of_place.entry(worker).or_default() += tasks;
        }
        let unlike = if chunks.iter().all(|(_, chunk)| is_same(chunk, &chunks[0].1)) { 0.0 } else { scatter(chunks) };
        let all: f64 = of_place.values().sum();
        for (worker, own) in of_place {
            let compared = own * (all - own) / all;
            let worker = &mut workers[worker];
            worker.tasks += own;
            worker.compared += compared;
            worker.unlike += unlike * compared * compared;
        }
    }
    let all_tasks: f64 = workers.iter().map(|worker| worker.tasks).sum();
    let share = |worker: &Beside| worker.tasks / all_tasks;
    let size = (ranks.len(), places.len());
    let beside_others = |slowness: &[f64]| {
        let average: f64 = slowness.iter().zip(&workers).map(|(slow, worker)| slow * share(worker)).sum();
        let beside = |(slow, worker): (&f64, &Beside)| {
            let own = share(worker);
            (slow * (1.0 - own) / (average - own * slow)).ln()
        };
        slowness.iter().zip(&workers).map(beside).collect::<Vec<f64>>()
    };
    let start: Vec<f64> = ranks.iter().map(|rank| known.get(rank).copied().unwrap_or(1.0)).collect();
    let (slowness, count) = (fit(&cells, None, &start, places.len()), iterations.len());
    let has_moved = has_moved(&late(&cells, &slowness, size, count), level);
    let (known, whole) = (beside_others(&start), beside_others(&slowness));
    let mut squares = vec![0.0; ranks.len()];
    for left_out in 0..count {
        let without = beside_others(&fit(&cells, Some(left_out), &start, places.len()));
        squares.iter_mut().zip(without.iter().zip(&whole)).for_each(|(sum, (one, all))| *sum += (one - all).powi(2));
    }
    let slower = |(at, worker): (usize, &Beside)| {
        let by_iterations = squares[at] * (count - 1) as f64 / count as f64;
        let variance = by_iterations + worker.unlike / worker.compared.powi(2) + MOVES * MOVES;
        let (compared, share) = (worker.compared, share(worker));
        Slower { known: known[at], news: whole[at] - known[at], variance, compared, share }
    };
    let each = workers.iter().enumerate().map(slower);
    (ranks.iter().copied().zip(each).filter(|(_, one)| one.share < 1.0).collect(), has_moved)
}

/// For each worker, logarithm of what each iteration took it beside what the fit says, beside that of the other workers; none where it computed nothing.
fn late(cells: &[Cell], slowness: &[f64], (workers, places): (usize, usize), count: usize) -> Vec<Vec<Option<f64>>> {
    let of_places = of_places(cells.iter(), slowness, places);
    let mut sums = vec![vec![(0.0, 0.0); count]; workers];
    for cell in cells {
        let (of_place_s, tasks) = of_places[cell.place];
        let (time_s, expected_s) = &mut sums[cell.worker][cell.iteration];
        (*time_s, *expected_s) =
            (*time_s + cell.time_s, *expected_s + cell.tasks * slowness[cell.worker] * of_place_s / tasks);
    }
    let late =
        |(time_s, expected_s): (f64, f64)| (time_s > 0.0 && expected_s > 0.0).then(|| (time_s / expected_s).ln());
    let mut all: Vec<Vec<Option<f64>>> =
        sums.into_iter().map(|of_one| of_one.into_iter().map(late).collect()).collect();
    for iteration in 0..count {
        let of_all: Vec<f64> = all.iter().filter_map(|of_one| of_one[iteration]).collect();
        let usual = if of_all.is_empty() { 0.0 } else { median(of_all) };
        all.iter_mut().for_each(|of_one| of_one[iteration] = of_one[iteration].map(|late| late - usual));
    }
    all
}

/// Whether a worker was late, or early, in each of the last [`AGAIN`] iterations, as none is by chance, and not before.
fn has_moved(late: &[Vec<Option<f64>>], level: Confidence) -> bool {
    let chance = robust_deviation(late.iter().flatten().flatten().copied());
    let freedom = late.iter().flatten().flatten().count().saturating_sub(late.len()) as f64;
    let bound = level.student(freedom) * chance;
    let moved = |of_one: &Vec<Option<f64>>| {
        let (before, last) = of_one.split_at(of_one.len().saturating_sub(AGAIN));
        let last: Option<Vec<f64>> = last.iter().copied().collect();
        let least = |sign: f64| last.iter().flatten().map(|late| sign * late).fold(f64::INFINITY, f64::min);
        before.iter().flatten().next().is_some() && last.is_some() && least(1.0).max(least(-1.0)) > bound
    };
    freedom >= 1.0 && late.iter().any(moved)
}

/// What each place takes: its time, seconds, and the tasks that average workers compute in as long.
fn of_places<'a>(cells: impl Iterator<Item = &'a Cell>, slowness: &[f64], places: usize) -> Vec<(f64, f64)> {
    let mut all = vec![(0.0, 0.0); places];
    for cell in cells {
        let (time_s, tasks) = &mut all[cell.place];
        (*time_s, *tasks) = (*time_s + cell.time_s, *tasks + cell.tasks * slowness[cell.worker]);
    }
    all
}

/// Relative time per task of each worker by all iterations but one, beginning with `start`; so many places.
fn fit(cells: &[Cell], left_out: Option<usize>, start: &[f64], places: usize) -> Vec<f64> {
    let all = || cells.iter().filter(|cell| Some(cell.iteration) != left_out);
    let (mut slowness, workers) = (start.to_vec(), start.len());
    for _ in 0..ROUNDS {
        let of_places = of_places(all(), &slowness, places);
        let mut of_workers = vec![(0.0, 0.0); workers];
        for cell in all() {
            let (of_place_s, tasks) = of_places[cell.place];
            let (time_s, expected_s) = &mut of_workers[cell.worker];
            (*time_s, *expected_s) = (*time_s + cell.time_s, *expected_s + cell.tasks * of_place_s / tasks);
        }
        let mut moved = 0.0_f64;
        for (slow, (time_s, expected_s)) in slowness.iter_mut().zip(of_workers) {
            if time_s > 0.0 && expected_s > 0.0 {
                let now: f64 = time_s / expected_s;
                moved = moved.max((now / *slow).ln().abs());
                *slow = now;
            }
        }
        if moved < MOVES {
            break;
        }
    }
    slowness
}

/// The index range in parts that no chunk of any iteration begins or ends in: the tasks of each, and its chunk in each iteration.
fn places<'a>(iterations: &[&'a Iteration]) -> Vec<(f64, Vec<&'a (u32, ChunkWork)>)> {
    let mut next = vec![0; iterations.len()];
    let (mut begin, mut all) = (0, Vec::new());
    loop {
        let chunks: Option<Vec<_>> = iterations.iter().zip(&next).map(|(chunks, at)| chunks.get(*at)).collect();
        let Some(chunks) = chunks else { return all };
        let ends = || chunks.iter().map(|(_, chunk)| chunk.first + chunk.tasks);
        let Some(end) = ends().min() else { return all };
        next.iter_mut().zip(ends()).filter(|(_, its)| *its == end).for_each(|(at, _)| *at += 1);
        if end > begin {
            all.push(((end - begin) as f64, chunks));
        }
        begin = end;
    }
}

fn is_same(a: &ChunkWork, b: &ChunkWork) -> bool {
    (a.first, a.tasks) == (b.first, b.tasks)
}

/// Variance of the tasks of one chunk as a share of their squared mean, on average of these chunks. A part of a chunk may differ from it by this.
fn scatter(chunks: &[&(u32, ChunkWork)]) -> f64 {
    let of_one = |(_, chunk): &&(u32, ChunkWork)| {
        let squares = chunk.tasks as f64 * chunk.sum_sq_s2 / (chunk.busy_s * chunk.busy_s);
        if squares.is_finite() { (squares - 1.0).max(0.0) } else { 0.0 }
    };
    chunks.iter().map(of_one).sum::<f64>() / chunks.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_models::random::Random;

    /// An iteration of one task per chunk: the time of each at its place, and who computes it.
    fn iteration(tasks: usize, mut of: impl FnMut(usize) -> (u32, f64)) -> Vec<(u32, ChunkWork)> {
        let chunk = |at: usize| {
            let (rank, busy_s) = of(at);
            (rank, ChunkWork { first: at as u64, tasks: 1, busy_s, sum_sq_s2: busy_s * busy_s })
        };
        (0..tasks).map(chunk).collect()
    }

    fn speeds(iterations: &[Vec<(u32, ChunkWork)>]) -> Speeds {
        let all: Vec<&[(u32, ChunkWork)]> = iterations.iter().map(AsRef::as_ref).collect();
        speeds_of(&all, &BTreeMap::new(), Confidence::default().in_series(8, 3))
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
        let mut iteration = |slow: f64| {
            iteration(30, |at| {
                let rank = (at as u32 + random.below(3) as u32) % 3;
                (rank, if rank == 1 { slow } else { 1.0 } * (1.0 + 0.2 * random.uniform()))
            })
        };
        let before: Vec<_> = (0..5).map(|_| iteration(1.0)).collect();
        let after: Vec<_> = (0..2).map(|_| iteration(3.0)).collect();
        assert_eq!(speeds(&before), Speeds::Alike);
        assert_eq!(speeds(&[&before[..], &after[..1]].concat()), Speeds::Alike, "one may have been disturbed");
        assert_eq!(speeds(&[&before[..], &after[..]].concat()), Speeds::Moved);
    }

    #[test]
    fn what_is_known_of_workers_stays_until_iterations_say_otherwise() {
        let mut random = Random::new(7);
        let mut each_s = |rank: u32, slow: f64| if rank == 1 { slow } else { 1.0 } * (1.0 + 0.2 * random.uniform());
        let known = BTreeMap::from([(0, 0.6), (1, 1.8), (2, 0.6)]);
        let level = Confidence::default().in_series(8, 3);
        let mut after = |slow: f64, turns: u32| {
            let all: Vec<_> = (0..6)
                .map(|turn| {
                    iteration(30, |at| {
                        let rank = (at as u32 / 10 + turn * turns) % 3;
                        (rank, each_s(rank, slow))
                    })
                })
                .collect();
            match speeds_of(&all.iter().map(AsRef::as_ref).collect::<Vec<_>>(), &known, level) {
                Speeds::Differ(now) => now[&1] / now[&0],
                other => panic!("{other:?}"),
            }
        };
        assert!((after(1.0, 0) - 3.0).abs() < 1e-9, "each has its own place: that says nothing of it");
        assert!((after(3.0, 1) - 3.0).abs() < 1e-9, "no news");
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
        let tasks: Vec<f64> = places(&[&of(20), &of(22), &of(18)]).iter().map(|(tasks, _)| *tasks).collect();
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
            ratios.extend(slowness(&all).map(|known| known[&2] / known[&0]));
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
