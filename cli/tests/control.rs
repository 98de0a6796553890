//! The real binary: what status, set, freeze, pause and resume say where there is no job to speak to, or one without ranks.

mod stage;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Output};

use stage::{Stage, entries, first_line, stderr};

/// A job of a program without MPI that runs until it is killed.
fn job(stage: &Stage) -> Child {
    let words = ["run", "--", "mpirun", "-n", "2", "sh", "-c", "echo ready; exec sleep 30"];
    let (run, line) = first_line(&mut stage.midrun(&words));
    assert_eq!(line, "ready\n");
    run
}

fn end(mut run: Child) {
    // SAFETY: the child is not waited for yet.
    unsafe { libc::kill(run.id().cast_signed(), libc::SIGTERM) };
    run.wait().unwrap();
}

fn refused(output: &Output, code: i32, part: &str) {
    let text = stderr(output);
    assert!(output.status.code() == Some(code) && text.contains(part), "{:?} {text}", output.status);
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn without_a_job_it_says_so() {
    let stage = Stage::new();
    for words in [&["status"][..], &["set", "a", "1"], &["freeze"], &["pause"], &["resume", "--job", "j1"]] {
        refused(&stage.run(words), 1, "no midrun run of this user");
    }
    refused(
        &stage.run(&["status", "--analyzer", "http://127.0.0.1:1"]),
        1,
        "no analyzer answers at http://127.0.0.1:1",
    );
    refused(&stage.run(&["status", "--analyzer", "nonsense here"]), 64, "is not the URL of an analyzer");
    refused(&stage.run(&["set", "a"]), 64, "VALUE");
    refused(&stage.run(&["set", "a", "1", "--rank", "x"]), 64, "--rank");
    refused(&stage.run(&["set", "", "1"]), 64, "midrun set mw.factor 0.3");
    stage.assert_nothing_left();
}

#[test]
fn a_job_without_ranks_can_be_looked_at_and_has_nothing_to_set() {
    let stage = Stage::new();
    let run = job(&stage);
    let output = stage.run(&["status"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && shown.contains("no tuning points are declared yet"), "{shown}");
    refused(&stage.run(&["set", "a", "1"]), 1, "a = 1 was not set: no rank has a tuning point a; nothing is declared");
    let output = stage.run(&["pause", "--json"]);
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&line["control"], &line["done"], &line["changes"]),
        (&"pause".into(), &true.into(), &serde_json::json!([]))
    );
    assert!(String::from_utf8_lossy(&stage.run(&["status"]).stdout).contains("paused"));
    end(run);
    stage.assert_nothing_left();
}

#[test]
fn several_jobs_are_named_and_the_files_that_name_them_are_for_their_user_only() {
    let stage = Stage::new();
    let runs = [job(&stage), job(&stage)];
    refused(&stage.run(&["freeze"]), 64, "several jobs run, name one: j");
    let directory = stage.path("run/midrun");
    let files: Vec<String> = entries(&directory).into_iter().filter(|name| name.ends_with(".job")).collect();
    assert_eq!(files.len(), 2);
    for file in &files {
        let found = fs::metadata(directory.join(file)).unwrap();
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
    }
    let file: serde_json::Value = serde_json::from_slice(&fs::read(directory.join(&files[0])).unwrap()).unwrap();
    let (id, url, token) = (&file["job"], file["url"].as_str().unwrap(), file["token"].as_str().unwrap());
    assert!(stage.run(&["freeze", "--job", id.as_str().unwrap()]).status.success());
    let with_token = stage.midrun(&["status", "--analyzer", url]).env("MIDRUN_TOKEN", token).output().unwrap();
    assert!(String::from_utf8_lossy(&with_token.stdout).contains("frozen"), "{}", stderr(&with_token));
    fs::write(stage.path("token"), "wrong\n").unwrap();
    fs::set_permissions(stage.path("token"), fs::Permissions::from_mode(0o600)).unwrap();
    refused(&stage.run(&["status", "--analyzer", url, "--token-file", "token"]), 1, "token is not the one");
    runs.into_iter().for_each(end);
    stage.assert_nothing_left();
}

#[test]
fn a_file_that_a_crashed_run_left_behind_names_no_job() {
    let stage = Stage::new();
    let mut run = job(&stage);
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(entries(&stage.path("run/midrun")).len(), 2, "SIGKILL leaves the socket and the file");
    refused(&stage.run(&["status"]), 1, "no job runs");
    fs::write(stage.path("run/midrun/torn-elsewhere.job"), "{").unwrap();
    refused(&stage.run(&["status"]), 1, "no job runs");
}
