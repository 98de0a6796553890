//! The analyzer's listener and its callers' connectors on the simulated network.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use midrun_agent::{CONNECTIONS, OpenPort};
use midrun_analyzer::Accept;
use midrun_proto::connections;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;
use tonic::transport::Uri;
use tower::util::ServiceFn;
use turmoil::net::{TcpListener, TcpStream};

/// The analyzer's host and port.
pub const ANALYZER: (&str, u16) = ("analyzer", 7741);
/// The same as a URL.
pub const URL: &str = "http://analyzer:7741";

/// A listener on the simulated network.
pub struct Listener(pub TcpListener);

impl Accept for Listener {
    type Stream = TcpStream;
    fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
    async fn accept(&mut self) -> io::Result<TcpStream> {
        Ok(self.0.accept().await?.0)
    }
}

type Connecting = Pin<Box<dyn Future<Output = io::Result<TokioIo<TcpStream>>> + Send>>;

/// Port at which an agent takes others that it carries.
const CHILDREN: u16 = 7742;

thread_local! {
    /// Agents that came to the ports of others.
    static CARRIED: Cell<u64> = const { Cell::new(0) };
    /// How often the connections of each node broke.
    static BREAKS: RefCell<BTreeMap<usize, u64>> = const { RefCell::new(BTreeMap::new()) };
    /// Nodes that take and give little at a time.
    static SLOW: RefCell<BTreeSet<usize>> = const { RefCell::new(BTreeSet::new()) };
}

/// So many bytes pass a slow node's connection each way in [`SLOW_PAUSE`]: less than its ranks' records, so that batches wait.
const SLOW_BYTES: usize = 24;
/// See [`SLOW_BYTES`].
const SLOW_PAUSE: Duration = Duration::from_millis(20);

/// From now on this node's agent is a slow peer, or no longer.
pub fn set_slow(node: usize, is_slow: bool) {
    SLOW.with_borrow_mut(|slow| if is_slow { slow.insert(node) } else { slow.remove(&node) });
}

fn is_slow(node: usize) -> bool {
    SLOW.with_borrow(|slow| slow.contains(&node))
}

/// The connections that this node's agent has now are reset, as by a gateway that forgets them: whoever uses one is told so at once.
pub fn break_connections(node: usize) {
    BREAKS.with_borrow_mut(|breaks| *breaks.entry(node).or_default() += 1);
}

fn breaks(node: usize) -> u64 {
    BREAKS.with_borrow(|breaks| breaks.get(&node).copied().unwrap_or(0))
}

/// A connection of a node's agent.
pub struct Breakable {
    stream: TcpStream,
    node: usize,
    /// Breaks of the node's connections before this one.
    before: u64,
    /// Where the node is slow: until the next bytes may pass, to read and to write.
    pauses: [Option<Pin<Box<Sleep>>>; 2],
}

/// The index of a connection's two ways.
#[derive(Clone, Copy)]
enum Way {
    Read,
    Write,
}

impl Breakable {
    fn check(&self) -> io::Result<()> {
        if breaks(self.node) == self.before { Ok(()) } else { Err(io::ErrorKind::ConnectionReset.into()) }
    }

    /// How many bytes may pass now; pending where none may yet.
    fn room(&mut self, cx: &mut Context<'_>, way: Way) -> Poll<usize> {
        let pause = &mut self.pauses[way as usize];
        if !is_slow(self.node) {
            *pause = None;
            return Poll::Ready(usize::MAX);
        }
        let waits = pause.get_or_insert_with(|| Box::pin(tokio::time::sleep(SLOW_PAUSE)));
        ready!(waits.as_mut().poll(cx));
        Poll::Ready(SLOW_BYTES)
    }
}

impl AsyncRead for Breakable {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        let room = ready!(self.room(cx, Way::Read)).min(to.remaining());
        if room == to.remaining() {
            return Pin::new(&mut self.stream).poll_read(cx, to);
        }
        let mut bytes = [0; SLOW_BYTES];
        let mut part = ReadBuf::new(&mut bytes[..room]);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut part))?;
        to.put_slice(part.filled());
        self.pauses[Way::Read as usize] = None;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Breakable {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        self.check()?;
        let room = ready!(self.room(cx, Way::Write)).min(from.len());
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &from[..room]));
        self.pauses[Way::Write as usize] = None;
        Poll::Ready(written)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

type ConnectingBreakable = Pin<Box<dyn Future<Output = io::Result<TokioIo<Breakable>>> + Send>>;

/// Agents that came to the ports of others so far.
pub fn carried() -> u64 {
    CARRIED.get()
}

/// As [`Listener`], at the port of an agent.
struct Parent(TcpListener);

impl Accept for Parent {
    type Stream = TcpStream;
    fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
    async fn accept(&mut self) -> io::Result<TcpStream> {
        let (stream, _) = self.0.accept().await?;
        CARRIED.set(carried() + 1);
        Ok(stream)
    }
}

/// Opens a node's port for agents that its own carries.
pub fn port_of(node: usize) -> OpenPort {
    Arc::new(move |router| {
        Box::pin(async move {
            let incoming = connections::accept(Parent(TcpListener::bind(("0.0.0.0", CHILDREN)).await?), CONNECTIONS);
            let serves: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(router.serve_with_incoming(incoming));
            Ok((format!("http://node{node}:{CHILDREN}"), serves))
        })
    })
}

/// Connects the agent of a node to the analyzer, or to an agent that carries it, for tonic.
pub fn of_agent(node: usize) -> ServiceFn<impl Fn(Uri) -> ConnectingBreakable + Clone> {
    tower::service_fn(move |at: Uri| -> ConnectingBreakable {
        Box::pin(async move {
            let before = breaks(node);
            let host = at.host().ok_or(io::ErrorKind::InvalidInput)?;
            let stream = TcpStream::connect((host, at.port_u16().unwrap_or(ANALYZER.1))).await?;
            Ok(TokioIo::new(Breakable { stream, node, before, pauses: [None, None] }))
        })
    })
}

/// Connects to the analyzer, for tonic.
pub fn connector() -> ServiceFn<fn(Uri) -> Connecting> {
    tower::service_fn(|_| Box::pin(async { TcpStream::connect(ANALYZER).await.map(TokioIo::new) }))
}
