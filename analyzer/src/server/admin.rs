//! The service for people and `midrun run`: turns calls into questions to the core.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use midrun_proto::v1;
use midrun_proto::v1::admin_server::Admin;

use super::core_task::{Reply, ToCore};

use crate::convert;
use crate::ids::{AskId, JobId};
use crate::input::{Answer, Input, Question};

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
        match self.ask(Question::GetStatus { job: job_id(&wire.job)?, token: wire.token }).await? {
            Reply::Answer(Answer::Status(json)) => Ok(Response::new(v1::StatusReply { json })),
            _ => Err(unexpected()),
        }
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
