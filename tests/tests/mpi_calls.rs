//! The program's MPI calls, counted: exactly, from C and Fortran, beside other tools, and without changing what it computes.

use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{ActionStatus, TuningPointDeclared};
use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::scripted_analyzer::ScriptedAnalyzer;
use midrun_tests::{
    Agent, Analyzer, Mpi, Process, Scratch, Summary, drawn, each_mpi, midrun, need, root, run, synthetic, wait_until,
};

fn source(name: &str) -> PathBuf {
    root().join("tests/programs").join(name)
}

/// `midrun run -- LINE` with variables; it ends well.
fn counted(scratch: &Scratch, name: &str, line: &[String], variables: &[(&str, &str)]) -> Ended {
    let mut run = run::command(scratch, &["--summary", "s.json"], line);
    run.envs(variables.iter().copied());
    Process::start(scratch, name, run).succeed()
}

/// Runs a program without and with midrun: it says the same.
fn both(scratch: &Scratch, mpi: Mpi, ranks: u32, program: &Path) -> (Ended, Summary) {
    let line = mpi.line(ranks, program);
    let alone = Process::start(scratch, "alone", command(&line)).succeed();
    let counted = counted(scratch, "run", &line, &[]);
    assert!(!alone.out.is_empty() && alone.out == counted.out, "{mpi:?}: {} {}", alone.out, counted.out);
    scratch.assert_nothing_left();
    (counted, Summary::read(&scratch.path("s.json")))
}

/// Checks (call, class, count, bytes) and that nothing else was counted.
fn assert_calls(mpi: Mpi, summary: &Summary, wanted: &[(&str, &str, u64, u64)]) {
    for (call, class, count, bytes) in wanted {
        let key = |what| format!("/mpi_calls/MPI_{call}/{class}/{what}");
        assert_eq!(summary.count(&key("count")), *count, "{mpi:?}: {call} {class}");
        assert_eq!(summary.count(&key("bytes")), *bytes, "{mpi:?}: bytes of {call} {class}");
    }
    let calls = summary.0["mpi_calls"].as_object().expect("calls");
    let lines: usize = calls.values().map(|classes| classes.as_object().expect("classes").len()).sum();
    assert_eq!(lines, wanted.len(), "{mpi:?}: {}", summary.0["mpi_calls"]);
    let local = "/mpi_calls/MPI_Comm_rank/local/time_s";
    assert!(summary.0.pointer(local).and_then(serde_json::Value::as_f64).is_some_and(|s| s > 0.0));
    assert_eq!(summary.count("/pop/uncounted"), 0);
}

const FOUR: &[(&str, &str, u64, u64)] = &[
    ("Allgather", "collective", 4, 16),
    ("Allreduce", "collective", 400, 1600),
    ("Alltoallv", "collective", 4, 64),
    ("Barrier", "collective", 8, 0),
    ("Bcast", "collective", 4, 64),
    ("Comm_dup", "collective", 4, 0),
    ("Comm_free", "collective", 4, 0),
    ("Comm_rank", "local", 4, 0),
    ("Comm_size", "local", 4, 0),
    ("Gather", "collective", 4, 16),
    ("Gatherv", "collective", 4, 16),
    ("Ibarrier", "collective", 4, 0),
    ("Irecv", "same_host", 400, 25600),
    ("Isend", "same_host", 400, 25600),
    ("Put", "same_host", 4, 16),
    ("Recv", "same_host", 404, 1616),
    ("Recv_init", "same_host", 4, 16),
    ("Reduce", "collective", 4, 32),
    ("Request_free", "local", 8, 0),
    ("Send", "same_host", 404, 1616),
    ("Send", "local", 4, 0),
    ("Send_init", "same_host", 4, 16),
    ("Sendrecv", "same_host", 4, 32),
    ("Startall", "same_host", 400, 1600),
    ("Wait", "local", 4, 0),
    ("Waitall", "local", 800, 0),
    ("Win_create", "collective", 4, 0),
    ("Win_fence", "collective", 8, 0),
    ("Win_free", "collective", 4, 0),
];

