//! What keeps iterations from being tuned as well as others: each is said once, when it is met first.

use super::MasterWorker;
use super::number::{most, tuning_point_of_number};
use crate::master_worker::own_chunks::OwnChunks;
use crate::master_worker::regime::Regime;
use crate::master_worker::workload::WorkloadEstimator;
use crate::options::Objective;
use crate::trial::WATCHED;
use crate::tuning_point::names;
use crate::{Refusal, TuningPoint, Window};
use midrun_vocabulary::{Count, Seconds};

/// Tasks of an iteration that is simulated, at most: each drawing holds a time of each.
pub const MOST_TASKS: u64 = 1 << 22;
/// Chunks that a program cuts in an iteration by itself, at most: each takes a step of each of a decision's simulations.
const MOST_CHUNKS: u64 = 1 << 17;

/// What was met.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Obstacle {
    /// The program has a value that it cannot be told.
    OutOfRange,
    /// The program does not cut as it is told.
    NoBatches,
    /// Iterations have more tasks or chunks than are simulated.
    Many,
    /// Chunks have tasks in common.
    Overlap,
    /// Iterations take longer than the user wants, with all workers there are.
    Deadline,
    /// The place of the work is not foreseeable.
    Unforeseen,
    /// Ranks wait for cores.
    Crowded,
    /// Messages are above the MPI's eager limit.
    Rendezvous,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Obstacles(Vec<(Obstacle, Refusal)>);

impl Obstacles {
    /// All that were said.
    pub(super) fn said(&self) -> Vec<Refusal> {
        self.0.iter().map(|(_, refusal)| refusal.clone()).collect()
    }

    fn say(&mut self, obstacle: Obstacle, iteration: u64, why: impl FnOnce() -> String) {
        if self.0.iter().all(|(said, _)| *said != obstacle) {
            let refusal = Refusal { tunlet: "master_worker".to_owned(), iteration, why: why(), times: 1 };
            self.0.push((obstacle, refusal));
        }
    }
}

impl MasterWorker {
    /// Says of a deadline that it is missed, where nothing better is known with all workers there can be.
    pub(super) fn note_missed_deadline(&mut self, iteration: u64, workers: u32, tuning_points: &[TuningPoint]) {
        let (Objective::Deadline(limit_s), _) = self.workers.requested() else { return };
        let Some(count) = tuning_point_of_number(tuning_points) else { return };
        let can_start = tuning_points.iter().any(|point| point.name == names::SPAWNED);
        let usual_s = self.present.time_s().filter(|usual_s| *usual_s > limit_s && self.present.count() >= WATCHED);
        let Some(usual_s) = usual_s.filter(|_| workers >= most(count) && !can_start) else { return };
        self.obstacles.say(Obstacle::Deadline, iteration, || {
            let (usual, limit, all) = (Seconds(usual_s), Seconds(limit_s), Count(u64::from(workers), "worker"));
            format!("to meet the deadline of {limit}: with {all}, all there are, an iteration takes {usual}")
        });
    }

    /// Whether an iteration has more tasks, or more chunks, than are simulated; then it is said.
    pub(super) fn has_too_many_tasks(&mut self, window: &Window) -> bool {
        let (too_many_tasks, too_many_chunks) =
            (window.tasks > MOST_TASKS, window.own_loop && window.chunks > MOST_CHUNKS);
        if too_many_tasks {
            self.obstacles.say(Obstacle::Many, window.iteration, || {
                format!(
                    "to simulate iterations of {} tasks: of {MOST_TASKS} at most; if a work line of the points file counts them, its argument \
                     may be a pointer to the number, as in Fortran: TYPE*",
                    window.tasks
                )
            });
        } else if too_many_chunks {
            self.obstacles.say(Obstacle::Many, window.iteration, || {
                format!(
                    "to simulate iterations of {} chunks: of {MOST_CHUNKS} at most; if a work line of the points file counts them, its function may \
                     compute a part of a worker's chunk only",
                    window.chunks
                )
            });
        }
        too_many_tasks || too_many_chunks
    }

    /// Says of a program with its own loop that its chunks have tasks in common, once it is so in two iterations: what was handed out again may be in one.
    /// Chunks that all begin with task 0 say nothing.
    pub(super) fn note_overlap(&mut self, window: &Window) {
        if !window.own_loop {
            return;
        }
        let all = window.per_worker.iter().flat_map(|w| &w.each_chunk);
        let mut chunks: Vec<(u64, u64)> = all.map(|chunk| (chunk.first, chunk.tasks)).collect();
        chunks.sort_unstable();
        let is_told = chunks.last().is_some_and(|(first, _)| *first > 0);
        let common = chunks.windows(2).find(|pair| is_told && pair[1].0 < pair[0].0.saturating_add(pair[0].1));
        let Some(&[(first, tasks), (next, more)]) = common else {
            self.overlapped = false;
            return;
        };
        if std::mem::replace(&mut self.overlapped, true) {
            self.obstacles.say(Obstacle::Overlap, window.iteration, || {
                format!(
                    "to tune chunks while some have tasks in common: one has {} from {first} on, another {} from {next} on. If an iteration hands out tasks \
                     more than once, name the function that does so once as the iteration; else see the work line of the points file: it counts \
                     arguments from 1, first M is the chunk's first task and tasks N their number",
                    Count(tasks, "task"),
                    Count(more, "task"),
                )
            });
        }
    }

    /// Whether the program cuts as what it offers says; otherwise it is said, once it is so in two iterations: a value may have changed in one.
    pub(super) fn cuts_as_offered(
        &mut self,
        own: &OwnChunks<'_>,
        iteration: u64,
        workload: &WorkloadEstimator,
    ) -> bool {
        if let Some(why) = own.outside() {
            self.obstacles.say(Obstacle::OutOfRange, iteration, || why);
            return false;
        }
        let Some(why) = own.differ(workload) else {
            self.differed = false;
            return true;
        };
        // The iteration at whose safe point they were told may have begun with the former.
        if iteration >= self.of_own && std::mem::replace(&mut self.differed, true) {
            self.obstacles.say(Obstacle::NoBatches, iteration, || why);
        }
        false
    }

    /// Notes the obstacles that are met.
    pub(super) fn note_obstacles(
        &mut self,
        iteration: u64,
        workload: &WorkloadEstimator,
        tuning_points: &[TuningPoint],
    ) {
        if self.places.are_unusual(self.confidence) {
            let so_far = 100.0 * self.places.unforeseen().exp_m1();
            let what = match () {
                () if tuning_points.iter().any(|point| point.name == names::TECHNIQUE) => {
                    "; while that is so, it keeps to techniques that end evenly wherever the dear tasks are"
                }
                () if OwnChunks::offered(tuning_points).is_some() => {
                    "; while that is so, it chooses chunks as if nothing but chance told tasks apart"
                }
                () => "",
            };
            self.obstacles.say(Obstacle::Unforeseen, iteration, || {
                format!(
                    "to count on where the work is: the last iterations do not tell it, forecasts of how evenly the next ones end were \
                     off by {so_far:.0} %{what}"
                )
            });
        }
        if self.regime == Some(Regime::Cores) {
            self.obstacles.say(Obstacle::Crowded, iteration, || {
                format!(
                    "to expect that other numbers of workers bring more cores: ranks were ready to run and had no core for {:.0} % of \
                     the time at least, while they computed",
                    100.0 * workload.run_delay
                )
            });
        }
        if let Some(why) = workload.rendezvous() {
            self.obstacles.say(Obstacle::Rendezvous, iteration, || why);
        }
    }
}
