//! A standing agent: besides its own ranks it serves the jobs of `midrun run`, each by an agent of its own, which is a task of this
//! process with the job's analyzer, token and credentials (ADR 0020).

use crate::agent::Stats;
use crate::config::Config;
use crate::lifecycle::{self, AgentError, Asked, nobody};
use crate::limits::{GREETING, JOB_ID_BYTES, JOBS, JOBS_OF_USER, PROCESSES_OF_USER, RANKS};
use crate::places::Places;
use crate::serve_job::{self, Asking};
use midrun_proto::tls::{self, Credentials};
use midrun_proto::v1::{ServeJob, ServeJobReply};
use std::collections::BTreeSet;
use std::future::Future;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Requests that wait.
const REQUESTS: usize = 64;
/// Beyond the time that the agent of a job has for its last batches.
const END_MARGIN: Duration = Duration::from_millis(500);

/// Everybody may connect: each connection's user is checked.
pub const OPEN_TO_ALL: u32 = 0o666;

/// As [`lifecycle::run`], on the socket at `path`, in whose directory the sockets of the jobs are.
///
/// # Errors
/// As of [`lifecycle::run`].
pub async fn run(
    config: Config,
    listener: UnixListener,
    path: &Path,
    asked: Asked,
    shutdown: impl Future<Output = ()>,
) -> std::result::Result<Stats, AgentError> {
    if config.user() == 0 {
        std::fs::set_permissions(path, PermissionsExt::from_mode(OPEN_TO_ALL))?;
    }
    let (to, jobs) = channel(REQUESTS);
    let (stop, stopping) = watch::channel(());
    let directory = std::path::absolute(path)?.parent().map(Path::to_owned).unwrap_or_default();
    let drain = Duration::from_millis(config.drain_ms);
    let places = Places::new(if config.is_for_all() { PROCESSES_OF_USER } else { RANKS });
    let host = Host { config: config.clone(), directory, stopping, places: places.clone(), served: Mutex::default() };
    let served = tokio::spawn(serve(Arc::new(host), jobs));
    let ended = lifecycle::run_beside(config, listener, asked, shutdown, (places, Some(to))).await;
    drop(stop);
    let _ = tokio::time::timeout(drain + END_MARGIN, served).await;
    ended
}

/// What all jobs share.
struct Host {
    config: Config,
    /// Where their sockets are.
    directory: PathBuf,
    /// Its sender has gone when the standing agent ends.
    stopping: watch::Receiver<()>,
    /// For connections to all sockets.
    places: Arc<Places>,
    /// The jobs that are served, by user and name.
    served: Mutex<BTreeSet<(u32, String)>>,
}

/// Serves jobs until the standing agent ends, and then until their agents have ended.
async fn serve(host: Arc<Host>, mut asking: Receiver<Asking>) {
    let mut jobs = JoinSet::new();
    while let Some(asking) = asking.recv().await {
        let host = host.clone();
        jobs.spawn(async move {
            let (uid, places) = (asking.place.uid, host.places.clone());
            if let Err(error) = one_job(host, asking).await
                && let Some(error) = places.report(Some(uid), &error)
            {
                tracing::warn!(uid, error, "a job is not served");
            }
        });
        while jobs.try_join_next().is_some() {}
    }
    while jobs.join_next().await.is_some() {}
}

/// A place among the jobs, with the job's socket; both go with it.
struct ServedJob {
    host: Arc<Host>,
    key: (u32, String),
    socket: PathBuf,
}

