//! Properties that hold for every technique, and the worked chunk sizes.

use midrun_scheduling::{Chunk, ChunkScheduler, Technique, TechniqueParameters, WorkerSpeed};
use proptest::prelude::*;

fn sizes(setting: TechniqueParameters, tasks: u64, workers: u32) -> Vec<u64> {
    let mut h = ChunkScheduler::new(setting, tasks, workers);
    std::iter::from_fn(|| h.next(0, &[])).map(|c| c.count).collect()
}

#[test]
fn none_gives_every_worker_one_equal_chunk() {
    assert_eq!(sizes(TechniqueParameters::new(Technique::None), 10, 3), [4, 4, 2]);
    assert_eq!(sizes(TechniqueParameters::new(Technique::None), 2, 3), [1, 1]);
}

#[test]
fn ss_gives_single_tasks_and_gss_an_even_share_of_what_is_left() {
    assert_eq!(sizes(TechniqueParameters::new(Technique::Ss), 3, 2), [1, 1, 1]);
    assert_eq!(sizes(TechniqueParameters::new(Technique::Gss), 10, 2), [5, 3, 1, 1]);
}

#[test]
fn dpf_halves_what_is_left_batch_by_batch() {
    assert_eq!(sizes(TechniqueParameters::FALLBACK, 16, 2), [4, 4, 2, 2, 1, 1, 1, 1]);
}

#[test]
fn fsc_keeps_its_chunk() {
    let quarter = TechniqueParameters::new(Technique::Fsc);
    assert_eq!(sizes(quarter, 16, 2), [2; 8]);
}

#[test]
fn daf_cuts_its_first_chunk_by_x0_and_the_next_by_xj() {
    let s = TechniqueParameters { mean_s: 2e-3, sigma_s: 1.6e-3, ..TechniqueParameters::new(Technique::Daf) };
    let sizes = sizes(s, 10_000, 25);
    assert_eq!(sizes[0], 105); // ceil(10000 / (3.828427 * 25))
    let left = 10_000 - 25 * 105;
    assert_eq!(sizes[25], (f64::from(left) / (4.828_427 * 25.0)).ceil() as u64);
}

#[test]
fn tss_decreases_linearly_as_published() {
    // Tzen, Ni 1993: 1000 tasks, 4 workers: f = 125, 16 chunks, each smaller by 8.
    let published = [125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28];
    assert_eq!(sizes(TechniqueParameters::new(Technique::Tss), 1000, 4), published);
    assert_eq!(sizes(TechniqueParameters::new(Technique::Tss), 1, 4), [1]);
}

#[test]
fn mfsc_cuts_as_many_equal_chunks_as_factoring() {
    // 400 tasks for each of 25 workers: 0.55 + 400 ln 2/ln 400 = 46.8.
    let sizes_of = |tasks, workers| sizes(TechniqueParameters::new(Technique::Mfsc), tasks, workers);
    assert_eq!(sizes_of(10_000, 25)[..217], [46; 217]);
    assert_eq!(sizes_of(10_000, 25).len(), 218);
    assert_eq!(sizes_of(3, 4), [1, 1, 1]);
    assert_eq!(sizes_of(8, 4), [2, 2, 2, 2], "0.55 + 2 = 2.55");
}

#[test]
fn awf_weighs_halves_of_the_rest_by_weighted_average_performance() {
    // Performances 1 ms and 4 ms: weights 2 * 1/(1 + 1/4) = 1.6 and 0.4.
    let speeds = [WorkerSpeed::known(100, 5, 1e-3, 0.0), WorkerSpeed::known(100, 5, 4e-3, 0.0)];
    let cut = |kind| {
        let mut h = ChunkScheduler::new(TechniqueParameters::new(kind), 1000, 2);
        [0, 1, 0, 1].map(|worker| h.next(worker, &speeds).unwrap().count)
    };
    assert_eq!(cut(Technique::AwfB), [400, 100, 200, 50], "by batches: ceil(1000/4), then ceil(500/4)");
    assert_eq!(
        cut(Technique::AwfC),
        [400, 60, 216, 32],
        "by chunks: ceil(1000/4), ceil(600/4), ceil(540/4), ceil(324/4)"
    );
    // Weights of any size count, from the first chunk of every worker on.
    let mut h = ChunkScheduler::new(TechniqueParameters::new(Technique::AwfB), 1000, 2);
    let near = [WorkerSpeed::known(1, 1, 1e-3, 0.0), WorkerSpeed::known(1, 1, 1.5e-3, 0.0)];
    assert_eq!(h.next(0, &near).unwrap().count, 300);
    let mut h = ChunkScheduler::new(TechniqueParameters::new(Technique::AwfB), 1000, 2);
    assert_eq!(h.next(0, &[near[0], WorkerSpeed::default()]).unwrap().count, 250, "one was not measured");
}

