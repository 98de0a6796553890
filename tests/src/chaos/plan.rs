//! What happens to a job, drawn from a seed: its MPI, its program, the parts of midrun, and the faults with their moments.

use std::fmt::{Display, Formatter, Result};
use std::time::Duration;

use crate::Mpi;

/// Emulated hosts of a job.
const HOSTS: u32 = 3;
/// How long a link is down, seconds: mostly short.
const OUTAGES_S: [u64; 6] = [1, 1, 1, 10, 10, 60];

/// How midrun is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// `midrun run`, with agent and analyzer inside.
    Run,
    /// An agent and an analyzer of their own.
    Standing,
}

/// Whom a fault meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `midrun run`.
    Run,
    /// The agent of a host: 1, 2, …; on this host, 1.
    Agent(u32),
    /// The standing analyzer.
    Analyzer,
    /// The link of a host.
    Link(u32),
    /// The state directory, which becomes full.
    Disk,
    /// A rank: no fault of midrun, planted to see that it is found.
    Rank,
}

/// One fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Whom it meets.
    pub target: Target,
    /// SIGKILL or SIGSTOP; nothing for a disk and a link.
    pub signal: i32,
    /// How long it is stopped, or down. A daemon that was killed is started again then; what `midrun run` has started is not.
    pub lasts: Duration,
    /// When, after the job's start; of a job over hosts, after its first iteration.
    pub at: Duration,
}

/// One job.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its MPI.
    pub mpi: Mpi,
    /// Number of its emulated hosts; 0: it runs on this host.
    pub hosts: u32,
    /// The parts of midrun.
    pub parts: Parts,
    /// Options of the program, a Master/Worker program that checks each task.
    pub options: String,
    /// The faults, by their moments.
    pub faults: Vec<Fault>,
}

/// SplitMix64 (Steele, Lea, Flood 2014): as good as it has to be, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let index = self.below(from.len() as u64);
        from[usize::try_from(index).unwrap_or(0)]
    }
}

impl Plan {
    /// The plan of a seed: one to three faults in a job of about two seconds on this host.
    pub fn of(seed: u64) -> Plan {
        Plan::drawn(&mut Random(seed), 0)
    }

    /// The same over three emulated hosts, whose links go down, too.
    pub fn over_hosts(seed: u64) -> Plan {
        Plan::drawn(&mut Random(seed), HOSTS)
    }

    fn drawn(random: &mut Random, hosts: u32) -> Plan {
        let mpi = random.pick(&Mpi::ALL);
        let parts = random.pick(&[Parts::Run, Parts::Standing]);
        let technique = random.pick(&["none", "fac2", "ss", "daf"]);
        let tasks = random.pick(&[60, 120, 200]);
        // Over hosts so long that iterations are left when a link is up again.
        let iterations = if hosts > 0 { 3 } else { 1 } * 360_000 / (tasks * 300);
        let sigma = random.pick(&[0, 40, 80]);
        let options = format!(
            "--tasks {tasks} --iterations {iterations} --mean-us 5000 --sigma-pct {sigma} --technique {technique} --seed {}",
            random.below(1000)
        );
        let mut targets = match parts {
            Parts::Run => vec![Target::Run, Target::Run, Target::Disk],
            Parts::Standing => vec![Target::Agent(1), Target::Analyzer],
        };
        for host in 1..=hosts {
            targets.extend([Target::Link(host), Target::Agent(host)]);
        }
        // `midrun run` is the agent of its own host.
        targets.retain(|target| parts == Parts::Standing || *target != Target::Agent(1));
        let mut faults: Vec<Fault> = (0..=random.below(3))
            .map(|_| {
                let target = random.pick(&targets);
                let lasts = match target {
                    Target::Link(_) => Duration::from_secs(random.pick(&OUTAGES_S)),
                    _ => Duration::from_millis(random.below(1500)),
                };
                let signal = random.pick(&[libc::SIGKILL, libc::SIGSTOP, libc::SIGSTOP]);
                Fault { target, signal, lasts, at: Duration::from_millis(random.below(2500)) }
            })
            .collect();
        faults.sort_by_key(|fault| fault.at);
        Plan { mpi, hosts, parts, options, faults }
    }

    /// The same with the faults of the network alone: what they cost the job by themselves is not midrun's.
    pub fn of_network(&self) -> Plan {
        let faults = self.faults.iter().filter(|fault| matches!(fault.target, Target::Link(_))).cloned();
        Plan { faults: faults.collect(), ..self.clone() }
    }

    /// How long its links are down, all together.
    pub fn down(&self) -> Duration {
        self.of_network().faults.iter().map(|fault| fault.lasts).sum()
    }
}

impl Display for Plan {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let place = if self.hosts == 0 { "one host".to_owned() } else { format!("{} hosts", self.hosts) };
        write!(to, "{:?} {:?}, {place}: mw_synthetic {};", self.mpi, self.parts, self.options)?;
        for Fault { target, signal, lasts, at } in &self.faults {
            match (target, *signal) {
                (Target::Disk, _) => write!(to, " disk full")?,
                (Target::Link(host), _) => write!(to, " link of h{host} down for {} s", lasts.as_secs())?,
                (_, libc::SIGKILL) => write!(to, " SIGKILL to {target:?}, away for {} ms", lasts.as_millis())?,
                _ => write!(to, " SIGSTOP to {target:?} for {} ms", lasts.as_millis())?,
            }
            write!(to, " at {} ms,", at.as_millis())?;
        }
        Ok(())
    }
}
