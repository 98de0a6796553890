//! Addresses that stand in the place of return addresses, one for each.
//!
//! A function whose exit is seen returns to a small piece of code of its return address, which knows that address. So whatever the
//! program does with its stacks meanwhile (a signal on an array of the stack, coroutines, stacks that are copied away and back, frames
//! that another thread takes over), the call returns to where it came from; at worst its time is missing.

use std::arch::global_asm;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Return addresses at most: places from which functions are called whose exits are seen.
const MOST: usize = 4096;
/// Bytes of the code of one.
const STEP: usize = 16;

unsafe extern "C" {
    fn midrun_instrument_returns();
}

// Each pushes its number, where the return address was, and goes to the exit trampoline.
global_asm!(
    r#"
    .text
    .p2align 4
    nop
    .p2align 4
    .globl midrun_instrument_returns
    .hidden midrun_instrument_returns
    .type midrun_instrument_returns, @function
    midrun_instrument_returns:
    .set midrun_instrument_number, 0
    .rept {most}
        .byte 0x68
        .long midrun_instrument_number
        jmp midrun_instrument_exit
        .p2align 4
        .set midrun_instrument_number, midrun_instrument_number + 1
    .endr
    .size midrun_instrument_returns, . - midrun_instrument_returns
    "#,
    most = const MOST,
);

/// The true return addresses, by number; 0 = none yet. They are never removed: a stack may hold the code's address for ever.
static RETURNS: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];

fn begin() -> usize {
    midrun_instrument_returns as unsafe extern "C" fn() as usize
}

/// The address that stands for `return_to`; `None` when there are too many.
#[inline]
pub fn in_place_of(return_to: usize) -> Option<usize> {
    const FURTHER: usize = 64;
    let first = return_to.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - MOST.ilog2());
    for number in (first..first + FURTHER).map(|number| number % MOST) {
        let there = match RETURNS[number].load(Ordering::Relaxed) {
            0 => RETURNS[number]
                .compare_exchange(0, return_to, Ordering::Relaxed, Ordering::Relaxed)
                .map_or_else(|there| there, |_| return_to),
            there => there,
        };
        if there == return_to {
            return Some(begin() + STEP * number);
        }
    }
    None
}

/// The return address for which this one stands, if it does for any.
#[inline]
pub fn by_address(address: usize) -> Option<usize> {
    let offset = address.wrapping_sub(begin());
    (offset < STEP * MOST && offset.is_multiple_of(STEP)).then(|| by_number(offset / STEP))
}

/// The return address with this number.
#[inline]
pub fn by_number(number: usize) -> usize {
    RETURNS[number % MOST].load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_return_address_has_one_in_its_place_until_there_are_too_many() {
        let places: Vec<_> = (1..=MOST).map(|k| in_place_of(k * 0x1235)).collect();
        let known = places.iter().flatten().count();
        assert!(known > MOST / 2 && known <= MOST, "{known}");
        for (k, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            assert_eq!((in_place_of((k + 1) * 0x1235), by_address(*place)), (Some(*place), Some((k + 1) * 0x1235)));
            assert_eq!(by_address(place + 1), None);
        }
        assert_eq!((by_address(begin() - STEP), by_address(begin() + STEP * MOST)), (None, None));
    }
}
