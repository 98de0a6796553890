//! Memory of midrun's parts over very many short iterations, very many jobs, and under strangers; what TLS costs.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use midrun_benches::processes::{Ended, cpu_s, memory_mib};
use midrun_benches::standing::{analyzer, midrun};
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun, spread};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Memory over many iterations, jobs and strangers; cost of TLS.
#[derive(Parser)]
struct Arguments {
    /// Parts to measure: iterations, jobs, strangers, tls.
    #[arg(default_values_t = ["iterations", "jobs", "strangers", "tls"].map(str::to_owned))]
    parts: Vec<String>,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Iterations of 50 us.
    #[arg(long, default_value_t = 1_000_000)]
    iterations: u64,
    /// Jobs of one rank.
    #[arg(long, default_value_t = 1000)]
    jobs: u64,
    /// Connections without a token, at a time.
    #[arg(long, default_value_t = 1000)]
    strangers: usize,
    /// Jobs with TLS, and as many without, in turn.
    #[arg(long, default_value_t = 5)]
    pairs: u32,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    for part in &a.parts {
        match part.as_str() {
            "iterations" => iterations(&a)?,
            "jobs" => jobs(&a)?,
            "strangers" => strangers(&a)?,
            "tls" => tls(&a)?,
            other => anyhow::bail!("{other}: the parts are iterations, jobs, strangers, tls"),
        }
    }
    Ok(())
}

/// Turns of the program's loop that take about 50 us: under load it would calibrate them wrongly.
const TURNS: &str = "40000";

fn mark_load() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("build/mark_load").display().to_string()
}

/// Memory of a process that is resident now, MiB.
fn resident_mib(pid: u32) -> Option<f64> {
    memory_mib(pid, "VmRSS")
}

/// One rank with very many short iterations, under `midrun run`, which is agent and analyzer of the job.
fn iterations(a: &Arguments) -> Result<()> {
    let place = tempfile::tempdir()?;
    let summary = place.path().join("s.json");
    let launcher = Launcher::local(&a.mpi, 1, false)?;
    let mut command = midrun(&["run", "--quiet", "--summary"]);
    command.arg(&summary).arg("--").args(&launcher.words).arg(mark_load()).args(["1", "0", &a.iterations.to_string()]);
    let begin = Instant::now();
    let mut child = command.env("MIDRUN_BENCH_TURNS", TURNS).stdout(Stdio::piped()).spawn()?;
    let mut sizes = Vec::new();
    while child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(200));
        sizes.extend(resident_mib(child.id()));
    }
    let mut said = String::new();
    child.stdout.take().context("its output")?.read_to_string(&mut said)?;
    let at = |share: f64| sizes[((sizes.len() - 1) as f64 * share) as usize];
    println!(
        "{} iterations of 50 us in {:.0} s; {}",
        a.iterations,
        begin.elapsed().as_secs_f64(),
        said.trim().replace('\n', "; ")
    );
    let (early, half, end) = (at(0.1), at(0.5), at(0.98));
    println!(
        "agent and analyzer in one process, MiB: {early:.1} after a tenth, {half:.1} after half, {end:.1} at the end"
    );
    let summary: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&summary)?)?;
    for key in ["iterations", "skipped_iterations", "records", "events_dropped"] {
        println!("{key}: {}", summary[key]);
    }
    Ok(())
}

