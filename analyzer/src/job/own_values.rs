//! The values by which a program cuts its tasks itself, iteration by iteration: a window may close after a value changed.

use midrun_tunlets::TuningPoint;
use midrun_tunlets::memory::{Cut, own_values};
use midrun_tunlets::tuning_point::names;

use crate::actions::Action;
use crate::events::TuningPointDeclared;
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

/// A program with its own loop may name any range for its number of workers, but sends to ranks: their number bounds it, without the master, unless
/// the program counts that, too.
pub(super) fn for_workers(point: TuningPointDeclared, ranks: u32) -> TuningPointDeclared {
    let most = f64::from(ranks.saturating_sub(1)).max(point.declared).max(point.value);
    let maximum = if point.name == names::OWN_WORKERS { point.maximum.min(most) } else { point.maximum };
    TuningPointDeclared { maximum, ..point }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::Phase;
    use crate::ids::{ActionId, JobId};

    fn declared(points: &mut TuningPoints, name: &str, value: f64) {
        let (minimum, maximum, declared) = (0.0, 100.0, value);
        let point =
            TuningPointDeclared { name: name.into(), whole: true, text: false, minimum, maximum, value, declared };
        assert!(points.declare(0, point));
    }

    #[test]
    fn a_number_of_workers_goes_up_to_the_ranks_beside_the_master() {
        let point = |name: &str, declared: f64| TuningPointDeclared {
            name: name.into(),
            whole: true,
            text: false,
            minimum: 1.0,
            maximum: 8.0,
            value: declared,
            declared,
        };
        let most = |name, declared, ranks| for_workers(point(name, declared), ranks).maximum;
        assert_eq!(most(names::OWN_WORKERS, 2.0, 7), 6.0);
        assert_eq!(most(names::OWN_WORKERS, 7.0, 7), 7.0, "it counts the master, too");
        assert_eq!(most(names::OWN_WORKERS, 2.0, 20), 8.0);
        assert_eq!(most(names::OWN_WORKERS, 2.0, u32::MAX), 8.0, "how many there are is not known");
        assert_eq!(most(names::CHUNK_TASKS, 2.0, 4), 8.0);
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
