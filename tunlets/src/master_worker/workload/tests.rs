//! What is learnt from windows, and what is not.

use super::*;
use crate::testing::window;
use crate::{ChunkWork, PROFILE_BINS, ProfileBin, WorkerWork};
use midrun_models::random::Random;
use midrun_vocabulary::profile::spread;

fn learn(workload: &mut Option<WorkloadEstimator>, window: &Window) -> Learnt {
    WorkloadEstimator::learn(workload, window, Confidence::default())
}

#[test]
fn even_tasks_have_no_sigma_and_no_profile() {
    let mut workload = None;
    assert_eq!(learn(&mut workload, &window(0, 4, 0.1)), Learnt::Anew);
    let m = workload.unwrap();
    assert!((m.mean_s - 1e-3).abs() < 1e-12 && m.sigma_s() < 1e-9);
    assert!(m.load().profile.is_empty());
    assert!((m.ideal_s() - 0.1).abs() < 1e-9);
}

#[test]
fn a_changed_program_is_learnt_anew_and_chance_is_not_a_change() {
    let mut workload = None;
    learn(&mut workload, &window(0, 4, 0.1));
    let mut slightly = window(1, 4, 0.1);
    slightly.per_worker.iter_mut().for_each(|w| {
        w.busy_s *= 1.02;
        w.sum_sq_s2 *= 1.02 * 1.02;
    });
    assert_eq!(learn(&mut workload, &slightly), Learnt::Added);
    let mut much = window(2, 4, 0.1);
    much.per_worker.iter_mut().for_each(|w| {
        w.busy_s *= 2.0;
        w.sum_sq_s2 *= 4.0;
    });
    assert_eq!(learn(&mut workload, &much), Learnt::Anew);
    assert!((workload.unwrap().mean_s - 2e-3).abs() < 1e-9);
}

/// A window of four workers whose tasks take so many times a millisecond.
fn taking(number: u64, times: f64) -> Window {
    let mut all = window(number, 4, 0.1);
    all.per_worker.iter_mut().for_each(|w| (w.busy_s, w.sum_sq_s2) = (times * w.busy_s, times * times * w.sum_sq_s2));
    all
}

#[test]
fn an_iteration_of_a_kind_that_was_seen_before_goes_on_with_what_is_known_of_it() {
    let mut workload = None;
    let of = |k: u64| if k % 6 == 5 { 8.0 } else { 1.0 };
    let learnt: Vec<Learnt> = (0..14).map(|k| learn(&mut workload, &taking(k, of(k)))).collect();
    use Learnt::{Added, Anew, Returned};
    let first = [Anew, Added, Added, Added, Added, Anew];
    let then = [Returned, Added, Added, Added, Added, Returned, Returned, Added];
    assert_eq!(learnt, [&first[..], &then[..]].concat());
    let known = workload.unwrap();
    assert_eq!((known.kind, known.iterations()), (0, 12));
    let others: Vec<(u64, u32)> = known.other_kinds().map(|other| (other.kind, other.iterations())).collect();
    assert_eq!(others, [(1, 2)]);
    assert!(known.knows(1) && !known.knows(2));
}

#[test]
fn a_program_that_became_another_for_good_has_no_other_kinds() {
    let mut workload = None;
    let learnt: Vec<Learnt> = (0..8).map(|k| learn(&mut workload, &taking(k, if k < 4 { 1.0 } else { 3.0 }))).collect();
    assert_eq!(learnt[4], Learnt::Anew);
    assert!(workload.unwrap().other_kinds().next().is_none(), "{learnt:?}");
}

