//! The part of a rank: it holds the change ready, and asks the register when it begins the agreed iteration.

use crate::{Decision, Register};

/// The state of a rank in a round. `V` is the change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank<V> {
    /// The newest round for which it is prepared; 0: none.
    round: u64,
    /// Iterations that it had begun when it was prepared.
    begun: u64,
    state: State<V>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State<V> {
    Prepared(V),
    /// `committed`: this rank knows that the round is committed.
    PreCommitted {
        value: V,
        at: u64,
        committed: bool,
    },
    Over(Option<Decision>),
}

/// A rank's reply to prepare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrepareReply {
    /// It is prepared.
    Prepared {
        /// Iterations that it had begun; the next one has this number.
        begun: u64,
    },
    /// A committed change waits for its iteration, or the rank is prepared for a newer round.
    Busy,
}

/// A rank's reply to pre-commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreCommitReply {
    /// It will ask the register when it begins that iteration.
    PreCommitted,
    /// It has begun that iteration already, or is not prepared for this round.
    Past,
}

/// The end of a round in a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<V> {
    /// The round.
    pub round: u64,
    /// The change to apply now; `None`: the round is aborted.
    pub apply: Option<V>,
}

impl<V> Default for Rank<V> {
    fn default() -> Self {
        Rank { round: 0, begun: 0, state: State::Over(None) }
    }
}

impl<V> Rank<V> {
    /// Holds `value` ready for `round`. This rank has begun `begun` iterations. A newer round aborts an older one that is not
    /// committed.
    pub fn on_prepare(&mut self, round: u64, value: V, begun: u64, register: &mut impl Register) -> PrepareReply {
        if round == self.round {
            return PrepareReply::Prepared { begun: self.begun };
        }
        if round < self.round || self.decision(register) == Some(Decision::Commit) {
            return PrepareReply::Busy;
        }
        *self = Rank { round, begun, state: State::Prepared(value) };
        PrepareReply::Prepared { begun }
    }

    /// Pre-commits the change for the start of iteration `at`. This rank has begun `begun` iterations.
    pub fn on_pre_commit(&mut self, round: u64, at: u64, begun: u64) -> PreCommitReply {
        if round != self.round {
            return PreCommitReply::Past;
        }
        match std::mem::replace(&mut self.state, State::Over(None)) {
            State::Prepared(value) if at >= begun => {
                self.state = State::PreCommitted { value, at, committed: false };
                PreCommitReply::PreCommitted
            }
            State::Prepared(_) | State::Over(None) => PreCommitReply::Past,
            was @ (State::PreCommitted { .. } | State::Over(Some(_))) => {
                self.state = was;
                PreCommitReply::PreCommitted
            }
        }
    }

    /// All ranks have pre-committed: decides that all apply the change, unless one aborted the round. Returns the decision.
    pub fn on_commit(&mut self, round: u64, register: &mut impl Register) -> Decision {
        match &mut self.state {
            _ if round != self.round => Decision::Abort,
            State::PreCommitted { committed: true, .. } => Decision::Commit,
            State::PreCommitted { committed, .. } => {
                let decision = register.decide(round, Decision::Commit);
                *committed = decision == Decision::Commit;
                decision
            }
            State::Over(Some(decision)) => *decision,
            State::Prepared(_) | State::Over(None) => Decision::Abort,
        }
    }

    /// Another rank has committed the round: this one need not ask the register.
    pub fn on_committed(&mut self, round: u64) {
        match &mut self.state {
            State::PreCommitted { committed, .. } if round == self.round => *committed = true,
            _ => {}
        }
    }

    /// Iteration `iteration` begins. Returns the outcome of a round that was pre-committed for it. Waits for nothing but the
    /// register, which it asks only where it has not heard of the commit.
    pub fn on_iteration(&mut self, iteration: u64, register: &mut impl Register) -> Option<Outcome<V>> {
        if !matches!(&self.state, State::PreCommitted { at, .. } if iteration >= *at) {
            return None;
        }
        let decision = self.decision(register)?;
        let State::PreCommitted { value, .. } = std::mem::replace(&mut self.state, State::Over(Some(decision))) else {
            return None;
        };
        Some(Outcome { round: self.round, apply: (decision == Decision::Commit).then_some(value) })
    }

    /// The decision on the round for which the rank is pre-committed. Aborts a round that is not decided.
    fn decision(&self, register: &mut impl Register) -> Option<Decision> {
        match &self.state {
            State::PreCommitted { committed: true, .. } => Some(Decision::Commit),
            State::PreCommitted { .. } => Some(register.decide(self.round, Decision::Abort)),
            State::Prepared(_) | State::Over(_) => None,
        }
    }

