//! How Master/Worker tasks are handed out: the distribution techniques, pure and allocation-free; and how the stages of a
//! pipeline are laid out ([`plan`]).
//!
//! The shim runs this code in the master to cut the next chunk; the models run the same code to
//! simulate what a technique would do. One piece of code, so a prediction speaks of what really runs.
//!
//! Words (César 2006, ch. III): M tasks, N workers, R tasks left. A *batch* is cut into N *chunks* of
//! F tasks; a worker that answers gets the next chunk.

#![forbid(unsafe_code)]

mod divisor;
pub mod plan;
mod scheduler;
mod technique;

pub use divisor::{daf_divisor, fac_divisor};
pub use scheduler::{Chunk, ChunkScheduler, WorkerSpeed};
pub use technique::{Technique, TechniqueParameters};
