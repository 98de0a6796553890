//! C API: marks for programs that keep their own Master/Worker loop.

use crate::guard::{guard, guard_value};
use crate::hook::{self, ChunkDone, UNKNOWN_ITERATION};
use crate::{clock, process, safe_point, status, synchronized, tuning_points};
use midrun_scheduling::{ChunkScheduler, TechniqueParameters, WorkerSpeed};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most workers that marks tell apart.
const MAX_WORKERS: u32 = 1 << 20;

/// The master's own loop.
struct Loop {
    iteration: u64,
    handout: ChunkScheduler,
    epoch: u64,
    speeds: Vec<WorkerSpeed>,
    tasks: u64,
    chunks: u64,
    done_s: f64,
}

static LOOP: Mutex<Option<Loop>> = Mutex::new(None);
/// Iterations begun in this process, and the tasks of the one running, for the chunks of its workers.
static BEGUN: AtomicU64 = AtomicU64::new(0);
static TASKS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// First task, tasks and start of the work that this thread is in.
    static WORK: Cell<Option<(u64, u64, u64)>> = const { Cell::new(None) };
}

/// The iteration this process is in or was in last, as far as its marks say.
pub fn iteration() -> Option<u64> {
    BEGUN.load(Ordering::Relaxed).checked_sub(1)
}

