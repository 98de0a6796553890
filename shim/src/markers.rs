//! C API: markers of iterations and work, for programs that keep their own Master/Worker loop.

use crate::guard::{guard, guard_value};
use crate::records::{self, ChunkDone, UNKNOWN_ITERATION};
use crate::{agent_link, clock, iterations, points, safe_point, scheduling, start, state, status, synchronized};
use midrun_scheduling::{ChunkScheduler, TechniqueParameters, WorkerSpeed};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once};

/// Most workers that the markers tell apart.
const MAX_WORKERS: u32 = 1 << 20;

/// The current iteration of a master.
struct MasterIteration {
    iteration: u64,
    scheduler: ChunkScheduler,
    epoch: u64,
    speeds: Vec<WorkerSpeed>,
    tasks: u64,
    chunks: u64,
    done_s: f64,
}

static CURRENT: Mutex<Option<MasterIteration>> = Mutex::new(None);
/// Begins with the technique that an earlier run gives.
static START: Once = Once::new();
/// Declares the tuning points of scheduling, once the program asks for a chunk: one that cuts its tasks by itself goes by no technique.
static TECHNIQUE: Once = Once::new();
/// Tasks of the current iteration.
static TASKS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// First task, number of tasks and begin (nanoseconds) of the work that this thread is in.
    static WORK: Cell<Option<(u64, u64, u64)>> = const { Cell::new(None) };
}

fn recording_status() -> c_int {
    if state::recording() { status::OK } else { status::OFF }
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_iteration_begin(tasks: u64, workers: u32) -> c_int {
    guard("midrun_iteration_begin", || {
        if workers > MAX_WORKERS {
            return status::ERR_ARGUMENT;
        }
        let iteration = iterations::marked().map_or(0, |last| last + 1);
        if workers > 0 {
            let Ok(mut guard) = CURRENT.try_lock() else { return status::ERR_ARGUMENT };
            if !safe_point::own() {
                return status::ERR_ARGUMENT;
            }
            // A program without tasks schedules none.
            if tasks > 0 {
                START.call_once(|| {
                    let ranks = state::segment().map_or(0, |segment| segment.identity().world_size);
                    let start = start::scheduling(ranks as usize).map(|start| start.parameters);
                    scheduling::begin_with(start.unwrap_or(TechniqueParameters::FALLBACK));
                });
            }
            if iterations::synchronized_by_markers() {
                synchronized::on_iteration(iteration);
            }
            safe_point::poll(iteration, true);
            let (setting, epoch) = scheduling::current();
            let mut speeds = guard.take().map_or_else(Vec::new, |old| old.speeds);
            speeds.resize(workers as usize, WorkerSpeed::default());
            speeds.iter_mut().for_each(|speed| *speed = speed.faded());
            let scheduler = ChunkScheduler::new(setting, tasks, workers);
            *guard = Some(MasterIteration { iteration, scheduler, epoch, speeds, tasks, chunks: 0, done_s: 0.0 });
            records::iteration_begin(0, iteration, clock::now_ns(), tasks, workers, &setting, (0, 0));
        } else {
            if iterations::synchronized_by_markers() {
                synchronized::on_iteration(iteration);
            }
            safe_point::poll(iteration, true);
        }
        TASKS.store(tasks, Ordering::Relaxed);
        iterations::begin_marked(iteration);
        points::on_marked_iteration(iteration);
        recording_status()
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_iteration_end() -> c_int {
    guard("midrun_iteration_end", || {
        let Ok(mut guard) = CURRENT.try_lock() else { return status::ERR_ARGUMENT };
        if let Some(l) = guard.as_mut() {
            records::iteration_end(
                (l.iteration, clock::now_ns()),
                (l.tasks, l.chunks),
                ((l.done_s * 1e9) as u64, 0),
                (0, 0),
            );
            safe_point::poll(l.iteration, false);
        } else if let Some(iteration) = iterations::marked() {
            safe_point::poll(iteration, false);
        }
        recording_status()
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_work_begin(first: u64, tasks: u64) -> c_int {
    guard("midrun_work_begin", || {
        if !state::recording() {
            return status::OFF;
        }
        let now_ns = clock::now_ns();
        agent_link::check_when_due(now_ns);
        WORK.set(Some((first, tasks, now_ns)));
        recording_status()
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_work_end() -> c_int {
    guard("midrun_work_end", || {
        if !state::recording() {
            return status::OFF;
        }
        let Some((first, count, begin_ns)) = WORK.take() else { return status::ERR_ARGUMENT };
        let end_ns = clock::now_ns();
        let iteration = iterations::marked().unwrap_or(UNKNOWN_ITERATION);
        record_chunk(iteration, (first, TASKS.load(Ordering::Relaxed)), count, end_ns, end_ns.saturating_sub(begin_ns));
        recording_status()
    })
}

/// `place` is the chunk's first task and the number of all tasks, 0 where they are not known.
fn record_chunk(iteration: u64, place: (u64, u64), count: u64, end_ns: u64, busy_ns: u64) {
    let busy_s = busy_ns as f64 * 1e-9;
    records::chunk(&ChunkDone {
        iteration,
        first: place.0,
        count,
        end_ns,
        busy_ns,
        sum_sq_s2: busy_s * busy_s / count.max(1) as f64,
        tasks_total: place.1,
        tasks_timed: count == 1,
        master: None,
    });
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_next_chunk(worker: u32) -> u64 {
    guard_value("midrun_next_chunk", 0, || {
        // A lock, not an attempt: 0 would say that no tasks are left. Only threads of the program contend.
        let lock = || CURRENT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Not under this lock: the registry of tuning points has one of its own.
        if !TECHNIQUE.is_completed() && lock().is_some() {
            TECHNIQUE.call_once(|| {
                let (now, _) = scheduling::current();
                scheduling::declare_technique(now, now);
            });
        }
        let mut guard = lock();
        let Some(l) = guard.as_mut() else { return 0 };
        safe_point::poll(l.iteration, false);
        if scheduling::epoch() != l.epoch {
            let (setting, epoch) = scheduling::current();
            l.scheduler.set(setting);
            l.epoch = epoch;
        }
        let Some(chunk) = l.scheduler.next(worker, &l.speeds) else { return 0 };
        l.chunks += 1;
        chunk.count
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_chunk_done(worker: u32, tasks: u64, seconds: f64) -> c_int {
    guard("midrun_chunk_done", || {
        let sane = seconds.is_finite() && (0.0..1e9).contains(&seconds) && tasks > 0;
        let Ok(mut guard) = CURRENT.try_lock() else { return status::ERR_ARGUMENT };
        let Some(l) = guard.as_mut().filter(|_| sane) else { return status::ERR_ARGUMENT };
        let Some(speed) = l.speeds.get_mut(worker as usize) else { return status::ERR_ARGUMENT };
        speed.add_chunk(tasks, seconds, seconds * seconds / tasks as f64);
        l.done_s += seconds;
        record_chunk(l.iteration, (0, 0), tasks, clock::now_ns(), (seconds * 1e9) as u64);
        recording_status()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_markers_schedule_every_task_once_without_an_agent() {
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
}
