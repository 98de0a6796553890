//! Cuts the tasks of one iteration into chunks.

use crate::divisor::{daf_divisor, fac_divisor};
use crate::speed::WorkerSpeed;
use crate::task_times::TaskTimes;
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
/// Once every worker was measured, the chunks of FSC, FAC2, DPF and DAF are weighted by the workers' speeds, within bounds.
/// The others are as published: `none` means equal parts, SS and AF do not need weights, GSS would be misled (see
/// [`ChunkScheduler::next`]), TSS and mFSC have none, and AWF-B and AWF-C weigh by their own measure.
///
/// DAF adapts batch by batch (César 2006): it takes mean and deviation from the chunks that came back in this iteration
/// ([`ChunkScheduler::on_result`]); until then from the iteration before, until then from its parameters. The next batch is
/// prepared when fewer than N/2 chunks of the present one are left.
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
    /// DAF: the next batch's chunk.
    prepared: Option<u64>,
    /// TSS: by how much each chunk is smaller than the one before.
    decrement: u64,
    /// Times of the tasks of this iteration, and those known before it.
    times: TaskTimes,
    history: Option<(f64, f64)>,
    /// Sums over all workers when last computed, and the chunks until they are computed again.
    totals: Option<Totals>,
    refresh_in: u32,
}

/// Sums over the speeds of all workers.
#[derive(Clone, Copy, Debug)]
struct Totals {
    /// Sum of the speeds, tasks per second, and the same by the weighted average performance.
    rate: f64,
    weighted_rate: f64,
    /// Sum of variance / mean, seconds.
    d_s: f64,
    /// Chunks of the worker that computed the fewest.
    chunks: u64,
}

