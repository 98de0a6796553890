//! The pipeline model against the source's worked values and table, and the searches against each other and brute force.

use midrun_models::pipeline::exact::{Grouping, Objective, optimum};
use midrun_models::pipeline::production::{Buffers, dependent_s};
use midrun_models::pipeline::search::source;
use midrun_models::pipeline::team::{Team, TeamLoad};
use midrun_models::pipeline::{Group, Manager, Network, Pattern, Pipeline, Protocol, Stage};
use midrun_scheduling::{Technique, TechniqueParameters};
use proptest::prelude::*;

/// Stages of so many seconds that send messages of one size.
fn pipeline(compute_s: &[f64], message_bytes: f64, network: Network) -> Pipeline {
    let stages = compute_s.iter().map(|&compute_s| Stage { compute_s, message_bytes, stateful: false });
    Pipeline::new(stages.collect(), network).checked().unwrap()
}

fn net(start_up_ms: f64, protocol: Protocol) -> Network {
    Network { start_up_s: start_up_ms * 1e-3, per_byte_s: 9.3e-8, protocol }
}

/// 100, 400, 300, 200, 100 ms; 10 KB; replicated stages have a manager on a rank of its own.
fn example() -> Pipeline {
    let mut p = pipeline(&[0.1, 0.4, 0.3, 0.2, 0.1], 10_240.0, net(2.131, Protocol::Async));
    p.manager = Manager::OwnRank;
    p
}

/// Every stage in a group of its own with this many replicas.
fn of_replicas(replicas: &[u32]) -> Pattern {
    let group = |(first, replicas): (usize, &u32)| Group { first, stages: 1, replicas: *replicas };
    Pattern(replicas.iter().enumerate().map(group).collect())
}

fn period_ms(p: &Pipeline, pattern: &Pattern) -> f64 {
    1e3 * p.evaluate(pattern, Buffers::Full).period_s
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 5e-4
}

#[test]
fn production_times_of_the_example_are_those_of_the_source() {
    let p = example();
    let alone = p.evaluate(&Pattern::unreplicated(5), Buffers::Full);
    for (tr_s, ms) in alone.tr_s.iter().zip([102.131, 402.131, 302.131, 202.131, 100.0]) {
        assert!(close(1e3 * tr_s, ms), "{tr_s}");
    }
    assert!(close(1e3 * alone.period_s, 402.131) && alone.ranks == 5);
    let best = p.evaluate(&of_replicas(&[1, 4, 3, 2, 1]), Buffers::Full);
    for (tr_s, ms) in best.tr_s.iter().zip([102.131, 101.0655, 101.4207, 102.131, 100.0]) {
        assert!(close(1e3 * tr_s, ms), "{tr_s}");
    }
    assert_eq!(best.ranks, 5 + 4 + 3 + 2, "three managers took the places of the three single stages");
}

#[test]
fn the_sources_search_ends_at_202_ms_where_134_are_possible() {
    let p = example();
    assert_eq!(source(&p, 14), Some(of_replicas(&[1, 4, 3, 2, 1])), "9 ranks for replicas");
    for for_replicas in 4..=8 {
        let found = source(&p, 5 + for_replicas).unwrap();
        assert_eq!(found, of_replicas(&[1, 2, 2, 1, 1]), "{for_replicas} ranks for replicas");
        assert!(close(period_ms(&p, &found), 202.131));
    }
    let exact = optimum(&p, 13, Grouping::None, Objective::Time).unwrap();
    assert_eq!(exact, of_replicas(&[1, 3, 3, 2, 1]));
    assert!(close(period_ms(&p, &exact), 134.754), "(400 + 2 * 2.131) / 3");
    assert_eq!(source(&p, 4), None);
    assert_eq!(source(&p, 5), Some(Pattern::unreplicated(5)));
}

