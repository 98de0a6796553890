//! `midrun sweep`: whole runs of a program, by the engine of a search.

mod stage;

use stage::{Stage, stderr};

/// Takes |tile - 40| ms and a little more, and notes each run; tiles above 100 fail.
const PROGRAM: &str = "#!/bin/sh
tile=${1#--tile=}
echo \"$tile\" >> ran
[ \"$tile\" -gt 100 ] && exit 3
gap=$((tile - 40))
sleep $(printf '0.%03d' ${gap#-})
echo \"tile $tile\"
";

#[test]
fn the_best_of_a_list_is_found_by_whole_runs_and_runs_that_fail_are_no_measurement() {
    let stage = Stage::new();
    stage.program("program", PROGRAM);
    let words =
        ["sweep", "tile=8,40,90,120", "--start", "tile=90", "--runs", "40", "--summary", "s.json", "--quiet", "--"];
    let output = stage.run(&[&words[..], &["sh", "./program", "--tile={tile}"]].concat());
    let (said, found) = (stderr(&output), String::from_utf8_lossy(&output.stdout).into_owned());
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(found.starts_with("best: tile = 40 (") && found.ends_with("sh ./program '--tile=40'\n"), "{found}");
    assert!(!found.contains("tile 40\n"), "--quiet: {found}");
    let failed = said.matches("tile = 120: failed with exit code 3, which is no measurement").count();
    assert!(failed <= 1, "a value with which the program fails is not tried again: {said}");
    let ran = std::fs::read_to_string(stage.path("ran")).unwrap();
    assert!(ran.lines().all(|tile| ["8", "40", "90", "120"].contains(&tile)), "no other value is tried: {ran}");
    assert_eq!(ran.lines().last(), Some("40"), "the best comes last");
    let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(stage.path("s.json")).unwrap()).unwrap();
    assert_eq!((&summary["best"][0], &summary["ended"]), (&40.0.into(), &true.into()), "{summary}");
    assert_eq!(summary["measured"].as_u64(), Some(ran.lines().count() as u64));
}

#[test]
fn what_cannot_be_swept_is_refused_before_the_first_run() {
    let stage = Stage::new();
    for (words, part) in [
        (&["tile=8..64", "--", "true"][..], "{tile} is nowhere in the command"),
        (&["tile=8..64", "--runs", "2", "--", "true", "{tile}"], "--runs 2 is too few"),
        (&["tile=8..64", "--start", "tiel=8", "--", "true", "{tile}"], "--start names tiel, which is not searched"),
        (&["tile=8..", "--", "true", "{tile}"], "tile=8.."),
        (&["tile=8..64", "--timeout", "0", "--", "true", "{tile}"], "--timeout"),
        (&["tile=8..64 synchronized", "--", "true", "{tile}"], "tile needs no synchronized"),
    ] {
        let output = stage.run(&[&["sweep"], words].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(64), "{words:?}: {said}");
        assert!(said.lines().count() == 1 && said.contains(part), "{words:?}: {said}");
    }
    let failing = stage.run(&["sweep", "tile=1..3", "--", "false", "{tile}"]);
    assert!(failing.status.code() == Some(70) && stderr(&failing).contains("no run succeeded"), "{}", stderr(&failing));
}

#[test]
fn a_name_without_values_is_told_and_a_variable_of_the_shell_is_none() {
    let stage = Stage::new();
    let output = stage.run(&["sweep", "--runs", "3", "tile=1..3", "--", "sh", "-c", ": {tile} {mode} ${HOME}"]);
    let said = stderr(&output);
    assert!(output.status.success() && said.contains("no values are named for mode"), "{said}");
    assert_eq!(said.matches("stays in the command").count(), 1, "{said}");
}

#[test]
fn a_run_that_hangs_is_ended_and_no_measurement() {
    let stage = Stage::new();
    stage.program("program", "#!/bin/sh\n[ \"$1\" -lt 3 ] && exec sleep 1000\nsleep 0.0$1\n");
    let words = ["sweep", "x=1..4", "--start", "x=4", "--runs", "10", "--summary", "s.json", "--"];
    let output = stage.run(&[&words[..], &["./program", "{x}"]].concat());
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(stage.path("s.json")).unwrap()).unwrap();
    let tried = summary["tried"].as_array().unwrap();
    assert!(summary["best"][0].as_f64() >= Some(3.0), "{summary}");
    // It counts with the time at which it was ended.
    let ended = tried.iter().filter(|line| line["values"][0].as_f64() < Some(3.0));
    assert!(ended.into_iter().all(|line| line["time_s"].as_f64() >= Some(0.3)), "{summary}");
    // The values at start are one combination, however often they are measured.
    assert!(tried.iter().any(|line| line["values"][0] == 4.0 && line["time_s"] == summary["start_s"]), "{summary}");
    assert!(!said.contains("x = 1:") || said.contains("10 runs with the best values take no longer"), "{said}");
}

#[test]
fn a_first_run_that_hangs_is_ended_by_its_timeout_and_the_best_command_can_be_pasted() {
    let stage = Stage::new();
    stage.program("program", "#!/bin/sh\n[ \"$1\" = 2 ] && exec sleep 1000\nsleep 0.01\n");
    let words = ["sweep", "x=1..3", "--start", "x=2", "--timeout", "0.5", "--", "./program", "{x}", "two words", "$x"];
    let output = stage.run(&words);
    let (said, found) = (stderr(&output), String::from_utf8_lossy(&output.stdout).into_owned());
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("x = 2: ended after 0.5") && said.contains("by --timeout"), "{said}");
    assert!(found.ends_with(" 'two words' '$x'\n"), "{found}");
}

#[test]
fn a_sweep_that_is_asked_to_end_ends_its_run_and_keeps_what_it_measured() {
    let stage = Stage::new();
    stage.program("program", "#!/bin/sh\n[ -e ran ] && { echo second; exec sleep 1000; }\ntouch ran\nsleep 0.05\n");
    let mut sweep =
        stage.midrun(&["sweep", "x=1..4", "--runs", "100000", "--summary", "s.json", "--", "./program", "{x}"]);
    let (mut child, first) = stage::first_line(&mut sweep);
    assert_eq!(first, "second\n", "what its runs print");
    // SAFETY: the child has not been waited for.
    unsafe { libc::kill(child.id().cast_signed(), libc::SIGTERM) };
    let ended = child.wait().expect("it ends");
    assert_eq!(ended.code(), Some(128 + libc::SIGTERM));
    let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(stage.path("s.json")).unwrap()).unwrap();
    assert_eq!((&summary["measured"], &summary["ended"]), (&1.into(), &false.into()), "{summary}");
}

#[test]
fn what_a_run_that_is_ended_had_started_ends_too() {
    let stage = Stage::new();
    // A script that waits for its own child, which a signal to the script alone does not reach.
    stage.program(
        "program",
        "#!/bin/sh\nif [ \"$1\" -lt 3 ]; then sleep 1234 & echo $! >> started; wait; fi\nsleep 0.0$1\n",
    );
    let words = ["sweep", "x=1..4", "--start", "x=4", "--runs", "10", "--quiet", "--", "./program", "{x}"];
    let output = stage.run(&words);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let started = std::fs::read_to_string(stage.path("started")).unwrap_or_default();
    for pid in started.lines() {
        let name = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(!name.contains("1234"), "{pid} still runs");
    }
}

#[test]
fn a_sweep_that_is_to_ignore_a_hangup_goes_on() {
    let stage = Stage::new();
    stage.program("program", "#!/bin/sh\n[ -e ran ] || { touch ran; kill -HUP $PPID; }\nsleep 0.0$1\n");
    let output = stage.shell("trap '' HUP; exec \"$0\" sweep x=1..4 --runs 6 -- ./program {x}");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("best: ") || stderr(&output).contains("run 2 of"),
        "{}",
        stderr(&output)
    );
}
