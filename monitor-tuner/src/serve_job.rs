//! How a process of the host asks a standing agent to serve its job: the form of the messages, for both sides.
//!
//! The caller sends [`begin`] and a [`midrun_proto::v1::ServeJob`], each message after its length (4 bytes, little endian); the agent answers with a
//! [`midrun_proto::v1::ServeJobReply`]; the caller takes the offer by one byte. Without that byte nothing happens.

use crate::limits::REQUEST_BYTES;
use crate::places::Place;
use midrun_proto::PROTOCOL_VERSION;
use prost::Message;
use rustix::net::{RecvFlags, recv};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::BorrowedFd;
use tokio::net::UnixStream;

/// What such a connection begins with; ranks begin with another word.
const BEGIN: [u8; 8] = *b"MRSERVE\n";

/// A connection whose next bytes are a request.
#[derive(Debug)]
pub struct Asking {
    /// The connection.
    pub stream: UnixStream,
    /// Its place, with the user who connected.
    pub place: Place,
}

/// The version that both sides must have: of midrun, of its protocol, and of the memory that ranks share with an agent.
pub fn version() -> String {
    format!("{}/{PROTOCOL_VERSION}/{}", env!("CARGO_PKG_VERSION"), midrun_ring::LAYOUT_VERSION)
}

/// The first bytes of a connection that asks.
pub fn begin() -> &'static [u8] {
    &BEGIN
}

/// Whether the next bytes of `stream` begin a request; takes none.
///
/// # Errors
/// `WouldBlock` when nothing is there yet; else the system's error.
pub fn is_next(stream: BorrowedFd<'_>) -> Result<bool> {
    let mut bytes = [0; BEGIN.len()];
    let (_, length) = recv(stream, &mut bytes, RecvFlags::PEEK | RecvFlags::DONTWAIT)?;
    Ok(length == BEGIN.len() && bytes == BEGIN)
}

/// A message after its length.
pub fn framed(message: &impl Message) -> Vec<u8> {
    let mut bytes = (message.encoded_len() as u32).to_le_bytes().to_vec();
    bytes.extend(message.encode_to_vec());
    bytes
}

/// The length of a message, from the bytes before it.
///
/// # Errors
/// `InvalidData` when it is too long.
pub fn length(bytes: [u8; 4]) -> Result<usize> {
    let length = u32::from_le_bytes(bytes) as usize;
    if length > REQUEST_BYTES {
        return Err(Error::new(ErrorKind::InvalidData, format!("a message of {length} bytes")));
    }
    Ok(length)
}

/// A message from its bytes.
///
/// # Errors
/// `InvalidData` when they are none.
pub fn decoded<M: Message + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
