//! Configuration keys, with their defaults and bounds.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use midrun_proto::tls::Credentials;
use midrun_tunlets::{TuningOptions, TunletFile};
use midrun_vocabulary::config::{ConfigError, within};

use crate::catalogue::from_catalogue;
use crate::limits;
use crate::listen::Listen;

/// The analyzer's configuration. Unknown keys are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Address to listen on, `HOST:PORT` or `HOST:FIRST-LAST` for the first free one of a range; port 0 takes any free one.
    pub listen: String,
    /// Token that agents and people must show, besides the token of the job they ask for. Empty: the job's token is enough.
    pub token: String,
    /// Certificates (PEM) of the authorities that sign those of agents and people. With `tls_cert` and `tls_key`: nobody without such a
    /// certificate is served, and nothing is sent in plain text.
    pub tls_ca: Option<PathBuf>,
    /// The analyzer's certificate (PEM), with those between it and the authority.
    pub tls_cert: Option<PathBuf>,
    /// Its private key (PEM), readable by the analyzer's user only.
    pub tls_key: Option<PathBuf>,
    /// What these files hold; set by the program that serves.
    #[serde(skip)]
    pub credentials: Option<Credentials>,
    /// Where a standing analyzer serves metrics, `HOST:PORT` or `HOST:FIRST-LAST`. None: nowhere.
    pub metrics: Option<String>,
    /// Tunlet for jobs that name none.
    pub tunlet: String,
    /// Of a replay: tunlets that only advise, for jobs that name none.
    #[serde(skip)]
    pub shadow: String,
    /// Of a replay: the files that its tunlets are in.
    #[serde(skip)]
    pub files: Vec<TunletFile>,
    /// Technique for jobs that name none: `auto`, or the name of a fixed one.
    #[serde(alias = "policy")]
    pub technique: String,
    /// Objective for the number of workers: `efficiency`, `time`, `budget:WORKERS`, `deadline:SECONDS`, or `fixed`.
    pub objective: String,
    /// Confidence level of what is decided and said, a probability above 0.5 and below 1; 0 = 0.95.
    pub confidence: f64,
    /// Fewest workers; 0 = 1.
    pub min_workers: u32,
    /// Most workers; 0 = all there are.
    pub max_workers: u32,
    /// Most workers that come or go in one change; 0 = any number.
    pub worker_step: u32,
    /// Advise only, change nothing.
    pub dry_run: bool,
    /// How long an action may wait for its safe point, milliseconds; long iterations extend it.
    pub action_ttl_ms: u64,
    /// How long an ended iteration waits for records that are still on the road, milliseconds.
    pub window_grace_ms: u64,
    /// How long an ended job waits for its last batches, milliseconds.
    pub close_wait_ms: u64,
    /// Agents of a job that link to the analyzer itself; these carry the streams of further ones. 0 = 316.
    pub direct_agents: u32,
    /// File that gets every event, decision and action as a line of JSON. With FILE.inputs beside it, an analyzer that starts again goes on
    /// with its jobs. None: no journal.
    pub journal: Option<PathBuf>,
    /// File that gets all that comes in, for `midrun replay` and `midrun predict run`. None: nothing is recorded.
    pub record: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            listen: "127.0.0.1:7741".into(),
            token: String::new(),
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            credentials: None,
            metrics: None,
            tunlet: "auto".into(),
            shadow: String::new(),
            files: Vec::new(),
            technique: "auto".into(),
            objective: "time".into(),
            confidence: 0.0,
            min_workers: 0,
            max_workers: 0,
            worker_step: 0,
            dry_run: false,
            action_ttl_ms: 10_000,
            window_grace_ms: 250,
            close_wait_ms: 2_000,
            direct_agents: 0,
            journal: None,
            record: None,
        }
    }
}

impl Config {
    /// Options of jobs that ask for none.
    pub fn options(&self) -> TuningOptions {
        TuningOptions {
            tunlet: self.tunlet.clone(),
            shadow: self.shadow.clone(),
            files: self.files.clone(),
            technique: self.technique.clone(),
            objective: self.objective.clone(),
            confidence: self.confidence,
            min_workers: self.min_workers,
            max_workers: self.max_workers,
            worker_step: self.worker_step,
            ..TuningOptions::default()
        }
    }

