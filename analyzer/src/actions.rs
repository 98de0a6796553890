//! Actions, their phases and their results.

#![allow(missing_docs)] // as in events.rs

use midrun_tunlets::Value;

use crate::ids::{ActionId, JobId};

/// Values that one rank is asked to take over: (rank, (tuning point, new value)).
pub type Assigned = (u32, Vec<(String, Value)>);

/// The result of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionResult {
    pub action: ActionId,
    pub status: ActionStatus,
    pub iteration: u64,
    /// Host's time, nanoseconds.
    pub time_ns: u64,
    pub register: u64,
}

/// Status of an action that a rank or its agent settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionStatus {
    Applied,
    RefusedRange,
    RefusedUnknown,
    RefusedStale,
    Expired,
    Undeliverable,
    Prepared,
    PreCommitted,
    Aborted,
    Committed,
    Busy,
    Past,
    RefusedApart,
    NotReached,
    RefusedAlone,
}

impl ActionStatus {
    /// The status as a phrase.
    pub fn as_str(self) -> &'static str {
        match self {
            ActionStatus::Applied => "applied",
            ActionStatus::RefusedRange => "refused: the value is out of the tuning point's range",
            ActionStatus::RefusedUnknown => "refused: the rank has no such tuning point",
            ActionStatus::RefusedStale => "refused: a newer action was applied already",
            ActionStatus::Expired => "expired: no safe point was reached in time",
            ActionStatus::Undeliverable => "not delivered: the rank has ended or takes no commands",
            ActionStatus::Prepared => "prepared",
            ActionStatus::PreCommitted => "pre-committed",
            ActionStatus::Aborted => "aborted on all ranks",
            ActionStatus::Committed => "committed",
            ActionStatus::Busy => "busy with an earlier change",
            ActionStatus::Past => "refused: the rank has begun that iteration already",
            ActionStatus::RefusedApart => "refused: its values are set at different safe points",
            ActionStatus::NotReached => "expired: the iteration or function that it waits for did not come in time",
            ActionStatus::RefusedAlone => {
                "refused: all ranks change it together: `midrun set … --synchronized`, or `synchronized` behind the values of --search"
            }
        }
    }
}

/// The step that a rank takes for an action; see `midrun_agreement`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Apply it by itself.
    Apply,
    /// The same at the start of this iteration, or not at all.
    ApplyAt {
        iteration: u64,
    },
    Prepare,
    PreCommit {
        at: u64,
    },
    Commit,
    Committed,
}

/// A change on its way to a rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub id: ActionId,
    pub job: JobId,
    pub rank: u32,
    /// (tuning point, new value).
    pub assignments: Vec<(String, Value)>,
    /// Inside the running iteration, else before the next one.
    pub at_once: bool,
    /// Analyzer's CLOCK_MONOTONIC, nanoseconds.
    pub decided_ns: u64,
    /// After this it must not be applied any more, analyzer's CLOCK_MONOTONIC, nanoseconds.
    pub deadline_ns: u64,
    pub phase: Phase,
}
