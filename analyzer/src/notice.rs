//! Notices about a job: a line for people, and the same facts as JSON for programs.

use std::collections::VecDeque;

use serde_json::Value;

use crate::limits;

/// One line for people and the same as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// For people.
    pub text: String,
    /// For programs: an object with a key `event`.
    pub json: Value,
}

/// The newest notices of a job, for those who watch late.
#[derive(Clone, Debug, Default)]
pub struct History {
    notices: VecDeque<Notice>,
}

impl History {
    /// Remembers one more, forgetting the oldest past the limit.
    pub fn push(&mut self, notice: Notice) {
        limits::push(&mut self.notices, notice, limits::NOTICES);
    }

    /// All that are remembered, oldest first.
    pub fn all(&self) -> Vec<Notice> {
        self.notices.iter().cloned().collect()
    }
}

/// A number for JSON, which knows no NaN.
pub fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_keeps_the_newest() {
        let mut history = History::default();
        for n in 0..limits::NOTICES + 5 {
            history.push(Notice { text: n.to_string(), json: Value::Null });
        }
        assert_eq!(history.all().len(), limits::NOTICES);
        assert_eq!(history.all()[0].text, "5");
    }
}
