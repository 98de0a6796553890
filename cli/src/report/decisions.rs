//! The decisions of a run: the change, its reason, what was predicted and what was measured.

use midrun_vocabulary::Within;
use serde_json::Value;

use crate::figures::{is_of_first, of_master, of_progress};

/// One decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The window that led to it.
    pub window: u64,
    /// Its place on the curve; `None` where that window is not listed.
    pub place: Option<usize>,
    /// The change: tuning point, value before and after.
    pub change: String,
    /// Its reason.
    pub why: String,
    /// Time predicted, seconds, and how far it may be off.
    pub predicted_s: Option<(f64, Option<Within>)>,
    /// Time expected without the change, seconds.
    pub unchanged_s: Option<f64>,
    /// Time measured, seconds.
    pub measured_s: Option<f64>,
    /// kept, rolled-back, ….
    pub verdict: String,
}

impl Decision {
    /// Whether the measured time lies in the predicted interval; `None` where one of them is not known.
    pub fn is_foreseen(&self) -> Option<bool> {
        let (predicted_s, within) = self.predicted_s?;
        Some(within?.holds(self.measured_s?, predicted_s))
    }
}

/// What the times beside a change refer to.
fn unit(line: &Value) -> String {
    let unit = of_progress(line);
    if unit.is_empty() { unit } else { format!(" (times{unit})") }
}

/// The decisions of a summary; `numbers` are those of the windows on its curve.
pub fn of(summary: &Value, numbers: &[u64]) -> Vec<Decision> {
    let decision = |line: &Value| {
        let text = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
        let seconds = |key: &str| line[key].as_f64();
        let window = line["iteration"].as_u64().unwrap_or(0);
        Decision {
            window,
            place: numbers.iter().position(|number| *number == window).filter(|_| is_of_first(summary, line)),
            change: format!(
                "{}{} {} -> {}{}",
                text("tuning_point"),
                of_master(line),
                text("from"),
                text("to"),
                unit(line)
            ),
            why: text("why"),
            predicted_s: seconds("predicted_s").map(|predicted_s| (predicted_s, seconds("uncertainty").map(Within))),
            unchanged_s: seconds("unchanged_s"),
            measured_s: seconds("measured_s"),
            verdict: text("verdict"),
        }
    };
    summary["decisions"].as_array().into_iter().flatten().map(decision).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_measured_time_is_foreseen_where_it_lies_in_the_interval() {
        let decision = |measured_s: Value, uncertainty: Value| {
            let line = json!({"iteration": 7, "tuning_point": "technique", "from": "none", "to": "daf", "why": "w",
                "predicted_s": 2.0, "uncertainty": uncertainty, "measured_s": measured_s, "verdict": "kept"});
            of(&json!({"decisions": [line]}), &[]).remove(0)
        };
        assert_eq!(decision(json!(2.1), json!(0.1)).is_foreseen(), Some(true));
        assert_eq!(decision(json!(2.3), json!(0.1)).is_foreseen(), Some(false));
        assert_eq!(decision(json!(0.9), json!(1.0)).is_foreseen(), Some(false));
        assert_eq!(decision(json!(2.1), Value::Null).is_foreseen(), None);
        assert_eq!(decision(Value::Null, json!(0.1)).is_foreseen(), None);
        assert_eq!(decision(json!(2.1), json!(0.1)).change, "technique none -> daf");
    }
}
