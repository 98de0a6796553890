//! Probes: the code that runs when a thread enters or leaves a hooked function.
//!
//! It runs between any two instructions of the program, in every thread. It takes no lock, allocates nothing and cannot
//! panic. The trampolines keep every register that the function or its caller may still need, whatever its signature. The
//! compiler may know that a static function leaves some registers alone that calls usually destroy (`-fipa-ra`), so all of
//! them are kept. Of vector registers the lower 128 bits are: [`entered`] and [`left`] are built for baseline x86-64 and use no
//! more; everything else they call through [`registers::saved`], which keeps everything.
//!
//! To see the exit, a probe puts an address of [`returns`] in the place of the return address, and notes in the thread's block
//! its slot, the place where it lies. A call that never returns (longjmp, exceptions) leaves its entry there: it is dropped as
//! soon as a frame further up the stack is seen. The unwinder of C++ exceptions needs the true addresses: they are put back before
//! it begins.

use crate::clock::ticks;
use crate::table::{ARGUMENTS, Point, Probe, Registers, flag, point};
use crate::thread::{Call, Thread, current};
use crate::{registers, returns};
use std::arch::global_asm;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

#[cfg(target_feature = "avx")]
compile_error!("the trampolines keep 128 bits of each vector register: build without AVX (no -C target-cpu=native)");

unsafe extern "C" {
    fn midrun_instrument_entry();
}

global_asm!(
    r#"
    .macro midrun_keep
        push rbp
        mov rbp, rsp
        push rax
        push rcx
        push rdx
        push rsi
        push rdi
        push r8
        push r9
        push r10
        push r11
        sub rsp, 264
        and rsp, -16
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movaps [rsp + 16 * \n], xmm\n
        .endr
        mov rdi, rbp
        mov rsi, rsp
    .endm
    .macro midrun_give_back
        mov [rbp + 8], rax
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movaps xmm\n, [rsp + 16 * \n]
        .endr
        mov rax, [rbp - 8]
        mov rcx, [rbp - 16]
        mov rdx, [rbp - 24]
        mov rsi, [rbp - 32]
        mov rdi, [rbp - 40]
        mov r8, [rbp - 48]
        mov r9, [rbp - 56]
        mov r10, [rbp - 64]
        mov r11, [rbp - 72]
        mov rsp, rbp
        pop rbp
        lea rsp, [rsp + 8]
        jmp qword ptr [rsp - 8]
    .endm

    .text
    .p2align 4
    .globl midrun_instrument_entry
    .hidden midrun_instrument_entry
    .type midrun_instrument_entry, @function
    midrun_instrument_entry:
        midrun_keep
        call {entered}
        midrun_give_back
    .size midrun_instrument_entry, . - midrun_instrument_entry

    .p2align 4
    .globl midrun_instrument_exit
    .hidden midrun_instrument_exit
    .type midrun_instrument_exit, @function
    midrun_instrument_exit:
        midrun_keep
        call {left}
        midrun_give_back
    .size midrun_instrument_exit, . - midrun_instrument_exit
    "#,
    entered = sym entered,
    left = sym left,
);

/// Address of the entry trampoline: the stub of a point jumps there.
pub fn entry() -> usize {
    midrun_instrument_entry as unsafe extern "C" fn() as usize
}

/// When the polling thread calls the poll next, ticks.
static POLL_AT: AtomicU64 = AtomicU64::new(u64::MAX);
static POLL: AtomicUsize = AtomicUsize::new(0);
/// Calls that were not timed because too many are open, or because they ended without returning.
static MISSED: AtomicU64 = AtomicU64::new(0);

/// The calling thread polls from now on: its probes call `poll` once the tick `at` has come.
pub fn set_poll(poll: fn(), at: u64) {
    if let Some(thread) = current() {
        thread.polls.set(true);
        POLL.store(poll as usize, Ordering::Relaxed);
        POLL_AT.store(at, Ordering::Relaxed);
    }
}

/// Sets when the poll is called next, ticks.
pub fn set_next_poll(at: u64) {
    POLL_AT.store(at, Ordering::Relaxed);
}

/// Calls that were not timed though they should have been.
pub fn missed_calls() -> u64 {
    MISSED.load(Ordering::Relaxed)
}

