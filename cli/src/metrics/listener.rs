//! The listener: one request per connection, a bounded number of them, and a bounded number of questions to the daemons.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Semaphore};
use tokio_rustls::TlsAcceptor;

use super::Sources;

/// Where the metrics are.
pub const PATH: &str = "/metrics";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
/// Connections at a time; further ones wait in the queue of the socket.
const CONNECTIONS: usize = 8;
/// A connection lives so long at most.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time for a handshake, and for the head of a request: who says nothing keeps a place no longer.
const SILENCE: Duration = Duration::from_secs(2);
/// Figures this young answer the next scrape, too: who scrapes in a loop costs the daemons no more than one who follows a job.
const FRESH: Duration = Duration::from_millis(midrun_analyzer::limits::FOLLOW_MS);
/// Pause after an accept that failed: no descriptor is free.
const AGAIN: Duration = Duration::from_millis(100);

struct Shown {
    sources: Sources,
    newest: Mutex<Option<(Instant, Bytes)>>,
}

impl Shown {
    /// The figures; `None` where a daemon does not answer.
    async fn text(&self) -> Option<Bytes> {
        let mut newest = self.newest.lock().await;
        if let Some((_, text)) = newest.as_ref().filter(|(when, _)| when.elapsed() < FRESH) {
            return Some(text.clone());
        }
        let text = Bytes::from(self.sources.text().await?);
        *newest = Some((Instant::now(), text.clone()));
        Some(text)
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let say = |status, text: &'static str| response(status, TEXT, Bytes::from_static(text.as_bytes()));
        if request.uri().path() != PATH {
            return Ok(say(StatusCode::NOT_FOUND, "the metrics are at /metrics\n"));
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            let mut refusal = say(StatusCode::METHOD_NOT_ALLOWED, "metrics are only read: GET\n");
            refusal.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("GET, HEAD"));
            return Ok(refusal);
        }
        Ok(match self.text().await {
            Some(text) => response(StatusCode::OK, OPEN_METRICS, text),
            None => say(StatusCode::SERVICE_UNAVAILABLE, "the daemon is ending\n"),
        })
    }
}

fn response(status: StatusCode, kind: &'static str, text: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}

/// Serves for ever.
pub async fn serve(listener: TcpListener, tls: Option<Arc<rustls::ServerConfig>>, sources: Sources) {
    let shown = Arc::new(Shown { sources, newest: Mutex::new(None) });
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let tls = tls.map(TlsAcceptor::from);
    while let Ok(place) = places.clone().acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let (shown, tls) = (shown.clone(), tls.clone());
        tokio::spawn(async move {
            let life = async {
                match tls {
                    Some(tls) => match tokio::time::timeout(SILENCE, tls.accept(stream)).await {
                        Ok(Ok(stream)) => speak(stream, shown).await,
                        Ok(Err(error)) => tracing::debug!(%error, "a scrape of metrics was refused"),
                        Err(_) => {}
                    },
                    None => speak(stream, shown).await,
                }
            };
            let _ = tokio::time::timeout(PATIENCE, life).await;
            drop(place);
        });
    }
}

async fn speak(stream: impl AsyncRead + AsyncWrite + Unpin, shown: Arc<Shown>) {
    let service = service_fn(|request| shown.answer(request));
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(SILENCE).keep_alive(false);
    // Who went away gets no answer; nothing else can be done for them.
    let _ = connection.serve_connection(TokioIo::new(stream), service).await;
}
