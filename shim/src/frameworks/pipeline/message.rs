//! The messages between the ranks of a pipeline: eight words, then the outputs of the last stage for one input.

use crate::frameworks::growth::FAREWELL;

/// Bytes before the payloads; a multiple of [`ALIGN`].
pub const HEADER_BYTES: usize = 64;
/// Payloads begin at multiples of this, counted from the start of the message.
const ALIGN: usize = 16;
/// Number of a route that ends at the head.
pub const SINK: u32 = u32::MAX;
/// No rank: see [`Header::peer`].
pub const DIRECT: u32 = u32::MAX;
/// Where the header has [`Header::peer`].
const PEER: std::ops::Range<usize> = 52..56;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The data of one input on its way through the stages.
    Item = 1,
    /// The sender of this message has begun an item of its receiver, which may send one more. `status`: 1 if it waited for that item.
    Credit = 2,
    /// Head: a new pattern, and the first input that it applies to.
    Pattern = 3,
    /// Head: a function failed; send all items back without computing.
    Stop = 4,
    /// Head: no input is in flight; the stream ended with this status.
    End = 5,
    /// Lead of a team: compute these tasks, one a payload. `input`: as the stages count; `route`: the stage; `epoch`: the lead's number of
    /// the input; `stage`: the first task; `status`: all tasks of the input.
    Tasks = 6,
    /// Their results, as above, but for `input`: the sum of the squares of the tasks' times (f64 bits), and `time_ns`: their sum. After a
    /// failure, `status` and `route` (one of [`failure`]) say which, and there are none.
    Results = 7,
    /// A started process: it is ready. `input`: [`super::config::Config::fingerprint`]; `count`: stages.
    Hello = 8,
    /// Head, to a started process: end.
    Farewell = FAREWELL as isize,
    /// Head, to a started process: it is rank `route`.
    Welcome = 10,
}

/// The start of each message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its kind.
    pub kind: Kind,
    /// A status of the C API, or the return value of a stage.
    pub status: i32,
    /// Number of the input, counted over all runs. [`Kind::Pattern`]: the first input of this run.
    pub input: u64,
    /// Number of the input's pattern.
    pub epoch: u32,
    /// Number of the route it goes to, or [`SINK`].
    pub route: u32,
    /// Number of payloads. Several outputs of a stage for one input, or none, are still one item.
    pub count: u64,
    /// Bytes of a single payload; of a failed item one of [`failure`].
    pub bytes: u64,
    /// Bytes of the whole message; if fewer arrived, the rest follows in fragments.
    pub total: u64,
    /// The stage that failed.
    pub stage: u32,
    /// Of a message that the head passes on, because one of its ends is a started process, which has a connection to the head only: on its
    /// way to the head its receiver, from there on its sender. [`DIRECT`]: the head does not pass it on.
    pub peer: u32,
    /// Of results: time that the tasks took, nanoseconds.
    pub time_ns: u64,
}

/// The reason why an item failed, in `bytes` of its header.
pub mod failure {
    /// A stage returned non-zero.
    pub const RETURNED: u64 = 0;
    /// A stage emitted a number of outputs other than one.
    pub const OUTPUTS: u64 = 1;
    /// Out of memory.
    pub const MEMORY: u64 = 2;
}

/// Writes [`Header::peer`] into a message.
pub fn readdress(message: &mut [u8], peer: u32) {
    if let Some(bytes) = message.get_mut(PEER) {
        bytes.copy_from_slice(&peer.to_le_bytes());
    }
}

impl Header {
    /// An empty message.
    pub fn new(kind: Kind) -> Header {
        Header {
            kind,
            status: 0,
            input: 0,
            epoch: 0,
            route: 0,
            count: 0,
            bytes: 0,
            total: HEADER_BYTES as u64,
            stage: 0,
            peer: DIRECT,
            time_ns: 0,
        }
    }

    /// As a message of its own.
    pub fn message(&self) -> Vec<u8> {
        let mut message = Vec::new();
        self.patch(&mut message);
        message
    }

