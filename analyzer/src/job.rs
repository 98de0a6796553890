//! One job: wires its components. Each component owns its fields; the job hands facts of one to the others.

mod dispatcher;
mod measurements;
mod membership;
mod memory;
mod overrides;
mod own_values;
mod point_texts;
mod proposals;
mod publication;
mod replay;
mod report;
mod settlements;
mod stake;
mod start_values;
mod synchronized;

use std::collections::BTreeSet;

use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{TuningOptions, Tunlet};
use serde_json::json;

use crate::actions::Action;
use crate::catalogue::Maker;
use crate::context::Ctx;
use crate::control::{Control, Mode};
use crate::decisions::Decisions;
use crate::events::{Event, HostClock, Joined, Left, PointRefused, Report, Unattended, WorkersLost};
use crate::ids::{AgentId, AskId, JobId, LinkId};
use crate::in_flight::By;
use crate::input::JobLine;
use crate::limits;
use crate::notice::{History, Notice};
use crate::owner::{Manual, OwnerOptions, OwnerSettings};
use crate::thought::News;
use dispatcher::Dispatcher;
use measurements::Measurements;
use membership::Roster;
use memory::Memory;
use overrides::{Overrides, Round};
use point_texts::PointTexts;
use proposals::Asked;
use publication::Publication;

/// The specification of a job.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Token of those who may report on the job or ask for it; empty: all.
    pub token: String,
    /// Advise only.
    pub dry_run: bool,
    /// Time to live of an action, milliseconds.
    pub action_ttl_ms: u64,
    /// See [`crate::Config::window_grace_ms`].
    pub window_grace_ms: u64,
    /// Opened by name, before its first rank.
    pub opened: bool,
    /// Its tunlets think outside of the core, which is told when a thought ends.
    pub thinks_apart: bool,
    /// Options of its tunlets.
    pub options: TuningOptions,
    /// Makes them anew.
    pub maker: Maker,
}

impl Spec {
    /// Whether its owner asks for the same.
    fn is_same(&self, other: &Spec) -> bool {
        (&self.token, self.dry_run, &self.options) == (&other.token, other.dry_run, &other.options)
    }
}

/// The launcher has ended; its summary waits for the last batches.
#[derive(Clone, Debug)]
struct Closing {
    since_ns: u64,
    asks: Vec<AskId>,
}

/// One job.
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Its specification.
    pub spec: Spec,
    started_ns: u64,
    heard_ns: u64,
    closing: Option<Closing>,
    roster: Roster,
    measurements: Measurements,
    memory: Memory,
    decisions: Decisions,
    asked: Asked,
    dispatcher: Dispatcher,
    overrides: Overrides,
    point_texts: PointTexts,
    /// What begins the iterations of ranks that declare none.
    iteration_texts: PointTexts,
    /// The iteration of which the tunlets know that it does not come.
    rest_told: Option<u64>,
    publication: Publication,
    /// The owner's specification, which waits until no action of the tunlets before is in flight.
    owners: Option<(Spec, Box<dyn Tunlet>)>,
    /// The owner's options are not known yet: nothing may change.
    options_follow: bool,
    history: History,
    /// All its windows are being closed: nothing is sent any more, and nobody is waited for.
    ends: bool,
    /// Hosts that were lost, whose ranks' end the owner was not told yet.
    lost_hosts: u32,
}

impl Job {
    /// A job with nothing known yet; its actions' ids follow `last_action`.
    pub fn new(now: u64, id: JobId, spec: Spec, tunlet: Box<dyn Tunlet>, last_action: u64) -> Job {
        let mut measurements = Measurements::new(now, spec.window_grace_ms * 1_000_000);
        measurements.on_points_file(spec.options.iteration_line);
        Job {
            id,
            started_ns: now,
            heard_ns: now,
            closing: None,
            roster: Roster::default(),
            measurements,
            memory: Memory::new(&spec.options),
            decisions: Decisions::new(tunlet),
            asked: Asked::default(),
            dispatcher: Dispatcher::new(now, spec.action_ttl_ms, last_action),
            overrides: Overrides::new(now, last_action),
            point_texts: PointTexts::of(names::POINTS),
            iteration_texts: PointTexts::of(names::ITERATION),
            rest_told: None,
            publication: Publication::begin(now, spec.opened),
            owners: None,
            options_follow: false,
            history: History::default(),
            ends: false,
            lost_hosts: 0,
            spec,
        }
    }

