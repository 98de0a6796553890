//! Programs that know nothing of midrun and whose workers ask for each chunk, tuned by a file of points under each MPI, results unchanged.

use midrun_tests::mpi::command;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, root, run};
use std::path::{Path, PathBuf};

fn asked(mpi: Mpi, scratch: &Scratch) -> PathBuf {
    mpi.compile(scratch, &root().join("tests/programs/asked.c"), &["-O1".into()])
}

fn total(out: &str) -> &str {
    out.lines().find(|line| line.starts_with("total ")).unwrap_or_else(|| panic!("a total in {out}"))
}

/// The points of the program in C, with one tuning point.
fn points(tuned: &str) -> String {
    format!("iteration function answer\nwork function evaluate first 2 int tasks 3 int\ntune {tuned}")
}

/// The summary of 30 iterations with these points; the results are those of the program alone.
fn tuned(scratch: &Scratch, mpi: Mpi, program: &Path, arguments: &[&str], points: &str) -> Summary {
    let mut line = mpi.line(5, program);
    line.extend(arguments.iter().map(|word| (*word).to_owned()));
    let plain = Process::start(scratch, "alone", command(&line)).succeed();
    std::fs::write(scratch.path("points"), points).expect("a file");
    let flags = ["--summary", "s.json", "--points", "points", "--no-memory"];
    let ended = run::under_midrun(scratch, "run", &flags, &line).succeed();
    assert_eq!(total(&ended.out), total(&plain.out), "{mpi:?}: results stay");
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/iterations"), 30, "{mpi:?}: {}", ended.err);
    scratch.assert_nothing_left();
    summary
}

/// The value that the first change from `from` gave. Whether it stays is for the measured times to say, and the machine may be busy.
fn changed(summary: &Summary, label: &str, from: &str) -> f64 {
    let changes = summary.list("decisions");
    let first = changes.iter().find(|change| change["tuning_point"] == label && change["from"] == from);
    let change = first.unwrap_or_else(|| panic!("a change of {label} from {from} in {changes:?}"));
    assert!(change["applied_iteration"].is_u64(), "{change}");
    change["to"].as_str().and_then(|to| to.parse().ok()).expect("a value")
}

#[each_mpi]
fn a_program_whose_workers_ask_for_chunks_of_one_size_is_told_a_better_one(mpi: Mpi) {
    let scratch = Scratch::new();
    let points = points("chunk.tasks variable CHUNK int 1..400");
    let summary = tuned(&scratch, mpi, &asked(mpi, &scratch), &["30", "1"], &points);
    let size = changed(&summary, "chunk.tasks", "1");
    assert!((2.0..=400.0).contains(&size), "{mpi:?}: {size}");
}

#[each_mpi]
fn workers_that_wait_for_their_first_chunk_count_as_workers(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &root().join("tests/programs/large_chunks.c"), &["-O1".into()]);
    let points = "iteration function master_round\nwork function do_work first 1 int tasks 2 int\ntune chunk.tasks variable CHUNK int 1..200";
    let summary = tuned(&scratch, mpi, &program, &["30"], points);
    let workers = summary.list("workers");
    assert_eq!(workers.last().and_then(serde_json::Value::as_u64), Some(4), "{mpi:?}: two got chunks at first");
    let size = changed(&summary, "chunk.tasks", "100");
    assert!((1.0..=60.0).contains(&size), "{mpi:?}: {size}");
}

#[each_mpi]
fn a_program_whose_workers_ask_for_a_share_of_what_is_left_is_told_a_better_one(mpi: Mpi) {
    let scratch = Scratch::new();
    let points = points("chunk.share variable SHARE double 0.05..1");
    let summary = tuned(&scratch, mpi, &asked(mpi, &scratch), &["30", "1", "1.0"], &points);
    let share = changed(&summary, "chunk.share", "1.000");
    assert!((0.05..0.8).contains(&share), "{mpi:?}: {share}");
}

#[each_mpi]
fn a_function_that_gets_the_end_of_a_range_tells_the_chunks_as_well(mpi: Mpi) {
    let scratch = Scratch::new();
    let points = "iteration function answer\nwork function evaluate_range first 2 int end 3 int\ntune chunk.tasks variable CHUNK int 1..400";
    let summary = tuned(&scratch, mpi, &asked(mpi, &scratch), &["30", "1"], points);
    let size = changed(&summary, "chunk.tasks", "1");
    assert!((2.0..=400.0).contains(&size), "{mpi:?}: {size}");
}

