//! The memory: what a run learnt is where the next run of the same program begins.

use midrun_tests::ask::{status, succeed};
use midrun_tests::mount::{Mount, SlowMount};
use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::synthetic::{self, assert_whole, endless_line, wait_for_iterations};
use midrun_tests::{Analyzer, Mpi, Process, Scratch, Summary, each_mpi, need, run, wait_until};
use serde_json::Value;

const UNEQUAL: &str = "--tasks 400 --mean-us 4000 --sigma-pct 80";

/// Starts `midrun run FLAGS -- LINE` with a state directory of the test's own.
fn start(scratch: &Scratch, name: &str, flags: &[&str], line: &[String]) -> Process {
    let summary = format!("{name}.json");
    let mut run = run::command(scratch, &[&["--summary", summary.as_str()], flags].concat(), line);
    run.env("XDG_STATE_HOME", scratch.path("state"));
    Process::start(scratch, name, run)
}

fn finish(scratch: &Scratch, name: &str, job: Process) -> (Ended, Summary) {
    let ended = job.succeed();
    assert_whole(&ended);
    (ended, Summary::read(&scratch.path(&format!("{name}.json"))))
}

/// A run that ends by itself.
fn short(scratch: &Scratch, name: &str, flags: &[&str], line: &[String]) -> (Ended, Summary) {
    finish(scratch, name, start(scratch, name, flags, line))
}

/// Technique of each iteration, in the program's own words.
fn techniques(ended: &Ended) -> Vec<&str> {
    let lines = ended.out.lines().filter(|line| line.starts_with("iteration "));
    lines.filter_map(|line| line.split("technique ").nth(1)?.split(',').next()).collect()
}

/// `midrun history WORDS`.
fn history(scratch: &Scratch, words: &[&str]) -> String {
    let line: Vec<String> = [midrun_tests::midrun().display().to_string(), "history".into()]
        .into_iter()
        .chain(words.iter().map(|word| (*word).to_owned()))
        .collect();
    let mut ask = midrun_tests::mpi::command(&line);
    ask.env("XDG_STATE_HOME", scratch.path("state"));
    Process::start(scratch, "history", ask).succeed().out
}

fn remembered(scratch: &Scratch) -> Vec<Value> {
    serde_json::from_str(&history(scratch, &["--json"])).expect("a list")
}

/// A first run whose technique is set by hand before its first iteration is over, so that it learns that one.
fn teach(scratch: &Scratch, line: &[String], technique: &str) -> Summary {
    let job = start(scratch, "first", &[], line);
    wait_until("the technique can be set", || {
        let points = status(scratch, &[]).and_then(|status| status["tuning_points"].as_array().cloned());
        points.into_iter().flatten().any(|point| point["name"] == "mw.technique")
    });
    succeed(scratch, &["set", "mw.technique", technique]);
    // On a slow machine the counter or another number of workers would pay.
    succeed(scratch, &["freeze"]);
    let by_it = format!("technique {technique},");
    wait_until("three iterations went by it", || job.out().matches(&by_it).count() > 3);
    synthetic::end(scratch);
    finish(scratch, "first", job).1
}

#[each_mpi]
fn the_second_run_begins_with_what_the_first_one_found(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = endless_line(&scratch, mpi, 5, UNEQUAL);
    let first = teach(&scratch, &line, "gss");
    assert_eq!(first.0["learnt"]["workers"], 4, "{}", first.0);
    assert!(first.0["learnt"]["start"].as_str().is_some_and(|start| start.contains("technique=gss;")), "{}", first.0);
    assert_eq!(first.0.get("start"), None, "the first run knew nothing");
    std::fs::remove_file(scratch.path("end")).expect("the file that ended it");

    let mut job = start(&scratch, "second", &[], &line);
    wait_for_iterations(&mut job, 3);
    synthetic::end(&scratch);
    let (ended, second) = finish(&scratch, "second", job);
    assert_eq!(techniques(&ended)[0], "gss", "{mpi:?} its first iteration goes by it\n{}\n{}", ended.out, ended.err);
    let verdict = &second.0["start"]["verdict"];
    assert!(["kept", "worse"].map(Value::from).contains(verdict), "{mpi:?} it is judged: {}", second.0["start"]);
    assert!(
        second.0["start"]["measured_s"].as_f64() > Some(0.0) && second.0["start"]["expected_s"].as_f64() > Some(0.0)
    );
    assert!(ended.err.contains("iteration 0: start remembered from the run of 20"), "{}", ended.err);
    assert!(ended.err.contains(": gss by counter, 4 workers, "), "{}", ended.err);

    let runs = remembered(&scratch);
    assert_eq!(runs.len(), 2);
    assert_eq!((&runs[0]["program"], &runs[0]["ranks"]), (&"mw_synthetic".into(), &5.into()));
    assert_eq!(runs[0]["iterations"], second.0["iterations"], "the newest comes first");
    let table = history(&scratch, &["mw_synthetic"]);
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.contains("best setting") && table.contains("gss by counter, 4 workers"), "{table}");
    assert_eq!(history(&scratch, &["another"]), "no run of another is remembered\n");
    assert_eq!(history(&scratch, &["--forget"]), "forgot 2 runs\n");
    assert_eq!(remembered(&scratch), Vec::<Value>::new());
    scratch.assert_nothing_left();
}

