//! What midrun learns of messages from the sends and receives of a program with its own loop, beside a calibration: the round trips
//! that the same job measures by itself, before its loop. The calibration of the framework stands beside both: it
//! is made through the framework's own waiting.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use midrun_benches::{Hosts, Launcher, prefix, run_under_midrun, spread};
use midrun_models::line::theil_sen;
use midrun_models::link::Cost;
use std::path::Path;
use std::process::Command;

/// mo and lambda of own loops against calibration.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Jobs.
    #[arg(long, default_value_t = 5)]
    jobs: u32,
    /// Largest message, bytes: small ones show mo, large ones lambda.
    #[arg(long, default_value_t = 65536)]
    largest: u32,
    /// Emulated hosts, one rank on each (Open MPI; needs root); 0: two ranks on this host.
    #[arg(long, default_value_t = 0)]
    hosts: u32,
    /// Rate of their links. `EMUC_BURST=1600b` in the environment keeps a link from sending small messages faster than that.
    #[arg(long, default_value = "100mbit")]
    rate: String,
    /// Messages to each worker.
    #[arg(long, default_value_t = 250)]
    messages: u32,
    /// What worker and master compute between messages, microseconds.
    #[arg(long, default_value_t = 300)]
    pause_us: u32,
    /// The same between the round trips of the calibration. A rank that waits for long is slower to notice a message, which mo shows; without
    /// a pause lambda is measured best.
    #[arg(long, default_value_t = 300)]
    pace_us: u32,
    /// Calls of the loop: blocking, nonblocking, together (in one MPI_Waitall), sendrecv, persistent.
    #[arg(long, default_value = "blocking", value_parser = ["blocking", "nonblocking", "together", "sendrecv", "persistent"])]
    calls: String,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let directory = tempfile::tempdir()?;
    let program = directory.path().join("own_loop");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/own_loop.c");
    let built = Command::new(format!("mpicc.{}", a.mpi)).arg("-O2").arg("-o").arg(&program).arg(source).status()?;
    ensure!(built.success(), "own_loop.c is not compiled");
    let hosts = (a.hosts > 0).then(|| Hosts::up(a.hosts, &a.rate)).transpose()?;
    let launcher = || match &hosts {
        Some(hosts) => hosts.launcher(a.hosts, false),
        None => Launcher::local(&a.mpi, 2, false),
    };
    let (mut start_ups, mut bytes) = (Vec::new(), Vec::new());
    for _ in 0..a.jobs {
        let file = directory.path().join("ping");
        let path = |path: &Path| path.display().to_string();
        let words = [
            path(&program),
            a.messages.to_string(),
            a.pause_us.to_string(),
            path(&file),
            a.largest.to_string(),
            a.pace_us.to_string(),
            a.calls.clone(),
        ];
        let own = link(&run_under_midrun(&[], &launcher()?, &words)?, hosts.is_none())?;
        let calibrated = calibration(&std::fs::read_to_string(&file)?)?;
        let us_ns = |cost: &Cost| {
            let ns = |s: f64| s * 1e9;
            format!(
                "mo {:.3} +- {:.3} us, lambda {:.4} +- {:.4} ns/B",
                ns(cost.start_up_s) / 1e3,
                ns(cost.start_up_error_s) / 1e3,
                ns(cost.per_byte_s),
                ns(cost.per_byte_error_s)
            )
        };
        println!("own loop {}; round trips {}", us_ns(&own), us_ns(&calibrated));
        start_ups.push(own.start_up_s / calibrated.start_up_s);
        bytes.push(own.per_byte_s / calibrated.per_byte_s);
    }
    println!("own loop / round trips, mo: {}", spread(start_ups).context("no job")?);
    println!("own loop / round trips, lambda: {}", spread(bytes).context("no job")?);
    let farm = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi)).display().to_string();
    let options = "--tasks 50 --iterations 5 --mean-us 1000 --bytes 1000 --work sleep";
    let words: Vec<String> = std::iter::once(farm).chain(options.split_whitespace().map(str::to_owned)).collect();
    let framework = link(&run_under_midrun(&["--dry-run".to_owned()], &launcher()?, &words)?, hosts.is_none())?;
    println!("framework: mo {:.3} us, lambda {:.4} ns/B", framework.start_up_s * 1e6, framework.per_byte_s * 1e9);
    Ok(())
}

/// The cost of messages in a summary.
fn link(summary: &serde_json::Value, same_host: bool) -> Result<Cost> {
    let links = summary["links"].as_array().context("no links")?;
    let link = links.iter().find(|link| link["same_host"] == same_host).context("no message was measured")?;
    let value = |key: &str| link[key].as_f64().with_context(|| format!("no {key}"));
    Ok(Cost {
        start_up_s: value("start_up_s")?,
        start_up_error_s: value("start_up_error_s")?,
        per_byte_s: value("per_byte_s")?,
        per_byte_error_s: value("per_byte_error_s")?,
    })
}

/// The same of half round trips, lines of peer, bytes and seconds: Theil's and Sen's line through them.
fn calibration(text: &str) -> Result<Cost> {
    let point = |line: &str| {
        let mut words = line.split(' ').skip(1).map(str::parse::<f64>);
        Some((words.next()?.ok()?, words.next()?.ok()?))
    };
    let points: Vec<(f64, f64)> = text.lines().filter_map(point).collect();
    let line = theil_sen(&points).context("no round trips")?;
    Ok(Cost {
        start_up_s: line.intercept,
        start_up_error_s: line.intercept_error,
        per_byte_s: line.slope,
        per_byte_error_s: line.slope_error,
    })
}
