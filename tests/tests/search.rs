//! Searches in real jobs under `midrun run`, with each MPI of this machine.

use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, run};
use serde_json::Value;

/// `midrun run FLAGS -- LINE`, which remembers the searches of the test.
fn searched(scratch: &Scratch, name: &str, flags: &[&str], line: &[String]) -> (Ended, Summary) {
    let mut run = run::command(scratch, &[&["--summary", "s.json"], flags].concat(), line);
    run.env("XDG_STATE_HOME", scratch.path("state"));
    let ended = Process::start(scratch, name, run).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    (ended, summary)
}

fn product(mpi: Mpi, iterations: u32) -> Vec<String> {
    let mut line = mpi.line(2, &mpi.example("matmul_blocked"));
    line.extend(["--size", "192", "--block", "1", "--iterations", &iterations.to_string()].map(str::to_owned));
    line
}

/// Values that a search tried, each combination once.
fn tried(summary: &Summary) -> Vec<Vec<f64>> {
    let lines = summary.0["search"]["tried"].as_array().expect("a list");
    lines.iter().map(|line| serde_json::from_value(line["values"].clone()).expect("numbers")).collect()
}

/// The block of each iteration, in the program's own words.
fn blocks(ended: &Ended) -> Vec<f64> {
    let lines = ended.out.lines().filter(|line| line.starts_with("iteration "));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect()
}

