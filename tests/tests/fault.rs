//! Faults that must leave the job alone: each test breaks something of ours and looks at the job's output.

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::synthetic_output::{WHOLE, assert_whole, wait_for_iterations};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, under_midrun, wait_until};

const ITERATIONS: usize = 8;

/// A job of about two seconds that checks by itself that each task was computed exactly once.
fn line(mpi: Mpi) -> Vec<String> {
    let mut words = mpi.line(5, &mpi.example("mw_synthetic"));
    let iterations = ITERATIONS.to_string();
    let job = [
        "--tasks",
        "400",
        "--iterations",
        &iterations,
        "--mean-us",
        "2000",
        "--sigma-pct",
        "40",
        "--technique",
        "none",
    ];
    words.extend(job.iter().map(|word| (*word).to_owned()));
    words
}

/// The job with daemons of their own instead of `midrun run`.
fn start_job(scratch: &Scratch, mpi: Mpi) -> Process {
    let mut job = command(&line(mpi));
    job.env("MIDRUN_SOCKET", Agent::socket_in(scratch)).env("MIDRUN_JOB", "fault");
    Process::start(scratch, "job", job)
}

/// Stops `midrun run` until its job has ended without it.
fn stopped_until_the_job_has_ended(run: Process) -> Ended {
    run.signal(libc::SIGSTOP);
    wait_until("the job has ended by itself", || run.out().contains(WHOLE));
    run.signal(libc::SIGCONT);
    run.succeed()
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
    let mut job = start_job(&scratch, mpi);
    match moment {
        Moment::BeforeInit => {}
        Moment::During => {
            wait_for_iterations(&mut job, 3);
            hit();
        }
        Moment::AtFinalize => {
            wait_for_iterations(&mut job, ITERATIONS);
            hit();
        }
    }
    assert_whole(&job.succeed(), ITERATIONS);
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
    let mut job = start_job(&scratch, mpi);
    wait_for_iterations(&mut job, 2);
    let _agent = Agent::start(&scratch, &analyzer.url);
    assert_whole(&job.succeed(), ITERATIONS);
    // Every rank finds the late agent, not the master alone.
    wait_until("the analyzer has heard of all ranks", || analyzer.process.err().contains("on 5 ranks"));
}

#[each_mpi]
fn a_full_ring_loses_records_and_not_tasks(mpi: Mpi) {
    // A stopped agent takes nothing out: tasks of no length fill the rings many times over. Back again, it says how many
    // records were refused meanwhile.
    let scratch = Scratch::new();
    let mut words = mpi.line(3, &mpi.example("mw_synthetic"));
    let many = ["--tasks", "20000", "--iterations", "5", "--mean-us", "0", "--technique", "ss"];
    words.extend(many.iter().map(|word| (*word).to_owned()));
    let mut run = under_midrun(&scratch, "run", &["--technique", "ss", "--summary", "s.json"], &words);
    wait_for_iterations(&mut run, 1);
    let ended = stopped_until_the_job_has_ended(run);
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
    assert_whole(&start_job(&scratch, mpi).succeed(), ITERATIONS);
}

#[each_mpi]
fn a_stale_socket_leaves_the_job_alone(mpi: Mpi) {
    let scratch = Scratch::new();
    drop(std::os::unix::net::UnixListener::bind(Agent::socket_in(&scratch)).expect("a socket"));
    assert_whole(&start_job(&scratch, mpi).succeed(), ITERATIONS);
}

#[each_mpi]
fn a_stopped_midrun_run_leaves_the_job_running(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut run = under_midrun(&scratch, "run", &[], &line(mpi));
    wait_for_iterations(&mut run, 2);
    assert_whole(&stopped_until_the_job_has_ended(run), ITERATIONS);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_killed_midrun_run_leaves_the_job_running(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut run = under_midrun(&scratch, "run", &[], &line(mpi));
    wait_for_iterations(&mut run, 2);
    run.signal(libc::SIGKILL);
    wait_until("the job has ended by itself", || run.out().contains(WHOLE));
    assert_eq!(run.wait().code, 137);
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
