//! Cuts one iteration's tasks into chunks, one call per hand-out.

use crate::divisor::{daf_divisor, fac_divisor};
use crate::technique::{Technique, TechniqueParameters};

/// Chunks a worker must have computed before AF believes its mean and variance.
const AF_MIN_CHUNKS: u64 = 2;
/// Chunks every worker must have computed before its speed weighs its chunks: fewer say more of the tasks in them.
const WEIGH_MIN_CHUNKS: u64 = 3;
/// Workers whose speed differs from the mean by less are equal: tasks that differ by position look like workers that do.
const EQUAL: f64 = 0.3;
/// And by fewer standard errors than these.
const CHANCE: f64 = 2.0;
/// Smallest and largest weight.
const WEIGHTS: (f64, f64) = (0.1, 10.0);

impl WorkerSpeed {
    /// Standard error of the mean, as a share of it. Tasks of one chunk lie side by side and may be alike: as many samples
    /// as chunks.
    fn error(&self) -> f64 {
        (self.var_s2 / self.chunks.max(1) as f64).sqrt() / self.mean_s
    }

    /// The same with three quarters of its weight: what an iteration is told of those before it. A worker that computes
    /// one chunk per iteration has 3 or 4 to show after some iterations.
    pub fn faded(self) -> WorkerSpeed {
        WorkerSpeed { tasks: self.tasks - self.tasks / 4, chunks: self.chunks - self.chunks / 4, ..self }
    }
}

impl Team {
    /// `None` when a figure makes no sense.
    fn of(speeds: &[WorkerSpeed]) -> Option<Team> {
        let nothing = Team { rate: 0.0, d_s: 0.0, chunks: u64::MAX };
        speeds.iter().try_fold(nothing, |team, s| {
            let sane = s.mean_s.is_finite() && s.mean_s > 0.0 && s.var_s2 >= 0.0;
            sane.then(|| Team {
                rate: team.rate + 1.0 / s.mean_s,
                d_s: team.d_s + s.var_s2 / s.mean_s,
                chunks: team.chunks.min(s.chunks),
            })
        })
    }
}

/// Consecutive tasks `first .. first + count` for one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Index of the first task.
    pub first: u64,
    /// How many; at least 1.
    pub count: u64,
}

/// What was measured of one worker so far, for AF.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerSpeed {
    /// Tasks computed.
    pub tasks: u64,
    /// Chunks computed.
    pub chunks: u64,
    /// Mean time of one task, seconds.
    pub mean_s: f64,
    /// Variance of the time of one task, seconds squared.
    pub var_s2: f64,
}

/// One iteration being handed out.
///
/// Guard rails: a share outside (0, 1], a mean or sigma that is unknown or not finite, too few samples: the
/// technique falls back to DPF(0.5). Chunks are weighted by the workers' measured speeds, within bounds, once every worker was
/// measured; `none` means equal parts, SS and AF have no need of that, GSS would be led astray. A chunk has at least one task while tasks remain, whatever the numbers say.
#[derive(Clone, Debug)]
pub struct ChunkScheduler {
    setting: TechniqueParameters,
    workers: u32,
    next_first: u64,
    remaining: u64,
    /// Tasks that remained when the setting was taken over: the M of this setting.
    base: u64,
    /// Batches cut since then.
    batches: u32,
    chunk: u64,
    chunks_left: u32,
    /// What all workers together showed when last looked at, and the chunks until the next look.
    team: Option<Team>,
    look_in: u32,
}

/// Sums over all workers.
#[derive(Clone, Copy, Debug)]
struct Team {
    /// Of the speeds, tasks per second.
    rate: f64,
    /// Of variance / mean, seconds.
    d_s: f64,
    /// Chunks of the worker that computed the fewest.
    chunks: u64,
}

impl ChunkScheduler {
    /// `tasks` tasks for `workers` workers (0 is taken as 1).
    pub fn new(setting: TechniqueParameters, tasks: u64, workers: u32) -> Self {
        ChunkScheduler {
            setting,
            workers: workers.max(1),
            next_first: 0,
            remaining: tasks,
            base: tasks,
            batches: 0,
            chunk: 0,
            chunks_left: 0,
            team: None,
            look_in: 0,
        }
    }

    /// Takes a new setting over at once: what is left is cut by it, as if it were a new iteration.
    pub fn set(&mut self, setting: TechniqueParameters) {
        self.setting = setting;
        self.base = self.remaining;
        self.batches = 0;
        self.chunks_left = 0;
    }

