//! The owner of a job: `midrun run`'s own client, and the requests of `midrun set`, `freeze`, `pause` and `resume`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use midrun_proto::token::ShowToken;
use midrun_proto::v1::admin_client::AdminClient;
use midrun_proto::v1::control_request::Control;
use midrun_proto::v1::{ControlRequest, Freeze, OpenJobRequest, Pause, Resume, SetPoint, StatusRequest};
use serde_json::Value;
use tonic::Code;
use tonic::transport::Endpoint;

use crate::client::{self, Client};
use crate::console::Console;
use crate::network::{self, URL};

/// A request may take so long.
const PATIENCE: Duration = Duration::from_secs(15);
/// The summary may take so long.
const CLOSE: Duration = Duration::from_secs(10);

/// What an owner asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The state of the job.
    Status,
    /// The tunlets decide nothing.
    Freeze,
    /// The same, and values at start.
    Pause,
    /// The tunlets decide again.
    Resume,
    /// A value on all ranks.
    Set {
        /// The point.
        point: &'static str,
        /// Its value.
        value: f64,
        /// In one iteration.
        synchronized: bool,
    },
    /// The job has ended.
    Close,
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Reply {
    /// It was done: status, summary, or what was changed, as JSON.
    Done(Value),
    /// It was refused, or done in part.
    Refused(String),
    /// Nobody knows whether it was done.
    Unknown(String),
}

/// One request at a time, and its reply.
#[derive(Clone, Default)]
pub struct Requests(Rc<RefCell<(Option<Ask>, Option<Reply>)>>);

impl Requests {
    /// Asks for something; nothing else is being asked for.
    pub fn ask(&self, ask: Ask) {
        *self.0.borrow_mut() = (Some(ask), None);
    }

    /// The reply, once it is there.
    pub fn reply(&self) -> Option<Reply> {
        self.0.borrow_mut().1.take()
    }

    fn take(&self) -> Option<Ask> {
        self.0.borrow_mut().0.take()
    }

    fn answer(&self, reply: Reply) {
        self.0.borrow_mut().1 = Some(reply);
    }
}

/// Opens the job and keeps its connection, as `midrun run` does; carries out requests, each over a connection of its own.
pub async fn run(requests: Requests, site: String, request: OpenJobRequest) -> anyhow::Result<()> {
    let (job, token) = (request.job.clone(), request.token.clone());
    let channel = client::patient(Endpoint::from_static(URL)).connect_with_connector_lazy(network::connector());
    let client = Client::open_over(channel, URL, (&site, None), request).await?;
    let console = Arc::new(Console);
    let watch = tokio::task::spawn_local(client.clone().watch(console.clone()));
    tokio::task::spawn_local(client.clone().follow(console));
    loop {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let reply = match requests.take() {
            None => continue,
            Some(Ask::Close) => {
                let closed = client.clone().close(CLOSE).await;
                let summary = closed.map(|text| serde_json::from_str(&text).unwrap_or_default());
                requests.answer(summary.map_or_else(|error| Reply::Unknown(error.to_string()), Reply::Done));
                break;
            }
            Some(ask) => tokio::time::timeout(PATIENCE, once(&ask, &site, &job, &token)).await,
        };
        requests.answer(reply.unwrap_or_else(|_| Reply::Unknown(format!("no answer within {PATIENCE:?}"))));
    }
    let _ = watch.await;
    std::future::pending().await
}

/// One request over a new connection.
pub async fn once(ask: &Ask, site: &str, job: &str, token: &str) -> Reply {
    let channel = match Endpoint::from_static(URL).connect_with_connector(network::connector()).await {
        Ok(channel) => channel,
        Err(error) => return Reply::Unknown(error.to_string()),
    };
    let mut admin = AdminClient::with_interceptor(channel, ShowToken::new(site));
    let (job, token) = (job.to_owned(), token.to_owned());
    let control = match ask {
        Ask::Status | Ask::Close => {
            let status = admin.get_status(StatusRequest { job, token }).await;
            return match status {
                Ok(status) => Reply::Done(serde_json::from_str(&status.into_inner().json).unwrap_or_default()),
                Err(status) => failed(&status),
            };
        }
        Ask::Freeze => Control::Freeze(Freeze {}),
        Ask::Pause => Control::Pause(Pause {}),
        Ask::Resume => Control::Resume(Resume {}),
        Ask::Set { point, value, synchronized } => Control::Set(SetPoint {
            point: (*point).into(),
            value: value.to_string(),
            synchronized: *synchronized,
            ..SetPoint::default()
        }),
    };
    match admin.control(ControlRequest { job, token, control: Some(control) }).await {
        Ok(reply) => {
            let reply = reply.into_inner();
            let line = serde_json::from_str(&reply.json).unwrap_or_default();
            if reply.done { Reply::Done(line) } else { Reply::Refused(reply.text) }
        }
        Err(status) => failed(&status),
    }
}

fn failed(status: &tonic::Status) -> Reply {
    let why = format!("{:?}: {}", status.code(), status.message());
    match status.code() {
        Code::PermissionDenied | Code::NotFound | Code::InvalidArgument => Reply::Refused(why),
        _ => Reply::Unknown(why),
    }
}
