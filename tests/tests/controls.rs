//! Control variables of MPI as tuning points: set on all ranks together, seen in what the program computes, refused by name.

use std::path::PathBuf;

use midrun_tests::ask::{ask, status, succeed};
use midrun_tests::mpi::command;
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, root, run, wait_until};
use serde_json::Value;

/// The variable that names an algorithm, and for two of its values what the program then computes.
fn algorithm(mpi: Mpi) -> (&'static str, [(&'static str, &'static str); 2]) {
    match mpi {
        Mpi::OpenMpi => ("coll_tuned_allreduce_algorithm", [("2", "sum 2 "), ("4", "sum 1 ")]),
        Mpi::Mpich => ("MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM", [("3", " part 1"), ("4", " part 0")]),
    }
}

fn program(mpi: Mpi, scratch: &Scratch) -> PathBuf {
    mpi.compile(scratch, &root().join("tests/programs/controls.c"), &[])
}

/// The program's line; it ends when `stop` is there.
fn line(mpi: Mpi, scratch: &Scratch) -> Vec<String> {
    let mut line = mpi.line(4, &program(mpi, scratch));
    line.push(scratch.path("stop").display().to_string());
    line
}

#[each_mpi]
fn an_algorithm_of_mpi_is_changed_on_all_ranks_together_and_refused_for_one(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    let (name, values) = algorithm(mpi);
    let points = format!("iteration mpi MPI_Bcast every 1;tune algorithm control {name} 0..5");
    let mut job = command(&line(mpi, &scratch));
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "controls").env("MIDRUN_POINTS", points);
    job.env("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    job.env("LD_PRELOAD", mpi.library().canonicalize().expect("libmidrun"));
    let mut job = Process::start(&scratch, "job", job);
    wait_until("every rank offers its point", || {
        assert!(job.is_running(), "the job ended too early: {}", job.err());
        let status = status(&scratch, &["controls", "--analyzer", &analyzer.url]).unwrap_or_default();
        let points = status["tuning_points"].as_array().into_iter().flatten();
        points.filter(|point| point["name"] == "algorithm").count() == 4
    });
    let about = ["--job", "controls", "--analyzer", &analyzer.url];
    for (value, shows) in values {
        succeed(&scratch, &[&["set", "algorithm", value, "--synchronized"], &about[..]].concat());
        wait_until("the program computes by it", || {
            assert!(job.is_running(), "{mpi:?}: {}", job.err());
            job.out().lines().last().is_some_and(|line| line.contains(shows))
        });
    }
    let (code, text) = ask(&scratch, &[&["set", "algorithm", "0", "--rank", "1"], &about[..]].concat());
    assert!(code != 0 && text.contains("all ranks change it together"), "{mpi:?}: {code} {text}");
    let text = succeed(&scratch, &[&["pause"], &about[..]].concat());
    assert!(text.contains("values brought back to those at start: 4"), "{mpi:?}: {text}");
    wait_until("the program computes as at start", || job.out().lines().count() == 4);
    std::fs::write(scratch.path("stop"), "").expect("a file");
    let out = job.succeed().out;
    assert_eq!(out.lines().count(), 4, "{mpi:?}: each change is seen once: {out}");
}

#[each_mpi]
fn the_variables_of_a_programs_mpi_are_listed_and_the_program_does_not_run(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = program(mpi, &scratch).display().to_string();
    let text = succeed(&scratch, &["inspect", "--controls", &program]);
    let (name, _) = algorithm(mpi);
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name));
    assert!(
        line.is_some_and(|line| line.contains("whole") && line.contains("all ranks together")),
        "{mpi:?}: {line:?}"
    );
    assert!(!text.contains("iteration 0:"), "{mpi:?}: it ran");
    let (code, text) = ask(&scratch, &["inspect", "--controls", "/bin/true"]);
    assert!(code == 64 && text.contains("not linked with an MPI library"), "{code} {text}");
}