#[each_mpi]
fn every_call_and_byte_of_a_known_program_is_counted(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("known_calls.c"), &[]);
    let (_, summary) = both(&scratch, mpi, 4, &program);
    assert_calls(mpi, &summary, FOUR);
    assert_eq!(summary.0["pop"]["ranks"].as_array().map(Vec::len), Some(4));
}

#[each_mpi]
fn calls_of_four_threads_at_a_time_are_all_counted(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("threaded_calls.c"), &["-pthread".into()]);
    let (ended, summary) = both(&scratch, mpi, 2, &program);
    assert!(ended.out.contains("level 1"), "{mpi:?} has threads: {}", ended.out);
    let wanted = [
        ("Comm_rank", "local", 2, 0),
        ("Isend", "same_host", 8000, 64000),
        ("Recv", "same_host", 8000, 64000),
        ("Wait", "local", 8000, 0),
    ];
    assert_calls(mpi, &summary, &wanted);
}

#[each_mpi]
fn calls_inside_calls_are_not_counted(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("nested_calls.c"), &[]);
    let (_, summary) = both(&scratch, mpi, 2, &program);
    let wanted = [
        ("Comm_rank", "local", 2, 0),
        ("Allreduce", "collective", 2, 8),
        ("Comm_dup", "collective", 2, 0),
        ("Barrier", "collective", 2, 0),
    ];
    assert_calls(mpi, &summary, &wanted);
}

#[each_mpi]
fn calls_that_are_too_many_to_time_each_are_sampled_and_counted_exactly(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("many_calls.c"), &[]);
    let (ended, summary) = both(&scratch, mpi, 2, &program);
    assert!(ended.err.contains("too often to time each call within the budget"), "{mpi:?}: {}", ended.err);
    let line = |summary: &Summary, call: &str, class: &str| {
        let line = summary.0["mpi_calls"][call][class].clone();
        let number = |what: &str| line[what].as_u64().unwrap_or_else(|| panic!("{mpi:?}: {what} of {call}: {line}"));
        ([number("count"), number("bytes")], number("timed"), line["time_s"].as_f64().expect("a time"))
    };
    let ([questions, bytes], timed, asking_s) = line(&summary, "MPI_Comm_size", "local");
    assert_eq!([questions, bytes], [4_000_000, 0], "{mpi:?}: the number is exact");
    assert!(timed > 0 && timed < questions / 4, "{mpi:?}: {timed} of {questions}");
    let runtime_s = summary.0["pop"]["runtime_s"].as_f64().expect("a time");
    assert!(asking_s > 0.0 && asking_s < 2.0 * runtime_s, "{mpi:?}: {asking_s} of {runtime_s} s on each rank");
    let (sends, _, _) = line(&summary, "MPI_Send", "same_host");
    assert_eq!(sends, [2000, 2000 * 64], "{mpi:?}");
    // Rank 0 waits for rank 1: what takes long is timed, however many other calls there are.
    let (barriers, timed, waiting_s) = line(&summary, "MPI_Barrier", "collective");
    assert_eq!((barriers, timed), ([40, 0], 40), "{mpi:?}");
    assert!(waiting_s > 0.1, "{mpi:?}: {waiting_s} s of 0.4 s");
    for rank in summary.0["pop"]["ranks"].as_array().expect("ranks") {
        let s = |what: &str| rank[what].as_f64().expect("a time");
        assert!(s("useful_s") >= 0.0 && s("waiting_s") + s("mpi_s") <= 1.001 * runtime_s, "{mpi:?}: {rank}");
    }
    // A user who wants each call timed pays for it.
    counted(&scratch, "each", &mpi.line(2, &program), &[("MIDRUN_BUDGET", "100")]);
    let (_, timed, _) = line(&Summary::read(&scratch.path("s.json")), "MPI_Comm_size", "local");
    assert_eq!(timed, 4_000_000, "{mpi:?}");
}

