//! `midrun export`: a recording as tables for notebooks, as JSON, or as a timeline for trace viewers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use midrun_analyzer::recording::{Activity, Slice};
use serde_json::{Value, json};

use crate::run_file::{Recorded, RunFile};
use crate::usage::usage;

/// Rows of a timeline that belong together, in the order of trace viewers.
const ITERATIONS: u32 = 0;

/// Format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table with a row per slice of work: rank, what, number, begin, end, busy time, tasks.
    Csv,
    /// The summary, the slices, and all log lines with their times.
    Json,
    /// Trace events, which ui.perfetto.dev and chrome://tracing open.
    Perfetto,
}

/// The flags of `midrun export`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Recording written by midrun run --record
    #[arg(value_name = "FILE")]
    recording: PathBuf,
    /// Id of the job, where the recording holds several
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
    /// csv: a table of all work; json: all that is known; perfetto: a timeline for ui.perfetto.dev
    #[arg(long, value_enum)]
    format: Format,
    /// Write to FILE [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the export.
///
/// # Errors
/// The file is no recording, or the output cannot be written.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let run = RunFile::read(&args.recording, args.job.as_deref())?;
    let Some(recorded) = &run.recorded else {
        return usage(format!(
            "{} is a summary, which is JSON already: name a recording (midrun run --record)",
            args.recording.display()
        ));
    };
    let done = match &args.output {
        Some(path) => {
            let file = File::create(path)
                .map_err(|error| crate::usage::Usage(format!("-o {} cannot be written: {error}", path.display())))?;
            write(args.format, &run, recorded, BufWriter::new(file)).with_context(|| path.display().to_string())
        }
        None => write(args.format, &run, recorded, BufWriter::new(std::io::stdout().lock())).context("stdout"),
    };
    match done {
        Err(error) if is_closed_pipe(&error) => Ok(ExitCode::SUCCESS),
        done => done.map(|()| ExitCode::SUCCESS),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let of = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    error.downcast_ref::<std::io::Error>().is_some_and(of)
}

fn write(format: Format, run: &RunFile, recorded: &Recorded, mut to: impl Write) -> std::io::Result<()> {
    match format {
        Format::Csv => csv(recorded, &mut to)?,
        Format::Json => json(run, recorded, &mut to)?,
        Format::Perfetto => perfetto(run, recorded, &mut to)?,
    }
    to.flush()
}

fn what(slice: &Slice) -> String {
    match &slice.activity {
        Activity::Iteration => "iteration".into(),
        Activity::Work => "tasks".into(),
        Activity::Stage(stage, name) if name.is_empty() => format!("stage {stage}"),
        Activity::Stage(stage, name) => format!("stage {stage} {name}"),
    }
}

/// A field of RFC 4180: quoted where it must be.
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn csv(recorded: &Recorded, to: &mut impl Write) -> std::io::Result<()> {
    writeln!(to, "rank,what,number,begin_s,end_s,busy_s,done")?;
    for slice in &recorded.timeline.slices {
        let number = slice.number.map(|number| number.to_string()).unwrap_or_default();
        let Slice { rank, begin_s, end_s, busy_s, done, .. } = slice;
        writeln!(to, "{rank},{},{number},{begin_s:.9},{end_s:.9},{busy_s:.9},{done}", field(&what(slice)))?;
    }
    Ok(())
}

fn json(run: &RunFile, recorded: &Recorded, to: &mut impl Write) -> std::io::Result<()> {
    let slice = |slice: &Slice| {
        json!({"rank": slice.rank, "what": what(slice), "number": slice.number, "begin_s": slice.begin_s, "end_s": slice.end_s,
            "busy_s": slice.busy_s, "done": slice.done})
    };
    let timeline = &recorded.timeline;
    let applied = |applied: &midrun_analyzer::recording::Applied| json!({"rank": applied.rank, "at_s": applied.at_s, "action": applied.action});
    let all = json!({
        "job": run.job, "summary": run.summary,
        "slices": timeline.slices.iter().map(slice).collect::<Vec<_>>(),
        "applied": timeline.applied.iter().map(applied).collect::<Vec<_>>(),
        "notices": recorded.notices.iter().map(|timed| json!({"at_s": timed.at_s, "notice": timed.notice.json})).collect::<Vec<_>>(),
    });
    serde_json::to_writer(&mut *to, &all)?;
    writeln!(to)
}

/// The Trace Event Format (Chrome), which Perfetto reads: one process per kind of work, one thread per rank; times in microseconds.
fn perfetto(run: &RunFile, recorded: &Recorded, to: &mut impl Write) -> std::io::Result<()> {
    let timeline = &recorded.timeline;
    let process = |slice: &Slice| match &slice.activity {
        Activity::Iteration => ITERATIONS,
        Activity::Work => ITERATIONS + 1,
        Activity::Stage(stage, _) => ITERATIONS + 2 + stage,
    };
    let mut named = std::collections::BTreeSet::new();
    let mut events: Vec<Value> = Vec::new();
    for slice in &timeline.slices {
        let (pid, tid) = (process(slice), slice.rank);
        if named.insert((pid, None)) {
            let name = if pid == ITERATIONS { "iterations".to_owned() } else { what(slice) };
            events.push(json!({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}));
        }
        if named.insert((pid, Some(tid))) {
            let name = format!("rank {tid}");
            events.push(json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}));
        }
        let number = slice.number.map(|number| format!(" {number}")).unwrap_or_default();
        events.push(json!({
            "ph": "X", "name": format!("{}{number}", what(slice)), "cat": "midrun", "pid": pid, "tid": tid,
            "ts": slice.begin_s * 1e6, "dur": (slice.end_s - slice.begin_s) * 1e6,
            "args": {"done": slice.done, "busy_s": slice.busy_s},
        }));
    }
    for timed in recorded.notices.iter().filter(|timed| timed.notice.json["event"] == "decision") {
        events.push(json!({
            "ph": "i", "s": "g", "name": timed.notice.text, "cat": "decision", "pid": ITERATIONS, "tid": 0, "ts": timed.at_s * 1e6,
        }));
    }
    write!(to, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[", json!({"job": run.job}))?;
    for (at, event) in events.iter().enumerate() {
        write!(to, "{}\n{event}", if at == 0 { "" } else { "," })?;
    }
    writeln!(to, "\n]}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_a_comma_or_a_quote_is_quoted() {
        assert_eq!([field("a b"), field("a,b"), field("a\"b")], ["a b", "\"a,b\"", "\"a\"\"b\""]);
    }
}
