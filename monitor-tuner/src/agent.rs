//! The agent's life: one task owns all state, and is one `select!`.

use crate::attach::{self, Attached};
use crate::clock_sync::ClockSync;
use crate::config::{Config, ConfigError};
use crate::limits::{ACK, BATCH_AGE, CONNECT, COUNTERS, FIRST_RANK, OUTBOX_BATCHES, RANKS};
use crate::link::{self, LinkEvent};
use crate::outbox::Outbox;
use crate::rank::Rank;
use crate::{clock, deliver};
use midrun_proto::PROTOCOL_VERSION;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{
    Action, ActionResult, ActionStatus, Batch, FromAgent, Goodbye, Hello, RankJoined, RankLeft, RankReport, TimeProbe,
    from_agent, to_agent,
};
use std::collections::BTreeMap;
use std::future::Future;
use std::os::unix::net::UnixListener;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep};
use tonic::transport::{Channel, Endpoint};

/// Pause between two looks when no rank is attached, and between two clock probes.
const IDLE: Duration = Duration::from_millis(10);
const PROBE: Duration = Duration::from_secs(5);
const FIRST_PROBES: Duration = Duration::from_millis(200);

/// Why an agent cannot run.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A key of the configuration is not allowed.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The socket does not work.
    #[error("the agent's socket: {0}")]
    Socket(#[from] std::io::Error),
    /// The analyzer will not speak with it.
    #[error("the analyzer refused this agent: {0}")]
    Refused(String),
}

/// What an agent did in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Ranks that attached.
    pub ranks: u64,
    /// Batches made.
    pub batches: u64,
    /// Events dropped because the analyzer did not take them.
    pub events_dropped: u64,
    /// Records that made no sense.
    pub records_rejected: u64,
    /// Actions put into command rings.
    pub actions_delivered: u64,
}

/// Serves the ranks that connect to `listener` until `shutdown`, or, with `linger_s`, until nobody needs it any more.
///
/// # Errors
/// A bad configuration, a socket that does not work, or an analyzer that refuses.
pub async fn run(
    config: Config,
    listener: UnixListener,
    shutdown: impl Future<Output = ()>,
) -> Result<Stats, AgentError> {
    config.validate()?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::UnixListener::from_std(listener)?;
    let url = config.analyzer.clone();
    let connect = move || connect(url.clone());
    let (link_to, mut link_events) = channel(256);
    let (again, again_requests) = channel(1);
    let link = tokio::spawn(link::keep(connect, link_to, again_requests));
    let (attached_to, mut attached) = channel(64);
    let mut agent = Agent::new(&config, again);
    let mut connections = 0;
    let mut last_needed = Instant::now();
    tokio::pin!(shutdown);
    let result = loop {
        tokio::select! {
            () = &mut shutdown => break Ok(()),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections += 1;
                    tokio::spawn(attach::serve(connections, stream, attached_to.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(IDLE).await;
                }
            },
            Some(event) = attached.recv() => agent.on_attached(event),
            Some(event) = link_events.recv() => {
                if let Some(why) = agent.on_link(event) {
                    break Err(AgentError::Refused(why));
                }
            }
            () = sleep(agent.pause(config.poll_ms)) => agent.on_tick(),
        }
        if !agent.ranks.is_empty() {
            last_needed = Instant::now();
        }
        let linger = match agent.stats.ranks {
            0 => FIRST_RANK,
            // The job's analyzer has gone with the job.
            _ if !agent.welcomed && agent.outbox.is_empty() => Duration::ZERO,
            _ => Duration::from_secs(config.linger_s),
        };
        if config.linger_s > 0 && agent.ranks.is_empty() && last_needed.elapsed() >= linger {
            tracing::info!("no rank is left; the agent ends");
            break Ok(());
        }
    };
    agent.last_words(&mut attached, &mut link_events, Duration::from_millis(config.drain_ms)).await;
    link.abort();
    result.map(|()| agent.stats)
}

async fn connect(url: String) -> Result<Channel, tonic::transport::Error> {
    let endpoint = Endpoint::from_shared(url)?
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(CONNECT)
        .keep_alive_timeout(CONNECT);
    endpoint.connect().await
}