    /// Writes the header over that of a message, or before nothing.
    pub fn patch(&self, message: &mut Vec<u8>) {
        message.resize(message.len().max(HEADER_BYTES), 0);
        let words = [
            u64::from(self.kind as u32) | u64::from(self.status.cast_unsigned()) << 32,
            self.input,
            u64::from(self.epoch) | u64::from(self.route) << 32,
            self.count,
            self.bytes,
            self.total,
            u64::from(self.stage) | u64::from(self.peer) << 32,
            self.time_ns,
        ];
        for (to, word) in message.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Reads the header; `None` when it is not a message of this framework.
    pub fn read(message: &[u8]) -> Option<Header> {
        let head = message.get(..HEADER_BYTES)?;
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|b| head[8 * i + b]));
        let kind = match word(0) as u32 {
            1 => Kind::Item,
            2 => Kind::Credit,
            3 => Kind::Pattern,
            4 => Kind::Stop,
            5 => Kind::End,
            6 => Kind::Tasks,
            7 => Kind::Results,
            8 => Kind::Hello,
            9 => Kind::Farewell,
            10 => Kind::Welcome,
            _ => return None,
        };
        Some(Header {
            kind,
            status: ((word(0) >> 32) as u32).cast_signed(),
            input: word(1),
            epoch: word(2) as u32,
            route: (word(2) >> 32) as u32,
            count: word(3),
            bytes: word(4),
            total: word(5),
            stage: word(6) as u32,
            peer: (word(6) >> 32) as u32,
            time_ns: word(7),
        })
    }
}

/// The data of one input: a message with its header parsed.
#[derive(Debug)]
pub struct Item {
    /// Its header; written into the message when it is sent.
    pub header: Header,
    message: Vec<u8>,
}

impl Item {
    /// Wraps a complete message.
    pub fn new(header: Header, message: Vec<u8>) -> Item {
        Item { header, message }
    }

    /// The payloads in the order of their emission.
    pub fn payloads(&self) -> impl Iterator<Item = &[u8]> {
        let (count, one) = (self.header.count as usize, self.header.bytes as usize);
        let sizes = if count == 1 { Some(0) } else { count.checked_mul(8) };
        let table = sizes.and_then(|sizes| self.message.len().checked_sub(sizes)).filter(|at| *at >= HEADER_BYTES);
        let mut at = HEADER_BYTES;
        (0..table.map_or(0, |_| count)).map_while(move |k| {
            let entry = table.and_then(|table| self.message.get(table + 8 * k..table + 8 * k + 8));
            let size = match (count, entry) {
                (1, _) => one,
                (_, Some(entry)) => u64::from_le_bytes(std::array::from_fn(|b| entry[b])) as usize,
                _ => return None,
            };
            let payload = self.message.get(at..at.checked_add(size)?)?;
            at += size.next_multiple_of(ALIGN);
            Some(payload)
        })
    }

    /// The message with the current header.
    pub fn into_message(mut self) -> Vec<u8> {
        self.header.patch(&mut self.message);
        self.message
    }

    /// Bytes of the message.
    pub fn len(&self) -> usize {
        self.message.len()
    }

    /// The same input without payloads, and the buffer of its payloads.
    pub fn emptied(self, status: i32) -> (Item, Vec<u8>) {
        let total = HEADER_BYTES as u64;
        let header = Header { status, count: 0, bytes: 0, total, route: SINK, peer: DIRECT, ..self.header };
        (Item { header, message: Vec::new() }, self.message)
    }
}

/// The outputs of a function of the program (`midrun_pipe_out_t`).
#[derive(Debug)]
pub struct Out {
    message: Vec<u8>,
    sizes: Vec<u64>,
    /// Outputs that the call in progress may still emit.
    allowed: usize,
    /// The reason why an emission was refused.
    pub refused: Option<Refused>,
}

/// The reason why an emission was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The function emitted more than it declared.
    TooMany,
    /// Out of memory.
    Memory,
}

