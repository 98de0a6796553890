//! Finds the job that the user means, and connects to its analyzer.

use std::path::PathBuf;
use std::time::Duration;

use midrun_proto::tls::{self, Credentials};
use midrun_proto::token::ShowToken;
use midrun_proto::v1::ListJobsRequest;
use midrun_proto::v1::admin_client::AdminClient;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;

use crate::job_file::{self, RunningJob};
use crate::published_jobs::{self, PublishedJob};
use crate::settings::{self, read_token};
use crate::tls_flags::{self, TlsFlags};
use crate::usage::{Refused, Usage, refused, usage};

/// An analyzer must accept a connection within this time.
const CONNECT_DEADLINE: Duration = Duration::from_secs(3);
/// Longest status accepted, bytes.
const STATUS_BYTES: usize = 256 << 20;

/// The flags that name a standing analyzer.
#[derive(clap::Args, Debug)]
pub struct AnalyzerArgs {
    /// Ask this standing analyzer, such as https://node1:7741, instead of the jobs of your midrun run commands
    #[arg(long, value_name = "URL")]
    analyzer: Option<String>,
    /// File whose first line is the analyzer's token (else MIDRUN_TOKEN)
    #[arg(long, value_name = "FILE", requires = "analyzer")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    tls: TlsFlags,
}

/// A job and its analyzer.
pub struct Job {
    /// Its id.
    pub id: String,
    /// Its token.
    pub token: String,
    /// Its analyzer.
    pub admin: Admin,
}

/// The client of an analyzer.
pub type Admin = AdminClient<InterceptedService<Channel, ShowToken>>;

/// Finds the job `wanted`, or the only one.
///
/// # Errors
/// There is no such job, there are several, or its analyzer cannot be reached.
pub async fn find(args: &AnalyzerArgs, wanted: Option<&str>) -> anyhow::Result<Job> {
    match &args.analyzer {
        Some(url) => at_analyzer(url, &token(args)?, credentials(&args.tls, url)?.as_ref(), wanted).await,
        None => {
            let running = one(known(wanted), wanted)?.running;
            let admin = connect(&running.url, &running.analyzer_token, running.credentials().as_ref()).await?;
            Ok(Job { id: running.job, token: running.token, admin })
        }
    }
}

/// Ids of the jobs that run and that the user may see.
///
/// # Errors
/// There is none, or the analyzer cannot be reached.
pub async fn running(args: &AnalyzerArgs) -> anyhow::Result<Vec<String>> {
    let Some(url) = &args.analyzer else {
        let jobs: Vec<String> = known(None).into_iter().map(|job| job.running.job).collect();
        return if jobs.is_empty() { one(Vec::new(), None).map(|job| vec![job.running.job]) } else { Ok(jobs) };
    };
    let token = token(args)?;
    let mut admin = connect(url, &token, credentials(&args.tls, url)?.as_ref()).await?;
    let jobs = open_jobs(&mut admin, &token).await?;
    if jobs.is_empty() { refused(no_job(url)) } else { Ok(jobs) }
}

async fn open_jobs(admin: &mut Admin, token: &str) -> anyhow::Result<Vec<String>> {
    let answer = admin.list_jobs(ListJobsRequest { token: token.to_owned() }).await;
    let jobs = answer.map_err(|status| refusal(&status))?.into_inner().jobs;
    Ok(jobs.into_iter().filter(|job| !job.ended).map(|job| job.job).collect())
}

