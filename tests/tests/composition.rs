//! Several frameworks in one job, side by side and one inside a task of another.

use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, root, under_midrun};
use serde_json::Value;

fn line(scratch: &Scratch, mpi: Mpi, ranks: u32, mode: &str, iterations: &str) -> Vec<String> {
    let program = mpi.compile_with_midrun(scratch, &root().join("tests/programs/composed.c"));
    let mut line = mpi.line(ranks, &program);
    line.extend([mode.to_owned(), iterations.to_owned()]);
    line
}

/// Asserts that every task of every master came back once and right; returns how many inner frameworks were refused.
fn assert_right(out: &str, iterations: usize) -> u64 {
    let said: Vec<&str> = out.lines().filter(|line| line.starts_with("master")).collect();
    assert_eq!(said.len(), iterations, "{out}");
    assert!(said.iter().all(|line| line.ends_with("status 0 wrong 0")), "{out}");
    let refused = out.lines().find_map(|line| line.strip_prefix("refused ")).expect("a count");
    refused.trim().parse().expect("a number")
}

fn masters(lines: &Value) -> Vec<u64> {
    lines.as_array().expect("a list").iter().filter_map(|line| line["master"].as_u64()).collect()
}

#[each_mpi]
fn two_masters_side_by_side_are_each_tuned_by_their_own_windows(mpi: Mpi) {
    let scratch = Scratch::new();
    let flags = ["--summary", "s.json", "--record", "run.rec"];
    let ended = under_midrun(&scratch, "run", &flags, &line(&scratch, mpi, 6, "disjoint", "12")).succeed();
    assert_eq!(assert_right(&ended.out, 24), 0);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    let instances = &summary.0["instances"];
    assert_eq!(masters(instances), [0, 3]);
    assert_eq!((&instances[0]["iterations"], &instances[1]["iterations"]), (&12.into(), &12.into()));
    assert_eq!((&summary.0["late_tasks"], &summary.0["events_dropped"]), (&0.into(), &0.into()));
    // The second team's first tasks take much longer: that its static split is bad only its own windows show.
    let decided = masters(&summary.0["decisions"]);
    assert!(decided.contains(&3), "{}", summary.0["decisions"]);
    // The recording keeps the masters apart, too.
    let recording = scratch.path("run.rec").display().to_string();
    let replayed = midrun_tests::ask::succeed(&scratch, &["replay", &recording]);
    assert!(replayed.contains("of master 3"), "{replayed}");
}

#[each_mpi]
fn a_worker_is_the_master_of_a_team_of_its_own(mpi: Mpi) {
    let scratch = Scratch::new();
    let flags = ["--summary", "s.json"];
    let ended = under_midrun(&scratch, "run", &flags, &line(&scratch, mpi, 5, "nested", "3")).succeed();
    assert_eq!(assert_right(&ended.out, 3), 0);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(masters(&summary.0["instances"]), [0, 1]);
    assert_eq!((&summary.0["late_tasks"], &summary.0["events_dropped"]), (&0.into(), &0.into()));
}

#[each_mpi]
fn a_worker_runs_a_pipeline(mpi: Mpi) {
    let scratch = Scratch::new();
    let ended = under_midrun(&scratch, "run", &[], &line(&scratch, mpi, 5, "pipe", "2")).succeed();
    assert_eq!(assert_right(&ended.out, 2), 0);
}

#[each_mpi]
fn an_inner_framework_whose_ranks_wait_in_the_outer_one_is_refused_instead_of_waiting_for_ever(mpi: Mpi) {
    let scratch = Scratch::new();
    for mode in ["held", "itself"] {
        let job = Process::start(&scratch, mode, midrun_tests::mpi::command(&line(&scratch, mpi, 5, mode, "1")));
        let ended = job.succeed();
        assert_eq!(assert_right(&ended.out, 1), 48, "each of the tasks");
        if mode == "held" {
            assert!(ended.err.contains("give the inner one a communicator"), "{}", ended.err);
        }
    }
}
