//! The life of `midrun run` and `midrun exec` with make-believe launchers: codes, signals, what is passed on, what is left.

mod stage;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use stage::{Stage, Standing, entries, first_line, stderr};

#[test]
fn the_code_is_the_jobs_own() {
    let stage = Stage::new();
    for code in [0, 3, 77] {
        let script = format!("exit {code}");
        let output = stage.run(&["run", "--", "mpirun", "-n", "2", "sh", "-c", &script]);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    }
    stage.assert_nothing_left();
}

#[test]
fn stdin_and_stdout_are_the_jobs() {
    let stage = Stage::new();
    fs::write(stage.path("in"), "as it was\n").unwrap();
    let output = stage
        .watched(&["run", "--", "mpirun", "-n", "2", "cat"])
        .stdin(fs::File::open(stage.path("in")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"as it was\n");
}

#[test]
fn the_ranks_get_socket_and_job() {
    let stage = Stage::new();
    let output = stage.run(&["run", "--", "mpirun", "-n", "2", "sh", "-c", "echo $MIDRUN_JOB; ls -d $MIDRUN_SOCKET"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text} {}", stderr(&output));
    assert!(lines[1].contains(lines[0]) && lines[1].ends_with(".sock"), "{text}");
    stage.assert_nothing_left();
}

#[test]
fn the_summary_is_written_and_a_table_is_shown() {
    let stage = Stage::new();
    let output = stage.run(&["run", "--summary", "s.json", "--", "mpirun", "-n", "2", "true"]);
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(stage.path("s.json")).expect("the summary")).unwrap();
    assert_eq!(summary["iterations"], 0);
    assert!(stderr(&output).contains("summary"), "{}", stderr(&output));
    let left = entries(&stage.path("."));
    assert!(!left.iter().any(|name| name.starts_with(".midrun-summary")), "{left:?}");
}

#[test]
fn a_summary_that_fails_at_the_end_leaves_the_jobs_code() {
    let stage = Stage::new();
    fs::create_dir(stage.path("out")).unwrap();
    let output =
        stage.run(&["run", "--summary", "out/s.json", "--", "mpirun", "-n", "2", "sh", "-c", "rm -r out; exit 4"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("out/s.json"), "{}", stderr(&output));
}

/// A launcher that names each signal it gets, and ends with code 9 at SIGQUIT. It waits beside its child: with a child in the
/// foreground that SIGTSTP stops, a shell would not get to its trap.
const LISTENER: &str = "for s in HUP INT USR1 USR2 ALRM TERM URG CONT TSTP XCPU; do trap \"echo $s\" $s; done; trap 'exit 9' QUIT; \
     echo ready; while :; do sleep 5 >/dev/null & wait; done";

/// A running [`LISTENER`] and the lines it writes.
fn listening(stage: &Stage) -> (std::process::Child, std::io::Lines<BufReader<std::process::ChildStdout>>) {
    use std::os::unix::process::CommandExt;
    let mut midrun = stage.midrun(&["run", "--", "mpirun", "-n", "2", "sh", "-c", LISTENER]);
    let mut run = midrun.stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    (run, lines)
}

fn send(pid: i32, signal: i32) {
    // SAFETY: a process or group that is not waited for yet.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

const NAMES: [(i32, &str); 10] = [
    (libc::SIGHUP, "HUP"),
    (libc::SIGINT, "INT"),
    (libc::SIGUSR1, "USR1"),
    (libc::SIGUSR2, "USR2"),
    (libc::SIGALRM, "ALRM"),
    (libc::SIGTERM, "TERM"),
    (libc::SIGURG, "URG"),
    (libc::SIGCONT, "CONT"),
    (libc::SIGTSTP, "TSTP"),
    (libc::SIGXCPU, "XCPU"),
];

#[test]
fn every_signal_to_midrun_reaches_the_launcher_once() {
    let stage = Stage::new();
    let (mut run, mut lines) = listening(&stage);
    let pid = run.id().cast_signed();
    for (signal, name) in NAMES {
        send(pid, signal);
        assert_eq!(lines.next().unwrap().unwrap(), name);
    }
    send(pid, libc::SIGQUIT);
    assert_eq!(run.wait().unwrap().code(), Some(9));
    assert!(lines.next().is_none(), "each arrived once");
    stage.assert_nothing_left();
}

#[test]
fn a_signal_to_the_process_group_reaches_the_launcher_once() {
    let stage = Stage::new();
    let (mut run, mut lines) = listening(&stage);
    let pid = run.id().cast_signed();
    for (signal, name) in NAMES.into_iter().filter(|(signal, _)| *signal != libc::SIGTSTP) {
        send(-pid, signal);
        assert_eq!(lines.next().unwrap().unwrap(), name);
        // A second copy would come before this one, which is another signal: two of one may become one.
        let (other, expected) = if signal == libc::SIGUSR2 { (libc::SIGUSR1, "USR1") } else { (libc::SIGUSR2, "USR2") };
        send(pid, other);
        assert_eq!(lines.next().unwrap().unwrap(), expected, "after {name}");
    }
    send(-pid, libc::SIGTSTP); // as ^Z: this shell notices it, midrun stops
    assert_eq!(lines.next().unwrap().unwrap(), "TSTP");
    let state =
        || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().rsplit(')').next().unwrap()[1..2].to_owned();
    while state() != "T" {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    send(-pid, libc::SIGCONT);
    assert_eq!(lines.next().unwrap().unwrap(), "CONT");
    send(-pid, libc::SIGQUIT);
    assert_eq!(run.wait().unwrap().code(), Some(9));
    assert!(lines.next().is_none());
    stage.assert_nothing_left();
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let stage = Stage::new();
    let script = "trap '' HUP; exec \"$0\" run -- mpirun -n 2 sh -c 'kill -HUP $$; kill -HUP $PPID; exit 5'";
    let output = stage.shell(script);
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    stage.assert_nothing_left();
}

#[test]
fn a_launcher_that_a_signal_ended_ends_midrun_by_the_same_signal() {
    use std::os::unix::process::ExitStatusExt;
    let stage = Stage::new();
    for signal in [libc::SIGKILL, libc::SIGINT, libc::SIGSEGV] {
        let script = format!("kill -{signal} $$");
        let status = stage.midrun(&["run", "--", "mpirun", "-n", "2", "sh", "-c", &script]).status().unwrap();
        assert_eq!(status.signal(), Some(signal));
    }
    stage.assert_nothing_left();
}

#[test]
fn an_analyzer_that_does_not_answer_leaves_the_job_alone() {
    let stage = Stage::new();
    let output =
        stage.run(&["run", "--analyzer", "http://127.0.0.1:1", "--", "mpirun", "-n", "2", "sh", "-c", "exit 6"]);
    assert_eq!(output.status.code(), Some(6));
    assert!(stderr(&output).contains("untuned"), "{}", stderr(&output));
    stage.assert_nothing_left();
}

/// A standing analyzer with this token; empty: none.
fn standing(stage: &Stage, token: &str) -> Standing {
    let mut command = stage.midrun(&["analyzer", "--listen", "127.0.0.1:0"]);
    Standing::start(command.env("MIDRUN_CFG_ANALYZER__TOKEN", token))
}

/// A job at a standing analyzer with this token, which runs until the file `end` is there; and the job's name.
fn waiting(stage: &Stage, url: &str, token: &str) -> (std::process::Child, String) {
    let script = "echo $MIDRUN_JOB; while [ ! -e end ]; do sleep 0.05; done";
    let mut run =
        stage.midrun(&["run", "--analyzer", url, "--summary", "s.json", "--", "mpirun", "-n", "2", "sh", "-c", script]);
    let (run, line) = first_line(run.env("MIDRUN_TOKEN", token));
    (run, line.trim().to_owned())
}

#[test]
fn a_site_token_does_not_open_the_job_of_another_run() {
    // It looks like a number, and is none.
    let (stage, site) = (Stage::new(), "0123");
    let analyzer = standing(&stage, site);
    let url = format!("http://{}", analyzer.address);
    let (mut run, job) = waiting(&stage, &url, site);
    let (job, at) = (job.as_str(), ["--analyzer", &url]);
    // Another user with the site's token has another runtime directory, without the job's file.
    let other = Stage::new();
    let freeze = |stage: &Stage, token| {
        let words = [&["freeze", "--job", job], &at[..]].concat();
        stage.watched(&words).env("MIDRUN_TOKEN", token).output().unwrap()
    };
    let refused = freeze(&other, site);
    assert!(stderr(&refused).contains(&format!("the token is not the one of job {job}")), "{}", stderr(&refused));
    let refused = freeze(&stage, "123");
    assert!(stderr(&refused).contains("the token is not the one of this analyzer"), "{}", stderr(&refused));
    assert!(freeze(&stage, site).status.success(), "its owner does");
    fs::write(stage.path("end"), "").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert!(stage.path("s.json").exists());
}

#[test]
fn an_analyzer_that_is_stopped_is_not_waited_for_at_the_end() {
    let stage = Stage::new();
    let analyzer = standing(&stage, "");
    analyzer.signal(libc::SIGSTOP);
    let url = format!("http://{}", analyzer.address);
    let line = ["run", "--summary", "s.json", "--analyzer", &url, "--", "mpirun", "-n", "2", "sh", "-c", "exit 6"];
    let output = stage.run(&line);
    assert_eq!(output.status.code(), Some(6));
    let summary: serde_json::Value = serde_json::from_slice(&fs::read(stage.path("s.json")).unwrap()).unwrap();
    assert!(summary["lost"].as_str().is_some_and(|why| why.contains("gave no summary")), "{summary}");
    let text = stderr(&output);
    assert!(text.contains("does not answer, so the job runs untuned until it does"), "{text}");
    assert!(text.contains("gave no summary within 250ms"), "the bound of one that is known to be away: {text}");
}

#[test]
fn after_a_partition_the_job_is_connected_again_and_gets_its_summary() {
    use std::net::{TcpListener, TcpStream};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let stage = Stage::new();
    let analyzer = standing(&stage, "");
    // What lies between: connections made before the partition stay open and carry nothing any more.
    let between = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", between.local_addr().unwrap());
    let (made, lost) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (all, dead, there) = (made.clone(), lost.clone(), analyzer.address.clone());
    std::thread::spawn(move || {
        for near in between.incoming().flatten() {
            let number = all.fetch_add(1, Ordering::SeqCst);
            let far = TcpStream::connect(&there).unwrap();
            for (mut from, mut to) in
                [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far.try_clone().unwrap(), near)]
            {
                let dead = dead.clone();
                std::thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(count @ 1..) = std::io::Read::read(&mut from, &mut bytes) {
                        let is_lost = number < dead.load(Ordering::SeqCst);
                        if !is_lost && std::io::Write::write_all(&mut to, &bytes[..count]).is_err() {
                            break;
                        }
                    }
                });
            }
        }
    });
    let (mut run, _) = waiting(&stage, &url, "");
    // The job's own connection and its agent's.
    let wait_for = |connections: usize| {
        for _ in 0..6_000 {
            if made.load(Ordering::SeqCst) >= connections {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("no {connections} connections were made");
    };
    wait_for(2);
    lost.store(2, Ordering::SeqCst);
    wait_for(4);
    fs::write(stage.path("end"), "").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert!(stage.path("s.json").exists(), "the summary came over the new connection");
}

#[test]
fn sockets_of_crashed_runs_are_swept() {
    let stage = Stage::new();
    let words = ["run", "--", "mpirun", "-n", "2", "sh", "-c", "echo ready; sleep 1"];
    let (mut run, _) = first_line(&mut stage.midrun(&words));
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(entries(&stage.path("run/midrun")).len(), 2, "SIGKILL leaves the socket and the file");
    assert_eq!(stage.run(&["run", "--", "mpirun", "-n", "2", "true"]).status.code(), Some(0));
    stage.assert_nothing_left();
}

#[test]
fn a_runtime_directory_open_to_others_is_not_used_and_the_job_runs() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    fs::create_dir(stage.path("run/midrun")).unwrap();
    fs::set_permissions(stage.path("run/midrun"), fs::Permissions::from_mode(0o777)).unwrap();
    let output = stage.run(&["run", "--", "mpirun", "-n", "2", "sh", "-c", "exit 2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("0700"), "{}", stderr(&output));
}

#[test]
fn exec_without_midrun_run_only_becomes_the_program() {
    let stage = Stage::new();
    let output = stage.run(&["exec", "sh", "-c", "echo ${MIDRUN_SOCKET-none}; exit 7"]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(7), b"none\n".as_slice()));
    let output = stage.run(&["exec", "./not-there"]);
    assert_eq!(output.status.code(), Some(127));
    assert!(stderr(&output).contains("./not-there"));
    stage.assert_nothing_left();
}

#[test]
fn exec_on_another_host_starts_one_agent_for_all_its_processes() {
    let stage = Stage::new();
    let exec = || {
        stage
            .midrun(&["exec", "--", "sh", "-c", "ls -d $MIDRUN_SOCKET; ls -d $MIDRUN_SOCKET | wc -l; sleep 0.5"])
            .env("MIDRUN_ANALYZER", "http://127.0.0.1:1")
            .env("MIDRUN_TOKEN", "t")
            .env("MIDRUN_JOB", "jexec")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let processes: Vec<_> = (0..4).map(|_| exec()).collect();
    let outputs: Vec<_> = processes.into_iter().map(|process| process.wait_with_output().unwrap()).collect();
    for output in &outputs {
        assert_eq!(output.stdout, outputs[0].stdout, "{}", stderr(output));
        assert!(String::from_utf8_lossy(&output.stdout).contains("jexec"), "{}", stderr(output));
    }
    let agents = agents_of("jexec");
    assert_eq!(agents.len(), 1, "one agent for four processes");
    for agent in agents {
        // SAFETY: the process was found by its own unique arguments.
        unsafe { libc::kill(agent, libc::SIGTERM) };
    }
    while !agents_of("jexec").is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    stage.assert_nothing_left();
}

/// Processes with `agent` and the job's name among their arguments.
fn agents_of(job: &str) -> Vec<i32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_string_lossy().parse::<i32>().ok());
    pids.filter(|pid| {
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&arguments).replace('\0', " ");
        text.contains(" agent ") && text.contains(job)
    })
    .collect()
}
