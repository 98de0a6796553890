//! What is remembered of a program's tasks: mean, sigma, work by position, speed of workers, cost of a chunk.
//!
//! WorkloadEstimator has a half-life of [`HALF_LIFE`] iterations. When an iteration's mean task time or its variation differs from the
//! remembered one beyond chance ([`steadiness`]), it is of another kind: one that was seen before goes on ([`kinds`]), else everything is learnt anew.

mod cuts;
mod kinds;
mod last_iterations;
mod observations;
mod position_profile;
mod projection;
mod speeds;
mod steadiness;
#[cfg(test)]
mod tests;

use super::growth::Growth;
use crate::confidence::Confidence;
use crate::trial::MODEL;
use crate::{Network, Window};
pub use cuts::{ChunksSeen, CutSeen};
use kinds::Kinds;
use last_iterations::LastIterations;
use midrun_models::batches::Batches;
use midrun_models::line::median;
use midrun_scheduling::WorkerSpeed;
use observations::{drawn_s, idle_per_chunk_s, longest_s, slowness_in, variance_of};
use position_profile::PositionProfile;
pub use projection::KnownWorker;
use std::collections::{BTreeMap, VecDeque};
use steadiness::Steadiness;

/// Iterations after which a figure counts half.
const HALF_LIFE: f64 = 4.0;
/// Standard error of a standard deviation, as a share of it, is this over the root of the count: for exponential times, which
/// few programs exceed. Normal ones: sqrt(1/2).
const OF_SIGMA: f64 = 1.414;
/// Windows with a smaller share of their records teach nothing.
const COVERAGE: f64 = 0.5;
/// Tasks that must have been seen.
const MIN_TASKS: u64 = 10;
/// Windows over which unexplained overhead is remembered.
const OVERHEAD_WINDOWS: usize = 3;
/// The master's time per chunk is no more than this until enough chunks were seen, seconds.
const CHUNK_COST_S: f64 = 20e-6;
/// Chunks per worker from which on what a chunk costs the master shows beside its fixed work.
const CHUNKS_EACH: u64 = 4;
/// So many times as dear as a chunk measured last it may be remembered.
const DEARER: f64 = 4.0;
/// The estimates.
#[derive(Clone, Debug)]
pub struct WorkloadEstimator {
    /// Mean time of a task, seconds.
    pub mean_s: f64,
    /// Mean over the workers of their mean task times, seconds. Unlike `mean_s` it does not depend on who got more of
    /// the tasks, so a change of the technique is not taken for a change of the program.
    per_worker_s: f64,
    /// Standard deviation of the time of a task if nothing but chance told tasks apart, seconds.
    drawn_s: f64,
    /// The longest task of an iteration takes no longer than this, seconds, where tasks are timed singly; else it is the longest mean of a chunk.
    pub longest_s: f64,
    /// Tasks of one time that was measured, on average: 1 where each task is timed, else those of a chunk.
    tasks_each: f64,
    /// Master's time per chunk, seconds.
    pub chunk_cost_s: f64,
    /// Master's time for each task besides: to prepare its input, and to take its result, seconds.
    pub per_task_s: (f64, f64),
    /// Tasks and workers of the last iteration.
    pub tasks: u64,
    /// See `tasks`.
    pub workers: u32,
    /// Idle workers get tasks that busy ones have not begun (`mw.recall`), which workers that compute whole chunks can hardly give.
    pub recall: bool,
    /// Workers time each task: between two of them they can give back others.
    pub tasks_timed: bool,
    /// The master is told no times of chunks.
    pub unreported: bool,
    /// All workers can take chunks from a shared counter (`mw.counter`).
    pub counter: bool,
    /// Most workers that a sub-team can have (`mw.team_size`); 0: there can be none.
    pub largest_team: u32,
    /// Tasks and results are handed over synchronously (`mw.synchronous`).
    pub synchronous: bool,
    /// The master was relieved in the last iteration: they took chunks from the counter, or sub-masters sent them.
    relieved: bool,
    /// The program cuts these batches by itself, as it was told.
    pub batches: Option<Batches>,
    /// How the tasks of the last iteration were cut, whatever the program offers to be told.
    pub cut: CutSeen,
    /// What messages cost, where it was measured.
    pub network: Option<Network>,
    /// Share of the last iteration that the ranks waited for a core.
    pub run_delay: f64,
    confidence: Confidence,
    /// How far iterations differ by chance.
    steadiness: Steadiness,
    /// What dV and dTc rest on.
    pub growth: Growth,
    /// Time between the last two iterations (`mu_m`), seconds.
    pub prepare_s: Option<f64>,
    /// Tasks of a chunk on average.
    pub chunk_tasks: f64,
    /// Tasks whose times the mean and sigma rest on.
    samples: f64,
    /// Windows that were learnt from since the program was first seen, or changed.
    windows: u32,
    /// It has changed since it was first seen.
    changed: bool,
    /// Mean time of a task when this program was first seen, seconds: the yardstick of useful work; and the workers then.
    reference_s: f64,
    reference_workers: u32,
    /// Ranks and whether they are on another host than the master, as far as known.
    far: BTreeMap<u32, bool>,
    shape: PositionProfile,
    last: LastIterations,
    /// Relative time per task of each rank that was seen: 1 average of those that take part.
    slowness: BTreeMap<u32, f64>,
    /// They computed the same tasks as others: that stays known until such tasks say otherwise.
    is_compared: bool,
    /// What the master remembers of each rank's speed at the end of an iteration: its techniques weigh by it.
    speeds: BTreeMap<u32, WorkerSpeed>,
    /// Variance of task times that the speeds of those that take part explain, as a share of the squared mean.
    by_workers: f64,
    /// What messages can have cost in the last windows, as a share of what was measured of them. The least counts.
    message_shares: VecDeque<f64>,
    /// Unexplained time per chunk in the last windows, seconds. The least counts: a disturbance from outside makes an
    /// iteration slower, never faster.
    overhead: VecDeque<f64>,
    /// The most that a chunk can have cost its worker beyond its tasks in the last windows, seconds. The least counts.
    most_overhead: VecDeque<f64>,
    /// Tasks of the chunks that tell it, where a program cuts chunks of one size by itself.
    overhead_of: Option<u64>,
    /// Other kinds of iterations.
    kinds: Kinds,
    /// Number of this kind: 0 is the first one.
    pub kind: u64,
}

