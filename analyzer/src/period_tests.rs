//! The period of MPI calls: programs that have one, and programs that have none.

use super::*;
use rand_distr::{Distribution, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// A program: how often each function is called by a time in iterations.
type Program<'a> = &'a dyn Fn(f64) -> Vec<(&'static str, u64)>;

/// Reads the program's counters each 200 ms for `readings` readings, and returns the first period found, with the reading.
fn search(
    iteration_s: f64,
    readings: usize,
    program: Program<'_>,
    others: impl Fn(f64, &str) -> Vec<u64>,
) -> Option<(usize, Period)> {
    let mut search = PeriodSearch::default();
    (0..readings).find_map(|number| {
        let iterations = 0.2 * number as f64 / iteration_s;
        let counts = program(iterations).into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        let time_ns = number as u64 * 200_000_000;
        let names: Vec<&str> = program(iterations).into_iter().map(|(name, _)| name).collect();
        let news = search.on_counted(time_ns, counts, || at(time_ns, &names, |call| others(iterations, call)));
        found(news).map(|period| (number, period))
    })
}

/// The period that is news.
fn found(news: Option<News<'_>>) -> Option<Period> {
    match news? {
        News::Found { period, .. } => Some(period.clone()),
        News::Ended(_) => None,
    }
}

/// Readings of other ranks, of each of which `count_of` gives the calls of a function.
fn at(time_ns: u64, names: &[&str], count_of: impl Fn(&str) -> Vec<u64>) -> Others {
    let of = |rank: usize| names.iter().map(|name| ((*name).to_owned(), count_of(name)[rank])).collect();
    let ranks = names.iter().map(|name| count_of(name).len()).min().unwrap_or(0);
    (0..ranks).map(|rank| (rank as u32 + 1, Reading { time_ns, counts: of(rank) })).collect()
}

/// `calls` evenly over an iteration.
fn evenly(iterations: f64, calls: u64) -> u64 {
    (iterations * calls as f64).floor() as u64
}

/// Another rank at the same time.
fn alike(program: Program<'_>) -> impl Fn(f64, &str) -> Vec<u64> {
    move |iterations, call| {
        let count = program(iterations).into_iter().find(|(name, _)| *name == call).map_or(0, |(_, count)| count);
        vec![count, count + 1]
    }
}

#[test]
fn a_loop_of_halo_exchange_and_reductions_is_found() {
    let program: Program<'_> =
        &|n| vec![("MPI_Sendrecv", evenly(n, 4)), ("MPI_Allreduce", evenly(n, 2)), ("MPI_Bcast", 3)];
    let (_, period) = search(0.02, 60, program, alike(program)).expect("a period");
    assert_eq!((&*period.call, period.every), ("MPI_Allreduce", 1), "{period:?}");
    assert_eq!(period.calls, BTreeMap::from([("MPI_Sendrecv".into(), 2), ("MPI_Allreduce".into(), 1)]));
    assert!((period.period_s - 0.01).abs() < 0.001, "{period:?}");
    assert!(period.confidence.is_some_and(|confidence| confidence >= LEVEL), "{period:?}");
    assert_eq!(period.line(0), "mpi MPI_Allreduce every 1");
}

#[test]
fn three_of_one_to_two_of_another_are_one_period() {
    let program: Program<'_> = &|n| vec![("MPI_Waitall", evenly(n, 3)), ("MPI_Allreduce", evenly(n, 2))];
    let (_, period) = search(0.01, 100, program, alike(program)).expect("a period");
    assert_eq!((&*period.call, period.every, period.calls["MPI_Waitall"]), ("MPI_Allreduce", 2, 3));
}

#[test]
fn periods_too_short_to_be_measured_are_taken_together() {
    let program: Program<'_> = &|n| vec![("MPI_Sendrecv", evenly(n, 2)), ("MPI_Allreduce", evenly(n, 1))];
    let (_, period) = search(0.000_2, 20, program, alike(program)).expect("a period");
    assert_eq!((period.every, period.calls["MPI_Allreduce"]), (25, 1), "{period:?}");
}

#[test]
fn inner_iterations_that_differ_do_not_hide_the_outer_ones() {
    // A solver with 20 to 60 inner steps per outer one.
    let inner = |n: f64| (0..n as u64).map(|k| 20 + k * 7919 % 41).sum::<u64>() + (40.0 * n.fract()) as u64;
    let program =
        move |n: f64| vec![("MPI_Allreduce", 2 * inner(n)), ("MPI_Bcast", evenly(n, 1)), ("MPI_Gather", evenly(n, 2))];
    let (_, period) = search(0.01, 100, &program, alike(&program)).expect("a period");
    assert_eq!((&*period.call, period.calls.len()), ("MPI_Bcast", 2), "{period:?}");
}

#[test]
fn a_phase_before_the_loop_is_left_behind() {
    let program: Program<'_> = &|n| {
        let (before, after) = (n.min(100.0), (n - 100.0).max(0.0));
        let setup = vec![("MPI_Bcast", evenly(before, 37)), ("MPI_Gather", (0.3 * before * before) as u64)];
        [setup, vec![("MPI_Allreduce", evenly(after, 2)), ("MPI_Sendrecv", evenly(after, 6))]].concat()
    };
    let (_, period) = search(0.02, 100, program, alike(program)).expect("a period");
    assert_eq!((&*period.call, period.calls["MPI_Sendrecv"]), ("MPI_Allreduce", 3), "{period:?}");
}

#[test]
fn after_a_period_has_ended_another_is_looked_for() {
    let program: Program<'_> = &|n| {
        let (before, after) = (n.min(500.0), (n - 500.0).max(0.0));
        let both = evenly(before, 1) + evenly(after, 1);
        vec![("MPI_Barrier", evenly(before, 1)), ("MPI_Sendrecv", 2 * both), ("MPI_Allgather", evenly(after, 1))]
    };
    let mut search = PeriodSearch::default();
    let mut calls = Vec::new();
    for number in 0..300 {
        let iterations = f64::from(number) * 10.0;
        let counts = program(iterations).into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        let news = search.on_counted(u64::from(number as u32) * 200_000_000, counts, Others::new);
        calls.extend(news.map(|news| match news {
            News::Found { period, phase } => format!("{phase}: {}", period.call),
            News::Ended(call) => format!("no {call}"),
        }));
        assert_eq!(search.has_told(), !calls.is_empty());
    }
    assert_eq!(calls, ["0: MPI_Barrier", "no MPI_Barrier", "1: MPI_Allgather"]);
}

