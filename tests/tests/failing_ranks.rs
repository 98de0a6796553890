//! Ranks that fail by themselves in the middle of an iteration: the job ends as it does without midrun, and nothing hangs.

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, ranks, root, under_midrun};

/// Runs the failing program without and with `midrun run`.
fn fail(mpi: Mpi, mode: &str) -> [Ended; 2] {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &root().join("tests/programs/failing_rank.c"));
    let mut line = mpi.line(4, &program);
    line.push(mode.into());
    let alone = Process::start(&scratch, "alone", command(&line)).wait();
    ranks::assert_all_gone(&scratch);
    let tuned = under_midrun(&scratch, "run", &["--summary", "s.json"], &line).wait();
    ranks::assert_all_gone(&scratch);
    assert!(tuned.err.contains("midrun: summary"), "{}", tuned.err);
    assert!(Summary::read(&scratch.path("s.json")).count("/iterations") >= 1);
    scratch.assert_nothing_left();
    [alone, tuned]
}

#[each_mpi]
fn an_abort_in_the_middle_of_a_chunk_gives_its_own_code(mpi: Mpi) {
    assert_eq!(fail(mpi, "abort").map(|ended| ended.code), [42, 42], "{mpi:?}");
}

#[each_mpi]
fn a_rank_that_exits_in_the_middle_of_a_chunk_ends_the_job(mpi: Mpi) {
    let codes = fail(mpi, "code").map(|ended| ended.code);
    // MPICH's launcher gives 3, or 9 for the ranks that it killed, with and without midrun.
    let allowed: &[i32] = if mpi == Mpi::OpenMpi { &[3] } else { &[3, 9] };
    assert!(codes.iter().all(|code| allowed.contains(code)), "{mpi:?}: {codes:?}");
}

#[each_mpi]
fn a_rank_that_leaves_without_finalize_ends_the_job(mpi: Mpi) {
    let codes = fail(mpi, "leave").map(|ended| ended.code);
    // Open MPI calls this improper; MPICH's launcher gives the rank's 0, or 9 for those that it killed.
    let allowed: &[i32] = if mpi == Mpi::OpenMpi { &[1] } else { &[0, 9] };
    assert!(codes.iter().all(|code| allowed.contains(code)), "{mpi:?}: {codes:?}");
}

#[each_mpi]
fn an_mpi_call_that_fails_in_the_framework_ends_the_job_as_one_of_the_programs_own_does(mpi: Mpi) {
    for ended in fail(mpi, "send") {
        assert!(ended.code != 0 && !ended.err.contains("rank 2: "), "{mpi:?}: {}\n{}", ended.code, ended.err);
    }
}

#[each_mpi]
fn with_errors_return_the_failing_rank_gets_the_error_and_can_abort_the_job(mpi: Mpi) {
    for ended in fail(mpi, "send-abort") {
        assert_eq!(ended.code, 5, "{mpi:?}: {}", ended.err);
        assert!(ended.err.contains("rank 2: MPI is not initialised, or a call of it failed"), "{}", ended.err);
    }
}
