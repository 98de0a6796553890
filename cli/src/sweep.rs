//! `midrun sweep`: searches values that a program takes at its start, by whole runs of it.
//!
//! The search engine of `midrun run --search` chooses the next combination; a run's wall time is its measurement. A run that
//! fails has no time.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::Instant;

use anyhow::Context;
use midrun_models::search::{Plan, Search, Space};
use midrun_tunlets::confidence::LEVEL;
use midrun_vocabulary::Seconds;
use serde_json::json;

use crate::summary::SummaryFile;
use crate::usage::{print, say, usage};

/// A sweep with equal times asks for equal runs.
const SEED: u64 = 1;
/// Least number of runs: one at the start values, and one of each end of a tuning point.
const LEAST_RUNS: usize = 3;

/// The flags of `midrun sweep`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Values to search, such as 'tile=8..256 step 8', 'tile=8,16,32' or 'kind=0..3 categorical'
    #[arg(required = true, value_name = "NAME=VALUES")]
    values: Vec<String>,
    /// Search only values for which this holds, such as 'tile * unroll <= 1024'; repeatable
    #[arg(long, value_name = "CONDITION")]
    constraint: Vec<String>,
    /// Values to compare with, such as 'tile=64,unroll=1' [default: the middle of each]
    #[arg(long, value_name = "NAME=VALUE,…")]
    start: Option<String>,
    /// Runs at most
    #[arg(long, value_name = "N", default_value_t = 60)]
    runs: usize,
    /// Write what was measured to FILE
    #[arg(long, value_name = "FILE.json")]
    summary: Option<PathBuf>,
    /// Do not show what the runs print to their standard output
    #[arg(long)]
    quiet: bool,
    /// The command, with {NAME} where a value belongs
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Checks the flags, runs the command until the search is over, and prints the best values.
///
/// # Errors
/// A flag that cannot be used, a command that cannot be started, or no run that succeeded.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let (space, plan) = (space(args)?, plan(args)?);
    let start = start(args.start.as_deref(), &space)?;
    let summary = args.summary.clone().map(SummaryFile::at).transpose()?;
    let names: Vec<String> = space.dimensions.iter().map(|dimension| dimension.name.clone()).collect();
    let mut search = Search::new(space, start, &[], plan);
    // A run takes its values over at its start.
    search.took(0.0);
    let mut interrupted = None;
    while let Some(ask) = search.ask() {
        let run = Run { names: &names, values: &ask.values };
        let begin = Instant::now();
        let status = run.start(&args.command, args.quiet)?;
        let time_s = begin.elapsed().as_secs_f64();
        let (number, most) = (search.spent() + 1, search.budget());
        if let Some(signal) = interruption(status) {
            interrupted = Some(signal);
            break;
        }
        let outcome = match status.code() {
            Some(0) => Seconds(time_s).to_string(),
            Some(code) => format!("failed with exit code {code}, which is no measurement"),
            None => format!("ended by signal {}, which is no measurement", status.signal().unwrap_or(0)),
        };
        say(format!("run {number} of at most {most}: {}: {outcome}", run.text()));
        search.tell(if status.success() { time_s } else { f64::NAN });
    }
    let report = report(&search, &names);
    if let Some(file) = summary {
        file.write(&report.to_string())?;
    }
    let Some(best) = search.best() else { anyhow::bail!("no run succeeded, so nothing was found") };
    print(&found(&search, &best, &names, args))?;
    Ok(interrupted.map_or(ExitCode::SUCCESS, |signal| ExitCode::from(128 + signal as u8)))
}

fn space(args: &Args) -> anyhow::Result<Space> {
    let constraints = args.constraint.iter().map(String::as_str);
    let space = match Space::parse(args.values.iter().map(String::as_str), constraints) {
        Ok(space) => space,
        Err(error) => return usage(error.to_string()),
    };
    for dimension in &space.dimensions {
        let place = format!("{{{}}}", dimension.name);
        if !args.command.iter().any(|word| word.contains(&place)) {
            return usage(format!("{place} is nowhere in the command: write it where the value belongs"));
        }
        if dimension.synchronized {
            return usage(format!(
                "{} needs no synchronized: each run has its own value from its start",
                dimension.name
            ));
        }
    }
    Ok(space)
}

