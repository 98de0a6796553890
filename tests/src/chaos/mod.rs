//! Faults at random moments of real jobs: what a job computes and how it ends must not depend on what happens to midrun.

mod job;
mod left;
mod plan;

pub use plan::{Fault, Parts, Plan, Target};

use std::time::{Duration, Instant};

use crate::process::Ended;
use crate::synthetic::{WHOLE, workers};
use crate::{Cluster, Mpi, Scratch, Summary, ranks};
use job::Job;
use left::{Places, SmallDisk};

/// A job that has not ended after this time hangs, where no link was down. Undisturbed, it takes about two seconds.
const LIMIT: Duration = Duration::from_secs(120);
/// A link that was down costs a job so many times as long at most: TCP doubles its pauses.
const OUTAGES: u32 = 3;
/// How long a daemon may take to end.
const END: Duration = Duration::from_secs(20);

/// Whether the job runs under midrun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    /// It does.
    Midrun,
    /// It does not: faults of midrun meet nobody.
    Nothing,
}

/// What came of a job.
pub struct Outcome {
    /// How long it took.
    pub took: Duration,
    /// Faults that met somebody who was still there.
    pub struck: u32,
    /// From the moment when the last link was up again until all agents were linked. `None`: no link was down, or the job ended before.
    pub linked: Option<Duration>,
    /// From the job's own first iteration after that moment until midrun had measured one, with all agents linked.
    pub back: Option<Duration>,
    /// What is not as it has to be; empty: all is.
    pub broken: Vec<String>,
}

/// Whether this machine can run jobs over emulated hosts.
pub fn has_hosts() -> bool {
    let scratch = Scratch::new();
    Cluster::is_possible() && Mpi::ALL.iter().all(|mpi| Cluster::line(&scratch, *mpi, &[1], "mw_synthetic").is_some())
}

/// Runs the job of a plan with its faults.
pub fn run(plan: &Plan, with: With) -> Outcome {
    let scratch = Scratch::new();
    // Emulated hosts see what is mounted before they come up.
    let disk = SmallDisk::under(&scratch);
    let cluster = (plan.hosts > 0).then(|| Cluster::up(plan.hosts, "100mbit"));
    let places = Places::prepare(&scratch, plan);
    let limit = LIMIT + OUTAGES * plan.down();
    let begin = Instant::now();
    let mut job = Job::start(&scratch, plan, cluster.as_ref(), with == With::Nothing);
    let (struck, up) = job.strike(&|| disk.as_ref().is_some_and(SmallDisk::fill));
    let (linked, back) = up.filter(|_| with == With::Midrun).map_or((None, None), |up| back(&mut job, up));
    let Job { process, daemons, .. } = job;
    let ended = process.wait_at_most(limit);
    let is_standing = plan.parts == Parts::Standing && with == With::Midrun;
    // A killed `midrun run` leaves its job running.
    let are_over = gone_within(limit, || ranks::of_job(&scratch).is_empty());
    let took = begin.elapsed();
    // Agents of other hosts end after their ranks; daemons that stand beside the job stay.
    let alone = are_over && (is_standing || gone_within(END, || ranks::are_gone(&scratch)));
    let is_killed = |fault: &Fault| fault.target == Target::Run && fault.signal == libc::SIGKILL;
    let killed = struck > 0 && with == With::Midrun && plan.faults.iter().any(is_killed);
    let mut broken = judge(&scratch, ended.as_ref(), killed);
    if with == With::Midrun && plan.parts == Parts::Run && !killed && broken.is_empty() {
        broken.extend(uncounted(&scratch, plan));
    }
    if !alone {
        broken.push("processes of the job are left".into());
    }
    for daemon in daemons.agents.into_iter().chain(daemons.analyzer.map(|analyzer| analyzer.process)) {
        daemon.signal(libc::SIGTERM);
        if daemon.wait_at_most(END).is_none() {
            broken.push("a daemon does not end at SIGTERM".into());
        }
    }
    drop(disk);
    broken.extend(places.left(&scratch));
    let processes = ranks::end_all(&scratch);
    if processes > 0 && alone {
        broken.push(format!("{processes} processes are left"));
    }
    Outcome { took, struck, linked, back, broken }
}

/// See [`Outcome::linked`] and [`Outcome::back`]; `up`: when the last link came up.
fn back(job: &mut Job<'_>, up: Instant) -> (Option<Duration>, Option<Duration>) {
    let before = workers(&job.process.out()).len();
    let (mut own, mut linked) = (None, None);
    let limit = LIMIT + OUTAGES * up.elapsed().max(Duration::from_secs(60));
    while up.elapsed() < limit && job.process.is_running() && !job.process.out().contains(WHOLE) {
        let status = job.daemons.status().unwrap_or_default();
        let hosts = status["hosts"].as_array().filter(|hosts| hosts.iter().all(|host| host["linked"] == true));
        if hosts.is_some() {
            linked.get_or_insert_with(|| up.elapsed());
        }
        if workers(&job.process.out()).len() > before {
            let own = own.get_or_insert_with(Instant::now);
            if hosts.is_some() && status["iterations"].as_u64() > Some(before as u64) {
                return (linked, Some(own.elapsed()));
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    (linked, None)
}

/// Each task computed once, with the job's own code; a killed `midrun run` has none.
fn judge(scratch: &Scratch, ended: Option<&Ended>, killed: bool) -> Vec<String> {
    let Some(ended) = ended else { return vec!["it does not end".into()] };
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

/// What is neither in the summary nor counted there as lost, though no process of midrun was killed.
fn uncounted(scratch: &Scratch, plan: &Plan) -> Option<String> {
    if plan.faults.iter().any(|fault| fault.signal == libc::SIGKILL && matches!(fault.target, Target::Agent(_))) {
        return None;
    }
    let path = scratch.path("s.json");
    if !path.is_file() {
        return Some("there is no summary".into());
    }
    let summary = Summary::read(&path);
    let [produced, collected, dropped] =
        ["produced", "collected", "dropped"].map(|key| summary.count(&format!("/records/{key}")));
    if produced != collected + dropped {
        return Some(format!("of {produced} records {collected} were collected and {dropped} dropped"));
    }
    let own = workers(&std::fs::read_to_string(scratch.path("job.out")).unwrap_or_default()).len() as u64;
    let [measured, skipped, lost] =
        ["/iterations", "/skipped_iterations", "/events_dropped"].map(|key| summary.count(key));
    (measured + skipped < own && lost + dropped == 0)
        .then(|| format!("of {own} iterations {measured} are measured, {skipped} skipped, and nothing is lost"))
}

fn gone_within(limit: Duration, are_gone: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !are_gone() {
        if begin.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
