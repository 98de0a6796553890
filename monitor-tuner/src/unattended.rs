//! Ranks whose agent has died, from the analyzer: each attaches to this agent, or its process ends, which the agent reports.

use crate::limits::PROCESSES;
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

    /// The analyzer says so of these.
    pub fn add(&mut self, ranks: Vec<RankJoined>) {
        for RankJoined { id, pid, time_ns, .. } in ranks {
            if let Some(id) = id {
                self.ranks.insert((id.job, id.rank), Process { pid, since_ns: time_ns });
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
