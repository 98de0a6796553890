//! Counted calls and efficiencies, by hand.

use super::*;

const S: u64 = 1_000_000_000;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn counted(time_s: u64, waiting_s: u64) -> MpiCounted {
    MpiCounted { time_ns: time_s * S, begun_ns: S, waiting_ns: waiting_s * S, ..MpiCounted::default() }
}

#[test]
fn the_efficiencies_are_those_of_the_definition() {
    let pop = Efficiency::of(&[4.0, 2.0, 3.0, 3.0], 5.0).unwrap();
    assert!(close(pop.load_balance, 0.75) && close(pop.communication_efficiency, 0.8));
    assert!(close(pop.parallel_efficiency, 0.6));
    assert_eq!(Efficiency::of(&[], 1.0), None);
    assert_eq!(Efficiency::of(&[0.0], 1.0), None);
}

#[test]
fn totals_count_once_however_often_they_are_reported() {
    let mut calls = Calls::default();
    let call = MpiCall { name: "MPI_Send".into(), peer: "same_host" };
    let tally = |count| Tally { count, bytes: 8 * count, time_ns: S, timed: count };
    for count in [3, 5, 5] {
        let report = MpiCounted { calls: vec![(call.clone(), tally(count))], ..counted(3, 1) };
        (0..2).for_each(|rank| calls.on_counted(rank, 0, &report));
    }
    let lines = calls.lines();
    assert_eq!(lines["MPI_Send"]["same_host"], TallyLine { count: 10, bytes: 80, time_s: 2.0, timed: 10 });
    // The next program of the same job begins at 0 again.
    let next = MpiCounted { begun_ns: 9 * S, time_ns: 10 * S, calls: vec![(call, tally(1))], ..MpiCounted::default() };
    calls.on_counted(0, 0, &next);
    assert_eq!(calls.lines()["MPI_Send"]["same_host"].count, 11);
}

#[test]
fn a_call_that_still_runs_is_not_a_sampled_one() {
    let sampled = |timed| {
        let call = MpiCall { name: "MPI_Recv".into(), peer: "any" };
        let tally = Tally { count: 100, bytes: 800, time_ns: S, timed };
        Calls::sampled(&MpiCounted { calls: vec![(call, tally)], ..counted(3, 1) }).map(|(name, _)| name.to_owned())
    };
    assert_eq!((sampled(100), sampled(99), sampled(10)), (None, None, Some("MPI_Recv".to_owned())));
}

#[test]
fn calls_beyond_the_edge_of_a_grid_count_and_those_that_never_reach_a_rank_do_not() {
    let mut calls = Calls::default();
    let call = |name: &str, peer, count| {
        (MpiCall { name: name.into(), peer }, Tally { count, bytes: 8, time_ns: S, timed: count })
    };
    let edge = [call("MPI_Send", LOCAL, 5), call("MPI_Send", "same_host", 5), call("MPI_Testall", LOCAL, 9)];
    calls.on_counted(0, 0, &MpiCounted { calls: edge.into(), ..counted(3, 1) });
    let within = [call("MPI_Send", "same_host", 10), call("MPI_Wait", LOCAL, 9)];
    calls.on_counted(1, 0, &MpiCounted { calls: within.into(), ..counted(3, 1) });
    assert_eq!(calls.counts(0), [("MPI_Send".to_owned(), 10)].into());
    let of_others = |rank| calls.counts_of_others(rank).into_values().map(|reading| reading.of("MPI_Send"));
    assert_eq!((of_others(1).collect(), of_others(0).collect()), (vec![10], vec![10]));
    // What waits for messages belongs to them.
    assert_eq!(calls.counts(1), [("MPI_Send".to_owned(), 10), ("MPI_Wait".to_owned(), 9)].into());
}

#[test]
fn the_whole_run_is_measured_from_init_to_finalize() {
    let mut calls = Calls::default();
    assert_eq!(calls.pop(), None);
    calls.on_counted(0, 0, &counted(5, 0));
    calls.on_counted(1, 0, &counted(5, 2));
    let pop = calls.pop().unwrap();
    assert!(close(pop.runtime_s, 4.0) && close(pop.efficiency.load_balance, 0.75));
    assert!(close(pop.efficiency.communication_efficiency, 1.0) && close(pop.ranks[1].useful_s, 2.0));
}

#[test]
fn the_run_delay_is_that_between_readings_of_it() {
    let mut calls = Calls::default();
    let read = |at_s: u64, delay_s: u64, read_s: u64| MpiCounted {
        run_delay_ns: (delay_s * S, read_s * S),
        ..counted(at_s, 0)
    };
    // Before the program began it had waited for 9 s; the reading at 4 is repeated.
    [read(2, 9, 2), read(4, 10, 4), read(5, 10, 4)].iter().for_each(|report| calls.on_counted(0, 0, report));
    calls.on_begun(0, 4 * S);
    calls.on_ended(0, 0, 5 * S);
    calls.settle(0, true);
    assert!(close(calls.until(0).unwrap().run_delay, 0.5), "{:?}", calls.until(0));
    assert!(close(calls.held_up(), 0.5));
    // Rank 1 waits for a core for 4 s, and is inside MPI for one of them.
    let polls = |time_s, waiting_s, delay_s| MpiCounted {
        run_delay_ns: (delay_s * S, time_s * S),
        ..counted(time_s, waiting_s)
    };
    [polls(2, 1, 0), polls(6, 2, 4)].iter().for_each(|report| calls.on_counted(1, 0, report));
    assert!(close(calls.held_up(), 0.75), "{}", calls.held_up());
    [polls(8, 2, 6)].iter().for_each(|report| calls.on_counted(1, 0, report));
    assert!(close(calls.held_up(), 1.0), "{}", calls.held_up());
    calls.ranks.remove(&1);
    calls.on_counted(0, 0, &read(8, 10, 8));
    let pop = calls.pop().unwrap();
    assert!(close(pop.efficiency.run_delay, 1.0 / 6.0) && close(pop.ranks[0].run_delay_s, 1.0), "{pop:?}");
}