    /// Returns whether the rank waits for an iteration.
    pub fn is_pre_committed(&self) -> bool {
        matches!(self.state, State::PreCommitted { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A register of a single process.
    #[derive(Default)]
    struct Local(std::cell::Cell<u64>);

    impl crate::Word for Local {
        fn load(&self) -> u64 {
            self.0.get()
        }
        fn compare_exchange(&self, _: u64, new: u64) -> Result<(), u64> {
            self.0.set(new);
            Ok(())
        }
    }

    #[test]
    fn a_rank_applies_a_committed_change_when_it_begins_that_iteration() {
        let (mut rank, mut register) = (Rank::default(), Local::default());
        assert_eq!(rank.on_prepare(3, 'x', 10, &mut register), PrepareReply::Prepared { begun: 10 });
        assert_eq!(rank.on_pre_commit(3, 12, 11), PreCommitReply::PreCommitted);
        assert_eq!(rank.on_iteration(11, &mut register), None);
        assert_eq!(rank.on_commit(3, &mut register), Decision::Commit);
        assert_eq!(rank.on_iteration(12, &mut register), Some(Outcome { round: 3, apply: Some('x') }));
        assert_eq!(rank.on_iteration(13, &mut register), None);
        // Repeated orders get the same replies.
        assert_eq!(rank.on_prepare(3, 'y', 13, &mut register), PrepareReply::Prepared { begun: 10 });
        assert_eq!(rank.on_pre_commit(3, 12, 13), PreCommitReply::PreCommitted);
        assert_eq!(rank.on_commit(3, &mut register), Decision::Commit);
        assert_eq!(rank.on_iteration(14, &mut register), None);
    }

    #[test]
    fn a_rank_that_has_heard_of_the_commit_does_not_ask_the_register() {
        /// Nobody may ask.
        struct Unreachable;
        impl Register for Unreachable {
            fn decide(&mut self, round: u64, _: Decision) -> Decision {
                panic!("round {round} was asked for");
            }
        }
        let mut rank = Rank::default();
        rank.on_prepare(3, 'x', 10, &mut Unreachable);
        rank.on_committed(3);
        assert_eq!(rank.on_pre_commit(3, 12, 11), PreCommitReply::PreCommitted);
        rank.on_committed(2);
        rank.on_committed(3);
        assert_eq!(rank.on_prepare(4, 'y', 11, &mut Unreachable), PrepareReply::Busy);
        assert_eq!(rank.on_commit(3, &mut Unreachable), Decision::Commit);
        assert_eq!(rank.on_iteration(12, &mut Unreachable), Some(Outcome { round: 3, apply: Some('x') }));
    }

    #[test]
    fn a_rank_aborts_a_round_that_nobody_committed_and_goes_on() {
        let (mut rank, mut register) = (Rank::default(), Local::default());
        rank.on_prepare(3, 'x', 10, &mut register);
        rank.on_pre_commit(3, 12, 11);
        assert_eq!(rank.on_iteration(12, &mut register), Some(Outcome { round: 3, apply: None }));
        assert_eq!(rank.on_commit(3, &mut register), Decision::Abort);
    }

    #[test]
    fn a_rank_does_not_pre_commit_for_an_iteration_it_has_begun_or_unprepared() {
        let (mut rank, mut register) = (Rank::default(), Local::default());
        assert_eq!(rank.on_pre_commit(3, 12, 0), PreCommitReply::Past);
        rank.on_prepare(3, 'x', 10, &mut register);
        assert_eq!(rank.on_pre_commit(3, 12, 13), PreCommitReply::Past);
        assert_eq!(rank.on_pre_commit(3, 12, 13), PreCommitReply::Past, "the same again");
        assert_eq!(rank.on_commit(3, &mut register), Decision::Abort);
        assert_eq!(rank.on_iteration(13, &mut register), None);
    }

    #[test]
    fn a_newer_round_aborts_a_pre_committed_one_but_not_a_committed_one() {
        let (mut rank, mut register) = (Rank::default(), Local::default());
        rank.on_prepare(3, 'x', 10, &mut register);
        rank.on_pre_commit(3, 12, 11);
        assert_eq!(rank.on_prepare(4, 'y', 11, &mut register), PrepareReply::Prepared { begun: 11 });
        assert_eq!(rank.on_commit(3, &mut register), Decision::Abort);
        rank.on_pre_commit(4, 14, 11);
        assert_eq!(rank.on_commit(4, &mut register), Decision::Commit);
        assert_eq!(rank.on_prepare(5, 'z', 12, &mut register), PrepareReply::Busy);
        assert_eq!(rank.on_prepare(2, 'z', 12, &mut register), PrepareReply::Busy, "an older round that comes late");
        assert_eq!(rank.on_iteration(14, &mut register), Some(Outcome { round: 4, apply: Some('y') }));
        assert_eq!(rank.on_prepare(5, 'z', 15, &mut register), PrepareReply::Prepared { begun: 15 });
    }
}