impl Out {
    /// Collects outputs in `message`, a reused buffer.
    pub fn new(mut message: Vec<u8>) -> Out {
        message.clear();
        message.resize(HEADER_BYTES, 0);
        Out { message, sizes: Vec::new(), allowed: 0, refused: None }
    }

    /// Starts a call that may emit `allowed` outputs; returns the number of outputs before it.
    pub fn allow(&mut self, allowed: usize) -> usize {
        self.allowed = allowed;
        self.sizes.len()
    }

    /// Outputs so far.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Allocates one more output; the slice is valid until the next one.
    pub fn emit(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let Some(left) = self.allowed.checked_sub(1) else {
            self.refused = Some(Refused::TooMany);
            return None;
        };
        let at = self.message.len();
        let padded = bytes.checked_next_multiple_of(ALIGN);
        let Some(padded) = padded.filter(|padded| self.message.try_reserve(*padded + 8).is_ok()) else {
            self.refused = Some(Refused::Memory);
            return None;
        };
        self.allowed = left;
        self.message.resize(at + padded, 0);
        self.sizes.push(bytes as u64);
        Some(&mut self.message[at..at + bytes])
    }

    /// The item with all outputs, for the input and route of `header`.
    pub fn finish(mut self, header: &Header) -> Item {
        let count = self.sizes.len() as u64;
        let bytes = if count == 1 { self.sizes[0] } else { 0 };
        if count != 1 {
            self.message.extend(self.sizes.iter().flat_map(|size| size.to_le_bytes()));
        }
        let total = self.message.len() as u64;
        Item { header: Header { count, bytes, total, ..*header }, message: self.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header { status: -4, input: 1 << 40, epoch: 7, route: SINK, stage: 3, peer: 9, ..Header::new(Kind::Item) }
    }

    #[test]
    fn a_header_reads_as_it_was_written() {
        let mut message = Vec::new();
        header().patch(&mut message);
        assert_eq!(Header::read(&message), Some(header()));
        readdress(&mut message, 700);
        assert_eq!(Header::read(&message), Some(Header { peer: 700, ..header() }));
        assert_eq!(Header::read(&message[..HEADER_BYTES - 1]), None);
        assert_eq!(Header::read(&[0; HEADER_BYTES]), None);
    }

    #[test]
    fn outputs_come_out_in_their_order_whatever_their_number_and_size() {
        for outputs in [vec![], vec![b"".as_slice()], vec![b"one"], vec![b"one", b"", &[7; 33], b"last"]] {
            let mut out = Out::new(vec![9; 5]);
            out.allow(usize::MAX);
            for output in &outputs {
                out.emit(output.len()).unwrap().copy_from_slice(output);
            }
            let message = out.finish(&header()).into_message();
            let item = Item::new(Header::read(&message).unwrap(), message);
            assert_eq!(item.payloads().collect::<Vec<_>>(), outputs);
            assert_eq!(item.header.total, item.len() as u64);
        }
    }

    #[test]
    fn a_function_emits_no_more_than_declared_and_than_memory_holds() {
        let mut out = Out::new(Vec::new());
        out.allow(1);
        assert!(out.emit(3).is_some() && out.emit(3).is_none());
        assert_eq!((out.refused, out.count()), (Some(Refused::TooMany), 1));
        let mut out = Out::new(Vec::new());
        out.allow(1);
        assert!(out.emit(usize::MAX).is_none() && out.emit(usize::MAX / 4).is_none());
        assert_eq!(out.refused, Some(Refused::Memory));
    }

    #[test]
    fn a_wrong_header_gives_no_payload_beyond_the_end_of_the_message() {
        let lying = Header { count: 3, ..header() };
        assert_eq!(Item::new(lying, vec![255; HEADER_BYTES + 24]).payloads().count(), 0);
        assert_eq!(Item::new(Header { count: 1, bytes: 99, ..lying }, vec![0; 70]).payloads().count(), 0);
        assert_eq!(Item::new(Header { count: 1 << 50, ..lying }, vec![0; 70]).payloads().count(), 0);
    }
}
