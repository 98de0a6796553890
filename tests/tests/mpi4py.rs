//! The test suite of mpi4py, which calls nearly all of MPI: it says the same with libmidrun preloaded and counting.

use midrun_tests::conformance::mpi4py::{line, python, said, suite};
use midrun_tests::mpi::command;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, run};

/// The parts of the suite that fit into the watchdog's time.
const PARTS: &str = "test_(p2p_buf|cco_buf|cco_nb_buf|cco_ngh_buf|rma|win|comm|request|status|group|errhandler)";

#[each_mpi]
fn the_test_suite_of_mpi4py_ends_the_same_with_every_call_counted(mpi: Mpi) {
    need!(python(mpi).is_file() && suite().is_file(), format!("mpi4py for {mpi:?} is not here"));
    let scratch = Scratch::new();
    let line = line(mpi, 2, PARTS);
    let alone = Process::start(&scratch, "alone", command(&line)).succeed();
    let run = run::command(&scratch, &["--summary", "s.json"], &line);
    let counted = Process::start(&scratch, "run", run).succeed();
    let expected = said(&alone.err);
    assert!(expected.len() == 6 && expected[..2] == ["OK", "OK"], "{mpi:?}: {}", alone.err);
    assert_eq!(said(&counted.err), expected, "{mpi:?}: {}", counted.err);
    let calls = Summary::read(&scratch.path("s.json")).0["mpi_calls"].clone();
    let kinds = calls.as_object().map_or(0, serde_json::Map::len);
    assert!(kinds > 80, "{mpi:?}: {kinds} functions of MPI were called and counted: {calls}");
}
