//! A person's controls of one job: from the question to actions, and from their answers to the answer.

use std::collections::VecDeque;

use midrun_tunlets::Value;

use super::{Assigned, Fate, Job};
use crate::actions::{By, Settlement, When};
use crate::control::{Active, Change, Control, ControlLine, Mode, Turned};
use crate::ids::{AgentId, AskId, LinkId};
use crate::input::{Action, ActionStatus, Answer, Output};
use crate::limits;
use crate::tell;

impl Job {
    /// A person asks; answered by [`Job::serve_controls`]. False: too many wait.
    pub fn on_control(&mut self, ask: AskId, control: Control) -> bool {
        self.controls.take(ask, control)
    }

    /// Goes on with the controls that wait, as far as no action is in flight.
    pub(super) fn serve_controls(
        &mut self,
        now: u64,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        while !self.is_busy() {
            if self.controls.active.is_some() {
                self.go_on(now, link_of, out);
            } else if let Some((ask, control)) = self.controls.waiting.pop_front() {
                self.begin_control(now, ask, control, out);
            } else {
                return;
            }
        }
    }

    /// The job is over: nobody is left to answer.
    pub(super) fn end_controls(&mut self, now: u64, out: &mut Vec<Output>) {
        let ended = "the job has ended";
        if let Some(mut active) = self.controls.active.take() {
            let open = active.changes.iter_mut().filter(|change| change.applied_iteration.is_none());
            open.for_each(|change| change.refused = change.refused.take().or(Some(ended.to_owned())));
            self.conclude(active, out);
        }
        while let Some((ask, control)) = self.controls.waiting.pop_front() {
            self.refuse_control(now, ask, &control, ended.to_owned(), out);
        }
    }

    fn begin_control(&mut self, now: u64, ask: AskId, control: Control, out: &mut Vec<Output>) {
        let (mut rounds, mut kept) = (VecDeque::new(), Vec::new());
        match &control {
            Control::Set { synchronized: true, rank: Some(_), .. } => {
                let why = "--together is for all ranks that have the point: leave --rank out".to_owned();
                return self.refuse_control(now, ask, &control, why, out);
            }
            Control::Set { at_iteration: Some(k), .. } if *k >= limits::ITERATION_END => {
                let why = format!("an iteration has a number below {}, and {k} is none", limits::ITERATION_END);
                return self.refuse_control(now, ask, &control, why, out);
            }
            Control::Set { at_iteration: Some(_), synchronized: true, .. } => {
                let why = "--together chooses the iteration itself: leave --at-iteration out".to_owned();
                return self.refuse_control(now, ask, &control, why, out);
            }
            Control::Set { point, value, rank, .. } => match self.assigned_by_hand(point, value, *rank) {
                Ok(assigned) => rounds.push_back(assigned),
                Err(why) => return self.refuse_control(now, ask, &control, why, out),
            },
            Control::Pause => {
                self.controls.mode = Mode::Paused;
                (rounds, kept) = self.back_to_start();
            }
            Control::Freeze => self.controls.mode = Mode::Frozen,
            Control::Resume => {
                let made = self.spec.maker.make(&self.spec.options);
                match made {
                    // It knows nothing of what held before: a fresh look.
                    Ok(tunlet) => self.decider.replace(tunlet),
                    Err(error) => return self.refuse_control(now, ask, &control, error.to_string(), out),
                }
                self.controls.mode = Mode::Tuned;
                self.controls.release();
            }
        }
        let changes: Vec<Change> = rounds.iter().flatten().flat_map(|asked| self.changes(asked)).collect();
        if let (Control::Set { point, at_iteration, .. }, [first, ..]) = (&control, &changes[..]) {
            let ranks: Vec<u32> = changes.iter().map(|change| change.rank).collect();
            let at = at_iteration.map_or(String::new(), |k| format!(" at iteration {k}"));
            let text = format!("user: set {point} {} -> {} on {}{at}", first.from, first.to, tell::ranks(&ranks));
            self.tell(tell::life(&self.id, "control", text), out);
        }
        let at_s = self.at_s(now);
        self.controls.active = Some(Active { ask, control, at_s, rounds, changes, kept });
    }

    fn go_on(&mut self, now: u64, link_of: &dyn Fn(&AgentId) -> Option<LinkId>, out: &mut Vec<Output>) {
        let Some(mut active) = self.controls.active.take() else { return };
        let Some(mut round) = active.rounds.pop_front() else { return self.conclude(active, out) };
        if matches!(active.control, Control::Set { synchronized: true, .. }) {
            self.controls.active = Some(active);
            if let Err(why) = self.act_together(now, By::User, round, link_of, out) {
                self.refuse_changes(&why);
            }
            return;
        }
        round.retain(|(rank, assignments)| {
            let reached = self.reach(*rank, link_of).is_some();
            let why = match self.ranks.get(rank).map(|rank| rank.fate) {
                Some(Fate::Present) => "its agent is not connected",
                _ => "the rank has ended",
            };
            for change in active.changes.iter_mut().filter(|change| !reached && change.rank == *rank) {
                let of_round = assignments.iter().any(|(name, _)| *name == change.tuning_point);
                change.refused = of_round.then(|| why.to_owned()).or(change.refused.take());
            }
            reached
        });
        // Tunlets turn the hand-out inside an iteration, too; everything else waits for one to begin.
        let of_hand_out = |(_, assigned): &Assigned| assigned.iter().all(|(name, _)| super::hand::of_hand_out(name));
        let when = match active.control {
            Control::Set { at_iteration: Some(iteration), .. } => When::Iteration(iteration),
            _ if round.iter().all(of_hand_out) => When::Now,
            _ => When::NextIteration,
        };
        self.controls.active = Some(active);
        if !round.is_empty() && self.was_sent(&round, false) {
            self.act(now, By::User, round, when, link_of, out);
        }
    }

