//! The number of workers, changed while real jobs run.

use midrun_tests::process::Ended;
use midrun_tests::synthetic::assert_whole;
use midrun_tests::{Mpi, Scratch, Summary, each_mpi, under_midrun};

/// A job on 9 ranks that begins with so many workers.
fn job(scratch: &Scratch, mpi: Mpi, flags: &[&str], workers: &str) -> (Ended, Summary) {
    let mut line = mpi.line(9, &mpi.example("mw_synthetic"));
    let job = ["--tasks", "800", "--iterations", "9", "--mean-us", "2000", "--sigma-pct", "40", "--workers", workers];
    line.extend(job.map(String::from));
    let flags = [&["--summary", "s.json"], flags].concat();
    let ended = under_midrun(scratch, "run", &flags, &line).succeed();
    assert_eq!(assert_whole(&ended).len(), 9);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    (ended, summary)
}

#[each_mpi]
fn parked_workers_are_brought_in_where_that_pays(mpi: Mpi) {
    let scratch = Scratch::new();
    let (ended, summary) = job(&scratch, mpi, &[], "2");
    let workers = summary.workers();
    assert_eq!((workers[0], workers.last()), (2, Some(&8)), "{}", ended.err);
    let decisions = summary.list("decisions");
    let first = decisions.iter().find(|d| d["tuning_point"] == "workers").expect("a decision");
    assert!(first["why"].as_str().is_some_and(|why| why.contains("compute-bound")), "{first}");
    assert_eq!(first["verdict"], "kept", "{first}");
    assert_eq!(summary.0["advice"]["ranks"].as_u64(), summary.0["advice"]["workers"].as_u64().map(|n| n + 1));
    scratch.assert_nothing_left();
}

#[each_mpi]
fn the_users_limits_are_kept(mpi: Mpi) {
    let scratch = Scratch::new();
    let (_, most) = job(&scratch, mpi, &["--max-workers", "4"], "2");
    assert_eq!(most.workers().last(), Some(&4), "{}", most.0);
    let (_, fixed) = job(&scratch, mpi, &["--objective", "fixed"], "3");
    assert_eq!(fixed.workers(), [3; 9]);
    // Too many by the user's own word: they are parked, and no task is lost on the way.
    let (_, fewer) = job(&scratch, mpi, &["--objective", "budget:3"], "0");
    assert_eq!((fewer.workers()[0], fewer.workers().last()), (8, Some(&3)), "{}", fewer.0);
}

#[each_mpi]
fn a_dry_run_parks_nobody(mpi: Mpi) {
    let scratch = Scratch::new();
    let (ended, summary) = job(&scratch, mpi, &["--dry-run"], "2");
    assert_eq!(summary.workers(), [2; 9]);
    assert!(ended.err.contains("workers 2 -> "), "{}", ended.err);
}

#[each_mpi]
fn limits_beyond_what_exists_mean_all_there_is(mpi: Mpi) {
    let scratch = Scratch::new();
    let (ended, most) = job(&scratch, mpi, &["--max-workers", "4294967295", "--worker-step", "4294967295"], "2");
    assert_eq!(most.workers().last(), Some(&8), "{}", ended.err);
    let (ended, least) = job(&scratch, mpi, &["--min-workers", "100"], "2");
    assert_eq!(least.workers().last(), Some(&8), "{}", ended.err);
    assert!(ended.err.contains("the command starts 8 workers: min_workers = 100 means all of them"), "{}", ended.err);
    let (ended, budget) = job(&scratch, mpi, &["--objective", "budget:4294967295"], "2");
    assert_eq!(budget.workers().last(), Some(&8), "{}", ended.err);
}
