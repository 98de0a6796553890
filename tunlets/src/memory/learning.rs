//! Collects what a run learns: the best setting that was measured, the tasks, and the speeds of the ranks.

use super::seen::{Family, Seen, Share, family};
use super::{Cut, deviation, mean};
use crate::confidence::Confidence;
use crate::master_worker::cost;
use crate::noise;
use crate::options::Objective;
use crate::{Observation, StreamWindow, Window};
use midrun_models::line::{EFFICIENCY, OF_MEDIAN, median, theil_sen};
use midrun_scheduling::{Scheduling, Setting, Start, TechniqueParameters, WorkerSpeed};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Windows that are looked back on: an endless job learns from its newest ones.
const LOOKED_BACK: usize = 256;

/// What a run learnt, for the summary and for the next run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Learnt {
    /// Start for the next run: the best setting and its workers; see [`Start`].
    pub start: String,
    /// The setting, for people.
    pub setting: String,
    /// Its workers; of a pattern, the ranks that compute; of a program's own values, those that got tasks in the newest iteration.
    pub workers: u32,
    /// Whole iterations measured with it, or windows of a stream.
    pub iterations: u32,
    /// Median time of these, or time between two outputs in them, seconds.
    pub iteration_s: f64,
    /// Median logarithm of that time / time of the work: of all tasks, of all problems, or of one input in all stages.
    pub cost_ln: f64,
    /// Its standard deviation from window to window: robust, for something else may have disturbed some of them.
    pub deviation: f64,
    /// Where tasks were distributed.
    #[serde(flatten)]
    pub tasks: Option<TasksLearnt>,
    /// Time per task or input of each rank, relative to that of a fast one (the lower quartile) beside it.
    pub slowness: BTreeMap<u32, f64>,
}

/// What a run learnt of its tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TasksLearnt {
    /// Mean time of a task, seconds.
    pub task_mean_s: f64,
    /// Standard deviation of the time of a task, seconds.
    pub task_sigma_s: f64,
    /// Master's time per chunk, seconds.
    pub chunk_cost_s: f64,
    /// Mean time of a task by its place in the iteration, relative to the mean of all.
    pub profile: Vec<f64>,
}

/// Upper end of the interval that holds the median at this confidence level; infinite for fewer than two. The scatter of few is shrunk towards that
/// of windows elsewhere.
fn highest_median(of: &[f64], confidence: Confidence) -> f64 {
    let (Some(deviation), middle, count) = (deviation(of), median(of.to_vec()), of.len() as f64) else {
        return f64::INFINITY;
    };
    let (share, freedom) = noise::pooled(deviation / middle, EFFICIENCY * (count - 1.0));
    middle * (1.0 + confidence.student(freedom) * OF_MEDIAN * share / count.sqrt())
}

/// The work of iterations that a program cut by itself, relative to each other, where they have as many tasks. What a chunk costs its worker counts as
/// task time there, so that smaller chunks would seem to make more work: that grows as times do while values stay, as far as they do with all.
fn work_by_times(seen: &VecDeque<Seen>) -> Option<Vec<f64>> {
    let tasks = |seen: &Seen| seen.shares.iter().map(|share| share.tasks).sum::<u64>();
    let are_own = seen.iter().all(|seen| matches!(seen.setting, Setting::Values(_)));
    if !are_own || seen.iter().map(tasks).collect::<BTreeSet<_>>().len() != 1 {
        return None;
    }
    let mut settings: BTreeMap<Family, Vec<(f64, f64)>> = BTreeMap::new();
    for (at, seen) in (0..).map(f64::from).zip(seen) {
        settings.entry(family(seen)).or_default().push((at, seen.iteration_s.ln()));
    }
    let slopes: Vec<f64> = settings.values().filter_map(|points| Some(theil_sen(points)?.slope)).collect();
    let least = slopes.iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
    let growth = if slopes.iter().all(|slope| slope * least > 0.0) { least } else { 0.0 };
    Some((0..seen.len()).map(|at| (growth * at as f64).exp()).collect())
}

/// Ranks of the workers of iterations with one number of workers: all that were seen, or those of the newest iteration in which
/// each got tasks.
fn workers(seen: &[&Seen]) -> Option<BTreeSet<u32>> {
    let number = seen.last()?.workers as usize;
    let all: BTreeSet<u32> = seen.iter().flat_map(|seen| seen.ranks()).collect();
    let newest = || seen.iter().rev().map(|seen| seen.ranks()).find(|ranks| ranks.len() == number);
    if all.len() == number { Some(all) } else { newest() }
}

