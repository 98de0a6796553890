//! Sends threads that run into one of our breakpoints to where they are to go on.

use crate::refusal::{Refusal, system};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Breakpoints that can ever be known: a function has at most five.
const MOST: usize = 5 * crate::table::MOST;

/// Where a breakpoint may stand, and where to go from there. Never taken out: a signal may come late.
struct Way {
    from: AtomicUsize,
    to: AtomicUsize,
}

static WAYS: [Way; MOST] = [const { Way { from: AtomicUsize::new(0), to: AtomicUsize::new(0) } }; MOST];
static USED: AtomicUsize = AtomicUsize::new(0);
static LISTENING: AtomicBool = AtomicBool::new(false);
/// The handler that was there before, as `sigaction` has it.
static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static BEFORE_TAKES_INFO: AtomicBool = AtomicBool::new(false);

/// Whoever meets a breakpoint at `from` goes on at `to`. Called by one thread at a time.
pub fn add(from: usize, to: usize) {
    let used = USED.load(Ordering::Relaxed);
    if let Some(way) = WAYS.get(used) {
        way.to.store(to, Ordering::Relaxed);
        way.from.store(from, Ordering::Relaxed);
        USED.store(used + 1, Ordering::Release); // SYNC T: pairs with on_trap
    }
}

/// Installs the handler, once.
///
/// # Errors
/// The system's.
pub fn listen() -> Result<(), Refusal> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    // SAFETY: zero is a valid sigaction.
    let (mut ours, mut before): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
    ours.sa_sigaction = on_trap as extern "C" fn(_, _, _) as usize;
    // NODEFER: a thread that is in here is not one that blocks the signal.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
    // SAFETY: a handler that is allowed to run in any thread at any time, see there.
    if unsafe { libc::sigaction(libc::SIGTRAP, &raw const ours, &raw mut before) } != 0 {
        LISTENING.store(false, Ordering::Relaxed);
        return Err(system("SIGTRAP cannot be caught"));
    }
    BEFORE.store(before.sa_sigaction, Ordering::Relaxed);
    BEFORE_TAKES_INFO.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
    Ok(())
}

/// Only reads atomics and changes where its own thread goes on.
extern "C" fn on_trap(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel gives the interrupted thread's registers.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let next = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    let at = (*next as usize).wrapping_sub(1); // behind the breakpoint's single byte
    let used = USED.load(Ordering::Acquire).min(MOST); // SYNC T
    if let Some(way) = WAYS[..used].iter().find(|way| way.from.load(Ordering::Relaxed) == at) {
        *next = way.to.load(Ordering::Relaxed) as i64;
        return;
    }
    match BEFORE.load(Ordering::Relaxed) {
        libc::SIG_IGN => {}
        libc::SIG_DFL => {
            // SAFETY: what would have happened without us.
            unsafe {
                libc::signal(libc::SIGTRAP, libc::SIG_DFL);
                libc::raise(libc::SIGTRAP);
            }
        }
        handler if BEFORE_TAKES_INFO.load(Ordering::Relaxed) => {
            type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
            // SAFETY: the program's own handler, of the type that its flags say.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
            handler(signal, info, std::ptr::from_mut(context).cast());
        }
        handler => {
            // SAFETY: as above.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(handler) };
            handler(signal);
        }
    }
}
