//! Who cut the tasks of an iteration into chunks, and how.

use midrun_scheduling::PointValue;

/// By what the tasks of an iteration were cut.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// By the technique that the window names.
    Technique,
    /// By the program, as these values of its tuning points told it.
    Own(Vec<PointValue>),
    /// By the program, whose values changed inside the iteration.
    Changed,
    /// By nothing that can be set, as far as is known.
    Unknown,
}
