//! Synchronous sends of the frameworks (`mw.synchronous`, `pipe.synchronous`), in real jobs that check each task and each output.

use midrun_tests::ask::{ask, succeed};
use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::synthetic::{self, TECHNIQUES, assert_whole, combined, wait_for_iterations};
use midrun_tests::{Mpi, Process, Scratch, Summary, drawn, each_mpi, root, run, under_midrun, wait_until};
use std::process::Command;

const FARM: &str = "MIDRUN_MW_SYNCHRONOUS";
const PIPE: &str = "MIDRUN_PIPE_SYNCHRONOUS";
/// The outputs' words on a good run; `pipe_synthetic` ends with 0 only then.
const GOOD: &str = "lost 0, doubled 0, wrong 0, out of order 0";

fn started(line: &[String], variables: &[(&str, &str)]) -> Ended {
    let scratch = Scratch::new();
    let mut job = command(line);
    job.envs(variables.iter().copied());
    Process::start(&scratch, "job", job).wait()
}

fn farm(mpi: Mpi, ranks: u32, options: &str, team_size: &str) {
    let options = format!("--tasks 150 --mean-us 300 --sigma-pct 60 --iterations 3 {options}");
    let ended = started(&synthetic::line(mpi, ranks, &options), &[(FARM, "1"), ("MIDRUN_MW_TEAM_SIZE", team_size)]);
    assert_eq!(assert_whole(&ended).len(), 3, "{options}");
}

fn stream_line(mpi: Mpi, ranks: u32, options: &str) -> Vec<String> {
    let mut line = mpi.line(ranks, &mpi.example("pipe_synthetic"));
    line.extend(options.split_whitespace().map(str::to_owned));
    line
}

fn assert_good(ended: &Ended) {
    assert_eq!(ended.code, 0, "{}\n{}", ended.out, ended.err);
    assert!(ended.out.lines().any(|line| line.contains(GOOD)), "{}", ended.out);
    assert!(ended.out.lines().all(|line| !line.contains("lost") || line.contains(GOOD)), "{}", ended.out);
}

/// The library that, preloaded, counts the sends of the frameworks.
fn counting(mpi: Mpi, scratch: &Scratch) -> String {
    let library = scratch.path("sends.so");
    let mut compile = Command::new(format!("mpicc.{}", mpi.name()));
    compile.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(root().join("tests/programs/counted_sends.c"));
    assert!(compile.arg("-ldl").status().is_ok_and(|status| status.success()));
    library.display().to_string()
}

