//! Actions to the wire, their results from it.

use midrun_proto::v1::{self, to_agent};
use midrun_tunlets::Value;

use crate::actions::{Action, ActionResult, ActionStatus, Phase};
use crate::events::Event;
use crate::ids::ActionId;

/// The result of an action; `None` for an unknown status.
pub(super) fn result(wire: v1::ActionResult) -> Option<Event> {
    let status = status(v1::ActionStatus::try_from(wire.status).ok()?)?;
    let v1::ActionResult { action, iteration, time_ns, register, .. } = wire;
    Some(Event::ActionSettled(ActionResult { action: ActionId(action), status, iteration, time_ns, register }))
}

fn status(wire: v1::ActionStatus) -> Option<ActionStatus> {
    Some(match wire {
        v1::ActionStatus::Unspecified => return None,
        v1::ActionStatus::Applied => ActionStatus::Applied,
        v1::ActionStatus::RefusedRange => ActionStatus::RefusedRange,
        v1::ActionStatus::RefusedUnknown => ActionStatus::RefusedUnknown,
        v1::ActionStatus::RefusedStale => ActionStatus::RefusedStale,
        v1::ActionStatus::Expired => ActionStatus::Expired,
        v1::ActionStatus::Undeliverable => ActionStatus::Undeliverable,
        v1::ActionStatus::Prepared => ActionStatus::Prepared,
        v1::ActionStatus::PreCommitted => ActionStatus::PreCommitted,
        v1::ActionStatus::Aborted => ActionStatus::Aborted,
        v1::ActionStatus::Committed => ActionStatus::Committed,
        v1::ActionStatus::Busy => ActionStatus::Busy,
        v1::ActionStatus::Past => ActionStatus::Past,
        v1::ActionStatus::RefusedApart => ActionStatus::RefusedApart,
        v1::ActionStatus::NotReached => ActionStatus::NotReached,
        v1::ActionStatus::RefusedAlone => ActionStatus::RefusedAlone,
    })
}

/// An action, sent at `now` (nanoseconds): what is left of its life goes with it.
pub fn action(now: u64, action: Action) -> v1::ToAgent {
    super::to_agent(to_agent::Message::Action(sent_at(now, action)))
}

/// The same without the message around it.
pub fn sent_at(now: u64, action: Action) -> v1::Action {
    let assignment = |(tuning_point, value)| {
        let value = match value {
            Value::Number(number) => v1::assignment::Value::Number(number),
            Value::Text(text) => v1::assignment::Value::Text(text),
        };
        v1::Assignment { tuning_point, value: Some(value) }
    };
    let when = match action.phase {
        Phase::ApplyAt { .. } => v1::When::Iteration,
        _ if action.at_once => v1::When::Now,
        _ => v1::When::IterationStart,
    };
    let (phase, at) = match action.phase {
        Phase::Apply => (v1::Phase::Unspecified, 0),
        Phase::ApplyAt { iteration } => (v1::Phase::Unspecified, iteration),
        Phase::Prepare => (v1::Phase::Prepare, 0),
        Phase::PreCommit { at } => (v1::Phase::PreCommit, at),
        Phase::Commit => (v1::Phase::Commit, 0),
        Phase::Committed => (v1::Phase::Committed, 0),
    };
    v1::Action {
        id: action.id.0,
        rank: Some(v1::RankId { job: action.job.to_string(), rank: action.rank }),
        assignments: action.assignments.into_iter().map(assignment).collect(),
        when: when.into(),
        time_to_live_ms: action.deadline_ns.saturating_sub(now) / 1_000_000,
        decided_ns: action.decided_ns,
        phase: phase.into(),
        at,
    }
}