/// Effect of a window on the estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learnt {
    /// It agrees with the workload, and was added.
    Added,
    /// Likewise, but another number of workers took part.
    OtherWorkers,
    /// The first, or the program has changed: the workload starts here.
    Anew,
    /// It is of a kind that was seen before others: what is known of that goes on.
    Returned,
    /// Too few tasks were recorded to learn from it.
    Nothing,
}

/// What is remembered of the window before.
fn keep() -> f64 {
    0.5_f64.powf(1.0 / HALF_LIFE)
}

/// Adds what the last of [`OVERHEAD_WINDOWS`] windows showed.
fn remember(last: &mut VecDeque<f64>, value: f64) {
    last.push_back(value);
    if last.len() > OVERHEAD_WINDOWS {
        last.pop_front();
    }
}

/// As many tasks as the mean over the workers of their own means is as exact as.
fn tasks_of_mean(window: &Window) -> f64 {
    let each = window.per_worker.iter().filter(|w| w.tasks > 0).map(|w| (w.tasks as f64).recip());
    let (sum, count) = each.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
    count * count / sum
}

/// With few chunks the master's fixed work per iteration hides what a chunk costs. One that is taken, or that a sub-master sends, does not
/// show what it costs the master to send one.
fn costs_are_known(window: &Window) -> bool {
    !window.setting.is_relieving() && window.chunks >= CHUNKS_EACH * u64::from(window.workers)
}

/// How many times as slow as before ranks are that are known of both; the median.
fn change_of(before: &BTreeMap<u32, f64>, now: &BTreeMap<u32, f64>) -> f64 {
    let changes: Vec<f64> = now.iter().filter_map(|(rank, new)| Some(new / before.get(rank)?)).collect();
    if changes.is_empty() { 1.0 } else { median(changes) }
}

