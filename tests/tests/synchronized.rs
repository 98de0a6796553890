//! Changes that all ranks take over in one and the same iteration, or none: the job computes rightly, ends by itself, and no
//! rank ever differs, whatever happens in between.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{ActionResult, ActionStatus, Phase};
use midrun_tests::allreduce_choice::{changes_of, the_same_on_all};
use midrun_tests::ask::status;
use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::scripted_analyzer::{Link, ScriptedAnalyzer};
use midrun_tests::{
    Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, midrun, ranks, under_midrun, wait_until,
};
use serde_json::Value;

const RANKS: u32 = 16;

/// An analyzer that keeps a journal, an agent, and a job whose ranks all offer their points.
struct Begun {
    scratch: Scratch,
    analyzer: Analyzer,
    agent: Agent,
    job: Process,
}

impl Begun {
    fn new(mpi: Mpi, delay_us: u32) -> Begun {
        let scratch = Scratch::new();
        let analyzer = analyzer_at(&scratch, "analyzer", "127.0.0.1:0");
        let agent = Agent::start(&scratch, &analyzer.url);
        let mut job = start(&scratch, mpi, &agent, delay_us);
        wait_until("every rank offers its points", || {
            assert!(job.is_running(), "the job ended too early: {}", job.err());
            let status = status(&scratch, &["together", "--analyzer", &analyzer.url]).unwrap_or_default();
            let points = status["tuning_points"].as_array().into_iter().flatten();
            points.filter(|point| point["name"] == "algorithm").count() == RANKS as usize
        });
        wait_for_prints(&mut job, 1);
        Begun { scratch, analyzer, agent, job }
    }
}

/// An analyzer at an address; all analyzers of a test append to one journal.
fn analyzer_at(scratch: &Scratch, name: &str, address: &str) -> Analyzer {
    let journal = scratch.path("journal").display().to_string();
    Analyzer::with(scratch, name, address, &[("JOURNAL", &journal)])
}

/// Phases of changes that the analyzers of a test have ordered so far.
fn phases(scratch: &Scratch) -> usize {
    let journal = std::fs::read_to_string(scratch.path("journal")).unwrap_or_default();
    let lines = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["phase"].is_string() && line["assignments"].is_array()).count()
}

/// Asks for the `n`-th change of a test and waits until its first, second or third phase is ordered, in turn by `n`.
fn ask_up_to_a_phase(scratch: &Scratch, analyzer: &str, n: usize) -> Process {
    let (before, phase) = (phases(scratch), 1 + n % 3);
    let mut asked = ask(scratch, analyzer, n / 3 % 3);
    wait_until("the phase is ordered", || phases(scratch) >= before + phase || !asked.is_running());
    asked
}

/// A job until its ranks are told to stop.
fn start(scratch: &Scratch, mpi: Mpi, agent: &Agent, delay_us: u32) -> Process {
    let mut line = mpi.line(RANKS, &mpi.example("allreduce_choice"));
    line.extend(["--iterations", "1000000", "--delay-us", &delay_us.to_string()].map(str::to_owned));
    let mut job = command(&line);
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "together");
    Process::start(scratch, "job", job)
}

/// `midrun set algorithm VALUE --together`, not waited for.
fn ask(scratch: &Scratch, analyzer: &str, value: usize) -> Process {
    set(scratch, analyzer, "algorithm", value)
}

fn set(scratch: &Scratch, analyzer: &str, point: &str, value: usize) -> Process {
    let mut set = Command::new(midrun());
    set.args(["set", point, &value.to_string(), "--together", "--job", "together", "--analyzer", analyzer]);
    Process::start(scratch, "set", set)
}

/// Has all ranks end their loop before the same iteration; what the job then says.
fn stop(scratch: &Scratch, analyzer: &str, mut job: Process) -> String {
    assert!(job.is_running(), "the job was over too early");
    wait_until("the job takes the stop over", || {
        set(scratch, analyzer, "stop", 1).wait();
        !job.is_running()
    });
    job.succeed().out
}

/// Waits until rank 0 has printed `more` further times, which it does every 50 iterations.
fn wait_for_prints(job: &mut Process, more: usize) {
    let prints = |job: &Process| job.out().lines().filter(|line| line.starts_with("iteration ")).count();
    let target = prints(job) + more;
    wait_until("the job goes on", || {
        assert!(job.is_running(), "the job ended too early: {}", job.err());
        prints(job) >= target
    });
}

#[each_mpi]
fn tens_of_changes_are_taken_over_by_all_ranks_in_the_same_iterations(mpi: Mpi) {
    let Begun { scratch, analyzer, agent: _agent, job } = Begun::new(mpi, 20_000);
    let mut applied = Vec::new();
    for n in 1..=30 {
        let ended = ask(&scratch, &analyzer.url, n % 3).wait();
        if ended.code == 0 {
            applied.push(n % 3);
            assert!(ended.out.contains("applied on ranks 0-15 at iteration "), "{}", ended.out);
        }
    }
    let changes = the_same_on_all(&stop(&scratch, &analyzer.url, job), RANKS);
    assert!(applied.len() >= 20, "{mpi:?}: {} of 30 were applied", applied.len());
    assert_eq!(changes.iter().map(|(algorithm, _)| *algorithm).collect::<Vec<_>>(), applied, "{mpi:?}");
}

