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

/// The fit ends when a round moves no worker's slowness by more than this share, or after [`ROUNDS`]: where workers share few places it is not at its
/// end then, but nearer to what was known.
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

/// So many iterations after a worker's speed has changed it counts: one or two may have been disturbed.
pub(super) const AGAIN: usize = 3;

/// Speeds of the workers of these iterations, at the `level` of one of them, where they are `known`, or else alike. Iterations have the same number
/// of tasks, each of them in one chunk.
pub(super) fn speeds_of(iterations: &[&Iteration], known: &BTreeMap<u32, f64>, level: Confidence) -> Speeds {
    let compared = Compared::of(iterations, known);
    match compared.moved(level) {
        Some(moved) => Speeds::Moved(moved),
        None => compared.speeds(known.is_empty(), level),
    }
}

/// Those that were compared with others, of these workers: mean over them of what each says, weighted by its compared tasks.
fn mean_of(workers: &BTreeMap<u32, Slower>, what: impl Fn(&Slower) -> f64) -> f64 {
    let compared: f64 = workers.values().map(|one| one.compared).sum();
    let sum: f64 = workers.values().filter(|one| one.compared > 0.0).map(|one| one.compared * what(one)).sum();
    if compared > 0.0 { sum / compared } else { 0.0 }
}

