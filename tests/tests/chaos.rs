//! A few jobs with faults at random moments; `tests/chaos --jobs N` runs as many as one likes.

use std::time::Duration;

use midrun_tests::chaos::{Fault, Parts, Plan, Target, run};
use midrun_tests::{Mpi, each_mpi};

/// Three jobs of this MPI, the same in every run of the tests.
#[each_mpi]
fn jobs_struck_at_random_moments_end_as_undisturbed_ones(mpi: Mpi) {
    let seeds = (1..).filter(|seed| Plan::of(*seed).mpi == mpi).take(3);
    let mut struck = 0;
    for seed in seeds {
        let plan = Plan::of(seed);
        let outcome = run(&plan, true);
        struck += outcome.struck;
        assert!(outcome.broken.is_empty(), "tests/chaos --jobs 1 --seed {seed}\n{plan}\n{}", outcome.broken.join("\n"));
    }
    assert!(struck > 0, "faults met parts of midrun");
}

/// A planted defect, as if midrun had taken a rank with it.
#[each_mpi]
fn a_rank_that_dies_with_midrun_is_found(mpi: Mpi) {
    let fault = Fault { target: Target::Rank, signal: libc::SIGKILL, stopped: Duration::ZERO, at: Duration::ZERO };
    let options = "--tasks 100 --iterations 10 --mean-us 5000 --technique none".to_owned();
    for parts in [Parts::Run, Parts::Standing] {
        let plan = Plan { mpi, parts, options: options.clone(), faults: vec![fault.clone()] };
        let outcome = run(&plan, true);
        assert_eq!(outcome.struck, 1, "{plan}");
        assert!(!outcome.broken.is_empty(), "{plan}");
    }
}
