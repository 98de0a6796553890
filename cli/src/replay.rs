//! `midrun replay`: a recorded run, decided anew by the same core.

use std::fmt::Write;
use std::process::ExitCode;

use midrun_analyzer::decide::from_catalogue;
use midrun_analyzer::recording::{self, End, Replay};
use midrun_tunlets::Wishes;
use serde_json::{Value, json};

use crate::recording::Which;
use crate::run::{table, workers};
use crate::usage::print;

/// What can be said on the command line.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Tunlet that decides [default: as recorded, like all of these]
    #[arg(long, value_name = "NAME")]
    tunlet: Option<String>,
    /// auto, or one hand-out policy; for a pipeline: replicate, group, farm
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// What the number of workers, or a pipeline's pattern, is chosen for: efficiency, time, budget:WORKERS, deadline:SECONDS or fixed
    #[arg(long, value_name = "OBJECTIVE")]
    objective: Option<String>,
    /// Fewest workers
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true)]
    min_workers: Option<u32>,
    /// Most workers
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true)]
    max_workers: Option<u32>,
    /// Most workers that come or go in one change
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true)]
    worker_step: Option<u32>,
    /// Print JSON: everything that was said, and the summary
    #[arg(long)]
    json: bool,
}

impl Args {
    fn wishes(&self) -> Wishes {
        let text = |wish: &Option<String>| wish.clone().unwrap_or_default();
        Wishes {
            tunlet: text(&self.tunlet),
            policy: text(&self.policy),
            objective: text(&self.objective),
            min_workers: self.min_workers.unwrap_or(0),
            max_workers: self.max_workers.unwrap_or(0),
            worker_step: self.worker_step.unwrap_or(0),
            ..Wishes::default()
        }
    }
}

/// Prints what is decided.
///
/// # Errors
/// A file that is no recording, or wishes that cannot be.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let job = args.which.job()?;
    let replayed = recording::replay(args.which.reader()?, &job, &args.wishes(), from_catalogue);
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