#[each_mpi]
fn calls_of_fortran_are_counted_once_by_each_of_its_bindings(mpi: Mpi) {
    for (name, flags) in [("fortran_mpi.F90", &["-DMPIF"][..]), ("fortran_mpi.F90", &[]), ("fortran_f08.f90", &[])] {
        let scratch = Scratch::new();
        let program = mpi.compile_fortran(&scratch, &source(name), flags);
        need!(program.is_some(), "no Fortran");
        let (_, summary) = both(&scratch, mpi, 2, &program.expect("a program"));
        let wanted = [
            ("Allreduce", "collective", 4, 72),
            ("Barrier", "collective", 2, 0),
            ("Comm_dup", "collective", 2, 0),
            ("Comm_free", "collective", 2, 0),
            ("Comm_rank", "local", 2, 0),
            ("Comm_size", "local", 2, 0),
            ("Irecv", "same_host", 100, 400),
            ("Isend", "same_host", 200, 800),
            ("Recv", "same_host", 100, 400),
            ("Sendrecv", "same_host", 2, 16),
            ("Wait", "local", 100, 0),
            ("Waitall", "local", 100, 0),
        ];
        assert_calls(mpi, &summary, &wanted);
    }
}

/// Runs the known program on 2 ranks with libraries preloaded in this order, under an agent of its own.
fn preloaded(scratch: &Scratch, mpi: Mpi, order: &[&Path]) -> (Ended, String) {
    let analyzer = Analyzer::start(scratch);
    let agent = Agent::start(scratch, &analyzer.url);
    let program = mpi.compile(scratch, &source("known_calls.c"), &[]);
    let libraries: Vec<String> = order.iter().map(|path| path.display().to_string()).collect();
    let mut words = mpi.line(2, Path::new("env"));
    words.push(format!("LD_PRELOAD={}", libraries.join(":")));
    words.push(program.display().to_string());
    let mut job = command(&words);
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "stacked");
    let ended = Process::start(scratch, "job", job).succeed();
    drop(agent);
    (ended, analyzer.url.clone())
}

#[each_mpi]
fn another_tool_counts_its_calls_before_or_behind_midrun(mpi: Mpi) {
    for midrun_first in [true, false] {
        let scratch = Scratch::new();
        let tool = scratch.path("tool.so");
        let mut compile = Command::new(format!("mpicc.{}", mpi.name()));
        compile.args(["-shared", "-fPIC", "-o"]).arg(&tool).arg(source("counting_tool.c"));
        assert!(compile.status().is_ok_and(|status| status.success()));
        let ours = mpi.library().canonicalize().expect("libmidrun");
        let order = if midrun_first { [&*ours, &*tool] } else { [&*tool, &*ours] };
        let (ended, _) = preloaded(&scratch, mpi, &order);
        assert!(ended.out.contains("tool: 1 inits, 102 sends, 100 reductions"), "{mpi:?}: {}", ended.out);
        assert!(ended.out.contains("sum "), "{mpi:?}: {}", ended.out);
        if !midrun_first {
            continue; // the tool calls PMPI functions: its calls end there, MPI_Init among them
        }
        // The same once more under midrun run, which puts itself first.
        let line = mpi.line(2, &scratch.path("program"));
        let tool = tool.display().to_string();
        let run = counted(&scratch, "run", &line, &[("LD_PRELOAD", &tool)]);
        assert!(run.out.contains("tool: 1 inits, 102 sends, 100 reductions"), "{mpi:?}: {}", run.out);
        let summary = Summary::read(&scratch.path("s.json"));
        assert_eq!(summary.count("/mpi_calls/MPI_Send/same_host/count"), 202, "{mpi:?}");
        assert_eq!(summary.count("/mpi_calls/MPI_Allreduce/collective/count"), 200, "{mpi:?}");
    }
}