/// A function is entered: called by the entry trampoline. `frame` points to the caller's frame pointer, behind it are the point's
/// number and the return address; `vectors` points to the sixteen vector registers. Returns where to go on.
unsafe extern "C" fn entered(frame: *mut usize, vectors: *mut u128) -> usize {
    // SAFETY: the trampoline lays the stack out so.
    let (number, slot) = unsafe { (*frame.add(1) as u32, frame.add(2) as usize) };
    let Some(point) = point(number) else { return 0 };
    let flags = point.flags.load(Ordering::Acquire);
    let registers = Registers { frame, vectors };
    // SAFETY: as above.
    let own = (flags & flag::ARGUMENTS != 0).then(|| unsafe { set_arguments(point, registers) });
    if let Some(thread) = current() {
        let busy = thread.busy.get();
        // While a handler runs, calls from further down the stack are its own, or a signal handler's.
        if busy == 0 || slot > busy {
            thread.busy.set(slot);
            // SAFETY: `slot` is the return address of the frame that is being entered.
            unsafe { observe(thread, point, number, flags, (slot, registers)) };
            thread.busy.set(0);
            // A safe point in there may have changed what this call gets.
            // SAFETY: as above.
            unsafe {
                own.into_iter().for_each(|own| give_back(own, registers));
                if point.flags.load(Ordering::Acquire) & flag::ARGUMENTS != 0 {
                    set_arguments(point, registers);
                }
            }
        }
    }
    point.target.load(Ordering::Acquire)
}

/// The thread enters the function while no handler runs in it.
#[inline]
unsafe fn observe(thread: &Thread, point: &Point, number: u32, flags: u32, (slot, registers): (usize, Registers)) {
    if flags & (flag::UNWINDS | flag::CAUGHT) != 0 {
        // SAFETY: as the caller's.
        return unsafe { on_unwinder(thread, flags, slot) };
    }
    if thread.unwinding.get() != 0 && slot > thread.unwinding.get() && thread.on_stack(slot) {
        // SAFETY: the slots of this thread's own open calls.
        unsafe { exchange_again(thread, slot) };
    }
    let now = ticks();
    if now >= POLL_AT.load(Ordering::Relaxed) && thread.polls.get() {
        call_poll();
    }
    if flags & flag::ENTRY != 0
        && let Some(handler) = point.on_entry()
    {
        registers::saved(|| handler(&Probe { point: number, now, begin: now, registers: Some(registers) }));
    }
    let mut wants_exit = flags & flag::EXIT != 0;
    if flags & flag::TIMED != 0
        && let Some(totals) = thread.totals.get(number as usize)
    {
        wants_exit |= totals.called() & point.sample_mask.load(Ordering::Relaxed) == 0;
    }
    if wants_exit {
        // SAFETY: as the caller's.
        unsafe { watch_return(thread, number, slot, if flags & flag::ENTRY == 0 { now } else { ticks() }) };
    }
}

#[cold]
fn call_poll() {
    POLL_AT.store(u64::MAX, Ordering::Relaxed); // the poll sets when it is due again
    let poll = POLL.load(Ordering::Relaxed);
    // SAFETY: `set_poll` wrote a function of this type before it set a time, and nothing else writes there.
    let poll = unsafe { std::mem::transmute::<usize, fn()>(poll) };
    registers::saved(poll);
}

/// Makes the call return by way of the exit trampoline.
#[inline]
unsafe fn watch_return(thread: &Thread, number: u32, slot: usize, begin: u64) {
    // A coroutine's stack, or one of signals, says nothing about the calls that are open on the thread's own.
    if !thread.on_stack(slot) {
        MISSED.fetch_add(1, Ordering::Relaxed);
        return;
    }
    // SAFETY: `slot` is the return address of the function that is being entered.
    let there = unsafe { *(slot as *const usize) };
    // Where a function ends in a call of this one, it is one of ours.
    let known = returns::by_address(there);
    drop_ended(thread, slot, known.is_some());
    let depth = thread.depth.get();
    let (Some(call), Some(place)) =
        (thread.call(depth), known.map_or_else(|| returns::in_place_of(there), |_| Some(there)))
    else {
        MISSED.fetch_add(1, Ordering::Relaxed);
        return;
    };
    *call = Call { slot, return_to: known.unwrap_or(there), begin, point: number };
    thread.depth.set(depth + 1);
    // SAFETY: as above.
    unsafe { *(slot as *mut usize) = place };
}

/// Drops calls that cannot be open any more, because the stack is at `slot`. A call at `slot` itself is still open if it ended in a
/// tail call.
#[inline]
fn drop_ended(thread: &Thread, slot: usize, tail: bool) {
    let mut depth = thread.depth.get();
    while depth > 0
        && let Some(call) = thread.call(depth - 1)
        && (call.slot < slot || (call.slot == slot && !tail))
    {
        MISSED.fetch_add(1, Ordering::Relaxed);
        depth -= 1;
    }
    thread.depth.set(depth);
}

