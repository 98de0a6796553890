//! The measured times of each combination.

use std::collections::{BTreeMap, BTreeSet};

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

/// A measured time.
#[derive(Clone, Debug)]
struct Observation {
    candidate: Candidate,
    time_s: f64,
    stretch: usize,
}

/// All measured times, in their order. Between two stretches passed so much time that the machine or the program may be another: times of one
/// are compared among themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Observations {
    list: Vec<Observation>,
    stretch: usize,
}

impl Observations {
    /// Adds a measured time, seconds.
    pub(super) fn add(&mut self, candidate: &Candidate, time_s: f64) {
        self.list.push(Observation { candidate: candidate.clone(), time_s, stretch: self.stretch });
    }

    /// What is measured from now on is another stretch.
    pub(super) fn begin_stretch(&mut self) {
        self.stretch += 1;
    }

    /// The newest time of a candidate was this, seconds.
    pub(super) fn correct(&mut self, candidate: &Candidate, time_s: f64) {
        let newest = self.list.iter_mut().rev().find(|own| own.candidate == *candidate);
        newest.into_iter().for_each(|newest| newest.time_s = time_s);
    }

    /// The newest times of a candidate, at most so many.
    pub(super) fn newest(&self, candidate: &Candidate, most: usize) -> Vec<f64> {
        let times = self.times(candidate);
        times[times.len().saturating_sub(most)..].to_vec()
    }

    /// Forgets all but the newest times of a candidate.
    pub(super) fn keep_newest(&mut self, candidate: &Candidate, most: usize) {
        let count = self.list.iter().filter(|own| own.candidate == *candidate).count();
        let mut before = count.saturating_sub(most);
        self.list.retain(|own| {
            let is_kept = own.candidate != *candidate || before == 0;
            before -= usize::from(!is_kept);
            is_kept
        });
    }

    /// Times of each candidate in each stretch, with the number of later stretches.
    pub(super) fn all(&self) -> BTreeMap<(&Candidate, usize), Vec<f64>> {
        let mut all: BTreeMap<(&Candidate, usize), Vec<f64>> = BTreeMap::new();
        for own in &self.list {
            all.entry((&own.candidate, self.stretch - own.stretch)).or_default().push(own.time_s);
        }
        all
    }

    /// The newest stretch in which all of these were measured.
    fn stretch_of(&self, candidates: &[&Candidate]) -> Option<usize> {
        let has = |stretch: usize, candidate: &Candidate| {
            self.list.iter().any(|own| own.stretch == stretch && own.candidate == *candidate)
        };
        (0..=self.stretch).rev().find(|stretch| candidates.iter().all(|candidate| has(*stretch, candidate)))
    }

    fn times_in(&self, stretch: usize, candidate: &Candidate) -> Vec<f64> {
        let own = self.list.iter().filter(|own| own.stretch == stretch && own.candidate == *candidate);
        own.map(|own| own.time_s).collect()
    }

    /// Times of a candidate in the newest stretch that has any.
    fn times(&self, candidate: &Candidate) -> Vec<f64> {
        self.stretch_of(&[candidate]).map_or_else(Vec::new, |stretch| self.times_in(stretch, candidate))
    }

    /// Number of them.
    pub(super) fn count(&self, candidate: &Candidate) -> usize {
        self.times(candidate).len()
    }

    /// Their median, seconds.
    pub(super) fn median_s(&self, candidate: &Candidate) -> Option<f64> {
        Some(self.times(candidate)).filter(|times| !times.is_empty()).map(median)
    }

    /// Medians, seconds, and numbers of the times of two candidates in the newest stretch that has both, or else each in its own.
    pub(super) fn beside(&self, one: &Candidate, other: &Candidate) -> Option<[(f64, usize); 2]> {
        let both = self.stretch_of(&[one, other]);
        let of = |candidate: &Candidate| {
            let times = both.map_or_else(|| self.times(candidate), |stretch| self.times_in(stretch, candidate));
            let count = times.len();
            (count > 0).then(|| (median(times), count))
        };
        Some([of(one)?, of(other)?])
    }

    /// The candidates from the best on, with median and number of times.
    pub(super) fn ranking(&self) -> Vec<(Candidate, f64, usize)> {
        let candidates: BTreeSet<&Candidate> = self.list.iter().map(|own| &own.candidate).collect();
        let one = |candidate: &Candidate| Some((candidate.clone(), self.median_s(candidate)?, self.count(candidate)));
        let mut all: Vec<(Candidate, f64, usize)> = candidates.into_iter().filter_map(one).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all
    }

    /// Means of the logarithms of the times that one candidate measured in a row in this stretch, by candidate.
    fn visits(&self, stretch: usize) -> BTreeMap<&Candidate, Vec<f64>> {
        let mut visits: BTreeMap<&Candidate, Vec<f64>> = BTreeMap::new();
        let list: Vec<&Observation> = self.list.iter().filter(|own| own.stretch == stretch).collect();
        for in_a_row in list.chunk_by(|one, next| one.candidate == next.candidate) {
            let sum: f64 = in_a_row.iter().map(|own| own.time_s.ln()).sum();
            visits.entry(&in_a_row[0].candidate).or_default().push(sum / in_a_row.len() as f64);
        }
        visits
    }

    /// Whether `slow` is slower than `fast` by more than what a machine does that is slow for several iterations in a row: a candidate
    /// that is measured again after others takes another time then, which the scatter of iterations in a row does not tell. `None` where
    /// none was measured again.
    pub(super) fn is_slower(&self, slow: &Candidate, fast: &Candidate, level: f64) -> Option<bool> {
        let visits = self.visits(self.stretch_of(&[slow, fast])?);
        let freedom = visits.values().map(|means| means.len() as f64 - 1.0).sum::<f64>();
        let mean = |means: &[f64]| means.iter().sum::<f64>() / means.len() as f64;
        let squares = |means: &[f64]| means.iter().map(|own| (own - mean(means)).powi(2)).sum::<f64>();
        let squares: f64 = visits.values().map(|means| squares(means)).sum();
        let (slow, fast) = (visits.get(slow)?, visits.get(fast)?);
        let error = error_of_difference((squares / freedom).sqrt(), slow.len(), fast.len());
        (freedom > 0.0).then(|| mean(slow) - mean(fast) > student_half_width(2.0 * level - 1.0, freedom) * error)
    }
}
