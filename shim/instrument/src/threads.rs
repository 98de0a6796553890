//! The other threads of this process: which of them run, and whether those have run on since.

use crate::refusal::Refusal;
use std::fs::read_to_string;

/// A thread that ran when it was observed.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    id: u32,
    ran_ns: u64,
    /// Observations in which it had run on.
    advances: u32,
}

/// The other threads at one moment.
#[derive(Debug, Default)]
pub struct Others {
    /// Threads that are not asleep in the kernel.
    pub running: Vec<Running>,
    /// There are some, asleep or not.
    pub any: bool,
    /// One of them, or the calling thread, blocks SIGTRAP: a breakpoint would kill it. One that sleeps may wake at any moment.
    pub blocks_sigtrap: bool,
}

/// Observes every other thread: one that does not sleep in the kernel, with its next instruction outside `code`, counts as running.
///
/// # Errors
/// The threads cannot be listed, or one of them cannot be read: nothing is known about them.
pub fn others(code: (usize, usize)) -> Result<Others, Refusal> {
    // SAFETY: gettid only returns a number.
    let own = unsafe { libc::gettid() } as u32;
    let mut others = Others::default();
    let mut seen_own = false;
    let entries = std::fs::read_dir("/proc/self/task").map_err(|_| Refusal::Threads)?;
    for entry in entries {
        let name = entry.map_err(|_| Refusal::Threads)?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        others.blocks_sigtrap |= blocks_sigtrap(id)?;
        seen_own |= id == own;
        if id != own {
            others.any = true;
            if !is_asleep(id, code) {
                others.running.push(Running { id, ran_ns: ran_ns(id), advances: 0 });
            }
        }
    }
    // Another /proc, of an outer process namespace, has other numbers.
    if seen_own { Ok(others) } else { Err(Refusal::Threads) }
}

/// Whether the thread sleeps in the kernel, or is gone; with its next instruction outside the code given.
fn is_asleep(id: u32, (from, to): (usize, usize)) -> bool {
    let Ok(text) = read_to_string(format!("/proc/self/task/{id}/syscall")) else {
        // Or the kernel has no such file, and the thread may run.
        return is_gone(id);
    };
    let next = text.split_whitespace().last().and_then(|word| usize::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    match next {
        None => false, // "running"
        Some(next) => !(from..to).contains(&next),
    }
}

/// Whether the thread blocks SIGTRAP; one that is gone does not.
///
/// # Errors
/// The kernel does not say so of a thread that is there.
fn blocks_sigtrap(id: u32) -> Result<bool, Refusal> {
    let status = read_to_string(format!("/proc/self/task/{id}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    match mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()) {
        Some(mask) => Ok(mask & (1 << (libc::SIGTRAP - 1)) != 0),
        None if is_gone(id) => Ok(false),
        None => Err(Refusal::Threads),
    }
}

fn is_gone(id: u32) -> bool {
    // SAFETY: signal 0 only asks whether the thread is there.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), id, 0) != 0 }
}

/// Time that the thread has run, nanoseconds; 0 where the kernel does not say.
fn ran_ns(id: u32) -> u64 {
    let text = read_to_string(format!("/proc/self/task/{id}/schedstat")).unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

impl Others {
    /// Whether each thread that ran has since executed something, or sleeps outside `code`: it has then left the instruction at which
    /// it stood. The kernel updates its time late, so the time must have grown twice.
    pub fn have_run_on(&mut self, code: (usize, usize)) -> bool {
        self.running.retain_mut(|thread| {
            if is_asleep(thread.id, code) {
                return false;
            }
            let now = ran_ns(thread.id);
            if now > thread.ran_ns {
                thread.ran_ns = now;
                thread.advances += 1;
            }
            thread.advances < 2
        });
        self.running.is_empty()
    }
}