#[test]
fn phases_that_take_turns_are_known_again_and_their_windows_stay_what_they_are() {
    let mut search = PeriodSearch::default();
    let (mut solved, mut assembled, mut phases) = (0, 0, Vec::new());
    for number in 0..200_u64 {
        match number / 20 % 2 {
            0 => solved += 20,
            _ => assembled += 20,
        }
        let counts = [("MPI_Allreduce", solved), ("MPI_Barrier", solved), ("MPI_Sendrecv", assembled)]
            .map(|(name, count)| (name.into(), count));
        let Some(News::Found { phase, .. }) = search.on_counted(number * 200_000_000, counts.into(), Others::new)
        else {
            continue;
        };
        let hidden = (0..turns::LOOKED_AT).filter(|_| search.on_window(0.01) == Part::Unknown).count();
        assert_eq!(hidden > 0, !phases.contains(&phase), "only at first nobody knows whether several windows make one");
        phases.push(phase);
    }
    assert!(phases.starts_with(&[0, 1, 0, 1]), "{phases:?}");
}

#[test]
fn a_master_and_its_workers_have_no_period_in_common() {
    let program: Program<'_> = &|n| vec![("MPI_Send", evenly(n, 16)), ("MPI_Recv", evenly(n, 16))];
    let found = search(0.01, 100, program, |n, _| vec![evenly(n, 4), evenly(n, 5)]);
    assert_eq!(found, None);
}

