//! Who of a job is there, and where.

use super::{Fate, Job, Rank};
use crate::ids::AgentId;
use crate::limits;
use crate::summary::Records;
use crate::window::Windows;

impl Job {
    /// All the ranks that were seen have left, and at least one was seen.
    pub fn all_left(&self) -> bool {
        !self.ranks.is_empty() && self.ranks.values().all(|rank| rank.fate != Fate::Present)
    }

    /// An agent that spoke of this job is linked.
    pub fn any_linked(&self) -> bool {
        self.hosts.values().any(|host| host.linked)
    }

    /// At least one rank was seen.
    pub fn any_rank(&self) -> bool {
        !self.ranks.is_empty()
    }

    /// As many ranks were seen as the job has.
    pub fn all_joined(&self) -> bool {
        self.world_size > 0 && self.ranks.len() >= self.world_size as usize
    }

    // What the master's node adds to its clock, or `own_ns` where that is not known.
    pub(super) fn masters_offset_ns(&self, own_ns: i64) -> i64 {
        let agent = self.windows.master.and_then(|master| self.ranks.get(&master)).map(|rank| &rank.agent);
        agent.and_then(|agent| self.hosts.get(agent)).map_or(own_ns, |host| host.offset_ns)
    }

    // The lowest rank that begins iterations is the master, whatever order the batches come in.
    pub(super) fn is_master(&mut self, rank: u32) -> bool {
        match self.windows.master {
            Some(master) if master == rank => true,
            Some(master) if master < rank => {
                self.invalid += 1;
                false
            }
            other => {
                if other.is_some() {
                    self.windows = Windows::new(self.spec.window_grace_ms * 1_000_000);
                }
                self.windows.master = Some(rank);
                true
            }
        }
    }

    pub(super) fn place(&mut self, rank: u32, agent: &AgentId) {
        if rank >= limits::RANKS_PER_JOB {
            self.invalid += 1;
            return;
        }
        let new = Rank { agent: agent.clone(), fate: Fate::Present, records: Records::default() };
        let known = self.ranks.entry(rank).or_insert(new);
        known.agent = agent.clone();
    }
}
