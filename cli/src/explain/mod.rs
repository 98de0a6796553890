//! `midrun explain`: describes a tunlet, or reports why a run went as it did.

pub mod run_report;
mod tunlet;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::control;
use crate::run_file::RunFile;
use crate::usage::{print, usage};

/// The flags of `midrun explain`.
#[derive(clap::Args, Debug)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub struct Args {
    /// A tunlet: auto, master_worker, pipeline, or a FILE.toml
    #[arg(group = "what", value_name = "NAME|FILE")]
    tunlet: Option<String>,
    /// Summary or recording of a finished run, written by midrun run --summary or --record
    #[arg(long, group = "what", value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Id of a running job
    #[arg(long, group = "what", value_name = "JOB")]
    job: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    analyzer: control::AnalyzerArgs,
}

/// Prints the explanation.
///
/// # Errors
/// There is no such tunlet, summary or job.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let text = match (&args.tunlet, &args.summary, &args.job) {
        (Some(name), ..) => tunlet::explain(name, args.json)?,
        (None, Some(path), _) => report(&RunFile::read(path, None)?.summary, args.json)?,
        (None, None, Some(job)) => report(&serde_json::from_str(&control::summary(&args.analyzer, job)?)?, args.json)?,
        (None, None, None) => return usage("name what to explain: a tunlet, --summary FILE or --job JOB"),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn report(summary: &serde_json::Value, json: bool) -> anyhow::Result<String> {
    let report = run_report::RunReport::of(summary);
    if json { Ok(format!("{}\n", serde_json::to_string_pretty(&report)?)) } else { Ok(report.text()) }
}
