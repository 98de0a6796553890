//! Window of an iteration: the measurements of one closed iteration of one job.

use midrun_models::link::Cost;
use midrun_scheduling::TechniqueParameters;

use crate::efficiency::Efficiency;
use crate::model_error::EXACT;
pub use midrun_vocabulary::bounds::{EACH_CHUNK_OF_ITERATION, PROFILE_BINS};
use midrun_vocabulary::names::{PROGRESS, tree};

/// One chunk, as its worker computed it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChunkWork {
    /// Its first task.
    pub first: u64,
    /// Its tasks.
    pub tasks: u64,
    /// Sum of their times, seconds.
    pub busy_s: f64,
    /// Sum of the squares of their times, seconds squared; of (chunk time)²/count where they were not timed singly.
    pub sum_sq_s2: f64,
}

/// Work of one worker in one iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerWork {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Tasks computed.
    pub tasks: u64,
    /// Chunks computed.
    pub chunks: u64,
    /// Sum of task times, seconds.
    pub busy_s: f64,
    /// Sum of squared task times, seconds squared; of (chunk time)²/count where `tasks_timed` is false.
    pub sum_sq_s2: f64,
    /// Whether every task was timed by itself (else only chunks were).
    pub tasks_timed: bool,
    /// Whether it runs on another host than the master; `None` if unknown.
    pub far: Option<bool>,
    /// Its chunks one by one; fewer than `chunks`, or none, where there were too many to send.
    pub each_chunk: Vec<ChunkWork>,
}

/// Work that fell into one part of the iteration's index range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProfileBin {
    /// Tasks. A chunk that crosses bins counts in each with its share.
    pub tasks: f64,
    /// Their time, seconds.
    pub busy_s: f64,
}

/// Cost of messages between the master and one class of workers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkCost {
    /// A message of v bytes takes `start_up_s + per_byte_s v`.
    pub cost: Cost,
    /// Largest message that the MPI sends without waiting for its receiver, bytes; 0 = unknown.
    pub eager_bytes: u32,
    /// Smallest message that waits for its receiver, bytes; 0 = none was found.
    pub rendezvous_bytes: u32,
    /// Round trips of the calibration.
    pub samples: u32,
    /// Round trips of the program's own messages.
    pub trips: u64,
}

impl LinkCost {
    /// Estimated largest message that is sent without waiting for its receiver, bytes: the middle between the two sizes
    /// that were found.
    fn eager_limit(&self) -> u64 {
        let (eager, not) = (u64::from(self.eager_bytes), u64::from(self.rendezvous_bytes));
        if not == 0 { u64::MAX } else { eager.midpoint(not).saturating_sub(1).max(eager) }
    }

    /// Whether a message of so many bytes is sent without waiting for its receiver.
    pub fn is_eager(&self, bytes: u64) -> bool {
        bytes <= self.eager_limit()
    }

    /// Tasks, or results, of so many bytes that fit into one eager message.
    pub fn eager_tasks(&self, bytes: u32) -> u64 {
        match self.eager_limit() {
            u64::MAX => u64::MAX,
            limit => limit.checked_div(u64::from(bytes)).unwrap_or(u64::MAX),
        }
    }
}

/// Cost of messages between the master and its workers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Network {
    /// To workers of the master's host.
    pub near: Option<LinkCost>,
    /// To workers of other hosts.
    pub far: Option<LinkCost>,
    /// Bytes sent with each task.
    pub task_bytes: u32,
    /// Bytes that come back with each.
    pub result_bytes: u32,
}

impl Network {
    /// Link to the farthest class of workers.
    pub fn limiting(&self) -> Option<LinkCost> {
        self.far.or(self.near)
    }

    /// Link to a worker on another host (`Some(true)`), on the master's (`Some(false)`), or at an unknown place.
    pub fn to(&self, far: Option<bool>) -> Option<LinkCost> {
        match far {
            Some(false) => self.near.or(self.far),
            _ => self.limiting(),
        }
    }
}

/// Measurements of one measure point of one rank in one iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointWindow {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Its label.
    pub label: String,
    /// Calls, or values read.
    pub count: u64,
    /// Calls or values that the sums below hold; fewer than `count` where measuring became too expensive.
    pub timed: u64,
    /// Sum of the times, seconds; of a variable's values, in its units.
    pub sum: f64,
    /// Sum of the squares.
    pub squares: f64,
    /// The shortest, or the smallest.
    pub minimum: f64,
    /// The longest, or the largest.
    pub maximum: f64,
    /// Last value, if it measures a variable.
    pub value: Option<f64>,
}

