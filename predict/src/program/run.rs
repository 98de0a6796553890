//! The events of a run: who goes on when.

use std::collections::{BTreeMap, VecDeque};

use super::collective::Steps;
use super::compiled::Compiled;
use super::machine::Machine;
use super::messages::{Message, Messages, Posted, Step};
use super::network::Network;
use super::outcome::{Activity, ElementTimes, Outcome, ProcessTimes, Span, Times};
use super::processors::Processors;
use super::{Mode, Options, ProgramError};
use midrun_models::events::EventQueue;
use midrun_models::random::Random;

mod farm;
mod report;
mod serial;
mod stream;
mod values;
mod walk;

/// Most messages on their way.
const MOST_MESSAGES: usize = 10_000_000;

/// Something that happens at a time; at the same time, in the order in which it was foreseen.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A part of what the process waits for is over.
    Over(usize),
    /// The sender of a message, or of its announcement, has done its part: the bytes set out.
    Out(usize),
    /// The first byte of it is there: it can meet its receive.
    Head(usize),
    /// The last byte of it is there.
    Arrived(usize),
    /// The receiver's answer to an announcement is back at the sender.
    Answered(usize),
    /// The last byte of an announced message is there.
    DataArrived(usize),
    /// The receiver of a Master/Worker element's announcement looks at it.
    Looked(usize),
    /// A process on this node is done computing, unless something has changed since.
    Core(usize, u64),
}

/// Elements being run one after another.
#[derive(Clone, Copy)]
struct Frame<'a> {
    list: &'a [usize],
    at: usize,
    /// Passages of a loop: all, and the one that is run.
    count: u64,
    passage: u64,
    slot: Option<usize>,
}

/// A process.
struct Process<'a> {
    frames: Vec<Frame<'a>>,
    steps: VecDeque<Step>,
    /// Steps of a collective communication, behind `steps`.
    collective: Option<Steps>,
    element: usize,
    slots: Vec<f64>,
    random: Random,
    /// Parts of the step that are not over.
    pending: u32,
    since_s: f64,
    /// Intervals of the step that are not waiting, with their activity.
    own_s: f64,
    activity: Activity,
    /// Senders whose message was not received yet.
    sending: Option<usize>,
    times: Times,
    end_s: Option<f64>,
}

/// Share of a process in a framework: its activities with begin and end in order, and the time of its release.
#[derive(Clone, Debug, Default)]
struct Share {
    busy: Vec<(Activity, f64, f64)>,
    end_s: f64,
}

/// Everything that changes.
pub(super) struct Run<'a> {
    compiled: &'a Compiled,
    machine: &'a Machine,
    places: &'a [usize],
    options: &'a Options,
    processes: Vec<Process<'a>>,
    messages: Messages,
    /// Tells a message, or its announcement (false), from announced data (true).
    network: Network<'a, (usize, bool)>,
    nodes: Vec<Processors>,
    /// When the next process on each node will be done, and how often that has changed.
    foreseen: Vec<(Option<f64>, u64)>,
    events: EventQueue<Event>,
    ready: VecDeque<usize>,
    /// What the Master/Worker element that runs has not heard yet.
    news: Vec<farm::News>,
    /// Processes that have arrived at each framework.
    met: BTreeMap<usize, Vec<usize>>,
    elements: Vec<ElementTimes>,
    spans: Vec<Span>,
    cut: bool,
    steps: u64,
    now_s: f64,
}

