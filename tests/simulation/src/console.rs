//! In place of what `midrun run` tells its user: nothing is printed here.

use midrun_proto::v1::Notice;

/// Where notices go.
#[derive(Debug)]
pub struct Console;

impl Console {
    /// A notice of the analyzer.
    pub fn notice(&self, notice: &Notice) {
        tracing::debug!(notice.text, "midrun run");
    }

    /// The state of the job.
    pub fn status(&self, status: &serde_json::Value) {
        tracing::debug!(%status, "midrun run");
    }
}
