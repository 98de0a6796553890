//! Inputs of the simulation of one iteration: its tasks, its workers and their messages.

use crate::cutter::Batches;
use crate::seen::Seen;
use midrun_scheduling::WorkerSpeed;

/// The way between the master and one worker.
///
/// The framework's sends wait only where they are synchronous: then the master is held until the acknowledgement is back, as in the
/// expressions for synchronous sends ((9), (12), (14), (16)). Others never wait, whatever the size; programs of their own that call
/// `MPI_Send` are another matter. What a rendezvous (a message above the MPI's eager
/// limit) costs between two ranks that look is part of the measured start-up time. But to a worker that computes its bytes
/// flow only when that one looks, between two tasks; the master, which only hands out, looks at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageTimes {
    /// One message's way, seconds.
    pub latency_s: f64,
    /// Time of one task's bytes on the master's way out, seconds.
    pub send_s: f64,
    /// Time of one result's bytes on its way in, seconds.
    pub back_s: f64,
    /// A message with more tasks than this is a rendezvous.
    pub eager_tasks: u64,
}

/// Inputs of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimInput {
    /// Tasks of the iteration.
    pub tasks: u64,
    /// Workers; 0 is taken as 1.
    pub workers: u32,
    /// Mean time of one task on a worker of average speed, seconds.
    pub mean_s: f64,
    /// Relative mean time by position in the index range, equal parts, mean 1; empty: the same everywhere.
    pub profile: Vec<f64>,
    /// Standard deviation of one task around the profile, as a share of its mean.
    pub variation: f64,
    /// Times of single tasks to draw from, as multiples of their mean; empty: gamma-distributed ones of that variation.
    pub sample: Vec<f64>,
    /// Whole iterations to draw from; empty: times are drawn around the profile.
    pub seen: Seen,
    /// Relative time per task of each worker: 1 average, 4 four times slower; missing: 1.
    pub slowness: Vec<f64>,
    /// Standard error of each `slowness`, as a share of it: each drawing has speeds of its own; missing: it is exact.
    pub slowness_errors: Vec<f64>,
    /// What the master measured of each worker, in the order of `slowness`: a technique that weighs does so by this, whatever it
    /// is due to. Missing or without tasks: `slowness`.
    pub measured: Vec<WorkerSpeed>,
    /// Mean and standard deviation of a task's time that the master measured in the iteration before, seconds; `None`: those of
    /// these tasks.
    pub moments: Option<(f64, f64)>,
    /// The master's time per chunk (take in and hand out), seconds.
    pub overhead_s: f64,
    /// The master's time for each task of a chunk besides: to prepare its input, and to take its result, seconds.
    pub input_s: f64,
    /// See `input_s`.
    pub result_s: f64,
    /// One message's way, seconds.
    pub latency_s: f64,
    /// Time of one task's bytes on the master's way out, and of one result's on its way in, seconds: each carries one
    /// message at a time.
    pub send_s: f64,
    /// Time of one result's bytes on the master's incoming link, seconds.
    pub back_s: f64,
    /// The way to each worker; missing: all of the above, and eager.
    pub message_times: Vec<MessageTimes>,
    /// Time that every chunk costs its worker beyond all that, seconds: what was measured and is not explained.
    pub unexplained_s: f64,
    /// The master sends no chunk ahead: each worker waits for its next one.
    pub without_prefetch: bool,
    /// The program cuts these batches by itself, and sends no chunk ahead: no technique is in force.
    pub batches: Option<Batches>,
    /// It is the program's first iteration: the master knows nothing of workers and tasks yet.
    pub first: bool,
    /// The program asks for chunks and tells the master no times: it never knows anything of workers and tasks.
    pub unreported: bool,
}

impl SimInput {
    /// What is known of a worker's `slowness`.
    pub fn slowness_of(&self, worker: usize) -> f64 {
        self.slowness.get(worker).copied().unwrap_or(1.0)
    }

    /// Mean time of a task at `position` (0 to 1) of the index range, as a multiple of `mean_s`.
    pub fn relative_at(&self, position: f64) -> f64 {
        let bin = (position * self.profile.len() as f64) as usize;
        self.profile.get(bin).copied().unwrap_or(1.0)
    }
}
