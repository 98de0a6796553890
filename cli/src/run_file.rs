//! A run to look at afterwards: its summary, or its recording, which has a timeline besides.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use midrun_analyzer::catalogue::from_catalogue;
use midrun_analyzer::recording::{self, MAGIC, TimedNotice, Timeline};
use midrun_analyzer::summary::SCHEMA_VERSION;
use midrun_tunlets::TuningOptions;
use serde_json::Value;

use crate::predict::description;
use crate::recording::RecordingArgs;
use crate::usage::usage;

/// What is wrong with any other file.
const NEITHER: &str = "this is neither a summary nor a recording of a run";
/// What would be right.
const WRITERS: &str = "name a file that midrun run --summary or midrun run --record wrote";

/// A run.
pub struct RunFile {
    /// Its file, without the directories.
    pub name: String,
    /// The job's id.
    pub job: String,
    /// The summary (docs/summary.md).
    pub summary: Value,
    /// What only a recording has.
    pub recorded: Option<Recorded>,
}

/// What only a recording has.
pub struct Recorded {
    /// What each rank did, and when.
    pub timeline: Timeline,
    /// Notices in order.
    pub notices: Vec<TimedNotice>,
}

impl RunFile {
    /// Reads a summary or a recording; `job` names the job where a recording holds several.
    ///
    /// # Errors
    /// The file cannot be read, is empty, or is neither.
    pub fn read(path: &Path, job: Option<&str>) -> anyhow::Result<RunFile> {
        let mut start = Vec::new();
        let cannot = |error: std::io::Error| crate::usage::Usage(format!("{} cannot be read: {error}", path.display()));
        File::open(path).map_err(cannot)?.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(cannot)?;
        if start.is_empty() {
            return usage(format!("{} is empty: {WRITERS}", path.display()));
        }
        match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
            _ if MAGIC.starts_with(&start) => of_recording(path, job),
            Some(b'{') => of_summary(path),
            _ => usage(format!("{}: {NEITHER}: {WRITERS}", path.display())),
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn of_summary(path: &Path) -> anyhow::Result<RunFile> {
    let summary: Value = description::read(path, |text| {
        serde_json::from_str(text).map_err(|error| format!("{NEITHER} ({error}): {WRITERS}"))
    })?;
    if !summary["decisions"].is_array() || !summary["iterations"].is_u64() {
        return usage(format!("{}: {NEITHER}: {WRITERS}", path.display()));
    }
    if summary["schema_version"] != SCHEMA_VERSION {
        return usage(format!(
            "{}: its schema_version is {}, and this midrun reads {SCHEMA_VERSION}: use the midrun that wrote it",
            path.display(),
            summary["schema_version"]
        ));
    }
    let job = summary["job"].as_str().unwrap_or("-").to_owned();
    Ok(RunFile { name: name(path), job, summary, recorded: None })
}

fn of_recording(path: &Path, job: Option<&str>) -> anyhow::Result<RunFile> {
    let recording = RecordingArgs::at(PathBuf::from(path), job.map(str::to_owned));
    let job = recording.job()?;
    let as_recorded = TuningOptions {
        tunlet: String::new(),
        technique: String::new(),
        objective: String::new(),
        ..TuningOptions::default()
    };
    let replayed = recording::replay(recording.reader()?, &job, &as_recorded, from_catalogue);
    let replay = replayed.map_err(|error| recording.wrong(error))?;
    recording.warn_of(&replay.end, replay.frames);
    let (timeline, _) = recording::timeline(recording.reader()?, &job).map_err(|error| recording.wrong(error))?;
    let summary = serde_json::from_str(&replay.summary).unwrap_or_default();
    let recorded = Some(Recorded { timeline, notices: replay.notices });
    Ok(RunFile { name: name(path), job: job.to_string(), summary, recorded })
}
