//! The decision seam: windows in, proposals out.
//!
//! A tunlet is a performance model plus the knowledge of what to turn. It does no I/O and reads no
//! clock: the same windows give the same proposals, so a recorded run can be replayed.

#![forbid(unsafe_code)]

pub mod catalogue;
pub mod knob;
mod master_worker;
pub mod outlook;
pub mod proposal;
pub mod template;
#[cfg(test)]
mod testing;
pub mod window;
pub mod wishes;

pub use knob::Knob;
pub use midrun_models::link;
pub use outlook::Outlook;
pub use proposal::{Judgement, Proposal, Settled, Verdict};
pub use window::{Link, Network, PROFILE_BINS, ProfileBin, Window, WorkerWork};
pub use wishes::Wishes;

/// A performance model and the knowledge of what to turn.
///
/// The order of calls per window: [`Tunlet::observe`], then [`Tunlet::judgements`], then
/// [`Tunlet::propose`]. At most one proposal is in flight per job: `propose` is not called again
/// before the last one was settled.
pub trait Tunlet: Send {
    /// Its name in logs and on the command line.
    fn name(&self) -> &'static str;
    /// Takes in one closed iteration.
    fn observe(&mut self, window: &Window);
    /// What the windows seen so far say about earlier decisions. Each decision is judged once.
    fn judgements(&mut self) -> Vec<Judgement>;
    /// What should be changed now, if anything. `knobs` is everything the job's ranks offer.
    fn propose(&mut self, knobs: &[Knob]) -> Option<Proposal>;
    /// What it would ask the scheduler for next time, as far as it knows.
    fn outlook(&self) -> Option<Outlook> {
        None
    }
    /// The last proposal got number `decision` and was settled so.
    fn on_settled(&mut self, decision: u64, settled: Settled);
}
