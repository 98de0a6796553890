//! What one thread has measured at one point, and how it is summed up for one stretch of time.
//!
//! Counts and sums only grow; whoever sums up takes differences to what it saw before, so nothing is reset and nothing
//! is lost: an event that is being written shows in this stretch or in the next. What cannot be told apart by
//! differences, smallest and largest, is kept twice, by turns.

use crate::figures::{BINS, Sum};
use crate::thread::{THREADS, all};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Squares are counted in units of so many ns², as a power of two, and longer times as if they were so long, ns: then
/// the squares of one stretch do not overflow.
const SQUARE_BITS: u32 = 12;
const LONGEST_NS: u64 = 1 << 37;

/// The number of the stretch of time that runs.
static STRETCH: AtomicU64 = AtomicU64::new(1);
/// Nanoseconds per tick, times 2^32.
static RATE: AtomicU64 = AtomicU64::new(1 << 32);

/// One thread's measurements at one point. All are relaxed: one writer, and readers take differences.
pub struct Totals {
    calls: AtomicU64,
    timed: AtomicU64,
    sum_ns: AtomicU64,
    squares: AtomicU64,
    rest: AtomicU64,
    spans: [Span; 2],
    bins: [AtomicU32; BINS],
}

struct Span {
    stretch: AtomicU64,
    minimum_ns: AtomicU64,
    maximum_ns: AtomicU64,
    first: AtomicU64,
    last: AtomicU64,
}

