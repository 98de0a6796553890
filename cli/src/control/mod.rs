//! A person's hand on a running job: `midrun status`, `set`, `freeze`, `pause` and `resume`.

mod find;
mod show;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use midrun_proto::v1::control_request::Control;
use midrun_proto::v1::{ControlRequest, Freeze, Pause, Resume, SetPoint, StatusRequest, SummaryRequest};

use crate::usage::{Refused, print, refused, usage};
use find::Job;
pub use find::Where;

/// A status is there within this time.
const STATUS_DEADLINE: Duration = Duration::from_secs(10);

/// What `midrun status` can be told.
#[derive(clap::Args, Debug)]
pub struct StatusArgs {
    /// The job's id; not needed where only one runs
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Where,
}

/// What `midrun set` can be told.
#[derive(clap::Args, Debug)]
pub struct SetArgs {
    /// The tuning point, such as mw.technique
    #[arg(value_name = "POINT")]
    point: String,
    /// Its value: a number, a technique's name, a pattern
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
    /// Set it on this rank only
    #[arg(long, value_name = "R")]
    rank: Option<u32>,
    /// Set it on all ranks in one and the same iteration, or on none
    #[arg(long, alias = "together", conflicts_with = "rank")]
    synchronized: bool,
    /// Set it at the start of this iteration of each rank, neither before nor later
    #[arg(long, value_name = "K", conflicts_with = "synchronized")]
    at_iteration: Option<u64>,
    #[command(flatten)]
    how: How,
}

/// What the others can be told.
#[derive(clap::Args, Debug)]
pub struct ModeArgs {
    #[command(flatten)]
    how: How,
}

/// What all that change something have in common.
#[derive(clap::Args, Debug)]
struct How {
    /// The job's id; not needed where only one runs
    #[arg(long, value_name = "J")]
    job: Option<String>,
    /// Wait at most so long for the answer
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    wait: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Where,
}

/// `midrun status`.
///
/// # Errors
/// No such job, or its analyzer does not answer.
pub fn status(args: &StatusArgs) -> anyhow::Result<ExitCode> {
    let json = within(STATUS_DEADLINE, async {
        let Job { id: job, token, mut admin } = find::job(&args.place, args.job.as_deref()).await?;
        let answer = admin.get_status(StatusRequest { job, token }).await;
        Ok(answer.map_err(|status| find::said(&status))?.into_inner().json)
    })?;
    print(&if args.json { json + "\n" } else { show::status(&json) })?;
    Ok(ExitCode::SUCCESS)
}

/// A job's summary up to now.
///
/// # Errors
/// As of [`status`].
pub fn summary(place: &Where, job: &str) -> anyhow::Result<String> {
    within(STATUS_DEADLINE, async {
        let Job { id: job, token, mut admin } = find::job(place, Some(job)).await?;
        let answer = admin.get_summary(SummaryRequest { job, token }).await;
        Ok(answer.map_err(|status| find::said(&status))?.into_inner().json)
    })
}

/// `midrun set`.
///
/// # Errors
/// What was asked for is refused, or nobody answers in time.
pub fn set(args: &SetArgs) -> anyhow::Result<ExitCode> {
    if args.point.is_empty() || args.value.is_empty() {
        return usage("midrun set takes the name of a tuning point and its value: midrun set mw.factor 0.3");
    }
    let (point, value) = (args.point.clone(), args.value.clone());
    let set =
        SetPoint { point, value, rank: args.rank, synchronized: args.synchronized, at_iteration: args.at_iteration };
    control(&args.how, Control::Set(set))
}

/// `midrun freeze`.
///
/// # Errors
/// As of [`set`].
pub fn freeze(args: &ModeArgs) -> anyhow::Result<ExitCode> {
    control(&args.how, Control::Freeze(Freeze {}))
}

/// `midrun pause`.
///
/// # Errors
/// As of [`set`].
pub fn pause(args: &ModeArgs) -> anyhow::Result<ExitCode> {
    control(&args.how, Control::Pause(Pause {}))
}

/// `midrun resume`.
///
/// # Errors
/// As of [`set`].
pub fn resume(args: &ModeArgs) -> anyhow::Result<ExitCode> {
    control(&args.how, Control::Resume(Resume {}))
}

fn control(how: &How, control: Control) -> anyhow::Result<ExitCode> {
    let reply = within(Duration::from_secs(how.wait), async {
        let Job { id: job, token, mut admin } = find::job(&how.place, how.job.as_deref()).await?;
        let answer = admin.control(ControlRequest { job, token, control: Some(control) }).await;
        Ok(answer.map_err(|status| find::said(&status))?.into_inner())
    })?;
    if how.json {
        print(&(reply.json + "\n"))?;
    } else if reply.done {
        print(&(reply.text.clone() + "\n"))?;
    }
    match reply.done {
        true => Ok(ExitCode::SUCCESS),
        false => refused(reply.text),
    }
}

/// Runs `asking` on a small runtime, for so long at most.
fn within<T>(deadline: Duration, asking: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start a runtime")?;
    let answer = runtime.block_on(async { tokio::time::timeout(deadline, asking).await });
    answer.unwrap_or_else(|_| {
        Err(Refused(format!("no answer within {deadline:?}: what was asked for may still be applied")).into())
    })
}
