//! The steady state of a derived model: throughput, utilisation, result lines.

use super::error::Error;
use super::results::{Measure, Wanted};
use super::space::StateSpace;
use crate::markov::{Options, SteadyState};

impl StateSpace {
    /// Solves for the steady state.
    ///
    /// # Errors
    /// [`Error::NotStronglyConnected`], or the equations cannot be solved to the tolerance.
    pub fn solve(&self, how: &Options) -> Result<Solution<'_>, Error> {
        let (states, chain) = self.recurrent()?;
        let mut steady = chain.steady_state(how)?;
        if states.len() < self.states() {
            // States that are left for ever have no share of the time.
            let mut probabilities = vec![0.0; self.states()];
            states.iter().zip(&steady.probabilities).for_each(|(state, share)| probabilities[*state] = *share);
            steady.probabilities = probabilities;
        }
        Ok(Solution { space: self, steady })
    }
}

/// The steady state of a derived model.
#[derive(Debug)]
pub struct Solution<'s> {
    space: &'s StateSpace,
    steady: SteadyState,
}

impl<'s> Solution<'s> {
    /// Probabilities, residual and method.
    pub fn steady(&self) -> &SteadyState {
        &self.steady
    }

    /// Occurrences of each action per second, in the order of [`StateSpace::actions`]; `tau` sums the hidden ones.
    pub fn throughput(&self) -> Vec<(&'s str, f64)> {
        let flow = self.space.flow(&self.steady.probabilities);
        let named = self.space.actions().iter().map(String::as_str).zip(flow);
        named.filter(|(_, value)| *value > 0.0).collect()
    }

    /// For each component, the probability of each of its local states ([`StateSpace::local_states`]).
    pub fn utilisation(&self) -> Vec<Vec<f64>> {
        let leaves = 0..self.space.system.machine_of.len();
        let one = |leaf: usize| {
            let copies = self.space.copies(leaf);
            let mut shares = vec![0.0; self.space.local_states(leaf).len()];
            for (state, probability) in self.steady.probabilities.iter().enumerate() {
                for copy in copies.clone() {
                    shares[self.space.store.local(state, copy) as usize] += probability / copies.len() as f64;
                }
            }
            shares
        };
        let mut all: Vec<Vec<f64>> = Vec::new();
        for leaf in leaves {
            let same = self.space.copies(leaf).start;
            let shares = if same < leaf { all[same].clone() } else { one(leaf) };
            all.push(shares);
        }
        all
    }

    fn probability(&self, wanted: &Wanted) -> f64 {
        let store = &self.space.store;
        let all = self.steady.probabilities.iter().enumerate();
        all.map(|(state, probability)| probability * wanted.share(|leaf| store.local(state, leaf))).sum()
    }

    /// The result lines of the model: name and value.
    pub fn results(&self) -> Vec<(&'s str, f64)> {
        let value = |measure: &Measure| measure.value(|wanted| self.probability(wanted));
        self.space.measures.iter().map(|measure| (measure.name(), value(measure))).collect()
    }
}
