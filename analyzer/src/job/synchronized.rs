//! A change that all ranks of a job take over in one and the same iteration, or none: drives `midrun-agreement`'s coordinator.

use std::collections::{BTreeMap, BTreeSet};

use midrun_agreement::{Coordinator, Margins, Order, Reply, RoundOutcome, Step};
use midrun_tunlets::Value;
use midrun_tunlets::tuning_point::names::of_framework;
use serde_json::json;

use super::membership::Roster;
use crate::actions::{Action, ActionResult, ActionStatus, Assigned, Phase};
use crate::context::Ctx;
use crate::events::HostClock;
use crate::ids::{ActionId, AgentId, LinkId};
use crate::in_flight::{By, InFlight};
use crate::limits;
use crate::log_lines;

type Assignments = BTreeMap<u32, Vec<(String, Value)>>;

/// The change that is on its way.
#[derive(Debug)]
struct Change {
    by: By,
    coordinator: Coordinator,
    /// Values for each rank; none where a rank only confirms that no earlier change waits in it.
    assigned: Assignments,
    /// The step that the coordinator asks for, taken once links are at hand.
    step: Step,
    decided_ns: u64,
    /// The coordinator takes silence until then for an answer, nanoseconds.
    quiet_ns: u64,
    /// Times at which ranks applied it, on the analyzer's clock, and by how much they may be off, nanoseconds.
    applied: BTreeMap<u32, (u64, Option<u64>)>,
}

/// The end of a change.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) by: By,
    /// Actions that ranks confirmed as applied, and in which iteration.
    pub(super) applied: Vec<Action>,
    pub(super) iteration: u64,
    /// Values in force without a confirmation of their ranks, because one rank committed for all.
    pub(super) in_force: Vec<Assigned>,
    /// Why not every rank has it; `None` when every rank has.
    pub(super) why_not: Option<String>,
}

/// The synchronized changes of a job, one at a time.
#[derive(Debug)]
pub(super) struct Synchronizer {
    change: Option<Change>,
    /// The last change that was given up: its ranks may still report that it was committed.
    given_up: Option<Change>,
    margin: u64,
}

impl Synchronizer {
    pub(super) fn new() -> Synchronizer {
        Synchronizer { change: None, given_up: None, margin: limits::MARGIN }
    }

    /// A change is on its way to ranks.
    pub(super) fn is_busy(&self) -> bool {
        self.change.is_some()
    }

    /// Silence means nothing before this time.
    pub(super) fn await_until(&mut self, ns: u64) {
        if let Some(change) = &mut self.change {
            change.quiet_ns = change.quiet_ns.max(ns);
        }
    }

    /// Forgets the change on its way: the job is over.
    pub(super) fn end(&mut self) {
        self.change = None;
    }

    /// Longest life of an order, where iterations take `iteration_s`: an answer takes as long as the iteration that is
    /// awaited, and three more, as for other actions.
    fn ttl_ns(&self, least_ms: u64, iteration_s: f64) -> u64 {
        let margin = self.change.as_ref().map_or(0, |change| change.coordinator.margin());
        least_ms.max((iteration_s * 1e3 * (3 + margin) as f64) as u64).min(limits::ACTION_TTL_MS) * 1_000_000
    }

    /// Begins a change; the error says why it cannot be.
    pub(super) fn begin(
        &mut self,
        ctx: &mut Ctx<'_>,
        (by, assigned): (By, Vec<Assigned>),
        pace: (u64, f64),
        in_flight: &mut InFlight,
        roster: &Roster,
    ) -> Result<(), String> {
        let all = concerned(&assigned, roster);
        objection(ctx, &all, &assigned, roster).map_or(Ok(()), Err)?;
        let margins = Margins { first: self.margin, most: limits::MARGIN_MOST };
        self.change = Some(Change {
            by,
            coordinator: Coordinator::new(in_flight.new_id(), all, margins),
            assigned: assigned.into_iter().collect(),
            step: Step::Wait,
            decided_ns: ctx.now,
            quiet_ns: 0,
            applied: BTreeMap::new(),
        });
        self.prepare(ctx, pace, in_flight, roster);
        Ok(())
    }

