//! What the owner of a job has set: the options at its start, and the manual overrides that stand. Agents and the journal keep
//! copies, from which an analyzer that comes late or replaces another learns them.

use std::collections::{BTreeMap, BTreeSet};

use midrun_tunlets::TuningOptions;

use crate::control::Mode;
use crate::ids::JobId;
use crate::limits;

/// Options with which a job was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnerOptions {
    /// Of its tunlets.
    pub tuning: TuningOptions,
    /// Advise only.
    pub dry_run: bool,
}

/// A copy of everything that the owner of a job has set.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnerSettings {
    /// The job.
    pub job: JobId,
    /// Number of this copy; grows at one analyzer.
    pub version: u64,
    /// `None`: nobody opened the job by name, or the sender does not know.
    pub options: Option<OwnerOptions>,
    /// Manual overrides that stand.
    pub manual: Manual,
}

/// A job that an earlier analyzer had open, as its journal knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecalledJob {
    /// It was opened by name: its options come with an agent or with `midrun run`.
    pub opened: bool,
    /// Manual overrides that stand.
    pub manual: Manual,
}

/// Manual overrides that stand. Two states merge to one, whatever their order: the newer setting of each kind stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manual {
    /// Whether tunlets decide.
    pub mode: Mode,
    /// Revision of `mode`.
    pub mode_revision: u64,
    /// Revision of the last `resume`: values set before it are let go.
    pub resumed_revision: u64,
    /// Tuning points that were set by hand, on one rank or on all (`None`), with the revision.
    pub values: BTreeMap<(String, Option<u32>), u64>,
    /// Tuning points that all ranks were ever to take over in one iteration: ranks with different values may wait for each other for ever.
    pub together: BTreeSet<String>,
}

impl Manual {
    /// Revision of the newest setting; 0 when nothing was set.
    pub fn revision(&self) -> u64 {
        self.values.values().copied().fold(self.mode_revision.max(self.resumed_revision), u64::max)
    }

    /// Sets the mode; tuned lets all values go.
    pub fn set_mode(&mut self, mode: Mode, revision: u64) {
        (self.mode, self.mode_revision) = (mode, revision);
        if mode == Mode::Tuned {
            self.resumed_revision = revision;
            self.values.clear();
        }
    }

    /// A point was set by hand. Where too many are held one by one, those of its name are held on all ranks.
    pub fn hold(&mut self, point: &str, rank: Option<u32>, revision: u64) {
        let rank = rank.filter(|_| self.values.len() < limits::MANUAL_VALUES);
        if rank.is_none() {
            self.values.retain(|(name, _), _| name != point);
        }
        self.values.insert((point.to_owned(), rank), revision);
    }

    /// Whether a point of a rank was set by hand.
    pub fn holds(&self, rank: u32, point: &str) -> bool {
        // Keys are built because a tuple of borrowed parts cannot be looked up; this is per decision.
        let held = |rank| self.values.contains_key(&(point.to_owned(), rank));
        !self.values.is_empty() && (held(None) || held(Some(rank)))
    }

    /// Takes in what another copy has.
    pub fn merge(&mut self, other: &Manual) {
        if other.mode_revision > self.mode_revision {
            (self.mode, self.mode_revision) = (other.mode, other.mode_revision);
        }
        self.resumed_revision = self.resumed_revision.max(other.resumed_revision);
        for (key, revision) in &other.values {
            let known = self.values.entry(key.clone()).or_default();
            *known = (*known).max(*revision);
        }
        let resumed = self.resumed_revision;
        self.values.retain(|_, revision| *revision > resumed);
        for name in &other.together {
            self.take_together(name);
        }
    }

    /// All ranks are to take a point over in one iteration; true where that is new.
    pub fn take_together(&mut self, point: &str) -> bool {
        self.together.len() < limits::MANUAL_VALUES && self.together.insert(point.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_merge_to_the_same_whatever_their_order() {
        let mut a = Manual::default();
        a.hold("block", Some(1), 5);
        a.set_mode(Mode::Frozen, 6);
        a.take_together("algorithm");
        let mut b = Manual::default();
        b.hold("share", None, 3);
        b.take_together("block");
        let mut c = b.clone();
        c.set_mode(Mode::Tuned, 4);
        let merged = |copies: [&Manual; 3]| {
            let mut all = Manual::default();
            copies.into_iter().for_each(|copy| all.merge(copy));
            all
        };
        let all = merged([&a, &b, &c]);
        for copies in [[&a, &c, &b], [&b, &a, &c], [&b, &c, &a], [&c, &a, &b], [&c, &b, &a], [&a, &b, &c]] {
            assert_eq!(merged(copies), all);
        }
        assert_eq!((all.mode, all.revision()), (Mode::Frozen, 6));
        assert!(all.holds(1, "block") && !all.holds(0, "block"), "set after the resume");
        assert!(!all.holds(0, "share"), "set before the resume");
        assert!(all.together.iter().eq(["algorithm", "block"]), "{:?}", all.together);
    }

    #[test]
    fn points_held_one_by_one_stay_within_their_bound_and_none_is_let_go() {
        let mut manual = Manual::default();
        let many = limits::MANUAL_VALUES as u32 + 10;
        (0..many).for_each(|rank| manual.hold("block", Some(rank), u64::from(rank)));
        assert!(manual.values.len() <= limits::MANUAL_VALUES);
        assert!((0..many).all(|rank| manual.holds(rank, "block")));
    }
}