/// The analyzer's refusal as an error.
pub fn refusal(status: &tonic::Status) -> Refused {
    if let Some(why) = tls::refusal(status) {
        return Refused(why);
    }
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

/// Those that flags and configuration name, else those of a job of this user at the same analyzer.
fn credentials(flags: &TlsFlags, url: &str) -> anyhow::Result<Option<Credentials>> {
    let flags = flags.settings(["agent.tls_ca", "agent.tls_cert", "agent.tls_key"]);
    let agent = settings::load(None, &flags)?.agent;
    let named = tls_flags::read(agent.tls_ca.as_deref(), agent.tls_cert.as_deref(), agent.tls_key.as_deref())?;
    let of_job = || job_file::running().into_iter().find(|running| running.url == url)?.credentials();
    Ok(named.or_else(of_job))
}

async fn connect(url: &str, token: &str, credentials: Option<&Credentials>) -> anyhow::Result<Admin> {
    let endpoint = tls::endpoint(url, credentials).map_err(Usage)?;
    if let Some(why) = credentials.and_then(|credentials| tls::refused_by(url, credentials, CONNECT_DEADLINE)) {
        return refused(format!("{url}: {why}"));
    }
    match endpoint.connect_timeout(CONNECT_DEADLINE).connect().await {
        Ok(channel) => {
            let admin = AdminClient::with_interceptor(channel, ShowToken::new(token));
            Ok(admin.max_decoding_message_size(STATUS_BYTES))
        }
        Err(error) => match tls::refusal(&error) {
            Some(why) => refused(format!("{url}: {why}")),
            None => refused(format!("no analyzer answers at {url}")),
        },
    }
}

async fn at_analyzer(
    url: &str,
    token: &str,
    credentials: Option<&Credentials>,
    wanted: Option<&str>,
) -> anyhow::Result<Job> {
    let mut admin = connect(url, token, credentials).await?;
    // The job's own token: of the user's jobs it stands in their files; others have none, or are not the user's.
    let token_of = |id: &str| {
        let own = job_file::running().into_iter().find(|running| running.job == id);
        own.map_or_else(|| token.to_owned(), |running| running.token)
    };
    if let Some(id) = wanted {
        return Ok(Job { id: id.to_owned(), token: token_of(id), admin });
    }
    let mut open = open_jobs(&mut admin, token).await?;
    match (open.pop(), open.len()) {
        (None, _) => refused(no_job(url)),
        (Some(id), 0) => Ok(Job { token: token_of(&id), id, admin }),
        (Some(last), _) => usage(format!("several jobs run at {url}: {} and {last}; name one", open.join(", "))),
    }
}

/// The jobs of this host, and those that this user's other hosts published; the home is not read for a job that is here.
fn known(wanted: Option<&str>) -> Vec<PublishedJob> {
    let here = job_file::running();
    let nameless = |running: &RunningJob| PublishedJob::of(running.clone(), |_| None);
    if let Some(job) = here.iter().find(|job| wanted.is_some_and(|wanted| wanted == job.job)) {
        return vec![nameless(job)];
    }
    let mut jobs = published_jobs::all();
    for running in here {
        match jobs.iter_mut().find(|job| job.running.job == running.job) {
            Some(job) => job.running = running, // this host knows a nearer address
            None => jobs.push(nameless(&running)),
        }
    }
    jobs
}

fn one(mut jobs: Vec<PublishedJob>, wanted: Option<&str>) -> anyhow::Result<PublishedJob> {
    let names = |jobs: &[PublishedJob]| {
        let place = |job: &PublishedJob| match job.cluster.as_str() {
            "" => job.host.clone(),
            cluster => format!("{}, {cluster}", job.host),
        };
        let line = |job: &PublishedJob| format!("{} ({}, on {})", job.running.job, job.running.command, place(job));
        jobs.iter().map(line).collect::<Vec<_>>().join("; ")
    };
    let others = names(&jobs);
    if let Some(name) = wanted {
        jobs.retain(|job| job.is(name));
        return match jobs.len() {
            0 if others.is_empty() => refused(format!("no midrun run of this user runs job {name}, nor any other")),
            0 => refused(format!("no midrun run of this user runs job {name}; there are: {others}")),
            1 => Ok(jobs.remove(0)),
            _ => usage(format!("{name} has several jobs, name one: {}", names(&jobs))),
        };
    }
    match jobs.len() {
        0 => refused(
            "no job runs: no midrun run of this user is at work here or has published its address (--analyzer URL asks a standing analyzer)",
        ),
        1 => Ok(jobs.remove(0)),
        _ => usage(format!("several jobs run, name one: {others}")),
    }
}

/// A job of `midrun run` has a token of its own.
fn no_job(url: &str) -> String {
    format!(
        "no job that this token may see runs at {url}; without --analyzer those of your own midrun run on this host are found"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(job: &str, batch_id: &str) -> PublishedJob {
        let running = RunningJob {
            job: job.into(),
            url: "http://h:1".into(),
            analyzer_token: "a".into(),
            token: "t".into(),
            credentials: String::new(),
            command: "mpirun x".into(),
        };
        let batch_ids = vec![batch_id.to_owned()];
        PublishedJob { running, host: "n1".into(), cluster: "big".into(), batch_ids }
    }

    #[test]
    fn one_job_needs_no_name_and_several_are_named() {
        let (a, b) = (running("a", "17"), running("b", "17"));
        assert_eq!(one(vec![a.clone()], None).unwrap(), a);
        assert_eq!(one(vec![a.clone(), b.clone()], Some("b")).unwrap(), b);
        assert_eq!(one(vec![a.clone(), running("b", "18")], Some("17")).unwrap(), a);
        let several = one(vec![a.clone(), b.clone()], None).unwrap_err();
        assert_eq!(
            several.to_string(),
            "several jobs run, name one: a (mpirun x, on n1, big); b (mpirun x, on n1, big)"
        );
        assert!(several.downcast_ref::<crate::usage::Usage>().is_some());
        let several = one(vec![a.clone(), b], Some("17")).unwrap_err();
        assert!(several.to_string().starts_with("17 has several jobs, name one: a"), "{several}");
        assert!(one(Vec::new(), None).unwrap_err().to_string().starts_with("no job runs"));
        let other = one(vec![a], Some("c")).unwrap_err();
        assert!(other.to_string().ends_with("runs job c; there are: a (mpirun x, on n1, big)"), "{other}");
    }
}
