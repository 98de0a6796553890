//! What the search for the number of workers costs against the best fixed number, over many random plants.

use super::Limits;
use super::number_tests::{Run, run, tunlet};
use super::plant_tests::{Dist, Plant};
use crate::options::Objective;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const MOST: u32 = 24;
const ITERATIONS: usize = 20;

/// What is drawn of a plant.
#[derive(Clone, Copy, Debug)]
struct Load {
    dist: Dist,
    tasks: usize,
    mean_s: f64,
    chunk_cost_s: f64,
    /// The tasks take so many times longer from the middle on.
    jump: f64,
    seed: u64,
}

impl Load {
    fn draw(seed: u64) -> Load {
        let mut random = SmallRng::seed_from_u64(seed);
        let log = |random: &mut SmallRng, low: f64, high: f64| low * (high / low).powf(random.random_range(0.0..1.0));
        let dist = match random.random_range(0..6) {
            0 | 1 => Dist::Normal(random.random_range(0.0..0.8)),
            2 => Dist::Exponential,
            3 => Dist::Bimodal,
            4 => Dist::Linear,
            _ => Dist::Fire,
        };
        // A row of a forest each.
        let most = if matches!(dist, Dist::Fire) { 200.0 } else { 2000.0 };
        let tasks = log(&mut random, 20.0, most) as usize;
        let mean_s = log(&mut random, 2e-3, 20e-3);
        let chunk_cost_s = log(&mut random, 8e-6, 60e-6);
        let jump = if random.random_bool(0.3) { 10.0 } else { 1.0 };
        Load { dist, tasks, mean_s, chunk_cost_s, jump, seed }
    }

    /// A run of this load: the same tasks whatever the number of workers.
    fn run(self, objective: Objective, from: u32, most: u32) -> Run {
        let mut plant = Plant::new(self.dist);
        plant.random = SmallRng::seed_from_u64(self.seed);
        (plant.tasks, plant.mean_s, plant.chunk_cost_s) = (self.tasks, self.mean_s, self.chunk_cost_s);
        plant.slowness = vec![1.0; from as usize];
        let jump = |plant: &mut Plant, i: usize| {
            plant.mean_s = if i < ITERATIONS / 2 { self.mean_s } else { self.mean_s * self.jump };
        };
        run(&mut tunlet(objective, Limits::default()), &mut plant, most, ITERATIONS, jump, |_| {})
    }
}

/// Pi of the iterations from `first` on.
fn pi_s(run: &Run, first: usize) -> f64 {
    let part = || (first..run.times_s.len()).map(|i| (f64::from(run.workers[i]), run.times_s[i], run.tasks_s[i]));
    let sum = |of: fn((f64, f64, f64)) -> f64| part().map(of).sum::<f64>();
    sum(|(n, time_s, _)| n * time_s) * sum(|(_, time_s, _)| time_s) / sum(|(_, _, task_s)| task_s)
}

/// Regret from the seventh iteration on against the best of some fixed numbers, of runs from 2 workers and from all.
fn regrets(load: Load) -> [(f64, Run); 2] {
    let from = 6;
    let fixed = |n: u32| pi_s(&load.run(Objective::Fixed, n, n), from);
    let least_s = (1..=MOST).filter(|n| *n < 6 || n % 3 == 0).map(fixed).fold(f64::INFINITY, f64::min);
    [2, MOST].map(|first| {
        let run = load.run(Objective::Efficiency, first, MOST);
        (pi_s(&run, from) / least_s - 1.0, run)
    })
}

/// More of them show more: `MIDRUN_PLANTS=60 cargo test --release on_most_of_many -- --nocapture`. `MIDRUN_SEED` is the first seed.
#[test]
fn the_number_is_found_within_six_iterations_on_most_of_many_random_plants() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, plants) = (number("MIDRUN_SEED").unwrap_or(0), number("MIDRUN_PLANTS").unwrap_or(6));
    let mut all = Vec::new();
    for seed in first..first + plants {
        let load = Load::draw(seed);
        for (regret, run) in regrets(load) {
            println!("{load:?}: {:+.1} %, {:?} {:#?}", 100.0 * regret, run.workers, run.why);
            all.push(regret);
        }
    }
    all.sort_by(f64::total_cmp);
    let share = |limit: f64| all.iter().filter(|regret| **regret <= limit).count() as f64 / all.len() as f64;
    println!("median {:.4}, up to 3 %: {:.2}, up to 5 %: {:.2}", all[all.len() / 2], share(0.03), share(0.05));
    assert!(all[all.len() / 2] < 0.03 && share(0.05) >= 0.6, "{all:.3?}");
}
