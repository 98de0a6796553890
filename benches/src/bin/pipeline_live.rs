//! Measures how soon a pipeline's pattern is right when it begins unreplicated, and how near it comes to the best one.
//!
//! Each load runs with the pattern that the exact search finds for its true stage times, untuned; then with midrun from the
//! pattern it begins with by itself.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun, spread};
use midrun_models::pipeline::exact::{Grouping, Objective, optimum};
use midrun_models::pipeline::{Network, Pattern, Pipeline, Protocol, Stage};
use std::process::Command;

/// Period / best pattern's period, and inputs until the last change of the pattern.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Only loads whose options hold this.
    #[arg(long, default_value = "")]
    only: String,
}

struct Load {
    stages: &'static str,
    /// Ranks that compute.
    ranks: u32,
    inputs: u32,
    more: &'static str,
    /// Stage times after the drift.
    drifted: Option<&'static str>,
}

const fn load(stages: &'static str, ranks: u32, inputs: u32, more: &'static str) -> Load {
    Load { stages, ranks, inputs, more, drifted: None }
}

const LOADS: [Load; 11] = [
    load("25,100,75,50,25", 5, 200, ""),
    load("25,100,75,50,25", 8, 240, ""),
    load("25,100,75,50,25", 11, 300, ""),
    load("25,100,75,50,25", 13, 400, ""),
    load("10,40,30,20,10", 11, 800, "--bytes 50000"),
    load("10,40,30,20,10", 11, 800, "--sigma-pct 40"),
    load("10,15,10,30,10", 8, 800, "--bytes 512"),
    load("10,15,10,30,10", 3, 400, ""),
    load("20,20,60,20", 9, 250, "--stateful 1"),
    Load { drifted: Some("10,40,40,30,10"), ..load("10,40,10,30,10", 10, 800, "") },
    load("10,40", 9, 800, "--slow 3:4"),
];

fn main() -> Result<()> {
    let a = Arguments::parse();
    println!(
        "period / best fixed pattern's: median [p10 … p90]; inputs until the last change of the pattern, per stage"
    );
    for load in LOADS.iter().filter(|load| format!("{} {}", load.stages, load.more).contains(&a.only)) {
        a.measure(load)?;
    }
    Ok(())
}

/// The best pattern for these stages.
fn best(stages: &str, ranks: u32, stateful: Option<usize>) -> Result<Pattern> {
    let times = stages.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let stage = |(number, ms): (usize, f64)| Stage {
        compute_s: ms * 1e-3,
        message_bytes: 0.0,
        stateful: stateful == Some(number),
    };
    let network = Network { start_up_s: 2e-5, per_byte_s: 0.0, protocol: Protocol::Async };
    let pipeline = Pipeline::new(times.into_iter().enumerate().map(stage).collect(), network);
    optimum(&pipeline, ranks, Grouping::Single, Objective::Time).context("no pattern")
}

impl Arguments {
    fn measure(&self, load: &Load) -> Result<()> {
        let stateful = load.more.strip_prefix("--stateful ").and_then(|stage| stage.parse().ok());
        let drift = load.drifted.map(|_| "--drift 2:4").unwrap_or_default();
        let mut ratios = Vec::new();
        let mut found = Vec::new();
        let ideal = best(load.drifted.unwrap_or(load.stages), load.ranks, stateful)?;
        for _ in 0..self.repeats {
            let fixed_s = match load.drifted {
                // What comes after the drift is compared with a run that has those times from the beginning.
                Some(stages) => self.fixed_s(load, stages, &ideal)?,
                None => self.fixed_s(load, load.stages, &ideal)?,
            };
            let options = format!("--stages {} --inputs {} {} {drift}", load.stages, load.inputs, load.more);
            let (tuned_s, changed) = self.tuned(load, &options)?;
            ratios.push(tuned_s / fixed_s);
            let since = if load.drifted.is_some() { changed - f64::from(load.inputs) / 2.0 } else { changed };
            found.push(since / load.stages.split(',').count() as f64);
        }
        let (ratio, found) = (spread(ratios).context("no runs")?, spread(found).context("no runs")?);
        println!(
            "{:>20} ms {:<16} {:>2} ranks, best {:<22} {ratio}; {:.0} [{:.0} … {:.0}]",
            load.stages,
            format!("{} {drift}", load.more).trim(),
            load.ranks,
            ideal.to_string(),
            found.median,
            found.p10,
            found.p90
        );
        Ok(())
    }

    fn program(&self) -> String {
        prefix().join(format!("../../examples/build/{}/pipe_synthetic", self.mpi)).display().to_string()
    }

    /// Period of the second half with one pattern and no tuning, seconds.
    fn fixed_s(&self, load: &Load, stages: &str, pattern: &Pattern) -> Result<f64> {
        let launcher = Launcher::local(&self.mpi, load.ranks + 1, false)?;
        // Where ranks 1 to 3 are slow: worked out by hand; two of them and a fast one for the light stage.
        let pattern = match load.more {
            "--slow 3:4" => "0x3@1+2+9,1x6@3+4+5+6+7+8".to_owned(),
            _ => pattern.to_string(),
        };
        let options = format!("--stages {stages} --inputs {} {} --pattern {pattern} --json", load.inputs, load.more);
        let output = Command::new(&launcher.words[0])
            .args(&launcher.words[1..])
            .arg(self.program())
            .args(options.split_whitespace())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .output()?;
        anyhow::ensure!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8_lossy(&output.stdout);
        let line: serde_json::Value = serde_json::from_str(said.lines().last().context("no output")?)?;
        line["period_s"].as_f64().context("no period")
    }

    /// Mean period over the last windows, seconds, and the first input of the last pattern.
    fn tuned(&self, load: &Load, options: &str) -> Result<(f64, f64)> {
        let launcher = Launcher::local(&self.mpi, load.ranks + 1, false)?;
        let mut application = vec![self.program()];
        application.extend(options.split_whitespace().map(str::to_owned));
        let flags = ["--objective", "time"].map(str::to_owned);
        let summary = run_under_midrun(&flags, &launcher, &application)?;
        let periods = numbers(&summary, "period_s");
        let last = &periods[periods.len() - (periods.len() / 4).max(1)..];
        let patterns = summary["pattern"].as_array().context("no patterns")?;
        let input = patterns.last().and_then(|line| line["input"].as_f64()).context("no pattern")?;
        Ok((last.iter().sum::<f64>() / last.len() as f64, input))
    }
}