pub(super) fn run(compiled: &Compiled, machine: &Machine, options: &Options) -> Result<Outcome, ProgramError> {
    let places = machine.places(compiled.processes);
    let elements = compiled.elements.iter();
    let mut run = Run {
        compiled,
        machine,
        places: &places,
        options,
        processes: (0..compiled.processes).map(|rank| Process::new(compiled, rank, places[rank], options)).collect(),
        messages: Messages::new(compiled.processes),
        network: Network::new(machine, &places),
        nodes: machine.nodes.iter().map(Processors::new).collect(),
        foreseen: vec![(None, 0); machine.nodes.len()],
        events: EventQueue::default(),
        ready: (0..compiled.processes).collect(),
        news: Vec::new(),
        met: BTreeMap::new(),
        elements: elements
            .map(|of| ElementTimes { name: of.name.clone(), count: 0, times: Times::default() })
            .collect(),
        spans: Vec::new(),
        cut: false,
        steps: 0,
        now_s: 0.0,
    };
    run.all()?;
    run.outcome()
}

impl<'a> Process<'a> {
    fn new(compiled: &'a Compiled, rank: usize, node: usize, options: &Options) -> Process<'a> {
        let mut slots = vec![0.0; compiled.slots];
        slots[..3].copy_from_slice(&[rank as f64, compiled.processes as f64, node as f64]);
        Process {
            frames: vec![Frame { list: &compiled.run, at: 0, count: 1, passage: 0, slot: None }],
            steps: VecDeque::new(),
            collective: None,
            element: 0,
            slots,
            // Each process has its own random stream, so its numbers do not depend on the order of events.
            random: Random::new(options.seed ^ (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            pending: 0,
            since_s: 0.0,
            own_s: 0.0,
            activity: Activity::Compute,
            sending: None,
            times: Times::default(),
            end_s: None,
        }
    }
}

impl Run<'_> {
    fn all(&mut self) -> Result<(), ProgramError> {
        loop {
            while let Some(process) = self.ready.pop_front() {
                self.advance(process)?;
            }
            if !self.step(None)? {
                return Ok(());
            }
        }
    }

    /// The next event, unless `other_s`, when something else happens, is before it; false if there is none.
    fn step(&mut self, other_s: Option<f64>) -> Result<bool, ProgramError> {
        let event_s = self.events.next_s();
        let event_s = event_s.filter(|event_s| other_s.is_none_or(|other_s| *event_s <= other_s));
        let first_s = event_s.or(other_s);
        // Links are shared anew when all that happens at this moment has happened.
        let now = first_s == Some(self.now_s);
        let end_s = if now { None } else { self.network.next_s() };
        match end_s {
            Some(end_s) if first_s.is_none_or(|first_s| end_s < first_s) => {
                self.now_s = end_s;
                if let Some(((number, data), next)) = self.network.end(end_s) {
                    self.begun(next);
                    self.out(number, data);
                }
            }
            _ if event_s.is_none() => return Ok(false),
            _ => {
                let Some((event_s, event)) = self.events.pop() else { return Ok(false) };
                self.now_s = event_s;
                self.on_event(event)?;
            }
        }
        Ok(true)
    }

    /// Counts what is done.
    fn count(&mut self, process: usize, steps: usize) -> Result<(), ProgramError> {
        self.steps += steps as u64;
        let hint = match () {
            () if self.steps > self.options.events => "allow more of them, or simulate fewer iterations",
            () if self.messages.open() > MOST_MESSAGES => "let receivers keep up with senders",
            () => return Ok(()),
        };
        let what = match self.steps > self.options.events {
            true => format!("{} events are reached", self.options.events),
            false => format!("{MOST_MESSAGES} messages are on their way"),
        };
        let element = self.elements[self.processes[process].element].name.clone();
        Err(ProgramError::Limit { what, time_s: self.now_s, element, hint })
    }

    fn at(&mut self, time_s: f64, event: Event) {
        self.events.at(time_s, event);
    }

    fn on_event(&mut self, event: Event) -> Result<(), ProgramError> {
        match event {
            Event::Over(process) => self.over(process, 0.0),
            Event::Out(number) => self.launch(number),
            Event::Head(number) => {
                let Message { to, rendezvous, content, .. } = self.messages.get(number);
                self.count(to, 1)?;
                if content.is_some() {
                    self.news.extend(rendezvous.then_some(farm::News::Announced(number)));
                } else if self.messages.arrive(number) {
                    self.matched(number);
                }
            }
            Event::Arrived(number) => {
                let message = self.messages.get_mut(number);
                message.there = true;
                if message.matched {
                    self.received(number);
                }
            }
            Event::Answered(number) => {
                let Message { from, to, bytes, .. } = self.messages.get(number);
                let begun = self.network.start((number, true), from, to, bytes, self.now_s);
                self.begun(begun.then_some((number, true)));
            }
            Event::DataArrived(number) => self.received(number),
            Event::Looked(number) => self.matched(number),
            Event::Core(node, change) => {
                if self.foreseen[node].1 == change {
                    self.foreseen[node].0 = None;
                    if let Some(process) = self.nodes[node].end(self.now_s) {
                        self.over(process, 0.0);
                    }
                    self.foresee(node);
                }
            }
        }
        Ok(())
    }

    /// A message, or its announcement, sets out.
    fn launch(&mut self, number: usize) {
        let Message { from, to, bytes, rendezvous, .. } = self.messages.get(number);
        let bytes = if rendezvous { 0.0 } else { bytes };
        let begun = self.network.start((number, false), from, to, bytes, self.now_s);
        self.begun(begun.then_some((number, false)));
    }

    /// The first byte of a message, or of its announcement, sets out.
    fn begun(&mut self, begun: Option<(usize, bool)>) {
        if let Some((number, false)) = begun {
            let Message { latency_s, .. } = self.messages.get(number);
            self.at(self.now_s + latency_s, Event::Head(number));
        }
    }

    /// The last byte of a message, or of its announcement, has left its sender.
    fn out(&mut self, number: usize, data: bool) {
        let Message { from, to, latency_s, rendezvous, awaited, .. } = self.messages.get(number);
        if data {
            self.at(self.now_s + self.network.link(from, to).start_up_s, Event::DataArrived(number));
            if awaited {
                self.over(from, 0.0);
            }
        } else if !rendezvous {
            self.at(self.now_s + latency_s, Event::Arrived(number));
        }
    }

    /// When the next process on a node will be done.
    fn foresee(&mut self, node: usize) {
        let (known_s, changes) = self.foreseen[node];
        let next_s = self.nodes[node].next_s();
        if next_s == known_s {
            return; // its event is under way
        }
        self.foreseen[node] = (next_s, changes + 1);
        if let Some(next_s) = next_s {
            self.at(next_s, Event::Core(node, changes + 1));
        }
    }

    /// A message and its receive have met.
    fn matched(&mut self, number: usize) {
        let Message { from, to, rendezvous, there, .. } = self.messages.get(number);
        self.messages.get_mut(number).matched = true;
        if rendezvous {
            self.at(self.now_s + self.network.link(to, from).start_up_s, Event::Answered(number));
        } else if there {
            self.received(number);
        }
    }

    fn received(&mut self, number: usize) {
        let Message { from, to, bytes, content, .. } = self.messages.get(number);
        self.messages.remove(number);
        if let Some(content) = content {
            self.news.push(farm::News::Arrived(content));
            return;
        }
        let link = self.network.link(from, to);
        self.over(to, link.start_up_s + bytes * link.per_byte_s);
    }

    /// A part of what a process waits for is over, of which `own_s` was not waiting.
    fn over(&mut self, process: usize, own_s: f64) {
        let of = &mut self.processes[process];
        of.own_s += own_s;
        of.pending -= 1;
        if of.pending == 0 {
            of.sending = None;
            self.account(process);
            self.ready.push_back(process);
        }
    }

    /// The step that a process began at `since_s` is over: where did its time go?
    fn account(&mut self, process: usize) {
        let Process { since_s, own_s, activity, .. } = self.processes[process];
        let all_s = self.now_s - since_s;
        let own_s = own_s.min(all_s);
        let turn_s = self.now_s - own_s;
        self.spent(process, Activity::Waiting, since_s, if own_s > 0.0 { turn_s } else { self.now_s });
        if own_s > 0.0 {
            self.spent(process, activity, turn_s.max(since_s), self.now_s);
        }
    }

    /// A process did something for a while.
    fn spent(&mut self, process: usize, activity: Activity, from_s: f64, to_s: f64) {
        if to_s <= from_s {
            return;
        }
        let element = self.processes[process].element;
        self.processes[process].times.add(activity, to_s - from_s);
        self.elements[element].times.add(activity, to_s - from_s);
        if self.spans.len() < self.options.spans {
            self.spans.push(Span { process, element, activity, from_s, to_s });
        } else {
            self.cut = true;
        }
    }

    /// Begins a step; true if the process must wait for its end.
    fn begin(&mut self, process: usize, step: Step) -> Result<bool, ProgramError> {
        let of = &mut self.processes[process];
        (of.since_s, of.own_s, of.activity) = (self.now_s, 0.0, Activity::Communication);
        match step {
            Step::Compute { work_s, threads } => {
                let node = self.places[process];
                (of.pending, of.activity, of.own_s) = (1, Activity::Compute, self.nodes[node].own_s(work_s));
                self.nodes[node].begin(process, work_s, threads, self.now_s);
                self.foresee(node);
            }
            Step::Send { to, bytes, mode, collective } => {
                self.send(process, to, bytes, mode, collective, 0.0);
            }
            Step::Receive { from, collective } => self.receive(process, from, collective),
            Step::Exchange { sends, receives, collective } => {
                let mut busy_s = 0.0;
                for (to, bytes) in sends {
                    busy_s = self.send(process, to, bytes, Mode::Standard, collective, busy_s);
                }
                for from in receives {
                    self.receive(process, Some(from), collective);
                }
            }
            Step::Meet => {
                of.pending = 1;
                let here = self.met.entry(of.element).or_default();
                here.push(process);
                if here.len() == self.processes.len() {
                    let element = self.processes[process].element;
                    self.met.remove(&element);
                    self.together(element)?;
                }
            }
        }
        Ok(self.processes[process].pending > 0)
    }

    /// Sends after the sender has been busy with other messages for `busy_s`; how long it has been when this one is on its way.
    fn send(&mut self, from: usize, to: usize, bytes: f64, mode: Mode, collective: bool, busy_s: f64) -> f64 {
        let link = self.network.link(from, to);
        let large = bytes > link.eager_bytes;
        let awaited = mode == Mode::Synchronous || (mode == Mode::Standard && large);
        let rendezvous = awaited || large;
        let (there, matched) = (false, false);
        let latency_s = link.start_up_s - link.overhead_s;
        let message =
            Message { from, to, bytes, latency_s, collective, rendezvous, awaited, there, matched, content: None };
        let busy_s = busy_s + link.overhead_s;
        let ready_s = self.now_s + busy_s;
        self.dispatch(message, ready_s);
        let of = &mut self.processes[from];
        of.pending += 1;
        if awaited {
            of.sending = Some(to);
            of.own_s += link.start_up_s + bytes * link.per_byte_s;
        } else {
            of.own_s += link.overhead_s;
            self.at(ready_s, Event::Over(from));
        }
        busy_s
    }

    /// A message whose sender has done its part at `ready_s`.
    fn dispatch(&mut self, message: Message, ready_s: f64) {
        let number = self.messages.add(message);
        if ready_s > self.now_s {
            self.at(ready_s, Event::Out(number));
        } else {
            self.launch(number);
        }
    }

    fn receive(&mut self, process: usize, from: Option<usize>, collective: bool) {
        self.processes[process].pending += 1;
        let Some(number) = self.messages.post(process, Posted { from, collective }) else { return };
        let Message { rendezvous, there, .. } = self.messages.get(number);
        if rendezvous || !there {
            self.matched(number);
        } else {
            // The message had arrived before: the process neither waits nor communicates.
            self.messages.remove(number);
            self.processes[process].pending -= 1;
        }
    }
}
