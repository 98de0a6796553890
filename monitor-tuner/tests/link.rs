//! The agent between real segments and a scripted analyzer behind real gRPC: what is lost, refused, repeated.

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use midrun_agent::config::Config;
use midrun_agent::{AgentError, Stats};
use midrun_proto::keys::{Keys, make};
use midrun_proto::tls::Credentials;
use midrun_proto::v1::agent_server::{Agent as AgentService, AgentServer};
use midrun_proto::v1::{self, ActionStatus, FromAgent, ToAgent, event, from_agent, to_agent};
use midrun_ring::attach::send_segment;
use midrun_ring::{Command, Identity, Record, Segment, TuningPointKind, TuningPointSlot, kind};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming};

/// A test that hangs says so.
const WATCHDOG: Duration = Duration::from_secs(30);

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(WATCHDOG, future).await.expect("the watchdog ended the wait")
}

/// One stream, seen from the analyzer.
struct Link {
    hear: Streaming<FromAgent>,
    say: mpsc::Sender<Result<ToAgent, Status>>,
}

impl Link {
    async fn say(&self, message: to_agent::Message) {
        self.say.send(Ok(ToAgent { message: Some(message) })).await.unwrap();
    }

    /// Says Welcome; 0: without the analyzer's clock.
    async fn welcome(&self, last_sequence: u64, analyzer_ns: u64) {
        let welcome = v1::Welcome { analyzer: "scripted".into(), last_sequence, analyzer_ns };
        self.say(to_agent::Message::Welcome(welcome)).await;
    }

    /// The next message that is not about clocks.
    async fn hear(&mut self) -> Option<from_agent::Message> {
        loop {
            match self.hear.message().await.ok().flatten()?.message? {
                from_agent::Message::TimeProbe(_) => {}
                other => return Some(other),
            }
        }
    }

    async fn batch(&mut self) -> v1::Batch {
        match soon(self.hear()).await {
            Some(from_agent::Message::Batch(batch)) => batch,
            other => panic!("a batch instead of {other:?}"),
        }
    }

    async fn acknowledge(&self, sequence: u64) {
        self.say(to_agent::Message::BatchAck(v1::BatchAck { sequence })).await;
    }

    /// Hears batches, acknowledging each, until one has what `wanted` looks for.
    async fn until<T>(&mut self, mut wanted: impl FnMut(&v1::Batch) -> Option<T>) -> T {
        let found = async {
            loop {
                let batch = self.batch().await;
                self.acknowledge(batch.sequence).await;
                if let Some(found) = wanted(&batch) {
                    break found;
                }
            }
        };
        soon(found).await
    }
}

struct Scripted(mpsc::Sender<Link>);

#[tonic::async_trait]
impl AgentService for Scripted {
    type LinkStream = ReceiverStream<Result<ToAgent, Status>>;

    async fn link(&self, request: Request<Streaming<FromAgent>>) -> Result<Response<Self::LinkStream>, Status> {
        let (say, said) = mpsc::channel(64);
        let _ = self.0.send(Link { hear: request.into_inner(), say }).await;
        Ok(Response::new(ReceiverStream::new(said)))
    }
}

/// An analyzer that says what the test tells it to.
struct Analyzer {
    address: SocketAddr,
    links: mpsc::Receiver<Link>,
    /// Accepted so far.
    connections: Arc<AtomicUsize>,
    server: JoinHandle<()>,
}

impl Analyzer {
    async fn start() -> Analyzer {
        Analyzer::at("127.0.0.1:0".parse().unwrap()).await
    }

    async fn at(address: SocketAddr) -> Analyzer {
        Analyzer::with(address, None).await
    }

    async fn with(address: SocketAddr, credentials: Option<Credentials>) -> Analyzer {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (to, links) = mpsc::channel(8);
        let mut builder = tonic::transport::Server::builder();
        if let Some(credentials) = credentials {
            builder = builder.tls_config(credentials.server()).unwrap();
        }
        let service = builder.add_service(AgentServer::new(Scripted(to)));
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        let incoming = TcpListenerStream::new(listener).map(move |connection| {
            count.fetch_add(1, Ordering::Relaxed);
            connection
        });
        let server = tokio::spawn(async move {
            let _ = service.serve_with_incoming(incoming).await;
        });
        Analyzer { address, links, connections, server }
    }