#[test]
fn daf_takes_mean_and_deviation_from_the_chunks_that_came_back() {
    let mut h = ChunkScheduler::new(TechniqueParameters::new(Technique::Daf), 1000, 4);
    let first: Vec<u64> = (0..3).map(|worker| h.next(worker, &[]).unwrap().count).collect();
    assert_eq!(first, [125; 3], "DPF(0.5) while nothing is known");
    // Tasks of 1 s and 3 s: mean 2 s, deviation 1 s, v = 0.5.
    h.on_result(124, 248.0, 62.0 + 62.0 * 9.0, true);
    // The third chunk left fewer than N/2, so the next batch was prepared before this result: with DPF(0.5).
    assert_eq!(h.next(3, &[]).unwrap().count, 125);
    assert_eq!(h.next(0, &[]).unwrap().count, 63, "ceil(500/(2 * 4))");
    let mut later = ChunkScheduler::new(TechniqueParameters::new(Technique::Daf), 1000, 4);
    for worker in 0..2 {
        later.next(worker, &[]);
    }
    later.on_result(124, 248.0, 62.0 + 62.0 * 9.0, true);
    let (mean_s, sigma_s) = later.moments().unwrap();
    assert!((mean_s - 2.0).abs() < 1e-12 && (sigma_s - (124.0_f64 / 123.0).sqrt()).abs() < 1e-9);
    for worker in 2..4 {
        later.next(worker, &[]);
    }
    let x = 2.0 + sigma_s / mean_s * 2.0_f64.sqrt();
    assert_eq!(later.next(0, &[]).unwrap().count, (500.0 / (x * 4.0)).ceil() as u64, "before the threshold");
}

#[test]
fn daf_begins_with_the_moments_of_the_iteration_before() {
    let known = TechniqueParameters { mean_s: 1.0, sigma_s: 9.0, ..TechniqueParameters::new(Technique::Daf) };
    let mut h = ChunkScheduler::new(known, 10_000, 25).with_history(Some((2e-3, 1.6e-3)));
    assert_eq!(h.next(0, &[]).unwrap().count, 105, "its own measurement counts, not the parameters");
}

#[test]
fn daf_without_mean_and_sigma_is_dpf_of_a_half() {
    assert_eq!(sizes(TechniqueParameters::new(Technique::Daf), 1000, 7), sizes(TechniqueParameters::FALLBACK, 1000, 7));
}

#[test]
fn af_gives_the_faster_worker_more() {
    let speed = |mean_s: f64| WorkerSpeed::known(100, 5, mean_s, mean_s * mean_s / 4.0);
    let speeds = [speed(1e-3), speed(4e-3)];
    let mut h = ChunkScheduler::new(TechniqueParameters::new(Technique::Af), 1000, 2);
    let fast = h.next(0, &speeds).unwrap().count;
    let slow = h.next(1, &speeds).unwrap().count;
    assert!(fast > 3 * slow, "{fast} and {slow}");
}

#[test]
fn chunks_of_batches_are_weighted_by_speed_once_every_worker_was_measured() {
    let speed = |mean_s, chunks| WorkerSpeed::known(100, chunks, mean_s, 0.0);
    let pair = |kind, slow: WorkerSpeed| {
        let (mut h, speeds) = (ChunkScheduler::new(TechniqueParameters::new(kind), 1000, 2), [speed(1e-3, 5), slow]);
        let mut count = |worker| h.next(worker, &speeds).unwrap().count;
        (count(0), count(1))
    };
    assert_eq!(pair(Technique::Dpf, speed(4e-3, 5)), (400, 100), "weights 1.6 and 0.4");
    assert_eq!(pair(Technique::Dpf, speed(4e-3, 2)), (250, 250), "too few samples");
    assert_eq!(pair(Technique::Dpf, speed(1.1e-3, 5)), (250, 250), "equal enough");
    assert_eq!(pair(Technique::Dpf, speed(f64::NAN, 5)), (250, 250));
    assert_eq!(pair(Technique::None, speed(4e-3, 5)), (500, 500), "equal parts are equal parts");
    let faded = speed(1e-3, 5).faded();
    assert_eq!((faded.tasks, faded.chunks, faded.mean_s), (75, 4, 1e-3));
}

