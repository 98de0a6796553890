//! Runs test suites of other people with and without midrun and prints both verdicts of each test.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use midrun_tests::conformance::{Case, Comparison, Side, Verdict, imb, mpi4py, mpich_suite};
use midrun_tests::{Mpi, runner};

/// Runs test suites of MPI without and with midrun. Exit code 1: a test ended otherwise with midrun than without.
#[derive(Parser)]
struct Arguments {
    /// Suite to run; repeatable; else all that are here
    #[arg(long)]
    suite: Vec<Suite>,
    /// MPI to run it under: openmpi, mpich or intel; repeatable; else all
    #[arg(long)]
    mpi: Vec<String>,
    /// Run the tests whose names contain this; repeatable
    #[arg(long)]
    only: Vec<String>,
    /// Leave out the tests whose names contain this; repeatable
    #[arg(long)]
    skip: Vec<String>,
    /// Begin after the test of this name: a run that ended there goes on
    #[arg(long)]
    after: Option<String>,
    /// Seconds after which a test has not ended
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Leave out tests on more ranks
    #[arg(long, default_value_t = 10)]
    most_ranks: u32,
    /// Ranks of suites that leave it to the user
    #[arg(long, default_value_t = 2)]
    ranks: u32,
    /// How often both run again where the verdicts differ
    #[arg(long, default_value_t = 5)]
    again: u32,
    /// Runs of each test, without and with midrun
    #[arg(long, default_value_t = 1)]
    times: u32,
    /// List the tests
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// MPICH's own
    Mpich,
    /// Intel MPI Benchmarks
    Imb,
    /// That of mpi4py
    Mpi4py,
}

impl Arguments {
    fn has(&self, suite: Suite) -> bool {
        self.suite.is_empty() || self.suite.contains(&suite)
    }

    fn takes(&self, case: &Case) -> bool {
        (self.mpi.is_empty() || self.mpi.contains(&case.mpi))
            && (self.only.is_empty() || self.only.iter().any(|part| case.name.contains(part)))
            && !self.skip.iter().any(|part| case.name.contains(part))
            && case.ranks <= self.most_ranks
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for mpi in Mpi::ALL {
            if self.has(Suite::Mpich) {
                cases.extend(mpich_suite::cases(mpi));
            }
            if self.has(Suite::Mpi4py) {
                cases.extend(mpi4py::cases(mpi, self.ranks));
            }
        }
        if self.has(Suite::Imb) {
            cases.extend(["mpich", "intel"].iter().flat_map(|mpi| imb::cases(mpi, self.ranks)));
        }
        cases.retain(|case| self.takes(case));
        match &self.after {
            Some(name) => after(cases, name),
            None => cases,
        }
    }
}

/// What follows the last test of this name, under each MPI that has it.
fn after(cases: Vec<Case>, name: &str) -> Vec<Case> {
    let place = |mpi: &str| cases.iter().rposition(|case| case.mpi == mpi && case.name == name);
    let first: BTreeMap<String, usize> =
        cases.iter().filter_map(|case| Some((case.mpi.clone(), place(&case.mpi)? + 1))).collect();
    let follows = |(at, case): &(usize, Case)| first.get(&case.mpi).is_some_and(|first| at >= first);
    cases.into_iter().enumerate().filter(follows).map(|(_, case)| case).collect()
}

/// How many tests of a suite under an MPI ended how.
#[derive(Default)]
struct Count {
    passed: u32,
    failed: u32,
    hung: u32,
    changing: u32,
    differ: u32,
    not_built: u32,
    calls: u64,
}

