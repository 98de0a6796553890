//! Faults that must leave the job alone: each test breaks something of ours and looks at the job's output.

use midrun_tests::ask::status;
use midrun_tests::mpi::command;
use midrun_tests::synthetic::{self, WHOLE, assert_whole, wait_for_iterations};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, ranks, root, under_midrun, wait_until};

/// Tasks of 50 ms for each of four workers.
const JOB: &str = "--tasks 100 --mean-us 2000 --sigma-pct 40 --technique none";
const ITERATIONS: usize = 8;

/// A job that checks by itself that each task was computed exactly once.
fn short_line(mpi: Mpi) -> Vec<String> {
    synthetic::line(mpi, 5, &format!("{JOB} --iterations {ITERATIONS}"))
}

/// A job with daemons of their own instead of `midrun run`.
fn start_job(scratch: &Scratch, line: &[String]) -> Process {
    let mut job = command(line);
    job.env("MIDRUN_SOCKET", Agent::socket_in(scratch)).env("MIDRUN_JOB", "fault");
    Process::start(scratch, "job", job)
}

/// The same, until `synthetic::end`.
fn start_endless_job(scratch: &Scratch, mpi: Mpi) -> Process {
    start_job(scratch, &synthetic::endless_line(scratch, mpi, 5, JOB))
}

/// Starts an endless job under `midrun run`, strikes after two iterations, and has the job end after three more.
fn struck_run(scratch: &Scratch, mpi: Mpi, signal: i32) -> Process {
    let line = synthetic::endless_line(scratch, mpi, 5, JOB);
    let mut run = under_midrun(scratch, "run", &[], &line);
    wait_for_iterations(&mut run, 2);
    run.signal(signal);
    let before = synthetic::workers(&run.out()).len();
    wait_until("the job iterates without midrun run", || synthetic::workers(&run.out()).len() >= before + 3);
    synthetic::end(scratch);
    wait_until("the job has ended by itself", || run.out().contains(WHOLE));
    run
}

#[derive(Clone, Copy, Debug)]
enum Moment {
    BeforeInit,
    During,
    AtFinalize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Victim {
    Agent,
    Analyzer,
}

fn strike(mpi: Mpi, victim: Victim, signal: i32, moment: Moment) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    let hit = || match victim {
        Victim::Agent => agent.process.signal(signal),
        Victim::Analyzer => analyzer.process.signal(signal),
    };
    if matches!(moment, Moment::BeforeInit) {
        hit();
    }
    let ended = match moment {
        Moment::BeforeInit => start_job(&scratch, &short_line(mpi)).succeed(),
        Moment::During => {
            let mut job = start_endless_job(&scratch, mpi);
            wait_for_iterations(&mut job, 3);
            hit();
            wait_for_iterations(&mut job, 3);
            synthetic::end(&scratch);
            job.succeed()
        }
        Moment::AtFinalize => {
            let mut job = start_job(&scratch, &short_line(mpi));
            wait_for_iterations(&mut job, ITERATIONS);
            hit();
            job.succeed()
        }
    };
    assert!(assert_whole(&ended).len() >= 6);
}

