//! The work of every rank of a pipeline: receive items, compute their stages, send them on.
//!
//! A rank never waits for a receiver: an item that no receiver may get yet stays in the outbox, and the rank goes on with the
//! next one. With synchronous sends it waits until a receiver takes an item that it may get, and receives meanwhile. So no pattern
//! and no change of patterns can deadlock, and the head's bound on inputs in flight bounds the memory.

use super::config::Config;
use super::dispatch::Dispatcher;
use super::fragments::{self, Assembly, Fragments};
use super::message::{self, DIRECT, HEADER_BYTES, Header, Item, Kind, Out, Refused, SINK, failure};
use super::pattern::{Pattern, Route};
use super::teams::Teams;
use super::timing::Timing;
use crate::frameworks::endpoint::{Endpoint, Message};
use crate::frameworks::nesting::Members;
use crate::mpi::MpiFailed;
use crate::{agent_link, clock, status};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_int;
use std::rc::Rc;

/// The rank that draws inputs, delivers outputs and changes patterns.
pub const HEAD: usize = 0;
/// Larger buffers are freed instead of reused.
const KEPT_BYTES: usize = 4 << 20;

/// After a large output a rank makes progress on its sends before it computes the next item, because a rank that computes
/// does not. It does so for at most 1/LINGER_SHARE of the compute time of the last item.
const LINGER_SHARE: u64 = 4;

/// The status of a failed item, and one of [`failure`].
pub type Failure = (c_int, u64);

/// One rank of a pipeline.
#[derive(Debug)]
pub struct Rank {
    /// The program's configuration.
    pub config: Rc<Config>,
    /// Sends and receives.
    pub endpoint: Endpoint,
    /// The number of each rank in `MPI_COMM_WORLD`.
    pub members: Members,
    pub(super) teams: Teams,
    /// Its number in the pipeline, and the ranks that it and others reach without the head: those of the program's communicator.
    own: usize,
    connected: usize,
    /// Head: items that it passed on to a started process or from one, and whose credit has not come back that way.
    passed_on: usize,
    /// Started process: the head has sent it away.
    pub dismissed: bool,
    fragments: Fragments,
    pub(super) messages: VecDeque<Message>,
    /// Messages of the head for the next run.
    next_run: VecDeque<(Header, Message)>,
    patterns: BTreeMap<u32, Pattern>,
    /// Items that arrived before their pattern.
    unrouted: Vec<(usize, Item)>,
    /// Items to compute, with the rank that gets a credit for each.
    ready: VecDeque<(usize, Item)>,
    /// Items for stages with state, by input and route, which must be computed in order.
    ordered: BTreeMap<(u64, u32), Item>,
    /// For each stage with state, the input that it computes next.
    next: Vec<u64>,
    dispatcher: Dispatcher,
    /// Items whose receivers have no credit left.
    outbox: VecDeque<Item>,
    /// Head: items that passed all stages.
    pub arrived: VecDeque<Item>,
    /// Number of this run's first input.
    base: u64,
    pub(super) timing: Timing,
    /// It has waited since it last computed.
    waited: bool,
    /// How long the last synchronous send to each rank held this one, nanoseconds.
    held_ns: Vec<u64>,
    stopping: bool,
    ended: Option<c_int>,
}

impl Rank {
    /// Rank `own` before its first run.
    pub fn new(config: Rc<Config>, endpoint: Endpoint, members: Members, own: usize) -> Rank {
        let (stages, links) = (config.stages.len(), endpoint.comm.size);
        let size = links.max(own + 1);
        Rank {
            config,
            endpoint,
            members,
            own,
            connected: if own < links { links } else { HEAD + 1 },
            passed_on: 0,
            dismissed: false,
            teams: Teams::default(),
            fragments: Fragments::new(links),
            messages: VecDeque::new(),
            next_run: VecDeque::new(),
            patterns: BTreeMap::new(),
            unrouted: Vec::new(),
            ready: VecDeque::new(),
            ordered: BTreeMap::new(),
            next: vec![0; stages],
            dispatcher: Dispatcher::new(size, own),
            outbox: VecDeque::new(),
            arrived: VecDeque::new(),
            base: 0,
            timing: Timing::new(own),
            waited: true,
            held_ns: vec![0; size],
            stopping: false,
            ended: None,
        }
    }

