//! Carries the streams of other agents of the same job, the children, on this agent's own stream (ADR 0025). What they say and hear stays as it
//! is; nothing is kept here: a child whose way is blocked waits, and keeps its batches itself.

use crate::limits::{CHILDREN, CONNECT, JOINED_BYTES, JOINED_MESSAGES, WAITING_BYTES};
use midrun_proto::connections;
use midrun_proto::links::{LINK_QUEUE, Line, Links, Outgoing};
use midrun_proto::tls::Credentials;
use midrun_proto::token::same;
use midrun_proto::v1::agent_server::{Agent as AgentService, AgentServer};
use midrun_proto::v1::from_agent::Message as Said;
use midrun_proto::v1::{FromAgent, FromChild, FromChildren, TakesChildren, ToChildren};
use prost::Message;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::transport::server::Router;
use tonic::{Request, Response, Status, Streaming};

/// An open port: its URL, and what serves there until it ends.
pub type Port = (String, Pin<Box<dyn Future<Output = Result<(), tonic::transport::Error>> + Send>>);

/// Opens a port, in surroundings that are given, where the router will serve.
pub type OpenPort = Arc<dyn Fn(Router) -> Pin<Box<dyn Future<Output = io::Result<Port>> + Send>> + Send + Sync>;

/// Connections at such a port.
pub const CONNECTIONS: usize = CHILDREN + connections::STRANGERS;

/// A message of a child on its way up, with its share of the room for such messages.
struct Rising {
    message: FromChild,
    _room: Option<OwnedSemaphorePermit>,
}

/// Who carries the children of an agent, and whom it takes.
struct Shared {
    token: String,
    job_token: String,
    credentials: Option<Credentials>,
    open: OpenPort,
    /// The way up, while there is one.
    up: Mutex<Option<Sender<Rising>>>,
    links: Links,
    next: AtomicU64,
    room: Arc<Semaphore>,
    carried: AtomicUsize,
    /// Where children come in, once the port is open, and the task that listens there.
    url: OnceCell<String>,
    server: Mutex<Option<JoinHandle<()>>>,
}

/// The children of an agent.
#[derive(Clone)]
pub struct Children(Arc<Shared>);

impl Children {
    /// None so far. Children show `token` and are of the job of `job_token`; they come in where `open` opens a port.
    pub fn new(token: &str, job_token: &str, credentials: Option<Credentials>, open: OpenPort) -> Children {
        Children(Arc::new(Shared {
            token: token.to_owned(),
            job_token: job_token.to_owned(),
            credentials,
            open,
            up: Mutex::default(),
            links: Links::default(),
            next: AtomicU64::new(1),
            room: Arc::new(Semaphore::new(WAITING_BYTES)),
            carried: AtomicUsize::new(0),
            url: OnceCell::new(),
            server: Mutex::default(),
        }))
    }

    /// Children that are carried.
    pub fn count(&self) -> usize {
        self.0.carried.load(Ordering::Relaxed)
    }

    /// The analyzer wants this agent to carry others on the stream `up`.
    pub fn take(&self, up: Sender<FromAgent>) {
        let shared = self.0.clone();
        let (to, rising) = channel(JOINED_MESSAGES);
        *locked(&shared.up) = Some(to);
        tokio::spawn(async move {
            match shared.url.get_or_try_init(|| serve(shared.clone())).await {
                Ok(url) => {
                    let takes = Said::TakesChildren(TakesChildren { url: url.clone() });
                    if up.send(FromAgent { message: Some(takes) }).await.is_ok() {
                        raise(rising, up).await;
                    }
                }
                Err(error) => tracing::warn!(%error, "this agent can carry no others"),
            }
        });
    }

    /// Messages to children.
    pub fn on_received(&self, down: ToChildren) {
        for to in down.messages {
            match to.message {
                Some(message) => drop(self.0.links.send(to.child, message)),
                None => drop(self.0.links.end(to.child)),
            }
        }
    }

    /// The own stream has ended: the children look for another way.
    pub fn on_lost(&self) {
        *locked(&self.0.up) = None;
        self.0.links.end_all();
    }

