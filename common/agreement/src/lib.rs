//! Agreement of all ranks on one change: every rank applies it at the start of the same iteration, or none does, and no rank
//! waits for another.
//!
//! The protocol is a three-phase commit (Skeen 1981). A *round* has a number that is never used again. The [`Coordinator`] has
//! every [`Rank`] *prepare* the change, then *pre-commit* it for an iteration that no rank has begun, then has one of them
//! *commit*. In place of the messages by which processes learn a commit in the literature, the decision stands in the
//! [`Register`], one word that all ranks share: the first rank to decide decides for all. A rank that begins the iteration
//! before any rank has committed decides to *abort* the round. So a rank waits for nothing but the register, and not even for that
//! where it has heard of the commit, of which the coordinator tells the others once one has committed. Ranks never differ
//! either: a commit is attempted only when all have pre-committed, and all read the same decision.

#![forbid(unsafe_code)]

mod coordinator;
mod rank;
mod register;

pub use coordinator::{AbortReason, Coordinator, Margins, Order, Reply, RoundOutcome, Step};
pub use rank::{Outcome, PreCommitReply, PrepareReply, Rank};
pub use register::{Decision, Register, Word};
