//! MPICH's own test suite, which runs under every MPI.

use std::path::{Path, PathBuf};

use super::{Case, Verdict, material};
use crate::Mpi;
use crate::process::Ended;

/// Where the suite is configured for an MPI.
pub fn built(mpi: Mpi) -> PathBuf {
    material().join(mpi.name())
}

/// All tests of its lists, in their order; none where the suite is not configured for this MPI.
pub fn cases(mpi: Mpi) -> Vec<Case> {
    let top = built(mpi);
    let mut cases = Vec::new();
    read(mpi, &top, &top, &mut cases);
    cases
}

/// The tests of the list in `directory`; a line that names a directory stands for the list in it. Lists that do not depend on the
/// MPI are among the sources.
fn read(mpi: Mpi, top: &Path, directory: &Path, cases: &mut Vec<Case>) {
    let folder = directory.strip_prefix(top).unwrap_or(directory);
    let places = [directory.to_owned(), material().join("source").join(folder)];
    let text = places.iter().find_map(|place| std::fs::read_to_string(place.join("testlist")).ok()).unwrap_or_default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let below = directory.join(line);
        if below.is_dir() {
            read(mpi, top, &below, cases);
        } else {
            cases.push(case(mpi, top, directory, line));
        }
    }
}

/// `program ranks key=value …`: keys that only say how long it may take or how it should end do not matter here.
fn case(mpi: Mpi, top: &Path, directory: &Path, line: &str) -> Case {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    let mut ranks = 2;
    let (mut arguments, mut environment, mut launcher) = (Vec::new(), Vec::new(), Vec::new());
    let mut differences = String::new();
    for word in words {
        match word.split_once('=') {
            None => ranks = word.parse().unwrap_or(ranks),
            Some(("arg", value)) => arguments.push(value.trim_matches('"').to_owned()),
            Some(("mpiexecarg", value)) => launcher.push(value.trim_matches('"').to_owned()),
            Some(("env", value)) => {
                let (name, value) = value.split_once('=').unwrap_or((value, ""));
                environment.push((name.to_owned(), value.to_owned()));
            }
            Some(_) => continue,
        }
        if word.contains('=') {
            differences.push(' ');
            differences.push_str(word);
        }
    }
    let path = directory.join(program);
    let mut whole = mpi.line(ranks, &path);
    whole.splice(1..1, launcher);
    whole.extend(arguments);
    let folder = directory.strip_prefix(top).unwrap_or(directory).display();
    Case {
        suite: "mpich",
        mpi: mpi.name().to_owned(),
        name: format!("{folder}/{program}{differences}"),
        ranks,
        line: whole,
        environment,
        directory: directory.to_owned(),
        build: Some((directory.to_owned(), program.to_owned())),
        judge,
    }
}

/// A test that passes ends with code 0 and says " No Errors"; some have to end otherwise, as an error of MPI ends them.
fn judge(ended: &Ended) -> Verdict {
    match (ended.code, ended.out.contains("No Errors")) {
        (0, true) => Verdict::Passed(String::new()),
        (0, false) => Verdict::Failed("code 0 without a word".into()),
        (code, _) => Verdict::Failed(format!("code {code}")),
    }
}