#[test]
fn an_iteration_takes_its_share_of_what_was_read_around_it() {
    let mut calls = Calls::default();
    calls.on_begun(0, 3 * S);
    calls.on_counted(0, 0, &counted(2, 0));
    // Another host, whose clock is 10 s ahead of the master's.
    let far = |time_s: u64, waiting_s| MpiCounted { begun_ns: 11 * S, ..counted(time_s + 10, waiting_s) };
    calls.on_counted(1, -10 * S.cast_signed(), &far(2, 0));
    calls.on_ended(0, 0, 5 * S);
    calls.settle(0, false);
    assert!(calls.pop().unwrap().iterations.is_empty(), "neither rank has said what it did until then");
    calls.on_counted(0, 0, &counted(6, 2)); // half of the time between 2 and 6 s
    calls.on_counted(1, -10 * S.cast_signed(), &far(6, 4)); // all of it
    calls.settle(0, false);
    let pop = calls.pop().unwrap();
    let line = pop.iterations[0];
    assert!(close(line.efficiency.load_balance, 0.5) && close(line.efficiency.communication_efficiency, 0.5));
}

#[test]
fn a_rank_that_waits_as_workers_do_may_be_one() {
    let mut calls = Calls::default();
    let mut count = |rank, partner: Option<u32>, of: &[(&str, u64)]| {
        let tally = |count| Tally { count, bytes: 8, time_ns: S, timed: count };
        let call = |(name, count): &(&str, u64)| (MpiCall { name: (*name).into(), peer: "same_host" }, tally(*count));
        let (calls_of, messages) = (of.iter().map(call).collect(), of.iter().map(|(_, count)| count).sum());
        let with = if partner.is_some() { messages } else { 0 };
        let said = MpiCounted { calls: calls_of, partner, with_partner: with, with_one: with, ..counted(3, 1) };
        calls.on_counted(rank, 0, &said);
    };
    count(0, Some(1), &[("MPI_Send", 40), ("MPI_Recv", 40)]);
    count(1, Some(0), &[("MPI_Bcast", 1), ("MPI_Send", 20), ("MPI_Recv", 21)]);
    count(2, Some(0), &[("MPI_Bcast", 1), ("MPI_Send", 20), ("MPI_Recv", 21)]);
    count(3, None, &[("MPI_Bcast", 1), ("MPI_Recv", 1)]);
    count(4, None, &[("MPI_Bcast", 1), ("MPI_Allreduce", 9)]);
    count(5, Some(6), &[("MPI_Send", 9)]);
    count(7, None, &[]);
    let nobody = BTreeSet::new();
    let idle = |calls: &Calls, known| calls.idle_workers(0, &[1, 2].into(), &known);
    assert_eq!(idle(&calls, nobody.clone()), [3, 7].into(), "one may wait for its first message");
    assert_eq!(idle(&calls, [4].into()), [3, 4, 7].into(), "what was read later is no reason to leave one out");
    assert_eq!(calls.idle_workers(0, &nobody, &nobody), nobody, "nobody is known to be a worker");
}

#[test]
fn workers_that_exchange_messages_with_another_master_alone_are_its_own() {
    let mut calls = Calls::default();
    let mut count = |rank, partner, with_partner, with_one| {
        calls.on_counted(rank, 0, &MpiCounted { partner: Some(partner), with_partner, with_one, ..counted(3, 1) });
    };
    (2..4).for_each(|rank| count(rank, 0, 40, 40));
    (4..6).for_each(|rank| count(rank, 1, 40, 40));
    count(6, 0, 30, 40); // some with another, who may be this master
    count(7, 3, 40, 40); // with a neighbour
    let computed: BTreeSet<u32> = (2..9).collect();
    assert_eq!(calls.workers_of_others(1, &computed), [2, 3].into());
    assert_eq!(calls.workers_of_others(0, &computed), [4, 5].into());
    assert_eq!(calls.workers_of_others(9, &computed), BTreeSet::new(), "it hands out by collectives");
}

#[test]
fn a_silent_rank_does_not_hold_an_iteration_up_for_ever() {
    let mut calls = Calls::default();
    calls.on_counted(0, 0, &counted(2, 0));
    calls.on_begun(7, 3 * S);
    calls.on_ended(S, 7, 4 * S);
    calls.on_ended(S, 8, 4 * S); // its beginning was not seen
    calls.settle(S, false);
    calls.settle(2 * S, false);
    let iterations = calls.pop().unwrap().iterations;
    assert_eq!(iterations.iter().map(|line| line.iteration).collect::<Vec<_>>(), [7]);
}

#[test]
fn many_readings_become_coarser_and_keep_their_ends() {
    let mut rank = Rank::default();
    (0..1000).for_each(|n| rank.read((n * S, n * S / 2)));
    assert!(rank.readings.len() <= limits::MPI_READINGS);
    for at in [0, 1, 333, 998, 999] {
        assert!(close(rank.outside_ns(at * S), (at * S) as f64 / 2.0), "{at}");
    }
}
