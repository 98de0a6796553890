//! Tests of the memory: its file, the key of a run, and what later runs get of it.

use super::key::allocated;
use super::*;
use std::os::unix::fs::PermissionsExt;

const BOUNDS: Bounds = Bounds { days: 90, runs: 1000 };
const DAY_S: u64 = 86_400;

fn at(time_s: u64, key: &str) -> Run {
    Run {
        time_s,
        program: "mw".into(),
        key: key.into(),
        ranks: 9,
        iterations: 20,
        per: "iteration".into(),
        first_s: 0.2,
        last_s: 0.1,
        setting: Some("daf".into()),
        workers: Some(8),
        learnt: json!({"best": {"start": "technique=daf"}}),
    }
}

fn store(directory: &tempfile::TempDir) -> Store {
    Store::open(&directory.path().join("not/there/yet/runs.sqlite")).unwrap()
}

#[test]
fn runs_come_back_by_their_key_newest_first_and_nobody_else_may_read_them() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = store(&directory);
    let bare = Run { setting: None, workers: None, per: "output".into(), ..at(30, "b") };
    for run in [&at(10, "a"), &at(20, "a"), &bare] {
        first.add(run, BOUNDS).unwrap();
    }
    let store = store(&directory);
    assert_eq!(store.runs_of("a", 0, 9).unwrap(), [at(20, "a"), at(10, "a")]);
    assert_eq!(store.runs_of("a", 0, 1).unwrap(), [at(20, "a")]);
    assert_eq!(store.runs_of("a", 15, 9).unwrap(), [at(20, "a")], "older ones are not asked for");
    assert_eq!(store.runs_of("c", 0, 9).unwrap(), []);
    assert_eq!(store.runs(None).unwrap(), [bare, at(20, "a"), at(10, "a")]);
    for entry in std::fs::read_dir(directory.path().join("not/there/yet")).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.path());
    }
}

#[test]
fn runs_are_forgotten_by_age_by_number_and_by_hand() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(&directory);
    let other = Run { program: "other".into(), ..at(100 * DAY_S, "o") };
    store.add(&at(DAY_S, "a"), BOUNDS).unwrap();
    store.add(&other, BOUNDS).unwrap();
    assert_eq!(store.runs(None).unwrap(), [other], "99 days are too many");
    for n in 1..=5 {
        store.add(&at(100 * DAY_S + n, "a"), Bounds { runs: 3, ..BOUNDS }).unwrap();
    }
    let times: Vec<u64> = store.runs(None).unwrap().iter().map(|run| run.time_s - 100 * DAY_S).collect();
    assert_eq!(times, [5, 4, 3]);
    assert_eq!(store.forget(Some("other")).unwrap(), 0);
    assert_eq!(store.forget(Some("mw")).unwrap(), 3);
    assert_eq!(store.runs(None).unwrap(), []);
}

#[test]
fn a_damaged_or_foreign_file_is_kept_aside_and_a_new_one_begins() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.sqlite");
    let foreign = |path: &std::path::Path| {
        let other = rusqlite::Connection::open(path).unwrap();
        other.execute_batch("CREATE TABLE recipes (name TEXT)").unwrap();
    };
    std::fs::write(&path, b"not a database, but longer than its header would be: ".repeat(40)).unwrap();
    let damage = std::fs::read(&path).unwrap();
    let refused = Store::open(&path).unwrap_err().to_string();
    assert!(refused.contains("runs.sqlite is not a memory of midrun or is damaged"), "{refused}");
    assert_eq!(std::fs::read(directory.path().join("runs.sqlite.damaged0")).unwrap(), damage);
    Store::open(&path).unwrap().add(&at(10, "a"), BOUNDS).unwrap();
    std::fs::remove_file(&path).unwrap();
    foreign(&path);
    let refused = Store::open(&path).unwrap_err().to_string();
    assert!(refused.contains("kept as") && refused.contains("damaged1"), "{refused}");
    assert_eq!(Store::open(&path).unwrap().runs(None).unwrap(), []);
}

#[test]
fn pages_that_are_damaged_in_the_middle_are_found_when_they_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.sqlite");
    let mut full = Store::open(&path).unwrap();
    let big = Run { learnt: json!({"text": "x".repeat(3000)}), ..at(10, "a") };
    (0..50).for_each(|_| full.add(&big, BOUNDS).unwrap());
    drop(full);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let refused = Store::open(&path).and_then(|store| store.runs(None)).unwrap_err().to_string();
    assert!(refused.contains("damaged0"), "{refused}");
    assert_eq!(Store::open(&path).unwrap().runs(None).unwrap(), []);
}

