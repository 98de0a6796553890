//! Read and write locks, taken all at once in the order of arrival.

use std::collections::{BTreeMap, VecDeque};

/// Mode of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// SynchronizedChange with other readers.
    Read,
    /// Alone.
    Write,
}

impl Mode {
    fn excludes(self, other: Mode) -> bool {
        self == Mode::Write || other == Mode::Write
    }
}

/// A signal that waits.
struct Request {
    signal: usize,
    wants: Vec<(usize, Mode)>,
}

/// Holders of the locks, and the queue of waiting signals.
#[derive(Default)]
pub struct Locks {
    /// For each lock that is held its holders.
    held: BTreeMap<usize, Vec<(usize, Mode)>>,
    waiting: VecDeque<Request>,
}

impl Locks {
    /// Takes all of `wants`, or queues; true if they were taken.
    ///
    /// # Errors
    /// The first of them that the signal holds already.
    pub fn take(&mut self, signal: usize, wants: Vec<(usize, Mode)>) -> Result<bool, usize> {
        if let Some((held, _)) = wants.iter().find(|(lock, _)| self.holds(signal, *lock)) {
            return Err(*held);
        }
        let earlier = self.waiting.iter().flat_map(|request| &request.wants);
        let free = !clash(&wants, earlier.copied()) && self.available(&wants);
        if free {
            self.hold(signal, &wants);
        } else {
            self.waiting.push_back(Request { signal, wants });
        }
        Ok(free)
    }

    /// Lets go of one lock; false if the signal does not hold it.
    pub fn release(&mut self, signal: usize, lock: usize) -> bool {
        let Some(holders) = self.held.get_mut(&lock) else {
            return false;
        };
        let before = holders.len();
        holders.retain(|holder| holder.0 != signal);
        holders.len() < before
    }

    /// Those waiting signals whose turn has come, in the order of their arrival; they hold their locks from now on.
    ///
    /// A signal passes an earlier one only if they do not want the same lock, or both only read it.
    pub fn grant(&mut self) -> Vec<usize> {
        let (mut granted, mut earlier) = (Vec::new(), Vec::new());
        for request in std::mem::take(&mut self.waiting) {
            if !clash(&request.wants, earlier.iter().copied()) && self.available(&request.wants) {
                self.hold(request.signal, &request.wants);
                granted.push(request.signal);
            } else {
                earlier.extend_from_slice(&request.wants);
                self.waiting.push_back(request);
            }
        }
        granted
    }

    /// The first lock that the signal holds.
    pub fn first_held(&self, signal: usize) -> Option<usize> {
        self.held.keys().copied().find(|lock| self.holds(signal, *lock))
    }

    /// Signals that wait.
    pub fn waiting(&self) -> impl Iterator<Item = usize> {
        self.waiting.iter().map(|request| request.signal)
    }

    fn holds(&self, signal: usize, lock: usize) -> bool {
        self.held.get(&lock).is_some_and(|holders| holders.iter().any(|holder| holder.0 == signal))
    }

    fn available(&self, wants: &[(usize, Mode)]) -> bool {
        let holders = |lock: &usize| self.held.get(lock).into_iter().flatten();
        wants.iter().all(|(lock, mode)| holders(lock).all(|(_, held)| !mode.excludes(*held)))
    }

    fn hold(&mut self, signal: usize, wants: &[(usize, Mode)]) {
        for (lock, mode) in wants {
            self.held.entry(*lock).or_default().push((signal, *mode));
        }
    }
}

fn clash(wants: &[(usize, Mode)], mut others: impl Iterator<Item = (usize, Mode)>) -> bool {
    others.any(|(lock, mode)| wants.iter().any(|want| want.0 == lock && want.1.excludes(mode)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mode::{Read, Write};
    use proptest::prelude::*;

    #[test]
    fn readers_share_and_a_waiting_writer_is_not_overtaken() {
        let mut locks = Locks::default();
        assert_eq!(locks.take(1, vec![(0, Read)]), Ok(true));
        assert_eq!(locks.take(2, vec![(0, Read)]), Ok(true));
        assert_eq!(locks.take(3, vec![(0, Write)]), Ok(false));
        assert_eq!(locks.take(4, vec![(0, Read)]), Ok(false), "a reader behind a writer");
        assert_eq!(locks.take(5, vec![(1, Write)]), Ok(true), "another lock is nobody's business");
        assert!(locks.release(1, 0) && locks.grant().is_empty());
        assert!(locks.release(2, 0));
        assert_eq!(locks.grant(), [3]);
        assert!(locks.release(3, 0));
        assert_eq!(locks.grant(), [4]);
    }

    #[test]
    fn all_locks_are_taken_at_once_or_none() {
        let mut locks = Locks::default();
        assert_eq!(locks.take(1, vec![(0, Write)]), Ok(true));
        assert_eq!(locks.take(2, vec![(0, Write), (1, Write)]), Ok(false));
        assert_eq!(locks.first_held(2), None);
        assert_eq!(locks.take(3, vec![(1, Write)]), Ok(false), "it came later and wants the same");
        assert!(locks.release(1, 0));
        assert_eq!(locks.grant(), [2]);
        assert_eq!(locks.waiting().collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn what_is_held_is_not_taken_again_and_what_is_not_held_is_not_released() {
        let mut locks = Locks::default();
        assert_eq!(locks.take(1, vec![(0, Read), (1, Read)]), Ok(true));
        assert_eq!(locks.take(1, vec![(0, Write)]), Err(0));
        assert_eq!(
            locks.take(1, vec![(2, Read), (1, Write)]),
            Err(1),
            "not the first it holds, but the one it asks for"
        );
        assert!(!locks.release(2, 0) && !locks.release(1, 7));
        assert_eq!(locks.first_held(1), Some(0));
    }

    proptest! {
        #[test]
        fn a_writer_is_always_alone_and_everyone_gets_a_turn(
            wants in proptest::collection::vec(proptest::collection::btree_map(0_usize..3, proptest::bool::ANY, 1..3), 1..12),
        ) {
            let mut locks = Locks::default();
            let mode = |write| if write { Write } else { Read };
            let mut holding: Vec<usize> = Vec::new();
            for (signal, want) in wants.iter().enumerate() {
                if locks.take(signal, want.iter().map(|(lock, write)| (*lock, mode(*write))).collect()) == Ok(true) {
                    holding.push(signal);
                }
            }
            let mut done = 0;
            while let Some(signal) = holding.pop() {
                for (lock, holders) in &locks.held {
                    let writers = holders.iter().filter(|holder| holder.1 == Write).count();
                    prop_assert!(writers == 0 || holders.len() == 1, "lock {lock}: {holders:?}");
                }
                wants[signal].keys().for_each(|lock| assert!(locks.release(signal, *lock)));
                holding.extend(locks.grant());
                done += 1;
            }
            prop_assert_eq!(done, wants.len());
        }
    }
}