/// Iterations that the speeds of workers rest on, when each counts three quarters of the one after it: 3/4 + 9/16 + …
const FADED: f64 = 3.0;

/// Speeds of these workers as the master would have them before the next iteration; none if one of them got no task.
fn speeds(seen: &[&Seen], workers: &[u32]) -> Vec<WorkerSpeed> {
    let one = |rank: &u32| {
        let shares = || seen.iter().flat_map(|seen| &seen.shares).filter(|share| share.rank == *rank);
        let sum = |of: &dyn Fn(&Share) -> f64| shares().map(of).sum::<f64>();
        let (tasks, busy_s) = (sum(&|share| share.tasks as f64), sum(&|share| share.busy_s));
        let mean_s = busy_s / tasks;
        let var_s2 = (sum(&|share| share.sum_sq_s2) / tasks - mean_s * mean_s).max(0.0);
        // Four digits of a text are more than tasks repeat.
        let digits = |x: f64| format!("{x:.3e}").parse().unwrap_or(x);
        let counted = |all: f64| (FADED * all / seen.len() as f64).round() as u64;
        let chunks = counted(sum(&|share| share.chunks as f64));
        (busy_s > 0.0)
            .then(|| WorkerSpeed::known(counted(tasks), chunks, digits(mean_s), digits(var_s2.sqrt()).powi(2)))
    };
    workers.iter().map(one).collect::<Option<Vec<WorkerSpeed>>>().unwrap_or_default()
}

/// The scheduling of iterations under one setting, `newest` as it was last.
fn scheduling(ranks: u32, newest: &Scheduling, seen: &[&Seen], tasks: &TasksLearnt) -> Option<Setting> {
    let (mean_s, sigma_s) = (tasks.task_mean_s, tasks.task_sigma_s);
    let parameters = TechniqueParameters { mean_s, sigma_s, ..newest.parameters };
    // Processes that were started beyond the ranks are not there at the next start.
    let workers: Vec<u32> = workers(seen)?.into_iter().filter(|rank| *rank < ranks).collect();
    let speeds = speeds(seen, &workers);
    Some(Setting::Scheduling(Scheduling { parameters, speeds, workers, cutoff: newest.cutoff }))
}

/// Collects what a run learns.
#[derive(Clone, Debug)]
pub struct Learning {
    objective: Objective,
    confidence: Confidence,
    seen: VecDeque<Seen>,
    profile: Vec<f64>,
    /// Of a stream: outputs to come that the pattern before may have held up.
    held_up: u64,
}

impl Learning {
    /// Nothing learnt yet; the best setting is that by `objective`.
    pub fn new(objective: Objective, confidence: Confidence) -> Learning {
        Learning { objective, confidence, seen: VecDeque::new(), profile: Vec::new(), held_up: 0 }
    }

    fn push(&mut self, seen: Seen) {
        self.seen.push_back(seen);
        if self.seen.len() > LOOKED_BACK {
            self.seen.pop_front();
        }
    }

    /// Takes in a window: an iteration with how it was cut, or outputs of a stream.
    pub fn observe(&mut self, observation: Observation<'_>, cut: &Cut) {
        match observation {
            Observation::Iteration(window) => self.on_iteration(window, cut),
            Observation::Stream(window) => self.on_outputs(window),
            _ => {}
        }
    }

    fn on_iteration(&mut self, window: &Window, cut: &Cut) {
        let Some(seen) = Seen::of(window, cut) else { return };
        self.push(seen);
        let mean_s = window.task_s() / window.per_worker.iter().map(|work| work.tasks).sum::<u64>().max(1) as f64;
        let relative = window.profile.iter().map(|bin| bin.busy_s / bin.tasks / mean_s);
        // Three digits are more than the times of tasks repeat.
        self.profile = relative.map(|x| if x.is_finite() { (x * 1e3).round() / 1e3 } else { 1.0 }).collect();
    }

    /// Outputs come in order: those of a new pattern wait for the last ones of the old, and come in a burst, which says nothing of either.
    fn on_outputs(&mut self, window: &StreamWindow) {
        if !window.settled {
            self.held_up = u64::from(window.on_way);
        } else if self.held_up > 0 {
            self.held_up = self.held_up.saturating_sub(window.outputs);
        } else if let Some(seen) = Seen::of_stream(window) {
            self.push(seen);
        }
    }

