//! What the shared memory looks like: entries as words, the header, the knob table, and where everything lies.
//!
//! Everything is 64-bit words in the host's byte order: both sides are on one host. Any change here needs a new
//! [`LAYOUT_VERSION`]; a test ties the sizes to it.

use crate::atomic::CONTROL_WORDS;

/// First word of a segment: "midrun\0\1".
pub const MAGIC: u64 = u64::from_le_bytes(*b"midrun\0\x01");
/// Version of this layout; a segment of another is refused.
pub const LAYOUT_VERSION: u64 = 1;

/// Kinds of records. Integers until checked: shared memory may hold anything.
pub mod kind {
    /// payload: iteration, tasks, workers, policy code, factor (f64 bits), bytes of a task (low half) and of a result.
    pub const ITERATION_BEGIN: u32 = 1;
    /// payload: iteration, tasks done, chunks, sum of task times ns, master busy ns, 0.
    pub const ITERATION_END: u32 = 2;
    /// A chunk was computed, `time_ns` is its end. payload: iteration, first, count, busy ns, sum of squared task
    /// times s² (f64 bits), tasks of the iteration (0 = unknown). flags: [`TASKS_TIMED`].
    pub const CHUNK: u32 = 3;
    /// payload: action id, status (as in the wire's `ActionStatus`), iteration.
    pub const ACTION_RESULT: u32 = 4;

    /// What a message costs the master. payload: 1 = to a worker of the same host, 0 = of another; start-up time s and
    /// time per byte s (f64 bits); round trips measured; largest message that was sent eagerly (low half, 0 = unknown) and
    /// smallest that was not (0 = none); standard errors of both times, s (f32 bits: start-up low, byte high).
    pub const LINK: u32 = 5;

    /// A chunk and its result were on their way, neither queued. payload: 1 = same host; bytes out and back; ns there
    /// and back without the time at the worker; iteration; worker's rank in the framework's communicator.
    pub const TRIP: u32 = 6;

    /// Iteration number of a [`CHUNK`] whose rank does not know the master's count.
    pub const UNKNOWN_ITERATION: u64 = u64::MAX;

    /// Flag of [`CHUNK`]: every task was timed by itself; else the chunk's time squared / count is given.
    pub const TASKS_TIMED: u32 = 1;
}

/// When a command is to be applied.
pub mod when {
    /// At the next safe point.
    pub const NOW: u32 = 1;
    /// Before the next iteration's first hand-out.
    pub const ITERATION_START: u32 = 2;
}

/// Words of a [`Record`].
pub const RECORD_WORDS: usize = 8;
/// Words of a [`Command`].
pub const COMMAND_WORDS: usize = 16;
/// Most assignments in one command.
pub const ASSIGNMENTS: usize = 6;
/// Commands that fit in the command ring.
pub const COMMANDS: u64 = 64;
/// Entries of the knob table.
pub const KNOBS: usize = 32;
/// Words of a knob's entry: name 4, type, minimum, maximum, declared, value, 3 spare.
pub const KNOB_WORDS: usize = 12;
/// Longest knob name, bytes.
pub const KNOB_NAME: usize = 31;
/// Longest job id and MPI name, bytes.
pub const TEXT: usize = 63;
/// Most lanes of a segment.
pub const MAX_LANES: u64 = 64;
/// Most records of a lane.
pub const MAX_RECORDS: u64 = 1 << 20;

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
    pub const FINALIZED: usize = 24;
    pub const KNOB_COUNT: usize = 25;
    pub const KNOB_TABLE: usize = 64;
}

/// Where the command ring's control block lies, words.
pub(crate) const COMMAND_RING: usize = 512;
/// Where the first lane lies, words.
pub(crate) const FIRST_LANE: usize = 2048;

const _: () = assert!(header::KNOB_TABLE + KNOBS * KNOB_WORDS <= COMMAND_RING);
const _: () = assert!(COMMAND_RING + CONTROL_WORDS + COMMANDS as usize * COMMAND_WORDS <= FIRST_LANE);
const _: () = assert!(4 + 2 * ASSIGNMENTS <= COMMAND_WORDS);

/// Words of one lane of `records` records.
pub(crate) fn lane_words(records: u64) -> usize {
    CONTROL_WORDS + records as usize * RECORD_WORDS
}