#[test]
fn a_kind_that_has_gone_for_good_counts_no_more() {
    let mut workload = None;
    let times = |k: u64| if k == 5 { 8.0 } else { 1.0 };
    for k in 0..12 {
        learn(&mut workload, &taking(k, times(k)));
    }
    let others = |known: &Option<WorkloadEstimator>| -> Vec<u64> {
        known.as_ref().map(|known| known.other_kinds().map(|other| other.kind).collect()).unwrap_or_default()
    };
    assert_eq!(others(&workload), [1]);
    learn(&mut workload, &taking(12, 3.0));
    assert_eq!(others(&workload), [1, 0], "it may be one iteration only");
    for k in 13..18 {
        learn(&mut workload, &taking(k, 3.0));
    }
    assert_eq!(others(&workload), [1], "eleven of twelve were of the first kind, and none of five since");
    for k in 18..80 {
        learn(&mut workload, &taking(k, 3.0));
    }
    assert_eq!(others(&workload), [0_u64; 0]);
}

#[test]
fn one_task_that_something_stalled_makes_no_other_kind() {
    let stalled = |k: u64| {
        let mut all = taking(k, 1.0);
        let first = &mut all.per_worker[0];
        let (tasks, busy_s) = (first.tasks, first.busy_s + 0.5);
        (first.busy_s, first.sum_sq_s2) = (busy_s, first.sum_sq_s2 + 0.25);
        first.each_chunk = vec![ChunkWork { first: 0, tasks, busy_s, sum_sq_s2: first.sum_sq_s2 }];
        all
    };
    let mut workload = None;
    let of = |k: u64| if k % 4 == 3 { stalled(k) } else { taking(k, 1.0) };
    let learnt: Vec<Learnt> = (0..9).map(|k| learn(&mut workload, &of(k))).collect();
    assert!(learnt.contains(&Learnt::Returned), "{learnt:?}");
    assert!(workload.unwrap().other_kinds().next().is_none());
}

#[test]
fn windows_with_lost_records_teach_nothing() {
    let mut workload = None;
    let torn = Window { coverage: 0.4, ..window(0, 4, 0.1) };
    assert_eq!(learn(&mut workload, &torn), Learnt::Nothing);
    let empty = Window { tasks: 0, per_worker: vec![], ..window(0, 4, 0.0) };
    assert_eq!(learn(&mut workload, &empty), Learnt::Nothing);
}

/// Of four workers the first two take four times as long as the others.
fn half_slow() -> WorkloadEstimator {
    let mut uneven = window(0, 4, 0.2);
    for w in &mut uneven.per_worker[..2] {
        w.busy_s *= 4.0;
        w.sum_sq_s2 *= 16.0;
    }
    let mut workload = None;
    learn(&mut workload, &uneven);
    workload.unwrap()
}

#[test]
fn slow_workers_are_distinguished_from_slow_tasks() {
    let load = half_slow().load();
    assert!((load.slowness[3] / load.slowness[0] - 4.0).abs() < 1e-6, "{:?}", load.slowness);
    assert!(load.variation < 0.3, "{}", load.variation);
}

/// 80 equal tasks in chunks of five, to whichever of the `workers` is free: the first of four takes four times as long, and always begins with the first
/// chunk.
fn handed_out(number: u64, workers: std::ops::RangeInclusive<u32>, each_s: f64, random: &mut Random) -> Window {
    let count = workers.clone().count() as u32;
    let mut one = Window { tasks: 80, chunks: 16, ..window(number, count, 0.1) };
    let (mut free, mut parts) = (vec![0.0; count as usize], [(0.0, 0.0); PROFILE_BINS]);
    for (work, rank) in one.per_worker.iter_mut().zip(workers) {
        *work = WorkerWork { rank, tasks_timed: true, ..WorkerWork::default() };
    }
    for first in (0..80).step_by(5) {
        let at = (0..free.len()).min_by(|a, b| f64::total_cmp(&free[*a], &free[*b])).unwrap_or(0);
        let work = &mut one.per_worker[at];
        let own_s = if work.rank == 1 { 4.0 } else { 1.0 } * each_s * (1.0 + 0.1 * random.uniform());
        let (busy_s, sum_sq_s2) = (5.0 * own_s, 5.0 * own_s * own_s);
        (work.tasks, work.chunks) = (work.tasks + 5, work.chunks + 1);
        (work.busy_s, work.sum_sq_s2) = (work.busy_s + busy_s, work.sum_sq_s2 + sum_sq_s2);
        work.each_chunk.push(ChunkWork { first, tasks: 5, busy_s, sum_sq_s2 });
        spread(&mut parts, first, 5, 80, busy_s);
        free[at] += busy_s;
    }
    one.profile = parts.iter().map(|&(tasks, busy_s)| ProfileBin { tasks, busy_s }).collect();
    one.iteration_s = free.into_iter().fold(0.0, f64::max);
    one
}

