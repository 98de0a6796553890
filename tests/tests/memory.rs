//! The memory: what a run learnt is where the next run of the same program begins.

use midrun_tests::ask::{status, succeed};
use midrun_tests::mount::{Mount, SlowMount};
use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::synthetic::{self, assert_whole, endless_line, wait_for_iterations};
use midrun_tests::{Analyzer, Mpi, Process, Scratch, Summary, each_mpi, need, root, run, wait_until};
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

fn example(mpi: Mpi, ranks: u32, program: &str, options: &str) -> Vec<String> {
    let mut line = mpi.line(ranks, &mpi.example(program));
    line.extend(options.split_whitespace().map(str::to_owned));
    line
}

/// A program of the examples under midrun, which remembers it.
fn learning(scratch: &Scratch, name: &str, line: &[String]) -> (Ended, Summary) {
    let ended = start(scratch, name, &[], line).succeed();
    (ended, Summary::read(&scratch.path(&format!("{name}.json"))))
}

/// The same program with a start that the test names in place of a memory.
fn begun(mpi: Mpi, given: &str, ranks: u32, program: &str, options: &str) -> (Ended, Summary) {
    let scratch = Scratch::new();
    let mut line = example(mpi, ranks, program, options);
    let at = line.iter().position(|word| word.ends_with(program)).expect("the program");
    line.splice(at..at, ["env".to_owned(), format!("MIDRUN_START={given}")]);
    let ended = start(&scratch, "job", &["--no-memory", "--objective", "fixed"], &line).succeed();
    (ended, Summary::read(&scratch.path("job.json")))
}

/// The sum that a program prints in the end.
fn total(ended: &Ended) -> String {
    ended.out.lines().rfind(|line| line.starts_with("total ")).expect("a total").to_owned()
}

fn first_pattern(summary: &Summary) -> String {
    summary.0["pattern"][0]["pattern"].as_str().expect("a pattern").to_owned()
}

fn assert_judged(summary: &Summary) {
    let verdict = &summary.0["start"]["verdict"];
    assert!(["kept", "worse"].map(Value::from).contains(verdict), "it is judged: {}", summary.0["start"]);
}

