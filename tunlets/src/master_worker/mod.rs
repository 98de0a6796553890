//! Tunlet `master_worker`: how tasks are handed out, and to how many workers.
//!
//! What it sees: per iteration its time, each worker's task times, work by position, the master's busy time.
//! What it turns: technique, share, task mean and sigma, lower bound of a chunk of the Master/Worker hand-out, and the number
//! of workers; or the program's own `F0`, `F1`, `F2` … and `NW` where it exposes them.
//! Objective: first the shortest iteration for the workers there are (César 2006, ch. III), then the number of workers
//! that the user's objective asks for (step 2).
//!
//! [`workload`] learns, [`growth`] with the number of workers, [`inputs`] shows it, [`candidates`] simulates what could be done, [`experience`] remembers what settings measured,
//! [`workers`] does both for the number of workers, [`strategy`] puts them together, [`factors`] serves programs that cut their batches by themselves.

mod candidates;
mod experience;

mod factors;
mod growth;
mod inputs;
pub mod recorded;
mod regime;
mod strategy;
mod workers;
mod workload;

#[cfg(test)]
mod growing_tests;
#[cfg(test)]
mod number_tests;
#[cfg(test)]
mod plant_tests;
#[cfg(test)]
mod regret_tests;

pub use strategy::{MasterWorker, Mode};
pub use workers::Limits;
