//! An analyzer that sends without an end, and takes what it is sent or nothing.

use midrun_proto::v1::admin_server::{Admin, AdminServer};
use midrun_proto::v1::agent_server::{Agent, AgentServer};
use midrun_proto::v1::{self, FromAgent, ToAgent, to_agent};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming};

/// Bytes of the texts that it sends.
const TEXT: usize = 1024;
/// Names and ranks that are told with one message.
const MANY: u64 = 1024;

/// It runs until it is dropped.
pub struct Flood {
    /// Its URL.
    pub url: String,
    sent: Arc<AtomicU64>,
    _runtime: tokio::runtime::Runtime,
}

impl Flood {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// No port is free.
    pub fn start() -> std::io::Result<Flood> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let url = format!("http://{}", listener.local_addr()?);
        let service = Service(Arc::default());
        let sent = Arc::clone(&service.0);
        let server = tonic::transport::Server::builder()
            .add_service(AgentServer::new(service.clone()))
            .add_service(AdminServer::new(service));
        runtime.spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Ok(Flood { url, sent, _runtime: runtime })
    }

    /// Messages that left it so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

/// Counts the messages that it sends.
#[derive(Clone)]
struct Service(Arc<AtomicU64>);

type Endless<T> = ReceiverStream<Result<T, Status>>;

impl Service {
    /// A stream of what `make` makes of its number, without an end.
    fn endless<T: Send + 'static>(&self, make: impl Fn(u64) -> T + Send + 'static) -> Response<Endless<T>> {
        let (say, said) = mpsc::channel(64);
        let sent = Arc::clone(&self.0);
        tokio::spawn(async move {
            let mut number = 0;
            while say.send(Ok(make(number))).await.is_ok() {
                number += 1;
                sent.fetch_add(1, Ordering::Relaxed);
            }
        });
        Response::new(ReceiverStream::new(said))
    }
}

/// A text that differs from all others.
fn text(number: u64) -> String {
    format!("{number:0TEXT$}")
}

#[tonic::async_trait]
impl Agent for Service {
    type LinkStream = Endless<ToAgent>;

    async fn link(&self, request: Request<Streaming<FromAgent>>) -> Result<Response<Self::LinkStream>, Status> {
        let mut stream = request.into_inner();
        // Nothing is acknowledged.
        tokio::spawn(async move { while let Ok(Some(_)) = stream.message().await {} });
        Ok(self.endless(|number| ToAgent { message: Some(message(number)) }))
    }
}

/// A greeting, then of everything that an analyzer says something new.
fn message(number: u64) -> to_agent::Message {
    let rank = v1::RankId { job: text(number), rank: number as u32 };
    match number {
        0 => to_agent::Message::Welcome(v1::Welcome { analyzer: "flood".into(), last_sequence: 0, analyzer_ns: 1 }),
        _ if number % 4 == 1 => to_agent::Message::Action(v1::Action {
            id: number,
            rank: Some(rank),
            assignments: vec![v1::Assignment {
                tuning_point: text(number),
                value: Some(v1::assignment::Value::Text(text(number))),
            }],
            time_to_live_ms: u64::MAX,
            ..Default::default()
        }),
        _ if number % 4 == 2 => to_agent::Message::OwnerSettings(Box::new(v1::OwnerSettings {
            job: text(number),
            version: number,
            options: Some(v1::OpenJobRequest { search: text(number), ..Default::default() }),
            ..Default::default()
        })),
        // This process runs: nobody finds that these have ended.
        _ if number % 4 == 3 => to_agent::Message::RanksUnattended(v1::RanksUnattended {
            ranks: (0..MANY)
                .map(|k| v1::RankJoined {
                    id: Some(v1::RankId { job: format!("{number}"), rank: k as u32 }),
                    pid: std::process::id(),
                    ..Default::default()
                })
                .collect(),
        }),
        _ => to_agent::Message::TimeReply(v1::TimeReply { agent_ns: number, analyzer_ns: number }),
    }
}

#[tonic::async_trait]
impl Admin for Service {
    async fn open_job(&self, _: Request<v1::OpenJobRequest>) -> Result<Response<v1::OpenJobReply>, Status> {
        Ok(Response::new(v1::OpenJobReply {}))
    }

    type WatchStream = Endless<v1::Notice>;

    async fn watch(&self, _: Request<v1::WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        Ok(self.endless(|number| v1::Notice { text: text(number), json: format!("{{\"event\":\"{number}\"}}") }))
    }

    async fn get_summary(&self, _: Request<v1::SummaryRequest>) -> Result<Response<v1::SummaryReply>, Status> {
        Err(Status::unimplemented("nobody asks"))
    }

    async fn close_job(&self, _: Request<v1::CloseJobRequest>) -> Result<Response<v1::SummaryReply>, Status> {
        Err(Status::unavailable("no summary"))
    }

    async fn list_jobs(&self, _: Request<v1::ListJobsRequest>) -> Result<Response<v1::ListJobsReply>, Status> {
        Err(Status::unimplemented("nobody asks"))
    }

    async fn get_status(&self, _: Request<v1::StatusRequest>) -> Result<Response<v1::StatusReply>, Status> {
        Err(Status::unimplemented("nobody asks"))
    }

    type FollowStream = Endless<v1::StatusUpdate>;

    async fn follow(&self, _: Request<v1::FollowRequest>) -> Result<Response<Self::FollowStream>, Status> {
        Ok(self.endless(|number| v1::StatusUpdate { json: format!("{{\"{number}\": \"{}\"}}", text(number)) }))
    }

    async fn control(&self, _: Request<v1::ControlRequest>) -> Result<Response<v1::ControlReply>, Status> {
        Err(Status::unimplemented("nobody asks"))
    }
}
