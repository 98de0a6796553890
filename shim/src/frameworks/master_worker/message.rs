//! The messages between master and workers: eight numbers, then inputs or results.

use crate::frameworks::growth::FAREWELL;

/// Bytes before the inputs or results.
pub const HEADER_BYTES: usize = 64;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Master: compute these tasks.
    Chunk = 1,
    /// Master: the iteration is over, with this status.
    End = 2,
    /// Worker: these tasks are computed.
    Result = 3,
    /// Worker: it computes the last task of its chunk, and asks for the next.
    Ask = 4,
    /// Master, before an iteration: answer at once.
    Probe = 5,
    /// Worker: the answer.
    Echo = 6,
    /// A started process: it is ready. `first`: bytes of a task; `count`: bytes of a result; `total`: the flags.
    Hello = 7,
    /// Master, to a started process: its first iteration. `first`: the master's rank in `MPI_COMM_WORLD` + 1, 0 where it is not known.
    Welcome = 8,
    /// Master, to a started process: end.
    Farewell = FAREWELL as isize,
    /// Master, before an iteration: answer, then do not poll for `total` nanoseconds.
    Hold = 10,
    /// Master: give back tasks that you have not begun, no fewer than `count`, from the chunk that begins with `first`. The idle
    /// workers take `sum_sq_s2` seconds for a task, you `held_ns`. No answer but the result if that chunk is computed.
    Recall = 11,
    /// Worker: the last `count` tasks of the chunk that begins with `total`, from `first` on, and their inputs; perhaps none.
    Returned = 12,
    /// Master: take chunks from the shared counter ([`super::order::Order`]).
    Take = 13,
    /// Worker that takes chunks, or sub-master: the results of `count` chunks, each with a header of its own ([`super::bundle`]). `total`:
    /// 1 if it sends no more in this iteration. `first`: chunks for which workers of the sub-team wait.
    Results = 14,
    /// Master: be sub-master of the workers of the payload, each a rank of 4 bytes. `total`: tasks of the iteration; `first`: code of the
    /// technique.
    Lead = 15,
    /// Master to sub-master: `count` chunks, each with a header of its own ([`super::bundle`]). `total`: tasks that will follow, about; 0 if
    /// none do. After a failure `status` is not 0.
    Chunks = 16,
}

/// Bits of the status of a chunk, of an order and of a sub-master's appointment.
const MAY_RECALL: i32 = 1;
const SYNCHRONOUS: i32 = 2;

/// The start of each message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// Its kind.
    pub kind: Kind,
    /// A status of the C API. Of what the master sends for an iteration: [`Header::with_manner`].
    pub status: i32,
    /// The iteration, from 0.
    pub iteration: u64,
    /// First task.
    pub first: u64,
    /// Tasks.
    pub count: u64,
    /// Master: tasks of the iteration. Worker: time spent computing, nanoseconds.
    pub total: u64,
    /// Worker: sum of the tasks' times squared, seconds squared. Of a recall: see there.
    pub sum_sq_s2: f64,
    /// Worker: from the chunk's arrival to the last task's end, nanoseconds.
    pub held_ns: u64,
}

impl Header {
    /// An empty message.
    pub fn new(kind: Kind, iteration: u64) -> Header {
        Header { kind, status: 0, iteration, first: 0, count: 0, total: 0, sum_sq_s2: 0.0, held_ns: 0 }
    }

    /// Says whether tasks may be recalled, and whether tasks and results are handed over synchronously: of a chunk, an order and a
    /// sub-master's appointment.
    pub fn with_manner(self, may_recall: bool, synchronous: bool) -> Header {
        let status = if may_recall { MAY_RECALL } else { 0 } | if synchronous { SYNCHRONOUS } else { 0 };
        Header { status, ..self }
    }

    /// See [`Header::with_manner`].
    pub fn may_recall(&self) -> bool {
        self.status & MAY_RECALL != 0
    }

    /// See [`Header::with_manner`].
    pub fn is_synchronous(&self) -> bool {
        self.status & SYNCHRONOUS != 0
    }

    /// Fills `message` with this header and `payload_bytes` zeros; returns the zeros.
    pub fn write<'m>(&self, message: &'m mut Vec<u8>, payload_bytes: usize) -> &'m mut [u8] {
        message.clear();
        message.resize(HEADER_BYTES + payload_bytes, 0);
        self.patch(message);
        &mut message[HEADER_BYTES..]
    }

    /// As a message of its own.
    pub fn message(&self) -> Vec<u8> {
        let mut message = Vec::new();
        self.write(&mut message, 0);
        message
    }

    /// Writes the header over that of a message.
    pub fn patch(&self, message: &mut [u8]) {
        let words = [
            self.kind as u64,
            u64::from(self.status.cast_unsigned()),
            self.iteration,
            self.first,
            self.count,
            self.total,
            self.sum_sq_s2.to_bits(),
            self.held_ns,
        ];
        for (to, word) in message.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Reads the header and the payload; `None` when it is not a message of this framework.
    pub fn read(message: &[u8]) -> Option<(Header, &[u8])> {
        let (head, payload) = message.split_at_checked(HEADER_BYTES)?;
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|b| head[8 * i + b]));
        let kind = match word(0) {
            1 => Kind::Chunk,
            2 => Kind::End,
            3 => Kind::Result,
            4 => Kind::Ask,
            5 => Kind::Probe,
            6 => Kind::Echo,
            7 => Kind::Hello,
            8 => Kind::Welcome,
            FAREWELL => Kind::Farewell,
            10 => Kind::Hold,
            11 => Kind::Recall,
            12 => Kind::Returned,
            13 => Kind::Take,
            14 => Kind::Results,
            15 => Kind::Lead,
            16 => Kind::Chunks,
            _ => return None,
        };
        let header = Header {
            kind,
            status: (word(1) as u32).cast_signed(),
            iteration: word(2),
            first: word(3),
            count: word(4),
            total: word(5),
            sum_sq_s2: f64::from_bits(word(6)),
            held_ns: word(7),
        };
        Some((header, payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_says_whether_it_may_be_recalled_and_how_its_result_is_sent() {
        for (may_recall, synchronous) in [(false, false), (false, true), (true, false), (true, true)] {
            let message = Header::new(Kind::Chunk, 1).with_manner(may_recall, synchronous).message();
            let (header, _) = Header::read(&message).unwrap();
            assert_eq!((header.may_recall(), header.is_synchronous()), (may_recall, synchronous));
        }
    }

    #[test]
    fn a_header_reads_as_it_was_written() {
        let header = Header {
            kind: Kind::Result,
            status: -4,
            iteration: 7,
            first: 1 << 40,
            count: 3,
            total: 9,
            sum_sq_s2: 0.25,
            held_ns: 11,
        };
        let mut message = Vec::new();
        header.write(&mut message, 3).copy_from_slice(b"abc");
        assert_eq!(Header::read(&message), Some((header, b"abc".as_slice())));
        assert_eq!(Header::read(&message[..HEADER_BYTES - 1]), None);
        assert_eq!(Header::read(&[0; HEADER_BYTES]), None);
    }
}
