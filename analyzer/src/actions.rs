//! Actions of one job: ids that grow, one in flight at a time, settled by the rank's answer or by time.

use std::collections::VecDeque;

use midrun_tunlets::Value;

use crate::ids::{ActionId, JobId};
use crate::input::{Action, ActionResult, ActionStatus};
use crate::limits;
use crate::summary::ActionCounts;

/// What is asked of a rank.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Number of the decision behind it.
    pub decision: u64,
    /// The rank.
    pub rank: u32,
    /// (knob, new value).
    pub assignments: Vec<(String, Value)>,
    /// (knob, value before).
    pub restore: Vec<(String, Value)>,
    /// Inside the running iteration.
    pub at_once: bool,
    /// Time to live, milliseconds.
    pub ttl_ms: u64,
}

/// How an action ended.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The action.
    pub action: Action,
    /// Number of the decision behind it.
    pub decision: u64,
    /// How.
    pub status: ActionStatus,
    /// From the decision to the safe point, milliseconds, where it was applied.
    pub latency_ms: Option<f64>,
    /// It had been given up before: only the values count.
    pub late: bool,
}

/// All actions of a job.
#[derive(Debug)]
pub struct Actions {
    last: u64,
    in_flight: Option<(Action, u64)>,
    given_up: VecDeque<(Action, u64)>,
    /// For the summary.
    pub counts: ActionCounts,
}

impl Actions {
    /// None yet; ids follow `last`.
    pub fn new(last: u64) -> Actions {
        Actions { last, in_flight: None, given_up: VecDeque::new(), counts: ActionCounts::default() }
    }

    /// The id of the last action made.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The action that waits for its answer.
    pub fn in_flight(&self) -> Option<&Action> {
        self.in_flight.as_ref().map(|(action, _)| action)
    }

    /// Makes an action of it. The caller sees to it that none is in flight.
    pub fn start(&mut self, now: u64, job: &JobId, wanted: Wanted) -> Action {
        assert!(self.in_flight.is_none(), "one action in flight per job");
        self.last += 1;
        self.counts.sent += 1;
        let ttl_ns = wanted.ttl_ms.min(limits::ACTION_TTL_MS) * 1_000_000;
        let action = Action {
            id: ActionId(self.last),
            job: job.clone(),
            rank: wanted.rank,
            assignments: wanted.assignments,
            restore: wanted.restore,
            at_once: wanted.at_once,
            decided_ns: now,
            deadline_ns: now.saturating_add(ttl_ns),
        };
        self.in_flight = Some((action.clone(), wanted.decision));
        action
    }

    /// A rank answered. `None` for an answer to nothing we know: repeated, or to an earlier analyzer.
    pub fn on_result(&mut self, rank: u32, result: &ActionResult, clock_offset_ns: i64) -> Option<Settlement> {
        let asked = |action: &Action| action.id == result.action && action.rank == rank;
        let (action, decision, late) = if self.in_flight().is_some_and(asked) {
            let (action, decision) = self.in_flight.take()?;
            (action, decision, false)
        } else {
            let at = self.given_up.iter().position(|(action, _)| asked(action))?;
            let (action, decision) = self.given_up.remove(at)?;
            self.counts.expired -= 1;
            (action, decision, true)
        };
        let mut latency_ms = None;
        match result.status {
            ActionStatus::Applied => {
                self.counts.applied += 1;
                let here = i128::from(result.time_ns) + i128::from(clock_offset_ns);
                let latency = (here - i128::from(action.decided_ns)).max(0) as f64 / 1e6;
                latency_ms = Some(latency);
                if self.counts.latency_ms.len() >= limits::LISTED_LATENCIES {
                    self.counts.latency_ms.pop_front();
                }
                self.counts.latency_ms.push_back(latency);
            }
            ActionStatus::Expired => self.counts.expired += 1,
            _ => self.counts.refused += 1,
        }
        Some(Settlement { action, decision, status: result.status, latency_ms, late })
    }

    /// Gives the action in flight up when its answer is overdue.
    pub fn on_time(&mut self, now: u64) -> Option<Settlement> {
        let grace_ns = limits::RESULT_GRACE_MS * 1_000_000;
        if now < self.in_flight()?.deadline_ns.saturating_add(grace_ns) {
            return None;
        }
        self.give_up(ActionStatus::Expired)
    }

    /// Gives the action in flight up: nobody is left to answer.
    pub fn give_up(&mut self, status: ActionStatus) -> Option<Settlement> {
        let (action, decision) = self.in_flight.take()?;
        self.counts.expired += 1;
        if self.given_up.len() >= limits::SETTLED_ACTIONS {
            self.given_up.pop_front();
        }
        self.given_up.push_back((action.clone(), decision));
        Some(Settlement { action, decision, status, latency_ms: None, late: false })
    }
}
