//! Counters of what the analyzer dropped or refused; it logs them when it ends.

/// Counters over the analyzer's life. Nothing is dropped without being counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Batches taken.
    pub batches: u64,
    /// Batches that had been taken before.
    pub batches_repeated: u64,
    /// Sequence numbers that never came.
    pub batches_missing: u64,
    /// Events that make no sense: unknown kind, not a number, beyond a limit.
    pub events_invalid: u64,
    /// Events of ranks whose job's token the agent does not have.
    pub events_foreign: u64,
    /// Events of jobs that were over, or that no place was left for.
    pub events_unplaced: u64,
    /// Links refused: protocol, token, too many.
    pub links_refused: u64,
    /// Admin calls refused.
    pub calls_refused: u64,
}
