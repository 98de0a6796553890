//! Measures how good the value is that a search ends at: a collective's algorithm, which all ranks change together, and the block
//! size of a matrix product, against every value measured by itself.
//!
//! Rounds: in each, every value runs alone (`--dry-run`, so that both sides carry the same recording), then the search runs
//! once. The truth of a value is the median over the rounds of the median of its iterations; regret is the truth of the value
//! that the search ends at over the least truth.

#![forbid(unsafe_code)]

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, first_set, last_change, numbers, prefix, run_under_midrun, spread};
use serde_json::Value;

/// Iterations until a search has ended, and the regret of the value that it ends at.
#[derive(Parser)]
struct Arguments {
    /// How often everything is run.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only programs whose name holds this.
    #[arg(long, default_value = "")]
    only: String,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
}

/// What is searched.
struct Case {
    program: &'static str,
    ranks: u32,
    point: &'static str,
    /// What stands behind the values.
    how: &'static str,
    values: &'static [u32],
    start: u32,
    /// Of a run with one value, and of one that searches.
    iterations: (u32, u32),
    words: &'static str,
}

const CASES: [Case; 2] = [
    Case {
        program: "allreduce_choice",
        ranks: 16,
        point: "algorithm",
        how: "categorical together",
        values: &[0, 1, 2],
        start: 2,
        iterations: (100, 200),
        words: "--delay-us 0",
    },
    Case {
        program: "matmul_blocked",
        ranks: 2,
        point: "block",
        how: "",
        values: &[4, 8, 16, 32, 64, 128, 256],
        start: 4,
        iterations: (30, 90),
        words: "--size 256",
    },
];
/// The first iterations of a run.
const WARM_UP: usize = 3;

fn main() -> Result<()> {
    let a = Arguments::parse();
    CASES.iter().filter(|case| case.program.contains(&a.only)).try_for_each(|case| case.measure(&a))
}

impl Case {
    fn measure(&self, a: &Arguments) -> Result<()> {
        let mut alone: Vec<Vec<f64>> = vec![Vec::new(); self.values.len()];
        let mut searches = Vec::new();
        let list: Vec<String> = self.values.iter().map(u32::to_string).collect();
        let option = format!("{}={} {}", self.point, list.join(","), self.how);
        for _ in 0..a.rounds {
            for (value, medians) in self.values.iter().zip(&mut alone) {
                let summary = self.run(a, *value, self.iterations.0, &["--dry-run", "--search", &option])?;
                let times = numbers(&summary, "iteration_s").split_off(WARM_UP);
                medians.push(1e3 * spread(times).context("no iterations")?.median);
            }
            searches.push(self.run(a, self.start, self.iterations.1, &["--search", &option])?);
        }
        println!("{}, {} ranks of {}, {} rounds, ms: median [10 % … 90 %]", self.program, self.ranks, a.mpi, a.rounds);
        let mut truth = Vec::new();
        for (value, medians) in self.values.iter().zip(alone) {
            let spread = spread(medians).context("no rounds")?;
            println!("   {} {value:<4} alone {spread}", self.point);
            truth.push((f64::from(*value), spread.median));
        }
        self.tell(&truth, &searches)
    }

    fn tell(&self, truth: &[(f64, f64)], searches: &[Value]) -> Result<()> {
        let least = truth.iter().map(|(_, ms)| *ms).fold(f64::INFINITY, f64::min);
        let mut ends: Vec<f64> = Vec::new();
        let (mut first, mut ended, mut measured, mut regret) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for summary in searches {
            let report = &summary["search"];
            let last = report["best"][0].as_f64().context("no value")?;
            let (_, ms) = truth.iter().find(|(known, _)| *known == last).context("a value of the list")?;
            ends.push(last);
            first.push(first_set(summary, last));
            ended.push(last_change(summary));
            measured.push(report["measured"].as_f64().unwrap_or(f64::NAN));
            regret.push(100.0 * (ms / least - 1.0));
        }
        println!("   searches end at {ends:?}");
        let lines = [
            ("first set in iteration", first),
            ("ends in iteration", ended),
            ("measures", measured),
            ("regret, %", regret),
        ];
        for (what, list) in lines {
            println!("   {what:<22} {}", spread(list).context("no search")?);
        }
        Ok(())
    }

    fn run(&self, a: &Arguments, value: u32, iterations: u32, flags: &[&str]) -> Result<Value> {
        let program = prefix().join(format!("../../examples/build/{}/{}", a.mpi, self.program));
        let line = format!("{} {} --iterations {iterations} --{} {value}", program.display(), self.words, self.point);
        let application: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        flags.push("--no-memory".into());
        run_under_midrun(&flags, &Launcher::local(&a.mpi, self.ranks, false)?, &application)
    }
}
