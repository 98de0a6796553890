//! Speeds of workers, from the same tasks that different workers computed in the last iterations.
//!
//! What a worker took says as much of its tasks as of itself. Compared place by place, what is the tasks' own cancels: the estimator of a ratio
//! of rates in strata of Mantel and Haenszel (1959; for rates Rothman and Boice 1979), its error by the jackknife over iterations.

use crate::ChunkWork;
use crate::confidence::Confidence;
use std::collections::{BTreeMap, BTreeSet};

/// The chunks of an iteration in the order of the index range, each with who computed it.
type Iteration = [(u32, ChunkWork)];

/// Logarithm of how much longer a worker takes than the others do for the same tasks.
#[derive(Clone, Copy, Debug)]
struct Slower {
    mean: f64,
    /// Variance of the mean.
    variance: f64,
    /// Tasks that were compared: by chance the variance is in proportion to their reciprocal.
    compared: f64,
    /// Share of all tasks that this worker computed.
    share: f64,
}

/// Relative time per task of each rank, 1 average, where workers differ beyond chance, at the `level` of one of them: each as far as its
/// error lets it be believed (empirical Bayes). Iterations have the same number of tasks, each of them in one chunk.
pub(super) fn slowness_of(iterations: &[&Iteration], level: Confidence) -> Option<BTreeMap<u32, f64>> {
    let known = compare(iterations);
    let (count, workers) = (iterations.len() as f64, known.len() as f64);
    let mean = |what: &dyn Fn(&Slower) -> f64| known.values().map(what).sum::<f64>() / workers;
    let freedom = (workers - 1.0) * (count - 1.0);
    // Few iterations can agree by chance; all workers' together say how far one is off. Whoever drew more unlike tasks is off further.
    let pooled = mean(&|one| one.variance * one.compared);
    let variance = |one: &Slower| one.variance.max(pooled / one.compared);
    let is_sure = |one: &Slower| one.mean.abs() > level.student(freedom) * variance(one).sqrt();
    if freedom < 1.0 || !known.values().any(is_sure) {
        return None;
    }
    let between = (mean(&|one| one.mean * one.mean) - mean(&variance)).max(0.0);
    let believed = |one: &Slower| {
        let ratio = (one.mean * between / (between + variance(one))).exp();
        // From a multiple of the others' mean to one of the mean of all.
        ratio / (one.share * ratio + 1.0 - one.share)
    };
    Some(known.iter().map(|(rank, one)| (*rank, believed(one))).collect())
}

/// Sums over places for one worker: what it took and what others took, each weighted by how often the other side computed the place.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    own_s: f64,
    others_s: f64,
    compared: f64,
}

impl Sums {
    /// A place of so many `tasks`, of which `each` observation is the time of one, and whether it is the worker's own.
    fn add(&mut self, tasks: f64, each: impl Iterator<Item = (bool, f64)>) {
        let (mut own, mut others) = ((0.0, 0.0), (0.0, 0.0));
        for (is_own, time_s) in each {
            let side = if is_own { &mut own } else { &mut others };
            *side = (side.0 + tasks, side.1 + tasks * time_s);
        }
        let all = own.0 + others.0;
        if all > 0.0 {
            self.own_s += own.1 * others.0 / all;
            self.others_s += others.1 * own.0 / all;
            self.compared += own.0 * others.0 / all;
        }
    }

    /// Logarithm of the ratio; `None` where no place was computed by both sides.
    fn ratio(&self) -> Option<f64> {
        (self.own_s > 0.0 && self.others_s > 0.0).then(|| (self.own_s / self.others_s).ln())
    }
}

/// What one worker computed, beside the others.
struct Beside {
    /// All its tasks, whoever else computed them.
    tasks: f64,
    whole: Sums,
    /// Without each of the iterations.
    without: Vec<Sums>,
    /// Variance by unlike tasks of one chunk, times the square of `compared`.
    unlike: f64,
}

impl Beside {
    fn slower(&self, all_tasks: f64) -> Option<Slower> {
        let mean = self.whole.ratio()?;
        let without: Vec<f64> = self.without.iter().map(Sums::ratio).collect::<Option<_>>()?;
        let (count, compared) = (without.len() as f64, self.whole.compared);
        let middle = without.iter().sum::<f64>() / count;
        let squares: f64 = without.iter().map(|one| (one - middle).powi(2)).sum();
        let variance = squares * (count - 1.0) / count + self.unlike / compared.powi(2);
        Some(Slower { mean, variance, compared, share: self.tasks / all_tasks })
    }
}

/// Each worker that shares places with others, whichever iteration is left out.
fn compare(iterations: &[&Iteration]) -> BTreeMap<u32, Slower> {
    let count = iterations.len();
    let nothing = || Beside { tasks: 0.0, whole: Sums::default(), without: vec![Sums::default(); count], unlike: 0.0 };
    let (mut workers, mut all_tasks): (BTreeMap<u32, Beside>, f64) = (BTreeMap::new(), 0.0);
    for (tasks, chunks) in places(iterations) {
        let each_s = |chunk: &ChunkWork| chunk.busy_s / chunk.tasks as f64;
        let observed: Vec<(u32, f64)> = chunks.iter().map(|(rank, chunk)| (*rank, each_s(chunk))).collect();
        let unlike = if chunks.iter().all(|(_, chunk)| is_same(chunk, &chunks[0].1)) { 0.0 } else { scatter(&chunks) };
        all_tasks += tasks * count as f64;
        for rank in observed.iter().map(|(rank, _)| *rank).collect::<BTreeSet<u32>>() {
            let own: Vec<(bool, f64)> = observed.iter().map(|(of, time_s)| (*of == rank, *time_s)).collect();
            let worker = workers.entry(rank).or_insert_with(nothing);
            worker.tasks += tasks * own.iter().filter(|(is_own, _)| *is_own).count() as f64;
            let before = worker.whole.compared;
            worker.whole.add(tasks, own.iter().copied());
            worker.unlike += unlike * (worker.whole.compared - before).powi(2);
            for (left_out, sums) in worker.without.iter_mut().enumerate() {
                let others = own.iter().enumerate().filter(|(at, _)| *at != left_out);
                sums.add(tasks, others.map(|(_, one)| *one));
            }
        }
    }
    workers.iter().filter_map(|(rank, worker)| Some((*rank, worker.slower(all_tasks)?))).collect()
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

    fn slowness(iterations: &[Vec<(u32, ChunkWork)>]) -> Option<BTreeMap<u32, f64>> {
        let all: Vec<&[(u32, ChunkWork)]> = iterations.iter().map(AsRef::as_ref).collect();
        slowness_of(&all, Confidence::default().in_series(8, 3))
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
