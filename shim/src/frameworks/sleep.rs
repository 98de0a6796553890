//! How a rank waits for a message without using the processor: it sleeps until a sender on its host wakes it.
//!
//! A sender wakes a rank after its message is on the way; a rank looks for messages once more after it has declared that it
//! sleeps ([`Wakeups`]). A rank that cannot be woken (on another host, or on a host without `/proc`) sleeps for a short time.

use crate::mpi::{Communicator, MpiFailed};
use midrun_ring::{Wakeups, wakeup::nap};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// First sleep of a rank: with all peers on this host, with peers on other hosts, and with own sends in progress. Where ranks share
/// cores, each sleep that nothing ended is followed by one twice as long, up to this times the ranks per core: together they look as
/// often as one rank per core does.
const LOCAL: Duration = Duration::from_millis(2);
const REMOTE: Duration = Duration::from_micros(100);
const SENDING: Duration = Duration::from_micros(50);
/// The same for a rank that expects nothing soon. Even a hundred polls a second cost well under 1 % of a core.
const LOCAL_PATIENT: Duration = Duration::from_millis(50);
const REMOTE_PATIENT: Duration = Duration::from_millis(5);

/// The wake-up words of this host's ranks.
#[derive(Debug)]
pub struct Sleeper {
    words: Option<Wakeups>,
    own: usize,
    index: Vec<Option<usize>>,
    /// First rank of each rank's host; `None` for a started process.
    hosts: Vec<Option<usize>>,
    all_here: bool,
    /// Ranks of this host per core.
    crowd: u32,
}

impl Sleeper {
    /// Collective. If one rank of a host cannot map the shared memory, all ranks of that host sleep for fixed times.
    pub fn open(comm: &Communicator) -> Result<Sleeper, MpiFailed> {
        let (index, own) = comm.node()?;
        let count = index.iter().flatten().count();
        let mut hosts = vec![i64::MAX; index.len()];
        hosts[comm.rank] = index.iter().position(Option::is_some).unwrap_or(comm.rank) as i64;
        comm.minimum(false, &mut hosts)?;
        let hosts = hosts.into_iter().map(|first| usize::try_from(first).ok()).collect();
        let made = if own == 0 { Wakeups::create(count).ok() } else { None };
        let mut address =
            [i64::from(std::process::id()), made.as_ref().map_or(-1, |(_, fd)| i64::from(fd.as_raw_fd()))];
        comm.node_share(&mut address)?;
        let words = match own {
            0 => made.map(|(words, fd)| (words, Some(fd))),
            _ => Wakeups::open(address[0], address[1], count).ok().map(|words| (words, None)),
        };
        let mut worked = [i64::from(words.is_some())];
        comm.minimum(true, &mut worked)?; // after this, all ranks have opened it, or none uses it
        let words = words.map(|(words, _)| words).filter(|_| worked[0] != 0);
        let all_here = count == index.len();
        Ok(Sleeper { words, own, index, hosts, all_here, crowd: (count as u32).div_ceil(cores()) })
    }

    /// For a process that a master started: nobody can wake it, so it sleeps for fixed times.
    pub fn none(ranks: usize) -> Sleeper {
        Sleeper { words: None, own: 0, index: vec![None; ranks], hosts: vec![None; ranks], all_here: false, crowd: 1 }
    }

    /// Adds a rank that cannot be woken.
    pub fn add(&mut self) {
        self.index.push(None);
        self.hosts.push(None);
        self.all_here = false;
    }

    /// Returns whether `rank` is on this host.
    pub fn is_here(&self, rank: usize) -> bool {
        self.index[rank].is_some()
    }

    /// First rank of the host of `rank`; `None` for a started process.
    pub fn host(&self, rank: usize) -> Option<usize> {
        self.hosts[rank]
    }

    /// Returns whether `rank` and this rank share a counter: they are on one host and map its words.
    pub fn shares_counter(&self, rank: usize) -> bool {
        self.words.is_some() && self.is_here(rank)
    }

    /// Adds `by` to the counter of this host's ranks; returns its value before, or `None` where there is none.
    pub fn count(&self, by: u64) -> Option<u64> {
        self.words.as_ref().map(|words| words.count(by))
    }

    /// Wakes `rank`, to which a message was sent.
    pub fn wake(&self, rank: usize) {
        if let (Some(words), Some(index)) = (&self.words, self.index[rank]) {
            words.notify(index);
        }
    }

    /// Sleeps until a sender wakes this rank, for a bounded time that is longer with `patience`, and after so many sleeps that nothing
    /// ended. Does not sleep if `arrived`, which is called last, returns `true`.
    pub fn wait(&self, sending: bool, patience: bool, fruitless: u32, arrived: impl FnOnce() -> bool) {
        let (first, most) = match self.all_here && self.words.is_some() {
            true => (LOCAL, LOCAL_PATIENT),
            false => (REMOTE, REMOTE_PATIENT),
        };
        let bound = match (sending, patience) {
            (true, _) => longer(SENDING, fruitless, self.crowd).min(most),
            (false, false) => longer(first, fruitless, self.crowd).min(most),
            (false, true) => most,
        };
        match &self.words {
            Some(words) => words.wait(self.own, bound, arrived),
            None if !arrived() => nap(bound),
            None => {}
        }
    }
}

/// Cores of this host, whichever of them this rank is bound to.
fn cores() -> u32 {
    // SAFETY: no memory is passed.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    u32::try_from(online).unwrap_or(1).max(1)
}

fn longer(first: Duration, fruitless: u32, crowd: u32) -> Duration {
    first * 1u32.checked_shl(fruitless).unwrap_or(u32::MAX).min(crowd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_share_cores_look_less_often_the_longer_they_wait() {
        assert_eq!(longer(LOCAL, 40, 1), LOCAL, "a core of its own");
        let sleeps: Vec<Duration> = (0..4).map(|fruitless| longer(SENDING, fruitless, 5)).collect();
        assert_eq!(sleeps, [SENDING, 2 * SENDING, 4 * SENDING, 5 * SENDING]);
        assert_eq!(longer(SENDING, u32::MAX, 100), 100 * SENDING);
    }
}
