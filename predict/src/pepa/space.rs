//! The state space: every state that can be reached, every transition, breadth first.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::compile::{Root, System, compile, prepare};
use super::error::Error;
use super::local::short;
use super::rates::Rate;
use super::results::Measure;
use super::store::{Packing, Store};
use super::syntax::Model;
use super::tree::{Scratch, Step, Tree, View};
use crate::markov::Chain;

/// Bounds of the state space. Exceeding one is [`Error::TooManyStates`], before memory runs short.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States.
    pub max_states: usize,
    /// Bytes, with what the solution will take.
    pub max_bytes: usize,
}

impl Default for Limits {
    /// Ten million states, 4 GiB.
    fn default() -> Self {
        Self { max_states: 10_000_000, max_bytes: 4 << 30 }
    }
}

/// States are counted in 32 bits.
const MOST_STATES: usize = u32::MAX as usize;
/// A state with its place in the index, its row, and five vectors of the solution; its words come on top, twice,
/// because a growing list is copied. Checked against the peak memory of 3^13 states.
const BYTES_PER_STATE: usize = 96;
/// A transition forwards (twice, as above) and backwards.
const BYTES_PER_TRANSITION: usize = 24;

/// A derived model.
#[derive(Debug)]
pub struct StateSpace {
    pub(super) system: System,
    pub(super) store: Store,
    /// First transition of each state.
    rows: Vec<usize>,
    targets: Vec<u32>,
    /// Number into `kinds`.
    kind_of: Vec<u32>,
    /// Action and rate.
    kinds: Vec<(u32, f64)>,
    pub(super) measures: Vec<Measure>,
}

impl Model {
    /// Derives the state space.
    ///
    /// # Errors
    /// Everything of [`Error`] but a syntax error and what concerns the steady state.
    pub fn derive(&self, limits: &Limits) -> Result<StateSpace, Error> {
        let (rates, definitions) = prepare(self)?;
        let system = compile(self, &rates, &definitions)?;
        let measures = Measure::all(self, &rates, &definitions, &system)?;
        let sizes = (0..system.machine_of.len()).map(|leaf| system.machine(leaf).labels.len());
        let store = Store::new(Packing::new(sizes));
        let (rows, targets, kind_of, kinds) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        let mut space = StateSpace { system, store, rows, targets, kind_of, kinds, measures };
        Explorer::new(&mut space).explore(limits)?;
        Ok(space)
    }
}

struct Explorer<'s> {
    space: &'s mut StateSpace,
    kind_numbers: FxHashMap<(u32, u64), u32>,
    /// Transitions of the state at hand: target, action, rate.
    found: Vec<(u32, u32, f64)>,
    /// Local states of an array.
    sorted: Vec<u32>,
    /// Local states of the state at hand.
    local: Vec<u32>,
    next: Vec<u64>,
    scratch: Scratch,
}

impl<'s> Explorer<'s> {
    fn new(space: &'s mut StateSpace) -> Self {
        let (leaves, words) = (space.system.machine_of.len(), space.store.width());
        let (local, next) = (vec![0; leaves], vec![0; words]);
        let (found, sorted, scratch) = (Vec::new(), Vec::new(), Scratch::default());
        Self { space, kind_numbers: FxHashMap::default(), found, sorted, local, next, scratch }
    }

    fn explore(&mut self, limits: &Limits) -> Result<(), Error> {
        // Every component begins in its machine's state 0.
        self.space.store.number(&self.next);
        let roots = std::mem::take(&mut self.space.system.roots);
        let mut done = 0;
        let mut outcome = Ok(());
        while done < self.space.store.len() && outcome.is_ok() {
            outcome = self.expand(done, &roots).and_then(|()| self.space.within(limits));
            done += 1;
        }
        self.space.system.roots = roots;
        outcome?;
        self.space.store.close();
        self.space.targets.shrink_to_fit();
        self.space.kind_of.shrink_to_fit();
        Ok(())
    }

    /// Finds the transitions of the state `number`.
    fn expand(&mut self, number: usize, roots: &[Root]) -> Result<(), Error> {
        for leaf in 0..self.local.len() {
            self.local[leaf] = self.space.store.local(number, leaf);
        }
        self.found.clear();
        for root in roots {
            match root.tree {
                // The common case: an action of one component.
                Tree::Leaf { leaf, column } => self.alone(number, root.action, leaf, column)?,
                _ => self.jointly(number, root)?,
            }
        }
        if self.found.is_empty() {
            return Err(Error::Deadlock { state: self.space.shown(number) });
        }
        self.keep();
        self.space.rows.push(self.space.targets.len());
        Ok(())
    }

