//! A job in a replay: what the recorded analyzer sent then, and what of it is sent again.

use std::collections::BTreeMap;

use super::{Assigned, Job};
use crate::ids::ActionId;
use crate::input::{Action, ActionResult, ActionStatus, Output};
use crate::limits;
use crate::recording;
use crate::summary::Per;

/// What the recorded analyzer sent.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// In this step.
    now: Vec<Action>,
    /// Without an answer yet, and not decided in the replay.
    foreign: BTreeMap<ActionId, Action>,
}

impl Job {
    /// The recorded analyzer sent this in the present step.
    pub fn follow(&mut self, sent: &[Action]) {
        let recorded = self.recorded.get_or_insert_default();
        recorded.now = sent.iter().filter(|action| action.job == self.id).cloned().collect();
        // One that goes again after its agent was away is decided already.
        let decided = |action: &&Action| self.actions.in_flight().any(|known| known.id == action.id);
        let others = recorded.now.iter().filter(|action| !decided(action));
        recorded.foreign.extend(others.map(|action| (action.id, action.clone())));
        while recorded.foreign.len() > limits::SETTLED_ACTIONS {
            recorded.foreign.pop_first();
        }
    }

    /// Whether all of this may be sent: always, but in a replay only where it was, at one time. It gets the ids that it had:
    /// one for all where ranks take it over `together`, else one each.
    pub(super) fn was_sent(&mut self, assigned: &[Assigned], synchronized: bool) -> bool {
        let Some(recorded) = &mut self.recorded else { return true };
        let find = |(rank, assignments): &Assigned| {
            let same = |action: &&Action| action.rank == *rank && action.assignments == *assignments;
            recorded.now.iter().find(same).map(|action| action.id)
        };
        let ids: Option<Vec<ActionId>> = assigned.iter().map(find).collect();
        let Some((first, ids)) = ids.and_then(|ids| Some((*ids.first()?, ids))) else { return false };
        let next = |at: u64| if synchronized { first.0 } else { first.0 + at };
        if ids.iter().zip(0..).any(|(id, at)| id.0 != next(at)) {
            return false;
        }
        ids.iter().for_each(|id| drop(recorded.foreign.remove(id)));
        self.actions.renumber(first);
        true
    }

    /// The program answered an action that the replay did not decide: what it took over is in force all the same.
    pub(super) fn on_recorded(&mut self, rank: u32, result: &ActionResult, out: &mut Vec<Output>) {
        let foreign = self.recorded.as_mut().map(|recorded| &mut recorded.foreign);
        let Some(action) = foreign.and_then(|foreign| foreign.remove(&result.action)) else { return };
        let refused = action.rank != rank || result.status != ActionStatus::Applied;
        if refused || self.tuning_points.objection(rank, &action.assignments).is_some() {
            return;
        }
        for (name, value) in &action.assignments {
            self.tuning_points.set(rank, name, value);
        }
        let setting = self.tuning_points.setting(rank);
        self.windows.on_setting(result.iteration, result.time_ns, action.at_once, setting);
        self.technique = setting.to_string();
        let assigned: Vec<String> =
            action.assignments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let per = if self.streams.any() { Per::Output } else { Per::Iteration };
        let notice = recording::departed(&self.id, result.iteration, per, &assigned.join(", "));
        self.tell(notice, out);
    }
}