    /// Remembers who turned what, and what came of a control's action.
    pub(super) fn on_turned(&mut self, settlement: &Settlement, iteration: u64) {
        let action = &settlement.action;
        let (by, why) = match settlement.by.decision() {
            Some(number) => match self.decider.decision(number) {
                Some(line) => (line.tunlet.clone(), line.why.clone()),
                None => return,
            },
            None => ("user".to_owned(), "set by hand".to_owned()),
        };
        let pause = matches!(&self.controls.active, Some(Active { control: Control::Pause, .. }));
        for (name, _) in &action.assignments {
            let why =
                if settlement.by == By::User && pause { "value at start: paused".to_owned() } else { why.clone() };
            self.controls.on_turned(action.rank, name, Turned { by: by.clone(), why, iteration });
            if settlement.by == By::User && !pause {
                self.controls.hold(action.rank, name);
            }
        }
    }

    /// What came of an action of the control that is active.
    pub(super) fn on_control_settled(&mut self, action: &Action, status: ActionStatus, iteration: u64) {
        let Some(active) = &mut self.controls.active else { return };
        let of_action = |change: &&mut Change| {
            change.rank == action.rank && action.assignments.iter().any(|(name, _)| *name == change.tuning_point)
        };
        for change in active.changes.iter_mut().filter(of_action) {
            if status == ActionStatus::Applied {
                change.applied_iteration = Some(iteration);
                change.refused = None;
            } else {
                let text = matches!(change.to, Value::Text(_)) && status == ActionStatus::RefusedRange;
                let why = if text { "refused: the program cannot take this text" } else { status.as_str() };
                change.refused = Some(why.to_owned());
            }
        }
    }

    fn conclude(&mut self, active: Active, out: &mut Vec<Output>) {
        let Active { ask, control, at_s, changes, kept, .. } = active;
        let failed: Vec<&Change> = changes.iter().filter(|change| change.applied_iteration.is_none()).collect();
        let at = self.per_of(By::User).safe_point();
        let mut text = match &control {
            Control::Set { point, value, .. } => said_of_set(point, value, at, &changes),
            Control::Freeze => "frozen: tunlets decide nothing more, values stay".to_owned(),
            Control::Pause => {
                let back = changes.len() - failed.len();
                format!("paused: tunlets decide nothing more; values brought back to those at start: {back}")
            }
            Control::Resume => "resumed: tunlets look afresh and may turn everything".to_owned(),
        };
        let synchronized = matches!(control, Control::Set { synchronized: true, .. });
        for change in &failed {
            let why = change.refused.as_deref().unwrap_or("nobody answered");
            if synchronized {
                text += &format!("; {why}");
                break; // all have the same reason
            }
            text += &format!("; {} on rank {}: {why}", change.tuning_point, change.rank);
        }
        for why in &kept {
            text += &format!("; {why}");
        }
        let done = failed.is_empty();
        self.conclude_with(ask, ControlLine { at_s, control: control.name(), done, text, changes }, out);
    }

    fn refuse_control(&mut self, now: u64, ask: AskId, control: &Control, why: String, out: &mut Vec<Output>) {
        let text = match control {
            Control::Set { point, value, .. } => format!("{point} = {value} was not set: {why}"),
            other => format!("{} was refused: {why}", other.name()),
        };
        let line =
            ControlLine { at_s: self.at_s(now), control: control.name(), done: false, text, changes: Vec::new() };
        self.conclude_with(ask, line, out);
    }

    fn conclude_with(&mut self, ask: AskId, line: ControlLine, out: &mut Vec<Output>) {
        self.tell(tell::controlled(&self.id, &line), out);
        self.controls.on_over(line.clone());
        out.push(Output::Answer { ask, answer: Answer::Controlled(Box::new(line)) });
    }

    fn at_s(&self, now: u64) -> f64 {
        now.saturating_sub(self.started_ns) as f64 / 1e9
    }
}

fn said_of_set(point: &str, value: &str, at: &str, changes: &[Change]) -> String {
    let applied: Vec<&Change> = changes.iter().filter(|change| change.applied_iteration.is_some()).collect();
    let ranks: Vec<u32> = applied.iter().map(|change| change.rank).collect();
    match applied.iter().filter_map(|change| change.applied_iteration).max() {
        // A program without iterations does not count them.
        Some(last) => {
            let when = if last == u64::MAX { String::new() } else { format!(" at {at} {last}") };
            let held = "tunlets leave it alone until midrun resume";
            format!("{point} = {value} applied on {}{when}; {held}", tell::ranks(&ranks))
        }
        None => format!("{point} = {value} was not set"),
    }
}
