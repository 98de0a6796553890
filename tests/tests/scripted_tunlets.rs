//! Tunlets in files, several at once, and `explain`: on real programs, with each MPI of this machine.

use std::process::Command;

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Analyzer, Mpi, Process, Scratch, Summary, each_mpi, midrun, need, root, under_midrun, wait_until};

/// 8 workers, 80 % spread, by dpf with batches that are far too large.
fn synthetic(mpi: Mpi) -> Vec<String> {
    let mut words = mpi.line(9, &mpi.example("mw_synthetic"));
    let job =
        "--tasks 800 --iterations 16 --mean-us 2000 --sigma-pct 80 --work sleep --seed 7 --technique dpf --factor 0.9";
    words.extend(job.split(' ').map(str::to_owned));
    words
}

fn tuned(scratch: &Scratch, flags: &[&str], line: &[String]) -> Ended {
    under_midrun(scratch, "run", flags, line).succeed()
}

fn explain(scratch: &Scratch, args: &[&str]) -> Ended {
    let mut explain = Command::new(midrun());
    explain.arg("explain").args(args).current_dir(scratch.directory());
    Process::start(scratch, "explain", explain).wait()
}

fn example(name: &str) -> String {
    root().canonicalize().expect("the root").join("examples/tunlets").join(name).display().to_string()
}

