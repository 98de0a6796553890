//! Programs of which some iterations are of another kind than the others.

use super::Mode;
use super::plant_tests::{Dist, Plant, run_offering, tuning_points, tunlet};
use midrun_scheduling::{Technique, TechniqueParameters};

/// In every sixth iteration the first tenth of the tasks takes sixty times as long as the rest, as in a rebuild; the others have even tasks.
fn rebuilds(start: Technique, iterations: usize) -> (Vec<f64>, Vec<String>) {
    let mut plant = Plant::new(Dist::Normal(0.02));
    (plant.tasks, plant.slowness, plant.mean_s) = (200, vec![1.0; 7], 3e-3);
    plant.setting = TechniqueParameters::new(start);
    let mut tunlet = tunlet(Mode::Auto);
    let run = run_offering(&tuning_points(), &mut tunlet, &mut plant, iterations, |plant, k| {
        plant.dist = if k % 6 == 5 { Dist::Front } else { Dist::Normal(0.02) };
    });
    (run.ratios, run.decisions)
}

#[test]
fn after_one_rebuild_its_iterations_count_and_no_later_change_forgets_them() {
    for start in [Technique::None, Technique::Fac2, Technique::Mfsc] {
        let (ratios, decisions) = rebuilds(start, 60);
        let of_rebuilds: Vec<f64> = ratios.iter().skip(5).step_by(6).copied().collect();
        // The first one is not known, and a change that is decided after it may begin in the second.
        assert!(of_rebuilds[2..].iter().all(|ratio| *ratio < 1.3), "{start:?}: {of_rebuilds:?} {decisions:?}");
        assert!(decisions.len() <= 4, "{start:?}: {decisions:?}");
    }
}

#[test]
fn two_rare_kinds_in_a_row_are_both_weighed() {
    let mut plant = Plant::new(Dist::Normal(0.02));
    (plant.tasks, plant.slowness, plant.mean_s) = (200, vec![1.0; 7], 3e-3);
    plant.setting = TechniqueParameters::new(Technique::None);
    let mut tunlet = tunlet(Mode::Auto);
    let run = run_offering(&tuning_points(), &mut tunlet, &mut plant, 90, |plant, k| {
        (plant.dist, plant.mean_s) = match k % 9 {
            7 => (Dist::Front, 3e-3),
            8 => (Dist::Linear, 9e-3),
            _ => (Dist::Normal(0.02), 3e-3),
        };
    });
    let of_rebuilds: Vec<f64> = run.ratios.iter().skip(7).step_by(9).copied().collect();
    assert!(of_rebuilds[2..].iter().all(|ratio| *ratio < 1.3), "{of_rebuilds:?} {:?}", run.decisions);
    assert!(run.decisions.len() <= 4, "{:?}", run.decisions);
}
