//! Addresses of running jobs in the user's state directory, which is the same on all hosts of a cluster where the home is shared:
//! `midrun status` finds a job from any of them.
//!
//! A home may be missing, full, read-only or slow: no job waits for it, or fails by it.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::job_file::RunningJob;
use crate::runtime_dir;

/// Limit for reading a file, bytes.
const MOST_BYTES: u64 = 64 << 10;
/// An analyzer must accept a connection within this time to be shown in a list.
const CONNECT_DEADLINE: Duration = Duration::from_secs(1);
/// The end of a job waits at most this long for the file to be removed.
const REMOVAL_DEADLINE: Duration = Duration::from_secs(1);

/// A job and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedJob {
    /// The job, with its analyzer's URL as seen from other hosts.
    #[serde(flatten)]
    pub running: RunningJob,
    /// The host of `midrun run`.
    pub host: String,
    /// The cluster, as its batch system names it; empty if it does not.
    pub cluster: String,
    /// The batch system's names for the job: several for an element of an array.
    pub batch_ids: Vec<String>,
}

impl PublishedJob {
    /// The job with what the batch system's variables say about it.
    pub fn of(running: RunningJob, variable: impl Fn(&str) -> Option<String>) -> PublishedJob {
        const IDS: [&str; 5] = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID"];
        let mut batch_ids: Vec<String> = IDS.iter().filter_map(|name| variable(name)).collect();
        // PBS names a job with its server, `17.server`; its commands take the number alone, too.
        let short = |id: String| id.split_once('.').map(|(number, _)| number.to_owned());
        batch_ids.extend(variable("PBS_JOBID").and_then(short));
        if let (Some(array), Some(task)) = (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) {
            batch_ids.push(format!("{array}_{task}"));
        }
        let cluster = variable("SLURM_CLUSTER_NAME").unwrap_or_default();
        PublishedJob { running, host: runtime_dir::host(), cluster, batch_ids }
    }

    /// Whether the user means this job by `name`.
    pub fn is(&self, name: &str) -> bool {
        self.running.job == name || self.batch_ids.iter().any(|id| id == name)
    }
}

/// A published address; dropping it removes the file.
pub struct Publication(Option<Sender<()>>, std::sync::mpsc::Receiver<()>);

impl Publication {
    /// Writes the file in a thread of its own, which removes it at the end.
    pub fn start(job: PublishedJob) -> Publication {
        let (end, ended) = channel::<()>();
        let (removed, removal) = channel();
        std::thread::spawn(move || {
            let written = directory().map(|directory| write(&directory, &job));
            let _ = ended.recv(); // ends with the sender
            match written {
                Some(Ok(path)) => drop(fs::remove_file(path)),
                Some(Err(error)) => tracing::warn!(%error, "midrun status finds this job on its own host only"),
                None => {}
            }
            let _ = removed.send(());
        });
        Publication(Some(end), removal)
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        self.0.take();
        let _ = self.1.recv_timeout(REMOVAL_DEADLINE);
    }
}

/// `jobs` in the directory of the user's state.
fn directory() -> Option<PathBuf> {
    Some(runtime_dir::state()?.join("jobs"))
}

fn write(directory: &Path, job: &PublishedJob) -> anyhow::Result<PathBuf> {
    let path = directory.join(format!("{}.json", job.running.job));
    let what = || format!("cannot write {}", path.display());
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).with_context(what)?;
    // Written whole or not at all: the token is in it, and another host may read at any time.
    let mut file = tempfile::NamedTempFile::new_in(directory).with_context(what)?; // mode 0600
    file.write_all(serde_json::to_string(job)?.as_bytes()).with_context(what)?;
    file.persist(&path).with_context(what)?;
    Ok(path)
}

/// The jobs that this user published and that nobody has removed. A file whose analyzer's host answers that nobody listens there is
/// the remainder of a crash and is removed; one whose host does not answer stays.
pub fn all() -> Vec<PublishedJob> {
    directory().map_or_else(Vec::new, |directory| all_in(&directory))
}

fn all_in(directory: &Path) -> Vec<PublishedJob> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let mut jobs = Vec::new();
    for path in paths {
        let Some(job) = read(&path) else { continue };
        match is_listening(&job.running.url) {
            Some(true) => jobs.push(job),
            Some(false) => drop(fs::remove_file(&path)),
            None => {}
        }
    }
    jobs
}

/// Reads a file of this user.
fn read(path: &Path) -> Option<PublishedJob> {
    let file = fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path).ok()?;
    let found = file.metadata().ok().filter(runtime_dir::is_private)?;
    let mut text = String::new();
    file.take(MOST_BYTES.min(found.len())).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Whether a process listens at `url`; `None` if its host does not answer.
fn is_listening(url: &str) -> Option<bool> {
    let address = url.split("://").nth(1)?.trim_end_matches('/');
    let mut addresses = address.to_socket_addrs().ok()?;
    match TcpStream::connect_timeout(&addresses.next()?, CONNECT_DEADLINE) {
        Ok(_) => Some(true),
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => Some(false),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn job(name: &str, url: &str, variables: &[(&str, &str)]) -> PublishedJob {
        let running = RunningJob {
            job: name.into(),
            url: url.into(),
            analyzer_token: "a".into(),
            token: "t".into(),
            credentials: String::new(),
            command: "srun ./a".into(),
        };
        PublishedJob::of(running, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_job_is_found_by_its_own_id_and_by_those_of_the_batch_system() {
        let variables = [("SLURM_JOB_ID", "17"), ("SLURM_ARRAY_JOB_ID", "12"), ("SLURM_ARRAY_TASK_ID", "3")];
        let found = job("jx", "http://h:1", &variables);
        assert!(found.is("jx") && found.is("17") && found.is("12_3") && !found.is("12"));
        let of_pbs = job("jx", "http://h:1", &[("PBS_JOBID", "17[4].server.site")]);
        assert!(of_pbs.is("17[4].server.site") && of_pbs.is("17[4]") && !of_pbs.is("17"));
    }

    #[test]
    fn stale_files_are_removed_and_damaged_or_foreign_ones_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let directory = dir.path().join("not/there/yet");
        assert_eq!(all_in(&directory), []);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let live = job("live", &url, &[]);
        let path = write(&directory, &live).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600, "the token is in it");
        let damaged = directory.join("damaged.json");
        fs::write(&damaged, "{").unwrap();
        let open = directory.join("open.json");
        fs::write(&open, serde_json::to_string(&job("open", &url, &[])).unwrap()).unwrap();
        assert_eq!(all_in(&directory), [live]);
        drop(listener);
        assert_eq!(all_in(&directory), []);
        assert!(!path.exists() && damaged.exists() && open.exists());
    }

    #[test]
    fn a_directory_that_cannot_be_written_costs_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(write(&file, &job("a", "http://h:1", &[])).is_err());
    }
}
