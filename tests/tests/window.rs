//! The register of synchronized changes in a window of MPI memory: ranks of two agents, which share no memory, as those of two hosts.

use std::collections::{BTreeMap, BTreeSet};

use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{ActionResult, ActionStatus, Phase};
use midrun_tests::allreduce_choice::the_same_on_all;
use midrun_tests::ask::{ask, status};
use midrun_tests::mpi::command;
use midrun_tests::scripted_analyzer::{Link, ScriptedAnalyzer};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, each_mpi, wait_until};

/// Ranks of the first agent, and of all.
const NEAR: u32 = 3;
const RANKS: u32 = 5;

/// The line of `allreduce_choice` whose ranks have one of two agents each.
fn line(mpi: Mpi, agents: [&Agent; 2], words: &str) -> Vec<String> {
    let mut line = mpi.line(NEAR, "env".as_ref());
    let program = mpi.example("allreduce_choice").display().to_string();
    let rest = format!(": -n {} env", RANKS - NEAR);
    let [near, far] = agents.map(|agent| format!("MIDRUN_SOCKET={}", agent.socket.display()));
    line.extend([near, program.clone()]);
    line.extend(words.split(' ').map(str::to_owned));
    line.extend(rest.split(' ').map(str::to_owned));
    line.extend([far, program]);
    line.extend(words.split(' ').map(str::to_owned));
    line
}

fn start(scratch: &Scratch, mpi: Mpi, agents: [&Agent; 2], words: &str, synchronized: &str) -> Process {
    let mut job = command(&line(mpi, agents, words));
    job.env("MIDRUN_JOB", "window").env("MIDRUN_SYNCHRONIZED", synchronized);
    Process::start(scratch, "job", job)
}

/// A scripted analyzer, the links of two agents, and a job whose ranks all offer their points and begin iterations.
struct Begun {
    _kept: ([Agent; 2], [Scratch; 2], ScriptedAnalyzer),
    links: [Link; 2],
    job: Process,
}

impl Begun {
    fn new(mpi: Mpi, words: &str) -> Begun {
        let (scratch, far) = (Scratch::new(), Scratch::new());
        let analyzer = ScriptedAnalyzer::start();
        let first = Agent::start(&scratch, &analyzer.url);
        let near = analyzer.welcome(0);
        let agents = [first, Agent::start(&far, &analyzer.url)];
        let mut links = [near, analyzer.welcome(0)];
        let job = start(&scratch, mpi, [&agents[0], &agents[1]], words, "1");
        let (mut offered, mut begun) = (BTreeSet::new(), false);
        for link in &mut links {
            let of = if offered.is_empty() { NEAR } else { RANKS };
            while offered.len() < 2 * of as usize {
                for (rank, event) in link.events().expect("the job runs") {
                    match event {
                        Kind::TuningPointDeclared(point) if ["algorithm", "stop"].contains(&point.name.as_str()) => {
                            offered.insert((rank, point.name));
                        }
                        Kind::IterationBegun(iteration) => begun |= iteration.iteration > 0,
                        _ => {}
                    }
                }
            }
        }
        while !begun {
            let events = links[0].events().expect("the job runs");
            begun = events.iter().any(|(_, kind)| matches!(kind, Kind::IterationBegun(it) if it.iteration > 0));
        }
        Begun { _kept: (agents, [scratch, far], analyzer), links, job }
    }

    fn order(&self, action: u64, rank: u32, phase: Phase, at: u64, values: &[(&str, f64)]) {
        self.links[usize::from(rank >= NEAR)].phase(action, "window", rank, phase, at, values);
    }

    /// Answers of all ranks to a phase.
    fn answers(&mut self, action: u64) -> BTreeMap<u32, ActionResult> {
        let mut all = BTreeMap::new();
        for (link, count) in self.links.iter_mut().zip([NEAR, RANKS]) {
            while all.len() < count as usize {
                for (rank, event) in link.events().expect("the job runs") {
                    match event {
                        Kind::ActionResult(result) if result.action == action => drop(all.insert(rank, result)),
                        _ => {}
                    }
                }
            }
        }
        all
    }

    /// Prepares and pre-commits a change on all ranks for `margin` iterations ahead; the iteration.
    fn pre_commit(&mut self, action: u64, point: (&str, f64), margin: u64) -> u64 {
        (0..RANKS).for_each(|rank| self.order(action, rank, Phase::Prepare, 0, &[point]));
        let prepared = self.answers(action);
        assert!(prepared.values().all(|result| result.status() == ActionStatus::Prepared), "{prepared:?}");
        let one = prepared[&0].register;
        assert!(prepared.values().all(|result| result.register == one), "{prepared:?} {}", self.job.err());
        let at = prepared.values().map(|result| result.iteration).max().unwrap_or(0) + margin;
        (0..RANKS).for_each(|rank| self.order(action, rank, Phase::PreCommit, at, &[]));
        let answered = self.answers(action);
        assert!(answered.values().all(|result| result.status() == ActionStatus::PreCommitted), "{answered:?}");
        at
    }

