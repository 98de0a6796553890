//! The connected agents, as the core's task sees them: a bounded queue each, and a way to end them.

use dashmap::DashMap;
use tokio::sync::{mpsc, oneshot};
use tonic::Status;

use midrun_proto::v1;

use crate::ids::LinkId;

/// A message to an agent, or the error that ends its stream.
pub(crate) type Line = Result<v1::ToAgent, Status>;

struct Link {
    queue: mpsc::Sender<Line>,
    // Dropped with the link, which its reader notices.
    _open: oneshot::Sender<()>,
}

/// All links. The agent service adds them, the core's task sends to them and ends them.
#[derive(Default)]
pub(crate) struct Links {
    links: DashMap<LinkId, Link>,
}

impl Links {
    /// A new link; its reader ends when the returned receiver does.
    pub(crate) fn add(&self, id: LinkId, queue: mpsc::Sender<Line>) -> oneshot::Receiver<()> {
        let (open, ended) = oneshot::channel();
        self.links.insert(id, Link { queue, _open: open });
        ended
    }

    /// Queues a message; never waits. False when the agent is gone or so slow that it was disconnected.
    pub(crate) fn send(&self, id: LinkId, message: v1::ToAgent) -> bool {
        let sent = match self.links.get(&id) {
            Some(link) => link.queue.try_send(Ok(message)).is_ok(),
            None => return false,
        };
        if !sent && self.end(id) {
            tracing::warn!(link = id.0, "an agent takes its messages too slowly and was disconnected");
        }
        sent
    }

    /// Ends a link after what is queued.
    pub(crate) fn end(&self, id: LinkId) -> bool {
        self.links.remove(&id).is_some()
    }

    /// Ends all of them.
    pub(crate) fn end_all(&self) {
        self.links.clear();
    }
}
