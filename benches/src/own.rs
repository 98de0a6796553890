//! Programs that know nothing of midrun and cut their tasks by themselves: what an author may have told them, what somebody without care, and fixed
//! values beside.

use midrun_models::batches::{Batches, Rest};
use midrun_models::random::Random;
use midrun_tunlets::TuningPoint;
use midrun_tunlets::tuning_point::names;

use crate::programs::Program;

/// Shares of what is left that fixed runs try; what the third leaves goes out in equal parts.
const SHARES: [[f64; 3]; 6] =
    [[1.0, 1.0, 1.0], [0.8, 0.8, 0.8], [0.67, 0.67, 0.67], [0.5, 0.5, 0.5], [0.3, 0.4, 0.5], [0.2, 0.25, 0.33]];
/// Chunks for each worker that fixed runs try; and single tasks.
const CHUNKS: [f64; 5] = [1.0, 3.0, 10.0, 30.0, 100.0];

/// By what a program cuts its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Shares of all tasks, for three batches.
    SharesOfAll,
    /// Shares of what is left.
    SharesOfRest,
    /// The tasks of every chunk.
    Chunks,
}

/// What a program cuts, and by what.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// By what.
    pub cut: Cut,
    /// Workers there are.
    pub workers: u32,
    /// Tasks of an iteration.
    pub tasks: u64,
}

impl Kind {
    /// A program of chunks of one size, or of shares: every second one of all tasks.
    pub fn of(program: &Program, chunks: bool) -> Kind {
        let cut = match program.seed % 2 {
            _ if chunks => Cut::Chunks,
            1 => Cut::SharesOfAll,
            _ => Cut::SharesOfRest,
        };
        Kind { cut, workers: program.workers, tasks: program.tasks }
    }

    /// Its values for these shares of what is left.
    fn shares(self, shares: [f64; 3]) -> Vec<f64> {
        match self.cut {
            Cut::SharesOfAll => Batches { shares: shares.to_vec(), rest: Rest::OneBatch }.shares_of_all(),
            _ => shares.to_vec(),
        }
    }

    /// Its values for so many chunks of one size for each worker.
    fn chunks(self, each: f64) -> Vec<f64> {
        vec![(self.tasks as f64 / (f64::from(self.workers) * each)).ceil().max(1.0)]
    }

    /// Halves, or ten chunks for each worker.
    pub fn author(self) -> Vec<f64> {
        if self.cut == Cut::Chunks { self.chunks(10.0) } else { self.shares([0.5; 3]) }
    }

    /// Values, and a number of workers, drawn without care from the seed of a program.
    pub fn careless(self, seed: u64) -> (Vec<f64>, u32) {
        let random = &mut Random::new(seed ^ 0xca5e);
        let values = if self.cut == Cut::Chunks {
            let most = self.tasks as f64 / f64::from(self.workers);
            self.chunks(most.max(1.0).powf(random.uniform()))
        } else {
            self.shares([(); 3].map(|()| 0.05 + 0.95 * random.uniform()))
        };
        (values, 1 + random.below(self.workers as usize) as u32)
    }

    /// Values that fixed runs try.
    pub fn grid(self) -> Vec<Vec<f64>> {
        match self.cut {
            Cut::Chunks => CHUNKS.iter().map(|each| self.chunks(*each)).chain([vec![1.0]]).collect(),
            _ => SHARES.iter().map(|shares| self.shares(*shares)).collect(),
        }
    }

    /// The chunks that it cuts by these values.
    pub fn batches(self, values: &[f64]) -> Batches {
        match self.cut {
            Cut::Chunks => Batches::of_chunks((values[0] as u64).max(1)),
            Cut::SharesOfRest => Batches { shares: values.to_vec(), rest: Rest::OneBatch },
            Cut::SharesOfAll => Batches::of_all(values, Rest::OneBatch),
        }
    }

    /// Name, range and kind of each value, as its points file has them.
    pub fn values_of(self) -> Vec<(String, (f64, f64))> {
        let ending = if self.cut == Cut::SharesOfAll { "" } else { names::SHARE_OF_REST };
        match self.cut {
            Cut::Chunks => vec![(names::CHUNK_TASKS.to_owned(), (1.0, self.tasks as f64))],
            _ => (0..3).map(|n| (format!("F{n}{ending}"), (0.05, 1.0))).collect(),
        }
    }

    /// What it offers, with these values, and so many workers in use.
    pub fn tuning_points(self, values: &[f64], workers: u32) -> Vec<TuningPoint> {
        let number = (names::OWN_WORKERS.to_owned(), (1.0, f64::from(self.workers)));
        let all = self.values_of().into_iter().chain([number]);
        let point = |((name, range), value): ((String, (f64, f64)), f64)| TuningPoint {
            rank: 0,
            whole: name == names::CHUNK_TASKS || name == names::OWN_WORKERS,
            name,
            range,
            value,
            declared: value,
            text: None,
            held: false,
        };
        all.zip(values.iter().copied().chain([f64::from(workers)])).map(point).collect()
    }
}
