//! `midrun run`: checks the command, then runs it as one job under tuning.

mod child;
mod client;
mod console;
mod embedded;
mod job;
pub mod points;
mod preflight;
mod rank_environment;
mod relay;

pub use child::{Child, Ended, adopt_orphans, end_orphans};
pub use relay::Relay;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use midrun_analyzer::AnalyzerError;
use midrun_tunlets::SEARCH_BUDGETS;

use crate::launch::command_line::CommandLine;
use crate::logging::{self, LogForm};
use crate::metrics::Address;
use crate::summary::SummaryFile;
use crate::tls_flags::TlsFlags;
use crate::tuning_flags::{TuningFlags, list};
use crate::usage::{say, usage};
use crate::{raw_words, recording, settings};

/// The flags of `midrun run`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Write the job's summary to FILE
    #[arg(long, value_name = "FILE.json", help_heading = "What midrun tells")]
    summary: Option<PathBuf>,
    /// Record the run in FILE, for midrun replay and midrun predict run
    #[arg(long, value_name = "FILE", help_heading = "What midrun tells")]
    record: Option<PathBuf>,
    /// Where the analyzer of a job on several hosts listens: one interface, and a range of ports, such as 10.0.0.1:7000-7099
    #[arg(long, value_name = "HOST:PORT", help_heading = "Several hosts and standing analyzers")]
    listen: Option<String>,
    /// Format of the notices on stderr
    #[arg(long, help_heading = "What midrun tells")]
    log: Option<LogForm>,
    /// Serve metrics of the job in the format of Prometheus at this address of this host, under /metrics, such as 127.0.0.1:9760-9779
    #[arg(long, value_name = "HOST:PORT", help_heading = "What midrun tells")]
    metrics: Option<String>,
    /// Append midrun's lines and the summary to FILE instead of stderr
    #[arg(long, value_name = "FILE", help_heading = "What midrun tells")]
    log_file: Option<PathBuf>,
    /// Tell nothing but errors: no notices, no status line, no summary on stderr
    #[arg(long, help_heading = "What midrun tells")]
    quiet: bool,
    /// Give advice only; change nothing
    #[arg(long, help_heading = "Tuning")]
    dry_run: bool,
    /// Configuration file (deploy/midrun.example.toml lists every key)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Use a running analyzer, such as https://node1:7741
    #[arg(long, value_name = "URL", help_heading = "Several hosts and standing analyzers")]
    analyzer: Option<String>,
    /// File whose first line is the token of the running analyzer (else MIDRUN_TOKEN)
    #[arg(long, value_name = "FILE", help_heading = "Several hosts and standing analyzers")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    tls: TlsFlags,
    #[command(flatten)]
    tuning: TuningFlags,
    /// Search the values of a tuning point, such as 'block=8..256 step 8', 'block=8,16,32' or 'algorithm=0..3 categorical';
    /// `synchronized` at the end: all ranks change in the same iteration; repeatable
    #[arg(long, value_name = "POINT=VALUES", value_parser = clap::builder::NonEmptyStringValueParser::new(), help_heading = "Search")]
    search: Vec<String>,
    /// Search only values for which this holds, such as 'block * tile <= 1024'; repeatable
    #[arg(long, value_name = "CONDITION", help_heading = "Search")]
    search_constraint: Vec<String>,
    /// Iterations that the search may measure, 12 or more (default: 60)
    #[arg(long, value_name = "N", help_heading = "Search")]
    search_budget: Option<u32>,
    /// Begin without what earlier runs of the program learnt and found, and keep nothing of this one
    #[arg(long, alias = "no-search-memory", help_heading = "Tuning")]
    no_memory: bool,
    /// File that names measure points and tuning points in a program that was not written for midrun (docs/points.md)
    #[arg(long, value_name = "FILE", help_heading = "The program")]
    points: Option<PathBuf>,
    /// Allow tuning points that name functions and variables of the program to be added while the job runs, too
    #[arg(long, help_heading = "The program")]
    allow_points: bool,
    /// The MPI of the programs, where they do not name it: openmpi, spectrum, mpich, intel, cray, mvapich, parastation or abi
    #[arg(long, value_name = "NAME", help_heading = "The program")]
    mpi: Option<String>,
    /// Refuse a job that midrun cannot tune, instead of running it untuned
    #[arg(long, help_heading = "The program")]
    strict: bool,
    /// Let changes of all ranks in the same iteration (set and search with `synchronized`) work over several hosts: in MPI_Init, all ranks
    /// together make a window of MPI memory
    #[arg(long, help_heading = "Several hosts and standing analyzers")]
    synchronized: bool,
    /// The command as you would type it without midrun
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND", value_parser = raw_words::parser())]
    pub command: Vec<String>,
}

