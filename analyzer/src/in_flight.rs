//! Actions in flight: ids that grow, at most one action per rank, settled by the rank's answer or by time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use midrun_tunlets::Value;
use serde::Serialize;

use crate::actions::{Action, ActionResult, ActionStatus, Phase};
use crate::events::HostClock;
use crate::ids::{ActionId, JobId};
use crate::limits;

/// Counts of actions by their outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ActionCounts {
    /// Sent to agents.
    pub sent: u64,
    /// Applied at a safe point.
    pub applied: u64,
    /// Refused by the rank.
    pub refused: u64,
    /// Not applied before their deadline.
    pub expired: u64,
    /// Not delivered: the rank had ended, or takes no commands.
    pub undelivered: u64,
    /// From the decision to the safe point that applied it, milliseconds, in order.
    pub latency_ms: VecDeque<f64>,
    /// By how much each may be off because the clocks of analyzer and host are known so well, milliseconds; null where they were not
    /// compared.
    pub latency_error_ms: VecDeque<Option<f64>>,
}

/// Nanoseconds as milliseconds.
fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

impl ActionCounts {
    /// The count of actions that ended so; those applied are counted by [`ActionCounts::applied_at`].
    fn unapplied(&mut self, status: ActionStatus) -> &mut u64 {
        match status {
            ActionStatus::Expired | ActionStatus::NotReached => &mut self.expired,
            ActionStatus::Undeliverable => &mut self.undelivered,
            _ => &mut self.refused,
        }
    }

    /// One more was applied, so long after its decision.
    pub(crate) fn applied_at(&mut self, latency_ms: f64, error_ns: Option<u64>) {
        self.applied += 1;
        limits::push(&mut self.latency_ms, latency_ms, limits::LISTED_LATENCIES);
        limits::push(&mut self.latency_error_ms, error_ns.map(ms), limits::LISTED_LATENCIES);
    }
}

/// The origin of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A tunlet's decision, by its number.
    Decision(u64),
    /// A person.
    User,
    /// The start that an earlier run gave.
    Start,
}

impl By {
    /// The decision's number, if it was one.
    pub fn decision(self) -> Option<u64> {
        match self {
            By::Decision(number) => Some(number),
            By::User | By::Start => None,
        }
    }
}

/// The time at which an action is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Inside the running iteration.
    Now,
    /// Before the next one.
    NextIteration,
    /// At the start of this one, or not at all.
    Iteration(u64),
}

/// A change that a rank is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its origin.
    pub by: By,
    /// The rank.
    pub rank: u32,
    /// (tuning point, new value).
    pub assignments: Vec<(String, Value)>,
    /// Its time.
    pub when: When,
    /// Time to live, milliseconds.
    pub ttl_ms: u64,
}

/// The end of an action.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The action.
    pub action: Action,
    /// Its origin.
    pub by: By,
    /// Its status.
    pub status: ActionStatus,
    /// From the decision to the safe point, milliseconds, where it was applied.
    pub latency_ms: Option<f64>,
    /// By how much that may be off, milliseconds, where the clocks were compared.
    pub latency_error_ms: Option<f64>,
    /// The action was given up before: only its values count.
    pub late: bool,
}

/// The actions of one job that wait for their answers.
#[derive(Debug)]
pub struct InFlight {
    last: u64,
    waiting: BTreeMap<ActionId, (Action, By)>,
    by_rank: BTreeMap<u32, ActionId>,
    deadlines_ns: BTreeSet<(u64, ActionId)>,
    /// Before this time, no answer is overdue.
    awaited_ns: u64,
    // Settled without an answer, which may still come.
    given_up: VecDeque<(Action, By, ActionStatus)>,
    /// For the summary.
    pub counts: ActionCounts,
}

impl InFlight {
    /// None yet; ids follow `last`.
    pub fn new(last: u64) -> InFlight {
        InFlight {
            last,
            waiting: BTreeMap::new(),
            by_rank: BTreeMap::new(),
            deadlines_ns: BTreeSet::new(),
            awaited_ns: 0,
            given_up: VecDeque::new(),
            counts: ActionCounts::default(),
        }
    }

    /// The id of the last action made.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Ids from now on follow this one, too.
    pub fn on_last_action(&mut self, action: u64) {
        self.last = self.last.max(action);
    }

