//! A change that all ranks of a job take over in one and the same iteration, or none: drives `midrun-agreement`'s coordinator.

use std::collections::{BTreeMap, BTreeSet};

use midrun_agreement::{Answer, Coordinator, Done, Margins, Order, Step};
use midrun_tunlets::tuning_point::names::of_framework;
use midrun_tunlets::{Value, Verdict};
use serde_json::json;

use super::{Assigned, Fate, Job};
use crate::actions::{By, Settlement};
use crate::ids::{ActionId, AgentId, LinkId};
use crate::input::{Action, ActionResult, ActionStatus, Output, Phase};
use crate::limits;
use crate::tell;

/// The change that is on its way.
#[derive(Debug)]
pub(super) struct SynchronizedChange {
    by: By,
    coordinator: Coordinator,
    /// What each rank takes over; nothing where a rank only says that no earlier change waits in it.
    assigned: BTreeMap<u32, Vec<(String, Value)>>,
    /// What the coordinator wants done, once links are at hand.
    step: Step,
    decided_ns: u64,
    /// Given up when nothing is heard until then.
    quiet_ns: u64,
    /// Host's times at which ranks applied it, brought to this clock.
    applied_ns: BTreeMap<u32, u64>,
}

impl Job {
    /// Something is on its way to ranks.
    pub(super) fn is_busy(&self) -> bool {
        self.actions.is_busy() || self.synchronized.is_some()
    }

    /// Has ranks take a change over together; the error says why that cannot be.
    pub(super) fn act_together(
        &mut self,
        now: u64,
        by: By,
        assigned: Vec<Assigned>,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) -> Result<(), String> {
        let mut all = self.those_with_points();
        all.extend(assigned.iter().map(|(rank, _)| *rank));
        self.allow_together(&all, &assigned, link_of)?;
        let assigned = assigned.into_iter().collect();
        let margins = Margins { first: self.margin, most: limits::MARGIN_MOST };
        let coordinator = Coordinator::new(self.actions.new_id(), all, margins);
        let step = Step::Wait;
        let (decided_ns, quiet_ns, applied_ns) = (now, 0, BTreeMap::new());
        self.synchronized =
            Some(SynchronizedChange { by, coordinator, assigned, step, decided_ns, quiet_ns, applied_ns });
        self.prepare_together(now, link_of, out);
        Ok(())
    }

    // Whoever may still have an earlier change before it has to say so: every rank with a point of its own.
    fn those_with_points(&self) -> BTreeSet<u32> {
        let there = |rank: u32| self.ranks.get(&rank).is_some_and(|rank| rank.fate == Fate::Present);
        let own = self.tuning_points.list().iter().filter(|tuning_point| !of_framework(&tuning_point.name));
        own.map(|tuning_point| tuning_point.rank).filter(|rank| there(*rank)).collect()
    }

    fn allow_together(
        &self,
        all: &BTreeSet<u32>,
        assigned: &[Assigned],
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
    ) -> Result<(), String> {
        if let Some((name, _)) = assigned.iter().flat_map(|(_, values)| values).find(|(name, _)| of_framework(name)) {
            return Err(format!("{name} is a framework's, which keeps its ranks in step by itself: set it as it is"));
        }
        if let Some((rank, _)) = self.ranks.iter().find(|(_, rank)| rank.fate != Fate::Present) {
            return Err(format!("rank {rank} has left the job"));
        }
        if !self.all_joined() {
            return Err(format!("only {} of {} ranks are known yet", self.ranks.len(), self.world_size));
        }
        let node = |rank: &u32| {
            let agent = self.ranks.get(rank).map(|rank| &rank.agent);
            agent.and_then(|agent| self.hosts.get(agent)).map(|host| host.node.as_str()).unwrap_or_default()
        };
        let nodes: BTreeSet<&str> = all.iter().map(node).collect();
        if nodes.len() > 1 {
            return Err(format!(
                "its ranks are on {} hosts, and a change on all ranks synchronized works on one host only: across hosts \
                 it would need a register in MPI memory, which is not built",
                nodes.len(),
            ));
        }
        match all.iter().find(|rank| self.reach(**rank, link_of).is_none()) {
            Some(rank) => Err(format!("rank {rank}: its agent is not connected")),
            None => Ok(()),
        }
    }

    fn prepare_together(&mut self, now: u64, link_of: &dyn Fn(&AgentId) -> Option<LinkId>, out: &mut Vec<Output>) {
        let Some(synchronized) = &self.synchronized else { return };
        let ranks = synchronized.coordinator.ranks().iter().copied().collect();
        self.actions.counts.sent += 1;
        self.tell_together(now, Order::Prepare, ranks, link_of, out);
    }

