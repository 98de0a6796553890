//! The service that agents link to: reads their streams, and those that agents carry for others, into the core's queue.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tonic::{Request, Response, Status, Streaming};

use midrun_proto::links::{LINK_QUEUE, Line, Links, Outgoing};
use midrun_proto::v1;
use midrun_proto::v1::agent_server::Agent;
use midrun_proto::v1::from_agent::Message;
use midrun_proto::v1::recorded::What;
use midrun_vocabulary::Clock;

use super::core_task::ToCore;
use super::tree::{Place, Tree};
use crate::convert::{self, FromAgent};
use crate::ids::LinkId;
use crate::input::Input;
use crate::limits;

/// What all links have in common.
struct Shared {
    now_ns: Clock,
    inputs: mpsc::Sender<ToCore>,
    links: Arc<Links>,
    ids: Arc<AtomicU64>,
    /// Messages are kept as they came.
    keeps: bool,
    tree: Tree,
}

pub(crate) struct Service(Arc<Shared>);

impl Service {
    pub(crate) fn new(
        now_ns: Clock,
        inputs: mpsc::Sender<ToCore>,
        links: Arc<Links>,
        ids: Arc<AtomicU64>,
        keeps: bool,
        width: usize,
    ) -> Service {
        Service(Arc::new(Shared { now_ns, inputs, links, ids, keeps, tree: Tree::new(width) }))
    }
}

#[tonic::async_trait]
impl Agent for Service {
    type LinkStream = Outgoing;

    async fn link(&self, request: Request<Streaming<v1::FromAgent>>) -> Result<Response<Outgoing>, Status> {
        let shared = self.0.clone();
        let id = shared.new_id();
        let (queue, outgoing) = mpsc::channel(LINK_QUEUE);
        let ended = shared.links.add(id.0, queue.clone());
        tokio::spawn(async move {
            shared.read(id, &queue, request.into_inner(), ended).await;
            shared.links.end(id.0);
        });
        Ok(Response::new(Outgoing::new(outgoing)))
    }
}

/// Whether a stream goes on.
#[derive(PartialEq, Eq)]
enum Next {
    GoesOn,
    /// With a Goodbye.
    Goodbye,
    /// Without.
    Ended,
    /// The core has.
    CoreEnded,
}

// Reads one link. When the core is busy it waits, and the agent with it; the core never waits for it.
impl Shared {
    fn new_id(&self) -> LinkId {
        LinkId(self.ids.fetch_add(1, Ordering::Relaxed))
    }

    async fn read(
        &self,
        id: LinkId,
        queue: &mpsc::Sender<Line>,
        mut stream: Streaming<v1::FromAgent>,
        mut ended: oneshot::Receiver<()>,
    ) {
        let patience = Duration::from_millis(limits::HELLO_MS);
        let first = tokio::select! {
            first = tokio::time::timeout(patience, stream.message()) => first,
            _ = &mut ended => return,
        };
        let Some(Message::Hello(hello)) = first.ok().and_then(Result::ok).flatten().and_then(|first| first.message)
        else {
            tracing::warn!(link = id.0, "a link did not begin with a Hello and was ended");
            let _ = queue.try_send(Err(Status::invalid_argument("a link begins with a Hello")));
            return;
        };
        let job_token = hello.token.clone();
        match self.tree.place(&job_token, id.0, hello.takes_parent).await {
            Place::Below(urls) => {
                let _ = queue.try_send(Ok(convert::parents(urls)));
            }
            Place::Direct(to_ask) => {
                if self.on_hello(id, hello).await {
                    for link in to_ask {
                        self.links.send(link, convert::take_children());
                    }
                    self.read_on(id, &job_token, stream, ended).await;
                }
                self.tree.on_ended(&job_token, id.0);
            }
        }
    }

