//! Statuses of an action, numbered as the wire's `ActionStatus`.

pub const APPLIED: u64 = 1;
pub const REFUSED_RANGE: u64 = 2;
pub const REFUSED_UNKNOWN: u64 = 3;
pub const REFUSED_STALE: u64 = 4;
pub const EXPIRED: u64 = 5;
pub const UNDELIVERABLE: u64 = 6;
// Of the phases of a change on all ranks.
pub const PREPARED: u64 = 7;
pub const ARMED: u64 = 8;
pub const VOID: u64 = 9;
pub const COMMITTED: u64 = 10;
pub const BUSY: u64 = 11;
pub const PAST: u64 = 12;
// Of what waits for its safe point.
pub const REFUSED_APART: u64 = 13;
pub const NOT_REACHED: u64 = 14;