macro_rules! strikes {
    ($($name:ident: $victim:ident $signal:ident $moment:ident;)*) => {
        $(#[each_mpi] fn $name(mpi: Mpi) { strike(mpi, Victim::$victim, libc::$signal, Moment::$moment); })*
    };
}

strikes! {
    an_agent_killed_before_mpi_init_leaves_the_job_alone: Agent SIGKILL BeforeInit;
    an_agent_killed_during_the_job_leaves_it_alone: Agent SIGKILL During;
    an_agent_killed_at_mpi_finalize_leaves_the_job_alone: Agent SIGKILL AtFinalize;
    an_agent_stopped_before_mpi_init_leaves_the_job_alone: Agent SIGSTOP BeforeInit;
    an_agent_stopped_during_the_job_leaves_it_alone: Agent SIGSTOP During;
    an_agent_stopped_at_mpi_finalize_leaves_the_job_alone: Agent SIGSTOP AtFinalize;
    an_analyzer_killed_before_mpi_init_leaves_the_job_alone: Analyzer SIGKILL BeforeInit;
    an_analyzer_killed_during_the_job_leaves_it_alone: Analyzer SIGKILL During;
    an_analyzer_killed_at_mpi_finalize_leaves_the_job_alone: Analyzer SIGKILL AtFinalize;
    an_analyzer_stopped_before_mpi_init_leaves_the_job_alone: Analyzer SIGSTOP BeforeInit;
    an_analyzer_stopped_during_the_job_leaves_it_alone: Analyzer SIGSTOP During;
    an_analyzer_stopped_at_mpi_finalize_leaves_the_job_alone: Analyzer SIGSTOP AtFinalize;
}

#[each_mpi]
fn an_agent_started_late_still_gets_the_ranks(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let mut job = start_endless_job(&scratch, mpi);
    wait_for_iterations(&mut job, 2);
    let _agent = Agent::start(&scratch, &analyzer.url);
    // Every rank finds the late agent, not the master alone.
    wait_until("the analyzer knows all ranks", || {
        let status = status(&scratch, &["fault", "--analyzer", &analyzer.url]);
        status.is_some_and(|status| status["ranks"].as_array().is_some_and(|ranks| ranks.len() == 5))
    });
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
    wait_until("the analyzer has summed up all ranks", || analyzer.process.err().contains("on 5 ranks"));
}

/// States of a job's ranks, by their numbers.
fn states(scratch: &Scratch, analyzer: &Analyzer) -> Vec<String> {
    let status = status(scratch, &["fault", "--analyzer", &analyzer.url]).expect("the job is known");
    let ranks = status["ranks"].as_array().expect("ranks");
    ranks.iter().map(|rank| rank["state"].as_str().expect("a state").to_owned()).collect()
}

#[each_mpi]
fn ranks_that_end_while_no_agent_runs_have_ended_for_the_next_agent(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    let program = mpi.compile_with_midrun(&scratch, &root().join("tests/programs/exposed.c"));
    let mut line = mpi.line(3, &program);
    line.extend(["0", "20"].map(str::to_owned));
    let job = start_job(&scratch, &line);
    let is_there = || status(&scratch, &["fault", "--analyzer", &analyzer.url]).is_some();
    wait_until("all ranks run", || is_there() && states(&scratch, &analyzer) == ["running"; 3]);
    agent.process.signal(libc::SIGKILL);
    agent.process.wait();
    // Who would end the other ranks.
    ranks::stop_parent(&scratch, 1);
    ranks::kill(&scratch, 1);
    let _other = Agent::start(&scratch, &analyzer.url);
    wait_until("the one that was killed has ended", || states(&scratch, &analyzer) == ["running", "ended", "running"]);
    let said = "rank 1 ended while no agent attended it: how it ended is not known";
    assert_eq!(analyzer.process.err().matches(said).count(), 1, "{}", analyzer.process.err());
    // The others, which come to no safe point and never attach again, are watched all the same.
    ranks::kill(&scratch, 2);
    wait_until("another one has ended", || states(&scratch, &analyzer) == ["running", "ended", "ended"]);
    drop(job);
    ranks::end_all(&scratch);
}

#[each_mpi]
fn a_full_ring_loses_records_and_not_tasks(mpi: Mpi) {
    // A stopped agent takes nothing out: tasks of no length fill the rings. Back again, it says how many records were refused.
    let scratch = Scratch::new();
    let line = synthetic::endless_line(&scratch, mpi, 3, "--tasks 20000 --mean-us 0 --technique ss");
    let mut run = under_midrun(&scratch, "run", &["--technique", "ss", "--summary", "s.json"], &line);
    wait_for_iterations(&mut run, 1);
    run.signal(libc::SIGSTOP);
    wait_for_iterations(&mut run, 4);
    synthetic::end(&scratch);
    wait_until("the job has ended by itself", || run.out().contains(WHOLE));
    run.signal(libc::SIGCONT);
    let ended = run.succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    let [produced, collected, dropped] =
        ["produced", "collected", "dropped"].map(|key| summary.count(&format!("/records/{key}")));
    assert!(dropped > 0, "{mpi:?}: {}", summary.0);
    assert_eq!(produced, collected + dropped, "{mpi:?}: each record was taken or counted: {}", summary.0);
    assert!(ended.err.contains(&format!("{dropped} dropped")), "{}", ended.err);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn an_unreachable_analyzer_leaves_the_job_alone(mpi: Mpi) {
    let scratch = Scratch::new();
    let _agent = Agent::start(&scratch, "http://127.0.0.1:1");
    assert_eq!(assert_whole(&start_job(&scratch, &short_line(mpi)).succeed()).len(), ITERATIONS);
}

#[each_mpi]
fn a_stale_socket_leaves_the_job_alone(mpi: Mpi) {
    let scratch = Scratch::new();
    drop(std::os::unix::net::UnixListener::bind(Agent::socket_in(&scratch)).expect("a socket"));
    assert_eq!(assert_whole(&start_job(&scratch, &short_line(mpi)).succeed()).len(), ITERATIONS);
}

#[each_mpi]
fn a_stopped_midrun_run_leaves_the_job_running(mpi: Mpi) {
    let scratch = Scratch::new();
    let run = struck_run(&scratch, mpi, libc::SIGSTOP);
    run.signal(libc::SIGCONT);
    assert_whole(&run.succeed());
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_killed_midrun_run_leaves_the_job_running(mpi: Mpi) {
    let scratch = Scratch::new();
    let run = struck_run(&scratch, mpi, libc::SIGKILL);
    assert_eq!(run.wait().code, 128 + libc::SIGKILL);
}

/// Compiles a C program of the test.
fn compile(scratch: &Scratch, mpi: Mpi, text: &str) -> std::path::PathBuf {
    let source = scratch.path("p.c");
    std::fs::write(&source, text).expect("the source");
    mpi.compile(scratch, &source, &[])
}

#[each_mpi]
fn a_program_that_forks_ends_well_with_its_children(mpi: Mpi) {
    let text = "#include <mpi.h>\n#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\nint main(int c, char **v) {\n\
        int r, code = 0, s = 0; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); pid_t p = fork(); if (p == 0) _exit(3);\n\
        waitpid(p, &code, 0); code = WEXITSTATUS(code); MPI_Reduce(&code, &s, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);\n\
        if (system(\"true\") != 0) s = -1; if (r == 0) printf(\"%d\\n\", s); MPI_Finalize(); return 0; }\n\
        ";
    let text = format!("#include <stdlib.h>\n{text}");
    let scratch = Scratch::new();
    let program = compile(&scratch, mpi, &text);
    let ended = under_midrun(&scratch, "run", &[], &mpi.line(3, &program)).succeed();
    assert_eq!(ended.out.trim(), "9", "{}", ended.err);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_program_that_aborts_gives_its_own_code(mpi: Mpi) {
    let text = "#include <mpi.h>\nint main(int c, char **v) { int r; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);\n\
        if (r == 1) MPI_Abort(MPI_COMM_WORLD, 42); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n";
    let scratch = Scratch::new();
    let program = compile(&scratch, mpi, text);
    let alone = Process::start(&scratch, "alone", command(&mpi.line(3, &program))).wait();
    let ended = under_midrun(&scratch, "run", &[], &mpi.line(3, &program)).wait();
    assert_eq!(ended.code, alone.code, "{}", ended.err);
    assert_ne!(ended.code, 0);
    scratch.assert_nothing_left();
}
