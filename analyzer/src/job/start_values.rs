//! Sets the values with which an earlier run measured best, those of a program that cuts its tasks by itself.

use std::collections::BTreeMap;

use midrun_scheduling::PointValue;

use super::Job;
use crate::actions::Assigned;
use crate::context::Ctx;
use crate::in_flight::{By, When};

/// What each rank is to set.
pub(super) fn by_rank(values: &[PointValue]) -> Vec<Assigned> {
    let mut ranks: BTreeMap<u32, Assigned> = BTreeMap::new();
    for PointValue { rank, name, value } in values {
        ranks.entry(*rank).or_insert((*rank, Vec::new())).1.push((name.clone(), (*value).into()));
    }
    ranks.into_values().collect()
}

impl Job {
    /// Has ranks set the values of the start when the first iteration has begun: before, the program may still give its variables values
    /// of its own. Values that are not offered then may be when the iteration ends.
    pub(super) fn set_start_values(&mut self, ctx: &mut Ctx<'_>) {
        let Some(values) = self.memory.values_to_set() else { return };
        let has_begun = self.measurements.newest_iteration().is_some();
        if !has_begun || !self.is_free() {
            return;
        }
        let assigned = by_rank(values);
        let roster = &self.roster;
        let can_take = |(rank, assignments): &Assigned| {
            roster.points.objection(*rank, assignments).is_none() && roster.members.link_of(*rank, ctx.links).is_some()
        };
        if !assigned.iter().all(can_take) {
            return;
        }
        let is_held = values.iter().any(|value| self.overrides.holds(value.rank, &value.name));
        // A replay sets what was set then.
        let may_send = !self.spec.dry_run && !is_held && self.dispatcher.may_send(&assigned, false);
        if may_send {
            self.memory.on_asked();
            self.dispatcher.dispatch(ctx, By::Start, assigned, When::NextIteration, roster);
        } else {
            let why = if is_held { "its tuning points are set by hand" } else { "nothing is set in this run" };
            self.memory.on_not_set(ctx, why);
        }
    }
}
