//! Parses the options of a search.

use midrun_models::search::{Dimension, Method, Plan, Space};

use crate::options::SearchOptions;
use crate::tuning_point::names;

/// Measurements if the user names no number.
const BUDGET: usize = 60;
/// Allowed numbers of measurements.
const BUDGETS: std::ops::RangeInclusive<u32> = 12..=100_000;
/// Seed of the random numbers: a search is repeatable.
const SEED: u64 = 1;
/// Most combinations of earlier searches that are used.
const KNOWN: usize = 16;

/// The parsed options.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    pub(super) space: Space,
    pub(super) plan: Plan,
    pub(super) known: Vec<Vec<f64>>,
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

/// Parses the options.
///
/// # Errors
/// A sentence that says what is wrong and what is allowed.
pub(super) fn read(options: &SearchOptions) -> Result<Requested, String> {
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
    let name = if options.method.is_empty() { "auto" } else { &options.method };
    let Some((_, method)) = Method::NAMES.into_iter().find(|(known, _)| *known == name) else {
        let names = Method::NAMES.map(|(name, _)| name).join(", ");
        return Err(format!("one of the methods {names} instead of {name}"));
    };
    if options.budget != 0 && !BUDGETS.contains(&options.budget) {
        return Err(format!("a budget from {} to {} instead of {}", BUDGETS.start(), BUDGETS.end(), options.budget));
    }
    let budget = if options.budget == 0 { BUDGET } else { options.budget as usize };
    let numbers = |part: &str| part.split(',').map(|word| word.trim().parse().ok()).collect::<Option<Vec<f64>>>();
    let known = parts(&options.known).filter_map(numbers).take(KNOWN).collect();
    Ok(Requested { space, plan: Plan { method, budget, seed: SEED }, known })
}
