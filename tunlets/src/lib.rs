//! The decision seam: windows in, proposals out.
//!
//! A tunlet is a performance model plus the knowledge of what to tune. It does no I/O and reads no
//! clock: the same windows give the same proposals, so a recorded run can be replayed.
//!
//! Modules import downwards only:
//!
//! - `catalogue` creates tunlets by name;
//! - `coordinator`, `shadow`, `auto`, `instances` combine several tunlets; `recorded` feeds recorded windows to their models;
//! - `choice` picks the proposal worth most;
//! - `divide_conquer` stands on `master_worker`; that, `pipeline`, `search`, `scripted`, `template` are the tunlets;
//! - `memory` is what a run learns for the next one, and the trial of a start that it gave;
//! - `trial` watches a change and decides whether it is kept or rolled back, at the level of [`confidence`];
//! - `prediction_errors` keeps how far forecasts were off, `model_error` what a model gets wrong of a setting, `noise` how windows scatter;
//! - `started` reads the tuning points of processes beyond the ranks;
//! - `contract` holds the trait, and `window`, `efficiency`, `stream`, `tuning_point`, `proposal`, `report`, `explain`, `options` its data.

#![forbid(unsafe_code)]

mod auto;
pub mod catalogue;
mod choice;
mod contract;
mod coordinator;
mod divide_conquer;
mod efficiency;
pub mod explain;
mod instances;
mod master_worker;
pub mod memory;
mod model_error;
mod noise;
pub mod options;
pub mod pipeline;
mod prediction_errors;
pub mod proposal;
pub mod recorded;
pub mod report;
pub mod scripted;
mod search;
mod shadow;
mod started;
pub mod stream;
pub mod template;
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(test), allow(dead_code))]
mod testing;
mod trial;
pub mod tuning_point;
pub mod window;

pub use contract::{CloneTunlet, Observation, Tunlet, report_of};
pub use efficiency::Efficiency;
pub use explain::Explanation;
pub use master_worker::Regime;
pub use midrun_models::chance;
pub use midrun_models::confidence;
pub use midrun_models::link;
pub use midrun_models::turns;
pub use options::{SearchOptions, TuningOptions, TunletFile};
pub use proposal::{Judgement, Proposal, Settled, Verdict, Worth};
pub use report::{NextAllocation, OverStart, PER_PROGRESS, Refusal, Report, SearchReport, ShadowScore};
pub use search::BUDGETS as SEARCH_BUDGETS;
pub use stream::{Recent, StageWindow, StageWork, StreamWindow, TeamWork};
pub use trial::is_outdated;
pub use tuning_point::{TuningPoint, Value};
pub use window::{
    ChunkWork, EACH_CHUNK_OF_ITERATION, LinkCost, Network, PROFILE_BINS, PointWindow, ProfileBin, Window, WorkerWork,
};
