//! The worker's part of an iteration.

use super::config::Config;
use super::message::{Header, Kind};
use crate::frameworks::endpoint::{Endpoint, Message};
use crate::mpi::MpiFailed;
use crate::records::ChunkDone;
use crate::{agent_link, clock, records, status};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::time::Duration;

/// Between two tasks the worker makes progress on messages when this much time has passed: while sends or receives are in
/// progress, and otherwise for the inputs of the next chunk. Each call costs microseconds, more where ranks share a core.
const PROGRESS_NS: u64 = 200_000;
const POLL_NS: u64 = 10_000_000;
/// A worker that got no chunk for this long is not needed in this iteration.
const UNUSED_NS: u64 = 50_000_000;
/// Longest pause for the master's measurement of the eager limit.
const LONGEST_HOLD: Duration = Duration::from_millis(20);

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this status, after this number of chunks.
    Over(c_int, u64),
    /// The master dismissed this process.
    Dismissed,
}

/// Computes the master's chunks until the iteration is over. A worker sleeps longer at a time if it is `parked` (it got no
/// chunk in the last iteration) or has waited long without one.
pub fn iterate(
    config: &Config,
    endpoint: &mut Endpoint,
    messages: &mut VecDeque<Message>,
    iteration: u64,
    parked: bool,
) -> Result<End, MpiFailed> {
    let mut failed = status::OK;
    let mut chunks = 0;
    let begin_ns = clock::now_ns();
    loop {
        while messages.is_empty() {
            let now_ns = clock::now_ns();
            agent_link::check_when_due(now_ns);
            let idle = chunks == 0 && (parked || now_ns.saturating_sub(begin_ns) > UNUSED_NS);
            endpoint.wait(messages, idle)?;
        }
        let Some(message) = messages.pop_front() else { continue };
        match Header::read(&message.bytes) {
            Some((header, _)) if header.kind == Kind::End => {
                let status = if header.iteration == iteration { header.status } else { status::ERR_COUNT };
                endpoint.flush()?;
                return Ok(End::Over(status, chunks));
            }
            Some((header, _)) if header.kind == Kind::Probe => {
                let mut echo = endpoint.buffer();
                Header::new(Kind::Echo, header.iteration).write(&mut echo, 0);
                endpoint.send(config.master, echo)?;
            }
            Some((header, _)) if header.kind == Kind::Hold => {
                let mut echo = endpoint.buffer();
                Header::new(Kind::Echo, header.iteration).write(&mut echo, 0);
                endpoint.send(config.master, echo)?;
                endpoint.flush()?;
                std::thread::sleep(Duration::from_nanos(header.total).min(LONGEST_HOLD));
            }
            Some((header, tasks)) if header.kind == Kind::Chunk && header.iteration == iteration => {
                compute(config, endpoint, messages, &header, tasks, &mut failed)?;
                chunks += 1;
            }
            Some((header, _)) if header.kind == Kind::Farewell => return Ok(End::Dismissed),
            _ => return Ok(End::Over(status::ERR_COUNT, chunks)),
        }
        endpoint.recycle(message.bytes);
    }
}

fn compute(
    config: &Config,
    endpoint: &mut Endpoint,
    messages: &mut VecDeque<Message>,
    header: &Header,
    tasks: &[u8],
    failed: &mut c_int,
) -> Result<(), MpiFailed> {
    let arrived_ns = clock::now_ns();
    let mut message = endpoint.buffer();
    let mut done = Header { kind: Kind::Result, total: 0, ..*header };
    let (mut busy_ns, mut sum_sq_s2) = (0, 0.0);
    let count = header.count as usize;
    let step = if config.whole_chunks() { count.max(1) } else { 1 };
    let payload = if *failed == status::OK { count * config.result_bytes } else { 0 };
    let results = done.write(&mut message, payload);
    let (mut moved_ns, mut ended_ns) = (arrived_ns, arrived_ns);
    for at in (0..count).step_by(step) {
        if *failed != status::OK {
            break;
        }
        if step == 1 && count > 1 && at + 1 == count && messages.is_empty() {
            let mut ask = endpoint.buffer();
            Header::new(Kind::Ask, header.iteration).write(&mut ask, 0);
            endpoint.send(config.master, ask)?;
        }
        let begin_ns = clock::now_ns();
        let (from, size) = (at * config.task_bytes, step * config.task_bytes);
        let into = &mut results[at * config.result_bytes..][..step * config.result_bytes];
        if !config.compute(header.iteration, header.first + at as u64, step as u64, &tasks[from..from + size], into) {
            *failed = status::ERR_TASK;
        }
        let end_ns = clock::now_ns();
        ended_ns = end_ns;
        let spent_ns = end_ns.saturating_sub(begin_ns);
        busy_ns += spent_ns;
        let spent_s = spent_ns as f64 * 1e-9;
        sum_sq_s2 += spent_s * spent_s / step as f64;
        let due_ns = match (endpoint.moving(), config.task_bytes > 0) {
            (true, _) => PROGRESS_NS,
            (false, true) => POLL_NS,
            (false, false) => u64::MAX,
        };
        if end_ns.saturating_sub(moved_ns) >= due_ns && at + step < count {
            endpoint.progress(messages)?;
            moved_ns = end_ns;
        }
    }
    done.status = *failed;
    done.total = busy_ns;
    done.held_ns = ended_ns.saturating_sub(arrived_ns);
    done.sum_sq_s2 = sum_sq_s2;
    done.patch(&mut message);
    endpoint.send(config.master, message)?;
    records::chunk(&ChunkDone {
        iteration: header.iteration,
        first: header.first,
        count: header.count,
        end_ns: clock::now_ns(),
        busy_ns,
        sum_sq_s2,
        tasks_total: header.total,
        tasks_timed: step == 1,
    });
    Ok(())
}
