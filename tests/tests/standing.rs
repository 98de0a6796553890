//! Standing agents serve the jobs of `midrun run`: real agents, real jobs, under each MPI.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use midrun_tests::ask::status;
use midrun_tests::mpi::command;
use midrun_tests::other_users::{SECOND_USER, rank, second_user};
use midrun_tests::synthetic::{self, assert_whole};
use midrun_tests::{Agent, Analyzer, Cluster, Mpi, Process, Scratch, Summary, each_mpi, midrun, need, run, wait_until};

/// Tasks of 50 ms for each of four workers: the tunlet has reason to change the technique.
const JOB: &str = "--tasks 100 --mean-us 2000 --sigma-pct 60 --technique none";
/// What the log of a standing agent says of a job that it takes.
const SERVING: &str = "serving a job";

/// A site's analyzer and its standing agent.
fn daemons(scratch: &Scratch) -> (Analyzer, Agent) {
    let site = Analyzer::start(scratch);
    let agent = Agent::start(scratch, &site.url);
    (site, agent)
}

/// An endless job whose owner names the agent at `socket`.
fn start(scratch: &Scratch, mpi: Mpi, socket: &Path, flags: &[&str]) -> Process {
    let flags = [&["--summary", "s.json"], flags].concat();
    let mut job = run::command(scratch, &flags, &synthetic::endless_line(scratch, mpi, 5, JOB));
    job.env("MIDRUN_CFG_RUN__AGENT", socket);
    Process::start(scratch, "job", job)
}

fn wait_until_measured(scratch: &Scratch, more: u64) {
    let mut begin = None;
    wait_until("the analyzer measures", || {
        let now = status(scratch, &[]).and_then(|status| status["iterations"].as_u64());
        begin = begin.or(now);
        now.zip(begin).is_some_and(|(now, begin)| now >= begin + more)
    });
}

fn end(scratch: &Scratch, job: Process) -> (String, Summary) {
    synthetic::end(scratch);
    let ended = job.succeed();
    assert_whole(&ended);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/ranks"), 5, "{}", ended.err);
    scratch.assert_nothing_left();
    (ended.err, summary)
}

/// Where the job's ranks attach: what its socket in the runtime directory leads to.
fn attached_to(scratch: &Scratch) -> Option<PathBuf> {
    let socket = scratch.left().into_iter().find(|path| path.extension().is_some_and(|end| end == "sock"))?;
    std::fs::read_link(socket).ok()
}

/// Sockets of jobs beside that of the test's agent.
fn sockets(scratch: &Scratch) -> usize {
    let entries = std::fs::read_dir(scratch.directory()).expect("the directory").flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "sock")).count() - 1
}

#[each_mpi]
fn a_standing_agent_serves_a_job_that_has_its_own_analyzer(mpi: Mpi) {
    let scratch = Scratch::new();
    let (site, agent) = daemons(&scratch);
    let job = start(&scratch, mpi, &agent.socket, &["--dry-run"]);
    wait_until_measured(&scratch, 6);
    let attached = attached_to(&scratch).expect("the socket of the standing agent");
    assert_eq!(attached.parent(), Some(scratch.directory()), "{mpi:?}");
    assert_eq!(agent.process.err().matches(SERVING).count(), 1, "{}", agent.process.err());
    let (_, summary) = end(&scratch, job);
    assert_eq!(summary.count("/actions/sent"), 0, "{mpi:?}: {}", summary.0);
    assert!(summary.count("/iterations") >= 6 && summary.list("decisions").iter().all(|d| d["verdict"] == "advised"));
    wait_until("the job's socket has gone", || sockets(&scratch) == 0);
    // The site's analyzer has heard nothing of it.
    let name = summary.0["job"].as_str().expect("a name").to_owned();
    assert!(!site.process.err().contains(&name), "{}", site.process.err());
}

