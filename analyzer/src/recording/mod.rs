//! Recorded runs: a file keeps the inputs and actions of an analyzer, and the same core takes them in again later.
//!
//! The file: [`MAGIC`], the [`FORMAT`] as four bytes, then frames. A frame is the length of its content (four bytes), a CRC-32 of
//! length and content (four bytes), and a `midrun.v1.Recorded`; numbers are little-endian. Frames are written one by one as things
//! happen, so whatever ends the writing leaves a file that can be read up to there.

mod batches;
mod input_log;
mod reader;
mod recorder;
mod replay;
mod timeline;
mod windows;

pub use batches::{batches, events};
pub use input_log::{Earlier, InputLog};
pub use reader::{End, ReadError, Reader};
pub use recorder::{Recorder, Unusable, check, set_aside};
pub use replay::{Follower, Replay, ReplayError, Step, Steps, TimedNotice, job, replay, replay_followed};
pub use timeline::{Activity, Applied, Slice, Timeline, timeline};
pub use windows::{RecordedWindows, windows};

use midrun_proto::v1::Recorded;
use prost::Message as _;

use crate::limits;

/// First bytes of a recording.
pub const MAGIC: [u8; 8] = *b"MIDRUNR\n";
/// Version of the format that is written, and the only one that is read.
pub const FORMAT: u32 = 1;
/// Bytes before a frame's content.
const FRAME_HEAD: usize = 8;

/// The head of a frame with this content.
fn head(content: &[u8]) -> [u8; FRAME_HEAD] {
    // What is longer is not written: see `recorder`.
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes();
    let mut head = [0; FRAME_HEAD];
    head[..4].copy_from_slice(&length);
    head[4..].copy_from_slice(&checksum(length, content).to_le_bytes());
    head
}

// The length is summed up too: a damaged one must not pass for another frame.
fn checksum(length: [u8; 4], content: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&length);
    sum.update(content);
    sum.finalize()
}

/// A frame as it stands in the file.
fn frame(recorded: &Recorded) -> Vec<u8> {
    let mut frame = vec![0; FRAME_HEAD];
    // A vector takes all there is.
    let _ = recorded.encode(&mut frame);
    let (start, content) = frame.split_at_mut(FRAME_HEAD);
    start.copy_from_slice(&head(content));
    frame
}

/// Magic and format, which begin every recording.
fn preamble() -> Vec<u8> {
    [&MAGIC[..], &FORMAT.to_le_bytes()].concat()
}

// A frame holds what a link may send, and a little around it.
const _: () = assert!(limits::FRAME_BYTES > limits::MESSAGE_BYTES && limits::FRAME_BYTES < u32::MAX as usize);

#[cfg(test)]
mod input_log_tests;
#[cfg(test)]
mod tests;
