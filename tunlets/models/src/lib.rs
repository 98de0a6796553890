//! Performance models that a live decision evaluates: pure mathematics, no I/O, no clock.
//!
//! [`link`] and [`trend`] learn the parameters from measurements, by robust regression ([`line`]). [`factoring`] has the
//! closed formulas of loop scheduling, [`order_statistics`] the expected maxima they rest on, [`chance`] quantiles, [`batches`] the chunks of
//! programs that cut them by themselves. [`events`] is the queue of every simulation here. [`simulate`] runs the master's own scheduling code on a model of the tasks, the
//! workers and the messages; [`turns`] finds kinds of times that follow each other. [`master_worker`] and [`pipeline`] have the closed models, [`search`] the search algorithms.

#![forbid(unsafe_code)]

pub mod batches;
pub mod chance;
pub mod confidence;
mod counted;
mod cutter;
pub mod distribution;
pub mod events;
pub mod expression;
pub mod factoring;
mod led;
mod linear;
pub mod link;
pub mod master_worker;
pub mod order_statistics;
pub mod pipeline;
pub mod random;
pub mod search;
pub mod seen;
pub mod simulate;
mod simulated_load;
pub mod trend;
pub mod turns;

mod trace;

/// Robust regression.
pub use midrun_statistics as line;
