//! The connections of a server, analyzer or agent, within bounds. A connection is a stranger until a call on it shows the token: strangers are few, have a
//! deadline, and make room for newer ones, so that they can neither hold the server's descriptors nor keep others out.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;

use tonic::transport::Server;
use tonic::{Request, Status};

use crate::tls::Credentials;
use crate::token;

/// Connections at a time on which no token was shown yet; past it the oldest of them is closed.
pub const STRANGERS: usize = 128;
/// A connection on which no token was shown by then is closed, milliseconds.
pub const HANDSHAKE_MS: u64 = 5_000;
/// Longest headers of a call, bytes: all that is read before the token is checked.
pub const HEADER_BYTES: u32 = 4 << 10;
/// Calls at a time on one connection.
pub const STREAMS_PER_CONNECTION: u32 = 32;
/// Largest message taken from an agent, bytes.
pub const MESSAGE_BYTES: usize = 16 << 20;
/// Silence after which a connection is asked whether it lives, and how long the answer may take, milliseconds.
pub const KEEPALIVE_MS: u64 = 5_000;

/// A server within these bounds, by TLS if it has credentials.
///
/// # Errors
/// Credentials that cannot be used.
pub fn server(credentials: Option<&Credentials>) -> Result<Server, tonic::transport::Error> {
    let keepalive = Duration::from_millis(KEEPALIVE_MS);
    let mut builder = Server::builder();
    if let Some(credentials) = credentials {
        builder = builder.tls_config(credentials.server())?;
    }
    Ok(builder
        .http2_keepalive_interval(Some(keepalive))
        .http2_keepalive_timeout(Some(keepalive))
        .http2_max_header_list_size(HEADER_BYTES)
        .max_concurrent_streams(STREAMS_PER_CONNECTION))
}

/// One connection, as its calls see it.
#[derive(Clone)]
pub struct Peer(Arc<State>);

struct State {
    since: Instant,
    is_known: AtomicBool,
    is_closed: AtomicBool,
    reader: Mutex<Option<Waker>>,
    open: Arc<AtomicUsize>,
}

impl State {
    fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        let waker = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        waker.into_iter().for_each(Waker::wake);
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where connections come from.
pub trait Accept: Send + 'static {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;
    /// Where they come in.
    ///
    /// # Errors
    /// The system's.
    fn address(&self) -> io::Result<SocketAddr>;
    /// Waits for the next one.
    fn accept(&mut self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;
    fn address(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }
    async fn accept(&mut self) -> io::Result<TcpStream> {
        let (stream, _) = TcpListener::accept(self).await?;
        // An action is one small packet: it must not wait to be joined by others.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

/// The stream of a connection; reads end when the connection is to be closed.
pub struct Guarded<S> {
    stream: S,
    peer: Peer,
}

impl<S> Connected for Guarded<S> {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let state = &self.peer.0;
        *state.reader.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
        // After the waker is in place: a close from now on wakes this task.
        if state.is_closed.load(Ordering::Acquire) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// Accepts connections until the server that takes them has gone; at most `most` at a time.
pub fn accept<A: Accept>(mut listener: A, most: usize) -> ReceiverStream<io::Result<Guarded<A::Stream>>> {
    let (to, connections) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut door = Door { most, open: Arc::default(), strangers: VecDeque::new(), turned_away: 0 };
        let mut ticks = tokio::time::interval(Duration::from_millis(HANDSHAKE_MS / 4));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut accepts = true;
        loop {
            tokio::select! {
                accepted = listener.accept(), if accepts => match accepted {
                    Ok(stream) => {
                        if let Some(guarded) = door.admit(stream)
                            && to.send(Ok(guarded)).await.is_err()
                        {
                            return;
                        }
                    }
                    // Out of descriptors, most likely: looking again at once would only burn the processor.
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        accepts = false;
                    }
                },
                _ = ticks.tick() => {
                    accepts = true;
                    door.sweep();
                }
                () = to.closed() => return,
            }
        }
    });
    ReceiverStream::new(connections)
}

struct Door {
    most: usize,
    open: Arc<AtomicUsize>,
    /// Those that have shown no token yet, the oldest first.
    strangers: VecDeque<Weak<State>>,
    turned_away: u64,
}

impl Door {
    fn admit<S>(&mut self, stream: S) -> Option<Guarded<S>> {
        self.strangers.retain(is_stranger);
        let full = self.open.load(Ordering::Relaxed) >= self.most;
        if full || self.strangers.len() >= STRANGERS {
            self.turned_away += 1;
            match self.strangers.pop_front().and_then(|oldest| oldest.upgrade()) {
                Some(oldest) => oldest.close(),
                None => return None,
            }
        }
        self.open.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State {
            since: Instant::now(),
            is_known: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            reader: Mutex::new(None),
            open: self.open.clone(),
        });
        self.strangers.push_back(Arc::downgrade(&state));
        Some(Guarded { stream, peer: Peer(state) })
    }

    fn sweep(&mut self) {
        self.strangers.retain(is_stranger);
        let patience = Duration::from_millis(HANDSHAKE_MS);
        while let Some(oldest) = self.strangers.front().and_then(Weak::upgrade)
            && oldest.since.elapsed() >= patience
        {
            oldest.close();
            self.turned_away += 1;
            self.strangers.pop_front();
        }
        if self.turned_away > 0 {
            tracing::warn!(connections = self.turned_away, "connections that showed no token were closed");
            self.turned_away = 0;
        }
    }
}

fn is_stranger(state: &Weak<State>) -> bool {
    state.upgrade().is_some_and(|state| !state.is_known.load(Ordering::Relaxed))
}

/// Lets calls pass that show the server's token, before their messages are read; an empty token asks for none.
pub fn check(
    token: &str,
    refusal: &'static str,
) -> impl FnMut(Request<()>) -> Result<Request<()>, Status> + Clone + use<> {
    let token: Arc<str> = token.into();
    move |request: Request<()>| {
        if !token.is_empty() && !token::is_shown(request.metadata(), &token) {
            return Err(Status::permission_denied(refusal));
        }
        if let Some(Peer(state)) = request.extensions().get::<Peer>() {
            state.is_known.store(true, Ordering::Relaxed);
        }
        Ok(request)
    }
}
