//! Parses the options of a search.

use midrun_models::search::{Dimension, Known, Plan, Space, WHOLE};

use crate::confidence::Confidence;
use crate::options::SearchOptions;
use crate::tuning_point::names;

/// Measurements if the user names no number.
const BUDGET: usize = 60;
/// Allowed numbers of measurements.
pub const BUDGETS: std::ops::RangeInclusive<u32> = WHOLE as u32..=100_000;
/// Seed of the random numbers: a search is repeatable.
const SEED: u64 = 1;
/// Most combinations of earlier searches that are used.
const KNOWN: usize = 16;

/// The parsed options.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    pub(super) space: Space,
    pub(super) plan: Plan,
    pub(super) known: Vec<Known>,
    /// Line of the points file that measures the progress.
    pub(super) progress_line: Option<u32>,
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

/// Parses the options.
///
/// # Errors
/// A sentence that says what is wrong and what is allowed.
pub(super) fn read(options: &SearchOptions, confidence: Confidence) -> Result<Requested, String> {
    if parts(&options.points).next().is_none() {
        return Err("tuning points and their values, such as 'block=8..256 step 8'".into());
    }
    let mut space =
        Space::parse(parts(&options.points), parts(&options.constraint)).map_err(|error| error.to_string())?;
    space.dimensions.iter_mut().for_each(|dimension| dimension.name = names::current(&dimension.name).to_owned());
    let in_step = |dimension: &&Dimension| dimension.synchronized && names::of_framework(&dimension.name);
    if let Some(Dimension { name, .. }) = space.dimensions.iter().find(in_step) {
        return Err(format!("{name} without synchronized: its framework keeps the ranks in step by itself"));
    }
    if options.budget != 0 && !BUDGETS.contains(&options.budget) {
        return Err(format!("a budget from {} to {} instead of {}", BUDGETS.start(), BUDGETS.end(), options.budget));
    }
    let budget = if options.budget == 0 { BUDGET } else { options.budget as usize };
    let known = parts(&options.known).filter_map(earlier).take(KNOWN).collect();
    let progress_line = Some(options.progress_line).filter(|line| *line > 0);
    Ok(Requested { space, plan: Plan { budget, seed: SEED, level: confidence.level() }, known, progress_line })
}

/// `16,3@0.25`: values, and the time that was measured with them, seconds.
fn earlier(text: &str) -> Option<Known> {
    let (values, time_s) = text.split_once('@').map_or((text, None), |(values, time_s)| (values, Some(time_s)));
    let values = values.split(',').map(|word| word.trim().parse().ok()).collect::<Option<Vec<f64>>>()?;
    let time_s = match time_s {
        Some(time_s) => Some(time_s.trim().parse().ok()?),
        None => None,
    };
    Some(Known { values, time_s })
}
