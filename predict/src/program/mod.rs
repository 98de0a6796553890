//! Hybrid simulation of MPI programs: what they cost is computed, how they wait for each other is simulated.
//!
//! Pllana 2009 (Performance Prophet). A [`Program`] is a tree of elements that every process runs: computations whose cost is
//! an [`Expression`] of named parameters, messages, collective communication, loops, branches, and the two frameworks. A
//! [`Machine`] has nodes with processors, and links. [`simulate`] runs both, event by event, deterministic by its seed.
//!
//! A message of v bytes takes `start_up + per_byte v`; its sender is busy for the overhead. Bytes between nodes pass the way out
//! and the way in of their nodes, inside a node those of their processes; messages that are under way at once share them
//! max-min fair (Velho, Legrand, *Accuracy Study and Improvement of Network Simulation in the SimGrid Framework*, 2009). A send
//! of more bytes than the link's eager limit is announced, answered and sent: its sender waits for the receiver. Messages between
//! the same two processes keep their order. Collective communication is the messages of the algorithm that the MPI takes
//! ([`Collectives`]: Thakur, Rabenseifner, Gropp, *Optimization of Collective Communication Operations in MPICH*, 2005). A
//! Master/Worker iteration is [`midrun_models::simulate`], which runs the framework's own hand-out code, on these links.
//!
//! ```
//! use midrun_predict::program::{Machine, Options, Program, simulate};
//! let program = Program::from_toml(r#"
//!     processes = 2
//!     run = ["work", "result", "take"]
//!     [element.work]
//!     kind = "compute"
//!     seconds = "if(rank == 0, 1, 3)"
//!     [element.result]
//!     kind = "send"
//!     when = "rank == 1"
//!     to = 0
//!     bytes = 1e6
//!     [element.take]
//!     kind = "receive"
//!     when = "rank == 0"
//!     from = 1
//! "#)?;
//! let machine = Machine::from_toml("node = [{ cores = 2 }]\ninside = { start_up = '1ms', per_byte = '1ns' }")?;
//! let outcome = simulate(&program, &machine, &Options::default()).unwrap();
//! assert!((outcome.total_s - 3.002).abs() < 1e-12);
//! # Ok::<(), midrun_predict::description::DescriptionError>(())
//! ```

mod collective;
mod compiled;
mod element;
mod estimate;
mod file;
pub mod learnt;
mod machine;
mod messages;
mod network;
mod outcome;
mod print;
mod processors;
mod run;
mod view;

use std::collections::BTreeMap;

pub use collective::{Algorithm, Collectives, Mpi};
pub use element::{Collective, Cost, Element, MasterWorker, Mode, Pipeline, Stage, What};
pub use estimate::{Estimate, Precision, estimate};
pub use machine::{Link, MOST_NODES, Machine, Node, Placement, Scheduling};
pub use midrun_models::expression::{Expression, ExpressionError, Function, MOST_CHARACTERS, MOST_DEPTH, Operator};
pub use outcome::{Activity, ElementTimes, Outcome, ProcessTimes, Span, Times};
pub use view::{Part, View};

/// Most processes of a program.
pub const MOST_PROCESSES: usize = 1_000_000;
/// Most elements of a program.
pub const MOST_ELEMENTS: usize = 10_000;
/// Most elements inside one another.
pub const MOST_LEVELS: usize = 64;

/// Names that every cost function may use: the process's number, the number of processes, the number of its node.
const BUILT_IN: [&str; 3] = ["rank", "processes", "node"];
/// The number of the task, or of the input, where there is one.
const ITEMS: [&str; 2] = ["task", "input"];
/// Names that no parameter may have.
const RESERVED: [&str; 8] = ["rank", "processes", "node", "task", "input", "and", "or", "not"];

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Number of processes.
    processes: Expression,
    /// Numbers, or expressions of each other.
    parameters: BTreeMap<String, Expression>,
    /// The elements that every process runs, one after another.
    run: Vec<usize>,
    elements: Vec<Element<Expression>>,
}

