//! Faults while the number of workers is being changed: of workers, of the agent, of the analyzer.

use midrun_tests::mpi::command;
use midrun_tests::synthetic::{self, assert_whole, endless_line, wait_for_iterations, workers};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, ranks, under_midrun, wait_until};

/// `midrun run FLAGS -- LINE` with a summary.
fn start(scratch: &Scratch, flags: &[&str], line: &[String]) -> Process {
    under_midrun(scratch, "run", &[&["--summary", "s.json"], flags].concat(), line)
}

/// Waits until the number of workers was changed so many times.
fn wait_for_changes(job: &mut Process, count: usize) {
    wait_until("the number of workers has changed", || {
        let running = job.is_running();
        let mut numbers = workers(&job.out());
        numbers.dedup();
        assert!(running, "the job ended too early: {numbers:?}");
        numbers.len() > count
    });
}

/// Kills the last of 5 ranks, without midrun and under it. `parked`: it has no work, by the program's option; else it is
/// killed when midrun has just decided that it shall have none.
fn a_worker_is_killed(mpi: Mpi, parked: bool) {
    let workers = if parked { "2" } else { "0" };
    let options = format!("--tasks 400 --mean-us 2000 --workers {workers}");
    let alone = {
        let scratch = Scratch::new();
        let line = endless_line(&scratch, mpi, 5, &options);
        let mut job = Process::start(&scratch, "alone", command(&line));
        wait_for_iterations(&mut job, 2);
        ranks::kill(&scratch, 4);
        let ended = job.wait();
        ranks::assert_all_gone(&scratch);
        ended
    };
    let scratch = Scratch::new();
    let line = endless_line(&scratch, mpi, 5, &options);
    let objective = if parked { "fixed" } else { "budget:2" };
    let mut run = start(&scratch, &["--objective", objective], &line);
    if parked {
        wait_for_iterations(&mut run, 2);
    } else {
        wait_until("it is decided", || run.err().contains("workers 4 -> 2") || !run.is_running());
    }
    ranks::kill(&scratch, 4);
    let ended = run.wait();
    assert_ne!(ended.code, 0, "{mpi:?} ends a job that lost a rank");
    assert_eq!(ended.code, alone.code, "{mpi:?}\n{}\n{}", ended.err, alone.err);
    assert!(ended.err.contains("midrun: summary"), "{}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    assert!(summary.count("/iterations") >= 1 && summary.list("lost_ranks").contains(&4.into()), "{}", summary.0);
    ranks::assert_all_gone(&scratch);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_parked_worker_that_is_killed_ends_the_job_as_without_midrun(mpi: Mpi) {
    a_worker_is_killed(mpi, true);
}

#[each_mpi]
fn a_worker_that_is_killed_while_it_is_being_parked_ends_the_job_as_without_midrun(mpi: Mpi) {
    a_worker_is_killed(mpi, false);
}

/// Eight workers of which each change parks one, until two are left.
const ONE_BY_ONE: [(&str, &str); 2] = [("OBJECTIVE", "budget:2"), ("WORKER_STEP", "1")];

fn one_by_one(scratch: &Scratch, mpi: Mpi) -> Process {
    let mut job = command(&endless_line(scratch, mpi, 9, "--tasks 200 --mean-us 2000 --sigma-pct 40"));
    job.env("MIDRUN_SOCKET", Agent::socket_in(scratch)).env("MIDRUN_JOB", "changes");
    Process::start(scratch, "job", job)
}

#[each_mpi]
fn an_agent_killed_while_workers_are_parked_leaves_the_job_alone_and_the_next_agent_goes_on(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &ONE_BY_ONE);
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut job = one_by_one(&scratch, mpi);
    wait_for_changes(&mut job, 2);
    let before = workers(&job.out()).last().copied().expect("an iteration");
    agent.process.signal(libc::SIGKILL);
    drop(agent);
    let _next = Agent::start(&scratch, &analyzer.url);
    wait_until("the next agent goes on", || {
        assert!(job.is_running(), "the job ended too early: {}", job.out());
        workers(&job.out()).last() < Some(&before)
    });
    synthetic::end(&scratch);
    let numbers = assert_whole(&job.succeed());
    // One at a time, though the change that was under way may have been lost or made without an answer.
    assert!(numbers.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 1), "{numbers:?}");
}

