//! Signals that this process catches.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that `midrun run` handles while its job runs.
pub struct Signals {
    /// SIGINT.
    pub interrupt: Signal,
    /// SIGTERM.
    pub terminate: Signal,
    /// SIGHUP.
    pub hangup: Signal,
}

impl Signals {
    /// Starts to catch SIGINT, SIGTERM and SIGHUP.
    ///
    /// # Errors
    /// The system refuses to install a handler.
    pub fn catch() -> anyhow::Result<Signals> {
        let catch = |kind| signal(kind).context("cannot catch signals");
        Ok(Signals {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hangup: catch(SignalKind::hangup())?,
        })
    }
}

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
