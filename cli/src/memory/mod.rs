//! The memory of this user's runs: what each learnt of its program, kept from run to run in one SQLite file.
//!
//! `midrun run` alone reads and writes it, when its job begins and when it has ended well: an analyzer, which several users may share,
//! stores nothing.

mod key;
mod store;

use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use midrun_scheduling::{Setting, Start};
use midrun_tunlets::memory::{Learnt, Remembered};
use serde_json::{Value, json};

use crate::launch::command_line::CommandLine;
use crate::runtime_dir;
use crate::settings::{RunSettings, Settings};
use crate::usage::say;
pub use key::Key;
use store::Error;
pub use store::{Bounds, Run, Store};

/// The memory must answer within this time, before the job and after it; a dead network file system must not hold it up.
const PATIENCE: Duration = Duration::from_secs(2);
/// Runs are kept for so many days, and so many of them, unless the configuration says otherwise.
const DAYS: u32 = 90;
const RUNS: u32 = 1000;
/// Results of a search that are kept.
const RESULTS: usize = 8;
/// Runs that a start is learnt from: the newest ones of the same key.
const COMPARED: u32 = 10;
/// Of so many runs one that was disturbed is the exception.
const MAJORITY_OF: usize = 3;

/// The memory of one job.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    key: Key,
    bounds: Bounds,
    /// The user leaves the start open.
    may_start: bool,
    /// It answered when it was read.
    is_reachable: bool,
}

/// What earlier runs of a program found.
#[derive(Debug, Default, PartialEq)]
pub struct Earlier {
    /// The start that they give.
    pub start: Option<Remembered>,
    /// Results of a search, as [`midrun_tunlets::SearchOptions::known`] takes them.
    pub search: String,
}

impl Memory {
    /// The memory of a job; `None` if it is turned off, or there is no place for it, or nothing to remember it by.
    pub fn of(settings: &Settings, line: &CommandLine) -> Option<Memory> {
        if settings.run.no_memory {
            return None;
        }
        let options = settings.analyzer.completed(settings.run.options());
        let chosen = options.technique != "auto" || !options.search.points.is_empty();
        let may_start = !(chosen || settings.run.dry_run || settings.analyzer.dry_run);
        Some(Memory {
            path: path()?,
            key: Key::of(settings, line)?,
            bounds: bounds(&settings.run),
            may_start,
            is_reachable: true,
        })
    }

    /// What earlier runs with the same key found. A memory that cannot be read is said so in one sentence, and not tried again.
    pub fn recall(&mut self) -> Earlier {
        let (path, key, since) = (self.path.clone(), self.key.text(), self.bounds.since(now()));
        let read = move || match Store::open(&path).and_then(|store| store.runs_of(&key, since, COMPARED)) {
            // The file is out of the way: this run begins a new one.
            Err(error @ Error::Foreign(..)) => {
                say(format!("{error}; the job begins without what earlier runs learnt"));
                Ok(Vec::new())
            }
            read => read,
        };
        let runs = within("read", read);
        self.is_reachable = runs.is_some();
        let runs = runs.unwrap_or_default();
        Earlier { start: start(&runs).filter(|_| self.may_start), search: found(&runs) }
    }

    /// Remembers a run that ended well, by its summary. One that was too short to say anything is not.
    pub fn keep(&self, summary: &str) {
        let summary: Value = serde_json::from_str(summary).unwrap_or_default();
        let Some(run) = run(&self.key, &summary).filter(|_| self.is_reachable) else { return };
        let (path, bounds) = (self.path.clone(), self.bounds);
        within("written", move || Store::open(&path)?.add(&run, bounds));
    }
}

/// The start of the newest run that gave one, unless it is the dearest of the newest three with its number of workers: something else may have held it up.
fn start(runs: &[Run]) -> Option<Remembered> {
    let learnt = |run: &Run| serde_json::from_value::<Learnt>(run.learnt["best"].clone()).ok();
    let mut all: Vec<(u64, Learnt)> = runs.iter().filter_map(|run| Some((run.time_s, learnt(run)?))).collect();
    let newest = &all.first()?.1;
    let alike = all[1..].iter().map(|(_, other)| other).filter(|other| other.workers == newest.workers);
    let alike: Vec<&Learnt> = alike.take(MAJORITY_OF - 1).collect();
    if !alike.is_empty() && alike.iter().all(|other| other.cost_ln < newest.cost_ln) {
        all.remove(0);
    }
    let (time_s, best) = all.remove(0);
    let others = all.iter().filter(|(_, other)| setting(other) == setting(&best));
    Remembered::of(&best, time_s, &others.map(|(_, other)| other.cost_ln).collect::<Vec<f64>>())
}

