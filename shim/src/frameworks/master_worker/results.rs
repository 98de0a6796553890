//! Results of several chunks in one message: for each chunk a header, then its results, which begin at a multiple of 16 bytes. The
//! header's `held_ns` says how many bytes they are.

use super::message::{HEADER_BYTES, Header, Kind};

const ALIGNMENT: usize = 16;

/// The message as it grows.
#[derive(Debug)]
pub struct Results {
    message: Vec<u8>,
    chunks: u64,
}

impl Results {
    /// Without a chunk, in this buffer.
    pub fn new(mut message: Vec<u8>) -> Results {
        message.clear();
        message.resize(HEADER_BYTES, 0);
        Results { message, chunks: 0 }
    }

    /// Bytes of the message so far.
    pub fn bytes(&self) -> usize {
        self.message.len()
    }

    /// Begins a chunk with so many bytes of results, and returns where they go.
    pub fn begin(&mut self, bytes: usize) -> (usize, &mut [u8]) {
        let at = self.message.len();
        self.message.resize(at + HEADER_BYTES + bytes.next_multiple_of(ALIGNMENT), 0);
        (at, &mut self.message[at + HEADER_BYTES..][..bytes])
    }

    /// Ends the chunk that began at `at`.
    pub fn end(&mut self, at: usize, header: &Header, bytes: usize) {
        Header { kind: Kind::Result, held_ns: bytes as u64, ..*header }.patch(&mut self.message[at..][..HEADER_BYTES]);
        self.chunks += 1;
    }

    /// Gives the chunk that began at `at` up.
    pub fn give_up(&mut self, at: usize) {
        self.message.truncate(at);
    }

    /// The message, with a header whose other fields are set.
    pub fn finish(mut self, header: Header) -> Vec<u8> {
        Header { kind: Kind::Results, count: self.chunks, ..header }.patch(&mut self.message[..HEADER_BYTES]);
        self.message
    }
}

/// Takes the next chunk's header and results off the payload; `None` where it is damaged.
pub fn next<'m>(payload: &mut &'m [u8]) -> Option<(Header, &'m [u8])> {
    let (header, rest) = Header::read(payload)?;
    let bytes = usize::try_from(header.held_ns).ok()?;
    let (results, _) = rest.split_at_checked(bytes)?;
    *payload = rest.get(bytes.checked_next_multiple_of(ALIGNMENT)?..)?;
    (header.kind == Kind::Result).then_some((header, results))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chunks_of_a_message_come_out_as_they_went_in() {
        let mut results = Results::new(vec![7; 3]);
        for (first, text) in [(0u64, b"abc".as_slice()), (9, b""), (5, b"0123456789abcdef0")] {
            let (at, into) = results.begin(text.len());
            into.copy_from_slice(text);
            results.end(at, &Header { first, ..Header::new(Kind::Result, 4) }, text.len());
        }
        let (lost, _) = results.begin(100);
        results.give_up(lost);
        let message = results.finish(Header { total: 1, ..Header::new(Kind::Results, 4) });
        let (header, mut payload) = Header::read(&message).unwrap();
        assert_eq!((header.kind, header.count, header.total), (Kind::Results, 3, 1));
        assert_eq!(next(&mut payload).map(|(h, r)| (h.first, r)), Some((0, b"abc".as_slice())));
        assert_eq!(next(&mut payload).map(|(h, r)| (h.first, r.len())), Some((9, 0)));
        let whole = payload;
        assert_eq!(next(&mut payload).map(|(h, r)| (h.first, r)), Some((5, b"0123456789abcdef0".as_slice())));
        assert!(payload.is_empty() && next(&mut payload).is_none());
        assert!(next(&mut &whole[..whole.len() - 1]).is_none(), "a message that was cut");
    }
}