#[test]
fn slow_workers_stay_known_when_the_tasks_change_and_while_they_are_parked() {
    let (mut workload, mut random) = (None, Random::new(3));
    let slowness = |workload: &Option<WorkloadEstimator>| workload.as_ref().map_or(0.0, WorkloadEstimator::slowest);
    for number in 0..10 {
        learn(&mut workload, &handed_out(number, 1..=4, 1e-3, &mut random));
        assert!((3.0..5.0).contains(&slowness(&workload)), "{number}: {}", slowness(&workload));
    }
    let known = workload.clone().unwrap();
    assert!(known.is_compared && known.shape.profile().is_none(), "no place is dear: {:?}", known.shape.profile());
    // Of 80 tasks of 1.05 ms, by three workers and a fourth of one.
    let ideal_s = known.ideal_of_s(&handed_out(10, 1..=4, 1e-3, &mut random));
    assert!((ideal_s / (80.0 * 1.05e-3 / 3.25) - 1.0).abs() < 0.05, "{ideal_s}");
    assert_eq!(learn(&mut workload, &handed_out(10, 1..=4, 3e-3, &mut random)), Learnt::Anew);
    assert!((3.0..5.0).contains(&slowness(&workload)), "{}", slowness(&workload));
    for number in 11..14 {
        learn(&mut workload, &handed_out(number, 2..=4, 3e-3, &mut random));
        let parked = workload.as_ref().and_then(|known| known.in_order().last().copied()).unwrap();
        assert!(parked.rank == 1 && (3.0..5.0).contains(&parked.slowness), "{number}: {parked:?}");
    }
}

#[test]
fn the_ideal_time_does_not_depend_on_who_computed_the_tasks() {
    // 400 tasks by two workers that take 4 ms for each, and two that take 1 ms.
    let of = |tasks: [u64; 4]| {
        let mut one = window(0, 4, 0.5);
        for (w, (count, each_s)) in one.per_worker.iter_mut().zip(tasks.into_iter().zip([4e-3, 4e-3, 1e-3, 1e-3])) {
            let own_s = count as f64 * each_s;
            (w.tasks, w.busy_s, w.sum_sq_s2) = (count, own_s, own_s * each_s);
        }
        one
    };
    let (in_equal_parts, by_speed) = (of([100, 100, 100, 100]), of([40, 40, 160, 160]));
    let mut workload = None;
    learn(&mut workload, &in_equal_parts);
    let known = workload.unwrap();
    for window in [&in_equal_parts, &by_speed] {
        assert!((known.ideal_of_s(window) - 0.16).abs() < 1e-9, "{}", known.ideal_of_s(window));
    }
    assert!((known.ideal_s() - 0.16).abs() < 1e-9, "{}", known.ideal_s());
    let errors = known.load().slowness_errors;
    assert!(errors.iter().all(|error| *error == 0.0), "nothing scatters but the workers: {errors:?}");
}

#[test]
fn speeds_of_workers_are_as_uncertain_as_their_few_tasks_also_where_no_difference_showed() {
    let of = |slow: f64| {
        let mut one = window(0, 4, 0.5);
        for w in &mut one.per_worker[..2] {
            w.busy_s *= slow;
            w.sum_sq_s2 *= slow * slow;
        }
        // Exponential times: the mean of a worker's 100 is known to a tenth.
        one.per_worker.iter_mut().for_each(|w| w.sum_sq_s2 *= 2.0);
        one.profile.clear();
        let mut workload = None;
        (0..2).for_each(|iteration| {
            learn(&mut workload, &Window { iteration, ..one.clone() });
        });
        workload.unwrap().load().slowness_errors
    };
    // A variance of 0 between four has the standard error of a chi-square's with three degrees of freedom.
    let hidden: f64 = (2.0_f64 / 3.0).sqrt() * (2.0 / std::f64::consts::PI).sqrt();
    let alike = (hidden / (1.0 + hidden) * 1e-2).sqrt();
    assert!(of(1.0).iter().all(|error| (0.3..1.1).contains(&(error / alike))), "{:?} of {alike}", of(1.0));
    assert!(of(3.0).iter().all(|error| (0.05..0.15).contains(error)), "{:?}", of(3.0));
}

