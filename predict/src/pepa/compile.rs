//! From a model's text to what its states are made of: machines, components and, per action, who takes part.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::error::Error;
use super::local::{Pool, position};
use super::machine::Machine;
use super::names::{Actions, Definitions};
use super::parser::MOST_DEPTH;
use super::rates::{Rates, of_copies, rates};
use super::syntax::{Model, Name, Position, Set, Term};
use super::tree::Tree;

/// Largest number of components.
const MOST_COMPONENTS: usize = 1024;

/// An action of the whole system.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) action: u32,
    pub(super) tree: Tree,
}

/// A compiled model.
#[derive(Debug)]
pub(super) struct System {
    pub(super) actions: Actions,
    pub(super) machines: Vec<Machine>,
    /// The machine of each component, in the order of the system equation.
    pub(super) machine_of: Vec<u32>,
    /// The components of each array `P[n]` of sequential components: how many are in which state matters, not which.
    pub(super) arrays: Vec<Range<usize>>,
    pub(super) roots: Vec<Root>,
    pub(super) warnings: Vec<String>,
}

impl System {
    /// The machine of component `leaf`.
    pub(super) fn machine(&self, leaf: usize) -> &Machine {
        &self.machines[self.machine_of[leaf] as usize]
    }

    /// The array that component `leaf` belongs to, itself where it belongs to none.
    pub(super) fn array_of(&self, leaf: usize) -> Range<usize> {
        let after = self.arrays.partition_point(|array| array.end <= leaf);
        self.arrays.get(after).filter(|array| array.contains(&leaf)).cloned().unwrap_or(leaf..leaf + 1)
    }
}

/// The model's definitions and rates, borrowed from it.
pub(super) fn prepare(model: &Model) -> Result<(Rates<'_>, Definitions<'_>), Error> {
    let rates = rates(model)?;
    let definitions = Definitions::of(model, &rates)?;
    Ok((rates, definitions))
}

/// Compiles the system equation.
pub(super) fn compile(model: &Model, rates: &Rates<'_>, definitions: &Definitions<'_>) -> Result<System, Error> {
    let actions = Actions::new();
    let (machines, machine_of, roots, warnings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let system = System { actions, machines, machine_of, arrays: Vec::new(), roots, warnings };
    let pool = Pool::new(definitions, rates);
    let mut builder = Builder { definitions, rates, pool, system, by_start: FxHashMap::default(), open: Vec::new() };
    let ways = builder.expand(&model.system)?;
    let mut ways: Vec<_> = ways.into_iter().collect();
    ways.sort_by_key(|(action, _)| *action);
    ways.into_iter().for_each(|(action, tree)| builder.root(action, tree));
    Ok(builder.system)
}

/// For each action, the ways in which a part of the system can do it.
type Ways = FxHashMap<u32, Tree>;

struct Builder<'m> {
    definitions: &'m Definitions<'m>,
    rates: &'m Rates<'m>,
    pool: Pool<'m>,
    system: System,
    by_start: FxHashMap<usize, u32>,
    /// Definitions that are being expanded.
    open: Vec<&'m str>,
}

impl<'m> Builder<'m> {
    /// An action that nobody above shares: alternatives may as well stand side by side.
    fn root(&mut self, action: u32, tree: Tree) {
        match tree {
            Tree::Either(all) => self.system.roots.extend(all.into_iter().map(|tree| Root { action, tree })),
            tree => self.system.roots.push(Root { action, tree }),
        }
    }

