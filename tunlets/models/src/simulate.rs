//! Simulates one iteration: the master's own hand-out code on a model of tasks, workers and messages.
//!
//! The master serves one message at a time. With synchronous sends it is held until the worker's acknowledgement is back, and sends no
//! chunk ahead. A worker computes its chunks in the order they come; the master queues a
//! second chunk ahead while much is left ([`midrun_scheduling::WorkerQueue`]), so that the worker need not wait for messages. With recall, a busy
//! worker looks for the master's request between two tasks.

use std::collections::VecDeque;

use midrun_scheduling::{
    Chunk, ChunkScheduler, Recall, Returned, TechniqueParameters, WorkerSpeed, Workers, own_task_s, tasks_to_return,
};

use crate::counted::{self, Counted};
use crate::cutter::Cutter;
use crate::events::EventQueue;
use crate::led::{self, Led};
pub use crate::simulated_load::{MessageTimes, SimInput};
pub use crate::trace::{ChunkLog, Trace};
pub use stepwise::Stepwise;

mod stepwise;

/// Weight of what the master knows of each worker when an iteration begins.
const KNOWN_TASKS: u64 = 50;
const KNOWN_CHUNKS: u64 = 3;

/// Between two looks of a worker that computes, seconds, where a task is shorter.
const LOOK_S: f64 = 10e-3;

/// Result of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimResult {
    /// From the first hand-out until the last result is in, seconds.
    pub iteration_s: f64,
    /// Chunks handed out.
    pub chunks: f64,
    /// The shortest time that these tasks could take: all workers compute until the end, each at its speed, seconds.
    pub shortest_s: f64,
    /// Standard deviation of the iteration time between drawings, as a share of its mean; 0 with one drawing.
    pub deviation: f64,
    /// Each chunk's worker, tasks, time and sum of squared task times (only of [`iteration`] and [`iteration_of`]).
    pub log: Vec<ChunkLog>,
}

impl SimResult {
    /// Iteration time over the shortest; 1 is perfect.
    pub fn ratio(&self) -> f64 {
        if self.shortest_s > 0.0 { self.iteration_s / self.shortest_s } else { 1.0 }
    }

    /// The mean of several, and their deviation.
    pub fn mean(all: &[SimResult]) -> SimResult {
        let mut sum = SimResult::default();
        let n = all.len().max(1) as f64;
        let mut squares_s2 = 0.0;
        for one in all {
            sum.iteration_s += one.iteration_s / n;
            squares_s2 += one.iteration_s * one.iteration_s;
            sum.chunks += one.chunks / n;
            sum.shortest_s += one.shortest_s / n;
        }
        if n > 1.0 && sum.iteration_s > 0.0 {
            let variance_s2 = (squares_s2 - n * sum.iteration_s * sum.iteration_s) / (n - 1.0);
            sum.deviation = variance_s2.max(0.0).sqrt() / sum.iteration_s;
        }
        sum
    }
}

/// One iteration with task times drawn by `seed`.
pub fn iteration(input: &SimInput, parameters: &TechniqueParameters, seed: u64) -> SimResult {
    whole(input, parameters, (&Trace::draw(input, seed), input.mean_s))
}

/// One iteration with these task times, seconds, on a worker of average speed.
pub fn iteration_of(times: &[f64], input: &SimInput, parameters: &TechniqueParameters) -> SimResult {
    let input = SimInput { tasks: times.len() as u64, ..input.clone() };
    whole(&input, parameters, (&Trace::of(times), 1.0))
}

fn whole(input: &SimInput, parameters: &TechniqueParameters, trace: (&Trace, f64)) -> SimResult {
    run(input, parameters, trace, true, f64::INFINITY).unwrap_or_default()
}

/// Task times drawn once for several simulations: what meets the same drawings can be compared much better than its values
/// are known.
pub struct Drawings {
    traces: Vec<Trace>,
    independent: usize,
}

