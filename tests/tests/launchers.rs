//! One line for any launcher and any MPI: the ranks find out by themselves, and what midrun does not know costs no job.

use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::mpi::fetched;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, run};

/// Rounds of the loop in [`source`].
const ROUNDS: u64 = 50;

/// A program with `ROUNDS` calls of MPI_Allreduce in its function `body`; rank 0 prints the sum.
fn source(main: &str) -> String {
    format!(
        "#include <mpi.h>\n#include <stdio.h>\nint body(int *argc, char ***argv) {{\n  int rank, sum = 0;\n\
         MPI_Init(argc, argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  for (int i = 0; i < {ROUNDS}; i++)\n    \
         MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n  if (!rank) printf(\"sum %d\\n\", sum);\n  \
         MPI_Finalize();\n  return 0;\n}}\n{main}"
    )
}

const MAIN: &str = "int main(int argc, char **argv) { return body(&argc, &argv); }\n";
/// Loads the program from a library, out of the global scope as interpreters do.
const LOADER: &str = "#include <dlfcn.h>\n#include <stdio.h>\nint main(int argc, char **argv) {\n  \
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);\n  if (!library) return puts(dlerror());\n  \
    return ((int (*)(int *, char ***))dlsym(library, \"body\"))(&argc, &argv);\n}\n";

fn compile(scratch: &Scratch, name: &str, text: &str, compiler: &str, flags: &[String]) -> PathBuf {
    let (source, program) = (scratch.path(&format!("{name}.c")), scratch.path(name));
    std::fs::write(&source, text).expect("a source");
    let built = Command::new(compiler).arg(&source).arg("-o").arg(&program).args(flags).status();
    assert!(built.is_ok_and(|status| status.success()), "{compiler} compiles {name}");
    program
}

/// Runs `line` of `ranks` ranks under midrun: all calls are counted, and nothing but midrun's own lines is on stderr.
fn assert_counted(scratch: &Scratch, what: &str, line: &[String], variables: &[(&str, String)], ranks: u64) -> Summary {
    let mut run = run::command(scratch, &["--strict", "--summary", "s.json"], line);
    run.envs(variables.iter().map(|(name, value)| (name, value)));
    let ended = Process::start(scratch, "run", run).succeed();
    assert_eq!(ended.out, format!("sum {}\n", ranks * (ranks - 1) / 2), "{what}");
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/mpi_calls/MPI_Allreduce/collective/count"), ranks * ROUNDS, "{what}: {}", ended.err);
    assert_eq!(summary.count("/ranks"), ranks, "{what}");
    scratch.assert_nothing_left();
    summary
}

#[each_mpi]
fn a_program_that_loads_mpi_late_is_counted(mpi: Mpi) {
    let scratch = Scratch::new();
    let flags = ["-shared".to_owned(), "-fPIC".to_owned()];
    let library = compile(&scratch, "body.so", &source(""), &format!("mpicc.{}", mpi.name()), &flags);
    let mut line = mpi.line(3, &compile(&scratch, "loader", LOADER, "cc", &["-ldl".into()]));
    line.push(library.display().to_string());
    assert_counted(&scratch, "loaded late", &line, &[], 3);
}

#[each_mpi]
fn a_program_behind_a_script_and_one_named_by_hand_are_counted(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = compile(&scratch, "program", &source(MAIN), &format!("mpicc.{}", mpi.name()), &[]);
    let mut line = mpi.line(2, Path::new("sh"));
    line.extend(["-c".into(), "exec \"$0\"".into(), program.display().to_string()]);
    assert_counted(&scratch, "behind a script", &line, &[], 2);
    assert_counted(&scratch, "by hand", &line, &[("MIDRUN_CFG_RUN__MPI", mpi.name().into())], 2);
}

#[each_mpi]
fn another_tool_behind_libmidrun_sees_the_calls_of_a_program_that_names_no_mpi(mpi: Mpi) {
    let scratch = Scratch::new();
    let compiler = format!("mpicc.{}", mpi.name());
    let tool = "#include <mpi.h>\n#include <stdio.h>\nint MPI_Barrier(MPI_Comm c) { puts(\"seen\"); return PMPI_Barrier(c); }\n";
    let tool = compile(&scratch, "tool.so", tool, &compiler, &["-shared".into(), "-fPIC".into()]);
    let text = source(MAIN).replace("if (!rank)", "MPI_Barrier(MPI_COMM_WORLD);\n  if (!rank)");
    let program = compile(&scratch, "program", &text, &compiler, &[]);
    let mut line = mpi.line(2, Path::new("sh"));
    line.extend(["-c".into(), "exec \"$0\"".into(), program.display().to_string()]);
    let mut run = run::command(&scratch, &["--summary", "s.json"], &line);
    run.env("LD_PRELOAD", &tool);
    let ended = Process::start(&scratch, "run", run).succeed();
    assert_eq!(ended.out.matches("seen").count(), 2, "{mpi:?}: {} {}", ended.out, ended.err);
    assert_eq!(Summary::read(&scratch.path("s.json")).count("/mpi_calls/MPI_Barrier/collective/count"), 2);
}

