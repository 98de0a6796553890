//! Explanation of a tunlet for people: what it observes, what it tunes, how it decides.

use serde::Serialize;

/// A tunlet, explained.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explanation {
    /// Its name.
    pub tunlet: String,
    /// Its purpose, in one sentence.
    pub about: String,
    /// Observations it uses.
    pub sees: Vec<String>,
    /// Tuning points it may set.
    pub turns: Vec<Turn>,
    /// Quantity it minimises or maximises.
    pub objective: String,
    /// Steps of its decision.
    pub decides: Vec<Formula>,
    /// Bounds of its changes.
    pub limits: Vec<String>,
}

/// A tuning point that a tunlet may set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// Its name in the ranks.
    pub tuning_point: String,
    /// Its meaning.
    pub what: String,
    /// Values that the tunlet may set.
    pub range: String,
}

/// A step of a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Formula {
    /// The quantity and how it is computed.
    pub says: String,
    /// Source of the formula; empty if there is none to cite.
    pub source: String,
}

impl Explanation {
    /// Explanation with nothing but the tunlet's name.
    pub fn of_name(name: &str) -> Explanation {
        Explanation { tunlet: name.to_owned(), ..Explanation::default() }
    }

    /// Adds a step of the decision.
    pub(crate) fn decides(mut self, says: &str, source: &str) -> Explanation {
        self.decides.push(Formula { says: says.to_owned(), source: source.to_owned() });
        self
    }

    /// Adds a tuning point.
    pub(crate) fn turns(mut self, tuning_point: &str, what: &str, range: &str) -> Explanation {
        self.turns.push(Turn { tuning_point: tuning_point.to_owned(), what: what.to_owned(), range: range.to_owned() });
        self
    }
}
