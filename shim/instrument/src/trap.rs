//! Handles the breakpoints of this crate: sends a thread that meets one to the copy of the instruction.

use crate::refusal::{Refusal, system};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Most breakpoints: a function has at most five.
const MOST: usize = 5 * crate::table::MOST;

/// Where a breakpoint may be, and where a thread continues. Never removed: a signal may come late.
struct Detour {
    from: AtomicUsize,
    to: AtomicUsize,
}

static DETOURS: [Detour; MOST] = [const { Detour { from: AtomicUsize::new(0), to: AtomicUsize::new(0) } }; MOST];
static USED: AtomicUsize = AtomicUsize::new(0);
/// The handler that was installed before, as `sigaction` gives it.
static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static BEFORE_TAKES_INFO: AtomicBool = AtomicBool::new(false);

/// Threads that meet a breakpoint at `from` continue at `to`. Only one thread may call this at a time.
pub fn add(from: usize, to: usize) {
    let used = USED.load(Ordering::Relaxed);
    if let Some(detour) = DETOURS.get(used) {
        detour.to.store(to, Ordering::Relaxed);
        detour.from.store(from, Ordering::Relaxed);
        USED.store(used + 1, Ordering::Release); // SYNC T: pairs with on_trap
    }
}

/// Makes sure that the handler is installed: the program may have put its own there since.
///
/// # Errors
/// The system's.
pub fn listen() -> Result<(), Refusal> {
    // SAFETY: a sigaction of zeros is valid.
    let (mut ours, mut before): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
    ours.sa_sigaction = on_trap as extern "C" fn(_, _, _) as usize;
    // SAFETY: only asks.
    if unsafe { libc::sigaction(libc::SIGTRAP, std::ptr::null(), &raw mut before) } == 0
        && before.sa_sigaction == ours.sa_sigaction
    {
        return Ok(());
    }
    // NODEFER: a thread in the handler does not count as one that blocks the signal.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
    // SAFETY: both structures are valid; the handler may run in any thread at any time, as it says.
    if unsafe { libc::sigaction(libc::SIGTRAP, &raw const ours, &raw mut before) } != 0 {
        return Err(system("SIGTRAP cannot be caught"));
    }
    BEFORE.store(before.sa_sigaction, Ordering::Relaxed);
    BEFORE_TAKES_INFO.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
    Ok(())
}

/// Only reads atomics and changes where its own thread continues.
extern "C" fn on_trap(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the kernel passes the interrupted thread's ucontext, which nobody else uses.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let next = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    let at = (*next as usize).wrapping_sub(1); // behind the breakpoint's single byte
    let used = USED.load(Ordering::Acquire).min(MOST); // SYNC T
    if let Some(detour) = DETOURS[..used].iter().find(|detour| detour.from.load(Ordering::Relaxed) == at) {
        *next = detour.to.load(Ordering::Relaxed) as i64;
        return;
    }
    match BEFORE.load(Ordering::Relaxed) {
        libc::SIG_IGN => {}
        libc::SIG_DFL => {
            // SAFETY: both calls take numbers; they do what would have happened without this handler.
            unsafe {
                libc::signal(libc::SIGTRAP, libc::SIG_DFL);
                libc::raise(libc::SIGTRAP);
            }
        }
        handler if BEFORE_TAKES_INFO.load(Ordering::Relaxed) => {
            type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
            // SAFETY: the program's own handler: with SA_SIGINFO it takes three arguments.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
            handler(signal, info, std::ptr::from_mut(context).cast());
        }
        handler => {
            // SAFETY: the program's own handler: without SA_SIGINFO it takes one argument.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(handler) };
            handler(signal);
        }
    }
}
