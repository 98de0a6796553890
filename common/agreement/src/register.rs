//! The word that holds whether a round is committed or aborted.

/// The decision on a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Decision {
    /// All ranks apply the change.
    Commit,
    /// No rank does.
    Abort,
}

/// The place where all ranks of a job find the same decision.
pub trait Register {
    /// Decides `round` as `want` unless it is decided already, and returns the decision. A round older than the newest decided one
    /// is aborted.
    fn decide(&mut self, round: u64, want: Decision) -> Decision;
}

/// A 64-bit word that several processes share; every access is sequentially consistent.
pub trait Word {
    /// The value, or one that it had before: it only grows, and [`Word::compare_exchange`] returns what it is now.
    fn load(&self) -> u64;
    /// Replaces `current` by `new`.
    ///
    /// # Errors
    /// The value that the word has instead of `current`.
    fn compare_exchange(&self, current: u64, new: u64) -> Result<(), u64>;
}

impl<W: Word> Register for W {
    fn decide(&mut self, round: u64, want: Decision) -> Decision {
        let mut word = self.load();
        loop {
            match (word >> 1).cmp(&round) {
                std::cmp::Ordering::Greater => return Decision::Abort,
                std::cmp::Ordering::Equal if word & 1 == 1 => return Decision::Commit,
                std::cmp::Ordering::Equal => return Decision::Abort,
                std::cmp::Ordering::Less => {
                    let new = round << 1 | u64::from(want == Decision::Commit);
                    match self.compare_exchange(word, new) {
                        Ok(()) => return want,
                        // Another rank decided meanwhile. The word only grows, so the loop ends.
                        Err(other) => word = other,
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Local<'a>(&'a AtomicU64);

    impl Word for Local<'_> {
        fn load(&self) -> u64 {
            self.0.load(Ordering::SeqCst)
        }
        fn compare_exchange(&self, current: u64, new: u64) -> Result<(), u64> {
            self.0.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst).map(|_| ())
        }
    }

    #[test]
    fn the_first_decision_holds_for_all_and_older_rounds_are_aborted() {
        let word = AtomicU64::new(0);
        let mut register = Local(&word);
        assert_eq!(register.decide(5, Decision::Commit), Decision::Commit);
        assert_eq!(register.decide(5, Decision::Abort), Decision::Commit);
        assert_eq!(register.decide(4, Decision::Commit), Decision::Abort);
        assert_eq!(register.decide(7, Decision::Abort), Decision::Abort);
        assert_eq!(register.decide(7, Decision::Commit), Decision::Abort);
        assert_eq!(word.into_inner(), 14);
    }

    #[test]
    fn a_word_as_it_was_before_costs_an_exchange_more_and_decides_the_same() {
        /// What was seen last, and the number of exchanges.
        struct Far<'a>(&'a AtomicU64, std::cell::Cell<u64>, std::cell::Cell<u32>);
        impl Word for Far<'_> {
            fn load(&self) -> u64 {
                self.1.get()
            }
            fn compare_exchange(&self, current: u64, new: u64) -> Result<(), u64> {
                self.2.set(self.2.get() + 1);
                let done = Local(self.0).compare_exchange(current, new);
                self.1.set(done.err().unwrap_or(new));
                done
            }
        }
        let word = AtomicU64::new(0);
        let far = || Far(&word, std::cell::Cell::new(0), std::cell::Cell::new(0));
        let (mut a, mut b) = (far(), far());
        assert_eq!((a.decide(1, Decision::Abort), a.2.get()), (Decision::Abort, 1), "one exchange decides");
        assert_eq!((b.decide(1, Decision::Commit), b.2.get()), (Decision::Abort, 1), "and tells who comes later");
        assert_eq!((b.decide(2, Decision::Commit), b.2.get()), (Decision::Commit, 2));
        assert_eq!((a.decide(3, Decision::Abort), a.2.get()), (Decision::Abort, 3), "round 2 was not seen");
        assert_eq!((a.decide(3, Decision::Commit), a.2.get()), (Decision::Abort, 3), "what is decided stays so");
    }

    #[test]
    fn threads_that_decide_at_the_same_time_get_the_same_decision() {
        let word = AtomicU64::new(0);
        for round in 1..2_000 {
            let word = &word;
            let decisions: Vec<Decision> = std::thread::scope(|scope| {
                let decide = |want| scope.spawn(move || Local(word).decide(round, want));
                let both = [decide(Decision::Commit), decide(Decision::Abort)];
                both.map(|thread| thread.join().unwrap()).to_vec()
            });
            assert_eq!(decisions[0], decisions[1], "round {round}");
        }
    }
}