#[each_mpi]
fn switched_off_or_without_an_agent_nothing_is_counted_and_nothing_changes(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("known_calls.c"), &[]);
    let line = mpi.line(2, &program);
    let alone = Process::start(&scratch, "alone", command(&line)).succeed();
    let off = counted(&scratch, "off", &line, &[("MIDRUN_OFF", "1")]);
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!((summary.count("/ranks"), summary.0["pop"].is_null()), (0, true), "{}", summary.0);
    let mut words = mpi.line(2, Path::new("env"));
    let library = mpi.library().canonicalize().expect("libmidrun");
    words.extend([format!("LD_PRELOAD={}", library.display()), program.display().to_string()]);
    let without = Process::start(&scratch, "without", command(&words)).succeed();
    assert_eq!([&alone.out, &alone.out], [&off.out, &without.out], "{mpi:?}");
    assert!(without.err.is_empty() || mpi == Mpi::OpenMpi, "{}", without.err);
}

#[each_mpi]
fn an_agent_killed_in_the_middle_leaves_a_program_of_plain_calls_alone(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    let program = mpi.compile(&scratch, &source("uneven.c"), &[]);
    let mut words = mpi.line(3, Path::new("env"));
    let library = mpi.library().canonicalize().expect("libmidrun");
    words.extend([format!("LD_PRELOAD={}", library.display()), program.display().to_string()]);
    let mut job = command(&words);
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "killed");
    let mut job = Process::start(&scratch, "job", job);
    wait_until("the ranks are there", || analyzer.process.err().contains("killed") || !job.is_running());
    agent.process.signal(libc::SIGKILL);
    job.succeed();
}

fn share(value: &serde_json::Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// Seconds that each of 4 ranks of `uneven.c` slept, and that it took in all, in each of 5 iterations, by its own clock.
fn own_times(out: &str) -> Vec<[(f64, f64); 4]> {
    let line = |rank: usize, iteration: usize| {
        let head = format!("rank {rank} iteration {iteration}: ");
        let found = out.lines().find_map(|line| line.split_once(&head)?.1.strip_suffix(" s")?.split_once(" of "));
        let (slept, whole) = found.unwrap_or_else(|| panic!("{head} in {out}"));
        (slept.parse().expect("seconds"), whole.parse().expect("seconds"))
    };
    (0..5).map(|iteration| std::array::from_fn(|rank| line(rank, iteration))).collect()
}

/// The efficiencies are those that the ranks' own clocks show, up to what happens between two clocks. With more ranks than cores,
/// naps end late, so that nothing can be said of them beforehand.
fn assert_uneven(mpi: Mpi, pop: &serde_json::Value, own: [(f64, f64); 4], whole_s: f64) {
    let (balance, communication) = (share(pop, "load_balance"), share(pop, "communication_efficiency"));
    let longest = own.iter().map(|(slept_s, _)| *slept_s).fold(0.0, f64::max);
    let own_balance = own.iter().map(|(slept_s, _)| slept_s).sum::<f64>() / 4.0 / longest;
    assert!((balance - own_balance).abs() < 0.05, "{mpi:?}: {own:?} {pop}");
    assert!((communication - longest / whole_s).abs() < 0.1, "{mpi:?}: {own:?} {pop}");
    assert!((share(pop, "parallel_efficiency") - balance * communication).abs() < 1e-9);
}

#[each_mpi]
fn the_efficiencies_of_an_uneven_program_are_those_of_its_work(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("uneven.c"), &[]);
    let ended = counted(&scratch, "run", &mpi.line(4, &program), &[]);
    let summary = Summary::read(&scratch.path("s.json"));
    let pop = &summary.0["pop"];
    let sum =
        |rank: usize| own_times(&ended.out).iter().fold((0.0, 0.0), |s, own| (s.0 + own[rank].0, s.1 + own[rank].1));
    let own: [(f64, f64); 4] = std::array::from_fn(sum);
    assert_uneven(mpi, pop, own, own.iter().map(|(_, whole_s)| *whole_s).fold(0.0, f64::max));
    assert!(ended.err.contains("POP efficiencies: parallel "), "{}", ended.err);
    let waits = |rank: usize| share(&pop["ranks"][rank], "waiting_s");
    assert!(waits(1) > waits(0) + 0.2, "{mpi:?}: {pop}");
}

