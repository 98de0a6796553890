//! A person's hand on a running job: what can be asked for, what waits, what is held, and what came of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use midrun_tunlets::Value;

use crate::ids::AskId;
use crate::job::Assigned;
use crate::limits;
use crate::summary::push;

/// What a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// A tuning point is set, on one rank or on all that have it, and held.
    Set {
        /// Its name.
        point: String,
        /// The value as it was written.
        value: String,
        /// Where; everywhere without it.
        rank: Option<u32>,
        /// On all of them in one and the same iteration, or on none.
        synchronized: bool,
        /// At the start of this iteration of each rank, or not at all.
        at_iteration: Option<u64>,
    },
    /// Tunlets decide nothing more.
    Freeze,
    /// The same, and the values at start come back.
    Pause,
    /// Tunlets go on.
    Resume,
}

impl Control {
    /// The word for it.
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

/// A value that was to change in a rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The rank.
    pub rank: u32,
    /// The tuning point.
    pub tuning_point: String,
    /// Value before.
    pub from: Value,
    /// Value asked for.
    pub to: Value,
    /// Iteration, or input, at whose safe point it was applied; null where it was not.
    pub applied_iteration: Option<u64>,
    /// Why it was not; null where it was.
    pub refused: Option<String>,
}

/// One control and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlLine {
    /// When it was taken up: seconds since the job's first sight.
    pub at_s: f64,
    /// set, freeze, pause or resume.
    pub control: &'static str,
    /// Everything asked for was applied.
    pub done: bool,
    /// What came of it, in one line.
    pub text: String,
    /// The values that were to change; the first ones where they are many.
    pub changes: Vec<Change>,
}

/// Who turned a tuning point last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turned {
    /// Name of the tunlet, or `user`.
    pub by: String,
    /// Why.
    pub why: String,
    /// Iteration, or input, at whose safe point.
    pub iteration: u64,
}

/// A control whose actions are on their way.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) ask: AskId,
    pub(crate) control: Control,
    pub(crate) at_s: f64,
    /// What is still to be sent, one after the other.
    pub(crate) rounds: VecDeque<Vec<Assigned>>,
    pub(crate) changes: Vec<Change>,
    /// Values that cannot be brought back, each with a reason.
    pub(crate) kept: Vec<String>,
}

/// All controls of a job. They are served one after the other, each when no action is in flight.
#[derive(Debug, Default)]
pub struct Controls {
    pub(crate) mode: Mode,
    pub(crate) waiting: VecDeque<(AskId, Control)>,
    pub(crate) active: Option<Active>,
    held: BTreeSet<(u32, String)>,
    turned: BTreeMap<(u32, String), Turned>,
    lines: VecDeque<ControlLine>,
}

impl Controls {
    /// Tunlets decide nothing.
    pub fn is_frozen(&self) -> bool {
        self.mode != Mode::Tuned
    }

    /// A control is on its way or waits.
    pub fn any_waits(&self) -> bool {
        self.active.is_some() || !self.waiting.is_empty()
    }

    /// Takes one more; false when too many wait.
    pub fn take(&mut self, ask: AskId, control: Control) -> bool {
        let fits = self.waiting.len() < limits::CONTROLS_PER_JOB;
        if fits {
            self.waiting.push_back((ask, control));
        }
        fits
    }

    /// Whether a person has set this point since the tunlets were let go on.
    pub fn holds(&self, rank: u32, point: &str) -> bool {
        // The key is built because a tuple of borrowed parts cannot be looked up; this is per decision.
        !self.held.is_empty() && self.held.contains(&(rank, point.to_owned()))
    }

    /// Tunlets leave the point alone from here on.
    pub fn hold(&mut self, rank: u32, point: &str) {
        self.held.insert((rank, point.to_owned()));
    }

    /// Tunlets may turn everything again.
    pub fn release(&mut self) -> usize {
        std::mem::take(&mut self.held).len()
    }

    /// A point was turned.
    pub fn on_turned(&mut self, rank: u32, point: &str, turned: Turned) {
        self.turned.insert((rank, point.to_owned()), turned);
    }

    /// Who turned the point last, if anybody.
    pub fn turned(&self, rank: u32, point: &str) -> Option<&Turned> {
        self.turned.get(&(rank, point.to_owned()))
    }

    /// One is over.
    pub fn on_over(&mut self, mut line: ControlLine) {
        line.changes.truncate(limits::LISTED_CHANGES);
        push(&mut self.lines, line, limits::LISTED_CONTROLS);
    }

    /// Those that are over, in order, for the summary.
    pub fn lines(&self) -> Vec<ControlLine> {
        self.lines.iter().cloned().collect()
    }
}
