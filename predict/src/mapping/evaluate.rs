//! Exact throughput of many mappings: they all have the same states and transitions, only the rates differ.

use rustc_hash::FxHashMap;

use super::{Error, Mapping, Pipeline, Rates};
use crate::markov::{Chain, Method, Options};
use crate::pepa::{Limits, StateSpace};

/// Throughput of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The mapping.
    pub mapping: Mapping,
    /// Inputs per second.
    pub throughput: f64,
    /// States of the model.
    pub states: usize,
    /// Transitions of the model.
    pub transitions: usize,
    /// How it was solved: directly is exact up to rounding.
    pub method: Method,
}

/// The best of `all`; of equals (to one part in 10^9) the first.
pub fn best(all: &[Evaluation]) -> Option<&Evaluation> {
    let mut all = all.iter();
    let first = all.next()?;
    Some(all.fold(first, |best, next| if next.throughput > best.throughput * (1.0 + 1e-9) { next } else { best }))
}

/// Which rate a kind of transition has.
#[derive(Clone, Copy)]
enum Source {
    Move(usize),
    Process(usize),
}

/// The states, once derived.
struct Derived {
    chain: Chain,
    sources: Vec<Source>,
    /// States in which stage 1 is ready to process.
    ready: Vec<u32>,
    transitions: usize,
    last: Option<Vec<f64>>,
}

/// Works out throughputs; the states are derived once, and mappings with the same rates are solved once.
pub struct Evaluator {
    pipeline: Pipeline,
    limits: Limits,
    derived: Option<Derived>,
    known: FxHashMap<Vec<u64>, (f64, Method)>,
}

impl Derived {
    fn new(space: &StateSpace) -> Result<Self, crate::pepa::Error> {
        let number = |text: &str| text.parse::<usize>().unwrap_or(1) - 1;
        let source = |action: &str| match action.strip_prefix("move") {
            Some(text) => Source::Move(number(text)),
            None => Source::Process(number(action.trim_start_matches("process"))),
        };
        let sources: Vec<Source> = space.kinds().map(|(action, _)| source(action)).collect();
        let offers = |state: &u32| space.from(*state as usize).any(|(action, ..)| action == "process1");
        let ready = (0..space.states() as u32).filter(offers).collect();
        Ok(Self { chain: space.chain()?, sources, ready, transitions: space.transitions(), last: None })
    }

    fn throughput(&mut self, rates: &Rates) -> Result<(f64, Method), crate::pepa::Error> {
        let rate = |source: &Source| match source {
            Source::Move(k) => rates.moves[*k],
            Source::Process(k) => rates.process[*k],
        };
        self.chain.set_rates(self.sources.iter().map(rate).collect());
        let steady = self.chain.steady_state_from(&Options::default(), self.last.as_deref())?;
        let ready: f64 = self.ready.iter().map(|state| steady.probabilities[*state as usize]).sum();
        self.last = Some(steady.probabilities);
        Ok((rates.process[0] * ready, steady.method))
    }
}

impl Evaluator {
    /// For mappings of `pipeline`.
    pub fn new(pipeline: Pipeline, limits: Limits) -> Self {
        Self { pipeline, limits, derived: None, known: FxHashMap::default() }
    }

    /// The pipeline.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// The throughput of `mapping`.
    ///
    /// # Errors
    /// A mapping of another pipeline; more states than the limits allow.
    pub fn evaluate(&mut self, mapping: &Mapping) -> Result<Evaluation, Error> {
        let rates = self.pipeline.rates(mapping)?;
        let wrong = |error| Error::Model { mapping: mapping.to_string(), error };
        let derived = match &mut self.derived {
            Some(derived) => derived,
            empty => {
                let space = self.pipeline.model(mapping)?.derive(&self.limits).map_err(wrong)?;
                empty.insert(Derived::new(&space).map_err(wrong)?)
            }
        };
        let key: Vec<u64> = rates.process.iter().chain(&rates.moves).map(|rate| rate.to_bits()).collect();
        let (throughput, method) = match self.known.get(&key) {
            Some(known) => *known,
            None => derived.throughput(&rates).map_err(wrong)?,
        };
        self.known.insert(key, (throughput, method));
        let (states, transitions) = (derived.chain.states(), derived.transitions);
        Ok(Evaluation { mapping: mapping.clone(), throughput, states, transitions, method })
    }
}