    /// Mean time per task of each rank relative to the lower quartile of its window.
    fn slowness(&self) -> BTreeMap<u32, f64> {
        let mut logs: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (rank, slow) in self.seen.iter().flat_map(Seen::slowness) {
            logs.entry(rank).or_default().push(slow.ln());
        }
        logs.into_iter().map(|(rank, logs)| (rank, mean(&logs).exp())).collect()
    }

    /// What was learnt in a job of so many ranks; `None` if no setting that the next run can begin with was measured in two whole windows, or
    /// if there were pipelines of other stages beside.
    ///
    /// The best setting is the one whose median cost is surely lowest: of the intervals of the medians, that with the lowest upper end.
    /// So a setting that was measured once or twice by chance in a good moment does not win.
    pub fn learnt(&self, ranks: u32) -> Option<Learnt> {
        let slowness = self.slowness();
        let busy_s: Vec<f64> = self.seen.iter().map(|seen| seen.work_s(&slowness)).collect();
        let typical_s = mean(&busy_s);
        let works = work_by_times(&self.seen).unwrap_or(busy_s);
        let typical = mean(&works);
        let mut settings: BTreeMap<Family, Vec<(&Seen, f64)>> = BTreeMap::new();
        let mut stages = BTreeSet::new();
        for (seen, work) in self.seen.iter().zip(&works) {
            if let Setting::Pattern(plan) = &seen.setting {
                stages.insert(plan.stages());
                if !plan.fits(ranks) {
                    continue; // it has processes that were started beyond the ranks
                }
            }
            let iteration_s = seen.iteration_s * typical / work;
            let cost = cost(self.objective, seen.workers, iteration_s, typical_s);
            settings.entry(family(seen)).or_default().push((seen, cost));
        }
        let costs = |all: &[(&Seen, f64)]| all.iter().map(|(_, cost)| *cost).collect::<Vec<f64>>();
        let highest = |all: &[(&Seen, f64)]| highest_median(&costs(all), self.confidence);
        let (best, cost) = settings.values().map(|all| (all, highest(all))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        let seen: Vec<&Seen> = best.iter().map(|(seen, _)| *seen).collect();
        if !cost.is_finite() || stages.len() > 1 {
            return None;
        }
        let newest = *seen.last()?;
        let (setting, tasks) = match &newest.setting {
            Setting::Scheduling(newest) => {
                let tasks = self.tasks(&seen);
                (scheduling(ranks, newest, &seen, &tasks)?, Some(tasks))
            }
            pattern @ Setting::Pattern(_) => (pattern.clone(), None),
            values @ Setting::Values(_) => (values.clone(), Some(self.tasks(&seen))),
        };
        let workers = match &setting {
            Setting::Values(_) => newest.workers,
            setting => setting.workers() as u32,
        };
        let costs_ln: Vec<f64> = seen.iter().map(|seen| seen.cost_ln()).collect();
        let learnt = Learnt {
            setting: setting.name(),
            workers,
            iterations: seen.len() as u32,
            iteration_s: median(seen.iter().map(|seen| seen.iteration_s).collect()),
            cost_ln: median(costs_ln.clone()),
            deviation: deviation(&costs_ln)?,
            tasks,
            slowness: slowness.into_iter().map(|(rank, x)| (rank, (x * 1e3).round() / 1e3)).collect(),
            start: Start { ranks, setting }.to_string(),
        };
        // What cannot be read again is not worth keeping.
        learnt.start.parse::<Start>().is_ok().then_some(learnt)
    }

    /// What was learnt of the tasks of these iterations.
    fn tasks(&self, seen: &[&Seen]) -> TasksLearnt {
        let total = |of: &dyn Fn(&Share) -> f64| seen.iter().map(|seen| seen.sum(of)).sum::<f64>();
        let tasks = total(&|share| share.tasks as f64);
        let task_mean_s = total(&|share| share.busy_s) / tasks;
        let task_sigma_s = (total(&|share| share.sum_sq_s2) / tasks - task_mean_s * task_mean_s).max(0.0).sqrt();
        let chunk_cost_s = median(seen.iter().map(|seen| seen.chunk_cost_s).collect());
        TasksLearnt { task_mean_s, task_sigma_s, chunk_cost_s, profile: self.profile.clone() }
    }
}
