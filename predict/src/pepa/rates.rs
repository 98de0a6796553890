//! Evaluates rate expressions.

use rustc_hash::FxHashMap;

use super::error::Error;
use super::syntax::{Activity, Expr, Model, Name, Operator, Position};

/// Value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rate {
    /// Per second.
    Active(f64),
    /// A weight.
    Passive(f64),
}

impl Rate {
    pub(super) fn value(self) -> f64 {
        match self {
            Self::Active(value) | Self::Passive(value) => value,
        }
    }

    pub(super) fn is_passive(self) -> bool {
        matches!(self, Self::Passive(_))
    }
}

/// The rates' values by name.
pub(super) type Rates<'m> = FxHashMap<&'m str, Rate>;

/// Meaning of a name or pattern in an expression.
pub(super) trait Meaning {
    fn name(&self, name: &Name) -> Result<Rate, Error>;
    fn pattern(&mut self, expr: &Expr, at: Position) -> Result<f64, Error>;
}

/// Evaluates `expr`; the recursion is as deep as the brackets, which the parser bounds.
pub(super) fn evaluate(expr: &Expr, meaning: &mut impl Meaning, at: Position) -> Result<Rate, Error> {
    match expr {
        Expr::Number(value) => Ok(Rate::Active(*value)),
        Expr::Name(name) => meaning.name(name),
        Expr::Passive(_) => Ok(Rate::Passive(1.0)),
        Expr::Negative(inner) => combine(Rate::Active(0.0), Operator::Minus, evaluate(inner, meaning, at)?, at),
        Expr::Pattern { at: place, .. } => meaning.pattern(expr, place.0).map(Rate::Active),
        Expr::Chain { first, rest } => {
            let first = evaluate(first, meaning, at)?;
            rest.iter()
                .try_fold(first, |left, (operator, right)| combine(left, *operator, evaluate(right, meaning, at)?, at))
        }
    }
}

fn combine(left: Rate, operator: Operator, right: Rate, at: Position) -> Result<Rate, Error> {
    use Operator::{Minus, Over, Plus, Times};
    use Rate::{Active, Passive};
    Ok(match (left, operator, right) {
        (Active(a), Plus, Active(b)) => Active(a + b),
        (Active(a), Minus, Active(b)) => Active(a - b),
        (Active(a), Times, Active(b)) => Active(a * b),
        (Active(a), Over, Active(b)) => Active(a / b),
        (Active(w), Times, Passive(p)) | (Passive(p), Times, Active(w)) => Passive(p * w),
        (Passive(p), Over, Active(w)) => Passive(p / w),
        _ => return Err(Error::BadPassive { at }),
    })
}

/// Names are those of rates; patterns do not occur.
struct Defined<'r, 'm>(&'r Rates<'m>);

impl Meaning for Defined<'_, '_> {
    fn name(&self, name: &Name) -> Result<Rate, Error> {
        lookup(self.0, name)
    }

    fn pattern(&mut self, _: &Expr, at: Position) -> Result<f64, Error> {
        Err(Error::Syntax { at, expected: "a rate", found: "a pattern".to_owned() })
    }
}

/// The value of the rate `name`. `T` is passive where it is not defined; `nan` and the like are no numbers.
pub(super) fn lookup(rates: &Rates<'_>, name: &Name) -> Result<Rate, Error> {
    if let Some(rate) = rates.get(name.text.as_str()) {
        return Ok(*rate);
    }
    let (at, text) = (name.at, &name.text);
    match text.to_ascii_lowercase().as_str() {
        "t" if text == "T" => Ok(Rate::Passive(1.0)),
        "top" if text == "top" => Ok(Rate::Passive(1.0)),
        "nan" => Err(Error::BadRate { at, name: format!("'{text}'"), value: f64::NAN }),
        "inf" | "infinity" => Err(Error::BadRate { at, name: format!("'{text}'"), value: f64::INFINITY }),
        _ => {
            let example = format!("{text} = 1.5;");
            Err(Error::Unknown { at, what: "rate", name: text.clone(), before: " before it is used", example })
        }
    }
}

/// All rates of `model`, in the order of their definitions: a rate may use those above it.
///
/// # Errors
/// An unknown name, `infty` where it has no meaning, a value of 0 or below or none at all.
pub(super) fn rates(model: &Model) -> Result<Rates<'_>, Error> {
    let mut all = Rates::default();
    for (name, expr) in &model.rates {
        let rate = evaluate(expr, &mut Defined(&all), name.at)?;
        let shown = format!("'{}'", name.text);
        all.insert(&name.text, positive(rate, shown, name.at)?);
    }
    Ok(all)
}

fn positive(rate: Rate, name: String, at: Position) -> Result<Rate, Error> {
    let value = rate.value();
    if value.is_finite() && value > 0.0 { Ok(rate) } else { Err(Error::BadRate { at, name, value }) }
}

/// Most copies in an array.
const MOST_COPIES: f64 = 1024.0;

/// The number of copies in `name[expr]`.
///
/// # Errors
/// Those of [`rates`], or it is not a whole number from 1 to 1024.
pub(super) fn of_copies(name: &Name, expr: &Expr, rates: &Rates<'_>) -> Result<u32, Error> {
    match evaluate(expr, &mut Defined(rates), name.at)? {
        Rate::Active(value) if value.fract() == 0.0 && (1.0..=MOST_COPIES).contains(&value) => Ok(value as u32),
        Rate::Active(value) => Err(Error::BadCopies { at: name.at, name: name.text.clone(), value }),
        Rate::Passive(_) => Err(Error::BadPassive { at: name.at }),
    }
}

/// The rate of an activity.
///
/// # Errors
/// Those of [`rates`].
pub(super) fn of_activity(activity: &Activity, rates: &Rates<'_>) -> Result<Rate, Error> {
    let at = activity.action.at;
    let rate = evaluate(&activity.rate, &mut Defined(rates), at)?;
    positive(rate, format!("of '{}'", activity.action.text), at)
}
