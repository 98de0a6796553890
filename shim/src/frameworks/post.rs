//! Messages on their way: none ever blocks, so two ranks that send each other megabytes cannot lock each other.

use super::doorbell::Doorbell;
use crate::clock;
use crate::mpi::{Communicator, MpiFailed};
use std::collections::VecDeque;

/// Requests per rank: sends to it, and one receive from it.
const SENDS: usize = 4;
/// What [`Communicator::open`] is to be given.
pub const SLOTS: usize = SENDS + 1;
/// Larger messages go in fragments, each of which needs both sides to look: so long after the last sign of life whoever
/// moves one looks again at once instead of sleeping in between.
const LARGE_BYTES: usize = 256 << 10;
const ATTENTIVE_NS: u64 = 1_000_000;
/// One look for messages can miss one that has arrived; three do not.
const PROBES: usize = 3;

/// A message that arrived.
#[derive(Debug)]
pub struct Letter {
    /// Who sent it.
    pub from: usize,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// The sends and receives in progress of one rank.
#[derive(Debug)]
pub struct Post {
    // Before the port, so that it goes first: sleepers must not outlive it.
    doorbell: Doorbell,
    /// MPI.
    pub port: Communicator,
    /// Sends in progress, and those that wait for a free slot, per rank.
    sending: Vec<[Option<Vec<u8>>; SENDS]>,
    queued: Vec<VecDeque<Vec<u8>>>,
    receiving: Vec<Option<Vec<u8>>>,
    busy_sends: usize,
    /// Large sends and receives that are not complete, and when one last began or was completed.
    large_sends: usize,
    large_receives: usize,
    moved_ns: u64,
    /// Whether the last [`Post::wait`] found nothing at first, so that what it brought arrived meanwhile.
    pub slept: bool,
    pending: Vec<usize>,
    incoming: Vec<usize>,
    spare: Vec<Vec<u8>>,
}

impl Post {
    /// Collective.
    pub fn open(port: Communicator) -> Result<Post, MpiFailed> {
        let doorbell = Doorbell::open(&port)?;
        Ok(Post::with(port, doorbell))
    }

    /// In a process that a master started: the way to it, which is rank 0.
    pub fn open_spawned() -> Result<Post, MpiFailed> {
        let port = Communicator::open_spawned(SLOTS)?;
        let doorbell = Doorbell::none(port.size);
        Ok(Post::with(port, doorbell))
    }

