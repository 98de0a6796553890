//! The one place where the analyzer reads clocks.

use rustix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC of this host, nanoseconds.
pub(crate) fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}

/// Microseconds since 1970: where a new analyzer begins to number its actions, so that they are newer
/// than those of an analyzer before it.
pub(crate) fn epoch_us() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |since| since.as_micros() as u64)
}
