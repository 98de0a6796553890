//! Performance models: pure mathematics, no I/O, no clock.
//!
//! [`link`] and [`trend`] learn the parameters from what was measured, by robust lines ([`line`]).
//! [`factoring`] has the closed formulas of handing tasks out, [`order_statistics`] what they rest on, [`batches`]
//! shares for programs with a fixed number of batches, and [`simulate`] runs the very hand-out code of the master on a
//! model of the tasks, the workers and the messages. [`pepa`] turns a process algebra's text into a Markov chain,
//! [`markov`] finds its steady state, and [`mapping`] uses both to place the stages of a pipeline.
//!
//! [`state_diagram`] has programs of stages that wait for each other, [`time_cost`] computations with forks, joins and locks,
//! [`program`] whole MPI programs on a machine.

#![forbid(unsafe_code)]

pub mod batches;
pub mod description;
pub mod distribution;
pub mod factoring;
pub mod line;
pub mod link;
pub mod mapping;
pub mod markov;
pub mod master_worker;
pub mod order_statistics;
pub mod pepa;
pub mod pipeline;
pub mod program;
pub mod random;
pub mod search;
pub mod simulate;
pub mod state_diagram;
pub mod time_cost;
pub mod trend;
pub mod units;

mod trace;
