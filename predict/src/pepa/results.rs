//! Result lines of a model: checked before the states are derived, evaluated with their probabilities.

use std::ops::Range;

use super::compile::System;
use super::error::Error;
use super::local::short;
use super::names::Definitions;
use super::rates::{Meaning, Rate, Rates, evaluate, lookup, of_copies};
use super::syntax::{Expr, Model, Name, Part, Position, Term};

/// A pattern: which components must be in which local state.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Component and state.
    alone: Vec<(usize, u32)>,
    /// Of each array that is asked for, its components and the states of the first ones, in ascending order.
    copies: Vec<(Range<usize>, Vec<u32>)>,
}

impl Wanted {
    fn new(all: Vec<(usize, u32)>, system: &System) -> Self {
        let mut wanted = Self { alone: Vec::new(), copies: Vec::new() };
        for (leaf, state) in all {
            let array = system.array_of(leaf);
            match wanted.copies.last_mut().filter(|(last, _)| *last == array) {
                _ if array.len() == 1 => wanted.alone.push((leaf, state)),
                Some((_, states)) => states.push(state),
                None => wanted.copies.push((array, vec![state])),
            }
        }
        wanted.copies.iter_mut().for_each(|(_, states)| states.sort_unstable());
        wanted
    }

    /// The probability of this pattern in a state of the chain, where `local` tells the state of each component. Copies of an array
    /// begin alike and are not told apart, so that all their orders are equally likely: of n copies, c of them in state s, a given
    /// one is in s with probability c/n, and then another given one with (c - 1)/(n - 1).
    pub(super) fn share(&self, local: impl Fn(usize) -> u32) -> f64 {
        if self.alone.iter().any(|(leaf, state)| local(*leaf) != *state) {
            return 0.0;
        }
        let mut share = 1.0;
        for (array, states) in &self.copies {
            for (index, state) in states.iter().enumerate() {
                let taken = states[..index].iter().filter(|before| *before == state).count();
                let there = array.clone().filter(|leaf| local(*leaf) == *state).count();
                share *= there.saturating_sub(taken) as f64 / (array.len() - index) as f64;
            }
        }
        share
    }
}

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
    /// `P[3]` as three parts.
    fn spread(&self, parts: &[Part]) -> Result<Vec<Part>, Error> {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Part::Is(Term::Array(name, copies), at) => {
                    let copies = of_copies(name, copies, self.rates)?;
                    all.extend((0..copies).map(|_| Part::Is(Term::Name(name.clone()), *at)));
                }
                one => all.push(one.clone()),
            }
        }
        Ok(all)
    }

    fn wanted(&self, parts: &[Part], at: Position) -> Result<Wanted, Error> {
        let parts = self.spread(parts)?;
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
        Ok(Wanted::new(wanted, self.system))
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