    /// Reads what follows the Hello.
    async fn read_on(
        &self,
        id: LinkId,
        job_token: &str,
        mut stream: Streaming<v1::FromAgent>,
        mut ended: oneshot::Receiver<()>,
    ) {
        let mut carried = HashMap::new();
        let mut next = Next::GoesOn;
        while next == Next::GoesOn {
            let message = tokio::select! {
                message = stream.message() => message,
                _ = &mut ended => break,
            };
            let Ok(Some(v1::FromAgent { message: Some(message) })) = message else { break };
            next = match message {
                Message::FromChildren(said) => self.on_children(id, said, &mut carried).await,
                Message::TakesChildren(takes) => {
                    self.tree.on_takes_children(job_token, id.0, takes.url);
                    Next::GoesOn
                }
                own => self.on_message(id, own).await,
            };
        }
        for child in carried.into_values() {
            self.links.end(child.0);
            self.tell(Input::AgentDisconnected { link: child, goodbye: false }, None).await;
        }
        self.tell(Input::AgentDisconnected { link: id, goodbye: next == Next::Goodbye }, None).await;
    }

    /// Messages of streams that link `by` carries.
    async fn on_children(&self, by: LinkId, said: v1::FromChildren, carried: &mut HashMap<u64, LinkId>) -> Next {
        for v1::FromChild { child, message } in said.messages {
            let message = message.and_then(|message| message.message);
            let next = match (carried.get(&child), message) {
                (None, Some(Message::Hello(hello))) if carried.len() < limits::LINKS => {
                    let id = self.new_id();
                    self.links.add_carried(id.0, by.0, child);
                    carried.insert(child, id);
                    if self.on_hello(id, hello).await { Next::GoesOn } else { Next::CoreEnded }
                }
                (None, _) => Next::GoesOn,
                (Some(id), Some(message)) => self.on_message(*id, message).await,
                (Some(_), None) => Next::Ended,
            };
            match next {
                Next::GoesOn => {}
                Next::CoreEnded => return Next::CoreEnded,
                Next::Goodbye | Next::Ended => {
                    if let Some(id) = carried.remove(&child) {
                        let goodbye = next == Next::Goodbye;
                        self.links.end(id.0);
                        if !self.tell(Input::AgentDisconnected { link: id, goodbye }, None).await {
                            return Next::CoreEnded;
                        }
                    }
                }
            }
        }
        Next::GoesOn
    }

    async fn on_hello(&self, id: LinkId, hello: v1::Hello) -> bool {
        let message = v1::FromAgent { message: Some(Message::Hello(hello)) };
        let said = self.said(id, &message);
        match convert::from_agent(message) {
            Some(FromAgent::Hello(hello)) => self.tell(Input::AgentConnected { link: id, hello }, said).await,
            _ => true,
        }
    }

    /// A message of an agent that has said Hello.
    async fn on_message(&self, id: LinkId, message: Message) -> Next {
        let message = v1::FromAgent { message: Some(message) };
        let said = self.said(id, &message);
        let input = match convert::from_agent(message) {
            Some(FromAgent::Batch(batch)) => Input::BatchReceived { link: id, batch },
            // Answered here, because a probe that waits for the core measures the core.
            Some(FromAgent::TimeProbe(agent_ns)) => {
                self.links.send(id.0, convert::time_reply(agent_ns, self.now_ns.now()));
                return Next::GoesOn;
            }
            Some(FromAgent::SettingsKept(job, version)) => Input::SettingsKept { link: id, job, version },
            Some(FromAgent::Goodbye) => return Next::Goodbye,
            Some(FromAgent::Hello(_)) | None => return Next::GoesOn,
        };
        if self.tell(input, said).await { Next::GoesOn } else { Next::CoreEnded }
    }

    // As it came, before what makes no sense is left out.
    fn said(&self, id: LinkId, message: &v1::FromAgent) -> Option<What> {
        if self.keeps { convert::recorded::said(id, message) } else { None }
    }

    async fn tell(&self, input: Input, said: Option<What>) -> bool {
        self.inputs.send(ToCore { input, answer: None, said }).await.is_ok()
    }
}
