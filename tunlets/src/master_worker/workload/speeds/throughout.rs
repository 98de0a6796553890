//! Whether a worker is slow with all its tasks, or only with some.
//!
//! A slow worker takes longer for each of its tasks. Where few of its tasks took so much longer, these have become dear, as at the edge of a fire that
//! moves on: its other tasks take what the others' do.

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

/// A part of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Who computed it, from 0 on.
    pub worker: usize,
    /// The chunk: its iteration, and its first task.
    pub chunk: (usize, u64),
    /// Logarithm of what it took / what was expected.
    pub residual: f64,
    /// Tasks that it counts for.
    pub tasks: f64,
}

/// What chunks count for together.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    tasks: f64,
    squares: f64,
}

impl Weight {
    /// Of a chunk with so many tasks.
    fn of(tasks: f64) -> Weight {
        Weight { tasks, squares: tasks * tasks }
    }

    fn of_all(all: impl Iterator<Item = Weight>) -> Weight {
        all.fold(Weight::default(), |sum, one| Weight {
            tasks: sum.tasks + one.tasks,
            squares: sum.squares + one.squares,
        })
    }

    /// As many chunks of equal sizes say as much (Kish 1965).
    fn number(self) -> f64 {
        self.tasks * self.tasks / self.squares
    }
}

/// What workers took for the parts of their chunks, beside what was expected.
pub struct Residuals {
    /// Of each worker: logarithms of time / expected time, and tasks.
    of: Vec<Vec<(f64, f64)>>,
    /// Of each worker: what the chunks count for that they are parts of.
    chunks: Vec<Weight>,
    all: Sorted,
}

impl Residuals {
    /// Of so many workers; what does not count is left out.
    pub fn of(parts: impl Iterator<Item = Part>, workers: usize) -> Residuals {
        let mut of = vec![Vec::new(); workers];
        let mut chunks: Vec<BTreeMap<(usize, u64), f64>> = vec![BTreeMap::new(); workers];
        for part in parts.filter(|part| part.residual.is_finite() && part.tasks > 0.0) {
            of[part.worker].push((part.residual, part.tasks));
            *chunks[part.worker].entry(part.chunk).or_default() += part.tasks;
        }
        let all = Sorted::of(of.iter().flatten().copied().collect());
        let chunks = chunks.into_iter().map(|chunks| Weight::of_all(chunks.into_values().map(Weight::of))).collect();
        Residuals { of, chunks, all }
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
        let others = self.chunks.iter().enumerate().filter(|(other, _)| *other != worker).map(|(_, chunks)| *chunks);
        let of_numbers = self.chunks[worker].number().recip() + Weight::of_all(others).number().recip();
        let error = (of_numbers / 12.0).sqrt();
        (share - 0.5) * by.signum() / error
    }
}
