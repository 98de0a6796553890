//! Who is a rank of the job: processes that a program starts, second launches and sessions each have their place, or are left alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, root, run};

fn source(name: &str) -> PathBuf {
    root().join("tests/programs").join(name)
}

/// The launcher's line for two ranks, and the compiler, of an MPI: installed, or in `target/NAME`. `None`, counted as skipped, where it is absent.
type Found = Option<(Vec<String>, PathBuf)>;

fn installed(mpi: Mpi) -> Found {
    need!(mpi.is_here(), "the MPI is not here", None);
    let mut line = mpi.line(2, Path::new("program"));
    line.pop();
    Some((line, format!("mpicc.{}", mpi.name()).into()))
}

fn fetched(name: &str) -> Found {
    let directory = midrun_tests::mpi::fetched(name);
    need!(directory.is_some(), "an MPI of the package registry is not here", None);
    let directory = directory?;
    let mut line = vec![directory.join("bin/mpirun").display().to_string(), "-n".into(), "2".into()];
    if name == "openmpi5" {
        line.extend(["--map-by", ":oversubscribe", "--bind-to", "none"].map(str::to_owned));
    }
    Some((line, directory.join("bin/mpicc")))
}

/// Runs a line that ends well under midrun.
fn under_midrun(scratch: &Scratch, line: &[String]) -> (Ended, Summary) {
    let mut command = run::command(scratch, &["--summary", "s.json"], line);
    command.envs(["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"].map(|name| (name, "1")));
    let ended = Process::start(scratch, "run", command).succeed();
    (ended, Summary::read(&scratch.path("s.json")))
}

/// Compiles a program, linked with the libmidrun of `flavour` where there is one to link with.
fn compile(scratch: &Scratch, compiler: &Path, name: &str, flavour: Option<Mpi>) -> String {
    let program = scratch.path("program");
    let mut command = Command::new(compiler);
    command.arg(source(name)).arg("-o").arg(&program);
    if let Some(flavour) = flavour {
        let library = flavour.library().canonicalize().expect("libmidrun");
        let directory = library.parent().expect("its directory").display();
        command.args([
            "-Wl,--no-as-needed".into(),
            format!("-L{directory}"),
            format!("-Wl,-rpath,{directory}"),
            "-lmidrun".into(),
        ]);
    }
    assert!(command.status().is_ok_and(|status| status.success()), "{name}");
    program.display().to_string()
}

/// Two ranks that start two processes by themselves; those load libmidrun, too, because the program is linked with it.
fn children_are_left_alone((mut line, compiler): (Vec<String>, PathBuf), flavour: Mpi) {
    let scratch = Scratch::new();
    line.push(compile(&scratch, &compiler, "children.c", Some(flavour)));
    let (ended, summary) = under_midrun(&scratch, &line);
    for who in ["rank 0", "rank 1", "child 0", "child 1"] {
        assert!(ended.out.contains(&format!("{who} of 2 is done")), "{} {}", ended.out, ended.err);
    }
    let said = "processes that the program itself started (MPI_Comm_spawn) are left alone";
    assert_eq!(ended.err.matches(said).count(), 1, "{}", ended.err);
    assert_eq!(summary.count("/ranks"), 2, "{}", ended.err);
    // Of the ranks: 20 in their world, and the one with the children.
    let barriers: u64 = ["collective", "any"]
        .iter()
        .filter_map(|class| summary.0.pointer(&format!("/mpi_calls/MPI_Barrier/{class}/count"))?.as_u64())
        .sum();
    assert_eq!(barriers, 42, "{}", summary.0["mpi_calls"]);
    scratch.assert_nothing_left();
}

#[test]
fn processes_that_the_program_starts_are_left_alone_openmpi() {
    installed(Mpi::OpenMpi).into_iter().for_each(|mpi| children_are_left_alone(mpi, Mpi::OpenMpi));
}

#[test]
fn processes_that_the_program_starts_are_left_alone_mpich_5() {
    if let Some(mpi) = fetched("mpich5") {
        children_are_left_alone(mpi, Mpi::Mpich);
    }
}

/// Two launches in one script, at the same time: the first one is the job, the other one runs as without midrun.
#[each_mpi]
fn of_two_launches_at_once_one_is_tuned(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = |ranks: u32, iterations: u32| {
        let words = format!("--tasks 200 --mean-us 1000 --sigma-pct 40 --iterations {iterations} --check");
        let mut line = mpi.line(ranks, &mpi.example("mw_synthetic"));
        line.extend(words.split(' ').map(str::to_owned));
        line.join(" ")
    };
    let script = format!(
        "{} >a.out 2>a.err & sleep 1; {} >b.out 2>b.err; code=$?; wait $! && exit $code",
        line(5, 80),
        line(4, 12)
    );
    let words = ["sh".into(), "-c".into(), script];
    let ended = run::under_midrun(&scratch, "run", &["--summary", "s.json"], &words).succeed();
    for name in ["a", "b"] {
        let read = |kind: &str| std::fs::read_to_string(scratch.path(&format!("{name}.{kind}"))).expect("its output");
        assert!(read("out").contains(midrun_tests::synthetic::WHOLE), "{name}: {} {}", read("out"), read("err"));
    }
    let summary = Summary::read(&scratch.path("s.json"));
    let said = "a second launch runs while the first one of its job does";
    assert_eq!(ended.err.matches(said).count(), 1, "{}", ended.err);
    // Ranks of the second one come after the first has ended, if it runs still.
    assert_eq!(summary.count("/ranks"), 5, "{}", ended.err);
    scratch.assert_nothing_left();
}

/// Calls of both sessions' ranks up to the end of the first one, with their peers.
fn sessions_are_seen((mut line, compiler): (Vec<String>, PathBuf), sessions: &[&str]) {
    let scratch = Scratch::new();
    line.push(compile(&scratch, &compiler, "sessions.c", None));
    line.extend(sessions.iter().map(|calls| (*calls).to_owned()));
    let (ended, summary) = under_midrun(&scratch, &line);
    assert_eq!(ended.out, "sum 1\n".repeat(sessions.len()), "{}", ended.err);
    assert_eq!(summary.count("/ranks"), 2, "{}", ended.err);
    assert_eq!(summary.count("/mpi_calls/MPI_Allreduce/collective/count"), 80, "{}", summary.0["mpi_calls"]);
    assert_eq!(summary.count("/mpi_calls/MPI_Sendrecv/same_host/count"), 2, "{}", summary.0["mpi_calls"]);
    scratch.assert_nothing_left();
}

#[test]
fn a_program_of_sessions_is_counted_mpich() {
    installed(Mpi::Mpich).into_iter().for_each(|mpi| sessions_are_seen(mpi, &["40"]));
}

#[test]
fn a_program_of_sessions_is_counted_mpich_5() {
    // MPICH 4.0 and Open MPI 5.0 crash in a second session, without midrun, too.
    fetched("mpich5").into_iter().for_each(|mpi| sessions_are_seen(mpi, &["40", "3"]));
}

#[test]
fn a_program_of_sessions_is_counted_open_mpi_5() {
    fetched("openmpi5").into_iter().for_each(|mpi| sessions_are_seen(mpi, &["40"]));
}
