//! An analyzer that sends what the test scripts, to real agents over real gRPC.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use midrun_proto::v1::agent_server::{Agent, AgentServer};
use midrun_proto::v1::{self, FromAgent, ToAgent, event, from_agent, to_agent};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming};

/// A message that has not come after this time never comes.
const WATCHDOG: Duration = Duration::from_secs(60);

/// The analyzer; dropping it ends it.
pub struct ScriptedAnalyzer {
    /// Its URL.
    pub url: String,
    links: Receiver<Link>,
    _runtime: tokio::runtime::Runtime,
}

/// The stream of one agent; dropping it cuts the stream.
pub struct Link {
    say: mpsc::Sender<Result<ToAgent, Status>>,
    heard: Receiver<from_agent::Message>,
    /// Sequence number of the last batch.
    pub sequence: u64,
    /// Rank 0 has left.
    over: bool,
}

struct Service(Sender<Link>);

#[tonic::async_trait]
impl Agent for Service {
    type LinkStream = ReceiverStream<Result<ToAgent, Status>>;

    async fn link(&self, request: Request<Streaming<FromAgent>>) -> Result<Response<Self::LinkStream>, Status> {
        let (say, said) = mpsc::channel(64);
        let (to, heard) = channel();
        let mut stream = request.into_inner();
        tokio::spawn(async move {
            while let Ok(Some(FromAgent { message: Some(message) })) = stream.message().await {
                if to.send(message).is_err() {
                    break;
                }
            }
        });
        self.0
            .send(Link { say, heard, sequence: 0, over: false })
            .map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(said)))
    }
}

impl ScriptedAnalyzer {
    /// Starts one on a free port.
    pub fn start() -> ScriptedAnalyzer {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let (to, links) = channel();
        let server = tonic::transport::Server::builder().add_service(AgentServer::new(Service(to)));
        runtime.spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        ScriptedAnalyzer { url, links, _runtime: runtime }
    }

    /// Waits for the next stream and answers as an analyzer that has the batches up to `last_sequence`.
    pub fn welcome(&self, last_sequence: u64) -> Link {
        let link = self.links.recv_timeout(WATCHDOG).expect("an agent links");
        let hello = link.heard.recv_timeout(WATCHDOG);
        assert!(matches!(hello, Ok(from_agent::Message::Hello(_))), "a Hello instead of {hello:?}");
        link.say(to_agent::Message::Welcome(v1::Welcome {
            analyzer: "scripted".into(),
            last_sequence,
            analyzer_ns: 0,
        }));
        link
    }
}

impl ScriptedAnalyzer {
    /// Waits for the next stream and refuses its agent.
    pub fn refuse(&self, why: &str) {
        let link = self.links.recv_timeout(WATCHDOG).expect("an agent links");
        link.say(to_agent::Message::Refusal(v1::Refusal { why: why.into() }));
    }
}

impl Link {
    fn say(&self, message: to_agent::Message) {
        // The agent may have gone with its job.
        let _ = self.say.blocking_send(Ok(ToAgent { message: Some(message) }));
    }

    /// Sends an action for a rank's tuning points, to be applied when an iteration starts.
    pub fn act(&self, id: u64, job: &str, rank: u32, values: &[(&str, f64)]) {
        self.phase(id, job, rank, v1::Phase::Unspecified, 0, values);
    }

    /// Sends a phase of a change on all ranks to one of them.
    pub fn phase(&self, id: u64, job: &str, rank: u32, phase: v1::Phase, at: u64, values: &[(&str, f64)]) {
        let assignment = |(tuning_point, value): &(&str, f64)| v1::Assignment {
            tuning_point: (*tuning_point).into(),
            value: Some(v1::assignment::Value::Number(*value)),
        };
        self.say(to_agent::Message::Action(v1::Action {
            id,
            rank: Some(v1::RankId { job: job.into(), rank }),
            assignments: values.iter().map(assignment).collect(),
            when: v1::When::IterationStart.into(),
            time_to_live_ms: 60_000,
            phase: phase.into(),
            at,
            ..v1::Action::default()
        }));
    }

    /// Sends an action that gives a text to a rank's tuning point at its next safe point.
    pub fn act_text(&self, id: u64, job: &str, rank: u32, (tuning_point, text): (&str, &str)) {
        let value = Some(v1::assignment::Value::Text(text.into()));
        self.say(to_agent::Message::Action(v1::Action {
            id,
            rank: Some(v1::RankId { job: job.into(), rank }),
            assignments: vec![v1::Assignment { tuning_point: tuning_point.into(), value }],
            when: v1::When::Now.into(),
            time_to_live_ms: 60_000,
            ..v1::Action::default()
        }));
    }

    /// Acknowledges the next batch and returns its events with their ranks; `None` when rank 0 has left or the stream has ended.
    pub fn events(&mut self) -> Option<Vec<(u32, event::Kind)>> {
        while !self.over {
            match self.heard.recv_timeout(WATCHDOG) {
                Ok(from_agent::Message::Batch(batch)) => {
                    self.sequence = batch.sequence;
                    self.over = batch.left.iter().any(|left| left.id.as_ref().is_some_and(|id| id.rank == 0));
                    self.say(to_agent::Message::BatchAck(v1::BatchAck { sequence: batch.sequence }));
                    return Some(unpacked(batch));
                }
                Ok(from_agent::Message::Goodbye(_)) => break,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(error) => panic!("the agent says nothing: {error}"),
            }
        }
        None
    }
}

fn unpacked(batch: v1::Batch) -> Vec<(u32, event::Kind)> {
    let of_report = |report: v1::RankReport| {
        let rank = report.id.map_or(u32::MAX, |id| id.rank);
        report.events.into_iter().filter_map(move |event| Some((rank, event.kind?)))
    };
    batch.reports.into_iter().flat_map(of_report).collect()
}
