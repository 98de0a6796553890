//! Recall as a part of the setting.

use super::Mode;
use super::candidates::{assignments, fit};
use super::plant_tests::{Dist, Plant, tuning_points, tunlet};
use crate::proposal::ASSIGNMENTS;
use crate::tuning_point::names;
use crate::{Observation, Proposal, TuningPoint, Tunlet, Window};
use midrun_scheduling::{Technique, TechniqueParameters};

fn with_recall(now: f64) -> Vec<TuningPoint> {
    let mut all = tuning_points();
    all.push(TuningPoint { name: names::RECALL.into(), range: (0.0, 1.0), value: now, ..all[0].clone() });
    all
}

/// What is proposed after one iteration in equal parts of exponential tasks.
fn proposed(mode: Mode, points: &[TuningPoint], change: impl Fn(&mut Window)) -> Proposal {
    let mut window = Plant::new(Dist::Exponential).iterate(None);
    change(&mut window);
    let mut tunlet = tunlet(mode);
    tunlet.observe(Observation::Iteration(&window));
    tunlet.propose(points).expect("equal parts of such tasks end unevenly")
}

fn recall_in(proposal: &Proposal) -> Option<f64> {
    let recall = proposal.assignments.iter().find(|(name, _)| name == names::RECALL);
    recall.and_then(|(_, value)| value.number())
}

#[test]
fn a_program_that_does_not_recall_gets_recall_with_its_technique_in_the_running_iteration() {
    let proposal = proposed(Mode::Auto, &with_recall(0.0), |_| {});
    assert_eq!((recall_in(&proposal), proposal.at_once), (Some(1.0), true), "{proposal:?}");
    assert!(proposal.to.ends_with("with recall") && !proposal.from.contains("recall"), "{proposal:?}");
}

#[test]
fn recall_is_left_alone_where_it_is_on_or_cannot_be_or_the_user_named_the_technique() {
    let asked = Mode::Fixed(Technique::Gss);
    let on = proposed(asked, &with_recall(1.0), |window| window.setting.recall = true);
    assert!(recall_in(&on).is_none() && !on.to.contains("recall") && on.at_once, "{on:?}");
    let whole = |window: &mut Window| window.per_worker[0].tasks_timed = false;
    assert_eq!(recall_in(&proposed(Mode::Auto, &with_recall(0.0), whole)), None, "a worker computes whole chunks");
    assert_eq!(recall_in(&proposed(Mode::Auto, &tuning_points(), |_| {})), None, "no such tuning point");
    assert_eq!(recall_in(&proposed(asked, &with_recall(0.0), |_| {})), None, "as published");
}

#[test]
fn what_a_person_set_stays_and_the_rest_is_tuned_on() {
    let hold = |name: &str| {
        let mut points = with_recall(0.0);
        points.iter_mut().for_each(|point| point.held = point.name == name);
        points
    };
    let other = proposed(Mode::Auto, &hold(names::RECALL), |_| {});
    assert!(recall_in(&other).is_none() && other.tuning_point == "technique", "{other:?}");
    let share = proposed(Mode::Auto, &hold(names::FACTOR), |_| {});
    assert!(
        !share.assignments.iter().any(|(name, _)| name == names::FACTOR) && share.tuning_point == "technique",
        "{share:?}"
    );
    let mut tunlet = tunlet(Mode::Auto);
    tunlet.observe(Observation::Iteration(&Plant::new(Dist::Exponential).iterate(None)));
    assert_eq!(tunlet.clone().propose(&hold(names::TECHNIQUE)), None, "equal parts were asked for");
    let mut points = hold(names::TECHNIQUE);
    points.iter_mut().for_each(|point| point.held = false);
    assert!(tunlet.propose(&points).is_some(), "until they are let go");
}

#[test]
fn without_recall_the_better_of_two_near_ties_can_begin_in_the_running_iteration() {
    let proposal = proposed(Mode::Auto, &tuning_points(), |_| {});
    assert!(proposal.at_once, "{proposal:?}");
}

#[test]
fn recall_is_assigned_beside_all_else_that_changes() {
    let mut points = with_recall(0.0);
    for name in [names::COUNTER, names::TEAM_SIZE] {
        points.push(TuningPoint { name: name.into(), range: (0.0, 20.0), ..points[0].clone() });
    }
    for kind in Technique::ALL {
        let setting = TechniqueParameters { recall: true, team_size: 20, ..TechniqueParameters::new(kind) };
        let mut all = assignments(&setting);
        all.push((names::WORKERS.into(), 3.0.into()));
        fit(&mut all, &points);
        let has = |name: &str| all.iter().any(|(known, _)| known == name);
        assert!(all.len() <= ASSIGNMENTS, "{kind:?}: {all:?}");
        assert!(has(names::RECALL) && has(names::TEAM_SIZE) && has(names::WORKERS), "{kind:?}: {all:?}");
    }
}
