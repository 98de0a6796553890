//! A worker that takes its chunks from the shared counter.

use super::bundle::Bundle;
use super::chunk_record::record;
use super::config::Config;
use super::looks::Looks;
use super::message::{Header, Kind};
use super::order::Order;
use crate::frameworks::endpoint::{Endpoint, LARGE_BYTES, Message, PROGRESS_NS};
use crate::mpi::MpiFailed;
use crate::{agent_link, clock, status};
use midrun_scheduling::Chunk;
use std::collections::VecDeque;
use std::ffi::c_int;

/// A worker sends its results when this many times as long as its last message took has passed for each worker: what all of them send
/// then takes 1 % of the master's time, if taking a message costs it what sending costs them. On crowded cores a message may take
/// milliseconds, in which others compute.
const SHARE: u64 = 100;

/// What this worker's last message took to send, as a send that does not hold it and as one that does, nanoseconds; 0 before the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendTime([u64; 2]);

impl SendTime {
    fn of(&mut self, synchronous: bool) -> &mut u64 {
        &mut self.0[usize::from(synchronous)]
    }
}

/// One iteration of such a worker.
struct Taker<'a> {
    config: &'a Config,
    endpoint: &'a mut Endpoint,
    messages: &'a mut VecDeque<Message>,
    order: Order,
    iteration: u64,
    results: Bundle,
    sent_ns: u64,
    /// For the progress of its messages, between two tasks.
    looks: Looks,
    failed: c_int,
}

/// Takes and computes chunks until none is left; returns how many.
pub fn run(
    config: &Config,
    endpoint: &mut Endpoint,
    messages: &mut VecDeque<Message>,
    (order, iteration): (Order, u64),
    send_time: &mut SendTime,
) -> Result<u64, MpiFailed> {
    let results = Bundle::new(endpoint.buffer());
    let (sent_ns, failed) = (clock::now_ns(), status::OK);
    let mut taker =
        Taker { config, endpoint, messages, order, iteration, results, sent_ns, looks: Looks::since(sent_ns), failed };
    let Some(mut steps) = order.steps() else {
        taker.failed = status::ERR_COUNT;
        taker.send(true, send_time)?;
        return Ok(0);
    };
    let mut chunks = 0;
    while let Some(number) = taker.endpoint.count(1)
        && let Some(chunk) = steps.chunk(number.wrapping_sub(order.base))
    {
        chunks += 1;
        let end_ns = taker.compute(chunk)?;
        if taker.failed != status::OK {
            taker.endpoint.count(order.tasks); // nobody finds a chunk any more
            break;
        }
        let wait_ns = send_time.of(order.parameters.synchronous).saturating_mul(SHARE * u64::from(order.workers));
        if end_ns.saturating_sub(taker.sent_ns) >= wait_ns || taker.results.bytes() >= LARGE_BYTES {
            taker.send(false, send_time)?;
        }
    }
    taker.send(true, send_time)?;
    Ok(chunks)
}

impl Taker<'_> {
    /// Computes a chunk; returns when its last task ended.
    fn compute(&mut self, chunk: Chunk) -> Result<u64, MpiFailed> {
        let each = self.config.result_bytes;
        let bytes = chunk.count as usize * each;
        let (at, into) = self.results.begin(bytes);
        let step = if self.config.whole_chunks() { chunk.count } else { 1 };
        let (mut busy_ns, mut sum_sq_s2) = (0, 0.0);
        let (mut done, mut ended_ns) = (0, clock::now_ns());
        while done < chunk.count && self.failed == status::OK {
            let begin_ns = clock::now_ns();
            let here = done as usize * each..(done + step) as usize * each;
            if !self.config.compute(self.iteration, chunk.first + done, step, &[], &mut into[here]) {
                self.failed = status::ERR_TASK;
            }
            ended_ns = clock::now_ns();
            let spent_ns = ended_ns.saturating_sub(begin_ns);
            busy_ns += spent_ns;
            let spent_s = spent_ns as f64 * 1e-9;
            sum_sq_s2 += spent_s * spent_s / step as f64;
            done += step;
            let due_ns = PROGRESS_NS.max(self.looks.apart_ns());
            if self.endpoint.moving() && self.looks.is_due(ended_ns, due_ns) {
                self.endpoint.progress(self.messages)?;
                self.looks.looked(ended_ns, clock::now_ns());
            }
        }
        if self.failed != status::OK {
            self.results.give_up(at);
            return Ok(ended_ns);
        }
        let (first, count) = (chunk.first, chunk.count);
        let kind = Header::new(Kind::Result, self.iteration);
        let rank = self.endpoint.comm.rank as u64;
        self.results.end(at, &Header { iteration: rank, first, count, total: busy_ns, sum_sq_s2, ..kind });
        let header = Header { first, count, total: self.order.tasks, ..kind };
        record(self.config, &header, count, (busy_ns, sum_sq_s2), step == 1);
        Ok(ended_ns)
    }

    /// Sends what was computed since the last time; `is_last`: this worker takes no more.
    fn send(&mut self, is_last: bool, send_time: &mut SendTime) -> Result<(), MpiFailed> {
        let (begin_ns, synchronous) = (clock::now_ns(), self.order.parameters.synchronous);
        agent_link::check_when_due(begin_ns);
        let results = std::mem::replace(&mut self.results, Bundle::new(self.endpoint.buffer()));
        let header = Header::new(Kind::Results, self.iteration);
        let message = results.finish(Header { status: self.failed, total: u64::from(is_last), ..header });
        self.endpoint.hand_over(self.config.master, message, synchronous)?;
        self.sent_ns = clock::now_ns();
        *send_time.of(synchronous) = self.sent_ns.saturating_sub(begin_ns);
        Ok(())
    }
}