    pub(super) fn own(&self) -> usize {
        self.own
    }

    /// There are so many ranks now.
    fn know(&mut self, ranks: usize) {
        self.dispatcher.know(ranks);
        self.held_ns.resize(self.held_ns.len().max(ranks), 0);
    }

    /// Head: a started process becomes the next rank, whose number is returned.
    pub fn take_in(&mut self, child: usize) -> Result<usize, MpiFailed> {
        let number = self.endpoint.adopt(child)?;
        self.fragments.add();
        self.know(number + 1);
        self.endpoint.send(number, Header { route: number as u32, ..Header::new(Kind::Welcome) }.message())?;
        Ok(number)
    }

    /// Sends a message to a rank: through the head where one of both is a started process.
    pub(super) fn post(&mut self, to: usize, mut message: Vec<u8>, synchronous: bool) -> Result<(), MpiFailed> {
        let direct = self.own == HEAD || to == HEAD || self.own.max(to) < self.connected;
        let (link, peer) = if direct { (to, DIRECT) } else { (HEAD, to as u32) };
        message::readdress(&mut message, peer);
        fragments::send(&mut self.endpoint, link, message, synchronous)
    }

    /// Head: passes a message on to where its sender has no connection to.
    fn relay(&mut self, header: &Header, message: Message) -> Result<(), MpiFailed> {
        let Message { from, mut bytes } = message;
        let to = header.peer as usize;
        if to == HEAD || to >= self.endpoint.ranks() {
            return Err(MpiFailed); // a defect of midrun
        }
        match header.kind {
            Kind::Item => self.passed_on += 1,
            Kind::Credit => self.passed_on = self.passed_on.checked_sub(1).ok_or(MpiFailed)?,
            _ => {}
        }
        message::readdress(&mut bytes, from as u32);
        fragments::send(&mut self.endpoint, to, bytes, false)
    }

    /// Starts a run, and processes messages of it that arrived early.
    pub fn begin(&mut self) -> Result<(), MpiFailed> {
        self.stopping = false;
        self.ended = None;
        self.timing = Timing::new(self.own());
        for (header, message) in std::mem::take(&mut self.next_run) {
            self.take(header, message)?;
        }
        Ok(())
    }

    /// Runs a rank other than the head; returns the status that the head sends.
    pub fn serve(&mut self) -> Result<c_int, MpiFailed> {
        self.begin()?;
        loop {
            agent_link::check_when_due(clock::now_ns());
            self.absorb()?;
            if self.step()? {
                continue;
            }
            if self.dismissed {
                return Ok(status::ENDED);
            }
            if let Some(status) = self.ended.filter(|_| self.dispatcher.is_settled()) {
                self.endpoint.flush()?;
                return Ok(status);
            }
            self.idle()?;
        }
    }

    /// Processes messages that arrived.
    pub fn absorb(&mut self) -> Result<(), MpiFailed> {
        self.endpoint.progress(&mut self.messages)?;
        self.process()
    }

    /// Sleeps until a message may have arrived, and processes it.
    pub fn wait(&mut self) -> Result<(), MpiFailed> {
        let idle =
            self.own() != HEAD && self.patterns.values().next_back().is_none_or(|newest| !newest.uses(self.own()));
        self.endpoint.wait(&mut self.messages, idle)?;
        self.process()
    }

    /// Like [`Rank::wait`], by a rank that has nothing to compute.
    pub fn idle(&mut self) -> Result<(), MpiFailed> {
        let begin_ns = clock::now_ns();
        self.waited = true;
        self.wait()?;
        self.timing.idle(clock::now_ns().saturating_sub(begin_ns));
        Ok(())
    }