impl Count {
    fn add(&mut self, comparison: &Comparison) {
        let alone = &comparison.without[0].verdict;
        let steady = comparison.without.iter().chain(&comparison.with).all(|side| side.verdict == *alone);
        let place = match alone {
            _ if comparison.differs() => &mut self.differ,
            _ if !steady => &mut self.changing,
            Verdict::Passed(_) => &mut self.passed,
            Verdict::Hung => &mut self.hung,
            Verdict::Failed(_) | Verdict::LeftBehind(_) => &mut self.failed,
        };
        *place += 1;
        self.calls += comparison.with.iter().map(|side| side.calls).sum::<u64>();
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let scratches = runner::end_tests_with_me();
    let cases = arguments.cases();
    if cases.is_empty() {
        eprintln!("tests/conformance: no test of that name is here; tests/conformance --list names all");
        return ExitCode::from(64);
    }
    let (mut counts, mut differing): (BTreeMap<(String, &str), Count>, _) = (BTreeMap::new(), Vec::new());
    for case in &cases {
        if arguments.list {
            println!("{} {} {} on {} ranks", case.suite, case.mpi, case.name, case.ranks);
            continue;
        }
        let count = counts.entry((case.mpi.clone(), case.suite)).or_default();
        if !case.is_built() {
            count.not_built += 1;
            println!("{:8} {:60} not built", case.mpi, case.name);
            continue;
        }
        let comparison = run(&arguments, case);
        count.add(&comparison);
        row(case, &comparison);
        if comparison.differs() {
            differing.push(format!("{} {}", case.mpi, case.name));
        }
    }
    for ((mpi, suite), count) in &counts {
        let Count { passed, failed, hung, changing, differ, not_built, calls } = count;
        println!(
            "{suite} under {mpi}: {passed} passed, {failed} failed and {hung} did not end, each the same with midrun; \
             {changing} end now so, now so without midrun, too; {differ} differ; {not_built} cannot be built; \
             midrun counted {calls} MPI calls"
        );
    }
    for name in &differing {
        println!("differs: {name}");
    }
    let untouched = !arguments.list && counts.values().any(|count| count.calls == 0);
    if untouched {
        println!("midrun counted no MPI call in one of them: that says nothing");
    }
    let _ = std::fs::remove_dir(scratches);
    if differing.is_empty() && !untouched { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(arguments: &Arguments, case: &Case) -> Comparison {
    let limit = Duration::from_secs(arguments.limit);
    let mut comparison = Comparison::default();
    for _ in 0..arguments.times {
        let once = case.compare(limit, arguments.again);
        comparison.without.extend(once.without);
        comparison.with.extend(once.with);
    }
    comparison
}

/// Each verdict with how often it was seen, and the shortest and the longest run.
fn cell(sides: &[Side]) -> String {
    let mut seen: BTreeMap<&Verdict, u32> = BTreeMap::new();
    sides.iter().for_each(|side| *seen.entry(&side.verdict).or_default() += 1);
    let times = sides.iter().map(|side| side.took.as_secs_f64());
    let (low, high) = times.fold((f64::MAX, 0.0_f64), |(low, high), time| (low.min(time), high.max(time)));
    let often = |(verdict, times): (&&Verdict, &u32)| match sides.len() {
        1 => verdict.to_string(),
        _ => format!("{times} x {verdict}"),
    };
    let verdicts: Vec<String> = seen.iter().map(often).collect();
    let time = if sides.len() == 1 { format!("{low:.1} s") } else { format!("{low:.1}-{high:.1} s") };
    format!("{} ({time})", verdicts.join(", "))
}

fn row(case: &Case, comparison: &Comparison) {
    let name = format!("{} on {}", case.name, case.ranks);
    let same = if comparison.differs() { "DIFFERS" } else { "same" };
    println!("{:8} {name:60} {} | {} | {same}", case.mpi, cell(&comparison.without), cell(&comparison.with));
    if comparison.differs() {
        println!("    {}", case.line.join(" "));
        for side in &comparison.with {
            side.err.lines().for_each(|line| println!("    with midrun: {line}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_behind_the_test_that_it_names_under_each_mpi_that_has_it() {
        let case = |mpi: &str, name: &str| Case {
            suite: "mpich",
            mpi: mpi.into(),
            name: name.into(),
            ranks: 1,
            line: Vec::new(),
            environment: Vec::new(),
            directory: std::path::PathBuf::new(),
            build: None,
            judge: |_| Verdict::Hung,
        };
        let all = || [("a", "x"), ("a", "y"), ("a", "y"), ("a", "z"), ("b", "y"), ("b", "v"), ("c", "z")];
        let rest = after(all().map(|(mpi, name)| case(mpi, name)).into(), "y");
        let rest: Vec<_> = rest.iter().map(|case| (case.mpi.as_str(), case.name.as_str())).collect();
        assert_eq!(rest, [("a", "z"), ("b", "v")]);
    }
}
