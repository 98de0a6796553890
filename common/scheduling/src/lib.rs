//! How work is dispatched to ranks: the chunks of Master/Worker tasks ([`ChunkScheduler`], [`Workers`]) and the plan of
//! a pipeline's stages ([`plan`]).
//!
//! The shim runs this code in the master, and the models run the same code to simulate a technique: a prediction is about
//! what really runs. It is pure, and cutting a chunk allocates nothing.
//!
//! Terms (César 2006, ch. III): an iteration has M tasks for N workers, of which R remain. A *batch* is cut into N *chunks*
//! of F tasks; a worker that returns a result gets the next chunk.

#![forbid(unsafe_code)]

mod divisor;
mod normal;
mod own_work;
pub mod plan;
mod queue;
mod recall;
mod scheduler;
mod speed;
pub mod start;
mod steps;
mod task_times;
mod technique;
mod turns;
mod workers;

pub use divisor::{daf_divisor, fac_divisor};
pub use own_work::{OwnTask, pays};
pub use queue::{WorkerQueue, is_small, may_be_ahead};
pub use recall::{Recall, Returned, own_task_s, tasks_to_return};
pub use scheduler::{Chunk, ChunkScheduler};
pub use speed::WorkerSpeed;
pub use start::{PointValue, Scheduling, Setting, Start};
pub use steps::Steps;
pub use task_times::TaskTimes;
pub use technique::{Technique, TechniqueParameters};
pub use turns::in_turn;
pub use workers::Workers;
