//! This rank's iterations, as the program's markers or a line of the points declare them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Iterations that the program's markers began.
static MARKED: AtomicU64 = AtomicU64::new(0);
/// Whether a line of the points declares iterations, and how many it began.
static DECLARES: AtomicBool = AtomicBool::new(false);
static DECLARED: AtomicU64 = AtomicU64::new(0);

/// The iteration that the markers began last.
pub fn marked() -> Option<u64> {
    MARKED.load(Ordering::Relaxed).checked_sub(1)
}

/// The markers begin `iteration`.
pub fn begin_marked(iteration: u64) {
    MARKED.store(iteration + 1, Ordering::Relaxed);
}

/// Whether a line of the points declares iterations.
pub fn are_declared() -> bool {
    DECLARES.load(Ordering::Relaxed)
}

/// Says whether a line of the points declares iterations.
pub fn set_declared(declares: bool) {
    DECLARES.store(declares, Ordering::Relaxed);
}

/// The iteration that a line of the points began last; `None` where no line declares iterations.
pub fn declared() -> Option<u64> {
    DECLARED.load(Ordering::Relaxed).checked_sub(1).filter(|_| are_declared())
}

/// A line of the points begins an iteration; returns its number.
pub fn begin_declared() -> u64 {
    DECLARED.fetch_add(1, Ordering::Relaxed)
}

/// The iteration that this rank is in or was in last. A line of the points takes precedence over markers.
pub fn current() -> Option<u64> {
    if are_declared() { declared() } else { marked() }
}
