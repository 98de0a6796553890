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
fn daf_without_mean_and_sigma_is_dpf_of_a_half() {
    assert_eq!(sizes(TechniqueParameters::new(Technique::Daf), 1000, 7), sizes(TechniqueParameters::FALLBACK, 1000, 7));
}

#[test]
fn af_gives_the_faster_worker_more() {
    let speed = |mean_s| WorkerSpeed { tasks: 100, chunks: 5, mean_s, var_s2: mean_s * mean_s / 4.0 };
    let speeds = [speed(1e-3), speed(4e-3)];
    let mut h = ChunkScheduler::new(TechniqueParameters::new(Technique::Af), 1000, 2);
    let fast = h.next(0, &speeds).unwrap().count;
    let slow = h.next(1, &speeds).unwrap().count;
    assert!(fast > 3 * slow, "{fast} and {slow}");
}

#[test]
fn chunks_of_batches_are_weighted_by_speed_once_every_worker_was_measured() {
    let speed = |mean_s, chunks| WorkerSpeed { tasks: 100, chunks, mean_s, var_s2: 0.0 };
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
}

#[test]
fn a_speed_that_may_be_chance_of_the_tasks_weighs_nothing() {
    let speed = |mean_s: f64, chunks, variation: f64| WorkerSpeed {
        tasks: 100,
        chunks,
        mean_s,
        var_s2: (variation * mean_s).powi(2),
    };
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
    assert_eq!(Technique::from_code(8), None);
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(0.0), -1e9..1e9, 1e-12..1.0,]
}

prop_compose! {
    fn any_setting()(code in 0u32..8, factor in any_number(), mean_s in any_number(), sigma_s in any_number(), min_chunk in prop_oneof![Just(0), Just(u64::MAX), 0u64..50]) -> TechniqueParameters {
        TechniqueParameters { kind: Technique::from_code(code).unwrap(), factor, mean_s, sigma_s, min_chunk }
    }
}

prop_compose! {
    fn any_speed()(tasks in 0u64..100, chunks in 0u64..5, mean_s in any_number(), var_s2 in any_number()) -> WorkerSpeed {
        WorkerSpeed { tasks, chunks, mean_s, var_s2 }
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
