//! Fragmentation: a large message is sent as several fragments and assembled by the receiver.

use super::message::Header;
use crate::frameworks::endpoint::{Endpoint, Message};
use crate::mpi::MpiFailed;

/// Largest fragment, bytes.
const FRAGMENT_BYTES: usize = 4 << 20;

/// A message of which fragments are missing.
#[derive(Debug)]
struct Partial {
    bytes: Vec<u8>,
    total: usize,
}

/// The result of taking in a message.
#[derive(Debug)]
pub enum Assembly {
    /// A complete message.
    Complete(Header, Message),
    /// A fragment, whose buffer is free again.
    Fragment(Vec<u8>),
}

/// Incomplete messages, by sender. Messages of one sender arrive in order and the fragments of one message are sent together,
/// so no other message comes between them.
#[derive(Debug)]
pub struct Fragments {
    partial: Vec<Option<Partial>>,
}

/// Hands a message of any size over ([`Endpoint::hand_over`]).
pub fn send(endpoint: &mut Endpoint, to: usize, message: Vec<u8>, synchronous: bool) -> Result<(), MpiFailed> {
    if message.len() <= FRAGMENT_BYTES {
        return endpoint.hand_over(to, message, synchronous);
    }
    for fragment in split(message, FRAGMENT_BYTES) {
        endpoint.hand_over(to, fragment, synchronous)?;
    }
    Ok(())
}

/// Splits from the end, so that memory of the part that was split off is freed before the next split.
fn split(mut message: Vec<u8>, most: usize) -> Vec<Vec<u8>> {
    let mut fragments = Vec::new();
    while message.len() > most {
        let at = (message.len() - 1) / most * most;
        fragments.push(message.split_off(at));
        message.shrink_to_fit();
    }
    fragments.push(message);
    fragments.reverse();
    fragments
}

impl Fragments {
    /// Without incomplete messages, in a communicator of `size` ranks.
    pub fn new(size: usize) -> Fragments {
        Fragments { partial: (0..size).map(|_| None).collect() }
    }

    /// One more sender.
    pub fn add(&mut self) {
        self.partial.push(None);
    }

    /// Takes in a message that arrived. An error if it is not a message of this framework.
    pub fn take(&mut self, message: Message) -> Result<Assembly, MpiFailed> {
        let Message { from, bytes } = message;
        let Some(mut partial) = self.partial[from].take() else {
            let header = Header::read(&bytes).ok_or(MpiFailed)?;
            let total = header.total as usize;
            if total <= bytes.len() {
                return Ok(Assembly::Complete(header, Message { from, bytes }));
            }
            let mut whole = Vec::new();
            whole.try_reserve_exact(total).map_err(|_| MpiFailed)?;
            whole.extend_from_slice(&bytes);
            self.partial[from] = Some(Partial { bytes: whole, total });
            return Ok(Assembly::Fragment(bytes));
        };
        partial.bytes.extend_from_slice(&bytes);
        if partial.bytes.len() < partial.total {
            self.partial[from] = Some(partial);
            return Ok(Assembly::Fragment(bytes));
        }
        let header = Header::read(&partial.bytes).ok_or(MpiFailed)?;
        Ok(Assembly::Complete(header, Message { from, bytes: partial.bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Item, Kind, Out};
    use super::*;

    #[test]
    fn a_large_message_is_assembled_among_those_of_other_senders() {
        let mut out = Out::new(Vec::new());
        out.allow(1);
        out.emit(1000).unwrap().iter_mut().enumerate().for_each(|(k, byte)| *byte = k as u8);
        let header = Header { input: 5, ..Header::new(Kind::Item) };
        let sent = out.finish(&header).into_message();
        let cut = split(sent.clone(), 300);
        assert_eq!(cut.iter().map(Vec::len).collect::<Vec<_>>(), [300, 300, 300, 172]);
        let mut fragments = Fragments::new(3);
        let mut small = Vec::new();
        Header::new(Kind::Credit).patch(&mut small);
        let last = cut.len() - 1;
        for (k, fragment) in cut.into_iter().enumerate() {
            let whole = fragments.take(Message { from: 1, bytes: fragment }).unwrap();
            assert_eq!(matches!(whole, Assembly::Complete(..)), k == last);
            if let Assembly::Complete(header, message) = whole {
                assert_eq!(message.bytes, sent);
                assert_eq!(Item::new(header, message.bytes).payloads().next().unwrap().len(), 1000);
            }
            let other = fragments.take(Message { from: 2, bytes: small.clone() }).unwrap();
            assert!(matches!(other, Assembly::Complete(header, _) if header.kind == Kind::Credit));
        }
        assert!(fragments.take(Message { from: 0, bytes: vec![1; 8] }).is_err());
    }
}
