//! The decision seam: windows in, proposals out.
//!
//! A tunlet is a performance model plus the knowledge of what to turn. It does no I/O and reads no
//! clock: the same windows give the same proposals, so a recorded run can be replayed.

#![forbid(unsafe_code)]

mod auto;
pub mod catalogue;
pub mod coordinator;
pub mod explain;
mod master_worker;
pub mod options;
pub mod outlook;
pub mod outside;
pub mod pipeline;
pub mod proposal;
pub mod recorded;
pub mod search;
pub mod shadow;
pub mod stream;
pub mod template;
#[cfg(test)]
mod testing;
pub mod tuning_point;
pub mod window;

pub use explain::{Explanation, Refusal};
pub use midrun_models::link;
pub use options::{TuningOptions, TunletFile};
pub use outlook::Outlook;
pub use proposal::{Judgement, Proposal, Settled, Verdict};
pub use search::{SearchOptions, SearchReport};
pub use shadow::ShadowScore;
pub use stream::{Recent, StageSeen, StageWork, StreamWindow};
pub use tuning_point::{TuningPoint, Value};
pub use window::{Link, Network, PROFILE_BINS, PointWindow, ProfileBin, Window, WorkerWork};

/// A performance model and the knowledge of what to turn.
///
/// The order of calls per window: [`Tunlet::observe`] or [`Tunlet::observe_stream`], then [`Tunlet::judgements`], then
/// [`Tunlet::propose`]. At most one proposal is in flight per job: `propose` is not called again
/// before the last one was settled.
pub trait Tunlet: Send {
    /// Its name in logs and on the command line.
    fn name(&self) -> &str;
    /// What it sees, turns and how it decides, for people.
    fn explain(&self) -> Explanation {
        Explanation::of_name(self.name())
    }
    /// What it refused to do, or was refused, so far, the oldest first: bounded in number, each once.
    fn refusals(&self) -> Vec<Refusal> {
        Vec::new()
    }
    /// What was never possible so far, a sentence each: a tuning point that no rank offers, a point that none measures.
    fn never(&self) -> Vec<String> {
        Vec::new()
    }
    /// Takes in one closed iteration.
    fn observe(&mut self, window: &Window);
    /// Takes in one closed window of a pipeline's stream.
    fn observe_stream(&mut self, _window: &StreamWindow) {}
    /// What the windows seen so far say about earlier decisions. Each decision is judged once.
    fn judgements(&mut self) -> Vec<Judgement>;
    /// What should be changed now, if anything. `tuning_points` is everything the job's ranks offer.
    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal>;
    /// Further ranks that are to take over the assignments of the last proposal together with its own rank.
    fn also_ranks(&self) -> Vec<u32> {
        Vec::new()
    }
    /// Whether all ranks of the last proposal are to take it over in one and the same iteration, or none; for programs
    /// whose ranks all mark their iterations. By default each takes it over by itself.
    fn synchronized(&self) -> bool {
        false
    }
    /// How those did that only advise.
    fn shadows(&self) -> Vec<ShadowScore> {
        Vec::new()
    }
    /// The shortest time between two outputs that the ranks at hand allow, by its model, seconds; `None` where the program
    /// has no stream.
    fn ideal_period_s(&self) -> Option<f64> {
        None
    }
    /// What it found by searching, if it searches.
    fn search_report(&self) -> Option<SearchReport> {
        None
    }
    /// What it would ask the scheduler for next time, as far as it knows.
    fn outlook(&self) -> Option<Outlook> {
        None
    }
    /// What it wants measured and turned in programs that were not written for midrun, in the language of `midrun-points`;
    /// sent to each rank when it joins. What may be turned then is among `tuning_points` of [`Tunlet::propose`].
    fn points(&self) -> String {
        String::new()
    }
    /// A rank could not do a line of [`Tunlet::points`], lines counted from 1.
    fn on_point_refused(&mut self, _rank: u32, _line: u32, _why: &str) {}
    /// Why the last proposal is settled as not applied, right after this; not always known.
    fn on_reason(&mut self, _why: &str) {}
    /// The last proposal got number `decision` and was settled so.
    fn on_settled(&mut self, decision: u64, settled: Settled);
}