#[each_mpi]
fn an_agent_stopped_while_workers_are_parked_leaves_the_job_alone(mpi: Mpi) {
    for comes_back in [false, true] {
        let scratch = Scratch::new();
        let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &ONE_BY_ONE);
        let agent = Agent::start(&scratch, &analyzer.url);
        let mut job = one_by_one(&scratch, mpi);
        wait_for_changes(&mut job, 2);
        agent.process.signal(libc::SIGSTOP);
        wait_for_iterations(&mut job, 3);
        if comes_back {
            agent.process.signal(libc::SIGCONT);
            wait_for_iterations(&mut job, 3);
        }
        synthetic::end(&scratch);
        let numbers = assert_whole(&job.succeed());
        assert!(numbers.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 1), "{numbers:?}");
    }
}

#[each_mpi]
fn an_analyzer_lost_in_the_middle_of_a_change_makes_it_once_or_not_at_all_and_another_goes_on(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let address = analyzer.url.trim_start_matches("http://").to_owned();
    let flags = ["--analyzer", &analyzer.url, "--objective", "budget:3", "--technique", "dpf"];
    let line = endless_line(&scratch, mpi, 9, "--tasks 400 --mean-us 2000 --sigma-pct 40");
    let mut run = start(&scratch, &flags, &line);
    let is_decided = |err: &str| err.contains("workers 8 with ") && err.contains(" -> 3 with dpf");
    wait_until("it is decided", || is_decided(&run.err()) || !run.is_running());
    drop(analyzer); // SIGKILL
    wait_for_iterations(&mut run, 4);
    let another = Analyzer::with(&scratch, "another", &address, &[("OBJECTIVE", "time")]);
    wait_until("the other analyzer is in use", || another.process.err().contains("an agent linked"));
    wait_until("the change is in force", || workers(&run.out()).last() == Some(&3) || !run.is_running());
    wait_for_iterations(&mut run, 10);
    synthetic::end(&scratch);
    let ended = run.succeed();
    let mut numbers = assert_whole(&ended);
    // The other analyzer is told what this job wants: its own objective would bring all workers in again.
    numbers.dedup();
    assert_eq!(numbers, [8, 3], "{mpi:?}\n{}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/actions/refused"), 0, "{}", summary.0);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn an_analyzer_that_starts_again_with_its_journal_goes_on_with_the_trial_under_way(mpi: Mpi) {
    let scratch = Scratch::new();
    let journal = scratch.path("journal.jsonl").display().to_string();
    let keys = [("JOURNAL", &*journal)];
    let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &keys);
    let address = analyzer.url.trim_start_matches("http://").to_owned();
    let line = endless_line(
        &scratch,
        mpi,
        9,
        "--tasks 400 --mean-us 2000 --sigma-pct 40 --technique none --slow-workers 0.5:3",
    );
    let mut run = start(&scratch, &["--analyzer", &analyzer.url], &line);
    wait_until("something is decided", || run.err().contains("technique none ->") || !run.is_running());
    drop(analyzer); // SIGKILL
    wait_for_iterations(&mut run, 4);
    let again = Analyzer::with(&scratch, "again", &address, &keys);
    wait_until("it goes on", || again.process.err().contains("goes on with this job") || !run.is_running());
    wait_for_iterations(&mut run, 10);
    synthetic::end(&scratch);
    let ended = run.succeed();
    let iterations = assert_whole(&ended).len() as u64;
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    let first = &summary.list("decisions")[0];
    assert!(
        first["from"] == "none" && ["kept", "rolled-back"].iter().any(|verdict| first["verdict"] == *verdict),
        "{first}"
    );
    assert_eq!(summary.count("/iterations"), iterations, "also those that ran while no analyzer did: {}", summary.0);
    assert_eq!(summary.count("/actions/refused"), 0, "{}", summary.0);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn an_analyzer_that_comes_in_place_of_another_knows_of_the_dry_run(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let address = analyzer.url.trim_start_matches("http://").to_owned();
    let flags = ["--analyzer", &analyzer.url, "--dry-run"];
    let options = "--tasks 400 --mean-us 2000 --sigma-pct 80 --technique none --workers 2";
    let mut run = start(&scratch, &flags, &endless_line(&scratch, mpi, 9, options));
    wait_for_iterations(&mut run, 2);
    drop(analyzer); // SIGKILL
    let another = Analyzer::with(&scratch, "another", &address, &[]);
    wait_until("the other analyzer is in use", || another.process.err().contains("an agent linked"));
    wait_for_iterations(&mut run, 10);
    synthetic::end(&scratch);
    let ended = run.succeed();
    assert!(assert_whole(&ended).iter().all(|workers| *workers == 2), "{}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/actions/sent"), 0, "{}", summary.0);
    assert!(summary.count("/iterations") > 3, "the other analyzer has seen the rest: {}", summary.0);
}
