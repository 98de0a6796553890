//! Measures what midrun costs: one mark, a whole program with marks, and the time from a decision to its application.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{AS_ROOT, Launcher, numbers, prefix, run_under_midrun, spread};
use midrun_ring::{Identity, Record, Segment};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Cost of a mark, of a whole program, and time to action.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Pairs of runs with and without midrun.
    #[arg(long, default_value_t = 7)]
    pairs: u32,
    /// Ranks of the whole-program measurement.
    #[arg(long, default_value_t = 1)]
    ranks: u32,
    /// Runs that measure the time to action.
    #[arg(long, default_value_t = 7)]
    action_runs: u32,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    record()?;
    marks(&a)?;
    whole_program(&a)?;
    time_to_action(&a)
}

fn bench(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("build").join(name)
}

fn command(a: &Arguments, under_midrun: bool, ranks: u32, application: &[String]) -> Result<Command> {
    let launcher = Launcher::local(&a.mpi, ranks, false)?;
    let mut words = Vec::new();
    if under_midrun {
        words.push(prefix().join("bin/midrun").display().to_string());
        words.extend(["run".to_owned(), "--".to_owned()]);
    }
    words.extend(launcher.words);
    words.extend_from_slice(application);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("MIDRUN_CFG_RUN__NO_MEMORY", "true").envs(AS_ROOT);
    Ok(command)
}

fn output(mut command: Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?} does not start"))?;
    anyhow::ensure!(
        output.status.success(),
        "{command:?} ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Cost of one 64-byte record put into the ring of a thread, while another thread empties it each millisecond, as an agent does.
fn record() -> Result<()> {
    const BATCH: u32 = 1000;
    let identity = Identity { world_size: 1, ..Identity::default() };
    let (rank, memory) = Segment::create(&identity, 1, 8192)?;
    let agent = Segment::open(memory)?;
    let done = AtomicBool::new(false);
    let costs = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut lane = agent.consumer(0);
            while !done.load(Ordering::Relaxed) {
                while lane.pop().is_some() {}
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let mut lane = rank.producer(0);
        let mut refused = 0;
        let costs: Vec<f64> = (0..500)
            .map(|n| {
                std::thread::sleep(Duration::from_millis(2));
                let record = Record { kind: 3, flags: 1, time_ns: n, payload: [n; 6] };
                let begin = Instant::now();
                for _ in 0..BATCH {
                    refused += u32::from(!lane.push(&std::hint::black_box(record).to_words()));
                }
                begin.elapsed().as_nanos() as f64 / f64::from(BATCH)
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        anyhow::ensure!(refused == 0, "{refused} records found no room: the figures would be too good");
        Ok(costs)
    })?;
    let s = spread(costs).context("nothing was measured")?;
    println!("ns per record into a lane: {s}, {} batches of {BATCH}", s.count);
    Ok(())
}

/// Cost of one pair of marks (one record), live and off, beside a pair of clock readings and LTTng-UST.
fn marks(a: &Arguments) -> Result<()> {
    println!("ns per pair of marks (one record): median p10 p90");
    let program = [bench("record_cost").display().to_string()];
    print!("under midrun:\n{}", output(command(a, true, 1, &program)?)?);
    print!("without an agent:\n{}", output(command(a, false, 1, &program)?)?);
    let peer = bench("lttng_cost");
    if !peer.exists() {
        println!("LTTng-UST: not measured (make -C benches peer, needs liblttng-ust-dev and lttng-tools)");
        return Ok(());
    }
    let place = tempfile::tempdir()?;
    let lttng = |line: &str| Command::new("lttng").args(line.split_whitespace()).output();
    let _ = Command::new("lttng-sessiond").arg("--daemonize").output();
    lttng(&format!("create midrun_bench --output={}", place.path().display()))?;
    lttng("enable-event -u midrun_peer:*")?;
    lttng("start")?;
    let said = output(Command::new(peer));
    lttng("destroy midrun_bench")?;
    print!("LTTng-UST, 32 bytes of payload:\n{}", said?);
    Ok(())
}

/// Loop time with midrun / without, alternating, 10 000 records a second and rank.
fn whole_program(a: &Arguments) -> Result<()> {
    let program = [bench("mark_load").display().to_string()];
    let parse = |text: &str, after: &str| -> Result<f64> {
        let rest = text.split(after).nth(1).with_context(|| format!("no `{after}` in {text}"))?;
        Ok(rest.split_whitespace().next().unwrap_or_default().parse()?)
    };
    let turns = parse(&output(command(a, false, a.ranks, &program)?)?, "turns")?;
    let mut ratios = Vec::new();
    for _ in 0..a.pairs {
        let run = |under_midrun| -> Result<f64> {
            let mut c = command(a, under_midrun, a.ranks, &program)?;
            c.env("MIDRUN_BENCH_TURNS", turns.to_string());
            parse(&output(c)?, "loop_s")
        };
        let without = run(false)?;
        let with = run(true)?;
        ratios.push(with / without);
    }
    let s = spread(ratios).context("no pair was measured")?;
    println!("whole program, 10 000 records/s per rank, {} rank(s): with/without {s} over {} pairs", a.ranks, s.count);
    Ok(())
}

/// Milliseconds from the analyzer's decision to the shim's application of it, on one host.
fn time_to_action(a: &Arguments) -> Result<()> {
    let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi));
    let mut latencies = Vec::new();
    for seed in 0..a.action_runs {
        let line = format!(
            "{} --tasks 2000 --iterations 7 --mean-us 1000 --sigma-pct 60 --seed {seed} --work sleep --technique none",
            program.display()
        );
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        // A number of workers waits for the start of an iteration; the technique is changed at once, so that is measured.
        let flags = ["--objective", "fixed"].map(str::to_owned);
        let summary = run_under_midrun(&flags, &Launcher::local(&a.mpi, 9, false)?, &words)?;
        latencies.extend(numbers(&summary, "actions.latency_ms"));
    }
    match spread(latencies) {
        Some(s) => println!("decision to application, ms: {s} over {} actions", s.count),
        None => println!("decision to application: no action was applied"),
    }
    Ok(())
}
