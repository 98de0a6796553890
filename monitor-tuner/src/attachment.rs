//! Attaches ranks: a process connects, its user is checked, its segment is mapped. When the connection ends, the rank has gone.

use crate::limits::GREETING;
use crate::places::{Place, Places};
use crate::serve_job::{self, Asking};
use midrun_ring::Segment;
use midrun_ring::attach::recv_segment;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsFd;
use std::sync::Arc;
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
pub async fn accept(
    listener: UnixListener,
    (users, places): (Users, Arc<Places>),
    to: Sender<Attached>,
    jobs: Option<Sender<Asking>>,
) {
    let mut connections = 0;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = to.closed() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                connections += 1;
                // Before a task of its own holds it: who connects faster than tasks run gets no further.
                let peer = stream.peer_cred().map(|peer| peer.uid());
                let uid = peer.as_ref().ok().copied();
                let place = peer.and_then(|uid| users.admit(uid)).and_then(|uid| places.take(uid));
                let (to, jobs, places) = (to.clone(), jobs.clone(), places.clone());
                let turned_away = move |error: Error| {
                    if let Some(error) = places.report(uid, &error) {
                        tracing::warn!(error, "a process that wanted to attach was turned away");
                    }
                };
                match place {
                    Ok(place) => drop(tokio::spawn(async move {
                        serve(connections, stream, place, to, jobs).await.unwrap_or_else(turned_away);
                    })),
                    Err(error) => turned_away(error),
                }
            }
            Err(error) => {
                if let Some(error) = places.report(None, &error) {
                    tracing::warn!(error, "a connection could not be accepted");
                }
                tokio::time::sleep(YIELD).await;
            }
        }
    }
}

/// Serves one connection from its greeting to its end.
async fn serve(
    number: u64,
    stream: UnixStream,
    place: Place,
    to: Sender<Attached>,
    jobs: Option<Sender<Asking>>,
) -> Result<()> {
    let uid = place.uid;
    let segment = match tokio::time::timeout(GREETING, greet(&stream, jobs.is_some())).await {
        Ok(Ok(Caller::Rank(segment))) => segment,
        Ok(Ok(Caller::Asks)) => {
            if let Some(jobs) = jobs {
                let _ = jobs.send(Asking { stream, place }).await;
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

async fn greet(stream: &UnixStream, serves_jobs: bool) -> Result<Caller> {
    let fd = loop {
        stream.readable().await?;
        if serves_jobs && stream.try_io(Interest::READABLE, || serve_job::is_next(stream.as_fd())).unwrap_or(false) {
            return Ok(Caller::Asks);
        }
        match stream.try_io(Interest::READABLE, || recv_segment(stream.as_fd())) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => break other?,
        }
    };
    Ok(Caller::Rank(Segment::open(fd).map_err(Error::other)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::mpsc::channel;

    #[tokio::test]
    async fn who_asks_for_an_agent_of_a_job_keeps_a_place_while_the_connection_lasts() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agent.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let (to, _attached) = channel(1);
        let (jobs, mut asking) = channel(4);
        let own = rustix::process::geteuid().as_raw();
        tokio::spawn(accept(listener, (Users::Only(own), Places::new(1)), to, Some(jobs)));
        let ask = async || {
            let mut stream = UnixStream::connect(&path).await.unwrap();
            // The agent may have closed it already.
            let _ = stream.write_all(serve_job::begin()).await;
            stream
        };
        let _first = ask().await;
        let taken = asking.recv().await.expect("the first one asks");
        let mut second = ask().await;
        tokio::select! {
            read = second.read_u8() => assert!(read.is_err()),
            _ = asking.recv() => panic!("there was no place for the second one"),
        }
        drop(taken);
        let _third = ask().await;
        asking.recv().await.expect("the place is free again");
    }
}
