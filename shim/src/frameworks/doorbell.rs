//! How a rank waits for a message without using the processor: it sleeps until a sender on its host wakes it.
//!
//! A sender wakes a rank after its message is on the way; a rank looks for messages once more after it has declared that it
//! sleeps ([`Wakeups`]). A rank that cannot be woken (on another host, or on a host without `/proc`) sleeps for a short time.

use crate::mpi::{Communicator, MpiFailed};
use midrun_ring::{Wakeups, wakeup::nap};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Longest sleeps: with all peers on this host; with peers elsewhere; with own messages not yet delivered.
const LOCAL: Duration = Duration::from_millis(2);
const REMOTE: Duration = Duration::from_micros(100);
const SENDING: Duration = Duration::from_micros(50);
/// The same for who expects nothing soon: a look a hundred times a second costs well under 1 % of a processor.
const LOCAL_PATIENT: Duration = Duration::from_millis(50);
const REMOTE_PATIENT: Duration = Duration::from_millis(5);

/// The wake-up words of this host's ranks.
#[derive(Debug)]
pub struct Doorbell {
    words: Option<Wakeups>,
    own: usize,
    index: Vec<Option<usize>>,
    all_here: bool,
}

impl Doorbell {
    /// Collective. All ranks of a host nap where one of them cannot share the memory.
    pub fn open(port: &Communicator) -> Result<Doorbell, MpiFailed> {
        let (index, own) = port.node()?;
        let count = index.iter().flatten().count();
        let made = if own == 0 { Wakeups::create(count).ok() } else { None };
        let mut address =
            [i64::from(std::process::id()), made.as_ref().map_or(-1, |(_, fd)| i64::from(fd.as_raw_fd()))];
        port.node_share(&mut address)?;
        let words = match own {
            0 => made.map(|(words, fd)| (words, Some(fd))),
            _ => Wakeups::open(address[0], address[1], count).ok().map(|words| (words, None)),
        };
        let mut worked = [i64::from(words.is_some())];
        port.minimum(true, &mut worked)?; // all have opened it by now, or nobody uses it
        let words = words.map(|(words, _)| words).filter(|_| worked[0] != 0);
        let all_here = count == index.len();
        Ok(Doorbell { words, own, index, all_here })
    }

    /// Of a process that a master started: nobody wakes it, and it naps.
    pub fn none(ranks: usize) -> Doorbell {
        Doorbell { words: None, own: 0, index: vec![None; ranks], all_here: false }
    }

    /// One more rank, which nobody can wake.
    pub fn add(&mut self) {
        self.index.push(None);
        self.all_here = false;
    }

    /// Whether `rank` is on this host.
    pub fn is_here(&self, rank: usize) -> bool {
        self.index[rank].is_some()
    }

    /// A message for `rank` is on its way.
    pub fn ring(&self, rank: usize) {
        if let (Some(words), Some(index)) = (&self.words, self.index[rank]) {
            words.notify(index);
        }
    }

    /// Sleeps until a sender wakes this rank or the bound, a longer one with `patience`; not at all when `arrived` says, asked last,
    /// that there is something to do.
    pub fn wait(&self, sending: bool, patience: bool, arrived: impl FnOnce() -> bool) {
        let bound = match (sending, self.all_here && self.words.is_some(), patience) {
            (true, _, _) => SENDING,
            (false, true, false) => LOCAL,
            (false, true, true) => LOCAL_PATIENT,
            (false, false, false) => REMOTE,
            (false, false, true) => REMOTE_PATIENT,
        };
        match &self.words {
            Some(words) => words.wait(self.own, bound, arrived),
            None if !arrived() => nap(bound),
            None => {}
        }
    }
}
