//! When the tasks became other ones: the summary compares iterations with the same tasks.

use crate::trial::MODEL;
use std::collections::VecDeque;

/// Changes of the tasks that are remembered for the summary: a bound of memory.
const OTHER_WORK: usize = 1024;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct OtherWork {
    /// Iterations from which on they were.
    pub(super) from: VecDeque<u64>,
    /// Mean time of a task in the last of these spans, and its standard deviation, seconds.
    times_s: Option<(f64, f64)>,
    /// The iteration that was other than those before, until another agrees with it.
    pub(super) since: Option<u64>,
}

impl OtherWork {
    /// An iteration agrees with those before it, whose tasks take so long on average, with this standard deviation, seconds.
    pub(super) fn confirm(&mut self, (mean_s, sigma_s): (f64, f64)) {
        // How uneven an iteration ends goes by the mean of the squares as well as by that of the times.
        let scattered = |(mean_s, sigma_s): (f64, f64)| mean_s.hypot(sigma_s);
        let lie_apart = |a_s: f64, b_s: f64| (a_s / b_s).ln().abs() > MODEL;
        let is_other = self.times_s.is_none_or(|known_s| {
            lie_apart(mean_s, known_s.0) || lie_apart(scattered((mean_s, sigma_s)), scattered(known_s))
        });
        if let Some(since) = self.since.take().filter(|_| is_other) {
            self.from.push_back(since);
            self.from.drain(..self.from.len().saturating_sub(OTHER_WORK));
        }
        if is_other {
            self.times_s = Some((mean_s, sigma_s));
        }
    }
}