impl WorkloadEstimator {
    /// Takes a window in; `workload` becomes `Some` once something was learnt.
    pub fn learn(workload: &mut Option<WorkloadEstimator>, window: &Window, confidence: Confidence) -> Learnt {
        let keep = |known: &mut WorkloadEstimator| {
            (std::mem::take(&mut known.speeds), known.batches.take(), std::mem::take(&mut known.kinds))
        };
        let (mut speeds, batches, mut kinds) = workload.as_mut().map(keep).unwrap_or_default();
        kinds.pass();
        let learnt = Self::take_in(workload, &mut kinds, window, confidence);
        for w in &window.per_worker {
            // As the master does, whatever the program may have become.
            let speed = speeds.entry(w.rank).or_default();
            *speed = speed.faded();
            speed.add_chunks(w.chunks, w.tasks, w.busy_s, w.sum_sq_s2);
        }
        if let Some(known) = workload {
            (known.speeds, known.batches, known.kinds) = (speeds, batches, kinds);
        }
        learnt
    }

    fn take_in(
        workload: &mut Option<WorkloadEstimator>,
        kinds: &mut Kinds,
        window: &Window,
        confidence: Confidence,
    ) -> Learnt {
        if window.tasks == 0 && window.per_worker.is_empty() {
            return Learnt::Nothing; // only its time is known
        }
        let seen: u64 = window.per_worker.iter().map(|w| w.tasks).sum();
        if window.coverage < COVERAGE || seen < MIN_TASKS.min(window.tasks.max(1)) || window.workers == 0 {
            return Learnt::Nothing;
        }
        let mean_s = window.task_s() / seen as f64;
        if !(mean_s.is_finite() && mean_s > 0.0) {
            return Learnt::Nothing;
        }
        let mut steadiness = workload.as_ref().map(|known| known.steadiness.clone()).unwrap_or_default();
        // One iteration cannot tell whether neighbours are alike.
        let placed = workload.as_ref().is_none_or(|known| known.shape.is_placed());
        let now = WorkloadEstimator::of(window, mean_s, (&steadiness, placed), confidence);
        let other_number = workload.as_ref().is_some_and(|known| known.workers != now.workers);
        let known = workload.as_ref().map_or(&now, |known| known);
        let (own_s, variation) = (now.per_worker_s, now.variation_by(known));
        let equal = now.are_equal() && known.are_equal_in(window);
        if let Some(old) = workload.as_mut().filter(|_| !equal) {
            // Before their speeds were known they were taken for equal, and the time of the slow ones for growth.
            old.growth = Growth::new(confidence);
        }
        let seen = tasks_of_mean(window);
        let learnt = match workload {
            Some(old) if !old.has_changed(&now, seen) => {
                old.grow(&now, equal);
                old.mix(now);
                if other_number { Learnt::OtherWorkers } else { Learnt::Added }
            }
            Some(old) if old.is_explained_by_the_number(&now, seen) => {
                // Other tasks because of the number: what is known of the network, of the growth and of those that are
                // parked stays.
                let growth = old.growth.clone();
                let WorkloadEstimator { reference_s, reference_workers, kind, .. } = *old;
                let new = old.keep_costs(window, now.clone());
                *old = WorkloadEstimator { growth, reference_s, reference_workers, kind, ..new };
                old.grow(&now, equal);
                Learnt::OtherWorkers
            }
            Some(old) => {
                let fresh = old.keep_costs(window, now.clone());
                let is_it = |other: &WorkloadEstimator| other.is_kind_of(&now, seen);
                let back = kinds.change(std::mem::replace(old, fresh), is_it);
                let learnt = if back.is_some() { Learnt::Returned } else { Learnt::Anew };
                match back {
                    Some(back) => {
                        *old = old.costs_in(back);
                        old.mix(now.clone());
                    }
                    None => (old.kind, old.changed) = (kinds.count(), true),
                }
                old.grow(&now, equal);
                learnt
            }
            None => {
                let mut new = now.clone();
                new.grow(&now, equal);
                *workload = Some(new);
                Learnt::Anew
            }
        };
        // What kinds differ by is no chance.
        steadiness.add(own_s, variation, other_number || learnt == Learnt::Returned);
        if let Some(known) = workload {
            known.steadiness = steadiness;
        }
        learnt
    }

