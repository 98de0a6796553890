//! How a value goes with the number of workers: dV and dTc of César 2006, ch. III, learnt from observed pairs.

use crate::line::{Line, theil_sen};
use std::collections::{BTreeMap, VecDeque};

/// Observations kept of each number; the newest, so that what was is forgotten.
const OF_EACH: usize = 6;
/// Numbers kept, and observations after which a number that was not seen again is forgotten.
const NUMBERS: usize = 12;
const OLD: u64 = 80;
/// A slope counts when it is so many standard errors away from 0.
const SURE: f64 = 3.0;

/// Learns y(n).
#[derive(Clone, Debug, Default)]
pub struct Trend {
    seen: BTreeMap<u32, Seen>,
    count: u64,
    /// See [`Trend::slope`]: asked for far more often than it changes.
    slope: Option<(f64, f64)>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    values: VecDeque<f64>,
    last: u64,
}

impl Trend {
    /// With `n` workers it was `value`. Values that are none, or negative, are ignored.
    pub fn observe(&mut self, n: u32, value: f64) {
        if n == 0 || !value.is_finite() || value < 0.0 {
            return;
        }
        self.count += 1;
        let now = self.count;
        let seen = self.seen.entry(n).or_default();
        if seen.values.len() >= OF_EACH {
            seen.values.pop_front();
        }
        seen.values.push_back(value);
        seen.last = now;
        self.seen.retain(|_, seen| seen.last + OLD >= now);
        while self.seen.len() > NUMBERS {
            let oldest = self.seen.iter().min_by_key(|(_, seen)| seen.last).map(|(n, _)| *n);
            oldest.and_then(|n| self.seen.remove(&n));
        }
        let points: Vec<(f64, f64)> =
            self.seen.iter().flat_map(|(n, seen)| seen.values.iter().map(|value| (f64::from(*n), *value))).collect();
        self.slope = theil_sen(&points).map(|Line { slope, slope_error, .. }| (slope, slope_error));
    }

    /// What it was when `n` was last seen.
    pub fn last(&self, n: u32) -> Option<f64> {
        self.seen.get(&n)?.values.back().copied()
    }

    /// Change of y for each further worker, and its standard error: `None` (unknown) before two numbers were seen.
    pub fn slope(&self) -> Option<(f64, f64)> {
        self.slope
    }

    /// The slope where it is surely not 0.
    fn sure_slope(&self) -> Option<f64> {
        self.slope().filter(|(slope, error)| slope.abs() > SURE * error).map(|(slope, _)| slope)
    }

    /// y expected with `to` workers, where it is `value` with `from`: `y + dy (to - from)`, clipped to what
    /// `(to/from)` times as many workers can make of it (César 2006, ch. III). `falls` allows less with more workers.
    pub fn at(&self, value: f64, (from, to): (u32, u32), falls: bool) -> f64 {
        let Some(slope) = self.sure_slope().filter(|_| from > 0 && to > 0 && from != to) else { return value };
        let times = f64::from(to) / f64::from(from);
        let opposite = if falls { value / times } else { value };
        let (least, most) = if times > 1.0 { (opposite, value * times) } else { (value * times, opposite) };
        (value + slope * (f64::from(to) - f64::from(from))).clamp(least, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use proptest::prelude::*;

    #[test]
    fn with_one_number_the_trend_is_unknown() {
        let mut trend = Trend::default();
        assert_eq!(trend.slope(), None);
        (0..20).for_each(|_| trend.observe(8, 3.0));
        assert_eq!(trend.slope(), None);
        assert_eq!(trend.at(3.0, (8, 16), false), 3.0);
    }

    #[test]
    fn two_observations_are_a_line_but_no_certainty() {
        let mut trend = Trend::default();
        trend.observe(4, 1.0);
        trend.observe(8, 2.0);
        assert_eq!(trend.slope().unwrap().0, 0.25);
        assert_eq!(trend.at(2.0, (8, 16), false), 2.0, "its error is unknown: it is not used");
    }

    #[test]
    fn growth_is_clipped_to_proportional() {
        let mut trend = Trend::default();
        for n in [2, 2, 4, 4] {
            trend.observe(n, 10.0 * f64::from(n) - 15.0);
        }
        assert_eq!(trend.slope(), Some((10.0, 0.0)));
        assert_eq!(trend.at(25.0, (4, 5), false), 31.25, "by no more than the workers grow");
        assert_eq!(trend.at(25.0, (4, 2), false), 12.5);
    }

    #[test]
    fn what_falls_with_more_workers_does_so_only_where_it_may() {
        let mut trend = Trend::default();
        for n in [2_u32, 2, 4, 4, 6, 6] {
            trend.observe(n, 10.0 - f64::from(n));
        }
        assert_eq!(trend.at(6.0, (4, 6), true), 4.0);
        assert_eq!(trend.at(6.0, (4, 6), false), 6.0);
    }

    #[test]
    fn what_was_long_ago_is_forgotten_and_the_memory_stays_small() {
        let mut trend = Trend::default();
        (1..1000).for_each(|n| trend.observe(n, 1.0));
        assert_eq!(trend.seen.len(), NUMBERS);
        (0..=OLD).for_each(|_| trend.observe(3, 1.0));
        assert_eq!(trend.seen.len(), 1);
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            trend.observe(5, bad);
        }
        trend.observe(0, 1.0);
        assert_eq!(trend.slope(), None);
    }

    proptest! {
        #[test]
        fn a_trend_is_found_and_chance_is_not_one(
            base in 1.0_f64..100.0, slope in 0.0_f64..1.0, rises in any::<bool>(), seed in any::<u64>(),
        ) {
            let slope = if rises { 0.02 * base + slope * base / 10.0 } else { 0.0 };
            let mut random = Random::new(seed);
            let mut trend = Trend::default();
            for n in [2_u32, 2, 2, 4, 4, 4, 8, 8, 8] {
                trend.observe(n, (base + slope * f64::from(n)) * (1.0 + 0.002 * random.normal()));
            }
            let now = base + 8.0 * slope;
            let then = trend.at(now, (8, 12), false);
            let exact = base + 12.0 * slope;
            prop_assert!((then / exact - 1.0).abs() < 0.03, "{then} {exact}");
        }

        #[test]
        fn nothing_seen_leads_out_of_the_bounds(
            pairs in prop::collection::vec((1_u32..100, 0.0_f64..1e6), 0..40),
            value in 0.0_f64..1e6, from in 1_u32..200, to in 1_u32..200, falls in any::<bool>(),
        ) {
            let mut trend = Trend::default();
            pairs.iter().for_each(|(n, y)| trend.observe(*n, *y));
            let times = f64::from(to) / f64::from(from);
            let most = value * times.max(1.0 / times);
            let there = trend.at(value, (from, to), falls);
            prop_assert!(there >= value * times.min(1.0 / times) * 0.999_999 && there <= most * 1.000_001);
        }
    }
}