impl Span {
    const fn new() -> Span {
        Span {
            stretch: AtomicU64::new(0),
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

/// How long so many ticks take, as far as known.
#[inline]
pub fn nanoseconds(ticks: u64) -> u64 {
    ((u128::from(ticks) * u128::from(RATE.load(Ordering::Relaxed))) >> 32) as u64
}

/// Sets the length of a tick: nanoseconds times 2^32.
pub fn set_rate(rate: u64) {
    RATE.store(rate, Ordering::Relaxed);
}

impl Totals {
    pub(crate) const fn new() -> Totals {
        Totals {
            calls: AtomicU64::new(0),
            timed: AtomicU64::new(0),
            sum_ns: AtomicU64::new(0),
            squares: AtomicU64::new(0),
            rest: AtomicU64::new(0),
            spans: [const { Span::new() }; 2],
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
        let stretch = STRETCH.load(Ordering::Relaxed);
        let span = &self.spans[(stretch & 1) as usize];
        if span.stretch.load(Ordering::Relaxed) != stretch {
            span.minimum_ns.store(u64::MAX, Ordering::Relaxed);
            span.maximum_ns.store(0, Ordering::Relaxed);
            span.first.store(begin, Ordering::Relaxed);
            span.stretch.store(stretch, Ordering::Relaxed);
        }
        if ns < span.minimum_ns.load(Ordering::Relaxed) {
            span.minimum_ns.store(ns, Ordering::Relaxed);
        }
        if ns > span.maximum_ns.load(Ordering::Relaxed) {
            span.maximum_ns.store(ns, Ordering::Relaxed);
        }
        span.last.store(end, Ordering::Relaxed);
    }
}

#[derive(Clone)]
struct Seen {
    calls: u64,
    timed: u64,
    sum_ns: u64,
    squares: u64,
    bins: [u32; BINS],
}

impl Seen {
    const NOTHING: Seen = Seen { calls: 0, timed: 0, sum_ns: 0, squares: 0, bins: [0; BINS] };

    fn of(totals: &Totals) -> Seen {
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        Seen {
            calls: load(&totals.calls),
            timed: load(&totals.timed),
            sum_ns: load(&totals.sum_ns),
            squares: load(&totals.squares),
            bins: std::array::from_fn(|k| totals.bins[k].load(Ordering::Relaxed)),
        }
    }
}

/// Sums up, stretch by stretch.
#[derive(Default)]
pub struct Collector {
    seen: BTreeMap<(usize, u32), Seen>,
}

impl Collector {
    /// A new stretch begins. Returns the number of the one that ends, for [`Collector::take`].
    pub fn turn(&self) -> u64 {
        STRETCH.fetch_add(1, Ordering::Relaxed)
    }

    /// What was measured at `point` since it was last asked, the smallest and largest of `stretch`.
    pub fn take(&mut self, point: u32, stretch: u64) -> Sum {
        let mut sum = Sum::default();
        for (number, thread) in all().iter().enumerate().take(THREADS) {
            let Some(totals) = thread.totals.get(point as usize) else { continue };
            let before = self.seen.entry((number, point)).or_insert(Seen::NOTHING);
            if before.calls == totals.calls.load(Ordering::Relaxed)
                && before.timed == totals.timed.load(Ordering::Relaxed)
            {
                continue;
            }
            let now = Seen::of(totals);
            sum.calls += now.calls.wrapping_sub(before.calls);
            sum.timed += now.timed.wrapping_sub(before.timed);
            sum.sum_ns = sum.sum_ns.saturating_add(now.sum_ns.wrapping_sub(before.sum_ns));
            let squares = now.squares.wrapping_sub(before.squares) as f64 * f64::from(1 << SQUARE_BITS);
            sum.squares_s2 += squares * 1e-18;
            for (bin, (new, old)) in sum.bins.iter_mut().zip(now.bins.iter().zip(&before.bins)) {
                *bin = bin.wrapping_add(new.wrapping_sub(*old));
            }
            *before = now;
            sum.spans(&totals.spans[(stretch & 1) as usize], stretch);
        }
        sum
    }
}

impl Sum {
    fn spans(&mut self, span: &Span, stretch: u64) {
        if span.stretch.load(Ordering::Relaxed) == stretch {
            self.minimum_ns = self.minimum_ns.min(span.minimum_ns.load(Ordering::Relaxed));
            self.maximum_ns = self.maximum_ns.max(span.maximum_ns.load(Ordering::Relaxed));
            self.first = self.first.min(span.first.load(Ordering::Relaxed));
            self.last = self.last.max(span.last.load(Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_each_stretch_has_its_own() {
        set_rate(1 << 32);
        let thread = crate::thread::current().expect("a block");
        let (totals, mut collector) = (&thread.totals[70], Collector::default());
        let times = [0u64, 1, 63, 64, 100, 1_000_003];
        times.iter().for_each(|ns| totals.timed(1000, 1000 + ns));
        times.iter().for_each(|_| assert!(totals.called() > 0));
        let first = collector.turn();
        let sum = collector.take(70, first);
        assert_eq!((sum.calls, sum.timed, sum.sum_ns), (6, 6, times.iter().sum()));
        let squares: f64 = times.iter().map(|ns| (*ns as f64).powi(2)).sum();
        assert!((sum.squares_s2 * 1e18 - squares).abs() < 4096.0, "{} {squares}", sum.squares_s2 * 1e18);
        assert_eq!((sum.minimum_ns, sum.maximum_ns, sum.first, sum.last), (0, 1_000_003, 1000, 1_001_003));
        assert_eq!((sum.bins[0], sum.bins[5], sum.bins[6], sum.bins[19]), (2, 1, 2, 1));
        totals.timed(5, 12);
        let second = collector.turn();
        let sum = collector.take(70, second);
        assert_eq!((sum.calls, sum.timed, sum.sum_ns, sum.minimum_ns, sum.maximum_ns), (0, 1, 7, 7, 7));
        let third = collector.turn();
        assert_eq!(collector.take(70, third), Sum::default());
    }

    #[test]
    fn the_squares_of_many_short_times_are_not_lost_to_rounding() {
        set_rate(1 << 32);
        let thread = crate::thread::current().expect("a block");
        let mut collector = Collector::default();
        (0..10_000).for_each(|_| thread.totals[71].timed(0, 30));
        let stretch = collector.turn();
        let sum = collector.take(71, stretch);
        assert!((sum.squares_s2 * 1e18 - 9e6).abs() < 4096.0, "{}", sum.squares_s2);
    }
}