    /// Of one window. `placed`: tasks may differ by their place.
    fn of(
        window: &Window,
        mean_s: f64,
        (steadiness, placed): (&Steadiness, bool),
        confidence: Confidence,
    ) -> WorkloadEstimator {
        let drawn_s = drawn_s(window, mean_s);
        let measured: u64 = window.per_worker.iter().map(|w| if w.tasks_timed { w.tasks } else { w.chunks }).sum();
        let seen: u64 = window.per_worker.iter().map(|w| w.tasks).sum();
        let tasks_timed = window.per_worker.iter().all(|w| w.tasks_timed);
        let means = window.per_worker.iter().filter(|w| w.tasks > 0).map(|w| w.busy_s / w.tasks as f64);
        let chance = steadiness.of_workers(window.per_worker.len(), confidence);
        let slowness = slowness_in(window, mean_s, placed, chance);
        let (sum, count) = means.fold((0.0, 0.0), |(sum, count), mean| (sum + mean, count + 1.0));
        let chunk_cost_s = window.per_chunk_s();
        let each = |all_s: f64| all_s / window.tasks.max(1) as f64;
        let chunk_cost_s = if costs_are_known(window) { chunk_cost_s } else { chunk_cost_s.min(CHUNK_COST_S) };
        WorkloadEstimator {
            mean_s,
            per_worker_s: sum / f64::max(count, 1.0),
            drawn_s,
            longest_s: longest_s(window),
            tasks_each: seen as f64 / measured.max(1) as f64,
            chunk_cost_s,
            per_task_s: (each(window.inputs_s), each(window.results_s)),
            tasks: window.tasks,
            workers: window.workers,
            recall: window.setting.recall && tasks_timed,
            tasks_timed,
            unreported: window.unreported,
            counter: false,
            synchronous: window.setting.synchronous,
            largest_team: 0,
            batches: None,
            cut: CutSeen::of(window),
            relieved: window.setting.is_relieving(),
            network: window.network,
            run_delay: window.run_delay(),
            confidence,
            steadiness: Steadiness::default(),
            growth: Growth::new(confidence),
            prepare_s: window.prepare_s,
            chunk_tasks: window.tasks as f64 / window.chunks.max(1) as f64,
            samples: measured as f64,
            windows: 1,
            changed: false,
            reference_s: mean_s,
            reference_workers: window.workers,
            far: window.per_worker.iter().filter_map(|w| Some((w.rank, w.far?))).collect(),
            shape: PositionProfile::of(&window.profile, mean_s, steadiness.level(confidence)),
            last: LastIterations::of(window),
            by_workers: variance_of(slowness.values().copied()),
            slowness,
            is_compared: false,
            speeds: BTreeMap::new(),
            message_shares: VecDeque::new(),
            overhead: VecDeque::new(),
            most_overhead: VecDeque::new(),
            overhead_of: None,
            kinds: Kinds::default(),
            kind: 0,
        }
    }

    fn has_changed(&self, now: &WorkloadEstimator, seen: f64) -> bool {
        let of_self = self.samples.max(1.0).powf(-0.5);
        let spread = OF_SIGMA * self.residual_s(self) / self.mean_s * now.samples.max(1.0).powf(-0.5).hypot(of_self);
        let (windows, confidence) = (self.windows, self.confidence);
        self.has_other_mean(now, seen)
            || self.steadiness.has_spread(
                (self.variation_by(self), now.variation_by(self)),
                spread,
                windows,
                confidence,
            )
    }

    /// Whether an iteration is of this kind: by the mean over its tasks, or over its workers. Where tasks differ by place, the one of workers depends on
    /// how they were handed out; where workers differ, the one of tasks does.
    fn is_kind_of(&self, now: &WorkloadEstimator, seen: f64) -> bool {
        let of_tasks = (now.mean_s / self.mean_s).ln().abs() <= self.chance_of_mean(now, seen);
        self.workers == now.workers && (of_tasks || !self.has_other_mean(now, seen))
    }

    fn has_other_mean(&self, now: &WorkloadEstimator, seen: f64) -> bool {
        (now.per_worker_s / self.per_worker_s).ln().abs() > self.chance_of_mean(now, seen)
    }

    /// How far the mean of so many tasks that were seen now may lie from what is known by chance, as a difference of logarithms.
    fn chance_of_mean(&self, now: &WorkloadEstimator, seen: f64) -> f64 {
        let error = seen.powf(-0.5).hypot(self.samples.max(1.0).powf(-0.5));
        let drawn = self.residual_s(self).max(self.residual_s(now)) / self.mean_s * error;
        self.steadiness.of_mean(drawn, self.windows, self.confidence)
    }

    /// Variance of task times that places and workers explain, as a share of the squared mean. In the times of whole chunks it counts for each of
    /// their tasks, which have it in common.
    fn explained(&self) -> f64 {
        let (_, between) = self.shape.profile().unwrap_or_default();
        between * if self.tasks_timed { 1.0 } else { self.shape.reliability() } + self.by_workers
    }

