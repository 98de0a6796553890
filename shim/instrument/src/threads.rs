//! The threads that run this process's code: whether they survive a trap.

use crate::refusal::Refusal;
use std::ffi::c_int;
use std::fs::read_to_string;
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
/// vfork, with signals of its own. [`Refusal::Threads`]: not all threads are known.
pub fn can_take(signals: &[c_int]) -> Result<(), Refusal> {
    // SAFETY: both only return a number.
    let (own, process) = unsafe { (libc::gettid() as u32, libc::getpid()) };
    // In the child of a vfork, /proc/self is the child.
    if PROCESS.load(Ordering::Relaxed) != process {
        return Err(Refusal::Threads);
    }
    let mut seen_own = false;
    for entry in std::fs::read_dir("/proc/self/task").map_err(|_| Refusal::Threads)? {
        let name = entry.map_err(|_| Refusal::Threads)?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        seen_own |= id == own;
        match look(id, signals) {
            None if is_gone(id) => {}
            None => return Err(Refusal::Threads),
            Some(refusal) => refusal?,
        }
    }
    // Another /proc, of an outer process namespace, has other numbers.
    if seen_own { Ok(()) } else { Err(Refusal::Threads) }
}

/// `None` where the kernel does not say.
fn look(id: u32, signals: &[c_int]) -> Option<Result<(), Refusal>> {
    let read = |file: &str| read_to_string(format!("/proc/self/task/{id}/{file}")).ok();
    let status = read("status")?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"))?;
    let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
    if signals.iter().any(|signal| mask & (1 << (signal - 1)) != 0) {
        return Some(Err(Refusal::Busy("there are threads that block SIGTRAP or SIGILL")));
    }
    // A thread sleeps in these calls only as long as its child has its memory. One that runs has no number here.
    let makes_process = [libc::SYS_vfork, libc::SYS_clone, libc::SYS_clone3].map(|call| call.to_string());
    let call = read("syscall")?;
    let waits = call.split_whitespace().next().is_some_and(|call| makes_process.iter().any(|other| other == call));
    Some(if waits { Err(Refusal::Busy("a process made by vfork runs in the program's memory")) } else { Ok(()) })
}

fn is_gone(id: u32) -> bool {
    // SAFETY: signal 0 only asks whether the thread is there.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), id, 0) != 0 }
}
