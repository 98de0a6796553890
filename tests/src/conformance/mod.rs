//! Tests of other people run with and without midrun: each must end with the same verdict.

pub mod imb;
pub mod mpi4py;
pub mod mpich_suite;

use std::collections::BTreeSet;
use std::fmt::{Display, Formatter, Result};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::process::Ended;
use crate::{Mpi, Process, Scratch, Summary, mpi, ranks, root, run};

/// One test of a suite under one MPI.
pub struct Case {
    /// Name of the suite.
    pub suite: &'static str,
    /// Name of the MPI.
    pub mpi: String,
    /// Name of the test with what distinguishes it from others of the same program.
    pub name: String,
    /// Number of ranks.
    pub ranks: u32,
    /// The command line that runs it without midrun.
    pub line: Vec<String>,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Directory and target of `make` that builds it, if it is not built yet.
    pub build: Option<(PathBuf, String)>,
    /// What its output says.
    pub judge: fn(&Ended) -> Verdict,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It passed; what it says of itself, such as the number of its parts.
    Passed(String),
    /// It failed; its code or what it says.
    Failed(String),
    /// It had not ended at the limit.
    Hung,
    /// It ended, and midrun left something behind.
    LeftBehind(String),
}

impl Display for Verdict {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            Verdict::Passed(what) if what.is_empty() => write!(to, "passed"),
            Verdict::Passed(what) => write!(to, "passed: {what}"),
            Verdict::Failed(why) => write!(to, "failed: {why}"),
            Verdict::Hung => write!(to, "not ended"),
            Verdict::LeftBehind(what) => write!(to, "left behind: {what}"),
        }
    }
}

/// One run of a test.
#[derive(Clone, Debug)]
pub struct Side {
    /// How it ended.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
    /// MPI calls that midrun counted; 0 without midrun.
    pub calls: u64,
    /// End of its stderr.
    pub err: String,
}

/// The runs of a test without and with midrun.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Runs without midrun, the first one first.
    pub without: Vec<Side>,
    /// Runs with midrun.
    pub with: Vec<Side>,
}

impl Comparison {
    /// Whether a verdict was seen with midrun that was never seen without. A test that fails now with this code and now with that, as some
    /// count their errors, may fail with any.
    pub fn differs(&self) -> bool {
        let verdicts = |sides: &[Side]| sides.iter().map(|side| side.verdict.clone()).collect::<BTreeSet<_>>();
        let (without, mut with) = (verdicts(&self.without), verdicts(&self.with));
        let is_failure = |verdict: &Verdict| matches!(verdict, Verdict::Failed(_));
        if without.iter().filter(|verdict| is_failure(verdict)).count() > 1 {
            with.retain(|verdict| !is_failure(verdict));
        }
        !with.is_subset(&without)
    }
}

/// The directory of all material: `tests/conformance` fills it.
pub fn material() -> PathBuf {
    root().canonicalize().expect("the root").join("target/conformance")
}

impl Case {
    /// Builds it where that is needed; `false`: it cannot be built with this MPI.
    pub fn is_built(&self) -> bool {
        let Some((directory, target)) = &self.build else { return true };
        let output = std::process::Command::new("make").arg("-s").arg("-C").arg(directory).arg(target).output();
        output.is_ok_and(|output| output.status.success()) && directory.join(target).is_file()
    }

    /// Runs it without and with midrun. Where the verdicts differ, both run again, `again` times at most: a test that does not always
    /// end the same way without midrun need not with it.
    pub fn compare(&self, limit: Duration, again: u32) -> Comparison {
        let mut both = Comparison { without: vec![self.run(false, limit)], with: vec![self.run(true, limit)] };
        for _ in 0..again {
            if !both.differs() {
                break;
            }
            both.without.push(self.run(false, limit));
            both.with.push(self.run(true, limit));
        }
        both
    }

    /// Runs it once.
    pub fn run(&self, with_midrun: bool, limit: Duration) -> Side {
        let scratch = Scratch::new();
        let file = scratch.path("s.json");
        let summary = file.display().to_string();
        let tuned = || run::words(&["--quiet", "--summary", &summary], &self.line);
        let mut command = mpi::command(&if with_midrun { tuned() } else { self.line.clone() });
        command.envs(self.environment.iter().map(|(name, value)| (name, value))).current_dir(&self.directory);
        // Else most of the time goes to ranks that wait for one that has no core.
        let yields = material().join("yields.so");
        if self.mpi == Mpi::Mpich.name() && yields.is_file() {
            command.env("LD_PRELOAD", yields);
        }
        let begin = Instant::now();
        let ended = Process::start(&scratch, "test", command).wait_at_most(limit);
        let took = begin.elapsed();
        ranks::end_all(&scratch);
        let verdict = match &ended {
            None => Verdict::Hung,
            Some(ended) => match scratch.left().as_slice() {
                [] => (self.judge)(ended),
                left => Verdict::LeftBehind(format!("{left:?}")),
            },
        };
        let calls = if file.is_file() { counted(&Summary::read(&file)) } else { 0 };
        let err = ended.map(|ended| tail(&ended.err)).unwrap_or_default();
        Side { verdict, took, calls, err }
    }
}

/// MPI calls of all ranks in a summary: each function has a count for each class of its peers.
fn counted(summary: &Summary) -> u64 {
    let functions = summary.0["mpi_calls"].as_object().into_iter().flat_map(|calls| calls.values());
    let classes = functions.filter_map(|function| function.as_object()).flat_map(|classes| classes.values());
    classes.filter_map(|class| class["count"].as_u64()).sum()
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_with_another_code_is_another_verdict_unless_the_code_changes_by_itself() {
        let sides = |codes: &[u8]| -> Vec<Side> {
            let verdict =
                |code: &u8| if *code == 0 { Verdict::Passed(String::new()) } else { Verdict::Failed(code.to_string()) };
            let side = |code| Side { verdict: verdict(code), took: Duration::ZERO, calls: 0, err: String::new() };
            codes.iter().map(side).collect()
        };
        let differs = |without: &[u8], with: &[u8]| Comparison { without: sides(without), with: sides(with) }.differs();
        assert!(differs(&[3, 3], &[4]) && differs(&[0, 3], &[4]) && differs(&[3, 4], &[0]) && differs(&[0], &[3]));
        assert!(!differs(&[3, 4], &[5]) && !differs(&[3, 0], &[0]) && !differs(&[3], &[3]));
    }
}
