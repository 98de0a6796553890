//! The analyzer without any I/O: `step` takes an input and returns the outputs.

mod questions;
mod unattended;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Read;

use serde_json::json;

use midrun_proto::token::same;
use midrun_tunlets::TuningOptions;
use midrun_vocabulary::Count;

use crate::actions::Action;
use crate::agents::{Agents, Sequence};
use crate::catalogue::{Make, Maker};
use crate::config::Config;
use crate::context::Ctx;
use crate::events::{Batch, Hello};
use crate::ids::{AgentId, JobId, LinkId};
use crate::input::{Answer, Input, JobLine, Output};
use crate::job::{Job, Spec};
use crate::limits;
use crate::notice::History;
use crate::overview::Overview;
use crate::owner::{OwnerSettings, RecalledJob};
use crate::recording::{Step, Steps};
use crate::stats::Stats;

/// A job that is over.
struct Closed {
    line: JobLine,
    token: String,
    opened: bool,
    summary: String,
    /// The last status, with its newest windows.
    status: serde_json::Value,
    history: History,
}

/// The agent that sent a batch.
struct Sender {
    agent: AgentId,
    node: String,
    token: String,
    options_follow: bool,
    dropped_before: u64,
    dropped: u64,
}

/// All state of an analyzer.
pub struct Core {
    config: Config,
    maker: Maker,
    last_action: u64,
    agents: Agents,
    jobs: BTreeMap<JobId, Job>,
    closed: VecDeque<Closed>,
    stats: Stats,
    /// Of jobs that an analyzer before this one had open.
    recalled: BTreeMap<JobId, RecalledJob>,
    // In a replay: the actions that the recorded analyzer sent in this step.
    recorded: Option<Vec<Action>>,
    /// Windows that the status of a closed job keeps.
    closed_windows: u64,
    thinks_apart: bool,
}

impl Core {
    /// An analyzer that knows nothing yet. Actions get ids after `last_action`; `maker` makes tunlets.
    pub fn new(config: Config, maker: impl Make, last_action: u64) -> Core {
        Core {
            config,
            maker: Maker::new(maker),
            last_action,
            agents: Agents::default(),
            jobs: BTreeMap::new(),
            closed: VecDeque::new(),
            stats: Stats::default(),
            recalled: BTreeMap::new(),
            recorded: None,
            closed_windows: limits::CLOSED_WINDOWS,
            thinks_apart: false,
        }
    }

    /// The same with tunlets that think outside: [`Output::Think`] hands the work out, [`Input::Thought`] says that it is done.
    pub fn thinking_apart(self) -> Core {
        Core { thinks_apart: true, ..self }
    }

    /// The same after an analyzer that left this in the journal. What is known of open jobs is newer.
    pub fn recalling(self, mut recalled: BTreeMap<JobId, RecalledJob>) -> Core {
        recalled.retain(|job, _| !self.jobs.contains_key(job));
        Core { recalled, ..self }
    }

    /// The same for a recording: nothing is sent but what was sent then.
    pub fn replaying(self) -> Core {
        Core { recorded: Some(Vec::new()), closed_windows: u64::MAX, ..self }
    }

    /// Takes one input of a recording in, upon which the recorded analyzer sent `sent`.
    pub fn step_recorded(&mut self, now: u64, input: Input, sent: Vec<Action>) -> Vec<Output> {
        self.recorded = Some(sent);
        self.step(now, input)
    }

