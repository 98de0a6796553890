//! Finds the job that the user means, and connects to its analyzer.

use std::path::PathBuf;
use std::time::Duration;

use midrun_proto::v1::ListJobsRequest;
use midrun_proto::v1::admin_client::AdminClient;
use tonic::transport::{Channel, Endpoint};

use crate::job_file::{self, RunningJob};
use crate::settings::read_token;
use crate::usage::{Refused, refused, usage};

/// An analyzer must accept a connection within this time.
const CONNECT_DEADLINE: Duration = Duration::from_secs(3);
/// Longest status accepted, bytes.
const STATUS_BYTES: usize = 256 << 20;

/// The flags that name a standing analyzer.
#[derive(clap::Args, Debug)]
pub struct AnalyzerArgs {
    /// Ask this standing analyzer, such as http://node1:7741, instead of the jobs of midrun run on this host
    #[arg(long, value_name = "URL")]
    analyzer: Option<String>,
    /// File whose first line is the analyzer's token (else MIDRUN_TOKEN)
    #[arg(long, value_name = "FILE", requires = "analyzer")]
    token_file: Option<PathBuf>,
}

/// A job and its analyzer.
pub struct Job {
    /// Its id.
    pub id: String,
    /// The token that its analyzer demands.
    pub token: String,
    /// Its analyzer.
    pub admin: AdminClient<Channel>,
}

/// Finds the job `wanted`, or the only one.
///
/// # Errors
/// There is no such job, there are several, or its analyzer cannot be reached.
pub async fn find(args: &AnalyzerArgs, wanted: Option<&str>) -> anyhow::Result<Job> {
    match &args.analyzer {
        Some(url) => at_analyzer(url, &token(args)?, wanted).await,
        None => {
            let RunningJob { job: id, url, token, .. } = one(job_file::running(), wanted)?;
            Ok(Job { id, token, admin: connect(&url).await? })
        }
    }
}

/// The analyzer's refusal as an error.
pub fn refusal(status: &tonic::Status) -> Refused {
    match status.code() {
        tonic::Code::Unavailable => Refused("the analyzer has ended, and the job with it".into()),
        tonic::Code::Unimplemented => Refused("the analyzer is of an older midrun that cannot do this".into()),
        _ => Refused(status.message().to_owned()),
    }
}

fn token(args: &AnalyzerArgs) -> anyhow::Result<String> {
    match &args.token_file {
        Some(path) => read_token(path),
        None => Ok(std::env::var("MIDRUN_TOKEN").unwrap_or_default()),
    }
}

async fn connect(url: &str) -> anyhow::Result<AdminClient<Channel>> {
    let Ok(endpoint) = Endpoint::from_shared(url.to_owned()) else {
        return usage(format!("{url} is not the URL of an analyzer, such as http://node1:7741"));
    };
    match endpoint.connect_timeout(CONNECT_DEADLINE).connect().await {
        Ok(channel) => Ok(AdminClient::new(channel).max_decoding_message_size(STATUS_BYTES)),
        Err(_) => refused(format!("no analyzer answers at {url}")),
    }
}

async fn at_analyzer(url: &str, token: &str, wanted: Option<&str>) -> anyhow::Result<Job> {
    let mut admin = connect(url).await?;
    let token = token.to_owned();
    if let Some(id) = wanted {
        return Ok(Job { id: id.to_owned(), token, admin });
    }
    let answer = admin.list_jobs(ListJobsRequest { token: token.clone() }).await.map_err(|status| refusal(&status))?;
    let mut open: Vec<String> =
        answer.into_inner().jobs.into_iter().filter(|job| !job.ended).map(|job| job.job).collect();
    match (open.pop(), open.len()) {
        (None, _) => refused(format!("no job that this token may see runs at {url}")),
        (Some(id), 0) => Ok(Job { id, token, admin }),
        (Some(last), _) => usage(format!("several jobs run at {url}: {} and {last}; name one", open.join(", "))),
    }
}

fn one(mut running: Vec<RunningJob>, wanted: Option<&str>) -> anyhow::Result<RunningJob> {
    let names = |running: &[RunningJob]| {
        let lines: Vec<String> = running.iter().map(|job| format!("{} ({})", job.job, job.command)).collect();
        lines.join("; ")
    };
    if let Some(id) = wanted {
        let others = names(&running);
        return match running.into_iter().find(|job| job.job == id) {
            Some(job) => Ok(job),
            None if others.is_empty() => {
                refused(format!("no midrun run of this user runs job {id} on this host, nor any other"))
            }
            None => refused(format!("no midrun run of this user runs job {id} on this host; there are: {others}")),
        };
    }
    match running.len() {
        0 => refused(
            "no job runs: no midrun run of this user is at work on this host (--analyzer URL asks a standing analyzer)",
        ),
        1 => Ok(running.remove(0)),
        _ => usage(format!("several jobs run, name one: {}", names(&running))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(job: &str) -> RunningJob {
        RunningJob { job: job.into(), url: "http://h:1".into(), token: "t".into(), command: "mpirun x".into() }
    }

    #[test]
    fn one_job_needs_no_name_and_several_are_named() {
        assert_eq!(one(vec![running("a")], None).unwrap().job, "a");
        assert_eq!(one(vec![running("a"), running("b")], Some("b")).unwrap().job, "b");
        let several = one(vec![running("a"), running("b")], None).unwrap_err();
        assert_eq!(several.to_string(), "several jobs run, name one: a (mpirun x); b (mpirun x)");
        assert!(several.downcast_ref::<crate::usage::Usage>().is_some());
        assert!(one(Vec::new(), None).unwrap_err().to_string().starts_with("no job runs"));
        let other = one(vec![running("a")], Some("c")).unwrap_err();
        assert!(other.to_string().ends_with("runs job c on this host; there are: a (mpirun x)"), "{other}");
    }
}
