//! Dispatches actions to ranks: to one, to a group that is awaited together, or to all in one iteration.

use std::collections::BTreeMap;

use serde_json::json;

use super::membership::Roster;
use super::replay::Recorded;
use super::synchronized::{self, Outcome, Synchronizer};
use crate::actions::{Action, ActionResult, ActionStatus, Assigned, Phase};
use crate::context::Ctx;
use crate::events::HostClock;
use crate::ids::{AgentId, LinkId};
use crate::in_flight::{ActionCounts, By, InFlight, Request, Settlement, When};
use crate::limits;

/// The actions of one decision or override, which are awaited together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Who is behind them.
    pub(super) by: By,
    awaited: usize,
    /// Those that were settled, each with the iteration at whose safe point it was.
    pub(super) settled: Vec<(Settlement, Option<u64>)>,
}

impl Group {
    /// The last iteration at whose safe point one of them was settled.
    pub(super) fn iteration(&self) -> u64 {
        self.settled.iter().filter_map(|(_, iteration)| *iteration).max().unwrap_or(0)
    }

    /// Whether one was not applied.
    pub(super) fn has_failed(&self) -> bool {
        self.settled.iter().any(|(settlement, _)| settlement.status != ActionStatus::Applied)
    }
}

/// The action that a rank answered.
pub(super) enum Answered {
    /// An action that was in flight, or had been given up.
    Action(Settlement),
    /// A synchronized change; these values are now known to be in force.
    Synchronized(Vec<Assigned>),
    /// An action of the recorded analyzer that the replay did not decide, and that the rank applied.
    Recorded(Action),
    /// No known action.
    Unknown,
}

/// All that is on its way to the ranks of a job.
#[derive(Debug)]
pub(super) struct Dispatcher {
    in_flight: InFlight,
    group: Option<Group>,
    synchronizer: Synchronizer,
    recorded: Option<Recorded>,
    /// Least time to live, milliseconds.
    ttl_ms: u64,
    started_ns: u64,
    /// Newest iteration of each master, or window of the streams, which tells none, and how long it took, seconds.
    pace: BTreeMap<Option<u32>, (Option<u64>, f64)>,
}

impl Dispatcher {
    /// Nothing sent yet; ids of actions follow `last_action`.
    pub(super) fn new(started_ns: u64, ttl_ms: u64, last_action: u64) -> Dispatcher {
        Dispatcher {
            in_flight: InFlight::new(last_action),
            group: None,
            synchronizer: Synchronizer::new(),
            recorded: None,
            ttl_ms,
            started_ns,
            pace: BTreeMap::new(),
        }
    }

    /// The id of the last action made.
    pub(super) fn last_action(&self) -> u64 {
        self.in_flight.last()
    }

    /// A rank knows of this action, perhaps of an analyzer before: those to come must be newer.
    pub(super) fn on_last_action(&mut self, action: u64) {
        self.in_flight.on_last_action(action);
    }

    /// Counts for the summary.
    pub(super) fn counts(&self) -> &ActionCounts {
        &self.in_flight.counts
    }

    /// Changes on their way to ranks: actions, and a synchronized change as one.
    pub(super) fn on_their_way(&self) -> usize {
        self.in_flight.len() + usize::from(self.synchronizer.is_busy())
    }

    /// A change is on its way to ranks: no other one may begin.
    pub(super) fn is_busy(&self) -> bool {
        self.on_their_way() > 0
    }

    /// An iteration of `master`, or a window of a stream, took so long: actions live three times as long.
    pub(super) fn on_measured(&mut self, master: Option<u32>, iteration: Option<u64>, seconds: f64) {
        let (last, last_s) = self.pace.entry(master).or_default();
        (*last, *last_s) = (iteration.or(*last), seconds);
    }

    /// The longest of the newest iterations and windows, seconds.
    fn longest_s(&self) -> f64 {
        self.pace.values().map(|(_, seconds)| *seconds).fold(0.0, f64::max)
    }

    /// Three times as long as the change should take, so that a long iteration does not let every action expire.
    fn life_ms(&self, now: u64, when: When) -> u64 {
        let until_s = match when {
            // What the program does between two iterations takes time, too.
            When::Iteration(iteration) => {
                let run_s = now.saturating_sub(self.started_ns) as f64 / 1e9;
                let until_s = |(last, last_s): &(Option<u64>, f64)| {
                    let last = last.unwrap_or(0);
                    (run_s / (last + 1) as f64).max(*last_s) * iteration.saturating_sub(last).max(1) as f64
                };
                self.pace.values().chain(self.pace.is_empty().then_some(&(None, 0.0))).map(until_s).fold(0.0, f64::max)
            }
            When::Now | When::NextIteration => self.longest_s(),
        };
        self.ttl_ms.max((until_s * 3e3) as u64)
    }

    /// Whether an action for the start of this iteration may be on its way now: a rank keeps one action that waits, so until then others go
    /// first. It is time in the iteration before, and where iterations are so short that the action lives long enough.
    pub(super) fn is_near(&self, now: u64, iteration: u64) -> bool {
        // Inputs of a stream are drawn ahead of what is measured of them.
        let next = |(last, _): &(Option<u64>, f64)| last.is_none_or(|last| iteration <= last.saturating_add(2));
        let is_next = self.pace.values().any(next) || (self.pace.is_empty() && iteration <= 1);
        is_next || self.life_ms(now, When::Iteration(iteration)) <= self.ttl_ms
    }

