//! `midrun replay`: a recorded run, decided anew by the same core.

use std::fmt::Write;
use std::process::ExitCode;

use midrun_analyzer::decide::from_catalogue;
use midrun_analyzer::recording::{self, End, Replay};
use midrun_tunlets::TuningOptions;
use serde_json::{Value, json};

use crate::limits::Limits;
use crate::recording::Which;
use crate::run::table;
use crate::usage::print;

/// What can be said on the command line.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Tunlet that decides [default: as recorded, like all of these]
    #[arg(long, value_name = "NAME")]
    tunlet: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// Print JSON: everything that was said, and the summary
    #[arg(long)]
    json: bool,
}

impl Args {
    fn options(&self) -> TuningOptions {
        let limits = &self.limits;
        let text = |option: &Option<String>| option.clone().unwrap_or_default();
        TuningOptions {
            tunlet: text(&self.tunlet),
            technique: text(&limits.technique),
            objective: text(&limits.objective),
            min_workers: limits.min_workers.unwrap_or(0),
            max_workers: limits.max_workers.unwrap_or(0),
            worker_step: limits.worker_step.unwrap_or(0),
            ..TuningOptions::default()
        }
    }
}

/// Prints what is decided.
///
/// # Errors
/// A file that is no recording, or options that cannot be.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let job = args.which.job()?;
    let replayed = recording::replay(args.which.reader()?, &job, &args.options(), from_catalogue);
    let replay = replayed.map_err(|error| args.which.wrong(error))?;
    args.which.warn_of(&replay.end, replay.frames);
    print(&if args.json { as_json(job.as_str(), &replay) } else { as_text(&replay) })?;
    Ok(ExitCode::SUCCESS)
}

fn as_text(replay: &Replay) -> String {
    let mut text = String::new();
    for told in &replay.told {
        let _ = writeln!(text, "{:>10.3} s  {}", told.at_s, told.notice.text);
    }
    let _ = writeln!(text, "{}", table(&replay.summary));
    text
}

fn as_json(job: &str, replay: &Replay) -> String {
    let told: Vec<Value> =
        replay.told.iter().map(|told| json!({"at_s": told.at_s, "notice": told.notice.json})).collect();
    let (frames, whole) = (replay.frames, replay.end == End::Whole);
    // The summary word for word: what is read and written again may differ in the last digit.
    let summary = if replay.summary.is_empty() { "null" } else { &replay.summary };
    let rest = json!({"job": job, "frames": frames, "whole": whole, "told": told}).to_string();
    format!("{},\"summary\":{summary}}}\n", rest.strip_suffix('}').unwrap_or(&rest))
}
