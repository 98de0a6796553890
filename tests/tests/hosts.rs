//! Jobs over three emulated hosts by the user's own line.

use std::path::PathBuf;

use midrun_tests::mpi::command;
use midrun_tests::synthetic::assert_whole;
use midrun_tests::{Cluster, Mpi, Process, Scratch, Summary, each_mpi, need, run, wait_until};

const HOSTS: [&str; 3] = ["h1", "h2", "h3"];

/// Seven ranks over three hosts, so that each has some; `launcher` is the user's own line up to the program.
fn job_over_hosts(scratch: &Scratch, launcher: &[String], program: &str) {
    let mut line = launcher.to_vec();
    line.push(program.into());
    line.extend(words("--tasks 900 --iterations 8 --mean-us 2000 --sigma-pct 80 --bytes 64 --technique none"));
    let file = scratch.path("s.json").display().to_string();
    let run = command(&Cluster::on("h1", &run::words(&["--summary", &file], &line)));
    let ended = Process::start(scratch, "run", run).succeed();
    assert_eq!(assert_whole(&ended).len(), 8);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/ranks"), 7, "{}", ended.err);
    let mut nodes: Vec<&str> = summary.list("nodes").iter().filter_map(|node| node.as_str()).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, HOSTS, "each host had an agent");
    assert_eq!(summary.count("/iterations"), 8);
    assert!(summary.count("/actions/applied") >= 1, "{}", ended.err);
    wait_until("the agents of the other hosts have ended", || left(scratch).is_empty());
}

fn left(scratch: &Scratch) -> Vec<PathBuf> {
    let directory = scratch.path("run/midrun");
    std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

#[each_mpi]
fn a_job_over_three_hosts_is_tuned_by_the_users_line(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = Cluster::line(&scratch, mpi, &[3, 2, 2], "mw_synthetic");
    need!(line.is_some(), "the MPI is not here");
    let _cluster = Cluster::up(3, "100mbit");
    let (launcher, program) = line.expect("it is here");
    job_over_hosts(&scratch, &launcher, &program.display().to_string());
}
