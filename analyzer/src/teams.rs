//! Masters and their workers, recognised from who sends to whom.
//!
//! A worker's partner (the one rank that most of its calls have as their peer, see `Partner` of the counters) is its master. A
//! rank of a chain or a grid has a neighbour more as its peer, and is itself the partner of two ranks at most: of three or more
//! it is a master.

use std::collections::BTreeMap;

use midrun_tunlets::confidence::LEVEL;
use midrun_tunlets::{Efficiency, NextAllocation, Regime};
use serde::Serialize;

use crate::calls::{Member, mostly_with};
use crate::limits;

/// Fewest workers that tell a master from the middle of a chain.
const FEWEST: usize = 3;

/// A master and its workers, in the summary.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TeamLine {
    /// Rank of the master.
    pub master: u32,
    /// Ranks of the workers; the first ones.
    pub workers: Vec<u32>,
    /// Their number.
    pub worker_count: u64,
    /// Share of the workers' calls with one peer that have the master as their peer.
    pub share: f64,
    /// Mean over the workers of the share of their time that is useful.
    pub computing: f64,
    /// Mean useful time of the workers / their maximum.
    pub load_balance: f64,
    /// Share of its time that the master does not wait; null where it polls instead of waiting.
    pub master_busy: Option<f64>,
    /// Beyond this number of workers the master would be busy for longer than each of them computes: useful time of all
    /// workers / busy time of the master. Null where that of the master is not known.
    pub most_workers: Option<u64>,
    /// What limits the team, in one sentence; null where it is not known whether that is the master.
    pub regime: Option<String>,
}

/// The teams of these ranks, by their masters.
pub fn teams(members: &[Member]) -> Vec<TeamLine> {
    limits::walks(members.len());
    let mut found = BTreeMap::<u32, Vec<&Member>>::new();
    for member in members {
        if let Some(master) = mostly_with(member.partner, member.with_partner, member.with_one) {
            found.entry(master).or_default().push(member);
        }
    }
    let team = |(master, workers): (u32, Vec<&Member>)| {
        // A master of midrun's own framework is known without its messages, and its time there says nothing of waiting.
        let by_hand = |member: &&Member| member.times.rank == master && member.times.framework_s == 0.0;
        let master = members.iter().find(by_hand)?;
        (workers.len() >= FEWEST).then(|| line(master, &workers)).flatten()
    };
    found.into_iter().filter_map(team).collect()
}

/// The advice for the next allocation beside what the master of the program's own messages is busy with for each task, which the model does not know:
/// it holds up more workers than [`TeamLine::most_workers`].
pub fn beside_master(advice: NextAllocation, teams: &[TeamLine]) -> NextAllocation {
    let [team] = teams else { return advice };
    let Some((busy, most)) = team.master_busy.zip(team.most_workers) else { return advice };
    let is_master = team.regime.as_deref() == Some(Regime::Master.as_str());
    let regime = if is_master { Regime::Master.as_str() } else { advice.regime };
    // From this number on the master is what is busy all the time.
    let held_up = u32::try_from(most.saturating_add(1)).unwrap_or(u32::MAX);
    match advice.workers >= held_up {
        true => NextAllocation { regime, workers: held_up, iteration_s: busy * advice.iteration_now_s, ..advice },
        false => NextAllocation { regime, ..advice },
    }
}

