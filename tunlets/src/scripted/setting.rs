//! Settings of a scripted tunlet, and the proposal in flight.

use crate::Value;
use crate::confidence::Gain;

/// New values of tuning points, by name.
pub type Values = Vec<(String, Value)>;

/// Values and the ranks that have them.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The ranks.
    pub ranks: Vec<u32>,
    /// The values.
    pub values: Values,
}

/// The proposal in flight.
#[derive(Clone, Debug)]
pub struct Pending {
    /// `None` for a rollback.
    pub from: Option<Setting>,
    /// What it sets.
    pub to: Setting,
    /// Gain that is expected.
    pub expected: Gain,
    /// Time that it promises, seconds; NaN without a prediction.
    pub promised_s: f64,
    /// Iteration of the window that led to it.
    pub iteration: u64,
}
