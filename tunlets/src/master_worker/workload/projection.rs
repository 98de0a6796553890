//! Projection of the workload to other numbers of workers, and the input of the simulation.

use super::last_iterations::LastIterations;
use super::position_profile::PositionProfile;
use super::{CutSeen, WorkloadEstimator};
use crate::link::Cost;
use crate::trial::JUDGED;
use crate::{LinkCost, Network, Window};
use midrun_models::batches::Batches;
use midrun_models::simulate::{MessageTimes, SimInput};
use std::collections::{BTreeMap, VecDeque};

/// Latency of a message until it is measured, seconds: mostly the wake-up of a sleeping rank.
const LATENCY_S: f64 = 75e-6;

/// Estimates of one worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownWorker {
    /// Its rank.
    pub rank: u32,
    /// Relative time per task: 1 average.
    pub slowness: f64,
    /// Time of its messages per task where nothing overlaps them, seconds.
    pub message_s: f64,
    /// Time of a task with its messages, seconds.
    pub cost_s: f64,
    far: Option<bool>,
}

/// Variance of the workers' speeds that may hide behind chance where no difference showed: their means scatter by `of_own` each. An estimate of 0
/// has the standard error of a chi-square's variance, and what is above 0 of its normal distribution has this mean.
fn hidden(of_own: f64, workers: u32) -> f64 {
    let freedom = f64::from(workers.max(2) - 1);
    of_own * (2.0 / freedom).sqrt() * (2.0 / std::f64::consts::PI).sqrt()
}

