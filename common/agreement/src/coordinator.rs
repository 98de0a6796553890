//! The coordinator of a change: prepare, pre-commit, commit, and another round after an abort.

use std::collections::{BTreeMap, BTreeSet};

/// Distance from the furthest rank's iteration to the iteration of the change, iterations. It doubles from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Margins {
    /// Distance in the first round.
    pub first: u64,
    /// Largest distance.
    pub most: u64,
}

/// An order to ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Check the change and hold it ready.
    Prepare,
    /// Ask the register for the decision at the start of iteration `at`.
    PreCommit {
        /// The iteration.
        at: u64,
    },
    /// Decide that all ranks apply the change. Sent to one rank.
    Commit,
    /// It is decided that all ranks apply the change: the register need not be asked. Sent to the others once one has committed.
    Committed,
}

/// The reply of a rank to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reply {
    /// To prepare: the rank holds the change ready.
    Prepared {
        /// Number of iterations that the rank has begun.
        begun: u64,
        /// Identity of its register. Ranks with different registers cannot agree.
        register: u64,
    },
    /// To prepare: an earlier change waits for its iteration.
    Busy,
    /// To pre-commit: the rank will ask the register.
    PreCommitted,
    /// To pre-commit: the rank has begun that iteration already.
    Past,
    /// To commit: all ranks apply the change.
    Committed,
    /// To commit, or at the start of the iteration: the round is aborted.
    Aborted,
    /// At the start of the iteration: the rank applied the change.
    Applied,
    /// To any order: the change is impossible for this reason.
    Refused(&'static str),
}

/// The reason why a round was aborted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AbortReason {
    /// A rank had begun the iteration before it could pre-commit.
    #[error("rank {rank} had begun iteration {at} before it could pre-commit")]
    Past {
        /// The first such rank.
        rank: u32,
        /// The iteration.
        at: u64,
    },
    /// An earlier change still waits for its iteration on this rank.
    #[error("an earlier change still waits for its iteration on rank {0}")]
    Busy(u32),
    /// A rank began this iteration before any rank had committed.
    #[error("iteration {0} began before the change was committed")]
    NotCommitted(u64),
    /// This rank has begun no iteration.
    #[error("rank {0} has begun no iteration: every rank has to call midrun_iteration_begin")]
    NoIteration(u32),
    /// These two ranks do not share a register.
    #[error(
        "ranks {0} and {1} share no register: ranks on several hosts, or of several agents, have one where midrun run has \
         --synchronized"
    )]
    NoSharedRegister(u32, u32),
    /// This rank refused the change.
    #[error("rank {0}: {1}")]
    Refused(u32, &'static str),
    /// This rank died or finalized.
    #[error("rank {0} has left the job")]
    Left(u32),
    /// This rank did not answer in time.
    #[error("rank {0} reached no safe point in time")]
    NoReply(u32),
}

impl AbortReason {
    /// Returns whether another round may succeed.
    fn is_transient(&self) -> bool {
        matches!(
            self,
            AbortReason::Past { .. }
                | AbortReason::Busy(_)
                | AbortReason::NotCommitted(_)
                | AbortReason::NoIteration(_)
        )
    }
}

/// The end of a round, as far as its coordinator knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RoundOutcome {
    /// Every rank that has not left applied the change at the start of iteration `at`.
    Applied {
        /// The iteration.
        at: u64,
    },
    /// No rank has applied the change or will apply it.
    Aborted(AbortReason),
    /// All ranks have left, and none reported that it applied the change.
    Ended,
    /// The commit was sent, but not every rank reported in time. Of the ranks that begin the iteration, all apply the change or
    /// none does.
    Unconfirmed {
        /// The iteration.
        at: u64,
        /// A rank reported the commit.
        committed: bool,
        /// Ranks that did not report.
        ranks: Vec<u32>,
    },
}

/// The coordinator's next step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Nothing.
    Wait,
    /// Send this order to these ranks.
    Send(Order, Vec<u32>),
    /// The round is over.
    Over(RoundOutcome),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Preparing { prepared: BTreeMap<u32, (u64, u64)> },
    PreCommitting { at: u64, pre_committed: BTreeSet<u32> },
    Committing { at: u64, by: u32, committed: bool, applied: BTreeSet<u32> },
    Over,
}

