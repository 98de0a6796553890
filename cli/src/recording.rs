//! Recordings of runs: the flags that name one, and how it is opened.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use midrun_analyzer::JobId;
use midrun_analyzer::recording::{self, End, Reader};
use midrun_tunlets::Window;

use crate::usage::{Usage, say};

/// Names a recording and one of its jobs.
#[derive(clap::Args, Debug)]
pub struct RecordingArgs {
    /// Recording written by midrun run --record
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Id of the job, where the recording holds several
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
}

impl RecordingArgs {
    /// The recording at `file`; `job` is needed where it holds several.
    pub fn at(file: PathBuf, job: Option<String>) -> RecordingArgs {
        RecordingArgs { file, job }
    }

    /// Opens the recording at its start.
    ///
    /// # Errors
    /// The file cannot be read, is no recording, or has another version.
    pub fn reader(&self) -> anyhow::Result<Reader<BufReader<File>>> {
        // Opening a directory succeeds; reading it fails.
        let file = File::open(&self.file).map_err(|error| self.wrong(format!("cannot be read: {error}")))?;
        Ok(Reader::new(BufReader::new(file)).map_err(|error| self.wrong(error))?)
    }

    /// The id of the job.
    ///
    /// # Errors
    /// The recording has no such job, or several and none was named.
    pub fn job(&self) -> anyhow::Result<JobId> {
        Ok(recording::job(self.reader()?, self.job.as_deref()).map_err(|error| self.wrong(error))?)
    }

    /// An error about this file.
    pub fn wrong(&self, why: impl std::fmt::Display) -> Usage {
        Usage(format!("{} {why}", self.file.display()))
    }

    /// Says which iterations count where the job had further masters.
    pub fn tell_of(&self, further: &BTreeSet<u32>) {
        if !further.is_empty() {
            let others: Vec<String> = further.iter().map(u32::to_string).collect();
            let others = others.join(", ");
            say(format!(
                "{}: only the iterations of the first master count, not those of {others}",
                self.file.display()
            ));
        }
    }

    /// Warns if the recording is incomplete.
    pub fn warn_of(&self, end: &End, frames: u64) {
        if *end != End::Whole {
            say(format!("{}: {end}; only the {frames} frames before it are used", self.file.display()));
        }
    }
}

/// Why predictions refuse a recording that [`divides`].
pub const DIVIDES: &str =
    "is of a divide-and-conquer program, whose tasks depend on its cut-off depth: midrun replay shows its decisions";

/// Whether these are iterations of a divide-and-conquer program.
pub fn divides(iterations: &[Window]) -> bool {
    iterations.iter().any(|window| window.serial_s() > 0.0)
}

/// Checks that a recording can be written at `path`.
///
/// # Errors
/// A [`Usage`] with the reason why not.
pub fn writable(path: &Path) -> anyhow::Result<()> {
    Ok(recording::check(path).map_err(unusable(path))?)
}

/// Keeps what was recorded there under another name, which is returned.
///
/// # Errors
/// A [`Usage`] with the reason why it cannot.
pub fn set_aside(path: &Path) -> anyhow::Result<Option<PathBuf>> {
    Ok(recording::set_aside(path).map_err(unusable(path))?)
}

fn unusable(path: &Path) -> impl Fn(recording::Unusable) -> Usage {
    move |error| Usage(format!("--record {} {error}", path.display()))
}
