//! In place of the command line's messages: they go to the log.

/// An error that the user can correct.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Returns it as an error.
pub fn usage<T>(sentence: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(sentence.into()).into())
}

/// A sentence for the user.
pub fn say(sentence: impl std::fmt::Display) {
    tracing::debug!(%sentence, "midrun run");
}
