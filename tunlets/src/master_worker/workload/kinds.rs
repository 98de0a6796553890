//! Kinds of iterations that take turns: of a program that rebuilds its tree in every sixth step five steps are alike, and one is not.
//!
//! What is learnt of a kind goes on where it was left when an iteration is of that kind again. Once that happened, a change is weighed by all of
//! them: what gains a little in most iterations may lose much more in a few.

use super::WorkloadEstimator;
use crate::confidence::Confidence;
use std::collections::VecDeque;
use std::sync::Arc;

/// Other kinds that are kept, the newest: each is simulated when a change is weighed.
const MOST: usize = 4;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    /// All but the present one, the newest last, and after how many iterations each was left.
    others: VecDeque<(u64, Arc<WorkloadEstimator>)>,
    /// Iterations so far, of all kinds.
    iterations: u64,
    /// An iteration was of a kind that had been left.
    take_turns: bool,
    /// Kinds so far, beside the first one.
    count: u64,
}

impl Kinds {
    /// Another iteration, of whatever kind.
    pub(super) fn pass(&mut self) {
        self.iterations += 1;
    }

    /// The iteration is of another kind than `was`. Returns what is known of its kind, if one of the others `is_it`. What was that kind but for one task
    /// was a stall, and is forgotten.
    pub(super) fn change(
        &mut self,
        was: WorkloadEstimator,
        is_it: impl Fn(&WorkloadEstimator) -> bool,
    ) -> Option<WorkloadEstimator> {
        let found = self.others.iter().rposition(|(_, other)| is_it(other));
        let back = found.and_then(|at| self.others.remove(at)).map(|(_, back)| Arc::unwrap_or_clone(back));
        self.count += u64::from(back.is_none());
        if back.as_ref().is_some_and(|back| back.is_but_for_one(&was)) {
            return back;
        }
        self.take_turns |= back.is_some();
        self.others.push_back((self.iterations, Arc::new(was)));
        while self.others.len() > MOST {
            self.others.pop_front();
        }
        back
    }

    /// How many there were beside the first one.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether one of the others has this number.
    pub(super) fn knows(&self, kind: u64) -> bool {
        self.others.iter().any(|(_, other)| other.kind == kind)
    }

    /// The other kinds that may come again: one that came as often as before would have come again since, at the level, has gone.
    pub(super) fn others(&self, confidence: Confidence) -> impl Iterator<Item = &WorkloadEstimator> {
        let may_come = move |(left, other): &&(u64, Arc<WorkloadEstimator>)| {
            let expected = f64::from(other.iterations()) / (*left).max(1) as f64 * (self.iterations - left) as f64;
            self.take_turns && (-expected).exp() >= 1.0 - confidence.level()
        };
        self.others.iter().filter(may_come).map(|(_, other)| other.as_ref())
    }
}
