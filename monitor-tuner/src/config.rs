//! The agent's configuration: keys, defaults, allowed values.

use serde::{Deserialize, Serialize};

/// The agent's configuration. Unknown keys are refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The analyzer's URL, such as `http://node1:7741`.
    pub analyzer: String,
    /// What the analyzer wants to be shown.
    pub token: String,
    /// Name of this node in logs and summaries. Empty: the host's name.
    pub node: String,
    /// End this many seconds after the last rank has gone; 0: stay.
    pub linger_s: u64,
    /// Time between two looks at the rings while ranks are attached, milliseconds.
    pub poll_ms: u64,
    /// How long the last batches may take at the end, milliseconds.
    pub drain_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            analyzer: String::new(),
            token: String::new(),
            node: String::new(),
            linger_s: 0,
            poll_ms: 1,
            drain_ms: 1000,
        }
    }
}

/// A key whose value is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: allowed is {allowed}")]
pub struct ConfigError {
    /// The key.
    pub key: &'static str,
    /// The value found.
    pub value: String,
    /// The allowed values.
    pub allowed: String,
}

impl Config {
    /// Checks every value. An empty `analyzer` is allowed: the program that starts the agent sets it.
    ///
    /// # Errors
    /// The first key whose value is not allowed.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let url_is_fine = self.analyzer.is_empty()
            || (self.analyzer.starts_with("http://")
                && tonic::transport::Endpoint::from_shared(self.analyzer.clone()).is_ok());
        if !url_is_fine {
            return Err(ConfigError {
                key: "analyzer",
                value: format!("{:?}", self.analyzer),
                allowed: "a URL such as http://node1:7741".into(),
            });
        }
        within("linger_s", self.linger_s, 0, 86_400)?;
        within("poll_ms", self.poll_ms, 1, 1000)?;
        within("drain_ms", self.drain_ms, 0, 60_000)
    }
}

fn within(key: &'static str, value: u64, least: u64, most: u64) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ConfigError { key, value: value.to_string(), allowed: format!("{least} to {most}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_allowed_and_nonsense_is_named() {
        Config::default().validate().unwrap();
        let error = Config { poll_ms: 0, ..Config::default() }.validate().unwrap_err();
        assert_eq!(error.to_string(), "poll_ms = 0: allowed is 1 to 1000");
        let error = Config { analyzer: "node1".into(), ..Config::default() }.validate().unwrap_err();
        assert_eq!(error.key, "analyzer");
    }
}
