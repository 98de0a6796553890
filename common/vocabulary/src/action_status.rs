//! Status of an action in a rank: the codes in shared memory, which are the numbers of the wire's `ActionStatus`.

/// The rank applied all values.
pub const APPLIED: u64 = 1;
/// A value lies outside its tuning point's range.
pub const REFUSED_RANGE: u64 = 2;
/// The rank has no such tuning point.
pub const REFUSED_UNKNOWN: u64 = 3;
/// The rank applied an action with a newer id before.
pub const REFUSED_STALE: u64 = 4;
/// The action reached its safe point after its deadline.
pub const EXPIRED: u64 = 5;
/// The rank is gone, or its command ring is full.
pub const UNDELIVERABLE: u64 = 6;
/// Synchronized change: the rank is prepared, it holds the values ready.
pub const PREPARED: u64 = 7;
/// Synchronized change: the rank is pre-committed, it asks for the decision at the start of the agreed iteration.
pub const PRE_COMMITTED: u64 = 8;
/// Synchronized change: no rank applies the values.
pub const ABORTED: u64 = 9;
/// Synchronized change: all ranks apply the values.
pub const COMMITTED: u64 = 10;
/// Synchronized change: an earlier one still waits for its iteration.
pub const BUSY: u64 = 11;
/// The rank had begun the named iteration already.
pub const PAST: u64 = 12;
/// The values are set at different safe points.
pub const REFUSED_APART: u64 = 13;
/// The action's iteration or function did not come before its deadline.
pub const NOT_REACHED: u64 = 14;
/// The tuning point is changed by all ranks together, and the action is for this rank alone.
pub const REFUSED_ALONE: u64 = 15;
/// The largest code.
pub const LAST: u64 = REFUSED_ALONE;
