//! Windows from events in any order.

use proptest::prelude::*;

use super::*;
use midrun_tunlets::ChunkWork;

const MS: u64 = 1_000_000;

#[derive(Clone, Debug)]
enum Said {
    Begun(Begun),
    Ended(Ended),
    Work(u32, Work),
}

fn begun(iteration: u64, tasks: u64) -> Begun {
    Begun {
        iteration,
        time_ns: iteration * 1000 * MS,
        tasks,
        workers: 3,
        technique: 5,
        factor: 0.5,
        task_bytes: 0,
        result_bytes: 0,
        framework: false,
    }
}

fn ended(iteration: u64, tasks: u64) -> Ended {
    let time_ns = (iteration * 1000 + 500) * MS;
    Ended { iteration, time_ns, tasks, chunks: 4, task_time_ns: 7 * MS, master_busy_ns: MS, per_task_us: (200, 300) }
}

fn work(iteration: u64, tasks: u64) -> Work {
    // Binary fractions, so that sums do not depend on their order.
    let busy_s = tasks as f64 * 0.5;
    let profile = vec![((iteration % 64) as usize, tasks as f64, busy_s)];
    Work {
        iteration: Some(iteration),
        middle_ns: 0,
        tasks,
        chunks: 1,
        busy_s,
        sum_sq_s2: tasks as f64 * 0.25,
        tasks_timed: true,
        profile,
        each_chunk: vec![ChunkWork { first: tasks, tasks, busy_s, sum_sq_s2: tasks as f64 * 0.25 }],
        master: None,
    }
}

fn tell(windows: &mut Windows, now: u64, said: &Said) -> Vec<Closed> {
    match said {
        Said::Begun(begun) => {
            windows.on_begun(0, *begun, (TechniqueParameters::FALLBACK, None));
        }
        Said::Ended(ended) => {
            windows.on_ended(now, *ended);
        }
        Said::Work(rank, work) => windows.on_work(*rank, work.middle_ns, work.clone()),
    }
    windows.close(now, false, 0)
}

/// Everything the three workers and the master say about iteration `n`.
fn all_of(n: u64, parts: &[u64]) -> Vec<Said> {
    let tasks = parts.iter().sum();
    let mut said = vec![Said::Begun(begun(n, tasks)), Said::Ended(ended(n, tasks))];
    said.extend(parts.iter().enumerate().map(|(i, &tasks)| Said::Work(1 + i as u32 % 3, work(n, tasks))));
    said
}

#[test]
fn a_windows_chunks_are_in_order_and_all_of_them_or_none() {
    let chunks = |parts: &[u64]| {
        let mut windows = Windows::new(250 * MS);
        let closed: Vec<Closed> = all_of(0, parts).iter().flat_map(|said| tell(&mut windows, 0, said)).collect();
        let chunks = |work: &WorkerWork| work.each_chunk.iter().map(|chunk| chunk.first).collect::<Vec<u64>>();
        closed[0].window.per_worker.iter().map(chunks).collect::<Vec<_>>()
    };
    assert_eq!(chunks(&[5, 2, 3, 4]), [vec![4, 5], vec![2], vec![3]]);
    assert_eq!(chunks(&[1; limits::EACH_CHUNK_OF_ITERATION])[0].len(), limits::EACH_CHUNK_OF_ITERATION.div_ceil(3));
    assert!(chunks(&[1; limits::EACH_CHUNK_OF_ITERATION + 1]).iter().all(Vec::is_empty));
}

#[test]
fn chunks_that_name_their_first_tasks_tell_the_places_of_all() {
    let profile = |firsts: [u64; 4]| {
        let mut windows = Windows::new(250 * MS);
        let chunk = |(place, first): (u64, u64)| {
            let of = work(0, 16);
            let each_chunk = vec![ChunkWork { first, tasks: 16, busy_s: 1.0 + place as f64, sum_sq_s2: 0.1 }];
            Said::Work(1 + place as u32 % 3, Work { profile: Vec::new(), each_chunk, ..of })
        };
        let said = [Said::Begun(begun(0, 64)), Said::Ended(ended(0, 64))].into_iter();
        let said = said.chain((0..).zip(firsts).map(chunk));
        let closed: Vec<Closed> = said.flat_map(|said| tell(&mut windows, 0, &said)).collect();
        let window = &closed[0].window;
        let busy_s = [0, 16, 63].map(|bin| window.profile[bin].busy_s);
        (busy_s, window.per_worker[0].each_chunk[0].first)
    };
    assert_eq!(
        profile([640, 656, 672, 688]),
        ([1.0 / 16.0, 2.0 / 16.0, 4.0 / 16.0], 0),
        "counted on from iteration to iteration"
    );
    assert_eq!(profile([0, 0, 0, 0]).0, [0.0; 3], "nobody named them");
    assert_eq!(profile([0, 16, 48, 64]).0, [0.0; 3], "one is missing");
}

