//! The interface between the analyzer and a tunlet.

use crate::explain::Explanation;
use crate::proposal::{Judgement, Proposal, Settled};
use crate::report::{Refusal, Report};
use crate::stream::StreamWindow;
use crate::tuning_point::TuningPoint;
use crate::window::Window;

/// News about a job.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    /// A closed iteration.
    Iteration(&'a Window),
    /// A closed iteration of a further master, besides the job's first. Most tunlets know one master, and leave it.
    Further(&'a Window),
    /// A closed window of a pipeline's stream.
    Stream(&'a StreamWindow),
    /// An iteration still runs, though it has taken as long as [`Tunlet::longest`] says.
    Running {
        /// The iteration.
        iteration: u64,
        /// It has taken at least so long, seconds.
        elapsed_s: f64,
    },
    /// No iteration has ended for so long that the program may iterate no more, at the confidence level.
    Resting {
        /// The iteration that does not end, or does not begin.
        iteration: u64,
        /// Since the end of the one before, seconds.
        elapsed_s: f64,
    },
    /// Iterations end otherwise from here on, for another phase of a program that marks none has begun: times from before do not compare.
    OtherIterations {
        /// The phase: 0 is the first; one that comes back has its number again.
        phase: u32,
    },
    /// A rank could not carry out a line of [`Tunlet::points`].
    PointRefused {
        /// The rank.
        rank: u32,
        /// The line, counted from 1.
        line: u32,
        /// Reason.
        why: &'a str,
    },
}

/// A performance model and the knowledge of what to tune.
///
/// Per window the analyzer calls [`Tunlet::observe`], then [`Tunlet::propose`]. A job has at most one proposal in flight:
/// `propose` is not called again before [`Tunlet::on_settled`] reported the outcome of the last one.
///
/// Where several tunlets may act, copies of them are asked. The copy whose proposal goes out takes the place of its tunlet, and so does one that
/// proposes nothing. The other copies are dropped: their tunlets stay as if nobody had asked them, and may propose the same after the next
/// window. So a tunlet is [`Clone`], and keeps all that it knows in itself.
pub trait Tunlet: CloneTunlet + Send + Sync {
    /// Its name in logs and on the command line.
    fn name(&self) -> &str;
    /// Takes in an observation. Returns judgements on earlier decisions; each decision is judged once.
    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement>;
    /// Proposes a change, if one pays. `tuning_points` lists everything that the job's ranks offer.
    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal>;
    /// The iteration of which it wants to know as soon as it has taken so long, seconds: then [`Observation::Running`] follows, and it is
    /// asked for a proposal before that iteration ends.
    fn longest(&self) -> Option<(u64, f64)> {
        None
    }
    /// Whether it is shown several short iterations as one (ADR 0052), and not each.
    fn joins_short_iterations(&self) -> bool {
        false
    }
    /// The last proposal became decision number `decision` and was settled.
    fn on_settled(&mut self, decision: u64, settled: Settled);
    /// Explains to people what the tunlet observes, what it tunes and how it decides.
    fn explain(&self) -> Explanation {
        Explanation::of_name(self.name())
    }
    /// Measure points and tuning points that it needs in programs not written for midrun, in the language of
    /// `midrun-points`. Each rank receives them when it joins.
    fn points(&self) -> String {
        String::new()
    }
    /// Refusals so far, the oldest first: each once, and bounded in number. Asked after every window, so it must be cheap.
    fn refusals(&self) -> Vec<Refusal> {
        Vec::new()
    }
    /// The report for the summary. It may run the model.
    fn report(&self) -> Report {
        Report::default()
    }
}

/// What a tunlet has that is [`Clone`].
pub trait CloneTunlet {
    /// A copy, which knows what the tunlet knows.
    fn clone_tunlet(&self) -> Box<dyn Tunlet>;
}

impl<T: Tunlet + Clone + 'static> CloneTunlet for T {
    fn clone_tunlet(&self) -> Box<dyn Tunlet> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Tunlet> {
    fn clone(&self) -> Self {
        self.as_ref().clone_tunlet()
    }
}

/// A tunlet's report. One that panics says so instead: a defect of one model must not cost the others' reports.
pub fn report_of(tunlet: &dyn Tunlet) -> Report {
    let report = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tunlet.report()));
    report.unwrap_or_else(|_| Report {
        unavailable: vec!["its report failed, which is a defect of midrun".to_owned()],
        ..Report::default()
    })
}