    /// Commits it on one rank; its answer.
    fn commit(&mut self, action: u64, rank: u32) -> ActionStatus {
        self.order(action, rank, Phase::Commit, 0, &[]);
        let link = &mut self.links[usize::from(rank >= NEAR)];
        loop {
            for (of, event) in link.events().expect("the job runs") {
                match event {
                    Kind::ActionResult(result) if (of, result.action) == (rank, action) => return result.status(),
                    _ => {}
                }
            }
        }
    }

    /// Waits for the end of the job; what it said.
    fn end(mut self) -> String {
        // Ranks that leave take no notice of whether anybody reads what they report.
        while self.links[0].events().is_some() {}
        self.job.succeed().out
    }
}

#[each_mpi]
fn ranks_without_shared_memory_that_hear_of_no_commit_or_of_none_decide_alike_by_themselves(mpi: Mpi) {
    let mut begun = Begun::new(mpi, "--iterations 1000000 --delay-us 20000");
    // Nobody commits: the first that begins the iteration aborts for all.
    begun.pre_commit(5, ("algorithm", 1.0), 20);
    let aborted = begun.answers(5);
    assert!(aborted.values().all(|result| result.status() == ActionStatus::Aborted), "{aborted:?}");
    assert_eq!(begun.commit(5, 1), ActionStatus::Aborted, "a commit that comes too late decides nothing");
    // Rank 4, whose memory the register is not in, commits, and the others are never told.
    let at = begun.pre_commit(6, ("algorithm", 2.0), 60);
    assert_eq!(begun.commit(6, 4), ActionStatus::Committed);
    let applied = begun.answers(6);
    let all = |result: &ActionResult| result.status() == ActionStatus::Applied && result.iteration == at;
    assert!(applied.values().all(all), "{applied:?}");
    // All are told.
    let next = begun.pre_commit(7, ("algorithm", 1.0), 60);
    assert_eq!(begun.commit(7, 0), ActionStatus::Committed);
    (1..RANKS).for_each(|rank| begun.order(7, rank, Phase::Committed, 0, &[]));
    let applied = begun.answers(7);
    assert!(applied.values().all(|result| result.iteration == next), "{applied:?}");
    begun.pre_commit(8, ("stop", 1.0), 60);
    assert_eq!(begun.commit(8, 2), ActionStatus::Committed);
    assert_eq!(the_same_on_all(&begun.end(), RANKS), [(2, at), (1, next)], "{mpi:?}");
}

#[each_mpi]
fn ranks_that_finalize_before_the_iteration_of_a_change_end_well_and_none_has_it(mpi: Mpi) {
    let mut begun = Begun::new(mpi, "--iterations 300 --delay-us 20000");
    begun.pre_commit(5, ("algorithm", 1.0), 100_000);
    assert_eq!(begun.commit(5, 3), ActionStatus::Committed);
    assert_eq!(the_same_on_all(&begun.end(), RANKS), [], "{mpi:?}");
}

#[each_mpi]
fn ranks_without_shared_memory_are_refused_with_the_option_that_they_need(mpi: Mpi) {
    let (scratch, far) = (Scratch::new(), Scratch::new());
    let analyzer = Analyzer::start(&scratch);
    let agents = [Agent::start(&scratch, &analyzer.url), Agent::start(&far, &analyzer.url)];
    let job = start(&scratch, mpi, [&agents[0], &agents[1]], "--iterations 400 --delay-us 20000", "");
    wait_until("every rank offers its points", || {
        let status = status(&scratch, &["window", "--analyzer", &analyzer.url]).unwrap_or_default();
        let points = status["tuning_points"].as_array().into_iter().flatten();
        points.filter(|point| point["name"] == "algorithm").count() == RANKS as usize
    });
    let set = ["set", "algorithm", "1", "--synchronized", "--job", "window", "--analyzer", &analyzer.url];
    let (code, text) = ask(&scratch, &set);
    assert!(code != 0 && text.contains("ranks 0 and 3 share no register"), "{mpi:?}: {text}");
    assert!(text.contains("--synchronized"), "{mpi:?}: {text}");
    assert_eq!(the_same_on_all(&job.succeed().out, RANKS), [], "{mpi:?}");
}
