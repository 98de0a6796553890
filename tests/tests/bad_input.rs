//! What can be wrong between the user's command and real MPIs: one sentence, code 64, nothing left.

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, each_mpi, need, under_midrun};

fn run(scratch: &Scratch, flags: &[&str], line: &[String]) -> Ended {
    under_midrun(scratch, "run", flags, line).wait()
}

fn refused(flags: &[&str], line: &[String], parts: &[&str]) {
    let scratch = Scratch::new();
    run(&scratch, flags, line).assert_refused(parts);
    scratch.assert_nothing_left();
}

#[test]
fn two_mpis_mixed_up_are_refused_both_ways_where_the_user_is_strict() {
    need!(Mpi::ALL.iter().all(|mpi| mpi.is_here()), "both MPIs are needed");
    let mixed = |launcher: Mpi, program: Mpi| launcher.line(3, &program.example("mw_synthetic"));
    refused(&["--strict"], &mixed(Mpi::OpenMpi, Mpi::Mpich), &["two MPIs", "Open MPI", "MPICH", "mw_synthetic"]);
    refused(&["--strict"], &mixed(Mpi::Mpich, Mpi::OpenMpi), &["two MPIs", "Open MPI", "MPICH", "mw_synthetic"]);
}

#[each_mpi]
fn a_program_that_is_not_there_is_refused_under_each_mpi(mpi: Mpi) {
    refused(&[], &mpi.line(3, std::path::Path::new("./mandlebrot")), &["./mandlebrot"]);
}

#[each_mpi]
fn an_unknown_technique_is_refused_with_the_known_ones(mpi: Mpi) {
    let line = mpi.line(3, &mpi.example("mw_synthetic"));
    refused(&["--technique", "dfp"], &line, &["dfp", "dpf", "daf", "gss"]);
}

#[each_mpi]
fn one_rank_is_warned_about_and_the_code_is_the_programs_own(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = mpi.line(1, &mpi.example("mw_synthetic"));
    let ended = run(&scratch, &[], &line);
    assert!(ended.err.contains("no worker"), "{}", ended.err);
    assert_ne!(ended.code, 64 + 128);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn the_programs_own_code_comes_back(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(3, &mpi.example("mw_synthetic"));
    line.extend(["--dist".into(), "nosuch".into()]);
    let alone = Process::start(&scratch, "alone", command(&line)).wait();
    let ended = run(&scratch, &[], &line);
    assert_ne!(alone.code, 0);
    assert_eq!(ended.code, alone.code, "{}", ended.err);
    scratch.assert_nothing_left();
}
