//! Faults at random moments of real jobs: what a job computes and how it ends must not depend on what happens to midrun.

mod plan;

pub use plan::{Fault, Parts, Plan, Target};

use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::Ended;
use crate::synthetic::{self, WHOLE};
use crate::{Agent, Analyzer, Process, Scratch, midrun, mpi, ranks, run, wait_until};

/// A job that has not ended after this time hangs. Undisturbed, it takes about two seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// What came of a job.
pub struct Outcome {
    /// How long it took.
    pub took: Duration,
    /// Faults that met a process that was still there.
    pub struck: u32,
    /// What is not as it has to be; empty: all is.
    pub broken: Vec<String>,
}

/// Runs the job of a plan with its faults, or without any.
pub fn run(plan: &Plan, with_faults: bool) -> Outcome {
    let scratch = Scratch::new();
    let disk = with_faults.then(|| SmallDisk::under(&scratch)).flatten();
    let job = Job::start(&scratch, plan);
    let begin = Instant::now();
    let struck = if with_faults { job.strike(&scratch, plan, disk.as_ref()) } else { 0 };
    let Job { process, analyzer, agent, .. } = job;
    let ended = process.wait_at_most(LIMIT);
    // A killed `midrun run` leaves its job running.
    let alone = gone_within(&scratch, LIMIT, analyzer.is_some());
    let took = begin.elapsed();
    let killed =
        with_faults && plan.faults.iter().any(|fault| fault.target == Target::Run && fault.signal == libc::SIGKILL);
    let mut broken = judge(&scratch, ended.as_ref(), killed && struck > 0);
    if !alone {
        broken.push("processes of the job are left".into());
    }
    for daemon in [agent.map(|agent| agent.process), analyzer.map(|analyzer| analyzer.process)].into_iter().flatten() {
        daemon.signal(libc::SIGTERM);
        if daemon.wait_at_most(Duration::from_secs(20)).is_none() {
            broken.push("a daemon does not end at SIGTERM".into());
        }
    }
    drop(disk);
    broken.extend(left(&scratch));
    let processes = ranks::end_all(&scratch);
    if processes > 0 && alone {
        broken.push(format!("{processes} processes are left"));
    }
    Outcome { took, struck, broken }
}

/// The job and the daemons that it has beside it.
struct Job {
    process: Process,
    agent: Option<Agent>,
    analyzer: Option<Analyzer>,
}

impl Job {
    fn start(scratch: &Scratch, plan: &Plan) -> Job {
        let line = synthetic::line(plan.mpi, 4, &plan.options);
        match plan.parts {
            Parts::Run => {
                let record = scratch.path("state/r.mrec").display().to_string();
                std::fs::create_dir_all(scratch.path("state")).expect("the state directory");
                let mut command = run::command(scratch, &["--record", &record, "--summary", "s.json"], &line);
                command.env("XDG_STATE_HOME", scratch.path("state"));
                Job { process: Process::start(scratch, "job", command), agent: None, analyzer: None }
            }
            Parts::Standing => {
                let analyzer = Analyzer::start(scratch);
                let agent = Agent::start(scratch, &analyzer.url);
                let mut command = mpi::command(&line);
                command.env("MIDRUN_SOCKET", Agent::socket_in(scratch)).env("MIDRUN_JOB", "chaos");
                let process = Process::start(scratch, "job", command);
                Job { process, agent: Some(agent), analyzer: Some(analyzer) }
            }
        }
    }

    /// Strikes at the moments of the plan; how many faults met somebody.
    fn strike(&self, scratch: &Scratch, plan: &Plan, disk: Option<&SmallDisk>) -> u32 {
        let begin = Instant::now();
        let mut struck = 0;
        for fault in &plan.faults {
            std::thread::sleep(fault.at.saturating_sub(begin.elapsed()));
            let pid = match fault.target {
                Target::Disk => {
                    struck += u32::from(disk.is_some_and(SmallDisk::fill));
                    continue;
                }
                Target::Rank => {
                    wait_until("there is a rank 1", || ranks::of_job(scratch).contains_key(&1));
                    ranks::of_job(scratch).get(&1).copied()
                }
                Target::Run => {
                    // Before, nobody has started a job that could go on.
                    let begin = Instant::now();
                    while fault.signal == libc::SIGKILL && !ranks::are_launched(scratch) && begin.elapsed() < LIMIT {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    Some(self.process.pid())
                }
                Target::Agent => self.agent.as_ref().map(|agent| agent.process.pid()),
                Target::Analyzer => self.analyzer.as_ref().map(|analyzer| analyzer.process.pid()),
            };
            let Some(pid) = pid.filter(|pid| is_alive(*pid)) else { continue };
            struck += 1;
            send(pid, fault.signal);
            if fault.signal == libc::SIGSTOP {
                std::thread::sleep(fault.stopped);
                send(pid, libc::SIGCONT);
            }
        }
        struck
    }
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

/// Each task computed once, with the job's own code; a killed `midrun run` has none.
fn judge(scratch: &Scratch, ended: Option<&Ended>, killed: bool) -> Vec<String> {
    let Some(ended) = ended else { return vec![format!("it has not ended after {} s", LIMIT.as_secs())] };
    let mut broken = Vec::new();
    // The job of a killed `midrun run` goes on writing to the same file.
    let out = std::fs::read_to_string(scratch.path("job.out")).unwrap_or_default();
    let expected = if killed { 128 + libc::SIGKILL } else { 0 };
    if ended.code != expected && !(killed && ended.code == 0) {
        broken.push(format!("its code is {}; stderr:\n{}", ended.code, ended.err));
    }
    if !out.contains(WHOLE) {
        broken.push(format!("not each task was computed once and rightly:\n{out}\n{}", ended.err));
    }
    for word in ["panicked", "SIGSEGV", "Segmentation"] {
        if ended.err.contains(word) {
            broken.push(format!("{word}: {}", ended.err));
        }
    }
    broken
}

/// Whether launcher, ranks and midrun have gone; daemons that stand beside the job stay.
fn gone_within(scratch: &Scratch, limit: Duration, with_daemons: bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < limit {
        let gone = if with_daemons { ranks::of_job(scratch).is_empty() } else { ranks::are_gone(scratch) };
        if gone {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Files in the runtime directory that the next run does not sweep. Logs of agents that were killed stay for a day.
fn left(scratch: &Scratch) -> Option<String> {
    if !scratch.left().is_empty() {
        let mut next = Command::new(midrun());
        next.args(["run", "--quiet", "--", "true"]);
        Process::start(scratch, "next", next).wait_at_most(LIMIT);
    }
    let mut files = scratch.left();
    files.retain(|file| file.extension().is_none_or(|ending| ending != "log"));
    (!files.is_empty()).then(|| format!("left behind: {files:?}"))
}

/// A file system of 256 KiB as the state directory; there is none where this user may not mount.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn under(scratch: &Scratch) -> Option<SmallDisk> {
        let at = scratch.path("state");
        std::fs::create_dir_all(&at).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&at);
        mount.output().is_ok_and(|output| output.status.success()).then_some(SmallDisk(at))
    }

    /// Writes until there is no room.
    fn fill(&self) -> bool {
        let full = std::fs::write(self.0.join("full"), vec![0; 1 << 20]);
        full.is_err_and(|error| error.kind() == std::io::ErrorKind::StorageFull)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