/// Joins several texts; `None` without any.
fn joined(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join("; "))
}

impl Args {
    /// The settings of all layers, these flags the strongest.
    ///
    /// # Errors
    /// As of [`settings::load`].
    pub fn settings(&self) -> anyhow::Result<settings::Settings> {
        settings::load(self.config.as_deref(), &self.flags())
    }

    fn flags(&self) -> Vec<(&'static str, String)> {
        let tuning = &self.tuning;
        let log = self.log.map(|form| match form {
            LogForm::Text => "text".to_owned(),
            LogForm::Json => "json".to_owned(),
        });
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let flags = [
            ("run.summary", self.summary.as_ref().map(path)),
            ("analyzer.record", self.record.as_ref().map(path)),
            ("run.log", log),
            ("run.log_file", self.log_file.as_ref().map(path)),
            ("run.quiet", self.quiet.then(|| "true".to_owned())),
            ("run.dry_run", self.dry_run.then(|| "true".to_owned())),
            ("run.metrics", self.metrics.clone()),
            ("run.listen", self.listen.clone()),
            ("run.analyzer", self.analyzer.clone()),
            ("run.tunlet", list(&tuning.tunlet)),
            ("run.shadow", list(&tuning.shadow)),
            ("run.technique", tuning.technique.clone()),
            ("run.objective", tuning.objective.clone()),
            ("run.confidence", tuning.confidence.map(|level| level.to_string())),
            ("run.min_workers", tuning.min_workers.map(|n| n.to_string())),
            ("run.max_workers", tuning.max_workers.map(|n| n.to_string())),
            ("run.worker_step", tuning.worker_step.map(|n| n.to_string())),
            ("run.search", joined(&self.search)),
            ("run.search_constraint", joined(&self.search_constraint)),
            ("run.search_budget", self.search_budget.map(|n| n.to_string())),
            ("run.mpi", self.mpi.clone()),
            ("run.allow_points", self.allow_points.then(|| "true".to_owned())),
            ("run.synchronized", self.synchronized.then(|| "true".to_owned())),
            ("run.strict", self.strict.then(|| "true".to_owned())),
            ("run.no_memory", self.no_memory.then(|| "true".to_owned())),
        ];
        let tls = self.tls.settings(["agent.tls_ca", "agent.tls_cert", "agent.tls_key"]);
        flags.into_iter().filter_map(|(key, value)| Some((key, value?))).chain(tls).collect()
    }
}

/// The token of a running analyzer; `None` where the configuration alone may name one.
///
/// # Errors
/// The file cannot be read, or there is no running analyzer that it could be for.
fn token(args: &Args, settings: &settings::Settings) -> anyhow::Result<Option<String>> {
    match (&args.token_file, &settings.run.analyzer) {
        (Some(_), None) => usage("--token-file is for a running analyzer: give --analyzer URL, too"),
        (Some(path), Some(_)) => settings::read_token(path).map(Some),
        (None, Some(_)) => Ok(std::env::var("MIDRUN_TOKEN").ok().filter(|token| !token.is_empty())),
        (None, None) => Ok(None),
    }
}

/// Checks that certificates are for a running analyzer: the embedded one makes its own.
fn check_tls(args: &Args, settings: &settings::Settings) -> anyhow::Result<()> {
    if args.tls.is_given() && settings.run.analyzer.is_none() {
        return usage(
            "--tls-ca, --tls-cert and --tls-key are for a running analyzer: give --analyzer URL, too (that of the job itself has \
             its own)",
        );
    }
    Ok(())
}

