//! `--metrics`: figures of the analyzer and of the agent in this process, for Prometheus and others that read OpenMetrics.

mod exposition;
mod families;
mod listener;

use std::net::SocketAddr;

use anyhow::Context;
use midrun_analyzer::listen::Listen;
use midrun_analyzer::overview;
use midrun_proto::tls::Credentials;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use crate::usage::{Usage, usage};

/// Overviews that are asked for at a time.
const ASKED: usize = 1;

/// Asks the daemons of this process.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    analyzer: Option<mpsc::Sender<oneshot::Sender<overview::Overview>>>,
    agent: Option<mpsc::Sender<oneshot::Sender<midrun_agent::Overview>>>,
}

impl Sources {
    /// Where the analyzer is asked from here on.
    pub fn analyzer(&mut self) -> overview::Asked {
        let (ask, asked) = mpsc::channel(ASKED);
        self.analyzer = Some(ask);
        asked
    }

    /// Where the agent is asked from here on.
    pub fn agent(&mut self) -> midrun_agent::Asked {
        let (ask, asked) = mpsc::channel(ASKED);
        self.agent = Some(ask);
        asked
    }

    /// The figures of now as OpenMetrics text; `None` where a daemon does not answer.
    async fn text(&self) -> Option<String> {
        let analyzer = answer(self.analyzer.as_ref()).await?;
        let agent = answer(self.agent.as_ref()).await?;
        families::text(analyzer.as_ref(), agent.as_ref()).ok()
    }
}

/// The answer of a daemon: `Some(None)` where there is none to ask.
async fn answer<T>(daemon: Option<&mpsc::Sender<oneshot::Sender<T>>>) -> Option<Option<T>> {
    let Some(ask) = daemon else { return Some(None) };
    let (place, answer) = oneshot::channel();
    ask.send(place).await.ok()?;
    answer.await.ok().map(Some)
}

/// An address to serve metrics at, and who may read them.
pub struct Address {
    text: String,
    listen: Listen,
    tls: Option<Credentials>,
}

impl Address {
    /// Checks an address: other hosts are served by mutual TLS only, with the credentials of this daemon.
    ///
    /// # Errors
    /// A [`Usage`]: no address, or one that is open to other hosts without credentials.
    pub fn check(text: &str, credentials: Option<&Credentials>) -> anyhow::Result<Address> {
        let Some(listen) = Listen::parse(text) else {
            return usage(format!("--metrics {text}: allowed is {}", Listen::FORM));
        };
        let found =
            listen.addresses().map_err(|error| Usage(format!("--metrics {text}: cannot find the address: {error}")))?;
        let is_near = found.iter().all(|address| address.ip().is_loopback());
        let tls = credentials.filter(|_| !is_near).cloned();
        if !is_near && tls.is_none() {
            return usage(format!(
                "--metrics {text} is open to other hosts, and would show them every job in plain text: listen on 127.0.0.1, or give \
                 an analyzer or agent --tls-ca, --tls-cert and --tls-key"
            ));
        }
        Ok(Address { text: text.to_owned(), listen, tls })
    }

    /// Takes the port, and returns what serves `sources` there.
    ///
    /// # Errors
    /// A [`Usage`]: the port is taken, or the credentials are not for a server.
    pub async fn bind(self) -> anyhow::Result<Door> {
        let failed = |error| Usage(format!("cannot serve metrics at {}: {error}", self.text));
        let listener = self.listen.bind().await.map_err(failed)?;
        let address = listener.local_addr().context("the address of the metrics")?;
        let tls = self.tls.map(|credentials| credentials.tls_server()).transpose();
        let tls = tls.map_err(|error| Usage(format!("--tls-cert cannot serve metrics: {error}")))?;
        Ok(Door { listener, tls, address })
    }
}

/// A port that was taken for metrics.
pub struct Door {
    listener: TcpListener,
    tls: Option<std::sync::Arc<rustls::ServerConfig>>,
    address: SocketAddr,
}

impl Door {
    /// Where the metrics are.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{}", self.address, listener::PATH)
    }

    /// Serves until the runtime ends.
    pub fn serve(self, sources: Sources) {
        tokio::spawn(listener::serve(self.listener, self.tls, sources));
    }
}

/// Takes the port of an address, if there is one.
///
/// # Errors
/// As of [`Address::bind`].
pub async fn open(address: Option<Address>) -> anyhow::Result<Option<Door>> {
    match address {
        Some(address) => address.bind().await.map(Some),
        None => Ok(None),
    }
}

/// Serves a standing daemon's metrics at an address, if there is one, and tells where.
///
/// # Errors
/// As of [`Address::bind`].
pub async fn serve(address: Option<Address>, sources: Sources) -> anyhow::Result<()> {
    if let Some(door) = open(address).await? {
        crate::usage::say_raw(&format!("midrun: metrics at {}", door.url()));
        door.serve(sources);
    }
    Ok(())
}
