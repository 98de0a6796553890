//! The agent's configuration: keys, defaults, allowed values.

use crate::send_queue::Shared;
use midrun_proto::tls::Credentials;
use midrun_proto::v1::OwnerSettings;
use midrun_vocabulary::config::{ConfigError, within};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The agent's configuration. Unknown keys are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The analyzer's URL, such as `https://node1:7741`; `http://` is for this host's own address only.
    pub analyzer: String,
    /// What the analyzer wants to be shown.
    pub token: String,
    /// Certificates (PEM) of the authorities that sign the analyzer's. With `tls_cert` and `tls_key`, for a URL with `https://`.
    pub tls_ca: Option<PathBuf>,
    /// The certificate (PEM) that agent and `midrun run` show, with those between it and the authority.
    pub tls_cert: Option<PathBuf>,
    /// Its private key (PEM), readable by its user only.
    pub tls_key: Option<PathBuf>,
    /// What these files hold, or the credentials of one job; set by the program that starts the agent.
    #[serde(skip)]
    pub credentials: Option<Credentials>,
    /// Token of the job that the agent was started for; set by the program that starts it.
    #[serde(skip)]
    pub job_token: String,
    /// Where a standing agent serves metrics, `HOST:PORT` or `HOST:FIRST-LAST`. None: nowhere.
    pub metrics: Option<String>,
    /// Name of this node in logs and summaries. Empty: the host's name.
    pub node: String,
    /// End this many seconds after the last rank has gone; 0: stay.
    pub linger_s: u64,
    /// Least time between two looks at the rings of attached ranks, milliseconds; while they are quiet it grows up to 50.
    pub poll_ms: u64,
    /// How long the last batches may take at the end, milliseconds.
    pub drain_ms: u64,
    /// Let the agent of a job on many hosts speak to the analyzer by way of another agent of the job, or carry such agents. Where it shall carry
    /// some, it opens a port on the interface that faces the analyzer.
    pub in_tree: bool,
    /// What the owner of a job has set at its start; set by the program that starts the agent for this job.
    #[serde(skip)]
    pub owner_settings: Option<OwnerSettings>,
    /// The jobs of this agent were opened by name: an analyzer that does not know their options must not change anything.
    #[serde(skip)]
    pub options_follow: bool,
    /// The user whose job this agent was started for. None: the user that it runs as.
    #[serde(skip)]
    pub user: Option<u32>,
    /// Bytes of batches that wait, of all jobs of this user that the process serves.
    #[serde(skip)]
    pub queued: Shared,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            analyzer: String::new(),
            token: String::new(),
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            credentials: None,
            job_token: String::new(),
            metrics: None,
            node: String::new(),
            linger_s: 0,
            poll_ms: 1,
            drain_ms: 1000,
            in_tree: true,
            owner_settings: None,
            options_follow: false,
            user: None,
            queued: Shared::default(),
        }
    }
}

impl Config {
    /// Whether the agent was started for one job, and not for whatever job comes.
    pub fn is_for_one_job(&self) -> bool {
        self.owner_settings.is_some() || self.options_follow
    }

    /// Whether it serves the ranks of all users: root's does, unless it was started for one job.
    pub fn is_for_all(&self) -> bool {
        self.user() == 0 && !self.is_for_one_job()
    }

    /// Whether it may be carried by others of its job, and carry them. A site's certificates name no agents, so they make no tree.
    pub fn is_in_tree(&self) -> bool {
        let is_of_job = |credentials: &Credentials| !credentials.analyzer_name.is_empty();
        self.in_tree && self.is_for_one_job() && self.credentials.as_ref().is_none_or(is_of_job)
    }

    /// The user whose jobs have their own names: jobs of others get the user's number added.
    pub fn user(&self) -> u32 {
        self.user.unwrap_or_else(|| rustix::process::geteuid().as_raw())
    }

    /// Checks every value. An empty `analyzer` is allowed: the program that starts the agent sets it.
    ///
    /// # Errors
    /// The first key whose value is not allowed.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let url_is_fine = self.analyzer.is_empty()
            || (["http://", "https://"].iter().any(|scheme| self.analyzer.starts_with(scheme))
                && tonic::transport::Endpoint::from_shared(self.analyzer.clone()).is_ok());
        if !url_is_fine {
            return Err(ConfigError {
                key: "analyzer",
                value: format!("{:?}", self.analyzer),
                allowed: "a URL such as https://node1:7741".into(),
            });
        }
        within("linger_s", self.linger_s, 0, 86_400)?;
        within("poll_ms", self.poll_ms, 1, 1000)?;
        within("drain_ms", self.drain_ms, 0, 60_000)
    }
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
