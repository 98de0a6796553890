//! What searches found, kept from run to run: a small file per program, input and kind of machine.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use midrun_tunlets::SearchOptions;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::usage::say;

/// Combinations that are kept.
const KEPT: usize = 8;
/// More than any such file has, bytes.
const MOST_BYTES: u64 = 1 << 20;

/// What makes two searches the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Path of the program as it was given.
    program: String,
    /// Its input: everything behind the program, and how many ranks there are.
    arguments: Vec<String>,
    /// Ranks, where the command says how many.
    ranks: Option<u32>,
    /// Processor and number of cores.
    machine: String,
    /// What is searched.
    points: String,
    /// Under which conditions.
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

/// The file of one key.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    key: Key,
}

impl Memory {
    /// Of a search of `program`, whose line has `words` behind it; `None` where no directory is known.
    pub fn of(program: &str, words: &[String], ranks: Option<u32>, options: &SearchOptions) -> Option<Memory> {
        let directory = directory()?;
        let key = Key {
            program: program.to_owned(),
            arguments: words.to_vec(),
            ranks,
            machine: machine(),
            points: options.points.clone(),
            constraint: options.constraint.clone(),
        };
        Some(Memory::at(&directory, key))
    }

    fn at(directory: &Path, key: Key) -> Memory {
        let text = serde_json::to_string(&key).unwrap_or_default();
        let stem = Path::new(&key.program).file_name().map_or("program".into(), |name| name.to_string_lossy());
        let stem: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(64).collect();
        Memory { path: directory.join(format!("{stem}-{:016x}.json", hash(&text))), key }
    }

    /// What an earlier search found, the best first, as [`SearchOptions::known`]; empty where there was none. A damaged file
    /// is set aside with one line.
    pub fn known(&self) -> String {
        let found = match self.read() {
            Ok(Some(found)) if found.key == self.key => found,
            Ok(_) => return String::new(),
            Err(error) => {
                let aside = self.path.with_extension("damaged");
                let moved = std::fs::rename(&self.path, &aside).is_ok();
                let how =
                    if moved { format!("it is set aside as {}", aside.display()) } else { "it is left alone".into() };
                say(format!("what earlier searches found cannot be read from {}: {error}; {how}", self.path.display()));
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

    /// Keeps what the search of a job found that ended with this summary.
    pub fn keep(&self, summary: &str) {
        let summary: Value = serde_json::from_str(summary).unwrap_or_default();
        let report = &summary["search"];
        if report["ended"] != true {
            return;
        }
        let mut results: Vec<Tried> = serde_json::from_value(report["tried"].clone()).unwrap_or_default();
        results.retain(|tried| tried.time_s.is_finite());
        // What stood at the end comes first, whatever a single measurement said.
        if let Some(at) = results.iter().position(|tried| report["best"] == serde_json::json!(tried.values)) {
            results[..=at].rotate_right(1);
        }
        results.truncate(KEPT);
        if let Err(error) = self.write(&Found { key: self.key.clone(), results }) {
            say(format!("{error:#}"));
        }
    }

    fn write(&self, found: &Found) -> anyhow::Result<()> {
        let what = || format!("what the search found cannot be kept in {}", self.path.display());
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

/// Processor and number of cores: what was best on one is not on another.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {cores} cores", model.trim_start_matches([' ', '\t', ':']))
}

/// FNV-1a: it names files, so that it must be the same in every version; the file holds the whole key.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(directory: &Path, argument: &str) -> Memory {
        let key = Key {
            program: "./bin/matmul".into(),
            arguments: vec![argument.into()],
            ranks: Some(4),
            machine: "some".into(),
            points: "block=1..9".into(),
            constraint: String::new(),
        };
        Memory::at(directory, key)
    }

    const SUMMARY: &str = r#"{"search": {"ended": true, "best": [4.0, 0.5], "tried": [
        {"values": [8.0, 0.5], "time_s": 0.1, "times": 1}, {"values": [4.0, 0.5], "time_s": 0.11, "times": 6}]}}"#;

    #[test]
    fn what_was_found_comes_back_for_the_same_input_only() {
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
