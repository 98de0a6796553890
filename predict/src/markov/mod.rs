//! Continuous-time Markov chains and their steady state.
//!
//! With generator Q (`q_ij` the rate from i to j, `q_ii = -q_i`, `q_i` the sum of the rates out of i), the steady state
//! of a finite, strongly connected chain is the one solution of
//!
//! > pi Q = 0, sum pi = 1
//!
//! (Stewart, *Introduction to the Numerical Solution of Markov Chains*, 1994). Small chains are solved by a sparse LU
//! factorisation, large ones by Gauss-Seidel sweeps, which need no memory beyond the chain and one vector.
//!
//! ```
//! use midrun_predict::markov::{Chain, Options};
//! // A machine fails once in 10 s and takes 2 s to repair.
//! let chain = Chain::from_transitions(2, &[(0, 1, 0.1), (1, 0, 0.5)])?;
//! let steady = chain.steady_state(&Options::default())?;
//! assert!((steady.probabilities[0] - 10.0 / 12.0).abs() < 1e-12);
//! # Ok::<(), midrun_predict::markov::Error>(())
//! ```

mod direct;
mod iterative;

/// Why there is no steady state to give.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
pub enum Error {
    /// A transition that no chain has.
    #[error(
        "transition {index}: from {from} to {to} at rate {rate}: states are below {states}, a rate is finite and above 0"
    )]
    BadTransition {
        /// Its place in the list.
        index: usize,
        /// Source.
        from: usize,
        /// Target.
        to: usize,
        /// Per second.
        rate: f64,
        /// How many states there are.
        states: usize,
    },
    /// A chain of no states, or one in which a state cannot be left and come back to the first.
    #[error("not strongly connected: there is no way to state {state} and back to state 0")]
    NotStronglyConnected {
        /// The state.
        state: usize,
    },
    /// The sweeps did not reach the tolerance.
    #[error("no steady state to tolerance {tolerance:e} in {sweeps} sweeps: the residual is {residual:e}")]
    NotConverged {
        /// What was asked for.
        tolerance: f64,
        /// Sweeps made.
        sweeps: usize,
        /// What was reached, see [`SteadyState::residual`].
        residual: f64,
    },
}

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Sparse LU factorisation.
    Direct,
    /// Gauss-Seidel sweeps.
    Iterative,
}

/// How to solve, and how well.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `None` chooses by [`Options::direct_up_to`].
    pub method: Option<Method>,
    /// Largest number of states that is solved directly.
    pub direct_up_to: usize,
    /// Largest residual of the sweeps, see [`SteadyState::residual`].
    pub tolerance: f64,
    /// Most sweeps.
    pub max_sweeps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { method: None, direct_up_to: 800, tolerance: 1e-10, max_sweeps: 50_000 }
    }
}

/// The steady state.
#[derive(Clone, Debug)]
pub struct SteadyState {
    /// Of each state.
    pub probabilities: Vec<f64>,
    /// What flows into a state and does not flow out, summed over the states, as a share of all that flows:
    /// `sum |pi Q| / sum pi_i q_i`.
    pub residual: f64,
    /// How it was found.
    pub method: Method,
    /// Sweeps made; 0 for the direct method.
    pub sweeps: usize,
}

/// A chain, stored by target state: for each state the transitions into it.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Where the transitions into each state begin.
    rows: Vec<usize>,
    sources: Vec<u32>,
    /// Number into `rates`.
    kind_of: Vec<u32>,
    /// Rates per second; there are few, and they stay in the processor's cache.
    rates: Vec<f64>,
    /// `q_i`, without loops from a state to itself.
    exits: Vec<f64>,
}

impl Chain {
    /// A chain of `states` states; a transition is (from, to, rate per second).
    ///
    /// # Errors
    /// [`Error::BadTransition`]; [`Error::NotStronglyConnected`].
    pub fn from_transitions(states: usize, transitions: &[(usize, usize, f64)]) -> Result<Self, Error> {
        let (mut rows, mut targets, mut kind_of) = (vec![0; states + 1], Vec::new(), Vec::new());
        for (index, &(from, to, rate)) in transitions.iter().enumerate() {
            let good = from < states && to < states && states <= u32::MAX as usize && rate.is_finite() && rate > 0.0;
            if !good {
                return Err(Error::BadTransition { index, from, to, rate, states });
            }
            rows[from + 1] += 1;
        }
        (0..states).for_each(|state| rows[state + 1] += rows[state]);
        let mut order: Vec<usize> = (0..transitions.len()).collect();
        order.sort_by_key(|index| transitions[*index].0);
        for index in order {
            targets.push(transitions[index].1 as u32);
            kind_of.push(index as u32);
        }
        let rates = transitions.iter().map(|(_, _, rate)| *rate).collect();
        let chain = Self::from_rows(&rows, &targets, &kind_of, rates);
        let unreached = unreached(states, |state, open| {
            open.extend(targets[rows[state]..rows[state + 1]].iter().map(|target| *target as usize));
        });
        match unreached.or_else(|| chain.one_that_does_not_return()) {
            Some(state) => Err(Error::NotStronglyConnected { state }),
            None => Ok(chain),
        }
    }

