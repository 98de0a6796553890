//! The streams of a server's agents, as the task that speaks to them sees them: a bounded queue each, and a way to end them. A stream may be
//! carried by another one.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use dashmap::DashMap;
use prost::Message;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;
use tonic::Status;

use crate::v1::to_agent::Message::ToChildren as Carried;
use crate::v1::{ToAgent, ToChild, ToChildren};

/// Messages that wait for one agent and its children; past it the agent is disconnected. Of 316 children each has some 20 messages.
pub const LINK_QUEUE: usize = 8192;
/// Messages to children that are joined to one, and its bytes: an agent takes 4 MiB.
const JOINED: usize = 256;
const JOINED_BYTES: usize = 1 << 20;

/// A message to an agent, or the error that ends its stream.
pub type Line = Result<ToAgent, Status>;

enum Way {
    /// A stream of its own, until `_open` is dropped, which its reader notices.
    Own { queue: mpsc::Sender<Line>, _open: oneshot::Sender<()> },
    /// Number `child` of the stream of link `by`.
    Carried { by: u64, child: u64 },
}

/// All links, by numbers that the server gives. Its service adds them; its core sends to them and ends them.
#[derive(Default)]
pub struct Links {
    links: DashMap<u64, Way>,
}

impl Links {
    /// A link with a stream of its own; its reader ends when the returned receiver does.
    pub fn add(&self, id: u64, queue: mpsc::Sender<Line>) -> oneshot::Receiver<()> {
        let (open, ended) = oneshot::channel();
        self.links.insert(id, Way::Own { queue, _open: open });
        ended
    }

    /// A link that is number `child` of those that `by` carries.
    pub fn add_carried(&self, id: u64, by: u64, child: u64) {
        self.links.insert(id, Way::Carried { by, child });
    }

    /// Queues a message; never waits. False when the agent is gone or so slow that it, or the one that carries it, was disconnected.
    pub fn send(&self, id: u64, message: ToAgent) -> bool {
        let (id, message) = match self.links.get(&id).as_deref() {
            Some(Way::Carried { by, child }) => (*by, to_child(*child, Some(message))),
            Some(Way::Own { .. }) => (id, message),
            None => return false,
        };
        let sent = match self.links.get(&id).as_deref() {
            Some(Way::Own { queue, .. }) => queue.try_send(Ok(message)).is_ok(),
            _ => return false,
        };
        if !sent && self.end(id) {
            tracing::warn!(link = id, "an agent takes its messages too slowly and was disconnected");
        }
        sent
    }

    /// Ends a link after what is queued.
    pub fn end(&self, id: u64) -> bool {
        let ended = self.links.remove(&id);
        if let Some((_, Way::Carried { by, child })) = ended {
            self.send(by, to_child(child, None));
        }
        ended.is_some()
    }

    /// Links at present.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Ends all of them.
    pub fn end_all(&self) {
        self.links.clear();
    }
}

fn to_child(child: u64, message: Option<ToAgent>) -> ToAgent {
    ToAgent { message: Some(Carried(ToChildren { messages: vec![ToChild { child, message }] })) }
}

/// What a link sends: the messages of its queue, those to children joined.
pub struct Outgoing {
    queue: mpsc::Receiver<Line>,
    taken: Vec<Line>,
    ready: VecDeque<Line>,
}

impl Outgoing {
    /// Of this queue.
    pub fn new(queue: mpsc::Receiver<Line>) -> Outgoing {
        Outgoing { queue, taken: Vec::new(), ready: VecDeque::new() }
    }
}

impl Stream for Outgoing {
    type Item = Line;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Line>> {
        let this = &mut *self;
        if this.ready.is_empty() {
            if ready!(this.queue.poll_recv_many(cx, &mut this.taken, JOINED)) == 0 {
                return Poll::Ready(None);
            }
            join(&mut this.taken, &mut this.ready);
        }
        Poll::Ready(this.ready.pop_front())
    }
}

/// Moves the messages, those to children that follow each other as one.
fn join(taken: &mut Vec<Line>, ready: &mut VecDeque<Line>) {
    let mut bytes = 0;
    for line in taken.drain(..) {
        if let Ok(ToAgent { message: Some(Carried(next)) }) = &line {
            let length = next.encoded_len();
            bytes += length;
            if let Some(Ok(ToAgent { message: Some(Carried(last)) })) = ready.back_mut()
                && bytes <= JOINED_BYTES
            {
                last.messages.extend(next.messages.iter().cloned());
                continue;
            }
            bytes = length;
        }
        ready.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::{BatchAck, to_agent};
    use tokio_stream::StreamExt;

    fn ack(sequence: u64) -> ToAgent {
        ToAgent { message: Some(to_agent::Message::BatchAck(BatchAck { sequence })) }
    }

    fn of(line: Option<Line>) -> Vec<(u64, Option<ToAgent>)> {
        match line.expect("a message").expect("no error").message {
            Some(Carried(children)) => children.messages.into_iter().map(|to| (to.child, to.message)).collect(),
            own => vec![(0, Some(ToAgent { message: own }))],
        }
    }

    #[tokio::test]
    async fn messages_to_children_are_joined_in_order_and_an_end_is_the_last_of_a_child() {
        let links = Links::default();
        let (queue, outgoing) = mpsc::channel(8);
        let _ended = links.add(1, queue);
        links.add_carried(2, 1, 7);
        links.add_carried(3, 1, 8);
        assert!(links.send(1, ack(1)) && links.send(2, ack(2)) && links.send(3, ack(3)));
        assert!(links.end(2) && !links.send(2, ack(4)), "nothing goes to a stream that has ended");
        assert!(links.send(1, ack(5)));
        links.end(1);
        assert!(!links.send(3, ack(6)), "who was carried is gone with who carried it");
        let mut outgoing = Outgoing::new(outgoing);
        assert_eq!(of(outgoing.next().await), [(0, Some(ack(1)))]);
        assert_eq!(of(outgoing.next().await), [(7, Some(ack(2))), (8, Some(ack(3))), (7, None)]);
        assert_eq!(of(outgoing.next().await), [(0, Some(ack(5)))]);
        assert!(outgoing.next().await.is_none());
    }

    #[tokio::test]
    async fn who_takes_nothing_is_disconnected_with_those_that_it_carries() {
        let links = Links::default();
        let (queue, _outgoing) = mpsc::channel(2);
        let mut ended = links.add(1, queue);
        links.add_carried(2, 1, 7);
        assert!(links.send(2, ack(1)) && links.send(2, ack(2)) && !links.send(2, ack(3)));
        assert!(!links.send(1, ack(4)) && ended.try_recv() == Err(oneshot::error::TryRecvError::Closed));
    }

    #[test]
    fn a_joined_message_is_bounded() {
        let long = "x".repeat(JOINED_BYTES / 3);
        let refusal = || crate::v1::Refusal { why: long.clone() };
        let message = || ToAgent { message: Some(to_agent::Message::Refusal(refusal())) };
        let mut taken: Vec<Line> = (0..10).map(|child| Ok(to_child(child, Some(message())))).collect();
        let mut ready = VecDeque::new();
        join(&mut taken, &mut ready);
        let lengths: Vec<usize> = ready.iter().map(|line| line.as_ref().expect("one").encoded_len()).collect();
        assert!(lengths.len() == 5 && lengths.iter().all(|bytes| *bytes < 2 * JOINED_BYTES), "{lengths:?}");
        let order: Vec<u64> = ready.into_iter().flat_map(|line| of(Some(line))).map(|(child, _)| child).collect();
        assert_eq!(order, (0..10).collect::<Vec<u64>>());
    }
}
