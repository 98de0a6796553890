//! Decisions of one job: asks the tunlets, numbers their proposals, and follows what comes of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use midrun_tunlets::is_outdated;
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{Judgement, Proposal, Refusal, Report, Settled, TuningPoint, Tunlet, Verdict, Window};
use midrun_vocabulary::Seconds;
use serde::Serialize;

use crate::limits;
use crate::notice::finite;
use crate::short_iterations::ShortIterations;
use crate::thought::{Conclusion, News, Work};

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

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Per::Iteration => "iteration",
            Per::Output => "output",
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
    /// Whether its times are those of a unit of progress.
    pub per_progress: bool,
    /// Iteration whose window led to it, or that it ended; the window's number in streams.
    pub iteration: u64,
    /// Rank of the master whose tasks it is about, where the job has several; else null.
    pub master: Option<u32>,
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
    /// open, kept, tried, left, rolled-back, advised or not-applied.
    pub verdict: String,
    /// Iteration, or input of the stream, at whose safe point it was applied; null while it was not.
    pub applied_iteration: Option<u64>,
    /// Reason why it was not applied, or not measured; null where it was, or nothing went wrong.
    pub reason: Option<String>,
}

/// Where the tunlets are.
enum Mind {
    Here(Box<dyn Tunlet>),
    Thinking(Work),
    /// After a panic: the job runs on, untuned.
    Failed,
}

/// The tunlets of a job and their decisions.
pub struct Decisions {
    mind: Mind,
    /// That they failed was told.
    told_off: bool,
    name: String,
    points: String,
    /// What they are told next.
    news: Vec<News>,
    short: ShortIterations,
    /// The tunlets are shown several short iterations as one.
    joins: bool,
    lines: VecDeque<DecisionLine>,
    // Number of the oldest decision that is listed: an endless job forgets the first ones.
    first: u64,
    // Refusals that were reported, by tunlet and reason.
    refused: BTreeSet<(String, String)>,
}

impl Decisions {
    /// Nothing decided yet.
    pub fn new(tunlet: Box<dyn Tunlet>) -> Decisions {
        let mut decisions = Decisions {
            mind: Mind::Failed,
            told_off: false,
            name: String::new(),
            points: String::new(),
            news: Vec::new(),
            short: ShortIterations::default(),
            joins: false,
            lines: VecDeque::new(),
            first: 0,
            refused: BTreeSet::new(),
        };
        decisions.replace(tunlet);
        decisions
    }

    /// Lets another tunlet decide from here on. What the one before it still thinks is forgotten.
    pub fn replace(&mut self, tunlet: Box<dyn Tunlet>) {
        self.name = tunlet.name().to_owned();
        self.points = catch_unwind(AssertUnwindSafe(|| tunlet.points())).unwrap_or_default();
        self.news.clear();
        self.forget_short();
        self.joins = tunlet.joins_short_iterations();
        (self.mind, self.told_off) = (Mind::Here(tunlet), false);
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
        !matches!(self.mind, Mind::Failed)
    }

    /// Whether they have failed since this was asked last.
    pub fn is_newly_off(&mut self) -> bool {
        !self.is_on() && !std::mem::replace(&mut self.told_off, true)
    }

    /// Whether a thought has not come back.
    pub fn is_thinking(&self) -> bool {
        matches!(self.mind, Mind::Thinking(_))
    }

    /// The thought that has not come back.
    pub fn under_way(&self) -> Option<Work> {
        match &self.mind {
            Mind::Thinking(work) => Some(work.clone()),
            Mind::Here(_) | Mind::Failed => None,
        }
    }

    /// Those of these refusals that were not reported yet.
    pub fn new_refusals(&mut self, mut refusals: Vec<Refusal>) -> Vec<Refusal> {
        refusals.retain(|refusal| self.refused.insert((refusal.tunlet.clone(), refusal.why.clone())));
        refusals
    }

    /// Refusals so far, and the tunlets' report.
    pub fn report(&self) -> (Vec<Refusal>, Report) {
        match &self.mind {
            Mind::Here(tunlet) => (tunlet.refusals(), midrun_tunlets::report_of(tunlet.as_ref())),
            Mind::Thinking(_) => {
                let unavailable =
                    vec!["the tunlets are deciding at this moment: ask again for their report".to_owned()];
                (Vec::new(), Report { unavailable, ..Report::default() })
            }
            Mind::Failed => Default::default(),
        }
    }

    /// The iteration that the tunlets want to know of once it has taken so long, seconds.
    pub fn longest(&self) -> Option<(u64, f64)> {
        let Mind::Here(tunlet) = &self.mind else { return None };
        catch_unwind(AssertUnwindSafe(|| tunlet.longest())).unwrap_or_default()
    }

