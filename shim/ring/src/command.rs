//! A command for a rank's next safe point. It is written as entries of the command ring, which arrive together or not at all.

use crate::layout::{COMMAND_WORDS, COMMANDS};
use midrun_vocabulary::bounds::{ASSIGNMENTS, LAST_ITERATION, TEXT_BYTES};

/// Bytes of text in one entry.
const ENTRY_BYTES: usize = 8 * COMMAND_WORDS;

/// The word with the text's bytes has the iteration above them.
const TEXT_BITS: u32 = 16;

const _: () = assert!(LAST_ITERATION == u64::MAX >> TEXT_BITS);
const _: () = assert!(4 + 2 * ASSIGNMENTS <= COMMAND_WORDS);
const _: () = assert!(TEXT_BYTES < 1 << TEXT_BITS);
// Two such commands at a time.
const _: () = assert!(2 * (1 + TEXT_BYTES.div_ceil(ENTRY_BYTES)) as u64 <= COMMANDS + 2);

/// A new value for one tuning point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommandAssignment {
    /// Number of the tuning point in that rank's table.
    pub tuning_point: u32,
    /// Its new value; of a tuning point that takes texts it is [`Command::text`], and this its bytes.
    pub value: f64,
}

/// A command for a rank's safe point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    /// Id of the action; grows within a job.
    pub action: u64,
    /// Latest time at which it is applied: host's CLOCK_MONOTONIC, nanoseconds.
    pub deadline_ns: u64,
    /// One of [`crate::layout::when`].
    pub when: u32,
    /// Of [`crate::layout::when::AT_ITERATION`]: the iteration, at most [`LAST_ITERATION`].
    pub at: u64,
    /// Number of `assignments` in use.
    pub count: u32,
    /// All applied together or not at all.
    pub assignments: [CommandAssignment; ASSIGNMENTS],
    /// The value of those assignments whose tuning point takes texts; at most [`TEXT_BYTES`] bytes.
    pub text: String,
}

impl Command {
    /// As entries of the ring: one, and as many as the text needs.
    pub fn to_entries(&self) -> Vec<[u64; COMMAND_WORDS]> {
        let mut first = [0; COMMAND_WORDS];
        first[0] = self.action;
        first[1] = self.deadline_ns;
        first[2] = u64::from(self.when) | u64::from(self.count) << 32;
        first[3] = self.text.len() as u64 | self.at << TEXT_BITS;
        for (pair, a) in first[4..].chunks_exact_mut(2).zip(&self.assignments) {
            pair[0] = u64::from(a.tuning_point);
            pair[1] = a.value.to_bits();
        }
        let mut entries = vec![first];
        for bytes in self.text.as_bytes().chunks(ENTRY_BYTES) {
            let mut entry = [0; COMMAND_WORDS];
            for (word, bytes) in entry.iter_mut().zip(bytes.chunks(8)) {
                let mut padded = [0; 8];
                padded[..bytes.len()].copy_from_slice(bytes);
                *word = u64::from_le_bytes(padded);
            }
            entries.push(entry);
        }
        entries
    }

    /// The next command of a ring, entry by entry from `pop`; `None` when there is none. `Some(None)` when it makes no
    /// sense: entries that are missing, or no text. A count beyond the room reads as full.
    pub fn read(mut pop: impl FnMut() -> Option<[u64; COMMAND_WORDS]>) -> Option<Option<Command>> {
        let words = pop()?;
        let mut assignments = [CommandAssignment::default(); ASSIGNMENTS];
        for (pair, a) in words[4..].chunks_exact(2).zip(&mut assignments) {
            *a = CommandAssignment { tuning_point: pair[0] as u32, value: f64::from_bits(pair[1]) };
        }
        let Some(text) = text(words[3] & ((1 << TEXT_BITS) - 1), pop) else { return Some(None) };
        Some(Some(Command {
            action: words[0],
            deadline_ns: words[1],
            when: words[2] as u32,
            at: words[3] >> TEXT_BITS,
            count: ((words[2] >> 32) as u32).min(ASSIGNMENTS as u32),
            assignments,
            text,
        }))
    }
}

fn text(bytes: u64, mut pop: impl FnMut() -> Option<[u64; COMMAND_WORDS]>) -> Option<String> {
    let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes <= TEXT_BYTES)?;
    let mut all = Vec::with_capacity(bytes.next_multiple_of(ENTRY_BYTES));
    while all.len() < bytes {
        all.extend(pop()?.iter().flat_map(|word| word.to_le_bytes()));
    }
    all.truncate(bytes);
    String::from_utf8(all).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(entries: Vec<[u64; COMMAND_WORDS]>) -> (Option<Option<Command>>, usize) {
        let mut entries = entries.into_iter();
        let command = Command::read(|| entries.next());
        (command, entries.len())
    }

    #[test]
    fn a_command_comes_back_from_its_entries() {
        for bytes in [0, 1, 8, ENTRY_BYTES, ENTRY_BYTES + 1, TEXT_BYTES] {
            let text = "0x3,".repeat(bytes).chars().take(bytes).collect();
            let at = LAST_ITERATION - bytes as u64;
            let mut command = Command { action: 9, deadline_ns: 8, when: 3, at, count: 6, text, ..Command::default() };
            command.assignments[5] = CommandAssignment { tuning_point: 31, value: -0.25 };
            let mut entries = command.to_entries();
            assert_eq!(entries.len(), 1 + bytes.div_ceil(ENTRY_BYTES));
            entries.push([0; COMMAND_WORDS]);
            assert_eq!(read(entries), (Some(Some(command)), 1));
        }
    }

    #[test]
    fn entries_that_are_no_command_are_refused() {
        let entries = Command { text: "a".repeat(300), ..Command::default() }.to_entries();
        assert_eq!(read(entries[..2].to_vec()).0, Some(None), "an entry is missing");
        let mut long = entries.clone();
        long[0][3] = u64::MAX;
        assert_eq!(read(long).0, Some(None), "longer than any");
        let mut broken = entries;
        broken[1][0] = u64::MAX;
        assert_eq!(read(broken).0, Some(None), "no UTF-8");
        assert_eq!(read(Vec::new()).0, None);
    }
}
