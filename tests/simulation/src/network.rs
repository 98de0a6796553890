//! The analyzer's listener and its callers' connectors on the simulated network.

use std::io;
use std::net::SocketAddr;

use hyper_util::rt::TokioIo;
use midrun_analyzer::Accept;
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

type Connecting = std::pin::Pin<Box<dyn Future<Output = io::Result<TokioIo<TcpStream>>> + Send>>;

/// Connects to the analyzer, for tonic.
pub fn connector() -> ServiceFn<fn(Uri) -> Connecting> {
    tower::service_fn(|_| Box::pin(async { TcpStream::connect(ANALYZER).await.map(TokioIo::new) }))
}
