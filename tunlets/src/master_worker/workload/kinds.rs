//! Kinds of iterations that take turns: of a program that rebuilds its tree in every sixth step five steps are alike, and one is not.
//!
//! What is learnt of a kind goes on where it was left when an iteration is of that kind again. Once that happened, a change is weighed by all of
//! them: what gains a little in most iterations may lose much more in a few.

use super::WorkloadEstimator;
use std::collections::VecDeque;
use std::sync::Arc;

/// Other kinds that are kept, the newest: each is simulated when a change is weighed.
const MOST: usize = 4;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    /// All but the present one, the newest last.
    others: VecDeque<Arc<WorkloadEstimator>>,
    /// An iteration was of a kind that had been left: kinds take turns, and none has gone for good.
    take_turns: bool,
    /// Kinds so far, beside the first one.
    count: u64,
}

impl Kinds {
    /// The iteration is of another kind than `was`. Returns what is known of its kind, if one of the others `is_it`.
    pub(super) fn change(
        &mut self,
        was: WorkloadEstimator,
        is_it: impl Fn(&WorkloadEstimator) -> bool,
    ) -> Option<WorkloadEstimator> {
        let found = self.others.iter().rposition(|other| is_it(other));
        let back = found.and_then(|at| self.others.remove(at)).map(Arc::unwrap_or_clone);
        self.take_turns |= back.is_some();
        self.count += u64::from(back.is_none());
        self.others.push_back(Arc::new(was));
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
        self.others.iter().any(|other| other.kind == kind)
    }

    /// The other kinds that may come again.
    pub(super) fn others(&self) -> impl Iterator<Item = &WorkloadEstimator> {
        self.others.iter().filter(|_| self.take_turns).map(AsRef::as_ref)
    }
}
