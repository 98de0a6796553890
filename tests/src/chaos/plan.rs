//! What happens to a job, drawn from a seed: its MPI, its program, the parts of midrun, and the faults with their moments.

use std::fmt::{Display, Formatter, Result};
use std::time::Duration;

use crate::Mpi;

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
    /// The standing agent.
    Agent,
    /// The standing analyzer.
    Analyzer,
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
    /// SIGKILL, or SIGSTOP with SIGCONT after `stopped`; nothing for a disk.
    pub signal: i32,
    /// How long it is stopped.
    pub stopped: Duration,
    /// When, after the job's start.
    pub at: Duration,
}

/// One job.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its MPI.
    pub mpi: Mpi,
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
    /// The plan of a seed: one to three faults in a job of about two seconds.
    pub fn of(seed: u64) -> Plan {
        let mut random = Random(seed);
        let mpi = random.pick(&Mpi::ALL);
        let parts = random.pick(&[Parts::Run, Parts::Standing]);
        let technique = random.pick(&["none", "fac2", "ss", "daf"]);
        let tasks = random.pick(&[60, 120, 200]);
        let iterations = 360_000 / (tasks * 300);
        let sigma = random.pick(&[0, 40, 80]);
        let options = format!(
            "--tasks {tasks} --iterations {iterations} --mean-us 5000 --sigma-pct {sigma} --technique {technique} --seed {}",
            random.below(1000)
        );
        let targets: &[Target] = match parts {
            Parts::Run => &[Target::Run, Target::Run, Target::Disk],
            Parts::Standing => &[Target::Agent, Target::Analyzer],
        };
        let mut faults: Vec<Fault> = (0..=random.below(3))
            .map(|_| Fault {
                target: random.pick(targets),
                signal: random.pick(&[libc::SIGKILL, libc::SIGSTOP, libc::SIGSTOP]),
                stopped: Duration::from_millis(random.below(1500)),
                at: Duration::from_millis(random.below(2500)),
            })
            .collect();
        faults.sort_by_key(|fault| fault.at);
        Plan { mpi, parts, options, faults }
    }
}

impl Display for Plan {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        write!(to, "{:?} {:?}: mw_synthetic {};", self.mpi, self.parts, self.options)?;
        for Fault { target, signal, stopped, at } in &self.faults {
            match (target, *signal) {
                (Target::Disk, _) => write!(to, " disk full")?,
                (_, libc::SIGKILL) => write!(to, " SIGKILL to {target:?}")?,
                _ => write!(to, " SIGSTOP to {target:?} for {} ms", stopped.as_millis())?,
            }
            write!(to, " at {} ms,", at.as_millis())?;
        }
        Ok(())
    }
}
