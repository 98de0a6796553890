//! Batches that the analyzer has not acknowledged: bounded, in order, drops counted.

use midrun_proto::v1::Batch;
use std::collections::VecDeque;

/// Batches not acknowledged yet, oldest first.
#[derive(Debug)]
pub struct SendQueue {
    batches: VecDeque<Batch>,
    /// How many of them, from the front, were sent in the present stream.
    sent: usize,
    next_sequence: u64,
    capacity: usize,
    /// Events dropped so far because the queue was full.
    pub events_dropped: u64,
}

impl SendQueue {
    pub fn new(capacity: usize) -> Self {
        SendQueue { batches: VecDeque::new(), sent: 0, next_sequence: 1, capacity, events_dropped: 0 }
    }

    /// Numbers a batch and keeps it. Beyond the capacity the oldest batch goes: its events are dropped and counted; its ranks that
    /// joined and left move to the next batch.
    pub fn push(&mut self, mut batch: Batch) {
        batch.sequence = self.next_sequence;
        self.next_sequence += 1;
        self.batches.push_back(batch);
        if self.batches.len() > self.capacity
            && let Some(oldest) = self.batches.pop_front()
        {
            self.sent = self.sent.saturating_sub(1);
            self.events_dropped += oldest.reports.iter().map(|r| r.events.len() as u64).sum::<u64>();
            if let Some(next) = self.batches.front_mut() {
                next.joined.splice(0..0, oldest.joined);
                next.left.splice(0..0, oldest.left);
            }
        }
        let dropped = self.events_dropped;
        if let Some(newest) = self.batches.back_mut() {
            newest.events_dropped = dropped;
        }
    }

    /// The oldest batch that was not sent yet.
    pub fn unsent(&self) -> Option<&Batch> {
        self.batches.get(self.sent)
    }

    /// That batch was sent.
    pub fn mark_sent(&mut self) {
        self.sent = (self.sent + 1).min(self.batches.len());
    }

    /// Removes the batches up to `sequence`: the analyzer has them.
    pub fn acknowledge(&mut self, sequence: u64) {
        while self.batches.front().is_some_and(|b| b.sequence <= sequence) {
            self.batches.pop_front();
            self.sent = self.sent.saturating_sub(1);
        }
    }

    /// The stream is lost: every batch has to be sent again.
    pub fn rewind(&mut self) {
        self.sent = 0;
    }

    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Whether a batch was sent and not acknowledged.
    pub fn awaits(&self) -> bool {
        self.sent > 0
    }

    /// The sequence of the last batch made; 0 when there was none.
    pub fn last_sequence(&self) -> u64 {
        self.next_sequence - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_proto::v1::{Event, RankLeft, RankReport};

    fn batch(events: usize) -> Batch {
        let events = vec![Event::default(); events];
        Batch { reports: vec![RankReport { events, ..RankReport::default() }], ..Batch::default() }
    }

    #[test]
    fn batches_wait_until_they_are_acknowledged() {
        let mut out = SendQueue::new(8);
        (0..3).for_each(|_| out.push(batch(1)));
        while out.unsent().is_some() {
            out.mark_sent();
        }
        out.acknowledge(2);
        assert!(out.awaits() && !out.is_empty());
        out.rewind();
        assert_eq!(out.unsent().map(|b| b.sequence), Some(3));
        out.acknowledge(3);
        assert!(out.is_empty() && !out.awaits());
        assert_eq!(out.last_sequence(), 3);
    }

    #[test]
    fn what_is_too_much_is_dropped_from_the_old_end_and_counted() {
        let mut out = SendQueue::new(2);
        out.push(Batch { left: vec![RankLeft::default()], ..batch(5) });
        (0..3).for_each(|_| out.push(batch(1)));
        assert_eq!(out.events_dropped, 6);
        let oldest = out.unsent().unwrap();
        assert_eq!((oldest.sequence, oldest.left.len()), (3, 1));
        out.mark_sent();
        assert_eq!(out.unsent().unwrap().events_dropped, 6);
    }
}
