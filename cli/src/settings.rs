//! Configuration: built-in < file < environment (`MIDRUN_CFG_SECTION__KEY`) < flags.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use config::{Environment, File, FileFormat, Source};
use midrun_analyzer::catalogue::from_catalogue;
use midrun_analyzer::listen::Listen;
use midrun_tunlets::{SearchOptions, TuningOptions, TunletFile};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::launch::mpi::Flavour;
use crate::logging::LogForm;
use crate::secret_file;
use crate::text_file;
use crate::tunlet_files;
use crate::usage::{Usage, one_line, usage};

const ENVIRONMENT_PREFIX: &str = "MIDRUN_CFG";
/// Old spellings of keys, in every section that has the new one; accepted for one version (docs/glossary.md).
const OLD_KEYS: [(&str, &str); 2] = [("policy", "technique"), ("no_search_memory", "no_memory")];

/// All configuration keys, by section.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// `midrun run`.
    pub run: RunSettings,
    /// The agent, embedded or as a daemon.
    pub agent: midrun_agent::config::Config,
    /// The analyzer, embedded or as a daemon.
    pub analyzer: midrun_analyzer::config::Config,
}

/// The section of `midrun run`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunSettings {
    /// File that gets the job's summary as JSON. None: no file.
    pub summary: Option<PathBuf>,
    /// Format of the notices on stderr: `text` or `json`.
    pub log: LogForm,
    /// File that gets midrun's lines and the summary. None: stderr.
    pub log_file: Option<PathBuf>,
    /// Where `midrun run` serves metrics, `HOST:PORT` or `HOST:FIRST-LAST` of this host. None: nowhere.
    pub metrics: Option<String>,
    /// Tell nothing but errors.
    pub quiet: bool,
    /// Give advice only; change nothing.
    pub dry_run: bool,
    /// URL of a running analyzer, such as `https://node1:7741`. None: one is embedded.
    pub analyzer: Option<String>,
    /// Socket of a standing agent of root or of this user, which serves the job on every host that has it there; `none`: no standing agent
    /// does. None: `/run/midrun-USER/agent.sock` or `/run/midrun/agent.sock`, where one of them is there.
    pub agent: Option<String>,
    /// Tunlets that act, separated by commas: built-in ones by name, others by file. Empty: the analyzer's default.
    pub tunlet: String,
    /// Tunlets that only advise and are scored, separated by commas. Empty: none.
    pub shadow: String,
    /// Technique for the job: `auto`, or the name of a fixed one. Empty: the analyzer's default.
    pub technique: String,
    /// Objective by which the number of workers is chosen: `efficiency`, `time`, `budget:WORKERS`, `deadline:SECONDS`, or `fixed`.
    /// Empty: the analyzer's default.
    pub objective: String,
    /// Confidence level of what is decided and said, a probability above 0.5 and below 1; 0: the analyzer's default.
    pub confidence: f64,
    /// Least number of workers; 0: the analyzer's default.
    pub min_workers: u32,
    /// Greatest number of workers; 0: the analyzer's default.
    pub max_workers: u32,
    /// Most workers that one change adds or parks; 0: the analyzer's default.
    pub worker_step: u32,
    /// Tuning points to search and their values, separated by `;`: `block=8..256 step 8; algorithm=0..3 categorical`. Empty:
    /// no search.
    pub search: String,
    /// Conditions on the values searched, separated by `;`: `block * tile <= 1024`. A dot in a name is written `_`.
    pub search_constraint: String,
    /// Iterations that a search may measure; 0: 60.
    pub search_budget: u32,
    /// Begin without what earlier runs of the program learnt and found, and keep nothing of this one.
    pub no_memory: bool,
    /// Runs are remembered for so many days; 0: 90.
    pub memory_days: u32,
    /// So many runs are remembered, the newest ones; 0: 1000.
    pub memory_runs: u32,
    /// Directory that holds `openmpi/libmidrun.so`, `mpich/libmidrun.so` and `abi/libmidrun.so`. None: next to the midrun command.
    pub library_dir: Option<PathBuf>,
    /// The MPI of the programs, where they do not name it: `openmpi`, `mpich`, `intel`, `cray`, `mvapich`, `abi` … Empty: each rank finds out.
    pub mpi: String,
    /// Refuse a job that midrun cannot tune, instead of running it untuned.
    pub strict: bool,
    /// Let measure points and tuning points that name functions and variables of the program be added while the job runs: by a tunlet of
    /// the analyzer, or by hand. Those of `--points` and of tunlet files are allowed anyway.
    pub allow_points: bool,
    /// Let synchronized changes work over several hosts: the ranks make a window of MPI memory together in MPI_Init. Every rank must run under
    /// midrun.
    pub synchronized: bool,
    /// Texts of the tunlets given as files.
    #[serde(skip)]
    pub files: Vec<TunletFile>,
    /// Name under which other hosts reach the embedded analyzer. None: this host's name.
    pub advertise: Option<String>,
    /// Where the embedded analyzer of a job on several hosts listens: `HOST:PORT`, or `HOST:FIRST-LAST` for the first free port of a range.
    /// It takes the host's interface only. None: any free port, on all interfaces.
    pub listen: Option<String>,
}

