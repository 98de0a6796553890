//! What a tunlet asks for, and what came of it.

use crate::tuning_point::Value;
use std::borrow::Cow;

/// Values that one action can carry, at most.
pub const ASSIGNMENTS: usize = 6;

/// New values for tuning points of one rank, taken over together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Name of the tunlet.
    pub tunlet: Cow<'static, str>,
    /// Iteration, or number, of the window that led to it.
    pub iteration: u64,
    /// Rank whose tuning points are turned.
    pub rank: u32,
    /// (tuning point name, new value).
    pub assignments: Vec<(String, Value)>,
    /// Tuning point as people call it, for the log: `technique`, `factor`.
    pub tuning_point: String,
    /// Value before, for people: `dpf(0.5)`.
    pub from: String,
    /// Value proposed, for people: `daf(mu=2.01ms sigma=1.6ms)`.
    pub to: String,
    /// One sentence with the inputs: why.
    pub why: String,
    /// Iteration time, or time between two outputs, that the model expects with the new values, seconds.
    pub predicted_s: f64,
    /// Half the width of the interval in which it is expected to be measured, as a share of it; 0: not known.
    pub uncertainty: f64,
    /// The same if nothing is changed.
    pub unchanged_s: f64,
    /// Apply inside the running iteration (else before the next one's first hand-out).
    pub at_once: bool,
}

/// What a decision turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not judged yet.
    Open,
    /// Measured within the model's interval, or better than before: kept.
    Kept,
    /// Measured by a search, which has a better value or goes on looking.
    Tried,
    /// Measured worse than before: former values proposed again.
    RolledBack,
    /// `--dry-run`: written down, never sent.
    Advised,
    /// The rank refused it, or it expired, or could not be delivered.
    NotApplied,
}

impl Verdict {
    /// The word used in logs and summaries.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Open => "open",
            Verdict::Kept => "kept",
            Verdict::Tried => "tried",
            Verdict::RolledBack => "rolled-back",
            Verdict::Advised => "advised",
            Verdict::NotApplied => "not-applied",
        }
    }
}

/// Told to the tunlet once a proposal of its own is settled by the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Applied at the safe point of this iteration.
    Applied {
        /// Iteration at whose safe point it was applied.
        iteration: u64,
    },
    /// Refused, expired or undeliverable; the old values stand.
    NotApplied,
}

/// What a tunlet says about an earlier decision of its own after looking at later windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Index of the decision (as given to [`crate::Tunlet::on_settled`]).
    pub decision: u64,
    /// Iteration time measured since, seconds (median of the windows looked at).
    pub measured_s: f64,
    /// What it means.
    pub verdict: Verdict,
}