#[each_mpi]
fn an_mpi_that_midrun_does_not_know_costs_no_job(mpi: Mpi) {
    let scratch = Scratch::new();
    let library =
        compile(&scratch, "libmpi.so.1", "int unknown;\n", "cc", &["-shared".into(), "-Wl,-soname,libmpi.so.1".into()]);
    let flags = ["-Wl,--no-as-needed".into(), library.display().to_string()];
    let program = compile(&scratch, "program", "int main(void) { return 5; }\n", "cc", &flags);
    let line = mpi.line(2, &program);
    let variable = ("LD_LIBRARY_PATH", scratch.directory());
    let mut run = run::command(&scratch, &[], &line);
    let ended = Process::start(&scratch, "run", {
        run.envs([variable]);
        run
    })
    .wait();
    let ours: Vec<&str> = ended.err.lines().filter(|line| line.starts_with("midrun:")).collect();
    assert_eq!((ended.code, ours.len()), (5, 1), "{}", ended.err);
    assert!(ours[0].contains("libmpi.so.1") && ours[0].contains("the job runs untuned"), "{}", ours[0]);
    let strict = run::command(&scratch, &["--strict"], &line);
    Process::start(&scratch, "strict", strict).wait().assert_refused(&["libmpi.so.1", "--mpi"]);
}

#[test]
fn open_mpi_5_is_counted() {
    let Some(mpi) = fetched("openmpi5") else { return midrun_tests::skip::skip("Open MPI 5 is not here") };
    let scratch = Scratch::new();
    let bin = |name: &str| mpi.join("bin").join(name).display().to_string();
    let program = compile(&scratch, "program", &source(MAIN), &bin("mpicc"), &[]);
    let root = ["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"].map(|name| (name, "1".to_owned()));
    for launcher in ["mpirun", "prterun"] {
        let line = [
            &bin(launcher),
            "-n",
            "3",
            "--map-by",
            ":oversubscribe",
            "--bind-to",
            "none",
            &program.display().to_string(),
        ]
        .map(str::to_owned);
        let summary = assert_counted(&scratch, launcher, &line, &root, 3);
        assert!(summary.0["mpi"].as_str().is_some_and(|mpi| mpi.contains("Open MPI v5")), "{}", summary.0["mpi"]);
    }
}

#[test]
fn mpich_5_is_counted() {
    let Some(mpi) = fetched("mpich5") else { return midrun_tests::skip::skip("MPICH 5 is not here") };
    let scratch = Scratch::new();
    let bin = |name: &str| mpi.join("bin").join(name).display().to_string();
    let program = compile(&scratch, "program", &source(MAIN), &bin("mpicc"), &[]);
    let line = [&bin("mpiexec"), "-n", "3", &program.display().to_string()].map(str::to_owned);
    let summary = assert_counted(&scratch, "MPICH 5", &line, &[], 3);
    assert!(summary.0["mpi"].as_str().is_some_and(|mpi| mpi.contains("5.0")), "{}", summary.0["mpi"]);
}

#[test]
fn intel_mpi_is_counted() {
    let Some(mpi) = fetched("impi") else { return midrun_tests::skip::skip("Intel MPI is not here") };
    let scratch = Scratch::new();
    let at = |name: &str| mpi.join(name).display().to_string();
    let flags = [format!("-I{}", at("include")), format!("-L{}", at("lib")), "-lmpi".into()];
    let program = compile(&scratch, "program", &source(MAIN), "cc", &flags);
    let variables = [
        ("I_MPI_ROOT", at("")),
        ("LD_LIBRARY_PATH", at("lib")),
        ("FI_PROVIDER_PATH", at("lib/libfabric/prov")),
        ("FI_PROVIDER", "tcp".to_owned()),
    ];
    let line = [&at("bin/mpiexec.hydra"), "-n", "3", &program.display().to_string()].map(str::to_owned);
    let summary = assert_counted(&scratch, "Intel MPI", &line, &variables, 3);
    assert!(summary.0["mpi"].as_str().is_some_and(|mpi| mpi.contains("Intel")), "{}", summary.0["mpi"]);
}
