//! The life of `midrun run` and `midrun exec` with make-believe launchers: codes, signals, what is passed on, what is left.

mod stage;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use stage::{Stage, entries, stderr};

#[test]
fn the_code_is_the_jobs_own() {
    let stage = Stage::new();
    for code in [0, 3, 77] {
        let script = format!("exit {code}");
        let output = stage.run(&["run", "--", "mpirun", "-n", "2", "sh", "-c", &script]);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    }
    let output = stage.run(&["run", "--", "mpirun", "-n", "2", "sh", "-c", "kill -9 $$"]);
    assert_eq!(output.status.code(), Some(137));
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

#[test]
fn sigterm_is_passed_on_and_sigint_is_survived() {
    let stage = Stage::new();
    let script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done";
    let mut run = stage
        .midrun(&["run", "--", "mpirun", "-n", "2", "sh", "-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the child is not waited for yet.
        unsafe { libc::kill(run.id().cast_signed(), signal) };
    }
    assert_eq!(run.wait().unwrap().code(), Some(9));
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

#[test]
fn sockets_of_crashed_runs_are_swept() {
    let stage = Stage::new();
    let mut run = stage
        .midrun(&["run", "--", "mpirun", "-n", "2", "sh", "-c", "echo ready; sleep 1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.take().unwrap()).read_line(&mut line).unwrap();
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
