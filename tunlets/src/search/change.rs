//! The next change towards a combination of values: which values, on which ranks, and whether synchronized.

use std::collections::BTreeSet;

use midrun_models::search::Dimension;

use crate::proposal::ASSIGNMENTS;
use crate::{TuningPoint, Value};

/// Values for some ranks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) assignments: Vec<(String, Value)>,
    /// At least one; in increasing order if synchronized.
    pub(super) ranks: Vec<u32>,
    /// All ranks change in the same iteration, or none.
    pub(super) synchronized: bool,
}

impl Change {
    /// The tuning points after the ranks applied the change.
    pub(super) fn done(&self, tuning_points: &[TuningPoint]) -> Vec<TuningPoint> {
        let mut tuning_points = tuning_points.to_vec();
        for tuning_point in tuning_points.iter_mut().filter(|tuning_point| self.ranks.contains(&tuning_point.rank)) {
            let own = self.assignments.iter().find(|(name, _)| *name == tuning_point.name);
            tuning_point.value = own.and_then(|(_, value)| value.number()).unwrap_or(tuning_point.value);
        }
        tuning_points
    }
}

/// The next change towards `target`, the values of `dimensions`; `None` if they are in force.
pub(super) fn next(dimensions: &[Dimension], target: &[f64], tuning_points: &[TuningPoint]) -> Option<Change> {
    let wanted = |synchronized: bool| -> Vec<(&str, f64)> {
        let all = dimensions.iter().zip(target).filter(|(dimension, _)| dimension.synchronized == synchronized);
        all.map(|(dimension, value)| (dimension.name.as_str(), *value)).collect()
    };
    rank_by_rank(&wanted(false), tuning_points).or_else(|| on_all_ranks(&wanted(true), tuning_points))
}

/// Changes the first rank that differs, and all ranks that need the same change. The others follow with the next change.
fn rank_by_rank(wanted: &[(&str, f64)], tuning_points: &[TuningPoint]) -> Option<Change> {
    let mut all: Vec<(u32, Vec<(String, Value)>)> = Vec::new();
    for (name, value) in wanted {
        for tuning_point in
            tuning_points.iter().filter(|tuning_point| tuning_point.name == *name && tuning_point.value != *value)
        {
            let assignment = ((*name).to_owned(), Value::Number(*value));
            match all.iter_mut().find(|(rank, _)| *rank == tuning_point.rank) {
                Some((_, own)) if own.len() < ASSIGNMENTS => own.push(assignment),
                Some(_) => {}
                None => all.push((tuning_point.rank, vec![assignment])),
            }
        }
    }
    let (_, assignments) = all.first()?.clone();
    let ranks = all.into_iter().filter(|(_, own)| *own == assignments).map(|(rank, _)| rank).collect();
    Some(Change { assignments, ranks, synchronized: false })
}

/// Changes all ranks that have the first tuning point that differs anywhere, even those that seem to have the value: their
/// known value may be old. Further tuning points of the same ranks change with it.
fn on_all_ranks(wanted: &[(&str, f64)], tuning_points: &[TuningPoint]) -> Option<Change> {
    let of = |tuning_point: &&TuningPoint, name: &str| tuning_point.name == name && tuning_point.text.is_none();
    let ranks = |name: &str| -> BTreeSet<u32> {
        tuning_points
            .iter()
            .filter(|tuning_point| of(tuning_point, name))
            .map(|tuning_point| tuning_point.rank)
            .collect()
    };
    let differs = |(name, value): &&(&str, f64)| {
        tuning_points.iter().any(|tuning_point| of(&tuning_point, name) && tuning_point.value != *value)
    };
    let differ: Vec<&(&str, f64)> = wanted.iter().filter(differs).collect();
    let all = ranks(differ.first()?.0);
    let alike = differ.into_iter().filter(|(name, _)| ranks(name) == all).take(ASSIGNMENTS);
    let assignments = alike.map(|(name, value)| ((*name).to_owned(), Value::Number(*value))).collect();
    Some(Change { assignments, ranks: all.into_iter().collect(), synchronized: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_models::search::Space;

    fn tuning_point(rank: u32, name: &str, value: f64) -> TuningPoint {
        TuningPoint {
            rank,
            name: name.into(),
            whole: true,
            range: (0.0, 9.0),
            value,
            declared: 0.0,
            text: None,
            held: false,
        }
    }

    /// Values, ranks, and whether they are synchronized.
    type Expected = (Vec<(String, f64)>, Vec<u32>, bool);

    fn change(points: &[&str], target: &[f64], tuning_points: &[TuningPoint]) -> Option<Expected> {
        let space = Space::parse(points.iter().copied(), []).unwrap();
        let change = next(&space.dimensions, target, tuning_points)?;
        let values = change.assignments.into_iter().map(|(name, value)| (name, value.number().unwrap()));
        Some((values.collect(), change.ranks, change.synchronized))
    }

    fn values(of: &[(&str, f64)]) -> Vec<(String, f64)> {
        of.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn a_synchronized_change_goes_to_every_rank_that_has_the_point_even_where_it_seems_to_have_the_value() {
        let tuning_points = [
            tuning_point(2, "a", 1.0),
            tuning_point(0, "a", 0.0),
            tuning_point(1, "a", 0.0),
            tuning_point(3, "b", 0.0),
        ];
        assert_eq!(
            change(&["a=0..3 together"], &[1.0], &tuning_points),
            Some((values(&[("a", 1.0)]), vec![0, 1, 2], true))
        );
        assert_eq!(change(&["a=0..3"], &[1.0], &tuning_points), Some((values(&[("a", 1.0)]), vec![0, 1], false)));
        let same = [tuning_point(0, "a", 1.0), tuning_point(1, "a", 1.0)];
        assert_eq!(change(&["a=0..3 together"], &[1.0], &same), None);
    }

    #[test]
    fn points_of_the_same_ranks_change_together_at_once_and_those_of_others_after_them() {
        let of = |rank| [tuning_point(rank, "a", 0.0), tuning_point(rank, "b", 0.0), tuning_point(rank, "c", 0.0)];
        let tuning_points: Vec<TuningPoint> =
            of(0).into_iter().chain(of(1)).chain([tuning_point(0, "d", 0.0)]).collect();
        let points = ["d=0..3 together", "a=0..3 together", "b=0..3 together", "c=0..3"];
        let by = |target: &[f64]| change(&points, target, &tuning_points).unwrap();
        assert_eq!(by(&[1.0, 2.0, 3.0, 1.0]), (values(&[("c", 1.0)]), vec![0, 1], false));
        assert_eq!(by(&[1.0, 2.0, 3.0, 0.0]), (values(&[("d", 1.0)]), vec![0], true));
        assert_eq!(by(&[0.0, 2.0, 3.0, 0.0]), (values(&[("a", 2.0), ("b", 3.0)]), vec![0, 1], true));
    }
}