    fn prepare(&mut self, ctx: &mut Ctx<'_>, pace: (u64, f64), in_flight: &mut InFlight, roster: &Roster) {
        let Some(change) = &self.change else { return };
        let ranks = change.coordinator.ranks().iter().copied().collect();
        in_flight.counts.sent += 1;
        self.order(ctx, Order::Prepare, ranks, pace, roster);
    }

    fn order(
        &mut self,
        ctx: &mut Ctx<'_>,
        order: Order,
        ranks: Vec<u32>,
        (least_ms, iteration_s): (u64, f64),
        roster: &Roster,
    ) {
        let ttl_ns = self.ttl_ns(least_ms, iteration_s);
        let Some(change) = &mut self.change else { return };
        change.quiet_ns = ctx.now.saturating_add(ttl_ns);
        let (phase, at) = match order {
            Order::Prepare => ("prepare", None),
            Order::PreCommit { at } => ("pre-commit", Some(at)),
            Order::Commit => ("commit", None),
            Order::Committed => ("committed", None),
        };
        ctx.journal(json!({
            "event": "synchronized", "job": ctx.job.as_str(), "action": change.coordinator.round(), "phase": phase, "at": at,
            "ranks": ranks,
            "assignments": ranks.iter().map(|rank| change.assigned.get(rank)).collect::<Vec<_>>(),
        }));
        if let Order::PreCommit { at } = order {
            let text = format!("prepared on {} ranks, pre-committed for iteration {at}", ranks.len());
            ctx.life("pre-committed", text, json!({"ranks": ranks, "iteration": at}));
        }
        for rank in ranks {
            if let Some(link) = roster.members.link_of(rank, ctx.links) {
                let action = change.action(ctx, rank, order);
                ctx.send(link, action);
            }
        }
    }

    /// Sends orders without an answer again: the link of `agent` is new.
    pub(super) fn resend(&self, ctx: &mut Ctx<'_>, agent: &AgentId, link: LinkId, roster: &Roster) {
        let Some(change) = &self.change else { return };
        let Some((order, ranks)) = change.coordinator.pending() else { return };
        for rank in ranks.into_iter().filter(|rank| roster.members.is_attached(*rank, agent)) {
            let action = change.action(ctx, rank, order);
            ctx.send(link, action);
        }
    }

    /// A rank answers an action. `None`: the action was no synchronized change. Else the values that are known to be in
    /// force by this answer: those of a change that was given up before a rank reported it as committed.
    pub(super) fn on_result(
        &mut self,
        now: u64,
        rank: u32,
        clock: HostClock,
        result: &ActionResult,
        (least_ms, iteration_s): (u64, f64),
    ) -> Option<Vec<Assigned>> {
        let ttl_ns = self.ttl_ns(least_ms, iteration_s);
        let same = |change: &&mut Change| change.coordinator.round() == result.action.0;
        let Some(change) = self.change.as_mut().filter(same) else {
            let given_up = self.given_up.as_mut().filter(same)?;
            let in_force = matches!(result.status, ActionStatus::Applied | ActionStatus::Committed);
            let assigned = if in_force { std::mem::take(&mut given_up.assigned) } else { Assignments::new() };
            return Some(assigned.into_iter().collect());
        };
        let reply = match result.status {
            ActionStatus::Prepared => Reply::Prepared { begun: result.iteration, register: result.register },
            ActionStatus::PreCommitted => Reply::PreCommitted,
            ActionStatus::Past => Reply::Past,
            ActionStatus::Busy => Reply::Busy,
            ActionStatus::Committed => Reply::Committed,
            ActionStatus::Aborted => Reply::Aborted,
            ActionStatus::Applied => {
                change.applied.insert(rank, (result.time_ns.saturating_add_signed(clock.offset_ns), clock.error_ns));
                Reply::Applied
            }
            // It offers the point: that was looked at before.
            ActionStatus::RefusedUnknown => Reply::Refused(
                "refused: a synchronized change takes values that the program exposes itself, and a points file names this one",
            ),
            other => Reply::Refused(other.as_str()),
        };
        change.quiet_ns = now.saturating_add(ttl_ns);
        let step = change.coordinator.on_reply(rank, result.action.0, reply);
        change.next(step);
        Some(Vec::new())
    }

