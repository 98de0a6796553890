//! Measures how far predictions from a recording are off: one run is recorded, other workers, techniques and patterns are
//! predicted from it, and then really run.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Predicted against measured time of an iteration, or between two outputs.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Only loads whose options hold this.
    #[arg(long, default_value = "")]
    only: String,
}

/// A program as it is recorded, and as it is predicted and run then.
struct Load {
    program: &'static str,
    /// Ranks beside rank 0, and options.
    recorded: (u32, &'static str),
    /// Flags of `midrun run`: `--dry-run`, or what may be changed.
    flags: &'static str,
    others: &'static [(u32, &'static str)],
}

const fn load(program: &'static str, recorded: (u32, &'static str), others: &'static [(u32, &'static str)]) -> Load {
    Load { program, recorded, flags: "--dry-run", others }
}

const EVEN: &str = "mw_synthetic --tasks 1000 --iterations 8 --mean-us 2000 --sigma-pct 0 --work sleep";
const NORMAL: &str = "mw_synthetic --tasks 1000 --iterations 8 --mean-us 2000 --sigma-pct 40 --work sleep";
const EXPONENTIAL: &str = "mw_synthetic --tasks 1000 --iterations 8 --mean-us 2000 --dist exponential --work sleep";
const LINEAR: &str =
    "mw_synthetic --tasks 1000 --iterations 8 --mean-us 2000 --dist linear --sigma-pct 50 --work sleep";
const BYTES: &str = "mw_synthetic --tasks 1000 --iterations 8 --mean-us 2000 --sigma-pct 20 --bytes 20000 --work sleep";
const SLOW: &str = "mw_synthetic --tasks 1000 --iterations 8 --mean-us 1000 --slow-workers 0.5:4 --work sleep";
const NBODY: &str = "nbody --bodies 800 --steps 8 --pace 2000";
const STAGES: &str = "pipe_synthetic --inputs 300 --stages 5,20,10";
const CHANCE: &str = "pipe_synthetic --inputs 300 --stages 5,20,10 --sigma-pct 40";
const LARGE: &str = "pipe_synthetic --inputs 300 --stages 8,16,4 --bytes 100000";

const LOADS: [Load; 11] = [
    load(EVEN, (8, "none"), &[(4, "none"), (16, "none"), (16, "fac2")]),
    load(NORMAL, (8, "none"), &[(4, "none"), (16, "none"), (8, "daf"), (16, "fac2")]),
    load(EXPONENTIAL, (8, "fac2"), &[(4, "fac2"), (16, "fac2"), (16, "none"), (24, "gss")]),
    load(LINEAR, (8, "none"), &[(8, "daf"), (16, "none"), (4, "gss")]),
    load(BYTES, (8, "fac2"), &[(4, "fac2"), (16, "fac2"), (8, "none")]),
    load(SLOW, (8, "daf"), &[(8, "none"), (8, "gss")]),
    load(NBODY, (8, "none"), &[(4, "none"), (16, "none"), (16, "fac2")]),
    Load { flags: "--objective fixed", ..load(NORMAL, (8, "none"), &[(4, "daf"), (16, "daf"), (16, "none")]) },
    load(STAGES, (8, "0,1,2"), &[(8, "0,1x2,2"), (8, "0,1x4,2x2"), (8, "0-2x6")]),
    load(CHANCE, (8, "0,1,2"), &[(8, "0,1x2,2"), (8, "0,1x4,2x2"), (8, "0-1x5,2x2")]),
    load(LARGE, (8, "0,1x2,2"), &[(8, "0,1,2"), (8, "0x2,1x4,2"), (8, "0-2x6")]),
];