    /// Gives a job that ranks joined already, or that runs since before this analyzer, the specification of its owner. True when it
    /// has it now, or has had it before.
    pub fn reopen(&mut self, now: u64, spec: Spec, tunlet: Box<dyn Tunlet>) -> bool {
        let known = self.owners.as_ref().map(|(spec, _)| spec).or(self.spec.opened.then_some(&self.spec));
        if let Some(known) = known {
            return known.is_same(&spec);
        }
        self.owners = Some((spec, tunlet));
        self.take_owners_options(now);
        true
    }

    fn take_owners_options(&mut self, now: u64) {
        if self.dispatcher.is_busy() {
            return;
        }
        if let Some((spec, tunlet)) = self.owners.take() {
            self.memory = Memory::new(&spec.options);
            self.measurements.on_points_file(spec.options.iteration_line);
            self.spec = spec;
            self.replace_tunlet(tunlet);
            self.publication.on_change(now);
        }
    }

    fn replace_tunlet(&mut self, tunlet: Box<dyn Tunlet>) {
        self.decisions.replace(tunlet);
        self.measurements.on_new_tunlet();
    }

    /// The owner's options are on their way with another agent or with `midrun run`: until they are here, nothing changes.
    pub fn await_options(&mut self) {
        self.options_follow = true;
    }

    /// Whether the owner has options that do not hold yet: nothing may change.
    fn awaits_options(&self) -> bool {
        self.owners.is_some() || (self.options_follow && !self.spec.opened)
    }

