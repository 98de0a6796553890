//! Layout of the shared memory: header, tuning point table, rings and counters, and the words of their entries.
//!
//! Everything is 64-bit words in the host's byte order: both sides are on one host. A change here needs a new
//! [`LAYOUT_VERSION`]; a test ties the sizes to it.

use crate::atomic::CONTROL_WORDS;
use crate::counters::{PAGE_WORDS, PAGES};

/// First word of a segment: "midrun\0\1".
pub const MAGIC: u64 = u64::from_le_bytes(*b"midrun\0\x01");
/// Version of this layout; a segment of another is refused.
pub const LAYOUT_VERSION: u64 = 7;

/// Kinds of records. Integers until checked: shared memory may hold anything.
pub mod kind {
    /// payload: iteration, tasks, workers, technique code, factor (f64 bits), bytes of a task (low half) and of a result. flags:
    /// [`OF_FRAMEWORK`].
    pub const ITERATION_BEGIN: u32 = 1;
    /// payload: iteration, tasks done, chunks, sum of task times ns, master busy ns, of that for the inputs of tasks (lower half) and their
    /// results (upper half) us.
    pub const ITERATION_END: u32 = 2;
    /// A rank computed a chunk; `time_ns` is its end. payload: iteration, first, count, busy ns, sum of squared task
    /// times s² (f64 bits), tasks of the iteration (0 = unknown). flags: [`TASKS_TIMED`] and [`of_master`].
    pub const CHUNK: u32 = 3;
    /// payload: action id, status (as in the wire's `ActionStatus`), iteration, and for PREPARED the identity of the register that the rank reads.
    pub const ACTION_RESULT: u32 = 4;

    /// Cost of a message of the master. payload: 1 = to a worker of the same host, 0 = of another; start-up time s and
    /// time per byte s (f64 bits); round trips measured; largest message sent eagerly (low half, 0 = unknown) and
    /// smallest message sent otherwise (0 = none); standard errors of both times, s (f32 bits: start-up low, byte high).
    pub const LINK: u32 = 5;

    /// Round trip of a chunk and its result, neither of which waited in a queue. payload: 1 = same host; bytes out and back; ns there
    /// and back without the time at the worker; iteration; worker's rank in the framework's communicator.
    pub const TRIP: u32 = 6;

    /// A piece of a text. flags: offset of its first byte in the text. payload: topic (low half; one of [`super::topic`]) and
    /// number (high half), bytes of the whole text, a value whose meaning depends on the topic, three words with up to [`PIECE`] bytes.
    pub const TEXT: u32 = 7;

    /// A stream begins. payload: stages, ranks that compute, first input.
    pub const STREAM_BEGIN: u32 = 8;

    /// A rank computed a stage for an input; `time_ns` is its end. payload: stage (low half) and rank in the pipeline's
    /// communicator, input, compute time ns, bytes of its output,
    /// idle time before it ns, time for messages before it ns.
    pub const STAGE: u32 = 9;

    /// A window of a stream ends. payload: its number, its begin ns, number of outputs, oldest (low half) and newest pattern of
    /// these, inputs in the stages (low half) and those that wait for their turn, time in source and sink ns.
    pub const STREAM_WINDOW: u32 = 10;

    /// A part of a measurement of one point in one iteration; the parts of a measurement are consecutive. flags: one of [`super::part`],
    /// with [`super::part::LAST`] in the last.
    pub const POINT: u32 = 13;

    /// One measured call, `time_ns` is its end; or one value that was read. flags: 1 = a value. payload: label (4 words), duration ns
    /// or the value (f64 bits), iteration.
    pub const POINT_RAW: u32 = 14;

    /// A message of the program, of a call that sent it, received it or waited for it; `time_ns` is the call's end. payload: 1 = it was
    /// received; the other rank in MPI_COMM_WORLD; 1 = that one is on this host; bytes; begin of the call ns; when the program began to
    /// wait for it ns, where its call did not: after the end of a send, with the begin of a receive; 0 = a blocking call's.
    pub const MESSAGE: u32 = 15;

    /// Workers died, and the job goes on. payload: iteration, workers that died, tasks that were handed out again, workers left,
    /// 1 + the rank that died in MPI_COMM_WORLD (0: none, or not known).
    pub const LOSS: u32 = 18;
    /// A rank computed tasks of a team's stage, or, with elapsed time, the lead is done with an input of it. payload: stage (low half)
    /// and rank in the pipeline's communicator; tasks, sum of their times ns, sum of squared task times s² (f64 bits); time of
    /// splitting and joining the input ns; time from the one to the other ns.
    pub const TEAM: u32 = 16;

    /// Bytes of a [`TEXT`].
    pub const PIECE: usize = 24;

    /// Iteration number of a [`CHUNK`] whose rank does not know the master's count.
    pub const UNKNOWN_ITERATION: u64 = u64::MAX;

    /// Flag of [`CHUNK`]: the rank timed every task; without it the sum of squares is the chunk's time squared / count.
    pub const TASKS_TIMED: u32 = 1;

    /// Flag of [`ITERATION_BEGIN`]: the iteration is one of midrun's frameworks.
    pub const OF_FRAMEWORK: u32 = 1;

