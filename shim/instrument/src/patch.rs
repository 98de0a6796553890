//! Changes the first bytes of a function that other threads may run at any moment.
//!
//! A jump of five bytes may replace several instructions. A thread that stands between them, or was interrupted there by a signal whose
//! handler sleeps, or is a coroutine that a handler has suspended there, goes on inside the jump, at any later time. So every byte of
//! the jump at which a replaced instruction began is an instruction that traps: the hook's code is put where the jump's distance has
//! such bytes (instruction punning: Chamith et al. 2017). The handler sends the thread to the copy of its instruction. Nobody has to
//! know where threads stand, and nothing waits for them.
//!
//! Five bytes inside one aligned block of 16 are exchanged at once. Where they are not, breakpoints keep threads out meanwhile.

use crate::memory::writable;
use crate::prologue::JUMP;
use crate::refusal::Refusal;
use crate::{threads, trap};
use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, Ordering};

const BREAKPOINT: u8 = trap::BYTES[0];
const CODE: i32 = libc::PROT_READ | libc::PROT_EXEC;

/// The first bytes of one function.
#[derive(Debug)]
pub struct Site {
    /// Where the jump goes.
    pub at: usize,
    /// The bytes there without it.
    pub original: [u8; JUMP],
    /// The jump; at each of `starts` but the first, it has one of [`trap::BYTES`].
    pub jump: [u8; JUMP],
    /// Offsets inside the jump at which instructions begin.
    pub starts: Vec<usize>,
    is_in: bool,
}

impl Site {
    /// A function without the jump.
    pub fn new(at: usize, original: [u8; JUMP], jump: [u8; JUMP], starts: Vec<usize>) -> Site {
        Site { at, original, jump, starts, is_in: false }
    }

    /// Where the jump leads to.
    pub fn stub(&self) -> usize {
        let distance = i32::from_le_bytes([self.jump[1], self.jump[2], self.jump[3], self.jump[4]]);
        (self.at + JUMP).wrapping_add_signed(distance as isize)
    }

    /// Whether the jump is there.
    pub fn is_in(&self) -> bool {
        self.is_in
    }

    /// Writes the jump.
    ///
    /// # Errors
    /// The system's, [`Refusal::Busy`] or [`Refusal::Altered`]; nothing was changed then.
    pub fn insert(&mut self) -> Result<(), Refusal> {
        if self.is_in {
            return Ok(());
        }
        let mut signals: Vec<c_int> = self.starts[1..].iter().map(|start| trap::signal(self.jump[*start])).collect();
        signals.extend((!self.fits()).then_some(libc::SIGTRAP));
        self.exchange(self.original, self.jump, &signals)?;
        self.is_in = true;
        Ok(())
    }

    /// Removes the jump.
    ///
    /// # Errors
    /// The system's, [`Refusal::Busy`] or [`Refusal::Altered`]; the jump stays then.
    pub fn remove(&mut self) -> Result<(), Refusal> {
        if !self.is_in {
            return Ok(());
        }
        let signals: &[c_int] = if self.fits() { &[] } else { &[libc::SIGTRAP] };
        self.exchange(self.jump, self.original, signals)?;
        self.is_in = false;
        Ok(())
    }

    /// Puts `new` in the place of `old`, where threads may meet traps that send these signals.
    fn exchange(&self, old: [u8; JUMP], new: [u8; JUMP], signals: &[c_int]) -> Result<(), Refusal> {
        // The handler first: a process that is made by vfork after the look at the threads has it, too.
        signals.iter().try_for_each(|signal| trap::listen(*signal))?;
        if !signals.is_empty() {
            threads::can_take(signals)?;
        }
        let mut there = [0; JUMP];
        // SAFETY: the function's first bytes are mapped: they were read when the hook was made. Of midrun only the caller changes code,
        // under the lock of all hooks.
        unsafe { std::ptr::copy_nonoverlapping(self.at as *const u8, there.as_mut_ptr(), JUMP) };
        let mut done = there == old;
        if done && self.fits() {
            writable(self.at, JUMP, CODE, || done = self.at_once(old, new))?;
        } else if done {
            writable(self.at, JUMP, CODE, || self.by_steps(new))?;
        }
        synchronise();
        if done { Ok(()) } else { Err(Refusal::Altered) }
    }

    /// Whether the jump lies in one aligned block of 16 bytes.
    fn fits(&self) -> bool {
        self.at / 16 == (self.at + JUMP - 1) / 16
    }

    /// Exchanges all bytes in one store; `false`: something else has changed the code, and nothing was done.
    fn at_once(&self, old: [u8; JUMP], new: [u8; JUMP]) -> bool {
        let block = self.at & !15;
        let inside = self.at - block..self.at - block + JUMP;
        let mut whole = [0u8; 16];
        // SAFETY: an aligned block does not leave the page, which is mapped.
        unsafe { std::ptr::copy_nonoverlapping(block as *const u8, whole.as_mut_ptr(), 16) };
        let there = whole;
        whole[inside.clone()].copy_from_slice(&new);
        there[inside] == old && exchange_16(block, there, whole)
    }

    /// Writes the bytes behind breakpoints: the rest of each instruction, then the bytes at which they begin, the first one last.
    fn by_steps(&self, new: [u8; JUMP]) {
        self.starts.iter().for_each(|start| self.put(*start, BREAKPOINT));
        synchronise();
        (0..JUMP).filter(|k| !self.starts.contains(k)).for_each(|k| self.put(k, new[k]));
        synchronise();
        self.starts.iter().rev().for_each(|start| self.put(*start, new[*start]));
    }

    fn put(&self, offset: usize, byte: u8) {
        // SAFETY: the byte lies in the function's first bytes, which the caller has made writable by `writable`. Other threads fetch it as
        // code, and see the old byte or the new one.
        unsafe { &*((self.at + offset) as *const AtomicU8) }.store(byte, Ordering::SeqCst);
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
    // program, with the same effect; between the writes of `by_steps` nothing has it.
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
