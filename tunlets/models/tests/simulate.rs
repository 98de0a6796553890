//! What the simulation says about the techniques, held against the known statements.

use midrun_models::factoring::{least_chunk, static_excess};
use midrun_models::master_worker::{Model, Protocol};
use midrun_models::simulate::{
    Drawings, Message, MessageTimes, SimInput, SimResult, Stepwise, Trace, compare, iteration, iteration_of,
};
use midrun_scheduling::{Technique, TechniqueParameters};
use proptest::prelude::*;

fn input(variation: f64) -> SimInput {
    SimInput {
        tasks: 10_000,
        workers: 25,
        mean_s: 2e-3,
        variation,
        overhead_s: 5e-6,
        latency_s: 2e-5,
        ..SimInput::default()
    }
}

fn setting(kind: Technique, variation: f64) -> TechniqueParameters {
    TechniqueParameters { mean_s: 2e-3, sigma_s: 2e-3 * variation, ..TechniqueParameters::new(kind) }
}

fn ratio(input: &SimInput, kind: Technique) -> f64 {
    compare(input, &[setting(kind, input.variation)], 0..8)[0].ratio()
}

#[test]
fn the_static_split_ends_seven_to_nine_per_cent_above_the_ideal_at_eighty_per_cent() {
    let simulated = compare(&input(0.8), &[setting(Technique::None, 0.8)], 0..40)[0].ratio();
    assert!((1.07..1.09).contains(&simulated), "{simulated}");
    assert!((simulated - 1.0 - static_excess(0.8, 10_000, 25)).abs() < 0.01, "{simulated}");
}

#[test]
fn factoring_ends_below_one_per_cent_when_messages_are_cheap() {
    for variation in [0.2, 0.4, 0.6, 0.8] {
        for kind in [Technique::Daf, Technique::Fac2, Technique::Dpf] {
            let r = ratio(&input(variation), kind);
            assert!(r < 1.01, "{kind:?} at {variation}: {r}");
        }
    }
}

#[test]
fn even_tasks_are_best_left_alone() {
    assert!(ratio(&input(0.0), Technique::None) < 1.001);
    assert!(ratio(&input(0.0), Technique::None) <= ratio(&input(0.0), Technique::Ss));
}

#[test]
fn a_slow_master_makes_single_tasks_slow_and_a_lower_bound_helps() {
    let slow = SimInput { overhead_s: 4e-4, ..input(0.4) }; // 25 workers x 0.4 ms = 10 ms a round
    let bounded = TechniqueParameters { min_chunk: least_chunk(4e-4, 2e-3, 25), ..setting(Technique::Ss, 0.4) };
    let both = compare(&slow, &[setting(Technique::Ss, 0.4), bounded], 0..2);
    assert!(both[0].ratio() > 4.0, "{}", both[0].ratio());
    assert!(both[1].ratio() < 1.3, "{}", both[1].ratio());
}

#[test]
fn what_the_master_does_for_each_task_is_no_less_in_large_chunks() {
    let techniques = [Technique::Ss, Technique::Fac2, Technique::Mfsc].map(|kind| setting(kind, 0.4));
    for own in [SimInput { input_s: 2e-4, ..input(0.4) }, SimInput { result_s: 2e-4, ..input(0.4) }] {
        // 25 workers ask for 12.5 tasks per millisecond, and it has 0.2 ms for each.
        let all_s = own.tasks as f64 * 2e-4;
        for result in compare(&own, &techniques, 0..2) {
            assert!((1.0..1.4).contains(&(result.iteration_s / all_s)), "{} of {all_s}", result.iteration_s);
        }
    }
    // In chunks it would be nothing.
    let of_chunks = SimInput { overhead_s: 2e-4, ..input(0.4) };
    let times: Vec<f64> = compare(&of_chunks, &techniques, 0..2).iter().map(|result| result.iteration_s).collect();
    assert!(times[0] > 2.0 * times[1], "{times:?}");
}

