//! What a tunlet sees: one closed iteration of one job.

use midrun_handout::Setting;

/// Number of equal parts into which an iteration's index range is cut for [`Window::profile`].
pub const PROFILE_BINS: usize = 64;

/// What one worker did in one iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerWork {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Tasks computed.
    pub tasks: u64,
    /// Chunks computed.
    pub chunks: u64,
    /// Sum of task times, seconds.
    pub busy_s: f64,
    /// Sum of squared task times, seconds squared; of (chunk time)²/count where `tasks_timed` is false.
    pub sum_sq_s2: f64,
    /// Whether every task was timed by itself (else only chunks were).
    pub tasks_timed: bool,
}

/// Work that fell into one part of the iteration's index range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProfileBin {
    /// Tasks (a chunk that crosses bins is shared among them).
    pub tasks: f64,
    /// Their time, seconds.
    pub busy_s: f64,
}

/// What messages between the master and its workers cost: a message of v bytes takes `start_up_s + per_byte_s v`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Network {
    /// Start-up time of a message (`mo`), seconds.
    pub start_up_s: f64,
    /// Time of a byte (`lambda`), seconds.
    pub per_byte_s: f64,
    /// Bytes sent with each task.
    pub task_bytes: u32,
    /// Bytes that come back with each.
    pub result_bytes: u32,
}

/// One closed iteration of one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Number of the iteration, from 0.
    pub iteration: u64,
    /// Tasks of the iteration.
    pub tasks: u64,
    /// Workers that tasks were handed to (the master is not one).
    pub workers: u32,
    /// Wall time of the iteration, seconds.
    pub iteration_s: f64,
    /// Chunks handed out.
    pub chunks: u64,
    /// Time the master spent handing out and taking in, seconds.
    pub master_busy_s: f64,
    /// What messages cost; `None` where it was not measured.
    pub network: Option<Network>,
    /// What was in force when the iteration began.
    pub setting: Setting,
    /// Whether the setting was changed inside this iteration.
    pub setting_changed: bool,
    /// Each worker's share, by rank.
    pub per_worker: Vec<WorkerWork>,
    /// Work by position in the index range; [`PROFILE_BINS`] entries.
    pub profile: Vec<ProfileBin>,
    /// Share of the tasks whose records arrived, 0 to 1. Below 1 something was dropped.
    pub coverage: f64,
}

impl Window {
    /// Total task time over all workers, seconds.
    pub fn task_s(&self) -> f64 {
        self.per_worker.iter().map(|w| w.busy_s).sum()
    }

    /// The shortest time this iteration could have taken: total task time / workers, seconds.
    pub fn ideal_s(&self) -> f64 {
        if self.workers == 0 { 0.0 } else { self.task_s() / f64::from(self.workers) }
    }

    /// César 2006, 1.5: `1 - sum(busy)/(workers × iteration time)`; 0 is perfect balance.
    pub fn imbalance(&self) -> f64 {
        if self.iteration_s > 0.0 { 1.0 - self.ideal_s() / self.iteration_s } else { 0.0 }
    }
}
