//! Hands a segment's descriptor from a rank to its agent over a connected Unix stream socket.

use crate::layout::{LAYOUT_VERSION, MAGIC};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::io::{Error, ErrorKind, IoSlice, IoSliceMut, Result};
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

/// Bytes that travel with the descriptor: magic and layout version.
const GREETING: usize = 16;
/// Begin of the greetings of all versions.
const NAME: &[u8] = b"midrun\0";
/// Descriptors that one greeting has room for. Two or more are refused; those beyond the room are closed by the kernel.
const ROOM: usize = 4;

fn greeting() -> [u8; GREETING] {
    let mut greeting = [0u8; GREETING];
    greeting[..8].copy_from_slice(&MAGIC.to_le_bytes());
    greeting[8..].copy_from_slice(&LAYOUT_VERSION.to_le_bytes());
    greeting
}

/// Sends `segment` over `stream` with one call that neither blocks nor raises SIGPIPE.
///
/// # Errors
/// `WouldBlock` when the peer's buffer is full; else the system's error.
pub fn send_segment(stream: BorrowedFd<'_>, segment: BorrowedFd<'_>) -> Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let one = [segment];
    control.push(SendAncillaryMessage::ScmRights(&one));
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    match sendmsg(stream, &[IoSlice::new(&greeting())], &mut control, flags)? {
        GREETING => Ok(()),
        _ => Err(Error::new(ErrorKind::WriteZero, "the greeting was cut")),
    }
}

/// Takes a segment's descriptor from `stream`; does not block.
///
/// # Errors
/// `WouldBlock` when nothing is there yet, `UnexpectedEof` when the peer is gone, `InvalidData` when it sent
/// something else than a greeting of this version with one descriptor; else the system's error.
pub fn recv_segment(stream: BorrowedFd<'_>) -> Result<OwnedFd> {
    let mut bytes = [0u8; GREETING];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(ROOM))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let length = recvmsg(stream, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags)?.bytes;
    let mut fds = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(some) = message {
            fds.extend(some);
        }
    }
    match (length, fds.pop()) {
        (0, _) => Err(ErrorKind::UnexpectedEof.into()),
        (GREETING, Some(fd)) if bytes == greeting() && fds.is_empty() => Ok(fd),
        (GREETING, Some(_)) if bytes.starts_with(NAME) && fds.is_empty() => Err(Error::new(
            ErrorKind::InvalidData,
            "its libmidrun is of another version of midrun than this agent; it runs untuned: use one version for both",
        )),
        _ => Err(Error::new(ErrorKind::InvalidData, "it sent no greeting of midrun")),
    }
}

/// The user that the peer of a connected Unix socket ran as when it connected.
///
/// # Errors
/// The system's.
pub fn peer_uid(stream: BorrowedFd<'_>) -> Result<u32> {
    let mut who = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: `who` is as long as `length` says.
    let status = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut who).cast(),
            &raw mut length,
        )
    };
    if status == 0 { Ok(who.uid) } else { Err(Error::last_os_error()) }
}