#[each_mpi]
fn a_pipeline_begins_with_the_pattern_that_the_run_before_found(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = example(mpi, 7, "pipe_synthetic", "--inputs 400 --stages 5,20,5 --check");
    let (_, first) = learning(&scratch, "first", &line);
    let best = first.0["learnt"]["setting"].as_str().expect("a setting").to_owned();
    assert!(best.starts_with("pattern 0") && best.contains(",1x"), "the slow stage has replicas: {}", first.0);
    let (ended, second) = learning(&scratch, "second", &line);
    assert_eq!(format!("pattern {}", first_pattern(&second)), best, "{mpi:?}\n{}", ended.err);
    assert_judged(&second);
    assert_eq!(second.0["start"]["per"], "output");
    assert!(ended.err.contains("window 0: start remembered from the run of 20"), "{}", ended.err);
    assert!(ended.err.contains("s per output"), "{}", ended.err);
    assert!(ended.out.contains("lost 0, doubled 0, wrong 0, out of order 0"), "{}", ended.out);
    assert!(history(&scratch, &[]).contains(&best), "{}", history(&scratch, &[]));
    assert_eq!(remembered(&scratch)[1]["learnt"]["best"]["start"], first.0["learnt"]["start"]);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_pattern_that_the_program_names_or_that_does_not_fit_is_left(mpi: Mpi) {
    let job = "--inputs 60 --stages 1,2,1 --check";
    let given = "pattern=0,1x2,2;stages=3;ranks=6";
    let patterns = |given: &str, options: &str| {
        let (ended, summary) = begun(mpi, given, 6, "pipe_synthetic", &format!("{job} {options}"));
        (first_pattern(&summary), ended.err)
    };
    assert_eq!(patterns(given, "").0, "0,1x2,2");
    assert_eq!(patterns(given, "--pattern 0-1,2").0, "0-1,2", "the program's own");
    let (pattern, said) = patterns(given, "--stateful 1");
    assert_eq!(pattern, "0,1,2");
    assert_eq!(said.matches("does not fit: stage 1 keeps state and cannot have replicas").count(), 1, "{said}");
    let (pattern, said) = patterns("pattern=0,1x2;stages=2;ranks=6", "");
    assert!(pattern == "0,1,2" && said.contains("does not fit: stage 2 is in no group"), "{pattern} {said}");
    for other in ["pattern=0,1x2,2;stages=3;ranks=5", "pattern=0,1x9,2;stages=3;ranks=6", "technique=daf"] {
        assert_eq!(patterns(other, "").0, "0,1,2", "{other}");
    }
}

/// Depth of each solve, in the program's own words.
fn depths(ended: &Ended) -> Vec<u32> {
    let depth = |line: &str| line.split("cut-off depth ").nth(1)?.split(',').next()?.parse().ok();
    ended.out.lines().filter(|line| line.starts_with("solve ")).filter_map(depth).collect()
}

#[each_mpi]
fn a_divide_and_conquer_program_begins_with_the_depth_that_the_run_before_found(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = example(mpi, 5, "quadrature", "--solves 10 --digits 8 --pace 500 --check");
    let (_, first) = learning(&scratch, "first", &line);
    let best = first.0["learnt"]["setting"].as_str().expect("a setting").to_owned();
    let (ended, second) = learning(&scratch, "second", &line);
    assert!(best.ends_with(&format!(", cut-off depth {}", depths(&ended)[0])), "{mpi:?} {best}\n{}", ended.out);
    assert_judged(&second);
    assert!(history(&scratch, &[]).contains("cut-off depth"), "{}", history(&scratch, &[]));
    scratch.assert_nothing_left();

    let given = "technique=ss;factor=0;mean_s=0;sigma_s=0;min_chunk=1;recall=1;cutoff=7;ranks=5;workers=1-4";
    let depths = |options: &str| {
        let options = format!("--solves 2 --digits 7 --pace 10 {options}");
        depths(&begun(mpi, given, 5, "quadrature", &options).0)
    };
    assert_eq!(depths(""), [7, 7]);
    assert_eq!(depths("--cutoff 2"), [2, 2], "the program's own");
}

/// Workers ask, and the master answers each with the next CHUNK tasks.
const ASKED: &str = "iteration function answer
work function evaluate first 2 int tasks 3 int
tune chunk.tasks variable CHUNK int 1..";

/// Runs the program whose chunks are of 1 task as long as nobody tells it otherwise, and whose points file allows so many at most.
fn asked(scratch: &Scratch, name: &str, line: &[String], most: u32) -> (Ended, Summary) {
    std::fs::write(scratch.path("points"), format!("{ASKED}{most}")).expect("a file");
    let ended = start(scratch, name, &["--points", "points"], line).succeed();
    (ended, Summary::read(&scratch.path(&format!("{name}.json"))))
}

#[each_mpi]
fn a_program_that_cuts_its_tasks_by_itself_goes_on_with_the_values_that_the_run_before_found(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile(&scratch, &root().join("tests/programs/asked.c"), &["-O1".into()]);
    let mut line = mpi.line(5, &program);
    line.extend(["30", "1"].map(str::to_owned));
    let (ended, first) = asked(&scratch, "first", &line, 400);
    let best = first.0["learnt"]["setting"].as_str().expect("a setting").to_owned();
    assert!(best.starts_with("chunk.tasks = "), "{mpi:?}: {best}");
    let (sum, first_start) = (total(&ended), first.0["learnt"]["start"].clone());

    let (ended, second) = asked(&scratch, "second", &line, 400);
    assert_eq!(total(&ended), sum, "{mpi:?}: results stay");
    assert_judged(&second);
    let said = ended.err.lines().find(|line| line.contains(": start remembered from the run of 20"));
    let said = said.unwrap_or_else(|| panic!("{}", ended.err));
    assert!(said.contains(&format!(" UTC: {best}, ")), "{mpi:?}: {said}");
    let at: u64 =
        said.split("iteration ").nth(1).and_then(|rest| rest.split(':').next()?.parse().ok()).expect("a number");
    assert!((1..=2).contains(&at), "{mpi:?}: it is in force early: {said}");
    assert_eq!(remembered(&scratch)[1]["learnt"]["best"]["start"], first_start);
    assert!(history(&scratch, &[]).contains(&best), "{}", history(&scratch, &[]));

    // A range in which the newest value does not lie any more.
    let newest = remembered(&scratch)[0]["setting"].as_str().expect("a setting").to_owned();
    let value: u32 = newest.rsplit(' ').next().and_then(|value| value.parse().ok()).expect("a size");
    let (ended, third) = asked(&scratch, "third", &line, value.saturating_sub(1).max(2));
    assert_eq!(total(&ended), sum, "{mpi:?}");
    if value > 2 {
        assert_eq!(third.0["start"]["verdict"], "not-used", "{mpi:?}: {}", ended.err);
        assert!(!ended.err.contains("the remembered start"), "{mpi:?}: nothing was set: {}", ended.err);
    }
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
        let line = endless_line(&scratch, mpi, 5, &format!("{UNEQUAL} --technique none"));
        // env, because a process of a test gets the directory of its test.
        let state = vec!["env".to_owned(), format!("XDG_STATE_HOME={}", scratch.path(name).display())];
        let mut run = command(&[state, run::words(&flags, &line)].concat());
        run.current_dir(scratch.directory()).env("XDG_STATE_HOME", scratch.path("state"));
        let job = Process::start(&scratch, name, run);
        wait_until("the job is tuned", || job.err().contains("applied at iteration"));
        synthetic::end(&scratch);
        let ended = job.succeed();
        std::fs::remove_file(scratch.path("end")).expect("the next job begins");
        let iterations = assert_whole(&ended).len() as u64;
        let said = |what: &str| ended.err.matches(what).count();
        assert_eq!(said("the memory of earlier runs cannot be read"), 1, "{name}: {}", ended.err);
        assert_eq!(said("finds this job on its own host only"), 1, "{name}: {}", ended.err);
        let summary = Summary::read(&scratch.path("s.json"));
        summary.assert_contract();
        assert_eq!(summary.count("/iterations"), iterations, "{name}: {}", ended.err);
        assert!(summary.count("/actions/applied") >= 1, "{name}: {}", ended.err);
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
