//! A stage that a team computes. The ranks that the pattern gives to it are one lead and its workers: the lead splits each input into
//! tasks, hands them out by the ledger and the techniques of Master/Worker, computes some itself, and joins the results.
//!
//! Nobody waits for a rank that waits: a lead whose tasks are out receives and computes tasks of other leads meanwhile, and a task
//! waits for nothing.

use super::config::Part;
use super::message::{Header, Item, Kind, Out, Refused, failure};
use super::rank::{Failure, Rank};
use crate::frameworks::endpoint::PROGRESS_NS;
use crate::frameworks::master_worker::{Known, Ledger};
use crate::mpi::MpiFailed;
use crate::records::{self, ChunkDone, OF_FRAMEWORK, TeamDone};
use crate::{clock, safe_point, scheduling, status};
use midrun_scheduling::{Chunk, Technique, TechniqueParameters, WorkerSpeed};
use std::collections::VecDeque;
use std::ffi::c_int;

/// The tasks of one input, handed out.
struct HandOut {
    ledger: Ledger,
    /// Chunks at each worker; the lead is worker 0.
    out: Vec<VecDeque<Chunk>>,
    own: Option<Own>,
    results: Vec<Vec<u8>>,
    failed: Option<Failure>,
    /// Time of all tasks, and of those of the lead, nanoseconds.
    task_ns: u64,
    own_ns: u64,
    epoch: u64,
}

/// The chunk that the lead computes itself.
struct Own {
    chunk: Chunk,
    computed: u64,
    busy_ns: u64,
    sum_sq_s2: f64,
    began_ns: u64,
}

fn now_s() -> f64 {
    clock::now_ns() as f64 * 1e-9
}

/// The technique of a team: no task is recalled, none is taken from a counter.
fn in_force() -> (TechniqueParameters, u64) {
    let (parameters, epoch) = scheduling::current();
    (TechniqueParameters { recall: false, counter: false, team_size: 0, synchronous: false, ..parameters }, epoch)
}

impl Rank {
    /// Computes one input of a team's stage with the ranks of `team` as workers; the result goes to `out`.
    pub(super) fn lead(
        &mut self,
        (stage, input): (usize, u64),
        data: &[u8],
        team: &[usize],
        out: &mut Out,
    ) -> Result<Result<(), Failure>, MpiFailed> {
        let config = self.config.clone();
        let begun_ns = clock::now_ns();
        let mut split = Out::new(self.endpoint.buffer());
        split.allow(usize::MAX);
        let returned = config.split(stage, input, data, &mut split);
        if returned != 0 || split.refused.is_some() {
            return Ok(Err(failure_of(returned, split.refused)));
        }
        let tasks = split.finish(&Header::new(Kind::Tasks));
        let split_ns = clock::now_ns().saturating_sub(begun_ns);
        let done = self.hand_out((stage, input), &tasks, team)?;
        let joined_ns = clock::now_ns();
        let (_, buffer) = tasks.emptied(status::OK);
        self.recycle(buffer);
        if let Some(failure) = done.failed {
            return Ok(Err(failure));
        }
        let parts: Vec<Part> = done.results.iter().map(|result| Part::of(result)).collect();
        let returned = config.join(stage, input, data, &parts, out);
        let end_ns = clock::now_ns();
        let (serial_ns, elapsed_ns) = (split_ns + end_ns.saturating_sub(joined_ns), end_ns.saturating_sub(begun_ns));
        let place = (stage, self.own());
        records::team(end_ns, place, &TeamDone { serial_ns, elapsed_ns, ..TeamDone::default() });
        Ok(match (returned, out.refused) {
            (0, None) => Ok(()),
            (returned, refused) => Err(failure_of(returned, refused)),
        })
    }

