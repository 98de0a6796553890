//! Measures the PEPA state space: states per second derived and solved, pipelines of 3^9 to 3^13 states.

use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use midrun_predict::mapping::{Ends, Pipeline, Stages};
use midrun_predict::markov::Options;
use midrun_predict::pepa::Limits;

/// States and transitions per second of the mapping model of the pipeline, which has 3^stages states.
#[derive(Parser)]
struct Arguments {
    /// Numbers of stages.
    #[arg(long, value_delimiter = ',', default_value = "9,10,11,12,13")]
    stages: Vec<usize>,
}

fn main() -> Result<()> {
    println!(
        "{:>6} {:>9} {:>11} {:>10} {:>10} {:>10} {:>10} {:>7} {:>9} {:>9}",
        "stages",
        "states",
        "transitions",
        "derive s",
        "states/s",
        "solve s",
        "states/s",
        "sweeps",
        "residual",
        "memory"
    );
    for stages in Arguments::parse().stages {
        measure(stages)?;
    }
    Ok(())
}

/// Peak resident memory of this process so far.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kib| kib / 1024.0)
}

fn measure(stages: usize) -> Result<()> {
    // Unequal processors and links, so that nothing cancels out.
    let processors: Vec<f64> = (0..stages).map(|k| 10.0 + k as f64).collect();
    let links = (0..stages).map(|a| (0..stages).map(|b| 100.0 / (1.0 + a.abs_diff(b) as f64)).collect()).collect();
    let pipeline = Pipeline::new(processors, links, Stages { work: vec![1.0; stages], data: vec![1.0; stages + 1] })?;
    let mapping = Ends::default().mapping((0..stages).collect());
    let model = pipeline.model(&mapping)?;
    let start = Instant::now();
    let space = model.derive(&Limits { max_states: usize::MAX, max_bytes: usize::MAX })?;
    let derived_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let solution = space.solve(&Options::default())?;
    let solved_s = start.elapsed().as_secs_f64();
    let states = space.states();
    let steady = solution.steady();
    println!(
        "{stages:>6} {states:>9} {:>11} {derived_s:>10.3} {:>10.0} {solved_s:>10.3} {:>10.0} {:>7} {:>9.1e} {:>5.0} MiB",
        space.transitions(),
        states as f64 / derived_s,
        states as f64 / solved_s,
        steady.sweeps,
        steady.residual,
        peak_mib().unwrap_or(f64::NAN)
    );
    Ok(())
}
