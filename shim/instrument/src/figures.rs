//! What is measured at a point, and what measuring costs.

/// Bins of the histogram: bin k counts times from 2^k to 2^(k+1) nanoseconds.
pub const BINS: usize = 64;

/// What all threads measured at one point in one stretch of time.
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
    /// Shortest and longest, nanoseconds; of none, `u64::MAX` and 0.
    pub minimum_ns: u64,
    /// See there.
    pub maximum_ns: u64,
    /// When the first began and the last ended, ticks; of none, `u64::MAX` and 0.
    pub first: u64,
    /// See there.
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

/// What a timed call costs beyond itself, and one that is only counted, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Counted and timed.
    pub timed_ns: f64,
    /// Counted.
    pub counted_ns: f64,
    /// Told at its exit, without what is done then.
    pub told_ns: f64,
}
