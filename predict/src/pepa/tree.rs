//! Cooperation structure of one action, reduced to the components that can perform it.

use super::machine::Machine;
use super::rates::Rate;

/// The ways in which one action can happen. Built per action, so that a state's transitions are found without looking
/// at components that have no part in them.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// One component alone.
    Leaf {
        /// Which.
        leaf: u32,
        /// The action's column in its machine.
        column: u32,
    },
    /// One of these (they are parallel, or do not share the action).
    Either(Vec<Tree>),
    /// All of these together (they share it).
    Both(Vec<Tree>),
}

impl Tree {
    /// `self` or `other`, flat: which one of many is the same as one of one of many.
    pub(super) fn or(self, other: Self) -> Self {
        let mut all = match self {
            Self::Either(all) => all,
            one => vec![one],
        };
        match other {
            Self::Either(more) => all.extend(more),
            one => all.push(one),
        }
        Self::Either(all)
    }

    /// `self` with `other`, flat: with P, Q, R sharing the action, (P, Q), R is P, (Q, R): rates are
    /// the product of r/r_a over all times the least r_a, whichever two come first.
    pub(super) fn with(self, other: Self) -> Self {
        let mut all = match self {
            Self::Both(all) => all,
            one => vec![one],
        };
        match other {
            Self::Both(more) => all.extend(more),
            one => all.push(one),
        }
        Self::Both(all)
    }
}

/// One way for an action to happen: its rate, and in `Scratch::moves` who goes where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) rate: Rate,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Both kinds of rate meet in one component.
pub(super) struct Mixed;

/// Work space for the steps of one tree, reused from state to state.
#[derive(Default, Debug)]
pub(super) struct Scratch {
    pub(super) steps: Vec<Step>,
    /// (leaf, new local state)
    pub(super) moves: Vec<(u32, u32)>,
}

/// Data that the trees read.
pub(super) struct View<'s> {
    /// Machine of each leaf.
    pub(super) machines: &'s [Machine],
    pub(super) machine_of: &'s [u32],
    /// Local state of each leaf.
    pub(super) local: &'s [u32],
}

impl Scratch {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.moves.clear();
    }

    /// Appends the steps of `tree` in the state of `view`.
    pub(super) fn steps_of(&mut self, tree: &Tree, view: &View<'_>) -> Result<(), Mixed> {
        match tree {
            Tree::Leaf { leaf, column } => {
                let machine = &view.machines[view.machine_of[*leaf as usize] as usize];
                for (rate, to) in machine.cell(view.local[*leaf as usize], *column) {
                    let from = self.moves.len();
                    self.moves.push((*leaf, *to));
                    self.steps.push(Step { rate: *rate, from, to: from + 1 });
                }
                Ok(())
            }
            Tree::Either(all) => {
                let start = self.steps.len();
                all.iter().try_for_each(|tree| self.steps_of(tree, view))?;
                let mut kinds = self.steps[start..].iter().map(|step| step.rate.is_passive());
                let first = kinds.next().unwrap_or(false);
                if kinds.all(|kind| kind == first) { Ok(()) } else { Err(Mixed) }
            }
            Tree::Both(all) => self.together(all, view),
        }
    }

    /// Folds the partners together, left to right; nobody there to take part means that nothing happens.
    fn together(&mut self, all: &[Tree], view: &View<'_>) -> Result<(), Mixed> {
        let start = self.steps.len();
        for (index, tree) in all.iter().enumerate() {
            let middle = self.steps.len();
            self.steps_of(tree, view)?;
            let end = self.steps.len();
            if middle == end {
                self.steps.truncate(start);
                return Ok(());
            }
            if index > 0 {
                self.combine(start, middle, end);
            }
        }
        Ok(())
    }

    /// Replaces the steps `start..middle` and `middle..end` by their pairs.
    fn combine(&mut self, start: usize, middle: usize, end: usize) {
        let apparent = |steps: &[Step]| steps.iter().map(|step| step.rate.value()).sum::<f64>();
        let (left, right) = (apparent(&self.steps[start..middle]), apparent(&self.steps[middle..end]));
        let (left_passive, right_passive) = (self.steps[start].rate.is_passive(), self.steps[middle].rate.is_passive());
        let least = match (left_passive, right_passive) {
            (true, false) => right,
            (false, true) => left,
            _ => left.min(right),
        };
        for i in start..middle {
            for j in middle..end {
                let (a, b) = (self.steps[i], self.steps[j]);
                let from = self.moves.len();
                self.moves.extend_from_within(a.from..a.to);
                self.moves.extend_from_within(b.from..b.to);
                let value = a.rate.value() / left * (b.rate.value() / right) * least;
                let rate = if left_passive && right_passive { Rate::Passive(value) } else { Rate::Active(value) };
                self.steps.push(Step { rate, from, to: self.moves.len() });
            }
        }
        self.steps.drain(start..end);
    }
}
