//! The life of one job: starts the daemons, runs the command, takes the summary, stops the daemons, returns the command's code.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use midrun_analyzer::listen::Listen;
use midrun_analyzer::summary::{SCHEMA_VERSION, Summary};
use midrun_proto::keys::{self, Keys};
use midrun_proto::tls::Credentials;
use midrun_proto::v1::{Notice, OpenJobRequest, OwnerSettings, TunletFile};
use midrun_vocabulary::names::{CREDENTIALS_VARIABLE, SYNCHRONIZED_VARIABLE};
use serde_json::{Value, json};

use super::child::{Child, Ended};
use super::client::Client;
use super::console::Console;
use super::embedded::{self, Agent, Analyzer};
use super::points::Points;
use super::preflight::Plan;
use super::rank_environment::{RankEnvironment, prepare, unchanged};
use super::relay::Relay;
use crate::job_file::{JobFile, RunningJob};
use crate::launch::command_line::CommandLine;
use crate::memory::Memory;
use crate::metrics::{self, Address, Sources};
use crate::published_jobs::{Publication, PublishedJob};
use crate::runtime_dir;
use crate::settings::Settings;
use crate::standing_agent;
use crate::summary::SummaryFile;
use crate::tls_flags;
use crate::usage::{Usage, say};

/// The agent must deliver its last batches within this time.
const AGENT_END_DEADLINE: Duration = Duration::from_secs(3);
/// The analyzer must give the final summary within this time; it waits `close_wait_ms` for late batches first.
const CLOSE_DEADLINE: Duration = Duration::from_secs(10);
/// Notices after the end of the job are awaited for this time.
const WATCH_END_DEADLINE: Duration = Duration::from_secs(1);
/// Lists of jobs show so many characters of the command.
const COMMAND_SHOWN: usize = 200;
/// The name in the certificate of an embedded analyzer. No host has it: what counts is that the job's own authority has signed it.
const ANALYZER_NAME: &str = "midrun-analyzer";
/// The embedded analyzer must end within this time.
const ANALYZER_END_DEADLINE: Duration = Duration::from_secs(3);

/// The parts of midrun that could be started.
#[derive(Default)]
struct Parts {
    analyzer: Option<Analyzer>,
    agent: Option<Agent>,
    client: Option<Client>,
    file: Option<JobFile>,
    publication: Option<Publication>,
    memory: Option<Memory>,
    /// Where metrics ask them.
    sources: Sources,
    /// Start that earlier runs gave; empty: none.
    start: String,
    /// The analyzer's URL as seen from other hosts.
    url: String,
    token: String,
    /// Who steers this job, or reports on it, must have it.
    job_token: String,
    /// For the link to the analyzer; `None`: plain text to a standing one on this host.
    credentials: Option<Credentials>,
}

