//! What a job's tunlets propose: windows are shown to them, they think, and what they ask for is sent, or withheld with its reason.

use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{Observation, Proposal, TuningPoint, Verdict};
use serde_json::json;

use super::Job;
use super::measurements::Measured;
use super::stake::Stake;
use crate::actions::Assigned;
use crate::context::Ctx;
use crate::control::Mode;
use crate::decisions::{HELD, Per};
use crate::in_flight::{By, When};
use crate::input::Output;
use crate::log_lines;
use crate::thought::{Conclusion, News, Work};

/// Window after which a proposal is wanted: its unit, its number, and the rank that would take a change over.
type Moment = (Per, u64, Option<u32>);

/// The windows after which the tunlets were, or are to be, asked for a proposal.
#[derive(Default)]
pub(super) struct Asked {
    /// Of the thought under way.
    now: Option<Moment>,
    /// Of the windows that came meanwhile.
    next: Option<Moment>,
    /// The thought under way has ended.
    pub(super) done: bool,
    /// It is urgent.
    is_urgent: bool,
    stake: Stake,
}

/// The unit of the windows from which a framework's tuning point is decided.
fn unit_of(point: &str) -> Option<Per> {
    match () {
        () if names::of_pipeline(point) => Some(Per::Output),
        () if names::of_framework(point) => Some(Per::Iteration),
        () => None,
    }
}

impl Job {
    /// Shows a window to the tunlets, and asks them for a proposal where one could be acted on.
    pub(super) fn on_measured(&mut self, ctx: &mut Ctx<'_>, measured: Measured) {
        let (window, per) = match measured {
            Measured::Iteration(closed) => {
                self.memory.observe(ctx, Observation::Iteration(&closed.window), &self.roster.points);
                (News::Iteration(Box::new(closed.window)), Per::Iteration)
            }
            Measured::Further(closed) => (News::Further(Box::new(closed.window)), Per::Iteration),
            Measured::Stream(window) => {
                self.memory.observe(ctx, Observation::Stream(&window), &self.roster.points);
                (News::Stream(Box::new(window)), Per::Output)
            }
        };
        // Further masters lose their time meanwhile.
        if let News::Iteration(seen) = &window {
            self.asked.stake.on_window(seen);
        }
        let (number, rank) = match &window {
            News::Iteration(seen) | News::Further(seen) => {
                self.dispatcher.on_measured(seen.master, Some(seen.iteration), seen.iteration_s);
                (seen.iteration, seen.master)
            }
            News::Stream(seen) => {
                self.dispatcher.on_measured(None, None, seen.seconds);
                (seen.number, None)
            }
            _ => return,
        };
        let rank = rank.or_else(|| self.measurements.decides(per));
        // Tunlets know nothing of values that they did not propose: what was measured before the start's would pass for their effect.
        let is_early = matches!(&window, News::Iteration(seen) if self.memory.awaits_values(seen.iteration));
        if is_early || self.overrides.mode() != Mode::Tuned {
            self.decisions.forget_short();
            return;
        }
        if let Some(phase) = self.measurements.take_other_phase() {
            self.decisions.tell(News::OtherIterations(number, phase));
        }
        self.decisions.tell(window);
        self.asked.next = Some((per, number, rank));
        self.think(ctx);
    }

    /// Tells the tunlets that the iterations are others, and asks what is to be set for these.
    pub(super) fn tell_other_iterations(&mut self, ctx: &mut Ctx<'_>) {
        if self.may_decide(Per::Iteration)
            && let Some(phase) = self.measurements.take_other_phase()
        {
            let number = self.measurements.newest_iteration().unwrap_or(0);
            self.ask_between_windows(ctx, News::OtherIterations(number, phase), number);
        }
    }

    /// Tells the tunlets of an iteration that has taken as long as they wanted to wait for its end, its time counting from when the analyzer heard of its
    /// begin, so that it is no longer than it is; and, once, that iterations have stopped coming.
    pub(super) fn watch_running(&mut self, ctx: &mut Ctx<'_>) {
        if !self.may_decide(Per::Iteration) {
            return;
        }
        let line = |event: &str, job: &str, (iteration, elapsed_s): (u64, f64)| json!({"event": event, "job": job, "iteration": iteration, "elapsed_s": elapsed_s});
        let runs = self.decisions.longest().and_then(|(iteration, longest_s)| {
            let since_ns = self.measurements.running_since(iteration)?;
            let elapsed_s = ctx.now.saturating_sub(since_ns) as f64 / 1e9;
            (elapsed_s >= longest_s).then_some((iteration, elapsed_s))
        });
        if let Some((iteration, elapsed_s)) = runs {
            ctx.journal(line("running", ctx.job.as_str(), (iteration, elapsed_s)));
            return self.ask_between_windows(ctx, News::Running(iteration, elapsed_s), iteration);
        }
        let can_reach = self.can_reach(self.measurements.decides(Per::Iteration), ctx);
        let confidence = Confidence::new(self.spec.options.confidence).unwrap_or_default();
        let rests = self.measurements.rests(ctx.now, confidence).filter(|_| can_reach);
        if let Some((iteration, elapsed_s)) = rests.filter(|(iteration, _)| self.rest_told != Some(*iteration)) {
            self.rest_told = Some(iteration);
            ctx.journal(line("resting", ctx.job.as_str(), (iteration, elapsed_s)));
            self.ask_between_windows(ctx, News::Resting(iteration, elapsed_s), iteration);
        }
    }