fn tuned() -> c_int {
    if process::recording() { status::OK } else { status::OFF }
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_iteration_begin(tasks: u64, workers: u32) -> c_int {
    guard("midrun_iteration_begin", || {
        if workers > MAX_WORKERS {
            return status::ERR_ARGUMENT;
        }
        let iteration = BEGUN.load(Ordering::Relaxed);
        if workers > 0 {
            let Ok(mut guard) = LOOP.try_lock() else { return status::ERR_ARGUMENT };
            if !safe_point::own() {
                return status::ERR_ARGUMENT;
            }
            if guard.is_none() {
                tuning_points::declare_master_worker(TechniqueParameters::FALLBACK);
            }
            synchronized::on_iteration(iteration);
            safe_point::poll(iteration, true);
            let (setting, epoch) = tuning_points::master_worker_setting();
            let mut speeds = guard.take().map_or_else(Vec::new, |old| old.speeds);
            speeds.resize(workers as usize, WorkerSpeed::default());
            speeds.iter_mut().for_each(|speed| *speed = speed.faded());
            let handout = ChunkScheduler::new(setting, tasks, workers);
            *guard = Some(Loop { iteration, handout, epoch, speeds, tasks, chunks: 0, done_s: 0.0 });
            hook::iteration_begin(iteration, clock::now_ns(), tasks, workers, &setting, (0, 0));
        } else {
            synchronized::on_iteration(iteration);
            safe_point::poll(iteration, true);
        }
        TASKS.store(tasks, Ordering::Relaxed);
        BEGUN.store(iteration + 1, Ordering::Relaxed);
        crate::points::on_marked_iteration(iteration);
        tuned()
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_iteration_end() -> c_int {
    guard("midrun_iteration_end", || {
        let Ok(mut guard) = LOOP.try_lock() else { return status::ERR_ARGUMENT };
        if let Some(l) = guard.as_mut() {
            hook::iteration_end(l.iteration, clock::now_ns(), l.tasks, l.chunks, (l.done_s * 1e9) as u64, 0);
            safe_point::poll(l.iteration, false);
        } else if let Some(iteration) = iteration() {
            safe_point::poll(iteration, false);
        }
        tuned()
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_work_begin(first: u64, tasks: u64) -> c_int {
    guard("midrun_work_begin", || {
        if !process::recording() {
            return status::OFF;
        }
        let now_ns = clock::now_ns();
        process::slow_point(now_ns);
        WORK.set(Some((first, tasks, now_ns)));
        tuned()
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_work_end() -> c_int {
    guard("midrun_work_end", || {
        if !process::recording() {
            return status::OFF;
        }
        let Some((first, count, begin_ns)) = WORK.take() else { return status::ERR_ARGUMENT };
        let end_ns = clock::now_ns();
        let iteration = iteration().unwrap_or(UNKNOWN_ITERATION);
        record_chunk(iteration, (first, TASKS.load(Ordering::Relaxed)), count, end_ns, end_ns.saturating_sub(begin_ns));
        tuned()
    })
}

/// `place` is the chunk's first task and how many tasks there are, 0 where its place is not known.
fn record_chunk(iteration: u64, place: (u64, u64), count: u64, end_ns: u64, busy_ns: u64) {
    let busy_s = busy_ns as f64 * 1e-9;
    hook::chunk(&ChunkDone {
        iteration,
        first: place.0,
        count,
        end_ns,
        busy_ns,
        sum_sq_s2: busy_s * busy_s / count.max(1) as f64,
        tasks_total: place.1,
        tasks_timed: count == 1,
    });
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_next_chunk(worker: u32) -> u64 {
    guard_value("midrun_next_chunk", 0, || {
        // A lock, not an attempt: 0 would say that everything is handed out. Only threads of the program contend.
        let mut guard = LOOP.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(l) = guard.as_mut() else { return 0 };
        safe_point::poll(l.iteration, false);
        if tuning_points::epoch() != l.epoch {
            let (setting, epoch) = tuning_points::master_worker_setting();
            l.handout.set(setting);
            l.epoch = epoch;
        }
        let Some(chunk) = l.handout.next(worker, &l.speeds) else { return 0 };
        l.chunks += 1;
        chunk.count
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_chunk_done(worker: u32, tasks: u64, seconds: f64) -> c_int {
    guard("midrun_chunk_done", || {
        let sane = seconds.is_finite() && (0.0..1e9).contains(&seconds) && tasks > 0;
        let Ok(mut guard) = LOOP.try_lock() else { return status::ERR_ARGUMENT };
        let Some(l) = guard.as_mut().filter(|_| sane) else { return status::ERR_ARGUMENT };
        let Some(speed) = l.speeds.get_mut(worker as usize) else { return status::ERR_ARGUMENT };
        *speed = learnt(*speed, tasks, seconds, seconds * seconds / tasks as f64);
        l.done_s += seconds;
        record_chunk(l.iteration, (0, 0), tasks, clock::now_ns(), (seconds * 1e9) as u64);
        tuned()
    })
}

/// A worker's speed with one more chunk: `sum_sq_s2` as in [`ChunkDone`]. Seconds.
pub fn learnt(speed: WorkerSpeed, tasks: u64, busy_s: f64, sum_sq_s2: f64) -> WorkerSpeed {
    let (before, added) = (speed.tasks as f64, tasks as f64);
    let all = before + added;
    let sum_sq = (speed.var_s2 + speed.mean_s * speed.mean_s) * before + sum_sq_s2;
    let mean_s = (speed.mean_s * before + busy_s) / all;
    WorkerSpeed {
        tasks: speed.tasks + tasks,
        chunks: speed.chunks + 1,
        mean_s,
        var_s2: (sum_sq / all - mean_s * mean_s).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_hand_out_every_task_once_without_an_agent() {
        assert_eq!(midrun_next_chunk(0), 0, "before any iteration");
        assert_eq!(midrun_iteration_begin(100, 4), status::OFF);
        let mut handed = 0;
        loop {
            match midrun_next_chunk((handed % 4) as u32) {
                0 => break,
                count => handed += count,
            }
        }
        assert_eq!(handed, 100);
        assert_eq!(midrun_chunk_done(0, 25, 0.5), status::OFF);
        assert_eq!(midrun_chunk_done(9, 25, 0.5), status::ERR_ARGUMENT);
        assert_eq!(midrun_chunk_done(0, 25, f64::NAN), status::ERR_ARGUMENT);
        assert_eq!(midrun_iteration_end(), status::OFF);
        assert_eq!(midrun_work_begin(0, 1), status::OFF);
        assert_eq!(midrun_work_end(), status::OFF);
    }

    #[test]
    fn a_workers_mean_and_variance_are_those_of_its_tasks() {
        let one = learnt(WorkerSpeed::default(), 2, 3.0, 5.0); // tasks of 1 s and 2 s
        let two = learnt(one, 1, 3.0, 9.0);
        assert_eq!((two.tasks, two.chunks, two.mean_s), (3, 2, 2.0));
        assert!((two.var_s2 - 2.0 / 3.0).abs() < 1e-12);
    }
}
