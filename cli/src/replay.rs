//! `midrun replay`: feeds a recording into the analyzer's core and prints its decisions.

use std::fmt::Write;
use std::process::ExitCode;

use midrun_analyzer::catalogue::from_catalogue;
use midrun_analyzer::recording::{self, End, Replay};
use midrun_tunlets::TuningOptions;
use serde_json::{Value, json};

use crate::recording::RecordingArgs;
use crate::summary::table;
use crate::tuning_flags::{TuningFlags, list};
use crate::tunlet_files;
use crate::usage::print;

/// The flags of `midrun replay`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    recording: RecordingArgs,
    /// Each is as recorded where it is not given.
    #[command(flatten)]
    tuning: TuningFlags,
    /// Print JSON: all log lines, and the summary
    #[arg(long)]
    json: bool,
}

impl Args {
    fn options(&self) -> anyhow::Result<TuningOptions> {
        let tuning = &self.tuning;
        let text = |option: &Option<String>| option.clone().unwrap_or_default();
        let [tunlet, shadow] = [&tuning.tunlet, &tuning.shadow].map(|names| list(names).unwrap_or_default());
        let files = tunlet_files::read_all(&tunlet, &shadow)?;
        Ok(TuningOptions {
            tunlet,
            shadow,
            files,
            technique: text(&tuning.technique),
            objective: text(&tuning.objective),
            confidence: tuning.confidence.unwrap_or(0.0),
            min_workers: tuning.min_workers.unwrap_or(0),
            max_workers: tuning.max_workers.unwrap_or(0),
            worker_step: tuning.worker_step.unwrap_or(0),
            ..TuningOptions::default()
        })
    }
}

/// Prints the decisions.
///
/// # Errors
/// The file is no recording, or the options are invalid.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let job = args.recording.job()?;
    let replayed = recording::replay(args.recording.reader()?, &job, &args.options()?, from_catalogue);
    let replay = replayed.map_err(|error| args.recording.wrong(error))?;
    args.recording.warn_of(&replay.end, replay.frames);
    print(&if args.json { as_json(job.as_str(), &replay) } else { as_text(&replay) })?;
    Ok(ExitCode::SUCCESS)
}

fn as_text(replay: &Replay) -> String {
    let mut text = String::new();
    for timed in &replay.notices {
        let _ = writeln!(text, "{:>10.3} s  {}", timed.at_s, timed.notice.text);
        if let Some(why) = timed.notice.json["why"].as_str().filter(|_| timed.notice.json["event"] == "decision") {
            let _ = writeln!(text, "{:>12}  because {why}", "");
        }
    }
    let _ = writeln!(text, "{}", table(&summary(replay)));
    text
}

/// Of a recording that lacks its end nobody knows which ranks would have come.
fn summary(replay: &Replay) -> String {
    match serde_json::from_str::<Value>(&replay.summary) {
        Ok(mut summary) if replay.end != End::Whole => {
            summary["unseen_ranks"] = json!(0);
            summary.to_string()
        }
        _ => replay.summary.clone(),
    }
}

fn as_json(job: &str, replay: &Replay) -> String {
    let notices: Vec<Value> =
        replay.notices.iter().map(|timed| json!({"at_s": timed.at_s, "notice": timed.notice.json})).collect();
    let (frames, whole) = (replay.frames, replay.end == End::Whole);
    // The summary goes out verbatim: parsing and printing it again might change the last digit of a number.
    let summary = if replay.summary.is_empty() { "null" } else { &replay.summary };
    let rest = json!({"job": job, "frames": frames, "whole": whole, "told": notices}).to_string();
    format!("{},\"summary\":{summary}}}\n", rest.strip_suffix('}').unwrap_or(&rest))
}
