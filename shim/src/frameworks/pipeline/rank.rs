//! What every rank of a pipeline does: takes items in, computes their stages, hands them on.
//!
//! Nothing here ever waits for room: an item that nobody may get yet lies in the outbox, and the rank goes on with the next.
//! So no pattern, and no change of patterns, can lock ranks in a circle; the head's bound on inputs on their way bounds it all.

use super::config::Config;
use super::handout::ChunkScheduler;
use super::message::{Header, Item, Kind, SINK};
use super::meter::Meter;
use super::parcels::{self, Parcels, Taken};
use super::pattern::{Pattern, Route};
use crate::frameworks::post::{Letter, Post};
use crate::mpi::MpiFailed;
use crate::{agent_link, clock, status};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_int;
use std::rc::Rc;

/// The rank that draws, delivers and decides.
pub const HEAD: usize = 0;
/// Larger buffers are not kept for the next message.
const KEPT_BYTES: usize = 4 << 20;

/// Before the next item is computed a large output is seen on its way, for at most this share of the last item's time: a
/// rank that computes moves no message on.
const LINGER_SHARE: u64 = 4;

/// One rank of a pipeline.
#[derive(Debug)]
pub struct Rank {
    /// What the program asked for.
    pub config: Rc<Config>,
    /// Messages.
    pub post: Post,
    parcels: Parcels,
    letters: VecDeque<Letter>,
    /// The head's messages of the next run.
    later: VecDeque<(Header, Letter)>,
    patterns: BTreeMap<u32, Pattern>,
    /// Items that came before their pattern.
    strangers: Vec<(usize, Item)>,
    /// Items to compute, and who waits for credit for them.
    ready: VecDeque<(usize, Item)>,
    /// Items for stages with state, by input and route: they wait for their turn.
    held: BTreeMap<(u64, u32), Item>,
    /// For each stage with state the input that it takes next.
    pub(super) next: Vec<u64>,
    handout: ChunkScheduler,
    /// Items that nobody may get yet.
    outbox: VecDeque<Item>,
    /// Head: items that have passed all stages.
    pub arrived: VecDeque<Item>,
    /// Number of this run's first input.
    pub(super) base: u64,
    /// How long things take.
    pub(super) meter: Meter,
    stopping: bool,
    ended: Option<c_int>,
}

impl Rank {
    /// Before the first run.
    pub fn new(config: Rc<Config>, post: Post) -> Rank {
        let (size, own, stages) = (post.port.size, post.port.rank, config.stages.len());
        Rank {
            config,
            post,
            parcels: Parcels::new(size),
            letters: VecDeque::new(),
            later: VecDeque::new(),
            patterns: BTreeMap::new(),
            strangers: Vec::new(),
            ready: VecDeque::new(),
            held: BTreeMap::new(),
            next: vec![0; stages],
            handout: ChunkScheduler::new(size, own),
            outbox: VecDeque::new(),
            arrived: VecDeque::new(),
            base: 0,
            meter: Meter::new(own),
            stopping: false,
            ended: None,
        }
    }

    fn own(&self) -> usize {
        self.post.port.rank
    }

    /// A run begins: what of it has already come is taken in.
    pub fn begin(&mut self) -> Result<(), MpiFailed> {
        self.stopping = false;
        self.ended = None;
        self.meter = Meter::new(self.own());
        for (header, letter) in std::mem::take(&mut self.later) {
            self.take(header, letter)?;
        }
        Ok(())
    }

    /// A rank's part of a run, but for the head; returns the status that the head says.
    pub fn serve(&mut self) -> Result<c_int, MpiFailed> {
        self.begin()?;
        loop {
            agent_link::check_when_due(clock::now_ns());
            self.absorb()?;
            if self.step()? {
                continue;
            }
            if let Some(status) = self.ended.filter(|_| self.handout.is_settled()) {
                self.post.flush()?;
                return Ok(status);
            }
            self.idle()?;
        }
    }

    /// Takes in what has arrived.
    pub fn absorb(&mut self) -> Result<(), MpiFailed> {
        self.post.progress(&mut self.letters)?;
        self.open()
    }