    /// Flags of [`CHUNK`] that name the framework's master by its rank in MPI_COMM_WORLD; none where it is not known.
    pub fn of_master(master: Option<u32>) -> u32 {
        master.filter(|rank| *rank < u32::MAX >> 1).map_or(0, |rank| (rank + 1) << 1)
    }

    /// The master that they name.
    pub fn master_of(flags: u32) -> Option<u32> {
        (flags >> 1).checked_sub(1)
    }
}

/// Subjects of texts.
pub mod topic {
    /// A stage: its number, its name; value: 1 if it has state, 2 if a team computes it.
    pub const STAGE: u32 = 1;
    /// A pattern: its number, its plan in the notation of `midrun.h`; value: its first input.
    pub const PATTERN: u32 = 2;
    /// A line of the points was refused, or lost detail to keep the budget (value 1): its number, the reason.
    pub const REFUSED: u32 = 3;
}

/// Parts of a [`kind::POINT`].
pub mod part {
    /// payload: label (4 words), iteration, calls. The first part.
    pub const HEAD: u32 = 1;
    /// payload: timed calls, sum of their times ns, sum of squares s² (f64 bits), shortest ns, longest ns, time that
    /// measuring took ns.
    pub const TIMES: u32 = 2;
    /// payload: values read, their sum, sum of squares, smallest, largest, last (f64 bits but for the first).
    pub const VALUES: u32 = 3;
    /// payload: begin of the first call ns, end of the last ns.
    pub const SPAN: u32 = 4;
    /// payload: up to six bins of the histogram: the bin in the lowest byte, its count above; 0 = none.
    pub const BINS: u32 = 5;
    /// Added to the last part.
    pub const LAST: u32 = 1 << 16;
}

/// Moments at which a command is applied.
pub mod when {
    /// At the next safe point.
    pub const NOW: u32 = 1;
    /// Before the next iteration's first chunk.
    pub const ITERATION_START: u32 = 2;
    /// At the start of iteration [`crate::Command::at`], or not at all.
    pub const AT_ITERATION: u32 = 3;
    /// Prepare the assignments for the round that the action's id names: see `midrun-agreement`.
    pub const PREPARE: u32 = 16;
    /// Pre-commit to them for an iteration, whose number is the value of the first assignment; its tuning point is
    /// [`super::NO_TUNING_POINT`].
    pub const PRE_COMMIT: u32 = 17;
    /// Commit: all ranks make the change.
    pub const COMMIT: u32 = 18;
    /// It is committed: the rank need not ask the register.
    pub const COMMITTED: u32 = 19;
}

/// Tuning point of an assignment whose value belongs to no tuning point.
pub const NO_TUNING_POINT: u32 = u32::MAX;

/// Words of a [`Record`].
pub const RECORD_WORDS: usize = 8;
/// Words of a [`Command`].
pub const COMMAND_WORDS: usize = 16;
/// Commands that fit in the command ring.
pub const COMMANDS: u64 = 64;
/// Entries of the tuning point table.
pub const TUNING_POINTS: usize = 32;
/// Words of a tuning point's entry: name 4, kind, minimum, maximum, declared, value, 3 spare.
pub const TUNING_POINT_WORDS: usize = 12;
/// Longest job id and MPI name, bytes.
pub const TEXT: usize = 63;
/// Most lanes of a segment: threads of a rank that can record at a time.
pub const MAX_LANES: u32 = 4;
/// Most records of a lane. A rank has as many, 2 MiB in all, taken from the system as they are written. A reader takes memory for what nobody
/// has written, too, so that a segment must not be larger than a rank needs.
pub const MAX_RECORDS: u32 = 8192;

/// Words of the header, by position.
pub(crate) mod header {
    pub const MAGIC: usize = 0;
    pub const VERSION: usize = 1;
    pub const LANES: usize = 2;
    pub const RECORDS: usize = 3;
    pub const RANK: usize = 4;
    pub const WORLD_SIZE: usize = 5;
    pub const PID: usize = 6;
    pub const START_NS: usize = 7;
    pub const JOB: usize = 8;
    pub const MPI: usize = 16;
    /// Time at which the rank reached MPI_Finalize, nanoseconds; 0 = not yet.
    pub const FINALIZED: usize = 24;
    pub const TUNING_POINT_COUNT: usize = 25;
    /// Pages of counters that were ever in use.
    pub const COUNTER_PAGES: usize = 26;
    /// Calls that no page was left to count.
    pub const UNCOUNTED: usize = 27;
    /// The newest action that an agent has put into the command ring.
    pub const LAST_ACTION: usize = 28;
    pub const LAUNCH: usize = 32;
    pub const TUNING_POINT_TABLE: usize = 64;
}

/// First word of the command ring's control block.
pub(crate) const COMMAND_RING: usize = 512;
/// First word of the first lane.
pub(crate) const FIRST_LANE: usize = 2048;

