//! Keeps one stream to the analyzer: connects, passes messages both ways, and connects again after growing pauses.

use crate::limits::{BACKOFF, BACKOFF_MOST, CONNECT, STREAM_BATCHES};
use midrun_proto::tls;
use midrun_proto::token::ShowToken;
use midrun_proto::v1::agent_client::AgentClient;
use midrun_proto::v1::{FromAgent, ToAgent, Welcome, to_agent};
use std::collections::VecDeque;
use std::error::Error;
use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

/// An event of the link, for the agent.
#[derive(Debug)]
pub enum LinkEvent {
    /// A stream is being opened: the agent must put its Hello into it at once. Another agent may carry it where `takes_parent`.
    Opening { stream: Sender<FromAgent>, takes_parent: bool },
    /// The analyzer took the Hello.
    Welcomed(Welcome),
    /// It sent a message.
    Received(to_agent::Message),
    /// The stream ended or could not be opened, for this reason; another attempt follows.
    Lost(String),
    /// The analyzer refused this agent, for this reason.
    Refused(String),
}

enum End {
    Refused(String),
    Gone(String),
    /// The analyzer names agents that shall carry this one.
    Below(Vec<String>),
}

/// Where the next stream goes: to the analyzer, or to an agent that carries it there.
struct Way {
    may_be_carried: bool,
    parents: VecDeque<String>,
    /// The analyzer has named parents, and none of them carries this agent any more.
    is_alone: bool,
}

impl Way {
    fn takes_parent(&self) -> bool {
        self.may_be_carried && self.parents.is_empty() && !self.is_alone
    }

    /// After a stream has ended, how ever: the next parent, at last the analyzer.
    fn turn(&mut self) {
        self.is_alone = self.parents.pop_front().is_some() && self.parents.is_empty();
    }
}

/// The deadlines of a connection: one that has been silent for a time is asked whether it lives.
pub fn patient(endpoint: Endpoint) -> Endpoint {
    endpoint.connect_timeout(CONNECT).tcp_nodelay(true).http2_keep_alive_interval(CONNECT).keep_alive_timeout(CONNECT)
}

/// Runs until the agent has gone or the analyzer refused. `connect` makes a channel to the analyzer, or to the agent at a URL that carries this
/// one, so that tests can put their own network under it; each call shows `token`; a message on `again` ends the present stream.
pub async fn keep<C, F>(
    connect: C,
    token: ShowToken,
    may_be_carried: bool,
    to: Sender<LinkEvent>,
    mut again: Receiver<()>,
) where
    C: Fn(Option<String>) -> F,
    F: Future<Output = Result<Channel, String>>,
{
    let mut pause = BACKOFF;
    let mut way = Way { may_be_carried, parents: VecDeque::new(), is_alone: false };
    loop {
        while again.try_recv().is_ok() {}
        let mut welcomed = false;
        let end = one_stream(&connect, &token, &way, &to, &mut again, &mut welcomed).await;
        way.turn();
        if welcomed {
            pause = BACKOFF;
        }
        let event = match end {
            End::Refused(why) => {
                let _ = to.send(LinkEvent::Refused(why)).await;
                return;
            }
            End::Gone(why) => LinkEvent::Lost(why),
            End::Below(urls) => {
                way.parents = urls.into();
                continue; // each of them is tried once, and then the analyzer
            }
        };
        if to.send(event).await.is_err() {
            return;
        }
        sleep(pause.mul_f64(jitter())).await;
        pause = (pause * 2).min(BACKOFF_MOST);
    }
}

/// Between 0.75 and 1.25, so that a thousand agents do not come back at the same moment.
fn jitter() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    0.75 + random as f64 / u64::MAX as f64 / 2.0
}

async fn one_stream<C, F>(
    connect: &C,
    token: &ShowToken,
    way: &Way,
    to: &Sender<LinkEvent>,
    again: &mut Receiver<()>,
    welcomed: &mut bool,
) -> End
where
    C: Fn(Option<String>) -> F,
    F: Future<Output = Result<Channel, String>>,
{
    let gone = |error: &dyn std::fmt::Display| End::Gone(error.to_string());
    // A refused certificate is noticed after the handshake only, by the first call.
    let lost = |status: &Status| End::Gone(status.source().map_or_else(|| status.message().to_owned(), tls::cause));
    let channel = match timeout(CONNECT, connect(way.parents.front().cloned())).await {
        Ok(Ok(channel)) => channel,
        Ok(Err(why)) => return End::Gone(why),
        Err(_) => return gone(&"the connection took too long"),
    };
    let (outgoing, stream) = mpsc::channel(STREAM_BATCHES);
    let opening = LinkEvent::Opening { stream: outgoing, takes_parent: way.takes_parent() };
    if to.send(opening).await.is_err() {
        return gone(&"the agent ended");
    }
    let mut client = AgentClient::with_interceptor(channel, token.clone());
    let mut incoming = match timeout(CONNECT, client.link(ReceiverStream::new(stream))).await {
        Ok(Ok(response)) => response.into_inner(),
        Ok(Err(status)) if status.code() == Code::PermissionDenied && way.parents.is_empty() => {
            return End::Refused(status.message().to_owned());
        }
        Ok(Err(status)) => return lost(&status),
        Err(_) => return gone(&"the analyzer does not answer"),
    };
    loop {
        let next = async {
            // Only the Welcome has a deadline.
            if *welcomed { incoming.message().await } else { within(CONNECT, incoming.message()).await }
        };
        let message = tokio::select! {
            message = next => message,
            _ = again.recv() => return gone(&"the analyzer does not acknowledge"),
        };
        let event = match message {
            Ok(Some(ToAgent { message: Some(message) })) => match message {
                to_agent::Message::Welcome(welcome) => {
                    *welcomed = true;
                    LinkEvent::Welcomed(welcome)
                }
                to_agent::Message::Refusal(refusal) => return End::Refused(refusal.why),
                to_agent::Message::Parents(parents) if !parents.urls.is_empty() => return End::Below(parents.urls),
                other => LinkEvent::Received(other),
            },
            Ok(Some(_)) => continue,
            Ok(None) => return gone(&"the analyzer ended the stream"),
            Err(status) => return lost(&status),
        };
        if to.send(event).await.is_err() {
            return gone(&"the agent ended");
        }
    }
}

async fn within<T>(
    time: Duration,
    future: impl Future<Output = Result<Option<T>, Status>>,
) -> Result<Option<T>, Status> {
    timeout(time, future).await.unwrap_or_else(|_| Err(Status::deadline_exceeded("no welcome came")))
}