    fn with(port: Communicator, doorbell: Doorbell) -> Post {
        let n = port.size;
        Post {
            doorbell,
            port,
            sending: (0..n).map(|_| [const { None }; SENDS]).collect(),
            queued: (0..n).map(|_| VecDeque::new()).collect(),
            receiving: (0..n).map(|_| None).collect(),
            busy_sends: 0,
            large_sends: 0,
            large_receives: 0,
            moved_ns: 0,
            slept: false,
            pending: Vec::new(),
            incoming: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Makes a started process the rank after the last, which it returns.
    pub fn adopt(&mut self, child: usize) -> Result<usize, MpiFailed> {
        self.port.adopt(child)?;
        self.doorbell.add();
        self.sending.push([const { None }; SENDS]);
        self.queued.push(VecDeque::new());
        self.receiving.push(None);
        Ok(self.ranks() - 1)
    }

    /// Ranks of the communicator and started processes.
    pub fn ranks(&self) -> usize {
        self.sending.len()
    }

    /// Whether `rank` is on this host.
    pub fn is_here(&self, rank: usize) -> bool {
        self.doorbell.is_here(rank)
    }

    /// An empty buffer, used before if there is one.
    pub fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes a buffer back.
    pub fn recycle(&mut self, mut buffer: Vec<u8>) {
        if self.spare.len() < 2 * SENDS {
            buffer.clear();
            self.spare.push(buffer);
        }
    }

    /// Puts a message on its way.
    pub fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), MpiFailed> {
        if message.len() > LARGE_BYTES {
            self.large_sends += 1;
            self.moved_ns = clock::now_ns();
        }
        self.queued[to].push_back(message);
        self.busy_sends += 1;
        if !self.pending.contains(&to) {
            self.pending.push(to);
        }
        self.push(to)?;
        self.doorbell.ring(to);
        Ok(())
    }

    fn push(&mut self, to: usize) -> Result<(), MpiFailed> {
        for (k, place) in self.sending[to].iter_mut().enumerate() {
            let slot = to * SLOTS + k;
            if place.is_some() && self.port.test(slot)? {
                let sent = place.take();
                if sent.as_ref().is_some_and(|sent| sent.len() > LARGE_BYTES) {
                    self.large_sends -= 1;
                    self.moved_ns = clock::now_ns();
                }
                self.spare.extend(sent.filter(|_| self.spare.len() < 2 * SENDS));
                self.busy_sends -= 1;
            }
            if place.is_none()
                && let Some(message) = self.queued[to].pop_front()
            {
                let message = place.insert(message);
                self.port.send(slot, message, to)?;
                self.doorbell.ring(to);
            }
        }
        Ok(())
    }

    /// Whether messages of ours are not delivered yet.
    pub fn sending(&self) -> bool {
        self.busy_sends > 0
    }

    /// Whether large messages of ours are not delivered yet.
    pub fn sending_large(&self) -> bool {
        self.large_sends > 0
    }

    /// Whether messages are on their way in or out.
    pub fn moving(&self) -> bool {
        self.sending() || !self.incoming.is_empty()
    }

    /// Moves everything on; messages that are complete are appended to `letters`.
    pub fn progress(&mut self, letters: &mut VecDeque<Letter>) -> Result<(), MpiFailed> {
        for to in std::mem::take(&mut self.pending) {
            self.push(to)?;
            if !self.queued[to].is_empty() || self.sending[to].iter().any(Option::is_some) {
                self.pending.push(to);
            }
        }
        let mut misses = 0;
        while misses < PROBES {
            match self.port.probe()? {
                // A second message of the same rank waits until the first is there.
                Some((from, bytes)) if self.receiving[from].is_none() => {
                    let mut buffer = self.buffer();
                    buffer.clear();
                    buffer.resize(bytes, 0);
                    if bytes > LARGE_BYTES {
                        self.large_receives += 1;
                        self.moved_ns = clock::now_ns();
                    }
                    let buffer = self.receiving[from].insert(buffer);
                    self.port.receive(from * SLOTS + SENDS, buffer, from)?;
                    self.incoming.push(from);
                    self.complete(letters)?;
                }
                Some(_) => break,
                None => misses += 1,
            }
        }
        self.complete(letters)
    }

    fn complete(&mut self, letters: &mut VecDeque<Letter>) -> Result<(), MpiFailed> {
        let mut k = 0;
        while let Some(&from) = self.incoming.get(k) {
            if self.port.test(from * SLOTS + SENDS)? {
                let bytes = self.receiving[from].take().unwrap_or_default();
                if bytes.len() > LARGE_BYTES {
                    self.large_receives -= 1;
                    self.moved_ns = clock::now_ns();
                }
                letters.push_back(Letter { from, bytes });
                self.incoming.remove(k);
            } else {
                k += 1;
            }
        }
        Ok(())
    }

    /// Sleeps until something may have arrived, unless something has. Like [`Post::progress`] otherwise. With `patience`
    /// few looks are taken: it may take some milliseconds to notice a message from another host.
    pub fn wait(&mut self, letters: &mut VecDeque<Letter>, patience: bool) -> Result<(), MpiFailed> {
        self.progress(letters)?;
        self.slept = letters.is_empty();
        if !self.slept {
            return Ok(());
        }
        if self.large_sends + self.large_receives > 0 && clock::now_ns() < self.moved_ns + ATTENTIVE_NS {
            std::thread::yield_now();
            return self.progress(letters);
        }
        let moving = self.moving();
        let port = &self.port;
        // An error here shows again in the next progress.
        let arrived = || (0..PROBES).any(|_| port.probe().map_or(true, |found| found.is_some()));
        self.doorbell.wait(moving, patience, arrived);
        self.progress(letters)
    }

    /// Until every message of ours is delivered. Messages that arrive meanwhile stay where they are.
    pub fn flush(&mut self) -> Result<(), MpiFailed> {
        while self.sending() {
            for to in std::mem::take(&mut self.pending) {
                self.push(to)?;
                if !self.queued[to].is_empty() || self.sending[to].iter().any(Option::is_some) {
                    self.pending.push(to);
                }
            }
            if self.sending() {
                self.doorbell.wait(true, false, || false);
            }
        }
        Ok(())
    }
}
