//! Jobs over three emulated hosts by the user's own line.

use std::path::PathBuf;

use midrun_tests::allreduce_choice::the_same_on_all;
use midrun_tests::ask;
use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::synthetic::{assert_whole, end, wait_for_iterations};
use midrun_tests::{
    Analyzer, Cluster, Mpi, Process, Scratch, Summary, each_mpi, midrun, need, ranks, root, run, wait_until,
};

const HOSTS: [&str; 3] = ["h1", "h2", "h3"];

/// Seven ranks over three hosts, so that each has some; `launcher` is the user's own line up to the program.
fn job_over_hosts(scratch: &Scratch, launcher: &[String], program: &str) {
    let mut line = launcher.to_vec();
    line.push(program.into());
    line.extend(words(
        "--tasks 900 --iterations 8 --mean-us 2000 --dist linear --sigma-pct 50 --bytes 64 --technique none",
    ));
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
    line.extend(words("--tasks 600 --iterations 12 --mean-us 2000 --dist linear --sigma-pct 50 --technique none"));
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

/// A job over three hosts by `midrun run FLAGS`, whose ranks sum by one of three algorithms until they are told to stop.
struct Choice {
    scratch: Scratch,
    cluster: Cluster,
    job: Process,
}

impl Choice {
    /// `None` where the MPI is not here, or no hosts can be.
    fn start(mpi: Mpi, flags: &[&str]) -> Option<Choice> {
        Choice::with(mpi, flags, 0)
    }

    /// The same with so many agents that are linked directly; 0: as many as usual.
    fn with(mpi: Mpi, flags: &[&str], direct_agents: u32) -> Option<Choice> {
        let scratch = Scratch::new();
        let line = Cluster::line(&scratch, mpi, &SLOTS, "allreduce_choice")?;
        Some(Choice::of(scratch, line, flags, direct_agents))
    }

    fn of(scratch: Scratch, (mut line, program): (Vec<String>, PathBuf), flags: &[&str], direct_agents: u32) -> Choice {
        line.push(program.display().to_string());
        line.extend(words("--iterations 1000000 --delay-us 20000"));
        let cluster = Cluster::up(3, "100mbit");
        let mut run = command(&Cluster::on("h1", &run::words(flags, &line)));
        run.env("MIDRUN_CFG_ANALYZER__DIRECT_AGENTS", direct_agents.to_string());
        let job = Process::start(&scratch, "run", run);
        let mut choice = Choice { scratch, cluster, job };
        wait_until("every rank offers its points", || {
            assert!(choice.job.is_running(), "the job ended too early: {}", choice.job.err());
            let (code, text) = choice.ask(&["status", "--json"]);
            let status: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            let points = status["tuning_points"].as_array().into_iter().flatten();
            code == 0 && points.filter(|point| point["name"] == "algorithm").count() == RANKS
        });
        choice
    }

    /// Exit code and output of `midrun WORDS` on the first host.
    fn ask(&self, words: &[&str]) -> (i32, String) {
        let mut line = vec![midrun().display().to_string()];
        line.extend(words.iter().map(|word| (*word).to_owned()));
        let output = command(&Cluster::on("h1", &line)).envs(self.scratch.environment()).output().expect("midrun");
        let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
        (output.status.code().expect("an exit code"), text)
    }

    fn set(&self, point: &str, value: usize) -> (i32, String) {
        self.ask(&["set", point, &value.to_string(), "--synchronized"])
    }

    /// Changes the algorithm on all ranks, if need be by several attempts.
    fn change(&self, value: usize) {
        wait_until("a change is applied on all ranks", || {
            let (code, text) = self.set("algorithm", value);
            code == 0 && text.contains("applied on ranks 0-6 at iteration ")
        });
    }

    /// Has all ranks end their loop before the same iteration; the changes (algorithm, iteration) that each rank made.
    fn stop(mut self) -> Vec<(usize, u64)> {
        wait_until("the job takes the stop over", || {
            self.set("stop", 1);
            !self.job.is_running()
        });
        the_same_on_all(&self.job.succeed().out, RANKS as u32)
    }
}

const RANKS: usize = 7;
const SLOTS: [u32; 3] = [3, 2, 2];

#[each_mpi]
fn ranks_on_three_hosts_change_in_the_same_iterations_also_where_an_agent_is_stopped_meanwhile(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let choice = Choice::start(mpi, &["--synchronized"]);
    need!(choice.is_some(), "the MPI is not here");
    let choice = choice.expect("it is here");
    let mut applied = Vec::new();
    for n in 1..=9 {
        let (code, text) = choice.set("algorithm", n % 3);
        if code == 0 {
            applied.push(n % 3);
            assert!(text.contains("applied on ranks 0-6 at iteration "), "{mpi:?}: {text}");
        }
    }
    assert!(applied.len() >= 6, "{mpi:?}: {} of 9 were applied: {}", applied.len(), choice.job.err());
    // The agent of the third host hears and says nothing from some moment of a change on: its ranks decide by themselves.
    let on_h3 = |pid: &i32| choice.cluster.runs_on("h3", *pid);
    let agent = ranks::agents(&choice.scratch).into_iter().find(on_h3).expect("an agent of the third host");
    for n in 0..4 {
        let before = choice.job.err().matches("pre-committed for iteration").count();
        let mut line = vec![midrun().display().to_string()];
        line.extend(["set", "algorithm", &(n % 3).to_string(), "--synchronized"].map(String::from));
        let mut asked = Process::start(&choice.scratch, "set", command(&Cluster::on("h1", &line)));
        wait_until("it is pre-committed", || {
            choice.job.err().matches("pre-committed for iteration").count() > before || !asked.is_running()
        });
        signal(agent, libc::SIGSTOP);
        let printed = |choice: &Choice| choice.job.out().matches("iteration ").count();
        let now = printed(&choice);
        wait_until("the ranks go on", || printed(&choice) > now + RANKS);
        signal(agent, libc::SIGCONT);
        asked.wait();
    }
    let changes: Vec<usize> = choice.stop().into_iter().map(|(algorithm, _)| algorithm).collect();
    assert!(changes.starts_with(&applied), "{mpi:?}: {changes:?} {applied:?}");
}

#[test]
fn ranks_of_open_mpi_5_on_three_hosts_change_in_the_same_iterations() {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = Cluster::open_mpi_5(&scratch, &SLOTS, "allreduce_choice");
    need!(line.is_some(), "no Open MPI v5 in target/openmpi5");
    let choice = Choice::of(scratch, line.expect("it is here"), &["--synchronized"], 0);
    choice.change(1);
    choice.change(2);
    let changes: Vec<usize> = choice.stop().into_iter().map(|(algorithm, _)| algorithm).collect();
    assert_eq!(changes, [1, 2]);
}

/// Command line of the synthetic farm with these options on hosts with so many ranks each; `None` without that MPI.
fn synthetic(scratch: &Scratch, mpi: Mpi, slots: &[u32], options: &str) -> Option<Vec<String>> {
    let (mut line, program) = Cluster::line(scratch, mpi, slots, "mw_synthetic")?;
    line.push(program.display().to_string());
    line.extend(words(options));
    Some(line)
}

fn signal(pid: i32, signal: i32) {
    // SAFETY: a process that this test has started.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0, "process {pid}");
}

/// Whether a process has accepted a connection at a port of its own.
fn carries(pid: &i32) -> bool {
    let own: Vec<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|fd| {
            std::fs::read_link(fd.path()).ok()?.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned)
        })
        .collect();
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).unwrap_or_default();
    // proc_net_tcp: local address, remote address and state are columns 2 to 4, the inode is column 10.
    let rows = table.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|row| row.get(9).is_some_and(|inode| own.iter().any(|own| own == inode))).collect();
    let port = |row: &[&str]| row[1].rsplit(':').next().map(str::to_owned);
    let listens = rows.iter().filter(|row| row[3] == "0A").filter_map(|row| port(row));
    listens.into_iter().any(|open| rows.iter().any(|row| row[3] == "01" && port(row).as_deref() == Some(&open)))
}

