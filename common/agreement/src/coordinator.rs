//! The part of whoever wants the change: prepare, arm, commit, and when to try again.

use std::collections::{BTreeMap, BTreeSet};

/// How many iterations beyond the furthest one a change is armed for: the first time, and at most. It doubles from round
/// to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Margins {
    /// The first round's.
    pub first: u64,
    /// The last round's.
    pub most: u64,
}

/// What ranks are to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Hold the change ready.
    Prepare,
    /// Be ready to take it over at the start of iteration `at`.
    PreCommit {
        /// The iteration.
        at: u64,
    },
    /// Decide that all take it over; for one rank.
    Commit,
}

/// What a rank says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// To prepare.
    Prepared {
        /// Iterations it has begun.
        begun: u64,
        /// Which register it asks; ranks with different ones cannot agree.
        register: u64,
    },
    /// To prepare: an earlier change waits for its iteration.
    Busy,
    /// To arm.
    PreCommitted,
    /// To arm: that iteration was begun.
    Past,
    /// To commit.
    Committed,
    /// To commit, or at the start of the iteration: the round is void.
    Aborted,
    /// At the start of the iteration.
    Applied,
    /// To anything: it cannot be, for this reason.
    Refused(&'static str),
}

/// Why a round is void.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// See [`Answer::Past`].
    Past {
        /// The first that said so.
        rank: u32,
        /// The iteration.
        at: u64,
    },
    /// See [`Answer::Busy`].
    Busy(u32),
    /// A rank began the iteration before anybody had committed.
    Aborted(u64),
    /// A rank has begun no iteration.
    NoIteration(u32),
    /// Two ranks do not share a register.
    Apart(u32, u32),
    /// See [`Answer::Refused`].
    Refused(u32, &'static str),
    /// A rank died or finalized.
    Left(u32),
    /// A rank did not answer in time.
    Silent(u32),
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Past { rank, at } => write!(f, "rank {rank} had begun iteration {at} before it was armed"),
            Why::Busy(rank) => write!(f, "an earlier change still waits for its iteration on rank {rank}"),
            Why::Aborted(at) => write!(f, "iteration {at} began before the change was committed"),
            Why::NoIteration(rank) => {
                write!(f, "rank {rank} has begun no iteration: every rank has to call midrun_iteration_begin")
            }
            Why::Apart(a, b) => {
                write!(f, "ranks {a} and {b} share no memory: they are on different hosts or have different agents")
            }
            Why::Refused(rank, why) => write!(f, "rank {rank}: {why}"),
            Why::Left(rank) => write!(f, "rank {rank} has left the job"),
            Why::Silent(rank) => write!(f, "rank {rank} reached no safe point in time"),
        }
    }
}

impl Why {
    /// Whether another round may do better.
    fn may_pass(&self) -> bool {
        matches!(self, Why::Past { .. } | Why::Busy(_) | Why::Aborted(_) | Why::NoIteration(_))
    }
}

/// How a round ended, as far as its coordinator knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Done {
    /// Every rank that has not left took the change over at the start of this iteration.
    Applied {
        /// The iteration.
        at: u64,
    },
    /// No rank has, or ever will.
    Aborted(Why),
    /// All ranks have left, and none was heard to have taken it over.
    Ended,
    /// The commit was sent, and not every rank was heard of in time: those that begin the iteration all take the change
    /// over, or none does.
    Unheard {
        /// The iteration.
        at: u64,
        /// One said that it is committed.
        committed: bool,
        /// Those that were not heard of.
        ranks: Vec<u32>,
    },
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Nothing.
    Wait,
    /// Tell these ranks.
    Tell(Order, Vec<u32>),
    /// The round is over.
    Over(Done),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Preparing { prepared: BTreeMap<u32, (u64, u64)> },
    PreCommitting { at: u64, armed: BTreeSet<u32> },
    Committing { at: u64, by: u32, committed: bool, applied: BTreeSet<u32> },
    Over,
}

/// One change of a set of ranks, in as many rounds as it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinator {
    epoch: u64,
    ranks: BTreeSet<u32>,
    margin: u64,
    most: u64,
    phase: Phase,
    may_pass: bool,
}

impl Coordinator {
    /// A first round for `ranks`, which are to be told [`Order::Prepare`]. No round had this epoch, or will have it.
    pub fn new(epoch: u64, ranks: BTreeSet<u32>, margins: Margins) -> Coordinator {
        let phase = Phase::Preparing { prepared: BTreeMap::new() };
        let most = margins.most.max(margins.first);
        Coordinator { epoch, ranks, margin: margins.first.max(1), most, phase, may_pass: false }
    }

    /// Another round after a void one, with twice the margin; false when another would not do better.
    pub fn again(&mut self, epoch: u64) -> bool {
        let may = self.may_pass && self.margin < self.most && !self.ranks.is_empty();
        if may {
            let margin = (2 * self.margin).min(self.most);
            let phase = Phase::Preparing { prepared: BTreeMap::new() };
            *self = Coordinator { epoch, margin, phase, may_pass: false, ..self.clone() };
        }
        may
    }

    /// This round.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// This round's margin, iterations.
    pub fn margin(&self) -> u64 {
        self.margin
    }

    /// The ranks that have not left.
    pub fn ranks(&self) -> &BTreeSet<u32> {
        &self.ranks
    }