/// A standing agent of the analyzer at `url`, and its socket.
fn agent(place: &Path, url: &str, flags: &[String]) -> Result<(Ended, PathBuf)> {
    let socket = place.join("agent.sock");
    let mut command = midrun(&["agent", "--analyzer", url, "--socket"]);
    command.arg(&socket).args(flags).stderr(std::fs::File::create(place.join("agent.log"))?);
    let child = Ended(command.spawn()?);
    let begin = Instant::now();
    while !socket.exists() {
        ensure!(begin.elapsed() < Duration::from_secs(30), "no agent");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok((child, socket))
}

/// Jobs one after the other, under one standing analyzer and one standing agent.
fn jobs(a: &Arguments) -> Result<()> {
    let place = tempfile::tempdir()?;
    let (analyzer, url, _) = analyzer(place.path(), false)?;
    let (agent, socket) = agent(place.path(), &url, &[])?;
    let begin = Instant::now();
    let mut done = 0;
    for part in [a.jobs / 10, a.jobs / 2, a.jobs] {
        while done < part {
            let mut command = midrun(&["run", "--quiet", "--analyzer", &url, "--", &mark_load(), "1", "50", "20"]);
            command.env("MIDRUN_CFG_RUN__AGENT", &socket).stdout(Stdio::null()).stderr(Stdio::null());
            ensure!(command.status()?.success(), "a job failed");
            done += 1;
        }
        let size = |ended: &Ended| resident_mib(ended.0.id()).unwrap_or(f64::NAN);
        println!(
            "after {done} jobs, {:.0} s: analyzer {:.1} MiB, agent {:.1} MiB",
            begin.elapsed().as_secs_f64(),
            size(&analyzer),
            size(&agent)
        );
    }
    Ok(())
}

/// Connections that say nothing, and others that send without end, at a standing analyzer.
fn strangers(a: &Arguments) -> Result<()> {
    let place = tempfile::tempdir()?;
    let (analyzer, url, _) = analyzer(place.path(), false)?;
    let address = url.trim_start_matches("http://").to_owned();
    let id = analyzer.0.id();
    let (before_mib, before_s) = (resident_mib(id).context("it runs")?, cpu_s(id).context("it runs")?);
    let begin = Instant::now();
    let mut most = before_mib;
    let mut held = Vec::new();
    let mut sent = 0u64;
    let garbage = vec![b'x'; 1 << 20];
    while begin.elapsed() < Duration::from_secs(20) {
        if let Ok(mut stream) = TcpStream::connect(&address) {
            stream.set_write_timeout(Some(Duration::from_millis(5)))?;
            if held.len() % 10 == 0 {
                let _ = stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
                sent += stream.write(&garbage).unwrap_or(0) as u64;
            }
            held.push(stream);
        }
        if held.len() > a.strangers {
            held.drain(..a.strangers / 10);
        }
        most = most.max(resident_mib(id).unwrap_or(f64::NAN));
    }
    let spent_s = cpu_s(id).context("it runs")? - before_s;
    let share = 100.0 * spent_s / begin.elapsed().as_secs_f64();
    println!(
        "strangers: analyzer {before_mib:.1} MiB before, {most:.1} MiB at most, {share:.1} % of a core, {} MiB written to it",
        sent >> 20
    );
    Ok(())
}

/// Jobs at a standing analyzer, with certificates and without, in turn.
fn tls(a: &Arguments) -> Result<()> {
    let place = tempfile::tempdir()?;
    let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", a.mpi)).display().to_string();
    let line = "--tasks 500 --iterations 7 --mean-us 1000 --sigma-pct 60 --work sleep --technique none";
    let application: Vec<String> =
        std::iter::once(program.as_str()).chain(line.split(' ')).map(str::to_owned).collect();
    let kinds = [analyzer(place.path(), false)?, analyzer(place.path(), true)?];
    let mut latencies = [Vec::new(), Vec::new()];
    let mut shares = [Vec::new(), Vec::new()];
    for _ in 0..a.pairs {
        for (k, (_, url, keys)) in kinds.iter().enumerate() {
            let mut flags: Vec<String> = ["--objective", "fixed", "--analyzer", url].map(str::to_owned).into();
            flags.extend_from_slice(keys);
            let summary = run_under_midrun(&flags, &Launcher::local(&a.mpi, 5, false)?, &application)?;
            latencies[k].extend(numbers(&summary, "actions.latency_ms"));
            // The agent's share of a core while a rank makes 10 000 records a second.
            let (agent, socket) = agent(place.path(), url, keys)?;
            let mut rank = Ended(
                Command::new(mark_load())
                    .args(["1000000", "100"])
                    .env("MIDRUN_SOCKET", &socket)
                    .stdout(Stdio::null())
                    .spawn()?,
            );
            std::thread::sleep(Duration::from_secs(2));
            let (from, begin) = (cpu_s(agent.0.id()).context("it runs")?, Instant::now());
            std::thread::sleep(Duration::from_secs(5));
            ensure!(rank.0.try_wait()?.is_none(), "the rank ended early");
            shares[k].push(100.0 * (cpu_s(agent.0.id()).context("it runs")? - from) / begin.elapsed().as_secs_f64());
        }
    }
    for (name, values) in
        [("decision to application, ms", latencies), ("agent at 10 000 records/s, % of a core", shares)]
    {
        let [plain, tls] = values.map(spread);
        if let (Some(plain), Some(tls)) = (plain, tls) {
            println!("{name}: {plain} without TLS, {tls} with it; {} and {} values", plain.count, tls.count);
        }
    }
    Ok(())
}
