//! One line for any launcher and any MPI: the ranks find out by themselves, and what midrun does not know costs no job.

use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::mpi::fetched;
use midrun_tests::process::Ended;
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

/// Says whether MPI has a function of large counts, as it seems by a weak reference; `body` asks the library of argument 2, too, which is loaded
/// after MPI began.
const WEAK: &str = "#include <mpi.h>\n#include <dlfcn.h>\n#include <stdio.h>\n\
    extern char large[] __asm__(\"MPI_Allreduce_c\") __attribute__((weak));\nint has(void) { return large != NULL; }\n\
    int body(int *argc, char ***argv) {\n  int rank, sum = 0;\n  MPI_Init(argc, argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  \
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n  \
    int (*late)(void) = (int (*)(void))dlsym(dlopen((*argv)[2], RTLD_NOW | RTLD_LOCAL), \"late\");\n  \
    if (!rank) printf(\"%d %d\\n\", has(), late());\n  MPI_Finalize();\n  return 0;\n}\n";
const LATE: &str = "#include <mpi.h>\ndouble now(void) { return MPI_Wtime(); }\nextern char large[] __asm__(\"MPI_Allreduce_c\") __attribute__((weak));\nint late(void) { return large != 0; }\n";

/// As mpi4py's wheels do.
#[each_mpi]
fn a_program_that_asks_by_weak_references_what_its_mpi_has_gets_the_same_answer(mpi: Mpi) {
    let scratch = Scratch::new();
    let compiler = format!("mpicc.{}", mpi.name());
    let library = |name: &str, text: &str| {
        compile(&scratch, name, text, &compiler, &["-shared".to_owned(), "-fPIC".to_owned()]).display().to_string()
    };
    let mut line = mpi.line(2, &compile(&scratch, "loader", LOADER, "cc", &["-ldl".into()]));
    line.extend([library("body.so", WEAK), library("late.so", LATE)]);
    let alone = Process::start(&scratch, "alone", midrun_tests::mpi::command(&line)).succeed();
    let under = Process::start(&scratch, "run", run::command(&scratch, &[], &line)).succeed();
    let expected = if mpi == Mpi::OpenMpi { "0 0\n" } else { "1 1\n" };
    assert_eq!((&*alone.out, &*under.out), (expected, expected), "{mpi:?}: {}", under.err);
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

/// An MPI that `tests/run` fetches: how its programs are compiled and started.
struct FetchedMpi {
    /// What its library says of itself.
    says: &'static str,
    compiler: String,
    flags: Vec<String>,
    launcher: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

impl FetchedMpi {
    fn new(directory: &str, says: &'static str) -> Option<FetchedMpi> {
        let Some(mpi) = fetched(directory) else {
            midrun_tests::skip::skip(&format!("no {says} in target/{directory}"));
            return None;
        };
        let at = |name: &str| mpi.join(name).display().to_string();
        let (compiler, launcher) = (at("bin/mpicc"), vec![at("bin/mpirun")]);
        Some(FetchedMpi { says, compiler, flags: Vec::new(), launcher, variables: Vec::new() })
    }

    fn open_mpi_5() -> Option<FetchedMpi> {
        let mut mpi = FetchedMpi::new("openmpi5", "Open MPI v5")?;
        mpi.launcher.extend(["--map-by", ":oversubscribe", "--bind-to", "none"].map(str::to_owned));
        mpi.launcher.extend(["--mca", "mpi_yield_when_idle", "1"].map(str::to_owned));
        let root = ["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"];
        mpi.variables.extend(root.map(|name| (name, "1".to_owned())));
        Some(mpi)
    }

    /// `is_abi`: by its library for MPI's standard ABI.
    fn mpich_5(is_abi: bool) -> Option<FetchedMpi> {
        let mut mpi = FetchedMpi::new("mpich5", "5.0")?;
        if is_abi {
            mpi.compiler += "_abi";
        }
        Some(mpi)
    }

    fn intel(is_abi: bool) -> Option<FetchedMpi> {
        let mut mpi = FetchedMpi::new("impi", "Intel")?;
        let directory = fetched("impi")?;
        let at = |name: &str| directory.join(name).display().to_string();
        mpi.compiler = "cc".to_owned();
        let library = if is_abi { &["-DMPI_ABI", "-lmpi_abi"][..] } else { &["-lmpi"] };
        mpi.flags = vec![format!("-I{}", at("include")), format!("-L{}", at("lib"))];
        mpi.flags.extend(library.iter().map(|&flag| flag.to_owned()));
        mpi.launcher = vec![at("bin/mpiexec.hydra")];
        mpi.variables = vec![
            ("I_MPI_ROOT", at("")),
            ("LD_LIBRARY_PATH", at("lib")),
            ("FI_PROVIDER_PATH", at("lib/libfabric/prov")),
            ("FI_PROVIDER", "tcp".to_owned()),
        ];
        Some(mpi)
    }

    fn line(&self, ranks: u64, program: &Path, arguments: &str) -> Vec<String> {
        let mut line = self.launcher.clone();
        line.extend(["-n".to_owned(), ranks.to_string(), program.display().to_string()]);
        line.extend(arguments.split_whitespace().map(str::to_owned));
        line
    }

    /// A program that names this MPI, and one that loads it late, are counted; a Master/Worker program, a pipeline and marks are tuned.
    fn assert_served(&self) {
        let scratch = Scratch::new();
        let program = compile(&scratch, "program", &source(MAIN), &self.compiler, &self.flags);
        let summary = assert_counted(&scratch, self.says, &self.line(3, &program, ""), &self.variables, 3);
        assert!(summary.0["mpi"].as_str().is_some_and(|mpi| mpi.contains(self.says)), "{}", summary.0["mpi"]);
        let mut shared = self.flags.clone();
        shared.extend(["-shared".into(), "-fPIC".into()]);
        let library = compile(&scratch, "body.so", &source(""), &self.compiler, &shared);
        let loader = compile(&scratch, "loader", LOADER, "cc", &["-ldl".into()]);
        let line = self.line(2, &loader, &library.display().to_string());
        assert_counted(&scratch, &format!("{} loaded late", self.says), &line, &self.variables, 2);
        self.assert_tuned();
    }

    /// Each framework and a program with marks is tuned: something is decided and applied, and every task is computed once.
    fn assert_tuned(&self) {
        let workers = "--tasks 400 --iterations 6 --mean-us 2000 --sigma-pct 80 --work sleep --seed 7 --technique none";
        let summary = self.tuned("mw_synthetic", workers, "lost or doubled: 0, wrong results: 0");
        assert_ne!(summary.0["technique"], "none", "{}", self.says);
        self.tuned("pipe_synthetic", "--inputs 150 --stages 10,40,10", "lost 0, doubled 0, wrong 0, out of order 0");
        self.tuned("marks_demo", "--mode factors --tasks 500 --iterations 6", "all tasks done");
    }

    /// `whole` is what the example prints when no task was lost.
    fn tuned(&self, example: &str, arguments: &str, whole: &str) -> Summary {
        let (summary, ended) = self.run(example, arguments, &[]);
        assert!(ended.out.contains(whole), "{} {example}: {}\n{}", self.says, ended.out, ended.err);
        assert!(summary.count("/actions/applied") >= 1, "{} {example}: {}", self.says, ended.err);
        assert_eq!(summary.count("/ranks"), 5, "{} {example}: {}", self.says, ended.err);
        summary
    }

    /// Compiles an example as docs/installing.md says, and runs it on five ranks under midrun.
    fn run(&self, example: &str, arguments: &str, flags: &[&str]) -> (Summary, Ended) {
        let scratch = Scratch::new();
        let prefix = midrun_tests::prefix();
        let text = format!("#include \"{}/examples/{example}.c\"\n", prefix.join("../..").display());
        let mut with = self.flags.clone();
        with.push(format!("-I{}", prefix.join("include").display()));
        with.extend([format!("-L{}", prefix.join("lib").display()), "-lmidrun".into(), "-lm".into()]);
        let program = compile(&scratch, example, &text, &self.compiler, &with);
        let flags = [&["--strict", "--summary", "s.json"], flags].concat();
        let mut run = run::command(&scratch, &flags, &self.line(5, &program, arguments));
        run.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let ended = Process::start(&scratch, "run", run).succeed();
        let summary = Summary::read(&scratch.path("s.json"));
        summary.assert_contract();
        scratch.assert_nothing_left();
        (summary, ended)
    }
}

#[test]
fn open_mpi_5_is_counted_and_tuned() {
    let Some(mut mpi) = FetchedMpi::open_mpi_5() else { return };
    mpi.assert_served();
    mpi.launcher[0] = mpi.launcher[0].replace("mpirun", "prterun");
    let scratch = Scratch::new();
    let program = compile(&scratch, "program", &source(MAIN), &mpi.compiler, &mpi.flags);
    assert_counted(&scratch, "prterun", &mpi.line(3, &program, ""), &mpi.variables, 3);
}

#[test]
fn mpich_5_is_counted_and_tuned() {
    FetchedMpi::mpich_5(false).iter().for_each(FetchedMpi::assert_served);
}

#[test]
fn intel_mpi_is_counted_and_tuned() {
    let Some(mpi) = FetchedMpi::intel(false) else { return };
    mpi.assert_served();
    // Its MPI_Comm_spawn would crash.
    let program = "--tasks 40 --iterations 4 --mean-us 2000 --sigma-pct 40 --spawn";
    let (_, ended) = mpi.run("mw_synthetic", program, &["--max-workers", "6"]);
    assert!(ended.out.contains("lost or doubled: 0") && ended.err.contains("I_MPI_SPAWN"), "{}", ended.err);
}

#[test]
fn mpich_5_by_mpis_standard_abi_is_counted_and_tuned() {
    FetchedMpi::mpich_5(true).iter().for_each(FetchedMpi::assert_served);
}

#[test]
fn intel_mpi_by_mpis_standard_abi_is_counted_and_tuned() {
    FetchedMpi::intel(true).iter().for_each(FetchedMpi::assert_served);
}

/// Midrun is compiled for the standard ABI with a header of its own, so that it needs no MPI that has the ABI.
#[test]
fn the_header_of_the_standard_abi_agrees_with_those_of_its_mpis() {
    let own = midrun_tests::root().canonicalize().expect("the root").join("shim/mpi/abi");
    let text = std::fs::read_to_string(own.join("mpi.h")).expect("the header");
    let names = text.lines().filter_map(|line| line.strip_prefix("#define MPI_")?.split(' ').next());
    let show = |name: &str| format!("  printf(\"{name} %ld\\n\", (long)(intptr_t)MPI_{name});\n");
    let shown: String = names.map(show).collect();
    let types = ["Aint", "Count", "Status", "Comm", "Request"].map(|name| format!("sizeof(MPI_{name})"));
    let fields = ["SOURCE", "TAG", "ERROR"].map(|name| format!("offsetof(MPI_Status, MPI_{name})"));
    let sizes: String = types.iter().chain(&fields).map(|size| format!("  printf(\"%zu\\n\", {size});\n")).collect();
    let values =
        format!("#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n{shown}{sizes}}}\n");
    // Where both declare something differently, the compiler refuses it.
    let declared = |line: &&str| !line.starts_with("#define MPI_") && !line.ends_with("MPI_Status;");
    let again: Vec<&str> = text.lines().filter(declared).collect();
    let twice = format!("#include <mpi.h>\n{}\nint main(void) {{ return 0; }}\n", again.join("\n"));
    let of_own = |name: &str| format!("-I{}", own.join(name).display());
    let scratch = Scratch::new();
    let run = |flags: &[String]| {
        let out = Command::new(compile(&scratch, "values", &values, "cc", flags)).output().expect("it runs");
        String::from_utf8(out.stdout).expect("text")
    };
    let expected = run(&[of_own("")]);
    for name in ["mpich5", "impi"] {
        let Some(mpi) = fetched(name) else { return midrun_tests::skip::skip(&format!("{name} is not here")) };
        let flags = ["-DMPI_ABI".to_owned(), format!("-I{}", mpi.join("include").display())];
        assert_eq!(run(&flags), expected, "{name}");
        compile(
            &scratch,
            "twice",
            &twice.replace("\"calls.h\"", &format!("\"{}/calls.h\"", own.display())),
            "cc",
            &flags,
        );
    }
}
