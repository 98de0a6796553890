//! One job: its ranks and where they are, its windows, its decisions.

mod acting;
mod controlling;
mod following;
mod hand;
mod pointing;
mod presence;
mod showing;
mod streaming;
mod summing;
mod synchronized;

use std::collections::BTreeMap;

use midrun_tunlets::tuning_point::{Value, names};
use midrun_tunlets::{Recent, TuningOptions, Tunlet};

use crate::actions::Actions;
use crate::calls::Calls;
use crate::control::Controls;
use crate::decide::{Decider, Maker};
use crate::ids::{AgentId, JobId, LinkId};
use crate::input::{Event, JobLine, Joined, Left, Output, Report};
use crate::limits;
use crate::notice::{History, Notice};
use crate::points::Points;
use crate::streams::Streams;
use crate::summary::{Iterations, Records, StreamLines};
use crate::tell;
use crate::tuning_points::TuningPoints;
use crate::window::Windows;
pub(crate) use acting::Assigned;

/// How a job is to be treated.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Who may speak of the job; empty: all.
    pub token: String,
    /// Advise only.
    pub dry_run: bool,
    /// Time to live of an action, milliseconds.
    pub action_ttl_ms: u64,
    /// See [`crate::Config::window_grace_ms`].
    pub window_grace_ms: u64,
    /// Opened by name, before its first rank.
    pub opened: bool,
    /// What is requested of its tunlets, and how they are made anew.
    pub options: TuningOptions,
    /// See `options`.
    pub maker: Maker,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Present,
    Finalized,
    Lost,
}

#[derive(Debug)]
struct Rank {
    agent: AgentId,
    fate: Fate,
    records: Records,
}

#[derive(Clone, Debug)]
struct Host {
    node: String,
    offset_ns: i64,
    dropped_before: u64,
    dropped: u64,
    linked: bool,
}

/// One job.
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// How it is to be treated.
    pub spec: Spec,
    /// When anything was last heard of it, nanoseconds.
    pub heard_ns: u64,
    /// Asked to close: by whom and since when.
    pub closing: Option<crate::closing::Closing>,
    started_ns: u64,
    world_size: u32,
    mpi: String,
    ranks: BTreeMap<u32, Rank>,
    hosts: BTreeMap<AgentId, Host>,
    tuning_points: TuningPoints,
    windows: Windows,
    iterations: Iterations,
    streams: Streams,
    stream_lines: StreamLines,
    lately: Recent,
    points: Points,
    pointing: pointing::Pointing,
    decider: Decider,
    actions: Actions,
    group: Option<acting::Group>,
    synchronized: Option<synchronized::SynchronizedChange>,
    unheard: Option<synchronized::SynchronizedChange>, // the last one that was given up
    margin: u64,
    controls: Controls,
    history: History,
    calls: Calls,
    technique: String,
    last_iteration: u64,
    last_iteration_s: f64,
    outputs: u64,
    invalid: u64,
    nonsense: u64,                         // windows that no model may see
    past: Records,                         // of ranks whose place another program's rank took
    recorded: Option<following::Recorded>, // in a replay
}

impl Job {
    /// A job with nothing known yet; its actions' ids follow `last_action`.
    pub fn new(now: u64, id: JobId, spec: Spec, tunlet: Box<dyn Tunlet>, last_action: u64) -> Job {
        let grace_ns = spec.window_grace_ms * 1_000_000;
        Job {
            id,
            spec,
            heard_ns: now,
            closing: None,
            started_ns: now,
            world_size: 0,
            mpi: String::new(),
            ranks: BTreeMap::new(),
            hosts: BTreeMap::new(),
            tuning_points: TuningPoints::default(),
            windows: Windows::new(grace_ns),
            iterations: Iterations::default(),
            streams: Streams::default(),
            stream_lines: StreamLines::default(),
            lately: Recent::default(),
            points: Points::default(),
            pointing: pointing::Pointing::default(),
            decider: Decider::new(tunlet),
            actions: Actions::new(last_action),
            group: None,
            synchronized: None,
            unheard: None,
            margin: limits::MARGIN,
            controls: Controls::default(),
            history: History::default(),
            calls: Calls::default(),
            technique: String::new(),
            last_iteration: 0,
            last_iteration_s: 0.0,
            outputs: 0,
            invalid: 0,
            nonsense: 0,
            past: Records::default(),
            recorded: None,
        }
    }

