//! Where the view's news comes from: the analyzer of a running job, or a recording. Each works in a thread of its own.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::Context;
use midrun_analyzer::catalogue::from_catalogue;
use midrun_analyzer::recording;
use midrun_proto::v1::control_request::Control;
use midrun_proto::v1::{ControlRequest, FollowRequest, StatusUpdate};
use midrun_tunlets::TuningOptions;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tonic::Streaming;

use crate::control::job::{self, AnalyzerArgs, Job};
use crate::recording::RecordingArgs;

/// Pause before a lost analyzer is asked again.
const RETRY: Duration = Duration::from_secs(1);

/// News for the view.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// The next status is a whole one.
    Began,
    /// What changed of the status.
    Status(Value),
    /// Nothing more comes for now, for this reason.
    Lost(String),
    /// The answer to a request.
    Answered(String),
}

/// What the user asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A manual override.
    Control(Control),
    /// Show this job.
    Follow(String),
}

/// Takes requests; a recording takes none.
pub struct Requests {
    live: Option<UnboundedSender<Request>>,
    updates: Sender<Update>,
}

impl Requests {
    /// Asks for something.
    pub fn ask(&self, request: Request) {
        // Where nobody listens the view is about to end.
        let _ = match &self.live {
            Some(live) => live.send(request).map_err(drop),
            None => self.updates.send(Update::Answered("a recorded run cannot be changed".into())).map_err(drop),
        };
    }
}

/// Whether the user means a file, and not the id of a job.
pub fn is_recording(name: &str) -> bool {
    name.contains('/') || name.contains('.') || Path::new(name).is_file()
}

type Source = (Vec<String>, Receiver<Update>, Requests);

/// Plays a recording, `speed` times as fast as it ran.
///
/// # Errors
/// It cannot be read.
pub fn recording(file: &str, speed: f64) -> anyhow::Result<Source> {
    let args = RecordingArgs::at(file.into(), None);
    let (job, reader) = (args.job()?, args.reader()?);
    let (updates, news) = channel();
    let (name, to) = (job.to_string(), updates.clone());
    std::thread::spawn(move || {
        let started = Instant::now();
        let nothing = [String::new(), String::new(), String::new()];
        let [tunlet, technique, objective] = nothing;
        let as_recorded = TuningOptions { tunlet, technique, objective, ..TuningOptions::default() };
        let mut follower = |at_s: f64, patch: Value| {
            let due = started + Duration::try_from_secs_f64(at_s / speed).unwrap_or_default();
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let _ = to.send(Update::Status(patch));
        };
        if let Err(error) = recording::replay_followed(reader, &job, &as_recorded, from_catalogue, &mut follower) {
            let _ = to.send(Update::Lost(args.wrong(error).to_string()));
        }
    });
    Ok((vec![name], news, Requests { live: None, updates }))
}

/// Follows the job `wanted`, or the first of those that run.
///
/// # Errors
/// There is none, or its analyzer cannot be reached.
pub fn running(args: AnalyzerArgs, wanted: Option<&str>) -> anyhow::Result<Source> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")?;
    let jobs = match wanted {
        Some(wanted) => vec![wanted.to_owned()],
        None => runtime.block_on(job::running(&args))?,
    };
    let first = runtime.block_on(job::find(&args, jobs.first().map(String::as_str)))?;
    let (updates, news) = channel();
    let (live, requests) = unbounded_channel();
    let to = updates.clone();
    std::thread::spawn(move || runtime.block_on(follow_all(args, first, to, requests)));
    Ok((jobs, news, Requests { live: Some(live), updates }))
}

/// Follows one job after the other, until nobody asks any more.
async fn follow_all(args: AnalyzerArgs, first: Job, updates: Sender<Update>, mut requests: UnboundedReceiver<Request>) {
    let (mut wanted, mut found) = (first.id.clone(), Some(first));
    loop {
        let job = match found.take() {
            Some(job) => Ok(job),
            None => job::find(&args, Some(&wanted)).await,
        };
        let next = match job {
            Ok(job) => follow(job, &updates, &mut requests).await,
            Err(error) => Next::Again(error.to_string()),
        };
        match next {
            Next::Leave => return,
            Next::Other(job) => wanted = job,
            Next::Again(why) => {
                let _ = updates.send(Update::Lost(why));
                match tokio::time::timeout(RETRY, requests.recv()).await {
                    Ok(None) => return,
                    Ok(Some(Request::Follow(job))) => wanted = job,
                    Ok(Some(Request::Control(_))) => {
                        let _ = updates.send(Update::Answered("nobody is there to be asked".into()));
                    }
                    Err(_) => {}
                }
            }
        }
    }
}

enum Next {
    Leave,
    Other(String),
    Again(String),
}

async fn follow(mut job: Job, updates: &Sender<Update>, requests: &mut UnboundedReceiver<Request>) -> Next {
    let followed = job.admin.follow(FollowRequest { job: job.id.clone(), token: job.token.clone() }).await;
    let mut stream = match followed {
        Ok(stream) => Some(stream.into_inner()),
        Err(status) => return Next::Again(job::refusal(&status).to_string()),
    };
    let _ = updates.send(Update::Began);
    loop {
        tokio::select! {
            update = next(&mut stream) => match update {
                Ok(Some(update)) => {
                    let _ = updates.send(Update::Status(serde_json::from_str(&update.json).unwrap_or_default()));
                }
                // The job has ended: what was shown last stays.
                Ok(None) => stream = None,
                Err(status) => return Next::Again(job::refusal(&status).to_string()),
            },
            request = requests.recv() => match request {
                None => return Next::Leave,
                Some(Request::Follow(other)) => return Next::Other(other),
                Some(Request::Control(control)) => ask(&job, control, updates.clone()),
            },
        }
    }
}

async fn next(stream: &mut Option<Streaming<StatusUpdate>>) -> Result<Option<StatusUpdate>, tonic::Status> {
    match stream {
        Some(stream) => stream.message().await,
        None => std::future::pending().await,
    }
}

/// Asks without waiting: the figures go on while ranks answer.
fn ask(job: &Job, control: Control, updates: Sender<Update>) {
    let request = ControlRequest { job: job.id.clone(), token: job.token.clone(), control: Some(control) };
    let mut admin = job.admin.clone();
    tokio::spawn(async move {
        let text = match admin.control(request).await {
            Ok(reply) => reply.into_inner().text,
            Err(status) => job::refusal(&status).to_string(),
        };
        let _ = updates.send(Update::Answered(text));
    });
}
