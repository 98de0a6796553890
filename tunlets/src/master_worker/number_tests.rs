//! The number of workers against the plant: what is proposed takes part from the iteration after the next on.

use super::plant_tests::{Dist, Plant, setting_of, tuning_points};
use super::{Limits, MasterWorker, Mode};
use crate::confidence::Confidence;
use crate::link::Cost;
use crate::options::Objective;
use crate::tuning_point::{Value, names};
use crate::{LinkCost, Network, Observation, Settled, TuningPoint, Tunlet, Verdict, Window};
use midrun_scheduling::{Technique, TechniqueParameters};

pub(super) struct Run {
    pub(super) workers: Vec<u32>,
    techniques: Vec<Technique>,
    pub(super) times_s: Vec<f64>,
    /// Time of all tasks, seconds.
    pub(super) tasks_s: Vec<f64>,
    verdicts: Vec<Verdict>,
    measured_s: Vec<f64>,
    pub(super) why: Vec<String>,
    /// Predicted iteration times, seconds, and by which share they may be wrong.
    predicted: Vec<(f64, f64)>,
}

/// `most` workers are there; `disturb` may change the plant before an iteration and a window after it.
pub(super) fn run(
    tunlet: &mut MasterWorker,
    plant: &mut Plant,
    most: u32,
    iterations: usize,
    mut disturb: impl FnMut(&mut Plant, usize),
    mut bend: impl FnMut(&mut Window),
) -> Run {
    let mut run = Run {
        workers: vec![],
        techniques: vec![],
        times_s: vec![],
        tasks_s: vec![],
        verdicts: vec![],
        measured_s: vec![],
        why: vec![],
        predicted: vec![],
    };
    let (mut pending, mut on_the_road) = (None::<Vec<(String, Value)>>, None);
    for i in 0..iterations {
        // Proposed while the last iteration was running: taken over at the beginning of this one.
        if let Some((decision, assignments)) = on_the_road.take() {
            let assignments: Vec<(String, Value)> = assignments;
            if assignments.iter().any(|(name, _)| name == names::TECHNIQUE) {
                plant.setting = setting_of(&assignments);
            }
            if let Some((_, n)) = assignments.iter().find(|(name, _)| name == names::WORKERS) {
                plant.slowness.resize(n.number().unwrap() as usize, 1.0);
            }
            tunlet.on_settled(decision, Settled::Applied { iteration: i as u64 });
        }
        disturb(plant, i);
        let mut window = plant.iterate(None);
        bend(&mut window);
        run.workers.push(window.workers);
        run.techniques.push(window.setting.kind);
        run.times_s.push(window.iteration_s);
        run.tasks_s.push(window.task_s());
        if let Some(assignments) = pending.take() {
            on_the_road = Some((run.why.len() as u64 - 1, assignments));
        }
        let judgements = tunlet.observe(Observation::Iteration(&window));
        run.verdicts.extend(judgements.iter().map(|j| j.verdict));
        run.measured_s.extend(judgements.iter().map(|j| j.measured_s));
        if on_the_road.is_some() {
            continue; // one change at a time
        }
        let mut offered = tuning_points();
        offered.push(TuningPoint {
            rank: 0,
            name: names::WORKERS.into(),
            whole: true,
            range: (1.0, f64::from(most)),
            value: f64::from(window.workers),
            declared: f64::from(most),
            text: None,
            held: false,
        });
        if let Some(proposal) = tunlet.propose(&offered) {
            run.why.push(format!("{i}: {} -> {}: {}", proposal.from, proposal.to, proposal.why));
            run.predicted.push((proposal.predicted_s, proposal.uncertainty));
            pending = Some(proposal.assignments);
        }
    }
    run
}

pub(super) fn tunlet(objective: Objective, limits: Limits) -> MasterWorker {
    MasterWorker::new(Mode::Auto, objective, Confidence::default(), limits)
}

fn plant(workers: usize, mean_s: f64, tasks: usize) -> Plant {
    let mut plant = Plant::new(Dist::Normal(0.4));
    (plant.mean_s, plant.tasks) = (mean_s, tasks);
    plant.slowness = vec![1.0; workers];
    plant
}