    fn alone(&mut self, number: usize, action: u32, leaf: u32, column: u32) -> Result<(), Error> {
        let moves = self.space.system.machine(leaf as usize).cell(self.local[leaf as usize], column).len();
        for index in 0..moves {
            let machine = self.space.system.machine(leaf as usize);
            let (rate, to) = machine.cell(self.local[leaf as usize], column)[index];
            self.next.copy_from_slice(self.space.store.state(number));
            self.space.store.packing().set(&mut self.next, leaf as usize, to);
            self.add(number, action, rate, leaf)?;
        }
        Ok(())
    }

    fn jointly(&mut self, number: usize, root: &Root) -> Result<(), Error> {
        self.scratch.clear();
        let System { machines, machine_of, .. } = &self.space.system;
        let view = View { machines, machine_of, local: &self.local };
        if self.scratch.steps_of(&root.tree, &view).is_err() {
            let action = self.space.system.actions.name(root.action).to_owned();
            return Err(Error::MixedRates { action, state: self.space.shown(number) });
        }
        for index in 0..self.scratch.steps.len() {
            let Step { rate, from, to } = self.scratch.steps[index];
            self.next.copy_from_slice(self.space.store.state(number));
            for (leaf, local) in &self.scratch.moves[from..to] {
                self.space.store.packing().set(&mut self.next, *leaf as usize, *local);
            }
            let first = self.scratch.moves.get(from).map_or(0, |(leaf, _)| *leaf);
            self.add(number, root.action, rate, first)?;
        }
        Ok(())
    }

    /// Adds the transition from state `number` to `self.next`.
    fn add(&mut self, number: usize, action: u32, rate: Rate, leaf: u32) -> Result<(), Error> {
        let Rate::Active(rate) = rate else {
            let action = self.space.system.actions.name(action).to_owned();
            let label = &self.space.system.machine(leaf as usize).labels[0];
            let component = format!("component {} ({})", leaf + 1, short(label));
            return Err(Error::PassiveUnsynchronised { action, component, state: self.space.shown(number) });
        };
        self.sort_arrays();
        self.found.push((self.space.store.number(&self.next), action, rate));
        Ok(())
    }

    /// Brings `self.next` into canonical form: the local states of each array in ascending order.
    fn sort_arrays(&mut self) {
        let store = &self.space.store;
        for array in &self.space.system.arrays {
            self.sorted.clear();
            self.sorted.extend(array.clone().map(|leaf| store.packing().get(&self.next, leaf)));
            if !self.sorted.is_sorted() {
                self.sorted.sort_unstable();
                array.clone().zip(&self.sorted).for_each(|(leaf, local)| {
                    store.packing().set(&mut self.next, leaf, *local);
                });
            }
        }
    }

    /// Keeps what was found; where copies are not told apart their transitions between the same states become one.
    fn keep(&mut self) {
        if !self.space.system.arrays.is_empty() {
            self.found.sort_unstable_by_key(|(target, action, _)| (*action, *target));
            self.found.dedup_by(|next, kept| {
                let same = (next.0, next.1) == (kept.0, kept.1);
                kept.2 += if same { next.2 } else { 0.0 };
                same
            });
        }
        for (target, action, rate) in self.found.drain(..) {
            let kinds = &mut self.space.kinds;
            let kind = *self.kind_numbers.entry((action, rate.to_bits())).or_insert_with(|| {
                kinds.push((action, rate));
                (kinds.len() - 1) as u32
            });
            self.space.targets.push(target);
            self.space.kind_of.push(kind);
        }
    }
}

impl StateSpace {
    fn within(&self, limits: &Limits) -> Result<(), Error> {
        let (reached, transitions) = (self.store.len(), self.targets.len());
        let bytes = reached * (BYTES_PER_STATE + 16 * self.store.width()) + transitions * BYTES_PER_TRANSITION;
        let limit = if reached > limits.max_states.min(MOST_STATES) {
            format!("{} states", limits.max_states.min(MOST_STATES))
        } else if bytes > limits.max_bytes {
            format!("{} MiB of memory", limits.max_bytes >> 20)
        } else {
            return Ok(());
        };
        Err(Error::TooManyStates { reached, transitions, limit })
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.store.len()
    }

    /// Number of transitions; two activities between the same states count twice.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// Likely mistakes with their positions: an action shared with a side that never performs it.
    pub fn warnings(&self) -> &[String] {
        &self.system.warnings
    }

