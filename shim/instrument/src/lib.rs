//! Finds functions and variables of the own process by symbol, and hooks functions while they run.
//!
//! It lives in somebody else's process, one that was never written for it: no source changed, nothing linked anew. It
//! never stops a thread, keeps every register, and refuses, with the reason, what it cannot do safely. x86-64 only;
//! elsewhere everything is refused.

#[cfg(target_arch = "x86_64")]
mod calibrate;
#[cfg(target_arch = "x86_64")]
mod clock;
mod demangle;
#[cfg(not(target_arch = "x86_64"))]
mod elsewhere;
mod figures;
#[cfg(target_arch = "x86_64")]
mod got;
#[cfg(target_arch = "x86_64")]
mod hook;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod memory;
mod objects;
#[cfg(target_arch = "x86_64")]
mod passage;
#[cfg(target_arch = "x86_64")]
mod patch;
#[cfg(target_arch = "x86_64")]
mod prologue;
pub mod refusal;
pub mod symbols;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod table;
#[cfg(target_arch = "x86_64")]
mod thread;
#[cfg(target_arch = "x86_64")]
mod threads;
#[cfg(target_arch = "x86_64")]
mod thunk;
#[cfg(target_arch = "x86_64")]
mod totals;
#[cfg(target_arch = "x86_64")]
mod trap;
#[cfg(target_arch = "x86_64")]
mod unwind;

#[cfg(not(target_arch = "x86_64"))]
pub use elsewhere::{
    Collector, Hook, Passage, closed, cost, hook, is_open, nanoseconds, next_pulse, open, set_pulse, set_rate, ticks,
    unseen,
};
pub use figures::{BINS, Cost, Sum};
pub use refusal::Refusal;
pub use symbols::{Function, Variable};
pub use table::{ARGUMENTS, Argument, Point, Told, flag};
#[cfg(target_arch = "x86_64")]
pub use {
    calibrate::cost,
    clock::ticks,
    hook::{Hook, hook},
    passage::{Passage, closed, is_open, next_pulse, open, set_pulse, unseen},
    totals::{Collector, nanoseconds, set_rate},
};
