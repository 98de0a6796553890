//! MPI calls as points: what whoever interposes them offers here.

use super::mpi::Interposed;
use midrun_instrument::Sum;
use midrun_points::{Call, Filter, Mode};

/// Whoever sees the program's MPI calls. All of it is called at safe points.
pub trait Calls: Sync {
    /// Calls that pass `filter` are measured from now on; returns a number for them.
    ///
    /// # Errors
    /// Why not.
    fn measure(&self, label: &str, call: &Call, filter: &Filter, mode: Mode) -> Result<u32, String>;
    /// They are not measured any more, or begin no more iterations.
    fn forget(&self, number: u32);
    /// What was measured since this was last asked; `first` and `last` of CLOCK_MONOTONIC, nanoseconds.
    fn take(&self, number: u32) -> Sum;
    /// Each `every`-th such call ends an iteration and begins the next ([`super::next_iteration`]); returns a number for them.
    ///
    /// # Errors
    /// Why not.
    fn iterate(&self, call: &Call, world: bool, every: u64) -> Result<u32, String>;
}

/// Who sees MPI calls.
pub fn calls() -> &'static dyn Calls {
    &Interposed
}
