//! One job: our parts up, the command run, the summary taken, our parts down, the command's code.

use std::time::Duration;

use anyhow::Context;
use midrun_proto::v1::{OpenJobRequest, TunletFile};

use super::child::{self, Signals};
use super::client::Client;
use super::embedded::{self, Agent, Analyzer};
use super::inject::{Gift, prepare};
use super::launcher::CommandLine;
use super::memory::Memory;
use super::plan::Plan;
use super::summary::{SummaryFile, table};
use crate::job_file::{JobFile, RunningJob};
use crate::logging::LogForm;
use crate::runtime_dir;
use crate::settings::Settings;
use crate::usage::{Usage, say, say_raw};

/// The agent's last batches must be delivered within this time.
const AGENT_END_DEADLINE: Duration = Duration::from_secs(3);
/// The final summary must be there within this time (the analyzer waits a while for late batches).
const CLOSE_DEADLINE: Duration = Duration::from_secs(10);
/// Notices still under way after the end.
const WATCH_END_DEADLINE: Duration = Duration::from_secs(1);
/// Characters of the command that are shown in lists of jobs.
const COMMAND_SHOWN: usize = 200;
/// An analyzer with nothing left to do ends within this time.
const ANALYZER_END_DEADLINE: Duration = Duration::from_secs(3);

/// Our parts, as far as they could be started.
#[derive(Default)]
struct Parts {
    analyzer: Option<Analyzer>,
    agent: Option<Agent>,
    client: Option<Client>,
    file: Option<JobFile>,
    memory: Option<Memory>,
    /// The analyzer's URL as seen from other hosts.
    url: String,
    token: String,
}

/// Runs the job.
///
/// # Errors
/// Only what was found out before the command was started.
pub async fn run(
    settings: &Settings,
    line: &CommandLine,
    plan: &Plan,
    summary: Option<&SummaryFile>,
) -> anyhow::Result<u8> {
    let mut signals = Signals::catch()?;
    let job = format!("j{}", random_hex(6)?);
    let parts = match start_parts(settings, line, &job).await {
        Ok(parts) => parts,
        Err(error) if error.downcast_ref::<Usage>().is_some() => return Err(error),
        Err(error) => {
            say(format!("{error:#}, so the job goes on untuned"));
            Parts::default()
        }
    };
    let watch = parts.client.clone().map(|client| tokio::spawn(client.watch(settings.run.log)));
    let gift = gift(settings, line, plan, &job, &parts);
    let prepared = prepare(line, &gift, |name| std::env::var(name).ok());
    tracing::info!(command = prepared.words.join(" "), "the command starts");
    let mut child = child::start(&prepared)?;
    let code = child::wait(&mut child, &mut signals).await?;

    let Parts { analyzer, agent, client, file, memory, .. } = parts;
    drop(file);
    if let Some(Agent { part, removed_at_end, .. }) = agent {
        part.end(AGENT_END_DEADLINE).await;
        drop(removed_at_end);
    }
    let closed = match client {
        Some(client) => client.close(CLOSE_DEADLINE).await,
        None => Err(anyhow::anyhow!("there is no summary, since no analyzer was there")),
    };
    if let Some(watch) = watch {
        let _ = tokio::time::timeout(WATCH_END_DEADLINE, watch).await;
    }
    if let (Ok(json), Some(memory)) = (&closed, memory) {
        memory.keep(json);
    }
    let closed = closed.map(|json| plan.points.as_ref().map_or(json.clone(), |points| points.declare(&json)));
    conclude(closed, summary, settings.run.log);
    if let Some(Analyzer { part, .. }) = analyzer {
        part.end(ANALYZER_END_DEADLINE).await;
    }
    Ok(code)
}

async fn start_parts(settings: &Settings, line: &CommandLine, job: &str) -> anyhow::Result<Parts> {
    let mut parts = Parts { token: settings.analyzer.token.clone(), ..Parts::default() };
    if parts.token.is_empty() {
        parts.token = random_hex(16)?;
    }
    let near_url = match &settings.run.analyzer {
        Some(url) => {
            parts.url.clone_from(url);
            url.clone()
        }
        None => {
            let mut config = settings.analyzer.clone();
            config.token.clone_from(&parts.token);
            let analyzer = embedded::start_analyzer(config, line.has_exec()).await?;
            let port = analyzer.port;
            let name = settings.run.advertise.clone().unwrap_or_else(runtime_dir::host);
            parts.url = format!("http://{name}:{port}");
            parts.analyzer = Some(analyzer);
            format!("http://127.0.0.1:{port}")
        }
    };
    parts.memory = memory(settings, line);
    let request = OpenJobRequest {
        job: job.to_owned(),
        token: parts.token.clone(),
        tunlet: settings.run.tunlet.clone(),
        shadow: settings.run.shadow.clone(),
        files: settings.run.files.iter().map(wire_file).collect(),
        technique: settings.run.technique.clone(),
        dry_run: settings.run.dry_run,
        objective: settings.run.objective.clone(),
        min_workers: settings.run.min_workers,
        max_workers: settings.run.max_workers,
        worker_step: settings.run.worker_step,
        search: settings.run.search.clone(),
        search_constraint: settings.run.search_constraint.clone(),
        search_method: settings.run.search_method.clone(),
        search_budget: settings.run.search_budget,
        search_known: parts.memory.as_ref().map(Memory::known).unwrap_or_default(),
    };
    parts.client = Client::open(&near_url, request).await?;
    parts.file = job_file(&parts, &near_url, job, line);
    let mut config = settings.agent.clone();
    config.analyzer = near_url;
    config.token.clone_from(&parts.token);
    parts.agent = Some(embedded::start_agent(config, job)?);
    Ok(parts)
}