#[test]
fn without_a_manager_the_same_ranks_go_further() {
    let p = Pipeline { manager: Manager::Sender, ..example() };
    let all = optimum(&p, 11, Grouping::None, Objective::Time).unwrap();
    assert_eq!(all, of_replicas(&[1, 4, 3, 2, 1]), "11 ranks instead of 14");
    let with = |ranks, grouping| optimum(&p, ranks, grouping, Objective::Time);
    let grouped = with(3, Grouping::Single).unwrap();
    assert_eq!(grouped.to_string(), "0-1,2-3,4", "fewer ranks than stages");
    assert!(close(period_ms(&p, &grouped), 502.131));
    assert_eq!((with(3, Grouping::None), with(0, Grouping::Any)), (None, None));
    // A farm wastes nothing: 1100 ms of work and one acknowledgement on three ranks.
    let farm = with(3, Grouping::Any).unwrap();
    assert_eq!(farm.to_string(), "0-4x3");
    assert!(close(period_ms(&p, &farm), 1102.131 / 3.0));
    // Six ranks: without grouping 202.131 is out of reach of stages 1 and 2 together.
    assert!(period_ms(&p, &with(6, Grouping::Single).unwrap()) < period_ms(&p, &with(6, Grouping::None).unwrap()));
}

#[test]
fn a_third_replica_of_stage_1_is_useless() {
    // 1, 1.5, 1, 3, 1 s and 512 B: 2 and 3 replicas, one output per second.
    let p = pipeline(&[1.0, 1.5, 1.0, 3.0, 1.0], 512.0, net(2.0, Protocol::Async));
    let best = optimum(&p, 9, Grouping::None, Objective::Time).unwrap();
    assert_eq!(best, of_replicas(&[1, 2, 1, 3, 1]), "the ninth rank is left alone");
    assert_eq!(optimum(&p, 9, Grouping::None, Objective::Efficiency), Some(best.clone()));
    let period_s = p.evaluate(&best, Buffers::Full).period_s;
    assert!((period_s - 1.002).abs() < 2e-3, "{period_s}");
    assert_eq!(source(&p, 9), Some(best.clone()));
    assert_eq!(optimum(&p, 20, Grouping::None, Objective::Budget(8)), Some(best));
}

/// The source's experiments: stages, s; message, bytes; start-up, ms; protocol; replicas; Tr of the pace-setter, s; its own
/// rounding and what it measured against it, relative.
type Row<'a> = (&'a [f64], f64, f64, Protocol, &'a [u32], f64, f64);

#[test]
fn the_sources_table_is_met() {
    use Protocol::{Async, Sync};
    const MIB: f64 = 1_048_576.0;
    let long: &[f64] = &[1.0, 1.5, 1.0, 3.0, 1.0];
    let short: &[f64] = &[0.01, 0.015, 0.01, 0.03, 0.01];
    let rows: [Row; 13] = [
        (&[1.0; 5], 2.0 * MIB, 2.0, Sync, &[1, 1, 1, 1, 1], 1.197, 1e-3),
        (&[0.1; 5], 51_200.0, 6.0, Async, &[1, 1, 1, 1, 1], 0.106, 1e-3),
        (&[0.01; 5], 51_200.0, 7.3, Async, &[1, 1, 1, 1, 1], 0.0173, 1e-3),
        (&[1.0, 1.2, 1.0, 2.0, 1.0], 204_800.0, 2.0, Async, &[1, 1, 1, 1, 1], 2.002, 1e-3),
        (&[0.1, 0.12, 0.1, 0.2, 0.1], 1024.0, 1.5, Async, &[1, 1, 1, 1, 1], 0.2015, 1e-3),
        (long, 512.0, 2.0, Async, &[1, 1, 1, 1, 1], 3.002, 1e-3),
        (long, 512.0, 2.0, Async, &[1, 2, 1, 1, 1], 3.002, 1e-3),
        (long, 512.0, 2.0, Async, &[1, 1, 1, 2, 1], 1.503, 1e-3),
        (long, 512.0, 2.0, Async, &[1, 3, 1, 3, 1], 1.002, 1e-3),
        (long, 1.5 * MIB, 2.0, Sync, &[1, 1, 1, 1, 1], 3.149, 1e-3),
        (long, 1.5 * MIB, 2.0, Sync, &[1, 2, 1, 3, 1], 1.151, 3e-3),
        (short, 512.0, 1.4, Async, &[1, 1, 1, 1, 1], 0.0314, 1e-3),
        (short, 512.0, 1.4, Async, &[1, 1, 1, 3, 1], 0.0164, 1e-3),
    ];
    for (compute_s, bytes, start_up_ms, protocol, replicas, expected_s, tolerance) in rows {
        let mut p = pipeline(compute_s, bytes, net(start_up_ms, protocol));
        p.manager = Manager::OwnRank;
        let period_s = p.evaluate(&of_replicas(replicas), Buffers::Full).period_s;
        assert!((period_s / expected_s - 1.0).abs() < tolerance, "{compute_s:?} {replicas:?}: {period_s}");
    }
}

