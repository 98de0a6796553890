//! The one place where the agent reads the host's clock.

use rustix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC of this host, nanoseconds.
pub fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}