    /// Takes in what an analyzer before this one has taken in, `most` inputs at a time; true at the end of its log. Nothing of it is sent
    /// again.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn take_in<R: Read>(&mut self, steps: &mut Steps<R>, most: u64) -> std::io::Result<bool> {
        for _ in 0..most {
            let Some(Step { now_ns, input, sent }) = steps.next_step()? else {
                self.recorded = None;
                self.jobs.values_mut().for_each(Job::go_live);
                return Ok(true);
            };
            self.step_recorded(now_ns, input, sent);
        }
        Ok(false)
    }

    /// The open jobs.
    pub fn open_jobs(&self) -> BTreeSet<JobId> {
        self.jobs.keys().cloned().collect()
    }

    /// Counts of what was dropped or refused so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// What it shows of itself and of its open jobs at `now`; nothing changes.
    pub fn overview(&self, now: u64) -> Overview {
        Overview { stats: self.stats, jobs: self.jobs.values().map(|job| job.newest_status(now)).collect() }
    }

    /// Takes one input in. `now` is CLOCK_MONOTONIC of this host, nanoseconds; it never goes back.
    pub fn step(&mut self, now: u64, input: Input) -> Vec<Output> {
        let mut out = Vec::new();
        match input {
            Input::AgentConnected { link, hello } => self.on_hello(now, link, hello, &mut out),
            Input::BatchReceived { link, batch } => self.on_batch(now, link, batch, &mut out),
            Input::AgentDisconnected { link, goodbye } => self.on_disconnected(now, link, goodbye, &mut out),
            Input::SettingsKept { link, job, version } => {
                if let Some((agent, _)) = self.agents.of_link(link)
                    && let Some(known) = self.jobs.get_mut(&job)
                {
                    known.on_settings_kept(&agent, version);
                    self.on_time(now, &job, &mut out);
                }
            }
            Input::Asked { ask, question } => self.on_question(now, ask, question, &mut out),
            Input::Thought { job } => {
                if let Some(known) = self.jobs.get_mut(&job) {
                    known.on_thought_done();
                    self.on_time(now, &job, &mut out);
                }
            }
            Input::Tick => self.open_jobs().iter().for_each(|job| self.on_time(now, job, &mut out)),
            Input::Restarted { last_action } => self.on_restarted(now, last_action, &mut out),
            Input::Stopped => self.open_jobs().iter().for_each(|job| self.finish(now, job, &mut out)),
        }
        for output in &out {
            if let Output::Notify { job: id, notice } = output {
                if let Some(job) = self.jobs.get_mut(id) {
                    job.remember(notice.clone());
                } else if let Some(closed) = self.closed.iter_mut().rfind(|closed| closed.line.job == *id) {
                    closed.history.push(notice.clone());
                }
            }
        }
        out
    }

    fn on_disconnected(&mut self, now: u64, link: LinkId, goodbye: bool, out: &mut Vec<Output>) {
        let Some(agent) = self.agents.disconnect(link) else { return };
        for job in self.jobs.values_mut() {
            let ctx = &mut Ctx { now, job: job.id.clone(), links: &self.agents, out };
            job.on_agent_lost(ctx, &agent, goodbye);
        }
        if let Some(node) = self.agents.node(&agent) {
            self.hand_over(node, out);
        }
    }

    /// No link and no thought outlived the analyzer before; of what its jobs did meanwhile, the agents will tell.
    fn on_restarted(&mut self, now: u64, last_action: u64, out: &mut Vec<Output>) {
        self.last_action = self.last_action.max(last_action);
        for link in self.agents.links() {
            self.on_disconnected(now, link, false, out);
        }
        for job in self.jobs.values_mut() {
            job.on_restarted(&mut Ctx { now, job: job.id.clone(), links: &self.agents, out }, last_action);
        }
        self.open_jobs().iter().for_each(|job| self.on_time(now, job, out));
    }

    fn on_hello(&mut self, now: u64, link: LinkId, hello: Hello, out: &mut Vec<Output>) {
        self.stats.events_invalid += hello.invalid;
        if let Err(why) = self.admit(&hello) {
            self.stats.links_refused += 1;
            tracing::warn!(agent = %hello.agent, node = hello.node, why, "an agent was refused");
            out.push(Output::Refuse { link, why });
            return;
        }
        let (last_sequence, replaced) = self.agents.connect(now, link, &hello);
        out.extend(replaced.map(|link| Output::Disconnect { link }));
        tracing::info!(
            agent = %hello.agent, node = hello.node, version = hello.version, ranks = hello.ranks.len(),
            last_sequence, "an agent linked",
        );
        out.push(Output::Journal(json!({
            "event": "agent-linked", "agent": &*hello.agent.0, "node": hello.node, "ranks": hello.ranks.len(),
        })));
        out.push(Output::Welcome { link, last_sequence });
        for settings in &hello.settings {
            self.adopt(now, &hello.token, settings);
        }
        let mut listed: BTreeMap<&JobId, BTreeSet<u32>> = BTreeMap::new();
        for joined in &hello.ranks {
            listed.entry(&joined.job).or_default().insert(joined.rank);
        }
        for job in self.jobs.values_mut() {
            job.on_listed(&hello.agent, &listed.remove(&job.id).unwrap_or_default());
            let ctx = &mut Ctx { now, job: job.id.clone(), links: &self.agents, out };
            job.on_agent_back(ctx, &hello.agent, link);
        }
        let dropped = self.agents.of_link(link).map_or(0, |(_, agent)| agent.events_dropped);
        for joined in &hello.ranks {
            if let Some((job, links)) = self.job_for(now, &joined.job, &hello.token, true) {
                if hello.options_follow {
                    job.await_options();
                }
                job.on_host(&hello.agent, &hello.node, dropped, dropped);
                let ctx = &mut Ctx { now, job: joined.job.clone(), links, out };
                job.on_joined(ctx, &hello.agent, joined);
            }
        }
        let jobs: BTreeSet<&JobId> = hello.ranks.iter().map(|joined| &joined.job).collect();
        jobs.into_iter().for_each(|job| self.on_time(now, job, out));
        self.hand_over(&hello.node, out);
    }

    /// Takes in what an agent knows of its job's owner, before anything else of the job.
    fn adopt(&mut self, now: u64, token: &str, settings: &OwnerSettings) {
        let id = &settings.job;
        let made = settings.options.as_ref().and_then(|options| {
            let spec =
                self.spec(token.to_owned(), self.config.completed(options.tuning.clone()), options.dry_run, true);
            let made = self.maker.make(&spec.options);
            let made =
                made.inspect_err(|error| tracing::warn!(job = %id, %error, "the owner's options are not known here"));
            Some((spec, made.ok()?))
        });
        if let Some((job, _)) = self.job_for(now, id, token, true) {
            if let Some((spec, tunlet)) = made {
                job.reopen(now, spec, tunlet);
            }
            if settings.options.is_some() {
                job.await_options();
            }
            job.adopt(&settings.manual);
        }
    }

    // Whether an agent may link; the error is the sentence it is refused with.
    fn admit(&self, hello: &Hello) -> Result<(), String> {
        let spoken = midrun_proto::PROTOCOL_VERSION;
        if hello.protocol != spoken {
            return Err(format!(
                "the agent speaks protocol {} (midrun {}), this analyzer speaks protocol {spoken} (midrun {}): \
                 use the same version of midrun for both",
                hello.protocol,
                hello.version,
                env!("CARGO_PKG_VERSION"),
            ));
        }
        if hello.agent.0.is_empty() {
            return Err("the agent's Hello has no agent name".into());
        }
        // Its link, and what was acknowledged, are of who came by this name first.
        if self.agents.token_of(&hello.agent).is_some_and(|token| !same(token.as_bytes(), hello.token.as_bytes())) {
            return Err(format!("agent {} is known by another token", hello.agent));
        }
        if self.agents.linked() >= limits::LINKS {
            return Err(format!("{} agents are linked already, which is the limit", limits::LINKS));
        }
        let allowed = |id: &JobId| self.jobs.get(id).is_none_or(|job| self.may(&hello.token, &job.spec.token));
        let jobs: BTreeSet<&JobId> = hello.ranks.iter().map(|joined| &joined.job).collect();
        match jobs.first() {
            Some(first) if !jobs.iter().any(|id| allowed(id)) => Err(format!(
                "the agent's token is not the one of job {first}: give the agent the right MIDRUN_JOB_TOKEN"
            )),
            _ => Ok(()),
        }
    }

    // Whether `token` opens a job whose own token is `of_job`. That the caller has the analyzer's token was checked before.
    fn may(&self, token: &str, of_job: &str) -> bool {
        of_job.is_empty() || same(token.as_bytes(), of_job.as_bytes())
    }

    fn on_batch(&mut self, now: u64, link: LinkId, batch: Batch, out: &mut Vec<Output>) {
        let Some((id, agent)) = self.agents.of_link(link) else {
            return; // replaced by a newer link, over which it comes again
        };
        let taken = agent.on_sequence(now, batch.sequence);
        let dropped_before = agent.events_dropped;
        agent.events_dropped = agent.events_dropped.max(batch.events_dropped);
        let node = if batch.node.is_empty() { &agent.node } else { &batch.node };
        let (node, token, dropped) = (node.clone(), agent.token.clone(), agent.events_dropped);
        let options_follow = agent.options_follow;
        let sender = Sender { agent: id, node, token, options_follow, dropped_before, dropped };
        match taken {
            Sequence::Repeated => self.stats.batches_repeated += 1,
            Sequence::New { missing } => {
                self.stats.batches += 1;
                self.stats.batches_missing = self.stats.batches_missing.saturating_add(missing);
                self.stats.events_invalid += batch.invalid;
                let touched = self.take(now, &sender, &batch, out);
                for job in &touched {
                    self.on_time(now, job, out);
                }
            }
        }
        out.push(Output::Acknowledge { link, sequence: batch.sequence });
    }

    // Hands a batch's parts to their jobs; returns the jobs.
    fn take(&mut self, now: u64, sender: &Sender, batch: &Batch, out: &mut Vec<Output>) -> BTreeSet<JobId> {
        let Sender { agent, node, token, options_follow, dropped_before, dropped } = sender;
        let mut touched = BTreeSet::new();
        for joined in &batch.joined {
            if let Some((job, links)) = self.job_for(now, &joined.job, token, true) {
                if *options_follow {
                    job.await_options();
                }
                job.on_host(agent, node, *dropped_before, *dropped);
                job.on_joined(&mut Ctx { now, job: joined.job.clone(), links, out }, agent, joined);
                touched.insert(joined.job.clone());
            }
        }
        for report in &batch.reports {
            if let Some((job, links)) = self.job_for(now, &report.job, token, false) {
                let ctx = &mut Ctx { now, job: report.job.clone(), links, out };
                job.on_report(ctx, agent, batch.clock, report);
                touched.insert(report.job.clone());
            }
        }
        for left in &batch.left {
            if let Some((job, links)) = self.job_for(now, &left.job, token, false) {
                job.on_left(&mut Ctx { now, job: left.job.clone(), links, out }, agent, left);
                touched.insert(left.job.clone());
            }
        }
        for id in &touched {
            if let Some(job) = self.jobs.get_mut(id) {
                job.on_heard(now);
                job.on_host(agent, node, *dropped_before, *dropped);
            }
        }
        touched
    }

    // The job that an agent reports on, made where it is new. A job that was closed comes back only when
    // ranks join and nobody had opened it by name.
    fn job_for(&mut self, now: u64, id: &JobId, token: &str, joining: bool) -> Option<(&mut Job, &Agents)> {
        if let Some(job) = self.jobs.get(id) {
            if !self.may(token, &job.spec.token) {
                self.stats.events_foreign += 1;
                return None;
            }
        } else {
            let closed = self.closed.iter().position(|closed| closed.line.job == *id);
            let over = closed.is_some_and(|at| self.closed[at].opened || !joining);
            if over || self.jobs.len() >= limits::JOBS {
                self.stats.events_unplaced += 1;
                return None;
            }
            closed.map(|at| self.closed.remove(at));
            let config = &self.config;
            let options = config.options();
            let made = self.maker.make(&options);
            let tunlet = made.inspect_err(|error| tracing::error!(%error, "no tunlet")).ok()?;
            // Until its owner opens it, it is whose agent brought it.
            let spec = self.spec(token.to_owned(), options, false, false);
            let job = Job::new(now, id.clone(), spec, tunlet, self.last_action);
            self.insert(job);
        }
        Some((self.jobs.get_mut(id)?, &self.agents))
    }

    /// Adds a job, which may have been open at an analyzer before this one.
    pub(crate) fn insert(&mut self, mut job: Job) {
        if let Some(recalled) = self.recalled.remove(&job.id) {
            if recalled.opened {
                job.await_options();
            }
            job.adopt(&recalled.manual);
        }
        self.jobs.insert(job.id.clone(), job);
    }

    fn spec(&self, token: String, options: TuningOptions, dry_run: bool, opened: bool) -> Spec {
        Spec {
            token,
            dry_run: dry_run || self.config.dry_run,
            action_ttl_ms: self.config.action_ttl_ms,
            window_grace_ms: self.config.window_grace_ms,
            opened,
            thinks_apart: self.thinks_apart,
            options,
            maker: self.maker.clone(),
        }
    }

    fn on_time(&mut self, now: u64, id: &JobId, out: &mut Vec<Output>) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        if let Some(sent) = &self.recorded {
            job.follow(sent);
        }
        job.on_time(&mut Ctx { now, job: id.clone(), links: &self.agents, out }, false);
        if job.is_over(now, self.config.close_wait_ms) {
            self.finish(now, id, out);
        }
    }

    fn finish(&mut self, now: u64, id: &JobId, out: &mut Vec<Output>) {
        let Some(mut job) = self.jobs.remove(id) else { return };
        // Its ranks refuse what is older than what they had: should they come back, ids go on.
        self.last_action = self.last_action.max(job.last_action());
        // Nothing is sent any more, so no agent need be reached.
        let ctx = &mut Ctx { now, job: id.clone(), links: &Agents::default(), out };
        job.on_time(ctx, true);
        let summary = job.summary(now);
        let status = job.last_status(now, self.closed_windows);
        let text = format!(
            "job {id} ended: {} on {}, {}, {} of {} applied",
            Count(summary.iterations, "iteration"),
            Count(summary.ranks, "rank"),
            Count(summary.decisions.len() as u64, "decision"),
            summary.actions.applied,
            Count(summary.actions.sent, "action"),
        );
        let facts = json!({"iterations": summary.iterations, "ranks": summary.ranks});
        ctx.life("job-ended", text, facts);
        let json = summary.to_json();
        for ask in job.take_closers() {
            out.push(Output::Answer { ask, answer: Answer::Summary(json.clone()) });
        }
        out.push(Output::EndWatches { job: id.clone() });
        let (line, history) = (job.line(true), job.history().clone());
        let closed = Closed { line, opened: job.spec.opened, history, token: job.spec.token, summary: json, status };
        limits::push(&mut self.closed, closed, limits::CLOSED_JOBS);
    }
}

#[cfg(test)]
#[path = "core_tests/mod.rs"]
mod tests;
