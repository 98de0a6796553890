//! What can be turned: the tuning points that ranks offer.

use serde::Serialize;

/// Names of the tuning points that the Master/Worker framework declares in its master.
pub mod names {
    /// Distribution technique; value: the code of a [`midrun_scheduling::Technique`].
    pub const TECHNIQUE: &str = "mw.technique";
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
    /// Pattern of a pipeline's stages, a text: see [`midrun_scheduling::plan`].
    pub const PATTERN: &str = "pipe.pattern";

    /// Whether a tuning point is a framework's, which keeps its ranks in step by itself.
    pub fn of_framework(name: &str) -> bool {
        name.starts_with("mw.") || name.starts_with("pipe.")
    }
}

/// A value of a tuning point.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

/// A tuning point as a rank declared it.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPoint {
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
    /// Value now where it takes texts; `range` then is that of its bytes, and `value` says nothing.
    pub text: Option<String>,
}
