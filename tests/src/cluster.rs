//! Emulated hosts out of network namespaces, by `deploy/cluster/emuc`.

use std::path::PathBuf;
use std::process::Command;

use crate::{Scratch, root};

/// Emulated hosts h1, h2, …; dropping this takes them down.
pub struct Cluster {
    directory: PathBuf,
}

impl Cluster {
    /// Whether this machine allows it: that takes root, `unshare`, `nsenter`, `ip` and `tc`.
    pub fn is_possible() -> bool {
        let try_it =
            Command::new("unshare").args(["-n", "-u", "-m", "sh", "-c", "ip link set lo up && tc -V"]).output();
        try_it.is_ok_and(|output| output.status.success())
    }

    /// Brings `hosts` hosts up; each link is limited to `rate` (such as `100mbit`).
    pub fn up(hosts: u32, rate: &str) -> Cluster {
        let cluster = Cluster { directory: PathBuf::from("/run/emuc") };
        cluster.emuc(&["down"]);
        assert!(cluster.emuc(&["up", &hosts.to_string(), rate]), "the hosts come up");
        cluster
    }

    /// Path of a script of `deploy/cluster`.
    pub fn script(name: &str) -> PathBuf {
        root().canonicalize().expect("the root").join("deploy/cluster").join(name)
    }

    /// Open MPI's launcher with so many slots on h1, h2 and so on, and a rank for each.
    pub fn open_mpi(scratch: &Scratch, slots: &[u32]) -> Vec<String> {
        let hosts = scratch.path("hosts");
        let lines: String = (1..).zip(slots).map(|(host, slots)| format!("h{host} slots={slots}\n")).collect();
        std::fs::write(&hosts, lines).expect("the host file");
        let line = format!(
            "mpirun.openmpi --mca plm_rsh_agent {} --hostfile {} -n {} --bind-to none --mca mpi_yield_when_idle 1",
            Cluster::script("emuc-rsh").display(),
            hosts.display(),
            slots.iter().sum::<u32>(),
        );
        line.split(' ').map(str::to_owned).collect()
    }

    fn emuc(&self, arguments: &[&str]) -> bool {
        let status = Command::new(Cluster::script("emuc")).args(arguments).env("EMUC_DIR", &self.directory).status();
        status.is_ok_and(|status| status.success())
    }

    /// The command line that runs `words` on a host.
    pub fn on(host: &str, words: &[String]) -> Vec<String> {
        let emuc = Cluster::script("emuc").display().to_string();
        let mut line = vec![emuc, "exec".into(), host.into()];
        line.extend_from_slice(words);
        line
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.emuc(&["down"]);
    }
}