    /// Nobody listens there any more.
    async fn die(self) -> SocketAddr {
        self.server.abort();
        let _ = soon(self.server).await;
        self.address
    }

    /// The next stream, its Hello heard and not answered.
    async fn greeted(&mut self) -> (Link, v1::Hello) {
        let mut link = soon(self.links.recv()).await.expect("a link");
        match soon(link.hear()).await {
            Some(from_agent::Message::Hello(hello)) => (link, hello),
            other => panic!("a Hello instead of {other:?}"),
        }
    }

    async fn welcomed(&mut self, last_sequence: u64) -> (Link, v1::Hello) {
        let (link, hello) = self.greeted().await;
        link.welcome(last_sequence, 0).await;
        (link, hello)
    }
}

struct Agent {
    socket: PathBuf,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<Stats, AgentError>>,
    _directory: tempfile::TempDir,
}

impl Agent {
    fn start(analyzer: SocketAddr, linger_s: u64) -> Agent {
        Agent::with(analyzer, Config { linger_s, ..Config::default() })
    }

    fn with(analyzer: SocketAddr, config: Config) -> Agent {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("a.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let scheme = if config.credentials.is_some() { "https" } else { "http" };
        let config = Config { analyzer: format!("{scheme}://{analyzer}"), drain_ms: 200, ..config };
        let ended = tokio::spawn(midrun_agent::run(config, listener, midrun_agent::nobody(), async {
            let _ = stopped.await;
        }));
        Agent { socket, stop, ended, _directory: directory }
    }

    async fn stop(self) -> Stats {
        self.stop.send(()).unwrap();
        soon(self.ended).await.unwrap().unwrap()
    }
}

/// A rank as the shim makes one, without MPI.
struct Rank {
    segment: Segment,
    socket: UnixStream,
}

impl Rank {
    fn attach(agent: &Agent, rank: u32) -> Rank {
        Rank::of_launch(agent, rank, "")
    }

    fn of_launch(agent: &Agent, rank: u32, launch: &str) -> Rank {
        let (job, mpi, launch) = ("j".into(), "none".into(), launch.into());
        let identity = Identity { rank, world_size: 2, job, mpi, launch, ..Identity::default() };
        let (segment, memory) = Segment::create(&identity, 1, 1024).unwrap();
        let socket = UnixStream::connect(&agent.socket).unwrap();
        send_segment(socket.as_fd(), memory.as_fd()).unwrap();
        Rank { segment, socket }
    }

    fn ends_iterations(&self, iterations: std::ops::Range<u64>) {
        let mut lane = self.segment.producer(0);
        for iteration in iterations {
            let payload = [iteration, 1, 1, 5, 0, 0];
            let record = Record { kind: kind::ITERATION_END, flags: 0, time_ns: 9, payload };
            assert!(lane.push(&record.to_words()));
        }
    }
}

fn events(batch: &v1::Batch) -> impl Iterator<Item = &event::Kind> {
    batch.reports.iter().flat_map(|report| &report.events).filter_map(|event| event.kind.as_ref())
}

/// Iterations that a batch says were ended.
fn ended(batch: &v1::Batch) -> Vec<u64> {
    let number = |kind: &event::Kind| match kind {
        event::Kind::IterationEnded(ended) => Some(ended.iteration),
        _ => None,
    };
    events(batch).filter_map(number).collect()
}

fn joined(batch: &v1::Batch) -> Option<u32> {
    batch.joined.first().and_then(|joined| joined.id.as_ref()).map(|id| id.rank)
}

#[tokio::test]
async fn what_was_not_acknowledged_is_sent_again_to_an_analyzer_that_comes_back() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    let rank = Rank::attach(&agent, 0);
    let taken = link.until(|batch| joined(batch).map(|_| batch.sequence)).await;
    rank.ends_iterations(0..1);
    let lost = link.batch().await; // it comes, and nobody says so
    assert_eq!((ended(&lost), lost.sequence), (vec![0], taken + 1));

