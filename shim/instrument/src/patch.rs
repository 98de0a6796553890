//! Changes the first bytes of a function that other threads may run at any moment.
//!
//! Five bytes inside one aligned block of 16 are exchanged at once. That is enough to take a jump away, because nobody
//! can stand inside one instruction, and to put one in place of a single instruction. Where the jump replaces several,
//! a thread may stand between them. If every other thread sleeps in the kernel, nobody does. Otherwise breakpoints are
//! put at each of the instructions first; whoever comes by is sent to where the instruction was copied; the jump is put
//! in when every thread has gone on. Until then the breakpoints do the jump's work, only slower.

use crate::memory::writable;
use crate::prologue::JUMP;
use crate::refusal::Refusal;
use crate::threads::{Others, others};
use crate::trap;
use std::sync::atomic::{AtomicU8, Ordering};

const BREAKPOINT: u8 = 0xcc;
const CODE: i32 = libc::PROT_READ | libc::PROT_EXEC;

/// The first bytes of one function.
#[derive(Debug)]
pub struct Site {
    /// Where the jump goes.
    pub at: usize,
    /// What stands there without it.
    pub original: [u8; JUMP],
    /// The jump.
    pub jump: [u8; JUMP],
    /// Where instructions begin inside the jump, as offsets.
    pub starts: Vec<usize>,
    state: State,
}

#[derive(Debug)]
enum State {
    Out,
    In,
    /// Breakpoints stand; these threads have not gone on yet.
    Waiting(Others),
}

impl Site {
    /// A function as it stands.
    pub fn new(at: usize, original: [u8; JUMP], jump: [u8; JUMP], starts: Vec<usize>) -> Site {
        Site { at, original, jump, starts, state: State::Out }
    }

    /// Where the jump leads to.
    pub fn stub(&self) -> usize {
        let distance = i32::from_le_bytes([self.jump[1], self.jump[2], self.jump[3], self.jump[4]]);
        (self.at + JUMP).wrapping_add_signed(distance as isize)
    }

    /// Whether calls go by the jump, or by breakpoints that do its work.
    pub fn is_in(&self) -> bool {
        !matches!(self.state, State::Out)
    }

    /// Puts the jump in, or begins to.
    ///
    /// # Errors
    /// The system's, or [`Refusal::Busy`]; nothing was changed then.
    pub fn insert(&mut self) -> Result<(), Refusal> {
        if self.is_in() {
            return Ok(());
        }
        let others = others(self.code());
        let alone = others.running.is_empty();
        if (alone || self.starts.len() == 1) && self.fits() {
            writable(self.at, JUMP, CODE, || self.exchange(self.jump))?;
            synchronise();
            self.state = State::In;
            return Ok(());
        }
        if others.deaf {
            return Err(Refusal::Busy);
        }
        trap::listen()?;
        writable(self.at, JUMP, CODE, || self.starts.iter().for_each(|start| self.put(*start, BREAKPOINT)))?;
        synchronise();
        self.state = State::Waiting(crate::threads::others(self.code()));
        self.settle()
    }

    /// Goes on with what [`Site::insert`] began, if it can.
    ///
    /// # Errors
    /// The system's; the breakpoints stay then.
    pub fn settle(&mut self) -> Result<(), Refusal> {
        let code = self.code();
        let State::Waiting(others) = &mut self.state else { return Ok(()) };
        if !others.have_gone_on(code) {
            return Ok(());
        }
        self.write_behind_breakpoint(self.jump)?;
        self.state = State::In;
        Ok(())
    }

    /// Whether breakpoints stand.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting(_))
    }

    /// Takes the jump away.
    ///
    /// # Errors
    /// The system's; the jump stays then.
    pub fn remove(&mut self) -> Result<(), Refusal> {
        match &self.state {
            State::Out => return Ok(()),
            // Each is the first byte of an instruction; whoever was sent away from it runs the copy.
            State::Waiting(_) => {
                writable(self.at, JUMP, CODE, || self.starts.iter().for_each(|s| self.put(*s, self.original[*s])))?;
            }
            State::In if self.fits() => writable(self.at, JUMP, CODE, || self.exchange(self.original))?,
            State::In => {
                if others(self.code()).deaf {
                    return Err(Refusal::Busy);
                }
                trap::listen()?;
                writable(self.at, JUMP, CODE, || self.put(0, BREAKPOINT))?;
                synchronise();
                self.write_behind_breakpoint(self.original)?;
            }
        }
        synchronise();
        self.state = State::Out;
        Ok(())
    }

    /// The first byte is a breakpoint, nobody stands behind it: the others are written, then it.
    fn write_behind_breakpoint(&self, bytes: [u8; JUMP]) -> Result<(), Refusal> {
        writable(self.at, JUMP, CODE, || {
            (1..JUMP).for_each(|k| self.put(k, bytes[k]));
            synchronise();
            self.put(0, bytes[0]);
        })?;
        synchronise();
        Ok(())
    }

    fn code(&self) -> (usize, usize) {
        (self.at, self.at + JUMP)
    }

    fn put(&self, offset: usize, byte: u8) {
        // SAFETY: inside the function, whose page is writable now; a single byte is never half written.
        unsafe { &*((self.at + offset) as *const AtomicU8) }.store(byte, Ordering::SeqCst);
    }

    /// Whether the jump lies in one aligned block of 16 bytes.
    fn fits(&self) -> bool {
        self.at / 16 == (self.at + JUMP - 1) / 16
    }

    /// Exchanges all bytes at once.
    fn exchange(&self, bytes: [u8; JUMP]) {
        let block = self.at & !15;
        let mut whole = [0u8; 16];
        // SAFETY: an aligned block of a page of code; only this thread changes it (the caller holds the lock).
        unsafe { std::ptr::copy_nonoverlapping(block as *const u8, whole.as_mut_ptr(), 16) };
        let old = whole;
        whole[self.at - block..][..JUMP].copy_from_slice(&bytes);
        exchange_16(block, old, whole);
    }
}

/// Stores 16 aligned bytes at once. Every x86-64 processor of the last fifteen years has CMPXCHG16B.
fn exchange_16(block: usize, old: [u8; 16], new: [u8; 16]) {
    let half = |bytes: [u8; 16], k: usize| u64::from_le_bytes(std::array::from_fn(|b| bytes[8 * k + b]));
    // SAFETY: `block` is aligned to 16 and writable now. RBX belongs to the compiler and is put back.
    unsafe {
        std::arch::asm!(
            "xchg {low}, rbx",
            "lock cmpxchg16b [{block}]",
            "mov rbx, {low}",
            low = inout(reg) half(new, 0) => _,
            block = in(reg) block,
            inout("rax") half(old, 0) => _,
            inout("rdx") half(old, 1) => _,
            in("rcx") half(new, 1),
        );
    }
}

/// Every thread of this process sees what was written to code.
fn synchronise() {
    const REGISTER_SYNC_CORE: libc::c_int = 1 << 6;
    const SYNC_CORE: libc::c_int = 1 << 5;
    // SAFETY: plain calls. Where the kernel lacks them, the change of protection that follows or went before interrupts
    // every processor that runs this program, which has the same effect.
    unsafe {
        if libc::syscall(libc::SYS_membarrier, SYNC_CORE, 0, 0) != 0 {
            libc::syscall(libc::SYS_membarrier, REGISTER_SYNC_CORE, 0, 0);
            libc::syscall(libc::SYS_membarrier, SYNC_CORE, 0, 0);
        }
    }
}
