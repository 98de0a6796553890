//! Sums the measurements of all threads, interval by interval.

use crate::thread::all;
use crate::totals::{Reading, Sum, begin_interval};
use std::collections::BTreeMap;

/// The readings up to which all threads' measurements are summed.
#[derive(Default)]
pub struct Collector {
    readings: BTreeMap<(usize, u32), Reading>,
}

impl Collector {
    /// Begins a new interval. Returns the number of the one that ends, for [`Collector::take`].
    pub fn begin_interval(&self) -> u64 {
        begin_interval()
    }

    /// Measurements at `point` since it was last asked, with the smallest and largest of `interval`.
    pub fn take(&mut self, point: u32, interval: u64) -> Sum {
        let mut sum = Sum::default();
        for (number, thread) in all().iter().enumerate() {
            if let Some(totals) = thread.totals.get(point as usize) {
                sum.add(totals, self.readings.entry((number, point)).or_insert(Reading::NOTHING), interval);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::totals::set_rate;

    #[test]
    fn sums_are_exact_and_each_interval_has_its_own() {
        set_rate(1 << 32);
        let thread = crate::thread::current().expect("a block");
        let (totals, mut collector) = (&thread.totals[70], Collector::default());
        let times = [0u64, 1, 63, 64, 100, 1_000_003];
        times.iter().for_each(|ns| totals.timed(1000, 1000 + ns));
        times.iter().for_each(|_| assert!(totals.called() > 0));
        let first = collector.begin_interval();
        let sum = collector.take(70, first);
        assert_eq!((sum.calls, sum.timed, sum.sum_ns), (6, 6, times.iter().sum()));
        let squares: f64 = times.iter().map(|ns| (*ns as f64).powi(2)).sum();
        assert!((sum.squares_s2 * 1e18 - squares).abs() < 4096.0, "{} {squares}", sum.squares_s2 * 1e18);
        assert_eq!((sum.minimum_ns, sum.maximum_ns, sum.first, sum.last), (0, 1_000_003, 1000, 1_001_003));
        assert_eq!((sum.bins[0], sum.bins[5], sum.bins[6], sum.bins[19]), (2, 1, 2, 1));
        totals.timed(5, 12);
        let second = collector.begin_interval();
        let sum = collector.take(70, second);
        assert_eq!((sum.calls, sum.timed, sum.sum_ns, sum.minimum_ns, sum.maximum_ns), (0, 1, 7, 7, 7));
        let third = collector.begin_interval();
        assert_eq!(collector.take(70, third), Sum::default());
    }

    #[test]
    fn the_squares_of_many_short_times_are_not_lost_to_rounding() {
        set_rate(1 << 32);
        let thread = crate::thread::current().expect("a block");
        let mut collector = Collector::default();
        (0..10_000).for_each(|_| thread.totals[71].timed(0, 30));
        let interval = collector.begin_interval();
        let sum = collector.take(71, interval);
        assert!((sum.squares_s2 * 1e18 - 9e6).abs() < 4096.0, "{}", sum.squares_s2);
    }
}
