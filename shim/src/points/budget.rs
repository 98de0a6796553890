//! The budget of measuring: where it takes a larger share of the time, the costliest item gives up detail.
//!
//! The order is: each call recorded, each call timed, one of 8, of 64, of 512 … timed, nothing.

use super::items::{Item, Kind};
use midrun_points::Mode;

/// Each step times one of 2^3 times fewer calls.
const STEP_BITS: u32 = 3;
/// After so many such steps the item measures nothing.
const STEPS: u32 = 4;

/// Cost of measuring in a stretch of time.
pub struct Spent {
    /// By item, nanoseconds.
    pub by_item: Vec<(usize, f64)>,
    /// Length of the stretch, nanoseconds.
    pub lasted_ns: f64,
}

impl Spent {
    fn share(&self) -> f64 {
        self.by_item.iter().map(|(_, ns)| ns).sum::<f64>() / self.lasted_ns
    }

    fn costliest(&self) -> Option<(usize, f64)> {
        self.by_item.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Detail in which the item is measured now.
pub fn mode(item: &Item) -> Option<Mode> {
    let declared = item.mode()?;
    Some(match (declared, item.shed) {
        (Mode::Raw, 0) => Mode::Raw,
        (Mode::Off, _) => Mode::Off,
        (_, shed) if steps(declared, shed) > STEPS => Mode::Off,
        _ => Mode::Sum,
    })
}

/// Steps beyond summing up.
fn steps(declared: Mode, shed: u32) -> u32 {
    shed.saturating_sub(u32::from(declared == Mode::Raw))
}

/// Bits that the number of a call must not have for it to be timed.
pub fn sample_mask(item: &Item) -> u64 {
    let declared = item.mode().unwrap_or(Mode::Sum);
    (1 << (STEP_BITS * steps(declared, item.shed).min(STEPS))) - 1
}

/// Where more than the share `allowed` was spent, the costliest item gives up one step; returns its line, and why.
pub fn shed(items: &mut [Item], spent: &Spent, allowed: f64) -> Option<(u32, String)> {
    if spent.share() <= allowed {
        return None;
    }
    let (id, cost_ns) = spent.costliest()?;
    let item = items.iter_mut().find(|item| item.id == id)?;
    let before = describe(item);
    item.shed += 1;
    let why = format!(
        "measuring took {:.1} % of the time, more than the {:.1} % allowed, {:.1} % for this alone: from {before} to {}",
        100.0 * spent.share(),
        100.0 * allowed,
        100.0 * cost_ns / spent.lasted_ns,
        describe(item)
    );
    Some((item.line, why))
}

fn describe(item: &Item) -> String {
    match mode(item) {
        Some(Mode::Raw) => "each call recorded".into(),
        Some(Mode::Sum) if sample_mask(item) == 0 => "each call timed".into(),
        Some(Mode::Sum) => format!("one of {} calls timed", sample_mask(item) + 1),
        _ => "nothing".into(),
    }
}

/// Cost of measuring one call in the detail in force, nanoseconds.
pub fn cost_ns(item: &Item, cost: &midrun_instrument::Cost) -> f64 {
    if !matches!(item.kind, Kind::Function(_)) {
        return 0.0;
    }
    match mode(item) {
        Some(Mode::Raw) => cost.handled_ns,
        Some(Mode::Sum) => {
            let timed_share = 1.0 / (sample_mask(item) + 1) as f64;
            cost.counted_ns + timed_share * (cost.timed_ns - cost.counted_ns).max(0.0)
        }
        _ => 0.0,
    }
}
