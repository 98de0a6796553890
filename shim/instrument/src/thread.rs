//! One block per thread: its open calls and its totals.
//!
//! The blocks are static, so that nothing is allocated when a thread enters its first hooked function. Only its thread writes a
//! block; the collector reads the totals.

use crate::registers;
use crate::table::MOST;
use crate::totals::Totals;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicU32, Ordering};

/// Threads that are measured at the same time.
pub const THREADS: usize = 128;
/// Measured calls that a thread is in at the same time; calls inside more are not timed.
pub const DEPTH: usize = 512;

/// A call whose return address was exchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call {
    /// Where its return address lies.
    pub slot: usize,
    /// Where it returns to.
    pub return_to: usize,
    /// When it began, ticks.
    pub begin: u64,
    /// Its point.
    pub point: u32,
}

/// One thread's block.
pub struct Thread {
    owner: AtomicU32,
    /// Place on the stack of the handler that runs, 0 = none: the probes ignore what is called meanwhile.
    pub busy: Cell<usize>,
    /// Calls that are open.
    pub depth: Cell<usize>,
    /// Slot of the unwinder's call for which all return addresses were put back, 0 = they are exchanged.
    pub unwinding: Cell<usize>,
    /// Lowest and highest address of the stack.
    stack: Cell<(usize, usize)>,
    /// Whether this thread's probes call the poll.
    pub polls: Cell<bool>,
    calls: UnsafeCell<[Call; DEPTH]>,
    /// By point.
    pub totals: [Totals; MOST],
}

// SAFETY: only the thread that owns the block uses the cells (`current` gives a thread no other block); the rest is atomics.
unsafe impl Sync for Thread {}

static BLOCKS: [Thread; THREADS] = [const {
    Thread {
        owner: AtomicU32::new(0),
        busy: Cell::new(0),
        depth: Cell::new(0),
        unwinding: Cell::new(0),
        stack: Cell::new((0, 0)),
        polls: Cell::new(false),
        calls: UnsafeCell::new([const { Call { slot: 0, return_to: 0, begin: 0, point: 0 } }; DEPTH]),
        totals: [const { Totals::new() }; MOST],
    }
}; THREADS];
/// Blocks that were ever used are those before this one.
static USED: AtomicU32 = AtomicU32::new(0);

/// Values of [`registers::local`] that are no block: none claimed yet, and none free.
const UNKNOWN: usize = 0;
const NONE: usize = 1;

/// This thread's block; `None` when all are taken.
#[inline]
pub fn current() -> Option<&'static Thread> {
    let local = registers::local();
    // SAFETY: no other thread has this thread's own word.
    match unsafe { *local } {
        UNKNOWN => claim(local),
        NONE => None,
        // SAFETY: `claim` alone writes other values, addresses of static blocks.
        block => Some(unsafe { &*(block as *const Thread) }),
    }
}

/// Whether the calling thread is in a call of the function of `point` whose exit will be seen. At the exit of one: in another.
pub fn is_inside(point: u32) -> bool {
    let Some(thread) = current() else { return false };
    (0..thread.depth.get()).any(|at| thread.call(at).is_some_and(|call| call.point == point))
}

/// Runs `body`, part of a handler, with the probes seeing what it calls.
pub fn with_probes<T>(body: impl FnOnce() -> T) -> T {
    let Some(thread) = current() else { return body() };
    let busy = thread.busy.replace(0);
    let result = body();
    thread.busy.set(busy);
    result
}

/// Runs `body` without the probes seeing what it calls.
pub fn without_probes<T>(body: impl FnOnce() -> T) -> T {
    let Some(thread) = current() else { return body() };
    let here = 0u8;
    let busy = thread.busy.replace(&raw const here as usize);
    let result = body();
    thread.busy.set(busy);
    result
}

/// The blocks that were ever used.
pub fn all() -> &'static [Thread] {
    &BLOCKS[..(USED.load(Ordering::Acquire) as usize).min(THREADS)]
}

#[cold]
fn claim(local: *mut usize) -> Option<&'static Thread> {
    registers::learn_state().ok()?;
    // SAFETY: no other thread has this thread's own word. Hooked functions that are called below find no block.
    unsafe { *local = NONE };
    let mut block = None;
    registers::saved(|| block = take());
    if let Some(block) = block {
        // SAFETY: as above.
        unsafe { *local = std::ptr::from_ref::<Thread>(block) as usize };
    }
    block
}

fn take() -> Option<&'static Thread> {
    // SAFETY: gettid only returns a number.
    let own = unsafe { libc::gettid() } as u32;
    let free = |block: &&Thread| block.owner.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).is_ok();
    let fresh = BLOCKS.iter().position(|block| free(&block));
    let at = fresh.or_else(|| BLOCKS.iter().position(|block| inherit(block, own)))?;
    let block = &BLOCKS[at];
    block.busy.set(0);
    block.depth.set(0);
    block.unwinding.set(0);
    block.polls.set(false);
    block.stack.set(stack_bounds());
    USED.fetch_max(at as u32 + 1, Ordering::Release);
    Some(block)
}

/// Takes the block of a thread that is gone.
fn inherit(block: &Thread, own: u32) -> bool {
    let owner = block.owner.load(Ordering::Relaxed);
    // SAFETY: signal 0 only asks whether the thread is there.
    let gone = unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), owner, 0) } != 0;
    gone && block.owner.compare_exchange(owner, own, Ordering::Acquire, Ordering::Relaxed).is_ok()
}

fn stack_bounds() -> (usize, usize) {
    // SAFETY: pthread_getattr_np initialises the zeroed object; the results are checked before it is read.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return (0, 0);
        }
        let (mut low, mut bytes) = (std::ptr::null_mut(), 0);
        let known = libc::pthread_attr_getstack(&raw const attributes, &raw mut low, &raw mut bytes) == 0;
        libc::pthread_attr_destroy(&raw mut attributes);
        if known { (low as usize, low as usize + bytes) } else { (0, 0) }
    }
}

impl Thread {
    /// Whether `address` lies on the thread's own stack, not on one of a signal or a coroutine.
    #[inline]
    pub fn on_stack(&self, address: usize) -> bool {
        let (low, high) = self.stack.get();
        low <= address && address < high
    }

    /// One of the kept calls. Only the thread that owns the block may ask.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub fn call(&self, at: usize) -> Option<&mut Call> {
        // SAFETY: only the thread that owns the block asks, and it holds one reference at a time.
        unsafe { (*self.calls.get()).get_mut(at) }
    }
}
