//! Whole jobs under `midrun run`, with each MPI of this machine.

use std::process::Command;

use midrun_tests::mpi::command;
use midrun_tests::{Analyzer, Mpi, Process, Scratch, Summary, each_mpi, need, under_midrun};

/// A short job whose even hand-out can be improved: 8 workers, 80 % spread.
fn synthetic(mpi: Mpi, more: &[&str]) -> Vec<String> {
    let mut words = mpi.line(9, &mpi.example("mw_synthetic"));
    let job = "--tasks 800 --iterations 8 --mean-us 2000 --sigma-pct 80 --work sleep --seed 7";
    words.extend(job.split(' ').chain(more.iter().copied()).map(str::to_owned));
    words
}

#[each_mpi]
fn a_job_that_starts_with_equal_parts_is_tuned_while_it_runs(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic(mpi, &["--technique", "none"]);
    let ended = under_midrun(&scratch, "run", &["--summary", "s.json"], &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/iterations"), 8, "{}", ended.err);
    assert!(!summary.list("decisions").is_empty(), "{mpi:?}: something is decided\n{}", ended.err);
    assert!(summary.count("/actions/applied") >= 1, "{mpi:?}: and applied\n{}", ended.err);
    assert_ne!(summary.0["technique"], "none", "{mpi:?}: 80 % spread needs more than equal parts");
    let first = summary.0["decisions"][0]["to"].as_str().unwrap_or_default();
    assert!(first.ends_with("with recall"), "{mpi:?}: what was handed out is taken back: {first}");
    assert!(summary.list("workers").iter().all(|workers| workers == 8));
    assert_eq!(summary.count("/records/dropped"), 0);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn tasks_of_given_classes_all_run_in_every_iteration_and_a_list_that_is_none_is_refused(mpi: Mpi) {
    let scratch = Scratch::new();
    let run = |classes: &str| {
        let mut words = mpi.line(4, &mpi.example("mw_synthetic"));
        let job = format!(
            "--classes {classes} --iterations 3 --bytes 10 --result-bytes 100 --technique ss --work sleep --json"
        );
        words.extend(job.split(' ').map(str::to_owned));
        Process::start(&scratch, "run", command(&words))
    };
    let ended = run("20:2,10:8").succeed();
    let lines: Vec<serde_json::Value> = ended.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let [iterations @ .., total] = &lines[..] else { panic!("no lines: {}", ended.out) };
    assert_eq!((iterations.len(), &total["miscounted"], &total["wrong"]), (3, &0.into(), &0.into()), "{}", ended.out);
    for iteration in iterations {
        // 20 tasks of 2 ms and 10 of 8 ms, one per chunk, on three workers.
        assert_eq!(iteration["chunks"], 30, "{iteration}");
        assert!(iteration["ideal_s"].as_f64().is_some_and(|ideal_s| ideal_s >= 0.12 / 3.0), "{iteration}");
    }
    let ended = run("20:2,10").wait();
    assert_eq!(ended.code, 64, "{}", ended.err);
    assert!(ended.err.contains("20:2,10") && ended.err.contains("COUNT:MS"), "{}", ended.err);
}

#[each_mpi]
fn a_dry_run_advises_and_changes_nothing(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic(mpi, &["--technique", "none"]);
    under_midrun(&scratch, "run", &["--dry-run", "--summary", "s.json"], &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/actions/sent"), 0);
    assert!(summary.0["technique"].as_str().is_some_and(|technique| technique.starts_with("none")), "{}", summary.0);
    assert!(summary.list("decisions").iter().all(|decision| decision["verdict"] == "advised"), "{}", summary.0);
    // What was advised once is not told again.
    let name =
        |text: &serde_json::Value| text.as_str().and_then(|text| text.split(['(', ' ']).next()).map(str::to_owned);
    let of_advice = name(&summary.0["advice"]["technique"]);
    let is_told = |decision: &serde_json::Value| of_advice.is_some() && name(&decision["to"]) == of_advice;
    assert!(summary.list("decisions").iter().any(is_told), "{mpi:?}: {}", summary.0);
}

#[each_mpi]
fn a_fixed_technique_is_put_in_force(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic(mpi, &["--technique", "none"]);
    under_midrun(&scratch, "run", &["--technique", "gss", "--summary", "s.json"], &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    assert!(summary.0["technique"].as_str().is_some_and(|technique| technique.starts_with("gss")), "{}", summary.0);
}

#[each_mpi]
fn a_running_analyzer_is_used_instead_of_an_embedded_one(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let line = synthetic(mpi, &["--technique", "none"]);
    let flags = ["--analyzer", &analyzer.url, "--summary", "s.json"];
    under_midrun(&scratch, "run", &flags, &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/iterations"), 8);
    analyzer.end();
}

#[each_mpi]
fn the_picture_is_the_same_with_and_without_midrun(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.example("mandelbrot");
    need!(program.is_file(), "mandelbrot is not built");
    let picture = |name: &str| {
        let mut line = mpi.line(5, &program);
        line.extend(["--width", "400", "--height", "300", "--out"].map(String::from));
        line.push(scratch.path(name).display().to_string());
        line
    };
    Process::start(&scratch, "alone", command(&picture("alone.ppm"))).succeed();
    under_midrun(&scratch, "run", &[], &picture("tuned.ppm")).succeed();
    let [alone, tuned] = ["alone.ppm", "tuned.ppm"].map(|name| std::fs::read(scratch.path(name)).expect(name));
    assert!(!alone.is_empty() && alone == tuned, "{mpi:?}: the pictures differ");
    scratch.assert_nothing_left();
}

/// Work that spreads over the tasks: few of them are dear, others in each iteration.
#[each_mpi]
fn a_forest_burns_as_without_midrun_and_no_worker_is_parked_for_it(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(5, &mpi.example("forest_fire"));
    line.extend("--size 200 --steps 40 --cost 0 --pace 2000 --check".split(' ').map(str::to_owned));
    let checksum = |out: &str| out.lines().find(|line| line.starts_with("checksum ")).map(str::to_owned);
    let alone = Process::start(&scratch, "alone", command(&line)).succeed();
    let ended = under_midrun(&scratch, "run", &["--summary", "s.json"], &line).succeed();
    assert!(checksum(&alone.out).is_some_and(|line| line.ends_with("wrong cells: 0")), "{}", alone.out);
    assert_eq!(checksum(&alone.out), checksum(&ended.out));
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/iterations"), 40, "{}", ended.err);
    // A fire of few rows keeps few workers busy; whoever drew none of them is not slow.
    let fewest = summary.list("workers").iter().filter_map(serde_json::Value::as_u64).min();
    assert!(fewest >= Some(2), "{fewest:?}: {}", ended.err);
    scratch.assert_nothing_left();
}

/// Rothermel's rate of spread in ellipses: each cell's time is tested on rank 0, and the rates against printed ones.
#[each_mpi]
fn a_wildfire_reaches_every_cell_when_its_earliest_neighbour_sets_it_on_fire(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(4, &mpi.example("wildfire"));
    line.extend("--size 200 --hours 3 --pace 50 --check".split(' ').map(str::to_owned));
    let last = |out: &str| out.lines().last().expect("a line").to_owned();
    let alone = Process::start(&scratch, "alone", command(&line)).succeed();
    assert!(last(&alone.out).ends_with("wrong cells: 0"), "{mpi:?}: {}", alone.out);
    let tuned = under_midrun(&scratch, "tuned", &[], &line).succeed();
    assert_eq!(last(&alone.out), last(&tuned.out));
    scratch.assert_nothing_left();
}

#[each_mpi]
fn every_force_on_the_bodies_is_right_alone_and_while_they_are_tuned(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(4, &mpi.example("nbody"));
    line.extend("--bodies 120 --steps 12 --pace 300 --technique none --check".split(' ').map(str::to_owned));
    let checksum = |out: &str| out.split("checksum ").nth(1).expect("a checksum").to_owned();
    let alone = Process::start(&scratch, "alone", command(&line)).succeed();
    assert!(alone.out.contains("wrong forces: 0, "), "{mpi:?}: {}", alone.out);
    let tuned = under_midrun(&scratch, "tuned", &["--technique", "ss"], &line).succeed();
    assert_eq!(checksum(&alone.out), checksum(&tuned.out));
    scratch.assert_nothing_left();
}

#[each_mpi]
fn every_entry_of_the_products_is_right_alone_and_while_they_are_tuned(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(4, &mpi.example("matmul_workers"));
    let job = "--size 60 --products 12 --pace 500 --technique none --check";
    line.extend(job.split(' ').map(str::to_owned));
    let alone = Process::start(&scratch, "alone", command(&line)).succeed();
    let tuned = under_midrun(&scratch, "tuned", &["--technique", "ss"], &line).succeed();
    let last = |out: &str| out.lines().last().expect("a line").to_owned();
    assert!(last(&alone.out).ends_with("wrong entries: 0"), "{}", alone.out);
    assert_eq!(last(&alone.out), last(&tuned.out));
    assert!(alone.out.contains("technique none, 3 chunks"), "{}", alone.out);
    assert!(tuned.out.contains("technique ss, 60 chunks"), "the technique was changed: {}", tuned.out);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_program_that_is_not_linked_with_midrun_gets_it_preloaded(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.example("marks_demo");
    need!(program.is_file(), "marks_demo is not built");
    let line = mpi.line(4, &program);
    under_midrun(&scratch, "run", &["--summary", "s.json"], &line).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/ranks"), 4);
    assert!(summary.count("/iterations") > 0, "{}", summary.0);
}

#[each_mpi]
fn a_program_that_cuts_batches_by_itself_gets_better_factors(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(9, &mpi.example("marks_demo"));
    line.extend(["--mode", "factors", "--tasks", "1000", "--iterations", "8"].map(String::from));
    let ended = under_midrun(&scratch, "run", &["--summary", "s.json"], &line).succeed();
    assert!(ended.out.contains("all tasks done"), "{}", ended.out);
    let summary = Summary::read(&scratch.path("s.json"));
    // The workers carry marks only: their work is found by its time.
    assert!(summary.list("ideal_s").iter().all(|ideal| ideal.as_f64() > Some(0.0)), "{}", summary.0);
    let decisions = summary.list("decisions");
    assert!(decisions.iter().any(|decision| decision["tuning_point"] == "factors"), "{}", ended.err);
    assert!(summary.count("/actions/applied") >= 1, "{}", ended.err);
    // It marks its tasks, and asks for no chunk: it goes by no technique.
    assert!(decisions.iter().all(|decision| decision["tuning_point"] != "technique"), "{}", ended.err);
    assert_eq!(summary.0["technique"], "", "{}", ended.err);
}

#[each_mpi]
fn a_program_with_marks_gets_the_technique_that_its_user_names(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(5, &mpi.example("marks_demo"));
    line.extend(["--mode", "chunks", "--tasks", "60", "--iterations", "4"].map(String::from));
    let ended = under_midrun(&scratch, "run", &["--summary", "s.json", "--technique", "ss"], &line).succeed();
    assert!(ended.out.contains("all tasks done"), "{}", ended.out);
    assert!(
        ended.out.lines().any(|line| line.starts_with("iteration 3:") && line.ends_with(" 60 chunks")),
        "{}",
        ended.out
    );
    assert_eq!(Summary::read(&scratch.path("s.json")).0["technique"], "ss", "{}", ended.err);
}

#[each_mpi]
fn words_that_are_no_text_and_programs_in_the_launchers_own_places_reach_the_ranks(mpi: Mpi) {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    let source = scratch.path("words.c");
    let text = "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int r; MPI_Init(&c, &v); \
        MPI_Comm_rank(MPI_COMM_WORLD, &r); if (r == 0) printf(\"%02x %s\\n\", (unsigned char)v[1][0], v[1] + 1); MPI_Finalize(); }\n";
    std::fs::write(&source, text).expect("the source");
    let place = scratch.path("place");
    std::fs::create_dir(&place).expect("a directory");
    let built =
        Command::new(format!("mpicc.{}", mpi.name())).arg(&source).arg("-o").arg(place.join("only_here")).status();
    assert!(built.is_ok_and(|status| status.success()), "{mpi:?} compiles");
    // Hydra has no places of its own.
    let mut line = mpi.line(2, &place.join("only_here"));
    if mpi.name() == "openmpi" {
        line = mpi.line(2, std::path::Path::new("only_here"));
        line.splice(1..1, ["-path".to_owned(), place.display().to_string()]);
    }
    let mut job = midrun_tests::run::command(&scratch, &["--summary", "s.json"], &line);
    job.arg(std::ffi::OsStr::from_bytes(b"\xff text"));
    let ended = Process::start(&scratch, "run", job).succeed();
    assert_eq!(ended.out.as_bytes(), b"ff  text\n", "{}", ended.err);
    assert_eq!(Summary::read(&scratch.path("s.json")).count("/ranks"), 2, "{}", ended.err);
}

#[each_mpi]
fn a_program_that_knows_nothing_of_midrun_runs_and_is_listed(mpi: Mpi) {
    let scratch = Scratch::new();
    let source = scratch.path("plain.c");
    let text = "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int r, s = 0; MPI_Init(&c, &v); \
        MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Reduce(&r, &s, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); \
        if (r == 0) printf(\"%d\\n\", s); MPI_Finalize(); return 0; }\n";
    std::fs::write(&source, text).expect("the source");
    let program = scratch.path("plain");
    let built = Command::new(format!("mpicc.{}", mpi.name())).arg(&source).arg("-o").arg(&program).status();
    assert!(built.is_ok_and(|status| status.success()), "{mpi:?} compiles");
    let ended = under_midrun(&scratch, "run", &["--summary", "s.json"], &mpi.line(4, &program)).succeed();
    assert_eq!(ended.out.trim(), "6");
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!((summary.count("/ranks"), summary.count("/iterations")), (4, 0), "{}", ended.err);
}

#[each_mpi]
fn teams_in_a_row_are_one_run_and_each_begins_with_what_those_before_it_found(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &midrun_tests::root().join("tests/programs/teams.c"));
    for (teams, iterations) in [("15", "2"), ("30", "1")] {
        let mut line = mpi.line(4, &program);
        line.extend([teams.to_owned(), iterations.to_owned()]);
        let options = ["--summary", "s.json", "--no-memory"];
        let ended = under_midrun(&scratch, "run", &options, &line).succeed();
        assert_eq!(ended.out, "1440 results\n", "{}", ended.err);
        let summary = Summary::read(&scratch.path("s.json"));
        assert_eq!((summary.count("/iterations"), summary.count("/skipped_iterations")), (30, 0), "{}", ended.err);
        let numbers: Vec<u64> = summary.list("iteration").iter().filter_map(serde_json::Value::as_u64).collect();
        assert_eq!(numbers, (0..30).collect::<Vec<u64>>(), "{}", ended.err);
        assert!(summary.count("/actions/applied") >= 1, "{}", ended.err);
        assert_ne!(summary.0["technique"], "none", "{}", ended.err);
        let first = &summary.0["decisions"][0];
        assert!(first["verdict"] == "kept" || first["verdict"] == "rolled-back", "{first}");
    }
}

#[each_mpi]
fn edge_cases_of_the_framework_run_under_midrun(mpi: Mpi) {
    for (ranks, tasks) in [(2, "0"), (2, "1"), (5, "3"), (2, "50")] {
        let scratch = Scratch::new();
        let mut line = mpi.line(ranks, &mpi.example("mw_synthetic"));
        line.extend(["--tasks", tasks, "--iterations", "3", "--mean-us", "500"].map(String::from));
        under_midrun(&scratch, "run", &[], &line).succeed();
        scratch.assert_nothing_left();
    }
}
