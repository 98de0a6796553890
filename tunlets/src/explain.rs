//! Explanation of a tunlet for people: what it observes, what it tunes, how it decides.

use serde::Serialize;

/// A tunlet, explained.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explanation {
    /// Its name.
    pub tunlet: String,
    /// What it is for, in one sentence.
    pub about: String,
    /// What it sees.
    pub sees: Vec<String>,
    /// What it may turn.
    pub turns: Vec<Turn>,
    /// What it makes small or large.
    pub objective: String,
    /// How it decides.
    pub decides: Vec<Formula>,
    /// What bounds its changes.
    pub limits: Vec<String>,
}

/// A tuning point that a tunlet may turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// Its name in the ranks.
    pub tuning_point: String,
    /// What it is.
    pub what: String,
    /// The values that may be set.
    pub range: String,
}

/// A step of a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Formula {
    /// What is computed.
    pub says: String,
    /// Where the formula is from; empty where there is none to cite.
    pub source: String,
}

impl Explanation {
    /// Of a tunlet that tells nothing but its name.
    pub fn of_name(name: &str) -> Explanation {
        Explanation { tunlet: name.to_owned(), ..Explanation::default() }
    }

    /// A step more.
    pub(crate) fn decides(mut self, says: &str, source: &str) -> Explanation {
        self.decides.push(Formula { says: says.to_owned(), source: source.to_owned() });
        self
    }

    /// A tuning point more.
    pub(crate) fn turns(mut self, tuning_point: &str, what: &str, range: &str) -> Explanation {
        self.turns.push(Turn { tuning_point: tuning_point.to_owned(), what: what.to_owned(), range: range.to_owned() });
        self
    }
}
