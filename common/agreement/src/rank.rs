//! A rank's part: it holds the change ready, and asks the register when it begins the iteration it is armed for.

use crate::{Register, Verdict};

/// What a rank has of a round. `V` is the change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank<V> {
    /// The newest round that it was prepared for; 0: none.
    epoch: u64,
    /// Iterations it had begun when it was prepared.
    begun: u64,
    state: State<V>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State<V> {
    Prepared(V),
    PreCommitted { value: V, at: u64 },
    Over(Option<Verdict>),
}

/// Answer to prepare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparing {
    /// It is, and had begun so many iterations.
    Prepared {
        /// Iterations begun; the next one has this number.
        begun: u64,
    },
    /// A committed change waits for its iteration, or a newer round was prepared.
    Busy,
}

/// Answer to arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreCommitting {
    /// It asks the register when it begins that iteration.
    PreCommitted,
    /// That iteration was begun already, or the rank is not prepared for this round.
    Past,
}

/// How a round ended in a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<V> {
    /// The round.
    pub epoch: u64,
    /// What to take over now; `None`: the round is void.
    pub apply: Option<V>,
}

impl<V> Default for Rank<V> {
    fn default() -> Self {
        Rank { epoch: 0, begun: 0, state: State::Over(None) }
    }
}

impl<V> Rank<V> {
    /// Holds `value` ready for `epoch`. `begun` is how many iterations this rank has begun. A newer round makes an older
    /// one void, unless that is committed.
    pub fn on_prepare(&mut self, epoch: u64, value: V, begun: u64, register: &mut impl Register) -> Preparing {
        if epoch == self.epoch {
            return Preparing::Prepared { begun: self.begun };
        }
        let armed = matches!(self.state, State::PreCommitted { .. });
        if epoch < self.epoch || (armed && register.decide(self.epoch, Verdict::Aborted) == Verdict::Commit) {
            return Preparing::Busy;
        }
        *self = Rank { epoch, begun, state: State::Prepared(value) };
        Preparing::Prepared { begun }
    }

    /// Arms the change for the start of iteration `at`; `begun` as above.
    pub fn on_pre_commit(&mut self, epoch: u64, at: u64, begun: u64) -> PreCommitting {
        if epoch != self.epoch {
            return PreCommitting::Past;
        }
        match std::mem::replace(&mut self.state, State::Over(None)) {
            State::Prepared(value) if at >= begun => {
                self.state = State::PreCommitted { value, at };
                PreCommitting::PreCommitted
            }
            State::Prepared(_) | State::Over(None) => PreCommitting::Past,
            was @ (State::PreCommitted { .. } | State::Over(Some(_))) => {
                self.state = was;
                PreCommitting::PreCommitted
            }
        }
    }

    /// All ranks are armed: decides that all take the change over, unless one voided the round. What holds.
    pub fn on_commit(&mut self, epoch: u64, register: &mut impl Register) -> Verdict {
        match &self.state {
            _ if epoch != self.epoch => Verdict::Aborted,
            State::PreCommitted { .. } => register.decide(epoch, Verdict::Commit),
            State::Over(Some(verdict)) => *verdict,
            State::Prepared(_) | State::Over(None) => Verdict::Aborted,
        }
    }

    /// Iteration `iteration` begins: before anything of it is done, what is there to take over. Never waits.
    pub fn on_iteration(&mut self, iteration: u64, register: &mut impl Register) -> Option<Outcome<V>> {
        if !matches!(&self.state, State::PreCommitted { at, .. } if iteration >= *at) {
            return None;
        }
        let verdict = register.decide(self.epoch, Verdict::Aborted);
        let State::PreCommitted { value, .. } = std::mem::replace(&mut self.state, State::Over(Some(verdict))) else {
            return None;
        };
        Some(Outcome { epoch: self.epoch, apply: (verdict == Verdict::Commit).then_some(value) })
    }

