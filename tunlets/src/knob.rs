//! What can be turned: the tuning points that ranks offer.

/// Names of the tuning points that the Master/Worker framework declares in its master.
pub mod names {
    /// Distribution policy; value: the code of a [`midrun_handout::PolicyKind`].
    pub const POLICY: &str = "mw.policy";
    /// Share of FSC and DPF, 0 to 1.
    pub const FACTOR: &str = "mw.factor";
    /// Mean time of one task, seconds, for DAF and FAC2.
    pub const TASK_MEAN_S: &str = "mw.task_mean_s";
    /// Standard deviation of the time of one task, seconds.
    pub const TASK_SIGMA_S: &str = "mw.task_sigma_s";
    /// Lower bound of a chunk, tasks.
    pub const MIN_CHUNK: &str = "mw.min_chunk";
    /// Workers that take part; the others are parked. Taken over at an iteration's start.
    pub const WORKERS: &str = "mw.workers";
    /// Processes started as further workers. The smallest value allowed is how many have come, the largest how many can
    /// be started; with each that comes, the largest value of [`WORKERS`] grows.
    pub const SPAWNED: &str = "mw.spawned";
    /// The same as [`WORKERS`], as programs with their own loop expose it.
    pub const OWN_WORKERS: &str = "NW";
}

/// A tuning point as a rank declared it.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Rank that offers it.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// Whether it takes whole numbers only.
    pub whole: bool,
    /// Smallest and largest value allowed.
    pub range: (f64, f64),
    /// Value now, as far as known.
    pub value: f64,
    /// Value when it was declared.
    pub declared: f64,
}
