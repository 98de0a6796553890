//! Handles the traps of this crate: sends a thread that meets one to the copy of the instruction.

use crate::refusal::{Refusal, system};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Instructions of one byte that trap in 64-bit mode, the breakpoint first; the others are invalid there (Intel, Software Developer's
/// Manual, volume 2, table A-2). As the highest byte of a jump's distance, the breakpoint leads downwards, the others upwards.
pub const BYTES: [u8; 14] = [0xcc, 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61];

/// `si_code` of a breakpoint on Linux.
const SI_KERNEL: c_int = 0x80;

/// The signal that one of [`BYTES`] sends.
pub fn signal(byte: u8) -> c_int {
    if byte == BYTES[0] { libc::SIGTRAP } else { libc::SIGILL }
}

/// Most traps: a function has at most five.
const MOST: usize = 5 * crate::table::MOST;

/// Where a trap may be, and where a thread continues. Never removed: a signal may come late.
struct Detour {
    from: AtomicUsize,
    to: AtomicUsize,
}

static DETOURS: [Detour; MOST] = [const { Detour { from: AtomicUsize::new(0), to: AtomicUsize::new(0) } }; MOST];
static USED: AtomicUsize = AtomicUsize::new(0);
/// The handlers that were installed before, as `sigaction` gives them.
static BEFORE: [Before; 2] =
    [const { Before { handler: AtomicUsize::new(libc::SIG_DFL), takes_info: AtomicBool::new(false) } }; 2];

struct Before {
    handler: AtomicUsize,
    takes_info: AtomicBool,
}

fn before(signal: c_int) -> &'static Before {
    &BEFORE[usize::from(signal == libc::SIGILL)]
}

/// Threads that meet a trap at `from` continue at `to`. Only one thread may call this at a time.
pub fn add(from: usize, to: usize) {
    let used = USED.load(Ordering::Relaxed);
    if let Some(detour) = DETOURS.get(used) {
        detour.to.store(to, Ordering::Relaxed);
        detour.from.store(from, Ordering::Relaxed);
        USED.store(used + 1, Ordering::Release); // SYNC T: pairs with on_trap
    }
}

/// Makes sure that the handler of `signal` is installed: the program may have put its own there since.
///
/// # Errors
/// The system's.
pub fn listen(signal: c_int) -> Result<(), Refusal> {
    // SAFETY: a sigaction of zeros is valid.
    let (mut ours, mut there): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
    ours.sa_sigaction = on_trap as extern "C" fn(_, _, _) as usize;
    // SAFETY: only asks.
    if unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut there) } != 0 {
        return Err(system("the handler of traps cannot be looked up"));
    }
    if there.sa_sigaction == ours.sa_sigaction {
        return Ok(());
    }
    // Known before it is needed.
    before(signal).handler.store(there.sa_sigaction, Ordering::Relaxed);
    before(signal).takes_info.store(there.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
    // NODEFER: a thread in the handler does not count as one that blocks the signal.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
    // SAFETY: the structure is valid; the handler may run in any thread at any time, as it says.
    match unsafe { libc::sigaction(signal, &raw const ours, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(system("traps cannot be caught")),
    }
}

/// Only reads atomics and changes where its own thread continues.
extern "C" fn on_trap(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the kernel passes the interrupted thread's ucontext, which nobody else uses, and says why it came.
    let (context, code) = unsafe { (&mut *context.cast::<libc::ucontext_t>(), (*info).si_code) };
    let next = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
    // Behind a breakpoint's single byte; at an invalid instruction.
    let at = (*next as usize).wrapping_sub(usize::from(signal == libc::SIGTRAP));
    let used = USED.load(Ordering::Acquire).min(MOST); // SYNC T
    // A signal that somebody has sent may come behind any instruction.
    let is_from_instruction = signal == libc::SIGILL && code > 0 || [libc::TRAP_BRKPT, SI_KERNEL].contains(&code);
    let is_at = |detour: &&Detour| detour.from.load(Ordering::Relaxed) == at;
    if let Some(detour) = DETOURS[..used].iter().find(is_at).filter(|_| is_from_instruction) {
        *next = detour.to.load(Ordering::Relaxed) as i64;
        return;
    }
    match before(signal).handler.load(Ordering::Relaxed) {
        libc::SIG_IGN => {}
        libc::SIG_DFL => {
            // SAFETY: both calls take numbers; they do what would have happened without this handler.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
        }
        handler if before(signal).takes_info.load(Ordering::Relaxed) => {
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
