//! Iterations that something else stalls now and then, as a machine does: no setting is better or worse for that.

use super::Mode;
use super::plant_tests::{Dist, Plant, setting_of, tuning_points, tunlet};
use crate::{Observation, Settled, Tunlet};
use midrun_scheduling::TechniqueParameters;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Changes in 100 iterations of so many tasks on so many workers, of which one in 25 takes up to eleven times as long: something stalls the master,
/// or the first worker in its last chunk.
fn changes(dist: Dist, (tasks, workers): (usize, usize), in_worker: bool, seed: u64) -> Vec<String> {
    let mut plant = Plant::new(dist);
    let mut chance = SmallRng::seed_from_u64(seed ^ 77);
    plant.random = SmallRng::seed_from_u64(seed);
    (plant.tasks, plant.mean_s, plant.slowness) = (tasks, 20e-3, vec![1.0; workers]);
    plant.setting = TechniqueParameters::FALLBACK;
    let (mut tunlet, mut changes, mut change) = (tunlet(Mode::Auto), Vec::new(), None);
    for k in 0..100 {
        let was_changed = change.is_some();
        let mut window = plant.iterate(change.take());
        window.iteration_s *= 1.0 + 0.01 * chance.random::<f64>();
        if k > 5 && chance.random_bool(0.04) {
            let stall_s = window.iteration_s * chance.random_range(1.0..10.0);
            window.iteration_s += stall_s;
            let stalled = window.per_worker.first_mut().filter(|_| in_worker);
            if let Some(work) = stalled
                && let Some(chunk) = work.each_chunk.last_mut()
            {
                work.busy_s += stall_s;
                work.sum_sq_s2 += stall_s * stall_s;
                chunk.busy_s += stall_s;
                chunk.sum_sq_s2 += stall_s * stall_s;
            }
        }
        if was_changed {
            tunlet.on_settled(changes.len() as u64 - 1, Settled::Applied { iteration: window.iteration });
        }
        tunlet.observe(Observation::Iteration(&window));
        if let Some(proposal) = tunlet.propose(&tuning_points()) {
            changes.push(format!("{k}: {} -> {} because {}", proposal.from, proposal.to, proposal.why));
            change = Some(setting_of(&proposal.assignments));
        }
    }
    changes
}

const SIZES: [(usize, usize); 4] = [(5, 8), (8, 8), (60, 3), (200, 8)];

#[test]
fn even_tasks_are_left_as_they_are_though_iterations_are_stalled() {
    for (size, in_worker) in SIZES.into_iter().flat_map(|size| [(size, false), (size, true)]) {
        for seed in 0..5 {
            let changes = changes(Dist::Normal(0.0), size, in_worker, seed);
            assert!(changes.is_empty(), "{size:?} {in_worker} {seed}: {changes:?}");
        }
    }
}

#[test]
fn stalls_do_not_send_uneven_tasks_from_technique_to_technique() {
    for (size, in_worker) in SIZES.into_iter().flat_map(|size| [(size, false), (size, true)]) {
        let all: Vec<Vec<String>> = (0..5).map(|seed| changes(Dist::Normal(0.3), size, in_worker, seed)).collect();
        let mean = all.iter().map(Vec::len).sum::<usize>() as f64 / all.len() as f64;
        assert!(mean <= 1.0, "{size:?} {in_worker}: {all:?}");
    }
}
