//! How Master/Worker tasks are handed out: the distribution policies, pure and allocation-free; and how the stages of a
//! pipeline are laid out ([`plan`]).
//!
//! The shim runs this code in the master to cut the next chunk; the models run the same code to
//! simulate what a policy would do. One piece of code, so a prediction speaks of what really runs.
//!
//! Words (César 2006, ch. III): M tasks, N workers, R tasks left. A *batch* is cut into N *chunks* of
//! F tasks; a worker that answers gets the next chunk.

#![forbid(unsafe_code)]

mod divisor;
mod handout;
pub mod plan;
mod policy;

pub use divisor::{daf_divisor, fac_divisor};
pub use handout::{Chunk, Handout, WorkerSpeed};
pub use policy::{PolicyKind, Setting};
