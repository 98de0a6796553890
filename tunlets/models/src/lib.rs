//! Performance models: pure mathematics, no I/O, no clock.
//!
//! [`factoring`] has the closed formulas of handing tasks out, [`order_statistics`] what they rest on, [`batches`]
//! shares for programs with a fixed number of batches, and [`simulate`] runs the very hand-out code of the master on a model of the tasks, the workers and the messages.

#![forbid(unsafe_code)]

pub mod batches;
pub mod factoring;
pub mod master_worker;
pub mod order_statistics;
pub mod pipeline;
pub mod random;
pub mod simulate;

mod trace;
