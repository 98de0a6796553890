//! Errors that keep an analyzer from starting or stop it; one variant per reaction.

use midrun_vocabulary::ConfigError;

/// Reason why [`crate::serve`] returned early.
#[derive(Debug, thiserror::Error)]
pub enum AnalyzerError {
    /// A key has a value that is not allowed: correct the configuration (exit code 64).
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The journal cannot be opened: correct its path.
    #[error("journal: cannot open {path} for appending: {source}")]
    Journal {
        /// The path as configured.
        path: std::path::PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Two analyzers must not go on with the same jobs: stop one, or name another file.
    #[error("journal: another analyzer writes {path}: stop that one, or give this one a journal of its own")]
    JournalHeld {
        /// The path as configured.
        path: std::path::PathBuf,
    },
    /// The run cannot be recorded there: correct the path.
    #[error("record: {path} {source}")]
    Record {
        /// The path as configured.
        path: std::path::PathBuf,
        /// The reason.
        source: crate::recording::Unusable,
    },
    /// The gRPC server ended: start the analyzer again.
    #[error("the gRPC server stopped: {0}")]
    Server(#[from] tonic::transport::Error),
    /// The task that owns all state ended: start the analyzer again.
    #[error("the analyzer's core stopped: {0}")]
    Core(#[from] tokio::task::JoinError),
}
