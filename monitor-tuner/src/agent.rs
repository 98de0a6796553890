//! The state of an agent, and how it reacts to ranks, to the analyzer and to time.

use crate::admission;
use crate::attachment::Attached;
use crate::children::Children;
use crate::clock::ClockSync;
use crate::config::Config;
use crate::delivery;
use crate::host::Host;
use crate::limits::{
    ACK, BATCH_AGE, COUNTERS, FIRST_RANK, JOB_ID_BYTES, QUEUED_BATCHES, QUIET_PAUSE, QUIET_SHARE, SILENCE,
};
use crate::link::LinkEvent;
use crate::owner::Owners;
use crate::places::Reported;
use crate::rank::Rank;
use crate::run_delay::Steal;
use crate::send_queue::SendQueue;
use crate::unattended::Unattended;
use midrun_proto::PROTOCOL_VERSION;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{
    Action, ActionResult, ActionStatus, Batch, FromAgent, Goodbye, Hello, OwnerSettings, OwnerSettingsKept, RankJoined,
    RankLeft, RankReport, TimeProbe, from_agent, to_agent,
};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::time::Instant;

/// Pause between two clock probes, and between the first ones.
const PROBE: Duration = Duration::from_secs(5);
const FIRST_PROBES: Duration = Duration::from_millis(200);

/// Counts of an agent's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Ranks that attached.
    pub ranks: u64,
    /// Batches made.
    pub batches: u64,
    /// Events dropped because the analyzer did not take them.
    pub events_dropped: u64,
    /// Numbers of batches that the analyzer never gets: what was left of these batches went with the next.
    pub batches_dropped: u64,
    /// Records that the agent rejected.
    pub records_rejected: u64,
    /// Actions put into command rings.
    pub actions_delivered: u64,
}

/// An agent at one moment, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// Counts so far.
    pub stats: Stats,
    /// Ranks that are attached.
    pub attached: usize,
    /// Whether an analyzer takes its batches.
    pub connected: bool,
    /// Batches that the analyzer has not acknowledged.
    pub queued_batches: usize,
    /// Their bytes.
    pub queued_bytes: usize,
}

/// All state of an agent.
pub struct Agent {
    node: String,
    name: String,
    token: String,
    owners: Owners,
    options_follow: bool,
    user: u32,
    /// Attached ranks by the number of their connection.
    ranks: BTreeMap<u64, Rank>,
    /// Further processes that have to wait, likewise: nothing is read from them. See [`admission`].
    waiting: BTreeMap<u64, Rank>,
    /// Why they have to.
    reported: Reported,
    joined: Vec<RankJoined>,
    left: Vec<RankLeft>,
    /// Reports of ranks that have gone, and refusals of actions for ranks that are not attached.
    detached: Vec<RankReport>,
    /// Batches until the analyzer has acknowledged them.
    pub queue: SendQueue,
    stream: Option<Sender<FromAgent>>,
    welcomed: bool,
    /// The last attempt to reach the analyzer failed.
    unreachable: bool,
    /// When the present stream was opened, while no Welcome has come.
    opened: Option<Instant>,
    outage_logged: bool,
    again: Sender<()>,
    /// Where this agent may carry others.
    children: Option<Children>,
    oldest_event: Option<Instant>,
    /// When the last batch was made.
    flushed: Option<Instant>,
    /// When the oldest unacknowledged batch was sent, or the last acknowledgement came.
    awaiting: Option<Instant>,
    host: Host,
    unattended: Unattended,
    /// The analyzer's clock.
    clock: ClockSync,
    /// When the present stream's Hello was said, on this host's clock.
    hello_ns: u64,
    next_probe: Instant,
    next_counters: Instant,
    steal: Steal,
    /// When a look at the rings last found a record.
    last_record: Instant,
    probes: u32,
    /// Counts so far.
    pub stats: Stats,
}

impl Agent {
    /// An agent without ranks; a message on `again` asks for a new stream.
    pub fn new(config: &Config, host: Host, children: Option<Children>, again: Sender<()>) -> Self {
        let own_name = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        let node = if config.node.is_empty() { own_name() } else { config.node.clone() };
        let name = format!("{node}/{}/{}", std::process::id(), host.now.now());
        Agent {
            node,
            name,
            token: config.job_token.clone(),
            owners: Owners::new(config.owner_settings.clone()),
            options_follow: config.options_follow,
            user: config.user(),
            ranks: BTreeMap::new(),
            waiting: BTreeMap::new(),
            reported: Reported::default(),
            joined: Vec::new(),
            left: Vec::new(),
            detached: Vec::new(),
            queue: SendQueue::new(QUEUED_BATCHES, config.queued.clone()),
            stream: None,
            welcomed: false,
            unreachable: false,
            opened: None,
            outage_logged: false,
            again,
            children,
            oldest_event: None,
            flushed: None,
            awaiting: None,
            host,
            unattended: Unattended::new(),
            clock: ClockSync::default(),
            hello_ns: 0,
            next_probe: Instant::now(),
            next_counters: Instant::now(),
            steal: Steal::default(),
            last_record: Instant::now(),
            probes: 0,
            stats: Stats::default(),
        }
    }

