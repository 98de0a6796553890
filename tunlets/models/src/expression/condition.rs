//! A condition over named values, such as a search constraint.

use super::{Code, Expression};
use crate::random::Random;

/// An expression that is true or false for values in a fixed order.
#[derive(Clone, Debug)]
pub struct Condition(Code);

impl Condition {
    /// Over `names`, whose values come in this order.
    ///
    /// # Errors
    /// A sentence: a name that is none of them, or something that is drawn.
    pub fn new(expression: &Expression, names: &[&str]) -> Result<Condition, String> {
        let mut meaning = |name: &str| match names.iter().position(|known| *known == name) {
            Some(slot) => Ok(Code::Slot(slot)),
            None => Err(format!("{name} is none of {}", names.join(", "))),
        };
        let code = expression.compile(&mut meaning)?;
        // No name has this slot: only random functions vary with it.
        if code.varies_with(names.len()) {
            return Err("a condition cannot draw numbers".into());
        }
        Ok(Condition(code))
    }

    /// True where the value is neither 0 nor NaN.
    pub fn holds(&self, values: &[f64]) -> bool {
        let value = self.0.value(values, &mut Random::new(0));
        value != 0.0 && !value.is_nan()
    }
}
