//! The socket to this host's agent. The rank offers its segment over it; the end of either process closes it.

use crate::{clock, state};
use midrun_ring::attach::{peer_uid, send_segment};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv, socket_with};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

/// Time between two checks that the agent is still there, and between two attempts to reach one.
const CHECK_NS: u64 = 100_000_000;
const ATTEMPT_NS: u64 = 500_000_000;

static AGENT: Mutex<Option<Agent>> = Mutex::new(None);
/// The socket's descriptor for the fork handler, which may not lock; -1 while there is no socket.
static SOCKET: AtomicI32 = AtomicI32::new(-1);
static NEXT_CHECK_NS: AtomicU64 = AtomicU64::new(0);
/// The agent disconnected, and nobody has reacted to that yet.
static LOST: AtomicBool = AtomicBool::new(false);

/// All that is needed to reach an agent, now or later.
struct Agent {
    path: OsString,
    memory: OwnedFd,
    socket: Option<OwnedFd>,
}

/// Offers the segment in `memory` to the agent that listens at `path`, now or as soon as there is one.
pub fn open(path: OsString, memory: OwnedFd) {
    *AGENT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(Agent { path, memory, socket: None });
    check();
}

/// Closes the socket for the rest of the run.
pub fn close() {
    if let Ok(mut agent) = AGENT.try_lock() {
        SOCKET.store(-1, Ordering::Relaxed);
        *agent = None;
    }
}

/// Closes a forked child's copy of the socket: it would keep the rank alive in the agent's eyes. Async-signal-safe.
pub fn close_in_child() {
    let socket = SOCKET.swap(-1, Ordering::Relaxed);
    if socket >= 0 {
        // SAFETY: the child's own copy of the descriptor; nothing in the child uses it any more.
        unsafe { libc::close(socket) };
    }
}

/// Whether the agent disconnected and [`take_loss`] was not called since.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// As [`is_lost`]; answers so once for each loss.
pub fn take_loss() -> bool {
    LOST.swap(false, Ordering::Relaxed)
}

/// Checks the link and the clock, in any thread. Two loads until a check is due.
#[inline]
pub fn check_when_due(now_ns: u64) {
    if state::recording() && now_ns >= NEXT_CHECK_NS.load(Ordering::Relaxed) {
        clock::resync();
        check();
    }
}

/// Notices an agent that disconnected, and offers the segment to one that came late or came back; at most every 100 ms.
pub fn check() {
    let now = clock::now_ns();
    if !state::recording() || now < NEXT_CHECK_NS.load(Ordering::Relaxed) {
        return;
    }
    let Ok(mut guard) = AGENT.try_lock() else { return };
    let Some(agent) = guard.as_mut() else { return };
    if agent.socket.as_ref().is_some_and(|socket| hung_up(socket.as_fd())) {
        SOCKET.store(-1, Ordering::Relaxed);
        agent.socket = None;
        LOST.store(true, Ordering::Relaxed);
    }
    if agent.socket.is_none() {
        agent.socket = offer(&agent.path, agent.memory.as_fd());
        SOCKET.store(agent.socket.as_ref().map_or(-1, AsRawFd::as_raw_fd), Ordering::Relaxed);
    }
    let wait = if agent.socket.is_some() { CHECK_NS } else { ATTEMPT_NS };
    NEXT_CHECK_NS.store(now + wait, Ordering::Relaxed);
}

fn hung_up(socket: BorrowedFd<'_>) -> bool {
    match recv(socket, &mut [0u8], RecvFlags::DONTWAIT | RecvFlags::PEEK) {
        Ok((_, bytes)) => bytes == 0,
        Err(error) => error != Errno::AGAIN,
    }
}

/// Connects to the agent at `path` and sends the segment; `None` where no process, or another user's, listens there.
fn offer(path: &OsStr, memory: BorrowedFd<'_>) -> Option<OwnedFd> {
    let Ok(address) = SocketAddrUnix::new(path) else {
        state::switch_off("the path in MIDRUN_SOCKET is longer than a socket's name may be");
        return None;
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    connect(&socket, &address).ok()?;
    // SAFETY: geteuid cannot fail.
    let own = unsafe { libc::geteuid() };
    match peer_uid(socket.as_fd()) {
        Ok(uid) if uid == own || uid == 0 => {}
        _ => {
            state::switch_off("the process at MIDRUN_SOCKET belongs to another user");
            return None;
        }
    }
    send_segment(socket.as_fd(), memory).ok()?;
    Some(socket)
}