    /// Hands the tasks of an input out, and collects their results.
    fn hand_out(&mut self, (stage, input): (usize, u64), tasks: &Item, team: &[usize]) -> Result<HandOut, MpiFailed> {
        let inputs: Vec<&[u8]> = tasks.payloads().collect();
        let (total, workers) = (inputs.len() as u64, team.len() + 1);
        let number = self.teams.led;
        self.teams.led += 1;
        if number == 0 {
            safe_point::own();
            // An input has few tasks, as a rule: one at a time.
            scheduling::declare_team_technique(TechniqueParameters::new(Technique::Ss));
        }
        safe_point::poll(number, true);
        let (parameters, epoch) = in_force();
        if self.teams.ranks != team || self.teams.speeds.len() != workers {
            self.teams.ranks = team.to_vec();
            self.teams.speeds = vec![WorkerSpeed::default(); workers];
        }
        let begin_ns = clock::now_ns();
        records::iteration_begin(OF_FRAMEWORK, number, begin_ns, total, workers as u32, &parameters, (0, 0));
        let speeds = self.teams.speeds.iter().map(|speed| speed.faded()).collect();
        let known =
            Known { speeds, moments: self.teams.moments, timed_singly: true, own: Some(0), bundlers: None, cuts: true };
        let mut now = HandOut {
            ledger: Ledger::new(parameters, total, u64::MAX, known),
            out: vec![VecDeque::new(); workers],
            own: None,
            results: vec![Vec::new(); inputs.len()],
            failed: None,
            task_ns: 0,
            own_ns: 0,
            epoch,
        };
        let of = Of { stage, input, number, inputs: &inputs, team };
        let mut waited_ns = 0;
        for worker in (1..workers).chain(1..workers) {
            self.feed(&mut now, &of, worker)?;
        }
        while !now.ledger.is_closed() {
            if now.own.is_none()
                && let Some(chunk) = now.ledger.cut(0, now_s())
            {
                let began_ns = clock::now_ns();
                now.own = Some(Own { chunk, computed: 0, busy_ns: 0, sum_sq_s2: 0.0, began_ns });
            }
            // While it computes, nobody feeds the workers: results that have come are taken first.
            self.absorb()?;
            if self.teams.results.is_empty() {
                if now.own.is_some() && now.ledger.own_task_pays(0, now_s()) {
                    self.compute_own(&mut now, &of);
                } else if let Some((from, tasks)) = self.teams.tasks.pop_front() {
                    self.work(from, tasks)?;
                } else {
                    let before_ns = clock::now_ns();
                    self.wait()?;
                    waited_ns += clock::now_ns().saturating_sub(before_ns);
                }
            }
            while let Some((from, item)) = self.teams.results.pop_front() {
                self.take_results(&mut now, &of, from, &item)?;
                let (_, buffer) = item.emptied(status::OK);
                self.recycle(buffer);
            }
            safe_point::poll(number, false);
            if scheduling::epoch() != now.epoch {
                let (parameters, epoch) = in_force();
                now.ledger.set(parameters);
                now.epoch = epoch;
            }
        }
        self.timing.waited(waited_ns);
        if now.failed.is_none() && !now.ledger.is_balanced() {
            now.failed = Some((status::ERR_COUNT, failure::RETURNED));
        }
        self.teams.speeds = now.ledger.speeds().to_vec();
        self.teams.moments = now.ledger.moments();
        let end_ns = clock::now_ns();
        let busy_ns = end_ns.saturating_sub(begin_ns).saturating_sub(waited_ns + now.own_ns);
        records::iteration_end((number, end_ns), (now.ledger.done, now.ledger.chunks), (now.task_ns, busy_ns), (0, 0));
        Ok(now)
    }

