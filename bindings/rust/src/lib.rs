//! midrun tunes MPI programs while they run. This crate is its interface for programs in Rust, over the C library.
//!
//! ```no_run
//! // Every rank, between MPI_Init and MPI_Finalize:
//! let mut farm = midrun::Farm::new(&midrun::Options::default(), |task| vec![task.iter().sum::<u8>()])?;
//! # let rank = 0;
//! if rank == 0 {
//!     let results = farm.map(&[vec![1, 2], vec![3]])?; // any number of times
//!     farm.finish()?;
//! } else {
//!     farm.serve()?;
//! }
//! # Ok::<(), midrun::Error>(())
//! ```
//!
//! MPI comes from a crate of your choice; midrun works with whichever MPI the process has loaded.

mod farm;
mod marks;
mod raw;

pub use farm::{Farm, Options};
pub use marks::{Iteration, TuningPoint, Work, chunk_done, next_chunk, safe_point};
use std::ffi::{CStr, c_int};

/// A function of libmidrun failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The status of `midrun.h`, below 0.
    pub status: i32,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: the function takes any number, and its text lives for ever.
        let text = unsafe { CStr::from_ptr(raw::midrun_status_text(self.status)) };
        write!(f, "midrun: {}", text.to_string_lossy())
    }
}

impl std::error::Error for Error {}

/// The benign statuses are values.
fn check(status: c_int) -> Result<c_int, Error> {
    if status < 0 { Err(Error { status }) } else { Ok(status) }
}
