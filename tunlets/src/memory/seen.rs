//! A whole window under one setting, an iteration or outputs of a stream, and the settings that are the same.

use super::Cut;
use crate::divide_conquer::Tree;
use crate::{StreamWindow, Window, WorkerWork};
use midrun_scheduling::plan::Plan;
use midrun_scheduling::{Scheduling, Setting, Technique, TechniqueParameters};
use midrun_vocabulary::names::tree;
use std::collections::{BTreeMap, BTreeSet};

/// Part of one worker in one iteration, or of one rank in a stage.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub rank: u32,
    /// Number of its stage; 0 where tasks are distributed.
    pub stage: usize,
    /// Tasks, or inputs; 0 where ranks share each input.
    pub tasks: u64,
    pub chunks: u64,
    /// Time of these; in a stage that per input of the stage, seconds.
    pub busy_s: f64,
    pub sum_sq_s2: f64,
}

/// A whole iteration under one setting, or the outputs of a window under one pattern.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Workers are those that got tasks.
    pub setting: Setting,
    /// Iteration time, or time between two outputs.
    pub iteration_s: f64,
    pub chunk_cost_s: f64,
    /// Active workers; of few tasks some get none.
    pub workers: u32,
    /// Those that got tasks, by stage.
    pub shares: Vec<Share>,
    /// Time of dividing and combining problems, which no worker has.
    pub divided_s: f64,
}

impl Seen {
    /// `None` for a window that says nothing of one setting.
    pub fn of(window: &Window, cut: &Cut) -> Option<Seen> {
        let own = match cut {
            Cut::Technique => None,
            Cut::Own(values) => Some(Setting::Values(values.clone())),
            Cut::Changed | Cut::Unknown => return None,
        };
        let tree = Tree::of(window);
        // A solve of which not all records are there.
        let is_unknown = tree.is_none() && window.points.iter().any(|point| tree::is(&point.label));
        if is_unknown || !window.is_whole() || window.tasks == 0 {
            return None;
        }
        let share = |work: &WorkerWork| Share {
            rank: work.rank,
            stage: 0,
            tasks: work.tasks,
            chunks: work.chunks,
            busy_s: work.busy_s,
            sum_sq_s2: work.sum_sq_s2,
        };
        let shares: Vec<Share> = window.per_worker.iter().filter(|work| work.tasks > 0).map(share).collect();
        let scheduling = Scheduling {
            parameters: window.setting,
            workers: shares.iter().map(|share| share.rank).collect(),
            speeds: Vec::new(),
            cutoff: tree.as_ref().map(|tree| tree.in_force),
        };
        let seen = Seen {
            setting: own.unwrap_or(Setting::Scheduling(scheduling)),
            iteration_s: window.iteration_s,
            chunk_cost_s: window.per_chunk_s(),
            workers: window.workers,
            shares,
            divided_s: tree.map_or(0.0, |tree| tree.own_s(tree.cutoff as usize)),
        };
        seen.cost_ln().is_finite().then_some(seen)
    }

    /// The same of a window of a stream.
    pub fn of_stream(window: &StreamWindow) -> Option<Seen> {
        let plan = Plan::parse(&window.plan, &vec![false; window.stages.len()]).ok().filter(|_| window.settled)?;
        let mut shares = Vec::new();
        for (stage, seen) in window.stages.iter().enumerate() {
            // Records and outputs may belong to different windows: what an input took does not depend on that.
            let inputs = seen.sum(|work| work.inputs as f64);
            if inputs == 0.0 {
                return None;
            }
            shares.extend(seen.by_rank.iter().map(|work| Share {
                rank: work.place,
                stage,
                tasks: if seen.team { 0 } else { work.inputs },
                chunks: 0,
                busy_s: work.all_busy_s() / inputs,
                sum_sq_s2: 0.0,
            }));
        }
        let seen = Seen {
            workers: plan.ranks() as u32,
            setting: Setting::Pattern(plan),
            iteration_s: window.period_s(),
            chunk_cost_s: 0.0,
            shares,
            divided_s: 0.0,
        };
        seen.cost_ln().is_finite().then_some(seen)
    }

    /// Sum over the workers.
    pub fn sum(&self, of: impl Fn(&Share) -> f64) -> f64 {
        self.shares.iter().map(of).sum()
    }

    /// Logarithm of iteration time / time of the work.
    pub fn cost_ln(&self) -> f64 {
        (self.iteration_s / (self.divided_s + self.sum(|share| share.busy_s))).ln()
    }

    /// Time of the work at the speed of a fast worker, seconds: the same work whoever computed it.
    pub fn work_s(&self, slowness: &BTreeMap<u32, f64>) -> f64 {
        self.divided_s + self.sum(|share| share.busy_s / slowness.get(&share.rank).copied().unwrap_or(1.0))
    }

    /// Ranks of the workers that got tasks.
    pub fn ranks(&self) -> BTreeSet<u32> {
        self.shares.iter().map(|share| share.rank).collect()
    }

    /// Time per task of each worker relative to a fast one beside it (the lower quartile).
    pub fn slowness(&self) -> Vec<(u32, f64)> {
        let mut all = Vec::new();
        for beside in self.shares.chunk_by(|a, b| a.stage == b.stage) {
            let timed = beside.iter().filter(|share| share.tasks > 0);
            let each_s: Vec<(u32, f64)> = timed.map(|share| (share.rank, share.busy_s / share.tasks as f64)).collect();
            let mut sorted: Vec<f64> = each_s.iter().map(|(_, each_s)| *each_s).collect();
            sorted.sort_by(f64::total_cmp);
            // Alone it cannot be compared.
            let fast_s = sorted.get(sorted.len().saturating_sub(1) / 4).copied().filter(|_| sorted.len() > 1);
            let Some(fast_s) = fast_s.filter(|fast_s| *fast_s > 0.0) else { continue };
            all.extend(
                each_s.into_iter().map(|(rank, each_s)| (rank, each_s / fast_s)).filter(|(_, slow)| *slow > 0.0),
            );
        }
        all
    }
}

/// Settings that are the same for the memory: technique, share in thousandths, least chunk, recall, shared counter, size of sub-teams,
/// synchronous sends, cut-off depth and number of workers; or the pattern; or the program's own values.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Scheduling((u32, u32), u64, (bool, bool), u32, bool, Option<u32>, u32),
    Pattern(String),
    Values(Vec<String>),
}

/// The family of the setting of a window. Who gets tasks under a program's own values follows from these.
pub fn family(seen: &Seen) -> Family {
    match &seen.setting {
        Setting::Pattern(plan) => Family::Pattern(plan.to_string()),
        Setting::Values(values) => Family::Values(values.iter().map(ToString::to_string).collect()),
        Setting::Scheduling(Scheduling { parameters, cutoff, .. }) => {
            let TechniqueParameters { min_chunk, recall, counter, team_size, synchronous, .. } = *parameters;
            let switches = (recall, counter);
            Family::Scheduling(
                technique(parameters),
                min_chunk,
                switches,
                team_size,
                synchronous,
                *cutoff,
                seen.workers,
            )
        }
    }
}

/// Technique, and share in thousandths where it has one.
pub fn technique(setting: &TechniqueParameters) -> (u32, u32) {
    let shared = matches!(setting.kind, Technique::Fsc | Technique::Dpf);
    (setting.kind.code(), if shared { (setting.share() * 1e3).round() as u32 } else { 0 })
}