/// One change of a set of ranks, in one or more rounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinator {
    round: u64,
    ranks: BTreeSet<u32>,
    margin: u64,
    most: u64,
    phase: Phase,
    may_retry: bool,
}

impl Coordinator {
    /// Starts the first round; the caller sends [`Order::Prepare`] to `ranks`. The number `round` is never used again.
    pub fn new(round: u64, ranks: BTreeSet<u32>, margins: Margins) -> Coordinator {
        let phase = Phase::Preparing { prepared: BTreeMap::new() };
        let most = margins.most.max(margins.first);
        Coordinator { round, ranks, margin: margins.first.max(1), most, phase, may_retry: false }
    }

    /// Starts another round after an aborted one, with twice the margin; `false` when another would not succeed either.
    pub fn again(&mut self, round: u64) -> bool {
        let may = self.may_retry && self.margin < self.most && !self.ranks.is_empty();
        if may {
            let margin = (2 * self.margin).min(self.most);
            let phase = Phase::Preparing { prepared: BTreeMap::new() };
            *self = Coordinator { round, margin, phase, may_retry: false, ..self.clone() };
        }
        may
    }

    /// Number of this round.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Margin of this round, iterations.
    pub fn margin(&self) -> u64 {
        self.margin
    }

    /// The ranks that have not left.
    pub fn ranks(&self) -> &BTreeSet<u32> {
        &self.ranks
    }

    /// The last order and the ranks that have not answered it; to be sent again over a new connection.
    pub fn pending(&self) -> Option<(Order, Vec<u32>)> {
        let but = |done: &dyn Fn(&u32) -> bool| self.ranks.iter().copied().filter(|rank| !done(rank)).collect();
        match &self.phase {
            Phase::Preparing { prepared } => Some((Order::Prepare, but(&|rank| prepared.contains_key(rank)))),
            Phase::PreCommitting { at, pre_committed } => {
                Some((Order::PreCommit { at: *at }, but(&|rank| pre_committed.contains(rank))))
            }
            Phase::Committing { by, committed: false, .. } if self.ranks.contains(by) => {
                Some((Order::Commit, vec![*by]))
            }
            Phase::Committing { committed: true, .. } => Some((Order::Committed, self.uninformed())),
            Phase::Committing { .. } | Phase::Over => None,
        }
    }

    /// Processes the reply of a rank in round `round`.
    pub fn on_reply(&mut self, rank: u32, round: u64, reply: Reply) -> Step {
        if round != self.round || !self.ranks.contains(&rank) {
            return Step::Wait;
        }
        match (&mut self.phase, reply) {
            (Phase::Over, _) => Step::Wait,
            (Phase::Preparing { prepared }, Reply::Prepared { begun, register }) => {
                prepared.insert(rank, (begun, register));
                self.proceed()
            }
            (Phase::PreCommitting { pre_committed, .. }, Reply::PreCommitted) => {
                pre_committed.insert(rank);
                self.proceed()
            }
            (Phase::Committing { .. }, Reply::Committed) => self.announce(),
            (Phase::Committing { applied, .. }, Reply::Applied) => {
                applied.insert(rank);
                match self.proceed() {
                    Step::Wait => self.announce(),
                    over => over,
                }
            }
            (Phase::PreCommitting { at, .. } | Phase::Committing { at, .. }, Reply::Aborted) => {
                let at = *at;
                self.abort(AbortReason::NotCommitted(at))
            }
            (Phase::Preparing { .. }, Reply::Busy) => self.abort(AbortReason::Busy(rank)),
            (Phase::PreCommitting { at, .. }, Reply::Past) => {
                let at = *at;
                self.abort(AbortReason::Past { rank, at })
            }
            // No rank has committed, and none will.
            (Phase::Preparing { .. } | Phase::PreCommitting { .. }, Reply::Refused(why)) => {
                self.abort(AbortReason::Refused(rank, why))
            }
            // A repeated answer to an earlier phase, or to a commit that other ranks may know of already.
            _ => Step::Wait,
        }
    }