/// Runs the job.
///
/// # Errors
/// An error found before the command was started.
pub async fn run(
    settings: &Settings,
    line: &CommandLine,
    plan: &Plan,
    summary: Option<&SummaryFile>,
    relay: &mut Relay,
    console: Arc<Console>,
    metrics: Option<Address>,
) -> anyhow::Result<Ended> {
    relay.catch()?;
    let (job, begin) = (format!("j{}", random_hex(6)?), Instant::now());
    if let Some(why) = &plan.untuned {
        relay.on_launch();
        let mut child = Child::start(&line.words, &[], Stdio::inherit(), relay)?;
        let ended = child.wait(relay, || console.release(), || false).await?;
        Blank::Untuned(why.clone()).write(&job, begin, summary, &console);
        return Ok(ended);
    }
    let door = metrics::open(metrics).await?;
    let (parts, obstacle) = match start_parts(settings, plan.points.as_ref(), line, &job).await {
        Ok(parts) => (parts, None),
        Err(error) if error.downcast_ref::<Usage>().is_some() => return Err(error),
        Err(error) => {
            say(format!("{error:#}, so the job runs untuned"));
            (Parts::default(), Some(format!("{error:#}")))
        }
    };
    if let Some(door) = door {
        let (url, event) = (door.url(), "metrics");
        console.notice(&Notice {
            text: format!("metrics at {url}"),
            json: json!({"event": event, "url": url}).to_string(),
        });
        door.serve(parts.sources.clone());
    }
    let watch = parts.client.clone().map(|client| tokio::spawn(client.watch(console.clone())));
    let follower = parts.client.clone().filter(|_| console.has_status_line());
    let follow = follower.map(|client| tokio::spawn(client.follow(console.clone())));
    let prepared = match &parts.agent {
        Some(agent) => {
            let midrun = std::env::current_exe().context("cannot find the midrun command")?;
            let mut ranks = rank_environment(settings, line, plan, &job, &parts, agent);
            ranks.midrun = Some(&midrun);
            prepare(line, &ranks, |name| std::env::var(name).ok())
        }
        None => unchanged(line),
    };
    tracing::info!(command = prepared.words.join(" "), "starting the command");
    relay.on_launch();
    let mut child = Child::start(&prepared.words, &prepared.environment, Stdio::inherit(), relay)?;
    let waits_in_vain = || parts.client.as_ref().is_some_and(Client::survivors_ended);
    let ended = child.wait(relay, || console.release(), waits_in_vain).await?;
    if let Some(follow) = follow {
        follow.abort();
        // It may be about to show a status.
        let _ = follow.await;
    }
    console.release();

    let Parts { analyzer, agent, client, file, publication, memory, .. } = parts;
    drop((file, publication));
    if let Some(Agent { daemon, removed_at_end, .. }) = agent {
        daemon.stop(AGENT_END_DEADLINE).await;
        drop(removed_at_end);
    }
    let closed = match client {
        Some(client) => client.close(CLOSE_DEADLINE).await.map_err(|error| Blank::Lost(format!("{error:#}"))),
        None => Err(Blank::Untuned(obstacle.unwrap_or_default())),
    };
    if let Some(watch) = watch {
        let _ = tokio::time::timeout(WATCH_END_DEADLINE, watch).await;
    }
    if let (Ok(json), Some(memory), Ended::Code(0)) = (&closed, memory, ended) {
        memory.keep(json);
    }
    match closed {
        Ok(json) => {
            let json = plan.points.as_ref().map_or(json.clone(), |points| points.declare(&json));
            conclude(&json, summary, &console, &plan.without_mpi);
        }
        Err(blank) => blank.write(&job, begin, summary, &console),
    }
    if let Some(Analyzer { daemon, .. }) = analyzer {
        daemon.stop(ANALYZER_END_DEADLINE).await;
    }
    Ok(ended)
}