#[each_mpi]
fn each_iteration_has_its_own_efficiencies(mpi: Mpi) {
    let scratch = Scratch::new();
    let marked = scratch.path("marked.c");
    let text = std::fs::read_to_string(source("uneven.c")).expect("the source");
    std::fs::write(&marked, text.replacen("#include <mpi.h>", "#define WITH_MARKS\n#include <mpi.h>", 1)).expect("it");
    let program = mpi.compile_with_midrun(&scratch, &marked);
    let ended = counted(&scratch, "run", &mpi.line(4, &program), &[]);
    let summary = Summary::read(&scratch.path("s.json"));
    let iterations = summary.0["pop"]["iterations"].as_array().expect("a list");
    assert_eq!(iterations.len(), 5, "{mpi:?}: {}", summary.0["pop"]);
    // Rank 0 marks the iterations.
    iterations.iter().zip(own_times(&ended.out)).for_each(|(line, own)| assert_uneven(mpi, line, own, own[0].1));
}

#[each_mpi]
fn waiting_in_a_framework_is_not_useful_time(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(5, &mpi.example("mw_synthetic"));
    let job = ["--tasks", "200", "--iterations", "4", "--mean-us", "2000", "--technique", "none"];
    line.extend(job.iter().map(|word| (*word).to_owned()));
    counted(&scratch, "run", &line, &[]);
    let summary = Summary::read(&scratch.path("s.json"));
    let pop = &summary.0["pop"];
    let of = |rank: usize, key: &str| share(&pop["ranks"][rank], key);
    // 1.6 s of tasks over 4 workers; the master's time is the framework's.
    assert!((1..5).all(|rank| of(rank, "useful_s") > 0.3), "{mpi:?}: {pop}");
    assert!(of(0, "framework_s") > 0.3 && of(0, "useful_s") < of(0, "framework_s"), "{mpi:?}: {pop}");
}

#[each_mpi]
fn a_variable_of_a_program_without_marks_is_set_at_its_mpi_calls(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = ScriptedAnalyzer::start();
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut link = analyzer.welcome(0);
    let program = mpi.compile_with_midrun(&scratch, &source("unmarked.c"));
    let mut job = command(&mpi.line(3, &program));
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "scripted");
    let job = Process::start(&scratch, "job", job);
    let mut results = Vec::new();
    while let Some(events) = link.events() {
        for (rank, event) in events {
            match event {
                Kind::TuningPointDeclared(TuningPointDeclared { name, .. }) if name == "BUFFERS" => {
                    link.act(1, "scripted", rank, &[("BUFFERS", 7.0)]);
                }
                Kind::ActionResult(result) => results.push(result.status()),
                _ => {}
            }
        }
    }
    let ended = job.succeed();
    assert!(ended.out.contains("BUFFERS 7"), "{mpi:?}: {}", ended.out);
    assert_eq!(results, [ActionStatus::Applied], "{mpi:?}");
}

#[each_mpi]
fn a_program_without_marks_is_searched_by_the_period_of_its_mpi_calls(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &source("unmarked.c"));
    let flags = ["--search", "BUFFERS=1..9", "--summary", "s.json"];
    let ended = run::under_midrun(&scratch, "run", &flags, &mpi.line(3, &program)).succeed();
    assert!(!ended.out.contains("BUFFERS 1\n"), "the search has set it: {mpi:?}: {}", ended.out);
    assert!(ended.err.contains("each MPI_Bcast ends an iteration"), "{mpi:?}: {}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    let period = &summary.0["call_period"];
    assert_eq!((&period["call"], &period["every"]), (&"MPI_Bcast".into(), &1.into()), "{mpi:?}: {period}");
    assert_eq!(period["calls"], serde_json::json!({"MPI_Barrier": 2, "MPI_Bcast": 1}), "{mpi:?}");
    assert!(summary.count("/iterations") > 0 && !summary.list("decisions").is_empty(), "{mpi:?}: {}", summary.0);
}