#[each_mpi]
fn an_agent_that_carries_another_hosts_agent_is_replaced_when_it_freezes_and_changes_reach_all_ranks(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let choice = Choice::with(mpi, &["--synchronized"], 1);
    need!(choice.is_some(), "the MPI is not here");
    let choice = choice.expect("it is here");
    let carrying = || ranks::agents(&choice.scratch).into_iter().find(carries);
    wait_until("an agent carries the other one", || carrying().is_some());
    choice.change(1);
    let (parent, lost) = (carrying().expect("it runs"), choice.job.err().matches("is not connected any more").count());
    signal(parent, libc::SIGSTOP);
    let child = ["h2", "h3"].into_iter().find(|host| !choice.cluster.runs_on(host, parent)).expect("another host");
    wait_until("the other one has found another way", || {
        choice.job.err().contains(&format!("the agent on {child} is back"))
    });
    signal(parent, libc::SIGCONT);
    choice.change(2);
    assert!(choice.job.err().matches("is not connected any more").count() > lost, "{}", choice.job.err());
    let changes: Vec<usize> = choice.stop().into_iter().map(|(algorithm, _)| algorithm).collect();
    assert!(changes.contains(&1) && changes.contains(&2), "{mpi:?}: {changes:?}");
}

#[each_mpi]
fn an_agent_that_is_killed_takes_none_of_those_that_it_carries_with_it_and_no_record_of_theirs_counts_twice(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = synthetic(
        &scratch,
        mpi,
        &[2, 2, 2],
        "--tasks 300 --iterations 100000 --mean-us 2000 --sigma-pct 80 --technique none --until",
    );
    need!(line.is_some(), "the MPI is not here");
    let mut line = line.expect("it is here");
    line.push(scratch.path("end").display().to_string());
    let cluster = Cluster::up(3, "100mbit");
    let summary = scratch.path("s.json").display().to_string();
    let mut run = command(&Cluster::on("h1", &run::words(&["--summary", &summary], &line)));
    run.env("MIDRUN_CFG_ANALYZER__DIRECT_AGENTS", "1");
    let mut job = Process::start(&scratch, "run", run);
    let carrying = || ranks::agents(&scratch).into_iter().find(carries);
    wait_until("an agent carries the other one", || carrying().is_some());
    wait_for_iterations(&mut job, 3);
    let parent = carrying().expect("it runs");
    let hosts = if cluster.runs_on("h2", parent) { ["h2", "h3"] } else { ["h3", "h2"] };
    signal(parent, libc::SIGKILL);
    wait_until("the other one has found another way", || {
        job.err().contains(&format!("the agent on {} is back", hosts[1]))
    });
    wait_for_iterations(&mut job, 3);
    end(&scratch);
    let ended = job.succeed();
    let iterations = assert_whole(&ended).len();
    let summary = Summary::read(&scratch.path("s.json"));
    // No more was collected than was produced, and no iteration is missing or there twice.
    summary.assert_contract();
    assert_eq!(summary.count("/iterations"), iterations as u64, "{}", ended.err);
}

