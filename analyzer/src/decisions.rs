//! Decisions of one job: asks the tunlets, numbers their proposals, and follows what comes of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use midrun_tunlets::{Judgement, Observation, Proposal, Refusal, Report, Settled, TuningPoint, Tunlet, Verdict};
use serde::Serialize;

use crate::limits;
use crate::notice::finite;

/// Reason of a proposal that would change what a person has set.
pub const HELD: &str = "it was set by hand, until midrun resume";

/// The unit that times refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// An iteration.
    #[default]
    Iteration,
    /// An output of a stream.
    Output,
}

impl Per {
    /// Name of what the numbers of its windows count.
    pub fn window(self) -> &'static str {
        match self {
            Per::Iteration => "iteration",
            Per::Output => "window",
        }
    }

    /// Name of what its safe points come before.
    pub fn safe_point(self) -> &'static str {
        match self {
            Per::Iteration => "iteration",
            Per::Output => "input",
        }
    }
}

/// One decision and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DecisionLine {
    /// The unit of its times.
    pub per: Per,
    /// Iteration whose window led to it, or the window's number in streams.
    pub iteration: u64,
    /// Name of the tunlet.
    pub tunlet: String,
    /// The tuning point that was changed.
    pub tuning_point: String,
    /// Value before.
    pub from: String,
    /// Value after.
    pub to: String,
    /// Its reason.
    pub why: String,
    /// Iteration time expected with the new value, seconds.
    pub predicted_s: Option<f64>,
    /// By which share the measured time may differ from it by chance and the model's error; null where not known.
    pub uncertainty: Option<f64>,
    /// Iteration time expected without it, seconds.
    pub unchanged_s: Option<f64>,
    /// Iteration time measured afterwards, seconds; null until judged.
    pub measured_s: Option<f64>,
    /// open, kept, rolled-back, advised or not-applied.
    pub verdict: String,
    /// Iteration, or input of the stream, at whose safe point it was applied; null while it was not.
    pub applied_iteration: Option<u64>,
    /// Reason why it was not applied; null where it was, or nothing went wrong.
    pub reason: Option<String>,
}

/// The tunlets of a job and their decisions.
pub struct Decisions {
    // None after a tunlet panicked: the job runs on, untuned.
    tunlet: Option<Box<dyn Tunlet>>,
    lines: VecDeque<DecisionLine>,
    // Number of the oldest decision that is listed: an endless job forgets the first ones.
    first: u64,
    // Refusals that were reported, by tunlet and reason.
    refused: BTreeSet<(String, String)>,
}

impl Decisions {
    /// Nothing decided yet.
    pub fn new(tunlet: Box<dyn Tunlet>) -> Decisions {
        Decisions { tunlet: Some(tunlet), lines: VecDeque::new(), first: 0, refused: BTreeSet::new() }
    }

    /// Lets another tunlet decide from here on.
    pub fn replace(&mut self, tunlet: Box<dyn Tunlet>) {
        self.tunlet = Some(tunlet);
    }

    /// Decisions in order, for the summary.
    pub fn lines(&self) -> Vec<DecisionLine> {
        self.lines.iter().cloned().collect()
    }

    /// Decisions by verdict, of those that are listed.
    pub fn verdicts(&self) -> BTreeMap<&str, u64> {
        let mut verdicts = BTreeMap::new();
        self.lines.iter().for_each(|line| *verdicts.entry(line.verdict.as_str()).or_default() += 1);
        verdicts
    }

    /// One decision.
    pub fn line(&self, number: u64) -> Option<&DecisionLine> {
        self.lines.get(number.checked_sub(self.first)? as usize)
    }

    /// Whether tunlets are at work (they are not after one failed).
    pub fn is_on(&self) -> bool {
        self.tunlet.is_some()
    }

    /// Refusals that were not reported yet.
    pub fn new_refusals(&mut self) -> Vec<Refusal> {
        let mut new = self.ask(|tunlet| tunlet.refusals()).unwrap_or_default();
        new.retain(|refusal| self.refused.insert((refusal.tunlet.clone(), refusal.why.clone())));
        new
    }

    /// Refusals so far, and the tunlets' report.
    pub fn report(&self) -> (Vec<Refusal>, Report) {
        let Some(tunlet) = self.tunlet.as_deref() else { return Default::default() };
        (tunlet.refusals(), midrun_tunlets::report_of(tunlet))
    }

    /// Records why decision `number` was not applied.
    pub fn on_reason(&mut self, number: u64, why: &str) {
        if let Some(line) = self.line_mut(number) {
            line.reason = Some(why.to_owned());
        }
    }

    /// The text of points that the tunlets want; see [`Tunlet::points`].
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
            let next = self.first + self.lines.len() as u64;
            let settled = Settled::NotApplied { why: Some(HELD.to_owned()) };
            self.ask(|tunlet| tunlet.on_settled(next, settled));
            return None;
        }
        if let Some(number) = self.advised_already(&proposal) {
            self.ask(|tunlet| tunlet.on_settled(number, Settled::NotApplied { why: None }));
            return None;
        }
        if self.lines.len() >= limits::LISTED_DECISIONS {
            self.lines.pop_front();
            self.first += 1;
        }
        let number = self.first + self.lines.len() as u64;
        self.lines.push_back(DecisionLine {
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
        if let Some(line) = self.line_mut(number) {
            line.applied_iteration = Some(iteration);
        }
        self.ask(|tunlet| tunlet.on_settled(number, Settled::Applied { iteration }));
    }

    /// Decision `number` was written down, or did not get through.
    pub fn on_not_applied(&mut self, number: u64, verdict: Verdict) {
        let why = self.line_mut(number).and_then(|line| {
            line.verdict = verdict.as_str().to_owned();
            line.reason.clone()
        });
        self.ask(|tunlet| tunlet.on_settled(number, Settled::NotApplied { why }));
    }

    /// Decision `number`, given up before, was applied after all.
    pub fn on_applied_late(&mut self, number: u64, iteration: u64) {
        if let Some(line) = self.line_mut(number) {
            line.applied_iteration = Some(iteration);
        }
    }

    // Advice that nobody takes comes again after every window: it is written down once, until
    // something else is advised.
    fn advised_already(&self, proposal: &Proposal) -> Option<u64> {
        let last = self.lines.back()?;
        let target = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
        let same = last.verdict == Verdict::Advised.as_str()
            && last.tuning_point == proposal.tuning_point
            && target(&last.to) == target(&proposal.to);
        same.then(|| self.first + self.lines.len() as u64 - 1)
    }

    fn line_mut(&mut self, number: u64) -> Option<&mut DecisionLine> {
        self.lines.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn judge(&mut self, judgement: &Judgement) -> bool {
        let Some(line) = self.line_mut(judgement.decision) else {
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
