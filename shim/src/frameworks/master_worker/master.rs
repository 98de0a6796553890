//! The master's part of an iteration.

use super::calibrate;
use super::config::{Config, Stats};
use super::ledger::{Known, Ledger};
use super::looks::Looks;
use super::losses::Losses;
use super::message::{Header, Kind};
use super::own_chunk::OwnChunk;
use super::round_trips::RoundTrips;
use super::shared::Shared;
use super::sizes::Sizes;
use super::subteams::Subteams;
use super::team::Team;
use super::upward::Upward;
use crate::frameworks::endpoint::{Endpoint, Message};
use crate::frameworks::growth::Growth;
use crate::mpi::MpiFailed;
use crate::records::{LinkCost, OF_FRAMEWORK};
use crate::{agent_link, clock, records, safe_point, scheduling, state, status};
use midrun_scheduling::{Chunk, in_turn};
use midrun_vocabulary::bounds::TASKS;
use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

/// Largest message, bytes. A larger chunk is sent as several.
const MESSAGE_BYTES: usize = 256 << 20;

pub(super) struct Master<'a> {
    pub(super) config: &'a Config,
    pub(super) endpoint: &'a mut Endpoint,
    pub(super) team: &'a mut Team,
    pub(super) ledger: Ledger,
    pub(super) iteration: u64,
    pub(super) tasks: u64,
    epoch: u64,
    pub(super) task_ns: u64,
    /// Time for the inputs of tasks, and for their results.
    pub(super) per_task_ns: (u64, u64),
    pub(super) status: c_int,
    /// The chunk that the master computes itself.
    pub(super) own: Option<OwnChunk>,
    /// For messages, while it computes.
    pub(super) looks: Looks,
    /// Chunks are taken from the shared counter.
    pub(super) shared: Option<Shared>,
    /// The sub-masters get the chunks of their sub-teams.
    pub(super) subteams: Option<Subteams>,
    /// This is a sub-master.
    pub(super) upward: Option<Upward>,
    pub(super) losses: Losses,
    pub(super) round_trips: RoundTrips,
    /// Inputs that the program is not asked for: of tasks that workers gave back, and those that a sub-master got; and how many of the
    /// tasks are still to be sent.
    pub(super) kept_inputs: Vec<(Chunk, Vec<u8>, u64)>,
    pub(super) sizes: &'a mut Sizes,
}

/// The work of an iteration, as the master sees it: what it does itself belongs to the iteration.
pub trait Work {
    /// The iteration begins: returns the number of its tasks.
    fn begin(&mut self) -> u64;
    /// The number of its tasks where that is known before it begins.
    fn tasks(&self) -> Option<u64> {
        None
    }
    /// All results are there; `false`: the program failed. The workers still wait for the end of the iteration.
    fn end(&mut self, iteration: u64) -> bool {
        let _ = iteration;
        true
    }
}

/// Iterations before which the master tries to measure the cost of messages.
const CALIBRATIONS: u64 = 3;

pub(super) fn now_s() -> f64 {
    clock::now_ns() as f64 * 1e-9
}

/// What messages to another host and on this one cost, as this rank's teams measured it: of many in a row only the first does.
static LINKS: Mutex<[Option<LinkCost>; 2]> = Mutex::new([None; 2]);