    /// Whether ranks are attached.
    pub fn has_ranks(&self) -> bool {
        !self.ranks.is_empty()
    }

    /// Whether ranks, or other agents' ranks, need this agent.
    pub fn is_needed(&self) -> bool {
        self.has_ranks() || self.children.as_ref().is_some_and(|children| children.count() > 0)
    }

    /// Pause until the next look at the rings, at least `shortest`. It grows while the ranks are quiet: a look that finds nothing
    /// costs processor time that belongs to them, and a record after a long silence may come a small share of it later.
    pub fn pause(&self, shortest: Duration) -> Duration {
        (self.last_record.elapsed() / QUIET_SHARE).clamp(shortest, QUIET_PAUSE.max(shortest))
    }

    /// How long an agent that is to end by itself waits without a rank.
    pub fn linger(&self, linger_s: u64) -> Duration {
        match self.stats.ranks {
            0 => FIRST_RANK,
            // The job's analyzer has gone with the job.
            _ if !self.welcomed && self.queue.is_empty() => Duration::ZERO,
            _ => Duration::from_secs(linger_s),
        }
    }

    /// A rank connected or disconnected.
    pub fn on_attached(&mut self, event: Attached) {
        match event {
            Attached::Connected(connection, segment, uid) => {
                let job = job_on_wire(&segment.identity().job, uid, self.user);
                let rank = Rank::new(segment, job);
                match admission::obstacle(self.ranks.values(), &rank) {
                    None => self.join(connection, rank),
                    Some(obstacle) => {
                        admission::tell(&rank, obstacle, |reason| self.reported.report(Some(uid), reason));
                        self.waiting.insert(connection, rank);
                    }
                }
            }
            Attached::Disconnected(connection) => {
                self.waiting.remove(&connection);
                if let Some(mut rank) = self.ranks.remove(&connection) {
                    rank.drain();
                    rank.read_counters(self.host.now.now(), true, &mut self.steal);
                    self.stats.records_rejected += rank.collected.rejected;
                    self.detached.push(rank.closing_report());
                    self.left.push(rank.left(self.host.now.now()));
                    self.admit_waiting();
                    self.owners.retain(&self.ranks.values().map(|rank| rank.id.job.as_str()).collect());
                }
            }
        }
        self.flush();
    }

    /// Lets those join that nothing keeps from it any more.
    fn admit_waiting(&mut self) {
        loop {
            let mut waiting = self.waiting.iter();
            let free = waiting.find(|(_, rank)| admission::obstacle(self.ranks.values(), rank).is_none());
            let Some(number) = free.map(|(number, _)| *number) else { return };
            if let Some(rank) = self.waiting.remove(&number) {
                self.join(number, rank);
            }
        }
    }

    pub(crate) fn join(&mut self, connection: u64, rank: Rank) {
        tracing::debug!(job = rank.id.job, rank = rank.id.rank, pid = rank.segment.identity().pid, "a rank attached");
        self.joined.push(rank.joined());
        self.unattended.remove(&rank.id);
        self.ranks.insert(connection, rank);
        self.stats.ranks += 1;
    }

