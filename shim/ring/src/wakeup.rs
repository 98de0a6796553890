//! Wake-ups between the ranks of one host: a rank that has no message sleeps on a futex word until a sender wakes it.
//!
//! Each rank has two words on a cache line of its own: how often it was notified, and whether it may be asleep. A sender notifies
//! a rank after its message is on the way. A rank declares that it sleeps and then looks for messages once more. So no
//! notification is lost; `tests/loom.rs` explores every execution of [`Wakeups::notify`] and [`Wakeups::wait`].

use crate::atomic::{Mapping, WakeMemory, sealed_bytes};
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Result};
use std::marker::PhantomData;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Words of one rank, and of the counter: a cache line.
const RANK_WORDS: usize = 8;
/// Notifications so far.
const COUNT: usize = 0;
/// 1 while the rank may be asleep.
const ASLEEP: usize = 1;

/// The orderings of the protocol, named in pairs.
pub trait Orderings {
    /// SYNC W: the sender's increment of the count, after its message. Pairs with `LOOK`.
    const ANNOUNCE: Ordering;
    /// SYNC W: the sleeper's load of the count, before it looks for messages.
    const LOOK: Ordering;
    /// SYNC S: the sender's fence between its increment and its look at the sleeper. Pairs with `DECLARE`.
    const CHECK: Ordering;
    /// SYNC S: the sleeper's fence between its declaration and its look at the count.
    const DECLARE: Ordering;
}

/// The orderings that the protocol needs.
#[derive(Debug)]
pub struct Strong;

impl Orderings for Strong {
    const ANNOUNCE: Ordering = Ordering::Release;
    const LOOK: Ordering = Ordering::Acquire;
    const CHECK: Ordering = Ordering::SeqCst;
    const DECLARE: Ordering = Ordering::SeqCst;
}

/// The wake-up words of a host's ranks, and a counter that they share.
#[derive(Debug)]
pub struct Wakeups<M, O> {
    memory: M,
    orderings: PhantomData<O>,
}

impl<M: WakeMemory, O: Orderings> Wakeups<M, O> {
    /// Over zeroed memory with words for each rank.
    pub fn over(memory: M) -> Self {
        Wakeups { memory, orderings: PhantomData }
    }

    /// Wakes `rank` if it sleeps; called after a message for it is on the way.
    ///
    /// # Panics
    /// When the memory has no words for `rank`.
    pub fn notify(&self, rank: usize) {
        let first = rank * RANK_WORDS;
        self.memory.add(first + COUNT, 1, O::ANNOUNCE); // SYNC W
        self.memory.fence(O::CHECK); // SYNC S
        if self.memory.load(first + ASLEEP, Ordering::Relaxed) != 0 {
            self.memory.wake(first + COUNT);
        }
    }

    /// Sleeps until `rank` is notified, at most for `longest`; not at all when `arrived`, asked last, says that a message is there.
    ///
    /// # Panics
    /// When the memory has no words for `rank`.
    pub fn wait(&self, rank: usize, longest: Duration, arrived: impl FnOnce() -> bool) {
        let first = rank * RANK_WORDS;
        self.memory.store(first + ASLEEP, 1, Ordering::Relaxed);
        self.memory.fence(O::DECLARE); // SYNC S
        let count = self.memory.load(first + COUNT, O::LOOK); // SYNC W
        if !arrived() {
            promptly(|| self.memory.sleep_while(first + COUNT, count, longest));
        }
        self.memory.store(first + ASLEEP, 0, Ordering::Relaxed);
    }
}

impl<O: Orderings> Wakeups<Mapping, O> {
    /// Adds `by` to the counter that all ranks share; returns its value before. It begins at 0 and wraps around. It orders nothing
    /// but itself: what a value stands for came in a message.
    pub fn count(&self, by: u64) -> u64 {
        // Its line comes after those of the ranks.
        self.memory.add(self.memory.words() - RANK_WORDS, by, Ordering::Relaxed)
    }
}

impl Wakeups<Mapping, Strong> {
    /// Makes the words of `ranks` ranks, and the descriptor by which [`Wakeups::open`] finds them.
    ///
    /// # Errors
    /// The system's.
    pub fn create(ranks: usize) -> Result<(Self, OwnedFd)> {
        let (mapping, fd) = Mapping::create(c"midrun-wakeup", bytes(ranks))?;
        Ok((Wakeups::over(mapping), fd))
    }

    /// Maps the words of `ranks` ranks that process `pid` of this host holds as descriptor `fd`.
    ///
    /// # Errors
    /// The system's; `InvalidData` when the descriptor is something else.
    pub fn open(pid: i64, fd: i64, ranks: usize) -> Result<Self> {
        let path = format!("/proc/{pid}/fd/{fd}");
        // Checked before it is opened: opening a device or a pipe could act on it.
        let is_ours = std::fs::read_link(&path)?.to_string_lossy().contains("midrun-wakeup");
        if is_ours {
            let fd = OwnedFd::from(OpenOptions::new().read(true).write(true).open(&path)?);
            if sealed_bytes(&fd)? == Some(bytes(ranks) as u64) {
                return Ok(Wakeups::over(Mapping::new(fd.as_fd(), bytes(ranks))?));
            }
        }
        Err(Error::new(ErrorKind::InvalidData, "the descriptor holds no wake-up words"))
    }
}

/// Sleeps for `time`: for a rank that nobody can wake.
pub fn nap(time: Duration) {
    promptly(|| std::thread::sleep(time));
}

/// Runs `sleep` with a small timer slack, so that the kernel does not add its 50 us; then restores the program's own.
fn promptly(sleep: impl FnOnce()) {
    const SLACK_NS: libc::c_int = 1000;
    // SAFETY: the option only reads this thread's slack.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    let set = |ns: libc::c_int| {
        if slack > SLACK_NS {
            // SAFETY: the option only sets this thread's slack.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns as libc::c_ulong) };
        }
    };
    set(SLACK_NS);
    sleep();
    set(slack);
}

fn bytes(ranks: usize) -> usize {
    8 * RANK_WORDS * (ranks + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_notified_rank_wakes_before_its_bound_of_an_hour() {
        let (ours, fd) = Wakeups::create(2).unwrap();
        let theirs = Wakeups::open(std::process::id().into(), fd.as_raw_fd().into(), 2).unwrap();
        let arrived = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                arrived.store(true, Ordering::Relaxed);
                theirs.notify(1);
            });
            while !arrived.load(Ordering::Relaxed) {
                ours.wait(1, Duration::from_secs(3600), || arrived.load(Ordering::Relaxed));
            }
        });
        assert_eq!((ours.count(2), theirs.count(1), ours.count(0)), (0, 2, 3), "one counter for all");
        assert!(Wakeups::open(std::process::id().into(), fd.as_raw_fd().into(), 3).is_err(), "another number of ranks");
        assert!(Wakeups::open(std::process::id().into(), 0, 2).is_err(), "another file");
    }
}