#[each_mpi]
fn a_standing_agent_tunes_a_job_of_the_sites_analyzer_as_its_owner_says(mpi: Mpi) {
    let scratch = Scratch::new();
    let (site, agent) = daemons(&scratch);
    let flags = ["--analyzer", &site.url, "--technique", "gss", "--max-workers", "2", "--objective", "time"];
    let job = start(&scratch, mpi, &agent.socket, &flags);
    wait_until("the owner's technique and limit are in force", || {
        let status = status(&scratch, &[]).unwrap_or_default();
        let points = status["tuning_points"].as_array().cloned().unwrap_or_default();
        let is = |name: &str, key: &str, value: serde_json::Value| {
            points.iter().any(|point| point["name"] == name && point[key] == value)
        };
        is("mw.technique", "means", "gss".into()) && is("mw.workers", "value", 2.0.into())
    });
    assert!(agent.process.err().contains(SERVING), "{}", agent.process.err());
    let (_, summary) = end(&scratch, job);
    assert!(summary.count("/actions/applied") >= 1, "{mpi:?}: {}", summary.0);
    let others = summary.list("decisions");
    let others = others.iter().filter(|decision| decision["tuning_point"] == "mw.technique" && decision["to"] != "gss");
    assert_eq!(others.count(), 0, "{mpi:?}: {}", summary.0);
}

#[each_mpi]
fn when_the_standing_agent_is_killed_midrun_run_takes_over(mpi: Mpi) {
    let scratch = Scratch::new();
    let (_site, agent) = daemons(&scratch);
    let job = start(&scratch, mpi, &agent.socket, &["--dry-run"]);
    wait_until_measured(&scratch, 2);
    agent.process.signal(libc::SIGKILL);
    agent.process.wait();
    wait_until("an agent of the job's own is there", || job.err().contains("goes on with an agent of its own"));
    wait_until_measured(&scratch, 4);
    let (_, summary) = end(&scratch, job);
    assert_eq!(summary.count("/actions/sent"), 0, "the owner's word holds, {mpi:?}: {}", summary.0);
}

#[each_mpi]
fn a_standing_agent_that_is_stopped_or_of_another_version_is_passed_over(mpi: Mpi) {
    let scratch = Scratch::new();
    let (_site, agent) = daemons(&scratch);
    agent.process.signal(libc::SIGSTOP);
    // An older one does not know what is asked, and closes the connection; the first word that it takes is the whole difference.
    let path = scratch.path("old.sock");
    let old = UnixListener::bind(&path).expect("a socket");
    std::thread::spawn(move || old.incoming().for_each(drop));
    for (socket, why) in [(&agent.socket, "does not answer within"), (&path, "may be of another version")] {
        let job = start(&scratch, mpi, socket, &[]);
        wait_until_measured(&scratch, 3);
        assert_eq!(attached_to(&scratch), None, "{mpi:?}: an agent of its own");
        let (said, _) = end(&scratch, job);
        assert!(said.contains(why) && said.contains("the job has an agent of its own"), "{mpi:?}: {said}");
        assert!(!said.contains("untuned"), "{mpi:?}: {said}");
        std::fs::remove_file(scratch.path("end")).expect("the mark");
    }
    agent.process.signal(libc::SIGCONT);
    wait_until("it finds that the job is served", || agent.process.err().contains("a job is not served"));
    assert!(sockets(&scratch) == 1 && !agent.process.err().contains(SERVING), "{}", agent.process.err());
}

#[test]
fn roots_standing_agent_serves_the_job_of_a_user_to_that_user_alone() {
    need!(second_user(), "a second user needs root and setpriv");
    let scratch = Scratch::new();
    let mode = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("its mode");
    mode(scratch.directory(), 0o777);
    mode(&scratch.path("run"), 0o777);
    let program = scratch.path("midrun");
    std::fs::copy(midrun(), &program).expect("a copy");
    let site = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &site.url);
    wait_until("every user may connect", || {
        agent.socket.metadata().is_ok_and(|socket| socket.permissions().mode() & 0o777 == 0o666)
    });
    // A program that is no MPI program stands for any: the job runs until it is told to end.
    let wait = format!("until [ -e {} ]; do sleep 0.05; done", scratch.path("end").display());
    let line: Vec<String> = ["setpriv"].iter().chain(&SECOND_USER).map(|word| (*word).to_owned()).collect();
    let midrun_words = ["run", "--mpi", "mpich", "--", "sh", "-c", &wait];
    let mut words = line.clone();
    words.push(program.display().to_string());
    words.extend(midrun_words.map(str::to_owned));
    let mut run = command(&words);
    run.env("MIDRUN_CFG_RUN__AGENT", &agent.socket)
        .env("MIDRUN_CFG_RUN__LIBRARY_DIR", midrun_tests::prefix().join("lib/midrun"));
    run.current_dir(scratch.directory());
    let job = Process::start(&scratch, "job", run);
    wait_until("the agent serves the job", || agent.process.err().contains(SERVING));
    let socket = attached_to(&scratch).expect("the socket of the standing agent");
    let name = socket.file_stem().expect("a name").to_string_lossy().into_owned();
    let name = name.strip_prefix("65534-").expect("the user's").to_owned();
    let _others = [rank(&socket, 0, &name), rank(&socket, 65533, &name)];
    wait_until("both are turned away", || {
        let said = agent.process.err();
        [0, 65533].iter().all(|uid| said.contains(&format!("it belongs to user {uid}, not to 65534")))
    });
    let _own = rank(&socket, 65534, &name);
    // The other user's `midrun status` sees its rank, under the name that the job has.
    let mut seen = String::new();
    wait_until("the user's own rank is there", || {
        let mut words = line.clone();
        words.extend([program.display().to_string(), "status".into(), "--json".into()]);
        let output = command(&words).envs(scratch.environment()).output().expect("midrun");
        seen = String::from_utf8_lossy(&output.stdout).into_owned();
        seen.contains("\"ranks\":[{")
    });
    assert!(seen.contains(&name) && !site.process.err().contains(&name), "{seen}");
    synthetic::end(&scratch);
    job.succeed();
    wait_until("its socket has gone", || !socket.exists());
}