    /// Standard deviation of task times that neither their places nor the workers explain, by the times of `of`, seconds.
    fn residual_s(&self, of: &WorkloadEstimator) -> f64 {
        (of.drawn_s.powi(2) - of.tasks_each * self.explained() * self.mean_s.powi(2)).max(0.0).sqrt()
    }

    /// Whether the tasks became others because their workers are more or fewer: for contention, or as slow ones left.
    fn is_explained_by_the_number(&self, now: &WorkloadEstimator, seen: f64) -> bool {
        let (from, to) = ((self.workers, self.per_worker_s), (now.workers, now.per_worker_s));
        let left = !self.are_equal() && now.workers < self.workers;
        let slow_left = left && (1.0 / self.slowest()..1.0 + MODEL).contains(&(to.1 / from.1));
        slow_left || self.growth.explains(from, to, now.tasks, self.chance_of_mean(now, seen))
    }

    /// What is learnt anew, with what does not depend on the tasks: where ranks are and how fast, what chunks cost; and what may have come
    /// again: where there is more to do.
    fn keep_costs(&self, window: &Window, mut now: WorkloadEstimator) -> WorkloadEstimator {
        let chunk_cost_s = if costs_are_known(window) { now.chunk_cost_s } else { self.chunk_cost_s };
        let mut far = self.far.clone();
        far.extend(&now.far);
        let mut shape = self.shape.clone();
        // A worker that became slow may be what has changed.
        let is_known = self.is_compared && now.are_equal();
        shape.renew(std::mem::take(&mut now.shape), keep(), self.steadiness.level(self.confidence));
        let shows = std::mem::take(&mut now.slowness);
        let (slowness, by_workers, is_compared) =
            self.slowness_by(&mut now.last.clone(), is_known, shows, |_, new| new);
        WorkloadEstimator { chunk_cost_s, far, shape, by_workers, slowness, is_compared, ..self.costs_in(now) }
    }

    /// What is known of other tasks, with what does not depend on them as it is known now.
    fn costs_in(&self, other: WorkloadEstimator) -> WorkloadEstimator {
        WorkloadEstimator {
            chunk_cost_s: self.chunk_cost_s,
            far: self.far.clone(),
            overhead: self.overhead.clone(),
            most_overhead: self.most_overhead.clone(),
            overhead_of: self.overhead_of,
            message_shares: self.message_shares.clone(),
            ..other
        }
    }

    /// The other kinds of iterations with as many workers that may come again, each as workers of the present speeds compute it, at the present costs.
    pub fn other_kinds(&self) -> impl Iterator<Item = WorkloadEstimator> {
        let others = self.kinds.others(self.confidence).filter(|other| other.workers == self.workers);
        others.map(|other| WorkloadEstimator {
            speeds: self.speeds.clone(),
            batches: self.batches.clone(),
            network: self.network,
            ..self.costs_in(other.at_speeds_of(self))
        })
    }

    /// Whether another kind may be this one, but for one task that something stalled: without it mean and scatter are the same.
    fn is_but_for_one(&self, other: &WorkloadEstimator) -> bool {
        let rest = (other.tasks.max(2) - 1) as f64;
        let rest_s = (other.compute_s() - other.longest_s) / rest;
        let squares = other.tasks as f64 * (other.drawn_s.powi(2) + other.mean_s.powi(2)) - other.longest_s.powi(2);
        let variation = (squares / rest / rest_s.powi(2) - 1.0).max(0.0).sqrt();
        let error = OF_SIGMA * self.variation_by(self) * other.samples.max(1.0).powf(-0.5);
        (rest_s / self.mean_s).ln().abs() <= self.chance_of_mean(self, other.samples)
            && !self.steadiness.has_spread((self.variation_by(self), variation), error, self.windows, self.confidence)
    }

    /// Whether a kind, by its number, is the present one or is still known.
    pub fn knows(&self, kind: u64) -> bool {
        kind == self.kind || self.kinds.knows(kind)
    }