    /// Treats a job that ranks joined already, or that runs since before this analyzer, as it is requested from here on;
    /// false when it was opened before, or while an action of the tunlet before is in flight.
    pub fn reopen(&mut self, spec: Spec, tunlet: Box<dyn Tunlet>) -> bool {
        if self.spec.opened || self.is_busy() {
            return false;
        }
        self.spec = spec;
        self.decider.replace(tunlet);
        true
    }

    /// A rank attached to `agent` on `node`, or is there still after the agent came back.
    pub fn on_joined(&mut self, agent: &AgentId, joined: &Joined) {
        if joined.world_size > 0 && joined.world_size <= limits::RANKS_PER_JOB {
            self.world_size = joined.world_size;
        }
        if !joined.mpi.is_empty() {
            self.mpi.clone_from(&joined.mpi);
        }
        self.place(joined.rank, agent);
        if let Some(rank) = self.ranks.get_mut(&joined.rank)
            && rank.fate != Fate::Present
        {
            // The next program of the same job: its totals begin at 0 again.
            rank.fate = Fate::Present;
            let past = std::mem::take(&mut rank.records);
            self.past.add(past);
        }
    }

    /// What `agent` dropped so far, and what it had dropped before it spoke of this job.
    pub fn on_host(&mut self, agent: &AgentId, node: &str, dropped_before: u64, dropped: u64) {
        let new = Host { node: node.to_owned(), offset_ns: 0, dropped_before, dropped, linked: true };
        let host = self.hosts.entry(agent.clone()).or_insert(new);
        host.dropped = host.dropped.max(dropped);
        host.linked = true;
    }

    /// A rank reports. Windows that it completes are closed by [`Job::on_time`].
    pub fn on_report(&mut self, now: u64, agent: &AgentId, offset_ns: i64, report: &Report, out: &mut Vec<Output>) {
        self.heard_ns = now;
        if let Some(host) = self.hosts.get_mut(agent) {
            host.offset_ns = offset_ns;
        }
        if !self.ranks.contains_key(&report.rank) {
            // Its joining was told to an analyzer before us.
            self.place(report.rank, agent);
        }
        if let Some(rank) = self.ranks.get_mut(&report.rank) {
            let (known, new) = (&mut rank.records, report.records);
            known.produced = known.produced.max(new.produced);
            known.collected = known.collected.max(new.collected);
            known.dropped = known.dropped.max(new.dropped);
        }
        for event in &report.events {
            self.on_event(now, report.rank, offset_ns, event, out);
        }
    }

    fn on_event(&mut self, now: u64, rank: u32, offset_ns: i64, event: &Event, out: &mut Vec<Output>) {
        match event {
            Event::IterationBegun(begun) => {
                if self.is_master(rank) {
                    self.calls.on_begun(begun.iteration, begun.time_ns);
                    let mut begun = *begun;
                    // What no job can have must not reach the models.
                    let known = self.world_size.max(self.ranks.len() as u32);
                    let most = if self.world_size > 0 { known } else { limits::RANKS_PER_JOB };
                    begun.workers = begun.workers.min(most);
                    // The mark says what is in force, whoever changed it.
                    self.tuning_points.set(rank, names::TECHNIQUE, &Value::Number(f64::from(begun.technique)));
                    self.technique = self.windows.on_begun(begun, self.tuning_points.setting(rank)).to_string();
                }
            }
            Event::IterationEnded(ended) => {
                if self.is_master(rank) {
                    self.calls.on_ended(now, ended.iteration, ended.time_ns);
                    self.windows.on_ended(now, *ended);
                }
            }
            Event::Worked(work) => {
                let ahead_ns = offset_ns.wrapping_sub(self.masters_offset_ns(offset_ns));
                self.windows.on_work(rank, work.middle_ns.saturating_add_signed(ahead_ns), work.clone());
            }
            Event::MpiCounted(counted) => {
                let ahead_ns = offset_ns.wrapping_sub(self.masters_offset_ns(offset_ns));
                self.calls.on_counted(rank, ahead_ns, counted);
            }
            Event::LinkMeasured(link) => {
                if self.is_master(rank) {
                    self.windows.links.on_link(*link);
                    let text = tell::link(*link);
                    self.tell(tell::life(&self.id, "link-measured", text), out);
                }
            }
            Event::TripMeasured(trip) => {
                if self.is_master(rank) {
                    self.windows.links.on_trip(*trip);
                }
            }
            Event::TuningPointDeclared(tuning_point) => {
                if !self.tuning_points.declare(rank, tuning_point.clone()) {
                    self.invalid += 1;
                }
                self.tell_pattern(rank);
                self.offers_points(rank, &tuning_point.name);
            }
            Event::PointMeasured(measured) => self.points.on_measured(now, rank, measured),
            Event::PointRefused(refused) => self.on_point_refused(rank, refused, out),
            Event::StreamBegun(_)
            | Event::StageDeclared(_)
            | Event::PatternTaken(_)
            | Event::StageWorked(_)
            | Event::StreamWindowEnded(_) => self.on_stream_event(rank, event, out),
            Event::ActionSettled(result) => {
                self.on_points_settled(rank, result);
                if self.on_together_result(now, rank, offset_ns, result) {
                    return;
                }
                if let Some(settlement) = self.actions.on_result(rank, result, offset_ns) {
                    self.on_settlement(&settlement, result.iteration, result.time_ns, out);
                } else {
                    self.on_recorded(rank, result, out);
                }
            }
        }
    }

