//! `midrun report`: one or several runs as one HTML page that needs nothing but itself.

mod data;
mod decisions;
mod gantt;
mod page;
mod run;
mod svg;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::page::Target;
use crate::run_file::RunFile;
use crate::usage::usage;
use run::Run;

/// Runs that fit beside each other on a page.
const MOST_RUNS: usize = 8;

/// The flags of `midrun report`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Summaries (midrun run --summary) and recordings (midrun run --record); several stand side by side
    #[arg(value_name = "RUN.json|RUN.rec", required = true)]
    runs: Vec<PathBuf>,
    /// Id of the job, where a recording holds several
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
    /// Write the page to FILE
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
}

/// Writes the page.
///
/// # Errors
/// A file is neither summary nor recording, or the page cannot be written.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    if args.runs.len() > MOST_RUNS {
        return usage(format!("{} runs do not fit beside each other: name {MOST_RUNS} or fewer", args.runs.len()));
    }
    if let Some(same) = args.runs.iter().find(|run| is_same(run, &args.output)) {
        return usage(format!("-o {} would overwrite a run: name another file", same.display()));
    }
    let target = Target::new("-o", &args.output)?;
    let read = args.runs.iter().map(|path| RunFile::read(path, args.job.as_deref()));
    let runs = read.collect::<anyhow::Result<Vec<RunFile>>>()?;
    target.write(&page_of(runs))?;
    Ok(ExitCode::SUCCESS)
}

/// The page about these runs.
pub fn page_of(runs: Vec<RunFile>) -> String {
    let runs: Vec<Run> = runs.into_iter().map(Run::of).collect();
    page::page(&runs)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
