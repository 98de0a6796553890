//! One rank's sends and receives. None keeps a rank from receiving, so two ranks that send each other megabytes cannot deadlock.

use super::sleep::Sleeper;
use crate::clock;
use crate::mpi::{Communicator, MpiFailed};
use std::collections::VecDeque;

/// Concurrent sends to each rank.
const SENDS: usize = 4;
/// Requests per rank, for [`Communicator::open`]: its sends and one receive.
pub const SLOTS: usize = SENDS + 1;
/// Above this size MPI transfers a message in fragments, and both sides have to poll for each.
pub const LARGE_BYTES: usize = 256 << 10;
/// While sends or receives are in progress, a rank makes progress on them between two tasks when this much time has passed. Each
/// call costs microseconds, more where ranks share a core.
pub const PROGRESS_NS: u64 = 200_000;
/// A rank that transfers a large message polls without sleeping for this long after the last progress.
const ATTENTIVE_NS: u64 = 1_000_000;
/// Consecutive probes without a message after which none is there: a single probe can miss one that has arrived.
const PROBES: usize = 3;

/// A message that arrived.
#[derive(Debug)]
pub struct Message {
    /// The sender's rank.
    pub from: usize,
    /// The whole message.
    pub bytes: Vec<u8>,
}

/// A message that waits for a free send request.
#[derive(Debug)]
struct Queued {
    bytes: Vec<u8>,
    synchronous: bool,
}

/// The sends and receives in progress of one rank.
#[derive(Debug)]
pub struct Endpoint {
    // Dropped before `comm`: no rank may sleep on memory whose communicator is gone.
    sleeper: Sleeper,
    /// The communicator, a copy of the program's.
    pub comm: Communicator,
    /// Per rank: sends in progress, and messages that wait for a free send request.
    sending: Vec<[Option<Vec<u8>>; SENDS]>,
    queued: Vec<VecDeque<Queued>>,
    receiving: Vec<Option<Vec<u8>>>,
    busy_sends: usize,
    /// Incomplete sends and receives of large messages, and the time at which one last began or completed.
    large_sends: usize,
    large_receives: usize,
    moved_ns: u64,
    /// The last [`Endpoint::wait`] found no message at first: those that it returned arrived during the wait.
    pub slept: bool,
    /// Sleeps since a message last came, or was last sent.
    fruitless: u32,
    /// Messages that arrived while this rank was held in a synchronous send.
    early: VecDeque<Message>,
    /// This rank last handed a message over synchronously: its peers do, too, and wait for it to receive.
    acknowledges: bool,
    /// How long synchronous sends held this rank in all, nanoseconds.
    pub held_ns: u64,
    pending: Vec<usize>,
    incoming: Vec<usize>,
    spare: Vec<Vec<u8>>,
    /// Ranks that died, and those of them that nobody has asked for yet ([`Endpoint::next_lost`]).
    lost: Vec<bool>,
    untold: VecDeque<usize>,
}

impl Drop for Endpoint {
    /// MPI may still read or write the buffers of requests that are not done: these are never freed.
    fn drop(&mut self) {
        let buffers = self.sending.iter_mut().flatten().chain(&mut self.receiving);
        buffers.filter_map(Option::take).for_each(std::mem::forget);
    }
}

impl Endpoint {
    /// Collective.
    pub fn open(comm: Communicator) -> Result<Endpoint, MpiFailed> {
        let sleeper = Sleeper::open(&comm)?;
        Ok(Endpoint::with(comm, sleeper))
    }

    /// In a process that a master started: connects it to its master, which is rank 0.
    pub fn open_spawned() -> Result<Endpoint, MpiFailed> {
        let comm = Communicator::open_spawned(SLOTS)?;
        let sleeper = Sleeper::none(comm.size);
        Ok(Endpoint::with(comm, sleeper))
    }

    fn with(comm: Communicator, sleeper: Sleeper) -> Endpoint {
        let n = comm.size;
        Endpoint {
            sleeper,
            comm,
            sending: (0..n).map(|_| [const { None }; SENDS]).collect(),
            queued: (0..n).map(|_| VecDeque::new()).collect(),
            receiving: (0..n).map(|_| None).collect(),
            busy_sends: 0,
            large_sends: 0,
            large_receives: 0,
            moved_ns: 0,
            slept: false,
            fruitless: 0,
            early: VecDeque::new(),
            acknowledges: false,
            held_ns: 0,
            pending: Vec::new(),
            incoming: Vec::new(),
            spare: Vec::new(),
            lost: vec![false; n],
            untold: VecDeque::new(),
        }
    }

    /// Adds a started process as the next rank and returns that rank.
    pub fn adopt(&mut self, child: usize) -> Result<usize, MpiFailed> {
        self.comm.adopt(child)?;
        self.sleeper.add();
        self.sending.push([const { None }; SENDS]);
        self.queued.push(VecDeque::new());
        self.receiving.push(None);
        self.lost.push(false);
        Ok(self.ranks() - 1)
    }

