//! The measured times of each combination.

use std::collections::BTreeMap;

use super::space::Point;
use crate::chance::student_half_width;
use crate::line::median;

/// The fewest measurements of a combination that have a median of their own.
pub(super) const REPEATS: usize = 3;

/// Standard error of the difference of two means of so many logarithms of times, where one scatters by `noise`.
pub(super) fn error_of_difference(noise: f64, one: usize, other: usize) -> f64 {
    noise * (1.0 / one as f64 + 1.0 / other as f64).sqrt()
}

/// A combination, or the values at start: `None`.
pub(super) type Candidate = Option<Point>;

/// All measured times, seconds, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Observations(Vec<(Candidate, f64)>);

impl Observations {
    /// Adds a measured time, seconds.
    pub(super) fn add(&mut self, candidate: &Candidate, time_s: f64) {
        self.0.push((candidate.clone(), time_s));
    }

    /// The newest time of a candidate was this, seconds.
    pub(super) fn correct(&mut self, candidate: &Candidate, time_s: f64) {
        let newest = self.0.iter_mut().rev().find(|(measured, _)| measured == candidate);
        newest.into_iter().for_each(|(_, newest)| *newest = time_s);
    }

    /// The newest times of a candidate, at most so many.
    pub(super) fn newest(&self, candidate: &Candidate, most: usize) -> Vec<f64> {
        let times = self.times(candidate);
        times[times.len().saturating_sub(most)..].to_vec()
    }

    /// Forgets all but the newest times of a candidate.
    pub(super) fn keep_newest(&mut self, candidate: &Candidate, most: usize) {
        let mut before = self.count(candidate).saturating_sub(most);
        self.0.retain(|(measured, _)| {
            let is_kept = measured != candidate || before == 0;
            before -= usize::from(!is_kept);
            is_kept
        });
    }

    /// All candidates with their times.
    pub(super) fn all(&self) -> BTreeMap<&Candidate, Vec<f64>> {
        let mut all: BTreeMap<&Candidate, Vec<f64>> = BTreeMap::new();
        self.0.iter().for_each(|(candidate, time_s)| all.entry(candidate).or_default().push(*time_s));
        all
    }

    fn times(&self, candidate: &Candidate) -> Vec<f64> {
        self.0.iter().filter(|(measured, _)| measured == candidate).map(|(_, time_s)| *time_s).collect()
    }

    /// Number of measurements of a candidate.
    pub(super) fn count(&self, candidate: &Candidate) -> usize {
        self.0.iter().filter(|(measured, _)| measured == candidate).count()
    }

    /// Median time of a candidate, seconds.
    pub(super) fn median_s(&self, candidate: &Candidate) -> Option<f64> {
        Some(self.times(candidate)).filter(|times| !times.is_empty()).map(median)
    }

    /// The candidates from the best on, with median and number of times.
    pub(super) fn ranking(&self) -> Vec<(Candidate, f64, usize)> {
        let one = |(candidate, times): (&Candidate, Vec<f64>)| {
            let count = times.len();
            (candidate.clone(), median(times), count)
        };
        let mut all: Vec<(Candidate, f64, usize)> = self.all().into_iter().map(one).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all
    }

    /// Means of the logarithms of the times that one candidate measured in a row, by candidate.
    fn visits(&self) -> BTreeMap<&Candidate, Vec<f64>> {
        let mut visits: BTreeMap<&Candidate, Vec<f64>> = BTreeMap::new();
        for in_a_row in self.0.chunk_by(|one, next| one.0 == next.0) {
            let sum: f64 = in_a_row.iter().map(|(_, time_s)| time_s.ln()).sum();
            visits.entry(&in_a_row[0].0).or_default().push(sum / in_a_row.len() as f64);
        }
        visits
    }

    /// Whether `slow` is slower than `fast` by more than what a machine does that is slow for several iterations in a row: a candidate
    /// that is measured again after others takes another time then, which the scatter of iterations in a row does not tell. `None` where
    /// none was measured again.
    pub(super) fn is_slower(&self, slow: &Candidate, fast: &Candidate, level: f64) -> Option<bool> {
        let visits = self.visits();
        let freedom = visits.values().map(|means| means.len() as f64 - 1.0).sum::<f64>();
        let mean = |means: &[f64]| means.iter().sum::<f64>() / means.len() as f64;
        let squares = |means: &[f64]| means.iter().map(|own| (own - mean(means)).powi(2)).sum::<f64>();
        let squares: f64 = visits.values().map(|means| squares(means)).sum();
        let (slow, fast) = (visits.get(slow)?, visits.get(fast)?);
        let error = error_of_difference((squares / freedom).sqrt(), slow.len(), fast.len());
        (freedom > 0.0).then(|| mean(slow) - mean(fast) > student_half_width(2.0 * level - 1.0, freedom) * error)
    }
}
