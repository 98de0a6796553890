//! Windows for tests.

use crate::{PROFILE_BINS, ProfileBin, Window, WorkerWork};
use midrun_handout::Setting;

/// An iteration of even tasks: 100 tasks of 1 ms for each of `workers` workers.
pub fn window(iteration: u64, workers: u32, iteration_s: f64) -> Window {
    let work = |rank| WorkerWork {
        rank,
        tasks: 100,
        chunks: 10,
        busy_s: 0.1,
        sum_sq_s2: 100.0 * 1e-6,
        tasks_timed: true,
        far: None,
    };
    let tasks = 100 * u64::from(workers);
    let each = tasks as f64 / PROFILE_BINS as f64;
    Window {
        iteration,
        tasks,
        workers,
        iteration_s,
        chunks: 10 * u64::from(workers),
        master_busy_s: 1e-4,
        prepare_s: None,
        network: None,
        setting: Setting::FALLBACK,
        setting_changed: false,
        per_worker: (1..=workers).map(work).collect(),
        profile: vec![ProfileBin { tasks: each, busy_s: each * 1e-3 }; PROFILE_BINS],
        coverage: 1.0,
    }
}