#[test]
fn what_replicated_stages_of_the_table_could_do_lies_between_all_hidden_and_nothing_hidden() {
    let cases = [
        ([1.0, 1.5, 1.0, 3.0, 1.0], 512.0, 2.0, Protocol::Async, 2, 0.755),
        ([1.0, 1.5, 1.0, 3.0, 1.0], 512.0, 2.0, Protocol::Async, 3, 0.502),
        ([1.0, 1.5, 1.0, 3.0, 1.0], 1_572_864.0, 2.0, Protocol::Sync, 2, 0.92),
        ([0.01, 0.015, 0.01, 0.03, 0.01], 512.0, 1.4, Protocol::Async, 3, 0.0069),
    ];
    for (compute_s, bytes, start_up_ms, protocol, replicas, expected_s) in cases {
        let mut p = pipeline(&compute_s, bytes, net(start_up_ms, protocol));
        p.manager = Manager::OwnRank;
        let group = Group { first: 1, stages: 1, replicas };
        let overlapped_s = p.production_s(&group);
        let serial_s = Pipeline { overlap: 0.0, ..p.clone() }.production_s(&group);
        assert!(overlapped_s <= expected_s && expected_s <= serial_s, "{overlapped_s} {expected_s} {serial_s}");
        // A measured time gives the overlap that reproduces it.
        let corrected = Pipeline { overlap: p.overlap(&group, expected_s), ..p };
        assert!((corrected.production_s(&group) / expected_s - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_slow_stage_holds_up_those_before_it_once_the_buffers_are_full() {
    let tr_s = [0.1215, 0.1215, 0.1015, 0.2015, 0.1];
    let open = dependent_s(&tr_s, Buffers::Open, Protocol::Async);
    assert_eq!(open, [0.1215, 0.1215, 0.1215, 0.2015, 0.2015], "upstream is not held up yet");
    assert_eq!(dependent_s(&tr_s, Buffers::Full, Protocol::Async), [0.2015; 5]);
    assert_eq!(dependent_s(&tr_s, Buffers::Open, Protocol::Sync), [0.2015; 5]);
}

#[test]
fn a_manager_that_shares_a_rank_saves_it_and_slows_its_replica() {
    let group = Group { first: 1, stages: 1, replicas: 4 };
    let own = example();
    let shared = |quanta, slowing| {
        let manager = Manager::SharedRank { quantum_s: 0.004, quanta, slowing };
        Pipeline { manager, ..example() }.checked().unwrap().production_s(&group)
    };
    assert!(close(1e3 * shared(0.0, 0.0), 1e3 * own.production_s(&group)));
    assert!(shared(0.0, 0.0) < shared(1.0, 0.5) && shared(1.0, 0.5) < shared(2.0, 1.0));
    assert!(shared(2.0, 1.0) < 0.404262 / 3.0, "even a replica at half speed is better than none");
    assert_eq!((own.ranks_of(4), own.ranks_of(1)), (5, 1));
}

#[test]
fn stages_with_state_are_never_replicated() {
    let mut p = Pipeline { manager: Manager::Sender, ..example() };
    p.stages[1].stateful = true;
    let best = optimum(&p, 50, Grouping::Any, Objective::Time).unwrap();
    assert_eq!(best.0[best.group_of(1)], Group { first: 1, stages: 1, replicas: 1 });
    assert!(close(period_ms(&p, &best), 402.131));
    assert!(best.0.iter().all(|group| group.replicas == 1), "more ranks would gain nothing: {best}");
}

#[test]
fn what_no_program_can_have_is_refused() {
    let good = example();
    let with = |change: fn(&mut Pipeline)| {
        let mut p = good.clone();
        change(&mut p);
        p.checked().map(|_| ()).unwrap_err().to_string()
    };
    assert!(with(|p| p.stages.clear()).contains("number of stages must be 1 or more"));
    assert!(with(|p| p.stages[2].compute_s = f64::NAN).contains("compute time of a stage"));
    assert!(with(|p| p.stages.iter_mut().for_each(|s| s.compute_s = 0.0)).contains("one stage at least"));
    assert!(with(|p| p.stages[0].message_bytes = -1.0).contains("message"));
    assert!(with(|p| p.network.start_up_s = f64::INFINITY).contains("start-up"));
    assert!(with(|p| p.overlap = 1.5).contains("overlap"));
}

/// Every grouping of `stages` with every number of replicas up to `ranks`.
fn all_patterns(stages: usize, ranks: u32) -> Vec<Pattern> {
    fn extend(first: usize, stages: usize, ranks: u32, groups: &mut Vec<Group>, all: &mut Vec<Pattern>) {
        if first == stages {
            all.push(Pattern(groups.clone()));
            return;
        }
        for count in 1..=stages - first {
            for replicas in 1..=ranks {
                groups.push(Group { first, stages: count, replicas });
                extend(first + count, stages, ranks - replicas, groups, all);
                groups.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(0, stages, ranks, &mut Vec::new(), &mut all);
    all
}

fn any_pipeline(most: usize) -> impl Strategy<Value = Pipeline> {
    let stage = (0.0_f64..0.5, 0.0_f64..1e6, prop::bool::weighted(0.2));
    let manager =
        prop_oneof![
            Just(Manager::Sender),
            Just(Manager::OwnRank),
            (0.0_f64..0.01, 0.0_f64..=2.0, 0.0_f64..=1.0)
                .prop_map(|(quantum_s, quanta, slowing)| Manager::SharedRank { quantum_s, quanta, slowing }),
        ];
    (prop::collection::vec(stage, 1..=most), any::<bool>(), 0.0_f64..0.01, manager, 0.0_f64..=1.0).prop_map(
        |(stages, sync, start_up_s, manager, overlap)| {
            let stages = stages.into_iter();
            let stages =
                stages.map(|(compute_s, message_bytes, stateful)| Stage { compute_s, message_bytes, stateful });
            let protocol = if sync { Protocol::Sync } else { Protocol::Async };
            let network = Network { start_up_s, per_byte_s: 9.3e-8, protocol };
            Pipeline { manager, overlap, ..Pipeline::new(stages.collect(), network) }
        },
    )
}

fn any_grouping() -> impl Strategy<Value = Grouping> {
    prop_oneof![Just(Grouping::None), Just(Grouping::Single), Just(Grouping::Any)]
}

proptest! {
    #[test]
    fn brute_force_finds_nothing_better(p in any_pipeline(4), ranks in 1u32..7, grouping in any_grouping()) {
        let allowed = |pattern: &&Pattern| {
            p.ranks(pattern) <= ranks
                && pattern.0.iter().all(|g| match grouping {
                    Grouping::None => g.stages == 1,
                    Grouping::Single => g.stages == 1 || g.replicas == 1,
                    Grouping::Any => true,
                })
                && pattern.0.iter().all(|g| {
                    g.replicas == 1 || p.stages[g.first..g.first + g.stages].iter().all(|s| !s.stateful)
                })
        };
        let all = all_patterns(p.stages.len(), ranks);
        let period_s = |pattern: &Pattern| p.evaluate(pattern, Buffers::Full).period_s;
        let best_s = all.iter().filter(allowed).map(period_s).min_by(f64::total_cmp);
        let found = optimum(&p, ranks, grouping, Objective::Time);
        prop_assert_eq!(best_s.is_some(), found.is_some());
        if let (Some(best_s), Some(found)) = (best_s, found) {
            prop_assert!(allowed(&&found));
            prop_assert!((period_s(&found) - best_s).abs() <= 1e-8 * best_s, "{} {}", period_s(&found), best_s);
            let index = |pattern: &Pattern| f64::from(p.ranks(pattern)) * period_s(pattern).powi(2);
            let least = all.iter().filter(allowed).map(index).min_by(f64::total_cmp).unwrap();
            let efficient = optimum(&p, ranks, grouping, Objective::Efficiency).unwrap();
            prop_assert!(index(&efficient) <= least * (1.0 + 1e-8), "{} {}", index(&efficient), least);
        }
    }

    #[test]
    fn exact_is_never_slower_than_the_source_and_the_source_never_slower_than_nothing(
        p in any_pipeline(8), ranks in 1u32..60,
    ) {
        let stateless = p.stages.iter().all(|s| !s.stateful);
        let period_s = |pattern: &Pattern| p.evaluate(pattern, Buffers::Full).period_s;
        let [exact, grouped] =
            [Grouping::None, Grouping::Any].map(|grouping| optimum(&p, ranks, grouping, Objective::Time));
        let greedy = source(&p, ranks);
        prop_assert_eq!(greedy.is_some(), ranks as usize >= p.stages.len());
        prop_assert_eq!(exact.is_some(), greedy.is_some());
        prop_assert!(p.ranks(&grouped.clone().unwrap()) <= ranks);
        if let (Some(exact), Some(greedy), Some(grouped)) = (exact, greedy, grouped) {
            prop_assert!(p.ranks(&exact) <= ranks && p.ranks(&greedy) <= ranks);
            let nothing_s = period_s(&Pattern::unreplicated(p.stages.len()));
            prop_assert!(period_s(&greedy) <= nothing_s * (1.0 + 1e-8));
            prop_assert!(period_s(&exact) <= period_s(&greedy) * (1.0 + 1e-8));
            prop_assert!(period_s(&grouped) <= period_s(&exact) * (1.0 + 1e-8));
            prop_assert!(stateless || greedy.0.iter().all(|g| g.replicas == 1 || !p.stages[g.first].stateful));
            let budget = optimum(&p, ranks, Grouping::Any, Objective::Budget(ranks / 2 + 1)).unwrap();
            prop_assert!(p.ranks(&budget) <= ranks / 2 + 1);
        }
    }
}

/// Twelve tasks of 10 ms, and 5 ms in which the lead splits and joins, handed out one at a time.
fn team_load() -> TeamLoad {
    TeamLoad { tasks: 12, mean_s: 0.01, variation: 0.0, serial_s: 0.005, slower: 1.0 }
}

#[test]
fn a_team_takes_as_many_rounds_as_its_tasks_need_and_the_serial_time() {
    let one_by_one = TechniqueParameters::new(Technique::Ss);
    let times_s = team_load().times_s(20, &one_by_one);
    // ceil(12 / m) rounds of 10 ms: no time is won from 4 to 5 ranks, nor from 6 to 11, nor above 12.
    for (ranks, ms) in
        [(1, 125.0), (2, 65.0), (3, 45.0), (4, 35.0), (5, 35.0), (6, 25.0), (11, 25.0), (12, 15.0), (20, 15.0)]
    {
        assert!((1e3 * times_s[ranks - 1] - ms).abs() < 1e-6, "{ranks} ranks: {} s", times_s[ranks - 1]);
    }
    let slower = TeamLoad { slower: 1.5, ..team_load() }.times_s(20, &one_by_one);
    assert!((slower[3] - 0.05).abs() < 1e-9, "only the hand-out takes longer, 45 ms instead of 30: {}", slower[3]);
    assert_eq!(slower[0], times_s[0], "one rank hands nothing out");
    let uneven = TeamLoad { variation: 1.0, ..team_load() }.times_s(12, &one_by_one);
    assert!(uneven.windows(2).all(|pair| pair[1] <= pair[0]) && uneven[11] > times_s[11] + 0.01, "{uneven:?}");
}

#[test]
fn ranks_go_to_a_team_only_where_they_save_a_round() {
    let network = Network { start_up_s: 0.0, per_byte_s: 0.0, protocol: Protocol::Sync };
    let stage = |compute_s| Stage { compute_s, message_bytes: 0.0, stateful: false };
    let mut p = Pipeline::new(vec![stage(0.01), stage(0.125), stage(0.01)], network);
    let times_s = team_load().times_s(20, &TechniqueParameters::new(Technique::Ss));
    p.teams = vec![Team { stage: 1, times_s }];
    let best = |ranks| optimum(&p, ranks, Grouping::None, Objective::Time).unwrap().to_string();
    assert_eq!(best(5), "0,1x3,2");
    assert_eq!(best(6), "0,1x4,2");
    assert_eq!(best(7), "0,1x4,2", "a fifth rank in the team saves nothing");
    assert_eq!(best(8), "0,1x6,2");
    assert_eq!(best(14), "0,1x12,2");
    assert_eq!(best(40), "0,1x12,2", "15 ms are the least");
    assert!((p.production_s(&Group { first: 1, stages: 1, replicas: 4 }) - 0.035).abs() < 1e-9);
    // All three on each of several ranks would be a farm, in which the team has one rank at a time.
    let farm = optimum(&p, 6, Grouping::Any, Objective::Time).unwrap();
    assert!(farm.0.iter().all(|group| group.replicas == 1 || group.stages == 1), "{farm}");
}
