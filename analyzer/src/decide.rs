//! Decisions of one job: asks the tunlets, numbers their proposals, follows what comes of them.

use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use midrun_tunlets::options::OptionError;
use midrun_tunlets::{
    Judgement, Outlook, Proposal, Refusal, SearchReport, Settled, ShadowScore, StreamWindow, TuningOptions,
    TuningPoint, Tunlet, Verdict, Window,
};

use crate::config::ConfigError;
use crate::limits;
use crate::summary::{DecisionLine, Per, finite};

/// Why what a person has set stays.
pub const HELD: &str = "it was set by hand, until midrun resume";

/// Makes the tunlets of a job as they are requested for; the error says what is allowed.
pub trait Make: Fn(&TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> + Send + Sync + 'static {}

impl<F: Fn(&TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> + Send + Sync + 'static> Make for F {}

/// Any [`Make`], shared by the jobs.
#[derive(Clone)]
pub struct Maker(Arc<dyn Make>);

impl Maker {
    /// It.
    pub fn new(make: impl Make) -> Maker {
        Maker(Arc::new(make))
    }

    /// Tunlets as they are requested for.
    ///
    /// # Errors
    /// A option that cannot be met, with what could.
    pub fn make(&self, options: &TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> {
        (self.0)(options)
    }
}

impl std::fmt::Debug for Maker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Maker")
    }
}

/// A closed window.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// An iteration.
    Iteration(&'a Window),
    /// Outputs of a stream.
    Stream(&'a StreamWindow),
}

/// The tunlets of a job and their decisions.
pub struct Decider {
    // None after a tunlet panicked: the job runs on, untuned.
    tunlet: Option<Box<dyn Tunlet>>,
    decisions: VecDeque<DecisionLine>,
    // Number of the oldest decision that is listed: an endless job forgets the first ones.
    first: u64,
    // Refusals that were told, by tunlet and reason.
    told: BTreeSet<(String, String)>,
}

impl Decider {
    /// Nothing decided yet.
    pub fn new(tunlet: Box<dyn Tunlet>) -> Decider {
        Decider { tunlet: Some(tunlet), decisions: VecDeque::new(), first: 0, told: BTreeSet::new() }
    }

    /// Lets another tunlet decide from here on.
    pub fn replace(&mut self, tunlet: Box<dyn Tunlet>) {
        self.tunlet = Some(tunlet);
    }

    /// Decisions in order, for the summary.
    pub fn decisions(&self) -> Vec<DecisionLine> {
        self.decisions.iter().cloned().collect()
    }

    /// One decision.
    pub fn decision(&self, number: u64) -> Option<&DecisionLine> {
        self.decisions.get(number.checked_sub(self.first)? as usize)
    }

    /// Whether tunlets are at work (they are not after one failed).
    pub fn is_on(&self) -> bool {
        self.tunlet.is_some()
    }

    /// What to ask the scheduler for next time.
    pub fn outlook(&self) -> Option<Outlook> {
        let tunlet = self.tunlet.as_deref()?;
        // As in `ask`: a defect of a model must not end the analyzer.
        catch_unwind(AssertUnwindSafe(|| tunlet.outlook())).ok().flatten()
    }

    /// What a search found.
    pub fn search_report(&self) -> Option<SearchReport> {
        let tunlet = self.tunlet.as_deref()?;
        catch_unwind(AssertUnwindSafe(|| tunlet.search_report())).ok().flatten()
    }

    /// What the tunlets refused or were refused that was not told yet.
    pub fn new_refusals(&mut self) -> Vec<Refusal> {
        let mut new = self.ask(|tunlet| tunlet.refusals()).unwrap_or_default();
        new.retain(|refusal| self.told.insert((refusal.tunlet.clone(), refusal.why.clone())));
        new
    }

    /// What was refused, what was never possible, and how those did that only advise.
    pub fn account(&self) -> (Vec<Refusal>, Vec<String>, Vec<ShadowScore>) {
        let Some(tunlet) = self.tunlet.as_deref() else { return Default::default() };
        let all = || (tunlet.refusals(), tunlet.never(), tunlet.shadows());
        catch_unwind(AssertUnwindSafe(all)).unwrap_or_default()
    }

    /// Why decision `number` was not applied.
    pub fn on_reason(&mut self, number: u64, why: &str) {
        if let Some(line) = self.line(number) {
            line.reason = Some(why.to_owned());
        }
        self.ask(|tunlet| tunlet.on_reason(why));
    }

    /// The shortest time between two outputs of a stream, by the model.
    pub fn ideal_period_s(&self) -> Option<f64> {
        let tunlet = self.tunlet.as_deref()?;
        catch_unwind(AssertUnwindSafe(|| tunlet.ideal_period_s())).ok().flatten().filter(|s| s.is_finite())
    }

    /// What it wants measured and turned; see [`Tunlet::points`].
    pub fn points(&self) -> String {
        let ask = |tunlet: &dyn Tunlet| catch_unwind(AssertUnwindSafe(|| tunlet.points())).unwrap_or_default();
        self.tunlet.as_deref().map(ask).unwrap_or_default()
    }

    /// A rank could not do a line of it.
    pub fn on_point_refused(&mut self, rank: u32, line: u32, why: &str) {
        self.ask(|tunlet| tunlet.on_point_refused(rank, line, why));
    }

    /// Shows a window; answers what it says about earlier decisions.
    pub fn observe(&mut self, window: Seen<'_>) -> Vec<Judgement> {
        let judgements = self.ask(|tunlet| {
            match window {
                Seen::Iteration(window) => tunlet.observe(window),
                Seen::Stream(window) => tunlet.observe_stream(window),
            }
            tunlet.judgements()
        });
        let mut known = judgements.unwrap_or_default();
        known.retain(|judgement| self.judge(judgement));
        known
    }

    /// Its name, as long as tunlets are at work.
    pub fn name(&self) -> Option<&str> {
        self.tunlet.as_deref().map(|tunlet| tunlet.name())
    }

    /// What should be changed, with the number of the decision and the further ranks that it is for,
    /// and whether they are to take it over together. Not to be asked
    /// while one is in flight. A proposal that only turns what is `held` comes to nothing.
    pub fn propose(
        &mut self,
        tuning_points: &[TuningPoint],
        per: Per,
        held: &dyn Fn(u32, &str) -> bool,
    ) -> Option<(u64, Proposal, Vec<u32>, bool)> {
        let proposed = |tunlet: &mut dyn Tunlet| {
            let proposal = tunlet.propose(tuning_points)?;
            Some((proposal, tunlet.also_ranks(), tunlet.synchronized()))
        };
        let (proposal, also, synchronized) = self.ask(proposed).flatten()?;
        let free = |rank: &u32| proposal.assignments.iter().any(|(name, _)| !held(*rank, name));
        if !proposal.assignments.is_empty() && !std::iter::once(&proposal.rank).chain(&also).any(free) {
            let next = self.first + self.decisions.len() as u64;
            self.ask(|tunlet| {
                tunlet.on_reason(HELD);
                tunlet.on_settled(next, Settled::NotApplied);
            });
            return None;
        }
        if let Some(number) = self.advised_already(&proposal) {
            self.ask(|tunlet| tunlet.on_settled(number, Settled::NotApplied));
            return None;
        }
        if self.decisions.len() >= limits::LISTED_DECISIONS {
            self.decisions.pop_front();
            self.first += 1;
        }
        let number = self.first + self.decisions.len() as u64;
        self.decisions.push_back(DecisionLine {
            per,
            iteration: proposal.iteration,
            tunlet: proposal.tunlet.clone().into_owned(),
            tuning_point: proposal.tuning_point.clone(),
            from: proposal.from.clone(),
            to: proposal.to.clone(),
            why: proposal.why.clone(),
            predicted_s: finite(proposal.predicted_s),
            uncertainty: finite(proposal.uncertainty).filter(|share| *share > 0.0),
            unchanged_s: finite(proposal.unchanged_s),
            measured_s: None,
            verdict: Verdict::Open.as_str().to_owned(),
            applied_iteration: None,
            reason: None,
        });
        Some((number, proposal, also, synchronized))
    }

    /// The rank applied decision `number` in `iteration`.
    pub fn on_applied(&mut self, number: u64, iteration: u64) {
        if let Some(line) = self.line(number) {
            line.applied_iteration = Some(iteration);
        }
        self.ask(|tunlet| tunlet.on_settled(number, Settled::Applied { iteration }));
    }

    /// Decision `number` was written down, or did not get through.
    pub fn on_not_applied(&mut self, number: u64, verdict: Verdict) {
        if let Some(line) = self.line(number) {
            line.verdict = verdict.as_str().to_owned();
        }
        self.ask(|tunlet| tunlet.on_settled(number, Settled::NotApplied));
    }

    /// Decision `number`, given up before, was applied after all.
    pub fn on_applied_late(&mut self, number: u64, iteration: u64) {
        if let Some(line) = self.line(number) {
            line.applied_iteration = Some(iteration);
        }
    }

    // Advice that nobody takes comes again after every window: it is written down once, until
    // something else is advised.
    fn advised_already(&self, proposal: &Proposal) -> Option<u64> {
        let last = self.decisions.back()?;
        let target = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
        let same = last.verdict == Verdict::Advised.as_str()
            && last.tuning_point == proposal.tuning_point
            && target(&last.to) == target(&proposal.to);
        same.then(|| self.first + self.decisions.len() as u64 - 1)
    }

    fn line(&mut self, number: u64) -> Option<&mut DecisionLine> {
        self.decisions.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn judge(&mut self, judgement: &Judgement) -> bool {
        let Some(line) = self.line(judgement.decision) else {
            return false;
        };
        line.measured_s = finite(judgement.measured_s);
        line.verdict = judgement.verdict.as_str().to_owned();
        true
    }

    // A defect in one job's model must not end the analyzer of all jobs.
    fn ask<T>(&mut self, question: impl FnOnce(&mut dyn Tunlet) -> T) -> Option<T> {
        let tunlet = self.tunlet.as_mut()?;
        match catch_unwind(AssertUnwindSafe(|| question(tunlet.as_mut()))) {
            Ok(answer) => Some(answer),
            Err(_) => {
                tracing::error!("a tunlet failed (this is a defect of midrun); its job runs on untuned");
                self.tunlet = None;
                None
            }
        }
    }
}

/// The tunlets of the catalogue.
///
/// # Errors
/// A option that cannot be met, with what could.
pub fn from_catalogue(options: &TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> {
    midrun_tunlets::catalogue::create(options).map_err(|error| {
        let allowed = match &error {
            OptionError::File(_, mistake) => format!("a file without mistakes, but {mistake}"),
            OptionError::Clash(clash) => format!("what can work together, but {clash}"),
            other => other.to_string(),
        };
        let (key, value) = match error {
            OptionError::File(file, _) => ("tunlet", file),
            OptionError::Technique => ("technique", options.technique.clone()),
            OptionError::Objective => ("objective", options.objective.clone()),
            OptionError::Search(_) => ("search", options.search.points.clone()),
            OptionError::SearchTunlet => ("tunlet", options.tunlet.clone()),
            OptionError::MinWorkers(_) => ("min_workers", options.min_workers.to_string()),
            OptionError::Tunlet | OptionError::Many(_) | OptionError::NoText(_) | OptionError::Clash(_) => {
                ("tunlet", options.tunlet.clone())
            }
        };
        ConfigError { key, value, allowed }
    })
}
