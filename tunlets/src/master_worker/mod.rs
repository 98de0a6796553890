//! Tunlet `master_worker`: loop scheduling technique and number of workers.
//!
//! It observes each iteration's time, each worker's task times, the work by position, and the master's busy time. It sets the
//! technique, its share, task mean and sigma, the least chunk, and the number of workers; or a program's own `F0`, `F1`,
//! `F2` … or `chunk.tasks`, and `NW`. Its objective is first the shortest iteration for the present workers (César 2006, ch. III), then the
//! number of workers that suits the user's objective.
//!
//! [`workload`] estimates the tasks, and [`growth`] how they change with the number of workers. [`candidates`] simulates
//! settings, [`experience`] keeps what they measured, [`model_error`] what the simulation gets wrong, [`workers`] decides the
//! number of workers, [`strategy`] proposes, [`own_chunks`] serves programs that cut their tasks by themselves, [`inputs`] prints
//! what a decision rests on.
//!
//! A change is made where it gains at the confidence level ([`crate::confidence`]), and judged by the posterior of its gain
//! (docs/adr/0011-one-rule-for-decisions.md). docs/constants.md says what each constant of these modules rests on.

mod candidates;
mod experience;
mod growth;
mod inputs;
mod own_chunks;
pub mod recorded;
mod regime;
mod strategy;
mod workers;
mod workload;

#[cfg(test)]
mod counter_tests;
#[cfg(test)]
mod growing_tests;
#[cfg(test)]
mod kinds_tests;
#[cfg(test)]
mod number_tests;
#[cfg(test)]
mod own_chunks_tests;
#[cfg(test)]
mod plant_tests;
#[cfg(test)]
mod recall_tests;
#[cfg(test)]
mod regret_tests;
#[cfg(test)]
mod stall_tests;

pub(crate) use candidates::runs;
pub use candidates::shares;
pub use own_chunks::own_values;
pub use regime::Regime;
pub use strategy::{MOST_TASKS, MasterWorker, Mode};
pub use workers::{Limits, cost};
