//! `midrun sweep`: searches values that a program takes at its start, by whole runs of it.
//!
//! The search engine of `midrun run --search` chooses the next combination; a run's wall time is its measurement. A run that
//! fails has no time. One that takes longer than all runs of the sweep would with the best values is ended.

use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use midrun_models::search::{Plan, Search, Space};
use midrun_tunlets::confidence::LEVEL;
use midrun_vocabulary::Seconds;
use serde_json::json;

use crate::control::seconds;
use crate::raw_words;
use crate::run::{Child, Ended, Relay, adopt_orphans, end_orphans};
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
    /// End a run that takes longer
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Write what was measured to FILE
    #[arg(long, value_name = "FILE.json")]
    summary: Option<PathBuf>,
    /// Do not show what the runs print to their standard output
    #[arg(long)]
    quiet: bool,
    /// The command, with {NAME} where a value belongs
    #[arg(last = true, required = true, value_name = "COMMAND", value_parser = raw_words::parser())]
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
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start a thread")?;
    let mut relay = Relay::new();
    let asked_to_end = runtime.block_on(measure(&mut search, &names, args, &mut relay))?;
    let report = report(&search, &names);
    if let Some(file) = summary {
        file.write(&report.to_string())?;
    }
    let code = asked_to_end.map_or(ExitCode::SUCCESS, |signal| ExitCode::from(128 + signal as u8));
    match search.best() {
        Some(best) => print(&found(&search, &best, &names, args))?,
        None if asked_to_end.is_some() => say("no run has ended, so nothing is known"),
        None => anyhow::bail!("no run succeeded, so nothing was found"),
    }
    Ok(code)
}

/// Runs the command until the search is over, or a signal asks to end: returns that.
async fn measure(search: &mut Search, names: &[String], args: &Args, relay: &mut Relay) -> anyhow::Result<Option<i32>> {
    relay.catch()?;
    adopt_orphans();
    while let Some(ask) = search.ask() {
        let run = Run { names, values: &ask.values };
        let best = search.best().map(|best| Duration::try_from_secs_f64(best.time_s * search.budget() as f64));
        let (is_known, longest) = (best.is_some(), best.and_then(Result::ok));
        let limit = longest.into_iter().chain(args.timeout).min();
        let (ended, took) = run.until(&args.command, args.quiet, relay, limit).await?;
        let time_s = took.as_secs_f64();
        let signal = if ended == Some(Ended::Code(0)) { None } else { relay.asked_to_end().await };
        if ended.is_none() || signal.is_some() {
            end_orphans(relay).await;
        }
        if signal.is_some() {
            return Ok(signal);
        }
        let (number, most) = (search.spent() + 1, search.budget());
        let outcome = match ended {
            Some(Ended::Code(0)) => Seconds(time_s).to_string(),
            Some(Ended::Code(code)) => format!("failed with exit code {code}, which is no measurement"),
            Some(Ended::Signal(signal)) => format!("ended by signal {signal}, which is no measurement"),
            None if limit == args.timeout => format!("ended after {}, by --timeout", Seconds(time_s)),
            None => format!("ended after {}: {most} runs with the best values take no longer", Seconds(time_s)),
        };
        say(format!("run {number} of at most {most}: {}: {outcome}", run.text()));
        // One that was ended counts as having taken so long, which says enough of it and of those beside it; but not where none is known to take less.
        let is_measured = ended.map_or(is_known, |ended| ended == Ended::Code(0));
        search.tell(if is_measured { time_s } else { f64::NAN });
    }
    Ok(None)
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
    for name in args.command.iter().flat_map(|word| in_braces(word)).filter(|name| !is_searched(&space, name)) {
        say(format!("{{{name}}} stays in the command as it is: no values are named for {name}"));
    }
    Ok(space)
}

fn is_searched(space: &Space, name: &str) -> bool {
    space.dimensions.iter().any(|dimension| dimension.name == name)
}

/// The names that stand in a word like those of values: {name}.
fn in_braces(word: &str) -> impl Iterator<Item = &str> {
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c))
    };
    let braces = word.match_indices('{').filter(|(at, _)| !word[..*at].ends_with('$'));
    braces.filter_map(|(at, _)| Some(word[at + 1..].split_once('}')?.0)).filter(is_name)
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
    if let Some((name, _)) = given.iter().find(|(name, _)| !is_searched(space, name.trim())) {
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

    /// How the run ended, and how long it took; `None`: it was ended after `limit`. The time for which a terminal stopped it does not count.
    async fn until(
        &self,
        command: &[String],
        quiet: bool,
        relay: &mut Relay,
        limit: Option<Duration>,
    ) -> anyhow::Result<(Option<Ended>, Duration)> {
        relay.on_launch();
        relay.take_stopped();
        let stdout = if quiet { Stdio::null() } else { Stdio::inherit() };
        let begin = Instant::now();
        let mut child = Child::start(&self.words(command), &[], stdout, relay)?;
        let (mut stopped, mut left) = (Duration::ZERO, limit);
        let ended = loop {
            let whole = child.wait(relay, || (), || false);
            let ended = match left {
                None => Some(whole.await?),
                Some(left) => tokio::time::timeout(left, whole).await.ok().transpose()?,
            };
            let now = relay.take_stopped();
            stopped += now;
            if ended.is_some() || now.is_zero() {
                break ended;
            }
            left = Some(now);
        };
        let took = begin.elapsed().saturating_sub(stopped);
        if ended.is_none() {
            child.end(relay).await?;
        }
        Ok((ended, took))
    }

    fn text(&self) -> String {
        let values = self.names.iter().zip(self.values);
        values.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    }
}

fn found(search: &Search, best: &midrun_models::search::Best, names: &[String], args: &Args) -> String {
    let run = Run { names, values: &best.values };
    let start = Seconds(search.start_s().unwrap_or(f64::NAN));
    let what = match (best.start, search.is_over()) {
        (true, true) => format!("nothing is better than the start, {} ({})", run.text(), Seconds(best.time_s)),
        (false, true) => {
            let times = match search.is_sure() {
                true => format!(" instead of {start} at the start"),
                false => format!(", and {start} at the start: the difference may be chance"),
            };
            format!("best: {} ({}{times})", run.text(), Seconds(best.time_s))
        }
        (_, false) => format!("best so far: {} ({})", run.text(), Seconds(best.time_s)),
    };
    let words = run.words(&args.command);
    // No word has a zero byte, which alone cannot be quoted.
    let command = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "));
    format!("{what}, by {} runs\n    {command}\n", search.spent())
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
        "best_is_start": best.as_ref().is_some_and(|best| best.start),
        "best_is_sure": search.is_sure(), "best_s": best.as_ref().map(|best| best.time_s),
        "tried": tried.collect::<Vec<_>>(),
    })
}
