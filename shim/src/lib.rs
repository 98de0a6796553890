//! The library in each rank: records what happens, applies what was decided.
//!
//! It lives in somebody else's process and fails open: any doubt switches it off for the rest of the run, and the
//! program goes on as if it were not there. `include/midrun.h` is its face; `mpi/*.c`, compiled once per MPI,
//! connect it with MPI.

// The callers of the C API are outside: what `include/midrun.h` asks of them is the safety contract.
#![allow(clippy::missing_safety_doc)]

mod clock;
mod desk;
mod expose;
mod frameworks;
mod guard;
mod hook;
mod lane;
mod marks;
mod mpi_calls;
mod points;
mod port;
mod process;
mod safe_point;
mod spawn;
mod status;
mod synchronized;
mod tuning_points;
