//! The frameworks of the C API: the program supplies the computation, midrun moves the data.
//!
//! Imports point down: the C entry points (each framework's `mod`), then master, worker and rank, then their mechanisms, then
//! configuration and message formats. [`divide_conquer`] hands its problems out through [`master_worker`]; that and [`pipeline`] stand on
//! [`endpoint`], and that on [`sleep`]; both gain processes by [`growth`]. One may run inside a callback of another: [`nesting`].

mod divide_conquer;
mod endpoint;
pub mod growth;
mod handle;
pub mod master_worker;
mod nesting;
pub mod pipeline;
mod sleep;
mod synchronous;
