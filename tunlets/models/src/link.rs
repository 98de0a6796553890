//! Cost of a message (mo and lambda), estimated from a calibration and from the program's own messages.
//!
//! The master knows of a chunk when it was sent and when its result arrived, and the worker says how long it held it. The
//! rest is the way there and back: `2 mo + lambda (bytes out + bytes back)`, on the master's clock alone. That holds only
//! for a chunk that found its worker idle and the master waiting: one that was queued ahead lay at the worker for a time
//! that nobody measures. Where all chunks are queued ahead there are no such trips, and the calibration stands.

use crate::confidence::{Confidence, Gain};
use crate::line::{median_and_error, theil_sen};
use std::collections::VecDeque;

/// Newest round trips kept: enough to ignore one late message, few enough to follow a network that changes.
const TRIPS: usize = 48;
/// Fewest round trips for an estimate: the shortest and the longest of so many enclose their true median at the confidence level,
/// whatever their distribution: `2^(1 - n) <= 0.05`.
const FEWEST: usize = 6;
/// Round trips that differ by fewer bytes do not tell what a byte takes: these travel in one frame (Ethernet's, IEEE 802.3).
const FRAME_BYTES: f64 = 1500.0;

/// mo and lambda with their standard errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Start-up time of a message (`mo`), seconds.
    pub start_up_s: f64,
    /// Its standard error.
    pub start_up_error_s: f64,
    /// Time of a byte (`lambda`), seconds.
    pub per_byte_s: f64,
    /// Its standard error.
    pub per_byte_error_s: f64,
}

/// Estimates the cost of messages over one class of links.
#[derive(Clone, Debug, Default)]
pub struct Estimator {
    calibrated: Option<Cost>,
    /// (bytes out and back, seconds there and back).
    recent: VecDeque<(f64, f64)>,
    trips: u64,
}

impl Estimator {
    /// Sets the cost measured before the first iteration. NaN, infinite and negative values are ignored.
    pub fn on_calibrated(&mut self, cost: Cost) {
        let all = [cost.start_up_s, cost.start_up_error_s, cost.per_byte_s, cost.per_byte_error_s];
        if all.iter().all(|value| value.is_finite() && *value >= 0.0) {
            self.calibrated = Some(cost);
        }
    }

    /// Adds the round trip of a chunk and its result: bytes of both, and seconds without the time at the worker. Impossible values are ignored.
    pub fn on_trip(&mut self, bytes: f64, trip_s: f64) {
        if !(bytes.is_finite() && bytes >= 0.0 && trip_s.is_finite() && trip_s > 0.0) {
            return;
        }
        if self.recent.len() >= TRIPS {
            self.recent.pop_front();
        }
        self.recent.push_back((bytes, trip_s));
        self.trips += 1;
    }

    /// Number of round trips observed.
    pub fn trips(&self) -> u64 {
        self.trips
    }

    /// The best estimate so far; `None` before a calibration and enough round trips.
    pub fn cost(&self) -> Option<Cost> {
        if self.recent.len() < FEWEST {
            return self.calibrated;
        }
        let per_byte = self.per_byte();
        // Two start-up times are what the bytes leave unexplained; small messages show them best.
        let mut small: Vec<(f64, f64)> = self.recent.iter().copied().collect();
        small.sort_by(|a, b| a.0.total_cmp(&b.0));
        small.truncate((small.len() / 3).max(FEWEST));
        let rests: Vec<f64> = small.iter().map(|(bytes, trip_s)| 0.5 * (trip_s - per_byte.0 * bytes)).collect();
        let (start_up_s, own) = median_and_error(&rests);
        let bytes = small[small.len() / 2].0;
        let new = (start_up_s.max(0.0), own.hypot(0.5 * per_byte.1 * bytes));
        let old = self.calibrated.map(|known| (known.start_up_s, known.start_up_error_s));
        let start_up = old.map_or(new, |old| combined(old, new, self.trips));
        Some(Cost {
            start_up_s: start_up.0,
            start_up_error_s: start_up.1,
            per_byte_s: per_byte.0,
            per_byte_error_s: per_byte.1,
        })
    }

    /// lambda and its error. Round trips of one size cannot separate bytes from start-up: then the calibration stands,
    /// or, without one, lambda is 0.
    fn per_byte(&self) -> (f64, f64) {
        let known = self.calibrated.map(|cost| (cost.per_byte_s, cost.per_byte_error_s));
        let points: Vec<(f64, f64)> = self.recent.iter().copied().collect();
        let range = |(l, h): (f64, f64), (bytes, _): &(f64, f64)| (l.min(*bytes), h.max(*bytes));
        let (low, high) = points.iter().fold((f64::INFINITY, 0.0), range);
        let line = theil_sen(&points).filter(|_| high - low > FRAME_BYTES);
        match (known, line) {
            (Some(known), Some(line)) => combined(known, (line.slope.max(0.0), line.slope_error), self.trips),
            (Some(known), None) => known,
            (None, Some(line)) => (line.slope.max(0.0), line.slope_error),
            (None, None) => (0.0, 0.0),
        }
    }
}

