//! The tunlet with a program that cuts three batches, or chunks of one size, by itself, of which only whole chunks are timed.

use super::own_chunks::OwnChunks;
use super::plant_tests::{share, tunlet};
use super::{MasterWorker, Mode};
use crate::testing::window;
use crate::tuning_point::names;
use crate::{ChunkWork, Observation, PROFILE_BINS, ProfileBin, Settled, TuningPoint, Tunlet, Window, WorkerWork};
use midrun_models::batches::Rest;
use midrun_models::random::Random;
use midrun_models::simulate::{SimInput, iteration_of};
use midrun_scheduling::TechniqueParameters;

const TASKS: usize = 800;
const WORKERS: u32 = 8;

fn point(name: &str, range: (f64, f64), value: f64) -> TuningPoint {
    let (name, whole) = (name.to_owned(), name == names::CHUNK_TASKS);
    TuningPoint { rank: 0, name, whole, range, value, declared: value, text: None, held: false }
}

struct Program {
    /// What it offers, with the values now.
    offered: Vec<TuningPoint>,
    /// What a chunk costs its worker beyond its tasks, seconds.
    chunk_s: f64,
    /// Mean time of a task at a place from 0 to 1, seconds.
    law: fn(f64) -> f64,
    random: Random,
    iteration: u64,
    /// The third worker takes twice as long.
    slow: bool,
}

impl Program {
    fn new(shares: [f64; 3], law: fn(f64) -> f64) -> Program {
        let point = |(n, value): (usize, f64)| point(&format!("F{n}{}", names::SHARE_OF_REST), (0.05, 1.0), value);
        let offered = shares.into_iter().enumerate().map(point).collect();
        Program { offered, chunk_s: 0.0, law, random: Random::new(3), iteration: 0, slow: false }
    }

    fn of_chunks((tasks, chunk_s): (u32, f64), law: fn(f64) -> f64) -> Program {
        let size = point(names::CHUNK_TASKS, (1.0, 400.0), f64::from(tasks));
        Program { offered: vec![size], chunk_s, ..Program::new([0.5; 3], law) }
    }

    fn values(&self) -> Vec<f64> {
        self.offered.iter().map(|point| point.value).collect()
    }

    fn iterate(&mut self) -> Window {
        let mut time_s = |at: usize| (self.law)((at as f64 + 0.5) / TASKS as f64) * (0.7 + 0.6 * self.random.uniform());
        let times: Vec<f64> = (0..TASKS).map(&mut time_s).collect();
        let own = OwnChunks::offered(&self.offered).unwrap();
        let (batches, unexplained_s) = (Some(own.batches(&own.values(), Rest::OneBatch)), self.chunk_s);
        let input = SimInput {
            workers: WORKERS,
            mean_s: 1e-3,
            overhead_s: 1e-5,
            batches,
            unexplained_s,
            slowness: if self.slow { vec![1.0, 1.0, 2.0] } else { Vec::new() },
            ..SimInput::default()
        };
        let result = iteration_of(&times, &input, &TechniqueParameters::FALLBACK);
        let mut per_worker: Vec<WorkerWork> =
            (1..=WORKERS).map(|rank| WorkerWork { rank, ..WorkerWork::default() }).collect();
        let mut profile = vec![ProfileBin::default(); PROFILE_BINS];
        for chunk in &result.log {
            let sum_sq_s2 = chunk.busy_s * chunk.busy_s / chunk.count as f64;
            let work = &mut per_worker[chunk.worker as usize];
            work.tasks += chunk.count;
            work.chunks += 1;
            work.busy_s += chunk.busy_s;
            work.sum_sq_s2 += sum_sq_s2;
            let (first, tasks, busy_s) = (chunk.first, chunk.count, chunk.busy_s);
            work.each_chunk.push(ChunkWork { first, tasks, busy_s, sum_sq_s2 });
            share(&mut profile, (first, tasks), TASKS, busy_s);
        }
        let iteration = self.iteration;
        self.iteration += 1;
        Window {
            tasks: TASKS as u64,
            chunks: result.log.len() as u64,
            per_worker,
            profile,
            setting: TechniqueParameters::FALLBACK,
            ..window(iteration, WORKERS, result.iteration_s)
        }
    }