    fn process(&mut self) -> Result<(), MpiFailed> {
        while let Some(message) = self.messages.pop_front() {
            match self.fragments.take(message)? {
                Assembly::Complete(header, message) if header.peer == DIRECT => self.take(header, message)?,
                Assembly::Complete(header, message) if self.own == HEAD => self.relay(&header, message)?,
                Assembly::Complete(header, Message { bytes, .. }) => {
                    self.take(header, Message { from: header.peer as usize, bytes })?;
                }
                Assembly::Fragment(buffer) => self.recycle(buffer),
            }
        }
        Ok(())
    }

    fn take(&mut self, header: Header, message: Message) -> Result<(), MpiFailed> {
        match header.kind {
            Kind::Item if header.route == SINK => self.arrived.push_back(Item::new(header, message.bytes)),
            Kind::Item => self.accept(message.from, Item::new(header, message.bytes))?,
            Kind::Credit => {
                if !self.dispatcher.credit(message.from) {
                    return Err(MpiFailed);
                }
                let held_ns = std::mem::take(&mut self.held_ns[message.from]);
                if header.status != 0 {
                    self.timing.received_at_once(held_ns);
                }
                self.recycle(message.bytes);
                self.dispatch()?;
            }
            Kind::Tasks => self.teams.tasks.push_back((message.from, Item::new(header, message.bytes))),
            Kind::Results => self.teams.results.push_back((message.from, Item::new(header, message.bytes))),
            Kind::Farewell => self.dismissed = true,
            Kind::Hello | Kind::Welcome => return Err(MpiFailed),
            // The head starts the next run while other ranks still wait for the last credits of this one.
            _ if self.ended.is_some() => self.next_run.push_back((header, message)),
            Kind::Pattern => {
                let stages = self.config.stages.len();
                let pattern = Pattern::from_message(&header, &message.bytes, stages).ok_or(MpiFailed)?;
                self.adopt(pattern)?;
            }
            Kind::Stop => self.stop()?,
            Kind::End => self.ended = Some(header.status),
        }
        Ok(())
    }

    /// Adds a new pattern and drops those without inputs in flight.
    pub fn adopt(&mut self, pattern: Pattern) -> Result<(), MpiFailed> {
        self.know(pattern.ranks);
        self.base = pattern.base;
        if pattern.first == pattern.base {
            self.next.fill(pattern.base);
        }
        self.patterns = self.patterns.split_off(&pattern.oldest);
        self.patterns.insert(pattern.epoch, pattern);
        for (from, item) in std::mem::take(&mut self.unrouted) {
            self.accept(from, item)?;
        }
        Ok(())
    }

    fn route(&self, header: &Header) -> Option<&Route> {
        self.patterns.get(&header.epoch)?.routes.get(header.route as usize)
    }

    fn has_state(&self, route: &Route) -> bool {
        (route.first..route.first + route.stages).any(|stage| self.config.stages[stage].stateful)
    }

    /// Queues an item that arrived from another rank or this one.
    fn accept(&mut self, from: usize, item: Item) -> Result<(), MpiFailed> {
        let Some(route) = self.route(&item.header) else {
            self.unrouted.push((from, item));
            return Ok(());
        };
        // After a failure all items go back to the head, in any order.
        if !self.stopping && self.has_state(route) {
            self.ordered.insert((item.header.input, item.header.route), item);
            return self.credit(from);
        }
        self.ready.push_back((from, item));
        Ok(())
    }

    /// Gives the sender of an item a credit, because the item was begun.
    fn credit(&mut self, to: usize) -> Result<(), MpiFailed> {
        if to == self.own() {
            self.dispatcher.credit(to);
            return self.dispatch();
        }
        let mut message = self.endpoint.buffer();
        message.clear();
        Header { status: i32::from(self.waited), ..Header::new(Kind::Credit) }.patch(&mut message);
        self.post(to, message, false)
    }