#[test]
fn a_collective_ends_the_iterations_of_a_master_that_makes_hundreds_of_calls_in_each() {
    let program: Program<'_> =
        &|n| vec![("MPI_Send", evenly(n, 608)), ("MPI_Recv", evenly(n, 600)), ("MPI_Bcast", evenly(n, 1))];
    // Each worker gets another part of the messages.
    let others = |n: f64, call: &str| match call {
        "MPI_Bcast" => vec![evenly(n, 1), evenly(n, 1) + 1],
        _ => vec![evenly(n, 220), evenly(n, 380)],
    };
    let (reading, period) = search(0.04, 200, program, others).expect("a period");
    assert_eq!((&*period.call, period.every, period.calls.len()), ("MPI_Bcast", 1, 3), "{period:?}");
    assert!(reading <= 60, "after {reading} readings");
}

#[test]
fn a_farm_with_a_barrier_is_found_within_some_forty_iterations() {
    // Each worker gets a first task, and a word to stop.
    let program: Program<'_> = &|n| {
        vec![
            ("MPI_Barrier", evenly(n, 1)),
            ("MPI_Recv", evenly(n, 50)),
            ("MPI_Send", evenly(n, 50) + 5 * (n + 0.95) as u64),
        ]
    };
    let worker = |n: f64, call: &str| match call {
        "MPI_Barrier" => vec![evenly(n, 1); 5],
        _ => (0..5).map(|worker| evenly(n, 9 + worker % 3)).collect(),
    };
    let (readings, period) = search(0.065, 25, program, worker).expect("a period");
    assert_eq!((&*period.call, period.every), ("MPI_Barrier", 1), "{period:?}");
    assert!(period.calls["MPI_Recv"].abs_diff(50) as f64 <= period.off(50), "{period:?}");
    assert!(readings <= 14, "{readings}");
}

#[test]
fn windows_in_turns_make_one_iteration_and_others_are_iterations() {
    for (times_s, every) in [([0.016, 2e-5], 2), ([0.016, 0.016], 1)] {
        let mut search = PeriodSearch::default();
        assert_eq!(search.on_window(1.0), Part::Whole, "a window of the program's own");
        for reading in 0..60 {
            let iterations = 10.0 * reading as f64;
            let counts =
                [("MPI_Mprobe", 32), ("MPI_Bcast", 1)].map(|(name, calls)| (name.into(), evenly(iterations, calls)));
            search.on_counted(reading * 200_000_000, counts.into(), Others::new);
        }
        assert_eq!(search.found().map(|period| period.every), Some(1));
        let parts: Vec<Part> = (0..turns::LOOKED_AT + 1).map(|k| search.on_window(times_s[k % 2])).collect();
        let last = if every == 2 { Part::Several } else { Part::Unknown };
        assert_eq!(parts[turns::LOOKED_AT - 2..], [Part::Unknown, last, Part::Whole]);
        let found = search.found().expect("a period");
        assert_eq!((found.every, found.calls["MPI_Mprobe"]), (every, 32 * every), "{found:?}");
    }
}

#[test]
fn calls_at_random_have_a_period_as_rarely_as_promised() {
    let wrong = (0..400).filter(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(*seed);
        let rates: Vec<f64> = [1.3, 2.9, 7.7].into_iter().map(|rate| rate * (1.0 + *seed as f64 / 400.0)).collect();
        let mut counts = [0_u64; 3];
        let mut search = PeriodSearch::default();
        (0..64).any(|number| {
            for (count, rate) in counts.iter_mut().zip(&rates) {
                *count += Poisson::new(rate * 20.0).expect("a rate").sample(&mut random) as u64;
            }
            let counts = ["MPI_Reduce", "MPI_Bcast", "MPI_Allreduce"].iter().map(|name| (*name).to_owned()).zip(counts);
            search.on_counted(number * 200_000_000, counts.collect(), Others::new).is_some()
        })
    });
    let wrong = wrong.count();
    assert!(wrong as f64 <= 400.0 * (1.0 - LEVEL), "{wrong} of 400");
}