#[test]
fn the_file_of_a_newer_version_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.sqlite");
    drop(Store::open(&path).unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let refused = Store::open(&path).unwrap_err().to_string();
    assert!(refused.contains("newer midrun"), "{refused}");
    assert!(path.exists());
}

#[test]
fn many_that_write_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.sqlite");
    let write = |n: u64| (0..20).for_each(|k| Store::open(&path).unwrap().add(&at(n * 100 + k, "a"), BOUNDS).unwrap());
    std::thread::scope(|scope| (0..4).for_each(|n| drop(scope.spawn(move || write(n)))));
    assert_eq!(Store::open(&path).unwrap().runs(None).unwrap().len(), 80);
}

/// A line as `midrun run` sees it, with this shell as program.
fn key(words: &[&str], settings: &Settings) -> Option<Key> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    Key::of(settings, &CommandLine::with_launcher(&words, None, |_| false))
}

#[test]
fn other_arguments_options_and_contents_are_other_keys() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    let write = |text: &str| {
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("#!/bin/sh\n");
    let path = program.display().to_string();
    let settings = Settings::default();
    let of = |words: &[&str], settings: &Settings| key(&[&[path.as_str()], words].concat(), settings).unwrap();
    let first = of(&["1"], &settings);
    assert_eq!(of(&["1"], &settings), first);
    assert_ne!(of(&["2"], &settings), first);
    let mut other = Settings::default();
    other.run.objective = "efficiency".into();
    assert_ne!(of(&["1"], &other), first);
    other.run.objective = "time".into();
    assert_eq!(of(&["1"], &other), first, "the default by its name");
    write("#!/bin/sh\n:\n");
    assert_ne!(of(&["1"], &settings), first, "the program has changed");
    assert_eq!(first.program(), "program");
    assert_eq!(key(&["/no/such/program"], &settings), None);
    let input = directory.path().join("input.dat");
    std::fs::write(&input, "1").unwrap();
    let with_input = of(&[&input.display().to_string()], &settings);
    assert_eq!(with_input.program(), "program", "a file that a program reads is not its script");
    std::fs::write(&input, "12").unwrap();
    assert_eq!(of(&[&input.display().to_string()], &settings), with_input);
}

#[test]
fn where_the_line_names_no_ranks_the_allocation_does() {
    let of = |variables: &[(&str, &str)]| {
        allocated(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    };
    assert_eq!(of(&[("SLURM_NTASKS", "64"), ("SLURM_JOB_NUM_NODES", "2")]), Some(64));
    assert_eq!(of(&[("SLURM_JOB_NUM_NODES", "2")]), Some(2));
    assert_eq!(of(&[("PBS_NP", "128")]), Some(128));
    assert_eq!((of(&[]), of(&[("NSLOTS", "undefined")])), (None, None));
}

#[test]
fn a_script_is_recognised_by_its_own_content() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("solve.py");
    std::fs::write(&script, "1").unwrap();
    let path = script.display().to_string();
    let of = || key(&["/bin/sh", "-x", &path, "8"], &Settings::default()).unwrap();
    let before = of();
    assert_eq!(before.program(), "solve.py");
    std::fs::write(&script, "12").unwrap();
    assert_ne!(of(), before);
}

fn summary() -> Value {
    json!({
        "ranks": 9, "iterations": 3, "iteration_s": [0.2, 0.11, 0.1], "lost_ranks": [], "links": [],
        "decisions": [
            {"tuning_point": "technique", "predicted_s": 0.1, "measured_s": 0.11},
            {"tuning_point": "workers", "predicted_s": 0.1, "measured_s": null},
        ],
        "learnt": {
            "start": "technique=daf;factor=0.5;mean_s=0.001;sigma_s=0.001;min_chunk=1;recall=1;ranks=9;workers=1-8",
            "setting": "daf", "workers": 8, "iterations": 2, "iteration_s": 0.105, "cost_ln": -2.0, "deviation": 0.01,
            "task_mean_s": 0.001, "task_sigma_s": 0.001, "chunk_cost_s": 1e-6, "profile": [1.0], "slowness": {"1": 1.0},
        },
    })
}

