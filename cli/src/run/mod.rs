//! `midrun run`: the life of one job under tuning.

mod child;
mod client;
mod embedded;
mod inject;
mod job;
pub mod launcher;
mod memory;
pub mod mpi;
mod plan;
mod points;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::limits::Limits;
use crate::logging::{self, LogForm};
use crate::usage::usage;
use crate::{recording, settings};
use launcher::CommandLine;
use summary::SummaryFile;
pub use summary::table;

/// What can be said on the command line.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Write the job's summary to FILE
    #[arg(long, value_name = "FILE.json")]
    summary: Option<PathBuf>,
    /// Keep what happens in FILE, for midrun replay and midrun predict run
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Form of the notices on stderr
    #[arg(long)]
    log: Option<LogForm>,
    /// Advise, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Configuration file (deploy/midrun.example.toml lists every key)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Use a running analyzer, such as http://node1:7741
    #[arg(long, value_name = "URL")]
    analyzer: Option<String>,
    /// Tunlet that decides: auto (the one that fits the program), master_worker, pipeline, search, or a FILE.toml; several: repeat it
    #[arg(long, value_name = "NAME|FILE")]
    tunlet: Vec<String>,
    /// Tunlet that only advises and is scored on the same run; several: repeat it
    #[arg(long, value_name = "NAME|FILE")]
    shadow: Vec<String>,
    #[command(flatten)]
    limits: Limits,
    /// Search a tuning point's values, such as 'block=8..256 step 8', 'block=8,16,32' or 'algorithm=0..3 categorical';
    /// `together` at the end: all ranks change in one and the same iteration; repeatable
    #[arg(long, value_name = "POINT=VALUES")]
    search: Vec<String>,
    /// Search only where this holds, such as 'block * tile <= 1024'; repeatable
    #[arg(long, value_name = "CONDITION")]
    search_constraint: Vec<String>,
    /// How the values are chosen: auto, exhaustive, simplex or evolution
    #[arg(long, value_name = "METHOD")]
    search_method: Option<String>,
    /// Iterations that the search may measure (default: 60)
    #[arg(long, value_name = "N")]
    search_budget: Option<u32>,
    /// Begin the search without what earlier runs found, and keep nothing
    #[arg(long)]
    no_search_memory: bool,
    /// Measure and offer for tuning what FILE names, in a program that was not written for midrun (docs/points.md)
    #[arg(long, value_name = "FILE")]
    points: Option<PathBuf>,
    /// The command, as it would be typed without midrun
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Several texts as one; none where there are none.
fn joined(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join("; "))
}

impl Args {
    fn flags(&self) -> Vec<(&'static str, String)> {
        let limits = &self.limits;
        let log = self.log.map(|form| match form {
            LogForm::Text => "text".to_owned(),
            LogForm::Json => "json".to_owned(),
        });
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
        let flags = [
            ("run.summary", self.summary.as_ref().map(path)),
            ("analyzer.record", self.record.as_ref().map(path)),
            ("run.log", log),
            ("run.dry_run", self.dry_run.then(|| "true".to_owned())),
            ("run.analyzer", self.analyzer.clone()),
            ("run.tunlet", list(&self.tunlet)),
            ("run.shadow", list(&self.shadow)),
            ("run.technique", limits.technique.clone()),
            ("run.objective", limits.objective.clone()),
            ("run.min_workers", limits.min_workers.map(|n| n.to_string())),
            ("run.max_workers", limits.max_workers.map(|n| n.to_string())),
            ("run.worker_step", limits.worker_step.map(|n| n.to_string())),
            ("run.search", joined(&self.search)),
            ("run.search_constraint", joined(&self.search_constraint)),
            ("run.search_method", self.search_method.clone()),
            ("run.search_budget", self.search_budget.map(|n| n.to_string())),
            ("run.no_search_memory", self.no_search_memory.then(|| "true".to_owned())),
        ];
        flags.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

/// Only an analyzer of our own can be told to record.
fn check_record(args: &Args, settings: &settings::Settings) -> anyhow::Result<()> {
    match (&settings.analyzer.record, &settings.run.analyzer) {
        (None, _) => Ok(()),
        (Some(path), None) => recording::writable(path),
        (Some(_), Some(url)) if args.record.is_some() => usage(format!(
            "--record keeps what an analyzer of this command takes in: start the one at {url} with --record instead"
        )),
        (Some(_), Some(_)) => Ok(()),
    }
}

/// Checks everything that can be wrong, then runs the job. The code is the job's own.
///
/// # Errors
/// Only before the job has started.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    let settings = settings::load(args.config.as_deref(), &args.flags())?;
    logging::start(settings.run.log, "warn");
    let points = args.points.as_deref().map(points::Points::read).transpose()?;
    let line = CommandLine::read(&args.command);
    let plan = plan::Plan { points, ..plan::check(&line, &settings.run)? };
    plan::warn_of_limits(&line, &settings.run.options());
    let summary = settings.run.summary.clone().map(SummaryFile::at).transpose()?;
    check_record(&args, &settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let code = runtime.block_on(job::run(&settings, &line, &plan, summary.as_ref()))?;
    // Tasks that still hang on a connection must not keep the job's code back.
    runtime.shutdown_background();
    Ok(ExitCode::from(code))
}
