//! Placing the stages of a pipeline on unequal processors and links.
//!
//! The model is that of Benoit, Cole, Gilmore and Hillston, *Evaluating the performance of pipeline-structured parallel
//! programs with skeletons and process algebra* (2005), in PEPA ([`crate::pepa`]):
//!
//! > `Stage_i = (move_i, T).(process_i, T).(move_i+1, T).Stage_i`
//!
//! Neighbouring stages cooperate on the move between them. A processor gives `process_i` the rate
//! `mu_i = w_i cp_j / nbst_j` (j hosts stage i and `nbst_j` stages in all), the network gives `move_i` the rate
//! `lambda_i = nl_(a-b) / ds_i` (from a, where stage i - 1 is, to b, where stage i is; at the ends the places of the
//! input and the output). `w_i` is the source's: a stage twice as heavy has half the `w`. With n stages there are 3^n
//! states. The throughput, in inputs per second, is `mu_1` times the probability that stage 1 is ready to process.
//!
//! ```
//! use midrun_predict::mapping::{Mapping, Stages, throughput};
//! let stages = Stages { work: vec![1.0; 3], data: vec![1.0; 4] };
//! let links = vec![vec![10_000.0; 3]; 3];
//! let mapping = Mapping { input: 0, stages: vec![0, 1, 2], output: 2 };
//! let value = throughput(&[10.0; 3], &links, &stages, &mapping)?;
//! assert!((value - 5.63467).abs() < 0.000_005);
//! # Ok::<(), midrun_predict::mapping::Error>(())
//! ```

mod bound;
mod description;
mod evaluate;
mod model;
mod search;
mod surrogate;

use std::fmt;

pub use bound::{cycle_bound, proven_bound};
pub use description::{Description, Mistake};
pub use evaluate::{Evaluation, Evaluator, best};
pub use search::{Effort, Found, search};

use crate::pepa;

/// Most processors and stages: links are a square table, and a stage triples the states.
pub(crate) const MOST_PROCESSORS: usize = 256;
/// 3^30 states are beyond every memory; the search's estimates go further than exact values do.
pub(crate) const MOST_STAGES: usize = 64;

/// Why there is no throughput.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
pub enum Error {
    /// A number that no machine or stage has.
    #[error("{what} is {value}; it must be a finite number above 0")]
    BadNumber {
        /// Which one, as the description file calls it.
        what: String,
        /// Its value.
        value: f64,
    },
    /// Lists whose lengths do not fit together.
    #[error("{what}: there are {found}, there must be {expected}")]
    BadLength {
        /// Of what.
        what: String,
        /// Number found.
        found: usize,
        /// Number required.
        expected: String,
    },
    /// A processor that does not exist.
    #[error("mapping {mapping}: there is no processor {processor}; they are 1 to {processors}")]
    NoSuchProcessor {
        /// The mapping.
        mapping: String,
        /// Counted from 1.
        processor: usize,
        /// Number found.
        processors: usize,
    },
    /// The model cannot be derived or solved.
    #[error("mapping {mapping}: {error}")]
    Model {
        /// The mapping.
        mapping: String,
        /// Why.
        error: pepa::Error,
    },
}

/// A pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages {
    /// `w_i`: inputs per second of stage i on a processor of power 1.
    pub work: Vec<f64>,
    /// `ds_i`: the size of what stage i receives; one more than stages, the last is the output's. In the units of the
    /// links, such as bytes.
    pub data: Vec<f64>,
}

/// Processors of the stages, counted from 0 here and from 1 in descriptions and messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// Processor of the input.
    pub input: usize,
    /// The processor of each stage.
    pub stages: Vec<usize>,
    /// Processor of the output.
    pub output: usize,
}

impl fmt::Display for Mapping {
    /// `[1,(1,1,2),2]`, as the description file has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages: Vec<String> = self.stages.iter().map(|processor| (processor + 1).to_string()).collect();
        write!(f, "[{},({}),{}]", self.input + 1, stages.join(","), self.output + 1)
    }
}

/// Processors of the input and of the output; `None`: that of the first (last) stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Of the input.
    pub input: Option<usize>,
    /// Of the output.
    pub output: Option<usize>,
}

impl Ends {
    /// A mapping with these ends. No stages make no mapping of any pipeline.
    pub fn mapping(self, stages: Vec<usize>) -> Mapping {
        let first = stages.first().copied().unwrap_or(0);
        let last = stages.last().copied().unwrap_or(0);
        Mapping { input: self.input.unwrap_or(first), output: self.output.unwrap_or(last), stages }
    }
}

/// A pipeline and the machine it may run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// `cp_j`: power of each processor, relative to that which `w` was measured on.
    processors: Vec<f64>,
    /// `nl_(a-b)`: per second, from a (row) to b, in the units of `ds`.
    links: Vec<Vec<f64>>,
    stages: Stages,
}