    /// A rank has left: it died or reached MPI_Finalize. Before the commit this aborts the round, because the rank may have begun
    /// the iteration with the old value.
    pub fn on_left(&mut self, rank: u32) -> Step {
        if !self.ranks.contains(&rank) || self.phase == Phase::Over {
            return Step::Wait;
        }
        let early = matches!(self.phase, Phase::Preparing { .. } | Phase::PreCommitting { .. });
        self.ranks.remove(&rank);
        if early {
            return self.abort(AbortReason::Left(rank));
        }
        self.proceed()
    }

    /// The answers did not come in time.
    pub fn on_silence(&mut self) -> Step {
        let silent = |done: &dyn Fn(&u32) -> bool| self.ranks.iter().copied().find(|rank| !done(rank)).unwrap_or(0);
        let rank = match &self.phase {
            Phase::Preparing { prepared } => silent(&|rank| prepared.contains_key(rank)),
            Phase::PreCommitting { pre_committed, .. } => silent(&|rank| pre_committed.contains(rank)),
            Phase::Committing { at, committed, applied, .. } => {
                let ranks = self.ranks.iter().copied().filter(|rank| !applied.contains(rank)).collect();
                return self.over(RoundOutcome::Unconfirmed { at: *at, committed: *committed, ranks });
            }
            Phase::Over => return Step::Wait,
        };
        self.abort(AbortReason::NoReply(rank))
    }

    /// Enters the next phase once all ranks have answered.
    fn proceed(&mut self) -> Step {
        if self.ranks.is_empty() {
            return match &self.phase {
                Phase::Committing { at, applied, .. } if !applied.is_empty() => {
                    let at = *at;
                    self.over(RoundOutcome::Applied { at })
                }
                _ => self.over(RoundOutcome::Ended),
            };
        }
        let all: Vec<u32> = self.ranks.iter().copied().collect();
        match &self.phase {
            Phase::Preparing { prepared } => {
                let known: Vec<(u32, u64, u64)> =
                    all.iter().filter_map(|rank| prepared.get(rank).map(|(begun, id)| (*rank, *begun, *id))).collect();
                if known.len() < all.len() {
                    return Step::Wait;
                }
                if let Some((rank, ..)) = known.iter().find(|(_, begun, _)| *begun == 0) {
                    return self.abort(AbortReason::NoIteration(*rank));
                }
                if let Some((rank, ..)) = known.iter().find(|(.., id)| *id != known[0].2) {
                    return self.abort(AbortReason::NoSharedRegister(known[0].0, *rank));
                }
                // The furthest rank is in iteration begun - 1.
                let furthest = known.iter().map(|(_, begun, _)| begun - 1).max().unwrap_or(0);
                let at = furthest.saturating_add(self.margin);
                self.phase = Phase::PreCommitting { at, pre_committed: BTreeSet::new() };
                Step::Send(Order::PreCommit { at }, all)
            }
            Phase::PreCommitting { at, pre_committed } if all.iter().all(|rank| pre_committed.contains(rank)) => {
                let (at, by) = (*at, all[0]);
                self.phase = Phase::Committing { at, by, committed: false, applied: BTreeSet::new() };
                Step::Send(Order::Commit, vec![by])
            }
            Phase::Committing { at, applied, .. } if all.iter().all(|rank| applied.contains(rank)) => {
                let at = *at;
                self.over(RoundOutcome::Applied { at })
            }
            _ => Step::Wait,
        }
    }

    /// A rank has reported the commit: the others hear of it, once.
    fn announce(&mut self) -> Step {
        let Phase::Committing { committed, .. } = &mut self.phase else { return Step::Wait };
        if std::mem::replace(committed, true) {
            return Step::Wait;
        }
        match self.uninformed() {
            ranks if ranks.is_empty() => Step::Wait,
            ranks => Step::Send(Order::Committed, ranks),
        }
    }

    /// Ranks that may not know of the commit: neither the one that was ordered to commit nor those that applied the change.
    fn uninformed(&self) -> Vec<u32> {
        let Phase::Committing { by, applied, .. } = &self.phase else { return Vec::new() };
        self.ranks.iter().copied().filter(|rank| rank != by && !applied.contains(rank)).collect()
    }

    fn abort(&mut self, reason: AbortReason) -> Step {
        self.may_retry = reason.is_transient();
        self.over(RoundOutcome::Aborted(reason))
    }

    fn over(&mut self, done: RoundOutcome) -> Step {
        self.phase = Phase::Over;
        Step::Over(done)
    }
}