impl Drawings {
    /// One drawing per seed of tasks like those of `input`.
    pub fn new(input: &SimInput, seeds: std::ops::Range<u64>) -> Drawings {
        let traces: Vec<Trace> = seeds.map(|seed| Trace::draw(input, seed)).collect();
        let independent = input.seen.independent(traces.len());
        Drawings { traces, independent }
    }

    /// Share of the drawings that are independent of each other.
    pub fn independent(&self) -> f64 {
        self.independent as f64 / self.traces.len().max(1) as f64
    }

    /// The result of each of the first `runs` drawings. `input` may differ from that of the drawings in everything but the number
    /// of its tasks, their profile and their variation.
    pub fn each(&self, input: &SimInput, parameters: &TechniqueParameters, runs: usize) -> Vec<SimResult> {
        self.each_within(input, parameters, 0..runs, f64::INFINITY).unwrap_or_default()
    }

    /// The same of these drawings, as long as the mean of the iteration times can be `most_s` or less, seconds: a setting that is
    /// surely worse costs little.
    pub fn each_within(
        &self,
        input: &SimInput,
        parameters: &TechniqueParameters,
        runs: std::ops::Range<usize>,
        most_s: f64,
    ) -> Option<Vec<SimResult>> {
        let end = runs.end.min(self.traces.len());
        let traces = &self.traces[runs.start.min(end)..end];
        // No iteration is shorter than its tasks take all workers together.
        let least_s = |trace: &Trace| shortest_s(input, (trace, input.mean_s));
        let rounding = 1.0 + 4.0 * f64::EPSILON * f64::from(input.workers.max(1));
        let mut spare_s = most_s * traces.len() as f64 * rounding - traces.iter().map(least_s).sum::<f64>();
        let mut each = Vec::with_capacity(traces.len());
        for trace in traces {
            spare_s += least_s(trace);
            let result = run(input, parameters, (trace, input.mean_s), false, spare_s)?;
            spare_s -= result.iteration_s;
            each.push(result);
        }
        Some(each)
    }

    /// The mean of [`Drawings::each`].
    pub fn run(&self, input: &SimInput, parameters: &TechniqueParameters, runs: usize) -> SimResult {
        SimResult::mean(&self.each(input, parameters, runs))
    }
}

/// The mean result of each parameters over `seeds` drawings; all parameterss meet the same [`Drawings`].
pub fn compare(input: &SimInput, parameterss: &[TechniqueParameters], seeds: std::ops::Range<u64>) -> Vec<SimResult> {
    let runs = (seeds.end - seeds.start) as usize;
    let drawings = Drawings::new(input, seeds);
    parameterss.iter().map(|parameters| drawings.run(input, parameters, runs)).collect()
}

/// A message between the master and a worker, by 0 .. N-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// The master hands so many tasks out.
    Tasks {
        /// To this worker.
        worker: u32,
        /// So many.
        count: u64,
    },
    /// "I am about to run dry".
    Ask {
        /// From this worker.
        worker: u32,
    },
    /// The results of so many tasks.
    Results {
        /// From this worker.
        worker: u32,
        /// So many.
        count: u64,
    },
    /// Recalled tasks come back.
    Returned {
        /// From this worker.
        worker: u32,
        /// So many.
        count: u64,
    },
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A result reaches the master.
    Result(u32),
    /// "I am about to run dry" reaches the master.
    Ask(u32),
    /// A chunk reaches the worker.
    Arrive(u32),
    /// A worker is done with its chunk, unless that chunk became smaller since: then its number differs.
    Done(u32, u64),
    /// A worker is at the last task of its chunk; likewise.
    Last(u32, u64),
    /// A worker reads that tasks are recalled.
    Recall(u32),
    /// Its answer reaches the master.
    Returned(u32),
}