/// Rates of one mapping, per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// `lambda_1` to `lambda_(n+1)`.
    pub moves: Vec<f64>,
    /// `mu_1` to `mu_n`.
    pub process: Vec<f64>,
}

fn positive(what: impl FnOnce() -> String, value: f64) -> Result<(), Error> {
    let good = value.is_finite() && value > 0.0;
    if good { Ok(()) } else { Err(Error::BadNumber { what: what(), value }) }
}

fn length(what: &str, found: usize, good: bool, expected: String) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::BadLength { what: what.to_owned(), found, expected }) }
}

impl Pipeline {
    /// Checks that the numbers fit together.
    ///
    /// # Errors
    /// [`Error::BadNumber`] or [`Error::BadLength`].
    pub fn new(processors: Vec<f64>, links: Vec<Vec<f64>>, stages: Stages) -> Result<Self, Error> {
        let (p, s) = (processors.len(), stages.work.len());
        length("processors", p, (1..=MOST_PROCESSORS).contains(&p), format!("1 to {MOST_PROCESSORS}"))?;
        length("stages", s, (1..=MOST_STAGES).contains(&s), format!("1 to {MOST_STAGES}"))?;
        length(
            "sizes of data",
            stages.data.len(),
            stages.data.len() == s + 1,
            format!("{}, one more than stages", s + 1),
        )?;
        length("rows of links", links.len(), links.len() == p, format!("{p}, one for each processor"))?;
        for (from, row) in links.iter().enumerate() {
            length("links of a row", row.len(), row.len() == p, format!("{p}, one for each processor"))?;
            for (to, value) in row.iter().enumerate() {
                positive(|| format!("nl{}-{}", from + 1, to + 1), *value)?;
            }
        }
        let named = [("cp", &processors), ("w", &stages.work), ("ds", &stages.data)];
        for (name, values) in named {
            for (index, value) in values.iter().enumerate() {
                positive(|| format!("{name}{}", index + 1), *value)?;
            }
        }
        Ok(Self { processors, links, stages })
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.stages.work.len()
    }

    /// Number of processors.
    pub fn processors(&self) -> usize {
        self.processors.len()
    }

    fn check(&self, mapping: &Mapping) -> Result<(), Error> {
        let (found, expected) = (mapping.stages.len(), self.stages());
        length(&format!("stages of mapping {mapping}"), found, found == expected, expected.to_string())?;
        let mut places = mapping.stages.iter().chain([&mapping.input, &mapping.output]);
        match places.find(|place| **place >= self.processors()) {
            Some(place) => {
                let (processor, processors) = (place + 1, self.processors());
                Err(Error::NoSuchProcessor { mapping: mapping.to_string(), processor, processors })
            }
            None => Ok(()),
        }
    }

    /// `mu` and `lambda` of `mapping`.
    ///
    /// # Errors
    /// A mapping of another pipeline; a rate out of a double's range.
    pub fn rates(&self, mapping: &Mapping) -> Result<Rates, Error> {
        self.check(mapping)?;
        let mut hosted = vec![0.0; self.processors()];
        mapping.stages.iter().for_each(|place| hosted[*place] += 1.0);
        let process: Vec<f64> = (mapping.stages.iter().zip(&self.stages.work))
            .map(|(place, work)| work * self.processors[*place] / hosted[*place])
            .collect();
        let from = [&mapping.input].into_iter().chain(&mapping.stages);
        let to = mapping.stages.iter().chain([&mapping.output]);
        let moves: Vec<f64> =
            from.zip(to).zip(&self.stages.data).map(|((from, to), data)| self.links[*from][*to] / data).collect();
        for (name, rates) in [("mu", &process), ("lambda", &moves)] {
            for (index, rate) in rates.iter().enumerate() {
                positive(|| format!("{name}{} of mapping {mapping}", index + 1), *rate)?;
            }
        }
        Ok(Rates { moves, process })
    }
}

/// Inputs per second of a pipeline with its stages placed as `mapping` says, at up to 3^13 states or so in the default
/// limits of [`pepa::Limits`]. For many mappings of one pipeline an [`Evaluator`] is quicker.
///
/// # Errors
/// Numbers that do not fit together, too many states.
pub fn throughput(processors: &[f64], links: &[Vec<f64>], stages: &Stages, mapping: &Mapping) -> Result<f64, Error> {
    let pipeline = Pipeline::new(processors.to_vec(), links.to_vec(), stages.clone())?;
    let mut evaluator = Evaluator::new(pipeline, pepa::Limits::default());
    Ok(evaluator.evaluate(mapping)?.throughput)
}

#[cfg(test)]
mod tests;
