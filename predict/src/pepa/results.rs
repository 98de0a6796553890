//! Result lines of a model: checked before the states are derived, evaluated with their probabilities.

use super::compile::System;
use super::error::Error;
use super::local::short;
use super::names::Definitions;
use super::rates::{Meaning, Rate, Rates, evaluate, lookup};
use super::syntax::{Expr, Model, Name, Part, Position, Term};

/// A pattern: which component must be in which local state.
pub(super) type Wanted = Vec<(usize, u32)>;

/// A result line, ready to be evaluated.
#[derive(Debug)]
pub(super) struct Measure {
    name: String,
    expr: Expr,
    at: Position,
    /// The patterns in the order in which they are evaluated.
    patterns: Vec<Wanted>,
    /// The rates it names.
    rates: Vec<(String, f64)>,
}

/// Finds everything wrong with a result line before the states are derived; every pattern counts as 1.
struct Checked<'a, 'm> {
    rates: &'a Rates<'m>,
    definitions: &'a Definitions<'m>,
    system: &'a System,
    patterns: Vec<Wanted>,
    used: std::cell::RefCell<Vec<(String, f64)>>,
}

impl Meaning for Checked<'_, '_> {
    fn name(&self, name: &Name) -> Result<Rate, Error> {
        let rate = lookup(self.rates, name)?;
        if rate.is_passive() {
            return Err(Error::BadPassive { at: name.at });
        }
        self.used.borrow_mut().push((name.text.clone(), rate.value()));
        Ok(rate)
    }

    fn pattern(&mut self, expr: &Expr, at: Position) -> Result<f64, Error> {
        let Expr::Pattern { parts, .. } = expr else { return Ok(0.0) };
        let wanted = self.wanted(parts, at)?;
        self.patterns.push(wanted);
        Ok(1.0)
    }
}

impl Checked<'_, '_> {
    fn wanted(&self, parts: &[Part], at: Position) -> Result<Wanted, Error> {
        let components = self.system.machine_of.len();
        let short_of = parts.len() < components && parts.last() == Some(&Part::Any);
        if parts.len() != components && !short_of {
            let labels = (0..components).map(|leaf| self.system.machine(leaf).labels[0].as_str());
            let names = short(&labels.take(20).collect::<Vec<_>>().join(" || "));
            return Err(Error::PatternLength { at, parts: parts.len(), components, names });
        }
        let mut wanted = Vec::new();
        for (leaf, part) in parts.iter().enumerate() {
            let Part::Is(term, place) = part else { continue };
            let label = match term {
                Term::Name(name) => self.definitions.last_name(name),
                term => term.to_string(),
            };
            let labels = &self.system.machine(leaf).labels;
            let Some(state) = labels.iter().position(|known| *known == label) else {
                let states = short(&labels.join(", "));
                return Err(Error::UnknownState { at: place.0, component: leaf + 1, state: short(&label), states });
            };
            wanted.push((leaf, state as u32));
        }
        Ok(wanted)
    }
}

impl Measure {
    /// The result lines of `model`.
    pub(super) fn all(
        model: &Model,
        rates: &Rates<'_>,
        definitions: &Definitions<'_>,
        system: &System,
    ) -> Result<Vec<Self>, Error> {
        let each = model.results.iter().map(|(name, expr)| {
            let mut checked = Checked { rates, definitions, system, patterns: Vec::new(), used: Vec::new().into() };
            if evaluate(expr, &mut checked, name.at)?.is_passive() {
                return Err(Error::BadPassive { at: name.at });
            }
            let (patterns, used) = (checked.patterns, checked.used.into_inner());
            Ok(Self { name: name.text.clone(), expr: expr.clone(), at: name.at, patterns, rates: used })
        });
        each.collect()
    }

    /// Name of the line.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Value of the line, where `probability` tells that of a pattern.
    pub(super) fn value(&self, probability: impl Fn(&Wanted) -> f64) -> f64 {
        let probabilities: Vec<f64> = self.patterns.iter().map(probability).collect();
        let mut values = Values { probabilities: probabilities.into_iter(), rates: &self.rates };
        // Errors were found when the line was checked.
        evaluate(&self.expr, &mut values, self.at).map_or(f64::NAN, Rate::value)
    }
}

/// Gives names and patterns their values, in the order of their evaluation.
struct Values<'a> {
    probabilities: std::vec::IntoIter<f64>,
    rates: &'a [(String, f64)],
}

impl Meaning for Values<'_> {
    fn name(&self, name: &Name) -> Result<Rate, Error> {
        let found = self.rates.iter().find(|(known, _)| *known == name.text);
        Ok(Rate::Active(found.map_or(f64::NAN, |(_, value)| *value)))
    }

    fn pattern(&mut self, _: &Expr, _: Position) -> Result<f64, Error> {
        Ok(self.probabilities.next().unwrap_or(f64::NAN))
    }
}
