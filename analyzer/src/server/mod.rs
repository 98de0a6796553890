//! The server: gRPC on one side, one task that owns the core on the other.

mod admin;
mod agent;
mod core_task;
mod earlier;
mod thinker;
mod tree;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tonic::service::interceptor::InterceptedService;

use midrun_proto::connections;
use midrun_proto::links::Links;
use midrun_proto::v1::RecordingBegun;
use midrun_proto::v1::admin_server::AdminServer;
use midrun_proto::v1::agent_server::AgentServer;
use midrun_vocabulary::Clock;

use crate::config::Config;
use crate::core::Core;
use crate::disk::{Disk, HostDisk};
use crate::error::AnalyzerError;
use crate::journal::Journal;
use crate::overview::Asked;
use crate::recording::{InputLog, Recorder};
use crate::{catalogue, clock, convert, limits};
use core_task::{CoreTask, ToCore};
pub use midrun_proto::connections::Accept;
pub use thinker::{Priority, Thinker, Thought};

/// What an analyzer has from its host. A simulation gives others.
#[derive(Clone)]
pub struct Surroundings {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub now_ns: Clock,
    /// Microseconds since 1970.
    pub epoch_us: Clock,
    /// The journal's disk.
    pub disk: Arc<dyn Disk>,
    /// Where tunlets think.
    pub thinker: Thinker,
}

impl Surroundings {
    /// Those of this host.
    pub fn of_host() -> Surroundings {
        Surroundings {
            now_ns: clock::monotonic_ns(),
            epoch_us: clock::epoch_us(),
            disk: Arc::new(HostDisk),
            thinker: thinker::of_host(),
        }
    }
}

/// Runs an analyzer on `listener` until `shutdown` comes: jobs are summed up then and all streams ended. `asked` brings those who want an
/// overview.
///
/// # Errors
/// A configuration that is not allowed or a journal that cannot be opened, before anything is served;
/// later the end of the gRPC server or of the core.
pub async fn serve(
    config: Config,
    listener: TcpListener,
    asked: Asked,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), AnalyzerError> {
    serve_in(Surroundings::of_host(), config, listener, asked, shutdown).await
}

/// As [`serve`], in these surroundings, for the connections that `listener` accepts.
///
/// # Errors
/// As of [`serve`].
pub async fn serve_in(
    surroundings: Surroundings,
    config: Config,
    listener: impl Accept,
    asked: Asked,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), AnalyzerError> {
    config.validate()?;
    let Surroundings { now_ns, epoch_us, disk, thinker } = surroundings;
    let (journal, recalled) = Journal::open(disk.clone(), config.journal.as_deref())?;
    if recalled.damaged > 0 {
        tracing::warn!(lines = recalled.damaged, "lines of the journal are damaged and were left out");
    }
    if let Ok(address) = listener.address() {
        tracing::info!(%address, tls = config.credentials.is_some(), tunlet = config.tunlet, technique = config.technique, dry_run = config.dry_run, "the analyzer listens");
    }
    // Ranks refuse what is older than what they had, also where this host's clock went back.
    let last_action = epoch_us.now().max(recalled.last_action);
    let begun = convert::recorded::begun(&config, last_action, last_action / 1_000_000);
    let begun = RecordingBegun { thoughts: true, ..begun };
    let log = InputLog::new(disk, config.journal.as_deref(), begun.clone());
    let new = |last_action| Core::new(config.clone(), catalogue::from_catalogue, last_action).thinking_apart();
    // Who takes the journal away wants to begin anew.
    let earlier = log.earlier().filter(|_| recalled.is_there);
    let mut shutdown = Box::pin(shutdown);
    let gone_on = match earlier {
        None => None,
        Some(earlier) => tokio::select! {
            biased;
            // What lies on the disk is for the next one.
            () = &mut shutdown => return Ok(()),
            gone_on = earlier::take_in(new, earlier, &now_ns) => gone_on,
        },
    };
    let restarted = gone_on.is_some().then_some(last_action);
    let (core, now_ns) = gone_on.unwrap_or_else(|| (new(last_action), now_ns));
    let core = core.recalling(recalled.jobs);
    let recorder = match &config.record {
        None => Recorder::none(),
        Some(path) => {
            let recorder = Recorder::begin(path, now_ns.now(), begun);
            recorder.map_err(|source| AnalyzerError::Record { path: path.clone(), source })?
        }
    };
    let keeps = recorder.is_on() || log.is_on();
    let (token, credentials, width) = (config.token.clone(), config.credentials.clone(), config.width());
    let (inputs, queue) = mpsc::channel::<ToCore>(limits::CORE_QUEUE);
    let links = Arc::new(Links::default());
    let (ended, core_ended) = oneshot::channel();
    let core_task =
        CoreTask::new((now_ns.clone(), thinker), (core, restarted), (journal, log), recorder, links.clone());
    let mut core_task = tokio::spawn(core_task.run(queue, asked, shutdown, ended));

    let ids = Arc::new(AtomicU64::new(1));
    let agent = agent::Service::new(now_ns, inputs.clone(), links, ids.clone(), keeps, width);
    let admin = admin::Service::new(inputs, ids);
    let server = connections::server(credentials.as_ref())?
        .add_service(InterceptedService::new(
            AgentServer::new(agent).max_decoding_message_size(limits::MESSAGE_BYTES),
            connections::check(
                &token,
                "the agent's token is not the one of this analyzer: give the agent the right MIDRUN_TOKEN",
            ),
        ))
        .add_service(InterceptedService::new(
            AdminServer::new(admin),
            connections::check(&token, "the token is not the one of this analyzer"),
        ))
        .serve_with_incoming_shutdown(connections::accept(listener, connections_at_most()), async {
            // All jobs have ended, or the core failed: no more calls.
            let _ = core_ended.await;
        });
    let mut server = Box::pin(server);
    let drained = tokio::select! {
        biased;
        ended = &mut core_task => {
            ended?;
            None
        }
        served = &mut server => Some(served),
    };
    match drained {
        Some(served) => {
            served?;
            // The core ends with the last of those that could ask it; until then it holds the journal.
            drop(server);
            core_task.await?;
        }
        None => tracing::warn!("streams were still open when the analyzer ended"),
    }
    tracing::info!("the analyzer has ended");
    Ok(())
}

/// As many connections as links and their callers need, and never all descriptors: journal and recording need some, too.
fn connections_at_most() -> usize {
    let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let descriptors = descriptors.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    (limits::LINKS + limits::STRANGERS).min(descriptors.saturating_sub(limits::OTHER_DESCRIPTORS).max(descriptors / 2))
}