#[test]
fn who_has_computed_is_a_worker_of_a_master_that_names_no_number_unless_it_is_told_to_use_fewer() {
    let mut windows = Windows::new(250 * MS);
    let mut iterate = |n: u64, parts: &[u64], most: Option<u32>| {
        let of_nobody = Begun { workers: 0, ..begun(n, parts.iter().sum()) };
        windows.on_begun(0, of_nobody, (TechniqueParameters::FALLBACK, most));
        let said = all_of(n, parts).into_iter().skip(1);
        said.flat_map(|said| tell(&mut windows, 0, &said)).map(|closed| closed.window.workers).collect::<Vec<u32>>()
    };
    assert_eq!(iterate(0, &[4, 4], None), [2]);
    assert_eq!(iterate(1, &[4, 4, 4], Some(9)), [3], "there are no nine");
    assert_eq!(iterate(2, &[8], None), [3], "two got nothing");
    assert_eq!(iterate(3, &[8], Some(1)), [1]);
    assert_eq!(iterate(4, &[8, 8], Some(1)), [2]);
}

#[test]
fn who_may_be_a_worker_counts_before_it_has_computed() {
    let mut windows = Windows::new(250 * MS);
    let mut iterate = |n: u64, parts: &[u64], idle: &[u32], named: u32| {
        windows.set_idle_workers(idle.iter().copied().collect());
        let begun = Begun { workers: named, ..begun(n, parts.iter().sum()) };
        windows.on_begun(0, begun, (TechniqueParameters::FALLBACK, None));
        let said = all_of(n, parts).into_iter().skip(1);
        said.flat_map(|said| tell(&mut windows, 0, &said)).map(|closed| closed.window.workers).collect::<Vec<u32>>()
    };
    assert_eq!(iterate(0, &[4, 4], &[], 0), [2]);
    assert_eq!(iterate(1, &[4, 4], &[7, 8, 9], 0), [5]);
    assert_eq!(iterate(2, &[4, 4, 4], &[7, 8, 9], 3), [3], "the master says how many there are");
}

proptest! {
    /// Batches may lag by one iteration: iterations are shuffled in pairs, their neighbours with them.
    #[test]
    fn any_order_of_delivery_gives_the_same_windows(
        parts in prop::collection::vec(prop::collection::vec(1_u64..50, 1..8), 2..12),
        seed in any::<u64>(),
    ) {
        let lists: Vec<Vec<Said>> = parts.iter().enumerate().map(|(n, parts)| all_of(n as u64, parts)).collect();
        let mut in_order = Windows::new(250 * MS);
        let expected: Vec<Closed> = lists.iter().flatten().flat_map(|said| tell(&mut in_order, 0, said)).collect();
        prop_assert_eq!(expected.len(), lists.len());

        let mut random = seed | 1;
        let mut shuffled = Windows::new(250 * MS);
        let mut got = Vec::new();
        for pair in lists.chunks(2) {
            let mut said: Vec<Said> = pair.iter().flatten().cloned().collect();
            for at in (1..said.len()).rev() {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                said.swap(at, (random % (at as u64 + 1)) as usize);
            }
            got.extend(said.iter().flat_map(|said| tell(&mut shuffled, 0, said)));
        }
        prop_assert!(got == expected, "the windows differ");
        prop_assert_eq!((shuffled.skipped, shuffled.late_tasks, shuffled.invalid), (0, 0, 0));
    }

    /// Whatever comes, in whatever order, however senseless: bounded, and no panic.
    #[test]
    fn nonsense_neither_panics_nor_grows(
        says in prop::collection::vec((0_u8..3, 0_u64..limits::ITERATION_END, any::<u64>(), any::<u32>()), 0..300),
    ) {
        let mut windows = Windows::new(MS);
        for (now, (kind, iteration, number, rank)) in says.into_iter().enumerate() {
            let iteration = if number % 3 == 0 { iteration % 32 } else { iteration };
            let tasks = number % limits::TASKS_END;
            let said = match kind {
                0 => Said::Begun(Begun { time_ns: number, workers: rank, ..begun(iteration % (1 << 30), tasks) }),
                1 => Said::Ended(Ended { time_ns: number, ..ended(iteration % (1 << 30), tasks) }),
                _ => Said::Work(rank, work(iteration, tasks)),
            };
            tell(&mut windows, now as u64, &said);
            prop_assert!(windows.open.len() <= limits::OPEN_WINDOWS);
        }
        windows.close(u64::MAX, true, 0);
        prop_assert!(windows.open.is_empty());
    }
}

