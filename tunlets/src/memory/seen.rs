//! A whole iteration under one setting, and the settings that are the same.

use crate::{Window, WorkerWork};
use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::BTreeMap;

/// Part of one worker in one iteration.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub rank: u32,
    pub tasks: u64,
    pub chunks: u64,
    pub busy_s: f64,
    pub sum_sq_s2: f64,
}

/// A whole iteration under one setting.
#[derive(Clone, Debug)]
pub struct Seen {
    pub setting: TechniqueParameters,
    pub iteration_s: f64,
    pub chunk_cost_s: f64,
    /// Active workers; of few tasks some get none.
    pub workers: u32,
    /// Those that got tasks.
    pub shares: Vec<Share>,
}

impl Seen {
    /// `None` for a window that says nothing of one setting.
    pub fn of(window: &Window) -> Option<Seen> {
        let whole = window.is_whole() && window.tasks > 0;
        let worked = window.per_worker.iter().filter(|work| work.tasks > 0);
        let share = |work: &WorkerWork| Share {
            rank: work.rank,
            tasks: work.tasks,
            chunks: work.chunks,
            busy_s: work.busy_s,
            sum_sq_s2: work.sum_sq_s2,
        };
        let seen = Seen {
            setting: window.setting,
            iteration_s: window.iteration_s,
            chunk_cost_s: window.master_busy_s / window.chunks.max(1) as f64,
            workers: window.workers,
            shares: worked.map(share).collect(),
        };
        (whole && seen.cost_ln().is_finite()).then_some(seen)
    }

    /// Sum over the workers.
    pub fn sum(&self, of: impl Fn(&Share) -> f64) -> f64 {
        self.shares.iter().map(of).sum()
    }

    /// Logarithm of iteration time / task time.
    pub fn cost_ln(&self) -> f64 {
        (self.iteration_s / self.sum(|share| share.busy_s)).ln()
    }

    /// Task time at the speed of a fast worker, seconds: the same work whoever computed it.
    pub fn work_s(&self, slowness: &BTreeMap<u32, f64>) -> f64 {
        self.sum(|share| share.busy_s / slowness.get(&share.rank).copied().unwrap_or(1.0))
    }

    /// Ranks of the workers that got tasks.
    pub fn ranks(&self) -> impl Iterator<Item = u32> {
        self.shares.iter().map(|share| share.rank)
    }
}

/// Settings that are the same for the memory: technique, share in thousandths, least chunk, recall, shared counter, size of sub-teams,
/// synchronous sends.
pub type Family = (u32, u32, u64, bool, bool, u32, bool);

/// The family of a setting.
pub fn family(setting: &TechniqueParameters) -> Family {
    let (kind, share) = technique(setting);
    let TechniqueParameters { min_chunk, recall, counter, team_size, synchronous, .. } = *setting;
    (kind, share, min_chunk, recall, counter, team_size, synchronous)
}

/// Technique, and share in thousandths where it has one.
pub fn technique(setting: &TechniqueParameters) -> (u32, u32) {
    let shared = matches!(setting.kind, Technique::Fsc | Technique::Dpf);
    (setting.kind.code(), if shared { (setting.share() * 1e3).round() as u32 } else { 0 })
}