/// Bytes of a segment, rounded up to whole pages.
pub(crate) fn segment_bytes(lanes: u64, records: u64) -> usize {
    (8 * (FIRST_LANE + lanes as usize * lane_words(records))).next_multiple_of(4096)
}

/// Something that happened in a rank: 64 bytes.
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

/// A new value for one knob.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommandAssignment {
    /// Number of the knob in that rank's table.
    pub knob: u32,
    /// Its new value.
    pub value: f64,
}

/// Something the rank shall do at a safe point: 128 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// Id of the action; grows within a job.
    pub action: u64,
    /// Not to be applied after this: host's CLOCK_MONOTONIC, nanoseconds.
    pub deadline_ns: u64,
    /// One of [`when`].
    pub when: u32,
    /// How many of `assignments` count.
    pub count: u32,
    /// All applied together or not at all.
    pub assignments: [CommandAssignment; ASSIGNMENTS],
}

impl Command {
    /// As words.
    pub fn to_words(&self) -> [u64; COMMAND_WORDS] {
        let mut words = [0; COMMAND_WORDS];
        words[0] = self.action;
        words[1] = self.deadline_ns;
        words[2] = u64::from(self.when) | u64::from(self.count) << 32;
        for (pair, a) in words[4..].chunks_exact_mut(2).zip(&self.assignments) {
            pair[0] = u64::from(a.knob);
            pair[1] = a.value.to_bits();
        }
        words
    }

    /// From words; a count beyond the room reads as full.
    pub fn from_words(words: [u64; COMMAND_WORDS]) -> Self {
        let mut assignments = [CommandAssignment::default(); ASSIGNMENTS];
        for (pair, a) in words[4..].chunks_exact(2).zip(&mut assignments) {
            *a = CommandAssignment { knob: pair[0] as u32, value: f64::from_bits(pair[1]) };
        }
        Command {
            action: words[0],
            deadline_ns: words[1],
            when: words[2] as u32,
            count: ((words[2] >> 32) as u32).min(ASSIGNMENTS as u32),
            assignments,
        }
    }
}

/// A tuning point that a rank offers.
#[derive(Clone, Debug, PartialEq)]
pub struct KnobSlot {
    /// Its name, at most [`KNOB_NAME`] bytes.
    pub name: String,
    /// Whether it takes whole numbers only.
    pub whole: bool,
    /// Smallest value allowed.
    pub minimum: f64,
    /// Largest value allowed.
    pub maximum: f64,
    /// Value when it was declared.
    pub declared: f64,
    /// Value now.
    pub value: f64,
}

/// Text into `N` words, cut at a character's boundary, padded with zeros.
pub(crate) fn text_to_words<const N: usize>(text: &str) -> [u64; N] {
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
pub(crate) fn words_to_text(words: &[u64]) -> Option<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_belong_to_layout_version_1() {
        assert_eq!(LAYOUT_VERSION, 1);
        assert_eq!((8 * RECORD_WORDS, 8 * COMMAND_WORDS, 8 * KNOB_WORDS), (64, 128, 96));
        assert_eq!((8 * COMMAND_RING, 8 * FIRST_LANE), (4096, 16384));
        assert_eq!(segment_bytes(4, 8192), 2_117_632);
    }

    #[test]
    fn entries_come_back_from_their_words() {
        let record = Record { kind: 3, flags: 1, time_ns: 7, payload: [1, 2, 3, 4, 5, u64::MAX] };
        assert_eq!(Record::from_words(record.to_words()), record);
        let mut command = Command { action: 9, deadline_ns: 8, when: 2, count: 6, ..Command::default() };
        command.assignments[5] = CommandAssignment { knob: 31, value: -0.25 };
        assert_eq!(Command::from_words(command.to_words()), command);
    }

    #[test]
    fn text_is_cut_at_a_character_and_hostile_text_is_refused() {
        assert_eq!(words_to_text(&text_to_words::<1>("job-äää")).as_deref(), Some("job-ä"));
        assert_eq!(words_to_text(&[u64::MAX]), None);
        assert_eq!(words_to_text(&text_to_words::<2>("a\nb")), None);
    }
}
