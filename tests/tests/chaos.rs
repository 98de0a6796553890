//! A few jobs with faults at random moments; `tests/chaos --jobs N` runs as many as one likes.

use std::time::Duration;

use midrun_tests::chaos::{Fault, Parts, Plan, Target, With, has_hosts, run};
use midrun_tests::{Mpi, each_mpi, is_night, need};

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

/// A job over three hosts, the link of one of which is down for some seconds in the middle.
fn cut(mpi: Mpi, parts: Parts, host: u32, lasts_s: u64) -> Plan {
    let (at, lasts) = (Duration::from_millis(500), Duration::from_secs(lasts_s));
    let options = "--tasks 100 --iterations 40 --mean-us 5000 --sigma-pct 40 --technique none".to_owned();
    let faults = vec![Fault { target: Target::Link(host), signal: 0, lasts, at }];
    Plan { mpi, hosts: 3, parts, options, faults }
}

/// The same cut without midrun and with it; at night of each host's link, for each length.
#[each_mpi]
fn a_link_that_is_down_in_the_middle_does_the_job_no_harm_and_midrun_measures_again(mpi: Mpi) {
    need!(has_hosts(), "no emulated hosts, or no MPI that works across them");
    let all = [Parts::Run, Parts::Standing].into_iter().flat_map(|parts| {
        (1..=3).flat_map(move |host| [1, 10, 60].into_iter().map(move |lasts_s| (parts, host, lasts_s)))
    });
    let cases: Vec<(Parts, u32, u64)> = match mpi {
        _ if is_night() => all.collect(),
        // The host of an agent, and that of the analyzer.
        Mpi::OpenMpi => vec![(Parts::Run, 2, 1), (Parts::Standing, 1, 10)],
        Mpi::Mpich => vec![(Parts::Run, 2, 1)],
    };
    for (parts, host, lasts_s) in cases {
        let plan = cut(mpi, parts, host, lasts_s);
        let (alone, outcome) = (run(&plan, With::Nothing), run(&plan, With::Midrun));
        assert!(alone.broken.is_empty(), "{plan}, without midrun\n{}", alone.broken.join("\n"));
        assert!(outcome.broken.is_empty(), "{plan}\n{}", outcome.broken.join("\n"));
        assert_eq!(outcome.struck, 1, "{plan}");
        eprintln!(
            "{plan} took {:.1?}, {:.1?} without midrun; linked {:.1?}, measured {:.1?}",
            outcome.took, alone.took, outcome.linked, outcome.back
        );
        assert!(outcome.back.is_some(), "{plan}: midrun measures again, with all agents linked");
    }
}
