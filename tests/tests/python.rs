//! The Python package in programs of mpi4py: the farm, marks and tuning points, and the wheel that installs them.

use std::path::PathBuf;
use std::process::Command;

use midrun_tests::mpi::command;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, root, run};

/// What `tests/run` has made: mpi4py built for an MPI.
fn python(mpi: Mpi) -> PathBuf {
    root().join("target/mpi4py").join(mpi.name()).join("bin/python")
}

/// The command line that starts `ranks` ranks of a script of this repository.
fn line(mpi: Mpi, ranks: u32, script: &str) -> Vec<String> {
    let mut words = mpi.line(ranks, &python(mpi));
    words.push(root().canonicalize().expect("the root").join(script).display().to_string());
    words
}

/// The environment of a program that uses the package of this checkout.
fn with_package(command: &mut Command, mpi: Mpi) -> &mut Command {
    let libraries = mpi.library().canonicalize().expect("libmidrun");
    let package = root().canonicalize().expect("the root").join("python");
    let directory = libraries.parent().and_then(|mpi| mpi.parent()).expect("its directory");
    command.env("PYTHONPATH", package).env("MIDRUN_LIB_DIR", directory).env("PYTHONDONTWRITEBYTECODE", "1")
}

const STORIES: [&str; 6] = [
    "ordered and unordered",
    "submitted",
    "objects of any size",
    "the farm goes on after exceptions",
    "given up",
    "three farms",
];

fn assert_stories(out: &str) {
    for story in STORIES {
        assert!(out.contains(story), "{story}: {out}");
    }
}

#[each_mpi]
fn a_farm_takes_whatever_its_user_does(mpi: Mpi) {
    need!(python(mpi).is_file(), format!("mpi4py for {mpi:?} is not here"));
    let scratch = Scratch::new();
    for ranks in [4, 1] {
        let mut farm = command(&line(mpi, ranks, "tests/programs/farm.py"));
        with_package(&mut farm, mpi);
        assert_stories(&Process::start(&scratch, &format!("farm{ranks}"), farm).succeed().out);
    }
}

#[each_mpi]
fn what_a_farm_cannot_take_is_refused_on_every_rank_in_one_sentence(mpi: Mpi) {
    need!(python(mpi).is_file(), format!("mpi4py for {mpi:?} is not here"));
    let scratch = Scratch::new();
    let mut farm = command(&line(mpi, 3, "tests/programs/refused_farms.py"));
    with_package(&mut farm, mpi);
    let out = Process::start(&scratch, "farm", farm).succeed().out;
    for sentence in ["leave mpi4py.rc.thread_level", "an argument is out of its range", "has the ranks 0 to 2"] {
        assert_eq!(out.matches(sentence).count(), 3, "{sentence}: {out}");
    }
}

#[each_mpi]
fn a_farm_is_recorded_and_tuned_under_midrun(mpi: Mpi) {
    need!(python(mpi).is_file(), format!("mpi4py for {mpi:?} is not here"));
    let scratch = Scratch::new();
    let mut farm = run::command(&scratch, &["--summary", "s.json"], &line(mpi, 4, "tests/programs/farm.py"));
    with_package(&mut farm, mpi);
    assert_stories(&Process::start(&scratch, "farm", farm).succeed().out);
    let mut line = line(mpi, 4, "examples/python/primes.py");
    line.push("12".into());
    let flags = ["--summary", "primes.json", "--technique", "gss"];
    let mut primes = run::command(&scratch, &flags, &line);
    with_package(&mut primes, mpi);
    let ended = Process::start(&scratch, "primes", primes).succeed();
    assert_eq!(ended.out.matches(": 4203 primes below 40000 in ").count(), 12, "{}", ended.out);
    assert!(ended.out.contains("technique='gss'"), "the analyzer's technique came to the farm: {}", ended.out);
    let summary = Summary::read(&scratch.path("primes.json"));
    summary.assert_contract();
    assert_eq!((summary.count("/iterations"), summary.workers().len()), (12, 12));
}

#[each_mpi]
fn a_loop_of_its_own_has_iterations_and_a_value_that_is_searched(mpi: Mpi) {
    need!(python(mpi).is_file(), format!("mpi4py for {mpi:?} is not here"));
    let scratch = Scratch::new();
    let mut alone = command(&line(mpi, 2, "examples/python/own_loop.py"));
    with_package(&mut alone, mpi).env_remove("MIDRUN_LIB_DIR").env("PATH", "/usr/bin:/bin");
    let ended = Process::start(&scratch, "alone", alone).succeed();
    assert_eq!(ended.out.matches(": block 4\n").count(), 30, "without libmidrun marks do nothing: {}", ended.out);
    let mut search = run::command(&scratch, &["--search", "block=1..64"], &line(mpi, 2, "examples/python/own_loop.py"));
    with_package(&mut search, mpi);
    let ended = Process::start(&scratch, "search", search).succeed();
    let others = ended.out.lines().filter(|line| !line.ends_with(": block 4")).count();
    assert!(others >= 10, "midrun tries other blocks: {}", ended.out);
}

#[each_mpi]
fn a_wheel_installs_without_a_compiler_and_brings_its_libraries(mpi: Mpi) {
    let wheel = root().join("target/wheels/midrun-0.1.0-py3-none-linux_x86_64.whl");
    need!(python(mpi).is_file() && wheel.is_file(), format!("mpi4py for {mpi:?} or the wheel is not here"));
    let scratch = Scratch::new();
    let mut install = Command::new(python(mpi));
    let words = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--target"];
    install.args(words).arg(scratch.path("site")).arg(&wheel).env("PATH", "/nonexistent");
    Process::start(&scratch, "install", install).succeed();
    let mut farm = command(&line(mpi, 3, "examples/python/primes.py"));
    farm.env("PYTHONPATH", scratch.path("site")).env_remove("MIDRUN_LIB_DIR").env("PATH", "/usr/bin:/bin");
    let ended = Process::start(&scratch, "farm", farm).succeed();
    assert_eq!(ended.out.matches(": 4203 primes below 40000 in ").count(), 3, "{}", ended.out);
}