    /// Sleeps until something may have arrived.
    pub fn wait(&mut self) -> Result<(), MpiFailed> {
        let idle =
            self.own() != HEAD && self.patterns.values().next_back().is_none_or(|newest| !newest.uses(self.own()));
        self.post.wait(&mut self.letters, idle)?;
        self.open()
    }

    /// As [`Rank::wait`], by a rank that has nothing else to do.
    pub fn idle(&mut self) -> Result<(), MpiFailed> {
        let begin_ns = clock::now_ns();
        self.wait()?;
        self.meter.idle(clock::now_ns().saturating_sub(begin_ns));
        Ok(())
    }

    fn open(&mut self) -> Result<(), MpiFailed> {
        while let Some(letter) = self.letters.pop_front() {
            match self.parcels.take(letter)? {
                Taken::Whole(header, letter) => self.take(header, letter)?,
                Taken::Piece(buffer) => self.recycle(buffer),
            }
        }
        Ok(())
    }

    fn take(&mut self, header: Header, letter: Letter) -> Result<(), MpiFailed> {
        match header.kind {
            Kind::Item if header.route == SINK => self.arrived.push_back(Item::new(header, letter.bytes)),
            Kind::Item => self.place(letter.from, Item::new(header, letter.bytes))?,
            Kind::Credit => {
                if !self.handout.credit(letter.from) {
                    return Err(MpiFailed);
                }
                self.recycle(letter.bytes);
                self.hand_out()?;
            }
            // The head begins the next run while others still wait for the last credits of this one.
            _ if self.ended.is_some() => self.later.push_back((header, letter)),
            Kind::Pattern => {
                let (stages, ranks) = (self.config.stages.len(), self.post.port.size);
                let pattern = Pattern::from_message(&header, &letter.bytes, stages, ranks).ok_or(MpiFailed)?;
                self.adopt(pattern)?;
            }
            Kind::Stop => self.stop()?,
            Kind::End => self.ended = Some(header.status),
        }
        Ok(())
    }

    /// Goes by a new pattern, too, and forgets those that nothing goes by any more.
    pub fn adopt(&mut self, pattern: Pattern) -> Result<(), MpiFailed> {
        if pattern.first == pattern.base {
            self.base = pattern.base;
            self.next.fill(pattern.base);
        }
        self.patterns = self.patterns.split_off(&pattern.oldest);
        self.patterns.insert(pattern.epoch, pattern);
        for (from, item) in std::mem::take(&mut self.strangers) {
            self.place(from, item)?;
        }
        Ok(())
    }

    pub(super) fn route(&self, header: &Header) -> Option<&Route> {
        self.patterns.get(&header.epoch)?.routes.get(header.route as usize)
    }

    fn has_state(&self, route: &Route) -> bool {
        (route.first..route.first + route.stages).any(|stage| self.config.stages[stage].stateful)
    }

    /// An item has come, from another rank or from this one.
    fn place(&mut self, from: usize, item: Item) -> Result<(), MpiFailed> {
        let Some(route) = self.route(&item.header) else {
            self.strangers.push((from, item));
            return Ok(());
        };
        // Once all is passed back nobody keeps an order any more.
        if !self.stopping && self.has_state(route) {
            self.held.insert((item.header.input, item.header.route), item);
            return self.credit(from);
        }
        self.ready.push_back((from, item));
        Ok(())
    }

    /// Tells who sent an item that it was begun.
    fn credit(&mut self, to: usize) -> Result<(), MpiFailed> {
        if to == self.own() {
            self.handout.credit(to);
            return self.hand_out();
        }
        let mut message = self.post.buffer();
        message.clear();
        Header::new(Kind::Credit).patch(&mut message);
        self.post.send(to, message)
    }

    /// The item whose turn it is at a stage with state, if it is there.
    fn due(&mut self) -> Option<Item> {
        let is_due = |item: &Item| {
            self.route(&item.header).is_some_and(|route| {
                let mut stages = route.first..route.first + route.stages;
                stages.all(|stage| !self.config.stages[stage].stateful || self.next[stage] == item.header.input)
            })
        };
        let key = *self.held.iter().find(|(_, item)| is_due(item))?.0;
        self.held.remove(&key)
    }

