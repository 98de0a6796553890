//! The tutorials are run as they stand: their files are written, and their commands are typed, under each MPI.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, prefix, root};

/// A block of a page: the words after the marks that begin it, and its text.
struct Block {
    kind: String,
    name: String,
    text: String,
}

/// The blocks between lines of three backticks, in order.
fn blocks(page: &str) -> Vec<Block> {
    let text = fs::read_to_string(root().join("docs").join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    let parts: Vec<&str> = text.split("```").collect();
    assert_eq!(parts.len() % 2, 1, "{page}: each block is closed");
    let block = |part: &&str| {
        let (info, text) = part.split_once('\n').expect("lines");
        let mut words = info.split_whitespace().map(str::to_owned);
        Block { kind: words.next().unwrap_or_default(), name: words.next().unwrap_or_default(), text: text.to_owned() }
    };
    parts.iter().skip(1).step_by(2).map(block).collect()
}

/// Commands by the names that people type, for an MPI.
fn commands(scratch: &Scratch, mpi: Mpi) -> PathBuf {
    let directory = scratch.path("bin");
    fs::create_dir(&directory).expect("a directory");
    // Absolute, but not resolved: a virtual environment is known by the path of its python.
    let root = root().canonicalize().expect("the root");
    let python = root.join("target/mpi4py").join(mpi.name()).join("bin/python");
    for (name, line) in [
        ("mpicc", format!("mpicc.{} \"$@\"", mpi.name())),
        ("mpifort", format!("mpifort.{} \"$@\"", mpi.name())),
        ("python", format!("{} \"$@\"", python.display())),
    ] {
        write_script(&directory.join(name), &line);
    }
    directory
}

fn write_script(path: &Path, line: &str) {
    fs::write(path, format!("#!/bin/sh\nexec {line}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// Writes the files of a page and types its commands, each block in the same shell; what they printed.
fn follow(scratch: &Scratch, mpi: Mpi, page: &str) -> String {
    let bin = commands(scratch, mpi);
    let mut script = "set -eu\n".to_owned();
    let mut typed = 0;
    for block in blocks(page) {
        match (block.kind.as_str(), block.name.as_str()) {
            ("sh", _) => {
                // More ranks than cores are allowed here; the launcher's own name is what midrun knows it by.
                let launcher = match mpi {
                    Mpi::OpenMpi => "mpirun.openmpi --oversubscribe -n",
                    Mpi::Mpich => "mpirun.mpich -n",
                };
                script += &block.text.replace("mpirun -n", launcher);
                typed += block.text.lines().count();
            }
            (_, "") => {}
            (_, name) => fs::write(scratch.path(name), &block.text).expect("a file of the page"),
        }
    }
    assert!(typed > 0, "{page} has commands");
    let mut command = Command::new("bash");
    let path =
        format!("{}:{}:{}", bin.display(), prefix().join("bin").display(), std::env::var("PATH").unwrap_or_default());
    command.args(["-c", &script]).current_dir(scratch.directory()).env("PATH", path);
    command
        .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"))
        .env("PYTHONPATH", root().join("python").canonicalize().expect("python"));
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("MIDRUN_CFG_RUN__NO_MEMORY", "false");
    let ended = Process::start(scratch, "page", command).succeed();
    let summary = Summary::read(&scratch.path("run.json"));
    summary.assert_contract();
    assert!(summary.count("/records/collected") > 0, "{page}: {}", ended.err);
    ended.out + &ended.err
}

fn is_here(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|answer| answer.status.success())
}

/// The page says so: so often one of its commands prints it.
fn assert_says(out: &str, what: &str, times: usize) {
    assert_eq!(out.matches(what).count(), times, "{what}:\n{out}");
}

#[each_mpi]
fn a_task_farm_in_c(mpi: Mpi) {
    need!(is_here("pkg-config"), "no pkg-config");
    let scratch = Scratch::new();
    let out = follow(&scratch, mpi, "tutorial/master-worker.md");
    assert_says(&out, "sum 52934000", 3);
    assert!(out.contains("technique none -> ") && out.contains("applied at iteration"), "{out}");
    assert!(fs::read_to_string(scratch.path("run.html")).is_ok_and(|page| page.contains("<html")), "the report");
}

#[each_mpi]
fn a_pipeline(mpi: Mpi) {
    need!(is_here("pkg-config"), "no pkg-config");
    let scratch = Scratch::new();
    let out = follow(&scratch, mpi, "tutorial/pipeline.md");
    assert_says(&out, "300 outputs, sum 44850", 1);
    assert!(out.contains("pattern 0,1,2 -> "), "{out}");
}

#[each_mpi]
fn a_program_with_its_own_loop(mpi: Mpi) {
    need!(is_here("pkg-config"), "no pkg-config");
    let scratch = Scratch::new();
    let out = follow(&scratch, mpi, "tutorial/own-loop.md");
    assert!(out.contains("sum 600, block 8 at the end"), "untuned: {out}");
    assert_says(&out, "sum 600, block ", 2);
    assert!(out.contains("block 8 -> "), "{out}");
}

#[each_mpi]
fn a_task_farm_in_python(mpi: Mpi) {
    let python = root().join("target/mpi4py").join(mpi.name()).join("bin/python");
    need!(python.is_file(), format!("mpi4py for {mpi:?} is not here"));
    let scratch = Scratch::new();
    assert_says(&follow(&scratch, mpi, "tutorial/python.md"), "sum 2646700", 2);
}

#[each_mpi]
fn a_task_farm_in_fortran(mpi: Mpi) {
    need!(is_here("pkg-config") && is_here(&format!("mpifort.{}", mpi.name())), "no Fortran");
    let scratch = Scratch::new();
    assert_says(&follow(&scratch, mpi, "tutorial/fortran.md"), "integral 2.000000", 12);
}

#[each_mpi]
fn a_tunlet_of_ones_own_with_replay(mpi: Mpi) {
    need!(is_here("pkg-config"), "no pkg-config");
    let scratch = Scratch::new();
    let out = follow(&scratch, mpi, "own-tunlet.md");
    assert!(out.contains("spread"), "{out}");
    let shadow = Summary::read(&scratch.path("shadow.json"));
    assert_eq!(shadow.list("shadow")[0]["tunlet"], "spread", "{}", shadow.0["shadow"]);
    let acted = Summary::read(&scratch.path("run.json"));
    assert_eq!(acted.list("decisions")[0]["tunlet"], "spread", "{out}");
}