    /// Takes the item that is next at a stage with state, if it has arrived.
    fn due(&mut self) -> Option<Item> {
        let is_due = |item: &Item| {
            self.route(&item.header).is_some_and(|route| {
                let mut stages = route.first..route.first + route.stages;
                stages.all(|stage| !self.config.stages[stage].stateful || self.next[stage] == item.header.input)
            })
        };
        let key = *self.ordered.iter().find(|(_, item)| is_due(item))?.0;
        self.ordered.remove(&key)
    }

    /// Computes one item and sends it on; `false` when there is none.
    pub fn step(&mut self) -> Result<bool, MpiFailed> {
        // A lead waits for these.
        if let Some((lead, tasks)) = self.teams.tasks.pop_front() {
            self.waited = false;
            self.work(lead, tasks)?;
            return Ok(true);
        }
        let item = match (self.due(), self.ready.is_empty()) {
            (Some(item), _) => item,
            (None, true) => return Ok(false),
            (None, false) => {
                // After a change of pattern inputs arrive out of order, and outputs wait for the oldest one.
                let oldest = (0..self.ready.len()).min_by_key(|k| self.ready[*k].1.header.input);
                let Some((from, item)) = oldest.and_then(|k| self.ready.remove(k)) else { return Ok(false) };
                self.credit(from)?;
                item
            }
        };
        let item = if self.stopping { self.cancel(item, status::OK) } else { self.compute(item)? };
        self.pass_on(item)?;
        self.linger()?;
        Ok(true)
    }

    /// See [`LINGER_SHARE`].
    fn linger(&mut self) -> Result<(), MpiFailed> {
        let until_ns = clock::now_ns() + self.timing.computed_ns() / LINGER_SHARE;
        while self.endpoint.sending_large() && clock::now_ns() < until_ns {
            self.wait()?;
        }
        Ok(())
    }

    /// Removes the payloads of an item, whose route then ends at the head.
    fn cancel(&mut self, item: Item, status: c_int) -> Item {
        let (item, buffer) = item.emptied(status);
        self.recycle(buffer);
        item
    }

    /// Runs the stages of the item's group. The result goes to the next group or, if a stage failed, to the head.
    fn compute(&mut self, mut item: Item) -> Result<Item, MpiFailed> {
        let route = self.route(&item.header);
        let (stages, team) =
            route.map_or((0..0, Vec::new()), |route| (route.first..route.first + route.stages, route.team.clone()));
        self.waited = false;
        self.timing.begin(clock::now_ns());
        for stage in stages {
            let mut out = Out::new(self.endpoint.buffer());
            let done = match self.config.stages[stage].is_team() {
                true => self.lead_all(stage, &item, &team, &mut out)?,
                false => self.run(stage, &item, &mut out),
            };
            if let Err((status, why)) = done {
                let mut failed = self.cancel(item, status);
                (failed.header.stage, failed.header.bytes) = (stage as u32, why);
                return Ok(failed);
            }
            let made = out.finish(&item.header);
            let (_, used) = std::mem::replace(&mut item, made).emptied(status::OK);
            self.recycle(used);
            self.next[stage] = item.header.input + 1;
            self.timing.stage(clock::now_ns(), stage, item.header.input - self.base, item.len() - HEADER_BYTES);
        }
        item.header.route += 1;
        Ok(item)
    }

    /// Leads a team through one stage, once per payload.
    fn lead_all(
        &mut self,
        stage: usize,
        item: &Item,
        team: &[usize],
        out: &mut Out,
    ) -> Result<Result<(), Failure>, MpiFailed> {
        for payload in item.payloads() {
            let before = out.allow(1);
            let done = self.lead((stage, item.header.input - self.base), payload, team, out)?;
            if done.is_err() || out.count() != before + 1 {
                return Ok(done.and(Err((status::ERR_TASK, failure::OUTPUTS))));
            }
        }
        Ok(Ok(()))
    }

