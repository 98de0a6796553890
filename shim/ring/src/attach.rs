//! Hands a segment's descriptor from a rank to its agent over a connected Unix stream socket.

use crate::layout::{LAYOUT_VERSION, MAGIC};
use std::io::{Error, ErrorKind, Result};
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Bytes that travel with the descriptor: magic and layout version.
const GREETING: usize = 16;

/// Room for the control message of one descriptor, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Sends `segment` over `stream` with one call that neither blocks nor raises SIGPIPE.
///
/// # Errors
/// `WouldBlock` when the peer's buffer is full; else the system's error.
pub fn send_segment(stream: BorrowedFd<'_>, segment: BorrowedFd<'_>) -> Result<()> {
    let mut greeting = [0u8; GREETING];
    greeting[..8].copy_from_slice(&MAGIC.to_le_bytes());
    greeting[8..].copy_from_slice(&LAYOUT_VERSION.to_le_bytes());
    let mut part = libc::iovec { iov_base: greeting.as_mut_ptr().cast(), iov_len: GREETING };
    let mut control = Control([0; 64]);
    let fd_size = size_of::<libc::c_int>() as u32;
    // SAFETY: the header describes buffers that outlive the call; CMSG_* stay inside `control`, whose 64 bytes hold
    // one descriptor's message (24 bytes).
    let sent = unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = libc::CMSG_SPACE(fd_size) as _;
        let first = libc::CMSG_FIRSTHDR(&raw const message);
        (*first).cmsg_level = libc::SOL_SOCKET;
        (*first).cmsg_type = libc::SCM_RIGHTS;
        (*first).cmsg_len = libc::CMSG_LEN(fd_size) as _;
        libc::CMSG_DATA(first).cast::<libc::c_int>().write_unaligned(segment.as_raw_fd());
        libc::sendmsg(stream.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT)
    };
    match sent {
        n if n < 0 => Err(Error::last_os_error()),
        n if n as usize == GREETING => Ok(()),
        _ => Err(Error::new(ErrorKind::WriteZero, "the greeting was cut")),
    }
}

/// Takes a segment's descriptor from `stream`; does not block.
///
/// # Errors
/// `WouldBlock` when nothing is there yet, `UnexpectedEof` when the peer is gone, `InvalidData` when it sent
/// something else than a greeting of this version with one descriptor; else the system's error.
pub fn recv_segment(stream: BorrowedFd<'_>) -> Result<OwnedFd> {
    let mut greeting = [0u8; GREETING];
    let mut part = libc::iovec { iov_base: greeting.as_mut_ptr().cast(), iov_len: GREETING };
    let mut control = Control([0; 64]);
    let mut fds: Vec<OwnedFd> = Vec::new();
    // SAFETY: the header describes buffers that outlive the call; the kernel fills at most what it says, and CMSG_*
    // walk only what the kernel filled. Each descriptor is new and taken exactly once.
    let got = unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = size_of::<Control>() as _;
        let flags = libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC;
        let got = libc::recvmsg(stream.as_raw_fd(), &raw mut message, flags);
        if got >= 0 {
            let mut each = libc::CMSG_FIRSTHDR(&raw const message);
            while !each.is_null() {
                if (*each).cmsg_level == libc::SOL_SOCKET && (*each).cmsg_type == libc::SCM_RIGHTS {
                    let bytes = (*each).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                    for i in 0..bytes / size_of::<libc::c_int>() {
                        let fd = libc::CMSG_DATA(each).cast::<libc::c_int>().add(i).read_unaligned();
                        fds.push(OwnedFd::from_raw_fd(fd));
                    }
                }
                each = libc::CMSG_NXTHDR(&raw const message, each);
            }
        }
        got
    };
    let right = greeting[..8] == MAGIC.to_le_bytes() && greeting[8..] == LAYOUT_VERSION.to_le_bytes();
    match (got, fds.pop()) {
        (n, _) if n < 0 => Err(Error::last_os_error()),
        (0, _) => Err(ErrorKind::UnexpectedEof.into()),
        (16, Some(fd)) if right && fds.is_empty() => Ok(fd),
        _ => Err(Error::new(ErrorKind::InvalidData, "no greeting of this version of midrun")),
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
