//! Time of CLOCK_MONOTONIC in nanoseconds, read from the processor's counter where that is trustworthy.
//!
//! clock_gettime costs about 20 ns, the counter about 8. [`resync`] anchors the counter to the clock: the
//! longer the base line since the first anchor, the better the counter's rate is known.

use crate::state;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shortest base line on which the counter's rate is trusted, and time between two anchors.
const BASE_LINE_NS: u64 = 20_000_000;
const RESYNC_NS: u64 = 100_000_000;
/// How far the kernel's clock may run from the counter, one in so many: adjtimex slews it by 500 ppm at most, and did so perhaps the
/// other way while the rate was measured.
const SLEW: u64 = 1000;
/// Widest reading of clock and counter that is used: on the shortest base line the rate is then off by the same share at most.
const READING_NS: u64 = BASE_LINE_NS / SLEW;

/// The counter, and the clock before and after.
#[derive(Clone, Copy)]
struct Reading {
    ticks: u64,
    ns: u64,
    width_ns: u64,
}

/// An anchor behind a sequence lock: `sequence` is odd while it is being written, 0 before the first.
struct Anchor {
    sequence: AtomicU64,
    ticks: AtomicU64,
    /// The time that `ticks` stands for, and what the clock showed.
    ns: AtomicU64,
    clock_ns: AtomicU64,
    /// Nanoseconds per tick, times 2^32.
    rate: AtomicU64,
    first_ticks: AtomicU64,
    first_ns: AtomicU64,
}

static ANCHOR: Anchor = Anchor::new();

/// CLOCK_MONOTONIC, nanoseconds.
#[inline]
pub fn now_ns() -> u64 {
    ANCHOR.time(ticks).unwrap_or_else(system_ns)
}

/// Nanoseconds per tick of the counter, times 2^32; 0 while the rate is not known.
pub fn rate() -> u64 {
    ANCHOR.rate.load(Ordering::Relaxed)
}

/// Anchors the counter anew, at most every 100 ms. It reads the system's clock, so it is called between pieces of work.
pub fn resync() {
    if !counter_is_steady() || !ANCHOR.is_due(system_ns()) {
        return;
    }
    let read = || {
        let (ns, ticks) = (system_ns(), ticks());
        Reading { ticks, ns, width_ns: system_ns().saturating_sub(ns) }
    };
    let step = ANCHOR.renew(read);
    if step != Step::Steady {
        midrun_instrument::set_next_poll(0); // its time is one of the counter as it was
    }
    if step == Step::SetBack {
        state::switch_off("the host's clock was set back, as for a process that is restored from an image");
    }
}

/// What clock and counter have done between two anchors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Steady,
    /// One of the two has jumped: the process comes from an image, or its machine from one or from sleep.
    Jumped,
    /// The clock is behind times that were told.
    SetBack,
}

impl Anchor {
    const fn new() -> Anchor {
        Anchor {
            sequence: AtomicU64::new(0),
            ticks: AtomicU64::new(0),
            ns: AtomicU64::new(0),
            clock_ns: AtomicU64::new(0),
            rate: AtomicU64::new(0),
            first_ticks: AtomicU64::new(0),
            first_ns: AtomicU64::new(0),
        }
    }

    /// The time that the counter shows; `None` while its rate is not known.
    #[inline]
    fn time(&self, counter: impl FnOnce() -> u64) -> Option<u64> {
        let before = self.sequence.load(Ordering::Acquire); // SYNC A: pairs with renew's last store
        if before == 0 || before & 1 != 0 {
            return None;
        }
        let (rate, ns) = (self.rate.load(Ordering::Relaxed), self.ns.load(Ordering::Relaxed));
        let anchored = self.ticks.load(Ordering::Relaxed);
        std::sync::atomic::fence(Ordering::Acquire);
        let is_whole = rate != 0 && self.sequence.load(Ordering::Relaxed) == before;
        is_whole.then(|| ns.wrapping_add(scaled(counter().wrapping_sub(anchored), rate)))
    }