    /// A rank has left.
    pub(super) fn on_rank_left(&mut self, rank: u32) {
        if let Some(change) = &mut self.change {
            let step = change.coordinator.on_left(rank);
            change.next(step);
        }
    }

    /// Takes the step that the last answers, or silence, ask for; returns how the change ended, if it did.
    pub(super) fn advance(
        &mut self,
        ctx: &mut Ctx<'_>,
        pace: (u64, f64),
        in_flight: &mut InFlight,
        roster: &Roster,
    ) -> Option<Outcome> {
        let change = self.change.as_mut()?;
        if ctx.now >= change.quiet_ns {
            let step = change.coordinator.on_silence();
            change.next(step);
        }
        match std::mem::replace(&mut change.step, Step::Wait) {
            Step::Wait => None,
            Step::Send(order, ranks) => {
                self.order(ctx, order, ranks, pace, roster);
                None
            }
            Step::Over(RoundOutcome::Aborted(why)) => {
                let (id, before) = (in_flight.new_id(), change.coordinator.margin());
                if !change.coordinator.again(id) {
                    return self.give_up(ctx, format!("aborted on all ranks: {why}"), in_flight);
                }
                let margin = change.coordinator.margin();
                in_flight.counts.refused += 1;
                let again = format!("tried again with {margin} iterations instead of {before}");
                let text = format!("aborted on all ranks: {why}; {again}");
                ctx.life("aborted", text, json!({"why": why.to_string(), "margin": margin}));
                self.prepare(ctx, pace, in_flight, roster);
                None
            }
            Step::Over(RoundOutcome::Applied { at }) => self.on_applied(ctx, at, in_flight),
            Step::Over(RoundOutcome::Ended) => {
                self.give_up(ctx, "all ranks have left before any answered".to_owned(), in_flight)
            }
            Step::Over(RoundOutcome::Unconfirmed { at, committed, ranks }) => {
                let what =
                    if committed { "committed" } else { "pre-committed, and it is not known whether it is committed," };
                let why = format!("{what} for iteration {at}; no answer in time from {}", log_lines::ranks(&ranks));
                let applied = change.applied(ctx, at);
                let in_force = if committed { change.assigned.clone().into_iter().collect() } else { Vec::new() };
                let outcome = self.give_up(ctx, why, in_flight)?;
                Some(Outcome { applied, iteration: at, in_force, ..outcome })
            }
        }
    }

    fn on_applied(&mut self, ctx: &mut Ctx<'_>, at: u64, in_flight: &mut InFlight) -> Option<Outcome> {
        let change = self.change.take()?;
        self.given_up = None;
        self.margin = (change.coordinator.margin() / 2).max(limits::MARGIN);
        let (last, error_ns) = change.applied.values().max().copied().unwrap_or((change.decided_ns, None));
        let latency_ms = last.saturating_sub(change.decided_ns) as f64 / 1e6;
        let count = change.applied.len();
        let text =
            format!("applied everywhere in iteration {at}: {count} ranks, {latency_ms:.1} ms after the decision");
        ctx.life("applied-synchronized", text, json!({"iteration": at, "ranks": count, "latency_ms": latency_ms}));
        in_flight.counts.applied_at(latency_ms, error_ns);
        let applied = change.applied(ctx, at);
        Some(Outcome { by: change.by, applied, iteration: at, in_force: Vec::new(), why_not: None })
    }