#[each_mpi]
fn a_block_size_is_searched_on_every_rank_and_stays_at_the_best(mpi: Mpi) {
    let scratch = Scratch::new();
    let flags = ["--search", "block=8,16,32,64,512", "--search-budget", "40"];
    let (ended, summary) = searched(&scratch, "run", &flags, &product(mpi, 400));
    assert!(ended.out.contains("the product is right"), "{}", ended.out);
    let report = &summary.0["search"];
    assert_eq!(report["ended"], true, "{mpi:?} {}", ended.err);
    let mut values = tried(&summary);
    values.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let asked_for = [[8.0], [16.0], [32.0], [64.0]];
    assert!(
        !values.is_empty() && values.iter().all(|value| asked_for.contains(&[value[0]])),
        "512 is out of range: {values:?}"
    );
    let blocks = blocks(&ended);
    assert!(blocks.iter().all(|block| [1.0, 8.0, 16.0, 32.0, 64.0].contains(block)), "{mpi:?} {blocks:?}");
    assert_eq!(report["best"], serde_json::json!([blocks.last()]), "{mpi:?} what is best is in force at the end");
    assert!(report["measured"].as_u64() <= Some(40));
    let decisions = summary.list("decisions");
    assert!(decisions.iter().all(|decision| decision["tunlet"] == "search" && decision["tuning_point"] == "block"));
    // Two ranks take each value over.
    assert_eq!(summary.count("/actions/applied"), 2 * decisions.len() as u64, "{}", ended.err);
    assert!(ended.err.contains("search found block = "), "{}", ended.err);
    assert!(ended.err.contains(": trial: block 1 -> "), "{}", ended.err);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn what_a_search_found_is_tried_first_in_the_next_run_and_a_damaged_memory_is_set_aside(mpi: Mpi) {
    let scratch = Scratch::new();
    // The results that the runs so far remember, the newest run first.
    let kept = || -> Vec<Value> {
        let mut ask = midrun_tests::mpi::command(&[
            midrun_tests::midrun().display().to_string(),
            "history".into(),
            "--json".into(),
        ]);
        ask.env("XDG_STATE_HOME", scratch.path("state"));
        let runs: Vec<Value> =
            serde_json::from_str(&Process::start(&scratch, "history", ask).succeed().out).expect("JSON");
        runs.into_iter().map(|run| run["learnt"]["search"].clone()).collect()
    };
    // Far more combinations than the budget: what is not remembered is not found by chance.
    let flags = ["--search", "block=1..96", "--search-budget", "12"];
    searched(&scratch, "first", &flags, &product(mpi, 1500));
    let [results] = &kept()[..] else { panic!("{mpi:?}: one run: {:?}", kept()) };
    let times = results.as_array().expect("results").iter().filter_map(|line| line["time_s"].as_f64());
    let slowest_s = times.fold(0.0, f64::max);
    let (ended, summary) = searched(&scratch, "again", &flags, &product(mpi, 1500));
    // Before anything but the start was measured, it expects of a value what was measured then.
    let first = &summary.list("decisions")[0];
    let (expected_s, start_s) = (first["predicted_s"].as_f64(), first["unchanged_s"].as_f64());
    assert!(expected_s < start_s && slowest_s > 0.0, "{mpi:?} {first} {results} {}", ended.err);

    std::fs::write(scratch.path("state/midrun/runs.sqlite"), "{".repeat(1000)).expect("damage");
    let (ended, _) = searched(&scratch, "damaged", &flags, &product(mpi, 1500));
    assert_eq!(ended.err.matches("is kept as").count(), 1, "{}", ended.err);
    assert_eq!(kept().len(), 1, "and a new one is written");

    let forgetful = [&flags[..], &["--no-memory"]].concat();
    searched(&scratch, "other", &forgetful, &product(mpi, 300));
    assert_eq!(kept().len(), 1, "nothing is kept of it");
    let (ended, _) = searched(&scratch, "short", &flags, &product(mpi, 10));
    assert_eq!(kept()[0], Value::Null, "no results of a search that did not end: {}", ended.err);
}

#[each_mpi]
fn points_of_the_hand_out_are_searched_within_their_constraints(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(5, &mpi.example("mw_synthetic"));
    let words = "--tasks 64 --iterations 150 --mean-us 300 --sigma-pct 60 --technique fsc --work sleep";
    line.extend(words.split(' ').map(str::to_owned));
    let flags = [
        "--search",
        "mw.factor=0.1..0.9 step 0.2",
        "--search",
        "mw.technique=2,5 categorical",
        "--search-constraint",
        "mw_technique == 5 or mw_factor < 0.6",
    ];
    let (ended, summary) = searched(&scratch, "run", &flags, &line);
    assert!(ended.out.contains("lost or doubled: 0, wrong results: 0"), "{}", ended.out);
    summary.assert_contract();
    let values = tried(&summary);
    assert!(values.iter().all(|value| value[1] == 5.0 || value[0] < 0.6), "{values:?}");
    assert_eq!((&summary.0["search"]["ended"], values.len()), (&true.into(), values.len()), "{mpi:?} {}", ended.err);
}

#[each_mpi]
fn a_dry_run_searches_nothing(mpi: Mpi) {
    let scratch = Scratch::new();
    let (ended, summary) = searched(&scratch, "run", &["--dry-run", "--search", "block=8,16"], &product(mpi, 60));
    assert!(blocks(&ended).iter().all(|block| *block == 1.0), "{}", ended.out);
    assert_eq!(summary.count("/actions/sent"), 0);
    assert!(summary.list("decisions").iter().all(|decision| decision["verdict"] == "advised"), "{}", summary.0);
}

#[each_mpi]
fn a_point_that_no_rank_offers_is_named_and_the_start_is_the_value_in_force(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(3, &mpi.example("mw_synthetic"));
    line.extend("--tasks 60 --iterations 24 --mean-us 500 --technique dpf".split(' ').map(str::to_owned));
    let (ended, summary) = searched(&scratch, "nosuch", &["--search", "nosuch=1..4"], &line);
    let why = "no rank offers nosuch; the ranks offer mw.counter, mw.factor, mw.min_chunk, mw.recall";
    assert!(ended.err.contains(&format!("search: refused: {why}")), "{mpi:?}: at once: {}", ended.err);
    assert!(ended.err.contains(&format!("search of nosuch: {why}")), "{mpi:?}: and at the end: {}", ended.err);
    assert_eq!(summary.0["search"]["measured"], 0);
    // Without a factor of its own DPF takes 0.5.
    let (_, summary) = searched(&scratch, "factor", &["--search", "mw.factor=0.2,0.5", "--no-memory"], &line);
    let best = summary.0["search"]["best"][0].as_f64();
    assert!(best == Some(0.2) || best == Some(0.5), "{mpi:?}: {}", summary.0["search"]);
    let froms: Vec<&str> = summary.list("decisions").iter().filter_map(|d| d["from"].as_str()).collect();
    assert!(froms.first() == Some(&"0.5") && !froms.contains(&"0"), "{mpi:?}: {froms:?}");
}

#[each_mpi]
fn a_search_whose_progress_is_refused_leaves_the_program_alone(mpi: Mpi) {
    let scratch = Scratch::new();
    // The comment is a line of its own: ranks and analyzer number the lines alike.
    std::fs::write(scratch.path("points"), "# progress\nmeasure progress function nosuch sum\n").expect("a file");
    let points = scratch.path("points").display().to_string();
    let flags = ["--points", &points, "--search", "block=8,16"];
    let (ended, summary) = searched(&scratch, "run", &flags, &product(mpi, 60));
    let refused =
        "search: refused: it does not run without the measure point progress, and line 2 of the points was refused";
    assert!(ended.err.contains(refused), "{mpi:?} {}", ended.err);
    assert_eq!((summary.list("decisions").len(), &summary.0["search"]["measured"]), (0, &0.into()), "{mpi:?}");
    assert!(blocks(&ended).iter().all(|block| *block == 1.0), "{}", ended.out);
}

/// Where `pause` became what, of tests/programs/steps.c: iteration, step, value.
fn pauses(ended: &Ended) -> Vec<(u64, u64, u64)> {
    let numbers = |line: &str| -> Vec<u64> { line.split([' ', ':']).filter_map(|word| word.parse().ok()).collect() };
    let all = ended.out.lines().filter(|line| line.contains("step")).map(numbers);
    all.map(|line| (line[0], line[1], line[2])).collect()
}

#[each_mpi]
fn values_that_are_clearly_worse_are_left_before_their_first_iteration_ends(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &midrun_tests::root().join("tests/programs/steps.c"));
    for place in ["start", "inside"] {
        let mut line = mpi.line(2, &program);
        line.extend(["40", place].map(str::to_owned));
        let flags = ["--search", "pause=3,4,60 categorical", "--no-memory"];
        let (ended, summary) = searched(&scratch, place, &flags, &line);
        let reasons: Vec<&str> = summary.list("decisions").iter().filter_map(|d| d["why"].as_str()).collect();
        assert!(reasons.iter().any(|why| why.contains("was left")), "{mpi:?} {place}: {reasons:?} {}", ended.err);
        let pauses = pauses(&ended);
        let slow = pauses.iter().position(|(_, _, ms)| *ms == 60).expect("it was tried");
        let ((tried, ..), (left, step, _)) = (pauses[slow], pauses[slow + 1]);
        match place {
            "start" => assert_eq!((left, step), (tried + 1, 0), "{mpi:?}: it had one iteration: {pauses:?}"),
            _ => assert!(left == tried && step < 20, "{mpi:?}: and where it can be, a part of one: {pauses:?}"),
        }
        let report = &summary.0["search"];
        let times: Vec<f64> =
            report["tried"].as_array().expect("a list").iter().filter_map(|t| t["time_s"].as_f64()).collect();
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{mpi:?} {report}");
        assert_ne!(report["best"], serde_json::json!([60.0]), "{mpi:?} {report}");
    }
}