async fn start_parts(
    settings: &Settings,
    points: Option<&Points>,
    line: &CommandLine,
    job: &str,
) -> anyhow::Result<Parts> {
    let mut parts = Parts { token: settings.analyzer.token.clone(), job_token: random_hex(16)?, ..Parts::default() };
    if parts.token.is_empty() {
        parts.token.clone_from(&parts.job_token);
    }
    let near_url = match &settings.run.analyzer {
        Some(url) => {
            parts.url.clone_from(url);
            let agent = &settings.agent;
            parts.credentials =
                tls_flags::read(agent.tls_ca.as_deref(), agent.tls_cert.as_deref(), agent.tls_key.as_deref())?;
            url.clone()
        }
        None => {
            let Keys { analyzer, client } = keys::make(&[ANALYZER_NAME.to_owned()], ANALYZER_NAME)?;
            parts.credentials = Some(client);
            let mut config = settings.analyzer.clone();
            config.token.clone_from(&parts.token);
            config.credentials = Some(analyzer);
            let everywhere = line.leaves_host || line.has_exec();
            let listen = match &settings.run.listen {
                Some(listen) if everywhere => listen,
                None if everywhere => "0.0.0.0:0",
                _ => "127.0.0.1:0",
            };
            let listen = Listen::parse(listen).context("run.listen was checked")?;
            let analyzer = embedded::start_analyzer(config, &listen, parts.sources.analyzer()).await?;
            let (far, near) = urls(analyzer.address, settings.run.advertise.as_deref());
            parts.url = far;
            parts.analyzer = Some(analyzer);
            near
        }
    };
    parts.memory = Memory::of(settings, line);
    let earlier = parts.memory.as_mut().map(Memory::recall).unwrap_or_default();
    parts.start = earlier.start.map(|remembered| remembered.to_string()).unwrap_or_default();
    let request = OpenJobRequest {
        job: job.to_owned(),
        token: parts.job_token.clone(),
        tunlet: settings.run.tunlet.clone(),
        shadow: settings.run.shadow.clone(),
        files: settings.run.files.iter().map(wire_file).collect(),
        technique: settings.run.technique.clone(),
        dry_run: settings.run.dry_run,
        objective: settings.run.objective.clone(),
        confidence: settings.run.confidence,
        min_workers: settings.run.min_workers,
        max_workers: settings.run.max_workers,
        worker_step: settings.run.worker_step,
        search: settings.run.search.clone(),
        search_constraint: settings.run.search_constraint.clone(),
        search_budget: settings.run.search_budget,
        search_known: earlier.search,
        search_progress_line: points.and_then(Points::progress_line).unwrap_or(0),
        iteration_line: points.and_then(Points::iteration_line).unwrap_or(0),
        start: parts.start.clone(),
    };
    let owner_settings = OwnerSettings {
        job: job.to_owned(),
        options: Some(OpenJobRequest { job: String::new(), token: String::new(), ..request.clone() }),
        ..OwnerSettings::default()
    };
    parts.client = Some(Client::open(&near_url, &parts.token, parts.credentials.as_ref(), request).await?);
    let running = running_job(&parts, &near_url, job, line);
    parts.file = job_file(&running);
    if line.leaves_host || line.has_exec() || settings.run.analyzer.is_some() {
        let elsewhere = RunningJob { url: parts.url.clone(), ..running };
        let published = PublishedJob::of(elsewhere, |name| std::env::var(name).ok());
        parts.publication = Some(Publication::start(published));
    }
    let mut config = settings.agent.clone();
    config.analyzer = near_url;
    config.token.clone_from(&parts.token);
    config.job_token.clone_from(&parts.job_token);
    config.credentials.clone_from(&parts.credentials);
    (config.owner_settings, config.options_follow) = (Some(owner_settings), true);
    // It is beside the analyzer.
    config.in_tree = false;
    let asked = || parts.sources.agent();
    parts.agent = Some(embedded::start_agent(config, job, settings.run.agent.as_deref(), asked)?);
    Ok(parts)
}

/// The URLs of an analyzer at `address`, for other hosts and for this one.
fn urls(address: SocketAddr, advertised: Option<&str>) -> (String, String) {
    let port = address.port();
    let (far, near) = match address.ip().is_unspecified() {
        true => (runtime_dir::host(), format!("127.0.0.1:{port}")),
        false => (address.ip().to_string(), address.to_string()),
    };
    let far = advertised.unwrap_or(&far);
    let far = if far.contains(':') { format!("[{far}]") } else { far.to_owned() };
    (format!("https://{far}:{port}"), format!("https://{near}"))
}

/// The credentials for the analyzer as one word; empty without any.
fn word(parts: &Parts) -> String {
    parts.credentials.as_ref().map(Credentials::to_word).unwrap_or_default()
}

fn running_job(parts: &Parts, url: &str, job: &str, line: &CommandLine) -> RunningJob {
    let command: String = line.words.join(" ").chars().take(COMMAND_SHOWN).collect();
    RunningJob {
        job: job.to_owned(),
        url: url.to_owned(),
        analyzer_token: parts.token.clone(),
        token: parts.job_token.clone(),
        credentials: word(parts),
        command,
    }
}

/// Writes the job file. Without it `midrun status` does not find the job, which runs all the same.
fn job_file(running: &RunningJob) -> Option<JobFile> {
    JobFile::write(running).inspect_err(|error| tracing::warn!(%error, "midrun status will not find this job")).ok()
}

fn wire_file(file: &midrun_tunlets::TunletFile) -> TunletFile {
    TunletFile { name: file.name.clone(), text: file.text.clone() }
}

