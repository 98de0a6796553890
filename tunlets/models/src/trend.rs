//! Change of a value with the number of workers: dV and dTc of César 2006, ch. III, learnt from observed pairs.

use crate::confidence::Confidence;
use crate::line::{Line, theil_sen};
use std::collections::{BTreeMap, VecDeque};

/// Newest observations kept for each number of workers.
const OF_EACH: usize = 6;
/// Numbers of workers kept, and observations after which an unused one is forgotten.
const NUMBERS: usize = 12;
const OLD: u64 = 80;
/// Newest observations used for the drift, and the shortest run of one number of workers that contributes.
const LATELY: usize = 16;
const STRETCH: usize = 3;
/// Fewest observations for a drift.
const LEAST: usize = 5;

/// Learns y(n).
#[derive(Clone, Debug, Default)]
pub struct Trend {
    confidence: Confidence,
    seen: BTreeMap<u32, Seen>,
    count: u64,
    /// Cache of [`Trend::slope`], which is read far more often than it changes.
    slope: Option<(f64, f64)>,
    /// The slope, if it is surely not 0.
    sure: Option<f64>,
    /// Newest pairs of number and value, in order of arrival.
    lately: VecDeque<(u32, f64)>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    /// Index of the observation, and its value.
    values: VecDeque<(u64, f64)>,
    last: u64,
}

impl Trend {
    /// One that takes a slope for sure at this level.
    pub fn new(confidence: Confidence) -> Trend {
        Trend { confidence, ..Trend::default() }
    }

    /// Whether a slope through so many points is surely not 0.
    fn is_sure(&self, (slope, error): (f64, f64), points: usize) -> bool {
        slope.abs() > self.confidence.student(points as f64 - 2.0) * error
    }

    /// Adds a value observed with `n` workers. NaN, infinite and negative values are ignored.
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
        seen.values.push_back((now, value));
        seen.last = now;
        self.seen.retain(|_, seen| seen.last + OLD >= now);
        while self.seen.len() > NUMBERS {
            let oldest = self.seen.iter().min_by_key(|(_, seen)| seen.last).map(|(n, _)| *n);
            oldest.and_then(|n| self.seen.remove(&n));
        }
        self.lately.push_back((n, value));
        if self.lately.len() > LATELY {
            self.lately.pop_front();
        }
        (self.slope, self.sure) = (None, None);
        if let Some((slope, points)) = self.slope_beside(self.sure_drift()) {
            (self.slope, self.sure) = (Some(slope), self.is_sure(slope, points).then_some(slope.0));
        }
    }

    /// The slope after subtracting `drift` per observation, and the points that it rests on; the drift's error is added to the slope's.
    fn slope_beside(&self, (drift, drift_error): (f64, f64)) -> Option<((f64, f64), usize)> {
        let left = |(at, value): &(u64, f64)| value - drift * *at as f64;
        let of = |(n, seen): (&u32, &Seen)| seen.values.iter().map(|v| (f64::from(*n), left(v))).collect::<Vec<_>>();
        let points: Vec<(f64, f64)> = self.seen.iter().flat_map(of).collect();
        let Line { slope, slope_error, .. } = theil_sen(&points)?;
        // Numbers were observed one after the other, so an error of the drift becomes one of the slope.
        let apart = self.lately.len() as f64 / 2.0 / f64::from(self.range().1 - self.range().0).max(1.0);
        Some(((slope, slope_error.hypot(drift_error * apart)), points.len()))
    }

    /// Smallest and largest number seen.
    fn range(&self) -> (u32, u32) {
        let end = |n: Option<&u32>| n.copied().unwrap_or(0);
        (end(self.seen.keys().next()), end(self.seen.keys().next_back()))
    }

    /// Change of y from one observation to the next though the number stayed, where it is surely not 0: a line through what
    /// is left of the values and their times without the mean of each stretch of one number.
    pub fn drift(&self) -> Option<f64> {
        Some(self.sure_drift().0).filter(|drift| *drift != 0.0)
    }

    /// The drift and its standard error; both 0 where there may be none.
    fn sure_drift(&self) -> (f64, f64) {
        let lately: Vec<(u32, f64, f64)> =
            self.lately.iter().zip(0..).map(|((n, y), t)| (*n, f64::from(t), *y)).collect();
        let mut points = Vec::new();
        for stretch in lately.chunk_by(|a, b| a.0 == b.0).filter(|stretch| stretch.len() >= STRETCH) {
            let mean = |of: fn(&(u32, f64, f64)) -> f64| stretch.iter().map(of).sum::<f64>() / stretch.len() as f64;
            let (at, y) = (mean(|point| point.1), mean(|point| point.2));
            points.extend(stretch.iter().map(|point| (point.1 - at, point.2 - y)));
        }
        match theil_sen(&points).filter(|_| points.len() >= LEAST) {
            Some(line) if self.is_sure((line.slope, line.slope_error), points.len()) => (line.slope, line.slope_error),
            _ => (0.0, 0.0),
        }
    }

    /// The last value observed with `n` workers.
    pub fn last(&self, n: u32) -> Option<f64> {
        self.seen.get(&n)?.values.back().map(|(_, value)| *value)
    }

    /// Change of y for each further worker, and its standard error: `None` (unknown) before two numbers were seen.
    pub fn slope(&self) -> Option<(f64, f64)> {
        self.slope
    }

    /// y expected with `to` workers, where it is `value` with `from`: `y + dy (to - from)`, clipped to what
    /// `(to/from)` times as many workers can make of it (César 2006, ch. III). `falls` allows less with more workers.
    pub fn at(&self, value: f64, (from, to): (u32, u32), falls: bool) -> f64 {
        let Some(slope) = self.sure.filter(|_| from > 0 && to > 0 && from != to) else { return value };
        // Extrapolates at most as far as the observed numbers lie apart.
        let (low, high) = self.range();
        let to = to.clamp(low.saturating_sub(high - low).clamp(1, from), (high + (high - low)).max(from));
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
    fn what_grows_by_itself_is_no_merit_of_the_number() {
        let mut trend = Trend::default();
        let mut y = 5.0;
        for n in [24, 24, 8, 8, 8, 8, 8, 14, 14, 14, 14] {
            y += 1.0 + if trend.count % 2 == 0 { 0.1 } else { -0.1 };
            trend.observe(n, y);
        }
        assert!((trend.drift().unwrap() - 1.0).abs() < 0.2, "{:?}", trend.drift());
        assert_eq!(trend.at(y, (14, 1), false), y, "{:?}", trend.slope());
        // A real dependence on the number is found beside the drift.
        let mut both = Trend::default();
        for (k, n) in [2_u32, 2, 2, 8, 8, 8, 4, 4, 4].into_iter().enumerate() {
            both.observe(n, 10.0 + k as f64 + 5.0 * f64::from(n));
        }
        assert!((both.slope().unwrap().0 - 5.0).abs() < 0.01, "{:?}", both.slope());
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
    fn two_numbers_that_lie_together_say_nothing_of_one_far_away() {
        let mut trend = Trend::default();
        [24_u32, 24, 24, 22, 22, 22].into_iter().for_each(|n| trend.observe(n, f64::from(n)));
        assert_eq!(trend.at(22.0, (22, 20), false), 20.0);
        assert_eq!(trend.at(22.0, (22, 1), false), 20.0);
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
