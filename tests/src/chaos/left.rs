//! What a job must not leave behind: files in the runtime directory, shared memory, mounts; and the disk that becomes full.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::plan::{Parts, Plan};
use crate::{Cluster, Process, Scratch, mpi, run};

/// A run that sweeps what dead ones have left ends within this time.
const SWEEP: Duration = Duration::from_secs(60);

/// The hosts of a job as they were before it.
pub struct Places(BTreeMap<String, String>);

impl Places {
    /// Makes a directory that is another one on each emulated host, for the sockets of standing agents, and looks at the hosts.
    pub fn prepare(scratch: &Scratch, plan: &Plan) -> Places {
        let hosts = (1..=plan.hosts).map(|host| format!("h{host}"));
        let directory = scratch.path("host").display().to_string();
        if plan.parts == Parts::Standing && plan.hosts > 0 {
            std::fs::create_dir_all(&directory).expect("a directory");
            for host in hosts.clone() {
                let mounted = Cluster::ask(&host, &["mount", "-t", "tmpfs", "tmpfs", &directory]);
                assert!(mounted.is_some(), "{directory} of {host}");
            }
        }
        Places(hosts.map(|host| (host.clone(), look(&host))).collect())
    }

    /// What is there that was not, one sentence each. Logs of agents that were killed stay for a day.
    pub fn left(&self, scratch: &Scratch) -> Vec<String> {
        let mut left = Vec::new();
        for (host, before) in &self.0 {
            let new: Vec<String> = {
                let now = look(host);
                now.lines().filter(|line| !before.lines().any(|known| known == *line)).map(str::to_owned).collect()
            };
            if !new.is_empty() {
                left.push(format!("left behind on {host}: {new:?}"));
            }
        }
        if !scratch.left().is_empty() {
            // Each host sweeps its own.
            let line = run::words(&["--quiet"], &["true".into()]);
            let on_hosts = self.0.keys().map(|host| Cluster::on(host, &line));
            for line in if self.0.is_empty() { vec![line.clone()] } else { on_hosts.collect() } {
                Process::start(scratch, "next", mpi::command(&line)).wait_at_most(SWEEP);
            }
        }
        let mut files = scratch.left();
        files.retain(|file| file.extension().is_none_or(|ending| ending != "log"));
        if !files.is_empty() {
            left.push(format!("left behind: {files:?}"));
        }
        left
    }
}

/// Mounts, shared memory and listening sockets of an emulated host, a line each.
fn look(host: &str) -> String {
    let script = "cat /proc/self/mounts; find /dev/shm -mindepth 1; ss -Hlnt 2>/dev/null | awk '{print $4}'";
    Cluster::ask(host, &["sh", "-c", script]).unwrap_or_default()
}

/// A file system of 256 KiB as the state directory; there is none where this user may not mount.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts it.
    pub fn under(scratch: &Scratch) -> Option<SmallDisk> {
        let at = scratch.path("state");
        std::fs::create_dir_all(&at).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&at);
        mount.output().is_ok_and(|output| output.status.success()).then_some(SmallDisk(at))
    }

    /// Writes until there is no room.
    pub fn fill(&self) -> bool {
        let full = std::fs::write(self.0.join("full"), vec![0; 1 << 20]);
        full.is_err_and(|error| error.kind() == std::io::ErrorKind::StorageFull)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