#[test]
fn a_run_is_kept_by_what_its_summary_says() {
    let key = key(&["/bin/sh"], &Settings::default()).unwrap();
    let kept = run(&key, &summary()).unwrap();
    assert_eq!((kept.ranks, kept.iterations, kept.first_s, kept.last_s), (9, 3, 0.2, 0.1));
    assert_eq!((kept.setting.as_deref(), kept.workers), (Some("daf"), Some(8)));
    assert_eq!(kept.learnt["predictions"].as_array().map(Vec::len), Some(1), "what was not measured is no error");
    let with = |name: &str, value: Value| {
        let mut summary = summary();
        summary[name] = value;
        run(&key, &summary)
    };
    assert_eq!(with("iteration_s", json!([0.2])), None, "too short");
    assert_eq!(with("lost_ranks", json!([3])), None, "it failed");
    assert_eq!(run(&key, &json!({})), None);
    let untuned = with("learnt", Value::Null).unwrap();
    assert_eq!((untuned.setting, untuned.workers), (None, None));
    let stream = json!({"period_s": [0.02, 0.01], "pattern": [{"pattern": "0,1"}, {"pattern": "0,1x4"}], "ranks": 6, "iterations": 0});
    let stream = run(&key, &stream).unwrap();
    assert_eq!(
        (stream.per.as_str(), stream.iterations, stream.setting.as_deref()),
        ("output", 2, Some("pattern 0,1x4"))
    );
}

fn memory(directory: &tempfile::TempDir, settings: &Settings) -> Memory {
    let line = CommandLine::with_launcher(&["/bin/sh".to_owned()], None, |_| false);
    Memory { path: directory.path().join("runs.sqlite"), ..Memory::of(settings, &line).unwrap() }
}

#[test]
fn the_newest_run_gives_the_start_unless_the_user_chooses() {
    let directory = tempfile::tempdir().unwrap();
    let mut known = memory(&directory, &Settings::default());
    assert_eq!(known.recall(), Earlier::default(), "nothing is known");
    known.keep(&summary().to_string());
    let start = known.recall().start.unwrap();
    assert_eq!((start.setting().as_str(), start.iteration_s), ("daf(mu=1.0000ms sigma=1.0000ms), 8 workers", 0.105));
    assert_eq!(start.deviation_of_runs, 0.01, "one run");
    let mut earlier = run(&known.key, &summary()).unwrap();
    earlier.time_s -= 10;
    earlier.learnt["best"]["cost_ln"] = json!(-1.9);
    Store::open(&known.path).unwrap().add(&earlier, BOUNDS).unwrap();
    assert!((known.recall().start.unwrap().deviation_of_runs - 0.0707).abs() < 1e-3, "two that differ by 0.1");
    let mut own = Settings::default();
    own.run.technique = "gss".into();
    assert!(known.may_start && !memory(&directory, &own).may_start);
    own = Settings::default();
    own.run.dry_run = true;
    assert!(!memory(&directory, &own).may_start);
    own = Settings::default();
    own.run.no_memory = true;
    assert!(Memory::of(&own, &CommandLine::with_launcher(&["/bin/sh".to_owned()], None, |_| false)).is_none());
    known.bounds.days = 0;
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(known.recall(), Earlier::default(), "it has expired");
}

#[test]
fn a_run_that_something_else_held_up_does_not_displace_what_others_found() {
    let directory = tempfile::tempdir().unwrap();
    let mut known = memory(&directory, &Settings::default());
    let mut after = |seconds: u64, technique: &str, cost_ln: f64| {
        let mut run = run(&known.key, &summary()).unwrap();
        run.time_s += seconds;
        run.learnt["best"]["cost_ln"] = json!(cost_ln);
        let start =
            run.learnt["best"]["start"].as_str().unwrap().replace("technique=daf", &format!("technique={technique}"));
        run.learnt["best"]["start"] = json!(start);
        Store::open(&known.path).unwrap().add(&run, BOUNDS).unwrap();
        known.recall().start.unwrap().setting()
    };
    assert!(after(1, "daf", -2.0).starts_with("daf"));
    assert!(after(2, "gss", -0.8).starts_with("daf"), "one of two");
    assert!(after(3, "gss", -0.9).starts_with("gss"), "an exception no more");
    assert!(after(4, "daf", -2.0).starts_with("daf"));
    assert!(after(5, "fsc", -2.1).starts_with("fsc"), "a better one");
    assert!(after(6, "gss", -0.9).starts_with("fsc"), "one of three");
}