    /// Runs one stage, once per payload.
    fn run(&self, stage: usize, item: &Item, out: &mut Out) -> Result<(), Failure> {
        let many = self.config.stages[stage].many;
        for payload in item.payloads() {
            let before = out.allow(if many { usize::MAX } else { 1 });
            let returned = self.config.run(stage, item.header.input - self.base, payload, out);
            let emitted = out.count() - before;
            match (returned, out.refused) {
                (0, Some(Refused::Memory)) => return Err((status::ERR_MEMORY, failure::MEMORY)),
                (0, None) if many || emitted == 1 => {}
                (0, _) => return Err((status::ERR_TASK, failure::OUTPUTS)),
                (status, _) => return Err((status, failure::RETURNED)),
            }
        }
        Ok(())
    }

    /// Sends an item to its next group or to the head.
    pub fn pass_on(&mut self, mut item: Item) -> Result<(), MpiFailed> {
        let pattern = self.patterns.get(&item.header.epoch);
        let (routes, synchronous) = pattern.map_or((0, false), |p| (p.routes.len(), p.synchronous));
        if item.header.route as usize >= routes {
            item.header.route = SINK;
        }
        if item.header.route != SINK {
            self.outbox.push_back(item);
            return self.dispatch();
        }
        if self.own() == HEAD {
            self.arrived.push_back(item);
            return Ok(());
        }
        self.hand_over(HEAD, item, synchronous)
    }

    fn hand_over(&mut self, to: usize, item: Item, synchronous: bool) -> Result<(), MpiFailed> {
        let held_ns = self.endpoint.held_ns;
        self.post(to, item.into_message(), synchronous)?;
        self.held_ns[to] = self.endpoint.held_ns - held_ns;
        self.timing.held(self.held_ns[to]);
        Ok(())
    }

    /// Returns whether items of this rank wait for credit.
    pub fn waits_for_credit(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Sends the items whose receivers have credit. An item without does not delay items of another pattern.
    fn dispatch(&mut self) -> Result<(), MpiFailed> {
        let mut k = 0;
        while let Some(item) = self.outbox.get(k) {
            let (epoch, route) = (item.header.epoch, item.header.route as usize);
            let pattern = self.patterns.get(&epoch);
            let synchronous = pattern.is_some_and(|pattern| pattern.synchronous);
            let ranks = pattern.and_then(|pattern| pattern.routes.get(route)).map(|route| &*route.ranks);
            match (ranks.and_then(|ranks| self.dispatcher.choose(ranks)), self.outbox.len()) {
                (Some(to), _) => {
                    let Some(item) = self.outbox.remove(k) else { break };
                    if to == self.own() {
                        self.accept(to, item)?;
                    } else {
                        self.hand_over(to, item, synchronous)?;
                    }
                }
                (None, _) => k += 1,
            }
        }
        Ok(())
    }

    /// A function failed: sends all items back to the head without computing them.
    pub fn stop(&mut self) -> Result<(), MpiFailed> {
        self.stopping = true;
        let mut items: Vec<Item> = std::mem::take(&mut self.outbox).into();
        items.extend(std::mem::take(&mut self.ordered).into_values());
        for item in items {
            let item = self.cancel(item, status::OK);
            self.pass_on(item)?;
        }
        Ok(())
    }

    /// Sends a message of the head to every other rank.
    pub fn announce(&mut self, message: &[u8]) -> Result<(), MpiFailed> {
        for rank in (0..self.endpoint.ranks()).filter(|rank| *rank != HEAD) {
            let mut copy = self.endpoint.buffer();
            copy.clear();
            copy.extend_from_slice(message);
            self.endpoint.send(rank, copy)?;
        }
        Ok(())
    }

    /// Waits until all items sent were begun, credits of others have been passed on, and all sends are complete.
    pub fn settle(&mut self) -> Result<(), MpiFailed> {
        while !self.dispatcher.is_settled() || self.passed_on > 0 {
            self.wait()?;
        }
        self.endpoint.flush()
    }

    /// Keeps a buffer for reuse.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        if buffer.capacity() <= KEPT_BYTES {
            self.endpoint.recycle(buffer);
        }
    }
}
