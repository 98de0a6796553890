//! The analyzer and this host's agent inside `midrun run`.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use midrun_analyzer::listen::Listen;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::runtime_dir::{self, RegistersOf, RemovedAtEnd};
use crate::usage::say;

/// An embedded daemon that runs as a task.
#[derive(Debug)]
pub struct Daemon {
    name: &'static str,
    stop: oneshot::Sender<()>,
    task: JoinHandle<anyhow::Result<()>>,
}

impl Daemon {
    fn start<F>(name: &'static str, life: impl FnOnce(oneshot::Receiver<()>) -> F) -> Daemon
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let (stop, stopped) = oneshot::channel();
        Daemon { name, stop, task: tokio::spawn(life(stopped)) }
    }

    /// Lets the daemon drain and end. A failure is reported and does not affect the job.
    pub async fn stop(self, deadline: Duration) {
        let _ = self.stop.send(());
        match tokio::time::timeout(deadline, self.task).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => say(format!("the {} failed: {error:#}", self.name)),
            Ok(Err(error)) => say(format!("the {} failed: {error}", self.name)),
            Err(_) => say(format!("the {} did not end within {deadline:?}", self.name)),
        }
    }
}

/// A running analyzer and where it listens.
pub struct Analyzer {
    /// Its task.
    pub daemon: Daemon,
    /// Its address; unspecified where it listens on all interfaces.
    pub address: SocketAddr,
}

/// Starts an analyzer.
///
/// # Errors
/// The system gives no port.
pub async fn start_analyzer(
    mut config: midrun_analyzer::config::Config,
    listen: &Listen,
    asked: midrun_analyzer::overview::Asked,
) -> anyhow::Result<Analyzer> {
    let listener = listen.bind().await.context("no port for the analyzer")?;
    let address = listener.local_addr()?;
    config.listen = address.to_string();
    let daemon = Daemon::start("analyzer", |stopped| async move {
        let shutdown = async move {
            let _ = stopped.await;
        };
        midrun_analyzer::serve(config, listener, asked, shutdown).await?;
        Ok(())
    });
    Ok(Analyzer { daemon, address })
}

/// This host's agent and its socket. Dropping it removes the socket.
pub struct Agent {
    /// Its task.
    pub daemon: Daemon,
    /// Path of the socket.
    pub socket: PathBuf,
    /// Removes the socket.
    pub removed_at_end: (RegistersOf, RemovedAtEnd),
}

/// Starts this host's agent for `job`.
///
/// # Errors
/// The socket cannot be bound.
pub fn start_agent(
    config: midrun_agent::config::Config,
    job: &str,
    asked: midrun_agent::Asked,
) -> anyhow::Result<Agent> {
    let directory = runtime_dir::ensure()?;
    runtime_dir::sweep(&directory);
    let socket = runtime_dir::socket_path(&directory, job);
    let listener = runtime_dir::bind(&socket)?;
    let removed_at_end = (RegistersOf(socket.clone()), RemovedAtEnd(socket.clone()));
    let daemon = Daemon::start("agent", |stopped| async move {
        let shutdown = async move {
            let _ = stopped.await;
        };
        midrun_agent::run(config, listener, asked, shutdown).await?;
        Ok(())
    });
    Ok(Agent { daemon, socket, removed_at_end })
}
