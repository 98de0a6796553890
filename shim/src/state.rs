//! The state that every part of the shim reads: whether it records, this rank's segment, and its main thread.

use crate::stderr;
use midrun_ring::Segment;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Bits of the switch, as `mpi/counted.h` has them.
pub mod bit {
    /// Records are written and MPI calls are counted.
    pub const RECORDING: u32 = 1;
    /// The program's blocking MPI calls are safe points.
    pub const SAFE_POINTS: u32 = 2;
    /// Single MPI calls are shown to a watch.
    pub const WATCHED: u32 = 4;
    /// The C half has not looked for the next library's functions yet.
    pub const UNRESOLVED: u32 = 8;
    /// Another tool is between us and MPI.
    pub const CHAINED: u32 = 16;
}

/// The activities that are switched on. The wrappers of MPI calls do nothing but read it where it is 0.
#[unsafe(export_name = "midrun_calls_switch")]
static SWITCH: AtomicU32 = AtomicU32::new(bit::UNRESOLVED);
/// The shim is off for the rest of the run.
static DISABLED: AtomicBool = AtomicBool::new(false);
static SEGMENT: OnceLock<Segment> = OnceLock::new();
/// The thread that initialised MPI, by [`this_thread`].
static MAIN_THREAD: AtomicU64 = AtomicU64::new(0);
/// Functions of the program were hooked at least once.
static HOOKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static SELF: u8 = const { 0 };
}

/// Whether records are written. One load.
#[inline]
pub fn recording() -> bool {
    SWITCH.load(Ordering::Relaxed) & bit::RECORDING != 0
}

/// Whether another tool is between us and MPI.
pub fn has_tool_behind() -> bool {
    SWITCH.load(Ordering::Relaxed) & bit::CHAINED != 0
}

/// Sets this rank's segment and makes the calling thread the main thread; `false`, and nothing changes, where there was
/// a segment already.
pub fn set_segment(segment: Segment) -> bool {
    let first = SEGMENT.set(segment).is_ok();
    if first {
        MAIN_THREAD.store(this_thread(), Ordering::Relaxed);
    }
    first
}

/// This rank's segment; `None` before MPI_Init, or where no agent was asked for.
pub fn segment() -> Option<&'static Segment> {
    SEGMENT.get()
}

/// Switches activities on, a set of [`bit`]s.
pub fn switch_on(bits: u32) {
    SWITCH.fetch_or(bits, Ordering::Release);
}

/// Stops recording, counting and watching.
pub fn stop_recording() {
    SWITCH.fetch_and(!(bit::RECORDING | bit::SAFE_POINTS | bit::WATCHED), Ordering::Relaxed);
}

/// Disables the shim for the rest of the run; `false` where it was disabled already.
pub fn disable() -> bool {
    stop_recording();
    !DISABLED.swap(true, Ordering::Relaxed)
}

/// Whether the shim was disabled.
pub fn is_disabled() -> bool {
    DISABLED.load(Ordering::Relaxed)
}

/// Disables the shim for the rest of the run and says why, once.
pub fn switch_off(why: &str) {
    if disable() {
        stderr::warn(format_args!("{why}; midrun is switched off in this rank, the program goes on"));
    }
}

/// A number that no other living thread has.
pub fn this_thread() -> u64 {
    SELF.with(|local| std::ptr::from_ref(local) as u64)
}

/// Whether the calling thread initialised MPI.
pub fn is_main_thread() -> bool {
    MAIN_THREAD.load(Ordering::Relaxed) == this_thread()
}

/// Notes that functions of the program are hooked from now on.
pub fn set_hooked() {
    HOOKED.store(true, Ordering::Relaxed);
}

/// Runs `body`; hooked functions that it calls are not seen.
pub fn unhooked<T>(body: impl FnOnce() -> T) -> T {
    if HOOKED.load(Ordering::Relaxed) { midrun_instrument::without_probes(body) } else { body() }
}