    /// Records why decision `number` was not applied.
    pub fn on_reason(&mut self, number: u64, why: &str) {
        if let Some(line) = self.line_mut(number) {
            line.reason = Some(why.to_owned());
        }
    }

    /// The text of points that the tunlets want; see [`Tunlet::points`].
    pub fn points(&self) -> &str {
        if self.is_on() { &self.points } else { "" }
    }

    /// Its name, as long as tunlets are at work.
    pub fn name(&self) -> Option<&str> {
        self.is_on().then_some(&self.name)
    }

    /// A rank has taken other values over in this iteration.
    pub fn on_change(&mut self, rank: u32, iteration: Option<u64>) {
        self.short.on_change(rank, iteration);
    }

    /// Short iterations so far belong to no window that is still to be shown.
    pub fn forget_short(&mut self) {
        self.short = ShortIterations::default();
    }

    /// Has something for the tunlets, of which they hear with the next thought: of short iterations several at a time. Where they are far behind, the oldest window goes.
    pub fn tell(&mut self, news: News) {
        if !self.is_on() {
            return;
        }
        let news = match news {
            News::Iteration(window) if self.joins => {
                self.short.add(*window).map(|window| News::Iteration(Box::new(window)))
            }
            News::Further(window) if self.joins => {
                self.short.add(*window).map(|window| News::Further(Box::new(window)))
            }
            News::OtherIterations(..) => {
                self.forget_short();
                Some(news)
            }
            news => Some(news),
        };
        let Some(news) = news else { return };
        let windows = self.news.iter().filter(|news| news.is_window()).count();
        if news.is_window()
            && windows >= limits::WINDOWS_AHEAD
            && let Some(oldest) = self.news.iter().position(News::is_window)
        {
            self.news.remove(oldest);
        }
        self.news.push(news);
    }

    /// Hands the tunlets and their news out; they are asked for a proposal where tuning points are given. `None` where there is no
    /// news, or the last thought has not come back. A proposal must not be asked for while one is in flight.
    pub fn begin_thought(&mut self, asked: Option<Vec<TuningPoint>>) -> Option<Work> {
        if self.news.is_empty() || !matches!(self.mind, Mind::Here(_)) {
            return None;
        }
        let news = std::mem::take(&mut self.news);
        self.hand_out(news, asked)
    }

    fn hand_out(&mut self, news: Vec<News>, asked: Option<Vec<TuningPoint>>) -> Option<Work> {
        match std::mem::replace(&mut self.mind, Mind::Failed) {
            Mind::Here(tunlet) => {
                let work = Work::new(tunlet, news, asked);
                self.mind = Mind::Thinking(work.clone());
                Some(work)
            }
            elsewhere => {
                self.mind = elsewhere;
                None
            }
        }
    }

    /// Takes the tunlets back, and what they thought; judgements are noted. Thinks itself where the thought is not at its end.
    pub fn end_thought(&mut self) -> Option<Conclusion> {
        let Mind::Thinking(work) = &self.mind else { return None };
        let mut conclusion = work.conclusion()?;
        self.mind = conclusion.tunlet.take().map_or(Mind::Failed, Mind::Here);
        conclusion.judgements.retain(|(_, judgement)| self.judge(judgement));
        Some(conclusion)
    }

