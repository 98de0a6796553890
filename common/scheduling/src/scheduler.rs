//! Cuts the tasks of one iteration into chunks.

use crate::divisor::{daf_divisor, fac_divisor};
use crate::speed::WorkerSpeed;
use crate::technique::{Technique, TechniqueParameters};

/// Chunks that every worker must have computed before AF uses their means and variances.
const AF_MIN_CHUNKS: u64 = 2;
/// Chunks that every worker must have computed before chunks are weighted by speed. Fewer chunks say more about the tasks
/// in them than about the worker.
const WEIGHT_MIN_CHUNKS: u64 = 3;
/// Workers whose speed differs from the mean by less than this share count as equal: tasks that differ by position make
/// equal workers look unequal.
const EQUAL: f64 = 0.3;
/// A worker also counts as equal when it differs by fewer standard errors than this.
const STANDARD_ERRORS: f64 = 2.0;
/// Smallest and largest weight of a chunk.
const WEIGHTS: (f64, f64) = (0.1, 10.0);

/// Consecutive tasks `first .. first + count` for one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Index of the first task.
    pub first: u64,
    /// Number of tasks; at least 1.
    pub count: u64,
}

/// The tasks of one iteration that are not scheduled yet, and the technique that cuts the next chunk.
///
/// The numbers are guarded. With a share outside (0, 1], a mean or standard deviation that is unknown or not finite, or
/// too few samples, the technique falls back to DPF(0.5). A chunk has at least one task while tasks remain.
///
/// Once every worker was measured, chunks are weighted by the workers' speeds, within bounds. Four techniques are not:
/// `none` means equal parts, SS and AF do not need weights, and GSS would be misled (see [`ChunkScheduler::next`]).
#[derive(Clone, Debug)]
pub struct ChunkScheduler {
    parameters: TechniqueParameters,
    workers: u32,
    next_first: u64,
    remaining: u64,
    /// Tasks that remained when these parameters were set: the M of the formulas.
    base: u64,
    /// Batches cut with these parameters.
    batches: u32,
    chunk: u64,
    chunks_left: u32,
    /// Sums over all workers when last computed, and the chunks until they are computed again.
    totals: Option<Totals>,
    refresh_in: u32,
}

/// Sums over the speeds of all workers.
#[derive(Clone, Copy, Debug)]
struct Totals {
    /// Sum of the speeds, tasks per second.
    rate: f64,
    /// Sum of variance / mean, seconds.
    d_s: f64,
    /// Chunks of the worker that computed the fewest.
    chunks: u64,
}

impl Totals {
    /// Returns `None` when a mean or variance is not a sensible number.
    fn of(speeds: &[WorkerSpeed]) -> Option<Totals> {
        let nothing = Totals { rate: 0.0, d_s: 0.0, chunks: u64::MAX };
        speeds.iter().try_fold(nothing, |totals, s| {
            let sane = s.mean_s.is_finite() && s.mean_s > 0.0 && s.var_s2 >= 0.0;
            sane.then(|| Totals {
                rate: totals.rate + 1.0 / s.mean_s,
                d_s: totals.d_s + s.var_s2 / s.mean_s,
                chunks: totals.chunks.min(s.chunks),
            })
        })
    }
}

impl ChunkScheduler {
    /// A scheduler of `tasks` tasks for `workers` workers (0 counts as 1).
    pub fn new(parameters: TechniqueParameters, tasks: u64, workers: u32) -> Self {
        ChunkScheduler {
            parameters,
            workers: workers.max(1),
            next_first: 0,
            remaining: tasks,
            base: tasks,
            batches: 0,
            chunk: 0,
            chunks_left: 0,
            totals: None,
            refresh_in: 0,
        }
    }

    /// Changes technique and parameters at once: the remaining tasks are cut as if they were a new iteration.
    pub fn set(&mut self, parameters: TechniqueParameters) {
        self.parameters = parameters;
        self.base = self.remaining;
        self.batches = 0;
        self.chunks_left = 0;
    }