#[test]
fn a_worker_that_drew_none_of_the_few_dear_tasks_is_not_faster() {
    // 28 tasks of 1 ms, and two of 200 ms, which two of four workers drew.
    let mut fire = window(0, 4, 0.21);
    fire.tasks = 30;
    for (w, dear) in fire.per_worker.iter_mut().zip([1.0, 1.0, 0.0, 0.0]) {
        (w.tasks, w.chunks) = (if dear > 0.0 { 4 } else { 11 }, 5);
        let cheap = w.tasks as f64 - dear;
        (w.busy_s, w.sum_sq_s2) = (cheap * 1e-3 + dear * 0.2, cheap * 1e-6 + dear * 0.04);
    }
    let mut workload = None;
    learn(&mut workload, &fire);
    assert!(workload.unwrap().load().slowness.iter().all(|slow| *slow == 1.0));
}

#[test]
fn of_fewer_workers_the_framework_keeps_the_fastest_and_a_program_with_its_own_loop_the_first() {
    let framework = half_slow().with_workers(3);
    let own = WorkloadEstimator { batches: Some(Batches::of_chunks(5)), ..framework.clone() };
    let slower = |of: &WorkloadEstimator| of.load().slowness.iter().map(|slow| *slow > 1.0).collect::<Vec<bool>>();
    assert_eq!((slower(&framework), slower(&own)), (vec![false, false, true], vec![true, true, false]));
    assert!(own.ideal_s() > framework.ideal_s());
}

#[test]
fn what_is_known_of_a_rank_outlasts_its_leaving() {
    let mut four = window(0, 4, 0.2);
    four.per_worker.iter_mut().for_each(|w| w.far = Some(w.rank == 4));
    (four.per_worker[3].busy_s, four.per_worker[3].sum_sq_s2) = (0.8, 0.0064);
    let mut workload = None;
    learn(&mut workload, &four);
    // One chunk each says little of what a chunk costs.
    let mut three = Window { chunks: 3, master_busy_s: 5e-5, ..window(1, 3, 0.1) };
    three.per_worker.iter_mut().for_each(|w| w.chunks = 1);
    assert_eq!(learn(&mut workload, &three), Learnt::OtherWorkers);
    let workload = workload.unwrap();
    let last = *workload.in_order().last().unwrap();
    assert!(last.rank == 4 && (last.slowness - 8.0).abs() < 0.01, "{last:?}");
    assert_eq!((workload.far.get(&4), workload.chunk_cost_s), (Some(&true), 1e-4 / 40.0));
    assert!(workload.with_workers(3).load().slowness.iter().all(|slow| (slow - 1.0).abs() < 0.01));
    assert!(workload.load().variation < 1e-3, "the tasks are even, whatever the parked one would take");
}

#[test]
fn sigma_is_found_from_chunks_when_tasks_were_not_timed() {
    // 40 chunks of 10 tasks whose sums scatter by 2 ms: a task scatters by 2/sqrt(10) ms.
    let mut w = window(0, 4, 0.1);
    for work in &mut w.per_worker {
        work.tasks_timed = false;
        work.sum_sq_s2 = 10.0 * (10e-3_f64.powi(2) + 2e-3_f64.powi(2)) / 10.0;
    }
    let mut workload = None;
    learn(&mut workload, &w);
    assert!((workload.unwrap().sigma_s() - 2e-3 / 10.0_f64.sqrt()).abs() < 1e-6);
}