fn file(scratch: &Scratch, name: &str, text: &str) -> String {
    let path = scratch.path(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

#[each_mpi]
fn the_first_example_of_the_guide_tunes_a_factor_of_the_framework(mpi: Mpi) {
    let scratch = Scratch::new();
    let tunlet = example("spread_factor.toml");
    let ended = tuned(&scratch, &["--tunlet", &tunlet, "--summary", "s.json"], &synthetic(mpi));
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    let first = &summary.list("decisions")[0];
    assert_eq!((&first["tunlet"], &first["tuning_point"]), (&"spread_factor".into(), &"factor".into()));
    // 0.4 by the tasks' own spread; sleeping on a busy machine adds some.
    let to: f64 = first["to"].as_str().and_then(|to| to.parse().ok()).expect("a number");
    assert!(first["from"] == "0.9" && (0.2..=0.6).contains(&to), "{}", ended.err);
    assert_eq!(first["verdict"], "kept", "{}", ended.err);
    // A later look at the tasks may find a neighbouring step better.
    let technique = summary.0["technique"].as_str().expect("a technique");
    assert!(technique.starts_with("dpf(0.") && !technique.starts_with("dpf(0.9"), "{}", ended.err);
    let story = explain(&scratch, &["--summary", "s.json"]);
    assert_eq!(story.code, 0, "{}", story.err);
    for part in
        ["spread_factor proposed factor 0.9 -> 0.", "the tasks differ too much", "applied at iteration", "it was kept"]
    {
        assert!(story.out.contains(part), "{part} is missing in\n{}", story.out);
    }
    scratch.assert_nothing_left();
}

#[each_mpi]
fn the_second_example_of_the_guide_tunes_variables_that_a_program_exposes(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(9, &mpi.example("marks_demo"));
    line.extend("--mode factors --tasks 1000 --iterations 12".split(' ').map(str::to_owned));
    let tunlet = example("own_batches.toml");
    let ended = tuned(&scratch, &["--tunlet", &tunlet, "--summary", "s.json"], &line);
    assert!(ended.out.contains("all tasks done"), "{}", ended.out);
    let summary = Summary::read(&scratch.path("s.json"));
    let decisions = summary.list("decisions");
    assert!(decisions.iter().any(|decision| decision["tuning_point"] == "f0, f1, f2"), "{}", ended.err);
    assert!(decisions[0]["predicted_s"].is_number(), "{}", decisions[0]);
    assert!(summary.count("/actions/applied") >= 1, "{}", ended.err);
}

#[each_mpi]
fn a_tunlet_in_a_file_travels_to_a_standing_analyzer_with_its_text(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let tunlet = example("spread_factor.toml");
    let flags = ["--analyzer", &analyzer.url, "--tunlet", &tunlet, "--shadow", "auto", "--summary", "s.json"];
    tuned(&scratch, &flags, &synthetic(mpi));
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.list("decisions")[0]["tunlet"], "spread_factor", "{}", summary.0);
    assert_eq!(summary.list("shadow")[0]["tunlet"], "auto", "{}", summary.0);
    let job = summary.0["job"].as_str().expect("a job");
    let story = explain(&scratch, &["--job", job, "--analyzer", &analyzer.url, "--json"]);
    // The job has a token of its own, which nobody was told.
    assert!(story.code != 0 && story.err.contains("token"), "{}{}", story.out, story.err);
    analyzer.end();
}

#[each_mpi]
fn a_running_job_is_explained_up_to_now(mpi: Mpi) {
    let scratch = Scratch::new();
    let tunlet = example("spread_factor.toml");
    let run = under_midrun(&scratch, "run", &["--tunlet", &tunlet], &synthetic(mpi));
    wait_until("a change is in force", || run.err().contains("applied at iteration"));
    let said = run.err();
    let job = said.split("midrun: job ").nth(1).and_then(|rest| rest.split(' ').next()).expect("its id");
    let story = explain(&scratch, &["--job", job]);
    assert!(story.out.contains("spread_factor proposed factor 0.9 -> 0."), "{}{}", story.out, story.err);
    run.succeed();
}

#[each_mpi]
fn a_change_that_made_things_worse_is_taken_back(mpi: Mpi) {
    let scratch = Scratch::new();
    let text = "name = 'bad'\nscript = '#{ set: #{ workers: 2 }, why: \"to see\" }'\n[limits]\nmax_changes = 1\n\
                [tuning_points]\nworkers = { name = 'mw.workers' }\n";
    let tunlet = file(&scratch, "bad.toml", text);
    tuned(&scratch, &["--tunlet", &tunlet, "--summary", "s.json"], &synthetic(mpi));
    let summary = Summary::read(&scratch.path("s.json"));
    let verdicts: Vec<_> = summary.list("decisions").iter().map(|decision| decision["verdict"].as_str()).collect();
    assert_eq!(verdicts[0], Some("rolled-back"), "{}", summary.0);
    let workers = summary.list("workers");
    assert!(workers.contains(&2.into()) && workers.last() == Some(&8.into()), "{workers:?}");
}

#[each_mpi]
fn a_script_that_fails_is_refused_by_name_and_the_job_is_unharmed(mpi: Mpi) {
    let scratch = Scratch::new();
    let text =
        "name = 'endless'\npoints = 'tune deep variable DEEP i32 1..9'\nscript = 'loop { }'\n[limits]\nfailures = 2\n";
    let tunlet = file(&scratch, "endless.toml", text);
    let ended = tuned(&scratch, &["--tunlet", &tunlet, "--summary", "s.json"], &synthetic(mpi));
    assert!(ended.err.contains("endless: refused: it takes more than 30000 operations"), "{}", ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/iterations"), 16);
    let refusals = summary.list("refusals");
    let of = |part: &str| refusals.iter().find(|refusal| refusal["why"].as_str().is_some_and(|why| why.contains(part)));
    assert_eq!(of("operations").map(|refusal| &refusal["times"]), Some(&2.into()), "{refusals:?}");
    assert!(of("switched off").is_some() && of("DEEP").is_some(), "{refusals:?}");
    assert_eq!(summary.list("never").len(), 1, "{}", summary.0);
    let story = explain(&scratch, &["--summary", "s.json"]);
    assert!(story.out.contains("never possible\n    no rank offers a tuning point deep"), "{}", story.out);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn two_tunlets_act_in_turn_and_one_advises(mpi: Mpi) {
    let scratch = Scratch::new();
    let least = "name = 'least'\nscript = '#{ set: #{ least: 2 }, why: \"fewer messages\" }'\n[limits]\nmax_changes = 1\n\
                 [tuning_points]\nleast = { name = 'mw.min_chunk' }\n";
    let (factor, least) = (example("spread_factor.toml"), file(&scratch, "least.toml", least));
    let flags = ["--tunlet", &factor, "--tunlet", &least, "--shadow", "master_worker", "--summary", "s.json"];
    let ended = tuned(&scratch, &flags, &synthetic(mpi));
    let summary = Summary::read(&scratch.path("s.json"));
    let decisions = summary.list("decisions");
    for name in ["spread_factor", "least"] {
        assert!(decisions.iter().any(|decision| decision["tunlet"] == name), "{name}: {}", ended.err);
    }
    let why = decisions[0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("; rather than `"), "both propose after one window: {why}");
    let at = |n: usize| decisions[n]["applied_iteration"].as_u64().expect("applied");
    assert!(at(1) > at(0) + 2, "the second waits for the verdict on the first: {}", ended.err);
    let shadow = &summary.list("shadow")[0];
    assert!(shadow["proposals"].as_u64() >= Some(1) && shadow["acting"].as_u64() >= Some(2), "{shadow}");
}

#[each_mpi]
fn what_is_wrong_with_tunlets_is_one_sentence_before_anything_starts(mpi: Mpi) {
    let scratch = Scratch::new();
    let bad = file(&scratch, "bad.toml", "name = 'bad'\nscript = '''\ntuning_points.f1\n'''\n");
    let factor = example("spread_factor.toml");
    for (flags, part) in [
        (vec!["--tunlet", bad.as_str()], "bad.toml, line 3, column 15: nothing declares `f1` of `tuning_points`"),
        (vec!["--tunlet", "./none.toml"], "the tunlet ./none.toml cannot be read"),
        (vec!["--tunlet", "nobody"], "or a file: FILE.toml"),
        (vec!["--tunlet", "auto", "--tunlet", &factor], "auto and spread_factor may both turn mw.factor"),
        (vec!["--shadow", bad.as_str()], "bad.toml, line 3, column 15"),
    ] {
        under_midrun(&scratch, "run", &flags, &synthetic(mpi)).wait().assert_refused(&[part]);
    }
    let explained = explain(&scratch, &[bad.as_str()]);
    assert!(explained.code == 64 && explained.err.contains("line 3, column 15"), "{}", explained.err);
    scratch.assert_nothing_left();
}

#[test]
fn every_tunlet_explains_itself() {
    let scratch = Scratch::new();
    for (name, parts) in [
        (
            "master_worker",
            [
                "mw.technique",
                "Pi(n) = n Tt(n)²/Tc (17) of the simulated times: the number of workers with the least   [César 2006, ch. III]",
            ],
        ),
        (
            example("classic_factor.toml").as_str(),
            ["measure task function compute sum", "nw (tune nw variable NW i32 1..1024"],
        ),
    ] {
        let text = explain(&scratch, &[name]);
        for part in parts {
            assert!(text.code == 0 && text.out.contains(part), "{part} is missing in\n{}{}", text.out, text.err);
        }
        let json = explain(&scratch, &[name, "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
        assert!(json["turns"].as_array().is_some_and(|turns| !turns.is_empty()), "{json}");
    }
}

/// Runs `line` alone and tuned by `tunlet`: its factors change, its result does not.
fn assert_factors_are_turned(mpi: Mpi, scratch: &Scratch, tunlet: &str, line: &[String]) {
    let total = |out: &str| out.lines().find(|line| line.starts_with("total ")).expect("a total").to_owned();
    let alone = Process::start(scratch, "alone", command(line)).succeed();
    let ended = tuned(scratch, &["--tunlet", tunlet, "--summary", "s.json"], line);
    assert_eq!(total(&ended.out), total(&alone.out), "{mpi:?}: tuning changes no result");
    let summary = Summary::read(&scratch.path("s.json"));
    let decisions = summary.list("decisions");
    assert!(decisions.iter().any(|decision| decision["tunlet"] == "classic_factor"), "{}", ended.err);
    assert!(summary.count("/actions/applied") >= 1, "{}", ended.err);
    assert!(decisions[0]["predicted_s"].is_number(), "{}", decisions[0]);
    assert_eq!(summary.list("never").len(), 0, "{}", ended.err);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn a_program_that_knows_nothing_of_midrun_gets_other_batch_factors_and_computes_the_same(mpi: Mpi) {
    let scratch = Scratch::new();
    let source = root().join("tests/programs/classic_mw.c");
    // Its first batch is far too large: what the tunlet promises is beyond chance.
    let program = mpi.compile(&scratch, &source, &["-O2".into(), "-DFIRST=0.9".into()]);
    let mut line = mpi.line(5, &program);
    line.extend(["300".into(), "5000".into()]);
    assert_factors_are_turned(mpi, &scratch, &example("classic_factor.toml"), &line);
}

#[each_mpi]
fn so_does_one_in_fortran_by_the_names_of_its_module(mpi: Mpi) {
    let scratch = Scratch::new();
    let source = root().join("tests/programs/classic_mw.f90");
    let program =
        mpi.compile_fortran(&scratch, &source, &["-O2", "-fno-inline", "-fallow-argument-mismatch", "-DFIRST=0.9d0"]);
    need!(program.is_some(), "no Fortran");
    let mut tunlet = std::fs::read_to_string(example("classic_factor.toml")).expect("the example");
    for (of_c, of_fortran) in [
        ("function iterate", "function __farm_MOD_iterate"),
        ("function compute", "function __farm_MOD_compute"),
        ("variable F", "variable __farm_MOD_f"),
        ("variable NW", "variable __farm_MOD_nw"),
    ] {
        assert!(tunlet.contains(of_c), "{of_c}");
        tunlet = tunlet.replace(of_c, of_fortran);
    }
    let tunlet = file(&scratch, "fortran.toml", &tunlet);
    let mut line = mpi.line(5, &program.expect("a program"));
    line.push("300".into());
    assert_factors_are_turned(mpi, &scratch, &tunlet, &line);
}

#[each_mpi]
fn the_third_example_of_the_guide_gives_the_slow_stage_of_a_pipeline_replicas(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(9, &mpi.example("pipe_synthetic"));
    line.extend("--inputs 300 --stages 10,40,10 --bytes 5000".split(' ').map(str::to_owned));
    let tunlet = example("slowest_stage.toml");
    let ended = tuned(&scratch, &["--tunlet", &tunlet, "--summary", "s.json"], &line);
    assert!(ended.out.contains("lost 0, doubled 0, wrong 0, out of order 0"), "{}", ended.out);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    let first = &summary.list("decisions")[0];
    assert_eq!(
        (&first["tunlet"], &first["from"], &first["per"]),
        (&"slowest_stage".into(), &"0,1,2".into(), &"output".into())
    );
    let to = first["to"].as_str().expect("a pattern");
    assert!(to.starts_with("0,1x") && to.ends_with(",2") && first["applied_iteration"].is_number(), "{first}");
    assert!(first["predicted_s"].as_f64() < first["unchanged_s"].as_f64(), "{first}");
    assert!(summary.list("pattern").iter().any(|line| line["pattern"] == to), "{}", summary.0["pattern"]);
    scratch.assert_nothing_left();
}

/// Tells in its reason what it sees.
const SEES: &str = r#"
name = "sees"
script = '''
if !has(efficiency, "parallel") || !has(messages, "near") { return; }
#{
    set: #{ factor: 0.4 },
    why: `start-up ${messages.near.start_up_s} per byte ${messages.near.per_byte_s} parallel ${efficiency.parallel} balance ${efficiency.load_balance}`,
}
'''
[tuning_points]
factor = { name = "mw.factor" }
"#;

#[each_mpi]
fn a_tunlet_sees_what_messages_cost_and_how_efficient_the_iteration_was(mpi: Mpi) {
    let scratch = Scratch::new();
    let tunlet = file(&scratch, "sees.toml", SEES);
    let ended = tuned(&scratch, &["--tunlet", &tunlet, "--summary", "s.json"], &synthetic(mpi));
    let summary = Summary::read(&scratch.path("s.json"));
    let decisions = summary.list("decisions");
    let why = decisions.first().and_then(|first| first["why"].as_str()).unwrap_or_else(|| panic!("{}", ended.err));
    let after = |word: &str| -> f64 {
        let number = why.split(&format!("{word} ")).nth(1).and_then(|rest| rest.split(' ').next());
        number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{word}: {why}"))
    };
    assert!(after("start-up") > 0.0 && after("per byte") >= 0.0, "{why}");
    assert!(after("parallel") > 0.0 && after("parallel") <= after("balance") && after("balance") <= 1.0, "{why}");
}