#[test]
fn hundreds_of_calls_that_have_nothing_to_do_with_a_collective_are_none_of_its_period() {
    for calls in [60.0, 200.0, 1000.0] {
        let wrong = (0..200).filter(|seed| {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(*seed);
            let (mut made, mut collectives) = (0, 0);
            let mut search = PeriodSearch::default();
            (0..40).any(|number| {
                made += Poisson::new(3.0 * calls).expect("a rate").sample(&mut random) as u64;
                collectives += Poisson::new(3.0_f64).expect("a rate").sample(&mut random) as u64;
                let counts = [("MPI_Send".to_owned(), made), ("MPI_Barrier".to_owned(), collectives)];
                search.on_counted(number * 200_000_000, counts.into(), Others::new).is_some()
            })
        });
        let wrong = wrong.count();
        assert!(wrong as f64 <= 200.0 * (1.0 - LEVEL), "{wrong} of 200 with {calls}");
    }
}

/// The chance of at least -1 and at most 1 of the left side is no larger than its bound, and where both functions are called equally often not much smaller.
#[test]
fn the_chance_of_independent_calls_is_bounded_by_both_bounds() {
    for (rarer, other, n) in [(1, 1, 3.0), (1, 1, 16.0), (2, 3, 5.0), (1, 4, 20.0), (1, 60, 4.0), (3, 200, 2.0)] {
        let law = |mean: f64| {
            let most = (mean + 12.0 * mean.sqrt() + 20.0) as u32;
            let laws = (1..most).scan((-mean).exp(), |law, k| {
                let this = *law;
                *law *= mean / f64::from(k);
                Some(this)
            });
            laws.collect::<Vec<f64>>()
        };
        let (of_other, of_rarer) = (law(n * other as f64), law(n * rarer as f64));
        let within = |g: i64| {
            let near = |f: &i64| (f * rarer - g * other).abs() <= 1;
            (0..of_other.len() as i64).filter(near).map(|f| of_other[f as usize]).sum::<f64>() * of_rarer[g as usize]
        };
        let exact: f64 = (0..of_rarer.len() as i64).map(within).sum();
        let counts = |count: f64| Reading { time_ns: 0, counts: [("MPI_Barrier".to_owned(), count as u64)].into() };
        let readings = [counts(0.0), counts(1.0), counts(2.0)];
        // One stretch: the first is what the ratio was fitted to.
        let bound = by_chance(&readings, (rarer as f64, other as f64), 1.0, |from, to| {
            n * (to.of("MPI_Barrier") - from.of("MPI_Barrier")) as f64
        });
        assert!(exact <= bound, "{rarer} {other} {n}: {exact} {bound}");
        assert!(rarer != other || bound < 1.1 * exact, "{rarer} {other} {n}: {exact} {bound}");
    }
}

#[test]
fn one_function_alone_is_a_period_once_it_was_called_often() {
    let program: Program<'_> = &|n| vec![("MPI_Allreduce", evenly(n, 1))];
    let (reading, period) = search(0.02, 40, program, alike(program)).expect("a period");
    assert!(reading >= 2 && period.confidence.is_none() && period.every == 1, "{reading} {period:?}");
}

#[test]
fn when_a_lower_rank_comes_its_calls_are_read_from_the_begin_whatever_its_clock_says() {
    let program = |n: f64| [("MPI_Sendrecv", 2), ("MPI_Allreduce", 1)].map(|(name, calls)| (name, evenly(n, calls)));
    let mut search = PeriodSearch::default();
    // Rank 2 is seen first; the clock of rank 0's host is an hour behind that of rank 2's.
    let mut of_ranks = Vec::new();
    for (rank, readings, ahead_s) in [(2, 2_u32, 3_600), (0, 60, 0)] {
        search.follow(rank);
        for number in 0..readings {
            let iterations = 0.2 * f64::from(number) / 0.02;
            let counts = program(iterations).map(|(name, count)| (name.to_owned(), count)).into();
            let time_ns = (ahead_s * 1000 + u64::from(number) * 200) * 1_000_000;
            let of_others = |call: &str| {
                program(iterations).into_iter().filter(|(name, _)| *name == call).map(|(_, count)| count).collect()
            };
            let names = ["MPI_Sendrecv", "MPI_Allreduce"];
            let news = search.on_counted(time_ns, counts, || at(time_ns, &names, of_others));
            of_ranks.extend(found(news).map(|period| (rank, period.period_s)));
        }
    }
    let [(0, period_s)] = of_ranks[..] else { panic!("a period of rank 0: {of_ranks:?}") };
    assert!((period_s - 0.02).abs() < 0.002, "{period_s} s");
}

