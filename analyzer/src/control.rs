//! Manual overrides of a running job: the requests, and the line of each outcome.

use midrun_tunlets::Value;
use serde::Serialize;

/// A person's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// Set a tuning point, on one rank or on all that have it; tunlets leave it alone from then on.
    Set {
        /// Its name.
        point: String,
        /// The value as the person wrote it.
        value: String,
        /// The only rank to set it on; `None` for all that have it.
        rank: Option<u32>,
        /// On all of them in one and the same iteration, or on none.
        synchronized: bool,
        /// At the start of this iteration of each rank, or not at all.
        at_iteration: Option<u64>,
    },
    /// Stop deciding; values stay.
    Freeze,
    /// Stop deciding; the values at start come back.
    Pause,
    /// Decide again.
    Resume,
}

impl Control {
    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Control::Set { .. } => "set",
            Control::Freeze => "freeze",
            Control::Pause => "pause",
            Control::Resume => "resume",
        }
    }
}

/// Whether tunlets decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// They do.
    #[default]
    Tuned,
    /// They do not; values stay.
    Frozen,
    /// They do not; the values at start came back.
    Paused,
}

impl Mode {
    /// Its name in a status and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Tuned => "tuned",
            Mode::Frozen => "frozen",
            Mode::Paused => "paused",
        }
    }

    /// The mode of a name.
    pub fn parse(name: &str) -> Option<Mode> {
        [Mode::Tuned, Mode::Frozen, Mode::Paused].into_iter().find(|mode| mode.name() == name)
    }
}

/// A value that was to change in a rank.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// The rank.
    pub rank: u32,
    /// The tuning point.
    pub tuning_point: String,
    /// Value before.
    pub from: Value,
    /// Value asked for.
    pub to: Value,
    /// Whether the rank has the value.
    pub applied: bool,
    /// Iteration, or input, at whose safe point it was applied; null where it was not, or where the program has no iterations.
    pub applied_iteration: Option<u64>,
    /// Reason of a refusal; null where it was applied.
    pub refused: Option<String>,
}

/// A manual override that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ControlLine {
    /// When it was taken up: seconds since the job's first sight.
    pub at_s: f64,
    /// set, freeze, pause or resume.
    pub control: &'static str,
    /// Everything asked for was applied.
    pub done: bool,
    /// The outcome in one sentence.
    pub text: String,
    /// The values that were to change; the first ones where they are many.
    pub changes: Vec<Change>,
}

/// The last change of a tuning point.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Turned {
    /// Name of the tunlet, or `user`.
    pub by: String,
    /// Its reason.
    pub why: String,
    /// Iteration, or input, at whose safe point; null where the program has no iterations.
    pub iteration: Option<u64>,
}
