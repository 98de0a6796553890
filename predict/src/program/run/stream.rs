//! A pipeline as an element: inputs on their way through stages, as the framework hands them on.
//!
//! Whoever produces an item gives it to a replica of the next stage that has room: one item may wait at each of several
//! replicas, two where there is only one. A replica that begins an item tells its senders. Rank 0 draws inputs while fewer than
//! so many are on their way, and delivers in their order.
//!
//! What an item costs its sender is the source's (César 2006, ch. IV): the start-up's overhead, and above the eager limit all of
//! the message, because its bytes flow only while the sender looks, and one that computes does not look.

use std::collections::{BTreeSet, VecDeque};

use super::serial::SerialLinks;
use super::{ProgramError, Run, Share};
use crate::program::element::Pipeline;
use crate::program::outcome::Activity;
use midrun_models::events::EventQueue;
use midrun_models::expression::Code;

/// Most inputs of a stream.
const MOST_INPUTS: f64 = 1e7;
/// Inputs on their way for each rank that computes, and for the head, as in the framework.
const PER_RANK: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Event {
    /// The first byte of an item is at a rank's way in.
    Head { to: usize, from: usize, input: usize },
    /// An item is at its rank; rank 0 gets outputs.
    Arrived { to: usize, input: usize },
    /// The senders to this rank know that it has begun an item.
    Credit { rank: usize },
    /// A rank has computed, and sent on.
    Done { rank: usize, input: usize },
    /// Rank 0 has drawn an input and sent it on.
    Drawn { input: usize },
}

/// A rank that computes a stage.
struct Replica {
    stage: usize,
    waiting: VecDeque<usize>,
    /// Items that wait or are on their way here, as the senders know it.
    known: usize,
    computing: bool,
    slowness: f64,
}

struct Stream<'r, 'a> {
    run: &'r mut Run<'a>,
    of: &'r Pipeline<Code>,
    network: SerialLinks<'a>,
    /// By rank; there is none at rank 0.
    replicas: Vec<Replica>,
    /// For each stage its first rank, and behind the last one the first rank that computes none.
    first: Vec<usize>,
    /// Items that wait for room, by the stage they go to, with their sender.
    outbox: Vec<VecDeque<(usize, usize)>>,
    events: EventQueue<Event>,
    inputs: usize,
    in_flight: usize,
    drawn: usize,
    drawing: bool,
    /// Outputs that came before their turn, and the next in turn.
    early: BTreeSet<usize>,
    delivered: usize,
    now_s: f64,
    shares: Vec<Share>,
}

/// The share of each process, beginning when all have arrived.
pub(super) fn run(run: &mut Run<'_>, of: &Pipeline<Code>) -> Result<Vec<Share>, ProgramError> {
    let processes = run.places.len();
    let inputs = run.framework_count(&of.inputs, "inputs", (0.0, MOST_INPUTS))?;
    run.count(0, inputs * of.stages.len())?;
    let mut first = vec![1];
    for stage in &of.stages {
        let replicas = run.framework_count(&stage.replicas, "replicas", (1.0, processes as f64))?;
        first.push(first[first.len() - 1] + replicas);
    }
    let ranks = first[first.len() - 1];
    if ranks > processes {
        let sentence = format!("the pipeline takes {ranks} processes (rank 0 and all replicas), there are {processes}");
        return Err(ProgramError::Program(sentence));
    }
    let in_flight = match &of.in_flight {
        Some(code) => run.framework_count(code, "in_flight", (1.0, 1e9))?,
        None => PER_RANK * ranks,
    };
    let slowness = run.slowness();
    let stage_of = |rank: usize| first.iter().rposition(|begin| *begin <= rank).unwrap_or(0);
    let replica = |rank: usize| Replica {
        stage: stage_of(rank),
        waiting: VecDeque::new(),
        known: 0,
        computing: false,
        slowness: slowness[rank],
    };
    let replicas = (0..ranks).map(replica).collect();
    let network = SerialLinks::new(run.machine, run.places);
    let mut stream = Stream {
        run,
        of,
        network,
        replicas,
        outbox: vec![VecDeque::new(); of.stages.len()],
        first,
        events: EventQueue::default(),
        inputs,
        in_flight,
        drawn: 0,
        drawing: false,
        early: BTreeSet::new(),
        delivered: 0,
        now_s: 0.0,
        shares: vec![Share::default(); processes],
    };
    stream.draw()?;
    while let Some((now_s, event)) = stream.events.pop() {
        stream.now_s = now_s;
        stream.on_event(event)?;
    }
    let Stream { mut shares, now_s, network, .. } = stream;
    let end = |rank: usize| if rank == 0 { now_s } else { now_s + network.link(0, rank).start_up_s };
    shares.iter_mut().enumerate().for_each(|(rank, share)| share.end_s = end(rank));
    Ok(shares)
}

impl Stream<'_, '_> {
    fn at(&mut self, time_s: f64, event: Event) {
        self.events.at(time_s, event);
    }

