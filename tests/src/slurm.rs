//! A real Slurm on emulated hosts: slurmctld on h1, one slurmd per host, in namespaces of their own, so that tests do not meet.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{Cluster, Process, Scratch, wait_until};

/// Where `slurmns.sh` keeps everything, inside the namespaces.
const CONF: &str = "/run/emuc-slurm/slurm.conf";

/// The hierarchy of control groups by which `proctrack/cgroup` knows a step's processes.
const FREEZER: &str = "/sys/fs/cgroup/freezer";

/// Slurm on hosts h1, h2, …; dropping this ends it.
pub struct Slurm {
    /// The process that keeps the outer namespaces: a network without the machine's, and an empty /run.
    holder: Child,
    /// Control groups of this Slurm alone.
    groups: Option<PathBuf>,
}

impl Slurm {
    /// Whether this machine has what it takes: namespaces, Slurm and munge.
    pub fn is_possible() -> bool {
        let is_file = |path: &&str| Path::new(path).exists();
        let all = ["/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "/usr/bin/srun"];
        Cluster::is_possible() && all.iter().all(is_file)
    }

    /// Whether Slurm may track processes by control groups: it takes the freezer of cgroup v1.
    pub fn has_control_groups() -> bool {
        Path::new(FREEZER).join("cgroup.procs").is_file()
    }

    /// Brings `hosts` hosts up, each with four processors, and waits until all are idle.
    pub fn up(scratch: &Scratch, hosts: u32) -> Slurm {
        Slurm::start_up(scratch, hosts, "", false)
    }

    /// The same with the lines of a plugstack.conf.
    pub fn with_plugins(scratch: &Scratch, hosts: u32, plugins: &str) -> Slurm {
        Slurm::start_up(scratch, hosts, plugins, false)
    }

    /// The same with `proctrack/cgroup`, in control groups of its own.
    pub fn with_control_groups(scratch: &Scratch, hosts: u32) -> Slurm {
        Slurm::start_up(scratch, hosts, "", true)
    }

    fn start_up(scratch: &Scratch, hosts: u32, plugins: &str, has_groups: bool) -> Slurm {
        let plugstack = scratch.path("plugstack.conf");
        std::fs::write(&plugstack, plugins).expect("a file");
        let ready = scratch.path("namespaces");
        let groups = has_groups.then(|| {
            let name = scratch.directory().file_name().expect("a name").to_string_lossy().into_owned();
            let own = PathBuf::from(FREEZER).join(format!("midrun-{name}"));
            std::fs::create_dir(&own).expect("a control group");
            own
        });
        let mount = groups.as_ref().map(|own| format!("mount --bind {} {FREEZER} && ", own.display()));
        let script = format!(
            "ip link set lo up && mount -t tmpfs tmpfs /run && {}: >{} && exec sleep infinity",
            mount.unwrap_or_default(),
            ready.display()
        );
        let mut unshare = Command::new("unshare");
        unshare.args(["-n", "-m", "--propagation", "private", "sh", "-c", &script]).stdin(Stdio::null());
        let slurm = Slurm { holder: unshare.spawn().expect("unshare"), groups };
        wait_until("the namespaces are there", || ready.exists());
        slurm.script("emuc", &["up", &hosts.to_string(), "1000mbit"]);
        let plugins = format!("PLUGSTACK={}", plugstack.display());
        let tracking = format!("PROCTRACK={}", if has_groups { "cgroup" } else { "linuxproc" });
        slurm.script("env", &[&plugins, &tracking, &script_path("slurmns.sh"), "up"]);
        wait_until("all hosts are idle", || {
            slurm.ask(&["sinfo", "-h", "-t", "idle", "-o", "%D"]).trim() == hosts.to_string()
        });
        slurm
    }

    fn inside(&self, words: &[String]) -> Vec<String> {
        let mut line: Vec<String> = ["nsenter", "-n", "-m", "-t"].map(String::from).into();
        let directory = std::env::current_dir().expect("a directory");
        line.extend([self.holder.id().to_string(), format!("--wd={}", directory.display()), "--".into()]);
        line.extend_from_slice(words);
        line
    }

    fn script(&self, name: &str, arguments: &[&str]) {
        let mut words = vec![if name == "env" { name.to_owned() } else { script_path(name) }];
        words.extend(arguments.iter().map(|word| (*word).to_owned()));
        let line = self.inside(&words);
        let status = Command::new(&line[0]).args(&line[1..]).stdin(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "{line:?}");
    }

    /// The command line that runs `words` on a host, in `directory`.
    pub fn on(&self, host: &str, directory: &Path, words: &[String]) -> Vec<String> {
        let mut line: Vec<String> =
            ["env", "-C", &directory.display().to_string(), &format!("SLURM_CONF={CONF}")].map(String::from).into();
        line.extend_from_slice(words);
        self.inside(&Cluster::on(host, &line))
    }

    /// Starts `words` on h1 in the test's directory, with a log called `name`.
    pub fn start(&self, scratch: &Scratch, name: &str, words: &[String], variables: &[(&str, String)]) -> Process {
        let mut command = crate::mpi::command(&self.on("h1", scratch.directory(), words));
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        Process::start(scratch, name, command)
    }

    /// What a command of Slurm says on h1.
    pub fn ask(&self, words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = self.on("h1", Path::new("/"), &words);
        let answer = Command::new(&line[0]).args(&line[1..]).stdin(Stdio::null()).output().expect("a command");
        String::from_utf8_lossy(&answer.stdout).into_owned()
    }

    /// Kills all that runs on a host, and its link.
    pub fn kill(&self, host: &str) {
        self.script("emuc", &["kill", host]);
    }

    /// Path of a file of Slurm's logs, for messages.
    pub fn log(&self, name: &str) -> String {
        let words = ["tail", "-n", "30", &format!("/run/emuc-slurm/log/{name}.log")].map(String::from);
        let line = self.inside(&words);
        let answer = Command::new(&line[0]).args(&line[1..]).output().expect("tail");
        String::from_utf8_lossy(&answer.stdout).into_owned()
    }
}

fn script_path(name: &str) -> String {
    Cluster::script(name).display().to_string()
}

/// The SPANK plugin, compiled for this machine's Slurm; `None` without its headers.
pub fn plugin(scratch: &Scratch) -> Option<PathBuf> {
    let directory = crate::root().canonicalize().expect("the root").join("deploy/slurm/spank");
    let mut make = Command::new("make");
    make.args(["-s", "-C"]).arg(directory).arg(format!("BUILD={}", scratch.directory().display()));
    Path::new("/usr/include/slurm/spank.h").is_file().then_some(())?;
    assert!(make.status().is_ok_and(|status| status.success()), "the plugin compiles");
    Some(scratch.path("midrun_spank.so"))
}

/// The job script of `deploy`.
pub fn job_script() -> PathBuf {
    crate::root().canonicalize().expect("the root").join("deploy/slurm/job.sbatch")
}

impl Drop for Slurm {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.script("slurmns.sh", &["down"]);
        }
        let line = self.inside(&[script_path("emuc"), "down".into()]);
        let _ = Command::new(&line[0]).args(&line[1..]).stdin(Stdio::null()).status();
        // The daemons of munge and Slurm are in these namespaces, and in no other.
        let inode = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/mnt")).ok();
        let ours = inode(&self.holder.id().to_string());
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid = entry.file_name().to_string_lossy().into_owned();
            if let Ok(number) = pid.parse::<i32>()
                && ours.is_some()
                && inode(&pid) == ours
            {
                // SAFETY: a process in namespaces that this test has made.
                unsafe { libc::kill(number, libc::SIGKILL) };
            }
        }
        let _ = self.holder.wait();
        if let Some(groups) = &self.groups {
            wait_until("its control groups are gone", || remove_group(groups));
        }
    }
}

/// Removes a control group with those below it, which takes that no process is left in them.
fn remove_group(group: &Path) -> bool {
    for entry in std::fs::read_dir(group).into_iter().flatten().flatten() {
        let _ = entry.path().is_dir() && remove_group(&entry.path());
    }
    std::fs::remove_dir(group).is_ok() || !group.exists()
}