#[derive(Default)]
struct Worker {
    /// Sent and not arrived: messages keep their order.
    travelling: VecDeque<Chunk>,
    /// Arrived and not begun.
    waiting: VecDeque<Chunk>,
    computing: Option<Computing>,
    /// When the chunk being computed is done.
    done_s: f64,
    /// The master's request for tasks.
    recalled: Option<Recall>,
    /// The answers on their way: the recalled chunk, and the tasks.
    answers: VecDeque<(u64, Chunk)>,
    /// When each chunk was begun whose result the master does not have.
    begun_s: VecDeque<f64>,
    /// Results on their way to the master.
    back: usize,
}

#[derive(Clone, Copy)]
struct Computing {
    chunk: Chunk,
    begin_s: f64,
    /// Number of its events.
    number: u64,
}

/// Who carries the messages: asked at compile time, so that a live decision pays nothing for the choice.
trait Carrier {
    /// Whether this message, which sets out at `ready_s`, is carried by others than the simulation's own ways.
    fn takes(&mut self, ready_s: f64, message: Message) -> bool;
}

/// The simulation's own ways: the master's way out and its way in, one message at a time.
struct OwnWays;

impl Carrier for OwnWays {
    fn takes(&mut self, _: f64, _: Message) -> bool {
        false
    }
}

struct Sim<'a, C> {
    input: &'a SimInput,
    trace: &'a Trace,
    /// Unit of the task times, seconds.
    unit_s: f64,
    scheduler: ChunkScheduler,
    /// The program's own, which cuts instead of it.
    cutter: Option<Cutter<'a>>,
    returned: Returned,
    recall: Option<u64>,
    synchronous: bool,
    workers: Vec<Worker>,
    /// What is out at each as the master sees it, and its speed.
    known: Workers,
    events: EventQueue<Event>,
    /// Numbers given to what workers compute.
    begun: u64,
    master_free_s: f64,
    /// When the master's way out, and its way in, are free.
    outgoing_free_s: f64,
    incoming_free_s: f64,
    carrier: C,
    result: SimResult,
    logging: bool,
}

/// All tasks, by all workers at their speeds, seconds.
fn shortest_s(input: &SimInput, (trace, unit_s): (&Trace, f64)) -> f64 {
    let rate: f64 = (0..input.workers.max(1) as usize).map(|worker| 1.0 / trace.slowness(input, worker)).sum();
    trace.span(0, input.tasks).0 * unit_s / rate
}

/// `None` when the iteration takes longer than `most_s`.
fn run(
    input: &SimInput,
    parameters: &TechniqueParameters,
    (trace, unit_s): (&Trace, f64),
    logging: bool,
    most_s: f64,
) -> Option<SimResult> {
    let shortest_s = shortest_s(input, (trace, unit_s));
    let within = |result: SimResult| (result.iteration_s <= most_s).then_some(result);
    if parameters.counts()
        && let Some(counted) = counted::run(input, parameters, (trace, unit_s), logging)
    {
        let Counted { iteration_s, chunks, log } = counted;
        return within(SimResult { iteration_s, chunks: chunks as f64, shortest_s, deviation: 0.0, log });
    }
    let (scheduler, speeds) = (known_scheduler(input, parameters), known_speeds(input));
    if parameters.sub_team_size().is_some()
        && let Some(led) = led::run(input, parameters, (scheduler.clone(), speeds.clone()), (trace, unit_s), logging)
    {
        let Led { iteration_s, chunks, log } = led;
        return within(SimResult { iteration_s, chunks: chunks as f64, shortest_s, deviation: 0.0, log });
    }
    let mut sim = Sim::new(input, parameters, (trace, unit_s), (scheduler, speeds), OwnWays);
    (sim.logging, sim.result.shortest_s) = (logging, shortest_s);
    sim.begin(0.0);
    while sim.step() {
        if sim.result.iteration_s > most_s {
            return None;
        }
    }
    Some(sim.result)
}

