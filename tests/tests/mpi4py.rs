//! The test suite of mpi4py, which calls nearly all of MPI: it says the same with libmidrun preloaded and counting.

use std::path::PathBuf;

use midrun_tests::mpi::command;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, root, run};

/// What `tests/run` has made: mpi4py built for an MPI, and its sources, which have the tests.
fn python(mpi: Mpi) -> PathBuf {
    root().join("target/mpi4py").join(mpi.name()).join("bin/python")
}

fn suite() -> PathBuf {
    root().join("target/mpi4py/source/test/main.py")
}

/// The parts of the suite that fit into the watchdog's time.
const PARTS: &str = "test_(p2p_buf|cco_buf|cco_nb_buf|cco_ngh_buf|rma|win|comm|request|status|group|errhandler)";

/// What the suite says of each rank: how many tests ran, and how they ended.
fn verdict(out: &str) -> Vec<String> {
    // Lines of the ranks may run into each other; words do not.
    let words: Vec<&str> =
        out.split(|c: char| c.is_whitespace() || "(),-".contains(c)).filter(|word| !word.is_empty()).collect();
    let ends = |word: &str| ["OK", "FAILED"].contains(&word) || word.starts_with("skipped=");
    let ran = words.windows(2).filter(|two| two[0] == "Ran").map(|two| two.join(" "));
    let mut said: Vec<String> =
        ran.chain(words.iter().filter(|word| ends(word)).map(|word| (*word).to_owned())).collect();
    said.sort();
    said
}

#[each_mpi]
fn the_test_suite_of_mpi4py_ends_the_same_with_every_call_counted(mpi: Mpi) {
    need!(python(mpi).is_file() && suite().is_file(), format!("mpi4py for {mpi:?} is not here"));
    let scratch = Scratch::new();
    let mut line = mpi.line(2, &python(mpi));
    line.extend([suite().display().to_string(), "-q".into(), "-i".into(), PARTS.into()]);
    let alone = Process::start(&scratch, "alone", command(&line)).succeed();
    let run = run::command(&scratch, &["--summary", "s.json"], &line);
    let counted = Process::start(&scratch, "run", run).succeed();
    let said = verdict(&alone.err);
    assert!(said.len() == 6 && said[..2] == ["OK", "OK"], "{mpi:?}: {}", alone.err);
    assert_eq!(verdict(&counted.err), said, "{mpi:?}: {}", counted.err);
    let calls = Summary::read(&scratch.path("s.json")).0["mpi_calls"].clone();
    let kinds = calls.as_object().map_or(0, serde_json::Map::len);
    assert!(kinds > 80, "{mpi:?}: {kinds} functions of MPI were called and counted: {calls}");
}
