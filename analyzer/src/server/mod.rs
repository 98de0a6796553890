//! The server: gRPC on one side, one task that owns the core on the other.

mod admin;
mod agent;
mod core_task;
mod links;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tonic::transport::server::TcpIncoming;

use midrun_proto::v1::admin_server::AdminServer;
use midrun_proto::v1::agent_server::AgentServer;

use crate::config::Config;
use crate::core::Core;
use crate::error::AnalyzerError;
use crate::journal::Journal;
use crate::recording::Recorder;
use crate::{catalogue, clock, convert, limits};
use core_task::{CoreTask, ToCore};
use links::Links;

/// Runs an analyzer on `listener` until `shutdown` comes: jobs are summed up then and all streams ended.
///
/// # Errors
/// A configuration that is not allowed or a journal that cannot be opened, before anything is served;
/// later the end of the gRPC server or of the core.
pub async fn serve(
    config: Config,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), AnalyzerError> {
    config.validate()?;
    let journal = Journal::open(config.journal.as_deref())?;
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, tunlet = config.tunlet, technique = config.technique, dry_run = config.dry_run, "the analyzer listens");
    }
    let last_action = clock::epoch_us();
    let recorder = match &config.record {
        None => Recorder::none(),
        Some(path) => {
            let begun = convert::recorded::begun(&config, last_action, last_action / 1_000_000);
            let recorder = Recorder::begin(path, clock::now_ns(), begun);
            recorder.map_err(|source| AnalyzerError::Record { path: path.clone(), source })?
        }
    };
    let recording = recorder.is_on();
    let core = Core::new(config, catalogue::from_catalogue, last_action);
    let (inputs, queue) = mpsc::channel::<ToCore>(limits::CORE_QUEUE);
    let links = Arc::new(Links::default());
    let (ended, core_ended) = oneshot::channel();
    let mut core_task = tokio::spawn(CoreTask::new(core, journal, recorder, links.clone()).run(queue, shutdown, ended));

    let ids = Arc::new(AtomicU64::new(1));
    let agent = agent::Service::new(inputs.clone(), links, ids.clone(), recording);
    let admin = admin::Service::new(inputs, ids);
    let keepalive = Duration::from_millis(limits::KEEPALIVE_MS);
    let server = tonic::transport::Server::builder()
        .http2_keepalive_interval(Some(keepalive))
        .http2_keepalive_timeout(Some(keepalive))
        .add_service(AgentServer::new(agent).max_decoding_message_size(limits::MESSAGE_BYTES))
        .add_service(AdminServer::new(admin))
        // An action is one small packet: it must not wait to be joined by others.
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), async {
            // The core has ended, well or not: no more calls.
            let _ = core_ended.await;
        });
    tokio::pin!(server);
    let drained = tokio::select! {
        served = &mut server => Some(served),
        ended = &mut core_task => {
            ended?;
            tokio::time::timeout(Duration::from_millis(limits::DRAIN_MS), &mut server).await.ok()
        }
    };
    match drained {
        Some(served) => served?,
        None => tracing::warn!("streams were still open when the analyzer ended"),
    }
    tracing::info!("the analyzer has ended");
    Ok(())
}
