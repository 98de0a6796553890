//! Workers that die while the job goes on: `MIDRUN_MW_TOLERATE` under Open MPI 5 with its fault tolerance. `mw_synthetic --die` kills a rank when
//! it has computed so many tasks, and checks that the result of each task came back exactly once.

use std::path::PathBuf;
use std::process::Command;

use midrun_tests::mpi::{command, fetched};
use midrun_tests::process::Ended;
use midrun_tests::skip::skip;
use midrun_tests::synthetic::{WHOLE, assert_lost, assert_whole, drawn};
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, ranks, run, synthetic};

/// `mw_synthetic --tolerate OPTIONS` on 5 ranks under Open MPI 5, with midrun's summary where `flags` ask for one; `None` without that MPI.
fn tolerant(scratch: &Scratch, flags: Option<&[&str]>, options: &str) -> Option<Ended> {
    let (Some(mpi), true) = (fetched("openmpi5"), Mpi::OpenMpi.is_here()) else {
        skip("Open MPI 5 with the examples is not here");
        return None;
    };
    let line = synthetic::line(Mpi::OpenMpi, 5, &format!("--tasks 200 --mean-us 500 --tolerate {options}"));
    let launcher: PathBuf = mpi.join("bin/mpirun");
    let start = [launcher.display().to_string(), "--with-ft".into(), "ulfm".into()];
    let line: Vec<String> = start.into_iter().chain(line.into_iter().skip(1)).collect();
    let mut job: Command = match flags {
        Some(flags) => run::command(scratch, flags, &line),
        None => command(&line),
    };
    job.env("LD_LIBRARY_PATH", mpi.join("lib"));
    job.envs(["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"].map(|name| (name, "1")));
    Some(Process::start(scratch, "job", job).wait())
}

/// Two of four workers die in the middle of chunks, with midrun tuning.
fn two_workers_die(option: &str) {
    let scratch = Scratch::new();
    let die = format!("--iterations 5 {option} --die 1:{},3:{}", drawn(20), drawn(20));
    let Some(ended) = tolerant(&scratch, Some(&["--summary", "s.json"]), &die) else { return };
    assert_eq!(ended.code, 0, "{die}\n{}\n{}", ended.out, ended.err);
    let workers = assert_whole(&ended);
    assert_eq!(workers.len(), 5, "{die}\n{}", ended.out);
    let summary = Summary::read(&scratch.path("s.json"));
    assert_lost(&ended, &summary, &[1, 3], &die);
    assert_eq!((summary.count("/iterations"), summary.count("/skipped_iterations")), (5, 0), "{die}");
    assert!(workers[4] <= 2, "{die}\n{}", ended.out);
    ranks::assert_all_gone(&scratch);
}

#[test]
fn a_job_goes_on_without_workers_that_die_and_each_task_is_collected_once() {
    two_workers_die("--bytes 1000");
}

#[test]
fn what_workers_that_die_took_from_the_shared_counter_is_computed_by_the_others() {
    two_workers_die("--counter --technique fac2");
}

#[test]
fn where_the_only_active_worker_dies_a_parked_one_goes_on() {
    let scratch = Scratch::new();
    let Some(ended) = tolerant(&scratch, None, "--iterations 2 --workers 1 --die 1:30") else { return };
    assert_eq!((ended.code, assert_whole(&ended)), (0, vec![1, 1]), "{}", ended.err);
}

#[test]
fn without_any_worker_and_without_the_master_the_others_get_an_error() {
    let scratch = Scratch::new();
    let Some(ended) = tolerant(&scratch, None, "--iterations 2 --die 1:0,2:5,3:10,4:15") else { return };
    assert!(ended.code != 0 && !ended.out.contains(WHOLE) && ended.err.contains("no worker"), "{}", ended.err);
    let scratch = Scratch::new();
    let Some(ended) = tolerant(&scratch, None, "--iterations 2 --master-works --die 0:3") else { return };
    assert!(ended.code != 0 && !ended.out.contains(WHOLE) && ended.err.contains("the master"), "{}", ended.err);
    ranks::assert_all_gone(&scratch);
}

#[each_mpi]
fn an_mpi_that_ends_the_job_when_a_rank_dies_is_named_at_start(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::line(mpi, 3, "--tasks 20 --iterations 1 --tolerate");
    let ended = Process::start(&scratch, "job", command(&line)).succeed();
    assert_whole(&ended);
    assert_eq!(ended.err.matches("MIDRUN_MW_TOLERATE").count(), 1, "{}", ended.err);
}