/// Combines two estimates by inverse variance; takes the newer alone where chance does not explain, over all that came before, how far they lie
/// apart: the network is another.
fn combined(old: (f64, f64), new: (f64, f64), trips: u64) -> (f64, f64) {
    if (old.0 - new.0).abs() > Confidence::default().in_series(trips, 1).two_sided() * old.1.hypot(new.1) {
        return new;
    }
    let known = Gain { mean: old.0, error: old.1 }.after(Gain { mean: new.0, error: new.1 });
    (known.mean, known.error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use proptest::prelude::*;

    const CALIBRATED: Cost =
        Cost { start_up_s: 50e-6, start_up_error_s: 5e-6, per_byte_s: 80e-9, per_byte_error_s: 8e-9 };

    fn calibrated() -> Estimator {
        let mut estimator = Estimator::default();
        estimator.on_calibrated(CALIBRATED);
        estimator
    }

    #[test]
    fn without_enough_trips_the_calibration_stands() {
        let mut estimator = calibrated();
        (0..FEWEST - 1).for_each(|_| estimator.on_trip(1e4, 7.0));
        assert_eq!(estimator.cost(), Some(CALIBRATED));
        assert_eq!(Estimator::default().cost(), None);
    }

    #[test]
    fn trips_of_one_size_say_nothing_of_bytes() {
        let mut estimator = calibrated();
        (0..40).for_each(|_| estimator.on_trip(1e4, 2.0 * 90e-6 + 80e-9 * 1e4));
        let cost = estimator.cost().unwrap();
        assert_eq!(cost.per_byte_s, CALIBRATED.per_byte_s);
        assert!(cost.start_up_s > 50e-6 && cost.start_up_s < 95e-6, "{cost:?}");
    }

    #[test]
    fn a_few_bytes_more_say_nothing_of_bytes() {
        let mut estimator = calibrated();
        (0..40).for_each(|i| estimator.on_trip(f64::from(8 + 8 * (i % 3)), 1e-4 * f64::from(1 + i % 3)));
        assert_eq!(estimator.cost().unwrap().per_byte_s, CALIBRATED.per_byte_s);
    }

    #[test]
    fn nonsense_teaches_nothing() {
        let mut estimator = calibrated();
        for (bytes, trip_s) in [(f64::NAN, 1.0), (-1.0, 1.0), (1.0, f64::INFINITY), (1.0, -1.0), (1.0, 0.0)] {
            (0..40).for_each(|_| estimator.on_trip(bytes, trip_s));
        }
        estimator.on_calibrated(Cost { start_up_s: f64::NAN, ..CALIBRATED });
        estimator.on_calibrated(Cost { per_byte_s: -1.0, ..CALIBRATED });
        assert_eq!((estimator.cost(), estimator.trips()), (Some(CALIBRATED), 0));
    }

    proptest! {
        /// Whatever the network has become, the program's own messages find it, late ones among them.
        #[test]
        fn a_network_that_changed_is_found_from_the_programs_messages(
            start_up_s in 1e-4_f64..2e-3, per_byte_s in 1e-10_f64..2e-7, seed in any::<u64>(),
        ) {
            let mut random = Random::new(seed);
            let mut estimator = calibrated();
            for i in 0..200 {
                // As factoring makes them, and one in seven late, whatever its size.
                let bytes = 64.0 * 10_f64.powf(3.0 * f64::from(i % 16) / 15.0);
                let late = if i % 7 == 0 { 5e-3 * random.uniform() } else { 0.0 };
                let exact = 2.0 * start_up_s + per_byte_s * bytes;
                estimator.on_trip(bytes, exact * (1.0 + 0.05 * random.uniform()) + late);
            }
            let cost = estimator.cost().unwrap();
            let trip = |cost: &Cost, bytes: f64| 2.0 * cost.start_up_s + cost.per_byte_s * bytes;
            for bytes in [64.0, 64e3] {
                let exact = 2.0 * start_up_s + per_byte_s * bytes;
                let off = (trip(&cost, bytes) - exact).abs();
                // Where the change is within the calibration's own error, that error is what remains.
                let known = 6.0 * (2.0 * cost.start_up_error_s + cost.per_byte_error_s * bytes);
                prop_assert!(off < (0.15 * exact).max(known), "{bytes}: {cost:?} for {start_up_s} {per_byte_s}");
            }
            prop_assert!(cost.start_up_error_s.is_finite() && cost.per_byte_error_s.is_finite());
        }
    }
}
