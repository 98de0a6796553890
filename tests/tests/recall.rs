//! Recall: idle workers get the tasks that a busy worker has not begun, in real jobs that check each task.

use midrun_tests::ask::succeed;
use midrun_tests::mpi::command;
use midrun_tests::synthetic::{self, assert_whole, chunks, wait_for_iterations};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, under_midrun};

/// Half of eight workers are four times slower, and each gets an equal part.
const UNEQUAL: &str = "--tasks 200 --mean-us 1000 --sigma-pct 40 --slow-workers 0.5:4 --technique none";

fn run(mpi: Mpi, options: &str) -> Vec<u64> {
    let scratch = Scratch::new();
    let job = Process::start(&scratch, "job", command(&synthetic::line(mpi, 9, &format!("{UNEQUAL} {options}"))));
    let ended = job.succeed();
    assert_whole(&ended);
    chunks(&ended.out)
}

#[each_mpi]
fn each_task_is_computed_once_though_idle_workers_take_them_over(mpi: Mpi) {
    assert_eq!(run(mpi, "--iterations 2"), [8, 8], "a technique that the program names is used as published");
    // Without inputs, with inputs that come back with their tasks, and with inputs that MPI transfers in pieces.
    // These take long on a busy machine: the tasks take longer, so that much is left to recall when the last inputs have come.
    for options in ["--iterations 6", "--iterations 6 --bytes 100", "--iterations 3 --bytes 300000 --mean-us 5000"] {
        let chunks = run(mpi, &format!("{options} --recall"));
        assert!(chunks.iter().all(|chunks| *chunks > 8), "{mpi:?} {options}: nothing was recalled: {chunks:?}");
    }
}

#[each_mpi]
fn of_chunks_that_are_computed_as_a_whole_only_those_not_begun_are_recalled(mpi: Mpi) {
    let chunks = run(mpi, "--iterations 3 --recall --chunks --technique dpf --bytes 64");
    assert_eq!(chunks.len(), 3);
}

#[each_mpi]
fn a_user_turns_recall_on_while_the_program_runs(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::endless_line(&scratch, mpi, 9, UNEQUAL);
    let flags = ["--technique", "none", "--objective", "fixed", "--summary", "s.json"];
    let mut job = under_midrun(&scratch, "run", &flags, &line);
    wait_for_iterations(&mut job, 2);
    let text = succeed(&scratch, &["set", "mw.recall", "1"]);
    assert!(text.starts_with("mw.recall = 1 applied on rank 0 at iteration "), "{text}");
    wait_for_iterations(&mut job, 3);
    synthetic::end(&scratch);
    let ended = job.succeed();
    assert_whole(&ended);
    let chunks = chunks(&ended.out);
    assert!(chunks[0] == 8 && chunks.last().is_some_and(|last| *last > 8), "{chunks:?}");
    Summary::read(&scratch.path("s.json")).assert_contract();
}

#[each_mpi]
fn an_agent_that_is_killed_while_tasks_are_recalled_leaves_the_job_alone(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut line = command(&synthetic::endless_line(&scratch, mpi, 9, &format!("{UNEQUAL} --recall --bytes 64")));
    line.env("MIDRUN_SOCKET", Agent::socket_in(&scratch)).env("MIDRUN_JOB", "recall");
    let mut job = Process::start(&scratch, "job", line);
    wait_for_iterations(&mut job, 3);
    agent.process.signal(libc::SIGKILL);
    wait_for_iterations(&mut job, 3);
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
}
