//! What measuring may cost: where a point takes a larger share of the time, it gives up detail, and says so.
//!
//! The order is: each call told, summed up, one of 8, of 64, of 512 … timed, nothing.

use super::items::{Done, Item};
use super::{State, report};
use crate::{clock, hook};
use midrun_points::Mode;
use midrun_ring::topic;

/// Share of the time that measuring may take, unless MIDRUN_BUDGET says another, in percent.
const BUDGET_PERCENT: f64 = 1.0;
/// A stretch of time that says enough, nanoseconds.
const ENOUGH_NS: u64 = 10_000_000;
/// Each step times one of 2^3 times fewer calls.
const STEP_BITS: u32 = 3;
/// After so many such steps nothing is left to give up but the point.
const STEPS: u32 = 4;

/// The share that measuring may take.
pub fn share() -> f64 {
    let percent = std::env::var("MIDRUN_BUDGET").ok().and_then(|text| text.trim().parse::<f64>().ok());
    percent.filter(|percent| (0.0..=100.0).contains(percent)).unwrap_or(BUDGET_PERCENT) / 100.0
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

/// One look: a stretch of so many nanoseconds has ended, or `None`: some time has gone by since the last.
pub fn keep(state: &mut State, lasted_ns: Option<u64>) {
    let spent = match lasted_ns {
        Some(lasted_ns) if lasted_ns >= ENOUGH_NS => state.report.spent(lasted_ns),
        Some(_) => return,
        None => match report::look(state, ENOUGH_NS) {
            Some(spent) => spent,
            None => return,
        },
    };
    let allowed = state.report.budget;
    if spent.share() <= allowed {
        return;
    }
    // The dearest gives first.
    let Some((id, cost_ns)) = spent.dearest() else { return };
    let Some(item) = state.items.iter_mut().find(|item| item.id == id) else { return };
    let before = describe(item);
    item.shed += 1;
    let why = format!(
        "measuring took {:.1} % of the time, more than the {:.1} % allowed, {:.1} % for this alone: from {before} to {}",
        100.0 * spent.share(),
        100.0 * allowed,
        100.0 * cost_ns / spent.lasted_ns,
        describe(item)
    );
    hook::text(clock::now_ns(), topic::REFUSED, item.line, 1, &why);
    state.work_out();
}

fn describe(item: &Item) -> String {
    match mode(item) {
        Some(Mode::Raw) => "each call told".into(),
        Some(Mode::Sum) if sample_mask(item) == 0 => "each call timed".into(),
        Some(Mode::Sum) => format!("one of {} calls timed", sample_mask(item) + 1),
        _ => "nothing".into(),
    }
}

/// What a call costs in the detail in force, nanoseconds.
pub fn cost_ns(item: &Item, cost: &midrun_instrument::Cost) -> f64 {
    if !matches!(item.done, Done::Function(_)) {
        return 0.0;
    }
    match mode(item) {
        Some(Mode::Raw) => cost.told_ns,
        Some(Mode::Sum) => {
            let timed_share = 1.0 / (sample_mask(item) + 1) as f64;
            cost.counted_ns + timed_share * (cost.timed_ns - cost.counted_ns).max(0.0)
        }
        _ => 0.0,
    }
}
