//! What is to happen at each hooked function, as the code at its entry reads it.

use crate::Passage;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Functions that can be hooked in one process.
pub const MOST: usize = 72;
/// Arguments of one function that can be set.
pub const ARGUMENTS: usize = 6;

/// Bits of [`Point::flags`].
pub mod flag {
    /// Calls are counted and timed into the thread's totals.
    pub const TIMED: u32 = 1;
    /// The entry is told to [`super::Point::on_entry`].
    pub const ENTRY: u32 = 2;
    /// The exit is told to [`super::Point::on_exit`].
    pub const EXIT: u32 = 4;
    /// Arguments are set.
    pub const ARGUMENTS: u32 = 8;
    /// The unwinder begins: return addresses are put back.
    pub const UNWINDS: u32 = 16;
    /// It has ended: they are taken again.
    pub const CAUGHT: u32 = 32;
}

/// What is told of an entry or exit. Everything it calls is unseen by the hooks.
pub type Told = fn(&Passage);

/// One hooked function.
pub struct Point {
    /// Of [`flag`].
    pub flags: AtomicU32,
    /// Only each call whose number has none of these bits is timed.
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
    /// 0 = none; 1 to 6: of the whole numbers and pointers; 16 + 1 to 6: of the floating-point numbers, 64 bits; 32 + 1 to 6:
    /// of those, 32 bits.
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
    /// Sets whom to tell of entries and exits.
    pub fn tell(&self, on_entry: Option<Told>, on_exit: Option<Told>) {
        self.on_entry.store(on_entry.map_or(0, |told| told as usize), Ordering::Relaxed);
        self.on_exit.store(on_exit.map_or(0, |told| told as usize), Ordering::Relaxed);
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

    pub(crate) fn on_entry(&self) -> Option<Told> {
        told(&self.on_entry)
    }

    pub(crate) fn on_exit(&self) -> Option<Told> {
        told(&self.on_exit)
    }
}

fn told(word: &AtomicUsize) -> Option<Told> {
    match word.load(Ordering::Relaxed) {
        0 => None,
        // SAFETY: only `Point::tell` writes here, such a function.
        address => Some(unsafe { std::mem::transmute::<usize, Told>(address) }),
    }
}
