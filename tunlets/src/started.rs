//! Processes beyond the ranks, as the tuning points of the frameworks that start them show them: the value is how many are asked for, the
//! minimum how many have joined, the maximum how many there can be.

use crate::proposal::Verdict;
use crate::tuning_point::TuningPoint;

/// Number of processes from a tuning point's value or bound.
fn number(value: f64) -> u32 {
    value.clamp(0.0, f64::from(u32::MAX)) as u32
}

/// How many have joined.
pub fn came(spare: &TuningPoint) -> u32 {
    number(spare.range.0)
}

/// Whether started processes have not joined yet.
pub fn awaited(spare: &TuningPoint) -> bool {
    number(spare.value) > came(spare)
}

/// How many more can be started.
pub fn room(spare: &TuningPoint) -> u32 {
    number(spare.range.1).saturating_sub(came(spare))
}

/// What became of a decision that asked for so many; `None` while it is open. Kept once the processes joined, not applied once they were
/// given up.
pub fn verdict(spare: &TuningPoint, asked: u32) -> Option<Verdict> {
    match () {
        () if came(spare) >= asked => Some(Verdict::Kept),
        () if number(spare.range.1) < asked => Some(Verdict::NotApplied),
        () => None,
    }
}