#[test]
fn a_static_split_over_unequal_workers_ends_with_the_slowest() {
    let slowness = (0..25).map(|w| if w < 12 { 4.0 } else { 1.0 }).collect();
    let uneven = SimInput { slowness, ..input(0.2) };
    let time = |setting: TechniqueParameters| compare(&uneven, &[setting], 0..2)[0].iteration_s;
    let ideal = 10_000.0 * 2e-3 / (13.0 + 12.0 / 4.0);
    assert!(time(setting(Technique::None, 0.2)) > 2.5 * ideal);
    // Batches are weighted by speed, so that even a large first one does not last longer on a slow worker.
    assert!(time(TechniqueParameters::FALLBACK) < 1.03 * ideal, "{} {ideal}", time(TechniqueParameters::FALLBACK));
    assert!(time(TechniqueParameters { factor: 0.2, ..TechniqueParameters::FALLBACK }) < 1.02 * ideal);
}

#[test]
fn queueing_ahead_hides_the_way_of_messages() {
    let far = SimInput { latency_s: 2e-3, ..input(0.2) };
    let waiting = SimInput { without_prefetch: true, ..far.clone() };
    let time = |input: &SimInput| compare(input, &[setting(Technique::Ss, 0.2)], 0..2)[0].ratio();
    assert!(time(&waiting) > 2.5, "{}", time(&waiting));
    assert!(time(&far) < time(&waiting) / 1.3, "{} {}", time(&far), time(&waiting));
}

#[test]
fn a_seed_gives_the_same_iteration_again() {
    let s = setting(Technique::Daf, 0.8);
    assert_eq!(iteration(&input(0.8), &s, 3), iteration(&input(0.8), &s, 3));
    assert_ne!(iteration(&input(0.8), &s, 3).iteration_s, iteration(&input(0.8), &s, 4).iteration_s);
}

#[test]
fn more_tasks_than_are_drawn_one_by_one_keep_their_mean_and_spread() {
    let many = SimInput { tasks: 1_000_000, ..input(0.8) };
    let result = iteration(&many, &setting(Technique::Fsc, 0.8), 1);
    let task_s: f64 = result.log.iter().map(|c| c.busy_s).sum();
    assert!((task_s / 2000.0 - 1.0).abs() < 0.005, "{task_s}");
    let squares: f64 = result.log.iter().map(|c| c.sum_sq_s2).sum::<f64>() / 1e6;
    assert!((squares / 4e-6 / 1.64 - 1.0).abs() < 0.02, "{squares}");
}

fn recalling(kind: Technique) -> TechniqueParameters {
    TechniqueParameters { recall: true, ..TechniqueParameters::new(kind) }
}

