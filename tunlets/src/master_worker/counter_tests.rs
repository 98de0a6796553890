//! The tunlet where the master can be relieved: by a shared counter, or by sub-masters.

use super::Mode;
use super::candidates::{assignments, fit, is_bounded};
use super::plant_tests::{Dist, Plant, run_offering, tuning_points, tunlet};
use crate::TuningPoint;
use crate::proposal::ASSIGNMENTS;
use crate::tuning_point::names;
use midrun_scheduling::{Technique, TechniqueParameters};

fn with(name: &str, most: f64) -> Vec<TuningPoint> {
    let mut all = tuning_points();
    all.push(TuningPoint { name: name.into(), range: (0.0, most), ..all[0].clone() });
    all
}

/// What a program offers whose tasks carry no input.
fn with_counter() -> Vec<TuningPoint> {
    with(names::COUNTER, 1.0)
}

/// What a program offers whose workers are on one host.
fn with_teams() -> Vec<TuningPoint> {
    with(names::TEAM_SIZE, 200.0)
}

/// 400 workers with tasks of 20 us on average, and a master that needs 10 us for a chunk.
fn saturated() -> Plant {
    let mut plant = Plant::new(Dist::Exponential);
    (plant.tasks, plant.mean_s, plant.chunk_cost_s, plant.slowness) = (300_000, 20e-6, 10e-6, vec![1.0; 400]);
    plant.setting = TechniqueParameters::new(Technique::Fac2);
    plant
}

fn end(points: &[TuningPoint], mut plant: Plant) -> (f64, TechniqueParameters, Vec<String>) {
    let run = run_offering(points, &mut tunlet(Mode::Auto), &mut plant, 12, |_, _| {});
    (run.ratios[9..].iter().sum::<f64>() / 3.0, run.last, run.decisions)
}

#[test]
fn a_saturated_master_is_relieved_by_the_counter_where_there_is_one() {
    let (without, setting, _) = end(&tuning_points(), saturated());
    assert!(!setting.counter, "{setting}");
    let (with, setting, decisions) = end(&with_counter(), saturated());
    assert!(setting.counts() && with < without / 1.05, "{setting}: {with} instead of {without}: {decisions:#?}");
    assert!(decisions[0].contains("the master is the bottleneck"), "{decisions:#?}");
}

#[test]
fn a_saturated_master_is_relieved_by_sub_masters_where_tasks_carry_input() {
    let (without, setting, _) = end(&tuning_points(), saturated());
    assert_eq!(setting.team_size, 0, "{setting}");
    let (with, setting, decisions) = end(&with_teams(), saturated());
    assert_eq!(setting.sub_team_size(), Some(20), "{decisions:#?}");
    assert!(with < without / 1.05, "{setting}: {with} instead of {without}: {decisions:#?}");
    let both = [with_teams(), vec![with_counter().pop().unwrap()]].concat();
    let mut smaller = saturated();
    smaller.tasks = 60_000;
    let (_, setting, decisions) = end(&both, smaller);
    assert!(setting.counts() && setting.team_size == 0, "who can take chunks needs no sub-master: {decisions:#?}");
}

#[test]
fn recall_does_not_even_out_what_was_taken_from_the_counter() {
    let (sent, taken) = (TechniqueParameters::START, TechniqueParameters::START_BY_COUNTER);
    let larger = TechniqueParameters { factor: 0.1, ..taken };
    assert!(is_bounded(&sent) && taken.recall && is_bounded(&taken) && !is_bounded(&larger));
    assert!(is_bounded(&TechniqueParameters { kind: Technique::Ss, ..larger }));
}

#[test]
fn a_master_that_has_time_keeps_its_workers() {
    let mut plant = Plant::new(Dist::Linear);
    (plant.tasks, plant.mean_s, plant.chunk_cost_s, plant.slowness) = (3_000, 1e-3, 10e-6, vec![1.0; 16]);
    let (_, setting, decisions) = end(&with_teams(), plant);
    assert_eq!(setting.team_size, 0, "{decisions:#?}");
}

#[test]
fn all_that_one_action_can_take_is_assigned() {
    for kind in Technique::ALL {
        let mut all = assignments(&TechniqueParameters::new(kind));
        all.push((names::WORKERS.into(), 3.0.into()));
        let mut without = all.clone();
        fit(&mut without, &tuning_points());
        assert_eq!(without.len(), ASSIGNMENTS);
        fit(&mut all, &with_counter());
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.len() <= ASSIGNMENTS && names.contains(&names::COUNTER), "{kind:?}: {names:?}");
        let mut both = assignments(&TechniqueParameters { team_size: 20, ..TechniqueParameters::new(kind) });
        both.push((names::WORKERS.into(), 3.0.into()));
        fit(&mut both, &[with_teams(), vec![with_counter().pop().unwrap()]].concat());
        assert!(
            both.len() <= ASSIGNMENTS && both.iter().any(|(name, _)| name == names::TEAM_SIZE),
            "{kind:?}: {both:?}"
        );
        let read = if matches!(kind, Technique::Fsc | Technique::Dpf) { names::FACTOR } else { names::TASK_MEAN_S };
        assert!(names.contains(&read) && names.contains(&names::WORKERS), "{kind:?}: {names:?}");
    }
}