    /// Tells the tunlets news of this iteration that are no window, and asks them for a proposal.
    fn ask_between_windows(&mut self, ctx: &mut Ctx<'_>, news: News, iteration: u64) {
        self.decisions.tell(news);
        self.asked.next = Some((Per::Iteration, iteration, self.measurements.decides(Per::Iteration)));
        self.think(ctx);
    }

    /// Lets the tunlets think about their news. Where they do so apart, [`Job::on_thought_done`] follows.
    pub(super) fn think(&mut self, ctx: &mut Ctx<'_>) {
        if self.decisions.is_thinking() {
            return;
        }
        self.asked.now =
            self.asked.next.take().filter(|(per, _, rank)| self.may_decide(*per) && self.can_reach(*rank, ctx));
        let points = self.asked.now.map(|_| self.points_for_tunlets());
        let Some(work) = self.decisions.begin_thought(points) else { return };
        if self.spec.thinks_apart && !self.ends {
            self.asked.is_urgent = self.computes_no_more();
            self.hand_out(ctx, work);
        } else {
            self.on_thought(ctx);
        }
    }

    /// All tuning points, and which of them a person has set by hand.
    fn points_for_tunlets(&self) -> Vec<TuningPoint> {
        let with_held =
            |point: &TuningPoint| TuningPoint { held: self.overrides.holds(point.rank, &point.name), ..point.clone() };
        self.roster.points.list().iter().map(with_held).collect()
    }

    /// Lets a thought that has begun in the time which ranks leave be thought at once, as soon as there are no ranks any more: who asks for the
    /// summary waits for it, and other jobs may leave no time.
    pub(super) fn hurry(&mut self, ctx: &mut Ctx<'_>) {
        if self.asked.is_urgent || !self.spec.thinks_apart || !self.computes_no_more() {
            return;
        }
        if let Some(work) = self.decisions.under_way() {
            self.asked.is_urgent = true;
            self.hand_out(ctx, work);
        }
    }

    fn hand_out(&self, ctx: &mut Ctx<'_>, work: Work) {
        // Advice saves nothing now.
        let may_save_s = if self.spec.dry_run { 0.0 } else { self.asked.stake.may_save_s() };
        ctx.out.push(Output::Think { job: self.id.clone(), work, is_urgent: self.asked.is_urgent, may_save_s });
    }

    /// Whether all ranks have left, or somebody waits for the summary.
    fn computes_no_more(&self) -> bool {
        self.closing.is_some() || self.roster.members.all_left()
    }

    /// The tunlets have thought: [`Job::on_time`] takes in what.
    pub fn on_thought_done(&mut self) {
        self.asked.done = true;
    }

    /// Takes in what the tunlets thought: reports their judgements of earlier decisions, and does what they ask for.
    pub(super) fn on_thought(&mut self, ctx: &mut Ctx<'_>) {
        let Some(Conclusion { judgements, refusals, proposal, .. }) = self.decisions.end_thought() else { return };
        for (number, judgement) in judgements {
            if let Some(line) = self.decisions.line(judgement.decision) {
                ctx.notify(log_lines::judged(&ctx.job, line, &judgement, number));
            }
        }
        let asked = self.asked.now.take();
        if asked.is_some() {
            self.asked.stake.on_thought(proposal.as_ref().is_some_and(|proposal| !proposal.trial));
        }
        if let (Some(proposal), Some(moment)) = (proposal, asked) {
            self.decide(ctx, moment, proposal);
        }
        for refusal in self.decisions.new_refusals(refusals) {
            ctx.notify(log_lines::refused(&ctx.job, &refusal));
        }
        self.think(ctx);
    }

    /// Whether a proposal could be acted on now.
    fn may_decide(&self, per: Per) -> bool {
        !self.memory.is_judging(per) && self.is_free()
    }