// A name and its final zero fit into four words of an entry.
const _: () = assert!(midrun_vocabulary::bounds::NAME_BYTES < 4 * 8);
const _: () = assert!(header::TUNING_POINT_TABLE + TUNING_POINTS * TUNING_POINT_WORDS <= COMMAND_RING);
const _: () = assert!(COMMAND_RING + CONTROL_WORDS + COMMANDS as usize * COMMAND_WORDS <= FIRST_LANE);

/// Words of one lane of `records` records.
pub(crate) fn lane_words(records: u64) -> usize {
    CONTROL_WORDS + records as usize * RECORD_WORDS
}

/// First word of the counters: behind the lanes, at the begin of a page of memory.
pub(crate) fn first_counter(lanes: u64, records: u64) -> usize {
    (FIRST_LANE + lanes as usize * lane_words(records)).next_multiple_of(512)
}

/// Bytes of a segment: whole pages.
pub(crate) fn segment_bytes(lanes: u64, records: u64) -> usize {
    8 * (first_counter(lanes, records) + PAGES * PAGE_WORDS)
}

/// An event in a rank: 64 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// One of [`kind`].
    pub kind: u32,
    /// Depends on the kind.
    pub flags: u32,
    /// Host's CLOCK_MONOTONIC, nanoseconds.
    pub time_ns: u64,
    /// Depends on the kind.
    pub payload: [u64; 6],
}

impl Record {
    /// As words.
    #[inline]
    pub fn to_words(&self) -> [u64; RECORD_WORDS] {
        let [a, b, c, d, e, f] = self.payload;
        [u64::from(self.kind) | u64::from(self.flags) << 32, self.time_ns, a, b, c, d, e, f]
    }

    /// From words. Any words are a record; whether it makes sense is for the reader to check.
    pub fn from_words([kinds, time_ns, a, b, c, d, e, f]: [u64; RECORD_WORDS]) -> Self {
        Record { kind: kinds as u32, flags: (kinds >> 32) as u32, time_ns, payload: [a, b, c, d, e, f] }
    }
}

/// Values of a tuning point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuningPointKind {
    /// Any number.
    #[default]
    Real = 0,
    /// Whole numbers.
    Whole = 1,
    /// Texts.
    Text = 2,
}

impl TuningPointKind {
    /// From the table's word; `None` when it is none.
    pub(crate) fn from_word(word: u64) -> Option<TuningPointKind> {
        [TuningPointKind::Real, TuningPointKind::Whole, TuningPointKind::Text]
            .into_iter()
            .find(|kind| *kind as u64 == word)
    }
}

/// A tuning point that a rank offers.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPointSlot {
    /// Its name, at most [`NAME_BYTES`](midrun_vocabulary::bounds::NAME_BYTES) bytes.
    pub name: String,
    /// Its values.
    pub kind: TuningPointKind,
    /// Smallest value allowed; of a text 0.
    pub minimum: f64,
    /// Largest value allowed; of a text the most bytes.
    pub maximum: f64,
    /// Value when it was declared.
    pub declared: f64,
    /// Value now.
    pub value: f64,
}

/// Text into `N` words, cut at a character's boundary, padded with zeros.
pub fn text_to_words<const N: usize>(text: &str) -> [u64; N] {
    let mut end = text.len().min(8 * N - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(text.as_bytes()[..end].chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(padded);
    }
    words
}

/// The text up to the first zero; `None` when it is not UTF-8 or has control characters.
pub fn words_to_text(words: &[u64]) -> Option<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_belong_to_layout_version_7() {
        assert_eq!(LAYOUT_VERSION, 7);
        assert_eq!((8 * RECORD_WORDS, 8 * COMMAND_WORDS, 8 * TUNING_POINT_WORDS), (64, 128, 96));
        assert_eq!((8 * COMMAND_RING, 8 * FIRST_LANE), (4096, 16384));
        assert_eq!(segment_bytes(4, 8192), 3690496);
        assert_eq!((8 * PAGE_WORDS, PAGES, crate::calls::NAMES.len()), (49_152, 32, 201));
    }

    #[test]
    fn entries_come_back_from_their_words() {
        let record = Record { kind: 3, flags: 1, time_ns: 7, payload: [1, 2, 3, 4, 5, u64::MAX] };
        assert_eq!(Record::from_words(record.to_words()), record);
    }

    #[test]
    fn the_flags_of_a_chunk_name_its_master() {
        for master in [None, Some(0), Some(7), Some((1 << 20) - 1)] {
            let flags = kind::of_master(master) | kind::TASKS_TIMED;
            assert_eq!((kind::master_of(flags), flags & kind::TASKS_TIMED), (master, 1));
        }
        assert_eq!(kind::master_of(kind::of_master(Some(u32::MAX))), None, "no job has it");
        assert_eq!(kind::master_of(kind::TASKS_TIMED), None, "a record of an earlier version");
    }

    #[test]
    fn text_is_cut_at_a_character_and_hostile_text_is_refused() {
        assert_eq!(words_to_text(&text_to_words::<1>("job-äää")).as_deref(), Some("job-ä"));
        assert_eq!(words_to_text(&[u64::MAX]), None);
        assert_eq!(words_to_text(&text_to_words::<2>("a\nb")), None);
    }
}
