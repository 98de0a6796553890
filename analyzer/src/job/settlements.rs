//! What became of a job's actions: values that are in force, and who is behind them.

use midrun_tunlets::Verdict;

use super::Job;
use super::dispatcher::Answered;
use super::synchronized::Outcome;
use crate::actions::{Action, ActionResult, ActionStatus, Assigned};
use crate::context::Ctx;
use crate::decisions::Per;
use crate::events::HostClock;
use crate::in_flight::{By, Settlement};
use crate::log_lines;

impl Job {
    pub(super) fn on_result(&mut self, ctx: &mut Ctx<'_>, rank: u32, clock: HostClock, result: &ActionResult) {
        self.point_texts.on_result(rank, result);
        self.iteration_texts.on_result(rank, result);
        match self.dispatcher.on_result(ctx.now, rank, clock, result) {
            Answered::Action(settlement) => self.on_settlement(ctx, &settlement, result.iteration, result.time_ns),
            Answered::Synchronized(in_force) => self.set_values(&in_force),
            Answered::Recorded(action) => self.on_recorded(ctx, &action, result),
            Answered::Unknown => {}
        }
    }

    fn set_values(&mut self, assigned: &[Assigned]) {
        for (rank, values) in assigned {
            values.iter().for_each(|(name, value)| self.roster.points.set(*rank, name, value));
        }
    }

    /// A rank has the values of an action: notes them, and who is behind them.
    fn on_applied(&mut self, by: By, action: &Action, iteration: Option<u64>) {
        for (name, value) in &action.assignments {
            self.roster.points.set(action.rank, name, value);
        }
        self.decisions.on_change(action.rank, iteration);
        match by {
            By::User => self.overrides.on_applied(action, iteration),
            By::Start => self.overrides.on_tuned(action, "memory", "remembered from an earlier run", iteration),
            By::Decision(number) => {
                if let Some(line) = self.decisions.line(number) {
                    self.overrides.on_tuned(action, &line.tunlet, &line.why, iteration);
                }
            }
        }
    }

    pub(super) fn on_settlement(&mut self, ctx: &mut Ctx<'_>, settlement: &Settlement, iteration: u64, time_ns: u64) {
        let (action, by) = (&settlement.action, settlement.by);
        let applied = settlement.status == ActionStatus::Applied;
        let line = by.decision().and_then(|number| self.decisions.line(number));
        let decided = line.filter(|line| line.per == Per::Iteration).map(|line| line.iteration);
        let counted = self.measurements.counted(action.rank, (iteration, time_ns)).or(decided);
        if applied {
            self.memory.on_applied(action, counted, &self.roster.points);
            self.on_applied(by, action, counted);
            if let Some(iteration) = counted {
                let setting = self.roster.points.setting(action.rank);
                self.measurements.on_setting(action.rank, (iteration, time_ns), action.at_once, setting);
            }
        }
        let mut group = None;
        if settlement.late {
            if !applied {
                return; // it was reported when it was given up
            }
            if let By::Decision(number) = by {
                self.decisions.on_applied_late(number, counted.unwrap_or(0));
            }
        } else {
            match by {
                By::User => self.overrides.on_settled(action, settlement.status, counted),
                By::Decision(number) if !applied => self.decisions.on_reason(number, settlement.status.as_str()),
                By::Decision(_) | By::Start => {}
            }
            group = self.dispatcher.on_settled(settlement, counted);
            if let Some(group) = group.as_ref().filter(|group| group.by == By::Start) {
                self.memory.on_start_settled(ctx, group);
            }
            if let Some(group) = &group
                && let By::Decision(number) = group.by
            {
                if group.has_failed() {
                    self.decisions.on_not_applied(number, Verdict::NotApplied);
                } else {
                    self.decisions.on_applied(number, group.iteration());
                }
            }
        }
        let line = by.decision().and_then(|number| self.decisions.line(number));
        let per = line.map_or(self.measurements.per(), |line| line.per);
        // Of the actions of one decision everybody is told together; the journal has each.
        let is_one = group.as_ref().map_or(!self.dispatcher.awaits_several(), |group| group.settled.len() == 1);
        if settlement.late || is_one {
            ctx.notify(log_lines::settled(&ctx.job, settlement, per, counted));
            return;
        }
        ctx.journal(log_lines::settled_json(&ctx.job, settlement, counted));
        if let Some(group) = group {
            ctx.notify(log_lines::all_settled(&ctx.job, by, per, &group.settled));
        }
    }

    /// A synchronized change has ended.
    pub(super) fn on_outcome(&mut self, outcome: &Outcome) {
        let rank = outcome.applied.first().map_or(0, |action| action.rank);
        let iteration = self.measurements.counted(rank, (outcome.iteration, 0)).unwrap_or(outcome.iteration);
        for action in &outcome.applied {
            self.memory.on_applied(action, Some(iteration), &self.roster.points);
            self.on_applied(outcome.by, action, Some(iteration));
            if outcome.by == By::User {
                self.overrides.on_settled(action, ActionStatus::Applied, Some(iteration));
            }
        }
        self.set_values(&outcome.in_force);
        match (outcome.by, &outcome.why_not) {
            (By::Decision(number), None) => self.decisions.on_applied(number, iteration),
            (By::Decision(number), Some(why)) => {
                self.decisions.on_reason(number, why);
                self.decisions.on_not_applied(number, Verdict::NotApplied);
            }
            (By::User | By::Start, None) | (By::Start, Some(_)) => {}
            (By::User, Some(why)) => self.overrides.refuse_open(why),
        }
    }

    /// In a replay, the program applied an action that the replay did not decide: its values are in force all the same.
    fn on_recorded(&mut self, ctx: &mut Ctx<'_>, action: &Action, result: &ActionResult) {
        if self.roster.points.objection(action.rank, &action.assignments).is_some() {
            return;
        }
        let counted = self.measurements.counted(action.rank, (result.iteration, result.time_ns));
        self.memory.on_applied(action, counted, &self.roster.points);
        for (name, value) in &action.assignments {
            self.roster.points.set(action.rank, name, value);
        }
        let setting = self.roster.points.setting(action.rank);
        self.decisions.on_change(action.rank, counted);
        let iteration = counted.unwrap_or(0);
        self.measurements.on_setting(action.rank, (iteration, result.time_ns), action.at_once, setting);
        let values: Vec<String> = action.assignments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let per = self.measurements.per();
        ctx.notify(log_lines::recorded_change(&ctx.job, iteration, per, &values.join(", ")));
    }
}
