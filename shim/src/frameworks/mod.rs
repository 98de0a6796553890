//! The frameworks of the C API: the program supplies the computation, midrun moves the data.
//!
//! Imports point down: the C entry points (each framework's `mod`), then master, worker and rank, then their mechanisms, then
//! configuration and message formats. Both frameworks stand on [`endpoint`], and that on [`sleep`].

mod endpoint;
mod handle;
pub mod master_worker;
pub mod pipeline;
mod sleep;
mod synchronous;
