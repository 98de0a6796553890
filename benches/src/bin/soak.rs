//! Memory of midrun's parts over very many short iterations, very many jobs, under strangers and under hostile load; what TLS costs.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use midrun_benches::flood::Flood;
use midrun_benches::processes::{Ended, cpu_s, memory_mib};
use midrun_benches::standing::{analyzer, midrun};
use midrun_benches::{Launcher, numbers, prefix, run_under_midrun, spread};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Memory over many iterations, jobs and strangers, and under hostile load; cost of TLS.
#[derive(Parser)]
struct Arguments {
    /// Parts to measure: iterations, jobs, strangers, hostile (agent and rank), command (`midrun run`), tls.
    #[arg(default_values_t = ["iterations", "jobs", "strangers", "hostile", "command", "tls"].map(str::to_owned))]
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
    /// Time under each hostile load, seconds.
    #[arg(long, default_value_t = 20)]
    hostile_s: u64,
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
            "hostile" => hostile(&a)?,
            "command" => command(&a)?,
            "tls" => tls(&a)?,
            other => anyhow::bail!("{other}: the parts are iterations, jobs, strangers, hostile, command, tls"),
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

/// Connections that say nothing, and others that send without end, at a standing analyzer and at a standing agent.
fn strangers(a: &Arguments) -> Result<()> {
    let place = tempfile::tempdir()?;
    let (analyzer, url, _) = analyzer(place.path(), false)?;
    let (agent, socket) = agent(place.path(), &url, &[])?;
    let address = url.trim_start_matches("http://").to_owned();
    crowd(a, "analyzer", analyzer.0.id(), || {
        let stream = TcpStream::connect(&address)?;
        stream.set_write_timeout(Some(TAKEN_IN))?;
        Ok(stream)
    })?;
    crowd(a, "agent", agent.0.id(), || {
        let stream = UnixStream::connect(&socket)?;
        stream.set_write_timeout(Some(TAKEN_IN))?;
        Ok(stream)
    })
}

/// A stranger waits so long for its bytes to be taken.
const TAKEN_IN: Duration = Duration::from_millis(5);

/// Strangers at the process `id`, each by a connection of its own.
fn crowd<S: Write>(a: &Arguments, name: &str, id: u32, connect: impl Fn() -> std::io::Result<S>) -> Result<()> {
    let (before_mib, before_s) = (resident_mib(id).context("it runs")?, cpu_s(id).context("it runs")?);
    let begin = Instant::now();
    let mut held = Vec::new();
    let (mut sent, mut connected) = (0u64, 0u64);
    let garbage = vec![b'x'; 1 << 20];
    while begin.elapsed() < Duration::from_secs(20) {
        if let Ok(mut stream) = connect() {
            connected += 1;
            if held.len() % 10 == 0 {
                let _ = stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
                sent += stream.write(&garbage).unwrap_or(0) as u64;
            }
            held.push(stream);
        }
        if held.len() > a.strangers {
            held.drain(..a.strangers / 10);
        }
    }
    let most = memory_mib(id, "VmHWM").context("it runs")?;
    let share = 100.0 * (cpu_s(id).context("it runs")? - before_s) / begin.elapsed().as_secs_f64();
    println!(
        "{connected} strangers: {name} {before_mib:.1} MiB before, {most:.1} MiB at most, {share:.1} % of a core, {} MiB written to it",
        sent >> 20
    );
    Ok(())
}

/// Stops a process for as long as this lives.
struct Stopped(u32);

impl Stopped {
    fn new(id: u32) -> Result<Stopped> {
        signal(id, "STOP")?;
        Ok(Stopped(id))
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = signal(self.0, "CONT");
    }
}

fn signal(id: u32, name: &str) -> Result<()> {
    let done = Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status()?;
    ensure!(done.success(), "no signal {name} to {id}");
    Ok(())
}

/// Starts a rank, its agent being at `socket`, that begins and ends iterations as fast as it can.
fn flooding_rank(socket: &Path) -> Result<Ended> {
    let mut rank = Command::new(mark_load());
    rank.args(["1", "0", "1000000000"]).env("MIDRUN_BENCH_TURNS", "1").env("MIDRUN_SOCKET", socket);
    Ok(Ended(rank.stdout(Stdio::null()).spawn()?))
}

/// Memory of some processes every `hostile_s` / 4, and the most.
fn watch(a: &Arguments, load: &str, processes: &[(&str, u32)]) -> Result<()> {
    let mut sizes = vec![Vec::new(); processes.len()];
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(250 * a.hostile_s));
        for (sizes, (name, id)) in sizes.iter_mut().zip(processes) {
            sizes.push(resident_mib(*id).with_context(|| format!("{load}: {name} has ended"))?);
        }
    }
    for (sizes, (name, id)) in sizes.iter().zip(processes) {
        let sizes: Vec<String> = sizes.iter().map(|size| format!("{size:.1}")).collect();
        let most = memory_mib(*id, "VmHWM").context("it runs")?;
        println!("{load}, {} s: {name} {} MiB at each quarter, {most:.1} at most", a.hostile_s, sizes.join(", "));
    }
    Ok(())
}

/// Ranks that record as fast as they can, beside peers that take nothing or send without an end.
fn hostile(a: &Arguments) -> Result<()> {
    let second = Duration::from_secs(1);
    {
        let place = tempfile::tempdir()?;
        let (analyzer, url, _) = analyzer(place.path(), false)?;
        let (agent, socket) = agent(place.path(), &url, &[])?;
        let rank = flooding_rank(&socket)?;
        let ids = [("analyzer", analyzer.0.id()), ("agent", agent.0.id()), ("rank", rank.0.id())];
        std::thread::sleep(second);
        watch(a, "a rank that floods", &ids)?;
        let _stopped = Stopped::new(analyzer.0.id())?;
        watch(a, "an analyzer that takes nothing", &ids[1..])?;
        let _stopped = Stopped::new(agent.0.id())?;
        watch(a, "an agent that reads nothing", &ids[2..])?;
    }
    {
        let place = tempfile::tempdir()?;
        let flood = Flood::start()?;
        let (agent, socket) = agent(place.path(), &flood.url, &[])?;
        let rank = flooding_rank(&socket)?;
        std::thread::sleep(second);
        let before = flood.sent();
        watch(a, "an analyzer that floods", &[("agent", agent.0.id()), ("rank", rank.0.id())])?;
        println!("it sent {} messages", flood.sent() - before);
    }
    Ok(())
}

/// `midrun run`, in which the agent of the job is, too, beside an analyzer that takes nothing, and one that floods.
fn command(a: &Arguments) -> Result<()> {
    let second = Duration::from_secs(1);
    for is_flooding in [false, true] {
        let place = tempfile::tempdir()?;
        let (analyzer, url, _) = analyzer(place.path(), false)?;
        let flood = Flood::start()?;
        let url = if is_flooding { flood.url.clone() } else { url };
        let mut command = midrun(&["run", "--analyzer", &url, "--summary", "none.json", "--", &mark_load()]);
        command.args(["1", "0", "1000000000"]).env("MIDRUN_BENCH_TURNS", "1").current_dir(place.path());
        let job = Ended(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
        std::thread::sleep(second);
        let (_stopped, load) = if is_flooding {
            (None, "an analyzer that floods")
        } else {
            (Some(Stopped::new(analyzer.0.id())?), "an analyzer that takes nothing")
        };
        watch(a, load, &[("midrun run with its agent", job.0.id())])?;
        signal(job.0.id(), "TERM")?;
        std::thread::sleep(second);
    }
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