/// What earlier teams of this rank measured of messages; see [`calibrate`].
pub fn known_links() -> [Option<LinkCost>; 2] {
    *LINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures the cost of messages to one worker on this host and to one on another host, once each, if an agent records.
/// Runs before the iteration's clock starts: the iteration will have so many tasks, where that is known.
pub fn calibrate(
    config: &Config,
    endpoint: &mut Endpoint,
    team: &Team,
    (iteration, tasks): (u64, Option<u64>),
    links: &mut [Option<LinkCost>; 2],
) -> Result<(), MpiFailed> {
    if !state::recording() || iteration >= CALIBRATIONS {
        return Ok(());
    }
    let each = config.task_bytes.max(config.result_bytes) as u64;
    let most = tasks.filter(|_| !config.any_size()).map_or(u64::MAX, |tasks| tasks.saturating_mul(each));
    for (same_host, known) in [false, true].into_iter().zip(links.iter_mut()) {
        let candidate = team.active().iter().find(|rank| {
            // A started process cannot be woken, so its messages are not typical.
            **rank != config.master && **rank < endpoint.comm.size && endpoint.is_here(**rank) == same_host
        });
        let (None, Some(&rank)) = (*known, candidate) else { continue };
        if let Some(link) = calibrate::measure(endpoint, rank, iteration, most as usize)? {
            *known = Some(link);
            LINKS.lock().unwrap_or_else(PoisonError::into_inner)[usize::from(same_host)] = Some(link);
            records::link(same_host, clock::now_ns(), &link);
        }
    }
    Ok(())
}

/// Sends the tasks of `work` to the workers and collects their results. Returns the status that every rank returns, and statistics.
pub fn iterate(
    config: &Config,
    endpoint: &mut Endpoint,
    (team, links): (&mut Team, &[Option<LinkCost>; 2]),
    (growth, sizes): (&mut Option<Growth>, &mut Sizes),
    (iteration, work): (u64, &mut dyn Work),
) -> Result<(c_int, Stats), MpiFailed> {
    safe_point::poll(iteration, true);
    if let Some(growth) = growth {
        let before = growth.there();
        growth.step(|child| {
            let rank = endpoint.adopt(child)?;
            team.join();
            let first = config.master_world.map_or(0, |rank| u64::from(rank) + 1);
            endpoint.send(rank, Header { first, ..Header::new(Kind::Welcome, iteration) }.message())
        })?;
        if growth.there() > before {
            scheduling::grow(growth.there());
        }
    }
    let begin_ns = clock::now_ns();
    let asked = work.begin();
    // More than any program has are a mistake, such as a negative number.
    let tasks = if asked <= TASKS { asked } else { 0 };
    let losses = Losses::between(endpoint, team, iteration);
    if scheduling::workers() != team.active().len() {
        team.resize(scheduling::workers());
    }
    let workers = team.active().len();
    let (setting, epoch) = scheduling::current();
    // Of any size: as large as those before.
    let bytes = if config.any_size() { sizes.per_task() } else { (config.task_bytes, config.result_bytes) };
    records::iteration_begin(OF_FRAMEWORK, iteration, begin_ns, tasks, workers as u32, &setting, bytes);
    let max_tasks = MESSAGE_BYTES / config.task_bytes.max(config.result_bytes).max(1);
    let shared = Shared::of((config, max_tasks as u64), endpoint, team, (setting, tasks));
    let size = setting.sub_team_size().filter(|_| shared.is_none());
    let subteams = Subteams::of(config, endpoint, team, size);
    let sends_all = shared.is_none() && subteams.is_none();
    let known = Known {
        speeds: team.speeds(),
        moments: team.moments,
        timed_singly: !config.whole_chunks(),
        own: team.own(),
        bundlers: shared.as_ref().map(Shared::takers).or(subteams.as_ref().map(|subteams| subteams.teams.len())),
        cuts: shared.is_none(),
    };
    let ledger = Ledger::new(setting, tasks, max_tasks as u64, known);
    let mut master = Master::new((config, endpoint, team), ledger, (links, sizes), (iteration, tasks));
    (master.epoch, master.shared, master.subteams, master.losses) = (epoch, shared, subteams, losses);
    if tasks != asked {
        master.fail(status::ERR_ARGUMENT);
    }
    let idle_ns = master.run(&mut VecDeque::new())?;
    if master.status == status::OK && !master.ledger.is_balanced() {
        master.status = status::ERR_COUNT;
    }
    if master.status == status::OK && !work.end(iteration) {
        master.status = status::ERR_TASK;
    }
    master.end()?;
    let Master { ledger, status, task_ns, per_task_ns, round_trips, losses, .. } = master;
    let (done, chunks) = (ledger.done, ledger.chunks);
    team.remember(ledger.speeds());
    team.moments = ledger.moments();
    if sends_all {
        team.remember_waits(&round_trips.waits_s());
    }
    losses.settle(team);
    let end_ns = clock::now_ns();
    let wall_ns = end_ns.saturating_sub(begin_ns);
    let busy_ns = wall_ns.saturating_sub(idle_ns);
    records::iteration_end((iteration, end_ns), (done, chunks), (task_ns, busy_ns), per_task_ns);
    safe_point::poll(iteration, false);
    let stats = Stats {
        struct_size: size_of::<Stats>(),
        iteration,
        tasks: done,
        chunks,
        workers: workers as u32,
        technique: scheduling::current().0.kind.code(),
        iteration_s: wall_ns as f64 * 1e-9,
        task_s: task_ns as f64 * 1e-9,
        master_busy_s: busy_ns as f64 * 1e-9,
        lost_workers: losses.workers,
        redone_tasks: losses.tasks,
    };
    Ok((status, stats))
}

impl<'a> Master<'a> {
    /// For an iteration of `tasks` tasks.
    pub(super) fn new(
        (config, endpoint, team): (&'a Config, &'a mut Endpoint, &'a mut Team),
        ledger: Ledger,
        (links, sizes): (&[Option<LinkCost>; 2], &'a mut Sizes),
        (iteration, tasks): (u64, u64),
    ) -> Master<'a> {
        let round_trips = RoundTrips::new(team.active().len(), links);
        Master {
            config,
            endpoint,
            team,
            ledger,
            iteration,
            tasks,
            epoch: 0,
            task_ns: 0,
            per_task_ns: (0, 0),
            status: status::OK,
            own: None,
            looks: Looks::default(),
            shared: None,
            subteams: None,
            upward: None,
            losses: Losses::default(),
            round_trips,
            kept_inputs: Vec::new(),
            sizes,
        }
    }

    /// Runs until every chunk is back; returns the time spent waiting for messages, and held in synchronous sends, nanoseconds.
    pub(super) fn run(&mut self, messages: &mut VecDeque<Message>) -> Result<u64, MpiFailed> {
        let (mut idle_ns, held_ns) = (0, self.endpoint.held_ns);
        self.order()?;
        self.appoint()?;
        self.supply()?;
        let order = in_turn(scheduling::current().0.kind, self.iteration, self.team.active().len());
        for worker in order.clone().chain(order) {
            self.feed(worker)?;
        }
        self.recall()?;
        self.bear_losses()?;
        while !self.ledger.is_closed() {
            let before = clock::now_ns();
            let slept = match self.own_ready(messages)? {
                true => {
                    // Its own tasks are no part of the time that it is busy for others.
                    let per_task_ns = self.per_task_ns;
                    self.compute_own();
                    self.per_task_ns = per_task_ns;
                    false
                }
                false if messages.is_empty() => {
                    self.endpoint.wait(messages, false)?;
                    self.endpoint.slept
                }
                false => false,
            };
            let now_ns = clock::now_ns();
            idle_ns += now_ns.saturating_sub(before);
            self.round_trips.on_woken(now_ns, slept);
            self.refresh();
            while let Some(message) = messages.pop_front() {
                self.take(message)?;
            }
            self.bear_losses()?;
            self.supply()?;
            self.report()?;
            self.recall()?;
        }
        Ok(idle_ns + (self.endpoint.held_ns - held_ns))
    }

    /// Asks busy workers for tasks that they have not begun, for the idle ones.
    fn recall(&mut self) -> Result<(), MpiFailed> {
        while let Some(recall) = self.ledger.recall(now_s()) {
            if Some(recall.worker) == self.team.own() {
                self.give_back_own(&recall)?;
                continue;
            }
            let header = Header {
                first: recall.chunk,
                count: scheduling::current().0.min_chunk.max(1),
                sum_sq_s2: recall.idle_s,
                held_ns: (recall.own_s * 1e9) as u64,
                ..Header::new(Kind::Recall, self.iteration)
            };
            let mut message = self.endpoint.buffer();
            header.write(&mut message, 0);
            self.endpoint.send(self.team.active()[recall.worker], message)?;
        }
        Ok(())
    }

    /// A worker gave tasks back: the idle ones get them.
    fn on_returned(&mut self, worker: usize, header: &Header, inputs: &[u8]) -> Result<(), MpiFailed> {
        let tasks = Chunk { first: header.first, count: header.count };
        let whole = inputs.len() as u64 == tasks.count.saturating_mul(self.config.task_bytes as u64);
        if !whole || !self.ledger.on_returned(worker, header.total, tasks) {
            self.fail(status::ERR_COUNT);
            return Ok(());
        }
        if !inputs.is_empty() {
            self.keep_inputs(tasks, inputs);
        }
        self.feed_idle()
    }

    /// Hands tasks that came back to the idle workers.
    pub(super) fn feed_idle(&mut self) -> Result<(), MpiFailed> {
        for idle in 0..self.team.active().len() {
            if self.ledger.is_idle(idle) {
                self.feed(idle)?;
            }
        }
        Ok(())
    }

    /// Applies actions that arrived, and changes of the technique.
    pub(super) fn refresh(&mut self) {
        if self.upward.is_some() {
            agent_link::check_when_due(clock::now_ns());
            return; // its master does
        }
        safe_point::poll(self.iteration, false);
        if scheduling::epoch() != self.epoch {
            let (setting, epoch) = scheduling::current();
            self.ledger.set(setting);
            self.epoch = epoch;
        }
    }

    pub(super) fn feed(&mut self, worker: usize) -> Result<(), MpiFailed> {
        let idle = self.ledger.is_idle(worker);
        if Some(worker) == self.team.own() {
            // One chunk at a time: its own requests do not travel.
            self.own = if idle { self.cut(worker).map(|chunk| OwnChunk::new(worker, chunk)) } else { self.own.take() };
            return Ok(());
        }
        let Some(chunk) = self.cut(worker) else { return Ok(()) };
        let mut message = self.endpoint.buffer();
        let header = Header {
            first: chunk.first,
            count: chunk.count,
            total: self.tasks,
            ..Header::new(Kind::Chunk, self.iteration)
        };
        let synchronous = self.ledger.is_synchronous();
        let header = header.with_manner(self.ledger.may_recall(), synchronous);
        header.write(&mut message, 0);
        let (good, message) = self.append_inputs(chunk, message);
        if !good {
            self.fail(status::ERR_TASK);
        }
        let (rank, now_ns) = (self.team.active()[worker], clock::now_ns());
        self.round_trips.on_sent(worker, idle && !synchronous, self.endpoint.is_here(rank), message.len(), now_ns);
        self.endpoint.hand_over(rank, message, synchronous)?;
        self.refresh();
        Ok(())
    }

    pub(super) fn fail(&mut self, status: c_int) {
        if self.status == status::OK {
            self.status = status;
            self.exhaust();
        }
        self.ledger.stop();
        if let Some(own) = self.own.take() {
            self.ledger.abandon(own.worker);
        }
    }

    fn take(&mut self, message: Message) -> Result<(), MpiFailed> {
        let worker = self.team.position(message.from);
        match (Header::read(&message.bytes), worker) {
            // The answer to a probe that timed out.
            (Some((header, _)), _) if header.kind == Kind::Echo => {}
            // A late request of the previous iteration.
            (Some((header, _)), _) if header.kind == Kind::Ask && header.iteration < self.iteration => {}
            (Some((header, _)), Some(worker)) if header.kind == Kind::Ask => self.ledger.ask(worker),
            (Some((header, inputs)), Some(worker))
                if header.kind == Kind::Returned && header.iteration == self.iteration =>
            {
                self.on_returned(worker, &header, inputs)?;
            }
            (Some((header, chunks)), None)
                if header.kind == Kind::Chunks && self.upward.is_some() && header.iteration == self.iteration =>
            {
                self.on_chunks(&header, chunks)?;
            }
            (Some((header, results)), Some(worker)) if self.expects(&header) => {
                self.on_results(worker, &header, results);
            }
            (Some((header, results)), Some(worker))
                if header.kind == Kind::Result && header.iteration == self.iteration =>
            {
                let busy_s = header.total as f64 * 1e-9;
                let chunk = Chunk { first: header.first, count: header.count };
                if !self.ledger.take(worker, chunk, (busy_s, header.sum_sq_s2), now_s()) {
                    self.fail(status::ERR_COUNT);
                } else if header.status != status::OK {
                    self.fail(header.status);
                } else {
                    self.task_ns += header.total;
                    self.sizes.add_done(results.len(), header.count);
                    let round_trip_ns = self.round_trips.on_result(worker, header.count, header.held_ns);
                    let round_trip_ns = round_trip_ns.filter(|_| self.upward.is_none());
                    // As in calibration, messages of a started process are not typical.
                    if let Some(round_trip_ns) = round_trip_ns.filter(|_| message.from < self.endpoint.comm.size) {
                        let bytes = match self.config.any_size() {
                            true => header.count * self.sizes.per_task().0 as u64 + results.len() as u64,
                            false => header.count * (self.config.task_bytes + self.config.result_bytes) as u64,
                        };
                        let here = self.endpoint.is_here(message.from);
                        self.round_trips.record(here, bytes, round_trip_ns, self.iteration, message.from);
                    }
                    self.feed(worker)?; // before collect, so that the worker does not wait for the program
                    if self.status == status::OK && !self.deliver(worker, &header, results) {
                        self.fail(status::ERR_TASK);
                    }
                }
            }
            _ => self.fail(status::ERR_COUNT),
        }
        if let Some(worker) = worker {
            self.feed(worker)?;
        }
        self.endpoint.recycle(message.bytes);
        Ok(())
    }

    /// Sends the end of the iteration and its status to every worker, also to the parked ones.
    fn end(&mut self) -> Result<(), MpiFailed> {
        let header = Header { status: self.status, total: self.tasks, ..Header::new(Kind::End, self.iteration) };
        for rank in (0..self.endpoint.ranks()).filter(|rank| *rank != self.config.master) {
            let mut message = self.endpoint.buffer();
            header.write(&mut message, 0);
            self.endpoint.send(rank, message)?;
        }
        self.endpoint.flush()
    }
}

/// Tells every worker that no iteration follows.
pub fn finish(config: &Config, endpoint: &mut Endpoint, iteration: u64) -> Result<(), MpiFailed> {
    // Started processes are dismissed when the framework is destroyed.
    for rank in (0..endpoint.comm.size).filter(|rank| *rank != config.master) {
        endpoint.send(rank, Header::new(Kind::Farewell, iteration).message())?;
    }
    endpoint.flush()
}
