//! Jobs over three emulated hosts by the user's own line.

use std::path::PathBuf;

use midrun_tests::mpi::command;
use midrun_tests::synthetic::assert_whole;
use midrun_tests::{Cluster, Mpi, Process, Scratch, Summary, each_mpi, midrun, need, run, wait_until};

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

/// Whether a process can have a clock of its own.
fn own_clocks() -> bool {
    let line = ["--time", "--monotonic", "10", "--boottime", "10", "--fork", "true"];
    std::process::Command::new("unshare").args(line).output().is_ok_and(|output| output.status.success())
}

#[each_mpi]
fn records_of_hosts_whose_clocks_are_apart_come_in_order_and_latencies_carry_their_error(mpi: Mpi) {
    const APART_S: f64 = 90_000.0;
    need!(Cluster::is_possible() && own_clocks(), "no network or time namespaces");
    let scratch = Scratch::new();
    let found = Cluster::line(&scratch, mpi, &[3, 2], "mw_synthetic");
    need!(found.is_some(), "the MPI is not here");
    let _cluster = Cluster::with_clocks(2, "100mbit", "h2:90000");
    // Rank 0, the master, is on h2, whose clock is ahead; midrun run and three workers are on h1.
    let (mut line, program) = found.expect("it is here");
    let (file, text) = match mpi {
        Mpi::OpenMpi => ("hosts", "h2 slots=2\nh1 slots=3\n"),
        Mpi::Mpich => ("machines", "h2:2\nh1:3\n"),
    };
    std::fs::write(scratch.path(file), text).expect("the list of hosts");
    line.push(program.display().to_string());
    line.extend(words("--tasks 600 --iterations 12 --mean-us 2000 --sigma-pct 80 --technique none"));
    let (file, recording) =
        (scratch.path("s.json").display().to_string(), scratch.path("run.rec").display().to_string());
    let flags = ["--summary", &file, "--record", &recording];
    let ended = Process::start(&scratch, "run", command(&Cluster::on("h1", &run::words(&flags, &line)))).succeed();
    assert_eq!(assert_whole(&ended).len(), 12);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();

    // By what the hosts' clocks really are apart.
    let clocks = summary.list("clocks");
    let of = |node: &str, key: &str| {
        clocks.iter().find(|clock| clock["node"] == node).and_then(|clock| clock[key].as_f64()).expect("its clock")
    };
    for (node, offset_s) in [("h1", 0.0), ("h2", -APART_S)] {
        let error_s = of(node, "error_s");
        assert!((of(node, "offset_s") - offset_s).abs() <= error_s + 1e-6, "{node}: {clocks:?}");
        assert!(error_s > 0.0 && error_s < 0.5, "{node}: {clocks:?}");
        assert!(of(node, "drift_ppm").abs() <= of(node, "drift_error_ppm"), "{node}: {clocks:?}");
    }
    assert!(ended.err.contains("clocks of 2 hosts"), "{}", ended.err);

    let milliseconds = |key: &str| {
        let list = summary.0["actions"][key].as_array().expect("a list").iter();
        list.map(|ms| ms.as_f64().expect("milliseconds")).collect::<Vec<_>>()
    };
    let (latencies, errors) = (milliseconds("latency_ms"), milliseconds("latency_error_ms"));
    let wall_ms = summary.0["wall_s"].as_f64().expect("seconds") * 1e3;
    assert!(!latencies.is_empty() && latencies.len() == errors.len(), "{}", summary.0["actions"]);
    for (latency, error) in latencies.iter().zip(&errors) {
        assert!(*error > 0.0 && *latency - error < wall_ms, "{latency} +- {error} ms of {wall_ms} ms");
    }

    // Each worker's tasks lie within their iteration, which is the master's, also in the first one.
    let export = vec![midrun().display().to_string(), "export".into(), "--format".into(), "csv".into(), recording];
    let output = command(&export).envs(scratch.environment()).output().expect("midrun");
    let table = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let times = |row: &[&str]| (row[3].parse::<f64>().expect("a time"), row[4].parse::<f64>().expect("a time"));
    let slack_s = 2.0 * (of("h1", "error_s") + of("h2", "error_s")) + 0.01;
    let mut checked = 0;
    for iteration in rows.iter().filter(|row| row[1] == "iteration") {
        let (begin, end) = times(iteration);
        for work in rows.iter().filter(|row| row[1] == "tasks" && row[2] == iteration[2]) {
            let (first, last) = times(work);
            assert!(first >= begin - slack_s && last <= end + slack_s, "{work:?} in {iteration:?}, +- {slack_s} s");
            checked += 1;
        }
    }
    assert!(checked >= 4 * 10, "work of four workers in most iterations: {table}");
}