/// The environment of the ranks of a job that `agent` serves on this host.
fn rank_environment<'a>(
    settings: &Settings,
    line: &CommandLine,
    plan: &'a Plan,
    job: &str,
    parts: &Parts,
    agent: &Agent,
) -> RankEnvironment<'a> {
    let mut variables = vec![
        ("MIDRUN_JOB", job.to_owned()),
        ("MIDRUN_SOCKET", agent.socket.to_string_lossy().into_owned()),
        ("MIDRUN_HOST", runtime_dir::host()),
    ];
    let most = settings.analyzer.completed(settings.run.options()).max_workers;
    if most > 0 && line.workers().is_none_or(|workers| most > workers) {
        match line.hydra_placement() {
            Some(option) => say(format!(
                "midrun cannot start workers beyond the ranks, because MPICH's mpiexec has {option}: set HYDRA_BINDING instead"
            )),
            None => variables.push(("MIDRUN_MAX_WORKERS", most.to_string())),
        }
    }
    if !parts.start.is_empty() {
        variables.push(("MIDRUN_START", parts.start.clone()));
    }
    if let Some(points) = &plan.points {
        variables.push(("MIDRUN_POINTS", points.variable()));
    }
    // Tunlet files are the owner's own code.
    if settings.run.allow_points || !settings.run.files.is_empty() {
        variables.push(("MIDRUN_ALLOW_POINTS", "1".into()));
    }
    if settings.run.synchronized {
        variables.push((SYNCHRONIZED_VARIABLE, "1".into()));
    }
    if line.leaves_host || line.has_exec() {
        variables.push(("MIDRUN_ANALYZER", parts.url.clone()));
        variables.push(("MIDRUN_TOKEN", parts.token.clone()));
        variables.push(("MIDRUN_JOB_TOKEN", parts.job_token.clone()));
        variables.push((CREDENTIALS_VARIABLE, word(parts)));
        variables.extend(settings.run.agent.clone().map(|agent| (standing_agent::VARIABLE, agent)));
    }
    if let Some(directory) = &settings.run.library_dir {
        variables.push(("MIDRUN_LIB_DIR", directory.to_string_lossy().into_owned()));
    }
    if !settings.run.mpi.is_empty() {
        variables.push(("MIDRUN_MPI", settings.run.mpi.clone()));
    }
    RankEnvironment { variables, preload: plan.preload.as_deref(), midrun: None }
}

/// Why there is nothing to sum up.
enum Blank {
    /// The job ran without midrun, which was said at its start.
    Untuned(String),
    /// The analyzer has what was measured, and is away.
    Lost(String),
}

impl Blank {
    /// Writes a summary that says why it is empty: who waits for the file finds it.
    fn write(self, job: &str, begin: Instant, file: Option<&SummaryFile>, console: &Console) {
        let (untuned, lost) = match self {
            Blank::Untuned(why) => (Some(why), None),
            Blank::Lost(why) => (None, Some(why)),
        };
        if let Some(why) = &lost {
            say(why);
        }
        let (job, wall_s) = (job.to_owned(), begin.elapsed().as_secs_f64());
        let empty = Summary { schema_version: SCHEMA_VERSION, job, untuned, lost, wall_s, ..Summary::default() };
        let json = empty.to_json();
        write(&json, file);
        console.empty_summary(&json);
    }
}

/// Writes the summary's file. A failure does not change the job's exit code.
fn write(json: &str, file: Option<&SummaryFile>) {
    if let Some(Err(error)) = file.map(|file| file.write(json)) {
        say(format!("{error:#}"));
    }
}

/// Writes and prints the summary.
fn conclude(json: &str, file: Option<&SummaryFile>, console: &Console, without_mpi: &[String]) {
    write(json, file);
    console.summary(json);
    let has_ranks = serde_json::from_str::<Value>(json).is_ok_and(|summary| summary["ranks"] != 0);
    if let Some(program) = without_mpi.first().filter(|_| !has_ranks) {
        let text = format!(
            "no process that initialised MPI reached midrun, and {program} is linked with no MPI: the launcher may have started copies of it \
             that know nothing of each other, or it is a container that hides {} from its ranks: bind that directory",
            runtime_dir::path().display()
        );
        console.notice(&Notice { text, json: json!({"event": "no-mpi", "program": program}).to_string() });
    }
}

/// Returns so many random bytes as hexadecimal digits.
fn random_hex(bytes: usize) -> anyhow::Result<String> {
    use std::io::Read;
    let mut buffer = vec![0u8; bytes];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut buffer))
        .context("cannot read /dev/urandom")?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}
