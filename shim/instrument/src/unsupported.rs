//! The interface on other processors than x86-64: every hook is refused, and the rest has nothing to do.

use crate::refusal::Refusal;
use crate::symbols::Function;
use crate::table::Point;
use crate::totals::{Cost, Sum};

/// No hook exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hook {}

/// Refuses.
///
/// # Errors
/// [`Refusal::Architecture`], always.
pub fn hook(_function: &Function) -> Result<Hook, Refusal> {
    Err(Refusal::Architecture)
}

/// Refuses.
///
/// # Errors
/// [`Refusal::Architecture`], always.
pub fn cost() -> Result<Cost, Refusal> {
    Err(Refusal::Architecture)
}

#[allow(missing_docs, clippy::missing_errors_doc)] // as on x86-64
impl Hook {
    pub fn number(self) -> u32 {
        match self {}
    }

    pub fn point(self) -> &'static Point {
        match self {}
    }

    pub fn insert(self) -> Result<(), Refusal> {
        match self {}
    }

    pub fn remove(self) -> Result<(), Refusal> {
        match self {}
    }

    pub fn is_in(self) -> bool {
        match self {}
    }

    pub fn is_partial(self) -> bool {
        match self {}
    }

    pub fn replace(self, _by: Option<usize>) {
        match self {}
    }

    pub fn clear(self) {
        match self {}
    }
}

/// Sums nothing.
#[derive(Default)]
pub struct Collector(());

impl Collector {
    /// Begins a new interval.
    pub fn begin_interval(&self) -> u64 {
        0
    }

    /// Nothing was measured.
    pub fn take(&mut self, _point: u32, _interval: u64) -> Sum {
        Sum::default()
    }
}

/// Nanoseconds of CLOCK_MONOTONIC.
pub fn ticks() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `t` alone; this clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// No probe calls the poll.
pub fn set_poll(_poll: fn(), _at: u64) {}

/// See [`set_poll`].
pub fn set_next_poll(_at: u64) {}

/// No exit is ever seen.
pub fn is_inside(_point: u32) -> bool {
    false
}

/// No call was to be timed.
pub fn missed_calls() -> u64 {
    0
}

/// Runs `body`.
pub fn with_probes<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// Runs `body`.
pub fn without_probes<T>(body: impl FnOnce() -> T) -> T {
    body()
}
