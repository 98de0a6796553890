//! Simulates one iteration in which sub-masters hand out what the master sends them, several chunks at a time.
//!
//! The sub-teams are divided as the master divides those of one host. To send a message, and to take one in, each costs its rank half of what
//! the master needs for a chunk that it sends and takes back; for the master a share of that is due for each chunk of the message. A sub-master computes, too: it serves between two of its tasks, and its chunk ends
//! so much later. Synchronous sends hold master and sub-masters until the acknowledgement is back, and run ahead of no worker. Nothing is recalled between sub-teams; inside them it is left out here, so that an iteration is rather too long.

use std::collections::VecDeque;

use crate::events::EventQueue;
use crate::simulated_load::SimInput;
use crate::trace::{ChunkLog, Trace};
use midrun_scheduling::{Chunk, ChunkScheduler, TechniqueParameters, WorkerQueue, WorkerSpeed, is_small, may_be_ahead};

/// Share of the master's time for a chunk that does not go into messages, but into cutting, preparing and collecting it: as measured with
/// sub-masters and without (docs/measuring.md).
const OF_CHUNK: f64 = 0.4;

/// What an iteration came to.
#[derive(Debug, Default)]
pub struct Led {
    /// Until the last result is in, seconds.
    pub iteration_s: f64,
    /// Chunks computed.
    pub chunks: u64,
    /// Each chunk, if they are wanted.
    pub log: Vec<ChunkLog>,
}

#[derive(Clone, Debug)]
enum Event {
    /// Chunks of this bundle reach the sub-master.
    Chunks(usize, usize),
    /// A chunk reaches a worker.
    Arrive(usize, u64, u64),
    /// A worker is done with its chunk, unless it was delayed since: then the number differs.
    Done(usize, u64),
    /// A result reaches the sub-master.
    Result(usize),
    /// So many results reach the master, and how many chunks are wanted.
    Results(usize, (usize, u64), usize),
}

#[derive(Default)]
struct Worker {
    held: WorkerQueue,
    waiting: VecDeque<Chunk>,
    computing: Option<(Chunk, f64, u64)>,
}

struct Team {
    /// Its workers, the sub-master first.
    workers: std::ops::Range<usize>,
    ready: VecDeque<Chunk>,
    /// Tasks that will follow, as far as it knows.
    later: u64,
    free_s: f64,
    /// Chunks whose results it has and has not sent, and their tasks.
    done: usize,
    done_tasks: u64,
    asked: usize,
    /// As the master sees it: chunks that are out, that were cut, the tasks of the last, and whether no more follow.
    out: usize,
    cut: usize,
    last: u64,
    is_told: bool,
}

struct Sim<'a> {
    input: &'a SimInput,
    trace: &'a Trace,
    unit_s: f64,
    scheduler: ChunkScheduler,
    speeds: Vec<WorkerSpeed>,
    workers: Vec<Worker>,
    teams: Vec<Team>,
    team_of: Vec<usize>,
    bundles: Vec<(Vec<Chunk>, u64)>,
    events: EventQueue<Event>,
    /// Numbers given to what workers compute.
    begun: u64,
    master_free_s: f64,
    outgoing_free_s: f64,
    incoming_free_s: f64,
    near_s: f64,
    synchronous: bool,
    led: Led,
    logging: bool,
}

/// One iteration in the sub-teams that `parameters` ask for; `unit_s` is the unit of the trace. `None` where that is one team.
pub fn run(
    input: &SimInput,
    parameters: &TechniqueParameters,
    (scheduler, speeds): (ChunkScheduler, Vec<WorkerSpeed>),
    (trace, unit_s): (&Trace, f64),
    logging: bool,
) -> Option<Led> {
    let n = input.workers.max(1) as usize;
    let count = n.div_ceil(parameters.sub_team_size()? as usize);
    if count < 2 {
        return None;
    }
    let team = |k: usize| Team {
        workers: k * n / count..(k + 1) * n / count,
        ready: VecDeque::new(),
        later: 1,
        free_s: 0.0,
        done: 0,
        done_tasks: 0,
        asked: 0,
        out: 0,
        cut: 0,
        last: 0,
        is_told: false,
    };
    let teams: Vec<Team> = (0..count).map(team).collect();
    let team_of = teams.iter().enumerate().flat_map(|(k, team)| team.workers.clone().map(move |_| k)).collect();
    let near_s = input.message_times.iter().map(|times| times.latency_s).fold(f64::INFINITY, f64::min);
    let mut sim = Sim {
        input,
        trace,
        unit_s,
        scheduler,
        speeds,
        workers: (0..n).map(|_| Worker::default()).collect(),
        teams,
        team_of,
        bundles: Vec::new(),
        events: EventQueue::default(),
        begun: 0,
        master_free_s: 0.0,
        outgoing_free_s: 0.0,
        incoming_free_s: 0.0,
        near_s: if near_s.is_finite() { near_s } else { input.latency_s },
        synchronous: parameters.synchronous,
        led: Led::default(),
        logging,
    };
    for ahead in [false, true] {
        (0..count).for_each(|team| sim.supply(team, 0, ahead, 0.0));
    }
    while let Some((now, event)) = sim.events.pop() {
        sim.on_event(now, event);
    }
    Some(sim.led)
}

