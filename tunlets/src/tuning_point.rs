//! Tuning points that ranks offer, their names and values.

pub use midrun_vocabulary::names;
use serde::Serialize;

/// A value of a tuning point.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

/// A tuning point as a rank declared it.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPoint {
    /// Rank that offers it.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// Whether it takes whole numbers only.
    pub whole: bool,
    /// Smallest and largest value allowed.
    pub range: (f64, f64),
    /// Present value, as far as known.
    pub value: f64,
    /// Value when it was declared.
    pub declared: f64,
    /// Present text, if it takes texts; `range` then limits its bytes, and `value` is meaningless.
    pub text: Option<String>,
    /// Whether a person has set it by hand: it stays as it is until they let it go.
    pub held: bool,
}

impl TuningPoint {
    /// Whether these assignments to its rank give it another value though it is held.
    pub fn is_against(&self, assignments: &[(String, Value)]) -> bool {
        self.held && assignments.iter().any(|(name, value)| *name == self.name && *value != self.present())
    }

    /// Present value, as far as known.
    pub fn present(&self) -> Value {
        self.text.clone().map_or(Value::Number(self.value), Value::Text)
    }

    /// That its value is one that it cannot be told, to which nothing could go back, as the end of a sentence; `None` where it is not.
    pub fn outside(&self) -> Option<String> {
        let TuningPoint { value, range: (least, most), .. } = *self;
        // A bound that the program's type does not hold exactly is none that is passed.
        let near = f64::from(f32::EPSILON) * value.abs();
        let is_outside = self.text.is_none() && (value < least - near || value > most + near);
        let value = if value.fract() == 0.0 { value.to_string() } else { format!("{value:?}") };
        is_outside.then(|| {
            format!("it is {value} now, and its range is {least}..{most}, so that nothing could go back; another range, or another type, may be right")
        })
    }
}
