//! Every bound of the agent, and how they relate.

pub use midrun_vocabulary::bounds::{JOB_ID_BYTES, MESSAGE_S, ROUND_TRIP_BYTES, STREAM_TEXT_BYTES};
use std::time::Duration;

/// Batches kept until the analyzer has them; beyond, the oldest unsent one is dropped and its events counted.
pub const QUEUED_BATCHES: usize = 1024;
/// Bytes of these batches, and of those of all jobs of one user that a process serves.
pub const QUEUED_BYTES: usize = 64 << 20;
/// Bytes of the newest of them that are held as they were made, which takes a multiple of the memory; older ones are held as on the wire.
pub const DECODED_BYTES: usize = 1 << 20;
/// Longest batch, bytes; a longer one goes in parts. The analyzer takes messages of 16 MiB.
pub const BATCH_BYTES: usize = 1 << 20;
/// Streams that may end in a row with the same oldest batch unacknowledged, before that batch is given up.
pub const REFUSALS: u32 = 3;
/// An analyzer that is silent for so long at the job's end counts as stopped: nothing more is awaited from it.
pub const SILENCE: Duration = Duration::from_secs(1);
/// Batches in the stream at one time.
pub const STREAM_BATCHES: usize = 64;
/// Bytes of batches that were sent and are not acknowledged, unless a single one is longer.
pub const STREAM_BYTES: usize = 2 * BATCH_BYTES;
/// Records taken from one lane in one pass, so that a busy rank does not starve the others.
pub const RECORDS_PER_PASS: usize = 16_384;
/// Longest time from a batch's first event to its sending, and shortest between two batches while ranks run: each costs their cores.
pub const BATCH_AGE: Duration = Duration::from_millis(5);
/// Pause between two readings of a rank's counters of MPI calls.
pub const COUNTERS: Duration = Duration::from_millis(200);
/// Pause between two readings of how long it waited for a core: each opens a file.
pub const RUN_DELAY: Duration = Duration::from_secs(1);
/// Shortest pause between two readings of its times at iterations' ends.
pub const TIMES: Duration = Duration::from_millis(5);
/// While ranks are quiet, the next look at the rings comes after this part of the silence, so that a record is seen late by less than
/// 2 % of the time that it ends.
pub const QUIET_SHARE: u32 = 64;
/// Longest pause between two looks at the rings of attached ranks, unless the configuration asks for a longer one.
pub const QUIET_PAUSE: Duration = Duration::from_millis(50);
/// Pause between two looks at the processes of ranks whose agent has died.
pub const PROCESSES: Duration = Duration::from_secs(1);
/// Ranks of one node, those included that wait or have not sent their segment.
pub const RANKS: usize = 4096;
/// Those of one user, where the agent serves all users: more than a node has cores, and four users find places.
pub const PROCESSES_OF_USER: usize = RANKS / 4;
/// Reasons for which processes of one user are turned away that are reported, each once, and the characters of each that are.
pub const REASONS: usize = 64;
/// See [`REASONS`].
pub const REASON_CHARS: usize = 300;
/// Longest time from a process's connection to its segment.
pub const GREETING: Duration = Duration::from_secs(2);
/// Jobs of all users, and of one, that a standing agent serves by agents of their own; further jobs start their own.
pub const JOBS: usize = 1024;
/// See [`JOBS`].
pub const JOBS_OF_USER: usize = 64;
/// Longest request to serve a job, bytes: its tunlet files are 512 KiB at most.
pub const REQUEST_BYTES: usize = 1 << 20;
/// Longest time of a connection attempt, and of the wait for the analyzer's Welcome.
pub const CONNECT: Duration = Duration::from_secs(5);
/// A batch that is not acknowledged for so long means a new connection: after a partition heals, an old one can stay
/// dead.
pub const ACK: Duration = Duration::from_secs(10);
/// Other agents that an agent carries: twice as many as the analyzer gives it, for those of a parent that is lost.
pub const CHILDREN: usize = 1024;
/// Bytes of their messages that wait for the way up; past it they wait, and keep their batches themselves.
pub const WAITING_BYTES: usize = 64 << 20;
/// Messages of children that are joined to one, and its bytes: the analyzer takes 16 MiB.
pub const JOINED_MESSAGES: usize = 1024;
/// See [`JOINED_MESSAGES`].
pub const JOINED_BYTES: usize = 4 << 20;
/// First pause between two attempts to connect.
pub const BACKOFF: Duration = Duration::from_millis(100);
/// Longest pause between two attempts to connect, which is drawn out by a quarter at most: an agent is linked again within 5 s of its
/// link's return. An attempt that the return comes too late for lasts 2 s more at most: Linux asks anew 1 and 3 s after its begin.
pub const BACKOFF_MOST: Duration = Duration::from_millis(2400);
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

const _: () = assert!(STREAM_BATCHES < QUEUED_BATCHES);
const _: () = assert!(2 * JOINED_BYTES + BATCH_BYTES <= midrun_proto::connections::MESSAGE_BYTES);
const _: () = assert!(BATCH_BYTES * 2 <= QUEUED_BYTES);
const _: () = assert!(CONNECT.as_nanos() < ACK.as_nanos());
const _: () = assert!(BACKOFF.as_nanos() < BACKOFF_MOST.as_nanos());
const _: () = assert!(BACKOFF_MOST.as_millis() * 5 / 4 + 2000 <= midrun_vocabulary::bounds::LINKED_MS as u128);
