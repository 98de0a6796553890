//! The source's experiments with pipelines (César 2006, ch. IV) on emulated hosts, one rank each, 100 Mbit/s between them.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Hosts, numbers, prefix, run_under_midrun};

/// Prints the period that the source's model gives, the period measured here, and what the source measured.
#[derive(Parser)]
struct Arguments {
    /// Only rows whose stages or pattern hold this.
    #[arg(long, default_value = "")]
    only: String,
}

/// Time of a byte at 100 Mbit/s, and start-up time of a message as the calibration measures it on such hosts, seconds.
const PER_BYTE_S: f64 = 8e-8;
const START_UP_S: f64 = 2e-4;

struct Row {
    stages: &'static str,
    bytes: u32,
    pattern: &'static str,
    inputs: u32,
    /// Milliseconds, there.
    measured_there: f64,
}

const fn row(stages: &'static str, bytes: u32, pattern: &'static str, inputs: u32, measured_there: f64) -> Row {
    Row { stages, bytes, pattern, inputs, measured_there }
}

const ALL: &str = "0,1,2,3,4";
const ROWS: [Row; 8] = [
    row("1000,1000,1000,1000,1000", 2 << 20, ALL, 24, 1220.0),
    row("100,100,100,100,100", 50 << 10, ALL, 100, 107.0),
    row("10,10,10,10,10", 50 << 10, ALL, 600, 17.5),
    row("1000,1200,1000,2000,1000", 200 << 10, ALL, 24, 2030.0),
    row("100,120,100,200,100", 1 << 10, ALL, 80, 200.1),
    row("1000,1500,1000,3000,1000", 3 << 19, "0,1x2,2,3x3,4", 40, 1151.0),
    row("10,15,10,30,10", 512, ALL, 400, 30.6),
    row("10,15,10,30,10", 512, "0,1,2,3x3,4", 600, 15.9),
];

fn main() -> Result<()> {
    let a = Arguments::parse();
    println!("period, ms: stages alone; a send counted too (tc + mo + lambda v); measured; / that with sends; there");
    for row in ROWS.iter().filter(|row| format!("{} {}", row.stages, row.pattern).contains(&a.only)) {
        let replicas = |word: &str| word.split_once('x').map_or(1, |(_, number)| number.parse().unwrap_or(1));
        let replicas: Vec<u32> = row.pattern.split(',').map(replicas).collect();
        let stages = row.stages.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let slowest = |send_ms: f64| {
            let last = stages.len() - 1;
            let each = stages.iter().zip(&replicas).enumerate();
            let own = |k: usize| if k == last { 0.0 } else { send_ms };
            each.map(|(k, (ms, replicas))| (ms + own(k)) / f64::from(*replicas)).fold(0.0, f64::max)
        };
        let send_ms = 1e3 * (START_UP_S + PER_BYTE_S * f64::from(row.bytes));
        let measured_ms = 1e3 * measure(row, replicas.iter().sum::<u32>() + 1)?;
        println!(
            "{:>26} {:>8} B {:<14} {:8.2}  {:8.2}  {measured_ms:8.2}  {:.4}  {}",
            row.stages,
            row.bytes,
            row.pattern,
            slowest(0.0),
            slowest(send_ms),
            measured_ms / slowest(send_ms),
            row.measured_there
        );
    }
    Ok(())
}

/// Mean period over all windows but the first, seconds.
fn measure(row: &Row, ranks: u32) -> Result<f64> {
    let hosts = Hosts::up(ranks, "100mbit")?;
    let launcher = hosts.launcher(ranks, false)?;
    let program = prefix().join("../../examples/build/openmpi/pipe_synthetic").display().to_string();
    let (stages, bytes, inputs) = (row.stages, row.bytes, row.inputs);
    let options = format!("{program} --stages {stages} --bytes {bytes} --inputs {inputs} --pattern {}", row.pattern);
    let application: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
    let summary = run_under_midrun(&["--objective", "fixed"].map(str::to_owned), &launcher, &application)?;
    let periods = numbers(&summary, "period_s");
    let last = periods.get(1..).filter(|last| !last.is_empty()).context("too few windows")?;
    Ok(last.iter().sum::<f64>() / last.len() as f64)
}
