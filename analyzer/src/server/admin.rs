//! The service for people and `midrun run`: turns calls into questions to the core.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use midrun_proto::v1;
use midrun_proto::v1::admin_server::Admin;

use super::core_task::{Notices, Reply, ToCore};

use crate::convert;
use crate::ids::{AskId, JobId};
use crate::input::{Answer, Input, Question};
use crate::limits;
use crate::status::Shown;

#[derive(Clone)]
pub(crate) struct Service {
    inputs: mpsc::Sender<ToCore>,
    ids: Arc<AtomicU64>,
}

impl Service {
    pub(crate) fn new(inputs: mpsc::Sender<ToCore>, ids: Arc<AtomicU64>) -> Service {
        Service { inputs, ids }
    }

    async fn ask(&self, question: Question) -> Result<Reply, Status> {
        let ask = AskId(self.ids.fetch_add(1, Ordering::Relaxed));
        let (place, reply) = oneshot::channel();
        let message = ToCore { input: Input::Asked { ask, question }, answer: Some((ask, place)), said: None };
        let ending = || Status::unavailable("the analyzer is ending");
        self.inputs.send(message).await.map_err(|_| ending())?;
        match reply.await.map_err(|_| ending())? {
            Reply::Answer(answer) => good(answer).map(Reply::Answer),
            notices => Ok(notices),
        }
    }

    /// Sends a follower the changes of a job until it has ended, or the follower is gone. A slow follower gets fewer updates. The
    /// job's `notices` end with the job: an analyzer that ends with it shows the last state all the same.
    async fn keep_up(
        self,
        (job, token): (JobId, String),
        updates: mpsc::Sender<Result<v1::StatusUpdate, Status>>,
        first: Value,
        mut notices: Notices,
    ) {
        let (mut shown, mut status, mut goes_on) = (Shown::default(), first, true);
        loop {
            let ended = status["ended"] == true;
            let json = shown.patch(status).to_string();
            if updates.send(Ok(v1::StatusUpdate { json })).await.is_err() || ended {
                return;
            }
            let due = tokio::time::sleep(Duration::from_millis(limits::FOLLOW_MS));
            tokio::pin!(due);
            loop {
                tokio::select! {
                    () = &mut due => break,
                    () = updates.closed() => return,
                    notice = notices.recv(), if goes_on => if notice.is_none() {
                        goes_on = false;
                        break;
                    }
                }
            }
            let question = Question::Follow { job: job.clone(), token: token.clone(), after: shown.windows_seen() };
            status = match self.status(question).await {
                Ok(status) => status,
                Err(why) => return drop(updates.send(Err(why)).await),
            };
        }
    }

    async fn status(&self, question: Question) -> Result<Value, Status> {
        match self.ask(question).await? {
            Reply::Answer(Answer::Status(status)) => Ok(*status),
            _ => Err(unexpected()),
        }
    }

    async fn summary(&self, question: Question) -> Result<Response<v1::SummaryReply>, Status> {
        match self.ask(question).await? {
            Reply::Answer(Answer::Summary(json)) => Ok(Response::new(v1::SummaryReply { json })),
            _ => Err(unexpected()),
        }
    }
}

fn good(answer: Answer) -> Result<Answer, Status> {
    match answer {
        Answer::Unknown(why) => Err(Status::not_found(why)),
        Answer::Denied(why) => Err(Status::permission_denied(why)),
        Answer::Invalid(why) => Err(Status::invalid_argument(why)),
        Answer::Full(why) => Err(Status::resource_exhausted(why)),
        fine => Ok(fine),
    }
}

fn unexpected() -> Status {
    Status::internal("the core gave another answer than was asked for")
}

fn job_id(text: &str) -> Result<JobId, Status> {
    convert::job_id(text).map_err(Status::invalid_argument)
}

#[tonic::async_trait]
impl Admin for Service {
    type WatchStream = ReceiverStream<Result<v1::Notice, Status>>;
    type FollowStream = ReceiverStream<Result<v1::StatusUpdate, Status>>;

    async fn open_job(&self, request: Request<v1::OpenJobRequest>) -> Result<Response<v1::OpenJobReply>, Status> {
        let question = convert::options::open_job(request.into_inner()).map_err(Status::invalid_argument)?;
        self.ask(question).await?;
        Ok(Response::new(v1::OpenJobReply {}))
    }

    async fn watch(&self, request: Request<v1::WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let wire = request.into_inner();
        match self.ask(Question::Watch { job: job_id(&wire.job)?, token: wire.token }).await? {
            Reply::Notices(notices) => Ok(Response::new(ReceiverStream::new(notices))),
            Reply::Answer(_) => Err(unexpected()),
        }
    }

    async fn get_summary(&self, request: Request<v1::SummaryRequest>) -> Result<Response<v1::SummaryReply>, Status> {
        let wire = request.into_inner();
        self.summary(Question::GetSummary { job: job_id(&wire.job)?, token: wire.token }).await
    }

    async fn close_job(&self, request: Request<v1::CloseJobRequest>) -> Result<Response<v1::SummaryReply>, Status> {
        let wire = request.into_inner();
        self.summary(Question::CloseJob { job: job_id(&wire.job)?, token: wire.token }).await
    }

    async fn list_jobs(&self, request: Request<v1::ListJobsRequest>) -> Result<Response<v1::ListJobsReply>, Status> {
        match self.ask(Question::ListJobs { token: request.into_inner().token }).await? {
            Reply::Answer(Answer::Jobs(lines)) => {
                let jobs = lines.into_iter().map(convert::job_line).collect();
                Ok(Response::new(v1::ListJobsReply { jobs }))
            }
            _ => Err(unexpected()),
        }
    }

    async fn get_status(&self, request: Request<v1::StatusRequest>) -> Result<Response<v1::StatusReply>, Status> {
        let wire = request.into_inner();
        let status = self.status(Question::GetStatus { job: job_id(&wire.job)?, token: wire.token }).await?;
        Ok(Response::new(v1::StatusReply { json: status.to_string() }))
    }

    async fn follow(&self, request: Request<v1::FollowRequest>) -> Result<Response<Self::FollowStream>, Status> {
        let v1::FollowRequest { job, token } = request.into_inner();
        let job = job_id(&job)?;
        let first = self.status(Question::Follow { job: job.clone(), token: token.clone(), after: 0 }).await?;
        let Reply::Notices(notices) = self.ask(Question::Watch { job: job.clone(), token: token.clone() }).await?
        else {
            return Err(unexpected());
        };
        let (updates, followed) = mpsc::channel(1);
        tokio::spawn(self.clone().keep_up((job, token), updates, first, notices));
        Ok(Response::new(ReceiverStream::new(followed)))
    }

    async fn control(&self, request: Request<v1::ControlRequest>) -> Result<Response<v1::ControlReply>, Status> {
        let wire = request.into_inner();
        let job = job_id(&wire.job)?;
        let Some(control) = wire.control.map(convert::control) else {
            return Err(Status::invalid_argument("the request asks for nothing this analyzer knows"));
        };
        match self.ask(Question::Control { job, token: wire.token, control }).await? {
            Reply::Answer(Answer::Controlled(line)) => Ok(Response::new(convert::control_reply(&line))),
            _ => Err(unexpected()),
        }
    }
}