    /// The same tasks on workers of other speeds, unless workers were compared: where each had tasks of its own, nobody knows whether one was slow
    /// or its tasks were dear. Speeds are the machine's, and hold for all kinds of iterations.
    fn at_speeds_of(&self, present: &WorkloadEstimator) -> WorkloadEstimator {
        if self.is_compared {
            return self.clone();
        }
        let (slowness, by_workers) = (present.slowness.clone(), present.by_workers);
        let level = self.steadiness.level(self.confidence);
        let shape = PositionProfile::of_all(&self.last.profiles(&slowness), keep(), level);
        let shape = shape.map_or_else(|| self.shape.clone(), |(shape, _)| shape);
        WorkloadEstimator { slowness, by_workers, shape, ..self.clone() }
    }

    /// Iterations of this kind so far.
    pub fn iterations(&self) -> u32 {
        self.windows
    }

    /// Slowness of all ranks by the `last` iterations, where what is known of it still holds (`is_known`), or else of those that took part by what one
    /// `shows`, beside what was known; the variance of task times that it explains of those, as a share of the squared mean; and whether they were
    /// compared. Ranks that took part before would have become as much dearer or cheaper as those that stayed.
    fn slowness_by(
        &self,
        last: &mut LastIterations,
        is_known: bool,
        shows: BTreeMap<u32, f64>,
        beside: impl Fn(f64, f64) -> f64,
    ) -> (BTreeMap<u32, f64>, f64, bool) {
        let levels = (self.steadiness.level_of_workers(shows.len(), self.confidence), self.confidence);
        let nothing = BTreeMap::new();
        let compared = last.slowness(if is_known { &self.slowness } else { &nothing }, levels);
        let is_compared = compared.is_some();
        let old = |rank: &u32| self.slowness.get(rank).copied();
        let of_one = |(rank, new): (&u32, &f64)| (*rank, beside(old(rank).unwrap_or(*new), *new));
        let present = compared.unwrap_or_else(|| shows.iter().map(of_one).collect());
        let explained = variance_of(shows.keys().filter_map(|rank| present.get(rank)).copied());
        let change = change_of(&self.slowness, &present);
        let mut all: BTreeMap<u32, f64> = self.slowness.iter().map(|(rank, old)| (*rank, old * change)).collect();
        all.extend(present);
        (all, explained, is_compared)
    }

    /// One more pair of dV's and dTc's; unequal workers explain by themselves what another number of them takes.
    fn grow(&mut self, now: &WorkloadEstimator, equal: bool) {
        if equal {
            self.growth.observe(now.workers, now.tasks, now.compute_s());
        }
    }

    fn mix(&mut self, mut now: WorkloadEstimator) {
        (self.recall, self.synchronous) = (now.recall, now.synchronous);
        (self.tasks_timed, self.unreported) = (now.tasks_timed, now.unreported);
        // All windows count alike, until there are more of them than are to be remembered.
        let windows = f64::from(self.windows);
        let keep = keep().min(windows / (windows + 1.0));
        self.windows = self.windows.saturating_add(1);
        self.last.add(std::mem::take(&mut now.last));
        let before = self.slowness.clone();
        let of_workers = self.mix_slowness(std::mem::take(&mut now.slowness), keep);
        // Speeds are beside the mean of the last iteration, which is that of who computed how much in it: so is what was known of the mean.
        if self.is_compared {
            self.mean_s /= change_of(&before, &self.slowness);
        }
        // The less is chance, the more the last one counts.
        let keep = self.mix_shape(std::mem::take(&mut now.shape), keep);
        let mixed = |old: f64, new: f64| keep * old + (1.0 - keep) * new;
        // Where chance does not explain it, only the last mean counts: it depends on who got how much under the present
        // hand-out.
        let chance_s = self.confidence.two_sided() * self.residual_s(&now) / now.samples.max(1.0).sqrt();
        if (now.mean_s - self.mean_s).abs() <= chance_s {
            self.mean_s = mixed(self.mean_s, now.mean_s);
            self.samples = keep * self.samples + now.samples;
        } else {
            (self.mean_s, self.samples) = (now.mean_s, now.samples);
        }
        self.per_worker_s = mixed(self.per_worker_s, now.per_worker_s);
        self.drawn_s = mixed(self.drawn_s.powi(2), now.drawn_s.powi(2)).sqrt();
        self.tasks_each = mixed(self.tasks_each, now.tasks_each);
        self.longest_s = mixed(self.longest_s, now.longest_s);
        if !now.relieved {
            self.chunk_cost_s = mixed(self.chunk_cost_s, now.chunk_cost_s).min(DEARER * now.chunk_cost_s);
        }
        let remembered = |old: f64, new: f64| mixed(old, new).min(DEARER * new);
        let (inputs_s, results_s) = now.per_task_s;
        self.per_task_s = (remembered(self.per_task_s.0, inputs_s), remembered(self.per_task_s.1, results_s));
        self.relieved = now.relieved;
        self.by_workers = mixed(self.by_workers, of_workers);
        (self.tasks, self.workers, self.network) = (now.tasks, now.workers, now.network);
        (self.run_delay, self.cut) = (now.run_delay, now.cut);
        (self.chunk_tasks, self.prepare_s) = (now.chunk_tasks, now.prepare_s.or(self.prepare_s));
        self.far.extend(now.far);
    }

