//! From a closed window to an action, and from its answer back to the tunlets.

use serde_json::json;

use midrun_tunlets::{Observation, Value, Verdict, Window};

use super::{Fate, Job};
use crate::actions::{By, Settlement, Wanted, When};
use crate::decide::HELD;
use crate::ids::{AgentId, LinkId};
use crate::input::{Action, ActionStatus, Output, Phase};
use crate::limits;
use crate::summary::Per;
use crate::tell;
use crate::window::Closed;

/// What a decision asks of one rank: (tuning point, new value).
pub(crate) type Assigned = (u32, Vec<(String, Value)>);

/// The actions of one decision or control, which are awaited together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Who is behind them.
    pub(super) by: By,
    awaited: usize,
    /// The last iteration at whose safe point one of them was applied.
    iteration: u64,
    failed: bool,
}

impl Job {
    pub(super) fn on_window(
        &mut self,
        now: u64,
        closed: &Closed,
        may_act: bool,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        let window = &closed.window;
        if let Some(what) = window.nonsense() {
            self.refuse(Per::Iteration, window.iteration, what, out);
            return;
        }
        self.iterations.push(closed);
        (self.last_iteration, self.last_iteration_s) = (window.iteration, window.iteration_s);
        out.push(Output::Journal(json!({
            "event": "window", "job": self.id.as_str(), "iteration": window.iteration, "tasks": window.tasks,
            "workers": window.workers, "iteration_s": window.iteration_s, "ideal_s": closed.ideal_s(),
            "chunks": window.chunks, "technique": window.setting.to_string(), "coverage": window.coverage,
        })));
        tracing::debug!(
            job = %self.id, iteration = window.iteration, iteration_s = window.iteration_s,
            ideal_s = closed.ideal_s(), coverage = window.coverage, "a window was closed",
        );
        self.think(now, Observation::Iteration(window), may_act, link_of, out);
    }

    /// Shows a window to the tunlets; tells what they say about earlier decisions, and does what they ask for.
    pub(super) fn think(
        &mut self,
        now: u64,
        seen: Observation<'_>,
        may_act: bool,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        let (per, number) = match seen {
            Observation::Iteration(window) => (Per::Iteration, window.iteration),
            Observation::Stream(window) => (Per::Output, window.number),
            Observation::PointRefused { .. } => return,
        };
        if self.controls.is_frozen() {
            return;
        }
        let was_on = self.decider.is_on();
        for judgement in self.decider.observe(seen) {
            if let Some(line) = self.decider.decision(judgement.decision) {
                let notice = tell::judged(&self.id, judgement.decision, line, judgement.verdict, number);
                self.tell(notice, out);
            }
        }
        if may_act && !self.is_busy() && !self.controls.any_waits() {
            self.decide(now, per, number, link_of, out);
        }
        for refusal in self.decider.new_refusals() {
            self.tell(tell::refused(&self.id, &refusal), out);
        }
        if was_on && !self.decider.is_on() {
            let text = "tuning is off: the tunlet failed (this is a defect of midrun)".to_owned();
            self.tell(tell::life(&self.id, "tuning-off", text), out);
        }
    }

    /// A window that no iteration can have: counted, said once, and no model sees it.
    pub(super) fn refuse(&mut self, per: Per, number: u64, what: &str, out: &mut Vec<Output>) {
        self.nonsense += 1;
        if self.nonsense == 1 {
            let text = format!(
                "{} {number} is left out: {what} cannot be right; others like it are only counted",
                per.window()
            );
            tracing::warn!(job = %self.id, number, what, "a window made no sense");
            self.tell(tell::life(&self.id, "window-refused", text), out);
        }
    }

    /// Says of each worker whether it is on another host than the master.
    pub(super) fn locate(&self, window: &mut Window) {
        let agent = |rank: u32| self.ranks.get(&rank).map(|rank| &rank.agent);
        let Some(master) = self.windows.master.and_then(agent) else { return };
        for work in &mut window.per_worker {
            work.far = agent(work.rank).map(|own| own != master);
        }
    }

    fn decide(
        &mut self,
        now: u64,
        per: Per,
        number_of_window: u64,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        // While nobody can bring an action to the master there is nothing to decide.
        let steers =
            if per == Per::Output { self.streams.head } else { self.windows.master.or(self.points.first_rank()) };
        if steers.is_none_or(|rank| self.reach(rank, link_of).is_none()) {
            return;
        }
        let held = |rank: u32, name: &str| self.controls.holds(rank, name);
        let Some((number, proposal)) = self.decider.propose(self.tuning_points.list(), per, &held) else {
            return;
        };
        self.tell(tell::decided(&self.id, number, &proposal, per, self.spec.dry_run), out);
        let (ranks, synchronized) = (proposal.ranks, proposal.synchronized);
        let held = |rank: &u32| proposal.assignments.iter().any(|(name, _)| self.controls.holds(*rank, name));
        // Ranks that are to stay alike cannot leave one of them out.
        if synchronized && ranks.iter().any(held) {
            return self.withhold(number, number_of_window, HELD, out);
        }
        let assigned: Vec<Assigned> = ranks
            .into_iter()
            .map(|rank| {
                let free = proposal.assignments.iter().filter(|(name, _)| !self.controls.holds(rank, name));
                (rank, free.cloned().collect())
            })
            .filter(|(_, assignments): &Assigned| !assignments.is_empty())
            .collect();
        let objection =
            assigned.iter().find_map(|(rank, assignments)| self.tuning_points.objection(*rank, assignments));
        let all_reached = assigned.iter().all(|(rank, _)| self.reach(*rank, link_of).is_some());
        match objection {
            Some(why) => self.withhold(number, number_of_window, &why, out),
            None if self.spec.dry_run => self.decider.on_not_applied(number, Verdict::Advised),
            None if !self.was_sent(&assigned, synchronized) => self.decider.on_not_applied(number, Verdict::Advised),
            None if !all_reached => self.withhold(number, number_of_window, "its rank has no agent", out),
            None if synchronized => {
                if let Err(why) = self.act_together(now, By::Decision(number), assigned, link_of, out) {
                    self.withhold(number, number_of_window, &why, out);
                }
            }
            None => {
                let when = if proposal.at_once { When::Now } else { When::NextIteration };
                self.act(now, By::Decision(number), assigned, when, link_of, out);
            }
        }
    }

