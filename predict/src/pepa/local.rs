//! The states of sequential components: each is a term, its transitions those of the operational semantics.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::error::Error;
use super::names::{Actions, Definitions};
use super::parser::MOST_DEPTH;
use super::rates::{Rate, Rates, of_activity};
use super::syntax::{Name, Position, Term};

/// A term that a component can be in: `term`, or what is left of a prefix after its first `skip` activities.
#[derive(Clone, Copy)]
struct Spot<'m> {
    term: &'m Term,
    skip: usize,
}

impl Spot<'_> {
    fn label(self) -> String {
        match self.term {
            Term::Prefix { activities, then } if self.skip > 0 => {
                Term::Prefix { activities: activities[self.skip..].to_vec(), then: then.clone() }.to_string()
            }
            term => term.to_string(),
        }
    }
}

/// One transition of a local state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) action: u32,
    pub(super) rate: Rate,
    pub(super) to: usize,
}

/// Range of a state's moves.
enum Moves {
    Unknown,
    /// Being worked out: to meet it again is to be defined by itself.
    Open,
    Known(Rc<[Move]>),
}

/// All local states met so far.
pub(super) struct Pool<'m> {
    definitions: &'m Definitions<'m>,
    rates: &'m Rates<'m>,
    spots: Vec<Spot<'m>>,
    labels: Vec<String>,
    moves: Vec<Moves>,
    index: FxHashMap<String, usize>,
}

impl<'m> Pool<'m> {
    pub(super) fn new(definitions: &'m Definitions<'m>, rates: &'m Rates<'m>) -> Self {
        let (spots, labels, moves) = (Vec::new(), Vec::new(), Vec::new());
        Self { definitions, rates, spots, labels, moves, index: FxHashMap::default() }
    }

    pub(super) fn label(&self, state: usize) -> &str {
        &self.labels[state]
    }

    /// The number of the state `term`; names that only stand for other names are followed.
    pub(super) fn state(&mut self, term: &'m Term) -> Result<usize, Error> {
        if let Term::Name(name) = term { self.named(name) } else { Ok(self.intern(Spot { term, skip: 0 })) }
    }

    /// The number of the state `name`.
    pub(super) fn named(&mut self, name: &'m Name) -> Result<usize, Error> {
        let (last, body) = self.definitions.resolve(name)?;
        if matches!(body, Term::Cooperation { .. } | Term::Hiding { .. } | Term::Array(..)) {
            return Err(Error::NotSequential { at: name.at, name: format!("'{}'", name.text) });
        }
        if let Some(found) = self.index.get(&last.text) {
            return Ok(*found);
        }
        Ok(self.add(last.text.clone(), Spot { term: body, skip: 0 }))
    }

    fn intern(&mut self, spot: Spot<'m>) -> usize {
        let label = spot.label();
        if let Some(found) = self.index.get(&label) { *found } else { self.add(label, spot) }
    }

    fn add(&mut self, label: String, spot: Spot<'m>) -> usize {
        self.index.insert(label.clone(), self.spots.len());
        self.spots.push(spot);
        self.labels.push(label);
        self.moves.push(Moves::Unknown);
        self.spots.len() - 1
    }

    /// The activities of `state`; equal activities to the same state are summed.
    pub(super) fn moves(&mut self, state: usize, actions: &mut Actions) -> Result<Rc<[Move]>, Error> {
        self.moves_at(state, actions, 0)
    }

    fn moves_at(&mut self, state: usize, actions: &mut Actions, depth: usize) -> Result<Rc<[Move]>, Error> {
        let at = position(self.spots[state].term);
        match &self.moves[state] {
            Moves::Known(moves) => return Ok(Rc::clone(moves)),
            Moves::Open => return Err(Error::Unguarded { at, name: self.labels[state].clone() }),
            Moves::Unknown if depth >= MOST_DEPTH => return Err(Error::TooDeep { at, limit: MOST_DEPTH }),
            Moves::Unknown => self.moves[state] = Moves::Open,
        }
        let mut found = Vec::new();
        self.collect(self.spots[state], actions, depth, &mut found)?;
        let merged: Rc<[Move]> = self.merge(found, state, actions)?.into();
        self.moves[state] = Moves::Known(Rc::clone(&merged));
        Ok(merged)
    }

    fn collect(
        &mut self,
        spot: Spot<'m>,
        actions: &mut Actions,
        depth: usize,
        found: &mut Vec<Move>,
    ) -> Result<(), Error> {
        match spot.term {
            Term::Name(_) => {
                let state = self.state(spot.term)?;
                found.extend(self.moves_at(state, actions, depth + 1)?.iter());
            }
            Term::Prefix { activities, then } => {
                let activity = &activities[spot.skip];
                let rate = of_activity(activity, self.rates)?;
                let last = spot.skip + 1 == activities.len();
                let to = if last { self.state(then)? } else { self.intern(Spot { skip: spot.skip + 1, ..spot }) };
                found.push(Move { action: actions.number(&activity.action.text), rate, to });
            }
            Term::Choice(all) => {
                for term in all {
                    self.collect(Spot { term, skip: 0 }, actions, depth, found)?;
                }
            }
            Term::Array(..) | Term::Cooperation { .. } | Term::Hiding { .. } => {
                let name = format!("'{}'", short(&spot.label()));
                return Err(Error::NotSequential { at: position(spot.term), name });
            }
        }
        Ok(())
    }

    /// Sorts by action and adds up what leads to the same state; refuses an action both active and passive.
    fn merge(&self, mut found: Vec<Move>, state: usize, actions: &Actions) -> Result<Vec<Move>, Error> {
        found.sort_by_key(|step| (step.action, step.to));
        let mut merged: Vec<Move> = Vec::with_capacity(found.len());
        for step in found {
            match merged.last_mut() {
                Some(last) if last.action == step.action && last.rate.is_passive() != step.rate.is_passive() => {
                    let action = actions.name(step.action).to_owned();
                    return Err(Error::MixedRates { action, state: short(&self.labels[state]) });
                }
                Some(last) if (last.action, last.to) == (step.action, step.to) => {
                    let sum = last.rate.value() + step.rate.value();
                    last.rate = if step.rate.is_passive() { Rate::Passive(sum) } else { Rate::Active(sum) };
                }
                _ => merged.push(step),
            }
        }
        Ok(merged)
    }
}

/// Enough of a label to know it by.
pub(super) fn short(label: &str) -> String {
    const MOST: usize = 80;
    if label.chars().count() <= MOST { label.to_owned() } else { label.chars().take(MOST).chain(['…']).collect() }
}

/// Position of `term`, where it is known.
pub(super) fn position(mut term: &Term) -> Position {
    loop {
        term = match term {
            Term::Name(name) | Term::Array(name, _) => return name.at,
            Term::Prefix { activities, then } => match activities.first() {
                Some(activity) => return activity.action.at,
                None => then,
            },
            Term::Choice(all) => match all.first() {
                Some(first) => first,
                None => return Position::default(),
            },
            Term::Cooperation { first, .. } => first,
            Term::Hiding { term, .. } => term,
        }
    }
}