#[each_mpi]
fn what_cannot_be_tuned_is_refused_by_name_and_the_rest_holds(mpi: Mpi) {
    let scratch = Scratch::new();
    let (good, _) = algorithm(mpi);
    let (read_only, text) = match mpi {
        Mpi::OpenMpi => ("coll_tuned_use_dynamic_rules", "orte_no_session_dirs"),
        Mpi::Mpich => ("", "MPIR_CVAR_BCAST_INTRANODE_TREE_TYPE"),
    };
    let mut points = format!(
        "tune algorithm control {good} 0..5\ntune nothing control no_such_variable 0..1\n\
         tune text control {text} 0..1\ntune one control {good} 0..5 rank=0\n"
    );
    if !read_only.is_empty() {
        points += &format!("tune fixed control {read_only}\n");
    }
    std::fs::write(scratch.path("points"), points).expect("a file");
    std::fs::write(scratch.path("stop"), "").expect("a file");
    let path = scratch.path("points").display().to_string();
    let job = run::command(&scratch, &["--points", &path], &line(mpi, &scratch));
    let err = Process::start(&scratch, "run", job).succeed().err;
    assert!(err.contains("no_such_variable is no control variable of this MPI"), "{mpi:?}: {err}");
    assert!(err.contains(&format!("{text} takes no single number")), "{mpi:?}: {err}");
    assert!(err.contains(&format!("{good} is a tuning point with another label")), "{mpi:?}: {err}");
    assert!(read_only.is_empty() || err.contains(&format!("{read_only} can only be read")), "{mpi:?}: {err}");
}

#[each_mpi]
fn a_control_variable_is_searched_on_all_ranks_together_and_ends_at_its_best(mpi: Mpi) {
    let scratch = Scratch::new();
    let (name, values) = algorithm(mpi);
    std::fs::write(
        scratch.path("points"),
        format!("iteration mpi MPI_Bcast every 1\ntune algorithm control {name} 0..5\n"),
    )
    .expect("a file");
    let search = format!("algorithm={},{} categorical synchronized", values[0].0, values[1].0);
    let (points, summary) =
        (scratch.path("points").display().to_string(), scratch.path("s.json").display().to_string());
    let flags =
        ["--points", &points, "--search", &search, "--search-budget", "12", "--no-memory", "--summary", &summary];
    let mut line = line(mpi, &scratch);
    line.push("400".into());
    let mut job = run::command(&scratch, &flags, &line);
    job.env("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    let ended = Process::start(&scratch, "run", job).succeed();
    let summary = Summary::read(&scratch.path("s.json"));
    let report = &summary.0["search"];
    assert_eq!((&report["ended"], &report["trouble"]), (&true.into(), &Value::Null), "{mpi:?}: {report} {}", ended.err);
    // The program computed by what was measured: were it in force on some ranks only, the collective would fail.
    let tried = report["tried"].as_array().expect("a list");
    assert!(!tried.is_empty(), "{mpi:?}: {report}");
    for line in tried {
        let own = values.iter().find(|(value, _)| line["values"][0].as_f64() == value.parse().ok());
        let (value, shows) = own.unwrap_or_else(|| panic!("{mpi:?}: nobody asked for it: {report}"));
        assert!(ended.out.contains(shows), "{mpi:?}: {value} was in force: {}", ended.out);
    }
    let decisions = summary.list("decisions");
    assert!(decisions.iter().all(|decision| decision["tunlet"] == "search" && decision["applied_iteration"].is_u64()));
    // What stays is what the report calls the best.
    let (last, best) = (decisions.last().expect("decisions"), report["best"][0].as_f64());
    assert_eq!(last["to"].as_str().and_then(|to| to.parse().ok()), best, "{mpi:?}: {report} {last}");
    let shows = values.iter().find(|(value, _)| value.parse().ok() == best).map(|(_, shows)| *shows);
    let last = ended.out.lines().last().expect("lines");
    assert!(shows.is_none_or(|shows| last.contains(shows)), "{mpi:?}: {report} {last}");
}