/// The scheduler, with what the master knows of the tasks.
fn known_scheduler(input: &SimInput, parameters: &TechniqueParameters) -> ChunkScheduler {
    let moments = input.moments.or_else(|| known_moments(input));
    ChunkScheduler::new(*parameters, input.tasks, input.workers.max(1)).with_history(moments)
}

fn known_speeds(input: &SimInput) -> Vec<WorkerSpeed> {
    (0..input.workers.max(1) as usize).map(|worker| known_speed(input, worker)).collect()
}

/// The master's estimate of a worker's speed from the iteration before.
fn known_speed(input: &SimInput, worker: usize) -> WorkerSpeed {
    if input.first || input.unreported {
        return WorkerSpeed::default();
    }
    if let Some(measured) = input.measured.get(worker).filter(|measured| measured.tasks > 0) {
        return *measured;
    }
    let mean_s = input.mean_s * input.slowness_of(worker);
    WorkerSpeed::known(KNOWN_TASKS, KNOWN_CHUNKS, mean_s, (input.variation * mean_s).powi(2))
}

/// The master's mean and standard deviation of all tasks' times from the iteration before: from the tasks themselves, their
/// positions and the workers, each of which computes as many tasks as it is fast.
fn known_moments(input: &SimInput) -> Option<(f64, f64)> {
    let slowness = || (0..input.workers.max(1) as usize).map(|worker| input.slowness_of(worker));
    let rate: f64 = slowness().map(|s| 1.0 / s).sum();
    let mean_s = input.mean_s * f64::from(input.workers.max(1)) / rate;
    let profile = input.profile.iter().map(|p| p * p).sum::<f64>() / input.profile.len().max(1) as f64;
    let profile = if input.profile.is_empty() { 1.0 } else { profile };
    let squares = input.mean_s * input.mean_s * profile * (1.0 + input.variation * input.variation);
    let sigma_s = (squares * slowness().sum::<f64>() / rate - mean_s * mean_s).max(0.0).sqrt();
    (input.mean_s > 0.0 && !input.first && !input.unreported).then_some((mean_s, sigma_s))
}

impl<'a, C: Carrier> Sim<'a, C> {
    fn new(
        input: &'a SimInput,
        parameters: &TechniqueParameters,
        (trace, unit_s): (&'a Trace, f64),
        (scheduler, speeds): (ChunkScheduler, Vec<WorkerSpeed>),
        carrier: C,
    ) -> Sim<'a, C> {
        Sim {
            input,
            trace,
            unit_s,
            scheduler,
            cutter: input.batches.as_ref().map(|batches| Cutter::new(batches, input.tasks, speeds.len() as u64)),
            returned: Returned::default(),
            recall: parameters.recall.then_some(parameters.min_chunk.max(1)),
            synchronous: parameters.synchronous,
            workers: speeds.iter().map(|_| Worker::default()).collect(),
            known: Workers::new(speeds),
            events: EventQueue::default(),
            begun: 0,
            master_free_s: 0.0,
            outgoing_free_s: 0.0,
            incoming_free_s: 0.0,
            carrier,
            result: SimResult::default(),
            logging: false,
        }
    }

    fn begin(&mut self, begin_s: f64) {
        let n = self.workers.len() as u32;
        for worker in (0..n).chain(0..n) {
            self.feed(worker, begin_s);
        }
        self.ask_back(begin_s);
    }

    /// The next event; false if there is none.
    fn step(&mut self) -> bool {
        let Some((now, event)) = self.events.pop() else { return false };
        self.on_event(now, event);
        true
    }

    fn at(&mut self, time_s: f64, event: Event) {
        self.events.at(time_s, event);
    }

    fn message_times(&self, worker: u32) -> MessageTimes {
        let SimInput { latency_s, send_s, back_s, .. } = *self.input;
        let all = MessageTimes { latency_s, send_s, back_s, eager_tasks: u64::MAX };
        self.input.message_times.get(worker as usize).copied().unwrap_or(all)
    }