fn plan(args: &Args) -> anyhow::Result<Plan> {
    if args.runs < LEAST_RUNS {
        return usage(format!("--runs {} is too few: a search needs {LEAST_RUNS} at least", args.runs));
    }
    Ok(Plan { budget: args.runs, seed: SEED, level: LEVEL })
}

/// The values that the others are compared with.
fn start(text: Option<&str>, space: &Space) -> anyhow::Result<Vec<f64>> {
    let given: Vec<(&str, &str)> =
        text.into_iter().flat_map(|text| text.split(',')).map(|one| one.split_once('=').unwrap_or((one, ""))).collect();
    let known = |name: &str| space.dimensions.iter().any(|dimension| dimension.name == name);
    if let Some((name, _)) = given.iter().find(|(name, _)| !known(name.trim())) {
        return usage(format!("--start names {name}, which is not searched"));
    }
    let value = |dimension: &midrun_models::search::Dimension| {
        let own = given.iter().find(|(name, _)| name.trim() == dimension.name);
        let Some((_, text)) = own else { return Ok(dimension.values[dimension.values.len() / 2]) };
        match text.trim().parse().ok().filter(|value: &f64| value.is_finite()) {
            Some(value) => Ok(value),
            None => usage(format!("--start {}={text}: a number is expected", dimension.name)),
        }
    };
    space.dimensions.iter().map(value).collect()
}

/// One run of the command.
struct Run<'a> {
    names: &'a [String],
    values: &'a [f64],
}

impl Run<'_> {
    fn words(&self, command: &[String]) -> Vec<String> {
        let filled = |word: &String| {
            let all = self.names.iter().zip(self.values);
            all.fold(word.clone(), |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string()))
        };
        command.iter().map(filled).collect()
    }

    fn start(&self, command: &[String], quiet: bool) -> anyhow::Result<ExitStatus> {
        let words = self.words(command);
        let mut run = Command::new(&words[0]);
        run.args(&words[1..]).stdout(if quiet { Stdio::null() } else { Stdio::inherit() });
        run.status().with_context(|| format!("cannot start {}", words[0]))
    }

    fn text(&self) -> String {
        let values = self.names.iter().zip(self.values);
        values.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    }
}

/// The signal by which a person ended the run, if one did: the sweep ends, too.
fn interruption(status: ExitStatus) -> Option<i32> {
    let by_launcher = status.code().map(|code| code - 128);
    status.signal().or(by_launcher).filter(|signal| [libc::SIGINT, libc::SIGTERM].contains(signal))
}

fn found(search: &Search, best: &midrun_models::search::Best, names: &[String], args: &Args) -> String {
    let run = Run { names, values: &best.values };
    let start = Seconds(search.start_s().unwrap_or(f64::NAN));
    let what = match (best.start, search.is_over()) {
        (true, true) => format!("nothing is better than the start, {} ({})", run.text(), Seconds(best.time_s)),
        (false, true) => format!("best: {} ({} instead of {start} at the start)", run.text(), Seconds(best.time_s)),
        (_, false) => format!("best so far: {} ({})", run.text(), Seconds(best.time_s)),
    };
    format!("{what}, by {} runs\n    {}\n", search.spent(), run.words(&args.command).join(" "))
}

fn report(search: &Search, names: &[String]) -> serde_json::Value {
    let best = search.best();
    let tried = search
        .ranking()
        .into_iter()
        .map(|(values, time_s, times)| json!({"values": values, "time_s": time_s, "times": times}));
    json!({
        "points": names, "ended": search.is_over(), "measured": search.spent(),
        "budget": search.budget(), "start_s": search.start_s(), "best": best.as_ref().map(|best| best.values.clone()),
        "best_is_start": best.as_ref().is_some_and(|best| best.start), "best_s": best.as_ref().map(|best| best.time_s),
        "tried": tried.collect::<Vec<_>>(),
    })
}
