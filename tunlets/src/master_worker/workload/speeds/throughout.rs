//! Whether a worker is slow with all its tasks, or only with some.
//!
//! A slow worker takes longer for each of its tasks. Where few of its tasks took so much longer, these have become dear, as at the edge of a fire that
//! moves on: its other tasks take what the others' do.

use super::places::Cell;
use std::collections::BTreeMap;

/// Values in order, each with the tasks of those before it; and all tasks.
#[derive(Clone, Debug, Default)]
struct Sorted {
    values: Vec<(f64, f64)>,
    tasks: f64,
}

impl Sorted {
    fn of(mut values: Vec<(f64, f64)>) -> Sorted {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        values.iter_mut().for_each(|(_, tasks)| sum += std::mem::replace(tasks, sum));
        Sorted { values, tasks: sum }
    }

    /// Tasks whose value is below `bound`.
    fn below(&self, bound: f64) -> f64 {
        let at = self.values.partition_point(|(value, _)| *value < bound);
        self.values.get(at).map_or(self.tasks, |(_, before)| *before)
    }
}

/// What workers took for the parts of their chunks, beside what was expected.
pub struct Residuals {
    /// Of each worker: logarithms of time / expected time, and tasks.
    of: Vec<Vec<(f64, f64)>>,
    /// Of each worker: the number of chunks that they are parts of. Those of fewer tasks say less (Kish 1965).
    chunks: Vec<f64>,
    all: Sorted,
}

impl Residuals {
    /// Of `cells` of so many workers: what is `expected` of each, seconds, and how many tasks it counts for.
    pub fn of<'a>(
        cells: impl Iterator<Item = &'a Cell>,
        workers: usize,
        expected: impl Fn(&Cell) -> (f64, f64),
    ) -> Residuals {
        let mut of = vec![Vec::new(); workers];
        let mut chunks: Vec<BTreeMap<(usize, u64), f64>> = vec![BTreeMap::new(); workers];
        for cell in cells {
            let (expected_s, tasks) = expected(cell);
            let residual = (cell.time_s / expected_s).ln();
            if residual.is_finite() && tasks > 0.0 {
                of[cell.worker].push((residual, tasks));
                *chunks[cell.worker].entry((cell.iteration, cell.chunk)).or_default() += tasks;
            }
        }
        let all = Sorted::of(of.iter().flatten().copied().collect());
        let number = |chunks: BTreeMap<_, f64>| {
            chunks.values().sum::<f64>().powi(2) / chunks.values().map(|tasks| tasks * tasks).sum::<f64>()
        };
        Residuals { of, chunks: chunks.into_iter().map(number).collect(), all }
    }

    /// By how many standard errors a worker's tasks bear out that it is slower than it was by `by`, a difference of logarithms, where so much is expected
    /// of it: that they are nearer to that than to what it was. That asks for no law of the tasks: from half of `by` on, its tasks are the longer ones in more
    /// of all pairs of one of its tasks and one of the others' than by chance (Mann and Whitney 1947). NaN without a pair.
    pub fn bear_out(&self, worker: usize, by: f64) -> f64 {
        let own = Sorted::of(self.of[worker].clone());
        let pairs = own.tasks * (self.all.tasks - own.tasks);
        let shorter = |(residual, tasks): &(f64, f64)| {
            let bound = residual + 0.5 * by;
            tasks * (self.all.below(bound) - own.below(bound))
        };
        let share = self.of[worker].iter().map(shorter).sum::<f64>() / pairs;
        (share - 0.5) * by.signum() * (12.0 * self.chunks[worker]).sqrt()
    }
}
