//! The worker's part of an iteration.

use super::chunk_record::record;
use super::config::Config;
use super::looks::Looks;
use super::message::{HEADER_BYTES, Header, Kind};
use super::order::Order;
use super::submaster::{self, Led};
use super::taker::{self, SendTime};
use crate::frameworks::endpoint::{Endpoint, Message, PROGRESS_NS};
use crate::mpi::MpiFailed;
use crate::{agent_link, clock, safe_point, status, stderr};
use midrun_scheduling::{own_task_s, tasks_to_return};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::time::Duration;

/// Between two tasks the worker looks for messages when this much time has passed: the next chunk's inputs, or a recall.
const POLL_NS: u64 = 10_000_000;
/// A worker that got no chunk for this long is not needed in this iteration.
const UNUSED_NS: u64 = 50_000_000;
/// Longest pause for the master's measurement of the eager limit.
const LONGEST_HOLD: Duration = Duration::from_millis(20);

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this status.
    Over(c_int),
    /// The master dismissed this process.
    Dismissed,
}

/// What a worker keeps from one iteration to the next.
#[derive(Debug, Default)]
pub struct Kept {
    /// It got no chunk in the last iteration.
    pub parked: bool,
    /// What a message costs it.
    pub send_time: SendTime,
    /// The sub-team that it led last.
    pub led: Led,
}

/// Computes the chunks of the master, or of a sub-master, until the master ends the iteration. A worker sleeps longer at a time if it is parked or has waited long
/// without a chunk.
pub fn iterate(
    config: &Config,
    endpoint: &mut Endpoint,
    messages: &mut VecDeque<Message>,
    iteration: u64,
    kept: &mut Kept,
) -> Result<End, MpiFailed> {
    safe_point::poll_followed(iteration, true);
    let mut failed = status::OK;
    let mut chunks = 0;
    // A sub-master may be in the next iteration before the master's end of this one is here.
    let mut early = Vec::new();
    let begin_ns = clock::now_ns();
    loop {
        while messages.is_empty() {
            let now_ns = clock::now_ns();
            agent_link::check_when_due(now_ns);
            let idle = chunks == 0 && (kept.parked || now_ns.saturating_sub(begin_ns) > UNUSED_NS);
            endpoint.wait(messages, idle)?;
            // Of the others only the master has to know.
            while let Some(rank) = endpoint.next_lost() {
                if rank == config.master {
                    stderr::warn(format_args!(
                        "rank {rank}, the master, was lost: no iteration can be computed any more"
                    ));
                    return Err(MpiFailed);
                }
            }
        }
        let Some(message) = messages.pop_front() else { continue };
        let from = message.from;
        match Header::read(&message.bytes) {
            Some((header, _)) if header.kind == Kind::End => {
                let status = if header.iteration == iteration { header.status } else { status::ERR_COUNT };
                endpoint.flush()?;
                kept.parked = chunks == 0;
                early.into_iter().rev().for_each(|message| messages.push_front(message));
                return Ok(End::Over(status));
            }
            Some((header, _)) if header.kind == Kind::Probe => {
                let mut echo = endpoint.buffer();
                Header::new(Kind::Echo, header.iteration).write(&mut echo, 0);
                endpoint.send(from, echo)?;
            }
            Some((header, _)) if header.kind == Kind::Hold => {
                let mut echo = endpoint.buffer();
                Header::new(Kind::Echo, header.iteration).write(&mut echo, 0);
                endpoint.send(from, echo)?;
                endpoint.flush()?;
                std::thread::sleep(Duration::from_nanos(header.total).min(LONGEST_HOLD));
            }
            Some((header, tasks)) if header.kind == Kind::Chunk && header.iteration == iteration => {
                safe_point::poll_followed(iteration, false);
                chunks += compute((config, from), endpoint, messages, &header, tasks, &mut failed)?;
            }
            Some((header, _)) if header.iteration > iteration && matches!(header.kind, Kind::Chunk | Kind::Recall) => {
                early.push(message);
                continue;
            }
            Some((header, ranks)) if header.kind == Kind::Lead && header.iteration == iteration => {
                chunks += submaster::run(config, endpoint, messages, (&header, ranks), &mut kept.led)?;
            }
            // After a failure in its sub-team, of which the master had not heard.
            Some((header, _)) if header.kind == Kind::Chunks && header.iteration == iteration => {}
            Some((header, payload)) if header.kind == Kind::Take && header.iteration == iteration => {
                let Some(order) = Order::read(&header, payload) else { return Ok(End::Over(status::ERR_COUNT)) };
                chunks += taker::run(config, endpoint, messages, (order, iteration), &mut kept.send_time)?;
            }
            // Too late: the result of that chunk is the answer.
            Some((header, _)) if header.kind == Kind::Recall && header.iteration <= iteration => {}
            Some((header, _)) if header.kind == Kind::Farewell => return Ok(End::Dismissed),
            _ => return Ok(End::Over(status::ERR_COUNT)),
        }
        endpoint.recycle(message.bytes);
    }
}

