//! Time of CLOCK_MONOTONIC in nanoseconds, read from the processor's counter where that is trustworthy.
//!
//! clock_gettime costs about 20 ns, the counter about 8. [`resync`] anchors the counter to the clock: the
//! longer the base line since the first anchor, the better the counter's rate is known.

use std::sync::atomic::{AtomicU64, Ordering};

/// Shortest base line on which the counter's rate is trusted, and time between two anchors.
const BASE_LINE_NS: u64 = 20_000_000;
const RESYNC_NS: u64 = 100_000_000;

/// An anchor behind a sequence lock: `sequence` is odd while it is being written, 0 before the first.
struct Anchor {
    sequence: AtomicU64,
    ticks: AtomicU64,
    ns: AtomicU64,
    /// Nanoseconds per tick, times 2^32.
    rate: AtomicU64,
    first_ticks: AtomicU64,
    first_ns: AtomicU64,
}

static ANCHOR: Anchor = Anchor {
    sequence: AtomicU64::new(0),
    ticks: AtomicU64::new(0),
    ns: AtomicU64::new(0),
    rate: AtomicU64::new(0),
    first_ticks: AtomicU64::new(0),
    first_ns: AtomicU64::new(0),
};

/// CLOCK_MONOTONIC, nanoseconds.
#[inline]
pub fn now_ns() -> u64 {
    let before = ANCHOR.sequence.load(Ordering::Acquire); // SYNC A: pairs with resync's last store
    if before != 0 && before & 1 == 0 {
        let rate = ANCHOR.rate.load(Ordering::Relaxed);
        let ns = ANCHOR.ns.load(Ordering::Relaxed);
        let anchored = ANCHOR.ticks.load(Ordering::Relaxed);
        std::sync::atomic::fence(Ordering::Acquire);
        if rate != 0 && ANCHOR.sequence.load(Ordering::Relaxed) == before {
            return ns + scaled(ticks().wrapping_sub(anchored), rate);
        }
    }
    system_ns()
}

/// Nanoseconds per tick of the counter, times 2^32; 0 while the rate is not known.
pub fn rate() -> u64 {
    ANCHOR.rate.load(Ordering::Relaxed)
}

fn scaled(ticks: u64, rate: u64) -> u64 {
    ((u128::from(ticks) * u128::from(rate)) >> 32) as u64
}

/// Anchors the counter anew, at most every 100 ms. It reads the system's clock, so it is called between pieces of work.
pub fn resync() {
    if !counter_is_steady() {
        return;
    }
    let sequence = ANCHOR.sequence.load(Ordering::Relaxed);
    let due = sequence == 0
        || (sequence & 1 == 0 && {
            let known = ANCHOR.rate.load(Ordering::Relaxed) != 0;
            let age = system_ns().saturating_sub(ANCHOR.ns.load(Ordering::Relaxed));
            age >= if known { RESYNC_NS } else { BASE_LINE_NS }
        });
    let locked =
        || ANCHOR.sequence.compare_exchange(sequence, sequence | 1, Ordering::Acquire, Ordering::Relaxed).is_ok();
    if !due || !locked() {
        return; // another thread anchors it
    }
    let (here, ns) = (ticks(), system_ns());
    if sequence == 0 {
        ANCHOR.first_ticks.store(here, Ordering::Relaxed);
        ANCHOR.first_ns.store(ns, Ordering::Relaxed);
        ANCHOR.ticks.store(here, Ordering::Relaxed);
        ANCHOR.ns.store(ns, Ordering::Relaxed);
    } else {
        let old_rate = ANCHOR.rate.load(Ordering::Relaxed);
        let elapsed = here.wrapping_sub(ANCHOR.ticks.load(Ordering::Relaxed));
        let predicted = ANCHOR.ns.load(Ordering::Relaxed) + scaled(elapsed, old_rate);
        let base_ticks = here.wrapping_sub(ANCHOR.first_ticks.load(Ordering::Relaxed)).max(1);
        let base_ns = ns.saturating_sub(ANCHOR.first_ns.load(Ordering::Relaxed));
        let rate = ((u128::from(base_ns) << 32) / u128::from(base_ticks)) as u64;
        ANCHOR.rate.store(rate, Ordering::Relaxed);
        ANCHOR.ticks.store(here, Ordering::Relaxed);
        // Never backwards: a counter that ran ahead by some nanoseconds keeps them.
        ANCHOR.ns.store(if old_rate == 0 { ns } else { ns.max(predicted) }, Ordering::Relaxed);
    }
    ANCHOR.sequence.store((sequence | 1) + 1, Ordering::Release); // SYNC A
}

fn system_ns() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a timespec, and this clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    // SAFETY: every x86-64 has RDTSC, and Linux leaves it enabled.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    0
}

/// Whether the counter runs at one rate, in every power state ("invariant TSC").
#[cfg(target_arch = "x86_64")]
fn counter_is_steady() -> bool {
    use core::arch::x86_64::__cpuid;
    const ADVANCED_POWER: u32 = 0x8000_0007;
    __cpuid(0x8000_0000).eax >= ADVANCED_POWER && __cpuid(ADVANCED_POWER).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn counter_is_steady() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_runs_backwards_and_agrees_with_the_system() {
        let mut last = now_ns();
        let end = system_ns() + 300_000_000;
        while system_ns() < end {
            resync();
            let now = now_ns();
            assert!(now >= last, "{now} after {last}");
            last = now;
        }
        let (before, ours, after) = (system_ns(), now_ns(), system_ns());
        assert!(ours + 1_000_000 > before && ours < after + 1_000_000, "{before} {ours} {after}");
    }
}