    let address = analyzer.die().await;
    drop(link);
    let mut analyzer = Analyzer::at(address).await;
    let (mut link, hello) = analyzer.welcomed(taken).await;
    assert_eq!(hello.ranks.len(), 1, "the Hello names who is attached");
    let again = link.batch().await;
    assert_eq!((again.sequence, ended(&again)), (lost.sequence, vec![0]));
    link.acknowledge(again.sequence).await;
    assert_eq!(agent.stop().await.events_dropped, 0);
}

#[tokio::test]
async fn what_an_analyzer_has_already_is_not_sent_again() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let rank = Rank::attach(&agent, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    let first = link.batch().await;
    drop(link); // taken, but the acknowledgement was lost with the link
    let (mut link, _) = analyzer.welcomed(first.sequence).await;
    rank.ends_iterations(0..1);
    let next = link.batch().await;
    assert!(next.sequence > first.sequence && next.joined.is_empty());
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_shows_what_the_owner_has_set_to_every_analyzer() {
    let mut analyzer = Analyzer::start().await;
    let options = Some(v1::OpenJobRequest { dry_run: true, ..Default::default() });
    let at_start = v1::OwnerSettings { job: "j".into(), options: options.clone(), ..Default::default() };
    let config = Config { owner_settings: Some(at_start.clone()), options_follow: true, ..Config::default() };
    let agent = Agent::with(analyzer.address, config);
    let (link, hello) = analyzer.welcomed(0).await;
    assert_eq!((hello.owner_settings, hello.options_follow), (vec![at_start], true));
    let frozen = v1::OwnerSettings {
        job: "j".into(),
        version: 2,
        options,
        mode: v1::ManualMode::Frozen.into(),
        mode_revision: 7,
        ..Default::default()
    };
    link.say(to_agent::Message::OwnerSettings(Box::new(frozen.clone()))).await;
    let mut link = link;
    let kept = soon(link.hear()).await;
    assert_eq!(
        kept,
        Some(from_agent::Message::OwnerSettingsKept(v1::OwnerSettingsKept { job: "j".into(), version: 2 }))
    );
    let address = analyzer.die().await;
    drop(link);
    let mut analyzer = Analyzer::at(address).await;
    let (_link, hello) = analyzer.welcomed(0).await;
    assert_eq!(hello.owner_settings, [frozen]);
    agent.stop().await;
}

#[tokio::test]
async fn an_analyzer_that_comes_late_hears_everything() {
    let address = Analyzer::start().await.die().await;
    let agent = Agent::start(address, 0);
    let rank = Rank::attach(&agent, 0);
    rank.ends_iterations(0..5);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut analyzer = Analyzer::at(address).await;
    let (mut link, _) = analyzer.welcomed(0).await;
    let mut heard = Vec::new();
    link.until(|batch| {
        heard.extend(ended(batch));
        (heard.len() == 5).then_some(())
    })
    .await;
    assert_eq!(heard, [0, 1, 2, 3, 4]);
    agent.stop().await;
}

#[tokio::test]
async fn batches_carry_the_offset_of_the_analyzer_that_gets_them_also_those_from_before_its_link() {
    let host_ns = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    };
    let address = Analyzer::start().await.die().await;
    let agent = Agent::start(address, 0);
    let rank = Rank::attach(&agent, 0);
    rank.ends_iterations(0..2);
    tokio::time::sleep(Duration::from_millis(50)).await;
    // Two analyzers after each other, on hosts whose clocks are hours apart; the first one acknowledges nothing.
    for ahead_s in [7_000, 90_000] {
        let ahead_ns = ahead_s * 1_000_000_000;
        let mut analyzer = Analyzer::at(address).await;
        let (mut link, _) = analyzer.greeted().await;
        link.welcome(0, host_ns() + ahead_ns).await;
        let mut heard = Vec::new();
        while heard.len() < 2 {
            let batch = link.batch().await;
            let off = batch.clock_offset_ns.abs_diff(ahead_ns as i64);
            assert!(batch.clock_error_ns > 0 && off <= batch.clock_error_ns, "{off} of {}", batch.clock_error_ns);
            heard.extend(ended(&batch));
        }
        assert_eq!(heard, [0, 1]);
        drop(link);
        analyzer.die().await;
    }
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_is_refused_ends_and_says_why() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let (link, _) = analyzer.greeted().await;
    link.say(to_agent::Message::Refusal(v1::Refusal { why: "the token is not the right one".into() })).await;
    let error = soon(agent.ended).await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the analyzer refused this agent: the token is not the right one");
}