/// All state of an agent.
struct Agent {
    node: String,
    name: String,
    token: String,
    /// By connection.
    ranks: BTreeMap<u64, Rank>,
    joined: Vec<RankJoined>,
    left: Vec<RankLeft>,
    /// Reports that belong to no rank that is here: of ranks gone, and of actions for ranks unknown.
    loose: Vec<RankReport>,
    outbox: Outbox,
    stream: Option<Sender<FromAgent>>,
    welcomed: bool,
    outage_told: bool,
    again: Sender<()>,
    oldest_event: Option<Instant>,
    /// Since when batches have been on their way without an acknowledgement.
    awaiting: Option<Instant>,
    clock: ClockSync,
    next_probe: Instant,
    next_counters: Instant,
    probes: u32,
    stats: Stats,
}

impl Agent {
    fn new(config: &Config, again: Sender<()>) -> Self {
        let host = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        let node = if config.node.is_empty() { host() } else { config.node.clone() };
        let name = format!("{node}/{}/{}", std::process::id(), clock::now_ns());
        Agent {
            node,
            name,
            token: config.token.clone(),
            ranks: BTreeMap::new(),
            joined: Vec::new(),
            left: Vec::new(),
            loose: Vec::new(),
            outbox: Outbox::new(OUTBOX_BATCHES),
            stream: None,
            welcomed: false,
            outage_told: false,
            again,
            oldest_event: None,
            awaiting: None,
            clock: ClockSync::default(),
            next_probe: Instant::now(),
            next_counters: Instant::now(),
            probes: 0,
            stats: Stats::default(),
        }
    }

    fn pause(&self, poll_ms: u64) -> Duration {
        if self.ranks.is_empty() { IDLE } else { Duration::from_millis(poll_ms) }
    }

    fn on_attached(&mut self, event: Attached) {
        match event {
            Attached::Came(_, segment) if self.ranks.len() >= RANKS => {
                tracing::warn!(rank = segment.identity().rank, "more ranks than {RANKS} on this node: turned away");
            }
            Attached::Came(connection, segment) => {
                let rank = Rank::new(segment);
                let identity = rank.segment.identity();
                tracing::debug!(job = identity.job, rank = identity.rank, pid = identity.pid, "a rank attached");
                self.joined.push(rank.joined());
                self.ranks.insert(connection, rank);
                self.stats.ranks += 1;
            }
            Attached::Went(connection) => {
                if let Some(mut rank) = self.ranks.remove(&connection) {
                    rank.drain();
                    rank.read_counters(true);
                    self.stats.records_rejected += rank.said.rejected;
                    self.loose.push(rank.closing_report());
                    self.left.push(rank.left());
                }
            }
        }
        self.flush();
    }

