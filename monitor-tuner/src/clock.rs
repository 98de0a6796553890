//! The analyzer's clock as seen from this host: its offset and drift, with bounds that hold as long as both clocks run evenly.
//!
//! A probe that left at `sent` and was back at `received` (this host's clock) carries the analyzer's time `T` of some moment between the two. So
//! the offset, analyzer minus host, was at most `T - sent` at `sent`, and at least `T - received` at `received`. Of all straight lines through these
//! gates, the highest and the lowest at a moment bound the offset there: A. Duda, G. Harrus, Y. Haddad, G. Bernard, *Estimating global
//! time in distributed systems*, ICDCS 1987. Where no line passes all gates, a clock did not run evenly: the oldest ones are forgotten.

use std::collections::VecDeque;

/// Probes that are remembered: at one in 5 s those of the last minute, in which clocks that are steered change their rate little.
const MEMORY: usize = 12;
/// Largest drift: Linux steers a clock by at most 500 ppm (MAXFREQ of adjtimex), and there are two.
const MOST_DRIFT: f64 = 1000e-6;
/// Clocks are read in whole nanoseconds.
const RESOLUTION_NS: f64 = 1.0;

/// The offset at one moment, and the drift. Nanoseconds, and parts per billion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// To add to this host's time to get the analyzer's.
    pub offset_ns: i64,
    /// The offset is at most this far from the truth.
    pub error_ns: u64,
    /// By how much the analyzer's clock runs faster.
    pub drift_ppb: i64,
    /// The drift is at most this far from the truth.
    pub drift_error_ppb: u64,
}

/// One probe.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    sent_ns: u64,
    analyzer_ns: u64,
    received_ns: u64,
}

/// A line of the offset: `at_origin_ns + slope * (time - origin)`, less the base offset.
#[derive(Clone, Copy, Debug)]
struct Line {
    at_origin_ns: f64,
    slope: f64,
}

/// `from + slope * x` is at least, or at most, the value: a bound on the line at distance `x` from the origin.
#[derive(Clone, Copy, Debug)]
struct Bound {
    x_ns: f64,
    value_ns: f64,
    is_upper: bool,
}

/// The probes of one analyzer.
#[derive(Clone, Debug, Default)]
pub struct ClockSync {
    exchanges: VecDeque<Exchange>,
    /// The extreme lines: every line that passes all gates lies between them.
    corners: Vec<Line>,
    /// When the newest probe was back, this host's clock.
    origin_ns: u64,
    /// The offset in the middle of the newest gate.
    base_ns: i128,
}

impl ClockSync {
    /// Takes a probe that was sent at `sent_ns`, answered at `analyzer_ns` (the analyzer's clock), and back at `received_ns`.
    pub fn on_reply(&mut self, sent_ns: u64, analyzer_ns: u64, received_ns: u64) {
        if received_ns < sent_ns {
            return;
        }
        self.exchanges.push_back(Exchange { sent_ns, analyzer_ns, received_ns });
        if self.exchanges.len() > MEMORY {
            self.exchanges.pop_front();
        }
        self.origin_ns = received_ns;
        self.base_ns = i128::from(analyzer_ns) - i128::from(sent_ns + (received_ns - sent_ns) / 2);
        self.corners = self.lines();
        while self.corners.is_empty() && self.exchanges.len() > 1 {
            self.exchanges.pop_front();
            self.corners = self.lines();
        }
    }

    /// The offset at a moment of this host's clock; `None` until measured.
    pub fn at(&self, time_ns: u64) -> Option<Estimate> {
        let x_ns = (i128::from(time_ns) - i128::from(self.origin_ns)) as f64;
        let at = |line: &Line| line.at_origin_ns + line.slope * x_ns;
        let (least, most) = range(self.corners.iter().map(at))?;
        let (slowest, fastest) = range(self.corners.iter().map(|line| line.slope * 1e9))?;
        Some(Estimate {
            offset_ns: (self.base_ns + f64::midpoint(least, most).round() as i128) as i64,
            error_ns: ((most - least) / 2.0).ceil() as u64 + 1,
            drift_ppb: f64::midpoint(slowest, fastest).round() as i64,
            drift_error_ppb: ((fastest - slowest) / 2.0).ceil() as u64 + 1,
        })
    }

    fn bounds(&self) -> Vec<Bound> {
        let bound = |at_ns: u64, analyzer_ns: u64, is_upper: bool| Bound {
            x_ns: (i128::from(at_ns) - i128::from(self.origin_ns)) as f64,
            value_ns: (i128::from(analyzer_ns) - i128::from(at_ns) - self.base_ns) as f64
                + if is_upper { RESOLUTION_NS } else { -RESOLUTION_NS },
            is_upper,
        };
        let gates = self.exchanges.iter();
        gates
            .flat_map(|e| [bound(e.sent_ns, e.analyzer_ns, true), bound(e.received_ns, e.analyzer_ns, false)])
            .collect()
    }

