//! One change on all ranks at the start of one and the same iteration, or on none of them, though nobody ever waits.
//!
//! A round has a number that is never used again, its *epoch*. The [`Coordinator`] has every rank [`Rank`] prepare the
//! change, then arms all of them for an iteration that none has begun, then has one of them commit. Whether the round
//! is committed stands in the [`Register`], one word that all ranks share: whoever decides first decides for all. A rank
//! that begins the iteration before anybody has committed decides that the round is void. So a rank never waits, and
//! two ranks never differ: the commit is only tried when all are armed, and all read the same decision.

#![forbid(unsafe_code)]

mod coordinator;
mod rank;
mod register;

pub use coordinator::{Answer, Coordinator, Done, Margins, Order, Step, Why};
pub use rank::{Outcome, PreCommitting, Preparing, Rank};
pub use register::{Register, Verdict, Word};