#[test]
fn with_recall_even_a_static_split_ends_near_the_list_schedule() {
    let half_slow: Vec<f64> = (0..25).map(|w| if w < 12 { 4.0 } else { 1.0 }).collect();
    let mut ratios = Vec::new();
    for slowness in [vec![], half_slow, vec![10.0]] {
        for profile in [vec![], (0..64).map(|bin| 0.5 + f64::from(bin) / 63.0).collect()] {
            for variation in [0.0, 0.8, 3.0] {
                let load = SimInput { slowness: slowness.clone(), profile: profile.clone(), ..input(variation) };
                let settings = [recalling(Technique::None), TechniqueParameters::new(Technique::None)];
                let with = compare(&load, &settings, 0..4);
                // Single tasks, at no cost of the master.
                let list = SimInput { overhead_s: 0.0, latency_s: 0.0, ..load };
                let list_s = compare(&list, &[TechniqueParameters::new(Technique::Ss)], 0..4)[0].iteration_s;
                let ratio = with[0].iteration_s / list_s;
                assert!(ratio < 1.15, "{ratio} of {:?} at {variation}", slowness.first());
                ratios.push(ratio);
                assert!(with[0].iteration_s <= with[1].iteration_s * 1.001, "{with:?}");
            }
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!(mean < 1.02, "{ratios:?}");
}

#[test]
fn recall_costs_even_tasks_next_to_nothing() {
    let settings = [recalling(Technique::None), TechniqueParameters::new(Technique::None)];
    let even = compare(&input(0.0), &settings, 0..2);
    assert!(even[0].iteration_s <= even[1].iteration_s * 1.0005, "{even:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]
    #[test]
    fn every_task_is_computed_once_and_no_iteration_beats_the_ideal(
        code in 0u32..12,
        tasks in 0usize..400,
        workers in 0u32..9,
        latency_s in 0.0..1e-2,
        overhead_s in 0.0..1e-3,
        slow in 1.0..5.0,
        recall in any::<bool>(),
    ) {
        let times: Vec<f64> = (0..tasks).map(|i| 1e-3 * (1 + i % 7) as f64).collect();
        let input = SimInput { workers, latency_s, overhead_s, slowness: vec![slow], ..SimInput::default() };
        let setting = TechniqueParameters { mean_s: 4e-3, sigma_s: 2e-3, recall, ..TechniqueParameters::new(Technique::from_code(code).unwrap()) };
        let result = iteration_of(&times, &input, &setting);
        let mut seen = vec![0; tasks];
        for chunk in &result.log {
            for i in chunk.first..chunk.first + chunk.count {
                seen[i as usize] += 1;
            }
        }
        prop_assert!(seen.iter().all(|s| *s == 1));
        prop_assert!(result.iteration_s >= result.shortest_s - 1e-9);
        prop_assert_eq!(result.chunks as usize, result.log.len());
    }
}

#[test]
fn the_bytes_of_a_rendezvous_wait_for_a_worker_that_computes() {
    // One worker, chunks of one task of 1 ms, a way of 0.1 ms, 0.2 ms for a task's bytes.
    let eager = MessageTimes { latency_s: 1e-4, send_s: 2e-4, back_s: 0.0, eager_tasks: u64::MAX };
    let time = |tasks: usize, eager_tasks: u64| {
        let message_times = vec![MessageTimes { eager_tasks, ..eager }];
        let input = SimInput { workers: 1, mean_s: 1e-3, message_times, ..SimInput::default() };
        iteration_of(&vec![1e-3; tasks], &input, &TechniqueParameters::new(Technique::Ss)).iteration_s
    };
    assert!((time(1, u64::MAX) - 1.4e-3).abs() < 1e-9);
    assert_eq!(time(1, 0), time(1, u64::MAX), "an idle worker looks: its start-up time says it all");
    // Queued ahead, eager messages are there when the worker needs them; of a rendezvous the bytes come when it looks.
    let (ahead, waiting) = (time(100, u64::MAX), time(100, 0));
    assert!(ahead < 0.104 && waiting > ahead + 40.0 * 4e-4, "{ahead} {waiting}");
}

#[test]
fn a_far_worker_gets_its_chunks_later_than_a_near_one() {
    let near = MessageTimes { latency_s: 1e-5, send_s: 0.0, back_s: 0.0, eager_tasks: u64::MAX };
    let far = MessageTimes { latency_s: 20e-3, ..near };
    let input = SimInput { workers: 2, mean_s: 1e-3, message_times: vec![near, far], ..SimInput::default() };
    let result = iteration_of(&[1e-3; 200], &input, &TechniqueParameters::new(Technique::Ss));
    let of = |worker| result.log.iter().filter(|chunk| chunk.worker == worker).count();
    assert!(of(0) > 5 * of(1), "{} {}", of(0), of(1));
}

#[test]
fn what_is_not_known_of_speeds_scatters_between_drawings() {
    // As many tasks as workers take in five rounds, if all are equally fast.
    let known = SimInput { tasks: 40, workers: 8, mean_s: 1e-2, ..SimInput::default() };
    let unsure = SimInput { slowness_errors: vec![0.2; 8], ..known.clone() };
    let run = |input| compare(input, &[TechniqueParameters::new(Technique::Ss)], 0..24)[0].clone();
    let (known, unsure) = (run(&known), run(&unsure));
    assert!(known.deviation < 1e-6 && known.ratio() < 1.01, "{known:?}");
    assert!(unsure.deviation > 0.02 && unsure.ratio() > 1.05, "{unsure:?}");
}

#[test]
fn drawings_serve_tasks_that_are_dearer_too() {
    let cheap = SimInput { tasks: 500, workers: 4, mean_s: 1e-3, variation: 0.5, ..SimInput::default() };
    let dear = SimInput { mean_s: 2e-3, ..cheap.clone() };
    let run = |of: &SimInput, input: &SimInput| {
        Drawings::new(of, 0..3).run(input, &TechniqueParameters::new(Technique::Fac2), 3)
    };
    assert_eq!(run(&cheap, &dear), run(&dear, &dear));
    assert!((run(&cheap, &dear).shortest_s / run(&cheap, &cheap).shortest_s - 2.0).abs() < 1e-9);
}

#[test]
fn weights_are_what_the_master_measured_though_it_was_the_place_of_the_tasks() {
    use midrun_scheduling::{Technique, WorkerSpeed};
    // Tasks grow with their place. Equal parts made the worker of the last ones look eight times slower.
    let place = |k: u32| f64::from(2 * k + 1) / 8.0;
    let even = SimInput { workers: 8, tasks: 800, profile: (0..8).map(place).collect(), ..input(0.0) };
    let measured = (0..8).map(|k| WorkerSpeed::known(100, 1, even.mean_s * place(k), 0.0)).collect();
    let misled = SimInput { measured, ..even.clone() };
    let ratio = |input: &SimInput, kind| iteration(input, &TechniqueParameters::new(kind), 1).ratio();
    assert!(ratio(&even, Technique::AwfB) < 1.1, "{}", ratio(&even, Technique::AwfB));
    assert!(ratio(&misled, Technique::AwfB) > 1.2, "{}", ratio(&misled, Technique::AwfB));
    assert!(
        (ratio(&misled, Technique::Fac2) / ratio(&even, Technique::Fac2) - 1.0).abs() < 1e-9,
        "one chunk is too few"
    );
}

#[test]
fn workers_that_take_their_chunks_do_not_wait_for_a_saturated_master() {
    let saturated = SimInput { mean_s: 2e-5, workers: 400, tasks: 200_000, overhead_s: 1e-5, ..input(0.4) };
    let sent = TechniqueParameters { mean_s: 2e-5, sigma_s: 8e-6, ..TechniqueParameters::new(Technique::Fac2) };
    let taken = TechniqueParameters { counter: true, ..sent };
    let both = compare(&saturated, &[sent, taken], 0..2);
    assert!(both[0].ratio() > 1.4 * both[1].ratio(), "{} {}", both[0].ratio(), both[1].ratio());
    // Each worker ends with a message that the master takes in.
    assert!(both[1].iteration_s > both[1].shortest_s + 400.0 * 0.5e-5, "{}", both[1].iteration_s);
    let adaptive = TechniqueParameters { counter: true, ..setting(Technique::Daf, 0.4) };
    let plain = setting(Technique::Daf, 0.4);
    let [a, b] = [adaptive, plain].map(|s| iteration(&input(0.4), &s, 3));
    assert_eq!(a, b, "chunks that follow from results are sent");
}

#[test]
fn of_taken_chunks_each_task_is_computed_once_and_slow_workers_take_fewer() {
    let unequal = SimInput { slowness: vec![4.0; 12], ..input(0.4) };
    let taken = |kind| TechniqueParameters { counter: true, ..setting(kind, 0.4) };
    for kind in [Technique::None, Technique::Ss, Technique::Gss, Technique::Fac2, Technique::Tss, Technique::Mfsc] {
        let result = iteration(&unequal, &taken(kind), 7);
        let mut ranges: Vec<(u64, u64)> = result.log.iter().map(|chunk| (chunk.first, chunk.count)).collect();
        ranges.sort_unstable();
        let end = ranges.iter().fold(0, |end, (first, count)| if end == *first { end + count } else { u64::MAX });
        assert_eq!((end, ranges.len() as f64), (10_000, result.chunks), "{kind:?}");
    }
    let ss = iteration(&unequal, &taken(Technique::Ss), 7);
    let tasks =
        |slow: bool| ss.log.iter().filter(|chunk| (chunk.worker < 12) == slow).map(|chunk| chunk.count).sum::<u64>();
    assert!((3.6..4.4).contains(&(tasks(false) as f64 / 13.0 / (tasks(true) as f64 / 12.0))));
}

#[test]
fn sub_masters_relieve_a_master_of_many_workers_and_cost_time_where_it_is_free() {
    let saturated = SimInput { mean_s: 2e-4, workers: 400, tasks: 8_000, overhead_s: 1e-5, ..input(0.4) };
    let flat = TechniqueParameters { mean_s: 2e-4, sigma_s: 8e-5, ..TechniqueParameters::new(Technique::None) };
    let best = |input: &SimInput, team_size: u32| {
        let kinds = [Technique::None, Technique::Gss, Technique::Fac2, Technique::Mfsc];
        let settings = kinds.map(|kind| TechniqueParameters { kind, team_size, ..flat });
        let all = compare(input, &settings, 0..4);
        all.iter().map(|result| result.ratio()).fold(f64::INFINITY, f64::min)
    };
    assert!(best(&saturated, 0) > 1.3 * best(&saturated, 20), "{} {}", best(&saturated, 0), best(&saturated, 20));
    let free = SimInput { workers: 16, ..saturated.clone() };
    assert!(best(&free, 4) > best(&free, 0), "{} {}", best(&free, 0), best(&free, 4));
    let one = TechniqueParameters { team_size: 400, ..flat };
    assert_eq!(compare(&saturated, &[one], 0..2), compare(&saturated, &[flat], 0..2), "one team of all is none");
}

#[test]
fn in_sub_teams_each_task_is_computed_once_and_slow_workers_compute_fewer() {
    let unequal = SimInput { slowness: vec![4.0; 12], ..input(0.4) };
    for kind in Technique::ALL {
        for workers in [25, 7] {
            let input = SimInput { workers, ..unequal.clone() };
            let result = iteration(&input, &TechniqueParameters { team_size: 5, ..setting(kind, 0.4) }, 7);
            let mut ranges: Vec<(u64, u64)> = result.log.iter().map(|chunk| (chunk.first, chunk.count)).collect();
            ranges.sort_unstable();
            let end = ranges.iter().fold(0, |end, (first, count)| if end == *first { end + count } else { u64::MAX });
            assert_eq!((end, ranges.len() as f64), (10_000, result.chunks), "{kind:?}");
        }
    }
    let ss = iteration(&unequal, &TechniqueParameters { team_size: 5, ..setting(Technique::Ss, 0.4) }, 7);
    let tasks =
        |slow: bool| ss.log.iter().filter(|chunk| (chunk.worker < 12) == slow).map(|chunk| chunk.count).sum::<u64>();
    let share = tasks(false) as f64 / 13.0 / (tasks(true) as f64 / 12.0);
    // Sub-masters serve late while they compute: that costs fast workers more tasks than slow ones.
    assert!((3.0..4.5).contains(&share), "{share}");
}

#[test]
fn a_synchronous_master_is_held_for_each_message_as_expression_9_says() {
    // Equal tasks, one chunk per worker and no cost but messages: (9) with the start-up time of a message that is acknowledged.
    let (workers, tasks, mean_s) = (8, 800, 1e-3);
    let times = MessageTimes { latency_s: 2e-4, send_s: 3e-6, back_s: 3e-6, eager_tasks: u64::MAX };
    let message_times = vec![times; workers as usize];
    let input = SimInput { workers, mean_s, message_times, ..SimInput::default() };
    let time = |synchronous: bool| {
        let setting = TechniqueParameters { synchronous, ..TechniqueParameters::new(Technique::None) };
        iteration_of(&vec![mean_s; tasks], &input, &setting).iteration_s
    };
    let expression = Model {
        start_up_s: 2.0 * times.latency_s,
        per_byte_s: times.send_s,
        volume_bytes: 2.0 * tasks as f64,
        master_share: 0.5,
        compute_s: tasks as f64 * mean_s,
        prepare_s: 0.0,
        protocol: Protocol::Sync,
        growth: 0.0,
    };
    // The last chunk need not wait for its own acknowledgement, nor the last result for the master's.
    let expected_s = expression.iteration_s(workers) - 2.0 * times.latency_s;
    assert!((time(true) - expected_s).abs() < 1e-9, "{} {expected_s}", time(true));
    assert!(time(false) < time(true), "{} {}", time(false), time(true));
}

#[test]
fn synchronous_sends_cost_time_where_many_chunks_are_sent() {
    let input = SimInput { overhead_s: 2e-5, latency_s: 1e-4, ..input(0.4) };
    // Where chunks are few and large, that none is sent ahead can even the end out.
    for kind in [Technique::Ss, Technique::Fac2, Technique::Daf] {
        for (team_size, recall) in [(0, false), (0, true), (5, false)] {
            if team_size > 0 && kind != Technique::Ss {
                continue;
            }
            let time = |synchronous: bool| {
                let setting = TechniqueParameters { team_size, recall, synchronous, ..setting(kind, 0.4) };
                let log = iteration(&input, &setting, 3).log;
                let tasks: u64 = log.iter().map(|chunk| chunk.count).sum();
                assert_eq!(tasks, input.tasks, "{kind:?} {team_size} {recall} {synchronous}");
                compare(&input, &[setting], 0..8)[0].iteration_s
            };
            assert!(time(true) > time(false), "{kind:?} {team_size} {recall}: {} {}", time(true), time(false));
        }
    }
}

#[test]
fn no_chunk_is_sent_ahead_to_a_worker_that_would_hold_the_master() {
    // One worker, single tasks: each waits for the result's way, the chunk's way, and nothing else.
    let input = SimInput { workers: 1, mean_s: 1e-3, latency_s: 1e-4, ..SimInput::default() };
    let setting = TechniqueParameters { synchronous: true, ..TechniqueParameters::new(Technique::Ss) };
    let result = iteration_of(&[1e-3; 50], &input, &setting);
    assert!((result.iteration_s - 50.0 * 1.2e-3).abs() < 1e-9, "{}", result.iteration_s);
}

/// An iteration whose messages are carried here, each in `latency_s`.
fn carried(input: &SimInput, parameters: &TechniqueParameters, begin_s: f64) -> SimResult {
    let trace = Trace::draw(input, 3);
    let mut iteration = Stepwise::new(input, parameters, (&trace, input.mean_s), begin_s);
    let mut under_way: Vec<(f64, Message)> = Vec::new();
    loop {
        under_way.extend(iteration.sent().into_iter().map(|(ready_s, message)| (ready_s + input.latency_s, message)));
        let first = (0..under_way.len()).min_by(|a, b| under_way[*a].0.total_cmp(&under_way[*b].0));
        match (first, iteration.next_s()) {
            (Some(first), next_s) if next_s.is_none_or(|next_s| under_way[first].0 <= next_s) => {
                let (there_s, message) = under_way.remove(first);
                iteration.arrive(message, there_s);
            }
            (_, Some(_)) => iteration.step(),
            _ => {
                assert!(iteration.is_over());
                return iteration.into_result();
            }
        }
    }
}

#[test]
fn messages_that_somebody_else_carries_make_the_same_iteration() {
    for technique in Technique::ALL {
        for recall in [false, true] {
            let parameters = TechniqueParameters { recall, ..TechniqueParameters::new(technique) };
            let input = SimInput {
                tasks: 2000,
                workers: 9,
                mean_s: 2e-3,
                variation: 0.6,
                overhead_s: 1e-5,
                latency_s: 3e-4,
                ..SimInput::default()
            };
            let own = iteration(&input, &parameters, 3);
            assert_eq!(carried(&input, &parameters, 0.0), own, "{technique:?} {recall}");
            let later_s = carried(&input, &parameters, 4.0).iteration_s - 4.0;
            assert!((later_s / own.iteration_s - 1.0).abs() < 1e-9, "{technique:?} {recall}: {later_s}");
        }
    }
}

#[test]
fn a_master_that_gets_no_times_weighs_no_worker() {
    let slowness = [vec![4.0; 4], vec![1.0; 21]].concat();
    let reported = SimInput { slowness, ..input(0.2) };
    let unreported = SimInput { unreported: true, ..reported.clone() };
    let (knows, guesses) = (ratio(&reported, Technique::AwfB), ratio(&unreported, Technique::AwfB));
    assert!(guesses > 1.01 * knows, "{guesses} {knows}");
    assert_eq!(ratio(&reported, Technique::Ss), ratio(&unreported, Technique::Ss));
}