    /// Sends what is asked of some ranks, each of which can be reached.
    pub(super) fn dispatch(&mut self, ctx: &mut Ctx<'_>, by: By, assigned: Vec<Assigned>, when: When, roster: &Roster) {
        self.group = Some(Group { by, awaited: assigned.len(), settled: Vec::new() });
        let ttl_ms = self.life_ms(ctx.now, when);
        for (rank, assignments) in assigned {
            let Some(link) = roster.members.link_of(rank, ctx.links) else { continue };
            let request = Request { by, rank, assignments, when, ttl_ms };
            let action = self.in_flight.start(ctx.now, &ctx.job, request);
            ctx.journal(json!({
                "event": "action", "job": action.job.as_str(), "action": action.id.0, "rank": action.rank,
                "assignments": action.assignments, "at_once": action.at_once,
                "decided_ns": action.decided_ns, "deadline_ns": action.deadline_ns,
                "at_iteration": match action.phase {
                    Phase::ApplyAt { iteration } => Some(iteration),
                    _ => None,
                },
            }));
            ctx.send(link, action);
        }
    }

    /// Why ranks cannot take this over in one iteration; `None` where they can.
    pub(super) fn objection(&self, ctx: &Ctx<'_>, assigned: &[Assigned], roster: &Roster) -> Option<String> {
        synchronized::objection(ctx, &synchronized::concerned(assigned, roster), assigned, roster)
    }

    /// Has ranks take a change over in one iteration; the error says why that cannot be.
    pub(super) fn synchronize(
        &mut self,
        ctx: &mut Ctx<'_>,
        by: By,
        assigned: Vec<Assigned>,
        roster: &Roster,
    ) -> Result<(), String> {
        let pace = (self.ttl_ms, self.longest_s());
        self.synchronizer.begin(ctx, (by, assigned), pace, &mut self.in_flight, roster)
    }

    /// Makes an action that nobody waits for.
    pub(super) fn aside(&mut self, ctx: &Ctx<'_>, (rank, assignments): Assigned, ttl_ms: u64) -> Action {
        let assigned = [(rank, assignments)];
        // In a replay it has the number of then, if it was sent then.
        self.may_send(&assigned, false);
        let [(rank, assignments)] = assigned;
        self.in_flight.aside(ctx.now, &ctx.job, rank, assignments, ttl_ms)
    }

    /// A rank answered.
    pub(super) fn on_result(&mut self, now: u64, rank: u32, clock: HostClock, result: &ActionResult) -> Answered {
        let pace = (self.ttl_ms, self.longest_s());
        if let Some(in_force) = self.synchronizer.on_result(now, rank, clock, result, pace) {
            return Answered::Synchronized(in_force);
        }
        if let Some(settlement) = self.in_flight.on_result(rank, result, clock) {
            return Answered::Action(settlement);
        }
        let recorded = self.recorded.as_mut().and_then(|recorded| recorded.on_result(rank, result));
        recorded.map_or(Answered::Unknown, Answered::Recorded)
    }

    /// A rank has left; its action in flight is settled.
    pub(super) fn on_rank_left(&mut self, rank: u32) -> Option<Settlement> {
        self.synchronizer.on_rank_left(rank);
        self.in_flight.on_rank_left(rank)
    }

    /// One action of the group was settled; after the last one the group is returned.
    pub(super) fn on_settled(&mut self, settlement: &Settlement, iteration: Option<u64>) -> Option<Group> {
        let group = self.group.as_mut()?;
        group.settled.push((settlement.clone(), iteration));
        if group.settled.len() >= group.awaited { self.group.take() } else { None }
    }

    /// Whether several actions are awaited together.
    pub(super) fn awaits_several(&self) -> bool {
        self.group.as_ref().is_some_and(|group| group.awaited > 1)
    }

    /// Settles an action whose answer is overdue; to be asked until there is none.
    pub(super) fn overdue(&mut self, now: u64) -> Option<Settlement> {
        self.in_flight.on_time(now)
    }

    /// Goes on with the synchronized change; returns how it ended, if it did.
    pub(super) fn advance(&mut self, ctx: &mut Ctx<'_>, roster: &Roster) -> Option<Outcome> {
        let pace = (self.ttl_ms, self.longest_s());
        self.synchronizer.advance(ctx, pace, &mut self.in_flight, roster)
    }

    /// Sends again what was on its way to an agent that was away.
    pub(super) fn resend(&self, ctx: &mut Ctx<'_>, agent: &AgentId, link: LinkId, roster: &Roster) {
        for action in self.in_flight.all() {
            if roster.members.is_attached(action.rank, agent) && ctx.now < action.deadline_ns {
                ctx.send(link, action.clone());
            }
        }
        self.synchronizer.resend(ctx, agent, link, roster);
    }

    /// Forgets the synchronized change: the job is over.
    pub(super) fn end(&mut self) {
        self.synchronizer.end();
    }

    /// In a replay: the recorded analyzer sent this in the present step.
    pub(super) fn follow(&mut self, sent: Vec<Action>) {
        self.recorded.get_or_insert_default().follow(sent, &self.in_flight);
    }

    /// No recording is followed any more.
    pub(super) fn go_live(&mut self) {
        self.recorded = None;
    }

    /// The analyzer was started again: answers come when the agents are linked.
    pub(super) fn on_restarted(&mut self, now: u64) {
        let linked_ns = now.saturating_add(limits::LINKED_MS * 1_000_000);
        self.in_flight.await_until(linked_ns);
        self.synchronizer.await_until(linked_ns);
    }

    /// Whether all of this may be sent: always, but in a replay only where it was, at one time.
    pub(super) fn may_send(&mut self, assigned: &[Assigned], synchronized: bool) -> bool {
        let Some(recorded) = &mut self.recorded else { return true };
        let first = recorded.take(assigned, synchronized);
        first.inspect(|id| self.in_flight.renumber(*id)).is_some()
    }
}
