//! On other processors than x86-64: every hook is refused, and the rest has nothing to do.

use crate::Refusal;
use crate::figures::{Cost, Sum};
use crate::symbols::Function;
use crate::table::Point;

/// As on x86-64; never made here.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// The point.
    pub point: u32,
    /// When, ticks.
    pub now: u64,
    /// When the call began, ticks; at an entry the same.
    pub begin: u64,
}

/// There is none.
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

    pub fn settle(self) -> Result<bool, Refusal> {
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

/// Sums nothing up.
#[derive(Default)]
pub struct Collector(());

impl Collector {
    /// A new stretch begins.
    pub fn turn(&self) -> u64 {
        0
    }

    /// Nothing was measured.
    pub fn take(&mut self, _point: u32, _stretch: u64) -> Sum {
        Sum::default()
    }
}

/// Nanoseconds of CLOCK_MONOTONIC.
pub fn ticks() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a timespec, and this clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// A tick is a nanosecond.
pub fn nanoseconds(ticks: u64) -> u64 {
    ticks
}

/// A tick stays a nanosecond.
pub fn set_rate(_rate: u64) {}

/// There are no passages to take a pulse in.
pub fn set_pulse(_pulse: fn(), _at: u64) {}

/// See [`set_pulse`].
pub fn next_pulse(_at: u64) {}

/// No exit is ever seen.
pub fn is_open(_point: u32) -> bool {
    false
}

/// Nothing was to be seen.
pub fn unseen() -> u64 {
    0
}

/// Runs `body`.
pub fn open<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// Runs `body`.
pub fn closed<T>(body: impl FnOnce() -> T) -> T {
    body()
}