/// The first period found among `ranks` ranks whose calls by a time in iterations `calls` gives, of which the first is followed; each is read
/// `later_s` after the one before.
fn among(ranks: u32, later_s: f64, calls: &dyn Fn(u32, f64) -> Vec<(&'static str, u64)>) -> Option<Period> {
    let mut search = PeriodSearch::default();
    let at = |rank: u32, time_s: f64| Reading {
        time_ns: (time_s * 1e9) as u64,
        counts: calls(rank, time_s / 0.01).into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
    };
    (1..60).find_map(|number| {
        let time_s = |rank: u32| 0.2 * f64::from(number) + later_s * f64::from(rank);
        let own = at(0, time_s(0));
        // The others were read in the round before.
        let others = || (1..ranks).map(|rank| (rank, at(rank, time_s(rank) - 0.2))).collect();
        found(search.on_counted(own.time_ns, own.counts, others))
    })
}

#[test]
fn ranks_at_the_edge_that_send_fewer_messages_have_iterations_of_their_own_number_of_calls() {
    // A row of four, a grid of three by four, and a pipeline.
    let row: [u64; 4] = [1, 2, 2, 1];
    let grid: [u64; 12] = [2, 3, 3, 2, 3, 4, 4, 3, 2, 3, 3, 2];
    for later_s in [1e-4, 0.03] {
        for neighbours in [&row[..], &grid] {
            let calls = |rank: u32, n: f64| {
                let each = neighbours[rank as usize];
                vec![("MPI_Recv", evenly(n, each) + 5), ("MPI_Send", evenly(n + 0.3, each))]
            };
            // Where hosts are read at other moments it takes longer.
            let Some(period) = among(neighbours.len() as u32, later_s, &calls) else {
                assert!(later_s > 0.01, "no period");
                continue;
            };
            let line = |rank: usize| format!("mpi MPI_Recv every {}", neighbours[rank]);
            let lines: Vec<String> = (0..neighbours.len()).map(|rank| period.line(rank as u32)).collect();
            assert_eq!(lines, (0..neighbours.len()).map(line).collect::<Vec<_>>(), "{period:?}");
            assert!((period.period_s - 0.01).abs() < 0.001, "{period:?}");
        }
    }
    let stages = |rank: u32, n: f64| match rank {
        0 => vec![("MPI_Send", evenly(n, 1))],
        3 => vec![("MPI_Recv", evenly(n, 1))],
        _ => vec![("MPI_Recv", evenly(n, 1)), ("MPI_Send", evenly(n, 1))],
    };
    let period = among(4, 1e-4, &stages).expect("a period");
    assert_eq!(
        [0, 1, 3].map(|rank| period.line(rank)),
        ["Send", "Send", "Recv"].map(|c| format!("mpi MPI_{c} every 1"))
    );
}

#[test]
fn a_function_that_all_ranks_call_alike_ends_the_iterations_before_one_that_they_do_not() {
    let calls = |rank: u32, n: f64| {
        let each = [1, 2, 2, 1][rank as usize];
        vec![("MPI_Irecv", evenly(n, each)), ("MPI_Isend", evenly(n, each)), ("MPI_Reduce", evenly(n, 1))]
    };
    let period = among(4, 1e-4, &calls).expect("a period");
    assert_eq!((period.line(1), period.others.len()), ("mpi MPI_Reduce every 1".to_owned(), 0));
}

#[test]
fn ranks_whose_calls_have_nothing_to_do_with_each_other_have_no_period_in_common() {
    let wrong = (0..200).filter(|seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(*seed);
        let rates: Vec<f64> =
            (0..3).map(|_| rand_distr::Uniform::new(0.5, 4.0).expect("a range").sample(&mut random)).collect();
        let calls = |rank: u32, n: f64| {
            let count = (n * rates[rank as usize]).floor() as u64;
            vec![("MPI_Send", count), ("MPI_Recv", count)]
        };
        among(3, 1e-4, &calls).is_some()
    });
    let wrong = wrong.count();
    assert!(wrong as f64 <= 200.0 * (1.0 - LEVEL), "{wrong} of 200");
}
