//! What people are told about a job, and the same for programs.

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

/// A time for people: `0.842 s`, `8.42 ms`, `950 us`.
pub fn seconds(time_s: f64) -> String {
    let size = time_s.abs();
    if !time_s.is_finite() {
        "an unknown time".into()
    } else if size >= 100.0 {
        format!("{time_s:.1} s")
    } else if size >= 0.1 {
        format!("{time_s:.3} s")
    } else if size >= 0.01 {
        format!("{:.1} ms", time_s * 1e3)
    } else if size >= 0.001 {
        format!("{:.2} ms", time_s * 1e3)
    } else {
        format!("{:.0} us", time_s * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_with_the_unit_that_suits_it() {
        let texts = [0.842, 12.5, 250.0, 0.0421, 0.00842, 0.00095, f64::NAN].map(seconds);
        let expected = ["0.842 s", "12.500 s", "250.0 s", "42.1 ms", "8.42 ms", "950 us", "an unknown time"];
        assert_eq!(texts, expected);
    }

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