    /// Why a proposal holds no more: in the windows that came while it was thought, the present setting was as good as what it promises.
    pub fn objection(&self, proposal: &Proposal) -> Option<&'static str> {
        let of_stream = proposal.assignments.first().is_some_and(|(name, _)| names::of_pipeline(name));
        let is_of = |window: &Window| window.master.is_none_or(|master| proposal.ranks.contains(&master));
        let seen = |news: &News| match news {
            News::Iteration(window) | News::Further(window) if !of_stream && is_of(window) => {
                Some((window.tasks, window.iteration_s))
            }
            News::Stream(window) if of_stream => Some((0, window.period_s())),
            _ => None,
        };
        let (tasks, since): (BTreeSet<u64>, Vec<f64>) = self.news.iter().filter_map(seen).unzip();
        // Of other amounts of work nothing can be told by the time.
        if tasks.len() > 1 {
            return None;
        }
        (!proposal.per_progress && is_outdated(proposal, since))
            .then_some("what it promises was measured without it meanwhile")
    }

    /// Nothing comes of a proposal that was not numbered.
    pub fn forget(&mut self, why: &str) {
        let next = self.first + self.lines.len() as u64;
        self.settle(next, Settled::NotApplied { why: Some(why.to_owned()) });
    }

    /// Gives a proposal the number of a decision. One that is against what a person set (`is_held`), or that was advised already, is settled at once
    /// as not applied.
    pub fn number(
        &mut self,
        proposal: Proposal,
        (per, master): (Per, Option<u32>),
        is_held: bool,
    ) -> Option<(u64, Proposal)> {
        if is_held {
            self.forget(HELD);
            return None;
        }
        if let Some(number) = self.advised_already(&proposal, master) {
            self.settle(number, Settled::NotApplied { why: None });
            return None;
        }
        if self.lines.len() >= limits::LISTED_DECISIONS {
            self.lines.pop_front();
            self.first += 1;
        }
        let number = self.first + self.lines.len() as u64;
        self.lines.push_back(DecisionLine {
            per,
            per_progress: proposal.per_progress,
            iteration: proposal.iteration,
            master,
            tunlet: proposal.tunlet.clone().into_owned(),
            tuning_point: proposal.tuning_point.clone(),
            from: proposal.from.clone(),
            to: proposal.to.clone(),
            why: proposal.reason(),
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
        self.settle(number, Settled::Applied { iteration });
    }

    /// Decision `number` was written down, or did not get through.
    pub fn on_not_applied(&mut self, number: u64, verdict: Verdict) {
        let why = self.line_mut(number).and_then(|line| {
            line.verdict = verdict.as_str().to_owned();
            line.reason.clone()
        });
        self.settle(number, Settled::NotApplied { why });
    }

    /// Decision `number`, given up before, was applied after all.
    pub fn on_applied_late(&mut self, number: u64, iteration: u64) {
        if let Some(line) = self.line_mut(number) {
            line.applied_iteration = Some(iteration);
        }
    }

    // Advice that nobody takes comes again after every window: it is written down once, until something else is advised that promises more, or
    // less, than was promised.
    fn advised_already(&self, proposal: &Proposal, master: Option<u32>) -> Option<u64> {
        let at = self.lines.iter().rposition(|line| line.master == master)?;
        let last = &self.lines[at];
        let target = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
        let same = last.verdict == Verdict::Advised.as_str()
            && last.tuning_point == proposal.tuning_point
            && (target(&last.to) == target(&proposal.to) || promises_as_much(last, proposal));
        same.then(|| self.first + at as u64)
    }

    fn line_mut(&mut self, number: u64) -> Option<&mut DecisionLine> {
        self.lines.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn judge(&mut self, judgement: &Judgement) -> bool {
        let Some(line) = self.line_mut(judgement.decision) else {
            return false;
        };
        match judgement.verdict {
            Verdict::Left => line.reason = Some(format!("it was left after {}", Seconds(judgement.measured_s))),
            _ => line.measured_s = finite(judgement.measured_s),
        }
        line.verdict = judgement.verdict.as_str().to_owned();
        true
    }

    /// Tells the tunlets what became of a decision: at once, before windows that wait for the next thought, or after the thought
    /// under way.
    fn settle(&mut self, number: u64, settled: Settled) {
        let news = News::Settled(number, settled);
        if self.is_thinking() {
            self.tell(news);
        } else if self.hand_out(vec![news], None).is_some() {
            self.end_thought();
        }
    }
}

/// Whether what is proposed promises no other time than the last advice, from the same setting. What a search tries promises nothing.
fn promises_as_much(last: &DecisionLine, proposal: &Proposal) -> bool {
    let is_within = |(predicted_s, share): (f64, f64)| {
        (proposal.predicted_s - predicted_s).abs() <= share.min(proposal.uncertainty) * predicted_s
    };
    let is_same = last.from == proposal.from && !proposal.trial;
    is_same && last.predicted_s.zip(last.uncertainty).is_some_and(is_within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_that_promises_as_much_as_the_last_is_no_news() {
        let last = DecisionLine {
            per: Per::Iteration,
            per_progress: false,
            iteration: 3,
            master: None,
            tunlet: "master_worker".into(),
            tuning_point: "chunk.tasks".into(),
            from: "50".into(),
            to: "13".into(),
            why: String::new(),
            predicted_s: Some(0.2),
            uncertainty: Some(0.1),
            unchanged_s: Some(0.4),
            measured_s: None,
            verdict: "advised".into(),
            applied_iteration: None,
            reason: None,
        };
        let proposal = |from: &str, predicted_s: f64, trial: bool| Proposal {
            from: from.to_owned(),
            predicted_s,
            trial,
            uncertainty: 0.2,
            ..Proposal::default()
        };
        let is_news = |from, predicted_s, trial| !promises_as_much(&last, &proposal(from, predicted_s, trial));
        assert!(!is_news("50", 0.185, false));
        assert!(is_news("50", 0.15, false) && is_news("40", 0.185, false) && is_news("50", 0.185, true));
        assert!(is_news("50", f64::NAN, false));
    }
}