    /// The next chunk for `worker` (0 .. workers-1), `None` when everything is handed out.
    ///
    /// `speeds` is what was measured of each worker; it may be empty.
    pub fn next(&mut self, worker: u32, speeds: &[WorkerSpeed]) -> Option<Chunk> {
        if self.remaining == 0 {
            return None;
        }
        let wanted = match self.setting.kind {
            Technique::None => self.per_worker(self.base as f64),
            Technique::Ss => 1,
            Technique::Gss => self.per_worker(self.remaining as f64),
            Technique::Af => match self.adaptive(worker, speeds) {
                Some(count) => count,
                None => self.chunk_of_batch(),
            },
            _ => self.chunk_of_batch(),
        };
        let wanted = match self.setting.kind {
            // GSS begins with very large chunks: a weight won from tasks that differ by position, not by worker, would
            // confirm itself.
            Technique::None | Technique::Ss | Technique::Gss | Technique::Af => wanted,
            _ => ((wanted as f64 * self.weight(worker, speeds)).round() as u64).max(1),
        };
        // A lower bound above an even share would itself unbalance the iteration.
        let floor = self.setting.min_chunk.clamp(1, self.per_worker(self.base as f64));
        let count = wanted.max(floor).min(self.remaining);
        let chunk = Chunk { first: self.next_first, count };
        self.next_first += count;
        self.remaining -= count;
        Some(chunk)
    }

    /// Tasks not handed out yet.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The setting in force.
    pub fn setting(&self) -> TechniqueParameters {
        self.setting
    }

    /// Batches cut under this setting.
    pub fn batches(&self) -> u32 {
        self.batches
    }

    fn per_worker(&self, tasks: f64) -> u64 {
        ((tasks / f64::from(self.workers)).ceil() as u64).max(1)
    }

    /// The chunk of the current batch, which is cut when the last one is used up.
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
        let s = &self.setting;
        match (s.kind, s.variation()) {
            (Technique::Fsc, _) => self.base as f64 * s.share(),
            (Technique::Dpf, _) => left * s.share(),
            (Technique::Daf, Some(v)) => left / daf_divisor(first, v, self.workers),
            (Technique::Fac2, Some(v)) => left / fac_divisor(first, v, self.workers, self.remaining),
            _ => left * TechniqueParameters::FALLBACK.share(),
        }
    }

    /// All workers together; looked at again after a sixteenth of a round of chunks, since the figures of many workers do not
    /// move much with one chunk.
    fn team(&mut self, speeds: &[WorkerSpeed]) -> Option<Team> {
        if self.look_in == 0 {
            self.team = speeds.get(..self.workers as usize).and_then(Team::of);
            self.look_in = self.workers.div_ceil(16);
        }
        self.look_in -= 1;
        self.team
    }

    /// Speed of `worker` / mean speed; 1 until every worker was measured, and where the workers are equal.
    fn weight(&mut self, worker: u32, speeds: &[WorkerSpeed]) -> f64 {
        let Some(team) = self.team(speeds).filter(|team| team.chunks >= WEIGH_MIN_CHUNKS) else { return 1.0 };
        let Some(speed) = speeds.get(worker as usize) else { return 1.0 };
        let own = f64::from(self.workers) / (speed.mean_s * team.rate);
        let differs = own.is_finite() && (own - 1.0).abs() >= EQUAL && own.ln().abs() > CHANCE * speed.error();
        if differs { own.clamp(WEIGHTS.0, WEIGHTS.1) } else { 1.0 }
    }

    /// AF (Banicescu, Liu 2000): `D = sum sigma_i²/mu_i`, `T = 1/sum(1/mu_i)`,
    /// `K_i = (D + 2 T R - sqrt(D² + 4 D T R)) / (2 mu_i)`. `None` until every worker was measured.
    fn adaptive(&mut self, worker: u32, speeds: &[WorkerSpeed]) -> Option<u64> {
        let own = speeds.get(worker as usize)?;
        let Team { rate, d_s: d, .. } = self.team(speeds).filter(|team| team.chunks >= AF_MIN_CHUNKS)?;
        let tr = self.remaining as f64 / rate;
        let k = (d + 2.0 * tr - (d * d + 4.0 * d * tr).sqrt()) / (2.0 * own.mean_s);
        k.is_finite().then(|| (k as u64).max(1))
    }
}