impl PointWindow {
    /// Mean time or value; `None` if nothing was timed.
    pub fn mean(&self) -> Option<f64> {
        (self.timed > 0).then(|| self.sum / self.timed as f64)
    }
}

/// One closed iteration of one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Rank of the master, which names the framework instance; `None` where all ranks iterate.
    pub master: Option<u32>,
    /// Number of the iteration, from 0.
    pub iteration: u64,
    /// Iterations that it stands for, the last of them that of its number; 1 where they are shown one by one. It is the one of median time, where they are short.
    pub iterations: u64,
    /// Tasks of the iteration.
    pub tasks: u64,
    /// Workers that received tasks (the master is not one).
    pub workers: u32,
    /// Wall time of the iteration, seconds.
    pub iteration_s: f64,
    /// Chunks dispatched.
    pub chunks: u64,
    /// Time the master spent dispatching chunks and receiving results, seconds.
    pub master_busy_s: f64,
    /// Of that, the time to prepare the inputs of tasks, and to take their results, which goes with the tasks and not with the chunks; 0
    /// where it was not measured. Seconds.
    pub inputs_s: f64,
    /// See `inputs_s`.
    pub results_s: f64,
    /// Time between the end of the previous iteration and the beginning of this one (`mu_m`), seconds; `None` if it was
    /// not measured.
    pub prepare_s: Option<f64>,
    /// Cost of messages; `None` if it was not measured.
    pub network: Option<Network>,
    /// Efficiencies of this iteration, or of the newest one before it of which all ranks' times are there; `None` if there is none.
    pub efficiency: Option<Efficiency>,
    /// Share of the time for which the rank that lacked a core longest had none while it computed, at least, as it was last read.
    pub held_up: f64,
    /// Technique and parameters in force when the iteration began.
    pub setting: TechniqueParameters,
    /// Whether they changed inside this iteration.
    pub setting_changed: bool,
    /// Whether the program hands its tasks out by itself: then the technique says nothing.
    pub own_loop: bool,
    /// Whether the program takes its chunks from midrun and tells its master no times (`midrun_chunk_done`): no technique can go by them.
    pub unreported: bool,
    /// Each worker's share, by rank.
    pub per_worker: Vec<WorkerWork>,
    /// Work by position in the index range; [`PROFILE_BINS`] entries.
    pub profile: Vec<ProfileBin>,
    /// Measurements of the ranks' measure points, by rank and label; see [`crate::Tunlet::points`].
    pub points: Vec<PointWindow>,
    /// Share of the tasks whose records arrived, 0 to 1. Below 1, records were dropped.
    pub coverage: f64,
}

impl Window {
    /// Iteration of this number that took so many seconds: no tasks, no workers, nothing measured beside.
    pub fn of_time(iteration: u64, iteration_s: f64) -> Window {
        Window {
            master: None,
            iteration,
            iterations: 1,
            tasks: 0,
            workers: 0,
            iteration_s,
            chunks: 0,
            master_busy_s: 0.0,
            inputs_s: 0.0,
            results_s: 0.0,
            prepare_s: None,
            network: None,
            efficiency: None,
            held_up: 0.0,
            setting: TechniqueParameters::FALLBACK,
            setting_changed: false,
            own_loop: false,
            unreported: false,
            per_worker: Vec::new(),
            profile: Vec::new(),
            points: Vec::new(),
            coverage: 1.0,
        }
    }

    /// Windows of as many iterations from the program's start to the end of this one. As many are to come (Lindy's rule).
    pub fn so_far(&self) -> u64 {
        (self.iteration + 1).div_ceil(self.iterations.max(1))
    }

    /// Total task time over all workers, seconds.
    pub fn task_s(&self) -> f64 {
        self.per_worker.iter().map(|w| w.busy_s).sum()
    }

    /// The progress that the iteration made, as the measure points called `progress` of all ranks say: the sum of their values, or
    /// the number of their calls; `None` where none did.
    pub fn progress(&self) -> Option<f64> {
        let made = |point: &PointWindow| match (point.value, point.mean()) {
            // Of the values that were not read the mean is assumed.
            (Some(_), Some(mean)) => mean * point.count as f64,
            (Some(_), None) => 0.0,
            (None, _) => point.count as f64,
        };
        let all: f64 = self.points.iter().filter(|point| point.label == PROGRESS).map(made).sum();
        (all > 0.0).then_some(all)
    }

    /// Takes what was computed in it for no tasks: there is no master who handed them out.
    pub fn forget_chunks(&mut self) {
        (self.tasks, self.chunks, self.coverage) = (0, 0, 1.0);
        self.per_worker.clear();
        self.profile.fill(ProfileBin::default());
    }