#[each_mpi]
fn a_job_whose_analyzers_host_dies_goes_on_and_says_that_its_summary_is_lost(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = synthetic(
        &scratch,
        mpi,
        &[2, 2],
        "--tasks 100 --iterations 100000 --mean-us 2000 --sigma-pct 80 --technique none --until",
    );
    need!(line.is_some(), "the MPI is not here");
    let mut line = line.expect("it is here");
    line.push(scratch.path("end").display().to_string());
    let site = scratch.path("site");
    ask::succeed(&scratch, &["certificates", &site.display().to_string(), "10.77.0.3"]);
    let file = |name: &str| site.join(name).display().to_string();
    let cluster = Cluster::up(3, "100mbit");
    let mut standing = command(&Cluster::on("h3", &[midrun().display().to_string()]));
    standing.env("MIDRUN_CFG_ANALYZER__TOKEN", "the site's");
    for (key, name) in [("CA", "ca.pem"), ("CERT", "analyzer.pem"), ("KEY", "analyzer.key")] {
        standing.env(format!("MIDRUN_CFG_ANALYZER__TLS_{key}"), file(name));
    }
    let analyzer = Analyzer::run(&scratch, "analyzer", standing, "10.77.0.3:0");
    let (url, summary) = (analyzer.url.replace("http://", "https://"), scratch.path("s.json").display().to_string());
    let [ca, cert, key] = ["ca.pem", "client.pem", "client.key"].map(file);
    let flags = ["--analyzer", &url, "--tls-ca", &ca, "--tls-cert", &cert, "--tls-key", &key, "--summary", &summary];
    let mut run = command(&Cluster::on("h1", &run::words(&flags, &line)));
    run.env("MIDRUN_TOKEN", "the site's");
    let mut job = Process::start(&scratch, "run", run);
    wait_for_iterations(&mut job, 3);
    cluster.kill("h3");
    wait_until("it is said", || job.err().contains("does not answer any more"));
    wait_for_iterations(&mut job, 3);
    end(&scratch);
    let ended = job.succeed();
    assert_whole(&ended);
    assert!(Summary::read(&scratch.path("s.json")).0["lost"].is_string(), "{}", ended.err);
    wait_until("the agents of the other hosts have ended", || left(&scratch).is_empty());
}

