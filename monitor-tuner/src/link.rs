//! Keeps one stream to the analyzer: connects, says Hello, passes messages both ways, comes back with growing pauses.

use crate::limits::{BACKOFF, BACKOFF_MOST, CONNECT, STREAM_BATCHES};
use midrun_proto::v1::agent_client::AgentClient;
use midrun_proto::v1::{FromAgent, ToAgent, Welcome, to_agent};
use std::future::Future;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;

/// What the link tells the agent.
#[derive(Debug)]
pub enum LinkEvent {
    /// A stream is being opened: the agent must put its Hello into it at once.
    Opening(Sender<FromAgent>),
    /// The analyzer took the Hello.
    Welcomed(Welcome),
    /// It says something.
    Said(to_agent::Message),
    /// The stream is gone, or could not be opened, for this reason; another attempt follows.
    Lost(String),
    /// The analyzer will not speak with this agent.
    Refused(String),
}

enum End {
    Refused(String),
    Gone(String),
}

/// Runs until the agent has gone or the analyzer refused. `connect` makes a channel, so that tests can put their own
/// network under it; a message on `again` ends the present stream.
pub async fn keep<C, F>(connect: C, to: Sender<LinkEvent>, mut again: Receiver<()>)
where
    C: Fn() -> F,
    F: Future<Output = Result<Channel, tonic::transport::Error>>,
{
    let mut pause = BACKOFF;
    loop {
        while again.try_recv().is_ok() {}
        let mut welcomed = false;
        let end = one_stream(&connect, &to, &mut again, &mut welcomed).await;
        if welcomed {
            pause = BACKOFF;
        }
        let event = match end {
            End::Refused(why) => {
                let _ = to.send(LinkEvent::Refused(why)).await;
                return;
            }
            End::Gone(why) => LinkEvent::Lost(why),
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
    0.75 + (crate::clock::now_ns() % 1000) as f64 / 2000.0
}

async fn one_stream<C, F>(connect: &C, to: &Sender<LinkEvent>, again: &mut Receiver<()>, welcomed: &mut bool) -> End
where
    C: Fn() -> F,
    F: Future<Output = Result<Channel, tonic::transport::Error>>,
{
    let gone = |error: &dyn std::fmt::Display| End::Gone(error.to_string());
    let channel = match timeout(CONNECT, connect()).await {
        Ok(Ok(channel)) => channel,
        Ok(Err(error)) => return gone(&source_of(&error)),
        Err(_) => return gone(&"the connection took too long"),
    };
    let (outgoing, stream) = channel_of(STREAM_BATCHES);
    if to.send(LinkEvent::Opening(outgoing)).await.is_err() {
        return gone(&"the agent ended");
    }
    let mut client = AgentClient::new(channel);
    let mut incoming = match timeout(CONNECT, client.link(ReceiverStream::new(stream))).await {
        Ok(Ok(response)) => response.into_inner(),
        Ok(Err(status)) => return gone(&status.message()),
        Err(_) => return gone(&"the analyzer does not answer"),
    };
    loop {
        let next = async {
            // The Welcome has a deadline; what comes after it comes when it comes.
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
                other => LinkEvent::Said(other),
            },
            Ok(Some(_)) => continue,
            Ok(None) => return gone(&"the analyzer ended the stream"),
            Err(status) => return gone(&status.message()),
        };
        if to.send(event).await.is_err() {
            return gone(&"the agent ended");
        }
    }
}

fn channel_of(size: usize) -> (Sender<FromAgent>, Receiver<FromAgent>) {
    channel(size)
}

async fn within<T>(
    time: Duration,
    future: impl Future<Output = Result<Option<T>, tonic::Status>>,
) -> Result<Option<T>, tonic::Status> {
    timeout(time, future).await.unwrap_or_else(|_| Err(tonic::Status::deadline_exceeded("no welcome came")))
}

/// tonic says only "transport error"; the cause behind it is what a person needs.
fn source_of(error: &tonic::transport::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