fn line(master: &Member, workers: &[&Member]) -> Option<TeamLine> {
    let useful_s: Vec<f64> = workers.iter().map(|worker| worker.times.useful_s).collect();
    let runtime_s = workers.iter().map(|worker| worker.times.lasted_s()).fold(0.0, f64::max);
    let efficiency = Efficiency::of(&useful_s, runtime_s)?;
    let calls = |count: fn(&Member) -> u64| workers.iter().map(|worker| count(worker)).fold(0, u64::saturating_add);
    let [with_master, with_one] = [calls(|worker| worker.with_partner), calls(|worker| worker.with_one)];
    let (polls, polled_s) = master.polls;
    let busy_s = master.times.lasted_s() - master.times.waiting_s;
    // What a master does between two looks for a message may be nothing but the next look.
    let waits = polls <= with_master && polled_s <= (1.0 - LEVEL) * busy_s;
    let busy_s = Some(busy_s).filter(|busy_s| waits && *busy_s > 0.0);
    let master_busy = busy_s.map(|busy_s| busy_s / master.times.lasted_s());
    let computing = efficiency.parallel_efficiency;
    let held_up_s: f64 = workers.iter().map(|worker| worker.times.held_up_s()).sum();
    let run_delay = held_up_s / (runtime_s * workers.len() as f64);
    let regime =
        master_busy.map(|busy| Regime::of(1.0, busy, (computing, computing / efficiency.load_balance), run_delay));
    Some(TeamLine {
        master: master.times.rank,
        workers: workers.iter().map(|worker| worker.times.rank).take(limits::LISTED_EFFICIENCIES).collect(),
        worker_count: workers.len() as u64,
        share: with_master as f64 / with_one as f64,
        computing,
        load_balance: efficiency.load_balance,
        master_busy,
        most_workers: busy_s.map(|busy_s| (useful_s.iter().sum::<f64>() / busy_s) as u64),
        regime: regime.map(|regime| regime.as_str().to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::RankLine;

    /// A rank that computes for `useful_s` of 10 s and waits for the rest; `peers`: its calls with each rank.
    fn rank(rank: u32, useful_s: f64, peers: &[(u32, u64)]) -> Member {
        let partner = peers.iter().max_by_key(|(_, calls)| *calls);
        Member {
            times: RankLine {
                rank,
                useful_s,
                waiting_s: 10.0 - useful_s,
                mpi_s: 0.0,
                framework_s: 0.0,
                run_delay_s: 0.0,
            },
            partner: partner.map(|(peer, _)| *peer),
            with_partner: partner.map_or(0, |(_, calls)| *calls),
            with_one: peers.iter().map(|(_, calls)| calls).sum(),
            polls: (0, 0.0),
        }
    }

    fn star(workers: u32) -> Vec<Member> {
        let all: Vec<(u32, u64)> = (1..=workers).map(|worker| (worker, 50)).collect();
        let work = |worker| rank(worker, 10.0 - 2.0 * f64::from(worker % 2), &[(0, 98), (worker % workers + 1, 2)]);
        std::iter::once(rank(0, 0.5, &all)).chain((1..=workers).map(work)).collect()
    }

    #[test]
    fn no_more_workers_are_advised_than_the_master_has_time_for() {
        let advice = |workers_now, workers| NextAllocation {
            regime: "compute-bound",
            workers_now,
            iteration_now_s: 0.12,
            workers,
            iteration_s: 0.03,
            uncertainty: 0.1,
            own_chunks: None,
            technique: None,
            one_more_s: None,
        };
        // Six tenths of its time with three workers that compute all the time: with five it has none left.
        let busy = |busy_s: f64, workers: u32| {
            let all: Vec<(u32, u64)> = (1..=workers).map(|worker| (worker, 50)).collect();
            let work = |worker| rank(worker, 30.0 / f64::from(workers), &[(0, 98)]);
            let members: Vec<Member> = std::iter::once(rank(0, busy_s, &all)).chain((1..=workers).map(work)).collect();
            teams(&members)
        };
        let bounded = beside_master(advice(3, 12), &busy(6.0, 3));
        assert_eq!((bounded.workers, bounded.regime), (6, "compute-bound"));
        assert!((bounded.iteration_s - 0.072).abs() < 1e-9, "{bounded:?}");
        assert_eq!(beside_master(advice(3, 4), &busy(6.0, 3)), advice(3, 4));
        let held_up = beside_master(advice(8, 32), &busy(9.5, 8));
        assert_eq!((held_up.workers, held_up.regime), (4, Regime::Master.as_str()));
        assert_eq!(beside_master(advice(3, 12), &[]), advice(3, 12));
    }

    #[test]
    fn a_master_of_a_framework_is_none_by_its_messages() {
        let mut members = star(12);
        assert_eq!(teams(&members).len(), 1);
        members[0].times.framework_s = 9.0;
        assert_eq!(teams(&members), []);
    }

    #[test]
    fn a_master_is_whom_its_workers_talk_to() {
        let [team] = &teams(&star(4))[..] else { panic!("one master") };
        assert_eq!((team.master, &team.workers[..], team.worker_count), (0, &[1, 2, 3, 4][..], 4));
        assert_eq!((team.share, team.computing, team.load_balance), (0.98, 0.9, 0.9));
        assert_eq!((team.master_busy, team.most_workers), (Some(0.05), Some(72)), "36 s of work, 0.5 s of the master");
        assert_eq!(team.regime.as_deref(), Some("compute-bound"));
    }

    #[test]
    fn workers_that_have_no_core_while_they_wait_are_not_held_up_by_that() {
        // One computes for 9 s, the others for 2.
        let of = |run_delay_s: f64| {
            let mut members = star(4);
            for (k, worker) in members[1..].iter_mut().enumerate() {
                let useful_s = if k == 0 { 9.0 } else { 2.0 };
                worker.times = RankLine { useful_s, waiting_s: 10.0 - useful_s, run_delay_s, ..worker.times };
            }
            teams(&members)[0].regime.clone().unwrap()
        };
        assert!(of(7.0).starts_with("imbalance-bound"), "{}", of(7.0));
        let computing = |run_delay_s: f64| {
            let mut members = star(4);
            for worker in &mut members[1..] {
                worker.times = RankLine { useful_s: 10.0, waiting_s: 0.0, run_delay_s, ..worker.times };
            }
            teams(&members)[0].regime.clone().unwrap()
        };
        assert_eq!([computing(6.0), computing(4.0)], [Regime::Cores.as_str(), "compute-bound"]);
    }

    #[test]
    fn a_master_that_polls_is_not_said_to_be_busy() {
        // Often, or for long.
        for polls in [(1_000_000, 0.01), (9, 0.4)] {
            let mut members = star(4);
            members[0].polls = polls;
            assert_eq!(teams(&members)[0].master_busy, None, "{polls:?}");
            assert_eq!(teams(&members)[0].most_workers, None, "{polls:?}");
            assert_eq!(teams(&members)[0].regime, None, "{polls:?}");
        }
    }

    #[test]
    fn there_can_be_several_masters() {
        // Ranks 1 and 2 are the masters of four ranks each, and ask rank 0.
        let worker = |at: u32| rank(at, 5.0, &[(1 + at % 2, 100)]);
        let middle = |at: u32| rank(at, 1.0, &[(0, 9), (3, 90), (4, 90), (5, 90), (6, 90)]);
        let members: Vec<Member> =
            [rank(0, 1.0, &[(1, 9), (2, 9)]), middle(1), middle(2)].into_iter().chain((3..11).map(worker)).collect();
        let found: Vec<(u32, u64)> = teams(&members).iter().map(|team| (team.master, team.worker_count)).collect();
        assert_eq!(found, [(1, 4), (2, 4)]);
    }

    #[test]
    fn chains_rings_and_grids_have_no_master() {
        for ranks in [3u32, 4, 9, 16] {
            // One neighbour may be a message ahead of the other.
            let chain = |at: u32| {
                let near = [at.checked_sub(1), Some(at + 1).filter(|next| *next < ranks)];
                rank(
                    at,
                    5.0,
                    &near.into_iter().flatten().enumerate().map(|(k, near)| (near, 100 + k as u64)).collect::<Vec<_>>(),
                )
            };
            let ring = |at: u32| rank(at, 5.0, &[((at + 1) % ranks, 100), ((at + ranks - 1) % ranks, 101)]);
            let side = f64::from(ranks).sqrt() as u32;
            let grid = |at: u32| {
                let (x, y) = (at % side, at / side);
                let near = |dx: i64, dy: i64| {
                    let (x, y) = (i64::from(x) + dx, i64::from(y) + dy);
                    let inside = |at: i64| (0..i64::from(side)).contains(&at);
                    (inside(x) && inside(y)).then_some(((x + y * i64::from(side)) as u32, 100 + dx.unsigned_abs()))
                };
                rank(
                    at,
                    5.0,
                    &[near(-1, 0), near(1, 0), near(0, -1), near(0, 1)].into_iter().flatten().collect::<Vec<_>>(),
                )
            };
            for shape in [&chain as &dyn Fn(u32) -> Member, &ring, &grid] {
                assert!(teams(&(0..ranks).map(shape).collect::<Vec<_>>()).is_empty(), "{ranks}");
            }
        }
    }
}