impl Sim<'_> {
    fn at(&mut self, time_s: f64, event: Event) {
        self.events.at(time_s, event);
    }

    /// Time of a chunk on this worker, seconds, and the sum of its tasks' squared times, seconds squared.
    fn times_of(&self, worker: usize, chunk: Chunk) -> (f64, f64) {
        let each_s = self.trace.slowness(self.input, worker) * self.unit_s;
        let (time, squares) = self.trace.span(chunk.first, chunk.count);
        (time * each_s, squares * each_s * each_s)
    }

    /// Latency and time per task of the bytes out and back, between the master and this worker.
    fn link(&self, worker: usize) -> (f64, f64, f64) {
        let SimInput { latency_s, send_s, back_s, .. } = *self.input;
        let known = self.input.message_times.get(worker);
        known.map_or((latency_s, send_s, back_s), |times| (times.latency_s, times.send_s, times.back_s))
    }

    /// The master's time for one message with so many chunks, one way, seconds.
    fn message_s(&self, chunks: usize) -> f64 {
        0.5 * self.input.overhead_s * (1.0 - OF_CHUNK + OF_CHUNK * chunks as f64)
    }

    /// What the master does: see the shim's `supply`.
    fn supply(&mut self, team: usize, wanted: usize, ahead: bool, now: f64) {
        let (n, workers) = (self.workers.len() as u64, self.teams[team].workers.len());
        let wanted = self.teams[team].out + wanted;
        let mut chunks = Vec::new();
        loop {
            let (left, t) = (self.scheduler.remaining(), &self.teams[team]);
            let runs_ahead = is_small(t.last, left, n) && may_be_ahead(self.scheduler.technique(), left, n);
            let most = if ahead && runs_ahead && !self.synchronous { 3 * workers } else { workers };
            if t.out >= most.max(wanted) {
                break;
            }
            let worker = t.workers.start + t.cut % workers;
            let Some(chunk) = self.scheduler.next(worker as u32, &self.speeds) else { break };
            let t = &mut self.teams[team];
            (t.out, t.cut, t.last) = (t.out + 1, t.cut + 1, chunk.count);
            chunks.push(chunk);
        }
        let later = (self.scheduler.remaining() * workers as u64).div_ceil(n);
        if chunks.is_empty() && (later > 0 || self.teams[team].is_told) {
            return;
        }
        self.teams[team].is_told = later == 0;
        let tasks: u64 = chunks.iter().map(|chunk| chunk.count).sum();
        let (latency_s, send_s, _) = self.link(self.teams[team].workers.start);
        let inputs_s = tasks as f64 * self.input.input_s;
        self.master_free_s = self.master_free_s.max(now) + self.message_s(chunks.len()) + inputs_s;
        self.outgoing_free_s = self.outgoing_free_s.max(self.master_free_s) + tasks as f64 * send_s;
        self.bundles.push((chunks, later));
        let there_s = self.outgoing_free_s + latency_s;
        if self.synchronous {
            // The sub-master receives it between two of its tasks, on average after half of one.
            let lead = self.workers[self.teams[team].workers.start].computing;
            let look_s = lead.map_or(0.0, |(_, done_s, _)| (0.5 * self.input.mean_s).min((done_s - there_s).max(0.0)));
            self.master_free_s = there_s + look_s + latency_s;
        }
        self.at(there_s, Event::Chunks(team, self.bundles.len() - 1));
        if later == 0 {
            // The others are told, too.
            for other in 0..self.teams.len() {
                if !self.teams[other].is_told {
                    self.supply(other, 0, false, now);
                }
            }
        }
    }

    /// The sub-master sends a message that takes so long to its receiver: returns when it is out.
    fn send(&mut self, team: usize, now: f64, latency_s: f64) -> f64 {
        self.serve(team, now, if self.synchronous { 2.0 * latency_s } else { 0.0 })
    }

    /// The sub-master deals with a message, which holds it for `held_s` besides: returns when it has done so. Where it computes it does so after its task, on average half of one.
    fn serve(&mut self, team: usize, now: f64, held_s: f64) -> f64 {
        let cost_s = 0.5 * self.input.overhead_s + held_s;
        let lead = self.teams[team].workers.start;
        let mut begin_s = self.teams[team].free_s.max(now);
        if let Some((chunk, done_s, _)) = self.workers[lead].computing {
            if self.teams[team].free_s <= now {
                begin_s = (now + 0.5 * self.input.mean_s).min(done_s.max(now));
            }
            self.begun += 1;
            let number = self.begun;
            self.workers[lead].computing = Some((chunk, done_s + cost_s, number));
            self.at(done_s + cost_s, Event::Done(lead, number));
        }
        self.teams[team].free_s = begin_s + cost_s;
        self.teams[team].free_s - held_s
    }

    fn on_event(&mut self, now: f64, event: Event) {
        match event {
            Event::Chunks(team, bundle) => {
                let (chunks, later) = std::mem::take(&mut self.bundles[bundle]);
                let t = &mut self.teams[team];
                t.ready.extend(chunks);
                (t.later, t.asked) = (later, 0);
                let at_s = self.serve(team, now, 0.0);
                self.hand_out(team, at_s);
                self.report(team, at_s);
            }
            Event::Arrive(worker, first, count) => {
                self.workers[worker].waiting.push_back(Chunk { first, count });
                self.start(worker, now);
            }
            Event::Done(worker, number) => {
                let Some((_, _, current)) = self.workers[worker].computing else { return };
                if current != number {
                    return;
                }
                self.workers[worker].computing = None;
                let team = self.team_of[worker];
                let own = worker == self.teams[team].workers.start;
                self.at(now + if own { 0.0 } else { self.near_s }, Event::Result(worker));
                self.start(worker, now);
            }
            Event::Result(worker) => {
                let team = self.team_of[worker];
                let own = worker == self.teams[team].workers.start;
                let at_s = if own { now } else { self.serve(team, now, 0.0) };
                let Some(chunk) = self.workers[worker].held.pop(now) else { return };
                self.teams[team].done += 1;
                self.teams[team].done_tasks += chunk.count;
                let (busy_s, sum_sq_s2) = self.times_of(worker, chunk);
                self.speeds[worker].add_chunk(chunk.count, busy_s, sum_sq_s2);
                self.scheduler.on_result(chunk.count, busy_s, sum_sq_s2, true);
                self.hand_out(team, at_s);
                self.report(team, at_s);
            }
            Event::Results(team, (results, tasks), wanted) => {
                let results_s = tasks as f64 * self.input.result_s;
                self.master_free_s = self.master_free_s.max(now) + self.message_s(results) + results_s;
                self.led.iteration_s = self.led.iteration_s.max(self.master_free_s);
                self.teams[team].out -= results;
                if !self.teams[team].is_told {
                    self.supply(team, wanted, true, self.master_free_s);
                }
            }
        }
    }

    fn left(&self, team: usize) -> u64 {
        let team = &self.teams[team];
        team.ready.iter().map(|chunk| chunk.count).sum::<u64>() + team.later
    }

    /// Gives the workers of a sub-team what they may have: the idle ones first.
    fn hand_out(&mut self, team: usize, now: f64) {
        let range = self.teams[team].workers.clone();
        let lead = range.start;
        let technique = self.scheduler.technique();
        for second in [false, true] {
            for worker in range.clone() {
                let held = &self.workers[worker].held;
                let own = worker == lead;
                if held.is_empty() == second || ((own || self.synchronous) && second) {
                    continue;
                }
                if !held.may_receive(technique, self.left(team), range.len() as u64) {
                    continue;
                }
                let Some(chunk) = self.teams[team].ready.pop_front() else { return };
                self.workers[worker].held.push(chunk, now);
                if own {
                    self.workers[worker].waiting.push_back(chunk);
                    self.start(worker, now);
                } else {
                    let sent_s = self.send(team, now, self.near_s);
                    self.at(sent_s + self.near_s, Event::Arrive(worker, chunk.first, chunk.count));
                }
            }
        }
    }

    /// Sends the results that are there where they are due: see the shim's `report`.
    fn report(&mut self, team: usize, now: f64) {
        let range = self.teams[team].workers.clone();
        let idle = range.clone().filter(|worker| self.workers[*worker].held.is_empty()).count();
        let t = &self.teams[team];
        let wanted = idle.saturating_sub(t.ready.len());
        let due = t.later > 0 && (2 * t.done >= range.len() || wanted > t.asked);
        let over = t.later == 0 && t.ready.is_empty() && idle == range.len();
        if !due && !over {
            return;
        }
        let (latency_s, _, back_s) = self.link(range.start);
        let sent_s = self.send(team, now, latency_s);
        let t = &mut self.teams[team];
        self.incoming_free_s = self.incoming_free_s.max(sent_s) + t.done_tasks as f64 * back_s;
        let results = (std::mem::take(&mut t.done), std::mem::take(&mut t.done_tasks));
        t.asked = wanted;
        self.at(self.incoming_free_s + latency_s, Event::Results(team, results, wanted));
    }

    fn start(&mut self, worker: usize, now: f64) {
        let w = &mut self.workers[worker];
        if w.computing.is_some() {
            return;
        }
        let Some(chunk) = w.waiting.pop_front() else { return };
        let begin_s = now + self.input.unexplained_s;
        let (busy_s, sum_sq_s2) = self.times_of(worker, chunk);
        self.begun += 1;
        let number = self.begun;
        self.workers[worker].computing = Some((chunk, begin_s + busy_s, number));
        self.at(begin_s + busy_s, Event::Done(worker, number));
        self.led.chunks += 1;
        if self.logging {
            let Chunk { first, count } = chunk;
            self.led.log.push(ChunkLog { worker: worker as u32, first, count, begin_s, busy_s, sum_sq_s2 });
        }
    }
}
