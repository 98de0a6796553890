//! Programming frameworks of the C API: the user writes the work, midrun moves it.

mod doorbell;
mod handle;
pub mod master_worker;
pub mod pipeline;
mod post;
