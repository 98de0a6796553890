//! Off-line prediction: answers about programs that do not run. No daemon links this crate.
//!
//! [`pepa`] turns the text of a process algebra into a Markov chain, [`markov`] finds its steady state, and [`mapping`]
//! uses both to place the stages of a pipeline on processors. [`state_diagram`] evaluates programs whose stages wait for
//! each other, [`time_cost`] computations with forks, joins and locks, [`program`] simulates whole MPI programs on a
//! machine, and [`pipeline`] reads descriptions of pipelines. [`description`] reports mistakes in all these texts.

#![forbid(unsafe_code)]

#[cfg(any(test, fuzzing))]
pub mod damaged;
pub mod description;
pub mod fit;
pub mod mapping;
pub mod markov;
mod mean;
pub mod pepa;
pub mod pipeline;
pub mod program;
pub mod state_diagram;
pub mod time_cost;
pub mod units;