    /// Whether an iteration is awaited.
    pub fn is_pre_committed(&self) -> bool {
        matches!(self.state, State::PreCommitted { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One process alone with its register.
    #[derive(Default)]
    struct Alone(std::cell::Cell<u64>);

    impl crate::Word for Alone {
        fn load(&self) -> u64 {
            self.0.get()
        }
        fn compare_exchange(&self, _: u64, new: u64) -> Result<(), u64> {
            self.0.set(new);
            Ok(())
        }
    }

    #[test]
    fn a_rank_takes_a_committed_change_over_when_it_begins_that_iteration() {
        let (mut rank, mut register) = (Rank::default(), Alone::default());
        assert_eq!(rank.on_prepare(3, 'x', 10, &mut register), Preparing::Prepared { begun: 10 });
        assert_eq!(rank.on_pre_commit(3, 12, 11), PreCommitting::PreCommitted);
        assert_eq!(rank.on_iteration(11, &mut register), None);
        assert_eq!(rank.on_commit(3, &mut register), Verdict::Commit);
        assert_eq!(rank.on_iteration(12, &mut register), Some(Outcome { epoch: 3, apply: Some('x') }));
        assert_eq!(rank.on_iteration(13, &mut register), None);
        // What comes again is answered as before.
        assert_eq!(rank.on_prepare(3, 'y', 13, &mut register), Preparing::Prepared { begun: 10 });
        assert_eq!(rank.on_pre_commit(3, 12, 13), PreCommitting::PreCommitted);
        assert_eq!(rank.on_commit(3, &mut register), Verdict::Commit);
        assert_eq!(rank.on_iteration(14, &mut register), None);
    }

    #[test]
    fn a_rank_that_nobody_committed_voids_the_round_and_goes_on() {
        let (mut rank, mut register) = (Rank::default(), Alone::default());
        rank.on_prepare(3, 'x', 10, &mut register);
        rank.on_pre_commit(3, 12, 11);
        assert_eq!(rank.on_iteration(12, &mut register), Some(Outcome { epoch: 3, apply: None }));
        assert_eq!(rank.on_commit(3, &mut register), Verdict::Aborted);
    }

    #[test]
    fn a_rank_is_not_armed_for_what_it_has_begun_or_was_not_prepared_for() {
        let (mut rank, mut register) = (Rank::default(), Alone::default());
        assert_eq!(rank.on_pre_commit(3, 12, 0), PreCommitting::Past);
        rank.on_prepare(3, 'x', 10, &mut register);
        assert_eq!(rank.on_pre_commit(3, 12, 13), PreCommitting::Past);
        assert_eq!(rank.on_pre_commit(3, 12, 13), PreCommitting::Past, "the same again");
        assert_eq!(rank.on_commit(3, &mut register), Verdict::Aborted);
        assert_eq!(rank.on_iteration(13, &mut register), None);
    }

    #[test]
    fn a_newer_round_voids_an_armed_one_but_not_a_committed_one() {
        let (mut rank, mut register) = (Rank::default(), Alone::default());
        rank.on_prepare(3, 'x', 10, &mut register);
        rank.on_pre_commit(3, 12, 11);
        assert_eq!(rank.on_prepare(4, 'y', 11, &mut register), Preparing::Prepared { begun: 11 });
        assert_eq!(rank.on_commit(3, &mut register), Verdict::Aborted);
        rank.on_pre_commit(4, 14, 11);
        assert_eq!(rank.on_commit(4, &mut register), Verdict::Commit);
        assert_eq!(rank.on_prepare(5, 'z', 12, &mut register), Preparing::Busy);
        assert_eq!(rank.on_prepare(2, 'z', 12, &mut register), Preparing::Busy, "an old one that comes late");
        assert_eq!(rank.on_iteration(14, &mut register), Some(Outcome { epoch: 4, apply: Some('y') }));
        assert_eq!(rank.on_prepare(5, 'z', 15, &mut register), Preparing::Prepared { begun: 15 });
    }
}
