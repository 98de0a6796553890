//! Programs that were not written for midrun.

use std::path::Path;

use midrun_tests::{Mpi, Scratch, each_mpi, under_midrun};

#[each_mpi]
fn a_program_without_mpi_is_named(mpi: Mpi) {
    let scratch = Scratch::new();
    let ended = under_midrun(&scratch, "run", &[], &mpi.line(2, Path::new("/bin/true"))).succeed();
    let sentence = "no process initialised MPI, and /bin/true is linked with none";
    assert!(ended.err.contains(sentence), "{mpi:?}: {}", ended.err);
}