#[each_mpi]
fn after_a_phase_of_the_program_the_next_ones_period_is_searched(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("phases.c"), &["-O1".into(), "-g".into()]);
    std::fs::write(scratch.path("points"), "tune blocks variable blocks int 1..64\n").expect("the points");
    let flags = ["--search", "blocks=4,12,30 categorical", "--points", "points", "--summary", "s.json", "--no-memory"];
    let ended = run::under_midrun(&scratch, "run", &flags, &mpi.line(3, &program)).succeed();
    let said = "MPI_Bcast, which ended the iterations, is not called any more";
    assert!(ended.err.contains(said), "{mpi:?}: {}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    let calls = &summary.0["call_period"]["calls"];
    assert_eq!(*calls, serde_json::json!({"MPI_Allreduce": 1, "MPI_Barrier": 1}), "{mpi:?}: {}", ended.err);
    assert!(ended.out.contains("solved with 12 blocks"), "{mpi:?}: {} {}", ended.out, ended.err);
}

#[each_mpi]
fn a_master_is_recognised_from_who_sends_to_whom(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("classic_mw.c"), &["-O2".into()]);
    let (ended, summary) = both(&scratch, mpi, 5, &program);
    let team = summary.0.pointer("/teams/0").unwrap_or_else(|| panic!("{mpi:?}: {}", summary.0));
    assert_eq!((&team["master"], &team["workers"]), (&0.into(), &serde_json::json!([1, 2, 3, 4])), "{mpi:?}: {team}");
    assert_eq!(team["share"], 1.0, "{mpi:?}: {team}");
    let share = |key: &str| team[key].as_f64().unwrap_or(-1.0);
    assert!(
        ["computing", "load_balance", "master_busy"].iter().all(|key| (0.0..=1.0).contains(&share(key))),
        "{mpi:?}: {team}"
    );
    assert!(team["most_workers"].as_u64().is_some_and(|most| most > 0), "{mpi:?}: {team}");
    assert!(
        ended.err.contains("4 ranks exchange messages with rank 0 alone (100.0 %), as workers do with a master"),
        "{mpi:?}: {}",
        ended.err
    );
}

#[each_mpi]
fn of_a_master_that_polls_nobody_says_how_busy_it_is_where_its_workers_poll_too(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("asked.c"), &["-O1".into()]);
    let (_, summary) = both(&scratch, mpi, 5, &program);
    let team = summary.0.pointer("/teams/0").unwrap_or_else(|| panic!("{mpi:?}: {}", summary.0));
    assert_eq!((&team["master"], &team["share"]), (&0.into(), &1.0.into()), "{mpi:?}: {team}");
    assert!(team["master_busy"].is_null() && team["most_workers"].is_null(), "{mpi:?}: {team}");
}

#[each_mpi]
fn a_pipeline_by_hand_is_no_master_with_workers(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("relay.c"), &["-O1".into(), "-g".into()]);
    std::fs::write(scratch.path("points"), "iteration function work_on\nwork function work_on\n").expect("the points");
    let flags = ["--summary", "s.json", "--points", "points"];
    let ended = midrun_tests::under_midrun(&scratch, "run", &flags, &mpi.line(4, &program)).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.0["messages_go_one_way"], true, "{mpi:?}: {}", ended.err);
    assert!(summary.0["advice"].is_null(), "{mpi:?}: {}", ended.err);
    for (part, is_said) in [
        ("it is no faster than rank 1, which computes for", true),
        ("here is no master: it tuned nothing", true),
        ("over ideal", false),
        ("next time ask for", false),
    ] {
        assert_eq!(ended.err.contains(part), is_said, "{mpi:?}: {part}: {}", ended.err);
    }
}