    /// A rank is gone.
    pub fn on_left(&mut self, now: u64, left: &Left, out: &mut Vec<Output>) {
        self.heard_ns = now;
        let Some(rank) = self.ranks.get_mut(&left.rank) else { return };
        if rank.fate != Fate::Present {
            return;
        }
        rank.fate = if left.finalized { Fate::Finalized } else { Fate::Lost };
        if !left.finalized {
            let text = format!("rank {} went away without MPI_Finalize", left.rank);
            self.tell(tell::life(&self.id, "rank-lost", text), out);
        }
        self.on_together_left(left.rank);
        if let Some(settlement) = self.actions.on_rank_left(left.rank) {
            self.on_settlement(&settlement, 0, 0, out);
        }
    }

    /// An agent's link has ended.
    pub fn on_agent_lost(&mut self, agent: &AgentId, goodbye: bool, out: &mut Vec<Output>) {
        let Some(host) = self.hosts.get_mut(agent) else { return };
        host.linked = false;
        let text = format!("the agent on {} is not connected any more", host.node);
        let present = |rank: &Rank| rank.fate == Fate::Present && rank.agent == *agent;
        if !goodbye && self.ranks.values().any(present) {
            self.tell(tell::life(&self.id, "agent-lost", text), out);
        }
    }

    /// An agent that was lost is back: what was on its way to it goes again.
    pub fn on_agent_back(&mut self, now: u64, agent: &AgentId, link: LinkId, out: &mut Vec<Output>) {
        let Some(host) = self.hosts.get_mut(agent) else { return };
        if !std::mem::replace(&mut host.linked, true) {
            let text = format!("the agent on {} is back", host.node);
            self.tell(tell::life(&self.id, "agent-back", text), out);
        }
        for action in self.actions.in_flight() {
            let here = self.ranks.get(&action.rank).is_some_and(|rank| rank.agent == *agent);
            if here && now < action.deadline_ns {
                out.push(Output::Act { link, action: action.clone() });
            }
        }
        self.tell_together_again(agent, link, out);
    }

    /// Closes windows, asks the tunlets, gives overdue actions up. `link_of` finds an agent's link.
    pub fn on_time(
        &mut self,
        now: u64,
        all: bool,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        while let Some(settlement) = self.actions.on_time(now) {
            self.on_settlement(&settlement, 0, 0, out);
        }
        self.send_points(now, link_of, out);
        self.go_on_together(now, link_of, out);
        for mut closed in self.windows.close(now, all) {
            self.locate(&mut closed.window);
            closed.window.points = self.points.take(closed.window.iteration);
            self.on_window(now, &closed, !all, link_of, out);
        }
        self.calls.settle(now, all);
        self.close_pointed(now, all, link_of, out);
        while let Some(window) = self.streams.take_closed() {
            self.on_stream_window(now, &window, !all, link_of, out);
        }
        if all {
            self.synchronized = None;
            self.end_controls(now, out);
        } else {
            self.serve_controls(now, link_of, out);
        }
    }

    /// Tells people, the log and the journal.
    pub fn tell(&mut self, notice: Notice, out: &mut Vec<Output>) {
        out.push(Output::Journal(notice.json.clone()));
        self.history.push(notice.clone());
        out.push(Output::Notify { job: self.id.clone(), notice });
    }

    /// Everything told so far.
    pub fn told(&self) -> Vec<Notice> {
        self.history.all()
    }

    /// The id of the last action made.
    pub fn last_action(&self) -> u64 {
        self.actions.last()
    }

    /// For lists.
    pub fn line(&self, ended: bool) -> JobLine {
        let (job, ranks) = (self.id.clone(), self.ranks.len() as u32);
        JobLine { job, ranks, iterations: self.iterations.count, ended }
    }
}
