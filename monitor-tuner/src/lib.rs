//! The agent: one per node, drains the rings of the node's ranks, streams what they say, delivers actions to them.
//!
//! It has no opinions: it knows neither models nor tunlets. [`run`] is its life: ranks attach over a Unix socket
//! (`attach`), their records are folded (`collect`), batches wait in the `outbox` until they are acknowledged, `link`
//! keeps one stream to the analyzer, `deliver` puts actions into the ranks' command rings.

#![forbid(unsafe_code)]

mod agent;
mod attach;
mod clock;
mod clock_sync;
mod collect;
pub mod config;
mod counters;
mod deliver;
pub mod limits;
mod link;
mod outbox;
mod points;
mod rank;
mod stream;

pub use agent::{AgentError, Stats, run};