    /// The corners of the set of lines that keep all bounds: each is where two bounds, or one and the largest drift, are touched.
    fn lines(&self) -> Vec<Line> {
        let bounds = self.bounds();
        let mut corners = Vec::new();
        let mut keep = |slope: f64, through: &Bound| {
            let line = Line { at_origin_ns: through.value_ns - slope * through.x_ns, slope };
            let keeps = |bound: &Bound| {
                let above = line.at_origin_ns + slope * bound.x_ns - bound.value_ns;
                if bound.is_upper { above <= RESOLUTION_NS } else { above >= -RESOLUTION_NS }
            };
            if slope.abs() <= MOST_DRIFT && bounds.iter().all(keeps) {
                corners.push(line);
            }
        };
        for (number, first) in bounds.iter().enumerate() {
            keep(MOST_DRIFT, first);
            keep(-MOST_DRIFT, first);
            for second in &bounds[number + 1..] {
                if first.x_ns != second.x_ns {
                    keep((first.value_ns - second.value_ns) / (first.x_ns - second.x_ns), first);
                }
            }
        }
        corners
    }
}

/// Least and greatest of some numbers; `None` without any.
fn range(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.fold(None, |known, number| {
        let (least, most): (f64, f64) = known.unwrap_or((number, number));
        Some((least.min(number), most.max(number)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The analyzer's clock at a moment of the host's, nanoseconds: apart and drifting.
    #[derive(Clone, Copy)]
    struct Truth {
        apart_ns: i64,
        drift: f64,
    }

    impl Truth {
        fn analyzer_ns(self, host_ns: u64) -> u64 {
            host_ns.wrapping_add_signed(self.apart_ns).wrapping_add_signed((host_ns as f64 * self.drift) as i64)
        }

        fn offset_ns(self, host_ns: u64) -> i64 {
            self.analyzer_ns(host_ns).wrapping_sub(host_ns) as i64
        }
    }

    /// Delays of a network, microseconds: short ones, and now and then one that waited; different in both directions.
    fn delay_ns(random: &mut u64) -> u64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = *random >> 33;
        (20 + number % 50 + if number.is_multiple_of(5) { number % 3_000 } else { 0 }) * 1000
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn the_true_offset_is_within_the_bounds_at_every_moment_however_clocks_stand_apart_and_drift() {
        let mut random = 7;
        for drift_ppm in [-480, -50, 0, 13, 480] {
            for apart_ns in [-3_000_000_000, 0, 5_000_000_000_000] {
                let truth = Truth { apart_ns, drift: f64::from(drift_ppm) * 1e-6 };
                let mut sync = ClockSync::default();
                let (mut now_ns, mut narrow) = (4_000 * SECOND, u64::MAX);
                for probe in 0..200 {
                    let (sent, asked, back) = (now_ns, now_ns + delay_ns(&mut random), 0);
                    let received = asked + delay_ns(&mut random) + back;
                    sync.on_reply(sent, truth.analyzer_ns(asked), received);
                    for later in [0, SECOND, 5 * SECOND, 60 * SECOND] {
                        let found = sync.at(received + later).expect("it was measured");
                        let off = found.offset_ns.abs_diff(truth.offset_ns(received + later));
                        assert!(off <= found.error_ns, "{drift_ppm} ppm, probe {probe}: {off} of {}", found.error_ns);
                        let off = found.drift_ppb.abs_diff(i64::from(drift_ppm) * 1000);
                        assert!(off <= found.drift_error_ppb, "{drift_ppm} ppm: {off} of {}", found.drift_error_ppb);
                    }
                    narrow = sync.at(received).expect("it was measured").error_ns;
                    now_ns = received + if probe < 4 { SECOND / 5 } else { 5 * SECOND };
                }
                assert!(narrow < 100_000, "after a while the shortest delays tell: {narrow} ns");
                assert!(sync.at(now_ns).expect("it was measured").drift_error_ppb < 10_000);
            }
        }
    }

    #[test]
    fn a_clock_that_jumps_is_followed_from_the_next_probe_on() {
        let mut sync = ClockSync::default();
        for probe in 1..20 {
            sync.on_reply(probe * SECOND, probe * SECOND + 100_000, probe * SECOND + 200_000);
        }
        let found = sync.at(20 * SECOND).expect("measured");
        assert!(found.offset_ns.unsigned_abs() <= found.error_ns && found.error_ns < 150_000, "{found:?}");
        sync.on_reply(20 * SECOND, 90 * SECOND, 20 * SECOND + 200_000);
        let found = sync.at(20 * SECOND + 200_000).expect("measured");
        assert!(
            found.offset_ns.abs_diff(70 * SECOND as i64) <= found.error_ns && found.error_ns < 110_000,
            "{found:?}"
        );
    }

    #[test]
    fn nothing_is_known_before_the_first_probe_and_nonsense_is_left_out() {
        let mut sync = ClockSync::default();
        sync.on_reply(10, 100, 9);
        assert_eq!(sync.at(10), None);
        sync.on_reply(1000, 100, 1000);
        let found = sync.at(1000).expect("measured");
        assert!(found.offset_ns == -900 && found.error_ns <= 4, "an analyzer whose clock is behind: {found:?}");
    }
}
