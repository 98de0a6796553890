//! Performance models: pure mathematics, no I/O, no clock.
//!
//! [`factoring`] has the closed formulas of handing tasks out, [`order_statistics`] what they rest on, and
//! [`simulate`] runs the very hand-out code of the master on a model of the tasks, the workers and the messages.

#![forbid(unsafe_code)]

pub mod factoring;
pub mod order_statistics;
pub mod random;
pub mod simulate;

mod trace;
