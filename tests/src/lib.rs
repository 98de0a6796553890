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
    let mut all: Vec<(usize, T)> = all.into_iter().enumerate().collect();
    if !is_night() {
        let run = || std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| std::process::id().to_string());
        let seed = std::env::var("MIDRUN_SEED").unwrap_or_else(|_| run());
        println!("drawn by MIDRUN_SEED={seed}");
        let order = BuildHasherDefault::<DefaultHasher>::default();
        all.sort_by_cached_key(|(place, _)| order.hash_one((&seed, place)));
        all.truncate(count);
    }
    all.into_iter().map(|(_, one)| one).collect()
}

/// The installed tree that `deploy/build` makes.
pub fn prefix() -> PathBuf {
    root().join("target/midrun").canonicalize().expect("deploy/build was not run: tests/run does")
}

/// The installed `midrun`.
pub fn midrun() -> PathBuf {
    prefix().join("bin/midrun")
}
