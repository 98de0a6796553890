//! The shim's life in its process: on at MPI_Init when an agent may be there, off at MPI_Finalize, at any doubt, and in
//! forked children.

use crate::{clock, lane, mpi_calls, points, safe_point, synchronized};
use midrun_ring::attach::{peer_uid, send_segment};
use midrun_ring::{Identity, Segment};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Lanes (recording threads) and records of each: 2 MiB in all, taken from the system as it is written.
const LANES: u32 = 4;
const RECORDS: u32 = 8192;
/// Time between two looks at whether the agent is still there, and between two attempts to reach one.
const LOOK_NS: u64 = 100_000_000;
const ATTEMPT_NS: u64 = 500_000_000;

static RECORDING: AtomicBool = AtomicBool::new(false);
/// Off for the rest of the run.
static DISABLED: AtomicBool = AtomicBool::new(false);
static SEGMENT: OnceLock<Segment> = OnceLock::new();
static LINK: Mutex<Option<Link>> = Mutex::new(None);
/// The socket to the agent, for the fork handler, which may not lock; -1 when there is none.
static SOCKET: AtomicI32 = AtomicI32::new(-1);
static NEXT_LOOK_NS: AtomicU64 = AtomicU64::new(0);
/// The thread that initialised MPI; see [`safe_point::this_thread`].
static MAIN_THREAD: AtomicU64 = AtomicU64::new(0);

/// What is needed to reach an agent, now or later.
struct Link {
    path: std::ffi::OsString,
    memory: OwnedFd,
    socket: Option<OwnedFd>,
}

/// Whether records are to be written.
#[inline]
pub fn recording() -> bool {
    RECORDING.load(Ordering::Relaxed)
}

/// This rank's segment, once there is one.
pub fn segment() -> Option<&'static Segment> {
    SEGMENT.get()
}

/// Records and counts are to be written from now on, or no more.
fn record(on: bool) {
    RECORDING.store(on, Ordering::Relaxed);
    mpi_calls::switch(on);
}

/// Switches the shim off for the rest of the run and says why, once.
pub fn switch_off(why: &str) {
    record(false);
    if !DISABLED.swap(true, Ordering::Relaxed) {
        eprintln!("midrun: {why}; midrun is switched off in this rank, the program goes on");
    }
}

/// MPI is about to be initialised: the first of two points that fix the counter's rate.
pub fn on_before_init() {
    clock::resync();
    if !is_off() {
        mpi_calls::announce();
    }
}

fn is_off() -> bool {
    std::env::var_os("MIDRUN_OFF").is_some_and(|v| v != "0" && !v.is_empty())
}

/// MPI is initialised. Makes the shared memory and offers it to the agent, without waiting for anything.
pub fn on_init(rank: u32, world_size: u32, mpi: &str) {
    clock::resync();
    let (Some(path), false) = (std::env::var_os("MIDRUN_SOCKET"), is_off() || DISABLED.load(Ordering::Relaxed)) else {
        return;
    };
    let job = std::env::var("MIDRUN_JOB").unwrap_or_else(|_| "unnamed".into());
    let identity =
        Identity { rank, world_size, pid: std::process::id(), job, mpi: mpi.into(), start_ns: clock::now_ns() };
    match Segment::create(&identity, LANES, RECORDS) {
        Ok((segment, memory)) => {
            if SEGMENT.set(segment).is_err() {
                return; // initialised twice: the first stands
            }
            // SAFETY: the handler only stores to atomics and closes a descriptor, which is allowed after fork.
            unsafe { libc::pthread_atfork(None, None, Some(forked)) };
            *LINK.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(Link { path, memory, socket: None });
            mpi_calls::on_init(rank, world_size, &identity.job);
            MAIN_THREAD.store(safe_point::this_thread(), Ordering::Relaxed);
            record(true);
            look_after_agent();
            points::on_init();
        }
        Err(error) => switch_off(&error.to_string()),
    }
}

/// Whether this thread initialised MPI.
pub fn is_main_thread() -> bool {
    MAIN_THREAD.load(Ordering::Relaxed) == safe_point::this_thread()
}

