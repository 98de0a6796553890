//! Bounds of scripted tunlets: size of a file, and resources of its script.

/// Longest file, bytes.
pub const FILE_BYTES: usize = 64 << 10;
/// Rules of a file.
pub const RULES: usize = 16;
/// Operations of all that a file computes about one window.
pub const OPERATIONS: u64 = 30_000;
/// Calls inside each other.
pub const CALLS: usize = 8;
/// Depth of an expression, or of blocks inside each other.
pub const DEPTH: usize = 48;
/// Functions of a script.
pub const FUNCTIONS: usize = 64;
/// Variables at a time in one block of a script.
pub const VARIABLES: usize = 64;
/// Bytes of all strings of one value.
pub const STRING_BYTES: usize = 4096;
/// Entries of all lists of one value; also the ranks that lists over ranks show.
pub const LIST: usize = 1024;
/// Entries of all maps of one value.
pub const MAP: usize = 256;
/// Different refusals that are remembered, and bytes of one.
pub const REFUSALS: usize = 32;
/// See [`REFUSALS`].
pub const REFUSAL_BYTES: usize = 400;
/// Largest number of failures in succession that a file may allow.
pub const FAILURES: u32 = 100;
/// Longest watch of a change that a file may ask for, iterations.
pub const WATCHED: u64 = 8;
/// Largest uncertainty of a prediction, as a share of it.
pub const UNCERTAINTY: f64 = 0.25;
/// Entries, and bytes of strings, of what a script keeps from window to window.
pub const STATE: usize = 4096;
/// See [`STATE`].
pub const STATE_BYTES: usize = 64 << 10;
