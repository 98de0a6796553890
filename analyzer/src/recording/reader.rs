//! Reads a recording frame by frame, up to its end or to where it is torn or damaged. Nothing in the file is trusted.

use std::io::{self, Read};

use midrun_proto::v1;
use midrun_proto::v1::recorded::What;
use prost::Message;

use super::{FORMAT, FRAME_HEAD, MAGIC, checksum};
use crate::limits;

/// Oldest protocol that is read: later ones only added to it.
const OLDEST: u32 = 2;

/// A file that cannot be read as a recording; a part of a sentence after its name.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refuses.
    #[error("cannot be read: {0}")]
    System(#[from] io::Error),
    /// It begins otherwise.
    #[error("is no recording of midrun: name a file that `midrun run --record` wrote")]
    Foreign,
    /// Another format.
    #[error("has format {found}, this midrun reads format {FORMAT}: use the midrun that wrote it")]
    Format {
        /// The file's.
        found: u32,
    },
    /// Another protocol between agents and analyzer.
    #[error(
        "was recorded by midrun {version} with protocol {found}, this midrun ({own}) reads protocol {reads} and \
         those from {OLDEST} on: use the midrun that wrote it",
        own = env!("CARGO_PKG_VERSION"), reads = midrun_proto::PROTOCOL_VERSION,
    )]
    Protocol {
        /// The version that wrote it.
        version: String,
        /// Its protocol.
        found: u32,
    },
    /// It ends, or is damaged, before anything was recorded.
    #[error("holds nothing: {0}")]
    Empty(End),
}

/// The end of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// As it should: the analyzer had ended.
    Whole,
    /// Between two frames: whoever wrote it was stopped, or ran out of room.
    Cut {
        /// Bytes of the file.
        at: u64,
    },
    /// In the middle of a frame.
    Torn {
        /// Where that frame begins, bytes.
        at: u64,
    },
    /// A frame makes no sense.
    Damaged {
        /// Where it begins, bytes.
        at: u64,
        /// The defect.
        why: &'static str,
    },
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Whole => write!(f, "it is whole"),
            End::Cut { at } => write!(f, "it was not finished and ends at byte {at}"),
            End::Torn { at } => write!(f, "it ends in the middle of the frame at byte {at}"),
            End::Damaged { at, why } => write!(f, "it is damaged at byte {at}: {why}"),
        }
    }
}

/// A recording that is being read.
pub struct Reader<R> {
    file: R,
    /// Configuration of the analyzer that recorded.
    pub begun: v1::RecordingBegun,
    at: u64,
    now_ns: u64,
    end: Option<End>,
}

impl<R: Read> Reader<R> {
    /// Reads the begin of the recording.
    ///
    /// # Errors
    /// It is none, or none that this version reads.
    pub fn new(mut file: R) -> Result<Reader<R>, ReadError> {
        let mut start = Vec::new();
        file.by_ref().take(12).read_to_end(&mut start)?;
        if start.is_empty() || !start.starts_with(&MAGIC[..start.len().min(MAGIC.len())]) {
            return Err(ReadError::Foreign);
        }
        let Some(format) = start.get(MAGIC.len()..).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)
        else {
            return Err(ReadError::Empty(End::Torn { at: 0 }));
        };
        if format != FORMAT {
            return Err(ReadError::Format { found: format });
        }
        let at = start.len() as u64;
        let mut reader = Reader { file, begun: v1::RecordingBegun::default(), at, now_ns: 0, end: None };
        match reader.next_frame()? {
            Some((_, What::Begun(begun))) if (OLDEST..=midrun_proto::PROTOCOL_VERSION).contains(&begun.protocol) => {
                reader.begun = begun;
                Ok(reader)
            }
            Some((_, What::Begun(begun))) => {
                let version = begun.version.chars().take(40).collect();
                Err(ReadError::Protocol { version, found: begun.protocol })
            }
            Some(_) => Err(ReadError::Empty(End::Damaged { at, why: "the first frame does not say how it begins" })),
            None => Err(ReadError::Empty(reader.end())),
        }
    }

    /// The next thing that happened, and when; `None` at the end, whatever kind of end it is.
    ///
    /// # Errors
    /// The system's.
    pub fn next_frame(&mut self) -> io::Result<Option<(u64, What)>> {
        if self.end.is_some() {
            return Ok(None);
        }
        match self.frame()? {
            Ok((now_ns, What::Ended(_))) => {
                self.now_ns = now_ns;
                self.end = Some(End::Whole);
                Ok(None)
            }
            Ok((now_ns, what)) => {
                self.now_ns = now_ns;
                Ok(Some((now_ns, what)))
            }
            Err(end) => {
                self.end = Some(end);
                Ok(None)
            }
        }
    }

    /// The end, as far as it was read.
    pub fn end(&self) -> End {
        self.end.clone().unwrap_or(End::Cut { at: self.at })
    }

    /// Bytes of what was read.
    pub fn bytes(&self) -> u64 {
        self.at
    }

    /// When the last thing that was read happened, nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn frame(&mut self) -> io::Result<Result<(u64, What), End>> {
        let at = self.at;
        let damaged = |why| Ok(Err(End::Damaged { at, why }));
        let mut head = Vec::with_capacity(FRAME_HEAD);
        self.file.by_ref().take(FRAME_HEAD as u64).read_to_end(&mut head)?;
        if head.is_empty() {
            return Ok(Err(End::Cut { at }));
        }
        let Some((length, sum)) =
            head.split_first_chunk::<4>().and_then(|(length, sum)| Some((*length, sum.try_into().ok()?)))
        else {
            return Ok(Err(End::Torn { at }));
        };
        let count = u32::from_le_bytes(length) as usize;
        if count > limits::FRAME_BYTES {
            return damaged("its length is not possible");
        }
        let mut content = Vec::new();
        self.file.by_ref().take(count as u64).read_to_end(&mut content)?;
        if content.len() < count {
            return Ok(Err(End::Torn { at }));
        }
        if checksum(length, &content) != u32::from_le_bytes(sum) {
            return damaged("its checksum is wrong");
        }
        let Ok(v1::Recorded { now_ns, what: Some(what) }) = v1::Recorded::decode(&content[..]) else {
            return damaged("its content is none that this version knows");
        };
        if now_ns < self.now_ns {
            return damaged("its time is before that of the frame before it");
        }
        self.at += (FRAME_HEAD + count) as u64;
        Ok(Ok((now_ns, what)))
    }
}