/// An iteration of 400 tasks that take less from place to place, handed out to four workers in turns by chunks of so many tasks, which are timed as a
/// whole; each takes up to 2 % more or less by chance.
fn falling(iteration: u64, of: usize) -> crate::Window {
    let mut falling = crate::Window { chunks: 400 / of as u64, ..window(iteration, 4, 0.11) };
    for w in &mut falling.per_worker {
        *w = WorkerWork { rank: w.rank, tasks: 100, chunks: 100 / of as u64, ..WorkerWork::default() };
    }
    let random = &mut midrun_models::random::Random::new(iteration);
    let each_s: Vec<f64> = (0..400 / of)
        .map(|at| (2.0 - (2 * at + 1) as f64 * of as f64 / 400.0) * 1e-3 * (0.98 + 0.04 * random.uniform()))
        .collect();
    for (at, each_s) in each_s.iter().enumerate() {
        let w = &mut falling.per_worker[at % 4];
        w.busy_s += each_s * of as f64;
        w.sum_sq_s2 += each_s * each_s * of as f64;
    }
    let task_s = |at: f64| each_s[(at as usize).min(399) / of];
    for (at, bin) in falling.profile.iter_mut().enumerate() {
        let places = (0..100).map(|part| task_s((at as f64 + (f64::from(part) + 0.5) / 100.0) * bin.tasks));
        bin.busy_s = bin.tasks * places.sum::<f64>() / 100.0;
    }
    falling
}

#[test]
fn what_places_explain_of_whole_chunks_is_no_chance() {
    let mut workload = None;
    let variation = |workload: &mut Option<WorkloadEstimator>, of: usize, iteration: u64| {
        let learnt = learn(workload, &falling(iteration, of));
        (learnt, workload.as_ref().unwrap().load().variation)
    };
    // As if tasks had been drawn, the variation would be 1.5 with chunks of 10 tasks, and 2.2 with those of 20.
    let (learnt, after_one) = variation(&mut workload, 10, 0);
    assert!(learnt == Learnt::Anew && after_one < 0.5, "neighbours are alike: {after_one}");
    for iteration in 1..5 {
        let (learnt, after_more) = variation(&mut workload, 10, iteration);
        assert!(learnt == Learnt::Added && after_more < 0.2, "{learnt:?}, {after_more}");
    }
    let (learnt, of_larger) = variation(&mut workload, 20, 5);
    let sigma_s = workload.as_ref().unwrap().sigma_s();
    assert!((0.5e-3..0.7e-3).contains(&sigma_s), "between 0 and 2 ms, all alike: {sigma_s}");
    let placeless = workload.as_ref().unwrap().placeless().load();
    assert!(placeless.profile.is_empty() && placeless.variation > 1.5, "{}", placeless.variation);
    assert!(learnt == Learnt::Added && of_larger < 0.3, "other chunks are no other program: {learnt:?}, {of_larger}");
}

#[test]
fn what_goes_with_the_tasks_is_no_cost_of_chunks() {
    let window = Window { master_busy_s: 0.05, inputs_s: 0.02, results_s: 0.025, ..window(0, 4, 0.2) };
    let mut workload = None;
    learn(&mut workload, &window);
    let load = workload.unwrap().load();
    assert!((load.overhead_s - 0.005 / window.chunks as f64).abs() < 1e-12, "{}", load.overhead_s);
    let each = (load.input_s * window.tasks as f64, load.result_s * window.tasks as f64);
    assert!((each.0 - 0.02).abs() < 1e-12 && (each.1 - 0.025).abs() < 1e-12, "{each:?}");
}