/// What `objective` would measure with each fixed number; returns the best number and all costs.
fn best_fixed(mean_s: f64, tasks: usize, most: u32, cost: impl Fn(u32, &Window) -> f64) -> (u32, Vec<f64>) {
    let measured = |n: u32| {
        let mut plant = plant(n as usize, mean_s, tasks);
        plant.setting = TechniqueParameters::new(Technique::Fac2);
        let costs: Vec<f64> = (0..4).map(|_| cost(n, &plant.iterate(None))).collect();
        costs.iter().sum::<f64>() / costs.len() as f64
    };
    let costs: Vec<f64> = (1..=most).map(measured).collect();
    let best = costs.iter().zip(1..).min_by(|a, b| a.0.total_cmp(b.0)).map_or(1, |(_, n)| n);
    (best, costs)
}

fn pi(n: u32, window: &Window) -> f64 {
    f64::from(n) * window.iteration_s * window.iteration_s / window.task_s()
}

#[test]
fn too_few_workers_become_as_many_as_pay_within_six_iterations() {
    let mut plant = plant(2, 2e-3, 10_000);
    let result = run(&mut tunlet(Objective::Efficiency, Limits::default()), &mut plant, 25, 14, |_, _| {}, |_| {});
    assert!(result.workers[6] >= 23, "{:?} {:?}", result.workers, result.why);
    assert!(result.why[0].contains("bound"), "the regime is named: {:?}", result.why);
    let is_measured = |time_s: &f64| (time_s / result.measured_s[0] - 1.0).abs() < 0.01;
    assert!(result.times_s.iter().any(is_measured), "{:?} {:?}", result.measured_s, result.times_s);
    assert!(!result.verdicts.contains(&Verdict::RolledBack) && result.why.len() <= 3, "{:?}", result.why);
}

/// Single tasks of so many seconds, and 60 us of the master for each: a few workers keep it busy. The technique stays.
fn master_bound(workers: usize, mean_s: f64, objective: Objective) -> (Plant, MasterWorker) {
    let mut plant = plant(workers, mean_s, 2_000);
    plant.chunk_cost_s = 60e-6;
    plant.setting = TechniqueParameters::new(Technique::Ss);
    (plant, MasterWorker::new(Mode::Fixed(Technique::Ss), objective, Confidence::default(), Limits::default()))
}

#[test]
fn a_master_that_is_the_bottleneck_gets_fewer_workers_and_the_log_says_so() {
    // Two or three workers keep it busy.
    let (mut plant, mut tunlet) = master_bound(25, 100e-6, Objective::Efficiency);
    let result = run(&mut tunlet, &mut plant, 25, 16, |_, _| {}, |_| {});
    let last = *result.workers.last().unwrap();
    assert!((1..=6).contains(&last), "{:?} {:?}", result.workers, result.why);
    assert!(result.why.iter().any(|why| why.contains("the master is the bottleneck")), "{:?}", result.why);
    let (first_s, last_s) = (result.times_s[0], *result.times_s.last().unwrap());
    assert!(last_s < 1.15 * first_s, "hardly slower with a fraction of the workers: {first_s} {last_s}");
}

#[test]
fn of_numbers_that_take_the_same_time_the_one_of_least_pi_is_taken() {
    // From four workers on it takes as long as the master does.
    let (mut plant, mut tunlet) = master_bound(2, 200e-6, Objective::Time);
    let result = run(&mut tunlet, &mut plant, 25, 4, |_, _| {}, |_| {});
    let last = *result.workers.last().unwrap();
    assert!((4..=6).contains(&last), "{:?} {:?}", result.workers, result.why);
    assert!(result.why[0].contains("shortest iteration"), "{:?}", result.why);
    assert!(*result.times_s.last().unwrap() < 1.05 * 2_000.0 * 60e-6, "{:?}", result.times_s);
}

#[test]
fn work_that_changes_tenfold_is_found_again() {
    let (most, tasks) = (40, 400);
    let mut plant = plant(40, 20e-3, tasks);
    let mut tunlet = tunlet(Objective::Efficiency, Limits::default());
    let tenfold = |plant: &mut Plant, i: usize| plant.mean_s = if i < 12 { 20e-3 } else { 2e-3 };
    let result = run(&mut tunlet, &mut plant, most, 30, tenfold, |_| {});
    for (mean_s, at) in [(20e-3, 11), (2e-3, 29)] {
        let (best, costs) = best_fixed(mean_s, tasks, most, pi);
        let n = result.workers[at];
        let regret = costs[n as usize - 1] / costs[best as usize - 1] - 1.0;
        assert!(regret < 0.15, "{n} instead of {best}, {regret:.3}: {:?} {:?}", result.workers, result.why);
    }
}

