//! Measures a pipeline with a stage that is a Master/Worker team against every fixed split of the ranks among its stages.
//!
//! The stages sleep, the team's tasks too, so that few cores do. Each split of all ranks runs untuned, then the program runs with midrun
//! from one rank per stage on. The best split is the one that measured the shortest period.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{AS_ROOT, Launcher, numbers, prefix, run_under_midrun, spread};
use std::process::Command;

/// Period / best fixed split's period, and the splits.
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
    /// Times of three stages, and the tasks of the second.
    options: &'static str,
    /// Ranks that compute, and inputs of a fixed and of a tuned run.
    ranks: u32,
    inputs: (u32, u32),
}

const LOADS: [Load; 4] = [
    Load { options: "--stages 20,240,40 --team 1:12", ranks: 7, inputs: (40, 160) },
    Load { options: "--stages 60,240,20 --team 1:12", ranks: 8, inputs: (40, 160) },
    Load { options: "--stages 20,200,90 --team 1:30 --sigma-pct 40", ranks: 8, inputs: (60, 200) },
    Load { options: "--stages 50,100,50 --team 1:4", ranks: 9, inputs: (60, 200) },
];

fn main() -> Result<()> {
    let a = Arguments::parse();
    println!("period / best fixed split's: median [p10 … p90]; the best split and the plan at the end");
    for load in LOADS.iter().filter(|load| load.options.contains(&a.only)) {
        a.measure(load)?;
    }
    Ok(())
}

/// Every pattern that gives each of three stages at least one of so many ranks, and all of them away.
fn splits(ranks: u32) -> Vec<String> {
    let word = |stage: u32, count: u32| if count > 1 { format!("{stage}x{count}") } else { stage.to_string() };
    let with = |first: u32, second: u32| [word(0, first), word(1, second), word(2, ranks - first - second)].join(",");
    (1..ranks - 1)
        .flat_map(|first| (1..ranks - first).map(move |second| (first, second)))
        .map(|(a, b)| with(a, b))
        .collect()
}

impl Arguments {
    fn measure(&self, load: &Load) -> Result<()> {
        let mut all = Vec::new();
        for split in splits(load.ranks) {
            all.push((self.fixed_s(load, &split)?, split));
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (count, (_, best)) = (all.len(), &all[0]);
        let (mut ratios, mut plans) = (Vec::new(), Vec::new());
        for _ in 0..self.repeats {
            // Anew each time, in the same minute: the least of many is low by chance.
            let fixed_s = self.fixed_s(load, best)?;
            let (tuned_s, plan) = self.tuned(load)?;
            ratios.push(tuned_s / fixed_s);
            plans.push(plan);
        }
        let ratio = spread(ratios).context("no runs")?;
        plans.dedup();
        println!("{:<46} {} ranks, best of {count} {best:<14} {ratio}; {}", load.options, load.ranks, plans.join(" "));
        Ok(())
    }

    fn program(&self) -> String {
        prefix().join(format!("../../examples/build/{}/pipe_synthetic", self.mpi)).display().to_string()
    }

    /// Period of the second half with one split and no tuning, seconds.
    fn fixed_s(&self, load: &Load, split: &str) -> Result<f64> {
        let launcher = Launcher::local(&self.mpi, load.ranks + 1, false)?;
        let options = format!("{} --inputs {} --pattern {split} --json", load.options, load.inputs.0);
        let output = Command::new(&launcher.words[0])
            .args(&launcher.words[1..])
            .arg(self.program())
            .args(options.split_whitespace())
            .envs(AS_ROOT)
            .output()?;
        anyhow::ensure!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8_lossy(&output.stdout);
        let line: serde_json::Value = serde_json::from_str(said.lines().last().context("no output")?)?;
        line["period_s"].as_f64().context("no period")
    }

    /// Mean period over the last windows, seconds, and the last pattern.
    fn tuned(&self, load: &Load) -> Result<(f64, String)> {
        let launcher = Launcher::local(&self.mpi, load.ranks + 1, false)?;
        let mut application = vec![self.program()];
        application
            .extend(format!("{} --inputs {}", load.options, load.inputs.1).split_whitespace().map(str::to_owned));
        let flags = ["--objective", "time"].map(str::to_owned);
        let summary = run_under_midrun(&flags, &launcher, &application)?;
        let periods = numbers(&summary, "period_s");
        let last = &periods[periods.len() * 3 / 4..];
        anyhow::ensure!(!last.is_empty(), "no windows");
        let patterns = summary["pattern"].as_array().context("no patterns")?;
        let plan = patterns.last().and_then(|line| line["pattern"].as_str()).unwrap_or("-");
        Ok((last.iter().sum::<f64>() / last.len() as f64, plan.to_owned()))
    }
}
