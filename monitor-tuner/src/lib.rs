//! The agent: one per node; drains the rings of the node's ranks, streams their events to the analyzer, delivers actions to them.
//!
//! It has no opinions: it knows neither models nor tunlets. [`run`] is its life. Ranks attach over a Unix socket (`attachment`), as far as their user has `places`;
//! each `rank`'s records are checked and folded (`collected`, with `stream`, `measurements` and `counters`); batches stay in the
//! `send_queue` until the analyzer acknowledges them; `link` keeps one stream to the analyzer; `delivery` writes actions into the
//! ranks' command rings; `owner` keeps what the jobs' owners have set, for the next analyzer; `unattended` watches the processes whose agent
//! has died; `children` carries the streams of other agents. `agent` owns all state. A `standing` agent runs a further agent, as a task, for each job that asks for one by the
//! messages of `serve_job`.

#![forbid(unsafe_code)]

mod admission;
mod agent;
mod attachment;
mod children;
mod clock;
mod collected;
pub mod config;
mod counters;
#[cfg(any(test, fuzzing))]
pub mod damaged;
mod delivery;
mod host;
mod lifecycle;
pub mod limits;
mod link;
mod measurements;
mod owner;
mod places;
mod rank;
mod run_delay;
mod send_queue;
pub mod serve_job;
pub mod standing;
mod stream;
mod unattended;

pub use agent::{Overview, Stats};
pub use attachment::Attached;
pub use children::{CONNECTIONS, OpenPort};
pub use host::Host;
pub use lifecycle::{AgentError, Asked, nobody, run, serve};
pub use link::patient;
