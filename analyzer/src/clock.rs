//! The one place where the analyzer reads clocks.

use midrun_vocabulary::Clock;
use rustix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC of this host, nanoseconds.
pub(crate) fn monotonic_ns() -> Clock {
    Clock::new(|| nanoseconds(ClockId::Monotonic))
}

/// Time that the calling thread computed, nanoseconds.
pub(crate) fn thread_ns() -> u64 {
    nanoseconds(ClockId::ThreadCPUTime)
}

fn nanoseconds(of: ClockId) -> u64 {
    let time = clock_gettime(of);
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}

/// Microseconds since 1970: where a new analyzer begins to number its actions, so that they are newer
/// than those of an analyzer before it.
pub(crate) fn epoch_us() -> Clock {
    let since_1970 = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Clock::new(move || since_1970().map_or(1, |since| since.as_micros() as u64))
}
