//! The number of workers, changed while real jobs run.

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, Summary, midrun, need};

/// A job on 9 ranks that begins with so many workers.
fn job(scratch: &Scratch, mpi: Mpi, flags: &[&str], workers: &str) -> (Ended, Summary) {
    let mut words = vec![midrun().display().to_string(), "run".into(), "--summary".into()];
    words.push(scratch.path("s.json").display().to_string());
    words.extend(flags.iter().map(|word| (*word).to_owned()));
    words.push("--".into());
    words.extend(mpi.line(9, &mpi.example("mw_synthetic")));
    let job = ["--tasks", "800", "--iterations", "9", "--mean-us", "2000", "--sigma-pct", "40", "--workers", workers];
    words.extend(job.map(String::from));
    let ended = Process::start(scratch, "run", command(&words)).succeed();
    assert!(ended.out.contains("lost or doubled: 0, wrong results: 0"), "{}\n{}", ended.out, ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    (ended, summary)
}

fn workers(summary: &Summary) -> Vec<u64> {
    summary.list("workers").iter().filter_map(|workers| workers.as_u64()).collect()
}

#[test]
fn parked_workers_are_brought_in_where_that_pays() {
    for mpi in Mpi::ALL {
        need!(mpi.is_here(), format!("{mpi:?} is not here"));
        let scratch = Scratch::new();
        let (ended, summary) = job(&scratch, mpi, &[], "2");
        let workers = workers(&summary);
        assert_eq!((workers[0], workers.last()), (2, Some(&8)), "{}", ended.err);
        let decisions = summary.list("decisions");
        let first = decisions.iter().find(|d| d["tuning_point"] == "workers").expect("a decision");
        assert!(first["why"].as_str().is_some_and(|why| why.contains("compute-bound")), "{first}");
        assert_eq!(first["verdict"], "kept", "{first}");
        assert_eq!(summary.0["advice"]["ranks"].as_u64(), summary.0["advice"]["workers"].as_u64().map(|n| n + 1));
        scratch.assert_nothing_left();
    }
}

#[test]
fn the_users_limits_are_kept() {
    for mpi in Mpi::ALL {
        need!(mpi.is_here(), format!("{mpi:?} is not here"));
        let scratch = Scratch::new();
        let (_, most) = job(&scratch, mpi, &["--max-workers", "4"], "2");
        assert_eq!(workers(&most).last(), Some(&4), "{}", most.0);
        let (_, fixed) = job(&scratch, mpi, &["--objective", "fixed"], "3");
        assert_eq!(workers(&fixed), [3; 9]);
        // Too many by the user's own word: they are parked, and no task is lost on the way.
        let (_, fewer) = job(&scratch, mpi, &["--objective", "budget:3"], "0");
        assert_eq!((workers(&fewer)[0], workers(&fewer).last()), (8, Some(&3)), "{}", fewer.0);
    }
}

#[test]
fn a_dry_run_parks_nobody() {
    for mpi in Mpi::ALL {
        need!(mpi.is_here(), format!("{mpi:?} is not here"));
        let scratch = Scratch::new();
        let (ended, summary) = job(&scratch, mpi, &["--dry-run"], "2");
        assert_eq!(workers(&summary), [2; 9]);
        assert!(ended.err.contains("workers 2 -> "), "{}", ended.err);
    }
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    for (flags, part) in [
        (["--objective", "cheap"], "efficiency, time, budget:WORKERS"),
        (["--objective", "budget:0"], "budget:WORKERS"),
        (["--min-workers", "0"], "min-workers"),
    ] {
        let scratch = Scratch::new();
        let mut words = vec![midrun().display().to_string(), "run".into()];
        words.extend(flags.map(String::from));
        words.extend(["--", "true"].map(String::from));
        let ended = Process::start(&scratch, "run", command(&words)).wait();
        assert_eq!(ended.code, 64, "{}", ended.err);
        assert!(ended.err.contains(part), "{}", ended.err);
        assert_eq!(ended.err.trim_end().lines().count(), 1, "{}", ended.err);
    }
}