    /// Whether it is old, or from a clock that has been set back since.
    fn is_due(&self, clock_ns: u64) -> bool {
        let wait = if self.rate.load(Ordering::Relaxed) != 0 { RESYNC_NS } else { BASE_LINE_NS };
        let age = clock_ns.checked_sub(self.clock_ns.load(Ordering::Relaxed));
        self.sequence.load(Ordering::Relaxed) == 0 || age.is_none_or(|age| age >= wait)
    }

    /// Takes over a reading, unless another thread does, or this one was interrupted in it: then the next one is taken.
    fn renew(&self, read: impl FnOnce() -> Reading) -> Step {
        let sequence = self.sequence.load(Ordering::Relaxed);
        let locked =
            || self.sequence.compare_exchange(sequence, sequence | 1, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if sequence & 1 != 0 || !locked() {
            return Step::Steady;
        }
        let now = read(); // behind the lock: else a later one of another thread might stand already
        if now.width_ns > READING_NS {
            self.sequence.store(sequence, Ordering::Release);
            return Step::Steady;
        }
        let step = if sequence == 0 { Step::Steady } else { self.step(now) };
        let (mut ns, rate) = (now.ns, self.rate.load(Ordering::Relaxed));
        if sequence == 0 || step != Step::Steady {
            self.first_ticks.store(now.ticks, Ordering::Relaxed);
            self.first_ns.store(now.ns, Ordering::Relaxed);
            self.rate.store(0, Ordering::Relaxed);
        } else {
            let base_ticks = now.ticks.wrapping_sub(self.first_ticks.load(Ordering::Relaxed)).max(1);
            let base_ns = now.ns.saturating_sub(self.first_ns.load(Ordering::Relaxed));
            if rate != 0 {
                // Never backwards: a counter that ran ahead by some nanoseconds keeps them.
                ns = ns.max(self.ns.load(Ordering::Relaxed) + self.elapsed(now.ticks));
            }
            self.rate.store(((u128::from(base_ns) << 32) / u128::from(base_ticks)) as u64, Ordering::Relaxed);
        }
        self.ticks.store(now.ticks, Ordering::Relaxed);
        self.ns.store(ns, Ordering::Relaxed);
        self.clock_ns.store(now.ns, Ordering::Relaxed);
        self.sequence.store((sequence | 1) + 1, Ordering::Release); // SYNC A
        step
    }

    fn step(&self, now: Reading) -> Step {
        let elapsed = self.elapsed(now.ticks);
        let by_clock = now.ns.checked_sub(self.clock_ns.load(Ordering::Relaxed));
        let agree = |ns: u64| elapsed.abs_diff(ns) <= 2 * ns / SLEW + READING_NS;
        let is_measured = self.rate.load(Ordering::Relaxed) != 0;
        let steady =
            now.ticks >= self.ticks.load(Ordering::Relaxed) && by_clock.is_some_and(|ns| !is_measured || agree(ns));
        match steady {
            true => Step::Steady,
            false if now.ns < self.ns.load(Ordering::Relaxed) => Step::SetBack,
            false => Step::Jumped,
        }
    }

    /// Nanoseconds since the anchor, by the counter.
    fn elapsed(&self, ticks: u64) -> u64 {
        scaled(ticks.wrapping_sub(self.ticks.load(Ordering::Relaxed)), self.rate.load(Ordering::Relaxed))
    }
}

fn scaled(ticks: u64, rate: u64) -> u64 {
    ((u128::from(ticks) * u128::from(rate)) >> 32) as u64
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

/// Whether the counter runs at one rate, in every power state ("invariant TSC"). The processor is asked once: on a virtual machine its host answers,
/// in some microseconds (7 were measured).
#[cfg(target_arch = "x86_64")]
fn counter_is_steady() -> bool {
    use core::arch::x86_64::__cpuid;
    const ADVANCED_POWER: u32 = 0x8000_0007;
    static ASKED: AtomicBool = AtomicBool::new(false);
    static STEADY: AtomicBool = AtomicBool::new(false);
    if !ASKED.load(Ordering::Acquire) {
        let steady = __cpuid(0x8000_0000).eax >= ADVANCED_POWER && __cpuid(ADVANCED_POWER).edx & (1 << 8) != 0;
        STEADY.store(steady, Ordering::Relaxed);
        ASKED.store(true, Ordering::Release);
    }
    STEADY.load(Ordering::Relaxed)
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

    /// Renews an anchor after `at_ms`, of a clock and of a counter of 2 GHz that have jumped; the time, what the clock shows, and the step.
    fn renewed(anchor: &Anchor, at_ms: u64, clock_jump_ns: i64, counter_jump: i64) -> (Option<u64>, u64, Step) {
        let ns = (at_ms * 1_000_000).wrapping_add_signed(clock_jump_ns);
        let ticks = (at_ms * 2_000_000).wrapping_add_signed(counter_jump);
        let due = anchor.is_due(ns);
        let step = if due { anchor.renew(|| Reading { ticks, ns, width_ns: 100 }) } else { Step::Steady };
        (anchor.time(|| ticks), ns, step)
    }

    #[test]
    fn after_a_jump_of_clock_or_counter_time_is_the_clocks_again() {
        const HOUR: i64 = 3_600_000_000_000;
        // Restored on a host that was started later, or earlier, at the same moment; after an hour that clock or counter did not see.
        let jumps = [
            (-HOUR, -2 * HOUR),
            (HOUR, 2 * HOUR),
            (-HOUR, -HOUR),
            (0, -2 * HOUR),
            (0, 2 * HOUR),
            (-HOUR, 0),
            (HOUR, 0),
        ];
        for (clock_jump, counter_jump) in jumps {
            let (anchor, start) = (Anchor::new(), 10_000_000); // the host runs for some hours
            for at in 0..100 {
                assert_eq!(renewed(&anchor, start + 10 * at, 0, 0).2, Step::Steady);
            }
            let (time, clock, _) = renewed(&anchor, start + 1_000, 0, 0);
            assert_eq!(time, Some(clock), "the counter shows the time");
            let (time, clock, step) = renewed(&anchor, start + 2_000, clock_jump, counter_jump);
            let what = format!("{clock_jump} {counter_jump}");
            if (clock_jump, counter_jump) == (HOUR, 2 * HOUR) {
                assert_eq!((time, step), (Some(clock), Step::Steady), "both saw it");
                continue;
            }
            assert_eq!(time, None, "{what}: the clock is read until the rate is known");
            assert_eq!(step, if clock_jump < 0 { Step::SetBack } else { Step::Jumped }, "{what}");
            let (time, clock, step) = renewed(&anchor, start + 2_100, clock_jump, counter_jump);
            assert_eq!((time, step), (Some(clock), Step::Steady), "{what}");
        }
    }

    #[test]
    fn a_clock_that_is_slewed_is_followed_without_a_jump_and_a_broken_reading_left_out() {
        let (anchor, mut last) = (Anchor::new(), 0);
        for at in 1..2_000 {
            let slew = -(at - 1_000).max(0) * 5_000; // 500 ppm of 10 ms, from the middle on
            let (time, _, step) = renewed(&anchor, 10 * at as u64, slew, 0);
            let time = time.unwrap_or(last);
            assert!(time >= last && step == Step::Steady, "{time} after {last}: {step:?}");
            last = time;
        }
        let before = anchor.clock_ns.load(Ordering::Relaxed);
        anchor.renew(|| Reading { ticks: 1 << 40, ns: 1 << 50, width_ns: 1_000_000 });
        assert_eq!(anchor.clock_ns.load(Ordering::Relaxed), before, "a thread that was interrupted between the two");
        assert!(anchor.time(|| 1 << 40).is_some(), "the anchor before stands");
    }
}
