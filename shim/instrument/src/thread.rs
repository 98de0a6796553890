//! What each thread keeps for itself: calls that it is in, and what it has measured.
//!
//! The blocks lie ready, so that nothing is allocated when a thread is first seen. Only its thread writes a block;
//! whoever sums up reads the totals.

use crate::table::MOST;
use crate::thunk;
use crate::totals::Totals;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicU32, Ordering};

/// Threads that are measured at the same time.
pub const THREADS: usize = 128;
/// Measured calls that a thread is in at the same time; calls inside more are not timed.
pub const DEPTH: usize = 512;

/// A call whose return goes by us.
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
    /// Stack pointer of the handler that runs, 0 = none: whatever is called meanwhile is not for us.
    pub busy: Cell<usize>,
    /// Calls that are open.
    pub depth: Cell<usize>,
    /// Where the unwinder was called when it last took all return addresses back, 0 = not since.
    pub unwinding: Cell<usize>,
    /// Lowest and highest address of the stack.
    stack: Cell<(usize, usize)>,
    /// Whether this thread takes the pulse.
    pub leads: Cell<bool>,
    calls: UnsafeCell<[Call; DEPTH]>,
    /// By point.
    pub totals: [Totals; MOST],
}

// SAFETY: the cells are only used by the thread that owns the block; the rest is atomics.
unsafe impl Sync for Thread {}

static BLOCKS: [Thread; THREADS] = [const {
    Thread {
        owner: AtomicU32::new(0),
        busy: Cell::new(0),
        depth: Cell::new(0),
        unwinding: Cell::new(0),
        stack: Cell::new((0, 0)),
        leads: Cell::new(false),
        calls: UnsafeCell::new([const { Call { slot: 0, return_to: 0, begin: 0, point: 0 } }; DEPTH]),
        totals: [const { Totals::new() }; MOST],
    }
}; THREADS];
/// Blocks that were ever used are those before this one.
static USED: AtomicU32 = AtomicU32::new(0);

/// Words of [`thunk::local`] that are no block: none yet, and none to be had.
const UNKNOWN: usize = 0;
const NONE: usize = 1;

/// This thread's block; `None` when all are taken.
#[inline]
pub fn current() -> Option<&'static Thread> {
    let local = thunk::local();
    // SAFETY: this thread's own word.
    match unsafe { *local } {
        UNKNOWN => claim(local),
        NONE => None,
        // SAFETY: only `claim` writes another word, the address of a block.
        block => Some(unsafe { &*(block as *const Thread) }),
    }
}

/// The blocks that were ever used.
pub fn all() -> &'static [Thread] {
    &BLOCKS[..(USED.load(Ordering::Acquire) as usize).min(THREADS)]
}

#[cold]
fn claim(local: *mut usize) -> Option<&'static Thread> {
    thunk::learn_state().ok()?;
    // SAFETY: this thread's own word. What is called below and hooked finds that it is not for us.
    unsafe { *local = NONE };
    let mut block = None;
    thunk::saved(|| block = take());
    if let Some(block) = block {
        // SAFETY: as above.
        unsafe { *local = std::ptr::from_ref::<Thread>(block) as usize };
    }
    block
}

fn take() -> Option<&'static Thread> {
    // SAFETY: cannot fail.
    let own = unsafe { libc::gettid() } as u32;
    let free = |block: &&Thread| block.owner.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).is_ok();
    let fresh = BLOCKS.iter().position(|block| free(&block));
    let at = fresh.or_else(|| BLOCKS.iter().position(|block| inherit(block, own)))?;
    let block = &BLOCKS[at];
    block.busy.set(0);
    block.depth.set(0);
    block.unwinding.set(0);
    block.leads.set(false);
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
    // SAFETY: zero is a valid attribute object to be filled in; the results are checked.
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

    /// One of the places for calls. Only in the thread that owns the block.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub fn call(&self, at: usize) -> Option<&mut Call> {
        // SAFETY: only the owner comes here, and holds one at a time.
        unsafe { (*self.calls.get()).get_mut(at) }
    }

    /// Where a call is kept whose return address lies at `slot`, among all places, also those given up.
    pub fn any(&self, slot: usize) -> Option<Call> {
        // SAFETY: as above.
        unsafe { &*self.calls.get() }.iter().find(|call| call.slot == slot).copied()
    }
}