#[each_mpi]
fn another_command_or_no_memory_is_a_cold_start(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = endless_line(&scratch, mpi, 5, UNEQUAL);
    teach(&scratch, &line, "gss");
    let known = remembered(&scratch);
    let cold = |name: &str, flags: &[&str], line: &[String]| {
        // The file that ends it is there: it makes few iterations, if any.
        let (ended, summary) = short(&scratch, name, flags, line);
        assert_eq!(summary.0.get("start"), None, "{mpi:?} {name}: {}\n{}", summary.0["start"], ended.err);
        assert!(!ended.err.contains("remembered"), "{mpi:?} {name}: {}", ended.err);
    };
    cold("forgetful", &["--no-memory"], &line);
    assert_eq!(remembered(&scratch), known, "nothing is kept of it");
    cold("dry", &["--dry-run"], &line);
    cold("chosen", &["--technique", "fac2"], &line);
    cold("arguments", &[], &[&line[..], &["--seed".to_owned(), "2".to_owned()]].concat());
    cold("ranks", &[], &endless_line(&scratch, mpi, 4, UNEQUAL));
}

#[each_mpi]
fn what_the_program_chooses_itself_stays_and_a_damaged_memory_stops_nobody(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::line(mpi, 4, "--tasks 200 --mean-us 500 --iterations 6 --technique tss --workers 2");
    let (ended, _) = short(&scratch, "first", &["--technique", "tss", "--objective", "fixed"], &line);
    assert_eq!(techniques(&ended), ["tss"; 6]);
    let flags = ["--objective", "fixed"];
    short(&scratch, "second", &flags, &line);
    let (ended, third) = short(&scratch, "third", &flags, &line);
    assert_eq!(techniques(&ended)[0], "tss", "{mpi:?}");
    assert_eq!(assert_whole(&ended)[0], 2, "{mpi:?}");
    assert!(!third.0["start"].is_null(), "a start was given: {}", third.0);

    let file = scratch.path("state/midrun/runs.sqlite");
    std::fs::write(&file, b"no longer a database".repeat(100)).expect("the memory");
    let (ended, fourth) = short(&scratch, "fourth", &flags, &line);
    assert!(ended.err.contains("is damaged, and is kept as"), "{}", ended.err);
    assert_eq!(fourth.0.get("start"), None);
    assert!(scratch.path("state/midrun/runs.sqlite.damaged0").exists());
    assert_eq!(remembered(&scratch).len(), 1, "a new memory began with this run");
}

#[each_mpi]
fn a_run_that_failed_is_not_remembered(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = endless_line(&scratch, mpi, 3, "--tasks 40 --mean-us 500");
    let mut job = start(&scratch, "job", &[], &line);
    wait_for_iterations(&mut job, 5);
    job.signal(libc::SIGTERM);
    job.wait(); // MPICH's launcher may end with code 0 all the same, but its ranks are lost
    assert_eq!(remembered(&scratch), Vec::<Value>::new());
}

#[each_mpi]
fn a_home_that_is_full_or_cannot_be_written_costs_two_sentences_and_the_job_is_tuned(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let homes =
        [("full", "size=16k"), ("fixed", "ro")].map(|(name, options)| (name, Mount::at(scratch.path(name), options)));
    need!(homes.iter().all(|(_, mount)| mount.is_some()), "nothing can be mounted");
    // As much as goes in.
    let _ = std::fs::write(scratch.path("full/rest"), vec![0_u8; 1 << 20]);
    for (name, _) in &homes {
        let flags = ["--summary", "s.json", "--analyzer", &analyzer.url];
        let line = synthetic::line(mpi, 5, &format!("{UNEQUAL} --technique none --iterations 6"));
        // env, because a process of a test gets the directory of its test.
        let state = vec!["env".to_owned(), format!("XDG_STATE_HOME={}", scratch.path(name).display())];
        let mut run = command(&[state, run::words(&flags, &line)].concat());
        run.current_dir(scratch.directory()).env("XDG_STATE_HOME", scratch.path("state"));
        let ended = Process::start(&scratch, name, run).succeed();
        assert_eq!(assert_whole(&ended).len(), 6);
        let said = |what: &str| ended.err.matches(what).count();
        assert_eq!(said("the memory of earlier runs cannot be read"), 1, "{name}: {}", ended.err);
        assert_eq!(said("finds this job on its own host only"), 1, "{name}: {}", ended.err);
        let summary = Summary::read(&scratch.path("s.json"));
        summary.assert_contract();
        assert!(summary.count("/iterations") == 6 && summary.count("/actions/applied") >= 1, "{name}: {}", ended.err);
    }
}

#[each_mpi]
fn a_home_that_takes_nothing_for_most_of_each_second_costs_the_job_nothing(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let home = SlowMount::at(scratch.path("slow"));
    need!(home.is_some(), "no file system can be mounted and frozen");
    let flags = ["--summary", "s.json", "--analyzer", &analyzer.url];
    let line = synthetic::line(mpi, 5, &format!("{UNEQUAL} --technique none --iterations 6"));
    for name in ["first", "second"] {
        let state = vec!["env".to_owned(), format!("XDG_STATE_HOME={}", scratch.path("slow").display())];
        let mut run = command(&[state, run::words(&flags, &line)].concat());
        run.current_dir(scratch.directory()).env("XDG_STATE_HOME", scratch.path("state"));
        let ended = Process::start(&scratch, name, run).succeed();
        assert_eq!(assert_whole(&ended).len(), 6);
        let summary = Summary::read(&scratch.path("s.json"));
        summary.assert_contract();
        assert_eq!((summary.count("/ranks"), summary.count("/iterations")), (5, 6), "{name}: {}", ended.err);
    }
    drop(home);
    analyzer.end();
}
