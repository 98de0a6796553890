//! The analyzer and this host's agent inside `midrun run`; the agent may be a standing one.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use midrun_analyzer::listen::Listen;
use midrun_proto::tls::Credentials;
use midrun_proto::v1::ServeJob;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::runtime_dir::{self, RegistersOf, RemovedAtEnd};
use crate::standing_agent;
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
        midrun_analyzer::serve(config, listener, asked, until(stopped)).await?;
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

/// Lets this host's standing agent serve `job`, as `setting` says ([`standing_agent::ask`]), or starts an agent; `asked` makes the
/// place where that one is asked for metrics.
///
/// # Errors
/// The socket cannot be bound.
pub fn start_agent(
    config: midrun_agent::config::Config,
    job: &str,
    setting: Option<&str>,
    asked: impl FnOnce() -> midrun_agent::Asked,
) -> anyhow::Result<Agent> {
    let directory = runtime_dir::ensure()?;
    runtime_dir::sweep(&directory);
    let socket = runtime_dir::socket_path(&directory, job);
    let removed_at_end = (RegistersOf(socket.clone()), RemovedAtEnd(socket.clone()));
    let request = ServeJob {
        job: job.to_owned(),
        analyzer: config.analyzer.clone(),
        token: config.token.clone(),
        job_token: config.job_token.clone(),
        credentials: config.credentials.as_ref().map(Credentials::to_word).unwrap_or_default(),
        owner_settings: config.owner_settings.clone(),
        ..ServeJob::default()
    };
    let standing = standing_agent::ask(setting, request, &socket).unwrap_or_else(|why| {
        say(format!("{why}; the job has an agent of its own"));
        None
    });
    let daemon = match standing {
        Some(stream) => {
            stream.set_nonblocking(true)?;
            let (stream, socket) = (UnixStream::from_std(stream)?, socket.clone());
            Daemon::start("agent", |stopped| served(stream, config, socket, stopped))
        }
        None => {
            let listener = runtime_dir::bind(&socket)?;
            let asked = asked();
            Daemon::start("agent", |stopped| async move {
                midrun_agent::run(config, listener, asked, until(stopped)).await?;
                Ok(())
            })
        }
    };
    Ok(Agent { daemon, socket, removed_at_end })
}

async fn until(stopped: oneshot::Receiver<()>) {
    let _ = stopped.await;
}

/// The part of `midrun run` while a standing agent serves its job: says when the job has ended, and takes over when the agent has.
async fn served(
    mut stream: UnixStream,
    config: midrun_agent::config::Config,
    socket: PathBuf,
    mut stopped: oneshot::Receiver<()>,
) -> anyhow::Result<()> {
    tokio::select! {
        _ = &mut stopped => {
            let _ = stream.shutdown().await;
            let _ = stream.read_u8().await; // it closes the connection when it has sent all
            return Ok(());
        }
        _ = stream.read_u8() => {}
    }
    say("the standing agent has ended; the job goes on with an agent of its own");
    let _ = std::fs::remove_file(&socket);
    let listener = runtime_dir::bind(&socket)?;
    midrun_agent::run(config, listener, midrun_agent::nobody(), until(stopped)).await?;
    Ok(())
}