impl Drop for ServedJob {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
        self.host.served.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

async fn one_job(host: Arc<Host>, Asking { mut stream, place }: Asking) -> Result<()> {
    let uid = place.uid;
    let request = within(receive(&mut stream)).await?;
    let offered = offer(&host, uid, &request);
    let reply = match &offered {
        Ok((job, ..)) => ServeJobReply { socket: job.socket.to_string_lossy().into_owned(), why: String::new() },
        Err(error) => ServeJobReply { socket: String::new(), why: error.to_string() },
    };
    within(stream.write_all(&serve_job::framed(&reply))).await?;
    let (job, listener, config) = offered?;
    // A caller that gave up meanwhile has an agent of its own.
    within(stream.read_u8()).await?;
    tracing::info!(job = request.job, uid, analyzer = request.analyzer, "serving a job");
    let shutdown = end(stream, request.linger_s == 0, host.stopping.clone());
    let places = host.places.clone();
    let ended = lifecycle::run_beside(config, listener, nobody(), shutdown, (places, None)).await;
    drop((job, place));
    ended.map(drop).map_err(Error::other)
}

/// Ends when the caller has closed its connection, if it `keeps` it, and with the standing agent.
async fn end(mut stream: UnixStream, keeps: bool, mut stopping: watch::Receiver<()>) {
    let closed = async {
        match keeps {
            true => while stream.read_u8().await.is_ok() {},
            false => std::future::pending().await,
        }
    };
    tokio::select! {
        () = closed => {}
        _ = stopping.changed() => {}
    }
}

async fn within<T>(step: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(GREETING, step).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

async fn receive(stream: &mut UnixStream) -> Result<ServeJob> {
    let mut begin = vec![0; serve_job::begin().len()];
    stream.read_exact(&mut begin).await?;
    let mut length = [0; 4];
    stream.read_exact(&mut length).await?;
    let mut bytes = vec![0; serve_job::length(length)?];
    stream.read_exact(&mut bytes).await?;
    serve_job::decoded(&bytes)
}

/// A place for the job, its socket, and the configuration of its agent.
fn offer(host: &Arc<Host>, uid: u32, request: &ServeJob) -> Result<(ServedJob, UnixListener, Config)> {
    let refused = |why: String| Err(Error::new(ErrorKind::InvalidInput, why));
    if request.version != serve_job::version() {
        return refused(format!("it is of version {}, and the job of {}", serve_job::version(), request.version));
    }
    let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if request.host != own {
        return refused(format!("it is the agent of host {own}, not of {}", request.host));
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if request.job.is_empty() || request.job.len() > JOB_ID_BYTES || !request.job.chars().all(is_name) {
        return refused(format!("{:?} is no name of a job", request.job));
    }
    let config = config(host, uid, request).map_err(|why| Error::new(ErrorKind::InvalidInput, why))?;
    let key = (uid, request.job.clone());
    let socket = host.directory.join(format!("{uid}-{}.sock", request.job));
    {
        let mut served = host.served.lock().unwrap_or_else(PoisonError::into_inner);
        let of_user = served.iter().filter(|(other, _)| *other == uid).count();
        if served.len() >= JOBS || of_user >= JOBS_OF_USER {
            return refused(format!("it serves {} jobs already, {of_user} of user {uid}", served.len()));
        }
        if !served.insert(key.clone()) {
            return refused(format!("it serves job {} already", request.job));
        }
    }
    let job = ServedJob { host: host.clone(), key, socket };
    let _ = std::fs::remove_file(&job.socket); // of a standing agent that was killed
    let listener = UnixListener::bind(&job.socket)?;
    if uid != host.config.user() {
        std::fs::set_permissions(&job.socket, PermissionsExt::from_mode(OPEN_TO_ALL))?;
    }
    Ok((job, listener, config))
}

/// The configuration of a job's agent: how it works is the site's word, whom it obeys is the job's.
fn config(host: &Host, uid: u32, request: &ServeJob) -> std::result::Result<Config, String> {
    let credentials = match request.credentials.as_str() {
        "" => None,
        word => Some(Credentials::from_word(word).ok_or("its credentials are damaged")?),
    };
    if let Some(Err(unusable)) = credentials.as_ref().map(Credentials::check) {
        return Err(format!("its credentials cannot be used: {unusable:?}"));
    }
    tls::endpoint(&request.analyzer, credentials.as_ref())?;
    let config = Config {
        analyzer: request.analyzer.clone(),
        token: request.token.clone(),
        job_token: request.job_token.clone(),
        credentials,
        owner_settings: request.owner_settings.clone(),
        options_follow: true,
        user: Some(uid),
        queued: host.places.queued(uid),
        linger_s: request.linger_s,
        ..host.config.clone()
    };
    config.validate().map_err(|error| error.to_string())?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    struct Standing {
        _directory: tempfile::TempDir,
        host: Arc<Host>,
        _stop: watch::Sender<()>,
    }

    fn standing() -> Standing {
        let directory = tempfile::tempdir().unwrap();
        let (stop, stopping) = watch::channel(());
        let config = Config { analyzer: "http://127.0.0.1:1".into(), ..Config::default() };
        let (directory_path, places) = (directory.path().to_owned(), Places::new(3));
        let host = Host { config, directory: directory_path, stopping, places, served: Mutex::default() };
        Standing { _directory: directory, host: Arc::new(host), _stop: stop }
    }

    fn request(job: &str) -> ServeJob {
        ServeJob {
            version: serve_job::version(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            job: job.into(),
            analyzer: "http://127.0.0.1:1".into(),
            ..ServeJob::default()
        }
    }

    fn asking(host: &Arc<Host>, stream: UnixStream, uid: u32) -> Asking {
        Asking { stream, place: host.places.take(uid).expect("a place") }
    }

    fn refusal(host: &Arc<Host>, uid: u32, request: &ServeJob) -> String {
        offer(host, uid, request).err().expect("a refusal").to_string()
    }

    #[test]
    fn what_a_standing_agent_does_not_serve_is_said() {
        let standing = standing();
        let host = &standing.host;
        let bad = [
            (ServeJob { version: "0.0.1/1/1".into(), ..request("j") }, "and the job of 0.0.1/1/1"),
            (ServeJob { host: "elsewhere".into(), ..request("j") }, "not of elsewhere"),
            (request("../j"), "is no name of a job"),
            (request(""), "is no name of a job"),
            (ServeJob { credentials: "no.word".into(), ..request("j") }, "damaged"),
            (ServeJob { analyzer: "http://10.0.0.1:1".into(), ..request("j") }, "10.0.0.1"),
            (ServeJob { linger_s: u64::MAX, ..request("j") }, "linger_s"),
        ];
        for (request, why) in bad {
            let said = refusal(host, 7, &request);
            assert!(said.contains(why), "{said}");
        }
        let mut taken: Vec<_> =
            (0..JOBS_OF_USER).map(|n| offer(host, 7, &request(&format!("j{n}"))).unwrap()).collect();
        assert!(refusal(host, 7, &request("more")).contains("64 of user 7"));
        let (job, _, config) = offer(host, 8, &request("j0")).expect("another user has places of its own");
        assert_eq!((config.user, config.options_follow, config.is_for_one_job()), (Some(8), true, true));
        assert!(refusal(host, 8, &request("j0")).contains("serves job j0 already"));
        assert!(job.socket.exists() && job.socket.ends_with("8-j0.sock"));
        let socket = taken.pop().expect("a job").0.socket.clone();
        assert!(!socket.exists());
        offer(host, 7, &request("more")).expect("a place is free again");
    }

    /// Asks for an agent of job `j`, and reads the offer.
    async fn offered(caller: &mut UnixStream) -> ServeJobReply {
        caller.write_all(serve_job::begin()).await.unwrap();
        caller.write_all(&serve_job::framed(&request("j"))).await.unwrap();
        let mut length = [0; 4];
        caller.read_exact(&mut length).await.unwrap();
        let mut bytes = vec![0; serve_job::length(length).unwrap()];
        caller.read_exact(&mut bytes).await.unwrap();
        serve_job::decoded(&bytes).unwrap()
    }

    #[tokio::test]
    async fn ranks_of_all_jobs_and_who_asks_take_places_of_one_user() {
        let Standing { host, _directory, _stop } = standing();
        let (stream, mut caller) = UnixStream::pair().unwrap();
        tokio::spawn(one_job(host.clone(), asking(&host, stream, host.config.user())));
        let reply = offered(&mut caller).await;
        caller.write_u8(1).await.unwrap();
        let identity = midrun_ring::Identity { world_size: 4, ..midrun_ring::Identity::default() };
        let mut ranks = Vec::new();
        for _ in 0..3 {
            let stream = UnixStream::connect(&reply.socket).await.unwrap();
            let (segment, fd) = midrun_ring::Segment::create(&identity, 1, 8).unwrap();
            // The agent may have closed it already.
            let _ = midrun_ring::attach::send_segment(stream.as_fd(), fd.as_fd());
            ranks.push((stream, segment));
        }
        let (mut third, _) = ranks.pop().expect("three connected");
        assert!(third.read_u8().await.is_err(), "of three places one is the caller's");
        assert!(host.places.take(host.config.user()).is_err());
        drop(ranks);
        while host.places.take(host.config.user()).is_err() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn an_offer_that_nobody_takes_leaves_nothing() {
        let standing = standing();
        let (stream, mut caller) = UnixStream::pair().unwrap();
        let job = tokio::spawn(one_job(standing.host.clone(), asking(&standing.host, stream, 7)));
        let reply = offered(&mut caller).await;
        assert!(Path::new(&reply.socket).exists() && reply.why.is_empty(), "{}", reply.why);
        drop(caller);
        job.await.unwrap().unwrap_err();
        assert!(!Path::new(&reply.socket).exists() && standing.host.served.lock().unwrap().is_empty());
    }
}
