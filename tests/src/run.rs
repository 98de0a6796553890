//! `midrun run` before a command line of the user.

use std::process::Command;

use crate::{Process, Scratch, midrun, mpi};

/// The command line `midrun run FLAGS -- LINE`.
pub fn words(flags: &[&str], line: &[String]) -> Vec<String> {
    let mut words = vec![midrun().display().to_string(), "run".into()];
    words.extend(flags.iter().map(|word| (*word).to_owned()));
    words.push("--".into());
    words.extend_from_slice(line);
    words
}

/// Its command, to be run in the test's directory.
pub fn command(scratch: &Scratch, flags: &[&str], line: &[String]) -> Command {
    let mut run = mpi::command(&words(flags, line));
    run.current_dir(scratch.directory());
    run
}

/// Starts it with a log called `name`.
pub fn under_midrun(scratch: &Scratch, name: &str, flags: &[&str], line: &[String]) -> Process {
    Process::start(scratch, name, command(scratch, flags, line))
}
