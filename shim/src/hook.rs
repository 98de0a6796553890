//! What the frameworks and marks say happened, as records.

use crate::frameworks::master_worker::Link;
use crate::lane;
use midrun_handout::Setting;
use midrun_ring::{Record, kind};

pub use midrun_ring::kind::UNKNOWN_ITERATION;

/// The master begins an iteration.
/// `bytes` are those of one task and of one result, 0 where nobody knows.
pub fn iteration_begin(
    iteration: u64,
    time_ns: u64,
    tasks: u64,
    workers: u32,
    setting: &Setting,
    bytes: (usize, usize),
) {
    let small = |bytes: usize| u64::from(u32::try_from(bytes).unwrap_or(u32::MAX));
    let bytes = small(bytes.0) | small(bytes.1) << 32;
    let (policy, factor) = (u64::from(setting.kind.code()), setting.factor.to_bits());
    let payload = [iteration, tasks, u64::from(workers), policy, factor, bytes];
    lane::push(&Record { kind: kind::ITERATION_BEGIN, flags: 0, time_ns, payload });
}

/// Every result of the iteration is in. Times in nanoseconds.
pub fn iteration_end(iteration: u64, time_ns: u64, tasks: u64, chunks: u64, task_time_ns: u64, master_busy_ns: u64) {
    let payload = [iteration, tasks, chunks, task_time_ns, master_busy_ns, 0];
    lane::push(&Record { kind: kind::ITERATION_END, flags: 0, time_ns, payload });
}

/// A chunk that was computed.
#[derive(Clone, Copy, Debug)]
pub struct ChunkDone {
    /// Its iteration, or [`UNKNOWN_ITERATION`].
    pub iteration: u64,
    /// Its first task.
    pub first: u64,
    /// Its tasks.
    pub count: u64,
    /// When it ended.
    pub end_ns: u64,
    /// Sum of its tasks' times.
    pub busy_ns: u64,
    /// Sum of its tasks' times squared, or its time squared / count where tasks were not timed singly.
    pub sum_sq_s2: f64,
    /// Tasks of the iteration; 0 = unknown.
    pub tasks_total: u64,
    /// Whether each task was timed by itself.
    pub tasks_timed: bool,
}

/// A chunk was computed here.
#[inline]
pub fn chunk(done: &ChunkDone) {
    let payload = [done.iteration, done.first, done.count, done.busy_ns, done.sum_sq_s2.to_bits(), done.tasks_total];
    let flags = if done.tasks_timed { kind::TASKS_TIMED } else { 0 };
    lane::push(&Record { kind: kind::CHUNK, flags, time_ns: done.end_ns, payload });
}

/// What a message costs, to a worker of this host or of another.
pub fn link(same_host: bool, time_ns: u64, link: &Link) {
    let (start_up, per_byte) = (link.start_up_s.to_bits(), link.per_byte_s.to_bits());
    let low = |bytes: usize| u64::from(u32::try_from(bytes).unwrap_or(u32::MAX));
    let eager = low(link.eager_bytes) | low(link.rendezvous_bytes) << 32;
    let error = |s: f64| u64::from((s as f32).to_bits());
    let errors = error(link.start_up_error_s) | error(link.per_byte_error_s) << 32;
    let payload = [u64::from(same_host), start_up, per_byte, u64::from(link.samples), eager, errors];
    lane::push(&Record { kind: kind::LINK, flags: 0, time_ns, payload });
}

/// A chunk found its worker idle, and its result the master waiting: the way there and back of so many bytes.
pub fn trip(same_host: bool, time_ns: u64, bytes: u64, trip_ns: u64, iteration: u64, worker: usize) {
    let payload = [u64::from(same_host), bytes, trip_ns, iteration, worker as u64, 0];
    lane::push(&Record { kind: kind::TRIP, flags: 0, time_ns, payload });
}

/// What became of an action; `status` as in the wire's `ActionStatus`.
pub fn action_result(action: u64, status: u64, iteration: u64, time_ns: u64) {
    lane::push(&Record { kind: kind::ACTION_RESULT, flags: 0, time_ns, payload: [action, status, iteration, 0, 0, 0] });
}
