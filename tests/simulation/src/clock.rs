//! Clocks of the simulated hosts: all go with the simulation, each has its own offset, and a host that slept jumps ahead.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use midrun_vocabulary::Clock;

thread_local! {
    static ELAPSED_NS: Cell<u64> = const { Cell::new(0) };
    static HERE_NS: Cell<u64> = const { Cell::new(1) };
}

/// The simulation is so far, nanoseconds.
pub fn set_elapsed(ns: u64) {
    ELAPSED_NS.set(ns);
}

/// Nanoseconds since the simulation began.
pub fn elapsed_ns() -> u64 {
    turmoil::sim_elapsed().map_or_else(|| ELAPSED_NS.get(), |elapsed| elapsed.as_nanos() as u64)
}

/// CLOCK_MONOTONIC of the host on which code of a rank runs now, nanoseconds.
pub fn now_ns() -> u64 {
    HERE_NS.get()
}

/// The clocks of one host.
#[derive(Clone, Debug)]
pub struct HostClock {
    ahead_ns: Arc<AtomicU64>,
    wall_us: Arc<AtomicI64>,
}

impl HostClock {
    /// `ahead_ns`: CLOCK_MONOTONIC when the simulation begins.
    pub fn new(ahead_ns: u64) -> HostClock {
        HostClock { ahead_ns: Arc::new(AtomicU64::new(ahead_ns)), wall_us: Arc::default() }
    }

    /// CLOCK_MONOTONIC, nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.ahead_ns.load(Ordering::Relaxed) + elapsed_ns()
    }

    /// Code of a rank runs on this host from now on.
    pub fn enter(&self) {
        HERE_NS.set(self.now_ns());
    }

    /// The host was suspended for so long.
    pub fn jump(&self, ns: u64) {
        self.ahead_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// Somebody sets the calendar clock by so much.
    pub fn set_wall(&self, by_us: i64) {
        self.wall_us.fetch_add(by_us, Ordering::Relaxed);
    }

    /// CLOCK_MONOTONIC for a program on this host, nanoseconds.
    pub fn monotonic(&self) -> Clock {
        let here = self.clone();
        Clock::new(move || here.now_ns())
    }

    /// The calendar clock for a program on this host, microseconds since 1970.
    pub fn epoch_us(&self) -> Clock {
        let here = self.clone();
        // The simulations begin in 2024.
        Clock::new(move || {
            let wall = 1_700_000_000_000_000_i64 + here.wall_us.load(Ordering::Relaxed);
            wall as u64 + elapsed_ns() / 1000
        })
    }
}
