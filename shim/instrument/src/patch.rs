//! Changes the first bytes of a function that other threads may run at any moment.
//!
//! Five bytes inside one aligned block of 16 are exchanged at once. That suffices to remove a jump, because no thread stands inside
//! one instruction, and to put a jump in the place of a single instruction. Where the jump replaces several, another thread may stand
//! between them; one that sleeps may wake and get there at any moment. Then a breakpoint is put at each instruction first, and its
//! handler sends threads to the copy of the instruction. The jump is written when every thread has run on. Until then the breakpoints
//! do the jump's work, only slower.

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
    /// The bytes there without it.
    pub original: [u8; JUMP],
    /// The jump.
    pub jump: [u8; JUMP],
    /// Offsets inside the jump at which instructions begin.
    pub starts: Vec<usize>,
    state: State,
}

#[derive(Debug)]
enum State {
    Out,
    In,
    /// Breakpoints are set; these threads have not run on yet.
    Waiting(Others),
}

impl Site {
    /// A function without the jump.
    pub fn new(at: usize, original: [u8; JUMP], jump: [u8; JUMP], starts: Vec<usize>) -> Site {
        Site { at, original, jump, starts, state: State::Out }
    }

    /// Where the jump leads to.
    pub fn stub(&self) -> usize {
        let distance = i32::from_le_bytes([self.jump[1], self.jump[2], self.jump[3], self.jump[4]]);
        (self.at + JUMP).wrapping_add_signed(distance as isize)
    }

    /// Whether the jump is there, or breakpoints that do its work.
    pub fn is_in(&self) -> bool {
        !matches!(self.state, State::Out)
    }

    /// Writes the jump, or begins to.
    ///
    /// # Errors
    /// The system's, or [`Refusal::Busy`]; nothing was changed then.
    pub fn insert(&mut self) -> Result<(), Refusal> {
        if self.is_in() {
            return Ok(());
        }
        let others = others(self.code())?;
        if (!others.any || self.starts.len() == 1) && self.fits() {
            self.exchange(self.original, self.jump)?;
            synchronise();
            self.state = State::In;
            return Ok(());
        }
        if others.blocks_sigtrap {
            return Err(Refusal::Busy);
        }
        trap::listen()?;
        writable(self.at, JUMP, CODE, || self.starts.iter().for_each(|start| self.put(*start, BREAKPOINT)))?;
        synchronise();
        self.state = State::Waiting(others);
        // Those that run now, with the breakpoints in place; if they cannot be listed any more, nothing stays.
        match crate::threads::others(self.code()) {
            Ok(now) => self.state = State::Waiting(now),
            Err(why) => return self.remove().and(Err(why)),
        }
        self.settle()
    }

    /// Writes the jump over the breakpoints if every thread has run on.
    ///
    /// # Errors
    /// The system's; the breakpoints stay then.
    pub fn settle(&mut self) -> Result<(), Refusal> {
        let code = self.code();
        let State::Waiting(others) = &mut self.state else { return Ok(()) };
        if !others.have_run_on(code) {
            return Ok(());
        }
        self.write_behind_breakpoint(self.jump)?;
        self.state = State::In;
        Ok(())
    }