#[test]
fn an_iteration_with_missing_records_closes_after_the_grace_and_says_so() {
    let mut windows = Windows::new(250 * MS);
    tell(&mut windows, 0, &Said::Begun(begun(0, 100)));
    tell(&mut windows, 0, &Said::Work(1, work(0, 80)));
    assert!(tell(&mut windows, 10 * MS, &Said::Ended(ended(0, 100))).is_empty());
    assert!(windows.close(259 * MS, false, 0).is_empty());
    let closed = windows.close(260 * MS, false, 0);
    assert_eq!(closed[0].window.coverage, 0.8);
    assert_eq!(closed[0].task_s, 0.007, "what the master heard, not what arrived");
    tell(&mut windows, 260 * MS, &Said::Work(2, work(0, 20)));
    assert_eq!(windows.late_tasks, 20);
}

#[test]
fn where_the_master_does_not_report_it_the_task_time_of_missing_records_is_that_of_the_others() {
    let mut windows = Windows::new(MS);
    tell(&mut windows, 0, &Said::Begun(begun(0, 100)));
    tell(&mut windows, 0, &Said::Work(1, work(0, 80)));
    tell(&mut windows, 0, &Said::Ended(Ended { task_time_ns: 0, ..ended(0, 100) }));
    let closed = windows.close(2 * MS, false, 0);
    assert_eq!((closed[0].task_s, closed[0].window.coverage), (50.0, 0.8));
}

#[test]
fn an_iteration_with_missing_records_closes_when_the_next_but_one_has_ended() {
    let mut windows = Windows::new(250 * MS);
    let mut closed = Vec::new();
    for n in 0..3 {
        closed.extend(tell(&mut windows, 0, &Said::Begun(begun(n, 10))));
        closed.extend(tell(&mut windows, 0, &Said::Ended(ended(n, 10))));
    }
    assert_eq!(closed.len(), 1);
    assert_eq!((closed[0].window.iteration, closed[0].window.coverage), (0, 0.0));
}

#[test]
fn an_iteration_whose_begin_was_not_seen_is_skipped() {
    let mut windows = Windows::new(250 * MS);
    tell(&mut windows, 0, &Said::Work(1, work(4, 5)));
    tell(&mut windows, 0, &Said::Ended(ended(4, 5)));
    assert!(windows.close(300 * MS, false, 0).is_empty());
    assert_eq!(windows.skipped, 1);
    let closed: Vec<Closed> = all_of(5, &[5]).iter().flat_map(|said| tell(&mut windows, 0, said)).collect();
    assert_eq!(closed[0].window.iteration, 5);
}

#[test]
fn an_iteration_that_ends_before_it_begins_is_skipped() {
    let mut windows = Windows::new(0);
    tell(&mut windows, 0, &Said::Begun(Begun { time_ns: 2, ..begun(0, 0) }));
    assert!(tell(&mut windows, 0, &Said::Ended(Ended { time_ns: 1, ..ended(0, 0) })).is_empty());
    assert_eq!(windows.skipped, 1);
}

