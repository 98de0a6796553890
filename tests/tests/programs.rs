//! Real programs, as their pages show them: the pages' commands compare the results with and without midrun.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use midrun_tests::pages::{assert_says, follow};
use midrun_tests::{Mpi, Scratch, Summary, each_mpi, need, root, under_midrun};

// Debian has the three for Open MPI alone.

#[test]
fn lammps() {
    need!(Path::new("/usr/bin/lmp").exists(), "LAMMPS is not here");
    let scratch = Scratch::new();
    let out = follow(&scratch, Mpi::OpenMpi, "programs/lammps.md");
    // The words of LAMMPS's own table, and of midrun's measure points.
    assert!(out.contains("Pair    |") && out.contains("force: ") && out.contains("neighbours: "), "{out}");
    assert!(out.contains("may be several of them"), "a period of messages alone is doubtful: {out}");
    let points = Summary::read(&scratch.path("run.json"));
    assert_eq!(points.0["points"]["refused"], serde_json::json!([]), "{out}");
    // A step and the set-up before the first compute forces once, on each of 2 ranks.
    let measured = points.0["points"]["measured"].as_array().expect("a list");
    let force = measured.iter().find(|point| point["label"] == "force").expect("the measure point");
    assert_eq!(force["count"], 2 * (200 + 1), "{out}");
    let sweep = Summary::read(&scratch.path("sweep.json"));
    assert!(sweep.0.to_string().contains("skin"), "the sweep measured: {out}");
}

#[test]
fn phyml() {
    need!(Path::new("/usr/bin/phyml-mpi").exists(), "PhyML is not here");
    need!(Path::new("/usr/share/doc/phyml/examples/nucleic").exists(), "the examples of PhyML are not here");
    let out = follow(&Scratch::new(), Mpi::OpenMpi, "programs/phyml.md");
    assert!(out.contains("its MPI calls have no period"), "{out}");
    assert!(out.contains("of the ranks' time: MPI_"), "{out}");
}

#[test]
fn meep() {
    need!(Path::new("/usr/bin/meep").exists(), "Meep is not here");
    let scratch = Scratch::new();
    let out = follow(&scratch, Mpi::OpenMpi, "programs/meep.md");
    assert!(out.contains("_ZN4meep6fields4stepEv"), "inspect names the time step: {out}");
    let summary = Summary::read(&scratch.path("run.json"));
    assert_eq!(summary.count("/iterations"), 6000, "each time step is an iteration: {out}");
}

// The pool's ranks poll, and with MPICH they never yield: on few cores such a run has no end. The farm itself is tested with both.
#[test]
fn emcee() {
    let python = root().join("target/mpi4py/openmpi/bin/python");
    let asked = Command::new(&python).args(["-c", "import emcee, schwimmbad"]).output();
    need!(asked.is_ok_and(|answer| answer.status.success()), "emcee is not here");
    let out = follow(&Scratch::new(), Mpi::OpenMpi, "programs/emcee.md");
    assert_says(&out, "MPI took ", 3);
    // The sampler draws the same numbers whatever computes the probabilities.
    let means: BTreeSet<&str> = out.lines().filter(|line| line.starts_with("mean ")).collect();
    assert_eq!(means.len(), 1, "{out}");
}

#[each_mpi]
fn a_program_without_mpi_is_named(mpi: Mpi) {
    let scratch = Scratch::new();
    let ended = under_midrun(&scratch, "run", &[], &mpi.line(2, Path::new("/bin/true"))).succeed();
    let named =
        ended.err.contains("no process that initialised MPI") && ended.err.contains("/bin/true is linked with no MPI");
    assert!(named, "{mpi:?}: {}", ended.err);
}
