//! The threads that run this process's code: whether they survive a trap.

use crate::refusal::{Refusal, refused};
use std::ffi::c_int;
use std::fs::read_to_string;
use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

/// The process whose code is changed.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Notes that the first hook is made in this process.
pub fn note_process() {
    // SAFETY: only returns a number.
    let process = unsafe { libc::getpid() };
    let _ = PROCESS.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed); // or it is known
}

/// Whether every thread takes these signals. One that sleeps may wake at any moment, and one in a handler has the mask of what it
/// interrupted, and more.
///
/// # Errors
/// [`Refusal::Busy`]: a thread blocks one of them, which would kill it, or waits for a process that runs in the same memory, made by
/// vfork, with signals of its own. [`Refusal::Threads`], or the system's: not all threads are known.
pub fn can_take(signals: &[c_int]) -> Result<(), Refusal> {
    // SAFETY: both only return a number.
    let (own, process) = unsafe { (libc::gettid() as u32, libc::getpid()) };
    // In the child of a vfork, /proc/self is the child.
    if PROCESS.load(Ordering::Relaxed) != process {
        return Err(Refusal::Threads);
    }
    let mut seen_own = false;
    for entry in std::fs::read_dir("/proc/self/task").map_err(unknown)? {
        let name = entry.map_err(unknown)?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        seen_own |= id == own;
        match look(id, signals) {
            Err(_) if is_gone(id) => {}
            Err(error) => return Err(unknown(error)),
            Ok(found) => found?,
        }
    }
    // Another /proc, of an outer process namespace, has other numbers.
    if seen_own { Ok(()) } else { Err(Refusal::Threads) }
}

/// The refusal where /proc cannot be read.
fn unknown(error: io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::InvalidData => Refusal::Threads,
        _ => refused("/proc/self/task, which shows whether all threads survive a trap, cannot be read", &error),
    }
}

/// What one thread says to these signals.
fn look(id: u32, signals: &[c_int]) -> io::Result<Result<(), Refusal>> {
    let read = |file: &str| read_to_string(format!("/proc/self/task/{id}/{file}"));
    let status = read("status")?;
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigBlk:")?.trim(), 16).ok());
    let mask = mask.ok_or(io::ErrorKind::InvalidData)?;
    if signals.iter().any(|signal| mask & (1 << (signal - 1)) != 0) {
        return Ok(Err(Refusal::Busy("there are threads that block SIGTRAP or SIGILL")));
    }
    // A thread sleeps in these calls only as long as its child has its memory. One that runs has no number here.
    let makes_process = [libc::SYS_vfork, libc::SYS_clone, libc::SYS_clone3].map(|call| call.to_string());
    let call = read("syscall")?;
    let waits = call.split_whitespace().next().is_some_and(|call| makes_process.iter().any(|other| other == call));
    Ok(if waits { Err(Refusal::Busy("a process made by vfork runs in the program's memory")) } else { Ok(()) })
}

fn is_gone(id: u32) -> bool {
    // SAFETY: signal 0 only asks whether the thread is there.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), id, 0) != 0 }
}