#[tokio::test]
async fn a_second_process_with_the_number_of_a_live_rank_is_left_alone_until_that_one_has_gone() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    let first = Rank::attach(&agent, 0);
    link.until(joined).await;
    let second = Rank::attach(&agent, 0);
    second.ends_iterations(7..8);
    let other = Rank::attach(&agent, 1);
    first.ends_iterations(0..1);
    other.ends_iterations(1..2);
    let mut heard = Vec::new();
    link.until(|batch| {
        heard.extend(ended(batch));
        (heard.len() == 2).then_some(())
    })
    .await;
    heard.sort_unstable();
    assert_eq!(heard, [0, 1], "nothing of the second one");
    drop(first);
    link.until(|batch| joined(batch).filter(|rank| *rank == 0)).await;
    link.until(|batch| (ended(batch) == [7]).then_some(())).await;
    drop(second);
    let third = Rank::attach(&agent, 0);
    link.until(|batch| joined(batch).filter(|rank| *rank == 0)).await;
    third.ends_iterations(9..10);
    link.until(|batch| (ended(batch) == [9]).then_some(())).await;
    assert_eq!(agent.stop().await.ranks, 4);
}

#[tokio::test]
async fn a_second_launch_waits_as_a_whole_until_the_first_one_has_ended() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    let first = Rank::of_launch(&agent, 0, "hydra:h1-4000");
    link.until(joined).await;
    let others = [1, 0].map(|rank| Rank::of_launch(&agent, rank, "hydra:h1-4001"));
    let last = Rank::of_launch(&agent, 1, "hydra:h1-4000");
    assert_eq!(link.until(joined).await, 1, "of the first launch: the second one's rank 1 came before");
    others.iter().for_each(|rank| rank.ends_iterations(7..8));
    last.ends_iterations(0..1);
    link.until(|batch| (ended(batch) == [0]).then_some(())).await;
    drop(first);
    drop(last);
    let mut came = Vec::new();
    link.until(|batch| {
        came.extend(batch.joined.iter().filter_map(|joined| Some(joined.id.as_ref()?.rank)));
        (came.len() == 2).then_some(())
    })
    .await;
    drop(others);
    assert_eq!(agent.stop().await.ranks, 4);
}