/// The results of the newest search that ended, best first, as a search takes them; empty without one.
fn found(runs: &[Run]) -> String {
    let results = runs.iter().find_map(|run| run.learnt["search"].as_array()).map(Vec::as_slice).unwrap_or_default();
    let line = |result: &Value| {
        let values = result["values"].as_array().map(Vec::as_slice).unwrap_or_default();
        let values = values.iter().map(Value::to_string).collect::<Vec<String>>().join(",");
        result["time_s"].as_f64().map_or(values.clone(), |time_s| format!("{values}@{time_s}"))
    };
    results.iter().map(line).collect::<Vec<String>>().join("; ")
}

/// The results of a search in a summary, the best first; null if it did not end.
fn results(search: &Value) -> Value {
    let mut tried: Vec<Value> = search["tried"].as_array().cloned().unwrap_or_default();
    if search["ended"] != true {
        return Value::Null;
    }
    tried.retain(|result| result["time_s"].is_f64());
    // The values that stood at the end were measured most often: they come first.
    if let Some(at) = tried.iter().position(|result| result["values"] == search["best"]) {
        tried[..=at].rotate_right(1);
    }
    tried.truncate(RESULTS);
    tried.into()
}

/// The setting of a start without what is measured, which differs a little from run to run.
fn setting(learnt: &Learnt) -> Vec<&str> {
    const MEASURED: [&str; 6] = ["mean_s=", "sigma_s=", "task_s=", "deviation_s=", "tasks=", "chunks="];
    learnt.start.split(';').filter(|part| !MEASURED.iter().any(|key| part.starts_with(key))).collect()
}

/// The line about a run; `None` of one that says nothing: it lost ranks, or fewer than two iterations were measured.
fn run(key: &Key, summary: &Value) -> Option<Run> {
    let list = |name: &str| summary[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |value: &Value| value.as_f64();
    let (per, times) = match list("period_s") {
        [] => ("iteration", list("iteration_s")),
        periods => ("output", periods),
    };
    if times.len() < 2 || !list("lost_ranks").is_empty() {
        return None;
    }
    let best = summary["learnt"].clone();
    let pattern = list("pattern").last().and_then(|line| line["pattern"].as_str());
    let pattern = pattern.map(|pattern| format!("pattern {pattern}"));
    let searched = summary["search"]["best"].as_array().map(|best| {
        let names = summary["search"]["points"].as_array().map(Vec::as_slice).unwrap_or_default();
        let value = |(name, value): (&Value, &Value)| format!("{} = {value}", name.as_str().unwrap_or_default());
        names.iter().zip(best).map(value).collect::<Vec<String>>().join(", ")
    });
    let setting = best["setting"].as_str().map(str::to_owned).or(pattern).or(searched);
    let start: Option<Start> = best["start"].as_str().and_then(|start| start.parse().ok());
    let is_of_values = matches!(start, Some(Start { setting: Setting::Values(_), .. }));
    let error = |decision: &Value| {
        let (predicted, measured) = (number(&decision["predicted_s"])?, number(&decision["measured_s"])?);
        Some(json!({"tuning_point": decision["tuning_point"], "predicted_s": predicted, "measured_s": measured}))
    };
    let predictions: Vec<Value> = list("decisions").iter().filter_map(error).collect();
    Some(Run {
        time_s: now(),
        program: key.program().to_owned(),
        key: key.text(),
        ranks: summary["ranks"].as_u64().unwrap_or(0),
        iterations: summary["iterations"].as_u64().filter(|_| per == "iteration").unwrap_or(times.len() as u64),
        per: per.to_owned(),
        first_s: number(times.first()?)?,
        last_s: number(times.last()?)?,
        setting,
        // A pattern says it itself; under a program's own values it follows from these.
        workers: best["workers"].as_u64().filter(|_| per == "iteration" && !is_of_values),
        learnt: json!({
            "best": best,
            "search": results(&summary["search"]),
            "predictions": predictions,
        }),
    })
}

fn bounds(settings: &RunSettings) -> Bounds {
    let or = |number: u32, default: u32| if number == 0 { default } else { number };
    Bounds { days: or(settings.memory_days, DAYS), runs: or(settings.memory_runs, RUNS) }
}

/// `runs.sqlite` in the directory of the user's state.
pub fn path() -> Option<PathBuf> {
    Some(runtime_dir::state()?.join("runs.sqlite"))
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Does something with the memory within its time; why it cannot is said in one sentence, and the job goes on.
fn within<T: Send + 'static>(what: &str, work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Option<T> {
    let (to, done) = channel();
    std::thread::spawn(move || to.send(work()));
    match done.recv_timeout(PATIENCE) {
        Ok(Ok(done)) => Some(done),
        Ok(Err(error)) => {
            say(format!("the memory of earlier runs cannot be {what}: {error}; the job goes on without it"));
            None
        }
        Err(_) => {
            say(format!("the memory of earlier runs did not answer within {PATIENCE:?}; the job goes on without it"));
            None
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