#[test]
fn a_new_setting_cuts_the_rest_at_once() {
    let mut h = ChunkScheduler::new(TechniqueParameters::new(Technique::None), 100, 4);
    assert_eq!(h.next(0, &[]), Some(Chunk { first: 0, count: 25 }));
    h.set(TechniqueParameters::new(Technique::Ss));
    assert_eq!(h.next(1, &[]), Some(Chunk { first: 25, count: 1 }));
    // With even tasks the first batch of DAF would be all that is left, and the workers are busy already: a later one, half.
    let even = TechniqueParameters { mean_s: 1.0, sigma_s: 0.0, ..TechniqueParameters::new(Technique::Daf) };
    h.set(even);
    assert_eq!(h.next(2, &[]), Some(Chunk { first: 26, count: 10 }), "ceil(74/(2 * 4))");
}

#[test]
fn a_speed_that_may_be_chance_of_the_tasks_weighs_nothing() {
    let speed =
        |mean_s: f64, chunks, variation: f64| WorkerSpeed::known(100, chunks, mean_s, (variation * mean_s).powi(2));
    let first = |chunks, variation| {
        let speeds = [speed(1e-3, chunks, variation), speed(4e-3, chunks, variation)];
        ChunkScheduler::new(TechniqueParameters::new(Technique::Dpf), 1000, 2).next(1, &speeds).unwrap().count
    };
    assert_eq!(first(6, 0.4), 100, "four times slower, by five standard errors");
    assert_eq!(first(6, 3.0), 250, "a worker that had the tasks where the fire burns");
}

#[test]
fn a_lower_bound_is_kept_but_never_above_an_even_share() {
    let s = TechniqueParameters { min_chunk: 10, ..TechniqueParameters::new(Technique::Ss) };
    assert_eq!(sizes(s, 25, 2), [10, 10, 5]);
    let s = TechniqueParameters { min_chunk: u64::MAX, ..TechniqueParameters::new(Technique::Ss) };
    assert_eq!(sizes(s, 10, 2), [5, 5]);
}

#[test]
fn names_and_codes_lead_back() {
    for kind in Technique::ALL {
        assert_eq!(Technique::parse(kind.name()), Some(kind));
        assert_eq!(Technique::from_code(kind.code()), Some(kind));
    }
    assert_eq!(Technique::parse("factoring"), None);
    assert_eq!(Technique::from_code(12), None);
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(0.0), -1e9..1e9, 1e-12..1.0,]
}

prop_compose! {
    fn any_setting()(code in 0u32..12, factor in any_number(), mean_s in any_number(), sigma_s in any_number(), min_chunk in prop_oneof![Just(0), Just(u64::MAX), 0u64..50]) -> TechniqueParameters {
        TechniqueParameters { kind: Technique::from_code(code).unwrap(), factor, mean_s, sigma_s, min_chunk, recall: false, counter: false, team_size: 0, synchronous: false }
    }
}

prop_compose! {
    fn any_speed()(tasks in 0u64..100, chunks in 0u64..5, mean_s in any_number(), var_s2 in any_number()) -> WorkerSpeed {
        WorkerSpeed::known(tasks, chunks, mean_s, var_s2)
    }
}

proptest! {
    #[test]
    fn every_task_is_handed_out_exactly_once_whatever_the_numbers(
        settings in prop::collection::vec(any_setting(), 1..4),
        speeds in prop::collection::vec(any_speed(), 0..10),
        tasks in 0u64..5000,
        workers in 0u32..10,
        change_every in 1usize..40,
    ) {
        let mut h = ChunkScheduler::new(settings[0], tasks, workers);
        let mut expected_first = 0;
        for turn in 0.. {
            if turn % change_every == 0 {
                h.set(settings[(turn / change_every) % settings.len()]);
            }
            let Some(chunk) = h.next(turn as u32 % workers.max(1), &speeds) else { break };
            prop_assert!(chunk.count > 0);
            prop_assert_eq!(chunk.first, expected_first);
            expected_first += chunk.count;
        }
        prop_assert_eq!(expected_first, tasks);
        prop_assert_eq!(h.remaining(), 0);
    }
}