#[test]
fn a_number_that_measures_worse_is_undone_and_left_alone() {
    let mut plant = plant(4, 2e-3, 4_000);
    // What the model cannot know: more than eight workers disturb each other badly.
    let crowd = |window: &mut Window| {
        if window.workers > 8 {
            window.iteration_s *= 9.0;
        }
    };
    let result = run(&mut tunlet(Objective::Time, Limits::default()), &mut plant, 25, 20, |_, _| {}, crowd);
    assert!(result.verdicts.contains(&Verdict::RolledBack), "{:?} {:?}", result.workers, result.why);
    assert!(result.workers.iter().filter(|n| **n == 25).count() <= 5, "{:?}", result.workers);
    assert!(*result.workers.last().unwrap() <= 24, "{:?}", result.workers);
    let back = result.why.iter().position(|why| why.contains("back to the former")).expect("the way back");
    assert!(result.why.iter().all(|why| why.contains("; Pi would ")), "each decision: {:?}", result.why);
    let (predicted_s, first_s) = (result.predicted[back].0, result.times_s[0]);
    assert!((predicted_s / first_s - 1.0).abs() < 0.1, "what four took before, {first_s}, not {predicted_s}");
    let at = result.workers.iter().position(|n| *n == 25).expect("25 were tried");
    let back = at + result.workers[at..].iter().position(|n| *n == 4).expect("the way back");
    let [before, tried, after] = [at - 1, at, back].map(|at| result.techniques[at]);
    assert!(before != tried && before == after, "the setting goes with its number: {before:?} {tried:?} {after:?}");
}

#[test]
fn a_number_that_the_program_does_not_take_is_given_up_and_the_tunlet_goes_on() {
    let mut plant = plant(2, 2e-3, 4_000);
    let at_most_8 = |plant: &mut Plant, _: usize| plant.slowness.truncate(8);
    let result = run(&mut tunlet(Objective::Efficiency, Limits::default()), &mut plant, 25, 40, at_most_8, |_| {});
    assert!(result.verdicts.contains(&Verdict::NotApplied), "{:?} {:?}", result.verdicts, result.why);
    assert!(result.why.len() <= 4, "a program that does not follow is not pressed: {:#?}", result.why);
    // Later it has four tasks, and four workers do: the tunlet has not gone silent.
    let mut tunlet = tunlet(Objective::Efficiency, Limits::default());
    let mut plant = self::plant(2, 2e-3, 4_000);
    let at_most_8 = |plant: &mut Plant, i: usize| {
        plant.slowness.truncate(8);
        (plant.tasks, plant.mean_s) = if i < 15 { (4_000, 2e-3) } else { (4, 1.0) };
    };
    let result = run(&mut tunlet, &mut plant, 25, 40, at_most_8, |_| {});
    assert!(*result.workers.last().unwrap() < 8, "{:?} {:#?}", result.workers, result.why);
}