    fn expand(&mut self, term: &'m Term) -> Result<Ways, Error> {
        match term {
            Term::Name(name) => self.expand_name(name),
            Term::Array(name, copies) => {
                let first = self.system.machine_of.len();
                let mut ways = self.expand_name(name)?;
                let sequential = self.system.machine_of.len() == first + 1;
                for _ in 1..of_copies(name, copies, self.rates)? {
                    let more = self.expand_name(name)?;
                    ways = self.cooperate(ways, more, &Set::Names(Vec::new()));
                }
                let all = first..self.system.machine_of.len();
                if sequential && all.len() > 1 {
                    self.system.arrays.push(all);
                }
                Ok(ways)
            }
            Term::Prefix { .. } | Term::Choice(_) => {
                let start = self.pool.state(term)?;
                self.leaf(start, position(term))
            }
            Term::Cooperation { first, rest } => {
                let mut ways = self.expand(first)?;
                for (set, term) in rest {
                    let more = self.expand(term)?;
                    ways = self.cooperate(ways, more, set);
                }
                Ok(ways)
            }
            Term::Hiding { term, hidden } => {
                let mut ways = self.expand(term)?;
                for name in hidden {
                    if let Some(tree) = self.system.actions.find(&name.text).and_then(|number| ways.remove(&number)) {
                        self.root(0, tree);
                    }
                }
                Ok(ways)
            }
        }
    }

    fn expand_name(&mut self, name: &'m Name) -> Result<Ways, Error> {
        let (last, body) = self.definitions.resolve(name)?;
        if matches!(body, Term::Prefix { .. } | Term::Choice(_)) {
            let start = self.pool.named(name)?;
            return self.leaf(start, name.at);
        }
        if self.open.contains(&last.text.as_str()) {
            return Err(Error::Unguarded { at: name.at, name: last.text.clone() });
        }
        if self.open.len() >= MOST_DEPTH {
            return Err(Error::TooDeep { at: name.at, limit: MOST_DEPTH });
        }
        self.open.push(&last.text);
        let ways = self.expand(body);
        self.open.pop();
        ways
    }

    /// A component that begins in the local state `start`.
    fn leaf(&mut self, start: usize, at: Position) -> Result<Ways, Error> {
        if self.system.machine_of.len() == MOST_COMPONENTS {
            return Err(Error::TooManyComponents { at, limit: MOST_COMPONENTS });
        }
        let machine = match self.by_start.get(&start) {
            Some(machine) => *machine,
            None => {
                let machine = Machine::build(start, &mut self.pool, &mut self.system.actions)?;
                self.system.machines.push(machine);
                self.by_start.insert(start, (self.system.machines.len() - 1) as u32);
                (self.system.machines.len() - 1) as u32
            }
        };
        let leaf = self.system.machine_of.len() as u32;
        self.system.machine_of.push(machine);
        let columns = self.system.machines[machine as usize].columns();
        let mut ways: Ways = columns.map(|(action, column)| (*action, Tree::Leaf { leaf, column: *column })).collect();
        if let Some(tree) = ways.remove(&0) {
            self.root(0, tree);
        }
        Ok(ways)
    }

    /// P <set> Q: shared actions happen together or not at all, the others on either side.
    fn cooperate(&mut self, mut left: Ways, mut right: Ways, set: &Set) -> Ways {
        let shared: Vec<u32> = match set {
            Set::Shared => left.keys().filter(|action| right.contains_key(action)).copied().collect(),
            Set::Names(names) => names.iter().filter_map(|name| self.shared(name, &left, &right)).collect(),
        };
        let mut joint = Vec::new();
        for action in shared {
            if let (Some(one), Some(other)) = (left.remove(&action), right.remove(&action)) {
                joint.push((action, one.with(other)));
            }
        }
        for (action, tree) in right {
            let joined = match left.remove(&action) {
                Some(one) => one.or(tree),
                None => tree,
            };
            left.insert(action, joined);
        }
        left.extend(joint);
        left
    }

    fn shared(&mut self, name: &Name, left: &Ways, right: &Ways) -> Option<u32> {
        let number = self.system.actions.find(&name.text);
        let (one, other) = (|n| left.contains_key(&n), |n| right.contains_key(&n));
        let known = number.filter(|n| one(*n) || other(*n));
        if known.is_none() {
            self.system.warnings.push(format!("{}: neither side ever does '{}'", name.at, name.text));
        } else if !known.is_some_and(|n| one(n) && other(n)) {
            self.system
                .warnings
                .push(format!("{}: only one side ever does '{}': it never happens", name.at, name.text));
        }
        known
    }
}
