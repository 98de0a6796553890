//! Attaches ranks: a process connects, its user is checked, its segment is mapped. When the connection ends, the rank has gone.

use crate::limits::GREETING;
use midrun_ring::Segment;
use midrun_ring::attach::recv_segment;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsFd;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::Sender;

/// An event at the socket, with the number of the connection.
#[derive(Debug)]
pub enum Attached {
    /// A rank of the user with this id connected and sent its segment.
    Connected(u64, Segment, u32),
    /// Its connection ended.
    Disconnected(u64),
}

/// A pause that lets another task work.
const YIELD: Duration = Duration::from_millis(10);

/// Takes connections until the agent has gone. `for_all`: root's agent takes ranks of every user.
pub async fn accept(listener: UnixListener, for_all: bool, to: Sender<Attached>) {
    let mut connections = 0;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = to.closed() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                connections += 1;
                tokio::spawn(serve(connections, stream, for_all, to.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(YIELD).await;
            }
        }
    }
}

/// Serves one connection from its greeting to its end.
async fn serve(number: u64, stream: UnixStream, for_all: bool, to: Sender<Attached>) {
    let (segment, uid) = match tokio::time::timeout(GREETING, greet(&stream, for_all)).await {
        Ok(Ok(greeted)) => greeted,
        Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => return,
        Ok(Err(error)) => return tracing::warn!(%error, "a process that wanted to attach was turned away"),
        Err(_) => return tracing::warn!("a process connected and sent nothing; it was turned away"),
    };
    if to.send(Attached::Connected(number, segment, uid)).await.is_err() {
        return;
    }
    // A rank sends nothing more: only the end of the connection is of interest.
    let mut byte = [0; 64];
    loop {
        if stream.readable().await.is_err() {
            break;
        }
        match stream.try_read(&mut byte) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
    let _ = to.send(Attached::Disconnected(number)).await;
}

async fn greet(stream: &UnixStream, for_all: bool) -> Result<(Segment, u32)> {
    let own = rustix::process::geteuid().as_raw();
    let theirs = stream.peer_cred()?.uid();
    if theirs != own && !(own == 0 && for_all) {
        return Err(Error::new(ErrorKind::PermissionDenied, format!("it belongs to user {theirs}, not to {own}")));
    }
    let fd = loop {
        stream.readable().await?;
        match stream.try_io(Interest::READABLE, || recv_segment(stream.as_fd())) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => break other?,
        }
    };
    Ok((Segment::open(fd).map_err(Error::other)?, theirs))
}
