//! How a rank waits for a message without using the processor: a futex in memory shared by the ranks of a host.
//!
//! A sender rings after its message is on the way; a receiver looks for messages once more after it has said that it
//! sleeps. A ring that is missed all the same (or a host without `/proc`) only costs the bound of the wait.

use crate::mpi::{Communicator, MpiFailed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Longest sleeps: with all peers on this host; with peers elsewhere; with own messages not yet delivered.
const LOCAL: Duration = Duration::from_millis(2);
const REMOTE: Duration = Duration::from_micros(100);
const SENDING: Duration = Duration::from_micros(50);
/// The same for who expects nothing soon: a look a hundred times a second costs well under 1 % of a processor.
const LOCAL_PATIENT: Duration = Duration::from_millis(50);
const REMOTE_PATIENT: Duration = Duration::from_millis(5);

/// One rank's bell, on a cache line of its own.
#[repr(C, align(64))]
struct Bell {
    rings: AtomicU32,
    asleep: AtomicU32,
}

/// The bells of this host's ranks.
#[derive(Debug)]
pub struct Doorbell {
    bells: *const Bell,
    count: usize,
    own: usize,
    index: Vec<Option<usize>>,
    all_here: bool,
}

impl Doorbell {
    /// Collective. Falls back to naps on every rank of a host where the memory cannot be shared.
    pub fn open(port: &Communicator) -> Result<Doorbell, MpiFailed> {
        let (index, own) = port.node()?;
        let count = index.iter().flatten().count();
        let bytes = count * size_of::<Bell>();
        let memory = if own == 0 { create(bytes) } else { None };
        let mut address = [i64::from(std::process::id()), memory.as_ref().map_or(-1, |fd| i64::from(fd.as_raw_fd()))];
        port.node_share(&mut address)?;
        let memory = match own {
            0 => memory,
            _ => reopen(address[0], address[1]),
        };
        let bells = memory.as_ref().map_or(std::ptr::null(), |fd| map(fd, bytes));
        let mut worked = [i64::from(!bells.is_null())];
        port.minimum(true, &mut worked)?; // all have opened it by now, or nobody uses it
        let all_here = count == index.len();
        let mut doorbell = Doorbell { bells, count, own, index, all_here };
        if worked[0] == 0 {
            doorbell.unmap();
        }
        Ok(doorbell)
    }

    /// Of a process that a master started: it hears no bell and naps.
    pub fn none(ranks: usize) -> Doorbell {
        Doorbell { bells: std::ptr::null(), count: 0, own: 0, index: vec![None; ranks], all_here: false }
    }

    /// One more rank, which hears no bell.
    pub fn add(&mut self) {
        self.index.push(None);
        self.all_here = false;
    }

    fn bell(&self, index: usize) -> Option<&Bell> {
        // SAFETY: `count` bells are mapped there until drop; zero pages are valid bells.
        (!self.bells.is_null() && index < self.count).then(|| unsafe { &*self.bells.add(index) })
    }

    /// Whether `rank` is on this host.
    pub fn is_here(&self, rank: usize) -> bool {
        self.index[rank].is_some()
    }

    /// A message for `rank` is on its way.
    pub fn ring(&self, rank: usize) {
        let Some(bell) = self.index[rank].and_then(|i| self.bell(i)) else { return };
        bell.rings.fetch_add(1, Ordering::SeqCst); // SYNC D: pairs with wait's store and load
        if bell.asleep.load(Ordering::SeqCst) != 0 {
            // SAFETY: the futex word lives as long as the mapping.
            unsafe { libc::syscall(libc::SYS_futex, bell.rings.as_ptr(), libc::FUTEX_WAKE, 1) };
        }
    }

    /// Sleeps until a ring or the bound, a longer one with `patience`; not at all when `arrived` says, asked last, that there is something to do.
    pub fn wait(&self, sending: bool, patience: bool, arrived: impl FnOnce() -> bool) {
        let own = self.bell(self.own);
        let bound = match (sending, self.all_here && own.is_some(), patience) {
            (true, _, _) => SENDING,
            (false, true, false) => LOCAL,
            (false, true, true) => LOCAL_PATIENT,
            (false, false, false) => REMOTE,
            (false, false, true) => REMOTE_PATIENT,
        };
        let Some(bell) = own else {
            if !arrived() {
                sleep(bound, None);
            }
            return;
        };
        bell.asleep.store(1, Ordering::SeqCst); // SYNC D
        let seen = bell.rings.load(Ordering::SeqCst);
        if !arrived() {
            sleep(bound, Some((&bell.rings, seen)));
        }
        bell.asleep.store(0, Ordering::SeqCst);
    }

    fn unmap(&mut self) {
        if !self.bells.is_null() {
            // SAFETY: mapped by `map` with this size.
            unsafe { libc::munmap(self.bells.cast_mut().cast(), self.count * size_of::<Bell>()) };
            self.bells = std::ptr::null();
        }
    }
}

impl Drop for Doorbell {
    fn drop(&mut self) {
        self.unmap();
    }
}

/// Short sleeps need a small timer slack (the default adds 50 us); the program's own is put back.
fn sleep(bound: Duration, word: Option<(&AtomicU32, u32)>) {
    // SAFETY: prctl with these options only reads and sets this thread's slack.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    let set = |ns: libc::c_int| {
        if slack > 1000 {
            // SAFETY: as above.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns as libc::c_ulong) };
        }
    };
    let time = libc::timespec { tv_sec: 0, tv_nsec: bound.subsec_nanos().into() };
    set(1000);
    match word {
        // SAFETY: the futex word and the time live through the call.
        Some((word, seen)) => unsafe {
            libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const time);
        },
        // SAFETY: as above.
        None => unsafe {
            libc::nanosleep(&raw const time, std::ptr::null_mut());
        },
    }
    set(slack);
}

fn create(bytes: usize) -> Option<OwnedFd> {
    // SAFETY: plain call with a C string.
    let raw = unsafe { libc::memfd_create(c"midrun-doorbell".as_ptr(), libc::MFD_CLOEXEC) };
    if raw < 0 {
        return None;
    }
    // SAFETY: made just now, ours alone.
    let fd = unsafe { OwnedFd::from_raw_fd(raw) };
    // SAFETY: plain call.
    (unsafe { libc::ftruncate(raw, bytes as libc::off_t) } == 0).then_some(fd)
}

/// The memory that process `pid` holds as descriptor `fd`.
fn reopen(pid: i64, fd: i64) -> Option<OwnedFd> {
    let path = format!("/proc/{pid}/fd/{fd}");
    let is_ours = std::fs::read_link(&path).is_ok_and(|to| to.to_string_lossy().contains("midrun-doorbell"));
    let open = || std::fs::OpenOptions::new().read(true).write(true).open(&path);
    is_ours.then(open)?.ok().map(OwnedFd::from)
}

fn map(fd: &OwnedFd, bytes: usize) -> *const Bell {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping of a file that is `bytes` long.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, libc::MAP_SHARED, fd.as_raw_fd(), 0) };
    if at == libc::MAP_FAILED { std::ptr::null() } else { at.cast_const().cast() }
}