#[test]
fn on_other_hosts_a_standing_agent_is_used_where_there_is_one() {
    need!(Cluster::is_possible(), "no network namespaces");
    need!(Mpi::OpenMpi.is_here(), "Open MPI is not here");
    let scratch = Scratch::new();
    let _cluster = Cluster::up(3, "100mbit");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let directory = scratch.path("site");
    std::fs::create_dir(&directory).expect("a directory");
    let site = Analyzer::start(&scratch);
    let socket = directory.join("agent.sock");
    // Each host has a directory of its own at this path; the third one has no agent there.
    let mut agents = Vec::new();
    for host in ["h1", "h2", "h3"] {
        let mount = Cluster::on(host, &words(&format!("mount -t tmpfs none {}", directory.display())));
        assert!(command(&mount).status().expect("mount").success());
        if host != "h3" {
            let line = format!("{} agent --analyzer {} --socket {}", midrun().display(), site.url, socket.display());
            agents.push(Process::start(&scratch, &format!("agent-{host}"), command(&Cluster::on(host, &words(&line)))));
        }
    }
    wait_until("the agents listen", || {
        let listens = |host| {
            let test = Cluster::on(host, &words(&format!("test -S {}", socket.display())));
            command(&test).status().is_ok_and(|status| status.success())
        };
        listens("h1") && listens("h2")
    });
    let mut line = Cluster::open_mpi(&scratch, &[3, 2, 2]);
    line.extend(["-x".into(), "XDG_RUNTIME_DIR".into()]);
    line.push(Mpi::OpenMpi.example("mw_synthetic").display().to_string());
    line.extend(words(&format!("{JOB} --until {}", scratch.path("end").display())));
    let file = scratch.path("s.json").display().to_string();
    let mut run = command(&Cluster::on("h1", &run::words(&["--summary", &file], &line)));
    run.env("MIDRUN_CFG_RUN__AGENT", &socket);
    let job = Process::start(&scratch, "job", run);
    wait_until("both agents serve the job", || agents.iter().all(|agent| agent.err().contains(SERVING)));
    wait_until("the job is tuned", || job.err().contains("applied at iteration"));
    assert_eq!(own_agents(&scratch), ["h3"], "hosts with an agent of the job's own");
    synthetic::end(&scratch);
    let ended = job.succeed();
    assert_whole(&ended);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/ranks"), 7, "{}", ended.err);
    assert_eq!(summary.list("nodes").len(), 3, "{}", ended.err);
    assert!(summary.count("/actions/applied") >= 1, "{}", ended.err);
    wait_until("the third host's agent has ended", || own_agents(&scratch).is_empty());
}

/// The hosts whose sockets in the runtime directory, which the emulated hosts share, are those of agents that the job started.
fn own_agents(scratch: &Scratch) -> Vec<String> {
    let files = std::fs::read_dir(scratch.path("run/midrun")).into_iter().flatten().flatten();
    let own = files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "sock"));
    let host = |path: PathBuf| Some(path.file_stem()?.to_string_lossy().rsplit_once('-')?.1.to_owned());
    own.filter(|path| !path.is_symlink()).filter_map(host).collect()
}
