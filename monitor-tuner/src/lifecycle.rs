//! The life of an agent: one task owns its state, and is one `select!`.

use crate::agent::{Agent, Overview, Stats};
use crate::attachment::{self, Attached, Users};
use crate::children::{self, Children, OpenPort};
use crate::config::Config;
use crate::host::Host;
use crate::limits::RANKS;
use crate::link::{self, LinkEvent};
use crate::places::Places;
use crate::serve_job::Asking;
use midrun_proto::tls;
use midrun_proto::token::ShowToken;
use midrun_vocabulary::ConfigError;
use std::future::Future;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tonic::transport::Channel;

/// Pause between two looks when no rank is attached.
const IDLE: Duration = Duration::from_millis(100);
/// Ranks that attach at a time.
const ATTACHMENTS: usize = 64;
/// A pause that lets another task work.
const YIELD: Duration = Duration::from_millis(10);

/// Why an agent cannot run.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A value in the configuration is not allowed.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The analyzer's URL does not fit the credentials.
    #[error("{0}")]
    Analyzer(String),
    /// The socket does not work.
    #[error("the agent's socket: {0}")]
    Socket(#[from] std::io::Error),
    /// The analyzer refused this agent.
    #[error("the analyzer refused this agent: {0}")]
    Refused(String),
}

/// Places for answers; the agent fills each between two events.
pub type Asked = Receiver<oneshot::Sender<Overview>>;

/// For an agent that nobody asks.
pub fn nobody() -> Asked {
    channel(1).1
}

/// Serves the ranks that connect to `listener` until `shutdown`, or, with `linger_s`, until no rank needs the agent any more. `asked`
/// brings those who want an overview.
///
/// # Errors
/// A bad configuration, a socket that does not work, or an analyzer that refuses.
pub async fn run(
    config: Config,
    listener: UnixListener,
    asked: Asked,
    shutdown: impl Future<Output = ()>,
) -> Result<Stats, AgentError> {
    run_beside(config, listener, asked, shutdown, (Places::new(RANKS), None)).await
}

/// As [`run`], with the places of the process; `jobs` gets the connections that ask for an agent of a job.
pub(crate) async fn run_beside(
    config: Config,
    listener: UnixListener,
    asked: Asked,
    shutdown: impl Future<Output = ()>,
    (places, jobs): (Arc<Places>, Option<Sender<Asking>>),
) -> Result<Stats, AgentError> {
    config.validate()?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::UnixListener::from_std(listener)?;
    let endpoint = tls::endpoint(&config.analyzer, config.credentials.as_ref()).map_err(AgentError::Analyzer)?;
    let endpoint = link::patient(endpoint);
    let credentials = config.credentials.clone();
    let connect = move |parent: Option<String>| {
        let endpoint = match parent {
            None => Ok(endpoint.clone()),
            Some(url) => tls::parent(&url, credentials.as_ref()).map(link::patient),
        };
        async move { endpoint?.connect().await.map_err(|error| tls::cause(&error)) }
    };
    let (attached_to, attached) = channel(ATTACHMENTS);
    let users = if config.is_for_all() { Users::All } else { Users::Only(config.user()) };
    let door = tokio::spawn(attachment::accept(listener, (users, places), attached_to, jobs));
    let open = children::facing_analyzer(&config.analyzer, config.credentials.is_some());
    let ended = serve(config, Host::this(), connect, open, attached, asked, shutdown).await;
    door.abort();
    ended
}

/// As [`run`], in surroundings that are given: `host` is that of the ranks; `connect` makes a channel to the analyzer, or to the agent at
/// a URL that carries this one; `open` opens a port for agents that this one carries; ranks come and go by `attached`.
///
/// # Errors
/// An analyzer that refuses.
pub async fn serve<C, F>(
    config: Config,
    host: Host,
    connect: C,
    open: OpenPort,
    mut attached: Receiver<Attached>,
    mut asked: Asked,
    shutdown: impl Future<Output = ()>,
) -> Result<Stats, AgentError>
where
    C: Fn(Option<String>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Channel, String>> + Send + 'static,
{
    let children =
        config.is_in_tree().then(|| Children::new(&config.token, &config.job_token, config.credentials.clone(), open));
    let (link_to, mut link_events) = channel(256);
    let (again, again_requests) = channel(1);
    let link =
        tokio::spawn(link::keep(connect, ShowToken::new(&config.token), children.is_some(), link_to, again_requests));
    let mut agent = Agent::new(&config, host, children.clone(), again);
    let mut last_needed = Instant::now();
    tokio::pin!(shutdown);
    let result = loop {
        let pause = if agent.has_ranks() { agent.pause(Duration::from_millis(config.poll_ms)) } else { IDLE };
        // In this order, so that equal events have equal effects.
        tokio::select! {
            biased;
            () = &mut shutdown => break Ok(()),
            () = sleep(pause) => agent.on_tick(),
            Some(event) = attached.recv() => agent.on_attached(event),
            Some(event) = link_events.recv() => {
                if let Some(why) = agent.on_link(event) {
                    break Err(AgentError::Refused(why));
                }
            }
            Some(place) = asked.recv() => drop(place.send(agent.overview())),
        }
        if agent.is_needed() {
            last_needed = Instant::now();
        }
        if config.linger_s > 0 && !agent.is_needed() && last_needed.elapsed() >= agent.linger(config.linger_s) {
            tracing::info!("no rank is attached any more; the agent ends");
            break Ok(());
        }
    };
    end(&mut agent, &mut attached, &mut link_events, Duration::from_millis(config.drain_ms)).await;
    children.iter().for_each(Children::end);
    link.abort();
    result.map(|()| agent.stats)
}

/// Takes what the rings still hold, and waits up to `time` until the analyzer has acknowledged everything; not for a stopped analyzer.
async fn end(
    agent: &mut Agent,
    attached: &mut Receiver<Attached>,
    link_events: &mut Receiver<LinkEvent>,
    time: Duration,
) {
    while let Ok(event) = attached.try_recv() {
        agent.on_attached(event);
    }
    agent.on_ending();
    let deadline = Instant::now() + time;
    while !agent.queue.is_empty() && !agent.is_analyzer_silent() && Instant::now() < deadline {
        tokio::select! {
            Some(event) = link_events.recv() => { agent.on_link(event); }
            () = sleep(IDLE) => {}
        }
    }
    link_events.close(); // from here on, the end of the stream is no news
    if agent.say_goodbye() {
        sleep(YIELD).await; // the link task writes it
    }
}
