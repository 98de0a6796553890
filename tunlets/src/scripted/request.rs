//! The change that a script or a rule requests: read from its map, checked, and brought within the limits.

use rhai::{Dynamic, Map};

use super::file::TuningPoint;
use super::functions::number;
use super::limits::{REFUSAL_BYTES, UNCERTAINTY};
use super::scope::TuningPointState;
use crate::Value;

/// A requested change.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// (index in the file's list of tuning points, new value), in that order.
    pub values: Vec<(usize, Value)>,
    /// Predicted iteration time, seconds.
    pub predict_s: Option<f64>,
    /// Predicted value of the objective.
    pub predict: Option<f64>,
    /// Share by which the measurement may differ from the prediction.
    pub uncertainty: Option<f64>,
    /// Reason.
    pub why: String,
}

const KEYS: [&str; 5] = ["set", "predict_s", "predict", "uncertainty", "why"];

impl Request {
    /// Reads the map that a script or a rule gave.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn read(map: &Map, tuning_points: &[TuningPoint], seen: &[TuningPointState]) -> Result<Request, String> {
        if let Some(key) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("the answer has an unknown key `{key}`; it may have {}", KEYS.join(", ")));
        }
        let set = map.get("set").and_then(|set| set.as_map_ref().ok());
        let Some(set) = set.filter(|set| !set.is_empty()) else {
            return Err("the answer has no `set: #{LABEL: value, …}`; () means that nothing is to change".into());
        };
        if let Some(label) =
            set.keys().find(|label| !tuning_points.iter().any(|tuning_point| tuning_point.label == label.as_str()))
        {
            let labels: Vec<&str> = tuning_points.iter().map(|tuning_point| tuning_point.label.as_str()).collect();
            return Err(format!("the answer sets `{label}`, which nothing declares; there are {}", labels.join(", ")));
        }
        let mut values = Vec::new();
        for (at, (tuning_point, seen)) in tuning_points.iter().zip(seen).enumerate() {
            let Some(wanted) = set.get(tuning_point.label.as_str()) else { continue };
            let (now, range) = seen.state.as_ref().map_err(Clone::clone)?;
            values.push((at, value(tuning_point, wanted, now, *range)?));
        }
        Ok(Request {
            values,
            predict_s: positive(map, "predict_s")?,
            predict: positive(map, "predict")?,
            uncertainty: positive(map, "uncertainty")?.map(|share| share.min(UNCERTAINTY)),
            why: why(map.get("why")),
        })
    }
}

fn positive(map: &Map, key: &str) -> Result<Option<f64>, String> {
    match map.get(key) {
        None => Ok(None),
        Some(value) if value.is_unit() => Ok(None),
        Some(value) => match number(value).filter(|number| *number > 0.0) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{key} is {value}: a number above 0 is expected")),
        },
    }
}

fn why(value: Option<&Dynamic>) -> String {
    let text = value.map(ToString::to_string).unwrap_or_default();
    let mut text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    if text.is_empty() {
        text = "its file says so".into();
    }
    cut(text)
}

/// At most so many bytes.
pub fn cut(mut text: String) -> String {
    if text.len() > REFUSAL_BYTES {
        let mut end = REFUSAL_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

fn value(tuning_point: &TuningPoint, wanted: &Dynamic, now: &Value, range: (f64, f64)) -> Result<Value, String> {
    if let Value::Text(_) = now {
        let text = wanted
            .clone()
            .into_string()
            .map_err(|other| format!("{} takes a text, not a {other}", tuning_point.label))?;
        return if text.len() as f64 <= range.1 {
            Ok(Value::Text(text))
        } else {
            Err(format!("{} takes at most {} bytes", tuning_point.label, range.1))
        };
    }
    let wanted = match (number(wanted), wanted.as_bool()) {
        (Some(number), _) => number,
        (None, Ok(yes)) => f64::from(u8::from(yes)),
        (None, Err(_)) => return Err(format!("{} is to be {wanted}: a number is expected", tuning_point.label)),
    };
    Ok(Value::Number(stepped(wanted, tuning_point.step, range)))
}

/// The nearest value that the range and the step allow.
fn stepped(wanted: f64, step: Option<f64>, (least, most): (f64, f64)) -> f64 {
    let within = wanted.clamp(least, most);
    let Some(step) = step else { return within };
    let steps = ((within - least) / step).round();
    // Of 0.1 + 2 × 0.1 people expect 0.3: what is beyond twelve digits is cut.
    let value = |steps: f64| {
        let exact = least + steps * step;
        format!("{exact:.12e}").parse().unwrap_or(exact).max(least)
    };
    let at = value(steps);
    if at <= most { at } else { value((steps - 1.0).max(0.0)).min(most) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_is_brought_to_the_nearest_step_within_its_range() {
        assert_eq!(stepped(0.52, Some(0.1), (0.1, 0.9)), 0.5);
        assert_eq!(stepped(0.31, Some(0.1), (0.1, 0.9)), 0.3);
        assert_eq!(stepped(7.0, None, (0.1, 0.9)), 0.9);
        assert_eq!(stepped(-7.0, Some(2.0), (1.0, 8.0)), 1.0);
        assert_eq!(stepped(8.0, Some(2.0), (1.0, 8.0)), 7.0, "8 is no step from 1");
    }

    proptest! {
        #[test]
        fn no_value_leaves_its_range(
            wanted in -1e9..1e9_f64, least in -1e3..1e3_f64, width in 0.0..1e3_f64, step in proptest::option::of(1e-3..1e3_f64),
        ) {
            let value = stepped(wanted, step, (least, least + width));
            prop_assert!((least..=least + width).contains(&value), "{value}");
        }
    }
}
