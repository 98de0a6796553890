//! Ranks whose agent has died, from the analyzer: each attaches to this agent, or its process ends, which the agent reports.

use crate::limits::{JOB_ID_BYTES, PROCESSES, RANKS};
use midrun_proto::v1::{RankId, RankJoined};
use std::collections::BTreeMap;
use tokio::time::Instant;

/// A process.
#[derive(Clone, Copy, Debug)]
struct Process {
    pid: u32,
    since_ns: u64,
}

/// See the module.
#[derive(Debug)]
pub struct Unattended {
    /// By job and number.
    ranks: BTreeMap<(String, u32), Process>,
    next_look: Instant,
}

impl Unattended {
    pub fn new() -> Self {
        Unattended { ranks: BTreeMap::new(), next_look: Instant::now() }
    }

    /// The analyzer says so of these. More than a node has make no sense and are left out.
    pub fn add(&mut self, ranks: Vec<RankJoined>) {
        for RankJoined { id, pid, time_ns, .. } in ranks {
            let Some(id) = id.filter(|id| id.job.len() <= JOB_ID_BYTES) else { continue };
            let key = (id.job, id.rank);
            if self.ranks.len() < RANKS || self.ranks.contains_key(&key) {
                self.ranks.insert(key, Process { pid, since_ns: time_ns });
            }
        }
        self.next_look = Instant::now();
    }

    /// This rank is attached.
    pub fn remove(&mut self, id: &RankId) {
        if !self.ranks.is_empty() {
            self.ranks.remove(&(id.job.clone(), id.rank));
        }
    }

    /// Those whose process does not run any more, once; it looks when a look is due.
    pub fn take_ended(&mut self, runs: fn(u32, u64) -> bool) -> Vec<RankId> {
        if self.ranks.is_empty() || Instant::now() < self.next_look {
            return Vec::new();
        }
        self.next_look = Instant::now() + PROCESSES;
        let mut ended = Vec::new();
        self.ranks.retain(|(job, rank), process| {
            let goes_on = runs(process.pid, process.since_ns);
            if !goes_on {
                ended.push(RankId { job: job.clone(), rank: *rank });
            }
            goes_on
        });
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_ranks_without_an_end_no_more_than_a_node_has_are_watched() {
        let mut unattended = Unattended::new();
        let joined = |job: &str, rank| RankJoined { id: Some(RankId { job: job.into(), rank }), ..Default::default() };
        for job in ["a", "b", "c"] {
            unattended.add((0..RANKS as u32).map(|rank| joined(job, rank)).collect());
        }
        unattended.add(vec![joined(&"x".repeat(JOB_ID_BYTES + 1), 0)]);
        assert_eq!(unattended.ranks.len(), RANKS);
        let ended = unattended.take_ended(|_, _| false);
        assert!(ended.len() == RANKS && ended.iter().all(|id| id.job == "a"));
    }
}