    /// Sends a worker of the team its next chunk, if it may have one.
    fn feed(&mut self, now: &mut HandOut, of: &Of<'_>, worker: usize) -> Result<(), MpiFailed> {
        let Some(chunk) = now.ledger.cut(worker, now_s()) else { return Ok(()) };
        now.out[worker].push_back(chunk);
        let mut message = Out::new(self.endpoint.buffer());
        message.allow(usize::MAX);
        for input in &of.inputs[chunk.first as usize..(chunk.first + chunk.count) as usize] {
            match message.emit(input.len()) {
                Some(room) => room.copy_from_slice(input),
                None => return Err(MpiFailed), // as everywhere where a message finds no memory
            }
        }
        let header = Header {
            input: of.input,
            epoch: of.number as u32,
            route: of.stage as u32,
            stage: chunk.first as u32,
            status: of.inputs.len() as i32,
            ..Header::new(Kind::Tasks)
        };
        let message = message.finish(&header).into_message();
        self.post(of.team[worker - 1], message, false)
    }

    /// Computes tasks of its own chunk until it is due to look for messages.
    fn compute_own(&mut self, now: &mut HandOut, of: &Of<'_>) {
        let looked_ns = clock::now_ns();
        while let Some(own) = now.own.as_mut() {
            let task = own.chunk.first + own.computed;
            let begin_ns = clock::now_ns();
            let mut out = Out::new(self.endpoint.buffer());
            out.allow(1);
            let returned = self.config.task((of.stage, of.input, task), of.inputs[task as usize], &mut out);
            let failed =
                (returned != 0 || out.refused.is_some() || out.count() != 1).then(|| failure_of(returned, out.refused));
            let item = out.finish(&Header::new(Kind::Results));
            let end_ns = clock::now_ns();
            let spent_ns = end_ns.saturating_sub(begin_ns);
            own.busy_ns += spent_ns;
            own.sum_sq_s2 += (spent_ns as f64 * 1e-9).powi(2);
            own.computed += 1;
            if let Some(payload) = item.payloads().next() {
                now.results[task as usize] = payload.to_vec();
            }
            let (_, buffer) = item.emptied(status::OK);
            self.recycle(buffer);
            if let Some(failure) = failed {
                return now.fail(failure);
            }
            if now.own.as_ref().is_some_and(|own| own.computed == own.chunk.count) {
                self.end_own(now, of);
            }
            if end_ns.saturating_sub(looked_ns) >= PROGRESS_NS {
                return;
            }
        }
    }

    /// Its own chunk is computed.
    fn end_own(&self, now: &mut HandOut, of: &Of<'_>) {
        let Some(Own { chunk, busy_ns, sum_sq_s2, began_ns, .. }) = now.own.take() else { return };
        let end_ns = clock::now_ns();
        let held_s = end_ns.saturating_sub(began_ns) as f64 * 1e-9;
        if !now.ledger.take_own(0, chunk, (busy_ns as f64 * 1e-9, sum_sq_s2), held_s, now_s()) {
            return now.fail((status::ERR_COUNT, failure::RETURNED));
        }
        let place = (of.stage, self.own());
        let times = Times { end_ns, busy_ns, sum_sq_s2 };
        self.record(of.number, self.own(), place, (chunk, of.inputs.len() as u64), times);
        now.task_ns += busy_ns;
        now.own_ns += busy_ns;
    }

    fn take_results(&mut self, now: &mut HandOut, of: &Of<'_>, from: usize, item: &Item) -> Result<(), MpiFailed> {
        let header = &item.header;
        let worker = of.team.iter().position(|rank| *rank == from).map(|at| at + 1);
        let chunk = worker.and_then(|worker| now.out[worker].pop_front());
        let (Some(worker), Some(chunk)) = (worker, chunk) else { return Err(MpiFailed) };
        let is_its = header.epoch == of.number as u32 && u64::from(header.stage) == chunk.first;
        if !is_its || (header.status == status::OK && header.count != chunk.count) {
            return Err(MpiFailed); // a defect of midrun
        }
        let times = (header.time_ns as f64 * 1e-9, f64::from_bits(header.input));
        if !now.ledger.take(worker, chunk, times, now_s()) {
            now.fail((status::ERR_COUNT, failure::RETURNED));
        } else if header.status != status::OK {
            now.fail((header.status, u64::from(header.route)));
        }
        now.task_ns += header.time_ns;
        for (result, task) in item.payloads().zip(chunk.first..) {
            now.results[task as usize] = result.to_vec();
        }
        self.feed(now, of, worker)
    }

