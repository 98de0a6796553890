//! The harness: real processes, each with its own log, on this host or on emulated ones.

pub mod allreduce_choice;
pub mod ask;
pub mod browser;
pub mod calls;
pub mod chaos;
pub mod cluster;
pub mod conformance;
pub mod daemons;
pub mod mount;
pub mod mpi;
pub mod other_users;
pub mod pages;
pub mod process;
pub mod prometheus;
pub mod ranks;
pub mod run;
pub mod runner;
pub mod scratch;
pub mod scripted_analyzer;
pub mod skip;
pub mod slurm;
pub mod summary;
pub mod synthetic;
pub mod terminal;

pub use cluster::Cluster;
pub use daemons::{Agent, Analyzer};
pub use midrun_tests_macros::each_mpi;
pub use mpi::Mpi;
pub use process::{Process, wait_until};
pub use prometheus::Prometheus;
pub use run::under_midrun;
pub use scratch::Scratch;
pub use slurm::Slurm;
pub use summary::Summary;
pub use terminal::Terminal;

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};

/// Root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Whether all variants of a test are to run, however long they take (`tests/night`).
pub fn is_night() -> bool {
    std::env::var_os("MIDRUN_NIGHT").is_some()
}

/// `count` of `all`, others at each run of the tests, the same where one is tried again; all of them at night. `MIDRUN_SEED` repeats a choice.
pub fn drawn<T>(count: usize, all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.into_iter().collect();
    if !is_night() {
        let seed = std::env::var("MIDRUN_SEED").or_else(|_| std::env::var("NEXTEST_RUN_ID")).unwrap_or_default();
        println!("drawn by MIDRUN_SEED={seed}");
        let mut places: Vec<usize> = (0..all.len()).collect();
        places.sort_by_cached_key(|place| BuildHasherDefault::<DefaultHasher>::default().hash_one((&seed, place)));
        let mut places = places.into_iter();
        all.sort_by_cached_key(|_| places.next());
        all.truncate(count);
    }
    all
}

/// The installed tree that `deploy/build` makes.
pub fn prefix() -> PathBuf {
    root().join("target/midrun").canonicalize().expect("deploy/build was not run: tests/run does")
}

/// The installed `midrun`.
pub fn midrun() -> PathBuf {
    prefix().join("bin/midrun")
}
