//! Flow counts: integers that are fixed, named, or drawn once per run.

use std::collections::BTreeMap;

use super::CostError;
use crate::description::is_name;
use midrun_models::random::Random;

/// Largest number of anything that is counted.
pub const MOST: u32 = 10_000_000;
/// Most trials of a binomial distribution; they are drawn one by one.
const MOST_TRIALS: u32 = 1_000_000;

/// A named number, the same everywhere in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter {
    /// Always the same.
    Fixed(u32),
    /// Successes of this many trials, each with probability p.
    Binomial {
        /// Number of trials.
        trials: u32,
        /// 0 to 1.
        p: f64,
    },
    /// Each whole number of a range alike, both ends included.
    Uniform {
        /// The least.
        low: u32,
        /// The greatest.
        high: u32,
    },
}

impl Parameter {
    pub(super) fn check(&self, name: &str) -> Result<(), CostError> {
        let wrong = |what: String| Err(CostError::Graph(format!("parameter `{name}`: {what}")));
        match *self {
            Parameter::Fixed(value) if value > MOST => wrong(format!("{value} is above {MOST}")),
            Parameter::Binomial { p, .. } if !(0.0..=1.0).contains(&p) => {
                wrong(format!("p is {p}, but it must lie between 0 and 1"))
            }
            Parameter::Binomial { trials, .. } if trials > MOST_TRIALS => {
                wrong(format!("{trials} trials are too many, allowed are {MOST_TRIALS}"))
            }
            Parameter::Uniform { low, high } if low > high || high > MOST => {
                wrong(format!("the range {low} to {high} must ascend and end at {MOST} at most"))
            }
            _ => Ok(()),
        }
    }

    /// True unless all draws give the same.
    pub(super) fn draws(&self) -> bool {
        match *self {
            Parameter::Fixed(_) => false,
            Parameter::Binomial { trials, p } => trials > 0 && p > 0.0 && p < 1.0,
            Parameter::Uniform { low, high } => low < high,
        }
    }

    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        match *self {
            Parameter::Fixed(value) => value,
            Parameter::Binomial { trials, p } => random.binomial(trials, p),
            Parameter::Uniform { low, high } => low + random.below((high - low) as usize + 1) as u32,
        }
    }

    pub(super) fn mean(&self) -> f64 {
        match *self {
            Parameter::Fixed(value) => f64::from(value),
            Parameter::Binomial { trials, p } => f64::from(trials) * p,
            Parameter::Uniform { low, high } => 0.5 * (f64::from(low) + f64::from(high)),
        }
    }
}

/// A flow count: a number, or a parameter plus or minus a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    parameter: Option<String>,
    plus: i64,
}

impl Count {
    /// Reads `7`, `n`, `n + 2`, `n - 1`.
    ///
    /// # Errors
    /// A sentence that says what is allowed.
    ///
    /// ```
    /// use midrun_predict::time_cost::Count;
    /// assert_eq!(Count::read("n-1")?.to_string(), "n - 1");
    /// assert!(Count::read("2 n").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn read(text: &str) -> Result<Count, String> {
        let wrong = || format!("`{text}` is no flow count: allowed is a whole number, a parameter, or `n - 1`");
        let number = |digits: &str| match digits.trim().parse::<u32>() {
            Ok(value) if value <= MOST && digits.trim().bytes().all(|b| b.is_ascii_digit()) => Ok(i64::from(value)),
            _ => Err(wrong()),
        };
        if let Ok(plus) = number(text) {
            return Ok(Count { parameter: None, plus });
        }
        let (name, plus) = match text.find(['+', '-']) {
            Some(at) if text[at..].starts_with('-') => (&text[..at], -number(&text[at + 1..])?),
            Some(at) => (&text[..at], number(&text[at + 1..])?),
            None => (text, 0),
        };
        if !is_name(name.trim()) {
            return Err(wrong());
        }
        Ok(Count { parameter: Some(name.trim().to_owned()), plus })
    }

    /// True for the number 1.
    pub(super) fn is_one(&self) -> bool {
        self.parameter.is_none() && self.plus == 1
    }

    /// The parameter it depends on.
    pub fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// Its value in a run; never below 0 for lack of a parameter's value.
    pub(super) fn value(&self, drawn: &BTreeMap<&str, u32>) -> i64 {
        self.parameter().and_then(|name| drawn.get(name)).map_or(0, |value| i64::from(*value)) + self.plus
    }

    pub(super) fn mean(&self, parameters: &BTreeMap<String, Parameter>) -> f64 {
        let named = self.parameter().and_then(|name| parameters.get(name));
        (named.map_or(0.0, Parameter::mean) + self.plus as f64).max(0.0)
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.parameter, self.plus) {
            (None, plus) => write!(f, "{plus}"),
            (Some(name), 0) => write!(f, "{name}"),
            (Some(name), plus) if plus < 0 => write!(f, "{name} - {}", -plus),
            (Some(name), plus) => write!(f, "{name} + {plus}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn anything_but_a_number_or_a_parameter_is_refused() {
        for bad in ["", "-1", "+1", "n -", "n - -1", "n + x", "2n", "n * 2", "99999999999", "n - 99999999999", "ü"] {
            assert!(Count::read(bad).unwrap_err().contains("allowed"), "{bad}");
        }
        assert_eq!(Count::read(" n+2 ").unwrap().to_string(), "n + 2");
        assert_eq!(Count::read("7").unwrap().value(&BTreeMap::new()), 7);
        assert_eq!(Count::read("n - 3").unwrap().value(&BTreeMap::from([("n", 1)])), -2);
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_as_the_same(name in "[a-z_][a-z0-9_]{0,5}", plus in 0_u32..MOST, sign in "[+-]") {
            for text in [format!("{name} {sign} {plus}"), plus.to_string(), name.clone()] {
                let count = Count::read(&text).unwrap();
                prop_assert_eq!(Count::read(&count.to_string()).unwrap(), count);
            }
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC*") {
            let _ = Count::read(&text);
        }
    }
}