/// Each as far as its error lets it be believed (empirical Bayes): news beside what was known, and speeds beside equal ones. What is known of workers
/// that are not compared stays. Where nothing `is_new` to say, one must differ beyond chance.
fn believed(workers: &BTreeMap<u32, Slower>, is_new: bool, count: usize, level: Confidence) -> Speeds {
    let compared = || workers.values().filter(|one| one.compared > 0.0);
    let number = compared().count() as f64;
    let freedom = (number - 1.0) * (count as f64 - 1.0);
    // Few iterations can agree by chance; all workers' together say how far one is off. Whoever had fewer tasks in common with others is off further.
    let pooled = compared().map(|one| one.variance * one.compared).sum::<f64>() / number;
    let variance = |one: &Slower| one.variance.max(pooled / one.compared);
    let fit = |one: &Slower| one.known + one.news;
    let is_sure = |one: &Slower| fit(one).abs() > level.student(freedom) * variance(one).sqrt();
    if is_new && !(freedom >= 1.0 && compared().any(is_sure)) {
        return Speeds::Alike;
    }
    let beyond = |what: &dyn Fn(&Slower) -> f64| mean_of(workers, |one| what(one).powi(2) - variance(one)).max(0.0);
    let (news, between) = (beyond(&|one| one.news), beyond(&fit));
    let share = |of: f64, one: &Slower| if of > 0.0 && one.compared > 0.0 { of / (of + variance(one)) } else { 0.0 };
    let believed = |one: &Slower| {
        let now = share(between, one) * fit(one);
        let ratio = (one.known + if is_new { 1.0 } else { share(news, one) } * (now - one.known)).exp();
        // From a multiple of the others' mean to one of the mean of all.
        ratio / (one.share * ratio + 1.0 - one.share)
    };
    let all: BTreeMap<u32, f64> = workers.iter().map(|(rank, one)| (*rank, believed(one))).collect();
    if is_new && between <= 0.0 { Speeds::Alike } else { Speeds::Differ(all) }
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

/// Several iterations cut into the same places.
struct Compared {
    ranks: Vec<u32>,
    /// Of each rank.
    workers: Vec<Beside>,
    /// Slowness of each rank as it is known; of one that is not, the median of those that are.
    start: Vec<f64>,
    cells: Vec<Cell>,
    places: usize,
    count: usize,
}

impl Compared {
    fn of(iterations: &[&Iteration], known: &BTreeMap<u32, f64>) -> Compared {
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
            let is_one = chunks.iter().all(|(_, chunk)| is_same(chunk, &chunks[0].1));
            let unlike = if is_one { 0.0 } else { scatter(chunks) };
            let all: f64 = of_place.values().sum();
            for (worker, own) in of_place {
                let compared = own * (all - own) / all;
                let worker = &mut workers[worker];
                worker.tasks += own;
                worker.compared += compared;
                worker.unlike += unlike * compared * compared;
            }
        }
        let present: Vec<f64> = ranks.iter().filter_map(|rank| known.get(rank).copied()).collect();
        let usual = if present.is_empty() { 1.0 } else { median(present) };
        let start = ranks.iter().map(|rank| known.get(rank).copied().unwrap_or(usual)).collect();
        Compared { ranks, workers, start, cells, places: places.len(), count: iterations.len() }
    }

    /// Slowness of each rank by the iterations that are `used`.
    fn fit(&self, used: impl Fn(usize) -> bool) -> Vec<f64> {
        let cells: Vec<Cell> = self.cells.iter().filter(|cell| used(cell.iteration)).copied().collect();
        fit(&cells, &self.start, self.places)
    }

    /// Logarithm of each worker's slowness beside the other workers'.
    fn beside_others(&self, slowness: &[f64]) -> Vec<f64> {
        let all: f64 = self.workers.iter().map(|worker| worker.tasks).sum();
        let average: f64 = slowness.iter().zip(&self.workers).map(|(slow, worker)| slow * worker.tasks / all).sum();
        let beside = |(slow, worker): (&f64, &Beside)| {
            let own = worker.tasks / all;
            if own < 1.0 { (slow * (1.0 - own) / (average - own * slow)).ln() } else { 0.0 }
        };
        slowness.iter().zip(&self.workers).map(beside).collect()
    }

    fn speeds(&self, is_new: bool, level: Confidence) -> Speeds {
        let known = self.beside_others(&self.start);
        let whole = self.beside_others(&self.fit(|_| true));
        let mut squares = vec![0.0; self.ranks.len()];
        for left_out in 0..self.count {
            let without = self.beside_others(&self.fit(|iteration| iteration != left_out));
            squares
                .iter_mut()
                .zip(without.iter().zip(&whole))
                .for_each(|(sum, (one, all))| *sum += (one - all).powi(2));
        }
        let all: f64 = self.workers.iter().map(|worker| worker.tasks).sum();
        let slower = |(at, worker): (usize, &Beside)| {
            let by_iterations = squares[at] * (self.count - 1) as f64 / self.count as f64;
            let variance = by_iterations + worker.unlike / worker.compared.powi(2) + MOVES * MOVES;
            let (compared, share) = (worker.compared, worker.tasks / all);
            (self.ranks[at], Slower { known: known[at], news: whole[at] - known[at], variance, compared, share })
        };
        believed(&self.workers.iter().enumerate().map(slower).collect(), is_new, self.count, level)
    }

    /// Where a worker was late, or early, in each of the last [`AGAIN`] iterations as by chance none is, beside the others and what the iterations before
    /// say: the speeds of all by the last ones.
    fn moved(&self, level: Confidence) -> Option<BTreeMap<u32, f64>> {
        let before = self.count.checked_sub(AGAIN).filter(|before| *before >= AGAIN)?;
        let slowness = self.fit(|iteration| iteration < before);
        let late = self.late(&slowness, before);
        let beside = |worker: usize, iteration: usize| {
            let others = (0..late.len()).filter(|other| *other != worker).filter_map(|other| late[other][iteration]);
            let others: Vec<f64> = others.collect();
            late[worker][iteration].filter(|_| !others.is_empty()).map(|own| own - median(others))
        };
        let of_before = (0..late.len()).flat_map(|worker| (0..before).filter_map(move |at| beside(worker, at)));
        let of_before: Vec<f64> = of_before.collect();
        let freedom = of_before.len().saturating_sub(late.len()) as f64;
        if freedom < 1.0 {
            return None;
        }
        let bound = level.student(freedom) * robust_deviation(of_before.into_iter()).max(MOVES);
        let has_moved = |worker: usize| {
            let last: Option<Vec<f64>> = (before..self.count).map(|at| beside(worker, at)).collect();
            let least = |sign: f64| last.iter().flatten().map(|late| sign * late).fold(f64::INFINITY, f64::min);
            last.is_some() && least(1.0).max(least(-1.0)) > bound
        };
        // Where it alone computed its places, these may have become dearer.
        let is_shared = self.shared(before);
        let moved: Vec<bool> = (0..late.len()).map(|worker| is_shared[worker] && has_moved(worker)).collect();
        if !moved.contains(&true) {
            return None;
        }
        // All workers may have been late: what those were that have not moved is the iteration's.
        let since = |worker: &usize| mean(late[*worker][before..].iter().flatten());
        let stayed: Vec<f64> = (0..late.len()).filter(|worker| !moved[*worker]).filter_map(|w| since(&w)).collect();
        let usual = if stayed.is_empty() { 0.0 } else { median(stayed) };
        let now = |worker: usize| {
            let by = since(&worker).filter(|_| moved[worker]).map_or(0.0, |late| late - usual);
            // What was known of the others was compared more often.
            if moved[worker] { slowness[worker] * by.exp() } else { self.start[worker] }
        };
        Some(self.ranks.iter().copied().zip((0..late.len()).map(now)).collect())
    }

    /// For each worker, whether others computed the places of most of its tasks, too, in the iterations from `since` on.
    fn shared(&self, since: usize) -> Vec<bool> {
        let last = || self.cells.iter().filter(|cell| cell.iteration >= since);
        let mut of_places: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        last().for_each(|cell| {
            of_places.entry(cell.place).or_default().insert(cell.worker);
        });
        let mut tasks = vec![(0.0, 0.0); self.workers.len()];
        for cell in last() {
            let (shared, all) = &mut tasks[cell.worker];
            *all += cell.tasks;
            *shared += if of_places[&cell.place].len() > 1 { cell.tasks } else { 0.0 };
        }
        tasks.into_iter().map(|(shared, all)| 2.0 * shared > all).collect()
    }

    /// For each worker, logarithm of what each iteration took it beside what the first ones, `before`, say; none where it computed nothing.
    fn late(&self, slowness: &[f64], before: usize) -> Vec<Vec<Option<f64>>> {
        let first = self.cells.iter().filter(|cell| cell.iteration < before);
        let of_places = of_places(first, slowness, self.places);
        let mut sums = vec![vec![(0.0, 0.0); self.count]; slowness.len()];
        for cell in &self.cells {
            let (of_place_s, tasks) = of_places[cell.place];
            let (time_s, expected_s) = &mut sums[cell.worker][cell.iteration];
            (*time_s, *expected_s) =
                (*time_s + cell.time_s, *expected_s + cell.tasks * slowness[cell.worker] * of_place_s / tasks);
        }
        let late =
            |(time_s, expected_s): (f64, f64)| (time_s > 0.0 && expected_s > 0.0).then(|| (time_s / expected_s).ln());
        sums.into_iter().map(|of_one| of_one.into_iter().map(late).collect()).collect()
    }
}

fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
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

/// Relative time per task of each worker, beginning with `start`; so many places.
fn fit(cells: &[Cell], start: &[f64], places: usize) -> Vec<f64> {
    let (mut slowness, workers) = (start.to_vec(), start.len());
    for _ in 0..ROUNDS {
        let of_places = of_places(cells.iter(), &slowness, places);
        let mut of_workers = vec![(0.0, 0.0); workers];
        for cell in cells {
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
    fn one_worker_alone_is_the_average_one() {
        let alone = iteration(9, |_| (4, 1e-3));
        let known = BTreeMap::from([(4, 0.57), (5, 1.4)]);
        let level = Confidence::default().in_series(8, 3);
        assert_eq!(speeds_of(&[&alone, &alone], &known, level), Speeds::Differ(BTreeMap::from([(4, 1.0)])));
    }

    #[test]
    fn a_first_belief_is_followed_by_a_better_one() {
        let mut random = Random::new(9);
        let mut iteration = || {
            let rank = |at: usize, turn: usize| ((at + turn) % 4) as u32;
            let turn = random.below(4);
            iteration(80, |at| (rank(at, turn), random.exponential() * if rank(at, turn) == 1 { 4.0 } else { 1.0 }))
        };
        let (mut known, level) = (BTreeMap::from([(0, 0.8), (1, 1.6), (2, 0.8), (3, 0.8)]), Confidence::default());
        let all: Vec<_> = (0..20).map(|_| iteration()).collect();
        for last in all.windows(8) {
            let last: Vec<&[(u32, ChunkWork)]> = last.iter().map(AsRef::as_ref).collect();
            match speeds_of(&last, &known, level.in_series(20, 4)) {
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
