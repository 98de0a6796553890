//! What happens when a thread enters or leaves a hooked function.
//!
//! This runs between any two instructions of the program, in every thread. It takes no lock, allocates nothing and
//! cannot panic; it uses no vector register's upper half (see `thunk`); everything else it calls through
//! [`thunk::saved`].
//!
//! To see the exit, the return address is exchanged and kept in the thread's block, with the place where it lies. Calls
//! that never return (longjmp, exceptions) leave their entry there: it is dropped as soon as a frame further up the
//! stack is seen. The unwinder of C++ exceptions needs the true addresses: they are put back before it begins.

use crate::clock::ticks;
use crate::table::{Point, flag, point};
use crate::thread::{Call, Thread, current};
use crate::thunk;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// An entry or exit that is told.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// The point.
    pub point: u32,
    /// When, ticks.
    pub now: u64,
    /// When the call began, ticks; at an entry the same.
    pub begin: u64,
}

/// When the thread that leads next takes the pulse, ticks.
static PULSE_AT: AtomicU64 = AtomicU64::new(u64::MAX);
static PULSE: AtomicUsize = AtomicUsize::new(0);
/// Calls that were not timed because too many are open, or that went another way than by returning.
static UNSEEN: AtomicU64 = AtomicU64::new(0);

/// The calling thread leads from now on: in its passages `pulse` is called once the tick `at` has come.
pub fn set_pulse(pulse: fn(), at: u64) {
    if let Some(thread) = current() {
        thread.leads.set(true);
        PULSE.store(pulse as usize, Ordering::Relaxed);
        PULSE_AT.store(at, Ordering::Relaxed);
    }
}

/// When to take the pulse next, ticks.
pub fn next_pulse(at: u64) {
    PULSE_AT.store(at, Ordering::Relaxed);
}

/// Calls that were not timed though they should have been.
pub fn unseen() -> u64 {
    UNSEEN.load(Ordering::Relaxed)
}

/// Whether the calling thread is in a call of the function of `point` whose exit will be seen. At the exit of one: in another.
pub fn is_open(point: u32) -> bool {
    let Some(thread) = current() else { return false };
    (0..thread.depth.get()).any(|at| thread.call(at).is_some_and(|call| call.point == point))
}

/// Runs `body` with the hooks seeing what it calls, inside something that is told.
pub fn open<T>(body: impl FnOnce() -> T) -> T {
    let Some(thread) = current() else { return body() };
    let busy = thread.busy.replace(0);
    let result = body();
    thread.busy.set(busy);
    result
}

/// Runs `body` without the hooks seeing what it calls.
pub fn closed<T>(body: impl FnOnce() -> T) -> T {
    let Some(thread) = current() else { return body() };
    let here = 0u8;
    let busy = thread.busy.replace(&raw const here as usize);
    let result = body();
    thread.busy.set(busy);
    result
}

/// A function is entered. `frame` points to the caller's frame pointer, behind it the point's number and the return
/// address; `vectors` to the sixteen vector registers. Returns where to go on.
pub(crate) unsafe extern "C" fn entered(frame: *mut usize, vectors: *mut u128) -> usize {
    // SAFETY: laid out so by the thunk.
    let (number, slot) = unsafe { (*frame.add(1) as u32, frame.add(2) as usize) };
    let Some(point) = point(number) else { return 0 };
    let flags = point.flags.load(Ordering::Acquire);
    if flags & flag::ARGUMENTS != 0 {
        // SAFETY: as above.
        unsafe { set_arguments(point, frame, vectors) };
    }
    if let Some(thread) = current() {
        let busy = thread.busy.get();
        // Busy and further down the stack than the handler: this was called by it, or by a signal's handler.
        if busy == 0 || slot > busy {
            thread.busy.set(slot);
            // SAFETY: `slot` is the return address of the frame that is being entered.
            unsafe { seen(thread, point, number, flags, slot) };
            thread.busy.set(0);
        }
    }
    point.target.load(Ordering::Acquire)
}

/// The thread enters the function and nothing of ours is going on in it.
#[inline]
unsafe fn seen(thread: &Thread, point: &Point, number: u32, flags: u32, slot: usize) {
    if flags & (flag::UNWINDS | flag::CAUGHT) != 0 {
        // SAFETY: as the caller's.
        return unsafe { unwinds(thread, flags, slot) };
    }
    if thread.unwinding.get() != 0 && slot > thread.unwinding.get() {
        // SAFETY: the thread's own frames.
        unsafe { take_again(thread, slot) };
    }
    let now = ticks();
    if now >= PULSE_AT.load(Ordering::Relaxed) && thread.leads.get() {
        take_pulse();
    }
    if flags & flag::ENTRY != 0
        && let Some(told) = point.on_entry()
    {
        thunk::saved(|| told(&Passage { point: number, now, begin: now }));
    }
    let mut wants_exit = flags & flag::EXIT != 0;
    if flags & flag::TIMED != 0
        && let Some(totals) = thread.totals.get(number as usize)
    {
        wants_exit |= totals.called() & point.sample_mask.load(Ordering::Relaxed) == 0;
    }
    if wants_exit {
        // SAFETY: as the caller's.
        unsafe { exchange(thread, number, slot, if flags & flag::ENTRY == 0 { now } else { ticks() }) };
    }
}

#[cold]
fn take_pulse() {
    PULSE_AT.store(u64::MAX, Ordering::Relaxed); // whoever takes it says when the next one is due
    let pulse = PULSE.load(Ordering::Relaxed);
    // SAFETY: only `set_pulse` writes here, before it sets a time.
    let pulse = unsafe { std::mem::transmute::<usize, fn()>(pulse) };
    thunk::saved(pulse);
}

