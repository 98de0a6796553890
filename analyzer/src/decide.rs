//! Decisions of one job: asks the tunlets, numbers their proposals, follows what comes of them.

use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use midrun_tunlets::catalogue::OptionError;
use midrun_tunlets::{
    Judgement, Observation, Proposal, Refusal, Report, Settled, TuningOptions, TuningPoint, Tunlet, Verdict,
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

    /// What the tunlets refused or were refused that was not told yet.
    pub fn new_refusals(&mut self) -> Vec<Refusal> {
        let mut new = self.ask(|tunlet| tunlet.refusals()).unwrap_or_default();
        new.retain(|refusal| self.told.insert((refusal.tunlet.clone(), refusal.why.clone())));
        new
    }

    /// Refusals so far, and the tunlets' report.
    pub fn report(&self) -> (Vec<Refusal>, Report) {
        let Some(tunlet) = self.tunlet.as_deref() else { return Default::default() };
        // As in `ask`: a defect of a model must not end the analyzer.
        catch_unwind(AssertUnwindSafe(|| (tunlet.refusals(), tunlet.report()))).unwrap_or_default()
    }

    /// Records why decision `number` was not applied.
    pub fn on_reason(&mut self, number: u64, why: &str) {
        if let Some(line) = self.line(number) {
            line.reason = Some(why.to_owned());
        }
    }

    /// What it wants measured and turned; see [`Tunlet::points`].
    pub fn points(&self) -> String {
        let ask = |tunlet: &dyn Tunlet| catch_unwind(AssertUnwindSafe(|| tunlet.points())).unwrap_or_default();
        self.tunlet.as_deref().map(ask).unwrap_or_default()
    }

    /// Shows an observation to the tunlets; returns their judgements on earlier decisions.
    pub fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        let mut known = self.ask(|tunlet| tunlet.observe(observation)).unwrap_or_default();
        known.retain(|judgement| self.judge(judgement));
        known
    }

    /// Its name, as long as tunlets are at work.
    pub fn name(&self) -> Option<&str> {
        self.tunlet.as_deref().map(|tunlet| tunlet.name())
    }

    /// Asks for a proposal; returns it with the number of the decision. Not to be called while one is in flight. A proposal
    /// that only sets what is `held` is settled at once as not applied.
    pub fn propose(
        &mut self,
        tuning_points: &[TuningPoint],
        per: Per,
        held: &dyn Fn(u32, &str) -> bool,
    ) -> Option<(u64, Proposal)> {
        let proposal = self.ask(|tunlet| tunlet.propose(tuning_points)).flatten()?;
        let free = |rank: &u32| proposal.assignments.iter().any(|(name, _)| !held(*rank, name));
        if !proposal.assignments.is_empty() && !proposal.ranks.iter().any(free) {
            let next = self.first + self.decisions.len() as u64;
            let settled = Settled::NotApplied { why: Some(HELD.to_owned()) };
            self.ask(|tunlet| tunlet.on_settled(next, settled));
            return None;
        }
        if let Some(number) = self.advised_already(&proposal) {
            self.ask(|tunlet| tunlet.on_settled(number, Settled::NotApplied { why: None }));
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
        Some((number, proposal))
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
        let why = self.line(number).and_then(|line| {
            line.verdict = verdict.as_str().to_owned();
            line.reason.clone()
        });
        self.ask(|tunlet| tunlet.on_settled(number, Settled::NotApplied { why }));
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
