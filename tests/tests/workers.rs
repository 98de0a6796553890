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

fn refused(flags: &[&str], parts: &[&str]) {
    let scratch = Scratch::new();
    let mut words = vec![midrun().display().to_string(), "run".into()];
    words.extend(flags.iter().map(|word| (*word).to_owned()));
    words.extend(["--", "true"].map(String::from));
    let ended = Process::start(&scratch, "run", command(&words)).wait();
    assert_eq!(ended.code, 64, "{flags:?}: {}", ended.err);
    assert_eq!(ended.err.trim_end().lines().count(), 1, "one sentence: {}", ended.err);
    for part in parts {
        assert!(ended.err.contains(part), "{flags:?}: {part:?} is missing in: {}", ended.err);
    }
    scratch.assert_nothing_left();
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    for flag in ["--min-workers", "--max-workers", "--worker-step"] {
        for bad in ["0", "-1", "99999999999", "2.5", "many", ""] {
            refused(&[flag, bad], &[flag, bad, "a whole number from 1 to 4294967295 is expected"]);
        }
    }
    refused(&["--min-workers", "5", "--max-workers", "4"], &["min_workers = 5", "4 or fewer"]);
    let objectives = ["budget:0", "budget:-1", "budget:99999999999", "budget:x", "budget:", "budget:2.5", "cheap", "0"];
    let deadlines = ["deadline:0", "deadline:-1", "deadline:inf", "deadline:nan", "deadline:x", "deadline:"];
    for bad in objectives.into_iter().chain(deadlines) {
        refused(&["--objective", bad], &[bad, "budget:WORKERS (1 or more)", "deadline:SECONDS (above 0)"]);
    }
}

#[test]
fn limits_that_make_no_sense_are_refused_in_a_file_too() {
    let scratch = Scratch::new();
    let file = scratch.path("midrun.toml");
    let name = file.display().to_string();
    for (section, key) in ["run", "analyzer"]
        .into_iter()
        .flat_map(|section| ["min_workers", "max_workers", "worker_step"].map(|key| (section, key)))
    {
        for bad in ["-1", "2.5", "true", "\"3\"", "\"many\"", "99999999999"] {
            std::fs::write(&file, format!("[{section}]\n{key} = {bad}\n")).expect("the file");
            refused(&["--config", &name], &[&format!("{section}.{key}"), bad]);
        }
    }
    std::fs::write(&file, "[run]\nmin_workers = 5\n[analyzer]\nmax_workers = 4\n").expect("the file");
    refused(&["--config", &name], &["min_workers = 5", "4 or fewer"]);
}

#[test]
fn limits_beyond_what_exists_mean_all_there_is() {
    for mpi in Mpi::ALL {
        need!(mpi.is_here(), format!("{mpi:?} is not here"));
        let scratch = Scratch::new();
        let (ended, most) = job(&scratch, mpi, &["--max-workers", "4294967295", "--worker-step", "4294967295"], "2");
        assert_eq!(workers(&most).last(), Some(&8), "{}", ended.err);
        let (ended, least) = job(&scratch, mpi, &["--min-workers", "100"], "2");
        assert_eq!(workers(&least).last(), Some(&8), "{}", ended.err);
        assert!(
            ended.err.contains("the command starts 8 workers: min_workers = 100 means all of them"),
            "{}",
            ended.err
        );
        let (ended, budget) = job(&scratch, mpi, &["--objective", "budget:4294967295"], "2");
        assert_eq!(workers(&budget).last(), Some(&8), "{}", ended.err);
    }
}
