//! What the user gets wrong: one sentence that says what would be right, code 64, nothing left behind.

mod stage;

use std::sync::Arc;

use midrun_analyzer::disk::HostDisk;
use midrun_analyzer::journal::Journal;
use stage::{Stage, stderr};

/// Runs midrun and expects one sentence with all of `parts`, and code 64.
fn refused(stage: &Stage, arguments: &[&str], parts: &[&str]) {
    let output = stage.run(arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(64), "{arguments:?}: {text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{arguments:?} is answered by one sentence: {text}");
    for part in parts {
        assert!(text.contains(part), "{arguments:?}: {part:?} is missing in: {text}");
    }
    assert!(output.stdout.is_empty());
    stage.assert_nothing_left();
}

#[test]
fn an_unknown_flag_is_refused() {
    refused(&Stage::new(), &["run", "--sumary", "s.json", "--", "mpirun", "true"], &["--sumary", "--summary"]);
}

#[test]
fn an_unknown_subcommand_is_refused() {
    refused(&Stage::new(), &["rnu", "--", "mpirun"], &["rnu"]);
}

#[test]
fn nothing_at_all_is_answered_by_what_can_be_said() {
    refused(&Stage::new(), &[], &["run", "exec", "analyzer", "agent"]);
    refused(&Stage::new(), &["run"], &["COMMAND"]);
}

#[test]
fn a_typo_in_the_configuration_is_refused_with_the_allowed_keys() {
    let stage = Stage::new();
    std::fs::write(stage.path("m.toml"), "[run]\npolcy = \"gss\"\n").unwrap();
    refused(&stage, &["run", "--config", "m.toml", "--", "mpirun", "true"], &["m.toml", "polcy", "technique"]);
    refused(&stage, &["analyzer", "--config", "m.toml"], &["m.toml", "polcy"]);
    std::fs::write(stage.path("m.toml"), "[rnu]\n").unwrap();
    refused(&stage, &["run", "--config", "m.toml", "--", "mpirun", "true"], &["rnu", "run"]);
    std::fs::write(stage.path("m.toml"), "run = \n").unwrap();
    refused(&stage, &["run", "--config", "m.toml", "--", "mpirun", "true"], &["m.toml", "TOML"]);
    refused(&stage, &["run", "--config", "none.toml", "--", "mpirun", "true"], &["none.toml"]);
}

#[test]
fn a_flag_that_says_nothing_or_what_is_not_there_is_refused_by_its_name() {
    let stage = Stage::new();
    let job = ["--", "mpirun", "true"];
    refused(&stage, &[&["run", "--shadow", "nosuch"], &job[..]].concat(), &["shadow = nosuch", "master_worker"]);
    refused(&stage, &[&["run", "--tls-ca", "ca.pem"], &job[..]].concat(), &["--tls-ca", "--analyzer"]);
    for wait in ["0", "nan", "soon"] {
        refused(&stage, &["set", "block", "8", "--wait", wait], &["--wait", "above 0"]);
    }
    let summary = r#"{"schema_version": 99, "job": "j", "iterations": 0, "decisions": []}"#;
    std::fs::write(stage.path("later.json"), summary).unwrap();
    refused(&stage, &["explain", "--summary", "later.json"], &["later.json", "schema_version is 99", "reads 1"]);
}

#[test]
fn a_typo_in_the_environment_is_refused() {
    let stage = Stage::new();
    let output = stage.watched(&["run", "--", "mpirun", "true"]).env("MIDRUN_CFG_RUN__POLCY", "gss").output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("polcy"), "{}", stderr(&output));
}

#[test]
fn a_program_that_is_not_there_is_refused() {
    let stage = Stage::new();
    refused(&stage, &["run", "--", "mpirun", "-n", "4", "./mandlebrot"], &["./mandlebrot"]);
    refused(&stage, &["run", "--", "./mandlebrot"], &["./mandlebrot"]);
}

#[test]
fn no_mpi_is_one_sentence_with_a_way_out() {
    let stage = Stage::new();
    std::fs::remove_file(stage.path("bin/mpirun")).unwrap();
    let output = stage.watched(&["run", "--", "mpirun", "true"]).env("PATH", stage.path("bin")).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("mpirun is not on PATH"), "{}", stderr(&output));
    stage.assert_nothing_left();
}