    /// Whether a value may be set by hand; the error says why not.
    fn may_set(&self) -> Result<(), &'static str> {
        if self.awaits_options() {
            Err("the owner's options are not known here yet, and the job may run with --dry-run: try again")
        } else if self.spec.dry_run {
            Err("the job runs with --dry-run, which changes nothing")
        } else {
            Ok(())
        }
    }

    /// Takes in the manual overrides that another analyzer was asked for.
    pub fn adopt(&mut self, manual: &Manual) {
        self.overrides.adopt(manual);
    }

    /// Everything that the owner has set.
    fn owner_settings(&self) -> OwnerSettings {
        let Spec { options, dry_run, opened, .. } = &self.spec;
        OwnerSettings {
            job: self.id.clone(),
            version: self.publication.version(),
            options: opened.then(|| OwnerOptions { tuning: options.clone(), dry_run: *dry_run }),
            manual: self.overrides.manual().clone(),
        }
    }

    /// Brings what the owner has set to the agents that do not have it.
    fn publish(&mut self, ctx: &mut Ctx<'_>) {
        self.publication.on_revision(ctx.now, self.overrides.revision());
        if self.publication.is_due() {
            let settings = self.owner_settings();
            self.publication.send(ctx, &settings);
        }
    }

    /// Version of the newest copy of the owner's settings.
    #[cfg(test)]
    pub fn version_of_settings(&self) -> u64 {
        self.publication.version()
    }

    /// An agent has this copy of the owner's settings.
    pub fn on_settings_kept(&mut self, agent: &AgentId, version: u64) {
        self.publication.on_kept(agent, version);
    }

    /// A rank attached to `agent`, or is there still after the agent came back.
    pub fn on_joined(&mut self, ctx: &mut Ctx<'_>, agent: &AgentId, joined: &Joined) {
        let strangers = self.roster.members.strangers_seen();
        if !self.roster.members.on_joined(agent, joined) {
            if strangers == 0 {
                let text = "a second launch runs while the first one of this job does, or a second process says that it is one of its ranks: \
                            it is left alone (a midrun run of its own would tune it)";
                ctx.life("stranger", text.into(), json!({"rank": joined.rank, "agent": &*agent.0}));
            }
            return;
        }
        self.dispatcher.on_last_action(joined.last_action);
        self.point_texts.on_joined(joined.rank);
        self.iteration_texts.on_joined(joined.rank);
        self.publication.on_agent(agent);
    }

    /// These are all the ranks that `agent` has.
    pub fn on_listed(&mut self, agent: &AgentId, listed: &BTreeSet<u32>) {
        self.roster.members.on_listed(agent, listed);
    }

    /// `agent` dropped `dropped` events so far, `dropped_before` of them before its first batch of this job.
    pub fn on_host(&mut self, agent: &AgentId, node: &str, dropped_before: u64, dropped: u64) {
        self.roster.members.on_host(agent, node, dropped_before, dropped);
    }

    /// A batch about this job came at `now`.
    pub fn on_heard(&mut self, now: u64) {
        self.heard_ns = now;
    }

    /// A rank reports. Windows that it completes are closed by [`Job::on_time`].
    pub fn on_report(&mut self, ctx: &mut Ctx<'_>, agent: &AgentId, clock: HostClock, report: &Report) {
        if self.roster.members.is_stranger(agent, report.rank) {
            return;
        }
        self.roster.members.on_report(agent, clock, report);
        for event in &report.events {
            self.on_event(ctx, report.rank, clock, event);
        }
    }

    fn on_event(&mut self, ctx: &mut Ctx<'_>, rank: u32, clock: HostClock, event: &Event) {
        match event {
            Event::TuningPointDeclared(point) => {
                let bounded = own_values::for_workers(point.clone(), self.roster.members.most_ranks());
                if !self.roster.points.declare(rank, bounded) {
                    self.measurements.on_invalid();
                }
                self.measurements.set_pattern(rank, &mut self.roster);
                self.point_texts.on_declared(rank, &point.name);
                self.iteration_texts.on_declared(rank, &point.name);
            }
            Event::PointRefused(refused) => self.on_point_refused(ctx, rank, refused),
            Event::ActionSettled(result) => self.on_result(ctx, rank, clock, result),
            other => {
                self.measurements.on_event(ctx, rank, clock.offset_ns, other, &mut self.roster);
                if let Event::WorkersLost(WorkersLost { rank: Some(dead), .. }) = other
                    && let Some(agent) = self.roster.members.on_dead(*dead)
                {
                    self.on_host_silent(ctx, &agent);
                }
            }
        }
    }

    /// Ranks on a node that run, as far as is known, and that no agent attends.
    pub fn unattended(&self, node: &str) -> Vec<Unattended> {
        let ranks = self.roster.members.unattended(node);
        ranks.map(|(rank, process)| Unattended { job: self.id.clone(), rank, process }).collect()
    }

    /// A rank is gone.
    pub fn on_left(&mut self, ctx: &mut Ctx<'_>, agent: &AgentId, left: &Left) {
        if !self.roster.members.on_left(agent, left) {
            return;
        }
        if left.unattended {
            let text = format!("rank {} ended while no agent attended it: how it ended is not known", left.rank);
            ctx.life("rank-ended-unattended", text, json!({"rank": left.rank}));
        } else if !left.finalized {
            let text = format!("rank {} went away without MPI_Finalize", left.rank);
            ctx.life("rank-lost", text, json!({"rank": left.rank}));
        }
        self.settle_of_gone(ctx, left.rank);
        self.tell_survivors_end(ctx);
    }

    /// A rank that has gone settles nothing any more.
    fn settle_of_gone(&mut self, ctx: &mut Ctx<'_>, rank: u32) {
        if let Some(settlement) = self.dispatcher.on_rank_left(rank) {
            self.on_settlement(ctx, &settlement, 0, 0);
        }
    }

    /// Of this agent's ranks some are dead by the MPI's word. Where the agent is not connected either, nobody else will say that they have gone:
    /// the job must not wait for them, and when it has lost all of them, their host is lost.
    fn on_host_silent(&mut self, ctx: &mut Ctx<'_>, agent: &AgentId) {
        let lost = self.roster.members.lose_dead(agent);
        lost.iter().for_each(|rank| self.settle_of_gone(ctx, *rank));
        if !lost.is_empty() && !self.roster.members.serves(agent) {
            self.lost_hosts += 1;
            let node = self.roster.members.node(agent).unwrap_or_default();
            let text = format!("the host {node} is lost: its ranks died, and its agent is not connected any more");
            ctx.life("host-lost", text, json!({"node": node}));
        }
        self.tell_survivors_end(ctx);
    }

    /// A launcher may wait for a lost host for ever: who started it is told when there is nothing else to wait for.
    fn tell_survivors_end(&mut self, ctx: &mut Ctx<'_>) {
        let members = &self.roster.members;
        if self.lost_hosts > 0 && members.all_left() && members.all_joined() {
            let text = "all ranks have ended but those of lost hosts, for which the launcher may wait for ever: SIGTERM to midrun ends it";
            ctx.life(names::SURVIVORS_ENDED, text.to_owned(), json!({"hosts": std::mem::take(&mut self.lost_hosts)}));
        }
    }

    /// An agent's link has ended.
    pub fn on_agent_lost(&mut self, ctx: &mut Ctx<'_>, agent: &AgentId, goodbye: bool) {
        self.roster.members.set_linked(agent, false);
        self.publication.on_agent_lost(agent);
        if let Some(node) = self.roster.members.node(agent)
            && !goodbye
            && self.roster.members.serves(agent)
        {
            ctx.life("agent-lost", format!("the agent on {node} is not connected any more"), json!({"node": node}));
        }
        self.on_host_silent(ctx, agent);
    }

    /// An agent that was lost is back: what was on its way to it goes again.
    pub fn on_agent_back(&mut self, ctx: &mut Ctx<'_>, agent: &AgentId, link: LinkId) {
        let Some(was_linked) = self.roster.members.set_linked(agent, true) else { return };
        if !was_linked {
            let node = self.roster.members.node(agent).unwrap_or_default();
            ctx.life("agent-back", format!("the agent on {node} is back"), json!({"node": node}));
        }
        self.point_texts.on_agent_back(agent, &self.roster);
        self.iteration_texts.on_agent_back(agent, &self.roster);
        self.publication.on_agent(agent);
        self.dispatcher.resend(ctx, agent, link, &self.roster);
    }

    /// The analyzer was started again; actions have ids after `last_action`. The agents have their time to link, before silence means anything.
    pub fn on_restarted(&mut self, ctx: &mut Ctx<'_>, last_action: u64) {
        self.heard_ns = ctx.now;
        if let Some(closing) = &mut self.closing {
            closing.since_ns = ctx.now;
        }
        self.dispatcher.on_last_action(last_action);
        self.dispatcher.on_restarted(ctx.now);
        if self.decisions.is_thinking() {
            self.on_thought_done();
        }
        ctx.life(
            "analyzer-restarted",
            "the analyzer was started again and goes on with this job".to_owned(),
            json!({}),
        );
    }

    /// What was taken in of the analyzer before has ended.
    pub fn go_live(&mut self) {
        self.dispatcher.go_live();
    }

    /// Closes windows, asks the tunlets, gives overdue actions up. The job is over if `all`.
    pub fn on_time(&mut self, ctx: &mut Ctx<'_>, all: bool) {
        while let Some(settlement) = self.dispatcher.overdue(ctx.now) {
            self.on_settlement(ctx, &settlement, 0, 0);
        }
        self.take_owners_options(ctx.now);
        if !self.awaits_options() && self.overrides.mode() == Mode::Tuned {
            self.send_texts(ctx);
        }
        if let Some(outcome) = self.dispatcher.advance(ctx, &self.roster) {
            self.on_outcome(&outcome);
        }
        self.ends |= all;
        if std::mem::take(&mut self.asked.done) || all {
            self.on_thought(ctx);
        }
        self.set_start_values(ctx);
        for measured in self.measurements.close(ctx.now, all, &self.roster) {
            if self.measurements.accept(ctx, &measured) {
                self.on_measured(ctx, measured);
            }
        }
        self.tell_other_iterations(ctx);
        self.hurry(ctx);
        self.watch_running(ctx);
        if self.decisions.is_newly_off() {
            let text = "tuning is off: the tunlet failed (this is a defect of midrun)".to_owned();
            ctx.life("tuning-off", text, json!({}));
        }
        if all {
            self.dispatcher.end();
            self.overrides.end(ctx, self.measurements.per());
        } else {
            self.serve_overrides(ctx);
            self.publish(ctx);
        }
    }

    /// Brings the texts to the ranks that do not have them. The iterations are only measured by theirs, in a dry run, too.
    fn send_texts(&mut self, ctx: &mut Ctx<'_>) {
        let (dispatcher, roster) = (&mut self.dispatcher, &self.roster);
        if self.point_texts.any_due() {
            let points = if self.spec.dry_run { "" } else { self.decisions.points() };
            let text = (!points.is_empty()).then(|| points.to_owned());
            self.point_texts.send(ctx, |_| text.clone(), dispatcher, roster);
            self.measurements.on_points_sent(points);
        }
        if self.measurements.take_new_period() {
            self.iteration_texts.renew();
        }
        // A rank forgets a value that waits for its place when a newer action comes: this one can wait, unless the value waits for an iteration of a
        // period that has ended.
        let is_quiet = !dispatcher.is_busy() && !self.overrides.is_active() && self.overrides.pending() == 0;
        let (period, awaits) = (self.measurements.period(), self.measurements.awaits_period());
        if self.iteration_texts.any_due() && (awaits || (is_quiet && period.is_some())) {
            // Until the next one is found there are no iterations.
            let text = |rank| Some(period.map_or_else(String::new, |period| period.line(rank)));
            self.iteration_texts.send(ctx, text, dispatcher, roster);
        }
        if period.is_some() || self.iteration_texts.is_pending() {
            self.measurements.on_line_in_force();
        }
    }

    /// A rank could not do a line of the points: tunlets see the refusal of each rank, people one notice.
    fn on_point_refused(&mut self, ctx: &mut Ctx<'_>, rank: u32, refused: &PointRefused) {
        if !refused.shed {
            self.decisions.tell(News::PointRefused { rank, line: refused.line, why: refused.why.clone() });
            self.think(ctx);
        }
        if self.measurements.on_point_refused(rank, refused) {
            let (event, what) =
                if refused.shed { ("point-shed", "gives up detail") } else { ("point-refused", "is refused") };
            let text = format!("line {} of the points {what} in rank {rank}: {}", refused.line, refused.why);
            ctx.life(event, text, json!({"rank": rank, "line": refused.line, "why": refused.why}));
        }
    }

    /// Queues a manual override, which is answered later; false when too many wait.
    pub fn on_control(&mut self, ask: AskId, control: Control) -> bool {
        self.overrides.queue(ask, control)
    }

    /// Goes on with the manual overrides, as far as no action is in flight.
    fn serve_overrides(&mut self, ctx: &mut Ctx<'_>) {
        while !self.dispatcher.is_busy() {
            if self.overrides.is_active() {
                if self.overrides.is_settled() {
                    // The answer is a promise: it waits until the agents can tell the next analyzer.
                    self.publish(ctx);
                    if !self.publication.is_kept(ctx.now, ctx.links) {
                        return;
                    }
                }
                let roster = &self.roster;
                match self.overrides.advance(ctx, roster, self.measurements.per()) {
                    Some(Round::Each(assigned, when)) if self.dispatcher.may_send(&assigned, false) => {
                        self.dispatcher.dispatch(ctx, By::User, assigned, when, roster);
                    }
                    Some(Round::Synchronized(assigned)) => {
                        // In a replay it has the number of then.
                        self.dispatcher.may_send(&assigned, true);
                        self.overrides.on_together(&assigned);
                        if let Err(why) = self.dispatcher.synchronize(ctx, By::User, assigned, roster) {
                            self.overrides.refuse_open(&why);
                        }
                    }
                    Some(Round::Each(..)) | None => {}
                }
            } else if let Some((ask, control)) =
                self.overrides.next(|k| self.dispatcher.is_near(ctx.now, k), self.may_set(), &self.roster)
            {
                let renewed = match control {
                    // The new tunlets know nothing of earlier decisions: a fresh look.
                    Control::Resume => self.spec.maker.make(&self.spec.options).map(|made| self.replace_tunlet(made)),
                    _ => Ok(()),
                };
                let renewed = renewed.map_err(|error| error.to_string());
                let may_set = self.may_set();
                self.overrides.begin(ctx, (ask, control), renewed, may_set, &self.roster);
            } else {
                return;
            }
        }
    }

    /// The launcher has ended and asks for the summary; false when too many wait for it.
    pub fn on_close(&mut self, now: u64, ask: AskId) -> bool {
        let closing = self.closing.get_or_insert(Closing { since_ns: now, asks: Vec::new() });
        let fits = closing.asks.len() < limits::CLOSERS_PER_JOB;
        if fits {
            closing.asks.push(ask);
        }
        fits
    }

    /// Those who wait for the summary.
    pub fn take_closers(&mut self) -> Vec<AskId> {
        self.closing.take().map(|closing| closing.asks).unwrap_or_default()
    }

    /// Whether the job can be summed up now: all its ranks have left and their last batches are in, or enough was waited.
    pub fn is_over(&self, now: u64, close_wait_ms: u64) -> bool {
        if self.decisions.is_thinking() {
            return false; // the summary has what comes of it
        }
        let since = |start_ns: u64, wait_ms: u64| now >= start_ns.saturating_add(wait_ms * 1_000_000);
        let members = &self.roster.members;
        let Some(closing) = &self.closing else {
            let forgotten = !self.spec.opened && members.all_left() && since(self.heard_ns, limits::LEFT_IDLE_MS);
            return forgotten || (since(self.heard_ns, limits::SILENT_MS) && !members.any_attended());
        };
        if since(closing.since_ns, close_wait_ms) {
            return true;
        }
        // Ranks that no agent reported yet may be in a batch on its way.
        let few = since(closing.since_ns, limits::CLOSE_WAIT_FEW_RANKS_MS);
        (members.all_left() && (members.all_joined() || few)) || (members.seen() == 0 && few)
    }

    /// In a replay: the recorded analyzer sent this in the present step.
    pub fn follow(&mut self, sent: &[Action]) {
        self.dispatcher.follow(sent.iter().filter(|action| action.job == self.id).cloned().collect());
    }

    /// Remembers a notice for those who watch late.
    pub fn remember(&mut self, notice: Notice) {
        self.history.push(notice);
    }

    /// The newest notices.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The id of the last action made.
    pub fn last_action(&self) -> u64 {
        self.dispatcher.last_action()
    }

    /// For lists.
    pub fn line(&self, ended: bool) -> JobLine {
        let (job, ranks) = (self.id.clone(), self.roster.members.seen() as u32);
        JobLine { job, ranks, iterations: self.measurements.iterations(), ended }
    }
}