/// A function is left: called by the exit trampoline. `frame` points to the saved frame pointer; behind it, where the return address
/// was, is the number of the true one. Returns that.
unsafe extern "C" fn left(frame: *mut usize, _vectors: *mut u128) -> usize {
    // SAFETY: the trampoline lays the stack out so.
    let (slot, number) = unsafe { (frame.add(1) as usize, *frame.add(1)) };
    let end = ticks();
    if let Some(thread) = current().filter(|thread| thread.on_stack(slot)) {
        drop_ended(thread, slot, true);
        // Several, where one has ended in a call of another.
        while let Some(depth) = thread.depth.get().checked_sub(1)
            && let Some(call) = thread.call(depth)
            && call.slot == slot
        {
            let call = *call;
            thread.depth.set(depth);
            let busy = thread.busy.get();
            if busy == 0 || slot > busy {
                thread.busy.set(slot);
                finish(thread, &call, end);
                thread.busy.set(0);
            }
        }
    }
    returns::by_number(number)
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
        && let Some(handler) = point.on_exit()
    {
        registers::saved(|| handler(&Probe { point: call.point, now: end, begin: call.begin, registers: None }));
    }
}

/// The unwinder begins: puts the true return addresses back. Or it has ended: exchanges them again.
#[cold]
unsafe fn on_unwinder(thread: &Thread, flags: u32, slot: usize) {
    if flags & flag::CAUGHT != 0 {
        if thread.unwinding.get() != 0 {
            // SAFETY: the slots of this thread's own open calls.
            unsafe { exchange_again(thread, slot) };
        }
        return;
    }
    for at in (0..thread.depth.get()).rev() {
        if let Some(call) = thread.call(at)
            && call.slot > slot
        {
            let place = call.slot as *mut usize;
            // SAFETY: the slot lies on this thread's own stack (`watch_return` checks it), above the frame that runs, so it is
            // mapped. Where its call has ended without returning it may hold something else, which is left alone.
            unsafe {
                if returns::by_address(*place).is_some() {
                    *place = call.return_to;
                }
            }
        }
    }
    thread.unwinding.set(slot);
}

/// After the unwinder: ends the calls that it took down; the others return by way of the exit trampoline again.
#[cold]
unsafe fn exchange_again(thread: &Thread, slot: usize) {
    thread.unwinding.set(0);
    let now = ticks();
    let mut depth = thread.depth.get();
    while depth > 0
        && let Some(call) = thread.call(depth - 1)
        // SAFETY: `slot` holds the return address of the function that is being entered. Where a kept call has this slot and
        // another address, that call is over.
        && (call.slot < slot || (call.slot == slot && unsafe { *(slot as *const usize) } != call.return_to))
    {
        let ended = *call;
        depth -= 1;
        thread.depth.set(depth);
        finish(thread, &ended, now);
    }
    for at in 0..depth {
        if let Some(call) = thread.call(at)
            && let Some(ours) = returns::in_place_of(call.return_to)
        {
            let place = call.slot as *mut usize;
            // SAFETY: the slot of a call that is open, above the frame that runs; exchanged only where it holds the address that was
            // put back.
            unsafe {
                if *place == call.return_to {
                    *place = ours;
                }
            }
        }
    }
}

/// Places and bits of the registers that were set, as the caller had them.
type Own = [(u32, u64); ARGUMENTS];

/// Sets the point's arguments.
unsafe fn set_arguments(point: &Point, registers: Registers) -> Own {
    let mut own = Own::default();
    for (argument, own) in point.arguments.iter().zip(&mut own) {
        let (place, bits) = (argument.place.load(Ordering::Acquire), argument.bits.load(Ordering::Relaxed));
        let Some(copy) = registers.of(place) else { continue };
        // SAFETY: the trampoline's copies of the registers. Of a narrow floating-point number the rest of the register stays.
        unsafe {
            *own = (place, copy.read());
            if place > 32 {
                copy.cast::<u32>().write(bits as u32);
            } else {
                copy.write(bits);
            }
        }
    }
    own
}

/// Undoes [`set_arguments`].
unsafe fn give_back(own: Own, registers: Registers) {
    for (place, bits) in own.into_iter().rev() {
        // SAFETY: as there.
        registers.of(place).into_iter().for_each(|copy| unsafe { copy.write(bits) });
    }
}
