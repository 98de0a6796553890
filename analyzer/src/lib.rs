//! The analyzer: it takes in the reports of agents, closes windows, lets tunlets decide, and sends actions.
//!
//! The life of an analyzer: [`serve`] opens the journal, starts one task that owns the [`core`] and
//! answers gRPC on a listener that it is given. Agents link, their batches become windows, windows
//! become decisions, decisions become actions; when `shutdown` comes, every open job is summed up and
//! all streams are ended.

#![forbid(unsafe_code)]

pub mod actions;
pub mod catalogue;
pub mod closed_windows;
pub mod config;
pub mod context;
pub mod control;
pub mod convert;
pub mod core;
#[cfg(any(test, fuzzing))]
pub mod damaged;
pub mod decisions;
pub mod disk;
pub mod events;
pub mod in_flight;
pub mod input;
pub mod instance;
pub mod job;
pub mod journal;
pub mod limits;
pub mod listen;
mod network;
pub mod notice;
pub mod overview;
pub mod owner;
pub mod points;
pub mod recording;
mod short_iterations;
pub mod stats;
pub mod status;
pub mod streams;
pub mod summary;
pub mod teams;
pub mod thought;
mod tuning_points;
pub mod window;

mod agents;
mod arrivals;
mod calls;
mod clock;
mod edges;
mod error;
mod ids;
mod log_lines;
mod messages;
mod period;
mod server;
mod unattributed;

pub use config::Config;
pub use error::AnalyzerError;
pub use ids::{ActionId, AgentId, AskId, JobId, LinkId};
pub use server::{Accept, Priority, Surroundings, Thinker, Thought, serve, serve_in};
