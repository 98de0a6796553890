//! From a closed window to an action, and from its answer back to the tunlets.

use serde_json::json;

use midrun_tunlets::{Verdict, Window};

use super::{Fate, Job, Rank};
use crate::actions::{Settlement, Wanted};
use crate::decide::Seen;
use crate::ids::{AgentId, LinkId};
use crate::input::{Action, ActionStatus, Output};
use crate::summary::Per;
use crate::tell;
use crate::window::Closed;

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
        self.last_iteration_s = window.iteration_s;
        out.push(Output::Journal(json!({
            "event": "window", "job": self.id.as_str(), "iteration": window.iteration, "tasks": window.tasks,
            "workers": window.workers, "iteration_s": window.iteration_s, "ideal_s": closed.ideal_s(),
            "chunks": window.chunks, "policy": window.setting.to_string(), "coverage": window.coverage,
        })));
        tracing::debug!(
            job = %self.id, iteration = window.iteration, iteration_s = window.iteration_s,
            ideal_s = closed.ideal_s(), coverage = window.coverage, "a window was closed",
        );
        self.think(now, Seen::Iteration(window), may_act, link_of, out);
    }

    /// Shows a window to the tunlets; tells what they say about earlier decisions, and does what they ask for.
    pub(super) fn think(
        &mut self,
        now: u64,
        seen: Seen<'_>,
        may_act: bool,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        let (per, number) = match seen {
            Seen::Iteration(window) => (Per::Iteration, window.iteration),
            Seen::Stream(window) => (Per::Output, window.number),
        };
        let was_on = self.decider.is_on();
        for judgement in self.decider.observe(seen) {
            if let Some(line) = self.decider.decision(judgement.decision) {
                let notice = tell::judged(&self.id, judgement.decision, line, judgement.verdict, number);
                self.tell(notice, out);
            }
        }
        if may_act && self.actions.in_flight().is_none() {
            self.decide(now, per, number, link_of, out);
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
        let reachable = |rank: &Rank| rank.fate == Fate::Present && link_of(&rank.agent).is_some();
        let steers = if per == Per::Output { self.streams.head } else { self.windows.master };
        let steering = steers.and_then(|rank| self.ranks.get(&rank));
        if !steering.is_some_and(reachable) {
            return;
        }
        let Some((number, proposal)) = self.decider.propose(self.knobs.list(), per) else {
            return;
        };
        let link = self.ranks.get(&proposal.rank).filter(|rank| reachable(rank)).and_then(|rank| link_of(&rank.agent));
        self.tell(tell::decided(&self.id, number, &proposal, per, self.spec.dry_run), out);
        let objection = self.knobs.objection(proposal.rank, &proposal.assignments);
        match (link, objection) {
            (_, Some(why)) => self.withhold(number, number_of_window, &why, out),
            _ if self.spec.dry_run => self.decider.on_not_applied(number, Verdict::Advised),
            (None, None) => self.withhold(number, number_of_window, "its rank has no agent", out),
            (Some(link), None) => {
                let wanted = Wanted {
                    decision: number,
                    rank: proposal.rank,
                    restore: self.knobs.current(proposal.rank, &proposal.assignments),
                    assignments: proposal.assignments,
                    at_once: proposal.at_once,
                    // Three iterations, so that a long one does not let every action expire.
                    ttl_ms: self.spec.action_ttl_ms.max((self.last_iteration_s * 3e3) as u64),
                };
                let action = self.actions.start(now, &self.id, wanted);
                out.push(journal_action(&action));
                out.push(Output::Act { link, action });
            }
        }
    }

    fn withhold(&mut self, number: u64, iteration: u64, why: &str, out: &mut Vec<Output>) {
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
        let (action, number) = (&settlement.action, settlement.decision);
        if settlement.status == ActionStatus::Applied {
            for (name, value) in &action.assignments {
                self.knobs.set(action.rank, name, value);
            }
            let setting = self.knobs.setting(action.rank);
            self.windows.on_setting(iteration, time_ns, action.at_once, setting);
            self.policy = setting.to_string();
        }
        match (settlement.status, settlement.late) {
            (ActionStatus::Applied, false) => self.decider.on_applied(number, iteration),
            (ActionStatus::Applied, true) => self.decider.on_applied_late(number, iteration),
            // It was told when it was given up.
            (_, true) => return,
            (_, false) => self.decider.on_not_applied(number, Verdict::NotApplied),
        }
        let per = self.decider.decision(number).map_or(Per::Iteration, |line| line.per);
        self.tell(tell::settled(&self.id, settlement, per, iteration), out);
    }
}

fn journal_action(action: &Action) -> Output {
    Output::Journal(json!({
        "event": "action", "job": action.job.as_str(), "action": action.id.0, "rank": action.rank,
        "assignments": action.assignments, "restore": action.restore, "at_once": action.at_once,
        "decided_ns": action.decided_ns, "deadline_ns": action.deadline_ns,
    }))
}