    /// One more iteration, which shows these speeds. Returns the variance of task times that the speeds of those who took part explain, as a share of the
    /// squared mean.
    fn mix_slowness(&mut self, shows: BTreeMap<u32, f64>, keep: f64) -> f64 {
        // Speed that shows is believed at once, speed that no longer shows fades.
        let beside = |old: f64, new: f64| {
            if (new - 1.0).abs() > (old - 1.0).abs() { new } else { keep * old + (1.0 - keep) * new }
        };
        let mut last = std::mem::take(&mut self.last);
        let (slowness, explained, is_compared) = self.slowness_by(&mut last, self.is_compared, shows, beside);
        (self.slowness, self.is_compared, self.last) = (slowness, is_compared, last);
        explained
    }

    /// Where workers are unequal, what slow ones computed is no dear place: the last iterations are taken as the average worker would have made
    /// them. Returns what counts of what was.
    fn mix_shape(&mut self, now: PositionProfile, keep: f64) -> f64 {
        let level = self.steadiness.level(self.confidence);
        let profiles = if self.are_equal() { Vec::new() } else { self.last.profiles(&self.slowness) };
        match PositionProfile::of_all(&profiles, keep, level) {
            Some((shape, keep)) => {
                self.shape = shape;
                keep
            }
            None => self.shape.mix(now, keep, level),
        }
    }

    /// How the program cuts its tasks by itself: as it was told, or as it seems to; `None` where midrun hands them out, or it cuts as nothing that is
    /// known.
    pub fn own_batches(&self) -> Option<&Batches> {
        self.batches.as_ref().or(self.cut.batches.as_ref())
    }

    /// A whole iteration took `excess_s` longer than its simulation without hidden costs. No chunk costs more than what the
    /// worker that was busiest was idle for each of its chunks: the rest is that the end was less even than simulated.
    pub fn explain(&mut self, excess_s: f64, window: &Window) {
        // The more chunks, the better it shows what one costs: larger ones tell less than is known.
        let size = self.own_batches().and_then(Batches::size);
        if self.overhead_of.is_some() && size > self.overhead_of {
            return;
        }
        if size != self.overhead_of {
            (self.overhead, self.most_overhead, self.overhead_of) = (VecDeque::new(), VecDeque::new(), size);
        }
        let most_s = idle_per_chunk_s(window).max(0.0);
        remember(&mut self.most_overhead, most_s);
        // So few chunks say nothing of what one costs.
        if window.chunks >= 2 * u64::from(self.workers) {
            let each_s = excess_s * f64::from(self.workers) / window.chunks as f64;
            remember(&mut self.overhead, each_s.min(most_s).max(0.0));
        }
    }

    /// A whole iteration was no longer than if messages had cost this share of what was measured of them: side by side their
    /// ways seem longer than they keep anybody waiting.
    pub fn add_message_share(&mut self, share: f64) {
        remember(&mut self.message_shares, share.clamp(0.0, 1.0));
    }

    /// The same program if messages cost this share of what was measured of them.
    pub fn with_messages(&self, share: f64) -> WorkloadEstimator {
        WorkloadEstimator { message_shares: VecDeque::from([share]), ..self.clone() }
    }

    /// Whether it is no exception: the program has not changed, or another iteration agrees with the change.
    pub fn is_confirmed(&self) -> bool {
        !self.changed || self.is_seen_again()
    }

    /// Whether more than one iteration agrees with it.
    pub fn is_seen_again(&self) -> bool {
        self.windows > 1
    }