    /// When a message of the master whose bytes could be out at `now` arrives.
    fn arrival_s(&self, worker: u32, chunk: Chunk, now: f64) -> f64 {
        let times = self.message_times(worker);
        let there_s = now + times.latency_s;
        if chunk.count <= times.eager_tasks {
            return there_s;
        }
        // Its announcement is there; when it is answered, the bytes flow.
        let answer_s = self.answer_s(worker, there_s);
        if answer_s <= there_s {
            return there_s;
        }
        answer_s + 2.0 * times.latency_s + chunk.count as f64 * times.send_s
    }

    /// When a worker answers an announcement that is there at `there_s`: at its next look, if it computes.
    fn answer_s(&self, worker: u32, there_s: f64) -> f64 {
        let w = &self.workers[worker as usize];
        if w.computing.is_none() || w.done_s <= there_s {
            return there_s;
        }
        let look_s = (self.input.mean_s * self.slowness(worker)).max(LOOK_S);
        w.done_s.min(there_s + look_s)
    }

    fn slowness(&self, worker: u32) -> f64 {
        self.trace.slowness(self.input, worker as usize)
    }

    /// Tasks that are in no chunk yet.
    fn remaining(&self) -> u64 {
        self.cutter.as_ref().map_or_else(|| self.scheduler.remaining(), Cutter::remaining)
    }

    fn feed(&mut self, worker: u32, now: f64) {
        let left = self.remaining() + self.returned.tasks();
        let n = self.workers.len() as u64;
        let out = &self.known.queues()[worker as usize];
        let prefetches = !self.input.without_prefetch && !self.synchronous && self.cutter.is_none();
        let ahead = prefetches && out.may_receive(self.scheduler.technique(), left, n);
        if !out.is_empty() && !ahead {
            return;
        }
        // What came back was prepared before.
        let is_new = self.returned.tasks() == 0;
        let next = match (self.returned.tasks(), &mut self.cutter) {
            (0, Some(cutter)) => cutter.next(),
            (0, None) => self.scheduler.next(worker, self.known.speeds()),
            _ => self.returned.next(self.known.idle() as u64),
        };
        let Some(chunk) = next else { return };
        self.result.chunks += 1.0;
        let inputs_s = if is_new { chunk.count as f64 * self.input.input_s } else { 0.0 };
        self.master_free_s = self.master_free_s.max(now) + self.input.overhead_s + inputs_s;
        self.known.push(worker as usize, chunk, now);
        self.workers[worker as usize].travelling.push_back(chunk);
        if self.carrier.takes(self.master_free_s, Message::Tasks { worker, count: chunk.count }) {
            return;
        }
        let times = self.message_times(worker);
        self.outgoing_free_s = self.outgoing_free_s.max(self.master_free_s) + chunk.count as f64 * times.send_s;
        let there_s = self.arrival_s(worker, chunk, self.outgoing_free_s);
        if self.synchronous {
            self.master_free_s = there_s + times.latency_s;
        }
        self.at(there_s, Event::Arrive(worker));
    }