/// Runs midrun and expects the job's own code 5 and one sentence with all of `parts`; with `--strict` the same is a refusal.
fn untuned(stage: &Stage, flags: &[&str], line: &[&str], parts: &[&str]) {
    let output = stage.run(&[&["run", "--summary", "untuned.json"], flags, &["--"], line].concat());
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(5), "the job has run: {text}");
    let summary = std::fs::read(stage.path("untuned.json")).expect("a summary for whoever reads it");
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    let why = summary["untuned"].as_str().expect("why");
    assert!(parts.iter().all(|part| why.contains(part)), "{summary}");
    assert!(summary["ranks"] == 0 && summary["decisions"] == serde_json::json!([]), "{summary}");
    let explained = stage.run(&["explain", "--summary", "untuned.json"]);
    assert!(String::from_utf8_lossy(&explained.stdout).contains(why), "{explained:?}");
    std::fs::remove_file(stage.path("untuned.json")).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{line:?} is answered by one sentence: {text}");
    for part in parts.iter().chain(&["the job runs untuned"]) {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
    stage.assert_nothing_left();
    refused(stage, &[&["run", "--strict"], flags, &["--"], line].concat(), parts);
}

#[test]
fn a_missing_library_costs_no_job() {
    let stage = Stage::new();
    std::fs::remove_file(stage.path("lib/libmidrun-select.so")).unwrap();
    let line = ["mpirun", "-n", "4", "sh", "-c", "exit 5"];
    untuned(&stage, &[], &line, &["which MPI", "libmidrun-select.so", "deploy/build"]);
    std::fs::remove_file(stage.path("lib/openmpi/libmidrun.so")).unwrap();
    untuned(&stage, &["--mpi", "openmpi"], &line, &["Open MPI", "deploy/build", "MPICC"]);
    refused(&stage, &["run", "--mpi", "openmp", "--", "true"], &["openmp", "openmpi", "cray"]);
}

#[test]
fn a_line_that_is_not_understood_costs_no_job() {
    let stage = Stage::new();
    stage.program("bin/srun", "#!/bin/sh\nexit 5\n");
    untuned(&stage, &[], &["srun", "--brand-new", "value", "./a"], &["srun", "--brand-new"]);
    untuned(&stage, &[], &["srun", "--multi-prog", "file"], &["srun", "--multi-prog"]);
}

#[test]
fn a_summary_that_cannot_be_written_is_found_before_the_job() {
    let stage = Stage::new();
    refused(&stage, &["run", "--summary", "none/s.json", "--", "mpirun", "touch", "ran"], &["none/s.json"]);
    assert!(!stage.path("ran").exists(), "the job was not started");
}

#[test]
fn daemons_refuse_before_they_listen() {
    let stage = Stage::new();
    refused(&stage, &["analyzer", "--listen", "nowhere"], &["listen", "nowhere"]);
    refused(&stage, &["analyzer", "--token-file", "none"], &["none"]);
    refused(&stage, &["analyzer", "--listen", "0.0.0.0:0"], &["0.0.0.0:0 is open to other hosts", "--token-file"]);
    std::fs::write(stage.path("open"), "sesame\n").unwrap();
    refused(&stage, &["analyzer", "--token-file", "open"], &["open to others", "chmod 600"]);
    refused(&stage, &["agent", "--analyzer", "http://127.0.0.1:1"], &["--socket"]);
    refused(&stage, &["agent", "--analyzer", "what", "--socket", "a.sock"], &["analyzer", "what"]);
    assert!(!stage.path("a.sock").exists());
}

#[test]
fn a_journal_that_cannot_be_written_is_named_at_start_and_one_that_is_in_use_costs_no_job() {
    let stage = Stage::new();
    std::fs::write(stage.path("none.toml"), "[analyzer]\njournal = \"none/journal\"\n").unwrap();
    std::fs::write(stage.path("used.toml"), "[analyzer]\njournal = \"journal\"\n").unwrap();
    let run = |file| ["run", "--config", file, "--", "sh", "-c", "exit 5"];
    refused(&stage, &["analyzer", "--journal", "none/journal"], &["journal", "none/journal", "No such file"]);
    refused(&stage, &run("none.toml"), &["journal", "none/journal", "No such file"]);
    let (held, _) = Journal::open(Arc::new(HostDisk), Some(&stage.path("journal"))).unwrap();
    let sentence = "another analyzer writes journal: stop that one, or give this one a journal of its own";
    refused(&stage, &["analyzer", "--journal", "journal"], &[sentence]);
    let output = stage.run(&run("used.toml"));
    assert_eq!(output.status.code(), Some(5));
    assert!(stderr(&output).contains(&format!("{sentence}; this job has no journal")), "{}", stderr(&output));
    drop(held);
    assert!(!stderr(&stage.run(&run("used.toml"))).contains("journal"));
    stage.assert_nothing_left();
}