#[each_mpi]
fn a_pause_takes_back_together_what_was_changed_together(mpi: Mpi) {
    // Iterations so short that ranks which change one by one do so in different ones.
    let Begun { scratch, analyzer, agent: _agent, mut job } = Begun::new(mpi, 500);
    for _ in 0..5 {
        assert_eq!(ask(&scratch, &analyzer.url, 1).wait().code, 0);
        let mut pause = Command::new(midrun());
        pause.args(["pause", "--job", "together", "--analyzer", &analyzer.url]);
        let paused = Process::start(&scratch, "pause", pause).succeed();
        assert!(paused.out.contains("values brought back to those at start: 16"), "{mpi:?}: {}", paused.out);
        wait_for_prints(&mut job, 1);
    }
    let changes = the_same_on_all(&stop(&scratch, &analyzer.url, job), RANKS);
    assert_eq!(changes.iter().map(|(algorithm, _)| *algorithm).collect::<Vec<_>>(), [1, 0].repeat(5), "{mpi:?}");
}

#[each_mpi]
fn a_rank_killed_during_changes_ends_the_job_as_mpi_ends_it_and_no_rank_differed(mpi: Mpi) {
    let Begun { scratch, analyzer, agent: _agent, job } = Begun::new(mpi, 20_000);
    for value in [1, 2, 0] {
        wait_until("a change is applied", || ask(&scratch, &analyzer.url, value).wait().code == 0);
    }
    let last = ask(&scratch, &analyzer.url, 2);
    ranks::kill(&scratch, 5);
    let ended = job.wait();
    assert_ne!(ended.code, 0, "{mpi:?}");
    last.wait();
    let all = changes_of(&ended.out);
    let most = all.values().max_by_key(|changes| changes.len()).expect("changes");
    assert!(all.values().all(|changes| most.starts_with(changes)), "{mpi:?}: ranks differ: {all:?}");
}

#[each_mpi]
fn an_agent_stopped_between_the_phases_and_continued_leaves_no_rank_behind(mpi: Mpi) {
    let Begun { scratch, analyzer, agent, mut job } = Begun::new(mpi, 5_000);
    for n in 1..=12 {
        let asked = ask_up_to_a_phase(&scratch, &analyzer.url, n);
        agent.process.signal(libc::SIGSTOP);
        wait_for_prints(&mut job, 1);
        agent.process.signal(libc::SIGCONT);
        asked.wait();
    }
    the_same_on_all(&stop(&scratch, &analyzer.url, job), RANKS);
}

#[each_mpi]
fn an_analyzer_killed_at_any_moment_of_a_change_leaves_it_applied_on_all_ranks_or_on_none(mpi: Mpi) {
    let Begun { scratch, mut analyzer, agent: _agent, mut job } = Begun::new(mpi, 20_000);
    let address = analyzer.url.trim_start_matches("http://").to_owned();
    for n in 1..=9 {
        let asked = ask_up_to_a_phase(&scratch, &analyzer.url, n);
        analyzer.process.signal(libc::SIGKILL);
        assert_ne!(analyzer.process.wait().code, 0);
        asked.wait();
        analyzer = analyzer_at(&scratch, &format!("analyzer{n}"), &address);
        let linked = || analyzer.process.err().contains("an agent linked");
        wait_until("the agent is back", || linked() || !job.is_running());
    }
    the_same_on_all(&stop(&scratch, &analyzer.url, job), RANKS);
}

/// Answers of all ranks to a phase.
fn answers(link: &mut Link, action: u64, count: u32) -> BTreeMap<u32, ActionResult> {
    let mut all = BTreeMap::new();
    while all.len() < count as usize {
        for (rank, event) in link.events().expect("the job runs") {
            match event {
                Kind::ActionResult(result) if result.action == action => drop(all.insert(rank, result)),
                _ => {}
            }
        }
    }
    all
}

/// Prepares and pre-commits a change on all ranks for `margin` iterations ahead; the iteration.
fn pre_commit(link: &mut Link, action: u64, (point, value): (&str, f64), margin: u64) -> u64 {
    for rank in 0..RANKS {
        link.phase(action, "together", rank, Phase::Prepare, 0, &[(point, value)]);
    }
    let prepared = answers(link, action, RANKS);
    assert!(prepared.values().all(|result| result.status() == ActionStatus::Prepared), "{prepared:?}");
    assert!(prepared.values().all(|result| result.register == prepared[&0].register), "{prepared:?}");
    let at = prepared.values().map(|result| result.iteration).max().unwrap_or(0) + margin;
    (0..RANKS).for_each(|rank| link.phase(action, "together", rank, Phase::PreCommit, at, &[]));
    let answered = answers(link, action, RANKS);
    assert!(answered.values().all(|result| result.status() == ActionStatus::PreCommitted), "{answered:?}");
    at
}

