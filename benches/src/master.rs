//! A simulated master as the analyzer would show it to a tunlet: the window of an iteration, and the tuning points.

use midrun_models::simulate::SimResult;
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{ChunkWork, EACH_CHUNK_OF_ITERATION, PROFILE_BINS, ProfileBin, TuningPoint, Window, WorkerWork};

/// The tuning points of the framework's master with their present values; `most` workers are there.
pub fn tuning_points(setting: &TechniqueParameters, workers: u32, most: u32) -> Vec<TuningPoint> {
    let point = |name: &str, whole, range, value| TuningPoint {
        rank: 0,
        name: name.into(),
        whole,
        range,
        value,
        declared: value,
        text: None,
        held: false,
    };
    let techniques = (Technique::ALL.len() - 1) as f64;
    vec![
        point(names::TECHNIQUE, true, (0.0, techniques), f64::from(setting.kind.code())),
        point(names::FACTOR, false, (0.0, 1.0), setting.factor),
        point(names::TASK_MEAN_S, false, (0.0, 1e9), setting.mean_s),
        point(names::TASK_SIGMA_S, false, (0.0, 1e9), setting.sigma_s),
        point(names::MIN_CHUNK, true, (1.0, 1e9), setting.min_chunk as f64),
        point(names::WORKERS, true, (1.0, f64::from(most)), f64::from(workers)),
    ]
}

/// The window of a simulated iteration of `tasks` tasks whose worker k is rank `ranks[k]`, and whose master spends `chunk_s`
/// seconds per chunk. Messages were not measured.
pub fn window(
    iteration: u64,
    tasks: u64,
    result: &SimResult,
    ranks: &[u32],
    setting: &TechniqueParameters,
    chunk_s: f64,
) -> Window {
    let new = |rank: &u32| WorkerWork { rank: *rank, tasks_timed: true, ..WorkerWork::default() };
    let mut per_worker: Vec<WorkerWork> = ranks.iter().map(new).collect();
    let mut profile = vec![ProfileBin::default(); PROFILE_BINS];
    let width = tasks as f64 / PROFILE_BINS as f64;
    for chunk in &result.log {
        let work = &mut per_worker[chunk.worker as usize];
        work.tasks += chunk.count;
        work.chunks += 1;
        work.busy_s += chunk.busy_s;
        work.sum_sq_s2 += chunk.sum_sq_s2;
        let (busy_s, sum_sq_s2) = (chunk.busy_s, chunk.sum_sq_s2);
        if result.log.len() <= EACH_CHUNK_OF_ITERATION {
            work.each_chunk.push(ChunkWork { first: chunk.first, tasks: chunk.count, busy_s, sum_sq_s2 });
        }
        // A chunk that crosses bins counts in each with its share.
        let (from, to) = (chunk.first as f64, (chunk.first + chunk.count) as f64);
        for (bin, at) in profile.iter_mut().zip(0..) {
            let inside = (to.min(width * f64::from(at + 1)) - from.max(width * f64::from(at))).max(0.0);
            bin.tasks += inside;
            bin.busy_s += chunk.busy_s * inside / chunk.count as f64;
        }
    }
    let chunks = result.log.len() as u64;
    Window {
        tasks,
        workers: ranks.len() as u32,
        chunks,
        master_busy_s: (chunks as f64 * chunk_s).min(result.iteration_s),
        // A window holds technique and share only.
        setting: TechniqueParameters { mean_s: 0.0, sigma_s: 0.0, min_chunk: 1, ..*setting },
        per_worker,
        profile,
        ..Window::of_time(iteration, result.iteration_s)
    }
}
