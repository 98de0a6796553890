//! Attaches ranks: a process connects, its user is checked, its segment is mapped. When the connection ends, the rank has gone.

use crate::limits::{GREETING, REASONS};
use crate::serve_job::{self, Asking};
use midrun_ring::Segment;
use midrun_ring::attach::recv_segment;
use std::collections::BTreeSet;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
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

/// Reasons for which processes were turned away: a rank tries again and again, and each reason is reported once.
#[derive(Debug, Default)]
struct Reported(Mutex<BTreeSet<String>>);

impl Reported {
    fn is_new(&self, reason: &str) -> bool {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reported.len() < REASONS && reported.insert(reason.to_owned())
    }
}

/// A pause that lets another task work.
const YIELD: Duration = Duration::from_millis(10);

/// Whose processes may attach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    /// Everybody's.
    All,
    /// Those of the user with this id.
    Only(u32),
}

impl Users {
    fn admit(self, uid: u32) -> Result<u32> {
        match self {
            Users::Only(own) if own != uid => {
                Err(Error::new(ErrorKind::PermissionDenied, format!("it belongs to user {uid}, not to {own}")))
            }
            _ => Ok(uid),
        }
    }
}

/// A process that has connected.
enum Caller {
    /// A rank: its segment.
    Rank(Segment),
    /// It asks for an agent of a job, by what follows.
    Asks,
}

/// Takes connections until the agent has gone. `jobs` gets those that ask the agent to serve a job, where it does so.
pub async fn accept(listener: UnixListener, users: Users, to: Sender<Attached>, jobs: Option<Sender<Asking>>) {
    let mut connections = 0;
    let reported = Arc::<Reported>::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = to.closed() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                connections += 1;
                let (to, jobs, reported) = (to.clone(), jobs.clone(), reported.clone());
                tokio::spawn(async move {
                    if let Err(error) = serve(connections, stream, users, to, jobs).await
                        && reported.is_new(&error.to_string())
                    {
                        tracing::warn!(%error, "a process that wanted to attach was turned away");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(YIELD).await;
            }
        }
    }
}

/// Serves one connection from its greeting to its end.
async fn serve(
    number: u64,
    stream: UnixStream,
    users: Users,
    to: Sender<Attached>,
    jobs: Option<Sender<Asking>>,
) -> Result<()> {
    let (segment, uid) = match tokio::time::timeout(GREETING, greet(&stream, users, jobs.is_some())).await {
        Ok(Ok((Caller::Rank(segment), uid))) => (segment, uid),
        Ok(Ok((Caller::Asks, uid))) => {
            if let Some(jobs) = jobs {
                let _ = jobs.send(Asking { stream, uid }).await;
            }
            return Ok(());
        }
        Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
        Ok(Err(error)) => return Err(error),
        Err(_) => return Err(Error::new(ErrorKind::TimedOut, "it sent nothing")),
    };
    drop(jobs);
    if to.send(Attached::Connected(number, segment, uid)).await.is_err() {
        return Ok(());
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
    Ok(())
}

async fn greet(stream: &UnixStream, users: Users, serves_jobs: bool) -> Result<(Caller, u32)> {
    let uid = users.admit(stream.peer_cred()?.uid())?;
    let fd = loop {
        stream.readable().await?;
        if serves_jobs && stream.try_io(Interest::READABLE, || serve_job::is_next(stream.as_fd())).unwrap_or(false) {
            return Ok((Caller::Asks, uid));
        }
        match stream.try_io(Interest::READABLE, || recv_segment(stream.as_fd())) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => break other?,
        }
    };
    Ok((Caller::Rank(Segment::open(fd).map_err(Error::other)?), uid))
}
