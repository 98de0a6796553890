//! The Master/Worker scheduling that is in force: technique, parameters and workers, each a tuning point (`mw.*`).

use crate::tuning_points::{self, Setter, TuningPoint, TuningPoints};
use midrun_ring::TuningPointKind::{self, Real, Whole};
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_vocabulary::names;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Numbers of the tuning points.
const TECHNIQUE: usize = 0;
const FACTOR: usize = 1;
const TASK_MEAN: usize = 2;
const TASK_SIGMA: usize = 3;
const MIN_CHUNK: usize = 4;
const WORKERS: usize = 5;
const RECALL: usize = 6;
const COUNTER: usize = 7;
const TEAM_SIZE: usize = 8;
const SYNCHRONOUS: usize = 9;

#[derive(Debug)]
struct Scheduling {
    parameters: TechniqueParameters,
    /// Workers that take part.
    workers: u32,
    /// What the program asked for last.
    asked: Option<TechniqueParameters>,
}

static SCHEDULING: Mutex<Scheduling> =
    Mutex::new(Scheduling { parameters: TechniqueParameters::FALLBACK, workers: 0, asked: None });
/// Grows with each change, so that the master sees one by one load.
static EPOCH: AtomicU64 = AtomicU64::new(0);

static SETTER: Setter = Setter::new(set, value);

fn locked() -> MutexGuard<'static, Scheduling> {
    SCHEDULING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn set(_: &mut TuningPoints, number: usize, value: f64, _: &str) {
    let mut scheduling = locked();
    let p = &mut scheduling.parameters;
    match number {
        TECHNIQUE => p.kind = Technique::from_code(value.round() as u32).unwrap_or(p.kind),
        FACTOR => p.factor = value,
        TASK_MEAN => p.mean_s = value,
        TASK_SIGMA => p.sigma_s = value,
        MIN_CHUNK => p.min_chunk = value.round() as u64,
        WORKERS => scheduling.workers = value.round() as u32,
        RECALL => p.recall = value != 0.0,
        COUNTER => p.counter = value != 0.0,
        TEAM_SIZE => p.team_size = value.round() as u32,
        _ => p.synchronous = value != 0.0,
    }
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

fn value(number: usize) -> f64 {
    let scheduling = locked();
    let p = &scheduling.parameters;
    match number {
        TECHNIQUE => f64::from(p.kind.code()),
        // The share in force, and not the 0 that stands for the technique's own.
        FACTOR => p.share(),
        TASK_MEAN => p.mean_s,
        TASK_SIGMA => p.sigma_s,
        MIN_CHUNK => p.min_chunk as f64,
        WORKERS => f64::from(scheduling.workers),
        RECALL => f64::from(u8::from(p.recall)),
        COUNTER => f64::from(u8::from(p.counter)),
        TEAM_SIZE => f64::from(p.team_size),
        _ => f64::from(u8::from(p.synchronous)),
    }
}

fn declare_once(registry: &mut TuningPoints, name: &str, number: usize, kind: TuningPointKind, range: (f64, f64)) {
    if !registry.is_declared(&SETTER, number) {
        let tuning_point = TuningPoint { name: name.into(), kind, range, setter: &SETTER, number };
        registry.declare(tuning_point, value(number));
    }
}

/// Sets technique and parameters before they are tuning points.
pub fn begin_with(initial: TechniqueParameters) {
    locked().parameters = initial;
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

/// Declares technique and parameters as tuning points with the values of `initial`, where the program asked for `asked`; a second call only sets the
/// values. Where the program asks for the same again, as for each of many teams in a row, those in force stay.
pub fn declare_technique(asked: TechniqueParameters, initial: TechniqueParameters) {
    tuning_points::with(|registry| {
        if locked().asked.replace(asked) == Some(asked) {
            return;
        }
        begin_with(initial);
        let last_code = Technique::ALL.len() as f64 - 1.0;
        declare_once(registry, names::TECHNIQUE, TECHNIQUE, Whole, (0.0, last_code));
        declare_once(registry, names::FACTOR, FACTOR, Real, (0.0, 1.0));
        declare_once(registry, names::TASK_MEAN_S, TASK_MEAN, Real, (0.0, 1e9));
        declare_once(registry, names::TASK_SIGMA_S, TASK_SIGMA, Real, (0.0, 1e9));
        declare_once(registry, names::MIN_CHUNK, MIN_CHUNK, Whole, (1.0, 1e9));
        declare_once(registry, names::RECALL, RECALL, Whole, (0.0, 1.0));
        declare_once(registry, names::SYNCHRONOUS, SYNCHRONOUS, Whole, (0.0, 1.0));
    });
}

/// Declares the technique of a team in a pipeline: no more than that can be chosen there. A second call does nothing.
pub fn declare_team_technique(initial: TechniqueParameters) {
    tuning_points::with(|registry| {
        if registry.is_declared(&SETTER, TECHNIQUE) {
            return;
        }
        locked().parameters = initial;
        declare_once(registry, names::TECHNIQUE, TECHNIQUE, Whole, (0.0, Technique::ALL.len() as f64 - 1.0));
        declare_once(registry, names::FACTOR, FACTOR, Real, (0.0, 1.0));
        declare_once(registry, names::TASK_MEAN_S, TASK_MEAN, Real, (0.0, 1e9));
        declare_once(registry, names::TASK_SIGMA_S, TASK_SIGMA, Real, (0.0, 1e9));
        declare_once(registry, names::MIN_CHUNK, MIN_CHUNK, Whole, (1.0, 1e9));
    });
}

/// Declares whether workers take their chunks from a shared counter, where they can.
pub fn declare_counter() {
    tuning_points::with(|registry| declare_once(registry, names::COUNTER, COUNTER, Whole, (0.0, 1.0)));
}

/// Sets how many workers a sub-team has at most.
pub fn set_team_size(size: u32) {
    locked().parameters.team_size = size;
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

/// Declares it, up to `most`.
pub fn declare_team_size(most: u32) {
    tuning_points::with(|registry| {
        declare_once(registry, names::TEAM_SIZE, TEAM_SIZE, Whole, (0.0, f64::from(most)));
    });
}

/// Declares how many workers take part, of at most `most`; a second call only sets the value.
pub fn declare_workers(initial: u32, most: u32) {
    tuning_points::with(|registry| {
        locked().workers = initial;
        declare_once(registry, names::WORKERS, WORKERS, Whole, (1.0, f64::from(most)));
    });
}

/// `workers` are there now.
pub fn grow(workers: u32) {
    tuning_points::with(|registry| registry.set_range(&SETTER, WORKERS, (1.0, f64::from(workers))));
}

/// No more than `most` workers are left.
pub fn shrink(most: u32) {
    tuning_points::with(|registry| {
        let mut scheduling = locked();
        scheduling.workers = scheduling.workers.min(most).max(1);
        drop(scheduling);
        EPOCH.fetch_add(1, Ordering::Relaxed);
        registry.set_range(&SETTER, WORKERS, (1.0, f64::from(most.max(1))));
    });
}

/// Workers that are to take part.
pub fn workers() -> usize {
    locked().workers as usize
}

/// The technique and its parameters now, and their epoch.
pub fn current() -> (TechniqueParameters, u64) {
    let scheduling = locked();
    (scheduling.parameters, epoch())
}

/// Changes whenever the scheduling does; one load.
#[inline]
pub fn epoch() -> u64 {
    EPOCH.load(Ordering::Relaxed)
}
