//! Finds definitions by name and checks that every name has exactly one.

use rustc_hash::FxHashMap;

use super::error::Error;
use super::rates::{Rates, of_activity, of_copies};
use super::syntax::{Model, Name, Set, Term};

/// The name of hidden actions.
pub(super) const TAU: &str = "tau";

/// The components' definitions by name.
#[derive(Debug)]
pub(super) struct Definitions<'m>(FxHashMap<&'m str, &'m Term>);

fn once<T>(all: &[(Name, T)]) -> Result<(), Error> {
    let mut seen = FxHashMap::default();
    for (name, _) in all {
        if let Some(first) = seen.insert(name.text.as_str(), name.at) {
            return Err(Error::Duplicate { at: name.at, name: name.text.clone(), first });
        }
    }
    Ok(())
}

impl<'m> Definitions<'m> {
    /// # Errors
    /// A name without or with two definitions, `tau` in a set, a bad rate; also in parts the system never reaches.
    pub(super) fn of(model: &'m Model, rates: &Rates<'_>) -> Result<Self, Error> {
        once(&model.rates)?;
        once(&model.components)?;
        once(&model.results)?;
        let all = Self(model.components.iter().map(|(name, term)| (name.text.as_str(), term)).collect());
        let terms = model.components.iter().map(|(_, term)| term);
        terms.chain([&model.system]).try_for_each(|term| all.check(term, rates))?;
        Ok(all)
    }

    fn known(&self, name: &Name) -> Result<&'m Term, Error> {
        self.0.get(name.text.as_str()).copied().ok_or_else(|| {
            let (at, name) = (name.at, name.text.clone());
            let example = format!("{name} = (work, 1.5).{name};");
            Error::Unknown { at, what: "component", name, before: "", example }
        })
    }

    fn check(&self, term: &Term, rates: &Rates<'_>) -> Result<(), Error> {
        match term {
            Term::Name(name) => self.known(name).map(|_| ()),
            Term::Array(name, copies) => {
                of_copies(name, copies, rates)?;
                self.known(name).map(|_| ())
            }
            Term::Prefix { activities, then } => {
                activities.iter().try_for_each(|activity| of_activity(activity, rates).map(|_| ()))?;
                self.check(then, rates)
            }
            Term::Choice(all) => all.iter().try_for_each(|term| self.check(term, rates)),
            Term::Cooperation { first, rest } => {
                self.check(first, rates)?;
                rest.iter().try_for_each(|(set, term)| {
                    if let Set::Names(names) = set {
                        not_tau(names)?;
                    }
                    self.check(term, rates)
                })
            }
            Term::Hiding { term, hidden } => {
                not_tau(hidden)?;
                self.check(term, rates)
            }
        }
    }

    /// The canonical name of the states called `name`, after aliases; an unknown name is its own.
    pub(super) fn last_name(&self, name: &Name) -> String {
        let mut last = &name.text;
        for _ in 0..=self.0.len() {
            let Some(Term::Name(next)) = self.0.get(last.as_str()) else { break };
            last = &next.text;
        }
        last.clone()
    }

    /// The last name of a chain of definitions such as `P = Q; Q = R; R = (a, r).P;`, and what it stands for.
    pub(super) fn resolve(&self, name: &'m Name) -> Result<(&'m Name, &'m Term), Error> {
        let (mut last, mut body) = (name, self.known(name)?);
        for _ in 0..=self.0.len() {
            let Term::Name(next) = body else { return Ok((last, body)) };
            (last, body) = (next, self.known(next)?);
        }
        Err(Error::Unguarded { at: name.at, name: name.text.clone() })
    }
}

fn not_tau(names: &[Name]) -> Result<(), Error> {
    let tau = names.iter().find(|name| name.text == TAU);
    tau.map_or(Ok(()), |name| Err(Error::TauInSet { at: name.at }))
}

/// Numbers the actions; 0 is `tau`.
#[derive(Debug)]
pub(super) struct Actions {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Actions {
    pub(super) fn new() -> Self {
        let mut actions = Self { names: Vec::new(), numbers: FxHashMap::default() };
        actions.number(TAU);
        actions
    }

    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    pub(super) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}
