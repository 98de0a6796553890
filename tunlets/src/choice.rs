//! Which of several proposals goes out: the one worth most.
//!
//! Copies of the tunlets are asked, so that a proposal that does not go out leaves no trace. One of unknown worth goes behind those of known worth,
//! but behind each tunlet once at most. A tunlet whose proposal was not applied goes behind all that it kept waiting: the next one may not be either.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::{Proposal, Worth};
use midrun_vocabulary::Seconds;

/// The last proposal of a tunlet that went out: in which round, and whether it was not applied.
#[derive(Clone, Copy, Debug)]
struct Sent {
    round: u64,
    failed: bool,
}

/// See the module. `K` names a tunlet.
#[derive(Clone, Debug)]
pub(crate) struct Choice<K> {
    round: u64,
    sent: BTreeMap<K, Sent>,
    /// Rounds since which proposals have waited.
    waits: BTreeMap<K, u64>,
}

/// A copy that proposes something, and the tunlet whose place it takes if that goes out.
struct Candidate<'a, K, T> {
    key: K,
    tunlet: &'a mut T,
    copy: T,
    proposal: Proposal,
}

impl<K: Ord + Copy> Choice<K> {
    pub(crate) fn new() -> Choice<K> {
        Choice { round: 0, sent: BTreeMap::new(), waits: BTreeMap::new() }
    }

    /// Asks tunlets for proposals; returns the one that goes out, with what it was preferred to.
    pub(crate) fn ask<'a, T: Clone + 'a>(
        &mut self,
        tunlets: impl Iterator<Item = (K, &'a mut T)>,
        mut propose: impl FnMut(K, &mut T) -> Option<Proposal>,
    ) -> Option<(K, Proposal)> {
        let mut tunlets: Vec<(K, &mut T)> = tunlets.collect();
        // One alone goes out with what it proposes: no copy is needed.
        if let [(key, only)] = tunlets.as_mut_slice() {
            let proposal = propose(*key, only)?;
            self.send(*key);
            return Some((*key, proposal));
        }
        let mut all = Vec::new();
        for (key, tunlet) in tunlets {
            let mut copy = tunlet.clone();
            match propose(key, &mut copy) {
                Some(proposal) => all.push(Candidate { key, tunlet, copy, proposal }),
                None => *tunlet = copy,
            }
        }
        all.sort_by(|a, b| descending(a.proposal.worth, b.proposal.worth));
        let best = all.first()?;
        let sent = self.sent.get(&best.key).copied();
        let best = best.proposal.worth;
        let waits = |candidate: &Candidate<'_, K, T>| self.waits.get(&candidate.key).copied();
        let may_overtake = |candidate: &Candidate<'_, K, T>| {
            let is_of_unknown = candidate.proposal.worth == Worth::Unknown && best != Worth::Due;
            let was_behind = waits(candidate).zip(sent).is_some_and(|(since, sent)| since <= sent.round);
            was_behind && (is_of_unknown || sent.is_some_and(|sent| sent.failed))
        };
        let overtaking = (1..all.len()).filter(|at| may_overtake(&all[*at])).min_by_key(|at| waits(&all[*at]));
        let Candidate { key, tunlet, copy, mut proposal } = all.remove(overtaking.unwrap_or(0));
        *tunlet = copy;
        self.send(key);
        for other in &all {
            self.waits.entry(other.key).or_insert(self.round);
        }
        if let Some(next) = all.first() {
            proposal.rather_than = rather_than(&next.proposal, proposal.worth, overtaking.is_some());
        }
        Some((key, proposal))
    }

    fn send(&mut self, key: K) {
        self.round += 1;
        self.waits.remove(&key);
        self.sent.insert(key, Sent { round: self.round, failed: false });
    }

    /// What went out last of this tunlet was not applied.
    pub(crate) fn on_not_applied(&mut self, key: K) {
        if let Some(sent) = self.sent.get_mut(&key) {
            sent.failed = true;
        }
    }
}

/// The greater worth first. Those of one worth stay in their order.
fn descending(a: Worth, b: Worth) -> Ordering {
    let number = |worth: Worth| match worth {
        Worth::Seconds(s) if !s.is_nan() => s,
        Worth::Seconds(_) | Worth::Unknown => f64::NEG_INFINITY,
        Worth::Due => f64::INFINITY,
    };
    number(b).total_cmp(&number(a))
}

/// Says what a proposal of this worth was preferred to.
fn rather_than(next: &Proposal, worth: Worth, overtakes: bool) -> String {
    let say = |worth: Worth| match worth {
        Worth::Seconds(s) => format!("saves {} over the rest", Seconds(s)),
        Worth::Unknown => "gain unknown".to_owned(),
        Worth::Due => "must not wait".to_owned(),
    };
    let (tunlet, rank) = (&next.tunlet, next.ranks.first().copied().unwrap_or_default());
    let waited = if overtakes { ", but has waited" } else { "" };
    format!("rather than `{tunlet}` of rank {rank} ({}): {}{waited}", say(next.worth), say(worth))
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
