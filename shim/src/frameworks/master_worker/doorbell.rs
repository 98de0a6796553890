//! How a rank sleeps until a message may be there, and how a sender on the same host wakes it (ADR 0004).
//!
//! One page of shared words, two for each rank: a count of rings and whether the rank sleeps. The page is a memfd of
//! the host's first rank, which the others open through /proc; where that fails, ranks nap.

use crate::port::{MpiFailed, Port};
use midrun_ring::atomic::Mapping;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Duration;

/// Longest sleep when every peer can ring: commands of the agent are noticed then.
const LONG: Duration = Duration::from_millis(2);
/// Longest sleep when a peer is on another host.
const SHORT: Duration = Duration::from_micros(100);
/// Sleep while MPI has a send of ours to get on with.
const PROGRESS: Duration = Duration::from_micros(30);
/// Words of one rank: a cache line each for the count and the flag.
const STRIDE: usize = 16;
const ASLEEP: usize = 8;

/// This rank's ways of sleeping and waking.
#[derive(Debug)]
pub struct Doorbell {
    page: Option<Mapping>,
    rank: usize,
    same_host: Vec<bool>,
    everybody_here: bool,
}

impl Doorbell {
    /// Collective over `port`.
    pub fn new(port: &Port) -> Result<Self, MpiFailed> {
        let (number, same_host) = port.same_host()?;
        let bytes = ((port.size as usize + 1) * STRIDE * 8).next_multiple_of(4096);
        let own = if number == 0 { make_page(bytes) } else { None };
        // Process, descriptor and a nonce, so that nobody takes another file of a process with the same number in
        // another process namespace for the page.
        let nonce = u64::from(std::process::id()) << 32 ^ crate::clock::now_ns();
        let mut where_it_is = [0u64; 3];
        if let Some((fd, page)) = &own {
            page.word(0).store(nonce, Relaxed);
            where_it_is = [u64::from(std::process::id()), fd.as_raw_fd() as u64 + 1, nonce];
        }
        port.tell_host(&mut where_it_is)?;
        let page = match &own {
            Some(_) => own.map(|(fd, page)| (Some(fd), page)),
            None => open_page(where_it_is, bytes).map(|page| (None, page)),
        };
        // Either every rank of the job has its host's page or none uses one; the first rank keeps its descriptor open
        // until everybody has opened it, which this exchange also says.
        let mut have = [i64::from(page.is_some())];
        port.minimum(&mut have)?;
        let page = page.filter(|_| have[0] == 1).map(|(_, page)| page);
        let everybody_here = page.is_some() && same_host.iter().all(|here| *here);
        Ok(Doorbell { page, rank: port.rank as usize, same_host, everybody_here })
    }

    /// To be called after a message to `rank` was sent.
    pub fn ring(&self, rank: u32) {
        let to = rank as usize;
        if let (Some(page), true) = (&self.page, self.same_host[to]) {
            let count = page.word((to + 1) * STRIDE);
            count.fetch_add(1, SeqCst);
            if page.word((to + 1) * STRIDE + ASLEEP).load(SeqCst) != 0 {
                futex(count, libc::FUTEX_WAKE, 1, None);
            }
        }
    }

    /// How often this rank was rung so far; to be read before looking for messages.
    pub fn rings(&self) -> u64 {
        self.page.as_ref().map_or(0, |page| page.word((self.rank + 1) * STRIDE).load(SeqCst))
    }

    /// Sleeps until this rank is rung more often than `seen`, or a short time has passed. `only` is the one peer that
    /// is waited for, if there is only one.
    pub fn sleep(&self, seen: u64, only: Option<u32>, sending: bool) {
        let can_ring = match only {
            Some(peer) => self.page.is_some() && self.same_host[peer as usize],
            None => self.everybody_here,
        };
        let time = match (sending, can_ring) {
            (true, _) => PROGRESS,
            (false, true) => LONG,
            (false, false) => SHORT,
        };
        match &self.page {
            Some(page) => {
                let asleep = page.word((self.rank + 1) * STRIDE + ASLEEP);
                asleep.store(1, SeqCst);
                // A ring between the reading of `seen` and here makes the kernel return at once.
                futex(page.word((self.rank + 1) * STRIDE), libc::FUTEX_WAIT, seen as u32, Some(time));
                asleep.store(0, SeqCst);
            }
            None => std::thread::sleep(time),
        }
    }
}

/// FUTEX_WAIT or FUTEX_WAKE on the low half of a shared word.
fn futex(word: &std::sync::atomic::AtomicU64, operation: libc::c_int, value: u32, time: Option<Duration>) {
    let timeout = time.map(|t| libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(t.subsec_nanos()) });
    let low_half = if cfg!(target_endian = "little") { 0 } else { 1 };
    // SAFETY: the word lives as long as the mapping, the timeout as long as the call. Its result does not matter: the
    // caller looks again in any case.
    unsafe {
        let address = word.as_ptr().cast::<u32>().add(low_half);
        let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        libc::syscall(libc::SYS_futex, address, operation, value, timeout);
    }
}

fn make_page(bytes: usize) -> Option<(OwnedFd, Mapping)> {
    // SAFETY: plain calls whose results are checked; the descriptor is new and ours.
    let fd = unsafe {
        let raw = libc::memfd_create(c"midrun-doorbell".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        if raw < 0 {
            return None;
        }
        let fd = OwnedFd::from_raw_fd(raw);
        let sized = libc::ftruncate(raw, bytes as libc::off_t) == 0
            && libc::fcntl(raw, libc::F_ADD_SEALS, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL) == 0;
        if !sized {
            return None;
        }
        fd
    };
    let page = Mapping::new(fd.as_fd(), bytes).ok()?;
    Some((fd, page))
}

fn open_page([pid, fd, nonce]: [u64; 3], bytes: usize) -> Option<Mapping> {
    let path = format!("/proc/{pid}/fd/{}", fd.checked_sub(1)?);
    let file = std::fs::File::options().read(true).write(true).open(path).ok()?;
    if file.metadata().ok()?.len() != bytes as u64 {
        return None;
    }
    Mapping::new(file.as_fd(), bytes).ok().filter(|page| page.word(0).load(Relaxed) == nonce)
}
