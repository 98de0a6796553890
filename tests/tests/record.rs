//! Recorded runs on real ranks: kept while the job runs, replayed the same twice, and good for predictions.

use std::path::Path;
use std::process::Command;

use midrun_tests::mount::Mount;
use midrun_tests::process::Ended;
use midrun_tests::{
    Mpi, Process, Scratch, Summary, each_mpi, midrun, need, ranks, synthetic, under_midrun, wait_until,
};
use serde_json::Value;

fn start(scratch: &Scratch, mpi: Mpi, flags: &str, ranks: u32, program: &str) -> Process {
    let (name, options) = program.split_once(' ').expect("a program and its options");
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let mut line = mpi.line(ranks, &mpi.example(name));
    line.extend(options.split_whitespace().map(str::to_owned));
    under_midrun(scratch, "run", &flags, &line)
}

/// `midrun WORDS` about a recording.
fn ask(scratch: &Scratch, words: &str) -> Ended {
    let mut asked = Command::new(midrun());
    asked.args(words.split_whitespace()).current_dir(scratch.directory());
    Process::start(scratch, "ask", asked).wait()
}

/// What it prints, which must be the same twice.
fn asked(scratch: &Scratch, words: &str) -> Value {
    let [once, again] = [(); 2].map(|()| ask(scratch, words));
    assert_eq!(once.code, 0, "{words}: {}", once.err);
    assert_eq!(once.out, again.out, "{words} prints the same twice");
    serde_json::from_str(&once.out).unwrap_or_else(|error| panic!("{error} in {}", once.out))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

/// Whether what was measured lies where the prediction says it does.
fn is_foreseen(answer: &Value) -> bool {
    (number(&answer["low_s"])..=number(&answer["high_s"])).contains(&number(&answer["measured_s"]))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

const UNEVEN: &str =
    "mw_synthetic --tasks 400 --iterations 10 --mean-us 2000 --sigma-pct 80 --work sleep --seed 7 --technique none";

#[each_mpi]
fn a_replay_decides_as_the_run_did_and_other_options_are_advice(mpi: Mpi) {
    let scratch = Scratch::new();
    let ended = start(&scratch, mpi, "--record r.rec --summary s.json", 9, UNEVEN).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    assert!(summary.count("/actions/applied") >= 1, "{mpi:?}: something is decided\n{}", ended.err);
    let replay = asked(&scratch, "replay r.rec --json");
    assert_eq!(replay["whole"], true);
    assert_eq!(replay["summary"], summary.0, "{mpi:?}: all that the summary tells comes again");
    let gss = asked(&scratch, "replay r.rec --technique gss --objective fixed --json");
    assert_eq!(gss["summary"]["actions"]["sent"], 0, "{gss}");
    let decision = &gss["summary"]["decisions"][0];
    assert!(decision["verdict"] == "advised" && decision["to"].as_str().is_some_and(|to| to.starts_with("gss")));
    let notices = gss["told"].as_array().expect("a list");
    assert!(notices.iter().any(|line| line["notice"]["event"] == "recorded-change"), "{gss}");
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_recorded_setting_is_predicted_as_it_was_measured_and_another_as_it_will_be(mpi: Mpi) {
    let scratch = Scratch::new();
    start(&scratch, mpi, "--dry-run --record r.rec", 9, UNEVEN).succeed();
    let known = asked(&scratch, "predict run r.rec --json");
    let answer = &known["answers"][0];
    assert!(is_foreseen(answer), "{mpi:?}: {answer}");
    assert_eq!((&answer["workers"], &answer["technique"]), (&8.into(), &"none".into()));
    let error = &answer["error"];
    assert!(error["count"] == 10 && number(&error["median"]) <= number(&error["worst"]), "{answer}");
    // What it says of a quarter of the workers under another technique, and what they measure.
    let other = asked(&scratch, "predict run r.rec --workers 2 --technique gss --iterations 10 --json");
    let line = UNEVEN.replace("--technique none", "--technique gss");
    start(&scratch, mpi, "--dry-run --summary s.json", 3, &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    let (times, ideals) = (summary.list("iteration_s"), summary.list("ideal_s"));
    let over_ideal = median(times.iter().zip(ideals).map(|(time, ideal)| number(time) / number(ideal)).collect());
    let answer = &other["answers"][0];
    // Over the ideal times of their own runs: the machine may be busier in one run than in the other.
    let foreseen = number(&answer["predicted_s"]) / number(&answer["ideal_s"]);
    assert!((0.8..1.25).contains(&(foreseen / over_ideal)), "{mpi:?}: {over_ideal} over ideal, {answer}");
    assert!(number(&answer["low_s"]) < number(&answer["predicted_s"]));
    assert!(number(&answer["total_s"]) >= 10.0 * number(&answer["predicted_s"]), "{answer}");
}

#[each_mpi]
fn a_recorded_pipeline_is_replayed_and_predicted(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = "pipe_synthetic --inputs 400 --stages 5,20,5 --bytes 5000";
    start(&scratch, mpi, "--objective time --record r.rec --summary s.json", 8, job).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    let replay = asked(&scratch, "replay r.rec --json");
    assert_eq!(replay["summary"], summary.0, "{mpi:?}");
    let known = asked(&scratch, "predict run r.rec --json");
    for answer in known["answers"].as_array().expect("a list") {
        assert!(is_foreseen(answer), "{mpi:?}: {answer}");
    }
    let other = asked(&scratch, "predict run r.rec --replicas 1,2,1 --pattern 0-2 --json");
    let [two, alone] = [0, 1].map(|at| number(&other["answers"][at]["predicted_s"]));
    // All stages on one rank against the slowest one, with the times that this very run measured: 5 + 20 + 5 against 20 / 2 ms on a
    // quiet machine. Ranks that were slower than others lower the ratio: their slowness counts for the rank that gets the stage.
    let stage = |at: usize, key: &str| number(&known["stages"][at][key]);
    let [first_s, second_s, third_s] = [0, 1, 2].map(|at| stage(at, "compute_s"));
    let message_s = number(&known["start_up_s"]) + number(&known["per_byte_s"]) * stage(0, "message_bytes");
    let most = (first_s + second_s + third_s + 2.0 * message_s) / first_s.max(second_s / 2.0).max(third_s);
    assert!(alone > two && alone / two < 1.1 * most, "{mpi:?}: at most {most}, {other}");
}

#[each_mpi]
fn a_killed_midrun_leaves_a_recording_that_is_read_up_to_its_end(mpi: Mpi) {
    let scratch = Scratch::new();
    let until = format!("--until {}", scratch.path("end").display());
    let job = UNEVEN.replace("--iterations 10", &until);
    let run = start(&scratch, mpi, "--dry-run --record r.rec", 9, &job);
    let iterations = || {
        let read = ask(&scratch, "predict run r.rec --json");
        let known: Value = serde_json::from_str(&read.out).unwrap_or_default();
        known["recorded"][0]["iterations"].as_u64().unwrap_or(0)
    };
    wait_until("five iterations are recorded", || iterations() >= 5);
    run.signal(libc::SIGKILL);
    assert_eq!(run.wait().code, 128 + libc::SIGKILL);
    synthetic::end(&scratch);
    ranks::assert_all_gone(&scratch);
    let read = ask(&scratch, "replay r.rec");
    assert_eq!(read.code, 0, "{}", read.err);
    let line = read.err.trim_end();
    assert!(line.contains("r.rec") && line.contains("byte") && line.lines().count() == 1, "{line}");
    assert!(read.out.contains("iterations, 8 workers"), "{}", read.out);
    assert!(iterations() >= 5, "{}", iterations());
}

#[each_mpi]
fn a_full_disk_ends_the_recording_and_not_the_job(mpi: Mpi) {
    let scratch = Scratch::new();
    let small = Mount::at(scratch.path("small"), "size=16k");
    need!(small.is_some(), "nothing can be mounted");
    let ended = start(&scratch, mpi, "--record small/r.rec --summary s.json", 9, UNEVEN).succeed();
    assert_eq!(Summary::read(&scratch.path("s.json")).count("/iterations"), 10);
    let said = |what: &str| ended.err.lines().filter(|line| line.contains(what)).count();
    assert_eq!((said("the recording ends here"), said("events are missing")), (1, 1), "{}", ended.err);
    let read = ask(&scratch, "replay small/r.rec");
    assert!(read.code == 0 && read.err.contains("was not finished"), "{}", read.err);
}

#[test]
fn what_cannot_be_recorded_or_read_is_refused_before_anything_starts() {
    let mpi = Mpi::ALL.into_iter().find(|mpi| mpi.is_here());
    need!(mpi.is_some(), "there is no MPI");
    let mpi = mpi.expect("an MPI");
    let scratch = Scratch::new();
    std::fs::write(scratch.path("thesis.txt"), "chapter one").expect("a file");
    let refused = |ended: &Ended, parts: &[&str]| {
        ended.assert_refused(parts);
        assert!(ended.out.is_empty(), "{}", ended.out);
    };
    for (path, part) in
        [("none/r.rec", "No such file"), (".", "is no file"), ("thesis.txt", "exists and is no recording")]
    {
        let run = start(&scratch, mpi, &format!("--record {path}"), 3, UNEVEN);
        refused(&run.wait(), &["--record", path, part]);
    }
    let elsewhere = start(&scratch, mpi, "--record r.rec --analyzer http://127.0.0.1:9", 3, UNEVEN);
    refused(&elsewhere.wait(), &["--record", "http://127.0.0.1:9"]);
    assert_eq!(std::fs::read_to_string(scratch.path("thesis.txt")).expect("it"), "chapter one");
    for words in ["replay thesis.txt", "predict run thesis.txt", "replay none.rec", "replay ."] {
        refused(&ask(&scratch, words), &[words.split(' ').next_back().expect("a word")]);
    }
    assert!(!Path::new(&scratch.path("r.rec")).exists());
    scratch.assert_nothing_left();
}