    /// Cuts the next chunk for `worker` (0 .. workers-1); `None` when no task remains.
    ///
    /// `speeds` are the measured speeds of the workers; they may be empty.
    pub fn next(&mut self, worker: u32, speeds: &[WorkerSpeed]) -> Option<Chunk> {
        if self.remaining == 0 {
            return None;
        }
        let wanted = match self.parameters.kind {
            Technique::None => self.per_worker(self.base as f64),
            Technique::Ss => 1,
            Technique::Gss => self.per_worker(self.remaining as f64),
            Technique::Af => match self.adaptive(worker, speeds) {
                Some(count) => count,
                None => self.chunk_of_batch(),
            },
            _ => self.chunk_of_batch(),
        };
        let wanted = match self.parameters.kind {
            // GSS starts with very large chunks. A weight that came from tasks that differ by position, not by worker,
            // would confirm itself.
            Technique::None | Technique::Ss | Technique::Gss | Technique::Af => wanted,
            _ => ((wanted as f64 * self.weight(worker, speeds)).round() as u64).max(1),
        };
        // A lower bound above an even share would itself unbalance the iteration.
        let floor = self.parameters.min_chunk.clamp(1, self.per_worker(self.base as f64));
        let count = wanted.max(floor).min(self.remaining);
        let chunk = Chunk { first: self.next_first, count };
        self.next_first += count;
        self.remaining -= count;
        Some(chunk)
    }

    /// Tasks that are not in a chunk yet.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The technique now.
    pub fn technique(&self) -> Technique {
        self.parameters.kind
    }

    fn per_worker(&self, tasks: f64) -> u64 {
        ((tasks / f64::from(self.workers)).ceil() as u64).max(1)
    }

    /// Size of a chunk of the current batch; cuts the next batch when all chunks of this one are gone.
    fn chunk_of_batch(&mut self) -> u64 {
        if self.chunks_left == 0 {
            self.chunk = self.per_worker(self.batch());
            self.chunks_left = self.workers;
            self.batches += 1;
        }
        self.chunks_left -= 1;
        self.chunk
    }

    /// Size of the next batch, tasks.
    fn batch(&self) -> f64 {
        let (left, first) = (self.remaining as f64, self.batches == 0);
        let s = &self.parameters;
        match (s.kind, s.variation()) {
            (Technique::Fsc, _) => self.base as f64 * s.share(),
            (Technique::Dpf, _) => left * s.share(),
            (Technique::Daf, Some(v)) => left / daf_divisor(first, v, self.workers),
            (Technique::Fac2, Some(v)) => left / fac_divisor(first, v, self.workers, self.remaining),
            _ => left * TechniqueParameters::FALLBACK.share(),
        }
    }

    /// Sums over all workers. They are computed anew every workers/16 chunks only: one chunk moves the sums of many workers
    /// little.
    fn totals(&mut self, speeds: &[WorkerSpeed]) -> Option<Totals> {
        if self.refresh_in == 0 {
            self.totals = speeds.get(..self.workers as usize).and_then(Totals::of);
            self.refresh_in = self.workers.div_ceil(16);
        }
        self.refresh_in -= 1;
        self.totals
    }

    /// Speed of `worker` / mean speed; 1 until every worker was measured, and for a worker that counts as equal.
    fn weight(&mut self, worker: u32, speeds: &[WorkerSpeed]) -> f64 {
        let Some(totals) = self.totals(speeds).filter(|totals| totals.chunks >= WEIGHT_MIN_CHUNKS) else { return 1.0 };
        let Some(speed) = speeds.get(worker as usize) else { return 1.0 };
        let own = f64::from(self.workers) / (speed.mean_s * totals.rate);
        let differs =
            own.is_finite() && (own - 1.0).abs() >= EQUAL && own.ln().abs() > STANDARD_ERRORS * speed.relative_error();
        if differs { own.clamp(WEIGHTS.0, WEIGHTS.1) } else { 1.0 }
    }

    /// AF (Banicescu, Liu 2000): `D = sum sigma_i²/mu_i`, `T = 1/sum(1/mu_i)`,
    /// `K_i = (D + 2 T R - sqrt(D² + 4 D T R)) / (2 mu_i)`. `None` until every worker was measured.
    fn adaptive(&mut self, worker: u32, speeds: &[WorkerSpeed]) -> Option<u64> {
        let own = speeds.get(worker as usize)?;
        let Totals { rate, d_s: d, .. } = self.totals(speeds).filter(|totals| totals.chunks >= AF_MIN_CHUNKS)?;
        let tr = self.remaining as f64 / rate;
        let k = (d + 2.0 * tr - (d * d + 4.0 * d * tr).sqrt()) / (2.0 * own.mean_s);
        k.is_finite().then(|| (k as u64).max(1))
    }
}