/// Puts our address in place of the return address.
#[inline]
unsafe fn exchange(thread: &Thread, number: u32, slot: usize, begin: u64) {
    // SAFETY: the slot of the function that is being entered.
    let return_to = unsafe { *(slot as *const usize) };
    drop_dead(thread, slot, return_to == thunk::exit());
    let depth = thread.depth.get();
    let (true, Some(call)) = (thread.on_stack(slot), thread.call(depth)) else {
        UNSEEN.fetch_add(1, Ordering::Relaxed);
        return;
    };
    *call = Call { slot, return_to, begin, point: number };
    thread.depth.set(depth + 1);
    // SAFETY: as above.
    unsafe { *(slot as *mut usize) = thunk::exit() };
}

/// Drops calls that cannot be open any more, because the stack is at `slot`. One at `slot` itself is open if it made way for
/// another (tail call).
#[inline]
fn drop_dead(thread: &Thread, slot: usize, tail: bool) {
    let mut depth = thread.depth.get();
    while depth > 0
        && let Some(call) = thread.call(depth - 1)
        && (call.slot < slot || (call.slot == slot && !tail))
    {
        UNSEEN.fetch_add(1, Ordering::Relaxed);
        depth -= 1;
    }
    thread.depth.set(depth);
}

/// A function is left. `frame` points to the saved frame pointer; behind it was the return address. Returns that.
pub(crate) unsafe extern "C" fn left(frame: *mut usize, _vectors: *mut u128) -> usize {
    // SAFETY: laid out so by the thunk.
    let slot = unsafe { frame.add(1) } as usize;
    let end = ticks();
    let Some(thread) = current() else { lost() };
    drop_dead(thread, slot, true);
    let depth = thread.depth.get();
    let top = if depth > 0 { thread.call(depth - 1) } else { None };
    let call = match top {
        Some(call) if call.slot == slot => *call,
        _ => return thread.any(slot).map_or_else(|| lost(), |call| call.return_to),
    };
    thread.depth.set(depth - 1);
    let busy = thread.busy.get();
    if busy == 0 || slot > busy {
        thread.busy.set(slot);
        finish(thread, &call, end);
        thread.busy.set(0);
    }
    call.return_to
}

#[inline]
fn finish(thread: &Thread, call: &Call, end: u64) {
    let Some(point) = point(call.point) else { return };
    let flags = point.flags.load(Ordering::Acquire);
    if flags & flag::TIMED != 0
        && let Some(totals) = thread.totals.get(call.point as usize)
    {
        totals.timed(call.begin, end);
    }
    if flags & flag::EXIT != 0
        && let Some(told) = point.on_exit()
    {
        thunk::saved(|| told(&Passage { point: call.point, now: end, begin: call.begin }));
    }
}

/// Nobody knows where to return to: the stack was moved by other means than any that is known.
#[cold]
fn lost() -> ! {
    eprintln!("midrun: a measured function returned on a stack that nobody knows; the program cannot go on");
    std::process::exit(70)
}

/// The unwinder begins, or has ended.
#[cold]
unsafe fn unwinds(thread: &Thread, flags: u32, slot: usize) {
    if flags & flag::CAUGHT != 0 {
        if thread.unwinding.get() != 0 {
            // SAFETY: the thread's own frames.
            unsafe { take_again(thread, slot) };
        }
        return;
    }
    for at in (0..thread.depth.get()).rev() {
        if let Some(call) = thread.call(at)
            && call.slot > slot
        {
            let place = call.slot as *mut usize;
            // SAFETY: a frame above the one that calls the unwinder, so it is still there or was when it was left.
            unsafe {
                if *place == thunk::exit() {
                    *place = call.return_to;
                }
            }
        }
    }
    thread.unwinding.set(slot);
}

/// After the unwinder: calls that it took down are over; the others return by us again.
#[cold]
unsafe fn take_again(thread: &Thread, slot: usize) {
    thread.unwinding.set(0);
    let now = ticks();
    let mut depth = thread.depth.get();
    while depth > 0
        && let Some(call) = thread.call(depth - 1)
        // SAFETY: `slot` holds the return address of the function that is being entered; where it lies in the place of
        // another's and differs, that other is over.
        && (call.slot < slot || (call.slot == slot && unsafe { *(slot as *const usize) } != call.return_to))
    {
        let over = *call;
        depth -= 1;
        thread.depth.set(depth);
        finish(thread, &over, now);
    }
    for at in 0..depth {
        if let Some(call) = thread.call(at) {
            let place = call.slot as *mut usize;
            // SAFETY: frames above the one that runs now; taken only where the address is still the one that was put back.
            unsafe {
                if *place == call.return_to {
                    *place = thunk::exit();
                }
            }
        }
    }
}

unsafe fn set_arguments(point: &Point, frame: *mut usize, vectors: *mut u128) {
    /// Where the thunk has rdi, rsi, rdx, rcx, r8, r9: words below the frame pointer.
    const WHOLE: [usize; 6] = [5, 4, 3, 2, 6, 7];
    for argument in &point.arguments {
        let (place, bits) = (argument.place.load(Ordering::Acquire), argument.bits.load(Ordering::Relaxed));
        let index = (place & 15).wrapping_sub(1) as usize;
        match (place, WHOLE.get(index)) {
            // SAFETY: the thunk's copies of the registers.
            (1..=15, Some(below)) => unsafe { *frame.sub(*below) = bits as usize },
            // SAFETY: as above.
            (17..=31, Some(_)) => unsafe { *vectors.add(index).cast::<u64>() = bits },
            // SAFETY: as above.
            (33..=47, Some(_)) => unsafe { *vectors.add(index).cast::<u32>() = bits as u32 },
            _ => {}
        }
    }
}
