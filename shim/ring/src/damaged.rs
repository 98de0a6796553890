//! Segments in which a hostile rank has written. For a loop of random words and for a target of `tests/fuzz`.

use crate::{Command, Identity, Segment};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// A segment with words that a rank wrote there, each with its place: it is refused, or harmless.
pub fn written(words: impl IntoIterator<Item = (u64, u64)>) {
    let identity = Identity { rank: 3, world_size: 9, pid: 42, job: "j-1".into(), ..Identity::default() };
    let (_rank, fd) = Segment::create(&identity, 1, 8).expect("a segment");
    let file = File::from(fd.try_clone().expect("a descriptor"));
    for (word, value) in words {
        let _ = file.write_at(&value.to_ne_bytes(), word * 8);
    }
    let Ok(agent) = Segment::open(fd) else { return };
    let mut consumer = agent.consumer(0);
    let mut taken = 0;
    while consumer.pop().is_some() {
        taken += 1;
    }
    assert!(taken <= 8, "{taken} records in a lane of eight");
    let mut commands = agent.command_producer();
    for _ in 0..100 {
        commands.push_all(&Command { text: "x".repeat(200), ..Command::default() }.to_entries());
    }
    let _ = (agent.tuning_points(), agent.totals(), agent.finalized());
}

/// The same from bytes: two for a place, eight for its word.
pub fn segment(bytes: &[u8]) {
    let (pairs, _) = bytes.as_chunks::<10>();
    written(
        pairs
            .iter()
            .map(|&[low, high, ref word @ ..]| (u64::from(u16::from_le_bytes([low, high])), u64::from_le_bytes(*word))),
    );
}

#[cfg(test)]
mod tests {
    use super::written;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_segment_with_hostile_words_is_refused_or_harmless(
            spoilt in prop::collection::vec((prop_oneof![0u64..128, 512u64..600, 2048u64..2200], any::<u64>()), 1..20),
        ) {
            written(spoilt);
        }
    }
}