/// Commits it on one rank and waits until all ranks have applied it in that iteration.
fn commit(link: &mut Link, action: u64, rank: u32, at: u64) {
    link.phase(action, "together", rank, Phase::Commit, 0, &[]);
    assert_eq!(answers(link, action, 1)[&rank].status(), ActionStatus::Committed);
    let applied = answers(link, action, RANKS);
    let all = |result: &ActionResult| result.status() == ActionStatus::Applied && result.iteration == at;
    assert!(applied.values().all(all), "{applied:?}");
}

#[each_mpi]
fn a_pre_committed_change_that_nobody_commits_is_aborted_on_all_ranks_and_the_next_one_is_applied(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = ScriptedAnalyzer::start();
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut link = analyzer.welcome(0);
    let job = start(&scratch, mpi, &agent, 20_000);
    let (mut offered, mut begun) = (BTreeSet::new(), false);
    while offered.len() < 2 * RANKS as usize || !begun {
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
    pre_commit(&mut link, 5, ("algorithm", 1.0), 40);
    // Between pre-commit and commit the analyzer dies; the next one knows nothing of it.
    let taken = link.sequence;
    drop(link);
    let mut link = analyzer.welcome(taken);
    let aborted = answers(&mut link, 5, RANKS);
    assert!(aborted.values().all(|result| result.status() == ActionStatus::Aborted), "{aborted:?}");
    // A commit that comes too late decides nothing.
    link.phase(5, "together", 3, Phase::Commit, 0, &[]);
    assert_eq!(answers(&mut link, 5, 1)[&3].status(), ActionStatus::Aborted);
    let at = pre_commit(&mut link, 6, ("algorithm", 2.0), 60);
    commit(&mut link, 6, 7, at);
    pre_commit(&mut link, 7, ("stop", 1.0), 60);
    link.phase(7, "together", 0, Phase::Commit, 0, &[]);
    while link.events().is_some() {}
    assert_eq!(the_same_on_all(&job.succeed().out, RANKS), [(2, at)], "{mpi:?}");
}

/// `midrun run --search POINT -- LINE`; what the job said, and the summary.
fn search(scratch: &Scratch, point: &str, line: &[String]) -> (Ended, Summary) {
    let flags = ["--summary", "s.json", "--no-memory", "--search", point];
    let ended = under_midrun(scratch, "run", &flags, line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    (ended, summary)
}

#[each_mpi]
fn a_search_changes_the_algorithm_on_all_ranks_in_the_same_iterations_and_ends_at_its_best(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(RANKS, &mpi.example("allreduce_choice"));
    line.extend(["--iterations", "1500", "--delay-us", "0", "--algorithm", "2"].map(str::to_owned));
    let (ended, summary) = search(&scratch, "algorithm=0,1,2 categorical together", &line);
    let changes = the_same_on_all(&ended.out, RANKS);
    let report = &summary.0["search"];
    assert_eq!((&report["ended"], &report["trouble"]), (&true.into(), &Value::Null), "{mpi:?} {}", ended.err);
    let in_force = changes.last().map_or(2, |(algorithm, _)| *algorithm);
    assert_eq!(report["best"], serde_json::json!([in_force as f64]), "{mpi:?} {}", ended.err);
    let tried: Vec<f64> = report["tried"].as_array().expect("a list").iter().map(value_of).collect();
    assert!(!tried.is_empty() && tried.iter().all(|value| [0.0, 1.0, 2.0].contains(value)), "{mpi:?}: {tried:?}");
    // What the program saw is what was decided, in the iterations that the summary names.
    let applied = summary.list("decisions").iter().filter(|decision| decision["verdict"] != "not-applied");
    let decided: Vec<(usize, u64)> = applied
        .map(|decision| {
            let to = decision["to"].as_str().and_then(|to| to.parse().ok()).expect("a number");
            (to, decision["applied_iteration"].as_u64().expect("an iteration"))
        })
        .collect();
    assert_eq!(decided, changes, "{mpi:?} {}", ended.err);
    scratch.assert_nothing_left();
}

fn value_of(tried: &Value) -> f64 {
    tried["values"][0].as_f64().expect("a number")
}

#[each_mpi]
fn a_search_whose_ranks_cannot_change_together_ends_with_the_reason_and_the_job_is_unharmed(mpi: Mpi) {
    let scratch = Scratch::new();
    // Only rank 0 marks its iterations.
    let mut line = mpi.line(2, &mpi.example("matmul_blocked"));
    line.extend(["--size", "256", "--block", "7", "--iterations", "600"].map(str::to_owned));
    let (ended, summary) = search(&scratch, "block=8,16 together", &line);
    assert!(ended.out.contains("the product is right"), "{}", ended.out);
    assert!(ended.out.lines().all(|line| !line.starts_with("iteration ") || line.ends_with("block 7")), "{mpi:?}");
    let why = "rank 1 has begun no iteration: every rank has to call midrun_iteration_begin";
    let trouble = summary.0["search"]["trouble"].as_str().unwrap_or_default();
    assert!(trouble.contains(why), "{mpi:?} {trouble:?} {}", ended.err);
    assert!(ended.err.contains("search of block: its values were not taken over"), "{}", ended.err);
}