impl WorkloadEstimator {
    /// The same program with another number of workers, with as many tasks as it has then, as dear as they are then. A number is
    /// chosen for long: the master knows the workers' true speeds by then.
    pub fn with_workers(&self, workers: u32) -> WorkloadEstimator {
        let (tasks, compute_s) = self.growth.at((self.tasks, self.compute_s()), self.workers, workers);
        let mean_s = if tasks > 0 { compute_s / tasks as f64 } else { self.mean_s };
        let dearer = if self.mean_s > 0.0 { mean_s / self.mean_s } else { 1.0 };
        WorkloadEstimator {
            workers,
            tasks,
            mean_s,
            drawn_s: self.drawn_s * dearer,
            speeds: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// The same program with as many workers and tasks as in an iteration that was measured, cut as it cut them there.
    pub fn as_in(&self, window: &Window) -> WorkloadEstimator {
        WorkloadEstimator { tasks: window.tasks, cut: CutSeen::of(window), ..self.with_workers(window.workers) }
    }

    /// The same program if it cuts its tasks like this.
    pub fn with_batches(&self, batches: Batches) -> WorkloadEstimator {
        WorkloadEstimator { batches: Some(batches), ..self.clone() }
    }

    /// The same program when a change that is decided now is judged, where it has more to do with each iteration.
    pub fn ahead(&self) -> WorkloadEstimator {
        let more = f64::from(JUDGED) * self.growth.drift_s() / self.compute_s();
        if more <= 0.0 {
            return self.clone();
        }
        let last = LastIterations::default(); // where there was less to do
        WorkloadEstimator { shape: self.shape.spread(more), last, ..self.clone() }
    }

    /// The same program if nothing but chance told its tasks apart.
    pub fn placeless(&self) -> WorkloadEstimator {
        WorkloadEstimator { shape: PositionProfile::default(), last: LastIterations::default(), ..self.clone() }
    }

    /// The same program with another number of workers, where one of what that rests on is a standard error higher than it
    /// is known to be: mo, lambda, Tc, dV, dTc.
    pub fn within_errors(&self, workers: u32) -> [WorkloadEstimator; 5] {
        let there = self.with_workers(workers);
        let away = f64::from(workers.abs_diff(self.workers));
        let (tasks, compute_s) = self.growth.errors();
        let longer = |error_s: f64| WorkloadEstimator { mean_s: there.mean_s + error_s, ..there.clone() };
        let link = |change: fn(&mut Cost)| {
            let changed = |link: LinkCost| {
                let mut link = link;
                change(&mut link.cost);
                link
            };
            let network = there.network;
            let network = network.map(|n| Network { near: n.near.map(changed), far: n.far.map(changed), ..n });
            WorkloadEstimator { network, ..there.clone() }
        };
        [
            link(|cost| cost.start_up_s += cost.start_up_error_s),
            link(|cost| cost.per_byte_s += cost.per_byte_error_s),
            longer(self.mean_error_s()),
            WorkloadEstimator {
                tasks: there.tasks + ((away * tasks).round() as u64).min(there.tasks),
                ..there.clone()
            },
            longer((away * compute_s / there.tasks.max(1) as f64).min(there.mean_s)),
        ]
    }

    /// The known workers in the order in which they take part: of a program with its own loop the first ranks, of the framework the cheapest.
    pub fn in_order(&self) -> Vec<KnownWorker> {
        let known = |(&rank, &slowness): (&u32, &f64)| {
            let far = self.far.get(&rank).copied();
            let message_s = self.network.and_then(|network| network.to(far)).map_or(0.0, |link| self.message_s(&link));
            KnownWorker { rank, slowness, message_s, cost_s: slowness * self.mean_s + message_s, far }
        };
        let mut all: Vec<KnownWorker> = self.slowness.iter().map(known).collect();
        if self.own_batches().is_none() {
            all.sort_by(|a, b| a.cost_s.total_cmp(&b.cost_s));
        }
        all
    }

    /// The ideal time of an iteration: all tasks there are by all workers, with the speeds that these are known to have. Nothing is faster.
    /// Seconds.
    pub fn ideal_s(&self) -> f64 {
        self.compute_s() / self.slowness_of_all().iter().map(|slow| 1.0 / slow).sum::<f64>()
    }

    /// The relative time of a task on each worker, in their order; 1 where it is not known.
    pub fn slowness_of_all(&self) -> Vec<f64> {
        let known = self.in_order();
        (0..self.workers.max(1) as usize).map(|place| known.get(place).map_or(1.0, |worker| worker.slowness)).collect()
    }

    /// The ideal time of an iteration that was measured, whoever computed which of its tasks: what each worker was busy with, at its speed, by
    /// all of them. Where they are equal, all task times / workers. Seconds.
    pub fn ideal_of_s(&self, window: &Window) -> f64 {
        let speed = |rank: u32| 1.0 / self.slowness.get(&rank).copied().unwrap_or(1.0);
        let all = window.per_worker.iter().map(|w| (speed(w.rank), w.busy_s));
        let (speeds, work_s) = all.fold((0.0, 0.0), |(sum, work_s), (speed, s)| (sum + speed, work_s + speed * s));
        // Workers that got nothing could have computed, too.
        let speeds = speeds + f64::from(window.workers) - window.per_worker.len() as f64;
        if speeds > 0.0 { work_s / speeds } else { 0.0 }
    }

    /// Two messages per chunk, and the bytes of a task and its result, per task.
    fn message_s(&self, link: &LinkCost) -> f64 {
        let bytes = self.network.map_or(0.0, |n| f64::from(n.task_bytes) + f64::from(n.result_bytes));
        self.share() * (2.0 * link.cost.start_up_s / self.chunk_tasks.max(1.0) + link.cost.per_byte_s * bytes)
    }

    /// Standard error of what is known of a worker's speed, as a share of it: what it computed tells as much, and what workers differ by
    /// tells what to expect of any (empirical Bayes; ADR 0040).
    fn slowness_error(&self, worker: &KnownWorker) -> f64 {
        let Some(speed) = self.speeds.get(&worker.rank).filter(|speed| speed.tasks > 0) else { return 0.0 };
        let residual = (self.residual_s(self) / self.mean_s).powi(2);
        // Neighbours are alike in what the profile leaves open, too: as much of it as they are in the profile counts once for a chunk. Where only
        // whole chunks are timed, what is left still has the differences by place: each is one draw, and nothing is taken to hide behind it.
        let shared = match self.tasks_timed {
            true => self.shape.profile().map_or(0.0, |(_, between)| between.min(residual)),
            false => residual,
        };
        let of_own = shared / speed.chunks.max(1) as f64 + (residual - shared) / speed.tasks as f64;
        let hidden = if self.tasks_timed { hidden(of_own, self.workers) } else { 0.0 };
        let between = if self.by_workers > 0.0 { self.by_workers } else { hidden };
        let all = of_own + between;
        if all > 0.0 { (of_own * between / all).sqrt() } else { 0.0 }
    }

    fn share(&self) -> f64 {
        self.message_shares.iter().copied().fold(1.0, f64::min)
    }

    /// Message cost to a worker, for the simulation.
    fn message_times(&self, far: Option<bool>) -> Option<MessageTimes> {
        let network = self.network?;
        let link = network.to(far)?;
        let (out, back) = (network.task_bytes, network.result_bytes);
        let byte_s = self.share() * link.cost.per_byte_s;
        Some(MessageTimes {
            latency_s: self.share() * link.cost.start_up_s,
            send_s: byte_s * f64::from(out),
            back_s: byte_s * f64::from(back),
            eager_tasks: link.eager_tasks(out),
        })
    }

    /// Why messages are not taken for eager, if those of a chunk are above the MPI's eager limit. All synchronous ones wait.
    pub fn rendezvous(&self) -> Option<String> {
        let network = self.network.filter(|_| !self.synchronous)?;
        let link = network.limiting()?;
        let bytes = (self.chunk_tasks * f64::from(network.task_bytes)) as u64;
        (!link.is_eager(bytes)).then(|| {
            format!(
                "to forecast sends that return at once: a chunk's message has {bytes} bytes, and from a size between {} and {} bytes on \
                 (its eager limit) this MPI holds it back until the receiver looks, between two tasks; forecasts count that time",
                link.eager_bytes, link.rendezvous_bytes
            )
        })
    }

    /// The least of the last windows; 0 of none.
    fn least_of(&self, each_s: &VecDeque<f64>) -> f64 {
        each_s.iter().copied().reduce(f64::min).unwrap_or(0.0).min(self.ideal_s())
    }

    /// The most that a chunk can cost its worker beyond its tasks and messages (`unexplained_s` is the least), seconds.
    pub fn most_unexplained_s(&self) -> f64 {
        self.least_of(&self.overhead).max(self.least_of(&self.most_overhead))
    }

    /// Input of the simulation.
    pub fn load(&self) -> SimInput {
        // More may be known than take part.
        let known = self.in_order();
        let count = self.workers.max(1) as usize;
        let mut slowness: Vec<f64> = known.iter().map(|worker| worker.slowness).collect();
        let (profile, between) = self.shape.profile().unwrap_or_default();
        // The variance that workers explain does not belong to the tasks, whoever will take part.
        // What is left is chance, in proportion to the profile.
        let variance = (self.residual_s(self) / self.mean_s).powi(2) / (1.0 + between);
        let sample = if profile.is_empty() { self.shape.sample(variance) } else { Vec::new() };
        slowness.resize(count, 1.0);
        let slowness_errors = known.iter().take(count).map(|worker| self.slowness_error(worker)).collect();
        // It will weigh the next iteration's chunks by what it measured, even where that came from the tasks' places.
        let measured = |worker: &KnownWorker| self.speeds.get(&worker.rank).copied().unwrap_or_default().faded();
        let measured = known.iter().take(count).map(measured).collect();
        let far = (0..count).map(|place| known.get(place).and_then(|worker| worker.far));
        let message_times = far.map_while(|far| self.message_times(far)).collect();
        SimInput {
            tasks: self.tasks,
            workers: self.workers,
            mean_s: self.mean_s,
            profile,
            variation: variance.sqrt(),
            sample,
            seen: self.shape.places().map(|places| self.last.seen(&self.slowness, places)).unwrap_or_default(),
            slowness,
            slowness_errors,
            measured,
            moments: None,
            overhead_s: self.chunk_cost_s.clamp(0.0, self.mean_s),
            input_s: self.per_task_s.0,
            result_s: self.per_task_s.1,
            latency_s: LATENCY_S,
            send_s: 0.0,
            back_s: 0.0,
            message_times,
            unexplained_s: self.least_of(&self.overhead),
            without_prefetch: false,
            batches: self.own_batches().cloned(),
            first: false,
            unreported: self.unreported,
        }
    }
}
