//! Proposals, their outcomes, and judgements on them.

use crate::tuning_point::Value;
use std::borrow::Cow;

pub use midrun_vocabulary::bounds::ASSIGNMENTS;

/// New values for tuning points. Each rank applies all of them or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposal {
    /// Name of the tunlet.
    pub tunlet: Cow<'static, str>,
    /// Iteration, or number, of the window that led to it; the iteration that it ends, where it leaves values while that runs.
    pub iteration: u64,
    /// Ranks that are to apply the assignments; at least one.
    pub ranks: Vec<u32>,
    /// All ranks apply the assignments in the same iteration, or none does. Requires a program whose ranks all mark their
    /// iterations. Otherwise each rank applies them at its own safe point.
    pub synchronized: bool,
    /// (tuning point name, new value).
    pub assignments: Vec<(String, Value)>,
    /// Name of the tuning point in the log: `technique`, `factor`.
    pub tuning_point: String,
    /// Value before, in the log: `dpf(0.5)`.
    pub from: String,
    /// Value proposed, in the log: `daf(mu=2.01ms sigma=1.6ms)`.
    pub to: String,
    /// Reason with its inputs, in one sentence.
    pub why: String,
    /// What it was preferred to, in one clause; empty where nothing else was proposed. A tunlet leaves it so.
    pub rather_than: String,
    /// Iteration time, or time between two outputs, that the model predicts with the new values, seconds; NaN if unknown.
    pub predicted_s: f64,
    /// Half the width of the interval around the prediction, as a share of it; 0 if unknown.
    pub uncertainty: f64,
    /// Time that the model predicts without the change, seconds; NaN if unknown.
    pub unchanged_s: f64,
    /// Expected gain of the objective, as a share, and half the width of its interval at the confidence level: what is expected with and
    /// without the change has most of its errors in common.
    pub gain: Option<(f64, f64)>,
    /// The gain is that over all kinds of iterations, the times are those of the present kind.
    pub over_kinds: bool,
    /// Where several tunlets propose in one round, the proposal worth most goes out.
    pub worth: Worth,
    /// Its times are those of a unit of progress.
    pub per_progress: bool,
    /// A search sets the values to measure them, whether they are expected to be better or not.
    pub trial: bool,
    /// Apply inside the running iteration, not before the next one's first chunk.
    pub at_once: bool,
}

impl Proposal {
    /// Why it is made, and rather than what.
    pub fn reason(&self) -> String {
        let and = if self.rather_than.is_empty() { "" } else { "; " };
        format!("{}{and}{}", self.why, self.rather_than)
    }
}

/// What a proposal is worth beside others of the same round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Worth {
    /// Nobody knows: it goes behind those whose worth is known, and behind each of them once at most.
    #[default]
    Unknown,
    /// So many seconds are expected to be saved in what is to come of the run, of the iterations that the proposal is about. A gain of another
    /// objective counts as the same share of the time.
    Seconds(f64),
    /// It goes first: each window without it costs (back to what measured better), or the user asked for it.
    Due,
}

/// What became of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not judged yet.
    Open,
    /// Better than before, more likely than not, or not to be compared: kept.
    Kept,
    /// Measured by a search, which knows a better value or continues.
    Tried,
    /// Left by a search while an iteration ran with it, which had taken too long: what it measured is no iteration's time, but what had passed.
    Left,
    /// Measured worse than before: the former values are proposed again.
    RolledBack,
    /// `--dry-run`: recorded, never sent.
    Advised,
    /// The rank refused it, or it expired, or could not be delivered, or something else was set instead before it could be judged.
    NotApplied,
}

impl Verdict {
    /// The word used in logs and summaries.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Open => "open",
            Verdict::Kept => "kept",
            Verdict::Tried => "tried",
            Verdict::Left => "left",
            Verdict::RolledBack => "rolled-back",
            Verdict::Advised => "advised",
            Verdict::NotApplied => "not-applied",
        }
    }
}

/// Outcome of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// All ranks applied it.
    Applied {
        /// Iteration at whose safe point it was applied.
        iteration: u64,
    },
    /// Refused, expired or undeliverable; the old values stand.
    NotApplied {
        /// Reason, if it is known.
        why: Option<String>,
    },
}

/// A tunlet's judgement on an earlier decision of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Number of the decision, as given to [`crate::Tunlet::on_settled`].
    pub decision: u64,
    /// Iteration time measured since, seconds (median over the windows).
    pub measured_s: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// Where neither setting is surely the better one: how far they may lie apart, as a share of the cost.
    pub apart: Option<f64>,
    /// Where ranks had no core for so different shares of the time that this is what makes the verdict uncertain most: these shares before the change and with it.
    pub run_delays: Option<(f64, f64)>,
}

impl Judgement {
    /// A judgement that nothing more is to be said of.
    pub fn new(decision: u64, measured_s: f64, verdict: Verdict) -> Judgement {
        Judgement { decision, measured_s, verdict, apart: None, run_delays: None }
    }
}
