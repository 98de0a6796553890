//! Attaches ranks: a process connects, its user is checked, its segment is mapped. When the connection ends, the rank has gone.

use crate::limits::{GREETING, PROCESSES_OF_USER, RANKS, REASONS};
use crate::serve_job::{self, Asking};
use midrun_ring::Segment;
use midrun_ring::attach::recv_segment;
use std::collections::{BTreeMap, BTreeSet};
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

/// The connections of each user: none of them takes all places of the node, nor the agent's descriptors.
#[derive(Debug, Default)]
struct Places(Mutex<BTreeMap<u32, usize>>);

/// A connection's place. It is free again when this is dropped.
#[derive(Debug)]
struct Place(Arc<Places>, u32);

impl Places {
    fn take(self: &Arc<Places>, uid: u32, users: Users) -> Result<Place> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_user = taken.get(&uid).copied().unwrap_or_default();
        let full = |most, whose| Err(Error::other(format!("{most} processes{whose} are connected already")));
        if taken.values().sum::<usize>() >= RANKS {
            return full(RANKS, String::new());
        }
        if users == Users::All && of_user >= PROCESSES_OF_USER {
            return full(PROCESSES_OF_USER, format!(" of user {uid}"));
        }
        taken.insert(uid, of_user + 1);
        Ok(Place(self.clone(), uid))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.1) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.1)),
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
    let places = Arc::<Places>::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = to.closed() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                connections += 1;
                // Before a task of its own holds it: who connects faster than tasks run gets no further.
                let place =
                    stream.peer_cred().and_then(|peer| users.admit(peer.uid())).and_then(|uid| places.take(uid, users));
                let (to, jobs, reported) = (to.clone(), jobs.clone(), reported.clone());
                let turned_away = move |error: Error| {
                    if reported.is_new(&error.to_string()) {
                        tracing::warn!(%error, "a process that wanted to attach was turned away");
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
                if reported.is_new(&error.to_string()) {
                    tracing::warn!(%error, "a connection could not be accepted");
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
    let uid = place.1;
    let segment = match tokio::time::timeout(GREETING, greet(&stream, jobs.is_some())).await {
        Ok(Ok(Caller::Rank(segment))) => segment,
        Ok(Ok(Caller::Asks)) => {
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

    #[test]
    fn no_user_takes_all_places_of_roots_agent_and_a_place_is_free_again_at_the_end() {
        let places = Arc::<Places>::default();
        let take = |uid| places.take(uid, Users::All);
        let mut taken: Vec<Place> = (0..PROCESSES_OF_USER).map(|_| take(7).unwrap()).collect();
        assert_eq!(take(7).unwrap_err().to_string(), "1024 processes of user 7 are connected already");
        let others: Vec<Place> =
            (8..11).flat_map(|uid| (0..PROCESSES_OF_USER).map(move |_| uid)).map(|uid| take(uid).unwrap()).collect();
        assert_eq!(take(11).unwrap_err().to_string(), "4096 processes are connected already");
        taken.pop();
        drop(take(7).unwrap());
        drop((taken, others));
        assert!(places.0.lock().unwrap().is_empty());
        // The agent of one user serves that user alone.
        let own: Vec<Place> = (0..RANKS).map(|_| places.take(7, Users::Only(7)).unwrap()).collect();
        assert!(places.take(7, Users::Only(7)).is_err());
        drop(own);
    }
}
