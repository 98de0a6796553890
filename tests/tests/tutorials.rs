//! The tutorials are run as they stand: their files are written, and their commands are typed, under each MPI.

use std::fs;
use std::process::Command;

use midrun_tests::pages::assert_says;
use midrun_tests::{Mpi, Scratch, Summary, each_mpi, need, root};

fn is_here(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|answer| answer.status.success())
}

/// Follows a page whose run is tuned; what its commands printed.
fn follow(scratch: &Scratch, mpi: Mpi, page: &str) -> String {
    let out = midrun_tests::pages::follow(scratch, mpi, page);
    assert!(Summary::read(&scratch.path("run.json")).count("/records/collected") > 0, "{page}: {out}");
    out
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
