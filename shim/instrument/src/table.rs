//! The table of hooked functions: what each one's probes do.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Functions that can be hooked in one process.
pub const MOST: usize = 72;
/// Arguments of one function that can be set.
pub const ARGUMENTS: usize = 6;

/// An entry or exit of a hooked function, as a handler sees it.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The point.
    pub point: u32,
    /// When, ticks.
    pub now: u64,
    /// When the call began, ticks; at an entry the same.
    pub begin: u64,
    /// The call's argument registers; `None` at an exit.
    pub(crate) registers: Option<Registers>,
}

/// The trampoline's copies of the registers: the frame below which the whole ones lie, and the vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    pub(crate) frame: *mut usize,
    pub(crate) vectors: *mut u128,
}

impl Registers {
    /// Where the trampoline keeps rdi, rsi, rdx, rcx, r8, r9: words below the frame pointer.
    const WHOLE: [usize; 6] = [5, 4, 3, 2, 6, 7];

    /// The copy of an argument's register, by its [`Argument::place`].
    pub(crate) fn of(self, place: u32) -> Option<*mut u64> {
        let index = (place & 15).wrapping_sub(1) as usize;
        match (place, Self::WHOLE.get(index)) {
            (1..=15, Some(below)) => Some(self.frame.wrapping_sub(*below).cast()),
            (17..=31 | 33..=47, Some(_)) => Some(self.vectors.wrapping_add(index).cast()),
            _ => None,
        }
    }
}

impl Probe {
    /// The bits of the call's argument at `place` (see [`Argument::place`]), with whatever stands above a narrow one; `None` at
    /// an exit.
    pub fn argument(&self, place: u32) -> Option<u64> {
        // SAFETY: the handler runs while the trampoline's copies are on the stack.
        self.registers?.of(place).map(|copy| unsafe { copy.read() })
    }
}

/// Called at an entry or exit. The probes see nothing of what it calls.
pub type Handler = fn(&Probe);

/// Bits of [`Point::flags`].
pub mod flag {
    /// Calls are counted and timed into the thread's totals.
    pub const TIMED: u32 = 1;
    /// The handler of entries is called.
    pub const ENTRY: u32 = 2;
    /// The handler of exits is called.
    pub const EXIT: u32 = 4;
    /// Arguments are set.
    pub const ARGUMENTS: u32 = 8;
    /// The function is the unwinder's begin: return addresses are put back.
    pub const UNWINDS: u32 = 16;
    /// The function is its end: they are exchanged again.
    pub const CAUGHT: u32 = 32;
}

/// What the probes of one hooked function do.
pub struct Point {
    /// Of [`flag`].
    pub flags: AtomicU32,
    /// A call is timed only if its number has none of these bits.
    pub sample_mask: AtomicU64,
    /// Where the call goes on.
    pub target: AtomicUsize,
    on_entry: AtomicUsize,
    on_exit: AtomicUsize,
    /// Arguments that are set.
    pub arguments: [Argument; ARGUMENTS],
}

/// An argument that is set at each call.
pub struct Argument {
    /// 0 = none; 1 to 6: one of the whole numbers and pointers; 16 + 1 to 6: one of the floating-point numbers, 64 bits; 32 + 1
    /// to 6: one of those, 32 bits.
    pub place: AtomicU32,
    /// Its bits.
    pub bits: AtomicU64,
}

static POINTS: [Point; MOST] = [const {
    Point {
        flags: AtomicU32::new(0),
        sample_mask: AtomicU64::new(0),
        target: AtomicUsize::new(0),
        on_entry: AtomicUsize::new(0),
        on_exit: AtomicUsize::new(0),
        arguments: [const { Argument { place: AtomicU32::new(0), bits: AtomicU64::new(0) } }; ARGUMENTS],
    }
}; MOST];

/// A point by its number.
#[inline]
pub fn point(number: u32) -> Option<&'static Point> {
    POINTS.get(number as usize)
}

/// The first.
pub(crate) fn first() -> &'static Point {
    &POINTS[0]
}

impl Point {
    /// Sets the handlers of entries and exits.
    pub fn set_handlers(&self, on_entry: Option<Handler>, on_exit: Option<Handler>) {
        self.on_entry.store(on_entry.map_or(0, |handler| handler as usize), Ordering::Relaxed);
        self.on_exit.store(on_exit.map_or(0, |handler| handler as usize), Ordering::Relaxed);
        self.set(flag::ENTRY, on_entry.is_some());
        self.set(flag::EXIT, on_exit.is_some());
    }

    /// Sets or clears flags.
    pub fn set(&self, flags: u32, on: bool) {
        if on {
            self.flags.fetch_or(flags, Ordering::Release);
        } else {
            self.flags.fetch_and(!flags, Ordering::Release);
        }
    }

    pub(crate) fn on_entry(&self) -> Option<Handler> {
        handler(&self.on_entry)
    }

    pub(crate) fn on_exit(&self) -> Option<Handler> {
        handler(&self.on_exit)
    }
}

fn handler(word: &AtomicUsize) -> Option<Handler> {
    match word.load(Ordering::Relaxed) {
        0 => None,
        // SAFETY: `Point::set_handlers` alone writes there, and it writes functions of this type.
        address => Some(unsafe { std::mem::transmute::<usize, Handler>(address) }),
    }
}