    /// The link over which actions go to a rank that is there.
    pub(super) fn reach(&self, rank: u32, link_of: &dyn Fn(&AgentId) -> Option<LinkId>) -> Option<LinkId> {
        let rank = self.ranks.get(&rank).filter(|rank| rank.fate == Fate::Present)?;
        link_of(&rank.agent)
    }

    /// Sends what is asked of some ranks, each of which can be reached.
    pub(super) fn act(
        &mut self,
        now: u64,
        by: By,
        assigned: Vec<Assigned>,
        when: When,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        self.group = Some(Group { by, awaited: assigned.len(), iteration: 0, failed: false });
        for (rank, assignments) in assigned {
            let Some(link) = self.reach(rank, link_of) else { continue };
            let wanted = Wanted {
                by,
                rank,
                restore: self.tuning_points.current(rank, &assignments),
                assignments,
                when,
                ttl_ms: self.ttl_ms(now, when),
            };
            let action = self.actions.start(now, &self.id, wanted);
            out.push(journal_action(&action));
            out.push(Output::Act { link, action });
        }
    }

    /// Three times as long as it should take, so that a long iteration does not let every action expire.
    fn ttl_ms(&self, now: u64, when: When) -> u64 {
        let until_s = match when {
            // What the program does between two iterations takes time, too.
            When::Iteration(iteration) => {
                let each_s = now.saturating_sub(self.started_ns) as f64 / 1e9 / (self.last_iteration + 1) as f64;
                each_s.max(self.last_iteration_s) * iteration.saturating_sub(self.last_iteration).max(1) as f64
            }
            When::Now | When::NextIteration => self.last_iteration_s,
        };
        self.spec.action_ttl_ms.max((until_s * 3e3) as u64)
    }

    fn withhold(&mut self, number: u64, iteration: u64, why: &str, out: &mut Vec<Output>) {
        self.decider.on_reason(number, why);
        self.decider.on_not_applied(number, Verdict::NotApplied);
        self.tell(tell::withheld(&self.id, number, iteration, why), out);
    }

    pub(super) fn on_settlement(
        &mut self,
        settlement: &Settlement,
        iteration: u64,
        time_ns: u64,
        out: &mut Vec<Output>,
    ) {
        let (action, applied) = (&settlement.action, settlement.status == ActionStatus::Applied);
        // A rank without marks of its own does not count iterations.
        let counted = Some(iteration).filter(|iteration| *iteration < limits::ITERATION_END);
        let iteration = counted.or(self.windows.newest()).unwrap_or(iteration);
        if applied {
            for (name, value) in &action.assignments {
                self.tuning_points.set(action.rank, name, value);
            }
            self.on_turned(settlement, iteration);
            if self.windows.master.is_none_or(|master| master == action.rank) {
                let setting = self.tuning_points.setting(action.rank);
                self.windows.on_setting(iteration, time_ns, action.at_once, setting);
                self.technique = setting.to_string();
            }
        }
        if settlement.late {
            match settlement.by.decision() {
                Some(number) if applied => self.decider.on_applied_late(number, iteration),
                None if applied => {}
                // It was told when it was given up.
                _ => return,
            }
        } else {
            if let Some(number) = settlement.by.decision().filter(|_| !applied) {
                self.decider.on_reason(number, settlement.status.as_str());
            }
            if settlement.by == By::User {
                self.on_control_settled(action, settlement.status, iteration);
            }
            self.on_group(applied, iteration);
        }
        let per = self.per_of(settlement.by);
        self.tell(tell::settled(&self.id, settlement, per, iteration), out);
    }

    /// One action of the group that is awaited was settled; the tunlet is told of the last one.
    fn on_group(&mut self, applied: bool, iteration: u64) {
        let Some(group) = &mut self.group else { return };
        group.awaited = group.awaited.saturating_sub(1);
        group.failed |= !applied;
        group.iteration = group.iteration.max(iteration);
        if group.awaited > 0 {
            return;
        }
        let Group { by, iteration, failed, .. } = *group;
        self.group = None;
        match by.decision() {
            Some(number) if failed => self.decider.on_not_applied(number, Verdict::NotApplied),
            Some(number) => self.decider.on_applied(number, iteration),
            None => {}
        }
    }

    pub(super) fn per_of(&self, by: By) -> Per {
        let line = by.decision().and_then(|number| self.decider.decision(number));
        match line {
            Some(line) => line.per,
            None if self.streams.any() => Per::Output,
            None => Per::Iteration,
        }
    }
}

fn journal_action(action: &Action) -> Output {
    Output::Journal(json!({
        "event": "action", "job": action.job.as_str(), "action": action.id.0, "rank": action.rank,
        "assignments": action.assignments, "restore": action.restore, "at_once": action.at_once,
        "decided_ns": action.decided_ns, "deadline_ns": action.deadline_ns, "at_iteration": match action.phase {
            Phase::ApplyAt { iteration } => Some(iteration),
            _ => None,
        },
    }))
}
