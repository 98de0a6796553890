//! Files of recorded runs, as the command line names them.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use midrun_analyzer::JobId;
use midrun_analyzer::recording::{self, End, Reader};

use crate::usage::{Usage, say};

/// Which job of which recording.
#[derive(clap::Args, Debug)]
pub struct Which {
    /// What `midrun run --record` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The job, where the recording is of several
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
}

impl Which {
    /// The recording from its start.
    ///
    /// # Errors
    /// A file that is none, or of another version.
    pub fn reader(&self) -> anyhow::Result<Reader<BufReader<File>>> {
        // A directory opens, and fails when it is read.
        let file = File::open(&self.file).map_err(|error| self.wrong(format!("cannot be read: {error}")))?;
        Ok(Reader::new(BufReader::new(file)).map_err(|error| self.wrong(error))?)
    }

    /// The job.
    ///
    /// # Errors
    /// There is none, or it is not clear which.
    pub fn job(&self) -> anyhow::Result<JobId> {
        Ok(recording::job(self.reader()?, self.job.as_deref()).map_err(|error| self.wrong(error))?)
    }

    /// What is wrong, with the file's name.
    pub fn wrong(&self, why: impl std::fmt::Display) -> Usage {
        Usage(format!("{} {why}", self.file.display()))
    }

    /// Says where a recording ends that is not whole.
    pub fn warn_of(&self, end: &End, frames: u64) {
        if *end != End::Whole {
            say(format!("{}: {end}; the {frames} frames before it are used", self.file.display()));
        }
    }
}

/// Checks that a run can be recorded at `path`, before anything is started.
///
/// # Errors
/// One sentence that says why not.
pub fn writable(path: &Path) -> anyhow::Result<()> {
    Ok(recording::check(path).map_err(|error| Usage(format!("--record {} {error}", path.display())))?)
}
