//! The records that the frameworks and the iteration markers write: one function per kind.

use crate::{clock, thread_ring};
use midrun_ring::layout::text_to_words;
use midrun_ring::{Record, kind, part};
use midrun_scheduling::TechniqueParameters;

pub use midrun_ring::kind::{OF_FRAMEWORK, UNKNOWN_ITERATION};

/// The master begins an iteration of its own loop, or with [`kind::OF_FRAMEWORK`] as `flags` of a framework. `bytes` are those of one task
/// and of one result, 0 where they are not known.
pub fn iteration_begin(
    flags: u32,
    iteration: u64,
    time_ns: u64,
    tasks: u64,
    workers: u32,
    setting: &TechniqueParameters,
    bytes: (usize, usize),
) {
    let small = |bytes: usize| u64::from(u32::try_from(bytes).unwrap_or(u32::MAX));
    let bytes = small(bytes.0) | small(bytes.1) << 32;
    let (technique, factor) = (u64::from(setting.kind.code()), setting.factor.to_bits());
    let payload = [iteration, tasks, u64::from(workers), technique, factor, bytes];
    thread_ring::push(&Record { kind: kind::ITERATION_BEGIN, flags, time_ns, payload });
}

/// The master has every result of the iteration; of the time that it was busy, `per_task_ns` was for inputs and for results. Times in
/// nanoseconds.
pub fn iteration_end(
    (iteration, time_ns): (u64, u64),
    (tasks, chunks): (u64, u64),
    (task_time_ns, master_busy_ns): (u64, u64),
    per_task_ns: (u64, u64),
) {
    let micros = |ns: u64| u64::from(u32::try_from(ns / 1000).unwrap_or(u32::MAX));
    let per_task = micros(per_task_ns.0) | micros(per_task_ns.1) << 32;
    let payload = [iteration, tasks, chunks, task_time_ns, master_busy_ns, per_task];
    thread_ring::push(&Record { kind: kind::ITERATION_END, flags: 0, time_ns, payload });
}

/// Workers died: so many tasks were handed out again, to the workers that are left. `rank` is the one that died, in `MPI_COMM_WORLD`.
pub fn loss(iteration: u64, workers: u32, tasks: u64, left: u32, rank: Option<u32>) {
    let rank = rank.map_or(0, |rank| u64::from(rank) + 1);
    let payload = [iteration, u64::from(workers), tasks, u64::from(left), rank, 0];
    thread_ring::push(&Record { kind: kind::LOSS, flags: 0, time_ns: clock::now_ns(), payload });
}

/// A computed chunk.
#[derive(Clone, Copy, Debug)]
pub struct ChunkDone {
    /// Its iteration, or [`UNKNOWN_ITERATION`].
    pub iteration: u64,
    /// Its first task.
    pub first: u64,
    /// Its tasks.
    pub count: u64,
    /// End, CLOCK_MONOTONIC, nanoseconds.
    pub end_ns: u64,
    /// Sum of its tasks' times, nanoseconds.
    pub busy_ns: u64,
    /// Sum of its tasks' squared times; where tasks were not timed singly, the chunk's squared time / count.
    pub sum_sq_s2: f64,
    /// Tasks of the iteration; 0 = unknown.
    pub tasks_total: u64,
    /// Whether each task was timed by itself.
    pub tasks_timed: bool,
    /// The framework's master, by its rank in `MPI_COMM_WORLD`.
    pub master: Option<u32>,
}

/// A chunk was computed here.
#[inline]
pub fn chunk(done: &ChunkDone) {
    let payload = [done.iteration, done.first, done.count, done.busy_ns, done.sum_sq_s2.to_bits(), done.tasks_total];
    let flags = kind::of_master(done.master) | if done.tasks_timed { kind::TASKS_TIMED } else { 0 };
    thread_ring::push(&Record { kind: kind::CHUNK, flags, time_ns: done.end_ns, payload });
}

/// The cost of a message to one worker, from calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkCost {
    /// Start-up time of a message, seconds (`mo`), and its standard error.
    pub start_up_s: f64,
    /// See `start_up_s`.
    pub start_up_error_s: f64,
    /// Time of a byte, seconds (`lambda`), and its standard error.
    pub per_byte_s: f64,
    /// See `per_byte_s`.
    pub per_byte_error_s: f64,
    /// Round trips measured.
    pub samples: u32,
    /// Largest message, bytes, whose send was complete while the worker did not look; 0 = none, or not measured.
    pub eager_bytes: usize,
    /// Smallest message, bytes, whose send was not; 0 = none, or not measured.
    pub rendezvous_bytes: usize,
}

