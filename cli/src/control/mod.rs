//! Manual control of a running job: `midrun status`, `set`, `freeze`, `pause` and `resume`.

pub mod job;
mod status_text;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use midrun_proto::v1::control_request::Control;
use midrun_proto::v1::{ControlRequest, Freeze, Pause, Resume, SetPoint, StatusRequest, SummaryRequest};

use crate::usage::{Refused, print, refused, usage};
pub use job::AnalyzerArgs;
use job::Job;

/// An analyzer must answer a request for a status or a summary within this time.
const STATUS_DEADLINE: Duration = Duration::from_secs(10);

/// The flags of `midrun status`.
#[derive(clap::Args, Debug)]
pub struct StatusArgs {
    /// The job's id; needed only where several jobs run
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    analyzer: AnalyzerArgs,
}

/// The flags of `midrun set`.
#[derive(clap::Args, Debug)]
pub struct SetArgs {
    /// The tuning point, such as mw.technique
    #[arg(value_name = "POINT")]
    point: String,
    /// The value: a number, the name of a technique, or a pattern
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
    /// Set it on rank R only
    #[arg(long, value_name = "R")]
    rank: Option<u32>,
    /// Synchronized change: set it on all ranks in the same iteration, or on none
    #[arg(long, alias = "together", conflicts_with = "rank")]
    synchronized: bool,
    /// Set it at the start of iteration K of each rank, neither before nor later
    #[arg(long, value_name = "K", conflicts_with = "synchronized")]
    at_iteration: Option<u64>,
    #[command(flatten)]
    control: ControlArgs,
}

/// The flags of `midrun freeze`, `pause` and `resume`.
#[derive(clap::Args, Debug)]
pub struct ModeArgs {
    #[command(flatten)]
    control: ControlArgs,
}

/// The flags that `set`, `freeze`, `pause` and `resume` share.
#[derive(clap::Args, Debug)]
struct ControlArgs {
    /// The job's id; needed only where several jobs run
    #[arg(long, value_name = "J")]
    job: Option<String>,
    /// Wait at most this long for the answer
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    wait: Duration,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    analyzer: AnalyzerArgs,
}

/// Runs `midrun status`.
///
/// # Errors
/// There is no such job, or its analyzer does not answer.
pub fn status(args: &StatusArgs) -> anyhow::Result<ExitCode> {
    let json = within(STATUS_DEADLINE, async {
        let Job { id: job, token, mut admin } = job::find(&args.analyzer, args.job.as_deref()).await?;
        let answer = admin.get_status(StatusRequest { job, token }).await;
        Ok(answer.map_err(|status| job::refusal(&status))?.into_inner().json)
    })?;
    print(&if args.json { json + "\n" } else { status_text::status(&json) })?;
    Ok(ExitCode::SUCCESS)
}

/// Asks for the summary of a job up to now.
///
/// # Errors
/// As of [`status`].
pub fn summary(analyzer: &AnalyzerArgs, job: &str) -> anyhow::Result<String> {
    within(STATUS_DEADLINE, async {
        let Job { id: job, token, mut admin } = job::find(analyzer, Some(job)).await?;
        let answer = admin.get_summary(SummaryRequest { job, token }).await;
        Ok(answer.map_err(|status| job::refusal(&status))?.into_inner().json)
    })
}

/// Runs `midrun set`.
///
/// # Errors
/// The analyzer or a rank refuses, or no answer arrives in time.
pub fn set(args: &SetArgs) -> anyhow::Result<ExitCode> {
    if args.point.is_empty() || args.value.is_empty() {
        return usage("midrun set needs the name of a tuning point and a value: midrun set mw.factor 0.3");
    }
    let point = midrun_vocabulary::names::current(&args.point).to_owned();
    let value = args.value.clone();
    let set =
        SetPoint { point, value, rank: args.rank, synchronized: args.synchronized, at_iteration: args.at_iteration };
    send(&args.control, Control::Set(set))
}

/// Runs `midrun freeze`.
///
/// # Errors
/// As of [`set`].
pub fn freeze(args: &ModeArgs) -> anyhow::Result<ExitCode> {
    send(&args.control, Control::Freeze(Freeze {}))
}

/// Runs `midrun pause`.
///
/// # Errors
/// As of [`set`].
pub fn pause(args: &ModeArgs) -> anyhow::Result<ExitCode> {
    send(&args.control, Control::Pause(Pause {}))
}

/// Runs `midrun resume`.
///
/// # Errors
/// As of [`set`].
pub fn resume(args: &ModeArgs) -> anyhow::Result<ExitCode> {
    send(&args.control, Control::Resume(Resume {}))
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().ok().filter(|seconds| *seconds > 0.0);
    let duration = number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "a number of seconds above 0 is expected".into())
}

fn send(args: &ControlArgs, control: Control) -> anyhow::Result<ExitCode> {
    let reply = within(args.wait, async {
        let Job { id: job, token, mut admin } = job::find(&args.analyzer, args.job.as_deref()).await?;
        let answer = admin.control(ControlRequest { job, token, control: Some(control) }).await;
        Ok(answer.map_err(|status| job::refusal(&status))?.into_inner())
    })?;
    if args.json {
        print(&(reply.json + "\n"))?;
    } else if reply.done {
        print(&(reply.text.clone() + "\n"))?;
    }
    match reply.done {
        true => Ok(ExitCode::SUCCESS),
        false => refused(reply.text),
    }
}

/// Runs `request` on a single-threaded runtime, at most for `deadline`.
fn within<T>(deadline: Duration, request: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start a runtime")?;
    let answer = runtime.block_on(async { tokio::time::timeout(deadline, request).await });
    answer.unwrap_or_else(|_| {
        Err(Refused(format!("no answer within {deadline:?}: the change may still be applied")).into())
    })
}