/// MPI is about to be finalised: everything that follows is not ours. The agent drains what is left.
pub fn on_finalize() {
    points::on_finalize();
    record(false);
    let Some(segment) = segment() else { return };
    synchronized::on_finalize();
    segment.set_finalized(clock::now_ns());
    if lane::homeless() > 0 {
        eprintln!("midrun: {} records of threads beyond the {LANES} recorded ones were dropped", lane::homeless());
    }
    if let Ok(mut link) = LINK.try_lock() {
        SOCKET.store(-1, Ordering::Relaxed);
        *link = None;
    }
}

/// In a forked child: not a rank, so nothing is recorded, and its copy of the socket must not keep the rank alive in
/// the agent's eyes.
extern "C" fn forked() {
    record(false);
    DISABLED.store(true, Ordering::Relaxed);
    let socket = SOCKET.swap(-1, Ordering::Relaxed);
    if socket >= 0 {
        // SAFETY: the child's own copy of the descriptor; nothing in the child uses it any more.
        unsafe { libc::close(socket) };
    }
}

/// A point between pieces of work, in any thread: cheap until something is due.
#[inline]
pub fn slow_point(now_ns: u64) {
    if recording() && now_ns >= NEXT_LOOK_NS.load(Ordering::Relaxed) {
        clock::resync();
        look_after_agent();
    }
}

/// At slow points: notices that the agent is gone, and offers the segment to one that came late or came back.
pub fn look_after_agent() {
    let now = clock::now_ns();
    if !recording() || now < NEXT_LOOK_NS.load(Ordering::Relaxed) {
        return;
    }
    let Ok(mut guard) = LINK.try_lock() else { return };
    let Some(link) = guard.as_mut() else { return };
    if link.socket.as_ref().is_some_and(|socket| hung_up(socket.as_fd())) {
        SOCKET.store(-1, Ordering::Relaxed);
        link.socket = None;
        points::on_loss();
    }
    if link.socket.is_none() {
        link.socket = offer(link.path.as_bytes(), link.memory.as_fd());
        SOCKET.store(link.socket.as_ref().map_or(-1, AsRawFd::as_raw_fd), Ordering::Relaxed);
    }
    let wait = if link.socket.is_some() { LOOK_NS } else { ATTEMPT_NS };
    NEXT_LOOK_NS.store(now + wait, Ordering::Relaxed);
}

fn hung_up(socket: BorrowedFd<'_>) -> bool {
    let mut byte = 0u8;
    // SAFETY: one byte of room for one byte.
    let got = unsafe { libc::recv(socket.as_raw_fd(), (&raw mut byte).cast(), 1, libc::MSG_DONTWAIT | libc::MSG_PEEK) };
    let would_block = || std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock;
    got == 0 || (got < 0 && !would_block())
}

/// Connects to the agent at `path` and sends the segment; `None` when nobody (or somebody else) listens there.
fn offer(path: &[u8], memory: BorrowedFd<'_>) -> Option<OwnedFd> {
    // SAFETY: zero is a valid sockaddr_un.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    if path.len() >= address.sun_path.len() {
        switch_off("the path in MIDRUN_SOCKET is longer than a socket's name may be");
        return None;
    }
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    for (to, from) in address.sun_path.iter_mut().zip(path) {
        *to = *from as libc::c_char;
    }
    // SAFETY: plain calls; the address is as long as said, the result is checked.
    let raw = unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0) };
    if raw < 0 {
        return None;
    }
    // SAFETY: made just now, ours alone.
    let socket = unsafe { OwnedFd::from_raw_fd(raw) };
    let length = std::mem::size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: as above.
    if unsafe { libc::connect(raw, (&raw const address).cast(), length) } != 0 {
        return None;
    }
    // SAFETY: geteuid cannot fail.
    let own = unsafe { libc::geteuid() };
    match peer_uid(socket.as_fd()) {
        Ok(uid) if uid == own || uid == 0 => {}
        _ => {
            switch_off("the process at MIDRUN_SOCKET belongs to another user");
            return None;
        }
    }
    send_segment(socket.as_fd(), memory).ok()?;
    Some(socket)
}
