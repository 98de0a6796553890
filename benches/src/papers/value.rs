//! Values of figures: numbers, lists and words; how far two are apart, and how they are written.

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// What a source, a model or a run says of one figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number in the unit that the figure names.
    Number(f64),
    /// One number per stage, class or step.
    List(Vec<f64>),
    /// A mapping, a pattern, a claim.
    Text(String),
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Number(f64::from(number))
    }
}

impl Value {
    /// With six significant digits.
    #[must_use]
    pub fn rounded(self) -> Value {
        let round = |x: f64| short(x).parse().unwrap_or(x);
        match self {
            Value::Number(number) => Value::Number(round(number)),
            Value::List(list) => Value::List(list.into_iter().map(round).collect()),
            text @ Value::Text(_) => text,
        }
    }
}

impl std::fmt::Display for Value {
    /// Six significant digits at most, without zeros at the end.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => f.write_str(&short(*number)),
            Value::List(list) => f.write_str(&list.iter().map(|x| short(*x)).collect::<Vec<_>>().join(" ")),
            Value::Text(text) => f.write_str(text),
        }
    }
}

fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let decimals = (5 - x.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// How far a value may be from the source's and still agree.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub enum Tolerance {
    /// In the figure's unit.
    Absolute(f64),
    /// As a share of the source's value.
    Relative(f64),
}

impl TryFrom<String> for Tolerance {
    type Error = String;

    fn try_from(text: String) -> Result<Tolerance, String> {
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| format!("{text}: 1 or 0.5 % is expected"));
        match text.strip_suffix('%') {
            Some(percent) => Ok(Tolerance::Relative(number(percent)? / 100.0)),
            None => Ok(Tolerance::Absolute(number(&text)?)),
        }
    }
}

/// The distance of a value from the source's.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// `+1.2 %` or `+1`; of lists that of the entry which is furthest off; empty for words.
    pub text: String,
    /// Whether it is within the tolerance.
    pub agrees: bool,
}

/// Distance of `ours` from the source's value.
///
/// # Errors
/// Values of different kinds, lists of different lengths.
pub fn deviation(source: &Value, ours: &Value, within: Tolerance) -> Result<Deviation> {
    let pairs: Vec<(f64, f64)> = match (source, ours) {
        (Value::Number(a), Value::Number(b)) => vec![(*a, *b)],
        (Value::List(a), Value::List(b)) => {
            ensure!(a.len() == b.len(), "the source has {} numbers, the model {}", a.len(), b.len());
            a.iter().copied().zip(b.iter().copied()).collect()
        }
        (Value::Text(a), Value::Text(b)) => {
            let agrees = a == b;
            return Ok(Deviation { text: if agrees { "same".into() } else { "other".into() }, agrees });
        }
        _ => bail!("{source} and {ours} cannot be compared"),
    };
    let off = |(a, b): &(f64, f64)| match within {
        Tolerance::Absolute(_) => b - a,
        Tolerance::Relative(_) => b / a - 1.0,
    };
    let worst = pairs.iter().map(off).max_by(|a, b| a.abs().total_cmp(&b.abs())).context("an empty list")?;
    // Decimal fractions are not exact.
    let slack = 1.0 + 1e-9;
    Ok(match within {
        Tolerance::Absolute(most) if worst == 0.0 => Deviation { text: "0".into(), agrees: most >= 0.0 },
        Tolerance::Absolute(most) => {
            let sign = if worst > 0.0 { "+" } else { "" };
            Deviation {
                text: format!("{sign}{}", short((worst * 1e6).round() / 1e6)),
                agrees: worst.abs() <= most * slack,
            }
        }
        Tolerance::Relative(most) => {
            let percent = 100.0 * worst;
            let decimals = if percent.abs() < 0.095 { 3 } else { 1 };
            // No sign for what is rounded to 0.
            let text = format!("{percent:+.decimals$} %").replace("+0.000 %", "0 %").replace("-0.000 %", "0 %");
            Deviation { text, agrees: worst.abs() <= most * slack }
        }
    })
}

/// A figure's name and what it is for: `Tt(15)`, `throughput(1,1,2)`, `Pi`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Before the parenthesis.
    pub name: String,
    /// Between the parentheses, by commas.
    pub of: Vec<String>,
}

impl Quantity {
    /// Reads a figure's name.
    pub fn read(text: &str) -> Quantity {
        match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((name, of)) => {
                Quantity { name: name.trim().into(), of: of.split(',').map(|word| word.trim().into()).collect() }
            }
            None => Quantity { name: text.trim().into(), of: Vec::new() },
        }
    }

    /// The `k`-th argument as a number.
    ///
    /// # Errors
    /// There is none, or it is another kind of word.
    pub fn number<T: std::str::FromStr>(&self, k: usize) -> Result<T> {
        let word = self.of.get(k).with_context(|| format!("{}: argument {} is missing", self.name, k + 1))?;
        word.parse().ok().with_context(|| format!("{}: \"{word}\" is no number", self.name))
    }

    /// The error for a figure that a model does not know.
    pub fn unknown<T>(&self, model: &str) -> Result<T> {
        bail!("{model} has no figure \"{}\"", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_short_and_names_are_taken_apart() {
        let text = |x: f64| Value::from(x).to_string();
        assert_eq!([122.939_733, 45.0, 0.49988, 26973.0, -0.5].map(text), ["122.94", "45", "0.49988", "26973", "-0.5"]);
        assert_eq!(Value::List(vec![1.0, 2.5]).to_string(), "1 2.5");
        let index = Quantity::read("index(15, 20)");
        assert_eq!((index.name.as_str(), index.number::<u32>(1).unwrap()), ("index", 20));
        assert!(index.number::<u32>(2).is_err() && Quantity::read("Pi").of.is_empty());
    }

    #[test]
    fn what_is_further_off_than_allowed_does_not_agree() {
        let within = |text: &str| Tolerance::try_from(text.to_owned()).unwrap();
        let off = |a: f64, b: f64, tolerance: &str| deviation(&a.into(), &b.into(), within(tolerance)).unwrap();
        assert_eq!(off(45.0, 45.0, "0"), Deviation { text: "0".into(), agrees: true });
        assert_eq!(off(10.0, 11.0, "0"), Deviation { text: "+1".into(), agrees: false });
        assert_eq!(off(100.0, 101.0, "1 %"), Deviation { text: "+1.0 %".into(), agrees: true });
        assert!(!off(100.0, 101.1, "1 %").agrees && !off(100.0, f64::NAN, "1 %").agrees);
        let list = |numbers: &[f64]| Value::List(numbers.to_vec());
        let worst = deviation(&list(&[1.0, 2.0, 4.0]), &list(&[1.0, 1.9, 4.1]), within("3 %")).unwrap();
        assert_eq!(worst, Deviation { text: "-5.0 %".into(), agrees: false });
        assert!(deviation(&list(&[1.0]), &list(&[1.0, 2.0]), within("1")).is_err());
        assert!(deviation(&1.0.into(), &Value::Text("1".into()), within("1")).is_err());
        assert!(Tolerance::try_from("much".to_owned()).is_err());
    }
}