/// Computes a chunk and sends its result to the rank that sent it; returns the chunks that were computed: 0 if all its tasks were recalled before.
fn compute(
    (config, from): (&Config, usize),
    endpoint: &mut Endpoint,
    messages: &mut VecDeque<Message>,
    header: &Header,
    tasks: &[u8],
    failed: &mut c_int,
) -> Result<u64, MpiFailed> {
    let arrived_ns = clock::now_ns();
    let mut message = endpoint.buffer();
    let mut done = Header { kind: Kind::Result, total: 0, ..*header };
    let (mut busy_ns, mut sum_sq_s2) = (0, 0.0);
    // A recall may have come with the chunk.
    let mut count =
        header.count - answer_recall((config, from), endpoint, messages, header, (0, header.count, 0), tasks)?;
    if count == 0 {
        endpoint.recycle(message);
        return Ok(0);
    }
    if config.any_size() {
        return compute_any((config, from), endpoint, message, (header, count, arrived_ns), tasks, failed);
    }
    let step = if config.whole_chunks() { count } else { 1 };
    let payload = if *failed == status::OK { count as usize * config.result_bytes } else { 0 };
    let results = done.write(&mut message, payload);
    let (mut looks, mut ended_ns) = (Looks::since(arrived_ns), arrived_ns);
    let mut at = 0;
    while at < count && *failed == status::OK {
        if step == 1 && count > 1 && at + 1 == count && messages.is_empty() && !header.is_synchronous() {
            let mut ask = endpoint.buffer();
            Header::new(Kind::Ask, header.iteration).write(&mut ask, 0);
            endpoint.send(from, ask)?;
        }
        let begin_ns = clock::now_ns();
        let bytes = |from: u64, each: usize| from as usize * each..(from + step) as usize * each;
        let (inputs, into) = (&tasks[bytes(at, config.task_bytes)], &mut results[bytes(at, config.result_bytes)]);
        if !config.compute(header.iteration, header.first + at, step, inputs, into) {
            *failed = status::ERR_TASK;
        }
        let end_ns = clock::now_ns();
        ended_ns = end_ns;
        let spent_ns = end_ns.saturating_sub(begin_ns);
        busy_ns += spent_ns;
        let spent_s = spent_ns as f64 * 1e-9;
        sum_sq_s2 += spent_s * spent_s / step as f64;
        at += step;
        // Where nothing is recalled as yet, that may change while it computes.
        let due_ns = match (endpoint.moving(), header.may_recall()) {
            (true, _) => PROGRESS_NS,
            (false, true) => looks.apart_ns().min(POLL_NS),
            (false, false) => POLL_NS,
        };
        if looks.is_due(end_ns, due_ns) && at < count {
            endpoint.progress(messages)?;
            looks.looked(end_ns, clock::now_ns());
            count -= answer_recall((config, from), endpoint, messages, header, (at, count, busy_ns), tasks)?;
        }
    }
    message.truncate(HEADER_BYTES + if payload > 0 { count as usize * config.result_bytes } else { 0 });
    done.count = count;
    done.status = *failed;
    done.total = busy_ns;
    done.held_ns = ended_ns.saturating_sub(arrived_ns);
    done.sum_sq_s2 = sum_sq_s2;
    done.patch(&mut message);
    endpoint.hand_over(from, message, header.is_synchronous())?;
    record(config, header, count, (busy_ns, sum_sq_s2), step == 1);
    Ok(1)
}