    /// Number of ranks of the communicator plus started processes.
    pub fn ranks(&self) -> usize {
        self.sending.len()
    }

    /// The next rank that died since this was asked last, after all messages of it that will arrive. Messages to it are dropped.
    pub fn next_lost(&mut self) -> Option<usize> {
        self.untold.pop_front()
    }

    /// The number of a rank in `MPI_COMM_WORLD`, where it has one.
    pub fn in_world(&self, rank: usize) -> Option<u32> {
        self.comm.world().get(rank).copied().flatten()
    }

    /// Forgets what is on the way to the ranks that died, and from them: MPI may still use the buffers, so these are never freed.
    fn bury(&mut self) {
        while let Some(rank) = self.comm.lost().filter(|rank| !self.lost[*rank]) {
            self.lost[rank] = true;
            self.untold.push_back(rank);
            let large = |bytes: &Vec<u8>| bytes.len() > LARGE_BYTES;
            for sent in self.sending[rank].iter_mut().filter_map(Option::take) {
                self.busy_sends -= 1;
                self.large_sends -= usize::from(large(&sent));
                std::mem::forget(sent);
            }
            for queued in self.queued[rank].drain(..) {
                self.busy_sends -= 1;
                self.large_sends -= usize::from(large(&queued.bytes));
            }
            if let Some(received) = self.receiving[rank].take() {
                self.large_receives -= usize::from(large(&received));
                std::mem::forget(received);
            }
            self.pending.retain(|to| *to != rank);
            self.incoming.retain(|from| *from != rank);
        }
    }

    /// Returns whether `rank` is on this host.
    pub fn is_here(&self, rank: usize) -> bool {
        self.sleeper.is_here(rank)
    }

    /// First rank of the host of `rank`; `None` for a started process.
    pub fn host(&self, rank: usize) -> Option<usize> {
        self.sleeper.host(rank)
    }

    /// Returns whether `rank` and this rank share a counter.
    pub fn shares_counter(&self, rank: usize) -> bool {
        self.sleeper.shares_counter(rank)
    }

    /// Adds `by` to that counter; returns its value before.
    pub fn count(&self, by: u64) -> Option<u64> {
        self.sleeper.count(by)
    }

    /// An empty buffer, recycled if possible.
    pub fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Keeps a buffer for reuse.
    pub fn recycle(&mut self, mut buffer: Vec<u8>) {
        if self.spare.len() < 2 * SENDS {
            buffer.clear();
            self.spare.push(buffer);
        }
    }

