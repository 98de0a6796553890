//! Places for the connections of each user to all sockets of this process, those of the jobs that it serves among them: no user takes all
//! places of the node, nor the agent's descriptors, nor its log.

use crate::limits::{RANKS, REASON_CHARS, REASONS};
use crate::send_queue::Shared;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// The places that are taken.
#[derive(Debug)]
pub struct Places {
    of_user: usize,
    taken: Mutex<BTreeMap<u32, usize>>,
    /// Reasons for which processes were turned away.
    reported: Mutex<Reported>,
    /// Bytes that wait, of each user's jobs.
    queued: Mutex<BTreeMap<u32, Shared>>,
}

/// Reasons that were reported, of each user: a process tries again and again, and each reason is reported once.
#[derive(Debug, Default)]
pub struct Reported(BTreeMap<Option<u32>, BTreeSet<String>>);

impl Reported {
    /// The reason, cut to a bound, if it is to be reported: of each user, each one once, and so many.
    pub fn report(&mut self, uid: Option<u32>, reason: &str) -> Option<String> {
        let reason: String = reason.chars().take(REASON_CHARS).collect();
        let of_user = self.0.entry(uid).or_default();
        (of_user.len() < REASONS && of_user.insert(reason.clone())).then_some(reason)
    }
}

/// A connection's place. It is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    /// The user who connected.
    pub uid: u32,
}

impl Places {
    /// All are free, `of_user` of them for one user.
    pub fn new(of_user: usize) -> Arc<Places> {
        Arc::new(Places { of_user, taken: Mutex::default(), reported: Mutex::default(), queued: Mutex::default() })
    }

    /// A place for a connection of this user.
    ///
    /// # Errors
    /// All are taken, or all of this user.
    pub fn take(self: &Arc<Places>, uid: u32) -> Result<Place> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_user = taken.get(&uid).copied().unwrap_or_default();
        let full = |most, whose| Err(Error::other(format!("{most} processes{whose} are connected already")));
        if taken.values().sum::<usize>() >= RANKS {
            return full(RANKS, String::new());
        }
        if of_user >= self.of_user {
            return full(self.of_user, format!(" of user {uid}"));
        }
        taken.insert(uid, of_user + 1);
        Ok(Place { places: self.clone(), uid })
    }

    /// What counts the bytes that wait, of all jobs of this user.
    pub fn queued(&self, uid: u32) -> Shared {
        let mut queued = self.queued.lock().unwrap_or_else(PoisonError::into_inner);
        queued.retain(|_, shared| !shared.is_last());
        queued.entry(uid).or_default().clone()
    }

    /// See [`Reported::report`].
    pub fn report(&self, uid: Option<u32>, error: &Error) -> Option<String> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).report(uid, &error.to_string())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.uid) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.uid)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::PROCESSES_OF_USER;

    #[test]
    fn no_user_takes_all_places_of_roots_agent_and_a_place_is_free_again_at_the_end() {
        let places = Places::new(PROCESSES_OF_USER);
        let take = |uid| places.take(uid);
        let mut taken: Vec<Place> = (0..PROCESSES_OF_USER).map(|_| take(7).unwrap()).collect();
        assert_eq!(take(7).unwrap_err().to_string(), "1024 processes of user 7 are connected already");
        let others: Vec<Place> =
            (8..11).flat_map(|uid| (0..PROCESSES_OF_USER).map(move |_| uid)).map(|uid| take(uid).unwrap()).collect();
        assert_eq!(take(11).unwrap_err().to_string(), "4096 processes are connected already");
        taken.pop();
        drop(take(7).unwrap());
        drop((taken, others));
        assert!(places.taken.lock().unwrap().is_empty());
        // The agent of one user serves that user alone.
        let places = Places::new(RANKS);
        let own: Vec<Place> = (0..RANKS).map(|_| places.take(7).unwrap()).collect();
        assert!(places.take(7).is_err());
        drop(own);
    }

    #[test]
    fn reasons_without_an_end_are_reported_up_to_a_bound_of_each_user() {
        let places = Places::new(1);
        let report = |uid, reason: String| places.report(uid, &Error::other(reason));
        let said = (0..10 * REASONS).filter_map(|n| report(Some(7), format!("{n}{}", "x".repeat(1 << 16))));
        assert!(said.inspect(|reason| assert_eq!(reason.len(), REASON_CHARS)).count() == REASONS);
        assert_eq!(report(Some(8), "why".into()).as_deref(), Some("why"), "another user is heard");
        assert_eq!(report(Some(8), "why".into()), None, "once");
    }
}
