//! The word in which it stands whether a round is committed or void.

/// How a round was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// All ranks take the change over.
    Commit,
    /// None does.
    Aborted,
}

/// Where all ranks of a job find the same decision.
pub trait Register {
    /// Decides `epoch` as `want`, unless it is decided already; what holds. An epoch older than the newest one that was
    /// decided is void.
    fn decide(&mut self, epoch: u64, want: Verdict) -> Verdict;
}

/// A 64-bit word that several processes share; every access is sequentially consistent.
pub trait Word {
    /// Its value.
    fn load(&self) -> u64;
    /// Puts `new` in the place of `current`.
    ///
    /// # Errors
    /// The value that stands there instead of `current`.
    fn compare_exchange(&self, current: u64, new: u64) -> Result<(), u64>;
}

impl<W: Word> Register for W {
    fn decide(&mut self, epoch: u64, want: Verdict) -> Verdict {
        let mut stands = self.load();
        loop {
            match (stands >> 1).cmp(&epoch) {
                std::cmp::Ordering::Greater => return Verdict::Aborted,
                std::cmp::Ordering::Equal if stands & 1 == 1 => return Verdict::Commit,
                std::cmp::Ordering::Equal => return Verdict::Aborted,
                std::cmp::Ordering::Less => {
                    let new = epoch << 1 | u64::from(want == Verdict::Commit);
                    match self.compare_exchange(stands, new) {
                        Ok(()) => return want,
                        // Somebody else decided meanwhile; words only grow, so this ends.
                        Err(other) => stands = other,
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
    fn who_decides_first_decides_for_all_and_what_is_older_is_void() {
        let word = AtomicU64::new(0);
        let mut register = Local(&word);
        assert_eq!(register.decide(5, Verdict::Commit), Verdict::Commit);
        assert_eq!(register.decide(5, Verdict::Aborted), Verdict::Commit);
        assert_eq!(register.decide(4, Verdict::Commit), Verdict::Aborted);
        assert_eq!(register.decide(7, Verdict::Aborted), Verdict::Aborted);
        assert_eq!(register.decide(7, Verdict::Commit), Verdict::Aborted);
        assert_eq!(word.into_inner(), 14);
    }

    #[test]
    fn threads_that_decide_at_the_same_time_hear_the_same() {
        let word = AtomicU64::new(0);
        for epoch in 1..2_000 {
            let word = &word;
            let heard: Vec<Verdict> = std::thread::scope(|scope| {
                let decide = |want| scope.spawn(move || Local(word).decide(epoch, want));
                let both = [decide(Verdict::Commit), decide(Verdict::Aborted)];
                both.map(|thread| thread.join().unwrap()).to_vec()
            });
            assert_eq!(heard[0], heard[1], "epoch {epoch}");
        }
    }
}
