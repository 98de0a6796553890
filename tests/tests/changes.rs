//! Changes of the number of workers by a scripted analyzer, to real agents and ranks: at random, and over lost links.

use std::collections::BTreeMap;

use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{ActionResult, ActionStatus};
use midrun_tests::mpi::command;
use midrun_tests::scripted_analyzer::{Link, ScriptedAnalyzer};
use midrun_tests::synthetic::{self, assert_whole};
use midrun_tests::{Agent, Mpi, Process, Scratch, each_mpi};

/// An endless job of 9 ranks with an agent of its own, which checks by itself that each task was computed exactly once.
fn start(scratch: &Scratch, mpi: Mpi, agent: &Agent, options: &str) -> Process {
    let mut job = command(&synthetic::endless_line(scratch, mpi, 9, options));
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "scripted");
    Process::start(scratch, "job", job)
}

/// Numbers that look random; the same for the same seed.
struct Dice(u64);

impl Dice {
    /// From 0 to `below` - 1.
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % below
    }
}

/// Changes of one run of [`gamble`] until it has the job end.
const CHANGES: usize = 200;

/// Answers every iteration's begin with a random number of workers and a random technique, and calls `end` after
/// [`CHANGES`] of them were applied; returns what was sent and what came of it.
fn gamble(mut link: Link, dice: &mut Dice, end: impl Fn()) -> (BTreeMap<u64, u32>, Vec<ActionResult>) {
    let (mut sent, mut results) = (BTreeMap::new(), Vec::new());
    while let Some(events) = link.events() {
        if results.iter().filter(|result: &&ActionResult| result.status() == ActionStatus::Applied).count() >= CHANGES {
            end();
        }
        for (rank, event) in events {
            match event {
                Kind::IterationBegun(_) => {
                    let (id, workers, technique) = (sent.len() as u64 + 1, 1 + dice.roll(8), dice.roll(8));
                    link.act(
                        id,
                        "scripted",
                        rank,
                        &[("mw.workers", workers as f64), ("mw.technique", technique as f64)],
                    );
                    sent.insert(id, workers as u32);
                }
                Kind::ActionResult(result) => results.push(result),
                _ => {}
            }
        }
    }
    (sent, results)
}

#[each_mpi]
fn every_task_is_computed_once_though_workers_come_and_go_at_random_in_every_iteration(mpi: Mpi) {
    let seed = std::process::id().into();
    println!("seed {seed}");
    let scratch = Scratch::new();
    let analyzer = ScriptedAnalyzer::start();
    let agent = Agent::start(&scratch, &analyzer.url);
    let link = analyzer.welcome(0);
    // Inputs and results of some size, so that messages are under way when a worker is parked.
    let options = "--tasks 40 --mean-us 500 --sigma-pct 80 --bytes 3000";
    let job = start(&scratch, mpi, &agent, options);
    let (sent, results) = gamble(link, &mut Dice(seed), || synthetic::end(&scratch));
    let workers = assert_whole(&job.succeed());
    let applied: BTreeMap<u64, u64> = results
        .iter()
        .filter(|result| result.status() == ActionStatus::Applied)
        .map(|result| (result.iteration, result.action))
        .collect();
    assert!(applied.len() > CHANGES * 3 / 4, "{mpi:?}: {} changes, seed {seed}", applied.len());
    assert!(results.len() <= sent.len(), "each action is answered once at most, seed {seed}");
    // What the rank says it has applied is what the job did, iteration for iteration.
    let mut now = 8;
    for (iteration, did) in workers.iter().enumerate() {
        now = applied.get(&(iteration as u64)).map_or(now, |action| sent[action]);
        assert_eq!(*did, now, "{mpi:?}: iteration {iteration}, seed {seed}");
    }
}

/// Hears events until `wanted` finds something.
fn until<T>(link: &mut Link, mut wanted: impl FnMut(&Kind) -> Option<T>) -> T {
    loop {
        let events = link.events().expect("the job runs");
        if let Some(found) = events.iter().find_map(|(_, event)| wanted(event)) {
            return found;
        }
    }
}

/// The next answer to an action: (how, in which iteration).
fn answer(link: &mut Link, action: u64) -> (ActionStatus, u64) {
    until(link, |event| match event {
        Kind::ActionResult(result) if result.action == action => Some((result.status(), result.iteration)),
        _ => None,
    })
}

#[each_mpi]
fn a_change_that_is_sent_again_after_a_lost_link_is_made_once_and_answered_again(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = ScriptedAnalyzer::start();
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut link = analyzer.welcome(0);
    let job = start(&scratch, mpi, &agent, "--tasks 400 --mean-us 2000 --sigma-pct 20");
    until(&mut link, |event| matches!(event, Kind::IterationBegun(begun) if begun.iteration == 1).then_some(()));
    let act = |link: &Link, id, workers| link.act(id, "scripted", 0, &[("mw.workers", workers)]);

    // Lost between decision and answer, while the change waits for the next iteration.
    act(&link, 5, 4.0);
    let taken = link.sequence;
    drop(link);
    let mut link = analyzer.welcome(taken);
    act(&link, 5, 4.0);
    let (status, made) = answer(&mut link, 5);
    assert_eq!(status, ActionStatus::Applied);

    // Lost after the answer was given and before anybody heard of it: it comes again, by itself and when asked.
    act(&link, 5, 4.0);
    assert_eq!(answer(&mut link, 5), (ActionStatus::Applied, made));
    act(&link, 6, 7.0);
    assert_eq!(answer(&mut link, 6).0, ActionStatus::Applied);
    act(&link, 5, 4.0);
    assert_eq!(answer(&mut link, 5).0, ActionStatus::RefusedStale, "what is older than what is in force");
    act(&link, 6, 7.0);
    assert_eq!(answer(&mut link, 6).0, ActionStatus::Applied);
    synthetic::end(&scratch);
    while link.events().is_some() {}

    let mut workers = assert_whole(&job.succeed());
    workers.dedup();
    assert_eq!(workers, [8, 4, 7], "{mpi:?}");
}
