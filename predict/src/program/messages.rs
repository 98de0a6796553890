//! Steps that processes take, messages on their way, and how a message meets its receive.

use std::collections::VecDeque;

use super::element::Mode;
use midrun_models::simulate;

/// The next step of a process in an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Compute so many seconds (at speed 1) on each thread.
    Compute { work_s: f64, threads: f64 },
    /// Send.
    Send { to: usize, bytes: f64, mode: Mode, collective: bool },
    /// Receive from a process, or from whoever comes first.
    Receive { from: Option<usize>, collective: bool },
    /// Send (receiver and bytes) and receive (senders) all at once, and wait for all of them.
    Exchange { sends: Vec<(usize, f64)>, receives: Vec<usize>, collective: bool },
    /// Wait for all others, then run the framework of the element together.
    Meet,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Message {
    pub from: usize,
    pub to: usize,
    pub bytes: f64,
    /// Its way after the sender's part, without the time of its bytes, seconds.
    pub latency_s: f64,
    /// Collective communication does not mix with the program's own messages.
    pub collective: bool,
    /// First announced, sent when the receiver answers.
    pub rendezvous: bool,
    /// The sender waits until it is out.
    pub awaited: bool,
    /// Its last byte is there.
    pub there: bool,
    /// It has met its receive.
    pub matched: bool,
    /// What a Master/Worker element's message says; it needs no receive.
    pub content: Option<simulate::Message>,
}

/// A receive that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Posted {
    pub from: Option<usize>,
    pub collective: bool,
}

impl Posted {
    fn takes(&self, message: &Message) -> bool {
        self.collective == message.collective && self.from.is_none_or(|from| from == message.from)
    }
}

/// All messages, and for each process what it waits for and what waits for it.
pub(super) struct Messages {
    all: Vec<Message>,
    free: Vec<usize>,
    arrived: Vec<VecDeque<usize>>,
    /// Those of one process in their order.
    posted: Vec<Vec<Posted>>,
}

impl Messages {
    pub(super) fn new(processes: usize) -> Messages {
        let arrived = (0..processes).map(|_| VecDeque::new()).collect();
        Messages { all: Vec::new(), free: Vec::new(), arrived, posted: vec![Vec::new(); processes] }
    }

    pub(super) fn add(&mut self, message: Message) -> usize {
        match self.free.pop() {
            Some(number) => {
                self.all[number] = message;
                number
            }
            None => {
                self.all.push(message);
                self.all.len() - 1
            }
        }
    }

    pub(super) fn get_mut(&mut self, number: usize) -> &mut Message {
        &mut self.all[number]
    }

    pub(super) fn get(&self, number: usize) -> Message {
        self.all[number]
    }

    /// It was received: its number is free again.
    pub(super) fn remove(&mut self, number: usize) {
        self.free.push(number);
    }

    /// Messages that were sent and not received.
    pub(super) fn open(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// The first byte of a message, or of its announcement, is there: true if a receive waits for it.
    pub(super) fn arrive(&mut self, number: usize) -> bool {
        let message = self.all[number];
        let posted = &mut self.posted[message.to];
        let place = posted.iter().position(|posted| posted.takes(&message));
        match place {
            Some(place) => _ = posted.remove(place),
            None => self.arrived[message.to].push_back(number),
        }
        place.is_some()
    }

    /// A process receives: the first message for it that has come, or it waits.
    pub(super) fn post(&mut self, process: usize, posted: Posted) -> Option<usize> {
        let queue = &mut self.arrived[process];
        let place = queue.iter().position(|number| posted.takes(&self.all[*number]));
        match place {
            Some(place) => queue.remove(place),
            None => {
                self.posted[process].push(posted);
                None
            }
        }
    }

    /// The first receive that a process waits for.
    pub(super) fn posted(&self, process: usize) -> Option<Posted> {
        self.posted[process].first().copied()
    }
}