    /// Something happened on the link. Returns the reason when the analyzer refused this agent.
    pub fn on_link(&mut self, event: LinkEvent) -> Option<String> {
        match event {
            LinkEvent::Opening { stream, takes_parent } => {
                let hello = from_agent::Message::Hello(Hello { takes_parent, ..self.hello() });
                self.children.iter().for_each(Children::on_lost);
                self.hello_ns = self.host.now.now();
                let _ = stream.try_send(FromAgent { message: Some(hello) });
                self.stream = Some(stream);
                self.welcomed = false;
                if self.queue.rewind() {
                    tracing::warn!(
                        "a batch that the analyzer did not take in several attempts was dropped and counted"
                    );
                }
                self.opened = Some(Instant::now());
            }
            LinkEvent::Welcomed(welcome) => {
                (self.opened, self.unreachable) = (None, false);
                tracing::debug!(analyzer = welcome.analyzer, "the analyzer accepted this agent");
                (self.welcomed, self.outage_logged) = (true, false);
                // It may be another analyzer, with another clock, than before.
                self.clock = ClockSync::default();
                if welcome.analyzer_ns > 0 {
                    self.clock.on_reply(self.hello_ns, welcome.analyzer_ns, self.host.now.now());
                }
                self.queue.acknowledge(welcome.last_sequence);
                self.awaiting = None;
                self.ranks.values_mut().for_each(Rank::report_anew);
                (self.next_probe, self.probes) = (Instant::now(), 0);
                self.send();
            }
            LinkEvent::Received(to_agent::Message::Action(action)) => self.on_action(&action),
            LinkEvent::Received(to_agent::Message::BatchAck(ack)) => {
                self.queue.acknowledge(ack.sequence);
                self.awaiting = None;
                self.send();
            }
            LinkEvent::Received(to_agent::Message::TimeReply(reply)) => {
                self.clock.on_reply(reply.agent_ns, reply.analyzer_ns, self.host.now.now());
            }
            LinkEvent::Received(to_agent::Message::OwnerSettings(settings)) => self.on_settings(*settings),
            LinkEvent::Received(to_agent::Message::RanksUnattended(unattended)) => self.on_unattended(unattended.ranks),
            LinkEvent::Received(to_agent::Message::TakeChildren(_)) => {
                if let (Some(children), Some(stream)) = (&self.children, &self.stream) {
                    children.take(stream.clone());
                }
            }
            LinkEvent::Received(to_agent::Message::ToChildren(down)) => {
                if let Some(children) = &self.children {
                    children.on_received(down);
                }
            }
            LinkEvent::Received(_) => {}
            LinkEvent::Lost(why) => {
                self.children.iter().for_each(Children::on_lost);
                // Logged once per outage, and only if ranks are attached.
                if !std::mem::replace(&mut self.outage_logged, !self.ranks.is_empty()) && !self.ranks.is_empty() {
                    tracing::warn!(why, "the link to the analyzer is lost; the agent tries again, the ranks run on");
                }
                (self.stream, self.welcomed, self.awaiting) = (None, false, None);
                (self.opened, self.unreachable) = (None, true);
            }
            LinkEvent::Refused(why) => return Some(why),
        }
        None
    }

    fn hello(&self) -> Hello {
        Hello {
            protocol: PROTOCOL_VERSION,
            node: self.node.clone(),
            agent: self.name.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            token: self.token.clone(),
            ranks: self.ranks.values().map(Rank::joined).collect(),
            owner_settings: self.owners.all(),
            options_follow: self.options_follow,
            takes_parent: false,
        }
    }

    fn on_settings(&mut self, settings: OwnerSettings) {
        let kept = OwnerSettingsKept { job: settings.job.clone(), version: settings.version };
        let attached = self.ranks.values().any(|rank| rank.id.job == settings.job);
        self.owners.keep(settings, attached);
        self.send_message(from_agent::Message::OwnerSettingsKept(kept));
    }

    fn on_action(&mut self, action: &Action) {
        let Some(id) = action.rank.clone() else { return };
        let status = match self.ranks.values_mut().find(|rank| rank.id == id) {
            Some(rank) => delivery::deliver(rank, action, self.host.now.now()),
            None => Err(ActionStatus::Undeliverable),
        };
        match status {
            Ok(()) => self.stats.actions_delivered += 1,
            Err(status) => {
                let time_ns = self.host.now.now();
                let result =
                    ActionResult { action: action.id, status: status.into(), time_ns, ..ActionResult::default() };
                match self.ranks.values_mut().find(|rank| rank.id == id) {
                    Some(rank) => {
                        rank.collected.push(Kind::ActionResult(result));
                        rank.collected.urgent = true;
                    }
                    None => self.detached.push(RankReport {
                        id: Some(id),
                        events: vec![midrun_proto::v1::Event { kind: Some(Kind::ActionResult(result)) }],
                        ..RankReport::default()
                    }),
                }
                self.flush();
            }
        }
    }

    fn on_unattended(&mut self, mut ranks: Vec<RankJoined>) {
        ranks.retain(|named| !self.ranks.values().any(|rank| Some(&rank.id) == named.id.as_ref()));
        self.unattended.add(ranks);
    }