    /// Begins to send a message.
    pub fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), MpiFailed> {
        self.begin(to, message, false)
    }

    /// Sends a message that hands tasks, results or items over. If `synchronous`, this rank is held until the receiver has begun to
    /// receive it, as in `MPI_Ssend`; but it goes on receiving, so that two ranks that send to each other both get on. The next
    /// [`Endpoint::progress`] returns what came meanwhile.
    pub fn hand_over(&mut self, to: usize, message: Vec<u8>, synchronous: bool) -> Result<(), MpiFailed> {
        self.acknowledges = synchronous;
        self.begin(to, message, synchronous)?;
        if !synchronous {
            return Ok(());
        }
        let begin_ns = clock::now_ns();
        let mut early = std::mem::take(&mut self.early);
        let mut fruitless = 0;
        while self.is_sending_to(to) {
            self.advance(&mut early)?;
            if self.is_sending_to(to) {
                let comm = &self.comm;
                self.sleeper.wait(true, false, fruitless, || comm.probe().map_or(true, |found| found.is_some()));
                fruitless += 1;
            }
        }
        self.early = early;
        self.held_ns += clock::now_ns().saturating_sub(begin_ns);
        Ok(())
    }

    fn is_sending_to(&self, to: usize) -> bool {
        !self.queued[to].is_empty() || self.sending[to].iter().any(Option::is_some)
    }

    fn begin(&mut self, to: usize, message: Vec<u8>, synchronous: bool) -> Result<(), MpiFailed> {
        if self.lost[to] {
            self.recycle(message);
            return Ok(());
        }
        if message.len() > LARGE_BYTES {
            self.large_sends += 1;
            self.moved_ns = clock::now_ns();
        }
        self.queued[to].push_back(Queued { bytes: message, synchronous });
        self.busy_sends += 1;
        self.fruitless = 0;
        if !self.pending.contains(&to) {
            self.pending.push(to);
        }
        self.push(to)?;
        self.sleeper.wake(to);
        Ok(())
    }

    fn push(&mut self, to: usize) -> Result<(), MpiFailed> {
        for (k, send) in self.sending[to].iter_mut().enumerate() {
            let slot = to * SLOTS + k;
            if send.is_some() && self.comm.test(slot)? {
                let sent = send.take();
                if sent.as_ref().is_some_and(|sent| sent.len() > LARGE_BYTES) {
                    self.large_sends -= 1;
                    self.moved_ns = clock::now_ns();
                }
                if let Some(mut sent) = sent.filter(|_| self.spare.len() < 2 * SENDS) {
                    sent.clear();
                    self.spare.push(sent);
                }
                self.busy_sends -= 1;
            }
            if send.is_none()
                && let Some(Queued { bytes, synchronous }) = self.queued[to].pop_front()
            {
                let message = send.insert(bytes);
                // SAFETY: the message stays in `sending` until `test` says that the slot's request is done, or is leaked (`drop`).
                unsafe { self.comm.send(slot, message, to, synchronous) }?;
                self.sleeper.wake(to);
            }
        }
        Ok(())
    }

    /// Returns whether sends are in progress or queued.
    pub fn sending(&self) -> bool {
        self.busy_sends > 0
    }

    /// Returns whether large sends are in progress or queued.
    pub fn sending_large(&self) -> bool {
        self.large_sends > 0
    }

    /// Returns whether sends or receives are in progress.
    pub fn moving(&self) -> bool {
        self.sending() || !self.incoming.is_empty()
    }

    /// Returns whether a large message is in transfer, for which this rank has to poll.
    pub fn moves_large(&self) -> bool {
        self.large_sends + self.large_receives > 0
    }

    /// Makes progress on all sends and receives; appends messages that arrived to `messages`.
    pub fn progress(&mut self, messages: &mut VecDeque<Message>) -> Result<(), MpiFailed> {
        messages.append(&mut self.early);
        self.advance(messages)
    }

    fn advance(&mut self, messages: &mut VecDeque<Message>) -> Result<(), MpiFailed> {
        for to in std::mem::take(&mut self.pending) {
            self.push(to)?;
            if self.is_sending_to(to) {
                self.pending.push(to);
            }
        }
        let mut misses = 0;
        while misses < PROBES {
            match self.comm.probe()? {
                // A second message of the same rank waits until the first is complete.
                Some((from, bytes)) if self.receiving[from].is_none() => {
                    let mut buffer = self.buffer();
                    buffer.clear();
                    buffer.resize(bytes, 0);
                    if bytes > LARGE_BYTES {
                        self.large_receives += 1;
                        self.moved_ns = clock::now_ns();
                    }
                    let buffer = self.receiving[from].insert(buffer);
                    // SAFETY: the buffer stays in `receiving`, which `complete` empties once `test` says that the slot's request is
                    // done, or is leaked (`drop`).
                    unsafe { self.comm.receive(from * SLOTS + SENDS, buffer, from) }?;
                    self.incoming.push(from);
                    self.complete(messages)?;
                }
                Some(_) => break,
                None => misses += 1,
            }
        }
        self.complete(messages)?;
        self.bury();
        Ok(())
    }

    fn complete(&mut self, messages: &mut VecDeque<Message>) -> Result<(), MpiFailed> {
        let mut k = 0;
        while let Some(&from) = self.incoming.get(k) {
            if self.comm.test(from * SLOTS + SENDS)? {
                let bytes = self.receiving[from].take().unwrap_or_default();
                if bytes.len() > LARGE_BYTES {
                    self.large_receives -= 1;
                    self.moved_ns = clock::now_ns();
                }
                messages.push_back(Message { from, bytes });
                self.incoming.remove(k);
                if self.acknowledges {
                    self.sleeper.wake(from); // it may be held
                }
            } else {
                k += 1;
            }
        }
        Ok(())
    }

    /// Like [`Endpoint::progress`], but sleeps first if nothing has arrived. With `patience` it polls rarely, so a message from
    /// another host may be noticed some milliseconds late.
    pub fn wait(&mut self, messages: &mut VecDeque<Message>, patience: bool) -> Result<(), MpiFailed> {
        self.progress(messages)?;
        self.slept = messages.is_empty();
        if !self.slept {
            self.fruitless = 0;
            return Ok(());
        }
        if self.moves_large() && clock::now_ns() < self.moved_ns + ATTENTIVE_NS {
            std::thread::yield_now();
            return self.progress(messages);
        }
        let moving = self.moving();
        let comm = &self.comm;
        // The next `progress` reports an error that occurs here.
        let arrived = || (0..PROBES).any(|_| comm.probe().map_or(true, |found| found.is_some()));
        self.sleeper.wait(moving, patience, self.fruitless, arrived);
        self.progress(messages)?;
        self.fruitless = if messages.is_empty() { self.fruitless.saturating_add(1) } else { 0 };
        Ok(())
    }

    /// Waits until every send is complete, but those to ranks that died. Messages that arrive meanwhile are not received yet.
    pub fn flush(&mut self) -> Result<(), MpiFailed> {
        let mut fruitless = 0;
        while self.sending() {
            if self.comm.tolerates {
                self.comm.probe()?;
                self.bury();
            }
            for to in std::mem::take(&mut self.pending) {
                self.push(to)?;
                if self.is_sending_to(to) {
                    self.pending.push(to);
                }
            }
            if self.sending() {
                self.sleeper.wait(true, false, fruitless, || false);
                fruitless += 1;
            }
        }
        Ok(())
    }
}