#[test]
fn a_pattern_comes_back_and_a_row_that_is_not_understood_is_a_cold_start() {
    let directory = tempfile::tempdir().unwrap();
    let mut known = memory(&directory, &Settings::default());
    let stream = json!({
        "ranks": 6, "iterations": 0, "period_s": [0.02, 0.011, 0.01],
        "pattern": [{"pattern": "0,1,2"}, {"pattern": "0,1x3,2"}],
        "learnt": {
            "start": "pattern=0,1x3,2;stages=3;ranks=6", "setting": "pattern 0,1x3,2", "workers": 5, "iterations": 2,
            "iteration_s": 0.0105, "cost_ln": -1.0, "deviation": 0.01, "slowness": {"2": 1.1},
        },
    });
    known.keep(&stream.to_string());
    let start = known.recall().start.unwrap();
    assert_eq!((start.setting().as_str(), start.iteration_s), ("pattern 0,1x3,2", 0.0105));
    let mut newer = run(&known.key, &stream).unwrap();
    assert_eq!((newer.setting.as_deref(), newer.workers), (Some("pattern 0,1x3,2"), None), "it says itself how many");
    newer.time_s += 10;
    let mut store = Store::open(&known.path).unwrap();
    newer.learnt["best"]["start"] = json!("pattern=0,1x9,2;stages=3;ranks=6");
    store.add(&newer, BOUNDS).unwrap();
    assert_eq!(known.recall().start, None, "more ranks than there are");
    // As it was before pipelines were remembered.
    newer.time_s += 10;
    newer.learnt["best"] = Value::Null;
    store.add(&newer, BOUNDS).unwrap();
    let older = json!({"setting": "daf", "start": "technique=daf", "policy": 3});
    newer.learnt["best"] = older;
    store.add(&newer, BOUNDS).unwrap();
    assert_eq!(known.recall().start, None);
}

#[test]
fn the_values_of_a_program_that_cuts_its_tasks_by_itself_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let mut known = memory(&directory, &Settings::default());
    let own = json!({
        "ranks": 9, "iterations": 3, "iteration_s": [0.2, 0.11, 0.1],
        "learnt": {
            "start": "values=8:chunk.tasks=15;ranks=9", "setting": "chunk.tasks = 15", "workers": 8, "iterations": 2,
            "iteration_s": 0.105, "cost_ln": -1.0, "deviation": 0.01, "slowness": {},
        },
    });
    known.keep(&own.to_string());
    let start = known.recall().start.unwrap();
    assert_eq!((start.setting().as_str(), start.iteration_s), ("chunk.tasks = 15", 0.105));
    let run = run(&known.key, &own).unwrap();
    assert_eq!((run.setting.as_deref(), run.workers), (Some("chunk.tasks = 15"), None), "workers are no part of it");
}

#[test]
fn results_of_a_search_that_ended_come_back_the_best_first() {
    let directory = tempfile::tempdir().unwrap();
    let mut settings = Settings::default();
    settings.run.search = "block=1..9".into();
    let mut known = memory(&directory, &settings);
    let mut summary = summary();
    summary["search"] = json!({"ended": false, "points": ["block", "share"], "best": [4.0, 0.5], "tried": [
        {"values": [8.0, 0.5], "time_s": 0.1, "times": 1}, {"values": [4.0, 0.5], "time_s": 0.11, "times": 6}]});
    known.keep(&summary.to_string());
    assert_eq!(known.recall(), Earlier::default(), "it did not end, and a search starts by itself");
    summary["search"]["ended"] = json!(true);
    known.keep(&summary.to_string());
    assert_eq!(known.recall().search, "4.0,0.5@0.11; 8.0,0.5@0.1");
    settings.run.search_constraint = "block > 2".into();
    assert_eq!(memory(&directory, &settings).recall(), Earlier::default(), "another search");
}

#[test]
fn a_memory_that_cannot_be_reached_is_said_once_and_a_damaged_one_begins_anew() {
    let directory = tempfile::tempdir().unwrap();
    let mut known = memory(&directory, &Settings::default());
    let elsewhere = known.path.clone();
    known.path = "/proc/no/such/place/runs.sqlite".into();
    assert_eq!(known.recall(), Earlier::default());
    known.path.clone_from(&elsewhere);
    known.keep(&summary().to_string());
    assert!(!elsewhere.exists(), "it is not tried again");
    std::fs::write(&elsewhere, b"no database".repeat(100)).unwrap();
    assert_eq!(known.recall(), Earlier::default());
    known.keep(&summary().to_string());
    assert_eq!(Store::open(&elsewhere).unwrap().runs(None).unwrap().len(), 1);
}