    fn on_event(&mut self, event: Event) -> Result<(), ProgramError> {
        match event {
            Event::Head { to, from, input } => {
                let stage = if to == 0 { self.of.stages.len() } else { self.replicas[to].stage };
                let bytes = self.bytes(stage, input)?;
                let there_s = self.network.arrive(from, to, bytes, self.now_s);
                self.at(there_s, Event::Arrived { to, input });
            }
            Event::Arrived { to: 0, input } => {
                self.early.insert(input);
                while self.early.remove(&self.delivered) {
                    self.delivered += 1;
                }
                self.draw()?;
            }
            Event::Arrived { to, input } => {
                self.replicas[to].waiting.push_back(input);
                self.start(to)?;
            }
            Event::Credit { rank } => {
                self.replicas[rank].known -= 1;
                self.hand_on(self.replicas[rank].stage)?;
                self.draw()?;
            }
            Event::Done { rank, input } => {
                self.replicas[rank].computing = false;
                let next = self.replicas[rank].stage + 1;
                if next == self.of.stages.len() {
                    self.send(rank, 0, next, input)?;
                } else {
                    self.outbox[next].push_back((input, rank));
                    self.hand_on(next)?;
                }
                self.start(rank)?;
            }
            Event::Drawn { input } => {
                self.drawing = false;
                self.outbox[0].push_back((input, 0));
                self.hand_on(0)?;
                self.draw()?;
            }
        }
        Ok(())
    }

    /// Bytes of an item that goes to `stage`.
    fn bytes(&mut self, stage: usize, input: usize) -> Result<f64, ProgramError> {
        let of = self.of;
        match (stage, &of.input_bytes) {
            (0, None) => Ok(0.0),
            (0, Some(code)) => self.run.framework_value(code, input, "input_bytes"),
            _ => self.run.framework_value(&of.stages[stage - 1].bytes, input, "bytes"),
        }
    }

    /// Rank 0 draws the next input, if it may.
    fn draw(&mut self) -> Result<(), ProgramError> {
        let room = self.drawn - self.delivered < self.in_flight && self.outbox[0].is_empty();
        if self.drawing || self.drawn == self.inputs || !room {
            return Ok(());
        }
        let overhead_s = self.sending_s(0, 1, 0, self.drawn)?;
        let head_s = match &self.of.head_s {
            None => 0.0,
            Some(code) => self.run.framework_value(code, self.drawn, "head_s")?,
        };
        self.drawing = true;
        let (begin_s, drawn_s) = (self.now_s, self.now_s + head_s);
        self.shares[0].busy.push((Activity::Compute, begin_s, drawn_s));
        self.shares[0].busy.push((Activity::Communication, drawn_s, drawn_s + overhead_s));
        self.at(drawn_s + overhead_s, Event::Drawn { input: self.drawn });
        self.drawn += 1;
        Ok(())
    }

    /// Gives items that wait to replicas that have room, those with the least to do first.
    fn hand_on(&mut self, stage: usize) -> Result<(), ProgramError> {
        let ranks = self.first[stage]..self.first[stage + 1];
        let most = if ranks.len() > 1 { 1 } else { 2 };
        while !self.outbox[stage].is_empty() {
            let room = ranks.clone().filter(|rank| self.replicas[*rank].known < most);
            let busy = |rank: &usize| self.replicas[*rank].known + usize::from(self.replicas[*rank].computing);
            let Some(to) = room.min_by_key(busy) else { break };
            let Some((input, from)) = self.outbox[stage].pop_front() else { break };
            self.replicas[to].known += 1;
            self.send(from, to, stage, input)?;
        }
        Ok(())
    }

    /// Time that sending an item to `stage` takes the sender, seconds.
    fn sending_s(&mut self, from: usize, to: usize, stage: usize, input: usize) -> Result<f64, ProgramError> {
        let (bytes, link) = (self.bytes(stage, input)?, self.network.link(from, to));
        let whole_s = link.start_up_s + bytes * link.per_byte_s;
        Ok(if bytes > link.eager_bytes { whole_s } else { link.overhead_s })
    }

    /// An item goes to `stage` on rank `to`; its sender has spent [`Stream::sending_s`] before.
    fn send(&mut self, from: usize, to: usize, stage: usize, input: usize) -> Result<(), ProgramError> {
        let spent_s = self.sending_s(from, to, stage, input)?;
        let (bytes, link) = (self.bytes(stage, input)?, self.network.link(from, to));
        // The transfer began while the sender was still busy with the message.
        let ready_s = (self.now_s - spent_s).max(0.0) + link.overhead_s;
        let (begin_s, _) = self.network.depart(from, to, bytes, ready_s);
        let there_s = begin_s + link.start_up_s - link.overhead_s;
        self.at(there_s.max(self.now_s), Event::Head { to, from, input });
        Ok(())
    }

    /// A rank begins what waits there.
    fn start(&mut self, rank: usize) -> Result<(), ProgramError> {
        if self.replicas[rank].computing {
            return Ok(());
        }
        let Some(input) = self.replicas[rank].waiting.pop_front() else { return Ok(()) };
        let of = self.of;
        let (stage, slowness) = (self.replicas[rank].stage, self.replicas[rank].slowness);
        let work_s = slowness * self.run.framework_value(&of.stages[stage].compute_s, input, "compute_s")?;
        self.replicas[rank].computing = true;
        // The receiving rank is not known yet; the first rank of the next stage represents all of them.
        let next = self.first[stage + 1];
        let (last, before) = (stage + 1 == of.stages.len(), if stage == 0 { 0 } else { self.first[stage - 1] });
        let overhead_s = self.sending_s(rank, if last { 0 } else { next }, stage + 1, input)?;
        let news_s = self.network.link(rank, before).start_up_s;
        let (begin_s, end_s) = (self.now_s, self.now_s + work_s);
        self.shares[rank].busy.push((Activity::Compute, begin_s, end_s));
        self.shares[rank].busy.push((Activity::Communication, end_s, end_s + overhead_s));
        self.at(begin_s + news_s, Event::Credit { rank });
        self.at(end_s + overhead_s, Event::Done { rank, input });
        Ok(())
    }
}