    fn give_up(&mut self, ctx: &mut Ctx<'_>, why: String, in_flight: &mut InFlight) -> Option<Outcome> {
        let change = self.change.take()?;
        in_flight.counts.refused += 1;
        ctx.life("not-applied-synchronized", why.clone(), json!({}));
        let by = change.by;
        self.given_up = Some(change);
        Some(Outcome { by, applied: Vec::new(), iteration: 0, in_force: Vec::new(), why_not: Some(why) })
    }
}

impl Change {
    fn next(&mut self, step: Step) {
        if step != Step::Wait {
            self.step = step;
        }
    }

    fn action(&self, ctx: &Ctx<'_>, rank: u32, order: Order) -> Action {
        let assignments = self.assigned.get(&rank).cloned().unwrap_or_default();
        let (phase, assignments) = match order {
            Order::Prepare => (Phase::Prepare, assignments),
            Order::PreCommit { at } => (Phase::PreCommit { at }, Vec::new()),
            Order::Commit => (Phase::Commit, Vec::new()),
            Order::Committed => (Phase::Committed, Vec::new()),
        };
        Action {
            id: ActionId(self.coordinator.round()),
            job: ctx.job.clone(),
            rank,
            assignments,
            at_once: false,
            decided_ns: self.decided_ns,
            deadline_ns: self.quiet_ns,
            phase,
        }
    }

    /// The actions that ranks confirmed as applied; each goes to the journal.
    fn applied(&self, ctx: &mut Ctx<'_>, at: u64) -> Vec<Action> {
        let actions = self.applied.keys().map(|rank| self.action(ctx, *rank, Order::Prepare));
        let actions: Vec<Action> = actions.collect();
        for action in &actions {
            ctx.journal(json!({
                "event": "action-settled", "job": ctx.job.as_str(), "action": action.id.0, "rank": action.rank,
                "decision": self.by.decision(), "applied": true, "iteration": at,
            }));
        }
        actions
    }
}

/// The ranks that are asked: one with a point of its own may still have an earlier change before it.
pub(super) fn concerned(assigned: &[Assigned], roster: &Roster) -> BTreeSet<u32> {
    let own = roster.points.list().iter().filter(|point| !of_framework(&point.name)).map(|point| point.rank);
    let mut all: BTreeSet<u32> = own.filter(|rank| roster.members.is_present(*rank)).collect();
    all.extend(assigned.iter().map(|(rank, _)| *rank));
    all
}

/// Why these ranks cannot take a change over in one iteration; `None` where they can.
pub(super) fn objection(ctx: &Ctx<'_>, all: &BTreeSet<u32>, assigned: &[Assigned], roster: &Roster) -> Option<String> {
    if let Some((name, _)) = assigned.iter().flat_map(|(_, values)| values).find(|(name, _)| of_framework(name)) {
        return Some(format!("{name} is a framework's, which keeps its ranks in step by itself: set it as it is"));
    }
    if let Some(rank) = roster.members.first_gone() {
        return Some(format!("rank {rank} has left the job"));
    }
    if !roster.members.all_joined() {
        return Some(format!("only {} of {} ranks are known yet", roster.members.seen(), roster.members.world_size()));
    }
    if let Some(rank) = all.iter().find(|rank| roster.members.link_of(**rank, ctx.links).is_none()) {
        return Some(format!("rank {rank}: its agent is not connected"));
    }
    left_out(assigned, roster)
}

/// A rank that would keep its value while the others change theirs, and why. A change is thought of for the ranks that offer
/// the tuning point by then; one that declares it later would differ from them.
fn left_out(assigned: &[Assigned], roster: &Roster) -> Option<String> {
    let mut changed: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (rank, values) in assigned {
        for (name, _) in values {
            changed.entry(name).or_default().insert(*rank);
        }
    }
    changed.into_iter().find_map(|(name, ranks)| {
        let (rank, ..) = roster.members.ranks().find(|(rank, ..)| !ranks.contains(rank))?;
        Some(match roster.points.get(rank, name) {
            Some(_) => format!("rank {rank} has offered {name} meanwhile, and would be left out"),
            None => format!("rank {rank} does not offer {name}, and a synchronized change is on all ranks or on none"),
        })
    })
}
