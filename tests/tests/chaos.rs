//! A few jobs with faults at random moments; `tests/chaos --jobs N` runs as many as one likes.

use std::time::Duration;

use midrun_tests::chaos::{Fault, Parts, Plan, Target, With, has_hosts, run};
use midrun_tests::{Mpi, each_mpi, need};

/// Three jobs of this MPI, the same in every run of the tests.
#[each_mpi]
fn jobs_struck_at_random_moments_end_as_undisturbed_ones(mpi: Mpi) {
    let seeds = (1..).filter(|seed| Plan::of(*seed).mpi == mpi).take(3);
    let mut struck = 0;
    for seed in seeds {
        let plan = Plan::of(seed);
        let outcome = run(&plan, With::Midrun);
        struck += outcome.struck;
        assert!(outcome.broken.is_empty(), "tests/chaos --jobs 1 --seed {seed}\n{plan}\n{}", outcome.broken.join("\n"));
    }
    assert!(struck > 0, "faults met parts of midrun");
}

/// A planted defect, as if midrun had taken a rank with it.
#[each_mpi]
fn a_rank_that_dies_with_midrun_is_found(mpi: Mpi) {
    let fault = Fault { target: Target::Rank, signal: libc::SIGKILL, lasts: Duration::ZERO, at: Duration::ZERO };
    let options = "--tasks 100 --iterations 10 --mean-us 5000 --technique none".to_owned();
    for parts in [Parts::Run, Parts::Standing] {
        let plan = Plan { mpi, hosts: 0, parts, options: options.clone(), faults: vec![fault.clone()] };
        let outcome = run(&plan, With::Midrun);
        assert_eq!(outcome.struck, 1, "{plan}");
        assert!(!outcome.broken.is_empty(), "{plan}");
    }
}

/// A job over three hosts, one of whose links is down for some seconds in its middle.
fn a_link_is_down(mpi: Mpi, parts: Parts, host: u32, lasts_s: u64) {
    need!(has_hosts(), "no emulated hosts, or no MPI that works across them");
    let (at, lasts) = (Duration::from_millis(500), Duration::from_secs(lasts_s));
    let options = "--tasks 100 --iterations 40 --mean-us 5000 --sigma-pct 40 --technique none".to_owned();
    let plan = Plan {
        mpi,
        hosts: 3,
        parts,
        options,
        faults: vec![Fault { target: Target::Link(host), signal: 0, lasts, at }],
    };
    let outcome = run(&plan, With::Midrun);
    assert!(outcome.broken.is_empty(), "{plan}\n{}", outcome.broken.join("\n"));
    assert_eq!(outcome.struck, 1, "{plan}");
    assert!(outcome.back.is_some(), "{plan}: midrun measures again, with all agents linked");
}

#[each_mpi]
fn a_link_that_is_down_for_a_second_does_the_job_no_harm_and_midrun_measures_again(mpi: Mpi) {
    a_link_is_down(mpi, Parts::Run, 2, 1);
}

#[test]
fn the_analyzers_link_that_is_down_for_ten_seconds_does_the_job_no_harm_and_midrun_measures_again() {
    a_link_is_down(Mpi::OpenMpi, Parts::Standing, 1, 10);
}