#[test]
fn an_iteration_of_no_tasks_is_a_window_of_full_coverage() {
    let mut windows = Windows::new(0);
    tell(&mut windows, 0, &Said::Begun(begun(0, 0)));
    let closed = tell(&mut windows, 0, &Said::Ended(ended(0, 0)));
    assert_eq!((closed[0].window.coverage, closed[0].window.iteration_s), (1.0, 0.5));
}

#[test]
fn a_setting_taken_inside_the_iteration_marks_it_as_changed() {
    let mut windows = Windows::new(0);
    let daf = TechniqueParameters::new(Technique::Daf);
    tell(&mut windows, 0, &Said::Begun(begun(0, 1)));
    windows.on_setting(0, 100 * MS, true, daf);
    tell(&mut windows, 0, &Said::Work(1, work(0, 1)));
    let closed = tell(&mut windows, 0, &Said::Ended(ended(0, 1)));
    assert!(closed[0].window.setting_changed);
    assert_eq!(closed[0].window.setting.kind, Technique::Dpf);
    tell(&mut windows, 0, &Said::Begun(begun(1, 1)));
    windows.on_setting(1, 1001 * MS, false, daf);
    tell(&mut windows, 0, &Said::Work(1, work(1, 1)));
    let closed = tell(&mut windows, 0, &Said::Ended(ended(1, 1)));
    assert!(!closed[0].window.setting_changed, "it was meant for the beginning");
    assert_eq!(closed[0].window.setting.kind, Technique::Daf);
}

#[test]
fn the_numbers_of_a_loop_that_counts_from_the_start_again_go_on() {
    let mut windows = Windows::new(250 * MS);
    for n in 0..3 {
        all_of(n, &[4]).iter().for_each(|said| drop(tell(&mut windows, 0, said)));
    }
    let again = Begun { time_ns: 9000 * MS, ..begun(0, 4) };
    tell(&mut windows, 0, &Said::Begun(again));
    tell(&mut windows, 0, &Said::Work(1, work(0, 4)));
    let closed = tell(&mut windows, 0, &Said::Ended(Ended { time_ns: 9001 * MS, ..ended(0, 4) }));
    assert_eq!(
        (closed[0].window.iteration, closed[0].window.prepare_s),
        (3, None),
        "what lies between is no part of it"
    );
    assert_eq!((windows.number(1), windows.skipped, windows.invalid), (4, 0, 0));
    tell(&mut windows, 0, &Said::Begun(Begun { time_ns: 8000 * MS, ..begun(0, 4) }));
    assert_eq!((windows.number(1), windows.invalid), (4, 1), "an old one is none");
}

#[test]
fn loops_of_one_iteration_each_are_kept_apart_though_what_they_say_comes_at_once() {
    let mut windows = Windows::new(250 * MS);
    let at = |loop_: u64| 1000 * MS * loop_;
    for loop_ in 0..3 {
        windows.on_begun(0, Begun { time_ns: at(loop_), ..begun(0, 4) }, (TechniqueParameters::FALLBACK, None));
        windows.on_ended(0, Ended { time_ns: at(loop_) + 500 * MS, ..ended(0, 4) });
        // The worker's batch is late by one loop.
        if loop_ > 0 {
            windows.on_work(1, 0, work(0, 4));
        }
    }
    windows.on_work(1, 0, work(0, 4));
    let closed: Vec<(u64, f64)> =
        windows.close(0, true, 0).iter().map(|closed| (closed.window.iteration, closed.window.coverage)).collect();
    assert_eq!(closed, [(0, 1.0), (1, 1.0), (2, 1.0)]);
    assert_eq!((windows.skipped, windows.late_tasks, windows.invalid), (0, 0, 0));
}

#[test]
fn what_comes_before_the_begin_of_a_further_loop_is_kept_for_it() {
    let mut windows = Windows::new(250 * MS);
    windows.of_framework = true;
    all_of(0, &[4]).iter().for_each(|said| drop(tell(&mut windows, 0, said)));
    // A worker's work of the next loop, and a command that the master took before it began that.
    windows.on_work(1, 0, work(0, 4));
    assert_eq!((windows.number_at(0, 300 * MS), windows.number_at(0, 5000 * MS)), (0, 1));
    windows.on_begun(0, Begun { time_ns: 6000 * MS, ..begun(0, 4) }, (TechniqueParameters::FALLBACK, None));
    windows.on_ended(0, Ended { time_ns: 6500 * MS, ..ended(0, 4) });
    let closed = windows.close(0, false, 0);
    assert_eq!((closed[0].window.iteration, closed[0].window.coverage), (1, 1.0));
    // What follows no further loop was late.
    windows.on_work(1, 0, work(0, 4));
    drop(windows.close(0, true, 0));
    assert_eq!((windows.late_tasks, windows.invalid), (4, 0));
}

