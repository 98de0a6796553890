//! What an analyzer shows of itself and of its open jobs at one moment, for metrics.

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::stats::Stats;

/// An analyzer at one moment.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Counters since its start.
    pub stats: Stats,
    /// The status of each open job (docs/summary.md), with its newest window only.
    pub jobs: Vec<Value>,
}

/// Places for answers; the core's task fills each between two inputs.
pub type Asked = mpsc::Receiver<oneshot::Sender<Overview>>;

/// For an analyzer that nobody asks.
pub fn nobody() -> Asked {
    mpsc::channel(1).1
}
