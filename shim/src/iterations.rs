//! This rank's iterations, as the program's markers or a line of the points declare them.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// Iterations that the program's markers began.
static MARKED: AtomicU64 = AtomicU64::new(0);
/// Whether a line of the points declares iterations, and how many it began.
static DECLARES: AtomicBool = AtomicBool::new(false);
static DECLARED: AtomicU64 = AtomicU64::new(0);

/// The iterations of synchronized changes: 0 = the markers', 1 = those of a line that all ranks have had since MPI_Init, 2 = that line
/// is gone.
static SYNCHRONIZED: AtomicU8 = AtomicU8::new(0);

/// All ranks have counted the same iterations since MPI_Init, by a line of the points: those of synchronized changes.
pub fn set_synchronized() {
    SYNCHRONIZED.store(1, Ordering::Relaxed);
}

/// The line of the iterations has changed: where it told those of synchronized changes, there are none of these any more.
pub fn change_line() {
    let _ = SYNCHRONIZED.compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed);
}

/// Whether the iterations of synchronized changes are the markers'.
pub fn synchronized_by_markers() -> bool {
    SYNCHRONIZED.load(Ordering::Relaxed) == 0
}

/// Whether they are those of a line of the points.
pub fn synchronized_by_line() -> bool {
    SYNCHRONIZED.load(Ordering::Relaxed) == 1
}

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
