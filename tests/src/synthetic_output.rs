//! What `mw_synthetic` tells of itself: a line per iteration, and at the end whether each task was computed exactly once.

use crate::process::Ended;
use crate::{Process, wait_until};

/// The last line of a good run.
pub const WHOLE: &str = "lost or doubled: 0, wrong results: 0";

/// Number of workers of each iteration so far.
pub fn workers(out: &str) -> Vec<u32> {
    let lines = out.lines().filter(|line| line.starts_with("iteration "));
    lines.filter_map(|line| line.strip_suffix(" workers")?.rsplit(' ').next()?.parse().ok()).collect()
}

/// Waits until the job has told of so many iterations, or has ended.
pub fn wait_for_iterations(job: &mut Process, count: usize) {
    wait_until("the job has come that far", || workers(&job.out()).len() >= count || !job.is_running());
}

/// Fails the test unless each task of all `iterations` was computed once and rightly; the number of workers of each.
pub fn assert_whole(ended: &Ended, iterations: usize) -> Vec<u32> {
    assert!(ended.out.contains(WHOLE), "{}\n{}", ended.out, ended.err);
    let numbers = workers(&ended.out);
    assert_eq!(numbers.len(), iterations, "{}\n{}", ended.out, ended.err);
    numbers
}