    /// Returns why, when the analyzer refused this agent.
    fn on_link(&mut self, event: LinkEvent) -> Option<String> {
        match event {
            LinkEvent::Opening(stream) => {
                let hello = from_agent::Message::Hello(self.hello());
                let _ = stream.try_send(FromAgent { message: Some(hello) });
                self.stream = Some(stream);
                self.welcomed = false;
                self.outbox.rewind();
            }
            LinkEvent::Welcomed(welcome) => {
                tracing::debug!(analyzer = welcome.analyzer, "linked with the analyzer");
                (self.welcomed, self.outage_told) = (true, false);
                self.outbox.acknowledge(welcome.last_sequence);
                self.awaiting = None;
                self.ranks.values_mut().for_each(Rank::forget_what_was_told);
                (self.next_probe, self.probes) = (Instant::now(), 0);
                self.send();
            }
            LinkEvent::Said(to_agent::Message::Action(action)) => self.on_action(&action),
            LinkEvent::Said(to_agent::Message::BatchAck(ack)) => {
                self.outbox.acknowledge(ack.sequence);
                self.awaiting = None;
                self.send();
            }
            LinkEvent::Said(to_agent::Message::TimeReply(reply)) => {
                self.clock.answered(reply.agent_ns, reply.analyzer_ns, clock::now_ns());
            }
            LinkEvent::Said(_) => {}
            LinkEvent::Lost(why) => {
                // Once per outage, and only where somebody misses something.
                if !std::mem::replace(&mut self.outage_told, !self.ranks.is_empty()) && !self.ranks.is_empty() {
                    tracing::warn!(why, "no link to the analyzer; trying again, the ranks go on");
                }
                (self.stream, self.welcomed, self.awaiting) = (None, false, None);
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
        }
    }

    fn on_action(&mut self, action: &Action) {
        let Some(id) = action.rank.clone() else { return };
        let status = match self.ranks.values_mut().find(|rank| rank.id() == id) {
            Some(rank) => deliver::deliver(rank, action, clock::now_ns()),
            None => Err(ActionStatus::Undeliverable),
        };
        match status {
            Ok(()) => self.stats.actions_delivered += 1,
            Err(status) => {
                let time_ns = clock::now_ns();
                let result =
                    ActionResult { action: action.id, status: status.into(), time_ns, ..ActionResult::default() };
                match self.ranks.values_mut().find(|rank| rank.id() == id) {
                    Some(rank) => {
                        rank.said.push(Kind::ActionResult(result));
                        rank.said.urgent = true;
                    }
                    None => self.loose.push(RankReport {
                        id: Some(id),
                        events: vec![midrun_proto::v1::Event { kind: Some(Kind::ActionResult(result)) }],
                        ..RankReport::default()
                    }),
                }
                self.flush();
            }
        }
    }

    fn on_tick(&mut self) {
        let mut urgent = false;
        self.ranks.values_mut().for_each(Rank::drain);
        // At an iteration's end the times of all ranks are wanted, not only of the one that says so.
        let ends = self.ranks.values().any(|rank| rank.said.urgent) || Instant::now() >= self.next_counters;
        if ends {
            self.next_counters = Instant::now() + COUNTERS;
            self.ranks.values_mut().for_each(|rank| rank.read_counters(false));
        }
        for rank in self.ranks.values_mut() {
            urgent |= rank.said.urgent;
            if self.oldest_event.is_none() && !rank.said.is_empty() {
                self.oldest_event = Some(Instant::now());
            }
        }
        if urgent || self.oldest_event.is_some_and(|since| since.elapsed() >= BATCH_AGE) {
            self.flush();
        }
        if self.awaiting.is_some_and(|since| since.elapsed() >= ACK) {
            self.awaiting = None;
            let _ = self.again.try_send(());
        }
        if self.welcomed && Instant::now() >= self.next_probe {
            let probe = from_agent::Message::TimeProbe(TimeProbe { agent_ns: clock::now_ns() });
            self.post(probe);
            self.probes += 1;
            self.next_probe = Instant::now() + if self.probes < 5 { FIRST_PROBES } else { PROBE };
        }
    }

    /// Makes a batch of everything there is to say.
    fn flush(&mut self) {
        self.oldest_event = None;
        let mut reports: Vec<RankReport> = self.ranks.values_mut().filter_map(Rank::report).collect();
        reports.append(&mut self.loose);
        if !(reports.is_empty() && self.joined.is_empty() && self.left.is_empty()) {
            self.outbox.push(Batch {
                node: self.node.clone(),
                joined: std::mem::take(&mut self.joined),
                reports,
                left: std::mem::take(&mut self.left),
                clock_offset_ns: self.clock.offset_ns(),
                clock_error_ns: self.clock.error_ns(),
                ..Batch::default()
            });
        }
        self.stats.batches = self.outbox.last_sequence();
        self.stats.events_dropped = self.outbox.events_dropped;
        self.send();
    }

    /// Puts as many batches on their way as the stream takes.
    fn send(&mut self) {
        while self.welcomed
            && let Some(batch) = self.outbox.unsent().cloned()
        {
            if !self.post(from_agent::Message::Batch(batch)) {
                break;
            }
            self.outbox.mark_sent();
        }
        if self.outbox.awaits() && self.awaiting.is_none() {
            self.awaiting = Some(Instant::now());
        }
    }

    fn post(&mut self, message: from_agent::Message) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.try_send(FromAgent { message: Some(message) }).is_ok())
    }

    /// Takes what the rings still hold and waits, up to `time`, until the analyzer has everything.
    async fn last_words(
        &mut self,
        attached: &mut Receiver<Attached>,
        link_events: &mut Receiver<LinkEvent>,
        time: Duration,
    ) {
        while let Ok(event) = attached.try_recv() {
            self.on_attached(event);
        }
        self.on_tick();
        self.ranks.values_mut().for_each(|rank| rank.read_counters(true));
        self.flush();
        let deadline = Instant::now() + time;
        while !self.outbox.is_empty() {
            tokio::select! {
                Some(event) = link_events.recv() => { self.on_link(event); }
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        self.stats.records_rejected += self.ranks.values().map(|rank| rank.said.rejected).sum::<u64>();
        link_events.close(); // from here on, the end of the stream is no news
        if self.post(from_agent::Message::Goodbye(Goodbye {})) {
            sleep(IDLE).await; // the link task writes it
        }
    }
}