    /// Time in which the master of a divide-and-conquer program divided and combined, seconds; 0 in others.
    pub fn serial_s(&self) -> f64 {
        let serial = self.points.iter().find(|point| point.label == tree::SERIAL);
        serial.map_or(0.0, |point| point.sum.clamp(0.0, self.iteration_s))
    }

    /// The shortest time this iteration could have taken: total task time / workers, seconds.
    pub fn ideal_s(&self) -> f64 {
        if self.workers == 0 { 0.0 } else { self.task_s() / f64::from(self.workers) }
    }

    /// Time of the busiest worker's tasks, seconds: how much longer the iteration was is no unevenness.
    pub fn busiest_s(&self) -> f64 {
        self.per_worker.iter().map(|w| w.busy_s).fold(0.0, f64::max)
    }

    /// The master's time per chunk, without what goes with its tasks, seconds.
    pub fn per_chunk_s(&self) -> f64 {
        (self.master_busy_s - self.inputs_s - self.results_s).max(0.0) / self.chunks.max(1) as f64
    }

    /// Share of the time that the ranks were ready to run and had no core; 0 where it is not known.
    pub fn run_delay(&self) -> f64 {
        self.efficiency.map_or(0.0, |efficiency| efficiency.run_delay)
    }

    /// Whether one setting was in force, and all records came but for a share below what the simulation is exact to.
    pub fn is_whole(&self) -> bool {
        !self.setting_changed && self.is_complete()
    }

    /// Whether all records came, but for a share below what the simulation is exact to.
    pub fn is_complete(&self) -> bool {
        self.coverage >= 1.0 - EXACT
    }

    /// César 2006, 1.5: `1 - sum(busy)/(workers × iteration time)`; 0 is perfect balance.
    pub fn imbalance(&self) -> f64 {
        if self.iteration_s > 0.0 { 1.0 - self.ideal_s() / self.iteration_s } else { 0.0 }
    }
}

/// Longest iteration, window of a stream, or sum of task times that is accepted, seconds (30 years).
pub(crate) const LONGEST_S: f64 = 1e9;
/// Share by which a worker may seem busy for longer than the iteration: clocks of two hosts differ.
const CLOCKS: f64 = 0.05;
/// Seconds by which it may seem so: times are rounded.
const CLOCKS_S: f64 = 1e-3;
/// Threads of a rank that record: each has a ring (lane) of its own.
const THREADS: f64 = 64.0;
/// Sums of squares may miss what is possible by this share: they are rounded.
const ROUNDING: f64 = 1e-3;

impl Window {
    /// Names the first value that no iteration can have. Such a window must not reach a model.
    pub fn nonsense(&self) -> Option<&'static str> {
        let time = |s: f64| (0.0..LONGEST_S).contains(&s);
        let longest_s = self.iteration_s * (1.0 + CLOCKS) + CLOCKS_S;
        // A rank may have threads that record, and a master may report the work of all its workers.
        let most_s = longest_s * THREADS * f64::from(self.workers.max(1));
        match () {
            () if !time(self.iteration_s) || (self.iteration_s == 0.0 && self.tasks > 0) => Some("the iteration time"),
            () if !(time(self.master_busy_s) && self.master_busy_s <= longest_s) => Some("the master's busy time"),
            () if !(time(self.inputs_s) && time(self.results_s)) => Some("the master's time for inputs and results"),
            () if self.prepare_s.is_some_and(|s| !time(s)) => Some("the time before the iteration"),
            () if !(0.0..=1.0).contains(&self.coverage) => Some("the share of records"),
            () if self.tasks > 0 && self.chunks > self.tasks => Some("more chunks than tasks"),
            () if self.workers == 0 && self.per_worker.iter().any(|w| w.tasks > 0) => Some("work without workers"),
            () if !(0.0..=1.0).contains(&self.setting.factor) => Some("the technique's factor"),
            () if self.per_worker.iter().any(|w| w.is_nonsense(most_s)) => Some("the task times"),
            () if self.profile.iter().any(|bin| !time(bin.busy_s) || !(0.0..1e18).contains(&bin.tasks)) => {
                Some("the work by position")
            }
            () if self.network.is_some_and(|network| network.is_nonsense()) => Some("the cost of messages"),
            () => None,
        }
    }
}

/// Possible sums of squares of `count` times whose sum is `sum_s`: sum² / count <= sum of squares <= sum².
pub(crate) fn squares_of(count: u64, sum_s: f64) -> std::ops::RangeInclusive<f64> {
    let square = sum_s * sum_s;
    square / count.max(1) as f64 * (1.0 - ROUNDING)..=square * (1.0 + ROUNDING) + f64::MIN_POSITIVE
}