    fn tell_together(
        &mut self,
        now: u64,
        order: Order,
        ranks: Vec<u32>,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        let ttl_ns = self.together_ttl_ns();
        let Some(synchronized) = &mut self.synchronized else { return };
        synchronized.quiet_ns = now.saturating_add(ttl_ns);
        let (phase, at) = match order {
            Order::Prepare => ("prepare", None),
            Order::PreCommit { at } => ("arm", Some(at)),
            Order::Commit => ("commit", None),
        };
        let epoch = synchronized.coordinator.epoch();
        out.push(Output::Journal(json!({
            "event": "together", "job": self.id.as_str(), "action": epoch, "phase": phase, "at": at, "ranks": ranks,
            "assignments": ranks.iter().map(|rank| synchronized.assigned.get(rank)).collect::<Vec<_>>(),
        })));
        if let Order::PreCommit { at } = order {
            let text = format!("prepared on {} ranks, armed for iteration {at}", ranks.len());
            self.tell(tell::life(&self.id, "armed", text), out);
        }
        for rank in ranks {
            let reached = self.reach(rank, link_of);
            out.extend(reached.and_then(|link| Some(Output::Act { link, action: self.order(rank, order)? })));
        }
    }

    // Actions live longer than usual where iterations are long.
    fn together_ttl_ns(&self) -> u64 {
        // An answer takes as long as the iteration that is awaited, and three more, as for other actions.
        let margin = self.synchronized.as_ref().map_or(0, |synchronized| synchronized.coordinator.margin());
        let ttl_ms = self.spec.action_ttl_ms.max((self.last_iteration_s * 1e3 * (3 + margin) as f64) as u64);
        ttl_ms.min(limits::ACTION_TTL_MS) * 1_000_000
    }

    fn order(&self, rank: u32, order: Order) -> Option<Action> {
        let synchronized = self.synchronized.as_ref()?;
        let assignments = synchronized.assigned.get(&rank).cloned().unwrap_or_default();
        let (phase, assignments) = match order {
            Order::Prepare => (Phase::Prepare, assignments),
            Order::PreCommit { at } => (Phase::PreCommit { at }, Vec::new()),
            Order::Commit => (Phase::Commit, Vec::new()),
        };
        Some(Action {
            id: ActionId(synchronized.coordinator.epoch()),
            job: self.id.clone(),
            rank,
            restore: self.tuning_points.current(rank, &assignments),
            assignments,
            at_once: false,
            decided_ns: synchronized.decided_ns,
            deadline_ns: synchronized.quiet_ns,
            phase,
        })
    }

    /// A rank answers; true when it was about a change on all ranks.
    pub(super) fn on_together_result(&mut self, now: u64, rank: u32, offset_ns: i64, result: &ActionResult) -> bool {
        let ttl_ns = self.together_ttl_ns();
        let Some(synchronized) = self.synchronized.as_mut().filter(|now| now.coordinator.epoch() == result.action.0)
        else {
            return self.on_heard_after_all(result);
        };
        let answer = match result.status {
            ActionStatus::Prepared => Answer::Prepared { begun: result.iteration, register: result.register },
            ActionStatus::PreCommitted => Answer::PreCommitted,
            ActionStatus::Past => Answer::Past,
            ActionStatus::Busy => Answer::Busy,
            ActionStatus::Committed => Answer::Committed,
            ActionStatus::Aborted => Answer::Aborted,
            ActionStatus::Applied => {
                synchronized.applied_ns.insert(rank, result.time_ns.saturating_add_signed(offset_ns));
                Answer::Applied
            }
            other => Answer::Refused(other.as_str()),
        };
        synchronized.quiet_ns = now.saturating_add(ttl_ns);
        let step = synchronized.coordinator.on_answer(rank, result.action.0, answer);
        synchronized.next(step);
        true
    }

    // A round whose end was not heard in time: one word that it was committed is true of all ranks.
    fn on_heard_after_all(&mut self, result: &ActionResult) -> bool {
        let same = |round: &&mut SynchronizedChange| round.coordinator.epoch() == result.action.0;
        let Some(round) = self.unheard.as_mut().filter(same) else { return false };
        if matches!(result.status, ActionStatus::Applied | ActionStatus::Committed) {
            let assigned = std::mem::take(&mut round.assigned);
            self.all_have(&assigned);
        }
        true
    }

    fn all_have(&mut self, assigned: &BTreeMap<u32, Vec<(String, Value)>>) {
        for (rank, values) in assigned {
            values.iter().for_each(|(name, value)| self.tuning_points.set(*rank, name, value));
        }
    }

    /// A rank has left.
    pub(super) fn on_together_left(&mut self, rank: u32) {
        let Some(synchronized) = &mut self.synchronized else { return };
        let step = synchronized.coordinator.on_left(rank);
        synchronized.next(step);
    }

    /// An agent's link is new: what its ranks have not answered goes again.
    pub(super) fn tell_together_again(&self, agent: &AgentId, link: LinkId, out: &mut Vec<Output>) {
        let Some((order, ranks)) =
            self.synchronized.as_ref().and_then(|synchronized| synchronized.coordinator.pending())
        else {
            return;
        };
        let here = |rank: &u32| self.ranks.get(rank).is_some_and(|rank| rank.agent == *agent);
        let actions = ranks.into_iter().filter(here).filter_map(|rank| self.order(rank, order));
        out.extend(actions.map(|action| Output::Act { link, action }));
    }