#[test]
fn limits_budget_and_deadline_are_kept() {
    let max_8 = Limits { max: 8, ..Limits::default() };
    let mut few = plant(2, 2e-3, 4_000);
    let result = run(&mut tunlet(Objective::Efficiency, max_8), &mut few, 25, 10, |_, _| {}, |_| {});
    assert_eq!(result.workers.last(), Some(&8), "{:?}", result.workers);

    let steps = Limits { step: 3, ..Limits::default() };
    let mut stepping = plant(2, 2e-3, 4_000);
    let result = run(&mut tunlet(Objective::Time, steps), &mut stepping, 25, 12, |_, _| {}, |_| {});
    assert!(result.workers.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 3), "{:?}", result.workers);
    assert!(*result.workers.last().unwrap() > 5, "{:?}", result.workers);

    let mut bounded = plant(2, 2e-3, 4_000);
    let result = run(&mut tunlet(Objective::Budget(6), Limits::default()), &mut bounded, 25, 10, |_, _| {}, |_| {});
    assert_eq!(result.workers.last(), Some(&6), "{:?}", result.workers);

    let mut too_many = plant(25, 2e-3, 4_000);
    let result = run(&mut tunlet(Objective::Budget(6), Limits::default()), &mut too_many, 25, 10, |_, _| {}, |_| {});
    assert_eq!(result.workers.last(), Some(&6), "slower, and as the user requested: {:?}", result.workers);

    // 8 s of work in 0.9 s: nine workers, a tenth for what gets lost.
    let mut timed = plant(25, 2e-3, 4_000);
    let result = run(&mut tunlet(Objective::Deadline(0.9), Limits::default()), &mut timed, 25, 14, |_, _| {}, |_| {});
    let last = *result.workers.last().unwrap();
    assert!((9..=11).contains(&last), "{:?} {:?}", result.workers, result.why);
    assert!(*result.times_s.last().unwrap() <= 0.9, "{:?}", result.times_s);

    // What all of them do not meet is said, what can be met is not.
    for (limit_s, is_missed) in [(0.1, true), (0.9, false)] {
        let mut asked = tunlet(Objective::Deadline(limit_s), Limits::default());
        run(&mut asked, &mut plant(25, 2e-3, 4_000), 25, 14, |_, _| {}, |_| {});
        let missed = "to meet the deadline of 0.100 s: with 25 workers, all there are, an iteration takes 0.3";
        let said = asked.refusals().iter().any(|refusal| refusal.why.starts_with(missed));
        assert_eq!(said, is_missed, "{:?}", asked.refusals());
    }

    // Limits that leave one number only.
    for (objective, (min, max), number) in [
        (Objective::Efficiency, (7, 7), 7),
        (Objective::Budget(1), (0, 0), 1),
        (Objective::Efficiency, (1000, 0), 25), // all there are
    ] {
        let only = Limits { min, max, ..Limits::default() };
        let mut bound = plant(3, 2e-3, 4_000);
        let result = run(&mut tunlet(objective, only), &mut bound, 25, 6, |_, _| {}, |_| {});
        assert_eq!(result.workers.last(), Some(&number), "{:?}", result.workers);
    }

    let mut fixed = plant(2, 2e-3, 4_000);
    let result = run(&mut tunlet(Objective::Fixed, Limits::default()), &mut fixed, 25, 6, |_, _| {}, |_| {});
    assert_eq!(result.workers, [2; 6]);
}

#[test]
fn tasks_that_get_dearer_with_more_workers_are_learnt_and_the_number_follows() {
    // Tc grows by 10 % of one worker's for each more: Pi is least at nine, which nothing but dTc can tell.
    let mut plant = plant(4, 2e-3, 4_000);
    let crowded = |plant: &mut Plant, _: usize| plant.mean_s = 2e-3 * (0.9 + 0.1 * plant.slowness.len() as f64);
    let mut tunlet = tunlet(Objective::Efficiency, Limits::default());
    let result = run(&mut tunlet, &mut plant, 25, 30, crowded, |_| {});
    let last = *result.workers.last().unwrap();
    assert!((6..=13).contains(&last), "{:?} {:#?}", result.workers, result.why);
    let learnt = |why: &String| why.split("dTc ").nth(1)?.split_once(" +- ")?.0.parse::<f64>().ok();
    let slopes_ms: Vec<f64> = result.why.iter().filter_map(learnt).collect();
    assert!(slopes_ms.iter().any(|slope_ms| (slope_ms / 800.0 - 1.0).abs() < 0.15), "{slopes_ms:?} {:#?}", result.why);
    assert!(result.why[0].contains("dTc unknown"), "{:#?}", result.why);
}

#[test]
fn workers_too_far_to_pay_are_parked_and_named() {
    let mut plant = plant(8, 1e-3, 4_000);
    // What 4 KB per task cost on the way to ranks 5 to 8: the master's way out carries one message at a time.
    let far = |window: &mut Window| {
        let cost = |per_byte_s| Cost { start_up_s: 1e-4, start_up_error_s: 1e-6, per_byte_s, per_byte_error_s: 1e-9 };
        let link = |per_byte_s| Some(LinkCost { cost: cost(per_byte_s), ..LinkCost::default() });
        let (near, far) = (link(1e-10), link(1e-6));
        window.network = Some(Network { near, far, task_bytes: 4096, result_bytes: 0 });
        let away = |rank: u32| rank > 4;
        window.per_worker.iter_mut().for_each(|w| w.far = Some(away(w.rank)));
        let sent: u64 = window.per_worker.iter().filter(|w| away(w.rank)).map(|w| w.tasks).sum();
        window.iteration_s += sent as f64 * 4096.0 * 1e-6;
    };
    let mut tunlet = tunlet(Objective::Efficiency, Limits::default());
    let result = run(&mut tunlet, &mut plant, 8, 10, |_, _| {}, far);
    assert_eq!(result.workers.last(), Some(&4), "{:?} {:#?}", result.workers, result.why);
    let why = result.why.iter().find(|why| why.contains("parked first")).expect("a reason");
    assert!(why.contains("rank 8 (1.0 times") && why.contains("to another host"), "{why}");
    assert!(why.contains("4.09") && !why.contains("rank 4 ("), "only the far ones: {why}");
}

