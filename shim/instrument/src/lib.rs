//! Finds functions and variables of the own process by symbol, and hooks functions while they run.
//!
//! It lives in somebody else's process, whose program was neither changed nor linked for it. It never stops a thread, keeps every
//! register, and refuses, with the reason, what it cannot do safely. x86-64 only; elsewhere every hook is refused.
//!
//! From bottom to top: `table` (what each hook does), `totals`, `thread`, `returns` and `registers`; `probe`, the code at a function's entry and
//! exit; `prologue`, `patch`, `trap` and `got`, which lead calls to it; `hook`; `unwind` and `calibrate`.

#[cfg(target_arch = "x86_64")]
mod calibrate;
#[cfg(target_arch = "x86_64")]
mod clock;
#[cfg(target_arch = "x86_64")]
mod collector;
mod demangle;
#[cfg(target_arch = "x86_64")]
mod got;
#[cfg(target_arch = "x86_64")]
mod hook;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod memory;
mod objects;
#[cfg(target_arch = "x86_64")]
mod patch;
#[cfg(target_arch = "x86_64")]
mod probe;
#[cfg(target_arch = "x86_64")]
mod prologue;
pub mod refusal;
#[cfg(target_arch = "x86_64")]
mod registers;
#[cfg(target_arch = "x86_64")]
mod returns;
pub mod symbols;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod table;
#[cfg(target_arch = "x86_64")]
mod thread;
#[cfg(target_arch = "x86_64")]
mod threads;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod totals;
#[cfg(target_arch = "x86_64")]
mod trap;
#[cfg(not(target_arch = "x86_64"))]
mod unsupported;
#[cfg(target_arch = "x86_64")]
mod unwind;

pub use memory::mapping;
pub use objects::segments;
pub use refusal::Refusal;
pub use symbols::{Function, Variable};
pub use table::{ARGUMENTS, Argument, Handler, Point, Probe, flag};
pub use totals::{BINS, Cost, Sum, nanoseconds, set_rate};
#[cfg(not(target_arch = "x86_64"))]
pub use unsupported::{
    Collector, Hook, cost, hook, is_inside, missed_calls, set_next_poll, set_poll, ticks, with_probes, without_probes,
};
#[cfg(target_arch = "x86_64")]
pub use {
    calibrate::cost,
    clock::ticks,
    collector::Collector,
    hook::Hook,
    probe::{missed_calls, set_next_poll, set_poll},
    thread::{is_inside, with_probes, without_probes},
    unwind::hook,
};