/// A short job with three ranks on one host and two on another.
fn on_two_hosts(scratch: &Scratch, mpi: Mpi) -> Option<Vec<String>> {
    synthetic(
        scratch,
        mpi,
        &[3, 2],
        "--tasks 300 --iterations 8 --mean-us 2000 --dist linear --sigma-pct 50 --technique none",
    )
}

/// Runs it to its end under midrun: it is whole, and so is its summary.
fn run_whole(scratch: &Scratch, line: &[String]) -> (Ended, Summary) {
    let file = scratch.path("s.json");
    let words = run::words(&["--summary", &file.display().to_string()], line);
    let ended = Process::start(scratch, "run", command(&Cluster::on("h1", &words))).succeed();
    assert_eq!(assert_whole(&ended).len(), 8);
    let summary = Summary::read(&file);
    summary.assert_contract();
    (ended, summary)
}

#[each_mpi]
fn ranks_on_a_host_without_midrun_run_untuned_which_is_said_and_counted(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = on_two_hosts(&scratch, mpi);
    need!(line.is_some(), "the MPI is not here");
    let _cluster = Cluster::up(2, "100mbit");
    // Emulated hosts share all directories: the second one shall see neither midrun nor the agents of the first.
    for hidden in [midrun().with_file_name(""), scratch.path("run")] {
        let mount = ["mount", "-t", "tmpfs", "none", &hidden.display().to_string()];
        assert!(Cluster::ask("h2", &mount).is_some(), "{}", hidden.display());
    }
    let (ended, summary) = run_whole(&scratch, &line.expect("it is here"));
    assert_eq!(ended.err.matches("on h2, so the program runs untuned there").count(), 2, "{}", ended.err);
    assert_eq!((summary.count("/ranks"), summary.count("/unseen_ranks")), (3, 2), "{}", ended.err);
    assert!(ended.err.contains("2 ranks ran untuned, since no agent saw them"), "{}", ended.err);
}

#[each_mpi]
fn ranks_on_a_host_with_another_version_of_midrun_run_untuned_which_is_counted(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = on_two_hosts(&scratch, mpi);
    need!(line.is_some(), "the MPI is not here");
    let _cluster = Cluster::up(2, "100mbit");
    let other = mpi.another_version(&scratch).join("libmidrun.so").display().to_string();
    let own = mpi.library().canonicalize().expect("libmidrun").display().to_string();
    assert!(Cluster::ask("h2", &["mount", "--bind", &other, &own]).is_some(), "{own}");
    let (ended, summary) = run_whole(&scratch, &line.expect("it is here"));
    let counts = (summary.count("/ranks"), summary.count("/unseen_ranks"), summary.count("/iterations"));
    assert_eq!(counts, (3, 2, 8), "{}", ended.err);
    assert!(ended.err.contains("2 ranks ran untuned, since no agent saw them"), "{}", ended.err);
    // The reason stands once in the log of the agent there, which waits for a first rank for a while.
    let log = || left(&scratch).iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect::<String>();
    assert_eq!(log().matches("of another version of midrun").count(), 1, "{}", log());
}

#[each_mpi]
fn ranks_on_several_hosts_are_refused_a_synchronized_change_with_the_option_that_it_needs(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let choice = Choice::start(mpi, &[]);
    need!(choice.is_some(), "the MPI is not here");
    let choice = choice.expect("it is here");
    let (code, text) = choice.set("algorithm", 1);
    assert!(code != 0 && text.contains("share no register") && text.contains("--synchronized"), "{mpi:?}: {text}");
    assert!(choice.job.out().lines().all(|line| !line.contains(": algorithm ")), "{mpi:?}: {}", choice.job.out());
}