/// What a prediction was, and what came.
struct Row {
    off: f64,
    inside: bool,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    println!("{:>5} {:<12} {:>12} {:>12} {:>8}  interval", "ranks", "setting", "predicted s", "measured s", "error");
    let (mut rows, mut pipelines) = (Vec::new(), Vec::new());
    for load in LOADS.iter().filter(|load| load.program.contains(&a.only)) {
        let into = if load.is_pipeline() { &mut pipelines } else { &mut rows };
        into.extend(a.measure(load)?);
    }
    for (what, rows) in [("iterations", rows), ("periods", pipelines)] {
        let mut sizes: Vec<f64> = rows.iter().map(|row| row.off.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let (Some(worst), Some(median)) = (sizes.last(), sizes.get(sizes.len() / 2)) else { continue };
        let inside = rows.iter().filter(|row| row.inside).count();
        println!(
            "{what}: error median {:.1} %, worst {:.1} %; {inside} of {} within their interval",
            100.0 * median,
            100.0 * worst,
            rows.len()
        );
    }
    Ok(())
}

impl Load {
    fn is_pipeline(&self) -> bool {
        self.program.starts_with("pipe")
    }

    fn words(&self, mpi: &str, setting: &str) -> Vec<String> {
        let (program, options) = self.program.split_once(' ').unwrap_or((self.program, ""));
        let how = if self.is_pipeline() { "--pattern" } else { "--technique" };
        let path = prefix().join(format!("../../examples/build/{mpi}/{program}")).display().to_string();
        let options = options.split_whitespace().chain([how, setting]).map(str::to_owned);
        std::iter::once(path).chain(options).collect()
    }
}

impl Arguments {
    fn measure(&self, load: &Load) -> Result<Vec<Row>> {
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("run.rec");
        let (workers, setting) = load.recorded;
        println!("{} recorded with {workers} {setting} {}", load.program, load.flags);
        self.run(load, workers, setting, Some(&file))?;
        let mut rows = Vec::new();
        for &(workers, setting) in load.others {
            let answer = predicted(load, &file, workers, setting)?;
            let measured_s = self.run(load, workers, setting, None)?;
            let number = |key: &str| answer[key].as_f64().with_context(|| format!("no {key} in {answer}"));
            let off = number("predicted_s")? / measured_s - 1.0;
            let inside = (number("low_s")?..=number("high_s")?).contains(&measured_s);
            println!(
                "{workers:>5} {setting:<12} {:>12.6} {measured_s:>12.6} {:>+7.1}%  {:.6} to {:.6}{}",
                number("predicted_s")?,
                100.0 * off,
                number("low_s")?,
                number("high_s")?,
                if inside { "" } else { "  outside" }
            );
            rows.push(Row { off, inside });
        }
        Ok(rows)
    }

    /// Median of the iterations, or of the windows, after the first two.
    fn run(&self, load: &Load, workers: u32, setting: &str, record: Option<&Path>) -> Result<f64> {
        let words = load.words(&self.mpi, setting);
        let flags = if record.is_some() { load.flags } else { "--dry-run" };
        let mut flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        flags.extend(record.iter().flat_map(|path| ["--record".to_owned(), path.display().to_string()]));
        let summary = run_under_midrun(&flags, &Launcher::local(&self.mpi, workers + 1, false)?, &words)?;
        let key = if load.is_pipeline() { "period_s" } else { "iteration_s" };
        let mut times = numbers(&summary, key);
        ensure!(times.len() > 3, "too few in {key} of {words:?}");
        times.drain(..2);
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    }
}

fn predicted(load: &Load, file: &Path, workers: u32, setting: &str) -> Result<Value> {
    let mut command = Command::new(prefix().join("bin/midrun"));
    command.args(["predict", "run"]).arg(file).arg("--json");
    if load.is_pipeline() {
        command.args(["--pattern", setting]);
    } else {
        command.args(["--workers", &workers.to_string(), "--technique", setting]);
    }
    let output = command.output().context("midrun does not start: run deploy/build first")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let all: Value = serde_json::from_slice(&output.stdout)?;
    Ok(all["answers"][0].clone())
}