/// The cost of a message to a worker of this host or of another was measured.
pub fn link(same_host: bool, time_ns: u64, link: &LinkCost) {
    let (start_up, per_byte) = (link.start_up_s.to_bits(), link.per_byte_s.to_bits());
    let low = |bytes: usize| u64::from(u32::try_from(bytes).unwrap_or(u32::MAX));
    let eager = low(link.eager_bytes) | low(link.rendezvous_bytes) << 32;
    let error = |s: f64| u64::from((s as f32).to_bits());
    let errors = error(link.start_up_error_s) | error(link.per_byte_error_s) << 32;
    let payload = [u64::from(same_host), start_up, per_byte, u64::from(link.samples), eager, errors];
    thread_ring::push(&Record { kind: kind::LINK, flags: 0, time_ns, payload });
}

/// A chunk reached an idle worker, and its result a waiting master: a round trip of `bytes` without queueing.
pub fn trip(same_host: bool, time_ns: u64, bytes: u64, trip_ns: u64, iteration: u64, worker: usize) {
    let payload = [u64::from(same_host), bytes, trip_ns, iteration, worker as u64, 0];
    thread_ring::push(&Record { kind: kind::TRIP, flags: 0, time_ns, payload });
}

/// A message of the program, as the rank that sent or received it saw it. Times CLOCK_MONOTONIC, nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// It was received; else it was sent.
    pub received: bool,
    /// The other rank, in `MPI_COMM_WORLD`, and whether it is on this host.
    pub peer: (u32, bool),
    /// Its size.
    pub bytes: u64,
    /// Of the call that sent it, or posted its send; of the one that received it, or waited for it.
    pub begin_ns: u64,
    /// See `begin_ns`.
    pub end_ns: u64,
    /// When the program began to wait for it, where its call did not; 0: it was a blocking one.
    pub wait_ns: u64,
}

/// The program sent a message or received one.
pub fn message(of: &Message) {
    let (peer, same_host) = of.peer;
    let payload = [u64::from(of.received), peer.into(), same_host.into(), of.bytes, of.begin_ns, of.wait_ns];
    thread_ring::push_minor(&Record { kind: kind::MESSAGE, flags: 0, time_ns: of.end_ns, payload });
}

/// A measurement of one point in one iteration, in its parts; `head` is the first.
pub fn point(head: [u64; 6], parts: &[(u32, [u64; 6])]) {
    let time_ns = clock::now_ns();
    thread_ring::push(&Record { kind: kind::POINT, flags: part::HEAD, time_ns, payload: head });
    for (k, (part, payload)) in parts.iter().enumerate() {
        let last = if k + 1 == parts.len() { part::LAST } else { 0 };
        thread_ring::push(&Record { kind: kind::POINT, flags: part | last, time_ns, payload: *payload });
    }
}

/// The first part of a measurement of the point `label`: so many calls or values.
pub fn point_head(label: &[u64; 4], iteration: u64, count: u64) -> [u64; 6] {
    let [a, b, c, d] = *label;
    [a, b, c, d, iteration, count]
}

/// Times of a framework: their number and sum, nanoseconds; the sum of their squares; the shortest and the longest, nanoseconds.
pub fn point_times(label: &str, iteration: u64, (count, sum_ns): (u64, u64), squares_s2: f64, ends_ns: (u64, u64)) {
    let times = [count, sum_ns, squares_s2.to_bits(), ends_ns.0, ends_ns.1, 0];
    point(point_head(&text_to_words(label), iteration, count), &[(part::TIMES, times)]);
}

/// Values of a framework, of which only number and sum are known: as if they were equal.
pub fn point_values(label: &str, iteration: u64, count: u64, sum: f64) {
    let mean = sum / count.max(1) as f64;
    let numbers = [sum, mean * sum, mean, mean, mean].map(f64::to_bits);
    let [sum, squares, minimum, maximum, last] = numbers;
    let values = [count, sum, squares, minimum, maximum, last];
    point(point_head(&text_to_words(label), iteration, count), &[(part::VALUES, values)]);
}