#[each_mpi]
fn a_rank_whose_threads_communicate_is_as_busy_as_they_are(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("waiting_threads.c"), &["-pthread".into()]);
    let (_, summary) = both(&scratch, mpi, 2, &program);
    // Rank 0's threads compute for 0.6 s, those of rank 1 wait for them; both main threads wait for their threads.
    let ranks = summary.0["pop"]["ranks"].as_array().expect("ranks");
    let time = |rank: usize, what: &str| ranks[rank][what].as_f64().expect("seconds");
    let lasted = summary.0["pop"]["runtime_s"].as_f64().expect("seconds");
    assert!(time(1, "waiting_s") > 0.5 && time(1, "useful_s") < lasted - 0.5, "{mpi:?}: {ranks:?}");
    assert!(time(0, "useful_s") > 0.5, "{mpi:?}: {ranks:?}");
    let balance = summary.0["pop"]["load_balance"].as_f64().expect("a share");
    assert!(balance < 0.95, "{mpi:?}: {}", summary.0["pop"]);
}

/// Of `mw_synthetic` with four workers per core: the summary, and what midrun said.
fn crowded(mpi: Mpi, work: &str) -> (Summary, String) {
    let scratch = Scratch::new();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let options = format!("--work {work} --tasks 400 --mean-us 5000 --sigma-pct 0 --iterations 6");
    let line = synthetic::line(mpi, 4 * cores as u32 + 1, &options);
    let ended = counted(&scratch, "run", &line, &[]);
    (Summary::read(&scratch.path("s.json")), ended.err)
}

#[each_mpi]
fn ranks_that_wait_for_cores_are_named_and_no_more_of_them_advised(mpi: Mpi) {
    let (summary, said) = crowded(mpi, "spin");
    let delay = share(&summary.0["pop"], "run_delay");
    assert!(delay > 0.5 && delay <= 1.0, "{mpi:?}: {delay} {said}");
    assert!(said.contains("had no core for"), "{said}");
    assert!(said.contains("bring more cores") && said.contains("core-bound"), "{said}");
    let advice = &summary.0["next_allocation"];
    assert!(advice["workers"].as_u64() <= advice["workers_now"].as_u64(), "{advice}");
    assert!(summary.0["pop"]["ranks"][1]["run_delay_s"].as_f64().is_some_and(|s| s > 0.0), "{}", summary.0["pop"]);
    let (sleeping, _) = crowded(mpi, "sleep");
    assert!(share(&sleeping.0["pop"], "run_delay") < delay, "{mpi:?}: {}", sleeping.0["pop"]);
}

/// The cost of a message on one host in a run of `line`, and what the job said.
fn own_link(scratch: &Scratch, mpi: Mpi, line: &[String], says: &str) -> (serde_json::Value, String) {
    let ended = counted(scratch, "run", line, &[]);
    assert!(ended.out.contains(says), "{}", ended.out);
    let links = Summary::read(&scratch.path("s.json")).0["links"].clone();
    let [link] = links.as_array().expect("a list").as_slice() else { panic!("{mpi:?}: {links}\n{}", ended.err) };
    assert_eq!((link["same_host"].as_bool(), link["samples"].as_u64()), (Some(true), Some(0)), "{link}");
    let time_s = |key: &str| link[key].as_f64().expect("a time");
    assert!(time_s("start_up_s") > 0.0 && time_s("start_up_error_s") > 0.0, "{mpi:?}: {link}");
    assert!(time_s("per_byte_s") >= 0.0 && time_s("per_byte_error_s") > 0.0, "{mpi:?}: {link}");
    (link.clone(), ended.err)
}

