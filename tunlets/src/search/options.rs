//! What a user options of a search, as texts and numbers.

use midrun_models::search::{Dimension, Method, Plan, Space};

use crate::tuning_point::names;

/// Measurements where none are said.
const BUDGET: usize = 60;
/// Fewest and most that can be requested.
const BUDGETS: std::ops::RangeInclusive<u32> = 12..=100_000;
/// A search draws the same numbers each time.
const SEED: u64 = 1;
/// Most combinations of earlier searches that are read.
const KNOWN: usize = 16;

/// What a user options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchOptions {
    /// Tuning points and their values, separated by `;`: see [`Space`].
    pub points: String,
    /// Conditions over their names, separated by `;`.
    pub constraint: String,
    /// Name of a [`Method`]; empty: auto.
    pub method: String,
    /// Iterations, or windows of a stream, that it may measure; 0: 60.
    pub budget: u32,
    /// Combinations that an earlier search found good, the best first: `16,3;8,2`. What makes no sense is left out.
    pub known: String,
}

/// The options, understood.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    pub(super) space: Space,
    pub(super) plan: Plan,
    pub(super) known: Vec<Vec<f64>>,
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

impl SearchOptions {
    /// Understands them.
    ///
    /// # Errors
    /// A sentence with what is wrong and what would be right.
    pub(super) fn read(&self) -> Result<Requested, String> {
        if parts(&self.points).next().is_none() {
            return Err("tuning points and their values, such as 'block=8..256 step 8'".into());
        }
        let space = Space::parse(parts(&self.points), parts(&self.constraint)).map_err(|error| error.to_string())?;
        let in_step = |dimension: &&Dimension| dimension.synchronized && names::of_framework(&dimension.name);
        if let Some(Dimension { name, .. }) = space.dimensions.iter().find(in_step) {
            return Err(format!("{name} without together: its framework keeps the ranks in step by itself"));
        }
        let name = if self.method.is_empty() { "auto" } else { &self.method };
        let Some((_, method)) = Method::NAMES.into_iter().find(|(known, _)| *known == name) else {
            let names = Method::NAMES.map(|(name, _)| name).join(", ");
            return Err(format!("one of the methods {names} instead of {name}"));
        };
        if self.budget != 0 && !BUDGETS.contains(&self.budget) {
            return Err(format!("a budget from {} to {} instead of {}", BUDGETS.start(), BUDGETS.end(), self.budget));
        }
        let budget = if self.budget == 0 { BUDGET } else { self.budget as usize };
        let numbers = |part: &str| part.split(',').map(|word| word.trim().parse().ok()).collect::<Option<Vec<f64>>>();
        let known = parts(&self.known).filter_map(numbers).take(KNOWN).collect();
        Ok(Requested { space, plan: Plan { method, budget, seed: SEED }, known })
    }
}
