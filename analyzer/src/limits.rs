//! Every bound of the analyzer in one place, and how they hang together.
//!
//! Whatever agents and people send, memory stays below these; what is over a limit is dropped and counted.

pub use midrun_proto::connections::{
    HANDSHAKE_MS, HEADER_BYTES, KEEPALIVE_MS, MESSAGE_BYTES, STRANGERS, STREAMS_PER_CONNECTION,
};
pub use midrun_proto::links::LINK_QUEUE;
pub use midrun_vocabulary::bounds::{
    ASSIGNMENTS, EACH_CHUNK, EACH_CHUNK_OF_ITERATION, JOB_ID_BYTES, LINKED_MS, MESSAGE_S, NAME_BYTES, ROUND_TRIP_BYTES,
    STAGES, STREAM_TEXT_BYTES,
};

/// Longest other text taken from the wire (node, agent, MPI, tuning point, token), bytes; longer is cut.
pub const TEXT_BYTES: usize = 256;
/// Jobs at a time. Past it the new one is refused.
pub const JOBS: usize = 256;
/// Ended jobs whose summary and notices are still known.
pub const CLOSED_JOBS: usize = 64;
/// Agents remembered, connected or not.
pub const AGENTS: usize = 1 << 17;
/// Ranks of a job; also the largest rank + 1.
pub const RANKS_PER_JOB: u32 = 1 << 20;
/// Masters of frameworks in a job, besides the first: each keeps windows and a list of them.
pub const FURTHER_MASTERS: usize = 256;
/// Tuning points of a job.
pub const TUNING_POINTS_PER_JOB: usize = 1 << 17;
/// Recordings that an analyzer finds at its place, and keeps under other names.
pub const SET_ASIDE: u32 = 10_000;
/// Messages between two ranks, one way, whose other end is awaited: records of both ends come within a second.
pub const MESSAGES_PER_WAY: usize = 32;
/// Pairs of ranks whose messages are looked at, each way for itself.
pub const MESSAGE_WAYS: usize = 4096;
/// Numbers of actions that ranks know are taken for garbage from here on: microseconds since 1970 reach it in the year 2255.
pub const ACTION_END: u64 = 1 << 53;
/// Iteration numbers from here on are taken for garbage.
pub const ITERATION_END: u64 = midrun_vocabulary::bounds::LAST_ITERATION + 1;
/// Tasks of one iteration from here on are taken for garbage.
pub const TASKS_END: u64 = midrun_vocabulary::bounds::TASKS + 1;
/// Sums of times that points measured from here on are taken for garbage, seconds.
pub const POINT_S: f64 = 1e12;
/// Measurements of points that wait for their iteration's window, per job.
pub const WAITING_POINTS: usize = 1 << 16;
/// Points, and refused lines, listed in a summary.
pub const LISTED_POINTS: usize = 2_000;
/// Patterns of a stream that are remembered, and changes listed in a summary.
pub const PATTERNS: usize = 256;
/// Windows of streams listed in a summary.
pub const LISTED_WINDOWS: usize = 20_000;
/// Calls and classes in one reading of a rank's counters, and bytes of a call's name.
pub const MPI_CALLS: usize = 2048;
/// See [`MPI_CALLS`].
pub const MPI_CALL_NAME: usize = 63;
/// By so much a rank's time outside the program may seem longer than its life, nanoseconds.
pub const TORN_NS: u64 = 1_000_000_000;
/// Readings of a rank's times that are kept, to know what they were in between.
pub const MPI_READINGS: usize = 64;
/// Pause between two looks for workers that have computed nothing, nanoseconds: as often agents read the counters of calls.
pub const IDLE_WORKERS_NS: u64 = 200_000_000;
/// Iterations found by the period of MPI calls last at least so long, seconds: an agent sends what it has after 5 ms, and two
/// that come in one batch cannot be acted upon one by one.
pub const SHORTEST_WINDOW_S: f64 = 0.005;
/// An iteration whose end some rank's times do not cover is measured without waiting for them any longer, milliseconds.
pub const MPI_WAIT_MS: u64 = 1_000;
/// Ranks that do not know the iterations may report what they did in one for so long after its end, milliseconds: an agent
/// sends what it has after 5 ms.
pub const ATTRIBUTION_MS: u64 = 20;
/// Iterations and ranks whose efficiencies and times are listed in a summary.
pub const LISTED_EFFICIENCIES: usize = 4_000;
/// Iterations collected at a time per job.
pub const OPEN_WINDOWS: usize = 16;
/// Work this far ahead of the newest begun iteration is taken for garbage.
pub const WORK_AHEAD: u64 = 8;
/// Chunks of unknown iterations that wait for their place, per job.
pub const UNATTRIBUTED_WORKS: usize = 1 << 16;
/// Iterations listed in a summary; older ones only count. With the next two it keeps a summary below gRPC's 4 MiB.
pub const LISTED_ITERATIONS: usize = 20_000;
/// Decisions listed in a summary.
pub const LISTED_DECISIONS: usize = 2_000;
/// Windows that wait for tunlets that are still thinking; more, and the oldest is not shown to them.
pub const WINDOWS_AHEAD: usize = 16;
/// Latencies listed in a summary.
pub const LISTED_LATENCIES: usize = 2_000;
/// Keys of a status that a follower keeps; there are a few dozen.
pub const STATUS_KEYS: usize = 256;
/// Notices kept per job for those who watch late.
pub const NOTICES: usize = 1024;
/// Settled actions remembered per job, to know a late answer.
pub const SETTLED_ACTIONS: usize = 64;
/// Callers that wait for one job to close.
pub const CLOSERS_PER_JOB: usize = 16;
/// Controls of people that wait in one job.
pub const CONTROLS_PER_JOB: usize = 64;
/// Tuning points of a job held by hand one by one.
pub const MANUAL_VALUES: usize = 4096;
/// An answer to a control waits this long, at most, until the agents have the settings, milliseconds.
pub const SETTINGS_WAIT_MS: u64 = 1_000;
/// Controls listed in a summary, and changes listed with each.
pub const LISTED_CONTROLS: usize = 200;
/// See [`LISTED_CONTROLS`].
pub const LISTED_CHANGES: usize = 64;
/// Decisions and controls listed in a status.
pub const STATUS_LINES: usize = 8;
/// Windows in the last status of a job that has ended, for those who follow it: more than are closed between two updates.
pub const CLOSED_WINDOWS: u64 = 256;
/// Stages that a timeline draws.
pub const STAGES_DRAWN: u32 = 4096;
/// Time between two updates of one who follows a job, milliseconds: a person sees no faster changes.
pub const FOLLOW_MS: u64 = 250;
/// Iterations beyond the furthest rank for which a change on all ranks is pre-committed: at first, and at most.
pub const MARGIN: u64 = 4;
/// See [`MARGIN`].
pub const MARGIN_MOST: u64 = 256;
/// Longest life of an action, milliseconds.
pub const ACTION_TTL_MS: u64 = 3_600_000;
/// After an action's deadline its answer may still be on the road this long, milliseconds.
pub const RESULT_GRACE_MS: u64 = 2_000;
/// A job of which no rank was seen, or not all, is held open this long after the launcher ended, milliseconds.
pub const CLOSE_WAIT_FEW_RANKS_MS: u64 = 300;
/// A job nobody opened ends this long after its last rank left, milliseconds.
pub const LEFT_IDLE_MS: u64 = 10_000;
/// A job of which nothing is heard, and none of whose running ranks has a linked agent, ends after this, milliseconds.
pub const SILENT_MS: u64 = 3_600_000;
/// The core looks at its clocks this often, milliseconds.
pub const TICK_MS: u64 = 25;
/// Inputs that wait for the core; past it the links wait.
pub const CORE_QUEUE: usize = 1024;
/// Notices that wait for one watcher; past it the watcher is disconnected.
pub const WATCH_QUEUE: usize = NOTICES + 256;
/// Watchers per job.
pub const WATCHERS_PER_JOB: usize = 64;
/// Agents linked at a time, on streams of their own or carried by others; past it a new one is refused.
pub const LINKS: usize = AGENTS;
/// Agents of a job that link to the analyzer itself, unless the configuration says otherwise: with as many children each, they are the
/// fewest that reach [`MOST_AGENTS`].
pub const WIDTH: usize = 316;
/// An agent waits so long for its place in the tree, where others were asked to carry it, milliseconds.
pub const PLACE_MS: u64 = 1_000;
/// Phases of a program that are told from each other by their call periods.
pub const PHASES: usize = 16;
/// Agents of a job: a tree of [`WIDTH`] reaches all of them in two steps.
pub const MOST_AGENTS: usize = 100_000;
/// Descriptors for everything but connections.
pub const OTHER_DESCRIPTORS: usize = 64;
/// A link that has not said Hello by then is closed, milliseconds.
pub const HELLO_MS: u64 = 10_000;
/// Size at which the journal goes on in a new file, bytes; the one before stays beside it.
pub const JOURNAL_BYTES: u64 = 256 << 20;
/// Size at which the inputs beside the journal are shortened to those of the open jobs, bytes; to take them in again needs 0.1 to 0.2 s per MB.
pub const INPUT_LOG_BYTES: u64 = 256 << 20;
/// A journal that could not be written is tried again so often, milliseconds.
pub const JOURNAL_RETRY_MS: u64 = 1_000;
/// Lines of the journal that wait for room on the disk, bytes: the newest ones.
pub const UNWRITTEN_BYTES: usize = 4 << 20;
/// Size at which a recording ends, bytes.
pub const RECORDING_BYTES: u64 = 8 << 30;
/// Longest frame of a recording, bytes.
pub const FRAME_BYTES: usize = MESSAGE_BYTES + (1 << 16);
/// Frames that wait for the disk; past it the recording ends.
pub const RECORDING_QUEUE: usize = 4096;
/// How long streams may take to end at shutdown, milliseconds.
pub const DRAIN_MS: u64 = 1_000;