#[test]
fn an_uneven_end_is_no_cost_of_chunks() {
    let overhead_s = |busy_s: [f64; 4]| {
        let mut window = window(0, 4, 0.2);
        for (w, busy_s) in window.per_worker.iter_mut().zip(busy_s) {
            (w.busy_s, w.sum_sq_s2) = (busy_s, busy_s * busy_s / w.tasks as f64);
        }
        let mut workload = None;
        learn(&mut workload, &window);
        let mut workload = workload.unwrap();
        workload.explain(0.05, &window);
        workload.load().unexplained_s
    };
    // All were idle for 5 ms or more per chunk, and that is what is missing.
    assert!((overhead_s([0.1, 0.1, 0.1, 0.1]) - 5e-3).abs() < 1e-9);
    // One was busy all the time but 1 ms with its ten chunks: the others waited for it.
    assert!((overhead_s([0.199, 0.1, 0.1, 0.1]) - 1e-4).abs() < 1e-9);
}

#[test]
fn a_technique_that_weighs_is_foreseen_with_the_weights_that_the_master_has() {
    use crate::master_worker::candidates::{SEED, forecast, informed};
    use midrun_scheduling::Technique;
    // One chunk each, and tasks that grow with their place: equal workers were measured as very unequal ones.
    let mut split = window(0, 8, 0.19);
    split.chunks = 8;
    for (w, place) in split.per_worker.iter_mut().zip([1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]) {
        (w.chunks, w.busy_s, w.sum_sq_s2) = (1, w.busy_s * place / 8.0, w.sum_sq_s2 * (place / 8.0_f64).powi(2));
    }
    let bins = PROFILE_BINS as f64;
    for (k, bin) in split.profile.iter_mut().enumerate() {
        bin.busy_s *= (2.0 * k as f64 + 1.0) / bins;
    }
    let mut workload = None;
    learn(&mut workload, &split);
    let workload = workload.unwrap();
    let iteration_s = |workload: &WorkloadEstimator, kind| {
        forecast(workload, &[informed(kind, 0.0, workload)], SEED, 4)[0].iteration_s
    };
    // In the long run, the master sees that they are equal.
    let later = workload.with_workers(8);
    let dearer = |kind| iteration_s(&workload, kind) / iteration_s(&later, kind);
    let (weighs, does_not) = (dearer(Technique::AwfB), dearer(Technique::Tss));
    assert!(weighs > 1.2 * does_not, "it has no weights, and speeds that are not sure: {weighs} {does_not}");
}

#[test]
fn a_worker_that_computed_one_dear_task_and_nothing_else_is_not_slower() {
    // Ten tasks of 1 ms each by one worker, one chunk each; the other had one of 100 ms, or as many as it should.
    let of = |tasks: u64, each_s: f64| {
        let mut one = window(0, 2, 0.1);
        one.tasks = 10 + tasks;
        for (w, (count, each_s)) in one.per_worker.iter_mut().zip([(10, 1e-3), (tasks, each_s)]) {
            (w.tasks, w.chunks) = (count, count);
            (w.busy_s, w.sum_sq_s2) = (count as f64 * each_s, count as f64 * each_s * each_s);
        }
        let mut workload = None;
        learn(&mut workload, &one);
        let slowness = workload.unwrap().load().slowness;
        slowness[1] / slowness[0]
    };
    assert_eq!(of(1, 0.1), 1.0);
    assert!((of(3, 0.1) - 100.0).abs() < 1e-6, "three of three are no luck: 1 of 286");
}

#[test]
fn workers_that_drew_none_of_the_few_dear_chunks_are_not_faster() {
    // Three of ten computed one dear chunk each and nothing else, the others five cheap ones each; only chunks are timed.
    let work = |rank: u32| {
        let (chunks, each_s) = if rank <= 3 { (1, 0.3) } else { (5, 0.01) };
        let (tasks, busy_s) = (50 * chunks, each_s * chunks as f64);
        WorkerWork { rank, tasks, chunks, busy_s, sum_sq_s2: each_s * busy_s / 50.0, ..WorkerWork::default() }
    };
    let per_worker = (1..=10).map(work).collect();
    let mut workload = None;
    learn(&mut workload, &Window { tasks: 1_900, chunks: 38, per_worker, ..window(0, 10, 0.3) });
    let known = workload.unwrap();
    assert!(known.are_equal(), "{:?}", known.slowness_of_all());
}
