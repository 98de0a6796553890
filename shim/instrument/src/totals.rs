//! Measurements of one thread at one point, and their sums.
//!
//! Counts and sums only grow. The collector takes differences to its last reading, so nothing is reset and nothing is lost: an event
//! that is being written shows in this interval or in the next. Differences do not give the smallest and largest time, so each of
//! them is kept for two intervals in turn.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bins of the histogram: bin k counts times from 2^k to 2^(k+1) nanoseconds.
pub const BINS: usize = 64;

/// Measurements of all threads at one point in one interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// Calls.
    pub calls: u64,
    /// Of those, timed.
    pub timed: u64,
    /// Sum of the times, nanoseconds.
    pub sum_ns: u64,
    /// Sum of their squares, seconds squared.
    pub squares_s2: f64,
    /// Shortest time, nanoseconds; `u64::MAX` where there is none.
    pub minimum_ns: u64,
    /// Longest time, nanoseconds; 0 where there is none.
    pub maximum_ns: u64,
    /// When the first call began, ticks; `u64::MAX` where there is none.
    pub first: u64,
    /// When the last call ended, ticks; 0 where there is none.
    pub last: u64,
    /// Bin k: times from 2^k to 2^(k+1) nanoseconds.
    pub bins: [u32; BINS],
}

impl Default for Sum {
    fn default() -> Sum {
        let (minimum_ns, first) = (u64::MAX, u64::MAX);
        let (bins, squares_s2) = ([0; BINS], 0.0);
        Sum { calls: 0, timed: 0, sum_ns: 0, squares_s2, minimum_ns, maximum_ns: 0, first, last: 0, bins }
    }
}

/// Time that a hook adds to a call, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// The call is counted and timed.
    pub timed_ns: f64,
    /// The call is counted.
    pub counted_ns: f64,
    /// A handler is called at its exit, without the time of the handler.
    pub handled_ns: f64,
}

/// Squares are summed in units of 2^this ns², and a longer time than [`LONGEST_NS`] counts as that: so the squares of one interval do
/// not overflow.
const SQUARE_BITS: u32 = 12;
/// About 2 minutes.
const LONGEST_NS: u64 = 1 << 37;

/// The number of the interval that runs.
static INTERVAL: AtomicU64 = AtomicU64::new(1);
/// Nanoseconds per tick, times 2^32.
static RATE: AtomicU64 = AtomicU64::new(1 << 32);

/// One thread's measurements at one point. All accesses are relaxed: there is one writer, and readers take differences.
pub struct Totals {
    calls: AtomicU64,
    timed: AtomicU64,
    sum_ns: AtomicU64,
    squares: AtomicU64,
    rest: AtomicU64,
    extremes: [Extremes; 2],
    bins: [AtomicU32; BINS],
}

struct Extremes {
    interval: AtomicU64,
    minimum_ns: AtomicU64,
    maximum_ns: AtomicU64,
    first: AtomicU64,
    last: AtomicU64,
}

impl Extremes {
    const fn new() -> Extremes {
        Extremes {
            interval: AtomicU64::new(0),
            minimum_ns: AtomicU64::new(0),
            maximum_ns: AtomicU64::new(0),
            first: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }
    }
}

fn grow(word: &AtomicU64, by: u64) -> u64 {
    let value = word.load(Ordering::Relaxed).wrapping_add(by);
    word.store(value, Ordering::Relaxed);
    value
}

/// The length of so many ticks, nanoseconds.
#[inline]
pub fn nanoseconds(ticks: u64) -> u64 {
    ((u128::from(ticks) * u128::from(RATE.load(Ordering::Relaxed))) >> 32) as u64
}

/// Sets the length of a tick: nanoseconds times 2^32.
pub fn set_rate(rate: u64) {
    RATE.store(rate, Ordering::Relaxed);
}

/// Begins a new interval and returns the number of the one that ends.
pub(crate) fn begin_interval() -> u64 {
    INTERVAL.fetch_add(1, Ordering::Relaxed)
}

impl Totals {
    pub(crate) const fn new() -> Totals {
        Totals {
            calls: AtomicU64::new(0),
            timed: AtomicU64::new(0),
            sum_ns: AtomicU64::new(0),
            squares: AtomicU64::new(0),
            rest: AtomicU64::new(0),
            extremes: [const { Extremes::new() }; 2],
            bins: [const { AtomicU32::new(0) }; BINS],
        }
    }

