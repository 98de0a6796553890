//! The tasks that the master computes itself, one at a time, between messages.

use super::master::{Master, now_s};
use super::message::{Header, Kind};
use super::own_chunk::OwnChunk;
use crate::frameworks::endpoint::Message;
use crate::mpi::MpiFailed;
use crate::records::ChunkDone;
use crate::{clock, records, status};
use midrun_scheduling::{Chunk, Recall, own_task_s, tasks_to_return};
use std::collections::VecDeque;

impl Master<'_> {
    /// Returns whether all others take their chunks from the shared counter: they send results, and await nothing until all are back.
    fn nobody_waits(&self) -> bool {
        // A synchronous send holds the worker until it is taken.
        let may_wait = self.endpoint.moves_large() || self.ledger.is_synchronous();
        !may_wait && self.shared.as_ref().is_some_and(|shared| shared.sends_none)
    }

    /// Returns whether the master shall compute a task now: it holds some, no message waits to be read, none needs it to poll, and it
    /// pays.
    pub fn own_ready(&mut self, messages: &mut VecDeque<Message>) -> Result<bool, MpiFailed> {
        let Some(worker) = self.own.as_ref().map(|own| own.worker) else { return Ok(false) };
        let begin_ns = clock::now_ns();
        let is_due = self.looks.is_due(begin_ns, self.looks.apart_ns());
        if !is_due && messages.is_empty() && self.nobody_waits() {
            return Ok(true);
        }
        self.endpoint.progress(messages)?;
        self.looks.looked(begin_ns, clock::now_ns());
        Ok(messages.is_empty() && !self.endpoint.moves_large() && self.ledger.own_task_pays(worker, now_s()))
    }

    /// Computes one task of its own.
    pub fn compute_own(&mut self) {
        let Some(mut own) = self.own.take() else { return };
        let task = Chunk { first: own.chunk.first + own.computed, count: 1 };
        let computed_ns = match self.config.any_size() {
            true => self.compute_own_any(own.worker, task),
            false => self.compute_own_sized(task, &mut own.results),
        };
        let Some(busy_ns) = computed_ns else {
            self.own = Some(own);
            self.fail(status::ERR_TASK);
            return;
        };
        own.computed += 1;
        own.busy_ns += busy_ns;
        own.sum_sq_s2 += (busy_ns as f64 * 1e-9).powi(2);
        self.keep_own(own);
    }

    /// Computes `task` with inputs and results of fixed sizes, and appends the result to those of its chunk; returns the time of `compute`,
    /// nanoseconds, or `None` when the program refuses.
    fn compute_own_sized(&mut self, task: Chunk, results: &mut Vec<u8>) -> Option<u64> {
        let inputs = self.endpoint.buffer();
        let (prepared, inputs) = self.append_inputs(task, inputs);
        let from = results.len();
        results.resize(from + self.config.result_bytes, 0);
        let begin_ns = clock::now_ns();
        let good = prepared && self.config.compute(self.iteration, task.first, 1, &inputs, &mut results[from..]);
        let busy_ns = clock::now_ns().saturating_sub(begin_ns);
        self.endpoint.recycle(inputs);
        good.then_some(busy_ns)
    }

    /// Likewise, with inputs and results of any size, which cannot be put together: passes the result on at once.
    fn compute_own_any(&mut self, worker: usize, task: Chunk) -> Option<u64> {
        let (inputs, results) = (self.endpoint.buffer(), self.endpoint.buffer());
        let (prepared, inputs) = self.append_inputs(task, inputs);
        let begin_ns = clock::now_ns();
        let now = (self.iteration, task.first, 1);
        let (computed, results) = match prepared {
            true => self.config.compute_any(now, &inputs, results),
            false => (false, results),
        };
        let busy_ns = clock::now_ns().saturating_sub(begin_ns);
        let done = Header { first: task.first, count: 1, ..Header::new(Kind::Result, self.iteration) };
        let good = computed && self.deliver(worker, &done, &results);
        self.endpoint.recycle(inputs);
        self.endpoint.recycle(results);
        good.then_some(busy_ns)
    }

    /// Goes on with this chunk later or, where all its tasks are computed, takes it back into the ledger and cuts the next.
    fn keep_own(&mut self, mut own: OwnChunk) {
        if own.computed < own.chunk.count {
            self.own = Some(own);
            return;
        }
        let (now_ns, busy_s) = (clock::now_ns(), own.busy_ns as f64 * 1e-9);
        let held_s = now_ns.saturating_sub(own.began_ns) as f64 * 1e-9;
        if !self.ledger.take_own(own.worker, own.chunk, (busy_s, own.sum_sq_s2), held_s, now_s()) {
            self.fail(status::ERR_COUNT);
            return;
        }
        self.task_ns += own.busy_ns;
        let results = std::mem::take(&mut own.results);
        let done = Header {
            first: own.chunk.first,
            count: own.chunk.count,
            total: own.busy_ns,
            sum_sq_s2: own.sum_sq_s2,
            ..Header::new(Kind::Result, self.iteration)
        };
        if !self.config.any_size() && !self.deliver(own.worker, &done, &results) {
            self.fail(status::ERR_TASK);
            return;
        }
        self.endpoint.recycle(results);
        records::chunk(&ChunkDone {
            iteration: self.iteration,
            first: own.chunk.first,
            count: own.chunk.count,
            end_ns: now_ns,
            busy_ns: own.busy_ns,
            sum_sq_s2: own.sum_sq_s2,
            tasks_total: self.tasks,
            tasks_timed: true,
            master: self.config.master_world,
        });
        let next = self.cut(own.worker);
        self.own = next.map(|chunk| OwnChunk::new(own.worker, chunk));
    }

    /// Answers the recall of its own chunk: the last tasks that it has not begun go to the idle workers.
    pub fn give_back_own(&mut self, recall: &Recall) -> Result<(), MpiFailed> {
        let Some(mut own) = self.own.take() else {
            self.fail(status::ERR_COUNT);
            return Ok(());
        };
        let own_s = own_task_s(recall.own_s, own.computed, own.busy_ns as f64 * 1e-9);
        let count = tasks_to_return(own.chunk.count - own.computed, own_s, recall.idle_s, 1);
        let given = Chunk { first: own.chunk.first + own.chunk.count - count, count };
        if !self.ledger.on_returned(own.worker, recall.chunk, given) {
            self.own = Some(own);
            self.fail(status::ERR_COUNT);
            return Ok(());
        }
        own.chunk.count -= count;
        if own.chunk.count > 0 {
            self.keep_own(own);
        }
        self.feed_idle()
    }
}
