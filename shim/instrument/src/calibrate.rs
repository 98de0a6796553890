//! Measures the time that a hook adds to a call, here and now.

use crate::clock::ticks;
use crate::hook::make;
use crate::refusal::Refusal;
use crate::symbols::Function;
use crate::table::flag;
use crate::totals::{Cost, nanoseconds};
use std::arch::global_asm;

global_asm!(
    r#"
    .text
    .p2align 4
    .globl midrun_instrument_nothing
    .hidden midrun_instrument_nothing
    .type midrun_instrument_nothing, @function
    midrun_instrument_nothing:
        nop dword ptr [rax + rax + 0]
        ret
    .size midrun_instrument_nothing, . - midrun_instrument_nothing
    "#
);

unsafe extern "C" {
    fn midrun_instrument_nothing();
}

/// Times a function that does nothing with a hook and without; takes some tenths of a millisecond.
///
/// # Errors
/// Why no function can be hooked on this machine.
pub fn cost() -> Result<Cost, Refusal> {
    let address = midrun_instrument_nothing as unsafe extern "C" fn() as usize;
    let function = Function { name: "nothing".into(), object: String::new(), address, size: 6, exported: false };
    let hook = make(&function)?;
    let point = hook.point();
    hook.remove()?;
    let plain = per_call();
    point.set(flag::TIMED, true);
    hook.insert()?;
    let timed_ns = (per_call() - plain).max(0.0);
    point.sample_mask.store(u64::MAX, std::sync::atomic::Ordering::Relaxed);
    let counted_ns = (per_call() - plain).max(0.0);
    point.sample_mask.store(0, std::sync::atomic::Ordering::Relaxed);
    point.set(flag::TIMED, false);
    point.set_handlers(None, Some(|_| {}));
    let handled_ns = (per_call() - plain).max(0.0);
    hook.clear();
    Ok(Cost { timed_ns, counted_ns, handled_ns })
}

/// Nanoseconds per call in the quickest of some rounds: interference only adds time.
fn per_call() -> f64 {
    const ROUNDS: usize = 20;
    const CALLS: u64 = 200;
    let round = |_| {
        let begin = ticks();
        for _ in 0..CALLS {
            // SAFETY: the function does nothing.
            unsafe { midrun_instrument_nothing() };
        }
        nanoseconds(ticks().saturating_sub(begin)) as f64 / CALLS as f64
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}
