//! `midrun explain`: what a tunlet sees, turns and how it decides; or why a run went as it did.

mod story;
mod tunlet;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::control;
use crate::predict::description;
use crate::usage::{print, usage};

/// What can be said on the command line.
#[derive(clap::Args, Debug)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub struct Args {
    /// A tunlet: auto, master_worker, pipeline, or a FILE.toml
    #[arg(group = "what", value_name = "NAME|FILE")]
    tunlet: Option<String>,
    /// The run that `midrun run --summary` wrote down
    #[arg(long, group = "what", value_name = "FILE.json")]
    summary: Option<PathBuf>,
    /// A running job, up to now
    #[arg(long, group = "what", value_name = "JOB")]
    job: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: control::Where,
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
            story(&summary, args.json)?
        }
        (None, None, Some(job)) => story(&serde_json::from_str(&control::summary(&args.place, job)?)?, args.json)?,
        (None, None, None) => return usage("say what to explain: a tunlet, --summary FILE.json or --job JOB"),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn story(summary: &serde_json::Value, json: bool) -> anyhow::Result<String> {
    if !summary.is_object() || !summary["decisions"].is_array() {
        return usage("this is no summary of a run: midrun run --summary FILE.json writes one");
    }
    let story = story::Story::of(summary);
    if json { Ok(format!("{}\n", serde_json::to_string_pretty(&story)?)) } else { Ok(story.text()) }
}
