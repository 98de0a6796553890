//! Messages of any size: those beyond one piece go in several, and are put together again.

use super::message::Header;
use crate::frameworks::post::{Letter, Post};
use crate::mpi::MpiFailed;

/// Largest piece, bytes.
const PIECE_BYTES: usize = 4 << 20;

/// A message of which pieces are missing.
#[derive(Debug)]
struct Partial {
    bytes: Vec<u8>,
    total: usize,
}

/// What a letter was.
#[derive(Debug)]
pub enum Taken {
    /// A message that is whole now.
    Whole(Header, Letter),
    /// A piece of one, and its buffer.
    Piece(Vec<u8>),
}

/// Per sender, what has arrived of a large message. Messages of one sender arrive in their order, and the pieces of one
/// message are sent together, so that nothing comes between them.
#[derive(Debug)]
pub struct Parcels {
    partial: Vec<Option<Partial>>,
}

/// Puts a message of any size on its way.
pub fn send(post: &mut Post, to: usize, message: Vec<u8>) -> Result<(), MpiFailed> {
    if message.len() <= PIECE_BYTES {
        return post.send(to, message);
    }
    for piece in pieces(message, PIECE_BYTES) {
        post.send(to, piece)?;
    }
    Ok(())
}

/// Cuts from the end, so that the memory of what is cut off can be given back before the next cut.
fn pieces(mut message: Vec<u8>, most: usize) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    while message.len() > most {
        let at = (message.len() - 1) / most * most;
        pieces.push(message.split_off(at));
        message.shrink_to_fit();
    }
    pieces.push(message);
    pieces.reverse();
    pieces
}

impl Parcels {
    /// For a communicator of `size` ranks.
    pub fn new(size: usize) -> Parcels {
        Parcels { partial: (0..size).map(|_| None).collect() }
    }

    /// Takes a letter in. `Err` when it is no message of ours.
    pub fn take(&mut self, letter: Letter) -> Result<Taken, MpiFailed> {
        let Letter { from, bytes } = letter;
        let Some(mut partial) = self.partial[from].take() else {
            let header = Header::read(&bytes).ok_or(MpiFailed)?;
            let total = header.total as usize;
            if total <= bytes.len() {
                return Ok(Taken::Whole(header, Letter { from, bytes }));
            }
            let mut whole = Vec::new();
            whole.try_reserve_exact(total).map_err(|_| MpiFailed)?;
            whole.extend_from_slice(&bytes);
            self.partial[from] = Some(Partial { bytes: whole, total });
            return Ok(Taken::Piece(bytes));
        };
        partial.bytes.extend_from_slice(&bytes);
        if partial.bytes.len() < partial.total {
            self.partial[from] = Some(partial);
            return Ok(Taken::Piece(bytes));
        }
        let header = Header::read(&partial.bytes).ok_or(MpiFailed)?;
        Ok(Taken::Whole(header, Letter { from, bytes: partial.bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Item, Kind, Out};
    use super::*;

    #[test]
    fn a_large_message_is_put_together_again_between_those_of_others() {
        let mut out = Out::new(Vec::new());
        out.allow(1);
        out.emit(1000).unwrap().iter_mut().enumerate().for_each(|(k, byte)| *byte = k as u8);
        let header = Header { input: 5, ..Header::new(Kind::Item) };
        let sent = out.finish(&header).into_message();
        let cut = pieces(sent.clone(), 300);
        assert_eq!(cut.iter().map(Vec::len).collect::<Vec<_>>(), [300, 300, 300, 172]);
        let mut parcels = Parcels::new(3);
        let mut small = Vec::new();
        Header::new(Kind::Credit).patch(&mut small);
        let last = cut.len() - 1;
        for (k, piece) in cut.into_iter().enumerate() {
            let whole = parcels.take(Letter { from: 1, bytes: piece }).unwrap();
            assert_eq!(matches!(whole, Taken::Whole(..)), k == last);
            if let Taken::Whole(header, letter) = whole {
                assert_eq!(letter.bytes, sent);
                assert_eq!(Item::new(header, letter.bytes).payloads().next().unwrap().len(), 1000);
            }
            let other = parcels.take(Letter { from: 2, bytes: small.clone() }).unwrap();
            assert!(matches!(other, Taken::Whole(header, _) if header.kind == Kind::Credit));
        }
        assert!(parcels.take(Letter { from: 0, bytes: vec![1; 8] }).is_err());
    }
}