    /// The components of the system equation, in their order, by the state they begin in.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        (0..self.system.machine_of.len()).map(|leaf| self.system.machine(leaf).labels[0].as_str())
    }

    /// The components that are not told apart from component `index`: those of its array `P[n]`, or itself alone.
    pub fn copies(&self, index: usize) -> std::ops::Range<usize> {
        self.system.array_of(index)
    }

    /// The local states of component `index`.
    ///
    /// # Panics
    /// When there is no such component.
    pub fn local_states(&self, index: usize) -> &[String] {
        &self.system.machine(index).labels
    }

    /// The actions of the model; `tau` is the first, whether it happens or not.
    pub fn actions(&self) -> &[String] {
        self.system.actions.names()
    }

    /// Each transition of state `number` as (action, rate per second, target).
    ///
    /// # Panics
    /// When there is no such state.
    pub fn from(&self, number: usize) -> impl Iterator<Item = (&str, f64, usize)> {
        let range = self.rows[number]..self.rows[number + 1];
        range.map(|index| {
            let (action, rate) = self.kinds[self.kind_of[index] as usize];
            (self.system.actions.name(action), rate, self.targets[index] as usize)
        })
    }

    /// A state as (P, Q, …); those of an array in the order of their machine's states.
    pub fn shown(&self, number: usize) -> String {
        let mut text = String::from("(");
        for leaf in 0..self.system.machine_of.len() {
            let label = &self.system.machine(leaf).labels[self.store.local(number, leaf) as usize];
            if text.len() > 400 {
                text.push_str(", …");
                break;
            }
            let _ = write!(text, "{}{}", if leaf > 0 { ", " } else { "" }, short(label));
        }
        text.push(')');
        text
    }

    /// Action and rate of each kind of transition.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&str, f64)> {
        self.kinds.iter().map(|(action, rate)| (self.system.actions.name(*action), *rate))
    }

    /// For each action, the sum over the states of `weight` times the rate of the action there.
    pub(super) fn flow(&self, weight: &[f64]) -> Vec<f64> {
        let mut flow = vec![0.0; self.system.actions.names().len()];
        for (state, weight) in weight.iter().enumerate() {
            for kind in &self.kind_of[self.rows[state]..self.rows[state + 1]] {
                let (action, rate) = self.kinds[*kind as usize];
                flow[action as usize] += weight * rate;
            }
        }
        flow
    }

    /// The Markov chain beneath, if every state can be reached from every other.
    ///
    /// # Errors
    /// [`Error::NotStronglyConnected`].
    pub fn chain(&self) -> Result<Chain, Error> {
        let rates = self.kinds.iter().map(|(_, rate)| *rate).collect();
        let chain = Chain::from_rows(&self.rows, &self.targets, &self.kind_of, rates);
        match chain.one_that_does_not_return() {
            Some(state) => Err(Error::NotStronglyConnected { state: self.shown(state), first: self.shown(0) }),
            None => Ok(chain),
        }
    }

    /// The states that are never left for ever, in their order, and their chain: where all states lead to, it has the one
    /// steady state.
    ///
    /// # Errors
    /// [`Error::NotStronglyConnected`]: there are several such sets.
    pub(super) fn recurrent(&self) -> Result<(Vec<usize>, Chain), Error> {
        let rates = self.kinds.iter().map(|(_, rate)| *rate).collect();
        let chain = Chain::from_rows(&self.rows, &self.targets, &self.kind_of, rates);
        let (mut one, mut reaching) = (0, chain.reaching(0));
        // A state from which there is no way back is nearer to the end.
        while let Some(further) = self.reached(one).into_iter().find(|state| !reaching[*state]) {
            one = further;
            reaching = chain.reaching(one);
        }
        if let Some(state) = reaching.iter().position(|reaches| !reaches) {
            return Err(Error::NotStronglyConnected { state: self.shown(state), first: self.shown(one) });
        }
        let mut states = self.reached(one);
        if states.len() == self.states() {
            return Ok(((0..self.states()).collect(), chain));
        }
        states.sort_unstable();
        let mut number = vec![u32::MAX; self.states()];
        states.iter().enumerate().for_each(|(of, state)| number[*state] = of as u32);
        let (mut rows, mut targets, mut kind_of) = (vec![0], Vec::new(), Vec::new());
        for state in &states {
            let range = self.rows[*state]..self.rows[state + 1];
            targets.extend(self.targets[range.clone()].iter().map(|target| number[*target as usize]));
            kind_of.extend_from_slice(&self.kind_of[range]);
            rows.push(targets.len());
        }
        let rates = self.kinds.iter().map(|(_, rate)| *rate).collect();
        Ok((states, Chain::from_rows(&rows, &targets, &kind_of, rates)))
    }

    /// The states that can be reached from one, itself included.
    fn reached(&self, from: usize) -> Vec<usize> {
        let (mut seen, mut states) = (vec![false; self.states()], vec![from]);
        seen[from] = true;
        let mut done = 0;
        while let Some(state) = states.get(done).copied() {
            done += 1;
            for target in &self.targets[self.rows[state]..self.rows[state + 1]] {
                if !std::mem::replace(&mut seen[*target as usize], true) {
                    states.push(*target as usize);
                }
            }
        }
        states
    }
}