    /// What was told and not answered yet: to be told again over a link that is new.
    pub fn pending(&self) -> Option<(Order, Vec<u32>)> {
        let but = |done: &dyn Fn(&u32) -> bool| self.ranks.iter().copied().filter(|rank| !done(rank)).collect();
        match &self.phase {
            Phase::Preparing { prepared } => Some((Order::Prepare, but(&|rank| prepared.contains_key(rank)))),
            Phase::PreCommitting { at, armed } => {
                Some((Order::PreCommit { at: *at }, but(&|rank| armed.contains(rank))))
            }
            Phase::Committing { by, committed: false, .. } if self.ranks.contains(by) => {
                Some((Order::Commit, vec![*by]))
            }
            Phase::Committing { .. } | Phase::Over => None,
        }
    }

    /// A rank answers in round `epoch`.
    pub fn on_answer(&mut self, rank: u32, epoch: u64, answer: Answer) -> Step {
        if epoch != self.epoch || !self.ranks.contains(&rank) {
            return Step::Wait;
        }
        match (&mut self.phase, answer) {
            (Phase::Over, _) => Step::Wait,
            (Phase::Preparing { prepared }, Answer::Prepared { begun, register }) => {
                prepared.insert(rank, (begun, register));
                self.go_on()
            }
            (Phase::PreCommitting { armed, .. }, Answer::PreCommitted) => {
                armed.insert(rank);
                self.go_on()
            }
            (Phase::Committing { committed, .. }, Answer::Committed) => {
                *committed = true;
                Step::Wait
            }
            (Phase::Committing { committed, applied, .. }, Answer::Applied) => {
                *committed = true;
                applied.insert(rank);
                self.go_on()
            }
            (Phase::PreCommitting { at, .. } | Phase::Committing { at, .. }, Answer::Aborted) => {
                let at = *at;
                self.void(Why::Aborted(at))
            }
            (Phase::Preparing { .. }, Answer::Busy) => self.void(Why::Busy(rank)),
            (Phase::PreCommitting { at, .. }, Answer::Past) => {
                let at = *at;
                self.void(Why::Past { rank, at })
            }
            // Nobody has committed yet, and nobody will.
            (Phase::Preparing { .. } | Phase::PreCommitting { .. }, Answer::Refused(why)) => {
                self.void(Why::Refused(rank, why))
            }
            // An answer to an earlier phase that comes again; or to a commit, which others may have heard of.
            _ => Step::Wait,
        }
    }

    /// A rank has left: it died, or reached MPI_Finalize. Before the commit nobody knows which iterations it had begun with
    /// the value before, so that the round is void.
    pub fn on_left(&mut self, rank: u32) -> Step {
        if !self.ranks.contains(&rank) || self.phase == Phase::Over {
            return Step::Wait;
        }
        let early = matches!(self.phase, Phase::Preparing { .. } | Phase::PreCommitting { .. });
        self.ranks.remove(&rank);
        if early {
            return self.void(Why::Left(rank));
        }
        self.go_on()
    }

    /// Nothing was heard for too long.
    pub fn on_silence(&mut self) -> Step {
        let silent = |done: &dyn Fn(&u32) -> bool| self.ranks.iter().copied().find(|rank| !done(rank)).unwrap_or(0);
        let rank = match &self.phase {
            Phase::Preparing { prepared } => silent(&|rank| prepared.contains_key(rank)),
            Phase::PreCommitting { armed, .. } => silent(&|rank| armed.contains(rank)),
            Phase::Committing { at, committed, applied, .. } => {
                let ranks = self.ranks.iter().copied().filter(|rank| !applied.contains(rank)).collect();
                return self.over(Done::Unheard { at: *at, committed: *committed, ranks });
            }
            Phase::Over => return Step::Wait,
        };
        self.void(Why::Silent(rank))
    }

    /// The next order, once all have answered the last one.
    fn go_on(&mut self) -> Step {
        if self.ranks.is_empty() {
            return match &self.phase {
                Phase::Committing { at, applied, .. } if !applied.is_empty() => {
                    let at = *at;
                    self.over(Done::Applied { at })
                }
                _ => self.over(Done::Ended),
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
                    return self.void(Why::NoIteration(*rank));
                }
                if let Some((rank, ..)) = known.iter().find(|(.., id)| *id != known[0].2) {
                    return self.void(Why::Apart(known[0].0, *rank));
                }
                // The furthest rank is in iteration begun - 1.
                let furthest = known.iter().map(|(_, begun, _)| begun - 1).max().unwrap_or(0);
                let at = furthest.saturating_add(self.margin);
                self.phase = Phase::PreCommitting { at, armed: BTreeSet::new() };
                Step::Tell(Order::PreCommit { at }, all)
            }
            Phase::PreCommitting { at, armed } if all.iter().all(|rank| armed.contains(rank)) => {
                let (at, by) = (*at, all[0]);
                self.phase = Phase::Committing { at, by, committed: false, applied: BTreeSet::new() };
                Step::Tell(Order::Commit, vec![by])
            }
            Phase::Committing { at, applied, .. } if all.iter().all(|rank| applied.contains(rank)) => {
                let at = *at;
                self.over(Done::Applied { at })
            }
            _ => Step::Wait,
        }
    }

    fn void(&mut self, why: Why) -> Step {
        self.may_pass = why.may_pass();
        self.over(Done::Aborted(why))
    }

    fn over(&mut self, done: Done) -> Step {
        self.phase = Phase::Over;
        Step::Over(done)
    }
}
