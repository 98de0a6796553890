//! What the shim's commands need to know of functions of the program; simulated programs have none.

use midrun_points::Moment;

/// The entry or the exit of a hooked function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Number of the function's hook.
    pub hook: u32,
    /// Entry or exit.
    pub moment: Moment,
}
