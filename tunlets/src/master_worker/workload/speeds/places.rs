//! Several iterations cut into the same places, and how slow who computed them is: the fit.

use super::throughout::{Part, Residuals};
use crate::ChunkWork;
use midrun_models::line::median;
use std::collections::{BTreeMap, BTreeSet};

/// The chunks of an iteration in the order of the index range, each with who computed it.
pub type Iteration = [(u32, ChunkWork)];

/// The fit ends when a round moves no worker's slowness by more than this share, or after [`ROUNDS`]: where workers share few places it is not at its
/// end then, but nearer to what was known.
pub const MOVES: f64 = 1e-3;
/// See [`MOVES`].
const ROUNDS: usize = 100;

/// What one worker computed of one place in one iteration.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Number of the iteration, from 0 for the first of those that are compared.
    pub iteration: usize,
    /// Number of the place in the index range.
    pub place: usize,
    /// First task of the chunk that it is a part of.
    pub chunk: u64,
    /// Index of the worker in [`Compared::ranks`].
    pub worker: usize,
    /// Tasks of the place.
    pub tasks: f64,
    /// What they took, seconds.
    pub time_s: f64,
}

/// What one worker computed, as far as others can be compared with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside {
    /// All its tasks.
    pub tasks: f64,
    /// Its tasks in places that others computed, too.
    pub compared: f64,
    /// Variance by unlike tasks of one chunk, times the square of `compared`.
    pub unlike: f64,
}

/// Several iterations cut into the same places.
pub struct Compared {
    /// Ranks that computed something, in their order.
    pub ranks: Vec<u32>,
    /// Of each rank.
    pub workers: Vec<Beside>,
    /// Slowness of each rank as it is known; of one that is not, the median of those that are.
    pub start: Vec<f64>,
    /// What was computed, place by place.
    pub cells: Vec<Cell>,
    /// Number of places.
    pub places: usize,
    /// Number of iterations.
    pub count: usize,
}

impl Compared {
    /// These iterations, where ranks are `known` to be so slow.
    pub fn of(iterations: &[&Iteration], known: &BTreeMap<u32, f64>) -> Compared {
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
                cells.push(Cell { iteration, place, chunk: chunk.first, worker, tasks: *tasks, time_s });
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

    /// Whose tasks do not bear out, by more than `least` standard errors, that they are as slow or fast as a fit of the iterations that are `used` takes
    /// them for: some of the places have become dear, or cheap, and these ranks stay as they are known.
    pub fn held(&self, used: impl Fn(usize) -> bool, least: f64) -> Vec<bool> {
        let known = self.beside_others(&self.start);
        let mut held = vec![false; self.ranks.len()];
        loop {
            let fit = self.fit(&used, &held);
            let residuals = self.residuals(&used, &fit);
            let now = self.beside_others(&fit);
            let is_borne_out = |worker: usize| residuals.bear_out(worker, now[worker] - known[worker]) > least;
            let partly: Vec<usize> = (0..fit.len()).filter(|worker| !held[*worker] && !is_borne_out(*worker)).collect();
            if partly.is_empty() {
                return held;
            }
            partly.into_iter().for_each(|worker| held[worker] = true);
        }
    }

    /// Slowness of each rank by the iterations that are `used`, where those that are `held` stay as they are known.
    pub fn fit(&self, used: impl Fn(usize) -> bool, held: &[bool]) -> Vec<f64> {
        let cells: Vec<Cell> = self.cells.iter().filter(|cell| used(cell.iteration)).copied().collect();
        fit(&cells, &self.start, held, self.places)
    }

    /// What was computed in the iterations that are `used`, in places that several ranks have, beside what is expected there with these `slowness`.
    pub fn residuals(&self, used: impl Fn(usize) -> bool, slowness: &[f64]) -> Residuals {
        let cells = || self.cells.iter().filter(|cell| used(cell.iteration));
        let of_places = of_places(cells(), slowness, self.places);
        let mut tasks: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        let mut all = vec![0.0; self.places];
        for cell in cells() {
            *tasks.entry((cell.place, cell.worker)).or_default() += cell.tasks;
            all[cell.place] += cell.tasks;
        }
        let part = |cell: &Cell| {
            let (of_place_s, weight) = of_places[cell.place];
            let others = 1.0 - tasks[&(cell.place, cell.worker)] / all[cell.place];
            Part {
                worker: cell.worker,
                chunk: (cell.iteration, cell.chunk),
                residual: (cell.time_s * weight / (cell.tasks * slowness[cell.worker] * of_place_s)).ln(),
                tasks: cell.tasks * others,
            }
        };
        Residuals::of(cells().map(part), slowness.len())
    }

    /// Logarithm of each worker's slowness beside the other workers'.
    pub fn beside_others(&self, slowness: &[f64]) -> Vec<f64> {
        let all: f64 = self.workers.iter().map(|worker| worker.tasks).sum();
        let average: f64 = slowness.iter().zip(&self.workers).map(|(slow, worker)| slow * worker.tasks / all).sum();
        let beside = |(slow, worker): (&f64, &Beside)| {
            let own = worker.tasks / all;
            if own < 1.0 { (slow * (1.0 - own) / (average - own * slow)).ln() } else { 0.0 }
        };
        slowness.iter().zip(&self.workers).map(beside).collect()
    }
}

/// What each place takes: its time, seconds, and the tasks that average workers compute in as long.
pub fn of_places<'a>(cells: impl Iterator<Item = &'a Cell>, slowness: &[f64], places: usize) -> Vec<(f64, f64)> {
    let mut all = vec![(0.0, 0.0); places];
    for cell in cells {
        let (time_s, tasks) = &mut all[cell.place];
        (*time_s, *tasks) = (*time_s + cell.time_s, *tasks + cell.tasks * slowness[cell.worker]);
    }
    all
}

/// Relative time per task of each worker, beginning with `start`, where those that are `held` stay; so many places.
fn fit(cells: &[Cell], start: &[f64], held: &[bool], places: usize) -> Vec<f64> {
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
        for ((slow, held), (time_s, expected_s)) in slowness.iter_mut().zip(held).zip(of_workers) {
            if !held && time_s > 0.0 && expected_s > 0.0 {
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
pub fn places<'a>(iterations: &[&'a Iteration]) -> Vec<(f64, Vec<&'a (u32, ChunkWork)>)> {
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