impl WorkerWork {
    fn is_nonsense(&self, most_s: f64) -> bool {
        let squares = squares_of(self.tasks, self.busy_s);
        let none = self.tasks == 0 && self.busy_s == 0.0;
        let known = none || (self.busy_s > 0.0 && self.busy_s <= most_s && squares.contains(&self.sum_sq_s2));
        // Their times are rounded, so that their squares may fit less well than those of all together.
        let chunk = |chunk: &ChunkWork| {
            chunk.tasks > 0 && (0.0..=most_s).contains(&chunk.busy_s) && (0.0..LONGEST_S).contains(&chunk.sum_sq_s2)
        };
        !known || self.chunks > self.tasks || !self.each_chunk.iter().all(chunk)
    }
}

impl Network {
    fn is_nonsense(&self) -> bool {
        let costs = |c: Cost| [c.start_up_s, c.start_up_error_s, c.per_byte_s, c.per_byte_error_s];
        let links = [self.near, self.far].into_iter().flatten();
        links.flat_map(|link| costs(link.cost)).any(|s| !(0.0..LONGEST_S).contains(&s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::window;

    #[test]
    fn a_window_of_a_real_iteration_is_no_nonsense() {
        assert_eq!(window(0, 4, 0.1).nonsense(), None);
        let empty = Window { tasks: 0, chunks: 0, per_worker: vec![], iteration_s: 0.0, ..window(0, 4, 0.0) };
        assert_eq!(Window { master_busy_s: 0.0, ..empty }.nonsense(), None);
    }

    #[test]
    fn what_no_iteration_can_have_is_named() {
        let good = || window(0, 4, 0.1);
        let work = |change: fn(&mut WorkerWork)| {
            let mut bad = good();
            change(&mut bad.per_worker[2]);
            bad
        };
        let link = |start_up_s| LinkCost { cost: Cost { start_up_s, ..Cost::default() }, ..LinkCost::default() };
        let network = |start_up_s| Some(Network { far: Some(link(start_up_s)), ..Network::default() });
        let mut torn = good();
        torn.profile[3].busy_s = f64::NAN;
        for (bad, what) in [
            (Window { iteration_s: f64::NAN, ..good() }, "the iteration time"),
            (Window { iteration_s: -1.0, ..good() }, "the iteration time"),
            (Window { iteration_s: 0.0, ..good() }, "the iteration time"),
            (Window { iteration_s: 1e12, ..good() }, "the iteration time"),
            (Window { master_busy_s: f64::INFINITY, ..good() }, "the master's busy time"),
            (Window { master_busy_s: 5.0, ..good() }, "the master's busy time"),
            (Window { prepare_s: Some(-1.0), ..good() }, "the time before the iteration"),
            (Window { coverage: 1.5, ..good() }, "the share of records"),
            (Window { chunks: 1 << 40, ..good() }, "more chunks than tasks"),
            (Window { workers: 0, ..good() }, "work without workers"),
            (
                Window { setting: TechniqueParameters { factor: f64::NAN, ..TechniqueParameters::FALLBACK }, ..good() },
                "the technique's factor",
            ),
            (work(|w| w.busy_s = -0.1), "the task times"),
            (work(|w| w.busy_s = 0.0), "the task times"),
            (work(|w| w.busy_s = f64::INFINITY), "the task times"),
            (work(|w| w.busy_s = 1e8), "the task times"),
            (work(|w| w.sum_sq_s2 = 1.0), "the task times"),
            (work(|w| w.sum_sq_s2 = 0.0), "the task times"),
            (work(|w| w.chunks = 101), "the task times"),
            (torn, "the work by position"),
            (Window { network: network(f64::NAN), ..good() }, "the cost of messages"),
            (Window { network: network(-1.0), ..good() }, "the cost of messages"),
        ] {
            assert_eq!(bad.nonsense(), Some(what), "{bad:?}");
        }
    }

    #[test]
    fn between_the_sizes_that_were_found_the_middle_decides() {
        let link = LinkCost { eager_bytes: 4096, rendezvous_bytes: 5120, ..LinkCost::default() };
        let sizes = [0, 4096, 4607, 4608, 9000];
        assert_eq!(sizes.map(|bytes| link.is_eager(bytes)), [true, true, true, false, false]);
        assert!(LinkCost::default().is_eager(u64::MAX), "nobody found one that is not");
        assert!(!LinkCost { rendezvous_bytes: 1, ..LinkCost::default() }.is_eager(1));
        assert_eq!([0, 1, 1000, 9000].map(|bytes| link.eager_tasks(bytes)), [u64::MAX, 4607, 4, 0]);
        assert_eq!(LinkCost::default().eager_tasks(1), u64::MAX);
    }
}
