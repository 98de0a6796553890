//! The service that agents link to: reads their streams into the core's queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use midrun_proto::v1;
use midrun_proto::v1::agent_server::Agent;
use midrun_proto::v1::recorded::What;
use midrun_vocabulary::Clock;

use super::core_task::ToCore;
use super::links::{Line, Links};
use crate::convert::{self, FromAgent};
use crate::ids::LinkId;
use crate::input::Input;
use crate::limits;

pub(crate) struct Service {
    now_ns: Clock,
    inputs: mpsc::Sender<ToCore>,
    links: Arc<Links>,
    ids: Arc<AtomicU64>,
    recording: bool,
}

impl Service {
    pub(crate) fn new(
        now_ns: Clock,
        inputs: mpsc::Sender<ToCore>,
        links: Arc<Links>,
        ids: Arc<AtomicU64>,
        recording: bool,
    ) -> Service {
        Service { now_ns, inputs, links, ids, recording }
    }
}

#[tonic::async_trait]
impl Agent for Service {
    type LinkStream = ReceiverStream<Line>;

    async fn link(&self, request: Request<Streaming<v1::FromAgent>>) -> Result<Response<Self::LinkStream>, Status> {
        let id = LinkId(self.ids.fetch_add(1, Ordering::Relaxed));
        let (queue, outgoing) = mpsc::channel(limits::LINK_QUEUE);
        let ended = self.links.add(id, queue.clone());
        let (now_ns, inputs) = (self.now_ns.clone(), self.inputs.clone());
        let reader = Reader { id, now_ns, inputs, queue, recording: self.recording };
        let links = self.links.clone();
        tokio::spawn(async move {
            reader.read(request.into_inner(), ended).await;
            links.end(id);
        });
        Ok(Response::new(ReceiverStream::new(outgoing)))
    }
}

// Reads one link. When the core is busy it waits, and the agent with it; the core never waits for it.
struct Reader {
    id: LinkId,
    now_ns: Clock,
    inputs: mpsc::Sender<ToCore>,
    queue: mpsc::Sender<Line>,
    recording: bool,
}

impl Reader {
    async fn read(self, mut stream: Streaming<v1::FromAgent>, mut ended: oneshot::Receiver<()>) {
        let patience = Duration::from_millis(limits::HELLO_MS);
        let first = tokio::select! {
            first = tokio::time::timeout(patience, stream.message()) => first,
            _ = &mut ended => return,
        };
        let first = first.ok().and_then(Result::ok).flatten();
        let said = first.as_ref().and_then(|message| self.said(message));
        let Some(FromAgent::Hello(hello)) = first.and_then(convert::from_agent) else {
            tracing::warn!(link = self.id.0, "a link did not begin with a Hello and was ended");
            let _ = self.queue.try_send(Err(Status::invalid_argument("a link begins with a Hello")));
            return;
        };
        if !self.tell(Input::AgentConnected { link: self.id, hello }, said).await {
            return;
        }
        let mut goodbye = false;
        while !goodbye {
            let message = tokio::select! {
                message = stream.message() => message,
                _ = &mut ended => break,
            };
            let Ok(Some(message)) = message else { break };
            let said = self.said(&message);
            match convert::from_agent(message) {
                Some(FromAgent::Batch(batch)) => {
                    if !self.tell(Input::BatchReceived { link: self.id, batch }, said).await {
                        break;
                    }
                }
                // Answered here, because a probe that waits for the core measures the core.
                Some(FromAgent::TimeProbe(agent_ns)) => {
                    let _ = self.queue.try_send(Ok(convert::time_reply(agent_ns, self.now_ns.now())));
                }
                Some(FromAgent::SettingsKept(job, version)) => {
                    if !self.tell(Input::SettingsKept { link: self.id, job, version }, said).await {
                        break;
                    }
                }
                Some(FromAgent::Goodbye) => goodbye = true,
                Some(FromAgent::Hello(_)) | None => {}
            }
        }
        self.tell(Input::AgentDisconnected { link: self.id, goodbye }, None).await;
    }

    // As it came, before what makes no sense is left out.
    fn said(&self, message: &v1::FromAgent) -> Option<What> {
        if self.recording { convert::recorded::said(self.id, message) } else { None }
    }

    async fn tell(&self, input: Input, said: Option<What>) -> bool {
        self.inputs.send(ToCore { input, answer: None, said }).await.is_ok()
    }
}