    /// One more call; returns how many there were.
    #[inline]
    pub fn called(&self) -> u64 {
        grow(&self.calls, 1)
    }

    /// A call lasted from one tick to another.
    #[inline]
    pub fn timed(&self, begin: u64, end: u64) {
        let ns = nanoseconds(end.saturating_sub(begin)).min(LONGEST_NS);
        grow(&self.timed, 1);
        grow(&self.sum_ns, ns);
        let square = u128::from(ns) * u128::from(ns) + u128::from(self.rest.load(Ordering::Relaxed));
        grow(&self.squares, (square >> SQUARE_BITS) as u64);
        self.rest.store(square as u64 & ((1 << SQUARE_BITS) - 1), Ordering::Relaxed);
        if let Some(bin) = self.bins.get((ns | 1).ilog2() as usize) {
            bin.store(bin.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        }
        let interval = INTERVAL.load(Ordering::Relaxed);
        let extremes = &self.extremes[(interval & 1) as usize];
        if extremes.interval.load(Ordering::Relaxed) != interval {
            extremes.minimum_ns.store(u64::MAX, Ordering::Relaxed);
            extremes.maximum_ns.store(0, Ordering::Relaxed);
            extremes.first.store(begin, Ordering::Relaxed);
            extremes.interval.store(interval, Ordering::Relaxed);
        }
        if ns < extremes.minimum_ns.load(Ordering::Relaxed) {
            extremes.minimum_ns.store(ns, Ordering::Relaxed);
        }
        if ns > extremes.maximum_ns.load(Ordering::Relaxed) {
            extremes.maximum_ns.store(ns, Ordering::Relaxed);
        }
        extremes.last.store(end, Ordering::Relaxed);
    }
}

/// One thread's measurements at one point at one moment.
#[derive(Clone)]
pub(crate) struct Reading {
    calls: u64,
    timed: u64,
    sum_ns: u64,
    squares: u64,
    bins: [u32; BINS],
}

impl Reading {
    pub(crate) const NOTHING: Reading = Reading { calls: 0, timed: 0, sum_ns: 0, squares: 0, bins: [0; BINS] };

    fn of(totals: &Totals) -> Reading {
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        Reading {
            calls: load(&totals.calls),
            timed: load(&totals.timed),
            sum_ns: load(&totals.sum_ns),
            squares: load(&totals.squares),
            bins: std::array::from_fn(|k| totals.bins[k].load(Ordering::Relaxed)),
        }
    }
}

impl Sum {
    /// Adds what `totals` measured since the reading `before`, with the smallest and largest of `interval`; replaces the reading.
    pub(crate) fn add(&mut self, totals: &Totals, before: &mut Reading, interval: u64) {
        if before.calls == totals.calls.load(Ordering::Relaxed) && before.timed == totals.timed.load(Ordering::Relaxed)
        {
            return;
        }
        let now = Reading::of(totals);
        self.calls += now.calls.wrapping_sub(before.calls);
        self.timed += now.timed.wrapping_sub(before.timed);
        self.sum_ns = self.sum_ns.saturating_add(now.sum_ns.wrapping_sub(before.sum_ns));
        let squares = now.squares.wrapping_sub(before.squares) as f64 * f64::from(1 << SQUARE_BITS);
        self.squares_s2 += squares * 1e-18;
        for (bin, (new, old)) in self.bins.iter_mut().zip(now.bins.iter().zip(&before.bins)) {
            *bin = bin.wrapping_add(new.wrapping_sub(*old));
        }
        *before = now;
        let extremes = &totals.extremes[(interval & 1) as usize];
        if extremes.interval.load(Ordering::Relaxed) == interval {
            self.minimum_ns = self.minimum_ns.min(extremes.minimum_ns.load(Ordering::Relaxed));
            self.maximum_ns = self.maximum_ns.max(extremes.maximum_ns.load(Ordering::Relaxed));
            self.first = self.first.min(extremes.first.load(Ordering::Relaxed));
            self.last = self.last.max(extremes.last.load(Ordering::Relaxed));
        }
    }
}
