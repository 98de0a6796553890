//! A job with the parts of midrun beside it, on this host or over emulated ones, and what strikes it.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::plan::{Fault, Parts, Plan, Target};
use crate::daemons::{Agent, Analyzer};
use crate::{Cluster, Mpi, Process, Scratch, ask, midrun, mpi, ranks, run, synthetic, wait_until};

/// Ranks on each emulated host.
const SLOTS: [u32; 3] = [3, 2, 2];
/// Ranks on this host.
const RANKS: u32 = 4;
/// Longest time until the first iteration is over.
const START: Duration = Duration::from_secs(30);
/// Name of a job under standing daemons.
const NAME: &str = "chaos";
/// The token of a standing analyzer that other hosts reach.
const TOKEN: &str = "the token of the site";

/// The job and what stands beside it.
pub struct Job<'a> {
    /// The launcher, or `midrun run`.
    pub process: Process,
    /// What stands beside it.
    pub daemons: Daemons<'a>,
    plan: &'a Plan,
}

impl<'a> Job<'a> {
    /// Starts it; without midrun if `is_bare`.
    pub fn start(scratch: &'a Scratch, plan: &'a Plan, cluster: Option<&'a Cluster>, is_bare: bool) -> Job<'a> {
        let mut daemons = Daemons::new(scratch, plan, cluster);
        let mut line = line(scratch, plan);
        let mut command = match plan.parts {
            _ if is_bare => mpi::command(&daemons.on(1, &line)),
            Parts::Run => {
                std::fs::create_dir_all(scratch.path("state")).expect("the state directory");
                let path = |name: &str| scratch.path(name).display().to_string();
                let line = run::words(&["--record", &path("state/r.mrec"), "--summary", &path("s.json")], &line);
                let mut command = mpi::command(&daemons.on(1, &line));
                command.env("XDG_STATE_HOME", scratch.path("state"));
                command
            }
            Parts::Standing => {
                daemons.begin(plan.hosts.max(1));
                if cluster.is_some() && plan.mpi == Mpi::OpenMpi {
                    line.splice(1..1, ["-x", "MIDRUN_SOCKET", "-x", "MIDRUN_JOB"].map(String::from));
                }
                let mut command = mpi::command(&daemons.on(1, &line));
                command.env("MIDRUN_SOCKET", daemons.socket()).env("MIDRUN_JOB", NAME);
                command
            }
        };
        command.current_dir(scratch.directory());
        Job { process: Process::start(scratch, "job", command), daemons, plan }
    }

    /// Strikes at the moments of the plan; returns how many faults met somebody, and when the last link came up again.
    pub fn strike(&mut self, fill: &dyn Fn() -> bool) -> (u32, Option<Instant>) {
        // A link that is down while the program initialises MPI ends it, without midrun, too.
        if self.daemons.cluster.is_some() {
            let begin = Instant::now();
            while synthetic::workers(&self.process.out()).is_empty() && begin.elapsed() < START {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        let begin = Instant::now();
        let faults = self.plan.faults.iter().enumerate();
        let mut moments: Vec<(Duration, bool, usize)> =
            faults.flat_map(|(at, fault)| [(fault.at, false, at), (fault.at + fault.lasts, true, at)]).collect();
        moments.sort_unstable();
        let mut met = vec![None; self.plan.faults.len()];
        let mut up = None;
        for (moment, is_end, at) in moments {
            std::thread::sleep(moment.saturating_sub(begin.elapsed()));
            let fault = &self.plan.faults[at];
            match (fault.target, is_end) {
                (Target::Link(host), _) => {
                    if let Some(cluster) = self.daemons.cluster {
                        cluster.set_link(&format!("h{host}"), is_end);
                        (met[at], up) = (Some(0), Some(Instant::now()));
                    }
                }
                (_, false) => met[at] = self.begin_fault(fault, fill),
                (_, true) => self.end_fault(fault, met[at]),
            }
        }
        (met.iter().flatten().count() as u32, up)
    }

    /// Returns the process that the fault met, or 0 for what is no process.
    fn begin_fault(&mut self, fault: &Fault, fill: &dyn Fn() -> bool) -> Option<i32> {
        let pid = match fault.target {
            Target::Disk => return fill().then_some(0),
            Target::Link(_) => return None,
            Target::Rank => {
                wait_until("there is a rank 1", || ranks::of_job(self.daemons.scratch).contains_key(&1));
                ranks::of_job(self.daemons.scratch).get(&1).copied()
            }
            Target::Run => {
                // Before, nobody has started a job that could go on.
                let begin = Instant::now();
                while fault.signal == libc::SIGKILL
                    && !ranks::are_launched(self.daemons.scratch)
                    && begin.elapsed() < START
                {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Some(self.process.pid())
            }
            Target::Agent(host) => self.daemons.agent(host),
            Target::Analyzer => self.daemons.analyzer.as_ref().map(|analyzer| analyzer.process.pid()),
        };
        let pid = pid.filter(|pid| is_alive(*pid))?;
        send(pid, fault.signal);
        Some(pid)
    }

    fn end_fault(&mut self, fault: &Fault, met: Option<i32>) {
        let Some(pid) = met.filter(|pid| *pid > 0) else { return };
        match fault.target {
            _ if fault.signal == libc::SIGSTOP => send(pid, libc::SIGCONT),
            Target::Analyzer => {
                drop(self.daemons.analyzer.take());
                self.daemons.start_analyzer();
            }
            Target::Agent(host) if self.plan.parts == Parts::Standing => {
                let started = self.daemons.start_agent(host);
                self.daemons.agents[host as usize - 1] = started;
            }
            _ => {}
        }
    }
}

/// Standing agents and analyzer, on this host or on emulated ones.
pub struct Daemons<'a> {
    scratch: &'a Scratch,
    parts: Parts,
    cluster: Option<&'a Cluster>,
    /// The agents, by host.
    pub agents: Vec<Process>,
    /// The analyzer.
    pub analyzer: Option<Analyzer>,
    /// Its address, for the next one.
    address: String,
    started: u32,
}

impl<'a> Daemons<'a> {
    fn new(scratch: &'a Scratch, plan: &Plan, cluster: Option<&'a Cluster>) -> Daemons<'a> {
        let address = if cluster.is_some() { "10.77.0.1:0" } else { "127.0.0.1:0" };
        let (agents, analyzer, address) = (Vec::new(), None, address.to_owned());
        Daemons { scratch, parts: plan.parts, cluster, agents, analyzer, address, started: 0 }
    }

    /// The words of a command on a host of the job.
    fn on(&self, host: u32, words: &[String]) -> Vec<String> {
        if self.cluster.is_some() { Cluster::on(&format!("h{host}"), words) } else { words.to_vec() }
    }

    /// Path of the agents' socket. Emulated hosts share all directories but the one that is mounted for this.
    fn socket(&self) -> std::path::PathBuf {
        match self.cluster {
            None => Agent::socket_in(self.scratch),
            Some(_) => self.scratch.path("host/agent.sock"),
        }
    }

    /// The command `midrun` on a host, with the site's keys where other hosts are reached.
    fn midrun(&self, host: u32) -> Command {
        let mut command = mpi::command(&self.on(host, &[midrun().display().to_string()]));
        if self.cluster.is_some() {
            let file = |name: &str| self.scratch.path("site").join(name);
            command.env("MIDRUN_TOKEN", TOKEN).env("MIDRUN_CFG_ANALYZER__TOKEN", TOKEN);
            for (side, name) in [("ANALYZER", "analyzer"), ("AGENT", "client")] {
                let files =
                    [("CA", "ca".to_owned() + ".pem"), ("CERT", format!("{name}.pem")), ("KEY", format!("{name}.key"))];
                for (key, name) in files {
                    command.env(format!("MIDRUN_CFG_{side}__TLS_{key}"), file(&name));
                }
            }
        }
        command
    }

    fn begin(&mut self, hosts: u32) {
        if self.cluster.is_some() {
            let directory = self.scratch.path("site").display().to_string();
            ask::succeed(self.scratch, &["certificates", &directory, "10.77.0.1"]);
        }
        self.start_analyzer();
        for host in 1..=hosts {
            let agent = self.start_agent(host);
            self.agents.push(agent);
        }
    }

    fn start_analyzer(&mut self) {
        self.started += 1;
        let name = format!("analyzer{}", self.started);
        let mut analyzer = Analyzer::run(self.scratch, &name, self.midrun(1), &self.address);
        if self.cluster.is_some() {
            analyzer.url = analyzer.url.replace("http://", "https://");
        }
        self.address = analyzer.url.rsplit('/').next().unwrap_or_default().to_owned();
        self.analyzer = Some(analyzer);
    }

    fn url(&self) -> String {
        let scheme = if self.cluster.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    fn start_agent(&mut self, host: u32) -> Process {
        self.started += 1;
        let mut command = self.midrun(host);
        command.args(["agent", "--analyzer", &self.url(), "--socket"]).arg(self.socket());
        let process = Process::start(self.scratch, &format!("agent{}", self.started), command);
        let socket = self.socket().display().to_string();
        wait_until("the agent has its socket", || match self.cluster {
            None => std::os::unix::net::UnixStream::connect(&socket).is_ok(),
            Some(_) => Cluster::ask(&format!("h{host}"), &["test", "-S", &socket]).is_some(),
        });
        process
    }

    fn agent(&self, host: u32) -> Option<i32> {
        match (self.parts, self.cluster) {
            (Parts::Standing, _) => Some(self.agents.get(host as usize - 1)?.pid()),
            (Parts::Run, Some(cluster)) => {
                ranks::agents(self.scratch).into_iter().find(|pid| cluster.runs_on(&format!("h{host}"), *pid))
            }
            (Parts::Run, None) => None,
        }
    }

    /// The state of the job, as its analyzer shows it.
    pub fn status(&self) -> Option<Value> {
        let mut command = self.midrun(1);
        command.args(["status", "--json"]).envs(self.scratch.environment());
        if self.parts == Parts::Standing {
            command.args([NAME, "--analyzer", &self.url()]);
        }
        let output = command.output().ok().filter(|output| output.status.success())?;
        serde_json::from_slice(&output.stdout).ok()
    }
}

fn line(scratch: &Scratch, plan: &Plan) -> Vec<String> {
    if plan.hosts == 0 {
        return synthetic::line(plan.mpi, RANKS, &plan.options);
    }
    let found = Cluster::line(scratch, plan.mpi, &SLOTS, "mw_synthetic");
    let (mut line, program) = found.expect("the MPI is here");
    if plan.mpi == Mpi::Mpich {
        // UCX, which carries MPICH's messages, looks at connections that were idle for 10 s each 2 s, and gives them up when Linux's
        // nine looks found nobody: after 28 s.
        line.splice(1..1, ["-genv", "UCX_TCP_KEEPIDLE", "inf"].map(String::from));
    }
    line.push(program.display().to_string());
    line.extend(plan.options.split(' ').map(str::to_owned));
    line
}

/// A process that has ended and is not waited for yet is not alive.
fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

fn send(pid: i32, signal: i32) {
    // SAFETY: a child that is not waited for yet, or a process of the job that this one has started.
    unsafe { libc::kill(pid, signal) };
}