#[test]
fn messages_that_seem_dear_but_keep_nobody_waiting_do_not_cost_workers() {
    let mut plant = plant(24, 1e-3, 480);
    plant.dist = Dist::Normal(0.0);
    // Ten times what the iteration has room for: measured where many messages share a host's workload.
    let dear = |window: &mut Window| {
        let cost = Cost { start_up_s: 2e-5, start_up_error_s: 1e-6, per_byte_s: 2e-8, per_byte_error_s: 1e-9 };
        let near = Some(LinkCost { cost, ..LinkCost::default() });
        window.network = Some(Network { near, far: None, task_bytes: 32768, result_bytes: 32768 });
    };
    let result = run(&mut tunlet(Objective::Efficiency, Limits::default()), &mut plant, 24, 12, |_, _| {}, dear);
    assert!(result.workers.iter().all(|n| *n >= 20), "{:?} {:#?}", result.workers, result.why);
}

#[test]
fn a_slow_worker_that_leaves_is_named_with_how_slow_it_is() {
    let mut plant = plant(4, 2e-3, 2_000);
    plant.slowness = vec![1.0, 1.0, 40.0, 1.0];
    plant.setting = TechniqueParameters::new(Technique::Ss);
    let mut tunlet = MasterWorker::new(
        Mode::Auto,
        Objective::Efficiency,
        Confidence::default(),
        Limits { max: 3, ..Limits::default() },
    );
    let result = run(&mut tunlet, &mut plant, 4, 6, |_, _| {}, |_| {});
    assert!(result.why.iter().any(|why| why.contains("parked first") && why.contains("rank 3 (")), "{:#?}", result.why);
}

#[test]
fn a_slow_worker_that_left_is_not_asked_back() {
    let mut plant = plant(4, 2e-3, 2_000);
    plant.slowness = vec![1.0, 1.0, 1.0, 40.0];
    plant.setting = TechniqueParameters::new(Technique::Ss);
    let result = run(&mut tunlet(Objective::Efficiency, Limits::default()), &mut plant, 4, 14, |_, _| {}, |_| {});
    assert_eq!(result.workers.windows(2).filter(|pair| pair[0] != pair[1]).count(), 1, "{:?}", result.workers);
    assert_eq!(result.workers.last(), Some(&3), "{:?} {:#?}", result.workers, result.why);
}

#[test]
fn a_predicted_time_carries_an_interval_that_the_measured_one_meets() {
    let mut plant = plant(2, 2e-3, 4_000);
    let result = run(&mut tunlet(Objective::Efficiency, Limits::default()), &mut plant, 25, 8, |_, _| {}, |_| {});
    let (predicted_s, uncertainty) = result.predicted[0];
    let measured_s = result.times_s[4];
    assert!((measured_s / predicted_s - 1.0).abs() < uncertainty, "{measured_s} {predicted_s} {uncertainty}");
    assert!(uncertainty < 0.4, "it says something: {uncertainty}");
}

/// 4 KiB per task: with many workers their way out limits.
fn message_bound(per_byte_error_s: f64) -> impl FnMut(&mut Window) {
    let cost = Cost { start_up_s: 1e-4, start_up_error_s: 1e-6, per_byte_s: 1e-8, per_byte_error_s };
    let far = Some(LinkCost { cost, ..LinkCost::default() });
    move |window| {
        window.network = Some(Network { far, near: None, task_bytes: 4096, result_bytes: 8 });
        window.iteration_s += window.tasks as f64 * 4096.0 * 1e-8;
    }
}

#[test]
fn what_is_badly_known_widens_the_interval_of_what_rests_on_it() {
    // With many workers lambda decides.
    let width = |per_byte_error_s| {
        let mut plant = plant(2, 4e-4, 4_000);
        let network = message_bound(per_byte_error_s);
        let result = run(&mut tunlet(Objective::Time, Limits::default()), &mut plant, 25, 16, |_, _| {}, network);
        let number = result.why.iter().position(|why| why.contains("shortest iteration")).expect("another number");
        result.predicted[number].1
    };
    assert!(width(4e-9) > 1.5 * width(1e-11), "{} {}", width(4e-9), width(1e-11));
}