#[each_mpi]
fn a_program_with_its_own_loop_gets_the_cost_of_its_messages(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &root().join("benches/c/own_loop.c"), &[]);
    for calls in ["blocking", "nonblocking", "together", "sendrecv", "persistent"] {
        let mut line = mpi.line(2, &program);
        line.extend(["200", "500", "-", "65536", "500", calls].map(str::to_owned));
        let (link, said) = own_link(&scratch, mpi, &line, "answers 200");
        // Of 400 messages most find their receiver waiting, of exchanges half; where others use the cores, few do, and bytes may seem to take
        // no time.
        assert!(link["trips"].as_u64() >= Some(20) && link["trips"].as_u64() <= Some(401), "{mpi:?} {calls}: {link}");
        assert_eq!(said.matches("a message between ranks of one host takes ").count(), 1, "{mpi:?} {calls}: {said}");
    }
}

#[each_mpi]
fn so_does_one_in_fortran(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_fortran(&scratch, &source("own_loop.f90"), &["-O2", "-w", "-fallow-argument-mismatch"]);
    need!(program.is_some(), "no Fortran");
    let mut line = mpi.line(2, &program.expect("a program"));
    // 240 messages, one of each exchange of which finds its receiver waiting; 120 by persistent requests.
    for most in [240, 120] {
        let (link, _) = own_link(&scratch, mpi, &line, "done");
        assert!(link["trips"].as_u64() >= Some(20) && link["trips"].as_u64() <= Some(most), "{mpi:?}: {link}");
        line.push("persistent".to_owned());
    }
}

/// The elements of what is learnt of four ranks of `halo` that send.
fn learnt_halo(scratch: &Scratch, mpi: Mpi, program: &Path, calls: &str) -> Vec<String> {
    let name = calls.replace(' ', "-");
    let mut line = mpi.line(4, program);
    line.push("400".to_owned());
    line.extend(calls.split(' ').map(str::to_owned));
    let recording = format!("{name}.rec");
    let run = run::command(scratch, &["--summary", "s.json", "--record", &recording], &line);
    let ended = Process::start(scratch, "run", run).succeed();
    assert!(ended.err.contains("its MPI calls have a period of"), "{mpi:?} {calls}: {}", ended.err);
    let mut learn = Command::new(midrun());
    learn.args(["predict", "program", "--from", &recording, "--to", &name]).current_dir(scratch.directory());
    Process::start(scratch, "learn", learn).succeed();
    let learnt = std::fs::read_to_string(scratch.path(&format!("{name}.toml"))).expect("what was learnt");
    let sends = learnt.split("\n[element.").filter(|element| element.contains("kind = \"send\""));
    sends.map(str::to_owned).collect()
}

#[each_mpi]
fn the_neighbours_of_a_grid_are_learnt_from_a_recording(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("halo.c"), &[]);
    for calls in drawn(2, ["blocking", "nonblocking", "tested", "start", "startall"]) {
        let sends = learnt_halo(&scratch, mpi, &program, calls);
        // One message to each side and iteration, none beyond the ends.
        for (senders, to) in [("rank >= 1", "rank - 1"), ("rank <= 2", "rank + 1")] {
            let is_it = |element: &String| {
                element.contains(&format!("when = \"{senders}\"")) && element.contains(&format!("to = \"{to}\""))
            };
            assert!(sends.iter().any(is_it), "{mpi:?} {calls}: {sends:?}");
        }
    }
}

#[each_mpi]
fn so_are_those_of_one_whose_outer_ranks_make_fewer_calls(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &source("halo.c"), &[]);
    let both: &[&str] = &["rank - 1", "rank + 1"];
    let all = [("blocking skip", both), ("nonblocking skip", both), ("pipeline skip", &["rank + 1"])];
    for (calls, neighbours) in drawn(2, all) {
        let sends = learnt_halo(&scratch, mpi, &program, calls);
        let to = |neighbour: &str| sends.iter().any(|element| element.contains(&format!("to = \"{neighbour}\"")));
        assert!(
            both.iter().all(|neighbour| to(neighbour) == neighbours.contains(neighbour)),
            "{mpi:?} {calls}: {sends:?}"
        );
    }
}