/// Why there is no prediction.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProgramError {
    /// The machine's description is wrong.
    #[error("{0}")]
    Machine(String),
    /// The program's description is wrong.
    #[error("{0}")]
    Program(String),
    /// A parameter that is not there, or has no value.
    #[error("parameter `{name}`: {what}")]
    Parameter {
        /// Its name.
        name: String,
        /// The mistake, as a sentence.
        what: String,
    },
    /// A cost function has a value that makes no sense.
    #[error("element `{element}`, process {process}: {what} is {value}, but it must be {allowed}")]
    Value {
        /// Position in the text.
        element: String,
        /// Which process.
        process: usize,
        /// Which value.
        what: &'static str,
        /// The value.
        value: f64,
        /// The allowed values.
        allowed: String,
    },
    /// Everyone waits.
    #[error("deadlock after {time_s} s: {}", waiting.join(", "))]
    Deadlock {
        /// When the last process began to wait.
        time_s: f64,
        /// The waiting processes and what they wait for, the first few.
        waiting: Vec<String>,
    },
    /// Larger than what is simulated.
    #[error("{what} at {time_s} s, in element `{element}`: {hint}")]
    Limit {
        /// Which limit.
        what: String,
        /// When it was reached.
        time_s: f64,
        /// Position in the text.
        element: String,
        /// The remedy.
        hint: &'static str,
    },
}

/// Options of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// For what is drawn: the same gives the same answer.
    pub seed: u64,
    /// Most pieces of the timeline that are kept; 0: none.
    pub spans: usize,
    /// Most events; beyond, the simulation stops and says where.
    pub events: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 1, spans: 0, events: 200_000_000 }
    }
}

/// Runs a program on a machine.
///
/// # Errors
/// A value that makes no sense, a deadlock, a limit.
pub fn simulate(program: &Program, machine: &Machine, options: &Options) -> Result<Outcome, ProgramError> {
    let compiled = compiled::compile(program)?;
    run::run(&compiled, machine, options)
}

impl Program {
    /// Number of processes with the parameters as they are.
    ///
    /// # Errors
    /// Parameters without a value, a number that no program has.
    pub fn processes(&self) -> Result<usize, ProgramError> {
        compiled::processes(self)
    }

    /// Gives a parameter another value.
    ///
    /// # Errors
    /// No such parameter, no number.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), ProgramError> {
        let wrong = |what: String| ProgramError::Parameter { name: name.to_owned(), what };
        if !value.is_finite() {
            return Err(wrong(format!("its value is {value}, but it must be finite")));
        }
        let known: Vec<&str> = self.parameters.keys().map(String::as_str).collect();
        let sentence = format!("there is none of this name, but {}", known.join(", "));
        let parameter = self.parameters.get_mut(name).ok_or_else(|| wrong(sentence))?;
        let size = Expression::Number(value.abs());
        *parameter = if value < 0.0 { Expression::Minus(Box::new(size)) } else { size };
        Ok(())
    }

    /// Refuses too many elements, elements inside themselves and elements that are never run.
    fn checked(self) -> Result<Program, ProgramError> {
        let wrong = |what: String| Err(ProgramError::Program(what));
        let count = self.elements.len();
        if count > MOST_ELEMENTS {
            return wrong(format!("{count} elements are too many, allowed are {MOST_ELEMENTS}"));
        }
        // Nesting depth of each element, once known.
        let mut depth: Vec<Option<usize>> = vec![None; count];
        let mut open: Vec<usize> = Vec::new();
        let mut ahead: Vec<(usize, bool)> = self.run.iter().map(|k| (*k, false)).collect();
        while let Some((k, left)) = ahead.pop() {
            let name = &self.elements[k].name;
            if left {
                open.pop();
                let inner = self.elements[k].inner().filter_map(|of| depth[of]).max();
                depth[k] = Some(inner.unwrap_or(0) + 1);
                if depth[k] > Some(MOST_LEVELS) {
                    return wrong(format!("element `{name}` has more than {MOST_LEVELS} levels inside it"));
                }
            } else if open.contains(&k) {
                return wrong(format!("element `{name}` is inside itself"));
            } else if depth[k].is_none() {
                open.push(k);
                ahead.push((k, true));
                ahead.extend(self.elements[k].inner().map(|of| (of, false)));
            }
        }
        match depth.iter().position(Option::is_none) {
            Some(k) => {
                wrong(format!("element `{}` is never run: it is neither in run nor in any do", self.elements[k].name))
            }
            None => Ok(self),
        }
    }
}
