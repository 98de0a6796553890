//! `midrun explain`: describes a tunlet, or reports why a run went as it did.

mod run_report;
mod tunlet;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::control;
use crate::predict::description;
use crate::usage::{print, usage};

/// The flags of `midrun explain`.
#[derive(clap::Args, Debug)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub struct Args {
    /// A tunlet: auto, master_worker, pipeline, or a FILE.toml
    #[arg(group = "what", value_name = "NAME|FILE")]
    tunlet: Option<String>,
    /// Summary of a finished run, written by midrun run --summary
    #[arg(long, group = "what", value_name = "FILE.json")]
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
        (None, Some(path), _) => {
            let summary = description::read(path, |text| {
                serde_json::from_str(text).map_err(|error| format!("this is no summary of a run: {error}"))
            })?;
            report(&summary, args.json)?
        }
        (None, None, Some(job)) => report(&serde_json::from_str(&control::summary(&args.analyzer, job)?)?, args.json)?,
        (None, None, None) => return usage("name what to explain: a tunlet, --summary FILE.json or --job JOB"),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn report(summary: &serde_json::Value, json: bool) -> anyhow::Result<String> {
    if !summary.is_object() || !summary["decisions"].is_array() {
        return usage("this is no summary of a run: midrun run --summary FILE.json writes one");
    }
    let report = run_report::RunReport::of(summary);
    if json { Ok(format!("{}\n", serde_json::to_string_pretty(&report)?)) } else { Ok(report.text()) }
}