#[test]
fn the_outlook_names_ranks_and_how_sure_it_is() {
    let mut plant = plant(8, 2e-3, 4_000);
    let mut tunlet = tunlet(Objective::Efficiency, Limits::default());
    assert_eq!(tunlet.report().next_allocation, None);
    run(&mut tunlet, &mut plant, 8, 8, |_, _| {}, |_| {});
    let next = tunlet.report().next_allocation.expect("advice");
    assert!(next.workers > 8 && next.iteration_s < next.iteration_now_s, "{next:?}");
    assert!(next.uncertainty > 0.0 && next.uncertainty < 0.3, "{next:?}");
    assert!(next.one_more_s.is_some_and(|s| s < next.iteration_now_s && s > next.iteration_s), "{next:?}");
}

#[test]
fn one_more_worker_is_said_to_help_only_where_that_is_sure() {
    // As many tasks as workers, all alike; and a master that is busy all the time.
    for (workers, tasks, chunk_cost_s) in [(8, 8, 1e-6), (16, 400, 1e-3)] {
        let (mut plant, mut tunlet) = (plant(workers, 1e-3, tasks), tunlet(Objective::Fixed, Limits::default()));
        plant.chunk_cost_s = chunk_cost_s;
        run(&mut tunlet, &mut plant, workers as u32, 8, |_, _| {}, |_| {});
        let next = tunlet.report().next_allocation.expect("advice");
        assert_eq!(next.one_more_s, None, "{next:?}");
    }
}

#[test]
fn no_more_workers_are_advised_than_there_are_tasks() {
    // 24 tasks on 16 workers, for which numbers in steps of several would make it 26; every other iteration may have 28.
    let advised = |vary: bool| {
        let (mut plant, mut tunlet) = (plant(16, 2e-2, 24), tunlet(Objective::Budget(64), Limits::default()));
        run(&mut tunlet, &mut plant, 16, 8, |plant, i| plant.tasks = if vary && i % 2 == 1 { 28 } else { 24 }, |_| {});
        tunlet.report().next_allocation.expect("advice").workers
    };
    assert_eq!(advised(false), 24);
    assert!(advised(true) > 24, "the next iteration may have more");
}

#[test]
fn advice_rests_on_pi_unless_the_user_set_a_budget_and_decisions_say_what_pi_would_choose() {
    // Each chunk costs the master so much that the time hardly falls beyond ten workers.
    let run_with = |objective, limits| {
        let mut plant = plant(8, 1e-3, 400);
        plant.chunk_cost_s = 1e-3;
        let mut tunlet = tunlet(objective, limits);
        let result = run(&mut tunlet, &mut plant, 8, 8, |_, _| {}, |_| {});
        (tunlet.report().next_allocation.expect("advice").workers, result.why)
    };
    let eight = Limits { min: 8, max: 0, ..Limits::default() };
    let (by_time, why) = run_with(Objective::Time, eight);
    let (by_pi, _) = run_with(Objective::Efficiency, eight);
    let (within_budget, _) = run_with(Objective::Budget(32), eight);
    assert_eq!(by_time, by_pi);
    assert!(by_pi < within_budget, "{by_pi} {within_budget}");
    assert!(why[0].ends_with("; Pi would keep 8 of 8 workers"), "{why:?}");
    let (mut plant, network) = (plant(2, 4e-4, 4_000), message_bound(1e-11));
    let result = run(&mut tunlet(Objective::Time, Limits::default()), &mut plant, 25, 6, |_, _| {}, network);
    let why = result.why.iter().find(|why| why.contains("shortest iteration")).expect("another number");
    let (_, pi) = why.split_once("; Pi would choose ").unwrap_or_else(|| panic!("{why}"));
    assert!(pi.contains(" of 25 workers: ") && pi.contains(" instead of "), "{pi}");
}

#[test]
fn few_tasks_of_very_different_length_do_not_make_the_number_restless() {
    let mut plant = plant(24, 5e-3, 60);
    plant.dist = Dist::Exponential;
    let mut tunlet = tunlet(Objective::Efficiency, Limits::default());
    let result = run(&mut tunlet, &mut plant, 24, 30, |_, _| {}, |_| {});
    // Pi differs by less than a twentieth from 14 to 24, and iterations by a third.
    let changes = result.workers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes <= 2 && result.workers.iter().all(|n| *n >= 8), "{:?} {:?}", result.workers, result.why);
}
