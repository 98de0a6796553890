//! Measures the time from a decision to its application where the analyzer's host is further away, with TLS, beside a bare round trip
//! over the same way at the same time.

use anyhow::{Context, Result, bail};
use clap::Parser;
use midrun_benches::far::{echo, forward, round_trips_s};
use midrun_benches::standing::analyzer;
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun, spread};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Decision to application over a network that is further away, and a bare round trip beside it.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Round trips of the network, milliseconds.
    #[arg(long, value_delimiter = ',', default_value = "0,0.1,1")]
    round_trip_ms: Vec<f64>,
    /// Jobs with each, in turn.
    #[arg(long, default_value_t = 5)]
    jobs: u32,
    /// Actions with each at most.
    #[arg(long, default_value_t = 500)]
    samples: usize,
    /// Iterations of each job: a change is judged for about ten.
    #[arg(long, default_value_t = 8000)]
    iterations: u32,
    /// Time of an iteration, milliseconds: a change waits for the next one.
    #[arg(long, default_value_t = 0.2)]
    iteration_ms: f64,
}

/// Changes the program's only tuning point, which has no effect, whenever it may.
const TUNLET: &str = r#"
name = "toggle"
about = "changes a value that has no effect"
script = '#{ set: #{ value: 1.0 - tuning_points.value }, why: "to measure how long it takes" }'

[tuning_points]
value = { name = "value" }

[limits]
watched_iterations = 1
"#;
/// From one bare round trip to the next.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Default)]
struct Measured {
    actions_ms: Vec<f64>,
    trips_ms: Vec<f64>,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let place = tempfile::tempdir()?;
    let tunlet = place.path().join("toggle.toml");
    std::fs::write(&tunlet, TUNLET)?;
    let (_analyzer, url, keys) = analyzer(place.path(), true)?;
    let (target, echoes) = (url.trim_start_matches("https://").parse()?, echo()?);
    let program = prefix().join(format!("../../benches/build/{}/safe_points", a.mpi));
    let application = [program.display().to_string(), a.iterations.to_string(), a.iteration_ms.to_string()];
    let launcher = Launcher::local(&a.mpi, 1, false)?;
    let mut all: Vec<(f64, Measured)> = a.round_trip_ms.iter().map(|ms| (*ms, Measured::default())).collect();
    for _ in 0..a.jobs {
        for (ms, measured) in &mut all {
            if measured.actions_ms.len() >= a.samples {
                continue;
            }
            let round_trip = Duration::from_secs_f64(*ms * 1e-3);
            let (way, peer) = (forward(target, round_trip)?, forward(echoes, round_trip)?);
            let flags =
                ["--analyzer", &format!("https://{way}"), "--tunlet", &tunlet.display().to_string()].map(str::to_owned);
            let flags = [&flags[..], &keys].concat();
            let is_over = AtomicBool::new(false);
            let (summary, trips_s) = std::thread::scope(|scope| {
                let trips = scope.spawn(|| round_trips_s(peer, PAUSE, || is_over.load(Ordering::Relaxed)));
                let summary = run_under_midrun(&flags, &launcher, &application);
                is_over.store(true, Ordering::Relaxed);
                (summary, trips.join())
            });
            let Ok(trips_s) = trips_s else { bail!("the thread of the bare round trips failed") };
            measured.trips_ms.extend(trips_s?.into_iter().map(|s| s * 1e3));
            measured.actions_ms.extend(numbers(&summary?, "actions.latency_ms"));
            measured.actions_ms.truncate(a.samples);
        }
    }
    println!(
        "round trip of the network, ms | bare round trip over it, ms | decision to application, ms: median [10 % … 90 %]"
    );
    for (ms, measured) in all {
        let trips = spread(measured.trips_ms).context("no round trip was measured")?;
        let actions = spread(measured.actions_ms).context("no action was applied")?;
        println!("{ms} | {trips} ({}) | {actions} ({})", trips.count, actions.count);
    }
    Ok(())
}
