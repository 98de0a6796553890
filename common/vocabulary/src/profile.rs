//! The profile of an iteration: tasks and their time by position, in equal parts of the index range.

use crate::bounds::PROFILE_BINS;

/// Tasks and their time in each part; tasks can be shared by two parts.
pub type Profile = [(f64, f64); PROFILE_BINS];

/// Shares a chunk's tasks and time among the parts that it crosses; `first + count` is at most `total`.
pub fn spread(parts: &mut Profile, first: u64, count: u64, total: u64, busy_s: f64) {
    let width = total as f64 / PROFILE_BINS as f64;
    let (from, to) = (first as f64, (first + count) as f64);
    let mut part = ((from / width) as usize).min(parts.len() - 1);
    let mut at = from;
    while at < to {
        let last = part + 1 == parts.len();
        let end = if last { to } else { (width * (part + 1) as f64).min(to) };
        let tasks = (end - at).max(0.0);
        parts[part].0 += tasks;
        parts[part].1 += busy_s * tasks / count as f64;
        if last {
            break;
        }
        at = end;
        part += 1;
    }
}
