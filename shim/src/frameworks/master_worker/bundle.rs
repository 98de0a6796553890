//! Several chunks in one message, each with a header of its own, then its inputs or results, which begin at a multiple of 16 bytes. A
//! chunk's header says in `held_ns` how many bytes they are, and in `iteration` which rank computed it.

use super::message::{HEADER_BYTES, Header, Kind};

const ALIGNMENT: usize = 16;

/// The message as it grows.
#[derive(Debug)]
pub struct Bundle {
    message: Vec<u8>,
    chunks: u64,
}

impl Bundle {
    /// Without a chunk, in this empty buffer.
    pub fn new(mut message: Vec<u8>) -> Bundle {
        message.resize(HEADER_BYTES, 0);
        Bundle { message, chunks: 0 }
    }

    /// Bytes of the message so far.
    pub fn bytes(&self) -> usize {
        self.message.len()
    }

    /// Chunks so far.
    pub fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Begins a chunk with so many bytes, and returns where they go.
    pub fn begin(&mut self, bytes: usize) -> (usize, &mut [u8]) {
        let at = self.message.len();
        self.message.resize(at + HEADER_BYTES + bytes, 0);
        (at, &mut self.message[at + HEADER_BYTES..])
    }

    /// Begins a chunk whose bytes `write` appends to the message; returns what `write` does.
    pub fn begin_with<T>(&mut self, write: impl FnOnce(Vec<u8>) -> (T, Vec<u8>)) -> (usize, T) {
        let (at, _) = self.begin(0);
        let (value, message) = write(std::mem::take(&mut self.message));
        self.message = message;
        (at, value)
    }

    /// Ends the chunk that began at `at`.
    pub fn end(&mut self, at: usize, header: &Header) {
        let bytes = self.message.len() - at - HEADER_BYTES;
        Header { held_ns: bytes as u64, ..*header }.patch(&mut self.message[at..][..HEADER_BYTES]);
        self.message.resize(at + HEADER_BYTES + bytes.next_multiple_of(ALIGNMENT), 0);
        self.chunks += 1;
    }

    /// Gives the chunk that began at `at` up.
    pub fn give_up(&mut self, at: usize) {
        self.message.truncate(at);
    }

    /// The message, with a header whose `count` is that of the chunks.
    pub fn finish(mut self, header: Header) -> Vec<u8> {
        Header { count: self.chunks, ..header }.patch(&mut self.message[..HEADER_BYTES]);
        self.message
    }
}

/// Takes the next chunk's header and bytes off the payload; `None` where it is damaged, or a chunk of another kind.
pub fn next<'m>(payload: &mut &'m [u8], kind: Kind) -> Option<(Header, &'m [u8])> {
    let (header, rest) = Header::read(payload)?;
    let bytes = usize::try_from(header.held_ns).ok()?;
    let (own, _) = rest.split_at_checked(bytes)?;
    *payload = rest.get(bytes.checked_next_multiple_of(ALIGNMENT)?..)?;
    (header.kind == kind).then_some((header, own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chunks_of_a_message_come_out_as_they_went_in() {
        let mut bundle = Bundle::new(Vec::new());
        let chunk = |first| Header { first, ..Header::new(Kind::Result, 4) };
        for (first, text) in [(0u64, b"abc".as_slice()), (9, b"")] {
            let (at, into) = bundle.begin(text.len());
            into.copy_from_slice(text);
            bundle.end(at, &chunk(first));
        }
        let append = |mut message: Vec<u8>| {
            message.extend(b"0123456789abcdef0");
            (true, message)
        };
        let (at, good) = bundle.begin_with(append);
        assert!(good);
        bundle.end(at, &chunk(5));
        let (lost, _) = bundle.begin(100);
        bundle.give_up(lost);
        let message = bundle.finish(Header { total: 1, ..Header::new(Kind::Results, 4) });
        let (header, mut payload) = Header::read(&message).unwrap();
        assert_eq!((header.kind, header.count, header.total), (Kind::Results, 3, 1));
        let next_of = |payload: &mut &[u8]| next(payload, Kind::Result).map(|(h, r)| (h.first, r.to_vec()));
        assert_eq!(next_of(&mut payload), Some((0, b"abc".to_vec())));
        assert_eq!(next_of(&mut payload), Some((9, Vec::new())));
        let whole = payload;
        assert!(next(&mut &whole[..], Kind::Chunk).is_none(), "chunks of another kind");
        assert_eq!(next_of(&mut payload), Some((5, b"0123456789abcdef0".to_vec())));
        assert!(payload.is_empty() && next_of(&mut payload).is_none());
        assert!(next(&mut &whole[..whole.len() - 1], Kind::Result).is_none(), "a message that was cut");
    }
}