/// A stream begins: its stages, the ranks that compute, its first input.
pub fn stream_begin(time_ns: u64, (stages, ranks): (usize, usize), first: u64, pipeline: u64) {
    let payload = [stages as u64, ranks as u64, first, pipeline, 0, 0];
    thread_ring::push(&Record { kind: kind::STREAM_BEGIN, flags: 0, time_ns, payload });
}

/// A text about `number` of a [`midrun_ring::topic`]; the meaning of `says` is the topic's.
pub fn text(time_ns: u64, topic: u32, number: u32, says: u64, text: &str) {
    let bytes = text.as_bytes();
    let about = u64::from(topic) | u64::from(number) << 32;
    let pieces = bytes.len().div_ceil(kind::PIECE).max(1);
    for at in (0..pieces).map(|piece| piece * kind::PIECE) {
        let mut piece = [0; kind::PIECE];
        let here = &bytes[at..bytes.len().min(at + kind::PIECE)];
        piece[..here.len()].copy_from_slice(here);
        let word = |k: usize| u64::from_le_bytes(std::array::from_fn(|b| piece[8 * k + b]));
        let payload = [about, bytes.len() as u64, says, word(0), word(1), word(2)];
        thread_ring::push(&Record { kind: kind::TEXT, flags: at as u32, time_ns, payload });
    }
}

/// A rank of the pipeline computed a stage for an input in `busy_ns`; `bytes` came out. Before that it was idle for
/// `idle_ns` and busy with messages for `own_ns`.
#[inline]
pub fn stage(
    time_ns: u64,
    (stage, place): (usize, usize),
    input: u64,
    busy_ns: u64,
    bytes: usize,
    (idle_ns, own_ns): (u64, u64),
) {
    let payload = [stage as u64 | (place as u64) << 32, input, busy_ns, bytes as u64, idle_ns, own_ns];
    thread_ring::push(&Record { kind: kind::STAGE, flags: 0, time_ns, payload });
}

/// What a rank did in a team's stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct TeamDone {
    /// Tasks computed, the sum of their times, nanoseconds, and of the squares of those, seconds squared.
    pub tasks: u64,
    pub busy_ns: u64,
    pub sum_sq_s2: f64,
    /// Lead, for a whole input: time of splitting and joining, and from the one to the other, nanoseconds.
    pub serial_ns: u64,
    pub elapsed_ns: u64,
}

/// A rank of a team computed tasks of a stage, or its lead is done with an input.
#[inline]
pub fn team(time_ns: u64, (stage, place): (usize, usize), done: &TeamDone) {
    let who = stage as u64 | (place as u64) << 32;
    let payload = [who, done.tasks, done.busy_ns, done.sum_sq_s2.to_bits(), done.serial_ns, done.elapsed_ns];
    thread_ring::push(&Record { kind: kind::TEAM, flags: 0, time_ns, payload });
}

/// The outputs of a stream in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamWindow {
    /// Its number, from 0 in each pipeline.
    pub number: u64,
    /// Begin and end, CLOCK_MONOTONIC, nanoseconds.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// Inputs that left the pipeline.
    pub outputs: u64,
    /// Oldest and newest pattern that they used.
    pub epochs: (u32, u32),
    /// Inputs in the pipeline, and those of them that wait for their order.
    pub on_way: (usize, usize),
    /// Time that the head spent in the program's source and sink, nanoseconds.
    pub head_ns: u64,
}

/// A window of a stream is over.
pub fn stream_window(w: &StreamWindow) {
    let both = |a: u64, b: u64| a.min(u64::from(u32::MAX)) | b << 32;
    let epochs = both(u64::from(w.epochs.0), u64::from(w.epochs.1));
    let on_way = both(w.on_way.0 as u64, w.on_way.1 as u64);
    let payload = [w.number, w.begin_ns, w.outputs, epochs, on_way, w.head_ns];
    thread_ring::push(&Record { kind: kind::STREAM_WINDOW, flags: 0, time_ns: w.end_ns, payload });
}

/// The end of an action; `status` as in the wire's `ActionStatus`, `register` where that is asked for, else 0.
pub fn action_result(action: u64, status: u64, iteration: u64, time_ns: u64, register: u64) {
    let payload = [action, status, iteration, register, 0, 0];
    thread_ring::push(&Record { kind: kind::ACTION_RESULT, flags: 0, time_ns, payload });
}
