//! Measures what MPI calls cost more: with midrun switched off, counting under `midrun run`, and with a record of each call; with `--steady`
//! where so many calls are made that they are sampled.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, prefix, spread};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Nanoseconds per MPI call.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Runs of each kind, in turns.
    #[arg(long, default_value_t = 9)]
    runs: u32,
    /// Calls without a rest: those are sampled.
    #[arg(long)]
    steady: bool,
}

/// `each`: counting, with each call timed.
const KINDS: [&str; 4] = ["without", "off", "counting", "recording"];
const STEADY_KINDS: [&str; 4] = ["without", "off", "each", "counting"];
/// The calls that the program times.
const CALLS: [&str; 7] =
    ["MPI_Comm_rank", "MPI_Iprobe", "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall"];

fn main() -> Result<()> {
    let a = Arguments::parse();
    let kinds = if a.steady { STEADY_KINDS } else { KINDS };
    let mut all: BTreeMap<(String, usize), Vec<f64>> = BTreeMap::new();
    for _ in 0..a.runs {
        for (kind, name) in kinds.iter().enumerate() {
            for line in run(&a, name)?.lines() {
                let (what, ns) = line.split_once(' ').context("a name and nanoseconds")?;
                all.entry((what.to_owned(), kind)).or_default().push(ns.parse()?);
            }
        }
    }
    println!("{}: ns, median [p10 … p90] of {} runs", a.mpi, a.runs);
    for ((what, kind), values) in &all {
        let plain = all.get(&(what.clone(), 0)).and_then(|plain| spread(plain.clone())).context("a run without")?;
        let s = spread(values.clone()).context("nothing was measured")?;
        println!("{what}, {}: {s}, {:+.1} ns", kinds[*kind], s.median - plain.median);
    }
    Ok(())
}

fn run(a: &Arguments, kind: &str) -> Result<String> {
    let launcher = Launcher::local(&a.mpi, 2, false)?;
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("build").join(&a.mpi).join("mpi_calls");
    let library = prefix().join("lib/midrun").join(&a.mpi).join("libmidrun.so").canonicalize()?;
    let kept = tempfile::tempdir()?;
    let (points, summary) = (kept.path().join("points"), kept.path().join("summary.json"));
    let lines = CALLS.iter().enumerate().map(|(k, call)| format!("measure r{k} mpi {call} raw\n"));
    std::fs::write(&points, lines.collect::<String>())?;
    let mut words = Vec::new();
    if ["each", "counting", "recording"].contains(&kind) {
        words.extend([prefix().join("bin/midrun").display().to_string(), "run".into(), "--summary".into()]);
        words.push(summary.display().to_string());
        if kind == "recording" {
            words.extend(["--points".to_owned(), points.display().to_string()]);
        }
        words.push("--".into());
    }
    // Two ranks have a core each: they are to look for messages all the time, not to give way.
    let yields = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"];
    words.extend(launcher.words.into_iter().filter(|word| !yields.contains(&&word[..])));
    if kind == "off" {
        words.extend(["env".to_owned(), format!("LD_PRELOAD={}", library.display())]);
    }
    words.push(program.display().to_string());
    words.extend(a.steady.then(|| "steady".to_owned()));
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env("MIDRUN_CFG_RUN__NO_MEMORY", "true")
        .env("MIDRUN_BUDGET", if kind == "each" { "100" } else { "1" })
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = command.output().with_context(|| format!("{command:?} does not start"))?;
    anyhow::ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    if kind == "recording" {
        let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(&summary)?)?;
        let records = &summary["records"];
        // A record that finds no room costs less than one that does.
        anyhow::ensure!(records["dropped"] == 0, "not each call was recorded: {records}");
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
