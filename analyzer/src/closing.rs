//! When a job is over: what is waited for, and for how long.

use crate::ids::AskId;
use crate::job::Job;
use crate::limits;

/// The launcher has ended.
#[derive(Clone, Debug)]
pub struct Closing {
    /// Since when, nanoseconds.
    pub since_ns: u64,
    /// Who waits for the summary.
    pub asks: Vec<AskId>,
}

/// Whether the job can be summed up now: all its ranks have left and their last batches are in, or
/// enough was waited.
pub(crate) fn is_over(job: &Job, now: u64, close_wait_ms: u64) -> bool {
    let since = |start_ns: u64, wait_ms: u64| now >= start_ns.saturating_add(wait_ms * 1_000_000);
    let Some(closing) = &job.closing else {
        let forgotten = !job.spec.opened && job.all_left() && since(job.heard_ns, limits::LEFT_IDLE_MS);
        return forgotten || (!job.any_linked() && since(job.heard_ns, limits::SILENT_MS));
    };
    if since(closing.since_ns, close_wait_ms) {
        return true;
    }
    // Ranks that nobody spoke of yet may be in a batch on the road.
    let few = since(closing.since_ns, limits::CLOSE_WAIT_FEW_RANKS_MS);
    (job.all_left() && (job.all_joined() || few)) || (!job.any_rank() && few)
}
