//! The signals that end a daemon.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

/// Returns a future that ends when SIGTERM or SIGINT arrives.
///
/// # Errors
/// The system refuses to install a handler.
pub fn stop() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot catch signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot catch signals")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
