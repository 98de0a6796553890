//! Emulated hosts out of network namespaces, by `deploy/cluster/emuc`.

use std::path::PathBuf;
use std::process::Command;

use crate::root;

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
