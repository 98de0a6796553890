//! The log on stderr, as text or as JSON.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;

/// Format of the log and of the notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogForm {
    /// Lines of text.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Starts logging. `MIDRUN_LOG` (for example `midrun_agent=debug`) overrides `level`.
pub fn start(form: LogForm, level: &str) {
    let filter = EnvFilter::try_from_env("MIDRUN_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let set = match form {
        LogForm::Text => builder.with_ansi(false).try_init(),
        LogForm::Json => builder.json().flatten_event(true).try_init(),
    };
    debug_assert!(set.is_ok(), "the log is started once");
}