impl Totals {
    /// Returns `None` when a mean or variance is not a sensible number.
    fn of(speeds: &[WorkerSpeed]) -> Option<Totals> {
        let nothing = Totals { rate: 0.0, weighted_rate: 0.0, d_s: 0.0, chunks: u64::MAX };
        speeds.iter().try_fold(nothing, |totals, s| {
            let sane = s.mean_s.is_finite() && s.mean_s > 0.0 && s.var_s2 >= 0.0;
            sane.then(|| Totals {
                rate: totals.rate + 1.0 / s.mean_s,
                weighted_rate: totals.weighted_rate + 1.0 / s.performance_s(),
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
            prepared: None,
            decrement: 0,
            times: TaskTimes::default(),
            history: None,
            totals: None,
            refresh_in: 0,
        }
    }

    /// The same, which knows the [`ChunkScheduler::moments`] of the iteration before.
    pub fn with_history(self, moments: Option<(f64, f64)>) -> Self {
        ChunkScheduler { history: moments, ..self }
    }

    /// Changes technique and parameters at once: the remaining tasks are cut as if they were a new iteration. But a technique
    /// whose first batch supposes idle workers (FAC2, DAF) cuts a later one when workers are busy already.
    pub fn set(&mut self, parameters: TechniqueParameters) {
        self.parameters = parameters;
        self.base = self.remaining;
        self.batches = u32::from(self.next_first > 0);
        (self.chunk, self.chunks_left) = (0, 0);
        self.prepared = None;
    }

    /// Learns from a chunk that came back; see [`TaskTimes::add`].
    pub fn on_result(&mut self, tasks: u64, busy_s: f64, sum_sq_s2: f64, timed_singly: bool) {
        self.times.add(tasks, busy_s, sum_sq_s2, timed_singly);
    }

    /// Mean and standard deviation of one task's time, seconds, as far as this iteration or the one before showed them.
    pub fn moments(&self) -> Option<(f64, f64)> {
        self.times.moments().or(self.history)
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
            Technique::Mfsc => mfsc_chunk(self.base, self.workers),
            Technique::Tss => self.trapezoid(),
            Technique::AwfC => self.per_worker(0.5 * self.remaining as f64),
            Technique::Af => match self.adaptive(worker, speeds) {
                Some(count) => count,
                None => self.chunk_of_batch(),
            },
            _ => self.chunk_of_batch(),
        };
        let wanted = match self.parameters.kind {
            // GSS starts with very large chunks. A weight that came from tasks that differ by position, not by worker,
            // would confirm itself.
            Technique::None | Technique::Ss | Technique::Gss | Technique::Af | Technique::Tss | Technique::Mfsc => {
                wanted
            }
            Technique::AwfB | Technique::AwfC => weighted(wanted, self.performance(worker, speeds)),
            Technique::Fsc | Technique::Fac2 | Technique::Dpf | Technique::Daf => {
                weighted(wanted, self.weight(worker, speeds))
            }
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
            self.chunk = match self.prepared.take() {
                Some(chunk) => chunk,
                None => self.per_worker(self.batch(self.remaining)),
            };
            self.chunks_left = self.workers;
            self.batches += 1;
        }
        self.chunks_left -= 1;
        // The source prepares a batch when fewer than N/2 chunks are ready.
        if self.parameters.kind == Technique::Daf && self.prepared.is_none() && 2 * self.chunks_left < self.workers {
            let ready = self.chunk.saturating_mul(u64::from(self.chunks_left) + 1);
            self.prepared = Some(self.per_worker(self.batch(self.remaining.saturating_sub(ready))));
        }
        self.chunk
    }

    /// Size of the next batch of `left` tasks, tasks.
    fn batch(&self, left: u64) -> f64 {
        let (all, first) = (left as f64, self.batches == 0);
        let p = &self.parameters;
        match p.kind {
            Technique::Fsc => self.base as f64 * p.share(),
            Technique::Dpf => all * p.share(),
            Technique::Daf => match self.variation() {
                Some(variation) => all / daf_divisor(first, variation, self.workers),
                None => all * TechniqueParameters::FALLBACK.share(),
            },
            Technique::Fac2 => match p.variation() {
                Some(variation) => all / fac_divisor(first, variation, self.workers, left),
                None => all * TechniqueParameters::FALLBACK.share(),
            },
            _ => all * TechniqueParameters::FALLBACK.share(),
        }
    }

    /// sigma/mu for DAF. What was known before counts as much as the least that a batch brings back: one task per worker.
    fn variation(&self) -> Option<f64> {
        let (mean_s, sigma_s) = self.history.unwrap_or((self.parameters.mean_s, self.parameters.sigma_s));
        let known = TaskTimes::known(self.workers, mean_s, sigma_s).with(&self.times);
        let (mean_s, sigma_s) = known.moments()?;
        TechniqueParameters { mean_s, sigma_s, ..self.parameters }.variation()
    }

    /// TSS (Tzen, Ni 1993): from `f = ceil(M/(2N))` down to `l = 1` in `n = ceil(2M/(f + l))` chunks, each smaller by
    /// `floor((f - l)/(n - 1))` than the one before.
    fn trapezoid(&mut self) -> u64 {
        if self.chunk == 0 {
            self.chunk = self.base.div_ceil(2 * u64::from(self.workers)).max(1);
            let chunks = (2 * self.base).div_ceil(self.chunk + 1);
            self.decrement = (self.chunk - 1) / chunks.saturating_sub(1).max(1);
        } else {
            self.chunk = self.chunk.saturating_sub(self.decrement).max(1);
        }
        self.chunk
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

    /// Weight of AWF-B and AWF-C: 1/performance of `worker` over the mean of all workers; 1 until every worker was measured.
    fn performance(&mut self, worker: u32, speeds: &[WorkerSpeed]) -> f64 {
        let (Some(totals), Some(speed)) = (self.totals(speeds), speeds.get(worker as usize)) else { return 1.0 };
        let weight = f64::from(self.workers) / (speed.performance_s() * totals.weighted_rate);
        if weight.is_finite() { weight } else { 1.0 }
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

fn weighted(tasks: u64, weight: f64) -> u64 {
    ((tasks as f64 * weight).round() as u64).max(1)
}

/// mFSC: `0.55 + T ln 2/ln T` tasks with `T = M/N`, so that each worker gets about as many chunks as FAC2 would cut.
fn mfsc_chunk(tasks: u64, workers: u32) -> u64 {
    let each = tasks.div_ceil(u64::from(workers));
    if each < 2 { 1 } else { (0.55 + each as f64 * 2f64.ln() / (each as f64).ln()) as u64 }
}