#[test]
fn an_iteration_of_which_nothing_came_is_counted_as_skipped() {
    let mut windows = Windows::new(250 * MS);
    all_of(0, &[4]).iter().for_each(|said| drop(tell(&mut windows, 0, said)));
    all_of(3, &[4]).iter().for_each(|said| drop(tell(&mut windows, 0, said)));
    assert_eq!(windows.close(250 * MS, false, 0)[0].window.iteration, 3);
    assert_eq!(windows.skipped, 2);
}

#[test]
fn work_of_an_unknown_iteration_is_placed_by_its_time() {
    let mut windows = Windows::new(250 * MS);
    let loose = |tasks, middle_ns| Work { iteration: None, middle_ns, ..work(0, tasks) };
    tell(&mut windows, 0, &Said::Begun(begun(0, 10)));
    tell(&mut windows, 0, &Said::Work(1, loose(6, 100 * MS)));
    tell(&mut windows, 0, &Said::Work(2, loose(7, 1100 * MS)));
    tell(&mut windows, 0, &Said::Work(2, loose(4, 400 * MS)));
    let closed = tell(&mut windows, 0, &Said::Ended(ended(0, 10)));
    assert_eq!((closed[0].window.coverage, closed[0].window.per_worker.len()), (1.0, 2));
    tell(&mut windows, 0, &Said::Work(1, loose(9, 450 * MS)));
    assert_eq!(windows.late_tasks, 9);
    tell(&mut windows, 0, &Said::Begun(begun(1, 7)));
    let closed = tell(&mut windows, 0, &Said::Ended(ended(1, 7)));
    assert_eq!(closed[0].window.per_worker[0].tasks, 7);
}

#[test]
fn what_workers_of_another_master_compute_is_in_no_window() {
    let mut windows = Windows::new(250 * MS);
    let loose = |tasks, middle_ns| Work { iteration: None, middle_ns, ..work(0, tasks) };
    let mut ranks_of = |n: u64, of_others: &[u32]| {
        windows.set_workers_of_others(of_others.iter().copied().collect());
        tell(&mut windows, 0, &Said::Begun(begun(n, 7)));
        for rank in [1, 2] {
            tell(&mut windows, 0, &Said::Work(rank, loose(7, (n * 1000 + 100) * MS)));
        }
        let closed = tell(&mut windows, 0, &Said::Ended(ended(n, 7)));
        assert_eq!((windows.all_workers(), windows.late_tasks), ([1, 2].into(), 0));
        closed[0].window.per_worker.iter().map(|worker| worker.rank).collect::<Vec<u32>>()
    };
    assert_eq!(ranks_of(0, &[]), [1, 2]);
    assert_eq!(ranks_of(1, &[2]), [1]);
    assert_eq!(ranks_of(2, &[]), [1, 2], "it was taken for one wrongly");
}

#[test]
fn what_the_master_heard_counts_only_where_the_workers_say_nothing() {
    let mut windows = Windows::new(0);
    windows.master = Some(0);
    tell(&mut windows, 0, &Said::Begun(begun(0, 10)));
    tell(&mut windows, 0, &Said::Work(0, work(0, 10)));
    let closed = tell(&mut windows, 0, &Said::Ended(ended(0, 10)));
    assert_eq!(closed[0].window.per_worker[0].rank, 0);
    tell(&mut windows, 0, &Said::Begun(begun(1, 10)));
    tell(&mut windows, 0, &Said::Work(0, work(1, 10)));
    tell(&mut windows, 0, &Said::Work(3, work(1, 10)));
    let closed = tell(&mut windows, 0, &Said::Ended(ended(1, 10)));
    assert_eq!(closed[0].window.per_worker.iter().map(|w| w.rank).collect::<Vec<_>>(), [3]);
}
