//! Programming frameworks of the C API: the user writes the work, midrun moves it.

mod doorbell;
mod master_worker;
mod post;