    /// Iteration time / ideal of each iteration, and the number of changes; `disturb` makes windows others.
    fn run(&mut self, tunlet: &mut MasterWorker, disturb: impl Fn(&mut Window)) -> (Vec<f64>, u64) {
        let (mut ratios, mut changes) = (Vec::new(), 0);
        for _ in 0..30 {
            let mut window = self.iterate();
            ratios.push(window.iteration_s / window.ideal_s());
            disturb(&mut window);
            tunlet.observe(Observation::Iteration(&window));
            let Some(proposal) = tunlet.propose(&self.offered) else { continue };
            for (name, value) in &proposal.assignments {
                let point = self.offered.iter_mut().find(|point| point.name == *name).unwrap();
                point.value = value.number().unwrap();
            }
            tunlet.on_settled(changes, Settled::Applied { iteration: self.iteration });
            changes += 1;
        }
        (ratios, changes)
    }
}

#[test]
fn shares_follow_the_place_of_the_dear_tasks_and_stay() {
    let mut program = Program::new([0.9, 0.9, 0.9], |at| 2e-3 * at);
    let (ratios, changes) = program.run(&mut tunlet(Mode::Auto), |_| {});
    let last = ratios[25..].iter().sum::<f64>() / 5.0;
    assert!(ratios[0] > 1.4 && last < 1.1, "{ratios:?}: {:?}", program.values());
    assert!((1..=3).contains(&changes), "{changes}");
}