    /// An id for a round of a synchronized change.
    pub fn new_id(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// All actions that wait for their answers, oldest first.
    pub fn all(&self) -> impl Iterator<Item = &Action> {
        limits::walks(self.waiting.len());
        self.waiting.values().map(|(action, _)| action)
    }

    /// Number of actions that wait for their answers.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits for its answer.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether this action waits for its answer.
    pub fn contains(&self, id: ActionId) -> bool {
        self.waiting.contains_key(&id)
    }

    /// Gives the next action the id that it had in a recording.
    pub fn renumber(&mut self, id: ActionId) {
        self.last = id.0.saturating_sub(1);
    }

    /// Answers may come until this time, whatever the deadlines: nobody could hear them before.
    pub fn await_until(&mut self, ns: u64) {
        self.awaited_ns = self.awaited_ns.max(ns);
    }

    /// Makes an action of a request. The caller sees to it that none is in flight to this rank.
    pub fn start(&mut self, now: u64, job: &JobId, request: Request) -> Action {
        assert!(!self.by_rank.contains_key(&request.rank), "one action in flight per rank");
        self.counts.sent += 1;
        let phase = match request.when {
            When::Iteration(iteration) => Phase::ApplyAt { iteration },
            When::Now | When::NextIteration => Phase::Apply,
        };
        let action = Action {
            at_once: request.when == When::Now,
            phase,
            ..self.aside(now, job, request.rank, request.assignments, request.ttl_ms)
        };
        self.by_rank.insert(action.rank, action.id);
        self.deadlines_ns.insert((action.deadline_ns, action.id));
        self.waiting.insert(action.id, (action.clone(), request.by));
        action
    }

    /// Makes an action that no decision is behind: others may be in flight, and its answer settles nothing.
    pub fn aside(
        &mut self,
        now: u64,
        job: &JobId,
        rank: u32,
        assignments: Vec<(String, Value)>,
        ttl_ms: u64,
    ) -> Action {
        Action {
            id: ActionId(self.new_id()),
            job: job.clone(),
            rank,
            assignments,
            at_once: true,
            decided_ns: now,
            deadline_ns: now.saturating_add(ttl_ms.min(limits::ACTION_TTL_MS) * 1_000_000),
            phase: Phase::Apply,
        }
    }

    /// A rank answered. `None` for an answer to no known action: a repeated one, or one to an earlier analyzer.
    pub fn on_result(&mut self, rank: u32, result: &ActionResult, clock: HostClock) -> Option<Settlement> {
        let in_flight = self.by_rank.get(&rank) == Some(&result.action);
        let (action, by) = if in_flight {
            self.remove(result.action)?
        } else {
            let asked = |(action, ..): &(Action, By, ActionStatus)| action.id == result.action && action.rank == rank;
            let at = self.given_up.iter().position(asked)?;
            let (action, by, status) = self.given_up.remove(at)?;
            *self.counts.unapplied(status) -= 1;
            (action, by)
        };
        let (mut latency_ms, mut latency_error_ms) = (None, None);
        match result.status {
            ActionStatus::Applied => {
                let here = i128::from(result.time_ns) + i128::from(clock.offset_ns);
                let latency = (here - i128::from(action.decided_ns)).max(0) as f64 / 1e6;
                (latency_ms, latency_error_ms) = (Some(latency), clock.error_ns.map(ms));
                self.counts.applied_at(latency, clock.error_ns);
            }
            status => *self.counts.unapplied(status) += 1,
        }
        Some(Settlement { action, by, status: result.status, latency_ms, latency_error_ms, late: !in_flight })
    }

    /// Settles the action whose answer is longest overdue; to be asked until there is none.
    pub fn on_time(&mut self, now: u64) -> Option<Settlement> {
        let (deadline_ns, id) = *self.deadlines_ns.first()?;
        let overdue = now >= deadline_ns.max(self.awaited_ns).saturating_add(limits::RESULT_GRACE_MS * 1_000_000);
        if overdue { self.give_up(id, ActionStatus::Expired) } else { None }
    }

    /// Settles the action in flight to `rank`: nobody is left to answer.
    pub fn on_rank_left(&mut self, rank: u32) -> Option<Settlement> {
        self.give_up(*self.by_rank.get(&rank)?, ActionStatus::Undeliverable)
    }

    fn give_up(&mut self, id: ActionId, status: ActionStatus) -> Option<Settlement> {
        let (action, by) = self.remove(id)?;
        *self.counts.unapplied(status) += 1;
        limits::push(&mut self.given_up, (action.clone(), by, status), limits::SETTLED_ACTIONS);
        Some(Settlement { action, by, status, latency_ms: None, latency_error_ms: None, late: false })
    }

    fn remove(&mut self, id: ActionId) -> Option<(Action, By)> {
        let (action, by) = self.waiting.remove(&id)?;
        self.by_rank.remove(&action.rank);
        self.deadlines_ns.remove(&(action.deadline_ns, id));
        Some((action, by))
    }
}