#[tokio::test]
async fn a_stranger_who_takes_the_place_of_a_dead_analyzer_gives_no_orders() {
    let keys = || make(&["analyzer".into()], "analyzer").unwrap();
    let (Keys { analyzer: ours, client }, others) = (keys(), keys());
    let mut analyzer = Analyzer::with("127.0.0.1:0".parse().unwrap(), Some(ours.clone())).await;
    let config = Config { credentials: Some(client.clone()), ..Config::default() };
    let agent = Agent::with(analyzer.address, config);
    let rank = Rank::attach(&agent, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    link.until(joined).await;
    let address = analyzer.die().await;
    drop(link);

    // Whom the agent would obey, it greets. A client of the same job has the agent's own key, and passes for no analyzer either.
    for credentials in [None, Some(others.analyzer), Some(client)] {
        let mut stranger = Analyzer::with(address, credentials).await;
        let tried = async {
            while stranger.connections.load(Ordering::Relaxed) == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        soon(tried).await;
        let greeted = tokio::time::timeout(Duration::from_millis(300), stranger.links.recv()).await;
        assert!(greeted.is_err(), "the agent spoke to a stranger");
        stranger.die().await;
    }
    let mut analyzer = Analyzer::with(address, Some(ours)).await;
    let (mut link, hello) = analyzer.welcomed(1).await;
    assert_eq!(hello.ranks.len(), 1, "it was there all the time, and tried");
    rank.ends_iterations(0..1);
    link.until(|batch| (ended(batch) == [0]).then_some(())).await;
    agent.stop().await;
}

#[tokio::test]
async fn strangers_at_the_socket_do_not_disturb_the_ranks() {
    use std::io::Write;
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    let _silent = UnixStream::connect(&agent.socket).unwrap();
    let mut loud = UnixStream::connect(&agent.socket).unwrap();
    let _ = loud.write_all(&[0xff; 4096]);
    let wrong = UnixStream::connect(&agent.socket).unwrap();
    let file = tempfile::tempfile().unwrap(); // a descriptor, but of no segment
    send_segment(wrong.as_fd(), file.as_fd()).unwrap();
    let rank = Rank::attach(&agent, 1);
    assert_eq!(link.until(joined).await, 1);
    rank.ends_iterations(0..1);
    link.until(|batch| (ended(batch) == [0]).then_some(())).await;
    assert_eq!(agent.stop().await.ranks, 1);
}

#[tokio::test]
async fn an_action_reaches_the_ranks_ring_and_one_for_nobody_is_answered() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    let rank = Rank::attach(&agent, 0);
    link.until(joined).await;
    let tuning_point = TuningPointSlot {
        name: "x".into(),
        kind: TuningPointKind::Real,
        minimum: 0.0,
        maximum: 1.0,
        declared: 0.5,
        value: 0.5,
    };
    rank.segment.declare_tuning_point(&tuning_point);
    let action = |id, rank, value| {
        to_agent::Message::Action(v1::Action {
            id,
            rank: Some(v1::RankId { job: "j".into(), rank }),
            assignments: vec![v1::Assignment {
                tuning_point: "x".into(),
                value: Some(v1::assignment::Value::Number(value)),
            }],
            time_to_live_ms: 60_000,
            ..Default::default()
        })
    };
    let answer = |batch: &v1::Batch| {
        events(batch).find_map(|kind| match kind {
            event::Kind::ActionResult(result) => Some((result.action, result.status())),
            _ => None,
        })
    };
    link.say(action(1, 9, 0.1)).await;
    assert_eq!(link.until(answer).await, (1, ActionStatus::Undeliverable));
    link.say(action(2, 0, 7.0)).await;
    assert_eq!(link.until(answer).await, (2, ActionStatus::RefusedRange));
    link.say(action(3, 0, 0.25)).await;
    let mut commands = rank.segment.command_consumer();
    let arrived = async {
        loop {
            match Command::read(|| commands.pop()).flatten() {
                Some(command) => break command,
                None => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
    };
    let command = soon(arrived).await;
    assert_eq!((command.action, command.count, command.assignments[0].value), (3, 1, 0.25));
    assert_eq!(agent.stop().await.actions_delivered, 1);
}

#[tokio::test]
async fn ranks_of_an_agent_that_died_are_watched_until_they_attach_or_end() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 0);
    let (mut link, _) = analyzer.welcomed(0).await;
    let mut children: Vec<std::process::Child> =
        (0..3).map(|_| std::process::Command::new("sleep").arg("1000").spawn().unwrap()).collect();
    let ranks = children.iter().zip(0..).map(|(child, rank)| v1::RankJoined {
        id: Some(v1::RankId { job: "j".into(), rank }),
        pid: child.id(),
        time_ns: u64::MAX,
        ..v1::RankJoined::default()
    });
    let unattended = v1::RanksUnattended { ranks: ranks.collect() };
    let attached = Rank::attach(&agent, 0);
    link.until(|batch| (!batch.joined.is_empty()).then_some(())).await;
    children.iter_mut().take(2).for_each(|child| child.kill().unwrap());
    link.say(to_agent::Message::RanksUnattended(unattended)).await;
    let left = |batch: &v1::Batch| {
        let of = |left: &v1::RankLeft| (left.id.as_ref().map_or(9, |id| id.rank), left.unattended);
        (!batch.left.is_empty()).then(|| batch.left.iter().map(of).collect::<Vec<_>>())
    };
    // Rank 0 is attached: its connection tells of its end.
    assert_eq!(link.until(left).await, [(1, true)]);
    children[2].kill().unwrap();
    assert_eq!(link.until(left).await, [(2, true)]);
    drop(attached.socket);
    assert_eq!(link.until(left).await, [(0, false)]);
    children.iter_mut().for_each(|child| drop(child.wait()));
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_of_one_job_ends_after_its_last_rank_with_everything_reported() {
    let mut analyzer = Analyzer::start().await;
    let agent = Agent::start(analyzer.address, 1);
    let (mut link, _) = analyzer.welcomed(0).await;
    let (one, two) = (Rank::attach(&agent, 0), Rank::attach(&agent, 1));
    let mut here = 0;
    link.until(|batch| {
        here += batch.joined.len();
        (here == 2).then_some(())
    })
    .await;
    one.ends_iterations(3..4);
    one.segment.set_finalized(1);
    drop(one.socket);
    drop(two.socket);
    let mut left = Vec::new();
    link.until(|batch| {
        left.extend(batch.left.iter().map(|left| (left.id.as_ref().map_or(9, |id| id.rank), left.finalized)));
        (left.len() == 2).then_some(())
    })
    .await;
    left.sort_unstable();
    assert_eq!(left, [(0, true), (1, false)]);
    assert_eq!(soon(agent.ended).await.unwrap().unwrap().ranks, 2);
    drop(agent.stop);
}

/// An agent that was started for job `j`, as `midrun exec` starts one.
fn of_job(analyzer: SocketAddr, credentials: &Credentials) -> Agent {
    let config = Config {
        options_follow: true,
        job_token: "secret".into(),
        credentials: Some(credentials.clone()),
        ..Config::default()
    };
    Agent::with(analyzer, config)
}

/// What an agent carries for others.
struct Carried {
    by: Link,
    heard: std::collections::VecDeque<v1::FromChild>,
}

impl Carried {
    fn new(by: Link) -> Carried {
        Carried { by, heard: Default::default() }
    }

    /// The next message that is not about clocks, with the number of its stream; none where that has ended.
    async fn hear(&mut self) -> (u64, Option<from_agent::Message>) {
        soon(self.next()).await
    }

    async fn next(&mut self) -> (u64, Option<from_agent::Message>) {
        loop {
            while let Some(v1::FromChild { child, message }) = self.heard.pop_front() {
                match message.and_then(|message| message.message) {
                    Some(from_agent::Message::TimeProbe(_)) => {}
                    other => return (child, other),
                }
            }
            match self.by.hear().await {
                Some(from_agent::Message::FromChildren(said)) => self.heard.extend(said.messages),
                Some(_) => {}
                None => panic!("the carrying agent's stream has ended"),
            }
        }
    }
}

async fn say_to(link: &Link, child: u64, message: to_agent::Message) {
    let to = v1::ToChild { child, message: Some(ToAgent { message: Some(message) }) };
    link.say(to_agent::Message::ToChildren(v1::ToChildren { messages: vec![to] })).await;
}

#[tokio::test]
async fn an_agent_carries_another_and_when_it_dies_that_one_goes_on_with_what_was_not_acknowledged() {
    let Keys { analyzer: own, client } = make(&["127.0.0.1".into()], "127.0.0.1").unwrap();
    let mut analyzer = Analyzer::with("127.0.0.1:0".parse().unwrap(), Some(own)).await;
    let parent = of_job(analyzer.address, &client);
    let (mut upper, hello) = analyzer.welcomed(0).await;
    assert!(hello.takes_parent);
    upper.say(to_agent::Message::TakeChildren(v1::TakeChildren {})).await;
    let url = match soon(upper.hear()).await {
        Some(from_agent::Message::TakesChildren(takes)) => takes.url,
        other => panic!("where it takes children, instead of {other:?}"),
    };
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");

    let child = of_job(analyzer.address, &client);
    let rank = Rank::attach(&child, 1);
    let (link, hello) = analyzer.greeted().await;
    assert!(hello.takes_parent);
    // Nobody is at the first one.
    let urls = vec!["https://127.0.0.1:1".into(), url];
    link.say(to_agent::Message::Parents(v1::Parents { urls })).await;
    let mut upper = Carried::new(upper);
    let (number, hello) = upper.hear().await;
    let Some(from_agent::Message::Hello(hello)) = hello else { panic!("a Hello instead of {hello:?}") };
    assert!(!hello.takes_parent && hello.token == "secret");
    let welcome = v1::Welcome { analyzer: "scripted".into(), ..Default::default() };
    say_to(&upper.by, number, to_agent::Message::Welcome(welcome)).await;
    let mut taken = 0;
    rank.ends_iterations(0..1);
    while taken == 0 {
        let Some(from_agent::Message::Batch(batch)) = upper.hear().await.1 else { panic!("a batch") };
        say_to(&upper.by, number, to_agent::Message::BatchAck(v1::BatchAck { sequence: batch.sequence })).await;
        taken = if ended(&batch) == [0] { batch.sequence } else { 0 };
    }
    rank.ends_iterations(1..2);
    let Some(from_agent::Message::Batch(lost)) = upper.hear().await.1 else { panic!("a batch") };
    assert_eq!((lost.sequence, ended(&lost)), (taken + 1, vec![1]), "it is not acknowledged");

    parent.stop().await;
    let (mut link, hello) = analyzer.welcomed(taken).await;
    assert!(!hello.takes_parent && hello.ranks.len() == 1, "no parent is left: {hello:?}");
    let again = link.batch().await;
    assert_eq!((again.sequence, ended(&again)), (lost.sequence, vec![1]));
    link.acknowledge(again.sequence).await;
    assert_eq!(child.stop().await.events_dropped, 0);
}

#[tokio::test]
async fn an_agent_carries_none_of_another_job_and_none_while_it_has_no_way_to_the_analyzer() {
    let Keys { analyzer: own, client } = make(&["127.0.0.1".into()], "127.0.0.1").unwrap();
    let mut analyzer = Analyzer::with("127.0.0.1:0".parse().unwrap(), Some(own)).await;
    let parent = of_job(analyzer.address, &client);
    let (mut upper, _) = analyzer.welcomed(0).await;
    upper.say(to_agent::Message::TakeChildren(v1::TakeChildren {})).await;
    let Some(from_agent::Message::TakesChildren(v1::TakesChildren { url })) = soon(upper.hear()).await else {
        panic!("it takes children")
    };
    let stranger = midrun_proto::tls::endpoint(&url, Some(&client)).unwrap();
    stranger.connect().await.expect_err("who looks for an analyzer does not take it for one");
    let channel = midrun_proto::tls::parent(&url, Some(&client)).unwrap().connect().await.unwrap();
    let mut agents = v1::agent_client::AgentClient::new(channel);
    let hello = |token: &str| {
        let hello = v1::Hello { token: token.into(), ..Default::default() };
        tokio_stream::iter([FromAgent { message: Some(from_agent::Message::Hello(hello)) }])
            .chain(tokio_stream::pending())
    };
    let mut other = soon(agents.link(hello("other"))).await.unwrap().into_inner();
    assert_eq!(soon(other.message()).await.unwrap_err().code(), tonic::Code::Unavailable);
    let mut upper = Carried::new(upper);
    let mut same = soon(agents.link(hello("secret"))).await.unwrap().into_inner();
    assert!(matches!(upper.hear().await, (_, None)), "the end of the first one");
    assert!(matches!(upper.hear().await, (_, Some(from_agent::Message::Hello(_)))));

    drop(upper);
    analyzer.die().await;
    assert_eq!(soon(same.message()).await.ok().flatten(), None, "the child shall look for another way");
    let refused = soon(agents.link(hello("secret"))).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::Unavailable);
    parent.stop().await;
}