    /// Computes the tasks that a lead sent, and sends their results back.
    pub(super) fn work(&mut self, lead: usize, tasks: Item) -> Result<(), MpiFailed> {
        let (config, of) = (self.config.clone(), tasks.header);
        let stage = of.route as usize;
        let mut out = Out::new(self.endpoint.buffer());
        let (mut busy_ns, mut sum_sq_s2, mut end_ns) = (0, 0.0, clock::now_ns());
        let mut looked_ns = end_ns;
        let mut failed: Failure = (status::OK, 0);
        for (data, task) in tasks.payloads().zip(u64::from(of.stage)..) {
            let begin_ns = clock::now_ns();
            let before = out.allow(1);
            let returned = config.task((stage, of.input, task), data, &mut out);
            end_ns = clock::now_ns();
            let spent_ns = end_ns.saturating_sub(begin_ns);
            busy_ns += spent_ns;
            sum_sq_s2 += (spent_ns as f64 * 1e-9).powi(2);
            if returned != 0 || out.refused.is_some() || out.count() != before + 1 {
                failed = failure_of(returned, out.refused);
                out = Out::new(self.endpoint.buffer());
                break;
            }
            if end_ns.saturating_sub(looked_ns) >= PROGRESS_NS && self.endpoint.moving() {
                self.absorb()?;
                looked_ns = clock::now_ns();
            }
        }
        let header = Header {
            input: sum_sq_s2.to_bits(),
            time_ns: busy_ns,
            status: failed.0,
            route: failed.1 as u32,
            ..Header { kind: Kind::Results, ..of }
        };
        let message = out.finish(&header).into_message();
        self.post(lead, message, false)?;
        let chunk = Chunk { first: u64::from(of.stage), count: of.count };
        let times = Times { end_ns, busy_ns, sum_sq_s2 };
        let place = (stage, self.own());
        self.record(u64::from(of.epoch), lead, place, (chunk, of.status.max(0).cast_unsigned().into()), times);
        let (_, buffer) = tasks.emptied(status::OK);
        self.recycle(buffer);
        Ok(())
    }

    /// Records a chunk, for the instance of the team's lead and for the stage.
    fn record(
        &self,
        number: u64,
        lead: usize,
        place: (usize, usize),
        (chunk, total): (Chunk, u64),
        Times { end_ns, busy_ns, sum_sq_s2 }: Times,
    ) {
        records::chunk(&ChunkDone {
            iteration: number,
            first: chunk.first,
            count: chunk.count,
            end_ns,
            busy_ns,
            sum_sq_s2,
            tasks_total: total,
            tasks_timed: true,
            master: self.members.get(lead).copied().flatten(),
        });
        records::team(end_ns, place, &TeamDone { tasks: chunk.count, busy_ns, sum_sq_s2, ..TeamDone::default() });
    }
}

/// The input whose tasks are handed out, and to whom.
struct Of<'a> {
    stage: usize,
    input: u64,
    number: u64,
    inputs: &'a [&'a [u8]],
    team: &'a [usize],
}

struct Times {
    end_ns: u64,
    busy_ns: u64,
    sum_sq_s2: f64,
}

impl HandOut {
    /// The input fails: nothing further is handed out.
    fn fail(&mut self, failure: Failure) {
        self.failed.get_or_insert(failure);
        self.ledger.stop();
        if self.own.take().is_some() {
            self.ledger.abandon(0);
        }
    }
}

fn failure_of(returned: c_int, refused: Option<Refused>) -> Failure {
    match (returned, refused) {
        (0, Some(Refused::Memory)) => (status::ERR_MEMORY, failure::MEMORY),
        (0, _) => (status::ERR_TASK, failure::OUTPUTS),
        (returned, _) => (returned, failure::RETURNED),
    }
}
