//! The measured times of each combination.

use std::collections::BTreeMap;

use super::space::Point;
use crate::line::{NORMAL, median};

/// A combination, or the values at start: `None`.
pub(super) type Candidate = Option<Point>;

/// Relative scatter of times as long as nothing was measured twice.
const NOISE_AT_FIRST: f64 = 0.02;

/// All measured times, seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Observations {
    times: BTreeMap<Candidate, Vec<f64>>,
}

impl Observations {
    /// Adds a measured time, seconds.
    pub(super) fn add(&mut self, candidate: &Candidate, time_s: f64) {
        self.times.entry(candidate.clone()).or_default().push(time_s);
    }

    /// Number of measurements of a candidate.
    pub(super) fn count(&self, candidate: &Candidate) -> usize {
        self.times.get(candidate).map_or(0, Vec::len)
    }

    /// Median time of a candidate, seconds.
    pub(super) fn median_s(&self, candidate: &Candidate) -> Option<f64> {
        Some(median(self.times.get(candidate)?.clone()))
    }

    /// Median time of a combination, seconds.
    pub(super) fn of(&self, point: &Point) -> Option<f64> {
        self.median_s(&Some(point.clone()))
    }

    /// The best candidate and its median.
    pub(super) fn best(&self) -> Option<(&Candidate, f64)> {
        let all = self.times.iter().map(|(candidate, times)| (candidate, median(times.clone())));
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The combinations from the best on, with median and number of times.
    pub(super) fn ranking(&self) -> Vec<(Point, f64, usize)> {
        let one = |(candidate, times): (&Candidate, &Vec<f64>)| {
            Some((candidate.clone()?, median(times.clone()), times.len()))
        };
        let mut all: Vec<(Point, f64, usize)> = self.times.iter().filter_map(one).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all
    }

    /// Relative standard deviation of repeated measurements.
    pub(super) fn noise(&self) -> f64 {
        let several = self.times.values().filter(|times| times.len() >= 2);
        let deviations: Vec<f64> = several
            .flat_map(|times| {
                let middle = median(times.clone());
                times.iter().map(move |time| (time / middle - 1.0).abs())
            })
            .filter(|share| share.is_finite())
            .collect();
        if deviations.is_empty() { NOISE_AT_FIRST } else { NORMAL * median(deviations) }
    }
}
