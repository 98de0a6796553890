//! Status codes of the C API; the numbers are those of `include/midrun.h`.

use std::ffi::c_int;

/// Done.
pub const OK: c_int = 0;
/// Benign: not tuned now.
pub const OFF: c_int = 1;
/// A worker: the master has finished, no iteration follows.
pub const ENDED: c_int = 2;
/// An argument is out of its range.
pub const ERR_ARGUMENT: c_int = -1;
/// MPI is not initialised, or a call of it failed.
pub const ERR_MPI: c_int = -2;
/// The communicator has no worker.
pub const ERR_NO_WORKER: c_int = -3;
/// A callback returned non-zero.
pub const ERR_TASK: c_int = -4;
/// A task was lost or computed twice.
pub const ERR_COUNT: c_int = -5;
/// Out of memory.
pub const ERR_MEMORY: c_int = -6;
/// A defect of midrun, caught.
pub const ERR_INTERNAL: c_int = -7;