/// The test's program that shows in its results by which algorithm MPI reduced, compiled for the MPI that works across hosts.
fn controls(mpi: Mpi, scratch: &Scratch, launcher: &[String]) -> PathBuf {
    let program = scratch.path("program");
    let compiler = match mpi {
        Mpi::OpenMpi => PathBuf::from("mpicc.openmpi"),
        Mpi::Mpich => PathBuf::from(&launcher[0]).with_file_name("mpicc"),
    };
    let source = root().join("tests/programs/controls.c");
    let built = std::process::Command::new(compiler).arg(source).arg("-o").arg(&program).status();
    assert!(built.is_ok_and(|status| status.success()), "{mpi:?} compiles controls.c");
    program
}

#[each_mpi]
fn mpis_algorithm_in_a_program_with_a_points_file_is_searched_on_all_ranks_of_three_hosts(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = Cluster::line(&scratch, mpi, &[2, 1, 1], "allreduce_choice");
    need!(line.is_some(), "the MPI is not here");
    let (mut line, _) = line.expect("it is here");
    let program = controls(mpi, &scratch, &line);
    let _cluster = Cluster::up(3, "100mbit");
    let (name, values) = match mpi {
        Mpi::OpenMpi => ("coll_tuned_allreduce_algorithm", "2,4"),
        Mpi::Mpich => ("MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM", "3,4"),
    };
    let points = format!("iteration mpi MPI_Bcast every 1\ntune algorithm control {name} 0..5\n");
    std::fs::write(scratch.path("points"), points).expect("a file");
    line.push(program.display().to_string());
    line.extend([scratch.path("stop").display().to_string(), "400".into()]);
    let (points, summary) =
        (scratch.path("points").display().to_string(), scratch.path("s.json").display().to_string());
    let search = format!("algorithm={values} categorical synchronized");
    let flags = ["--synchronized", "--points", &points, "--search", &search, "--search-budget", "12", "--no-memory"];
    let flags = [&flags[..], &["--summary", &summary]].concat();
    let mut run = command(&Cluster::on("h1", &run::words(&flags, &line)));
    run.env("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    let ended = Process::start(&scratch, "run", run).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    let report = &summary.0["search"];
    assert_eq!(report["trouble"], serde_json::Value::Null, "{mpi:?}: {report} {}", ended.err);
    let tried = report["tried"].as_array().expect("a list");
    assert!(!tried.is_empty(), "{mpi:?}: {report} {}", ended.err);
    let applied = summary.list("decisions").iter().filter(|decision| decision["applied_iteration"].is_u64()).count();
    assert!(applied >= 1, "{mpi:?}: {}", ended.err);
    // The program computed by other algorithms, or its collectives had failed had ranks differed.
    assert!(ended.out.matches("iteration ").count() >= 2, "{mpi:?}: {}", ended.out);
}

/// Processors that a process may use, as the kernel writes them.
fn processors(pid: i32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.unwrap_or_default().trim().to_owned()
}

#[each_mpi]
fn an_agent_may_use_the_processors_of_the_job_though_its_ranks_are_bound_to_one(mpi: Mpi) {
    need!(Cluster::is_possible(), "no network namespaces");
    let all = processors(std::process::id() as i32);
    need!(all != "0" && all.starts_with('0'), "a second processor is missing");
    let scratch = Scratch::new();
    let found = Cluster::line(&scratch, mpi, &[2, 2], "mw_synthetic");
    need!(found.is_some(), "the MPI is not here");
    let _cluster = Cluster::up(2, "100mbit");
    let (mut line, program) = found.expect("it is here");
    // As a launcher binds a rank: before `midrun exec` runs.
    line.extend(["taskset", "-c", "0"].map(String::from));
    line.extend([midrun().display().to_string(), "exec".into(), program.display().to_string()]);
    line.extend(words("--tasks 100 --iterations 100000 --mean-us 2000 --technique none --until"));
    line.push(scratch.path("end").display().to_string());
    let run =
        command(&Cluster::on("h1", &run::words(&["--summary", &scratch.path("s.json").display().to_string()], &line)));
    let mut job = Process::start(&scratch, "run", run);
    wait_for_iterations(&mut job, 3);
    let agents = ranks::agents(&scratch);
    assert_eq!(agents.len(), 1, "that of the second host: {}", job.err());
    // An agent has the variables of the rank that started it.
    let bound = ranks::of_job(&scratch).into_iter().filter(|(_, pid)| !agents.contains(pid));
    for (rank, pid) in bound {
        assert_eq!(processors(pid), "0", "rank {rank}");
    }
    assert_eq!(processors(agents[0]), all, "{}", job.err());
    end(&scratch);
    assert_whole(&job.succeed());
}
