//! The job file: `midrun run` keeps it in the runtime directory while its job runs, so that `midrun status` and others find the job.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use midrun_proto::tls::Credentials;
use serde::{Deserialize, Serialize};

use crate::runtime_dir::{self, RemovedAtEnd};

/// Limit for reading a job file, bytes.
const MOST_BYTES: u64 = 64 << 10;

/// The content of a job file: a running job and the access to its analyzer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningJob {
    /// Its id.
    pub job: String,
    /// Its analyzer's URL, as seen from this host.
    pub url: String,
    /// The token that the analyzer demands of everyone.
    pub analyzer_token: String,
    /// The job's own.
    pub token: String,
    /// Credentials for its analyzer ([`midrun_proto::tls`]); empty: plain text.
    #[serde(default)]
    pub credentials: String,
    /// The command, shown in lists of jobs.
    pub command: String,
}

impl RunningJob {
    /// The credentials for its analyzer.
    pub fn credentials(&self) -> Option<Credentials> {
        Credentials::from_word(&self.credentials)
    }
}

/// An open, locked job file; dropping it removes the file. A file without a lock is the remainder of a crashed `midrun run`.
#[derive(Debug)]
pub struct JobFile {
    _lock: fs::File,
    _removed_at_end: RemovedAtEnd,
}

impl JobFile {
    /// Writes and locks the file.
    ///
    /// # Errors
    /// The runtime directory cannot be used.
    pub fn write(running: &RunningJob) -> anyhow::Result<JobFile> {
        let directory = runtime_dir::ensure()?;
        let path = runtime_dir::job_path(&directory, &running.job);
        let what = || format!("cannot write {}", path.display());
        let mut file =
            fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path).with_context(what)?;
        let removed_at_end = RemovedAtEnd(path.clone());
        // SAFETY: the descriptor is open.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
            return Err(std::io::Error::last_os_error()).with_context(what);
        }
        file.write_all(serde_json::to_string(running)?.as_bytes()).with_context(what)?;
        Ok(JobFile { _lock: file, _removed_at_end: removed_at_end })
    }
}

/// The jobs that `midrun run` commands of this user run on this host now.
pub fn running() -> Vec<RunningJob> {
    let directory = runtime_dir::path();
    let Ok(entries) = fs::read_dir(&directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter(|path| runtime_dir::is_job_path(path)).filter_map(|path| read(path)).collect()
}

/// Reads a job file. Returns `None` unless it is complete, belongs to this user, and its writer still holds the lock.
fn read(path: &Path) -> Option<RunningJob> {
    let file = fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path).ok()?;
    let own = file.metadata().is_ok_and(|found| runtime_dir::is_private(&found));
    // SAFETY: the descriptor is open. Closing it releases a lock obtained here.
    let left_behind = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_SH | libc::LOCK_NB) } == 0;
    if !own || left_behind {
        return None;
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
