//! The results of searches, kept from run to run in one file per program, input and kind of machine.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use midrun_tunlets::SearchOptions;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::usage::say;

/// Number of combinations kept.
const KEPT: usize = 8;
/// Limit for reading a file, bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Identity of a search: only a search with an equal key uses the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Path of the program as the user gave it.
    program: String,
    /// Arguments of the program.
    arguments: Vec<String>,
    /// Number of ranks, if the command gives it.
    ranks: Option<u32>,
    /// Processor and number of cores.
    machine: String,
    /// Tuning points searched and their values.
    points: String,
    /// Conditions on the values.
    constraint: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Found {
    key: Key,
    /// The best first.
    results: Vec<Tried>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Tried {
    values: Vec<f64>,
    time_s: f64,
}

/// The file with the results of one search.
#[derive(Debug)]
pub struct SearchMemory {
    path: PathBuf,
    key: Key,
}

impl SearchMemory {
    /// The memory of a search for `program` with the arguments `words`. `None` if neither XDG_STATE_HOME nor HOME is set.
    pub fn of(program: &str, words: &[String], ranks: Option<u32>, options: &SearchOptions) -> Option<SearchMemory> {
        let directory = directory()?;
        let key = Key {
            program: program.to_owned(),
            arguments: words.to_vec(),
            ranks,
            machine: machine(),
            points: options.points.clone(),
            constraint: options.constraint.clone(),
        };
        Some(SearchMemory::at(&directory, key))
    }

    fn at(directory: &Path, key: Key) -> SearchMemory {
        let text = serde_json::to_string(&key).unwrap_or_default();
        let stem = Path::new(&key.program).file_name().map_or("program".into(), |name| name.to_string_lossy());
        let stem: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(64).collect();
        SearchMemory { path: directory.join(format!("{stem}-{:016x}.json", hash(&text))), key }
    }

    /// The results of an earlier search, best first, as [`SearchOptions::known`] takes them; empty without one. A damaged file
    /// is renamed and reported in one line.
    pub fn known(&self) -> String {
        let found = match self.read() {
            Ok(Some(found)) if found.key == self.key => found,
            Ok(_) => return String::new(),
            Err(error) => {
                let aside = self.path.with_extension("damaged");
                let moved = std::fs::rename(&self.path, &aside).is_ok();
                let how = if moved { format!("the file is now {}", aside.display()) } else { "the file stays".into() };
                say(format!(
                    "cannot read the results of earlier searches from {}: {error}; {how}",
                    self.path.display()
                ));
                return String::new();
            }
        };
        let line = |tried: &Tried| tried.values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        found.results.iter().take(KEPT).map(line).collect::<Vec<_>>().join("; ")
    }

    fn read(&self) -> Result<Option<Found>, String> {
        use std::io::Read;
        let file = match std::fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map(Some).map_err(|error| format!("it is damaged ({error})"))
    }

    /// Stores the results in this summary of a job, if its search ended.
    pub fn keep(&self, summary: &str) {
        let summary: Value = serde_json::from_str(summary).unwrap_or_default();
        let report = &summary["search"];
        if report["ended"] != true {
            return;
        }
        let mut results: Vec<Tried> = serde_json::from_value(report["tried"].clone()).unwrap_or_default();
        results.retain(|tried| tried.time_s.is_finite());
        // The values that stood at the end were measured most often: they come first.
        if let Some(at) = results.iter().position(|tried| report["best"] == serde_json::json!(tried.values)) {
            results[..=at].rotate_right(1);
        }
        results.truncate(KEPT);
        if let Err(error) = self.write(&Found { key: self.key.clone(), results }) {
            say(format!("{error:#}"));
        }
    }

    fn write(&self, found: &Found) -> anyhow::Result<()> {
        let what = || format!("cannot store the results of the search in {}", self.path.display());
        let directory = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(directory).with_context(what)?;
        let mut file = tempfile::NamedTempFile::new_in(directory).with_context(what)?;
        file.write_all(serde_json::to_string_pretty(found)?.as_bytes()).with_context(what)?;
        file.persist(&self.path).with_context(what)?;
        Ok(())
    }
}

/// `$XDG_STATE_HOME/midrun/search`, by default under `~/.local/state`.
fn directory() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("midrun/search"))
}

/// Processor model and number of cores: results of one kind of machine do not hold for another.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {cores} cores", model.trim_start_matches([' ', '\t', ':']))
}

/// FNV-1a. It names files, so it must stay the same in every version; the file holds the whole key.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(directory: &Path, argument: &str) -> SearchMemory {
        let key = Key {
            program: "./bin/matmul".into(),
            arguments: vec![argument.into()],
            ranks: Some(4),
            machine: "some".into(),
            points: "block=1..9".into(),
            constraint: String::new(),
        };
        SearchMemory::at(directory, key)
    }

    const SUMMARY: &str = r#"{"search": {"ended": true, "best": [4.0, 0.5], "tried": [
        {"values": [8.0, 0.5], "time_s": 0.1, "times": 1}, {"values": [4.0, 0.5], "time_s": 0.11, "times": 6}]}}"#;

    #[test]
    fn results_come_back_for_the_same_input_only() {
        let dir = tempfile::tempdir().unwrap();
        let directory = dir.path().join("not/there/yet");
        let of = memory(&directory, "100");
        assert_eq!(of.known(), "");
        of.keep(r#"{"search": {"ended": false, "tried": []}}"#);
        of.keep("{}");
        assert_eq!(of.known(), "");
        of.keep(SUMMARY);
        assert_eq!(of.known(), "4,0.5; 8,0.5");
        assert_eq!(memory(&directory, "200").known(), "");
        assert!(of.path.file_name().unwrap().to_string_lossy().starts_with("matmul-"), "{:?}", of.path);
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_the_next_search_writes_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let of = memory(dir.path(), "100");
        for damage in [&b"{"[..], b"", b"\xff\xfe", b"[1]"] {
            std::fs::write(&of.path, damage).unwrap();
            assert_eq!(of.known(), "");
            assert!(!of.path.exists());
            assert_eq!(std::fs::read(of.path.with_extension("damaged")).unwrap(), damage);
        }
        of.keep(SUMMARY);
        assert_eq!(of.known(), "4,0.5; 8,0.5");
    }
}