    fn on_event(&mut self, now: f64, event: Event) {
        match event {
            Event::Arrive(worker) => {
                let w = &mut self.workers[worker as usize];
                if let Some(chunk) = w.travelling.pop_front() {
                    w.waiting.push_back(chunk);
                }
                self.start(worker, now);
            }
            Event::Last(worker, number) => {
                let w = &self.workers[worker as usize];
                let asks = w.computing.is_some_and(|c| c.number == number) && w.waiting.is_empty();
                if asks && !self.carrier.takes(now, Message::Ask { worker }) {
                    self.at(now + self.message_times(worker).latency_s, Event::Ask(worker));
                }
            }
            Event::Ask(worker) => {
                self.known.ask(worker as usize);
                self.feed(worker, now);
            }
            Event::Done(worker, number) => {
                let w = &mut self.workers[worker as usize];
                if w.computing.is_none_or(|c| c.number != number) {
                    return;
                }
                w.computing = None;
                // A worker computes in the order in which it receives: its oldest chunk is the one that is done.
                let done = self.known.queues()[worker as usize].get(w.back);
                let count = done.map_or(0, |chunk| chunk.count);
                self.workers[worker as usize].back += 1;
                if !self.carrier.takes(now, Message::Results { worker, count }) {
                    let times = self.message_times(worker);
                    self.incoming_free_s = self.incoming_free_s.max(now) + count as f64 * times.back_s;
                    self.at(self.incoming_free_s + times.latency_s, Event::Result(worker));
                }
                self.start(worker, now);
            }
            Event::Result(worker) => self.on_result(worker, now),
            Event::Recall(worker) => self.on_recall(worker, now),
            Event::Returned(worker) => self.on_returned(worker, now),
        }
    }

    /// The master asks for tasks that were not begun, as long as somebody is idle for whom it did not ask.
    fn ask_back(&mut self, now: f64) {
        if self.recall.is_none() || self.scheduler.remaining() + self.returned.tasks() > 0 {
            return;
        }
        while let Some(asked) = self.known.recall(now, None) {
            let worker = asked.worker as u32;
            self.workers[asked.worker].recalled = Some(asked);
            self.master_free_s = self.master_free_s.max(now) + self.input.overhead_s;
            let there_s = self.master_free_s + self.message_times(worker).latency_s;
            self.at(self.next_look_s(worker, there_s), Event::Recall(worker));
        }
    }

    /// When a worker looks for messages, at `there_s` or after: between two tasks.
    fn next_look_s(&self, worker: u32, there_s: f64) -> f64 {
        let (w, each_s) = (&self.workers[worker as usize], self.slowness(worker) * self.unit_s);
        match w.computing {
            Some(c) if there_s > c.begin_s => {
                c.begin_s + each_s * self.trace.span(c.chunk.first, self.begun(c, each_s, there_s)).0
            }
            Some(c) => c.begin_s,
            None => there_s,
        }
    }

    /// Tasks of a chunk that have begun before `now`.
    fn begun(&self, c: Computing, each_s: f64, now: f64) -> u64 {
        let (mut low, mut high) = (0, c.chunk.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if c.begin_s + each_s * self.trace.span(c.chunk.first, middle).0 < now {
                low = middle + 1
            } else {
                high = middle
            }
        }
        low
    }

    /// A worker gives tasks back; of a chunk that is computed its result is the answer.
    fn on_recall(&mut self, worker: u32, now: f64) {
        let each_s = self.slowness(worker) * self.unit_s;
        let Some(asked) = self.workers[worker as usize].recalled.take() else { return };
        let recalled = asked.chunk;
        let w = &self.workers[worker as usize];
        let current = w.computing.map(|c| (c, self.begun(c, each_s, now)));
        let unbegun = current.map_or(0, |(c, begun)| c.chunk.count - begun)
            + w.waiting.iter().map(|chunk| chunk.count).sum::<u64>();
        let (begun, busy_s) = current.map_or((0, 0.0), |(c, begun)| (begun, now - c.begin_s));
        let own_s = own_task_s(asked.own_s, begun, busy_s);
        let wanted = tasks_to_return(unbegun, own_s, asked.idle_s, self.recall.unwrap_or(1));
        let given = match current.filter(|(c, _)| c.chunk.first == recalled) {
            Some((mut c, begun)) => {
                let given = wanted.min(c.chunk.count - begun);
                let first = c.chunk.first + c.chunk.count - given;
                c.chunk.count -= given;
                if given > 0 {
                    self.compute(worker, c.chunk, c.begin_s, now);
                }
                Some(Chunk { first, count: given })
            }
            None => {
                self.workers[worker as usize].waiting.iter_mut().find(|chunk| chunk.first == recalled).map(|chunk| {
                    let given = wanted.min(chunk.count);
                    chunk.count -= given;
                    Chunk { first: chunk.first + chunk.count, count: given }
                })
            }
        };
        let Some(given) = given else { return };
        let w = &mut self.workers[worker as usize];
        w.waiting.retain(|chunk| chunk.count > 0);
        w.answers.push_back((recalled, given));
        if self.carrier.takes(now, Message::Returned { worker, count: given.count }) {
            return;
        }
        let times = self.message_times(worker);
        self.incoming_free_s = self.incoming_free_s.max(now) + given.count as f64 * times.send_s;
        self.at(self.incoming_free_s + times.latency_s, Event::Returned(worker));
    }