    /// Computes one item and hands it on; `false` when there is none.
    pub fn step(&mut self) -> Result<bool, MpiFailed> {
        let item = match (self.due(), self.ready.is_empty()) {
            (Some(item), _) => item,
            (None, true) => return Ok(false),
            (None, false) => {
                // After a change inputs come out of order: outputs wait for the oldest.
                let oldest = (0..self.ready.len()).min_by_key(|k| self.ready[*k].1.header.input);
                let Some((from, item)) = oldest.and_then(|k| self.ready.remove(k)) else { return Ok(false) };
                self.credit(from)?;
                item
            }
        };
        let item = if self.stopping { self.cancel(item, status::OK) } else { self.compute(item) };
        self.pass_on(item)?;
        self.linger()?;
        Ok(true)
    }

    /// See [`LINGER_SHARE`].
    fn linger(&mut self) -> Result<(), MpiFailed> {
        let until_ns = clock::now_ns() + self.meter.computed_ns() / LINGER_SHARE;
        while self.post.sending_large() && clock::now_ns() < until_ns {
            self.wait()?;
        }
        Ok(())
    }

    /// An item goes to its next group, or to the head.
    pub fn pass_on(&mut self, mut item: Item) -> Result<(), MpiFailed> {
        let routes = self.patterns.get(&item.header.epoch).map_or(0, |pattern| pattern.routes.len());
        if item.header.route as usize >= routes {
            item.header.route = SINK;
        }
        if item.header.route != SINK {
            self.outbox.push_back(item);
            return self.hand_out();
        }
        if self.own() == HEAD {
            self.arrived.push_back(item);
            return Ok(());
        }
        parcels::send(&mut self.post, HEAD, item.into_message())
    }

    /// Whether a further item of this rank would have to wait for credit.
    pub fn waits_for_credit(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Hands out what has credit; an item that has none does not hold up those of another pattern.
    fn hand_out(&mut self) -> Result<(), MpiFailed> {
        let mut k = 0;
        while let Some(item) = self.outbox.get(k) {
            let (epoch, route) = (item.header.epoch, item.header.route as usize);
            let ranks =
                self.patterns.get(&epoch).and_then(|pattern| pattern.routes.get(route)).map(|route| &*route.ranks);
            match (ranks.and_then(|ranks| self.handout.choose(ranks)), self.outbox.len()) {
                (Some(to), _) => {
                    let Some(item) = self.outbox.remove(k) else { break };
                    if to == self.own() {
                        self.place(to, item)?;
                    } else {
                        parcels::send(&mut self.post, to, item.into_message())?;
                    }
                }
                (None, _) => k += 1,
            }
        }
        Ok(())
    }

    /// Something failed: everything goes back to the head as it is, and nothing is computed any more.
    pub fn stop(&mut self) -> Result<(), MpiFailed> {
        self.stopping = true;
        let mut items: Vec<Item> = std::mem::take(&mut self.outbox).into();
        items.extend(std::mem::take(&mut self.held).into_values());
        for item in items {
            let item = self.cancel(item, status::OK);
            self.pass_on(item)?;
        }
        Ok(())
    }

    /// Sends a message of the head to every other rank.
    pub fn announce(&mut self, message: &[u8]) -> Result<(), MpiFailed> {
        for rank in (0..self.post.port.size).filter(|rank| *rank != HEAD) {
            let mut copy = self.post.buffer();
            copy.clear();
            copy.extend_from_slice(message);
            self.post.send(rank, copy)?;
        }
        Ok(())
    }

    /// Until everything that was handed out was begun, and everything sent has arrived.
    pub fn settle(&mut self) -> Result<(), MpiFailed> {
        while !self.handout.is_settled() {
            self.wait()?;
        }
        self.post.flush()
    }

    /// Keeps a buffer for later.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        if buffer.capacity() <= KEPT_BYTES {
            self.post.recycle(buffer);
        }
    }
}
