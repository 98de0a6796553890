//! Iterations that take turns: where kinds follow each other, values are measured over one of each, since a change that takes two
//! iterations would otherwise measure one kind with some values and another with others.
//!
//! Kinds show in what values do not explain of the times ([`midrun_models::turns`]).

use std::collections::VecDeque;
use std::ops::Range;

use midrun_models::turns::{LOOKED_AT, Timed, length};

/// Fewest iterations that are looked at: of the shortest turns there are four then.
const FEWEST: usize = 8;

/// An iteration: its number, time in seconds if it is known, and the values with which it ran, if it did with one combination.
#[derive(Clone, Debug)]
struct Seen {
    number: u64,
    time_s: Option<f64>,
    values: Option<Vec<f64>>,
}

/// Whether iterations take turns, and the measurements that make up the present turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// Iterations of one turn, once they are known to take any.
    length: Option<usize>,
    /// Iterations in a row, as long as no turns are known.
    seen: VecDeque<Seen>,
    looks: usize,
    /// Iterations until it looks next.
    until_look: usize,
    /// Numbers and times, seconds, of those of the present turn that were measured.
    measured: Vec<(u64, f64)>,
}

impl Turns {
    /// Iterations of one turn.
    pub(super) fn length(&self) -> usize {
        self.length.unwrap_or(1)
    }

    /// Takes in an iteration that took so long, seconds, with these values; `None`: a change was on its way.
    pub(super) fn see(&mut self, number: u64, time_s: Option<f64>, values: Option<Vec<f64>>) {
        if self.length.is_some() {
            return;
        }
        if self.seen.back().is_some_and(|last| last.number + 1 != number) {
            self.forget();
        }
        self.seen.push_back(Seen { number, time_s, values });
        if self.seen.len() > LOOKED_AT {
            self.seen.pop_front();
        }
        self.until_look = self.until_look.saturating_sub(1);
    }

    /// These iterations ran with these values, which were in force until the change arrived.
    pub(super) fn had(&mut self, numbers: Range<u64>, values: &[f64]) {
        let theirs = self.seen.iter_mut().filter(|seen| numbers.contains(&seen.number));
        theirs.for_each(|seen| seen.values = Some(values.to_vec()));
    }

    /// Whether it shows now that iterations take turns: at the level in all looks together, the k-th of which has the part 1 / (k (k + 1)) of the error. It looks
    /// again after a quarter more.
    pub(super) fn show(&mut self, level: f64) -> bool {
        if self.length.is_some() || self.until_look > 0 || self.seen.len() < FEWEST {
            return false;
        }
        self.looks += 1;
        self.until_look = self.seen.len() / 4 + 1;
        let looks = self.looks as f64;
        let found = length(&self.timed(), (1.0 - level) / (looks * (looks + 1.0)));
        if found > 1 {
            self.length = Some(found);
        }
        self.length.is_some()
    }

    /// The iterations, and the first one with the same values as the number of their setting.
    fn timed(&self) -> Vec<Option<Timed>> {
        let one = |seen: &Seen| {
            let setting = self.seen.iter().position(|other| other.values == seen.values)?;
            Timed::of(seen.time_s?, setting).filter(|_| seen.values.is_some())
        };
        self.seen.iter().map(one).collect()
    }

    /// Times from before do not compare with those that come; that they take turns stays known.
    pub(super) fn begin_again(&mut self) {
        self.forget();
        self.measured.clear();
    }

    fn forget(&mut self) {
        self.seen.clear();
        self.until_look = 0;
    }

    /// Takes in the time of a measured iteration, seconds. Returns the mean once it is the last of a turn.
    pub(super) fn measure(&mut self, number: u64, time_s: f64) -> Option<f64> {
        if self.is_broken(number) {
            self.measured.clear();
        }
        self.measured.push((number, time_s));
        (self.measured.len() >= self.length()).then(|| self.end(number + 1, 0.0))
    }

    /// Ends the turn by this iteration, or a part of it, that took so long, seconds. Returns the mean; where the turn is not whole, its least value.
    pub(super) fn end(&mut self, number: u64, last_s: f64) -> f64 {
        let mean_s = self.mean_s(number, last_s);
        self.measured.clear();
        mean_s
    }

    /// What [`Turns::end`] would return.
    pub(super) fn mean_s(&self, number: u64, last_s: f64) -> f64 {
        (self.so_far_s(number) + last_s) / self.length() as f64
    }

    /// Sum of the times of the turn of this iteration that were measured before it, seconds.
    pub(super) fn so_far_s(&self, number: u64) -> f64 {
        let measured = self.measured.iter().filter(|_| !self.is_broken(number));
        measured.map(|(_, time_s)| time_s).sum()
    }

    /// Others ran between those of the present turn that were measured and this iteration.
    fn is_broken(&self, number: u64) -> bool {
        self.measured.last().is_some_and(|(last, _)| last + 1 != number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_of_a_turn_counts_for_the_next_iteration_alone() {
        let mut turns = Turns { length: Some(2), ..Turns::default() };
        assert_eq!(turns.measure(10, 1.0), None);
        assert_eq!((turns.so_far_s(11), turns.mean_s(11, 3.0)), (1.0, 2.0));
        // Iteration 11 was left, and others are measured from 12 on.
        assert_eq!((turns.so_far_s(12), turns.mean_s(12, 3.0)), (0.0, 1.5));
        assert_eq!((turns.measure(12, 2.0), turns.measure(13, 4.0)), (None, Some(3.0)));
        assert_eq!(turns.so_far_s(14), 0.0);
    }

    #[test]
    fn iterations_of_unknown_time_or_values_keep_their_place() {
        let mut turns = Turns::default();
        for number in 0..12 {
            let time_s = if number % 2 == 0 { 1.0 } else { 2.0 + 0.01 * (number % 5) as f64 };
            turns.see(number, Some(time_s).filter(|_| number != 5), Some(vec![0.0]).filter(|_| number != 8));
        }
        assert!(turns.show(0.95));
        assert_eq!(turns.length(), 2);
        assert!(!turns.show(0.95), "once");
    }
}
