//! Pages of the documentation that are run as they stand: their files are written, and their commands are typed, under an MPI.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Mpi, Process, Scratch, Summary, prefix, root};

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
///
/// # Panics
/// A command fails, or the page leaves no summary `run.json` of a job that was measured.
pub fn follow(scratch: &Scratch, mpi: Mpi, page: &str) -> String {
    let bin = commands(scratch, mpi);
    let mut script = "set -eu\n".to_owned();
    let mut typed = 0;
    for block in blocks(page) {
        match (block.kind.as_str(), block.name.as_str()) {
            ("sh", _) => {
                // More ranks than cores are allowed here, beside other tests; the launcher's own name is what midrun knows it by.
                let launcher = match mpi {
                    Mpi::OpenMpi => "mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n",
                    Mpi::Mpich => "mpirun.mpich -bind-to none -n",
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
    assert!(summary.0["pop"].is_object(), "{page}: the ranks' calls were counted: {}", ended.err);
    ended.out + &ended.err
}

/// The page says so: so often one of its commands prints it.
///
/// # Panics
/// It is printed more or less often.
pub fn assert_says(out: &str, what: &str, times: usize) {
    assert_eq!(out.matches(what).count(), times, "{what}:\n{out}");
}