    /// Time of all tasks of an iteration (`Tc`), seconds.
    pub fn compute_s(&self) -> f64 {
        self.mean_s * self.tasks as f64
    }

    /// The useful work of so many tasks, seconds.
    pub fn work_s(&self, tasks: u64) -> f64 {
        self.reference_s * tasks as f64
    }

    /// An iteration's time if its tasks had taken what so many workers need for the useful work: that a program has more to do,
    /// or less, is no merit of the number. Where workers are unequal, it may be. Seconds.
    pub fn normalized_s(&self, window: &Window) -> f64 {
        if !self.are_equal() {
            return window.iteration_s;
        }
        let reference = (window.tasks, self.work_s(window.tasks));
        let (_, usual_s) = self.growth.at(reference, self.reference_workers, window.workers);
        window.iteration_s * usual_s / self.compute_s()
    }

    /// Whether a worker is on another host than the master.
    pub fn is_far(&self) -> bool {
        self.far.values().any(|far| *far)
    }

    /// Standard error of the mean, seconds.
    pub fn mean_error_s(&self) -> f64 {
        self.residual_s(self) / self.samples.max(1.0).sqrt()
    }

    /// Standard error of sigma, seconds.
    pub fn sigma_error_s(&self) -> f64 {
        OF_SIGMA * self.sigma_s() / self.samples.max(1.0).sqrt()
    }

    /// Standard error of the logarithm of a simulated iteration time / ideal by that of sigma: what is above the ideal, no more of it than sigma/mu,
    /// grows with sigma.
    pub fn excess_error(&self, ratio: f64) -> f64 {
        let by_sigma = (1.0 - 1.0 / ratio.max(1.0)).min(self.sigma_s() / self.mean_s);
        by_sigma * OF_SIGMA / self.samples.max(1.0).sqrt()
    }

    /// Whether workers differ by no more than the model's error: then their speeds explain nothing.
    pub fn are_equal(&self) -> bool {
        self.slowest() <= 1.0 + MODEL
    }

    /// Whether all workers that leave where only so many take part are known to be slow, as they computed the same tasks as others.
    pub fn parks_slow_ones(&self, workers: u32) -> bool {
        if !self.is_compared || workers >= self.workers {
            return false;
        }
        let all = self.in_order();
        let Some(fastest) = all.first() else { return false };
        let leave = all.iter().take(self.workers as usize).skip(workers as usize);
        leave.into_iter().all(|worker| worker.slowness > (1.0 + MODEL) * fastest.slowness)
    }

    /// How many times slower than the fastest the slowest known worker is.
    pub fn slowest(&self) -> f64 {
        let values = || self.slowness.values().copied();
        let fastest = values().fold(f64::INFINITY, f64::min);
        if fastest > 0.0 { values().fold(1.0, f64::max) / fastest } else { 1.0 }
    }

    /// The same of those that took part in an iteration.
    fn are_equal_in(&self, window: &Window) -> bool {
        let slow = |rank: u32| self.slowness.get(&rank).copied().unwrap_or(1.0);
        let ends = |(least, most): (f64, f64), slow: f64| (least.min(slow), most.max(slow));
        let (least, most) = window.per_worker.iter().map(|w| slow(w.rank)).fold((f64::INFINITY, 0.0), ends);
        most <= (1.0 + MODEL) * least
    }

    /// Whether iterations take time that is attributed to their chunks.
    pub fn has_overhead(&self) -> bool {
        self.overhead.iter().copied().reduce(f64::min).is_some_and(|each_s| each_s > 0.0)
    }

    /// The same workload without unexplained overhead.
    pub fn without_overhead(&self) -> WorkloadEstimator {
        WorkloadEstimator { overhead: VecDeque::new(), ..self.clone() }
    }

    /// Standard deviation of the time of a task over everything, seconds.
    pub fn sigma_s(&self) -> f64 {
        self.variation_by(self) * self.mean_s
    }

    /// sigma/mu, whatever the size of the chunks that were timed, if places and workers explain as large a share of it as in the `known` program.
    fn variation_by(&self, known: &WorkloadEstimator) -> f64 {
        let all = (known.drawn_s / known.mean_s).powi(2);
        let share = if all > 0.0 { (known.tasks_each * known.explained() / all).min(1.0) } else { 0.0 };
        self.drawn_s / self.mean_s * (1.0 - share * (1.0 - 1.0 / self.tasks_each)).sqrt()
    }
}