    /// This agent ends.
    pub fn end(&self) {
        self.on_lost();
        locked(&self.0.server).take().iter().for_each(JoinHandle::abort);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends what rises, joined, until the stream or its children's way ends.
async fn raise(mut rising: Receiver<Rising>, up: Sender<FromAgent>) {
    let mut taken: Vec<Rising> = Vec::new();
    loop {
        // A place first, so that what comes meanwhile is joined.
        let Ok(place) = up.reserve().await else { return };
        if taken.is_empty() && rising.recv_many(&mut taken, JOINED_MESSAGES).await == 0 {
            return;
        }
        let mut bytes = 0;
        let mut fits = |one: &&Rising| {
            bytes += one.message.encoded_len();
            bytes <= JOINED_BYTES
        };
        let count = taken.iter().take_while(&mut fits).count().max(1);
        let messages = taken.drain(..count).map(|one| one.message).collect();
        let said = Said::FromChildren(FromChildren { messages });
        place.send(FromAgent { message: Some(said) });
    }
}

/// Opens ports on the interface that faces the analyzer, for children with credentials or without.
pub fn facing_analyzer(analyzer: &str, has_credentials: bool) -> OpenPort {
    let analyzer = analyzer.to_owned();
    Arc::new(move |router| {
        let of = analyzer.clone();
        Box::pin(async move {
            let facing = tokio::task::spawn_blocking(move || facing(&of)).await.map_err(io::Error::other)??;
            let listener = TcpListener::bind(SocketAddr::new(facing, 0)).await?;
            let scheme = if has_credentials { "https" } else { "http" };
            let url = format!("{scheme}://{}", listener.local_addr()?);
            let serves: Pin<Box<dyn Future<Output = _> + Send>> =
                Box::pin(router.serve_with_incoming(connections::accept(listener, CONNECTIONS)));
            Ok((url, serves))
        })
    })
}

/// Serves children at a port, and returns its URL.
async fn serve(shared: Arc<Shared>) -> io::Result<String> {
    let mut server = connections::server(shared.credentials.as_ref()).map_err(io::Error::other)?;
    let token = shared.token.clone();
    let service = AgentServer::new(Service(shared.clone())).max_decoding_message_size(connections::MESSAGE_BYTES);
    let checked = tonic::service::interceptor::InterceptedService::new(
        service,
        connections::check(&token, "the agent's token is not the one of the agent that would carry it"),
    );
    let (url, serves) = (shared.open)(server.add_service(checked)).await?;
    let task = tokio::spawn(async move {
        if let Err(error) = serves.await {
            tracing::warn!(%error, "this agent carries no others any more");
        }
    });
    *locked(&shared.server) = Some(task);
    Ok(url)
}

/// Own address on the way to the analyzer. Nothing is sent.
fn facing(analyzer: &str) -> io::Result<IpAddr> {
    let nowhere = || io::Error::new(io::ErrorKind::InvalidInput, "the analyzer's URL has no address");
    let uri: tonic::transport::Uri = analyzer.parse().map_err(|_| nowhere())?;
    let host = uri.host().ok_or_else(nowhere)?.trim_matches(['[', ']']).to_owned();
    let address = (host.as_str(), uri.port_u16().unwrap_or(443)).to_socket_addrs()?.next().ok_or_else(nowhere)?;
    let socket = UdpSocket::bind(SocketAddr::new(
        if address.is_ipv4() { IpAddr::from([0; 4]) } else { IpAddr::from([0; 16]) },
        0,
    ))?;
    socket.connect(address)?;
    Ok(socket.local_addr()?.ip())
}

struct Service(Arc<Shared>);

/// A place among the children; it goes with the child.
struct Place(Arc<Shared>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.carried.fetch_sub(1, Ordering::Relaxed);
    }
}

#[tonic::async_trait]
impl AgentService for Service {
    type LinkStream = Outgoing;

    async fn link(&self, request: Request<Streaming<FromAgent>>) -> Result<Response<Outgoing>, Status> {
        let shared = self.0.clone();
        let up = locked(&shared.up).clone();
        let up = up.ok_or_else(|| Status::unavailable("this agent has no way to the analyzer"))?;
        let before = shared.carried.fetch_add(1, Ordering::Relaxed);
        let place = Place(shared.clone());
        if before >= CHILDREN {
            return Err(Status::resource_exhausted("this agent carries as many others as it can"));
        }
        let child = shared.next.fetch_add(1, Ordering::Relaxed);
        let (queue, outgoing) = channel(LINK_QUEUE);
        let ended = shared.links.add(child, queue.clone());
        tokio::spawn(async move {
            read(&shared, child, &queue, &up, request.into_inner(), ended).await;
            shared.links.end(child);
            let _ = up.send(Rising { message: FromChild { child, message: None }, _room: None }).await;
            drop(place);
        });
        Ok(Response::new(Outgoing::new(outgoing)))
    }
}

/// Reads a child's stream until it, or the way up, ends.
async fn read(
    shared: &Shared,
    child: u64,
    queue: &Sender<Line>,
    up: &Sender<Rising>,
    mut stream: Streaming<FromAgent>,
    mut ended: oneshot::Receiver<()>,
) {
    let mut first = true;
    loop {
        let next = async {
            if first { timeout(CONNECT, stream.message()).await.unwrap_or(Ok(None)) } else { stream.message().await }
        };
        let message = tokio::select! {
            message = next => message,
            _ = &mut ended => return,
        };
        let Ok(Some(message)) = message else { return };
        if std::mem::take(&mut first) {
            let Some(Said::Hello(hello)) = &message.message else { return };
            if !same(hello.token.as_bytes(), shared.job_token.as_bytes()) {
                let _ = queue.try_send(Err(Status::unavailable("this agent carries those of its own job only")));
                return;
            }
        }
        // Who is carried carries nobody: the analyzer chooses parents among the agents that are linked directly.
        if matches!(message.message, Some(Said::FromChildren(_) | Said::TakesChildren(_)) | None) {
            continue;
        }
        let bytes = u32::try_from(message.encoded_len()).unwrap_or(u32::MAX).min(WAITING_BYTES as u32);
        let room = shared.room.clone().acquire_many_owned(bytes);
        let rise = async {
            let Ok(room) = room.await else { return false };
            up.send(Rising { message: FromChild { child, message: Some(message) }, _room: Some(room) }).await.is_ok()
        };
        let risen = tokio::select! {
            risen = rise => risen,
            _ = &mut ended => return,
        };
        if !risen {
            return;
        }
    }
}
