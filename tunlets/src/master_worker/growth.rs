//! Growth of the tasks and their time with the number of workers: dV and dTc of César 2006, ch. III.
//!
//! The framework's tasks and results have a fixed size, so V goes as their number: dV is that slope times their bytes.

use crate::confidence::Confidence;
use midrun_models::trend::Trend;

/// Trends of the tasks and of their total time.
#[derive(Clone, Debug, Default)]
pub struct Growth {
    tasks: Trend,
    compute: Trend,
}

impl Growth {
    /// One whose trends count from this confidence level on.
    pub fn new(confidence: Confidence) -> Growth {
        Growth { tasks: Trend::new(confidence), compute: Trend::new(confidence) }
    }

    /// An iteration of `n` workers of equal speed had so many tasks, of this time in all, seconds.
    pub fn observe(&mut self, n: u32, tasks: u64, compute_s: f64) {
        self.tasks.observe(n, tasks as f64);
        self.compute.observe(n, compute_s);
    }

    /// Whether a mean task time that went from `old_s` with `from` workers to `new_s` with `to` of them can be the number's
    /// doing: no further than in proportion, more with more workers, and not against what `to` workers showed before. By chance it may have gone so
    /// far, a share.
    pub fn explains(&self, (from, old_s): (u32, f64), (to, new_s): (u32, f64), tasks: u64, chance: f64) -> bool {
        if from == to || from == 0 || to == 0 {
            return false;
        }
        let (times, change) = (f64::from(to) / f64::from(from), new_s / old_s);
        let (least, most) = (times.min(1.0) * (-chance).exp(), times.max(1.0) * chance.exp());
        let compute_s = new_s * tasks as f64;
        let alike = |before: f64| (compute_s / before).ln().abs() <= chance;
        (least..=most).contains(&change) && self.compute.last(to).is_none_or(alike)
    }

    /// Tasks and their time in all expected of `to` workers where `from` have these.
    pub fn at(&self, (tasks, compute_s): (u64, f64), from: u32, to: u32) -> (u64, f64) {
        let there = self.tasks.at(tasks as f64, (from, to), false).round() as u64;
        (there, self.compute.at(compute_s, (from, to), false))
    }

    /// By how much the time of all tasks grows from one iteration to the next though the number stays, seconds; 0 where that
    /// may be chance.
    pub fn drift_s(&self) -> f64 {
        self.compute.drift().unwrap_or(0.0)
    }

    /// Standard errors of the tasks and of their time, seconds, for one worker more; 0 where nothing is known of them.
    pub fn errors(&self) -> (f64, f64) {
        let error = |trend: &Trend| trend.slope().map_or(0.0, |(_, error)| if error.is_finite() { error } else { 0.0 });
        (error(&self.tasks), error(&self.compute))
    }

    /// dV, bytes, and dTc, seconds, each with its standard error and for one worker more; `None` = unknown. A task and its
    /// result have so many bytes.
    pub fn slopes(&self, bytes: f64) -> [Option<(f64, f64)>; 2] {
        let volume = self.tasks.slope().map(|(slope, error)| (slope * bytes, error * bytes));
        [volume, self.compute.slope()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_get_dearer_with_more_workers_are_expected_to() {
        let mut growth = Growth::default();
        for (n, compute_s) in [(2, 1.0), (2, 1.01), (4, 1.2), (4, 1.21), (8, 1.6), (8, 1.61)] {
            growth.observe(n, 100, compute_s);
        }
        let (tasks, compute_s) = growth.at((100, 1.6), 8, 12);
        assert!(tasks == 100 && (compute_s - 2.0).abs() < 0.03, "{tasks} {compute_s}");
        let [volume, compute] = growth.slopes(8.0);
        assert!(volume.unwrap().0.abs() < 1e-9 && (compute.unwrap().0 - 0.1).abs() < 0.01);
        assert_eq!(Growth::default().slopes(8.0), [None, None]);
    }

    #[test]
    fn tasks_do_not_get_cheaper_with_more_workers_though_a_program_had_less_to_do_then() {
        let mut growth = Growth::default();
        for (n, compute_s) in [(24, 1.0), (24, 1.1), (2, 3.0), (2, 3.1), (2, 3.2)] {
            growth.observe(n, 100, compute_s);
        }
        assert_eq!(growth.at((100, 3.0), 2, 24), (100, 3.0));
    }

    #[test]
    fn the_number_explains_no_more_than_it_can() {
        let mut growth = Growth::default();
        assert!(growth.explains((2, 1.0), (4, 1.5), 10, 0.1));
        assert!(!growth.explains((2, 1.0), (4, 3.0), 10, 0.1), "threefold with twice as many workers");
        assert!(!growth.explains((2, 1.0), (4, 0.5), 10, 0.1), "half with twice as many");
        assert!(growth.explains((4, 1.0), (2, 0.6), 10, 0.1) && !growth.explains((4, 1.0), (4, 1.5), 10, 0.1));
        growth.observe(4, 10, 10.0);
        assert!(!growth.explains((2, 1.0), (4, 1.5), 10, 0.1), "four workers had other times before");
    }
}
