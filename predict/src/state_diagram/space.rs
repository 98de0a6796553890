//! The state space of running phases, walked forward: where the program is, with which probability, for how long.
//!
//! A state says how many phases each process has behind it. Every step brings one phase to its end (or several fixed ones at
//! once), so that the states lie in levels and only those ahead are kept; with `P(S)` the probability that S is visited,
//! the mean time is `sum of P(S) h(S)`, h the mean time spent in S: the recursion `E[S] = h(S) + sum of p_i E[S_i]`, summed
//! from its other end. Interchangeable processes are kept in order, so that states that differ only in their names are one.
//!
//! Visits of a state that differ in what is left of its fixed phases are averaged, all of them or, if phases have a grain, those
//! that agree to that grain: the gaps between processes that run ahead of each other then keep most of their variance.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::{Diagram, DiagramError};

/// A part of a stage.
///
/// Ortega-Arjona: a time of mean E and variance V becomes a fixed part `E - sqrt(V)` and one exponential phase of rate
/// `1/sqrt(V)`, or `E - sqrt(2 V)` and two of rate `sqrt(2/V)`; with m of them `E - sqrt(m V)` and the rate `sqrt(m/V)`,
/// which ends at m = k = E²/V with no fixed part at all, the Erlang distribution itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Always lasts the same.
    Fixed {
        /// Duration, seconds.
        time_s: f64,
        /// Visits of a state are averaged if this phase's remaining times agree to this, seconds; infinite: always.
        grain_s: f64,
    },
    /// Ends at this rate, per second.
    Exponential(f64),
}

/// Phases that each process has behind it, then, if there are grains, what is left of its fixed phase in grains.
type State = Box<[u16]>;
/// The states of one level, always in the same order for the same diagram, so that sums are the same as well.
type Level = HashMap<State, Visit, BuildHasherDefault<DefaultHasher>>;

/// Probability of visiting a state, and the mean rest of its running deterministic phases.
struct Visit {
    probability: f64,
    /// One entry for each process; 0 where no fixed phase runs. Empty where there are no fixed phases at all.
    left_s: Box<[f64]>,
}

/// A process as a row of phases.
struct Row {
    phases: Vec<Phase>,
    /// For each phase the first of a later stage: the processes that must have so many phases behind them.
    gates: Vec<Vec<(usize, u16)>>,
}

/// The diagram as rows.
struct Space {
    rows: Vec<Row>,
    classes: Vec<Vec<usize>>,
    any_fixed: bool,
    any_grain: bool,
}

/// Mean time and number of states.
pub fn mean_s(diagram: &Diagram, phases: &[Vec<Vec<Phase>>], limit: u64) -> Result<(f64, u64), DiagramError> {
    let space = Space::new(diagram, phases, limit)?;
    let mut levels: BTreeMap<u64, Level> = BTreeMap::new();
    let start: State = vec![0; space.rows.len()].into();
    let visit = Visit { probability: 1.0, left_s: space.entered(&start) };
    levels.entry(0).or_default().insert(start, visit);
    let (mut mean_s, mut states) = (0.0, 0);
    while let Some((number, level)) = levels.pop_first() {
        states += level.len() as u64;
        let ahead: usize = levels.values().map(Level::len).sum();
        if states + ahead as u64 > limit {
            return Err(DiagramError::TooManyStates { reached: states + ahead as u64, limit });
        }
        for (state, visit) in &level {
            mean_s += visit.probability * space.leave(number, state, visit, &mut levels);
        }
    }
    Ok((mean_s, states))
}

/// A state while it is left.
struct Here<'a> {
    number: u64,
    state: &'a State,
    visit: &'a Visit,
    running: Vec<Option<Phase>>,
}

impl Here<'_> {
    /// The processes whose fixed phases end next, `shortest_s` from now.
    fn fixed_ending(&self, shortest_s: f64) -> Vec<usize> {
        let is_fixed = |p: &usize| matches!(self.running[*p], Some(Phase::Fixed { .. }));
        let ends = |p: &usize| self.visit.left_s[*p] <= shortest_s * (1.0 + 1e-9);
        (0..self.running.len()).filter(is_fixed).filter(ends).collect()
    }
}

impl Space {
    fn new(diagram: &Diagram, phases: &[Vec<Vec<Phase>>], limit: u64) -> Result<Space, DiagramError> {
        let longest = phases.iter().map(|stages| stages.iter().map(Vec::len).sum::<usize>()).max().unwrap_or(0);
        if longest >= usize::from(u16::MAX) {
            return Err(DiagramError::TooManyStates { reached: longest as u64, limit });
        }
        // Phases that a process has completed after its stage s.
        let ends: Vec<Vec<u16>> = phases
            .iter()
            .map(|stages| {
                let add = |sum: &mut u16, stage: &Vec<Phase>| {
                    *sum += stage.len() as u16;
                    Some(*sum)
                };
                stages.iter().scan(0, add).collect()
            })
            .collect();
        let row = |(p, stages): (usize, &Vec<Vec<Phase>>)| {
            let mut gates = vec![Vec::new(); stages.iter().map(Vec::len).sum()];
            for stage in 1..stages.len() {
                let others = diagram.waits(p, stage).iter().filter(|&&q| q != p);
                let gate = others.map(|&q| (q, ends[q][diagram.awaited_stage(q, stage)])).collect();
                gates[usize::from(ends[p][stage - 1])] = gate;
            }
            Row { phases: stages.concat(), gates }
        };
        let rows: Vec<Row> = phases.iter().enumerate().map(row).collect();
        let any_fixed = rows.iter().flat_map(|row| &row.phases).any(|phase| matches!(phase, Phase::Fixed { .. }));
        let grained = |phase: &Phase| matches!(phase, Phase::Fixed { grain_s, .. } if grain_s.is_finite());
        let any_grain = rows.iter().flat_map(|row| &row.phases).any(grained);
        Ok(Space { rows, classes: diagram.classes(), any_fixed, any_grain })
    }

