//! The values by which a program cuts its tasks itself, iteration by iteration: a window may close after a value changed.

use midrun_tunlets::TuningPoint;
use midrun_tunlets::memory::{Cut, own_values};
use midrun_tunlets::tuning_point::names;

use crate::actions::Action;
use crate::tuning_points::TuningPoints;

/// A value that a rank took over.
#[derive(Debug)]
struct Change {
    iteration: u64,
    rank: u32,
    name: String,
    before: f64,
    /// Inside the iteration, and not before its first chunk.
    at_once: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct OwnValues {
    changes: Vec<Change>,
}

impl OwnValues {
    /// A rank takes the values of an action over in this iteration; `points` still has those before.
    pub(super) fn on_applied(&mut self, action: &Action, iteration: u64, points: &TuningPoints) {
        let change = |(name, _): &(String, _)| {
            let before = points.get(action.rank, name)?.value;
            Some(Change { iteration, rank: action.rank, name: name.clone(), before, at_once: action.at_once })
        };
        self.changes.extend(action.assignments.iter().filter_map(change));
    }

    /// By what the tasks of this iteration were cut. Iterations are asked for in order: what was before them is forgotten.
    pub(super) fn cut(&mut self, iteration: u64, points: &[TuningPoint]) -> Cut {
        self.changes.retain(|change| change.iteration >= iteration);
        let Some(mut values) = own_values(points) else {
            let is_technique = |point: &TuningPoint| point.name == names::TECHNIQUE;
            return if points.iter().any(is_technique) { Cut::Technique } else { Cut::Unknown };
        };
        for change in self.changes.iter().rev() {
            let changed = values.iter_mut().find(|value| value.rank == change.rank && value.name == change.name);
            let Some(value) = changed else { continue };
            match change.iteration == iteration {
                true if change.at_once => return Cut::Changed,
                true => {}
                false => value.value = change.before,
            }
        }
        Cut::Own(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::Phase;
    use crate::events::TuningPointDeclared;
    use crate::ids::{ActionId, JobId};

    fn declared(points: &mut TuningPoints, name: &str, value: f64) {
        let (minimum, maximum, declared) = (0.0, 100.0, value);
        let point =
            TuningPointDeclared { name: name.into(), whole: true, text: false, minimum, maximum, value, declared };
        assert!(points.declare(0, point));
    }

    /// Rank 0 takes `chunk.tasks` over.
    fn applied(own: &mut OwnValues, points: &mut TuningPoints, (iteration, value): (u64, f64), at_once: bool) {
        let name = names::CHUNK_TASKS;
        let assignments = vec![(name.to_owned(), value.into())];
        let action = Action {
            id: ActionId(1),
            job: JobId::new("j").unwrap(),
            rank: 0,
            assignments,
            at_once,
            decided_ns: 0,
            deadline_ns: 0,
            phase: Phase::Apply,
        };
        own.on_applied(&action, iteration, points);
        points.set(0, name, &value.into());
    }

    #[test]
    fn an_iteration_has_the_values_that_it_began_with() {
        let (mut own, mut points) = (OwnValues::default(), TuningPoints::default());
        assert_eq!(own.cut(0, points.list()), Cut::Unknown);
        declared(&mut points, names::TECHNIQUE, 5.0);
        assert_eq!(own.cut(0, points.list()), Cut::Technique);
        declared(&mut points, names::CHUNK_TASKS, 60.0);
        applied(&mut own, &mut points, (2, 15.0), false);
        applied(&mut own, &mut points, (4, 20.0), true);
        let size = |own: &mut OwnValues, iteration| match own.cut(iteration, points.list()) {
            Cut::Own(values) => Some(values[0].value),
            _ => None,
        };
        let sizes: Vec<Option<f64>> = (1..6).map(|iteration| size(&mut own, iteration)).collect();
        assert_eq!(sizes, [Some(60.0), Some(15.0), Some(15.0), None, Some(20.0)]);
    }
}