    /// Drains the rings, and sends what is due.
    pub fn on_tick(&mut self) {
        for id in self.unattended.take_ended(self.host.runs) {
            let time_ns = self.host.now.now();
            self.left.push(RankLeft { id: Some(id), finalized: false, time_ns, unattended: true });
        }
        let mut urgent = !self.left.is_empty();
        let mut found = false;
        self.ranks.values_mut().for_each(|rank| found |= rank.drain());
        if found {
            self.last_record = Instant::now();
        }
        let has_rested = self.flushed.is_none_or(|flushed| flushed.elapsed() >= BATCH_AGE);
        // At an iteration's end the analyzer needs the times of all ranks, not only of the one that ended it.
        let ends = has_rested && self.ranks.values().any(|rank| rank.collected.urgent);
        if ends || Instant::now() >= self.next_counters {
            self.next_counters = Instant::now() + COUNTERS;
            let now_ns = self.host.now.now();
            self.ranks.values_mut().for_each(|rank| rank.read_counters(now_ns, false, &mut self.steal));
        }
        for rank in self.ranks.values_mut() {
            urgent |= rank.collected.urgent;
            if self.oldest_event.is_none() && !rank.collected.is_empty() {
                self.oldest_event = Some(Instant::now());
            }
        }
        if has_rested && (urgent || self.oldest_event.is_some_and(|since| since.elapsed() >= BATCH_AGE)) {
            self.flush();
        }
        if self.awaiting.is_some_and(|since| since.elapsed() >= ACK) {
            self.awaiting = None;
            let _ = self.again.try_send(());
        }
        if self.welcomed && Instant::now() >= self.next_probe {
            let probe = from_agent::Message::TimeProbe(TimeProbe { agent_ns: self.host.now.now() });
            self.send_message(probe);
            self.probes += 1;
            self.next_probe = Instant::now() + if self.probes < 5 { FIRST_PROBES } else { PROBE };
        }
    }

    /// Makes a batch of everything that was collected.
    fn flush(&mut self) {
        self.oldest_event = None;
        let mut reports: Vec<RankReport> = self.ranks.values_mut().filter_map(Rank::report).collect();
        reports.append(&mut self.detached);
        if !(reports.is_empty() && self.joined.is_empty() && self.left.is_empty()) {
            self.flushed = Some(Instant::now());
            self.queue.push(Batch {
                node: self.node.clone(),
                joined: std::mem::take(&mut self.joined),
                reports,
                left: std::mem::take(&mut self.left),
                made_ns: self.host.now.now(),
                ..Batch::default()
            });
        }
        self.stats.batches = self.queue.last_sequence();
        self.stats.events_dropped = self.queue.events_dropped;
        self.stats.batches_dropped = self.queue.batches_dropped;
        self.send();
    }

    /// Sends as many batches as the stream takes.
    fn send(&mut self) {
        while self.welcomed
            && let Some(mut batch) = self.queue.unsent()
        {
            // Now, because a batch may be older than the link to this analyzer.
            if let Some(clock) = self.clock.at(batch.made_ns) {
                (batch.clock_offset_ns, batch.clock_error_ns) = (clock.offset_ns, clock.error_ns);
                (batch.clock_drift_ppb, batch.clock_drift_error_ppb) = (clock.drift_ppb, clock.drift_error_ppb);
            }
            if !self.send_message(from_agent::Message::Batch(batch)) {
                break;
            }
            self.queue.mark_sent();
        }
        if self.queue.awaits() && self.awaiting.is_none() {
            self.awaiting = Some(Instant::now());
        }
    }

    /// Puts a message into the stream; `false` when there is none, or it is full.
    fn send_message(&mut self, message: from_agent::Message) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.try_send(FromAgent { message: Some(message) }).is_ok())
    }

    /// Takes everything that the rings still hold into a last batch.
    pub fn on_ending(&mut self) {
        self.on_tick();
        let now_ns = self.host.now.now();
        self.ranks.values_mut().for_each(|rank| rank.read_counters(now_ns, true, &mut self.steal));
        self.flush();
    }

    /// Whether the analyzer is away or stopped, so that nothing more can be awaited from it.
    pub fn is_analyzer_silent(&self) -> bool {
        let long = |since: Option<Instant>| since.is_some_and(|since| since.elapsed() >= SILENCE);
        self.unreachable || long(self.opened) || long(self.awaiting)
    }

    /// What it shows of itself.
    pub fn overview(&self) -> Overview {
        let (queued_batches, queued_bytes) = self.queue.size();
        let rejected = self.ranks.values().map(|rank| rank.collected.rejected).sum::<u64>();
        let records_rejected = self.stats.records_rejected.saturating_add(rejected);
        Overview {
            stats: Stats { records_rejected, batches_dropped: self.queue.batches_dropped, ..self.stats },
            attached: self.ranks.len(),
            connected: self.welcomed,
            queued_batches,
            queued_bytes,
        }
    }

    /// Says Goodbye; `false` when there is no stream.
    pub fn say_goodbye(&mut self) -> bool {
        self.stats.records_rejected += self.ranks.values().map(|rank| rank.collected.rejected).sum::<u64>();
        self.send_message(from_agent::Message::Goodbye(Goodbye {}))
    }
}

/// The name under which the analyzer knows a job of user `uid`, at an agent of user `own`: root's agent serves all users, and two may
/// give the same name.
fn job_on_wire(name: &str, uid: u32, own: u32) -> String {
    if uid == own {
        return name.to_owned();
    }
    let user = format!(".u{uid}");
    name.chars().take(JOB_ID_BYTES - user.len()).chain(user.chars()).collect()
}