/// Where searches of this program and input are remembered, if something is searched.
fn memory(settings: &Settings, line: &CommandLine) -> Option<Memory> {
    let options = settings.run.options().search;
    if options.points.is_empty() || settings.run.no_search_memory {
        return None;
    }
    let app = line.apps.first()?;
    let words = line.words.get(app.at + 1..).unwrap_or_default();
    Memory::of(line.words.get(app.at)?, words, app.ranks, &options)
}

/// Where `midrun status` and the like find the job. That they do not is no reason not to run it.
fn job_file(parts: &Parts, url: &str, job: &str, line: &CommandLine) -> Option<JobFile> {
    parts.client.as_ref()?;
    let command: String = line.words.join(" ").chars().take(COMMAND_SHOWN).collect();
    let running = RunningJob { job: job.to_owned(), url: url.to_owned(), token: parts.token.clone(), command };
    let written = JobFile::write(&running);
    written.inspect_err(|error| tracing::warn!(%error, "midrun status will not find this job")).ok()
}

fn wire_file(file: &midrun_tunlets::TunletFile) -> TunletFile {
    TunletFile { name: file.name.clone(), text: file.text.clone() }
}

/// What the ranks get.
fn gift<'a>(settings: &Settings, line: &CommandLine, plan: &'a Plan, job: &str, parts: &Parts) -> Gift<'a> {
    let mut gift = Gift { variables: vec![("MIDRUN_JOB", job.to_owned())], preload: plan.preload.as_deref() };
    if let Some(agent) = &parts.agent {
        gift.variables.push(("MIDRUN_SOCKET", agent.socket.to_string_lossy().into_owned()));
        gift.variables.push(("MIDRUN_HOST", runtime_dir::host()));
    }
    let most = settings.analyzer.completed(settings.run.options()).max_workers;
    if parts.agent.is_some() && most > 0 && line.workers().is_none_or(|workers| most > workers) {
        match line.placing() {
            Some(option) => say(format!(
                "no worker can be started beyond the ranks: MPICH's mpiexec cannot with {option}; set HYDRA_BINDING instead"
            )),
            None => gift.variables.push(("MIDRUN_MAX_WORKERS", most.to_string())),
        }
    }
    if let Some(points) = plan.points.as_ref().filter(|_| parts.agent.is_some()) {
        gift.variables.push(("MIDRUN_POINTS", points.variable()));
    }
    if line.has_exec() {
        // Programs behind `midrun exec` are preloaded there, where the host's own files are seen.
        gift.preload = gift.preload.filter(|_| !line.apps.iter().all(|app| app.by_exec));
        if parts.agent.is_some() {
            gift.variables.push(("MIDRUN_ANALYZER", parts.url.clone()));
            gift.variables.push(("MIDRUN_TOKEN", parts.token.clone()));
        }
        if let Some(directory) = &settings.run.library_dir {
            gift.variables.push(("MIDRUN_LIB_DIR", directory.to_string_lossy().into_owned()));
        }
    }
    gift
}

/// Hands the summary over. The job's code stands whatever happens here.
fn conclude(closed: anyhow::Result<String>, file: Option<&SummaryFile>, form: LogForm) {
    let json = match closed {
        Ok(json) => json,
        Err(error) => return say(format!("{error:#}")),
    };
    if let Some(Err(error)) = file.map(|file| file.write(&json)) {
        say(format!("{error:#}"));
    }
    match form {
        LogForm::Text => say_raw(&table(&json)),
        LogForm::Json => say_raw(&json),
    }
}

/// `bytes` random bytes as hexadecimal digits.
fn random_hex(bytes: usize) -> anyhow::Result<String> {
    use std::io::Read;
    let mut buffer = vec![0u8; bytes];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut buffer))
        .context("cannot read /dev/urandom")?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}