    fn on_returned(&mut self, worker: u32, now: f64) {
        let w = &mut self.workers[worker as usize];
        let Some((recalled, tasks)) = w.answers.pop_front() else { return };
        self.known.on_answer(&mut self.returned, worker as usize, recalled, tasks);
        if tasks.count > 0 && tasks.first == recalled {
            self.result.chunks -= 1.0;
        }
        while self.returned.tasks() > 0
            && let Some(idle) = self.known.first_idle()
        {
            self.feed(idle as u32, now);
        }
        self.ask_back(now);
    }

    /// A worker computes this chunk from `begin_s` on; `now` is the time of the decision.
    fn compute(&mut self, worker: u32, chunk: Chunk, begin_s: f64, now: f64) {
        let each_s = self.slowness(worker) * self.unit_s;
        let done_s = begin_s + self.trace.span(chunk.first, chunk.count).0 * each_s;
        self.begun += 1;
        let number = self.begun;
        let w = &mut self.workers[worker as usize];
        w.computing = Some(Computing { chunk, begin_s, number });
        w.done_s = done_s;
        if chunk.count > 1 {
            let last_s = self.trace.span(chunk.first + chunk.count - 1, 1).0 * each_s;
            self.at((done_s - last_s).max(now), Event::Last(worker, number));
        }
        self.at(done_s.max(now), Event::Done(worker, number));
    }

    fn start(&mut self, worker: u32, now: f64) {
        let w = &mut self.workers[worker as usize];
        if w.computing.is_some() {
            return;
        }
        let Some(chunk) = w.waiting.pop_front() else { return };
        let begin_s = now + self.input.unexplained_s;
        w.begun_s.push_back(begin_s);
        self.compute(worker, chunk, begin_s, now);
    }

    fn on_result(&mut self, worker: u32, now: f64) {
        let each_s = self.slowness(worker) * self.unit_s;
        let Some(chunk) = self.known.pop(worker as usize, now) else { return };
        self.workers[worker as usize].back -= 1;
        let begin_s = self.workers[worker as usize].begun_s.pop_front().unwrap_or(now);
        let (time, squares) = self.trace.span(chunk.first, chunk.count);
        let (busy_s, sum_sq_s2) = (time * each_s, squares * each_s * each_s);
        // The last result's taking in is part of the iteration; the master's time per chunk covers both ways.
        self.result.iteration_s = self.result.iteration_s.max(now);
        if self.logging {
            let Chunk { first, count } = chunk;
            self.result.log.push(ChunkLog { worker, first, count, begin_s, busy_s, sum_sq_s2 });
        }
        if !self.input.unreported {
            self.known.add_chunk(worker as usize, chunk.count, busy_s, sum_sq_s2);
            self.scheduler.on_result(chunk.count, busy_s, sum_sq_s2, true);
        }
        self.feed(worker, now); // for what came back
        self.feed(worker, now); // and one ahead
        if self.input.result_s > 0.0 {
            self.master_free_s = self.master_free_s.max(now) + chunk.count as f64 * self.input.result_s;
            self.result.iteration_s = self.result.iteration_s.max(self.master_free_s);
        }
        self.ask_back(now);
    }
}
