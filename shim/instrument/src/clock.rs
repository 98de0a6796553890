//! Ticks: the processor's time stamp counter where it runs at one rate, else nanoseconds of CLOCK_MONOTONIC.

use std::arch::x86_64::{__cpuid, _rdtsc};
use std::sync::atomic::{AtomicBool, Ordering};

static BY_SYSTEM: AtomicBool = AtomicBool::new(false);

/// The time now, ticks.
#[inline]
pub fn ticks() -> u64 {
    if BY_SYSTEM.load(Ordering::Relaxed) {
        return system_ns();
    }
    // SAFETY: every x86-64 processor has RDTSC, and Linux enables it unless the program itself forbids it (PR_SET_TSC).
    unsafe { _rdtsc() }
}

fn system_ns() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `t` alone; this clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// Finds out which of the two clocks to use.
pub fn choose() {
    const ADVANCED_POWER: u32 = 0x8000_0007;
    let steady = __cpuid(0x8000_0000).eax >= ADVANCED_POWER && __cpuid(ADVANCED_POWER).edx & (1 << 8) != 0;
    BY_SYSTEM.store(!steady, Ordering::Relaxed);
}
