//! Jobs over three emulated hosts by the user's own line.

use std::path::PathBuf;

use midrun_tests::mpi::command;
use midrun_tests::synthetic::assert_whole;
use midrun_tests::{Cluster, Mpi, Process, Scratch, Summary, need, root, run, wait_until};

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

#[test]
fn open_mpi_over_three_hosts_is_tuned_by_the_users_line() {
    need!(Cluster::is_possible(), "no network namespaces");
    need!(Mpi::OpenMpi.is_here(), "Open MPI is not here");
    let scratch = Scratch::new();
    let _cluster = Cluster::up(3, "100mbit");
    let mut launcher = Cluster::open_mpi(&scratch, &[3, 2, 2]);
    launcher.extend(["-x".into(), "XDG_RUNTIME_DIR".into()]);
    let program = Mpi::OpenMpi.example("mw_synthetic").display().to_string();
    job_over_hosts(&scratch, &launcher, &program);
}

#[test]
fn mpich_over_three_hosts_is_tuned_by_the_users_line() {
    need!(Cluster::is_possible(), "no network namespaces");
    // Debian's MPICH 4.0 hangs across hosts; tests/run puts MPICH 5 and the examples built with it here.
    let mpich = root().canonicalize().expect("the root").join("target/mpich5");
    let (launcher, program) = (mpich.join("bin/mpiexec"), mpich.join("examples/mw_synthetic"));
    need!(launcher.is_file() && program.is_file(), "MPICH 5 is not here");
    let scratch = Scratch::new();
    let _cluster = Cluster::up(3, "100mbit");
    let machines = scratch.path("machines");
    std::fs::write(&machines, "h1:3\nh2:2\nh3:2\n").expect("the machine file");
    let line = format!(
        "{} -launcher rsh -launcher-exec {} -f {} -genv UCX_TLS tcp,self -n 7",
        launcher.display(),
        Cluster::script("emuc-rsh").display(),
        machines.display(),
    );
    job_over_hosts(&scratch, &words(&line), &program.display().to_string());
}
