//! Actions of one job: ids that grow, one in flight at a time and rank, settled by the rank's answer or by time.

use std::collections::VecDeque;

use midrun_tunlets::Value;

use crate::ids::{ActionId, JobId};
use crate::input::{Action, ActionResult, ActionStatus, Phase};
use crate::limits;
use crate::summary::ActionCounts;

/// Who is behind an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A tunlet's decision, by its number.
    Decision(u64),
    /// A person.
    User,
}

impl By {
    /// The decision's number, if it was one.
    pub fn decision(self) -> Option<u64> {
        match self {
            By::Decision(number) => Some(number),
            By::User => None,
        }
    }
}

/// When an action is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Inside the running iteration.
    Now,
    /// Before the next one.
    NextIteration,
    /// At the start of this one, or not at all.
    Iteration(u64),
}

/// What is asked of a rank.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Who asks.
    pub by: By,
    /// The rank.
    pub rank: u32,
    /// (tuning point, new value).
    pub assignments: Vec<(String, Value)>,
    /// (tuning point, value before).
    pub restore: Vec<(String, Value)>,
    /// When.
    pub when: When,
    /// Time to live, milliseconds.
    pub ttl_ms: u64,
}

/// How an action ended.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The action.
    pub action: Action,
    /// Who was behind it.
    pub by: By,
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
    in_flight: Vec<(Action, By)>,
    given_up: VecDeque<(Action, By)>,
    /// For the summary.
    pub counts: ActionCounts,
}

impl Actions {
    /// None yet; ids follow `last`.
    pub fn new(last: u64) -> Actions {
        Actions { last, in_flight: Vec::new(), given_up: VecDeque::new(), counts: ActionCounts::default() }
    }

    /// The id of the last action made.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// An id for a round of a change on all ranks together.
    pub fn new_id(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The actions that wait for their answers.
    pub fn in_flight(&self) -> impl Iterator<Item = &Action> {
        self.in_flight.iter().map(|(action, _)| action)
    }

    /// Whether one waits for its answer.
    pub fn is_busy(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// The next action gets the id that it had in a recording.
    pub fn renumber(&mut self, id: ActionId) {
        self.last = id.0.saturating_sub(1);
    }

    /// Makes an action of it. The caller sees to it that none is in flight to this rank.
    pub fn start(&mut self, now: u64, job: &JobId, wanted: Wanted) -> Action {
        assert!(self.in_flight().all(|action| action.rank != wanted.rank), "one action in flight per rank");
        self.last += 1;
        self.counts.sent += 1;
        let ttl_ns = wanted.ttl_ms.min(limits::ACTION_TTL_MS) * 1_000_000;
        let action = Action {
            id: ActionId(self.last),
            job: job.clone(),
            rank: wanted.rank,
            assignments: wanted.assignments,
            restore: wanted.restore,
            at_once: wanted.when == When::Now,
            decided_ns: now,
            deadline_ns: now.saturating_add(ttl_ns),
            phase: match wanted.when {
                When::Iteration(iteration) => Phase::ApplyAt { iteration },
                When::Now | When::NextIteration => Phase::Apply,
            },
        };
        self.in_flight.push((action.clone(), wanted.by));
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
        self.last += 1;
        let deadline_ns = now.saturating_add(ttl_ms.min(limits::ACTION_TTL_MS) * 1_000_000);
        let (id, job) = (ActionId(self.last), job.clone());
        Action {
            id,
            job,
            rank,
            assignments,
            restore: Vec::new(),
            at_once: true,
            decided_ns: now,
            deadline_ns,
            phase: Phase::Apply,
        }
    }

    /// A rank answered. `None` for an answer to nothing we know: repeated, or to an earlier analyzer.
    pub fn on_result(&mut self, rank: u32, result: &ActionResult, clock_offset_ns: i64) -> Option<Settlement> {
        let asked = |action: &Action| action.id == result.action && action.rank == rank;
        let found = self.in_flight().position(asked);
        let (action, by, late) = if let Some(at) = found {
            let (action, by) = self.in_flight.remove(at);
            (action, by, false)
        } else {
            let at = self.given_up.iter().position(|(action, _)| asked(action))?;
            let (action, by) = self.given_up.remove(at)?;
            self.counts.expired -= 1;
            (action, by, true)
        };
        let mut latency_ms = None;
        match result.status {
            ActionStatus::Applied => {
                let here = i128::from(result.time_ns) + i128::from(clock_offset_ns);
                let latency = (here - i128::from(action.decided_ns)).max(0) as f64 / 1e6;
                latency_ms = Some(latency);
                self.counts.applied_at(latency);
            }
            ActionStatus::Expired | ActionStatus::NotReached => self.counts.expired += 1,
            _ => self.counts.refused += 1,
        }
        Some(Settlement { action, by, status: result.status, latency_ms, late })
    }

    /// Gives an action up whose answer is overdue; to be asked until there is none.
    pub fn on_time(&mut self, now: u64) -> Option<Settlement> {
        let grace_ns = limits::RESULT_GRACE_MS * 1_000_000;
        let at = self.in_flight().position(|action| now >= action.deadline_ns.saturating_add(grace_ns))?;
        Some(self.give_up(at, ActionStatus::Expired))
    }

    /// Gives the action in flight to `rank` up: nobody is left to answer.
    pub fn on_rank_left(&mut self, rank: u32) -> Option<Settlement> {
        let at = self.in_flight().position(|action| action.rank == rank)?;
        Some(self.give_up(at, ActionStatus::Undeliverable))
    }

    fn give_up(&mut self, at: usize, status: ActionStatus) -> Settlement {
        let (action, by) = self.in_flight.remove(at);
        self.counts.expired += 1;
        if self.given_up.len() >= limits::SETTLED_ACTIONS {
            self.given_up.pop_front();
        }
        self.given_up.push_back((action.clone(), by));
        Settlement { action, by, status, latency_ms: None, late: false }
    }
}