    /// A chain whose state i has the transitions `rows[i]..rows[i + 1]`, each with a target and the number of its rate.
    /// The caller knows that all are in range.
    pub(crate) fn from_rows(rows: &[usize], targets: &[u32], kind_of: &[u32], rates: Vec<f64>) -> Self {
        let states = rows.len() - 1;
        let mut into = vec![0_usize; states + 1];
        for source in 0..states {
            let targets = targets[rows[source]..rows[source + 1]].iter();
            targets.filter(|target| **target as usize != source).for_each(|target| into[*target as usize + 1] += 1);
        }
        (0..states).for_each(|state| into[state + 1] += into[state]);
        let all = into[states];
        let (mut sources, mut kinds) = (vec![0; all], vec![0; all]);
        for source in 0..states {
            for index in rows[source]..rows[source + 1] {
                let target = targets[index] as usize;
                if target != source {
                    sources[into[target]] = source as u32;
                    kinds[into[target]] = kind_of[index];
                    into[target] += 1;
                }
            }
        }
        // Filling moved each beginning to the next one's.
        into.rotate_right(1);
        into[0] = 0;
        let mut chain = Self { rows: into, sources, kind_of: kinds, rates: Vec::new(), exits: Vec::new() };
        chain.set_rates(rates);
        chain
    }

    /// The same transitions at other rates.
    pub(crate) fn set_rates(&mut self, rates: Vec<f64>) {
        self.exits = vec![0.0; self.states()];
        for (source, kind) in self.sources.iter().zip(&self.kind_of) {
            self.exits[*source as usize] += rates[*kind as usize];
        }
        self.rates = rates;
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.rows.len() - 1
    }

    /// The transitions into `state`: source and rate.
    fn into(&self, state: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.rows[state]..self.rows[state + 1];
        let (sources, kinds) = (&self.sources[range.clone()], &self.kind_of[range]);
        sources.iter().zip(kinds).map(|(source, kind)| (*source as usize, self.rates[*kind as usize]))
    }

    /// A state from which state 0 cannot be reached; with all reachable from 0, none means strongly connected.
    pub(crate) fn one_that_does_not_return(&self) -> Option<usize> {
        unreached(self.states(), |state, open| {
            let sources = &self.sources[self.rows[state]..self.rows[state + 1]];
            open.extend(sources.iter().map(|source| *source as usize));
        })
    }

    /// What flows into `state`, per second.
    fn inflow(&self, state: usize, probabilities: &[f64]) -> f64 {
        self.into(state).map(|(source, rate)| probabilities[source] * rate).sum()
    }

    /// See [`SteadyState::residual`].
    pub fn residual(&self, probabilities: &[f64]) -> f64 {
        let (mut lost, mut all) = (0.0, 0.0);
        for (state, probability) in probabilities.iter().enumerate() {
            let outflow = probability * self.exits[state];
            lost += (self.inflow(state, probabilities) - outflow).abs();
            all += outflow;
        }
        if all > 0.0 { lost / all } else { 0.0 }
    }

    /// Solves for the steady state.
    ///
    /// # Errors
    /// [`Error::NotConverged`].
    pub fn steady_state(&self, how: &Options) -> Result<SteadyState, Error> {
        self.steady_state_from(how, None)
    }

    /// As [`Chain::steady_state`]; the sweeps begin at `start`, such as the solution at similar rates.
    pub(crate) fn steady_state_from(&self, how: &Options, start: Option<&[f64]>) -> Result<SteadyState, Error> {
        let direct = match how.method {
            Some(method) => method == Method::Direct,
            None => self.states() <= how.direct_up_to,
        };
        // A matrix too ill-conditioned to be factorised still leaves the sweeps.
        let solved = if direct { direct::solve(self) } else { None };
        if let Some(probabilities) = solved {
            let residual = self.residual(&probabilities);
            if residual <= how.tolerance.max(1e-12) {
                return Ok(SteadyState { probabilities, residual, method: Method::Direct, sweeps: 0 });
            }
        }
        iterative::solve(self, how, start)
    }
}

/// A state that is not reached from state 0 by the steps that `next` appends; of no states, the first.
fn unreached(states: usize, next: impl Fn(usize, &mut Vec<usize>)) -> Option<usize> {
    if states == 0 {
        return Some(0);
    }
    let mut reached = vec![false; states];
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut reached[state], true) {
            next(state, &mut open);
        }
    }
    reached.iter().position(|reached| !reached)
}

/// Scales `values` to sum 1; `None` if they cannot be.
fn normalise(mut values: Vec<f64>) -> Option<Vec<f64>> {
    let sum: f64 = values.iter().sum();
    if !(sum.is_finite() && sum > 0.0) {
        return None;
    }
    values.iter_mut().for_each(|value| *value /= sum);
    Some(values)
}

#[cfg(test)]
mod tests;