    /// Does what the last answers ask for.
    pub(super) fn go_on_together(
        &mut self,
        now: u64,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        let Some(synchronized) = &mut self.synchronized else { return };
        if now >= synchronized.quiet_ns {
            let step = synchronized.coordinator.on_silence();
            synchronized.next(step);
        }
        match std::mem::replace(&mut synchronized.step, Step::Wait) {
            Step::Wait => {}
            Step::Tell(order, ranks) => self.tell_together(now, order, ranks, link_of, out),
            Step::Over(Done::Aborted(why)) => {
                let (id, before) = (self.actions.new_id(), synchronized.coordinator.margin());
                if synchronized.coordinator.again(id) {
                    let margin = synchronized.coordinator.margin();
                    self.actions.counts.refused += 1;
                    let text =
                        format!("void on all ranks: {why}; tried again with {margin} iterations instead of {before}");
                    self.tell(tell::life(&self.id, "void", text), out);
                    self.prepare_together(now, link_of, out);
                } else {
                    self.give_up_together(&format!("void on all ranks: {why}"), out);
                }
            }
            Step::Over(Done::Applied { at }) => self.applied_together(at, out),
            Step::Over(Done::Ended) => self.give_up_together("all ranks have left before any told of it", out),
            Step::Over(Done::Unheard { at, committed, ranks }) => {
                let assigned = synchronized.assigned.clone();
                let what = if committed { "committed" } else { "armed, and it is not known whether it is committed," };
                let text = format!("{what} for iteration {at}, of which {} did not tell in time", tell::ranks(&ranks));
                self.take_over(at, out);
                if committed {
                    self.all_have(&assigned);
                }
                self.give_up_together(&text, out);
            }
        }
    }

    // Every rank took it over in iteration `at`.
    fn applied_together(&mut self, at: u64, out: &mut Vec<Output>) {
        let Some(synchronized) = &self.synchronized else { return };
        self.margin = (synchronized.coordinator.margin() / 2).max(limits::MARGIN);
        let last = synchronized.applied_ns.values().max().copied().unwrap_or(synchronized.decided_ns);
        let latency_ms = last.saturating_sub(synchronized.decided_ns) as f64 / 1e6;
        let (count, number) = (synchronized.applied_ns.len(), synchronized.by.decision());
        let text =
            format!("applied everywhere in iteration {at}: {count} ranks, {latency_ms:.1} ms after the decision");
        self.tell(tell::life(&self.id, "applied-together", text), out);
        self.take_over(at, out);
        (self.synchronized, self.unheard) = (None, None);
        self.actions.counts.applied_at(latency_ms);
        if let Some(number) = number {
            self.decider.on_applied(number, at);
        }
    }

    // The values that ranks said they have now.
    fn take_over(&mut self, at: u64, out: &mut Vec<Output>) {
        let Some(synchronized) = &self.synchronized else { return };
        let by = synchronized.by;
        let ranks: Vec<u32> = synchronized.applied_ns.keys().copied().collect();
        for rank in ranks {
            let Some(action) = self.order(rank, Order::Prepare) else { continue };
            for (name, value) in &action.assignments {
                self.tuning_points.set(rank, name, value);
            }
            let status = ActionStatus::Applied;
            let settlement = Settlement { action, by, status, latency_ms: None, late: false };
            self.on_turned(&settlement, at);
            if by == By::User {
                self.on_control_settled(&settlement.action, status, at);
            }
            out.push(Output::Journal(json!({
                "event": "action-settled", "job": self.id.as_str(), "action": settlement.action.id.0, "rank": rank,
                "decision": by.decision(), "applied": true, "iteration": at,
            })));
        }
    }

    fn give_up_together(&mut self, why: &str, out: &mut Vec<Output>) {
        let Some(synchronized) = self.synchronized.take() else { return };
        self.actions.counts.refused += 1;
        self.tell(tell::life(&self.id, "not-applied-together", why.to_owned()), out);
        match synchronized.by.decision() {
            Some(number) => {
                self.decider.on_reason(number, why);
                self.decider.on_not_applied(number, Verdict::NotApplied);
            }
            None => self.refuse_changes(why),
        }
        self.unheard = Some(synchronized);
    }

    /// What a person asked for does not come: the changes that are open end so.
    pub(super) fn refuse_changes(&mut self, why: &str) {
        let changes = self.controls.active.as_mut().map(|active| &mut active.changes);
        let open = changes.into_iter().flatten().filter(|change| change.applied_iteration.is_none());
        open.for_each(|change| change.refused = Some(why.to_owned()));
    }
}

impl SynchronizedChange {
    fn next(&mut self, step: Step) {
        if step != Step::Wait {
            self.step = step;
        }
    }
}