    /// The configuration with these options for jobs that ask for none.
    pub fn with(self, options: TuningOptions) -> Config {
        let TuningOptions { tunlet, shadow, files, technique, objective, confidence, .. } = options;
        let TuningOptions { min_workers, max_workers, worker_step, .. } = options;
        Config {
            tunlet,
            shadow,
            files,
            technique,
            objective,
            confidence,
            min_workers,
            max_workers,
            worker_step,
            ..self
        }
    }

    /// A job's options, with the configured ones where it has none (an empty text, a 0).
    pub fn completed(&self, options: TuningOptions) -> TuningOptions {
        let or = |text: String, own: &String| if text.is_empty() { own.clone() } else { text };
        let number = |option: u32, own: u32| if option == 0 { own } else { option };
        let mut files = options.files;
        files.extend(
            self.files
                .iter()
                .filter(|own| !files.iter().any(|file| file.name == own.name))
                .cloned()
                .collect::<Vec<_>>(),
        );
        TuningOptions {
            tunlet: or(options.tunlet, &self.tunlet),
            shadow: or(options.shadow, &self.shadow),
            files,
            technique: or(options.technique, &self.technique),
            objective: or(options.objective, &self.objective),
            confidence: if options.confidence == 0.0 { self.confidence } else { options.confidence },
            min_workers: number(options.min_workers, self.min_workers),
            max_workers: number(options.max_workers, self.max_workers),
            worker_step: number(options.worker_step, self.worker_step),
            search: options.search,
            iteration_line: options.iteration_line,
            start: options.start,
        }
    }

    /// Agents of a job that are linked directly.
    pub(crate) fn width(&self) -> usize {
        if self.direct_agents == 0 { limits::WIDTH } else { self.direct_agents as usize }
    }

    /// Checks every value.
    ///
    /// # Errors
    /// The first key whose value is not allowed.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if Listen::parse(&self.listen).is_none_or(|listen| listen.addresses().is_err()) {
            return Err(ConfigError {
                key: "listen",
                value: format!("{:?}", self.listen),
                allowed: Listen::FORM.into(),
            });
        }
        if self.token.len() > limits::TEXT_BYTES {
            return Err(ConfigError {
                key: "token",
                value: format!("({} bytes)", self.token.len()),
                allowed: format!("a text of at most {} bytes", limits::TEXT_BYTES),
            });
        }
        from_catalogue(&self.options())?;
        within("action_ttl_ms", self.action_ttl_ms, 10, limits::ACTION_TTL_MS)?;
        within("window_grace_ms", self.window_grace_ms, 1, 60_000)?;
        within("close_wait_ms", self.close_wait_ms, 0, 60_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_allowed() {
        Config::default().validate().unwrap();
    }

    #[test]
    fn a_bad_value_is_named_with_its_key_and_what_is_allowed() {
        let text = |config: Config| config.validate().unwrap_err().to_string();
        let config = Config::default();
        let bad = text(Config { listen: "nowhere".into(), ..config.clone() });
        assert!(bad.starts_with("listen = \"nowhere\": allowed is"), "{bad}");
        let bad = text(Config { action_ttl_ms: 0, ..config.clone() });
        assert_eq!(bad, "action_ttl_ms = 0: allowed is 10 to 3600000");
        let bad = text(Config { technique: "dfp".into(), ..config.clone() });
        assert!(bad.contains("technique") && bad.contains("dfp") && bad.contains("dpf"), "{bad}");
        let bad = text(Config { objective: "cheap".into(), ..config.clone() });
        assert!(bad.starts_with("objective = cheap: allowed is efficiency"), "{bad}");
        let bad = text(Config { min_workers: 5, max_workers: 4, ..config.clone() });
        assert_eq!(bad, "min_workers = 5: allowed is 4 or fewer, as max_workers says");
        let bad = text(Config { tunlet: "nobody".into(), ..config });
        assert!(bad.contains("nobody") && bad.contains("master_worker"), "{bad}");
    }

    #[test]
    fn an_unknown_key_is_refused() {
        let error = serde_json::from_str::<Config>(r#"{"polcy": "dpf"}"#).unwrap_err();
        assert!(error.to_string().contains("polcy"));
    }
}
