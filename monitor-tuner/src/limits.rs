//! Every bound of the agent in one place, and how they relate.

pub use midrun_vocabulary::bounds::{MESSAGE_S, ROUND_TRIP_BYTES, STREAM_TEXT_BYTES};
use std::time::Duration;

/// Batches kept until the analyzer has them; beyond, the oldest unsent one is dropped and its events counted.
pub const OUTBOX_BATCHES: usize = 1024;
/// Batches on their way in the stream at one time.
pub const STREAM_BATCHES: usize = 64;
/// Records taken from one lane in one pass, so that a busy rank does not starve the others.
pub const RECORDS_PER_PASS: usize = 16_384;
/// A batch is sent at the latest so long after its first event.
pub const BATCH_AGE: Duration = Duration::from_millis(5);
/// A rank's counters of MPI calls are read so often, and its times at an iteration's end no more often than this.
pub const COUNTERS: Duration = Duration::from_millis(200);
/// See [`COUNTERS`].
pub const TIMES: Duration = Duration::from_millis(5);
/// Ranks of one node.
pub const RANKS: usize = 4096;
/// How long a process may take to send its segment after it connected.
pub const GREETING: Duration = Duration::from_secs(2);
/// How long a connection attempt, and the analyzer's welcome, may take.
pub const CONNECT: Duration = Duration::from_secs(5);
/// A batch that is not acknowledged for so long means a new connection: after a partition heals, an old one can stay
/// dead.
pub const ACK: Duration = Duration::from_secs(10);
/// First and longest pause between two attempts.
pub const BACKOFF: Duration = Duration::from_millis(100);
/// See [`BACKOFF`].
pub const BACKOFF_MOST: Duration = Duration::from_secs(5);
/// How long an agent that is to end by itself waits for its first rank.
pub const FIRST_RANK: Duration = Duration::from_secs(60);

/// Most tasks of one iteration.
pub use midrun_vocabulary::bounds::TASKS;
/// Longest time of one chunk, nanoseconds (about 11 days).
pub const BUSY_NS: u64 = 1_000_000_000_000_000;

/// Stages of a pipeline.
pub const STAGES: u64 = midrun_vocabulary::bounds::STAGES as u64;

/// Longest round trip of two messages, nanoseconds.
pub const TRIP_NS: u64 = 2 * MESSAGE_S as u64 * 1_000_000_000;

/// Most bytes that a stage makes of one input.
pub const OUTPUT_BYTES: u64 = 1 << 50;
/// Single calls and values of points that go singly into one batch; more of one label are summed up.
pub const SINGLE_POINTS: usize = 512;

const _: () = assert!(STREAM_BATCHES < OUTBOX_BATCHES);
const _: () = assert!(CONNECT.as_nanos() < ACK.as_nanos());
const _: () = assert!(BACKOFF.as_nanos() < BACKOFF_MOST.as_nanos());