#[test]
fn where_the_dear_tasks_are_now_here_now_there_chunks_suit_both() {
    let mut program = Program::new([0.9, 0.9, 0.9], |at| 2e-3 * at);
    let (mut tunlet, mut random) = (tunlet(Mode::Auto), Random::new(5));
    let mut ratios = Vec::new();
    for iteration in 0..40 {
        program.law = if random.below(2) == 0 { |at| 2e-3 * at } else { |at| 2e-3 * (1.0 - at) };
        let window = program.iterate();
        ratios.push(window.iteration_s / window.ideal_s());
        tunlet.observe(Observation::Iteration(&window));
        // Nothing is proposed before both were seen.
        if iteration < 15 {
            continue;
        }
        let Some(proposal) = tunlet.propose(&program.offered) else { continue };
        for (point, (_, value)) in program.offered.iter_mut().zip(&proposal.assignments) {
            point.value = value.number().unwrap();
        }
        tunlet.on_settled(iteration, Settled::Applied { iteration: program.iteration });
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (before, after) = (mean(&ratios[..15]), mean(&ratios[30..]));
    assert!(after < 0.8 * before, "{before} {after} {:?}", program.values());
}

#[test]
fn one_disturbed_iteration_is_no_reason_for_other_shares() {
    let mut program = Program::new([0.7, 0.7, 1.0], |_| 1e-3);
    let twice = |window: &mut Window| window.iteration_s *= if window.iteration == 12 { 2.0 } else { 1.0 };
    let (_, changes) = program.run(&mut tunlet(Mode::Auto), twice);
    assert!(changes <= 1, "{changes}: {:?}", program.values());
}

#[test]
fn a_value_outside_its_range_is_left_alone_for_nothing_could_go_back() {
    // As an int that is declared as a float, or a range that is too narrow.
    for value in [1e-44, 0.01] {
        let mut program = Program::new([0.9, 0.9, value], |at| 2e-3 * at);
        let mut tunlet = tunlet(Mode::Auto);
        let (_, changes) = program.run(&mut tunlet, |_| {});
        let refused: Vec<String> = tunlet.refusals().into_iter().map(|refusal| refusal.why).collect();
        assert_eq!((changes, program.values()[2]), (0, value));
        assert!(refused.iter().any(|why| why.starts_with("to tune F2.rest: it is ")), "{refused:?}");
    }
}

#[test]
fn what_measures_worse_goes_back_to_the_former_for_the_time_that_those_took() {
    let mut program = Program::new([0.9, 0.9, 0.05], |at| 2e-3 * at);
    let mut to_former = None;
    let mut tunlet = tunlet(Mode::Auto);
    // What the tunlet changed makes iterations longer, whatever it is.
    while to_former.is_none() && program.iteration < 30 {
        let changed = program.values()[2] != 0.05;
        let mut window = program.iterate();
        window.iteration_s *= if changed { 5.0 } else { 1.0 };
        tunlet.observe(Observation::Iteration(&window));
        let Some(proposal) = tunlet.propose(&program.offered) else { continue };
        let values: Vec<f64> = proposal.assignments.iter().map(|(_, value)| value.number().unwrap()).collect();
        program.offered.iter_mut().zip(&values).for_each(|(point, value)| point.value = *value);
        tunlet.on_settled(program.iteration, Settled::Applied { iteration: program.iteration });
        to_former = changed.then_some((values, proposal.unchanged_s / proposal.predicted_s));
    }
    let (values, times) = to_former.expect("a way back");
    assert_eq!(values, [0.9, 0.9, 0.05]);
    assert!((2.0..8.0).contains(&times), "{times}");
}

#[test]
fn chunks_become_small_where_the_dear_tasks_are_and_larger_where_one_costs_much() {
    for (law, start, chunk_s, sizes) in [
        ((|at| 2e-3 * at) as fn(f64) -> f64, 100, 0.0, 1.0..=12.0),
        (|_| 1e-3, 1, 1e-3, 10.0..=100.0),
        (|_| 1e-3, 1, 1e-5, 1.0..=12.0),
    ] {
        let mut program = Program::of_chunks((start, chunk_s), law);
        let (ratios, changes) = program.run(&mut tunlet(Mode::Auto), |_| {});
        let last = ratios[25..].iter().sum::<f64>() / 5.0;
        assert!(changes <= 3 && sizes.contains(&program.values()[0]), "{start} {changes}: {:?}", program.values());
        assert!(last < 1.02 * ratios[0] && last < 1.3, "{start}: {ratios:?}");
    }
}

#[test]
fn on_a_noisy_machine_the_size_of_chunks_settles() {
    for seed in 0..5 {
        let random = std::cell::RefCell::new(Random::new(seed));
        let noisy = |window: &mut Window| window.iteration_s *= 1.0 + 0.4 * random.borrow_mut().uniform();
        let mut program = Program::of_chunks((100, 5e-4), |at| if at < 0.2 { 4e-3 } else { 3e-4 });
        let (ratios, changes) = program.run(&mut tunlet(Mode::Auto), noisy);
        let last = ratios[20..].iter().sum::<f64>() / 10.0;
        assert!(
            (1..=3).contains(&changes) && last < 0.6 * ratios[0],
            "{seed}: {changes} {:?} {ratios:?}",
            program.values()
        );
    }
}

#[test]
fn one_batch_of_everything_is_divided_where_a_worker_is_slow() {
    let mut program = Program { slow: true, ..Program::new([1.0; 3], |_| 1e-3) };
    program.offered.truncate(1);
    let (ratios, changes) = program.run(&mut tunlet(Mode::Auto), |_| {});
    let last = ratios[25..].iter().sum::<f64>() / 5.0;
    assert!(ratios[0] > 1.7 && last < 1.3, "{ratios:?}: {:?}", program.values());
    assert!((1..=4).contains(&changes), "{changes}");
}

#[test]
fn chunks_that_have_tasks_in_common_are_named_and_left_alone() {
    /// What is said where a chunk is told to begin with another task, and the changes.
    fn said(first: impl Fn(u64, u64) -> u64) -> (String, u64) {
        let mut tunlet = tunlet(Mode::Auto);
        let (_, changes) = Program::of_chunks((200, 0.0), |_| 1e-3).run(&mut tunlet, |window| {
            window.own_loop = true;
            let iteration = window.iteration;
            let chunks = window.per_worker.iter_mut().flat_map(|w| &mut w.each_chunk);
            chunks.for_each(|chunk| chunk.first = first(iteration, chunk.first));
        });
        let said = tunlet.refusals().into_iter().map(|refusal| refusal.why);
        (said.filter(|why| why.contains("counts arguments")).collect(), changes)
    }
    let is_tuned = |(said, changes): (String, u64)| said.is_empty() && changes > 0;
    assert!(is_tuned(said(|_, first| first)) && is_tuned(said(|_, _| 0)), "as it is, and where none is told");
    assert!(is_tuned(said(|iteration, first| if iteration == 4 { 7 } else { first })), "once");
    let (by_iteration, changes) = said(|iteration, _| iteration + 1);
    assert!(by_iteration.contains("one has 200 tasks from 2 on, another 200 tasks from 2 on"), "{by_iteration}");
    assert_eq!(changes, 0);
}