    /// The phase that process `p` runs, unless it waits or has finished.
    fn running(&self, state: &[u16], p: usize) -> Option<Phase> {
        let row = &self.rows[p];
        let at = usize::from(state[p]);
        let phase = row.phases.get(at)?;
        row.gates[at].iter().all(|&(q, needed)| state[q] >= needed).then_some(*phase)
    }

    /// The fixed phases that begin with the program.
    fn entered(&self, state: &[u16]) -> Box<[f64]> {
        let left = |p| if let Some(Phase::Fixed { time_s, .. }) = self.running(state, p) { time_s } else { 0.0 };
        if self.any_fixed { (0..self.rows.len()).map(left).collect() } else { Box::default() }
    }

    /// Adds the states that follow to `levels`; the mean time spent here.
    ///
    /// With fixed phases that end after r at the earliest beside exponential ones of rates that sum up to L: those end first
    /// with probability `1 - exp(-L r)`, then after `1/L - r exp(-L r)/(1 - exp(-L r))` on average.
    fn leave(&self, number: u64, state: &State, visit: &Visit, levels: &mut BTreeMap<u64, Level>) -> f64 {
        let running: Vec<Option<Phase>> = (0..self.rows.len()).map(|p| self.running(state, p)).collect();
        let (mut rate, mut shortest_s) = (0.0, f64::INFINITY);
        for (p, phase) in running.iter().enumerate() {
            match phase {
                Some(Phase::Exponential(of)) => rate += of,
                Some(Phase::Fixed { .. }) => shortest_s = shortest_s.min(visit.left_s[p]),
                None => {}
            }
        }
        if rate == 0.0 && shortest_s.is_infinite() {
            return 0.0; // the end
        }
        let here = Here { number, state, visit, running };
        let survives = if rate == 0.0 { 1.0 } else { (-rate * shortest_s).exp() };
        if survives > 0.0 {
            let ended = here.fixed_ending(shortest_s);
            self.arrive(&here, &ended, survives, shortest_s, levels);
        }
        let fires = -(-rate * shortest_s).exp_m1();
        if rate == 0.0 || fires == 0.0 {
            return shortest_s;
        }
        let after_s = if survives == 0.0 { 1.0 / rate } else { 1.0 / rate - shortest_s * survives / fires };
        for (p, phase) in here.running.iter().enumerate() {
            if let Some(Phase::Exponential(of)) = phase {
                self.arrive(&here, &[p], fires * of / rate, after_s.max(0.0), levels);
            }
        }
        fires / rate
    }

    /// Adds the state in which the phases of `ended` are over, `after_s` later, with this share of the visit's probability.
    fn arrive(&self, here: &Here, ended: &[usize], share: f64, after_s: f64, levels: &mut BTreeMap<u64, Level>) {
        let mut next: State = here.state[..self.rows.len()].into();
        ended.iter().for_each(|&p| next[p] += 1);
        let mut left_s = Box::default();
        if self.any_fixed {
            left_s = self.entered(&next);
            for (p, left) in left_s.iter_mut().enumerate().filter(|(_, left)| **left > 0.0) {
                if next[p] == here.state[p] && here.running[p].is_some() {
                    *left = (here.visit.left_s[p] - after_s).max(0.0);
                }
            }
        }
        self.put_in_order(&mut next, &mut left_s);
        if self.any_grain {
            next = self.with_grains(&next, &left_s);
        }
        let probability = here.visit.probability * share;
        let level = levels.entry(here.number + ended.len() as u64).or_default();
        match level.get_mut(&next) {
            None => {
                level.insert(next, Visit { probability, left_s });
            }
            Some(known) => {
                known.probability += probability;
                let weight = if known.probability > 0.0 { probability / known.probability } else { 0.0 };
                for (old, new) in known.left_s.iter_mut().zip(&left_s) {
                    *old += weight * (new - *old);
                }
            }
        }
    }

    /// The state, told apart by what is left of its running fixed phases.
    fn with_grains(&self, state: &[u16], left_s: &[f64]) -> State {
        let grains = |(p, left): (usize, &f64)| match self.rows[p].phases.get(usize::from(state[p])) {
            Some(Phase::Fixed { grain_s, .. }) if *left > 0.0 => (left / grain_s).ceil() as u16,
            _ => 0,
        };
        state.iter().copied().chain(left_s.iter().enumerate().map(grains)).collect()
    }

    /// Sorts the members of each class by how far they are.
    fn put_in_order(&self, state: &mut [u16], left_s: &mut [f64]) {
        for class in self.classes.iter().filter(|class| class.len() > 1) {
            let of = |&p: &usize| (state[p], left_s.get(p).copied().unwrap_or(0.0));
            let mut members: Vec<(u16, f64)> = class.iter().map(of).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            for (&p, (at, left)) in class.iter().zip(members) {
                state[p] = at;
                if let Some(place) = left_s.get_mut(p) {
                    *place = left;
                }
            }
        }
    }
}
