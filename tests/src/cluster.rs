//! Emulated hosts out of network namespaces, by `deploy/cluster/emuc`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Mpi, Scratch, root};

/// Emulated hosts h1, h2, …; dropping this takes them down.
pub struct Cluster {
    directory: PathBuf,
    clocks: String,
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
        Cluster::with_clocks(hosts, rate, "")
    }

    /// The same; `clocks`, such as `h2:5000`, says of hosts how many seconds their clocks since boot are ahead.
    pub fn with_clocks(hosts: u32, rate: &str, clocks: &str) -> Cluster {
        let cluster = Cluster { directory: PathBuf::from("/run/emuc"), clocks: clocks.to_owned() };
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

    /// The same of Open MPI 5, which `tests/run` fetches, and an example compiled with it; `None` where it is not here.
    pub fn open_mpi_5(scratch: &Scratch, slots: &[u32], example: &str) -> Option<(Vec<String>, PathBuf)> {
        let (mpi, prefix) = (crate::mpi::fetched("openmpi5")?, crate::prefix());
        let mut launcher = Cluster::open_mpi(scratch, slots);
        launcher[0] = mpi.join("bin/mpirun").display().to_string();
        launcher[1..3].clone_from_slice(&["--prtemca", "plm_ssh_agent"].map(String::from));
        // It has variables of its own to allow this.
        launcher.extend(["--allow-run-as-root", "-x", "XDG_RUNTIME_DIR"].map(String::from));
        let program = scratch.path(example);
        let mut compiler = Command::new(mpi.join("bin/mpicc"));
        compiler.arg(root().join("examples").join(example).with_extension("c")).arg("-o").arg(&program);
        compiler.arg(format!("-I{}", prefix.join("include").display()));
        compiler.arg(format!("-L{}", prefix.join("lib").display())).args(["-lmidrun", "-lm"]);
        assert!(compiler.status().is_ok_and(|status| status.success()), "{example} is compiled");
        Some((launcher, program))
    }

    /// Launcher and program, for so many ranks on h1, h2 and so on; `None` where the MPI that works across hosts is not here.
    pub fn line(scratch: &Scratch, mpi: Mpi, slots: &[u32], example: &str) -> Option<(Vec<String>, PathBuf)> {
        if mpi == Mpi::OpenMpi {
            let mut launcher = Cluster::open_mpi(scratch, slots);
            launcher.extend(["-x", "XDG_RUNTIME_DIR"].map(String::from));
            return mpi.is_here().then(|| (launcher, mpi.example(example)));
        }
        // Debian's MPICH 4.0 hangs across hosts; tests/run puts MPICH 5 and the examples built with it here.
        let mpich = root().canonicalize().expect("the root").join("target/mpich5");
        let (launcher, program) = (mpich.join("bin/mpiexec"), mpich.join("examples").join(example));
        let machines = scratch.path("machines");
        let lines: String = (1..).zip(slots).map(|(host, slots)| format!("h{host}:{slots}\n")).collect();
        std::fs::write(&machines, lines).expect("the machine file");
        let line = format!(
            "{} -launcher rsh -launcher-exec {} -f {} -genv UCX_TLS tcp,self -n {}",
            launcher.display(),
            Cluster::script("emuc-rsh").display(),
            machines.display(),
            slots.iter().sum::<u32>(),
        );
        let words = line.split(' ').map(str::to_owned).collect();
        (launcher.is_file() && program.is_file()).then_some((words, program))
    }

    /// Takes the link of a host down, or up again.
    pub fn set_link(&self, host: &str, is_up: bool) {
        assert!(self.emuc(&[if is_up { "mend" } else { "cut" }, host]), "the link of {host}");
    }

    /// Kills all that runs on a host, and its link.
    pub fn kill(&self, host: &str) {
        assert!(self.emuc(&["kill", host]), "{host} dies");
    }

    /// What a command that ends well says on a host.
    pub fn ask(host: &str, words: &[&str]) -> Option<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = Cluster::on(host, &words);
        let output = Command::new(&line[0]).args(&line[1..]).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether a process runs on a host.
    pub fn runs_on(&self, host: &str, pid: i32) -> bool {
        let network = std::fs::read_to_string(self.directory.join(format!("{host}.net"))).unwrap_or_default();
        std::fs::read_link(format!("/proc/{pid}/ns/net")).is_ok_and(|link| link.to_string_lossy() == network.trim())
    }

    fn emuc(&self, arguments: &[&str]) -> bool {
        let status = Command::new(Cluster::script("emuc"))
            .args(arguments)
            .env("EMUC_DIR", &self.directory)
            .env("EMUC_CLOCKS", &self.clocks)
            .status();
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
