//! Values of a program's own tuning points in a start: `0:chunk.tasks=15,0:NW=4`.

use std::fmt;

/// Most values of a start.
const MOST: usize = 64;

/// A value of a tuning point that a rank offers.
#[derive(Clone, Debug, PartialEq)]
pub struct PointValue {
    /// The rank.
    pub rank: u32,
    /// Name of the tuning point.
    pub name: String,
    /// The value.
    pub value: f64,
}

impl PointValue {
    /// For people, without the rank: whole numbers as they are, others with four digits.
    pub fn name(&self) -> String {
        let digits = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
        let value = if self.value.fract() == 0.0 { self.value } else { digits(self.value) };
        format!("{} = {value}", self.name)
    }
}

impl fmt::Display for PointValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}={}", self.rank, self.name, self.value)
    }
}

/// One value of a list, of a rank below `ranks`.
fn one(part: &str, ranks: u32) -> Option<PointValue> {
    let (rank, named) = part.split_once(':')?;
    let (name, value) = named.split_once('=')?;
    let value = PointValue { rank: rank.parse().ok()?, name: name.to_owned(), value: value.parse().ok()? };
    (value.rank < ranks && value.value.is_finite() && !value.name.is_empty()).then_some(value)
}

/// The values of a list, of ranks below `ranks`.
///
/// # Errors
/// One sentence.
pub(super) fn read(list: &str, ranks: u32) -> Result<Vec<PointValue>, String> {
    let all = list.split(',').take(MOST + 1).map(|part| one(part, ranks)).collect::<Option<Vec<PointValue>>>();
    all.filter(|all| all.len() <= MOST).ok_or_else(|| format!("a start has values={list}"))
}
