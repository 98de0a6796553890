//! Continuous-time Markov chains and their steady state.
//!
//! With generator Q (`q_ij` the rate from i to j, `q_ii = -q_i`, `q_i` the sum of the rates out of i), the steady state
//! of a finite, strongly connected chain is the one solution of
//!
//! > pi Q = 0, sum pi = 1
//!
//! (Stewart, *Introduction to the Numerical Solution of Markov Chains*, 1994). Small chains are solved by state reduction,
//! large ones by Gauss-Seidel sweeps, which need no memory beyond the chain and one vector.

mod direct;
mod iterative;

/// Why there is no steady state to give.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
pub enum Error {
    /// The sweeps did not reach the tolerance.
    #[error("no steady state to tolerance {tolerance:e} in {sweeps} sweeps: the residual is {residual:e}")]
    NotConverged {
        /// [`Options::tolerance`].
        tolerance: f64,
        /// Number of sweeps.
        sweeps: usize,
        /// [`SteadyState::residual`] after the last sweep.
        residual: f64,
    },
}

/// Solution method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// State reduction.
    Direct,
    /// Gauss-Seidel sweeps.
    Iterative,
}

/// Method and precision of a solution.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `None` chooses by [`Options::direct_up_to`].
    pub method: Option<Method>,
    /// Largest number of states that is solved directly: a dense matrix of 800 states takes 5 MB.
    pub direct_up_to: usize,
    /// Largest number of states that is solved directly where the sweeps do not converge: 8000 take 512 MB.
    pub direct_if_stalled_up_to: usize,
    /// Largest residual of the sweeps, see [`SteadyState::residual`].
    pub tolerance: f64,
    /// Largest number of sweeps.
    pub max_sweeps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { method: None, direct_up_to: 800, direct_if_stalled_up_to: 8000, tolerance: 1e-10, max_sweeps: 50_000 }
    }
}

/// The steady state.
#[derive(Clone, Debug)]
pub struct SteadyState {
    /// Probability of each state.
    pub probabilities: Vec<f64>,
    /// Imbalance of inflow and outflow summed over the states, as a share of the whole flow:
    /// `sum |pi Q| / sum pi_i q_i`.
    pub residual: f64,
    /// Method that found it.
    pub method: Method,
    /// Number of sweeps; 0 for the direct method.
    pub sweeps: usize,
}

/// A strongly connected chain, stored by target state: for each state the transitions into it.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Index of the first transition into each state.
    rows: Vec<usize>,
    sources: Vec<u32>,
    /// Index into `rates` of each transition.
    kind_of: Vec<u32>,
    /// Distinct rates per second: few, so that they stay in the processor's cache.
    rates: Vec<f64>,
    /// `q_i`, without transitions from a state to itself.
    exits: Vec<f64>,
}

impl Chain {
    /// A chain whose state i has the transitions `rows[i]..rows[i + 1]`, each with a target and the index of its rate.
    /// All must be in range, and the chain strongly connected (see [`Chain::one_that_does_not_return`]).
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
        // Filling advanced each row's begin to the begin of the next row.
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

    /// Number of states.
    pub fn states(&self) -> usize {
        self.rows.len() - 1
    }

    /// The transitions into `state`: source and rate.
    fn into(&self, state: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.rows[state]..self.rows[state + 1];
        let (sources, kinds) = (&self.sources[range.clone()], &self.kind_of[range]);
        sources.iter().zip(kinds).map(|(source, kind)| (*source as usize, self.rates[*kind as usize]))
    }

    /// A state from which state 0 cannot be reached. `None` where all states are reachable from 0: strongly connected.
    pub(crate) fn one_that_does_not_return(&self) -> Option<usize> {
        self.reaching(0).iter().position(|reaches| !reaches)
    }

    /// For each state, whether there is a way from it to `target`.
    pub(crate) fn reaching(&self, target: usize) -> Vec<bool> {
        let mut reached = vec![false; self.states()];
        let mut open = vec![target];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                open.extend(self.into(state).map(|(source, _)| source));
            }
        }
        reached
    }

    /// Probability flow into `state`, per second.
    fn inflow(&self, state: usize, probabilities: &[f64]) -> f64 {
        self.into(state).map(|(source, rate)| probabilities[source] * rate).sum()
    }

    /// The residual of these probabilities, see [`SteadyState::residual`].
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

    /// Like [`Chain::steady_state`]; the sweeps begin at `start`, for example the solution at similar rates.
    pub(crate) fn steady_state_from(&self, how: &Options, start: Option<&[f64]>) -> Result<SteadyState, Error> {
        let direct = match how.method {
            Some(method) => method == Method::Direct,
            None => self.states() <= how.direct_up_to,
        };
        // Where rates overflow the reduction, the iterative method follows.
        let solved = if direct { direct::solve(self) } else { None };
        if let Some(probabilities) = solved {
            let residual = self.residual(&probabilities);
            if residual <= how.tolerance.max(1e-12) {
                return Ok(SteadyState { probabilities, residual, method: Method::Direct, sweeps: 0 });
            }
        }
        let swept = iterative::solve(self, how, start);
        // Where the sweeps stall, rates of very different size are likely: state reduction keeps its precision whatever they are.
        let stalled = swept.is_err() && how.method.is_none() && !direct && self.states() <= how.direct_if_stalled_up_to;
        let reduced = if stalled { direct::solve(self) } else { None };
        match reduced {
            Some(probabilities) => {
                let residual = self.residual(&probabilities);
                Ok(SteadyState { probabilities, residual, method: Method::Direct, sweeps: 0 })
            }
            None => swept,
        }
    }
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
