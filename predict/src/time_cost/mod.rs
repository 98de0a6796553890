//! Time cost of computation structures: what a parallel computation takes, from the graph of its operations.
//!
//! Qin, Ammar, Sholl, *A simulation approach to evaluate the time cost of parallel computations* (TCSS, 1996). A signal runs
//! through a control graph and carries the time and the processing power P. An operation adds `cost / (speed min(1, P))`; a
//! fork splits P among its branches, the powers sum up to P; a join waits for all of them, goes on at the latest time and adds
//! the powers up; a lock node takes all its locks at once, first come, first served, those who come at the same time in
//! random order. The cost of a run is the time at the end; runs differ where something is drawn.
//!
//! The power of a branch that has ended waits at the join: it does not speed up the others.
//!
//! ```
//! use midrun_predict::time_cost::{Structure, evaluate};
//! let structure = Structure::from_toml(r#"
//!     start = "split"
//!     [machine]
//!     processors = 1
//!     [node.split]
//!     kind = "fork"
//!     branches = [{ to = "left" }, { to = "right" }]
//!     [node.left]
//!     kind = "operation"
//!     cost_s = 2.0
//!     to = "meet"
//!     [node.right]
//!     kind = "operation"
//!     cost_s = 3.0
//!     to = "meet"
//!     [node.meet]
//!     kind = "join"
//!     to = "done"
//!     [node.done]
//!     kind = "end"
//! "#)?;
//! // One processor shared equally doubles the branch times; the join waits for the longer one.
//! assert_eq!(evaluate(&structure, 1, 1).unwrap().mean_s, 6.0);
//! # Ok::<(), midrun_predict::description::DescriptionError>(())
//! ```

mod count;
mod file;
mod locks;
mod print;
mod run;
pub mod source;
mod structure;
mod summary;
mod work;

use std::collections::BTreeMap;

pub use count::{Count, MOST, Parameter};
pub use structure::{Kind, MOST_NODES, Machine, Node, Structure, Sweep};
pub use summary::{Bin, Cost};

use midrun_models::random::Random;

/// Nodes that a run may pass before it is taken for endless.
pub const STEP_LIMIT: u64 = 10_000_000;
/// Most combinations of a sweep.
pub const MOST_POINTS: usize = 10_000;

/// Division of the processing power among the branches of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Every branch gets the same.
    Equal,
    /// In proportion to the mean cost of the operations of each branch.
    Proportional,
    /// By the weights that the forks give.
    User,
}

/// Why there is no cost.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CostError {
    /// The description is wrong.
    #[error("{0}")]
    Graph(String),
    /// The flow counts do not fit each other.
    #[error("decision `{node}`: {what}")]
    Flow {
        /// The decision.
        node: String,
        /// Which counts, and what happened.
        what: String,
    },
    /// A lock is taken twice, let go without being held, or kept too long.
    #[error("node `{node}`: {what} `{lock}`")]
    Lock {
        /// Position in the text.
        node: String,
        /// The event.
        what: &'static str,
        /// Which lock.
        lock: String,
    },
    /// Everyone waits.
    #[error("deadlock after {time_s} s: signals wait at {}", waiting.join(", "))]
    Deadlock {
        /// When the last signal began to wait.
        time_s: f64,
        /// The nodes they wait at.
        waiting: Vec<String>,
    },
    /// A loop that does not end.
    #[error("still running after {STEP_LIMIT} nodes, now at node `{node}`: a loop that is never left?")]
    Endless {
        /// Node at which the run stopped.
        node: String,
    },
}

/// One combination of a sweep and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    /// Processors.
    pub processors: f64,
    /// Policy.
    pub policy: Policy,
    /// Values of the parameters that were varied.
    pub parameters: BTreeMap<String, u32>,
    /// The cost with these.
    pub cost: Cost,
}

/// Time cost over `runs` runs (at least one), over one where nothing is drawn; the same seed gives the same answer.
///
/// # Errors
/// Flow counts that do not fit each other, misused locks, a deadlock, a loop without end.
pub fn evaluate(structure: &Structure, runs: u32, seed: u64) -> Result<Cost, CostError> {
    let shares = work::shares(structure)?;
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    let runs = if structure.draws() { runs.max(1) } else { 1 };
    for _ in 0..runs {
        all.push(run::run(structure, &shares, &mut random)?);
    }
    Ok(Cost::of(structure, &all))
}

/// [`evaluate`] for every combination of the values that the structure's sweep lists, always with the same seed.
///
/// # Errors
/// Those of [`evaluate`], and too many combinations.
pub fn sweep(structure: &Structure, runs: u32, seed: u64) -> Result<Vec<SweepPoint>, CostError> {
    let sweep = &structure.sweep;
    let or_own = |values: &[f64], own| if values.is_empty() { vec![own] } else { values.to_vec() };
    let policies = if sweep.policy.is_empty() { vec![structure.machine.policy] } else { sweep.policy.clone() };
    let mut values: Vec<BTreeMap<String, u32>> = vec![BTreeMap::new()];
    let mut points = Vec::new();
    for (name, list) in &sweep.parameters {
        let with = |value: u32, known: &BTreeMap<String, u32>| {
            let mut known = known.clone();
            known.insert(name.clone(), value);
            known
        };
        values = list.iter().flat_map(|value| values.iter().map(|known| with(*value, known))).collect();
        within(values.len())?;
    }
    let processors = or_own(&sweep.processors, structure.machine.processors);
    within(values.len() * policies.len() * processors.len())?;
    for parameters in values {
        for &policy in &policies {
            for &processors in &processors {
                let machine = Machine { processors, policy, ..structure.machine };
                let cost = evaluate(&structure.with(machine, &parameters)?, runs, seed)?;
                points.push(SweepPoint { processors, policy, parameters: parameters.clone(), cost });
            }
        }
    }
    Ok(points)
}

fn within(points: usize) -> Result<(), CostError> {
    if points <= MOST_POINTS {
        return Ok(());
    }
    Err(CostError::Graph(format!("the sweep has {points} combinations, allowed are {MOST_POINTS}")))
}
