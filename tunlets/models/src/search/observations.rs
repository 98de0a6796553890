//! The measured times of each combination.

use std::collections::BTreeMap;

use super::space::Point;
use crate::line::median;

/// The fewest measurements of a combination that have a median of their own.
pub(super) const REPEATS: usize = 3;

/// Standard error of the difference of two means of so many logarithms of times, where one scatters by `noise`.
pub(super) fn error_of_difference(noise: f64, one: usize, other: usize) -> f64 {
    noise * (1.0 / one as f64 + 1.0 / other as f64).sqrt()
}

/// A combination, or the values at start: `None`.
pub(super) type Candidate = Option<Point>;

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

    /// The newest time of a candidate was this, seconds.
    pub(super) fn correct(&mut self, candidate: &Candidate, time_s: f64) {
        if let Some(newest) = self.times.get_mut(candidate).and_then(|times| times.last_mut()) {
            *newest = time_s;
        }
    }

    /// The newest times of a candidate, at most so many.
    pub(super) fn newest(&self, candidate: &Candidate, most: usize) -> &[f64] {
        let times = self.times.get(candidate).map_or(&[][..], Vec::as_slice);
        &times[times.len().saturating_sub(most)..]
    }

    /// Forgets all but the newest times of a candidate.
    pub(super) fn keep_newest(&mut self, candidate: &Candidate, most: usize) {
        if let Some(times) = self.times.get_mut(candidate) {
            times.drain(..times.len().saturating_sub(most));
        }
    }

    /// Forgets the times of a candidate.
    pub(super) fn forget(&mut self, candidate: &Candidate) {
        self.times.remove(candidate);
    }

    /// All candidates with their times.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Candidate, &Vec<f64>)> {
        self.times.iter()
    }

    /// Number of measurements of a candidate.
    pub(super) fn count(&self, candidate: &Candidate) -> usize {
        self.times.get(candidate).map_or(0, Vec::len)
    }

    /// Median time of a candidate, seconds.
    pub(super) fn median_s(&self, candidate: &Candidate) -> Option<f64> {
        Some(median(self.times.get(candidate)?.clone()))
    }

    /// The candidates from the best on, with median and number of times.
    pub(super) fn ranking(&self) -> Vec<(Candidate, f64, usize)> {
        let one = |(candidate, times): (&Candidate, &Vec<f64>)| (candidate.clone(), median(times.clone()), times.len());
        let mut all: Vec<(Candidate, f64, usize)> = self.times.iter().map(one).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all
    }
}