/// Checks that the recording can be written, and that the analyzer is embedded: a standing one records by its own flag.
fn check_record(args: &Args, settings: &settings::Settings) -> anyhow::Result<()> {
    match (&settings.analyzer.record, &settings.run.analyzer) {
        (None, _) => Ok(()),
        (Some(path), None) => recording::writable(path),
        (Some(_), Some(url)) if args.record.is_some() => usage(format!(
            "--record works with the embedded analyzer only: start the analyzer at {url} with --record instead"
        )),
        (Some(_), Some(_)) => Ok(()),
    }
}

/// Checks that an embedded analyzer can keep its journal; where another one keeps its own there, this job has none.
fn check_journal(settings: &mut settings::Settings) -> anyhow::Result<()> {
    let journal = &mut settings.analyzer.journal;
    match journal.as_deref().filter(|_| settings.run.analyzer.is_none()).map(midrun_analyzer::journal::check) {
        Some(Err(error @ AnalyzerError::JournalHeld { .. })) => {
            say(format!("{error}; this job has no journal"));
            *journal = None;
            Ok(())
        }
        Some(Err(error)) => usage(error.to_string()),
        None | Some(Ok(())) => Ok(()),
    }
}

/// Checks flags, configuration and command, then runs the job and ends as its launcher ended.
///
/// # Errors
/// An error found before the job was started.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    let mut settings = args.settings()?;
    if let Some(budget) = args.search_budget.filter(|_| settings.run.search.is_empty()) {
        return usage(format!(
            "--search-budget {budget}: nothing is searched; --search names a tuning point and its values"
        ));
    }
    if let Some(budget) = args.search_budget.filter(|budget| !SEARCH_BUDGETS.contains(budget)) {
        let (least, most) = (SEARCH_BUDGETS.start(), SEARCH_BUDGETS.end());
        return usage(format!("--search-budget {budget}: allowed are {least} to {most} iterations"));
    }
    if let Some(condition) = args.search_constraint.first().filter(|_| settings.run.search.is_empty()) {
        return usage(format!(
            "--search-constraint '{condition}': nothing is searched; --search names a tuning point and its values"
        ));
    }
    if let (Some(record), Some(summary)) = (&settings.analyzer.record, &settings.run.summary)
        && std::path::absolute(record)? == std::path::absolute(summary)?
    {
        return usage(format!("--record and --summary both name {}: give them two files", record.display()));
    }
    logging::start(settings.run.log, "warn");
    if let Some(token) = token(&args, &settings)? {
        settings.analyzer.token = token;
    }
    let points = args.points.as_deref().map(points::Points::read).transpose()?;
    if let Some(points) = &points {
        settings.run.search = points.with_steps(&settings.run.search);
    }
    let line = CommandLine::parse(&args.command, |name| std::env::var_os(name).is_some());
    let plan = preflight::Plan { points, ..preflight::check(&line, &settings.run)? };
    preflight::warn_of_limits(&line, &settings.run.options());
    if let Some(points) = plan.points.as_ref().filter(|_| settings.run.search.is_empty()) {
        points.near_misses().into_iter().for_each(say);
    }
    let summary = settings.run.summary.clone().map(SummaryFile::at).transpose()?;
    check_tls(&args, &settings)?;
    check_record(&args, &settings)?;
    check_journal(&mut settings)?;
    // The keys of an embedded analyzer are those of its job: nobody else could read its metrics over TLS.
    let metrics = settings.run.metrics.as_deref().map(|text| Address::check(text, None)).transpose()?;
    let console = console::Console::new(settings.run.log, settings.run.quiet, settings.run.log_file.as_deref())?;
    let mut relay = relay::Relay::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let job = job::run(&settings, &line, &plan, summary.as_ref(), &mut relay, console.into(), metrics);
    let ended = runtime.block_on(job)?;
    // A task that still waits for a connection must not delay the exit.
    runtime.shutdown_background();
    drop(relay);
    Ok(ended.reproduce())
}