/// Adds to a list that forgets its oldest entry beyond `most`.
pub(crate) fn push<T>(list: &mut std::collections::VecDeque<T>, value: T, most: usize) {
    if list.len() >= most {
        list.pop_front();
    }
    list.push_back(value);
}

/// Counts in tests how many ranks, or things of ranks, a step walked over.
#[cfg(not(test))]
pub(crate) fn walks(_: usize) {}

#[cfg(test)]
thread_local!(pub(crate) static WALKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

#[cfg(test)]
pub(crate) fn walks(over: usize) {
    WALKED.set(WALKED.get() + over);
}

// A late watcher is given all the history at once, and must not be disconnected for that.
const _: () = assert!(WATCH_QUEUE > NOTICES);
// What is accepted ahead must not push out what is still being collected.
const _: () = assert!(OPEN_WINDOWS as u64 > WORK_AHEAD + 2);
const _: () = assert!(WIDTH * (WIDTH + 1) >= MOST_AGENTS && (WIDTH - 1) * WIDTH < MOST_AGENTS && MOST_AGENTS <= LINKS);
// A job of as many agents has ten ranks each, at least, before ranks are refused.
const _: () = assert!(RANKS_PER_JOB as usize >= 10 * MOST_AGENTS);
// Every connected agent must find a place among the remembered ones.
const _: () = assert!(AGENTS >= LINKS);