    /// Whether a change may begin: nothing else is under way, and the user has not stopped the tuning.
    pub(super) fn is_free(&self) -> bool {
        let waits = self.overrides.is_active() || self.overrides.pending() > 0;
        // A launcher that has ended has nobody left to tune: windows that still come are evidence only.
        let is_over = self.ends || self.closing.is_some();
        let may = self.overrides.mode() == Mode::Tuned && !self.awaits_options();
        may && !is_over && !waits && !self.dispatcher.is_busy()
    }

    /// Whether anybody can bring an action to the master. Where nobody can there is nothing to decide.
    fn can_reach(&self, rank: Option<u32>, ctx: &Ctx<'_>) -> bool {
        rank.is_some_and(|rank| self.roster.members.link_of(rank, ctx.links).is_some())
    }

    fn decide(&mut self, ctx: &mut Ctx<'_>, (per, number_of_window, rank): Moment, proposal: Proposal) {
        // What is to be set for a rest may take more than one change.
        self.rest_told = None;
        // Something may have come up while the tunlets thought.
        if !self.may_decide(per) || !self.can_reach(rank, ctx) {
            return self.decisions.forget("it came too late");
        }
        if let Some(why) = self.decisions.objection(&proposal) {
            return self.decisions.forget(why);
        }
        // In a job with both kinds of windows the newest need not be of the kind that led to the proposal.
        let per = proposal.assignments.first().and_then(|(name, _)| unit_of(name)).unwrap_or(per);
        let (points, assignments) = (self.points_for_tunlets(), &proposal.assignments);
        let is_free = |rank: u32| assignments.iter().any(|(name, _)| !self.overrides.holds(rank, name));
        let is_against = |rank: u32| points.iter().any(|point| point.rank == rank && point.is_against(assignments));
        let may_take = |rank: &u32| is_free(*rank) && !is_against(*rank);
        let takers: Vec<u32> = proposal.ranks.iter().copied().filter(may_take).collect();
        let is_held = takers.is_empty() && !assignments.is_empty();
        let master = proposal.ranks.first().copied();
        let master = master.filter(|_| per == Per::Iteration && self.measurements.has_several_masters());
        let Some((number, proposal)) = self.decisions.number(proposal, (per, master), is_held) else { return };
        ctx.notify(log_lines::decided(&ctx.job, number, &proposal, (per, master), self.spec.dry_run));
        let (ranks, synchronized) = (proposal.ranks, proposal.synchronized);
        let held = |rank: &u32| proposal.assignments.iter().any(|(name, _)| self.overrides.holds(*rank, name));
        // Ranks that are to stay alike cannot leave one of them out.
        if synchronized && ranks.iter().any(held) {
            return self.withhold(ctx, number, number_of_window, HELD);
        }
        let assigned: Vec<Assigned> = takers
            .into_iter()
            .map(|rank| {
                let free = proposal.assignments.iter().filter(|(name, _)| !self.overrides.holds(rank, name));
                (rank, free.cloned().collect())
            })
            .collect();
        let objection =
            assigned.iter().find_map(|(rank, assignments)| self.roster.points.objection(*rank, assignments));
        if let Some(why) = objection {
            return self.withhold(ctx, number, number_of_window, &why);
        }
        if self.spec.dry_run {
            return self.decisions.on_not_applied(number, Verdict::Advised);
        }
        // What was not sent then is not sent in a replay, for the same reason.
        let objection = if synchronized {
            self.dispatcher.objection(ctx, &assigned, &self.roster)
        } else {
            let is_away = |(rank, _): &Assigned| self.roster.members.link_of(*rank, ctx.links).is_none();
            assigned.iter().any(is_away).then(|| "its rank has no agent".to_owned())
        };
        if let Some(why) = objection {
            return self.withhold(ctx, number, number_of_window, &why);
        }
        if !self.dispatcher.may_send(&assigned, synchronized) {
            return self.decisions.on_not_applied(number, Verdict::Advised);
        }
        let (by, roster) = (By::Decision(number), &self.roster);
        if synchronized {
            self.overrides.on_together(&assigned);
            if let Err(why) = self.dispatcher.synchronize(ctx, by, assigned, roster) {
                self.withhold(ctx, number, number_of_window, &why);
            }
        } else {
            let when = if proposal.at_once { When::Now } else { When::NextIteration };
            self.dispatcher.dispatch(ctx, by, assigned, when, roster);
        }
    }

    fn withhold(&mut self, ctx: &mut Ctx<'_>, number: u64, iteration: u64, why: &str) {
        self.decisions.on_reason(number, why);
        self.decisions.on_not_applied(number, Verdict::NotApplied);
        ctx.notify(log_lines::withheld(&ctx.job, number, iteration, why));
    }
}
