//! The start that an earlier run of this program gives a job; the command line passes it on.

use midrun_scheduling::plan::Plan;
use midrun_scheduling::{Scheduling, Setting, Start};

/// What a job with so many ranks begins with.
fn remembered(ranks: usize) -> Option<Setting> {
    let start: Start = std::env::var("MIDRUN_START").ok()?.parse().ok()?;
    (start.ranks as usize == ranks).then_some(start.setting)
}

/// Loop scheduling of a job with so many ranks.
pub fn scheduling(ranks: usize) -> Option<Scheduling> {
    match remembered(ranks)? {
        Setting::Scheduling(scheduling) => Some(scheduling),
        Setting::Pattern(_) | Setting::Values(_) => None,
    }
}

/// Pattern of the pipeline of a job with so many ranks.
pub fn pattern(ranks: usize) -> Option<Plan> {
    match remembered(ranks)? {
        Setting::Pattern(plan) => Some(plan),
        Setting::Scheduling(_) | Setting::Values(_) => None,
    }
}
