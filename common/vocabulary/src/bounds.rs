//! Bounds that the sender and the receiver of a value both hold to. A receiver drops and counts what exceeds them.

/// Assignments of one action: what one entry of the command ring has room for.
pub const ASSIGNMENTS: usize = 6;
/// Longest job id, bytes.
pub const JOB_ID_BYTES: usize = 63;
/// Longest text value of a tuning point, bytes.
pub const TEXT_BYTES: usize = 4096;
/// Longest name of a tuning point and label of a measure point, bytes.
pub const NAME_BYTES: usize = 31;
/// Threads of a rank whose MPI calls are counted at a time.
pub const COUNTED_THREADS: usize = 32;
/// Most tasks of one iteration.
pub const TASKS: u64 = (1 << 40) - 1;
/// Number of the last iteration: a command has 48 bits for it.
pub const LAST_ITERATION: u64 = (1 << 48) - 1;
/// Parts into which the index range of an iteration's tasks is divided for the profile of task times.
pub const PROFILE_BINS: usize = 64;
/// Chunks of one rank in one iteration that a batch names one by one; of more it has the sums only.
pub const EACH_CHUNK: usize = 64;
/// Chunks of an iteration that are kept one by one, for drawing iterations like it: with more there are so many tasks that their mean, variance
/// and profile tell as much.
pub const EACH_CHUNK_OF_ITERATION: usize = 1024;
/// Once it can be reached again, an analyzer has its agents linked after so long at most, milliseconds.
pub const LINKED_MS: u64 = 5_000;
/// Stages of a pipeline.
pub const STAGES: usize = 1000;
/// Longest text about a stream (a stage's name, a pattern) that an agent puts together, bytes.
pub const STREAM_TEXT_BYTES: usize = 1 << 16;
/// Start-up time of a message, and time of one byte, from which on a measurement is refused, seconds.
pub const MESSAGE_S: f64 = 60.0;
/// Bytes of a chunk and its result.
pub const ROUND_TRIP_BYTES: u64 = 1 << 40;