#[test]
fn one_rank_is_warned_about_and_the_program_decides() {
    let stage = Stage::new();
    let output = stage.run(&["run", "--", "mpirun", "-n", "1", "sh", "-c", "exit 5"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(stderr(&output).contains("no worker"), "{}", stderr(&output));
    stage.assert_nothing_left();
}

#[test]
fn a_pipeline_file_that_makes_no_sense_is_refused_with_its_place() {
    let stage = Stage::new();
    let predict = ["predict", "pipeline", "p.toml", "--ranks", "4"];
    refused(&stage, &predict, &["p.toml: ", "No such file"]);
    let network = "network = { start_up = \"1ms\", per_byte = \"90ns\" }\n";
    std::fs::write(stage.path("p.toml"), format!("{network}[[stage]]\ncompute = \"5 parsecs\"\n")).unwrap();
    refused(&stage, &predict, &["p.toml", "stage 0", "5 parsecs", "ns, us, ms, s"]);
    std::fs::write(stage.path("p.toml"), format!("{network}[[stage]]\ncompuet = \"5s\"\n")).unwrap();
    refused(&stage, &predict, &["p.toml", "line 3", "compuet"]);
    refused(&stage, &["predict", "pipeline", "p.toml", "--ranks", "0"], &["--ranks"]);
}

#[test]
fn a_file_without_an_end_is_refused_by_every_predictor_that_reads_one() {
    let stage = Stage::new();
    for what in [
        &["pipeline", "--ranks", "4"][..],
        &["pepa"],
        &["mapping"],
        &["diagram"],
        &["cost"],
        &["program", "--machine", "m.toml"],
    ] {
        let line = [&["predict"], what, &["/dev/zero"]].concat();
        refused(&stage, &line, &["/dev/zero: it is longer than 67108864 bytes"]);
    }
}

#[test]
fn a_program_that_makes_no_sense_is_refused_with_its_place() {
    let stage = Stage::new();
    let line = ["predict", "program", "p.toml", "--machine", "m.toml"];
    let program = "processes = 2\nrun = ['a']\n[parameters]\nn = 1\n[element.a]\nkind = 'receive'\nfrom = '1 - rank'\n";
    std::fs::write(stage.path("p.toml"), program).unwrap();
    std::fs::write(stage.path("m.toml"), "node = [{ cores = 2 }]\n").unwrap();
    refused(&stage, &line, &["m.toml: line 1, column 1: missing field `inside`"]);
    std::fs::write(stage.path("m.toml"), "node = [{ cores = 2 }]\ninside = { start_up = '1us', per_byte = '1ns' }")
        .unwrap();
    refused(&stage, &line, &["p.toml: deadlock", "process 0 waits in `a` for a message of process 1"]);
    refused(&stage, &[&line[..], &["--set", "m=3"]].concat(), &["p.toml: parameter `m`", "but n"]);
    refused(&stage, &[&line[..], &["--set", "n"]].concat(), &["--set", "NAME=VALUE"]);
    std::fs::write(stage.path("p.toml"), program.replace("rank", "rnak")).unwrap();
    refused(&stage, &line, &["p.toml: line 7, column 8: in `1 - rnak`", "node, processes, rank"]);
    let good = program.replace("receive", "send").replace("from", "bytes = 1\nto");
    std::fs::write(stage.path("p.toml"), good).unwrap();
    refused(&stage, &[&line[..], &["--trace", "none/t.json"]].concat(), &["--trace none/t.json"]);
}

#[test]
fn what_cannot_be_inspected_is_refused_with_the_reason() {
    let stage = Stage::new();
    refused(&stage, &["inspect", "none"], &["none cannot be read"]);
    stage.program("script", "#!/bin/sh\n");
    refused(&stage, &["inspect", "script"], &["script", "a script"]);
    std::fs::write(stage.path("text"), "words").unwrap();
    refused(&stage, &["inspect", "text"], &["text", "not a program file"]);
    refused(&stage, &["inspect", "/bin/sh"], &["/bin/sh", "no symbol table", "strip"]);
}