impl RunSettings {
    /// The MPI that the user names.
    pub fn flavour(&self) -> Option<Flavour> {
        Flavour::of_name(&self.mpi).ok()
    }

    /// The tuning options of this job; an empty text or 0 leaves the choice to the analyzer.
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
            search: SearchOptions {
                points: self.search.clone(),
                constraint: self.search_constraint.clone(),
                budget: self.search_budget,
                known: String::new(),
                progress_line: 0,
            },
            iteration_line: 0,
            start: String::new(),
        }
    }
}

/// Reads the token from the first line of a file.
///
/// # Errors
/// A [`Usage`]: the file cannot be read, others may read it, or its first line is empty.
pub fn read_token(path: &Path) -> anyhow::Result<String> {
    let failed = |error| Usage(format!("cannot read the token file {}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if found.is_file() {
        secret_file::refuse_if_open("token file", path, &found)?;
    }
    let text = text_file::read(&file, text_file::MOST_BYTES).map_err(failed)?;
    let token = text.lines().next().unwrap_or("").trim();
    if token.is_empty() {
        return usage(format!("the first line of the token file {} is empty", path.display()));
    }
    Ok(token.to_owned())
}

/// Reads all layers. `flags` are (`section.key`, value), the strongest layer.
///
/// # Errors
/// A [`Usage`] with the key, the value and what is allowed.
pub fn load(file: Option<&Path>, flags: &[(&str, String)]) -> anyhow::Result<Settings> {
    let defaults = serde_json::to_value(Settings::default())?;
    let mut builder = config::Config::builder().add_source(config::Config::try_from(&Settings::default())?);
    if let Some(path) = file {
        let failed = |error| Usage(format!("cannot read the configuration {}: {error}", path.display()));
        let open = std::fs::File::open(path).map_err(failed)?;
        let text = text_file::read(&open, text_file::MOST_BYTES).map_err(failed)?;
        let mut table: toml::Table = toml::from_str(&text)
            .map_err(|error| Usage(format!("{} is not TOML: {}", path.display(), error.message())))?;
        for section in table.iter_mut().filter_map(|(_, section)| section.as_table_mut()) {
            for (old, new) in OLD_KEYS {
                if let Some(value) = section.remove(old) {
                    section.entry(new).or_insert(value);
                }
            }
        }
        let found = open.metadata().map_err(failed)?;
        let has_token =
            table.values().any(|section| section.get("token").is_some_and(|token| token.as_str() != Some("")));
        if has_token && found.is_file() {
            secret_file::refuse_if_open("configuration with a token", path, &found)?;
        }
        let text = toml::to_string(&table)?;
        check_keys(&serde_json::to_value(table)?, &defaults, &path.display().to_string())?;
        builder = builder.add_source(File::from_str(&text, FileFormat::Toml));
    }
    for (key, value) in environment()? {
        check_keys(&nested(&key, &value, &defaults), &defaults, "the environment (MIDRUN_CFG_…)")?;
        builder = builder.set_override(key, value)?;
    }
    for (key, value) in flags {
        builder = builder.set_override(*key, value.as_str())?;
    }
    let settings: Settings = builder
        .build()
        .and_then(config::Config::try_deserialize)
        .map_err(|error| Usage(format!("configuration: {}", one_line(&error.to_string()))))?;
    validated(settings)
}

fn validated(mut settings: Settings) -> anyhow::Result<Settings> {
    if !settings.run.mpi.is_empty() {
        Flavour::of_name(&settings.run.mpi).map_err(Usage)?;
    }
    if let Some(listen) = settings.run.listen.as_ref().filter(|listen| Listen::parse(listen).is_none()) {
        return usage(format!("run.listen = {listen:?}: allowed is {}", Listen::FORM));
    }
    settings.run.files = tunlet_files::read_all(&settings.run.tunlet, &settings.run.shadow)?;
    let agent = settings.agent.validate().map_err(|error| format!("agent.{error}"));
    let analyzer = settings.analyzer.validate().map_err(|error| format!("analyzer.{error}"));
    agent.and(analyzer).map_err(|error| anyhow!(Usage(error)))?;
    // The analyzer would refuse the job's options later; check them now by the same rules.
    let options = settings.analyzer.completed(settings.run.options());
    tunlet_files::check(&options)?;
    from_catalogue(&options).map_err(|error| anyhow!(Usage(error.to_string())))?;
    Ok(settings)
}

/// The variables `MIDRUN_CFG_SECTION__KEY` as (`section.key`, value), old keys by their new names.
fn environment() -> anyhow::Result<Vec<(String, config::Value)>> {
    let source = Environment::with_prefix(ENVIRONMENT_PREFIX).prefix_separator("_").separator("__");
    let renamed = |key: String| {
        let old =
            OLD_KEYS.iter().find_map(|(old, new)| Some(format!("{}.{new}", key.strip_suffix(old)?.strip_suffix('.')?)));
        old.unwrap_or(key)
    };
    Ok(source.collect()?.into_iter().map(|(key, value)| (renamed(key), value)).collect())
}

/// One variable of the environment as the sections and keys of a file. It is a number only where the key takes one.
fn nested(key: &str, value: &config::Value, defaults: &Value) -> Value {
    let text = value.to_string();
    let default = key.split('.').try_fold(defaults, |inside, part| inside.get(part));
    let number = match default {
        Some(Value::Number(default)) if default.is_f64() => text.parse::<f64>().ok().map(Value::from),
        Some(Value::Number(_)) => text.parse::<u64>().ok().map(Value::from),
        _ => None,
    };
    let innermost = number.unwrap_or(Value::String(text));
    key.rsplit('.').fold(innermost, |inner, part| serde_json::json!({ part: inner }))
}

/// Refuses keys that the defaults do not have.
fn check_keys(found: &Value, defaults: &Value, place: &str) -> anyhow::Result<()> {
    let Some(sections) = found.as_object() else {
        return Ok(());
    };
    for (section, content) in sections {
        let Some(known) = defaults.get(section).and_then(Value::as_object) else {
            let allowed = list(defaults.as_object());
            return usage(format!("{place}: unknown section `{section}`, allowed are {allowed}"));
        };
        let Some(content) = content.as_object() else {
            return usage(format!("{place}: `{section}` is a section, written [{section}]"));
        };
        if let Some(key) = content.keys().find(|key| !known.contains_key(*key)) {
            let allowed = list(Some(known));
            return usage(format!("{place}: unknown key `{key}` in [{section}], allowed are {allowed}"));
        }
        for (key, value) in content {
            check_value(section, key, value, &known[key], place)?;
        }
    }
    Ok(())
}

/// Refuses values that the `config` crate would round or convert: 2.5, true or "3" for a number, 1e5 for a text.
fn check_value(section: &str, key: &str, value: &Value, default: &Value, place: &str) -> anyhow::Result<()> {
    let expected = match default {
        Value::Number(number) if number.is_f64() && !value.is_number() => "a number",
        Value::Number(number) if !number.is_f64() && !value.is_u64() => "a whole number of 0 or more",
        Value::String(_) if !value.is_string() => "a text in quotation marks",
        _ => return Ok(()),
    };
    usage(format!("{place}: {section}.{key} = {value}: {expected} is expected"))
}

fn list(keys: Option<&serde_json::Map<String, Value>>) -> String {
    let keys: Vec<&str> = keys.into_iter().flat_map(|keys| keys.keys()).map(String::as_str).collect();
    keys.join(", ")
}

#[cfg(test)]
#[path = "settings/tests.rs"]
mod tests;