    /// Whether breakpoints are set.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting(_))
    }

    /// Removes the jump.
    ///
    /// # Errors
    /// The system's; the jump stays then.
    pub fn remove(&mut self) -> Result<(), Refusal> {
        match &self.state {
            State::Out => return Ok(()),
            // Each is the first byte of an instruction; a thread that was sent away from it runs the copy.
            State::Waiting(_) => {
                writable(self.at, JUMP, CODE, || self.starts.iter().for_each(|s| self.put(*s, self.original[*s])))?;
            }
            State::In if self.fits() => self.exchange(self.jump, self.original)?,
            State::In => {
                if others(self.code())?.blocks_sigtrap {
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

    /// Writes the bytes behind the breakpoint in the first one, where no thread stands, and then the first.
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
        // SAFETY: the byte lies in the function's first bytes, which the caller has made writable by `writable`. Other threads fetch it as
        // code, and see the old byte or the new one.
        unsafe { &*((self.at + offset) as *const AtomicU8) }.store(byte, Ordering::SeqCst);
    }

    /// Whether the jump lies in one aligned block of 16 bytes.
    fn fits(&self) -> bool {
        self.at / 16 == (self.at + JUMP - 1) / 16
    }

    /// Exchanges all bytes at once.
    ///
    /// # Errors
    /// The system's, or [`Refusal::Altered`]: something else has changed this code. Nothing was changed then.
    fn exchange(&self, old: [u8; JUMP], new: [u8; JUMP]) -> Result<(), Refusal> {
        let block = self.at & !15;
        let inside = self.at - block..self.at - block + JUMP;
        let mut whole = [0u8; 16];
        // SAFETY: an aligned block does not leave the page, which is mapped and was read when the hook was made. Of midrun only the
        // caller changes code, under the lock of all hooks; should another tool do so, the exchange fails.
        unsafe { std::ptr::copy_nonoverlapping(block as *const u8, whole.as_mut_ptr(), 16) };
        let there = whole;
        whole[inside.clone()].copy_from_slice(&new);
        let mut done = there[inside] == old;
        if done {
            writable(self.at, JUMP, CODE, || done = exchange_16(block, there, whole))?;
        }
        if done { Ok(()) } else { Err(Refusal::Altered) }
    }
}

/// Stores 16 aligned bytes at once if `old` is still there; returns whether it was. Needs CMPXCHG16B, which x86-64 processors
/// have since about 2006.
fn exchange_16(block: usize, old: [u8; 16], new: [u8; 16]) -> bool {
    let half = |bytes: [u8; 16], k: usize| u64::from_le_bytes(std::array::from_fn(|b| bytes[8 * k + b]));
    let (low, high): (u64, u64);
    // SAFETY: `block` is aligned to 16 and writable now. The compiler reserves RBX, so it is no operand: it is exchanged and put back,
    // and the address is in a register that cannot be RBX. Where something else is there, the instruction loads it into RDX:RAX.
    unsafe {
        std::arch::asm!(
            "xchg {low}, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, {low}",
            low = inout(reg) half(new, 0) => _,
            in("rdi") block,
            inout("rax") half(old, 0) => low,
            inout("rdx") half(old, 1) => high,
            in("rcx") half(new, 1),
        );
    }
    (low, high) == (half(old, 0), half(old, 1))
}

/// Makes every thread of this process see code that was written.
fn synchronise() {
    const REGISTER_SYNC_CORE: libc::c_int = 1 << 6;
    const SYNC_CORE: libc::c_int = 1 << 5;
    // Kernels before 4.16 lack it. There the end of `writable`, which takes a permission away, interrupts every processor that runs this
    // program, with the same effect; between the two writes of `write_behind_breakpoint` nothing has it.
    // SAFETY: the calls take numbers only.
    unsafe {
        if libc::syscall(libc::SYS_membarrier, SYNC_CORE, 0, 0) != 0 {
            libc::syscall(libc::SYS_membarrier, REGISTER_SYNC_CORE, 0, 0);
            libc::syscall(libc::SYS_membarrier, SYNC_CORE, 0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_something_else_has_changed_is_left_alone() {
        let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a page of the test's own, which nothing else knows and nobody runs.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, private, -1, 0) }.cast::<[u8; JUMP]>();
        // SAFETY: as above.
        let holds = |bytes: [u8; JUMP]| unsafe { page.read() == bytes };
        let fill = |bytes: [u8; JUMP]| {
            // SAFETY: as above.
            writable(page as usize, JUMP, CODE, || unsafe { page.write(bytes) }).expect("a page");
        };
        let (original, jump, foreign) = ([0x90; JUMP], [0xe9, 1, 2, 3, 4], [0xcc; JUMP]);
        let mut site = Site::new(page as usize, original, jump, vec![0]);
        fill(foreign);
        assert_eq!((site.insert(), site.is_in()), (Err(Refusal::Altered), false));
        assert!(holds(foreign));
        fill(original);
        assert_eq!((site.insert(), site.is_in()), (Ok(()), true));
        assert!(holds(jump));
        fill(foreign);
        assert_eq!((site.remove(), site.is_in()), (Err(Refusal::Altered), true));
        fill(jump);
        assert_eq!((site.remove(), site.is_in()), (Ok(()), false));
        assert!(holds(original));
    }
}