#[each_mpi]
fn a_value_that_is_not_what_cuts_the_chunks_that_are_seen_is_refused_by_name(mpi: Mpi) {
    let scratch = Scratch::new();
    let points =
        "iteration function answer\nwork function evaluate first 2 int\ntune chunk.tasks variable CHUNK int 1..400";
    let summary = tuned(&scratch, mpi, &asked(mpi, &scratch), &["30", "40"], points);
    let refused = summary.0["refusals"].to_string();
    let why = "to tune chunk.tasks: it is 40, and the largest chunk has 1 task";
    assert!(refused.contains(why) && refused.contains("work line does not say"), "{mpi:?}: {refused}");
    assert_eq!(summary.list("decisions").len(), 0, "{mpi:?}");
}

#[each_mpi]
fn how_a_program_cuts_its_tasks_is_seen_where_it_offers_nothing(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(5, &asked(mpi, &scratch));
    line.extend(["30", "40"].map(str::to_owned));
    std::fs::write(scratch.path("points"), "iteration function answer\nwork function evaluate first 2 int tasks 3 int")
        .expect("a file");
    let flags = ["--summary", "s.json", "--points", "points", "--no-memory", "--record", "run.rec"];
    run::under_midrun(&scratch, "run", &flags, &line).succeed();
    let advice = Summary::read(&scratch.path("s.json")).0["advice"].clone();
    assert_eq!(advice["own_chunks"], "chunks of 40", "{mpi:?}: {advice}");
    let recording = scratch.path("run.rec").display().to_string();
    let ask = |more: &[&str]| {
        let mut words = vec!["predict", "run", &recording, "--workers", "10,20"];
        words.extend(more);
        let mut midrun = std::process::Command::new(midrun_tests::midrun());
        midrun.args(words).output().expect("midrun")
    };
    let answer: serde_json::Value = serde_json::from_slice(&ask(&["--json"]).stdout).expect("JSON");
    let [ten, twenty] = [0, 1].map(|at| answer["answers"][at].clone());
    assert_eq!((&ten["setting"], &ten["technique"]), (&"chunks of 40".into(), &serde_json::Value::Null), "{mpi:?}");
    // There are ten chunks.
    let time_s = |answer: &serde_json::Value| answer["predicted_s"].as_f64().expect("a time");
    assert!((time_s(&ten) / time_s(&twenty) - 1.0).abs() < 0.05, "{mpi:?}: {ten} {twenty}");
    let refused = ask(&["--technique", "daf"]);
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && why.contains("hands its tasks out by itself"), "{mpi:?}: {why}");
}

#[each_mpi]
fn a_share_that_is_taken_for_one_of_a_batch_is_refused_by_name(mpi: Mpi) {
    let scratch = Scratch::new();
    let points = points("F0.rest variable SHARE double 0.05..1");
    let summary = tuned(&scratch, mpi, &asked(mpi, &scratch), &["30", "1", "1.0"], &points);
    let refused = summary.0["refusals"].to_string();
    assert!(refused.contains("to tune F0.rest: the first chunks have 100, 75 and 56 tasks"), "{mpi:?}: {refused}");
    assert_eq!(summary.list("decisions").len(), 0, "{mpi:?}");
}

#[each_mpi]
fn a_fortran_program_whose_workers_ask_is_tuned_though_its_arguments_are_pointers(mpi: Mpi) {
    let scratch = Scratch::new();
    let source = root().join("tests/programs/asked.f90");
    let flags = ["-O1", "-fno-inline", "-fno-ipa-sra", "-fno-ipa-cp", "-w", "-fallow-argument-mismatch"];
    let program = mpi.compile_fortran(&scratch, &source, &flags);
    need!(program.is_some(), "no Fortran");
    let program = program.expect("a program");
    let points = |kind: &str| {
        format!(
            "iteration function __front_MOD_answer\nwork function __front_MOD_evaluate first 2 {kind} tasks 3 {kind}\n\
             tune chunk.tasks variable __front_MOD_chunk int 1..400"
        )
    };
    let summary = tuned(&scratch, mpi, &program, &[], &points("int*"));
    let size = changed(&summary, "chunk.tasks", "400");
    assert!((1.0..=200.0).contains(&size), "{mpi:?}: {size}");
    // Pointers taken for numbers of tasks are none that could be simulated.
    let summary = tuned(&scratch, mpi, &program, &[], &points("unsigned"));
    assert_eq!(summary.list("decisions").len(), 0, "{mpi:?}");
    let refused = summary.0["refusals"].to_string();
    assert!(refused.contains("may be a pointer to the number"), "{mpi:?}: {refused}");
}