/// Sends of all ranks: of the standard mode, and synchronous ones.
fn sends(mpi: Mpi, line: &[String], variables: &[(&str, &str)]) -> [u64; 2] {
    let scratch = Scratch::new();
    let library = counting(mpi, &scratch);
    let ended = started(line, &[variables, &[("LD_PRELOAD", library.as_str())]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    modes(&ended)
}

fn modes(ended: &Ended) -> [u64; 2] {
    let lines = ended.err.lines().filter_map(|line| line.strip_prefix("sends: "));
    let counts = lines.map(|line| {
        let mut numbers = line.split(' ').filter_map(|word| word.parse::<u64>().ok());
        [numbers.next().expect("a number"), numbers.next().expect("another")]
    });
    counts.fold([0, 0], |sum, ranks| [sum[0] + ranks[0], sum[1] + ranks[1]])
}

#[each_mpi]
fn chunks_results_and_items_are_sent_synchronously_when_asked_for_and_only_then(mpi: Mpi) {
    let line = synthetic::line(mpi, 4, "--tasks 90 --mean-us 200 --iterations 1 --technique ss --bytes 9");
    let [_, none] = sends(mpi, &line, &[]);
    let [_, all] = sends(mpi, &line, &[(FARM, "1")]);
    assert_eq!((none, all), (0, 2 * 90), "{mpi:?}: a chunk and a result of each task");
    let line = stream_line(mpi, 4, "--inputs 60 --stages 0.2,0.2,0.2");
    let [_, none] = sends(mpi, &line, &[]);
    let [_, all] = sends(mpi, &line, &[(PIPE, "1")]);
    assert_eq!((none, all), (0, 4 * 60), "{mpi:?}: to three stages and back");
}

#[each_mpi]
fn each_task_is_computed_once_with_every_technique_and_option(mpi: Mpi) {
    let options = ["--recall", "--chunks", "--recall --chunks", "--master-works", "--bytes 300000", "--counter"];
    let plain = combined(&TECHNIQUES, &["--bytes 9"]);
    for line in drawn(8, plain.into_iter().chain(combined(&["ss", "gss --result-bytes 300000"], &options))) {
        farm(mpi, 4, &line, "0");
    }
    farm(mpi, 4, "--tasks 0", "0");
    farm(mpi, 4, "--tasks 1", "0");
}

#[each_mpi]
fn each_task_is_computed_once_in_sub_teams(mpi: Mpi) {
    for options in ["--technique none", "--technique ss", "--technique ss --recall --bytes 300000"] {
        farm(mpi, 7, &format!("--bytes 9 {options}"), "3");
    }
}

#[each_mpi]
fn a_user_turns_them_on_and_off_while_the_program_runs(mpi: Mpi) {
    let scratch = Scratch::new();
    let options = "--tasks 120 --mean-us 1000 --sigma-pct 60 --bytes 9 --slow-workers 0.5:4";
    let line = synthetic::endless_line(&scratch, mpi, 4, options);
    let flags = ["--technique", "ss", "--objective", "fixed", "--summary", "s.json"];
    let mut job = run::command(&scratch, &flags, &line);
    job.env("LD_PRELOAD", counting(mpi, &scratch));
    let mut job = Process::start(&scratch, "run", job);
    wait_for_iterations(&mut job, 2);
    for (what, value) in
        [("synchronous", "1"), ("recall", "1"), ("workers", "2"), ("synchronous", "0"), ("synchronous", "1")]
    {
        let text = succeed(&scratch, &["set", &format!("mw.{what}"), value]);
        assert!(text.starts_with(&format!("mw.{what} = {value} applied on rank 0 at iteration ")), "{text}");
        wait_for_iterations(&mut job, 3);
    }
    synthetic::end(&scratch);
    let ended = job.succeed();
    assert_whole(&ended);
    assert!(modes(&ended).iter().all(|sends| *sends > 0), "{}", ended.err);
    Summary::read(&scratch.path("s.json")).assert_contract();
}

#[each_mpi]
fn a_search_tries_both_and_the_tunlet_leaves_the_choice_to_the_user(mpi: Mpi) {
    let line = synthetic::line(mpi, 3, "--tasks 60 --iterations 24 --mean-us 500 --bytes 9");
    let scratch = Scratch::new();
    let flags = ["--search", "mw.synchronous=0..1", "--no-memory", "--summary", "s.json"];
    assert_whole(&under_midrun(&scratch, "run", &flags, &line).succeed());
    let summary = Summary::read(&scratch.path("s.json"));
    let tried = summary.0["search"]["tried"].as_array().expect("a list");
    assert!(tried.iter().any(|line| line["values"][0] == 1.0), "{}", summary.0["search"]);
    let scratch = Scratch::new();
    let mut job = run::command(&scratch, &["--summary", "s.json"], &line);
    job.env(FARM, "1");
    assert_whole(&Process::start(&scratch, "run", job).succeed());
    let summary = Summary::read(&scratch.path("s.json"));
    assert!(!summary.0["decisions"].to_string().contains("mw.synchronous"), "{}", summary.0["decisions"]);
}

#[each_mpi]
fn every_input_passes_a_stream_that_sends_synchronously(mpi: Mpi) {
    let changes = "--change 20:0,1x4,2x2 --change 40:0-1x5,2 --change 41:0-2x7 --change 60:0x3m,1x2s,2";
    for options in [
        "--inputs 50 --stages 0.3,0.3,0.3",
        "--inputs 100 --stages 0.3,1,0.5 --sigma-pct 80 --pattern 0,1x4,2x2",
        "--inputs 100 --stages 0.3,1,0.5 --sigma-pct 80 --pattern 0,1x4m,2 --unordered --runs 2",
        "--inputs 12 --stages 1,1,1 --bytes 9000000",
        &format!("--inputs 100 --stages 0.3,1,0.5 --sigma-pct 80 --bytes 30000 {changes}"),
        "--inputs 60 --stages 1,1,1 --sigma-pct 80 --many 1 --pattern 0,1x3,2x3",
        "--inputs 60 --stages 0.5,1,0.5,0.5 --sigma-pct 80 --stateful 2 --runs 2",
    ] {
        assert_good(&started(&stream_line(mpi, 8, options), &[(PIPE, "1")]));
    }
}

#[each_mpi]
fn a_user_turns_them_on_and_off_while_data_flows(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = stream_line(mpi, 5, "--inputs 2500 --stages 2,4,2 --sigma-pct 50 --bytes 30000");
    let mut job = run::command(&scratch, &["--objective", "fixed", "--summary", "s.json"], &line);
    job.env("LD_PRELOAD", counting(mpi, &scratch));
    let job = Process::start(&scratch, "run", job);
    wait_until("the stream runs", || ask(&scratch, &["set", "pipe.synchronous", "0"]).0 == 0);
    for value in ["1", "0", "1"] {
        let text = succeed(&scratch, &["set", "pipe.synchronous", value]);
        assert!(text.starts_with(&format!("pipe.synchronous = {value} applied on rank 0")), "{text}");
    }
    let ended = job.succeed();
    assert_good(&ended);
    assert!(modes(&ended).iter().all(|sends| *sends > 0), "{}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert!(summary.list("pattern").len() >= 4, "the first and three changes: {}", summary.0["pattern"]);
}

#[each_mpi]
fn a_value_that_makes_no_sense_is_said_in_one_sentence_and_changes_nothing(mpi: Mpi) {
    let jobs = [
        (FARM, synthetic::line(mpi, 4, "--tasks 60 --iterations 2")),
        (PIPE, stream_line(mpi, 4, "--inputs 20 --stages 0.2,0.2,0.2")),
    ];
    for (variable, line) in jobs {
        let ended = started(&line, &[(variable, "yes")]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        let sentence = format!("{variable}=yes is neither 0 nor 1: make it 1 for synchronous sends, 0 for none");
        assert_eq!(ended.err.matches(&sentence).count(), 1, "{}", ended.err);
    }
}