/// As [`compute`], for `count` tasks whose inputs and results are of any size.
fn compute_any(
    (config, from): (&Config, usize),
    endpoint: &mut Endpoint,
    mut message: Vec<u8>,
    (header, count, arrived_ns): (&Header, u64, u64),
    tasks: &[u8],
    failed: &mut c_int,
) -> Result<u64, MpiFailed> {
    let done = Header { kind: Kind::Result, count, ..*header };
    done.write(&mut message, 0);
    let begin_ns = clock::now_ns();
    if *failed == status::OK {
        let (good, with_results) = config.compute_any((header.iteration, header.first, count), tasks, message);
        message = with_results;
        if !good {
            *failed = status::ERR_TASK;
        }
    }
    let end_ns = clock::now_ns();
    let busy_ns = end_ns.saturating_sub(begin_ns);
    let busy_s = busy_ns as f64 * 1e-9;
    let sum_sq_s2 = busy_s * busy_s / count as f64;
    let held_ns = end_ns.saturating_sub(arrived_ns);
    Header { status: *failed, total: busy_ns, sum_sq_s2, held_ns, ..done }.patch(&mut message);
    endpoint.hand_over(from, message, header.is_synchronous())?;
    record(config, header, count, (busy_ns, sum_sq_s2), count == 1);
    Ok(1)
}

/// Answers a recall if one has come. The worker computes the chunk `header`: it has computed `begun` of its `count` tasks in `busy_ns`, and others
/// may wait in `messages`. Gives back the last tasks of the chunk that the master names, and returns how many of them are of the
/// chunk that is being computed.
fn answer_recall(
    (config, from): (&Config, usize),
    endpoint: &mut Endpoint,
    messages: &mut VecDeque<Message>,
    header: &Header,
    (begun, count, busy_ns): (u64, u64, u64),
    tasks: &[u8],
) -> Result<u64, MpiFailed> {
    let read = |message: &Message| Header::read(&message.bytes).map(|(header, _)| header);
    let is_recall = |message: &Message| {
        read(message).is_some_and(|recall| recall.kind == Kind::Recall && recall.iteration == header.iteration)
    };
    let Some(at) = messages.iter().position(is_recall) else { return Ok(0) };
    let Some(recall) = messages.remove(at).and_then(|message| read(&message)) else { return Ok(0) };
    let is_waiting = |header: &Header| header.kind == Kind::Chunk;
    let waiting: u64 = messages.iter().filter_map(read).filter(is_waiting).map(|header| header.count).sum();
    // Of a chunk that the program computes as a whole all tasks have begun, once it has.
    let unbegun = (count - begun) + waiting;
    let own_s = own_task_s(recall.held_ns as f64 * 1e-9, begun, busy_ns as f64 * 1e-9);
    let wanted = tasks_to_return(unbegun, own_s, recall.sum_sq_s2, recall.count);
    let answer = |given: u64, of: u64, chunk: &Header, inputs: &[u8]| {
        let (first, left) = (chunk.first + of - given, (of - given) as usize * config.task_bytes);
        let answer =
            Header { first, count: given, total: chunk.first, ..Header::new(Kind::Returned, header.iteration) };
        (answer, left..left + if inputs.is_empty() { 0 } else { given as usize * config.task_bytes })
    };
    let mut reply = endpoint.buffer();
    if recall.first == header.first {
        let given = wanted.min(count - begun);
        let (answer, range) = answer(given, count, header, tasks);
        answer.write(&mut reply, range.len()).copy_from_slice(&tasks[range]);
        endpoint.hand_over(from, reply, header.is_synchronous())?;
        return Ok(given);
    }
    let named =
        |message: &Message| read(message).is_some_and(|header| is_waiting(&header) && header.first == recall.first);
    let Some(at) = messages.iter().position(named) else {
        endpoint.recycle(reply);
        return Ok(0);
    };
    let message = &mut messages[at];
    if let Some((chunk, inputs)) = Header::read(&message.bytes) {
        let given = wanted.min(chunk.count);
        let (answer, range) = answer(given, chunk.count, &chunk, inputs);
        answer.write(&mut reply, range.len()).copy_from_slice(&inputs[range.clone()]);
        let kept = Header { count: chunk.count - given, ..chunk };
        // Inputs of any size cannot be divided: the program is told how many of the tasks are left.
        if !config.any_size() {
            message.bytes.truncate(HEADER_BYTES + range.start);
        }
        kept.patch(&mut message.bytes);
        if kept.count == 0 {
            messages.remove(at);
        }
        endpoint.hand_over(from, reply, header.is_synchronous())?;
    }
    Ok(0)
}
