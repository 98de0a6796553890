//! Actions of the recorded analyzer, in a replay: only those may be sent again.

use std::collections::BTreeMap;

use crate::actions::{Action, ActionResult, ActionStatus, Assigned};
use crate::ids::ActionId;
use crate::in_flight::InFlight;
use crate::limits;

/// Actions that the recorded analyzer sent.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// In this step, by rank.
    now: BTreeMap<u32, Vec<Action>>,
    /// Without an answer yet, and not decided in the replay.
    foreign: BTreeMap<ActionId, Action>,
}

impl Recorded {
    /// The recorded analyzer sent this in the present step.
    pub(super) fn follow(&mut self, sent: Vec<Action>, in_flight: &InFlight) {
        self.now.clear();
        for action in sent {
            // One that goes again after its agent was away is decided already.
            if !in_flight.contains(action.id) {
                self.foreign.insert(action.id, action.clone());
            }
            self.now.entry(action.rank).or_default().push(action);
        }
        while self.foreign.len() > limits::SETTLED_ACTIONS {
            self.foreign.pop_first();
        }
    }

    /// The id that the first of these had where all of them were sent at one time: all with one id where ranks take them
    /// over in one iteration, else with one each, in order.
    pub(super) fn take(&mut self, assigned: &[Assigned], synchronized: bool) -> Option<ActionId> {
        let find = |(rank, assignments): &Assigned| {
            let sent = self.now.get(rank)?.iter().find(|action| action.assignments == *assignments);
            sent.map(|action| action.id)
        };
        let ids: Vec<ActionId> = assigned.iter().map(find).collect::<Option<_>>()?;
        let first = *ids.first()?;
        let next = |at: u64| if synchronized { first.0 } else { first.0 + at };
        if ids.iter().zip(0..).any(|(id, at)| id.0 != next(at)) {
            return None;
        }
        ids.iter().for_each(|id| drop(self.foreign.remove(id)));
        Some(first)
    }

    /// The program answered: returns the action that it applied, where the replay did not decide it.
    pub(super) fn on_result(&mut self, rank: u32, result: &ActionResult) -> Option<Action> {
        let action = self.foreign.remove(&result.action)?;
        (action.rank == rank && result.status == ActionStatus::Applied).then_some(action)
    }
}
