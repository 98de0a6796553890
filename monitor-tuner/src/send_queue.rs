//! Batches that the analyzer has not acknowledged: bounded in number and bytes, in order, drops counted.

use crate::limits::{BATCH_BYTES, DECODED_BYTES, QUEUED_BYTES, REFUSALS, STREAM_BYTES};
use midrun_proto::v1::{Batch, RankReport};
use prost::Message;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most bytes of a field's tag and length before an event in its report, and of the report's own length, which grows with it.
const LENGTH_PREFIX: usize = 16;

/// What a batch waits as.
#[derive(Debug)]
enum Held {
    /// As it was made: its events take two to four times as much memory as on the wire.
    Decoded(Batch),
    /// As on the wire.
    Encoded(Vec<u8>),
}

/// A batch that waits.
#[derive(Debug)]
struct Queued {
    held: Held,
    sequence: u64,
    /// Its length on the wire.
    bytes: usize,
    events: u64,
    /// It has ranks that joined or left.
    has_ranks: bool,
}

impl Queued {
    fn of(batch: Batch) -> Queued {
        Queued {
            sequence: batch.sequence,
            bytes: batch.encoded_len(),
            events: events(&batch),
            has_ranks: !(batch.joined.is_empty() && batch.left.is_empty()),
            held: Held::Decoded(batch),
        }
    }

    fn batch(&self) -> Batch {
        match &self.held {
            Held::Decoded(batch) => batch.clone(),
            Held::Encoded(bytes) => Batch::decode(bytes.as_slice()).expect("what this queue encoded"),
        }
    }

    fn encode(&mut self) {
        if let Held::Decoded(batch) = &self.held {
            self.held = Held::Encoded(batch.encode_to_vec());
        }
    }
}

/// Bytes of all queues of one user in this process: together they have the bound of one.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<AtomicUsize>);

impl Shared {
    fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) > QUEUED_BYTES
    }

    /// Whether nobody else has it: no queue counts by it.
    pub fn is_last(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

impl PartialEq for Shared {
    /// Configurations that count apart are alike.
    fn eq(&self, _: &Shared) -> bool {
        true
    }
}

/// Batches not acknowledged yet, oldest first.
#[derive(Debug)]
pub struct SendQueue {
    batches: VecDeque<Queued>,
    /// How many of them, from the front, were sent in the present stream.
    sent: usize,
    /// How many of them, from the front, are held as on the wire.
    encoded: usize,
    next_sequence: u64,
    capacity: usize,
    /// Of all batches.
    bytes: usize,
    shared: Shared,
    /// Of those that were sent.
    sent_bytes: usize,
    /// Of those that are held as they were made.
    decoded_bytes: usize,
    /// Streams in a row that ended with the oldest batch sent and not acknowledged.
    refused: u32,
    /// Events dropped so far: the queue was full, or the analyzer did not take their batch.
    pub events_dropped: u64,
    /// Batches that were dropped so far, in part or whole.
    pub batches_dropped: u64,
}

impl SendQueue {
    /// For so many batches; `shared` counts those of all queues of the user.
    pub fn new(capacity: usize, shared: Shared) -> Self {
        SendQueue {
            shared,
            batches: VecDeque::new(),
            sent: 0,
            encoded: 0,
            next_sequence: 1,
            capacity,
            bytes: 0,
            sent_bytes: 0,
            decoded_bytes: 0,
            refused: 0,
            events_dropped: 0,
            batches_dropped: 0,
        }
    }

    /// Batches not acknowledged, and their bytes.
    pub fn size(&self) -> (usize, usize) {
        (self.batches.len(), self.bytes)
    }

    /// Numbers a batch and keeps it, in parts where it is too long for one message. Beyond the capacity, in batches or in bytes, the
    /// oldest batch goes: its events are dropped and counted; its ranks that joined and left move to the next batch.
    pub fn push(&mut self, batch: Batch) {
        for mut part in parts(batch, BATCH_BYTES) {
            part.sequence = self.next_sequence;
            self.next_sequence += 1;
            self.push_back(part);
            while self.batches.len() > 1 && (self.batches.len() > self.capacity || self.shared.is_full()) {
                self.drop_oldest();
            }
            let dropped = self.events_dropped;
            if let Some(Queued { held: Held::Decoded(newest), .. }) = self.batches.back_mut() {
                newest.events_dropped = dropped;
            }
        }
    }

    /// Of batches that have to wait, all but the newest are held as on the wire: then the bound of the queue is one of memory, too. Those
    /// that are acknowledged at once never are.
    fn push_back(&mut self, batch: Batch) {
        while self.decoded_bytes > DECODED_BYTES {
            let Some(oldest) = self.batches.get_mut(self.encoded) else { break };
            oldest.encode();
            self.decoded_bytes -= oldest.bytes;
            self.encoded += 1;
        }
        let queued = Queued::of(batch);
        self.grow(queued.bytes);
        self.decoded_bytes += queued.bytes;
        self.batches.push_back(queued);
    }

    fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.shared.0.fetch_add(bytes, Ordering::Relaxed);
    }

    fn shrink(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.shared.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn pop_front(&mut self) -> Option<Queued> {
        let oldest = self.batches.pop_front()?;
        self.shrink(oldest.bytes);
        match self.encoded {
            0 => self.decoded_bytes -= oldest.bytes,
            _ => self.encoded -= 1,
        }
        if self.sent > 0 {
            self.sent -= 1;
            self.sent_bytes -= oldest.bytes;
        }
        self.refused = 0;
        Some(oldest)
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.pop_front() else { return };
        self.events_dropped += oldest.events;
        self.batches_dropped += 1;
        if oldest.has_ranks {
            self.hand_on(oldest.batch());
        }
    }

    /// Its ranks that joined and left travel with the next batch.
    fn hand_on(&mut self, oldest: Batch) {
        let Some(next) = self.batches.front_mut() else {
            // Its number was used.
            return self.push(Batch {
                joined: oldest.joined,
                left: oldest.left,
                node: oldest.node,
                made_ns: oldest.made_ns,
                ..Batch::default()
            });
        };
        let before = next.bytes;
        let mut batch = next.batch();
        batch.joined.splice(0..0, oldest.joined);
        batch.left.splice(0..0, oldest.left);
        *next = Queued::of(batch);
        let grown = next.bytes - before;
        match self.encoded {
            0 => self.decoded_bytes += grown,
            _ => next.encode(),
        }
        self.grow(grown);
        if self.sent > 0 {
            self.sent_bytes += grown;
        }
    }

    /// The oldest batch that was not sent yet, if the stream may have it: what was sent and not acknowledged is bounded.
    pub fn unsent(&self) -> Option<Batch> {
        let next = self.batches.get(self.sent)?;
        (self.sent == 0 || self.sent_bytes + next.bytes <= STREAM_BYTES).then(|| next.batch())
    }

    /// That batch was sent.
    pub fn mark_sent(&mut self) {
        if let Some(queued) = self.batches.get(self.sent) {
            self.sent += 1;
            self.sent_bytes += queued.bytes;
        }
    }

    /// Removes the batches up to `sequence`: the analyzer has them.
    pub fn acknowledge(&mut self, sequence: u64) {
        while self.batches.front().is_some_and(|queued| queued.sequence <= sequence) {
            self.pop_front();
        }
    }

    /// The stream is lost: every batch has to be sent again. A batch that several streams in a row did not survive is dropped and
    /// counted; true if that happened.
    pub fn rewind(&mut self) -> bool {
        self.sent_bytes = 0;
        self.refused += u32::from(std::mem::take(&mut self.sent) > 0);
        let hopeless = self.refused >= REFUSALS;
        if hopeless {
            self.drop_oldest();
        }
        hopeless
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

impl Drop for SendQueue {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

fn events(batch: &Batch) -> u64 {
    batch.reports.iter().map(|report| report.events.len() as u64).sum()
}

/// The batch, or several that are together the same; each is at most about `most` bytes long, unless a single event is longer.
fn parts(batch: Batch, most: usize) -> Vec<Batch> {
    if batch.encoded_len() <= most {
        return vec![batch];
    }
    let Batch { joined, reports, left, .. } = batch;
    let empty = Batch { joined: Vec::new(), reports: Vec::new(), left: Vec::new(), ..batch };
    let mut parts = vec![Batch { joined, ..empty.clone() }];
    let mut bytes = parts[0].encoded_len();
    for report in reports {
        let RankReport { events, .. } = report;
        let head = RankReport { events: Vec::new(), ..report };
        // A report is cut between two events; the totals of the rank are the same in each piece.
        let mut piece = head.clone();
        bytes += head.encoded_len();
        for event in events {
            let length = event.encoded_len() + LENGTH_PREFIX;
            if bytes + length > most
                && !(piece.events.is_empty() && parts.last().is_some_and(|part| part.reports.is_empty()))
            {
                if !piece.events.is_empty() {
                    add(&mut parts, std::mem::replace(&mut piece, head.clone()));
                }
                parts.push(empty.clone());
                bytes = empty.encoded_len() + head.encoded_len();
            }
            bytes += length;
            piece.events.push(event);
        }
        add(&mut parts, piece);
    }
    // Ranks leave after all that was said of them.
    if let Some(last) = parts.last_mut() {
        last.left = left;
    }
    parts
}

fn add(parts: &mut [Batch], report: RankReport) {
    if let Some(last) = parts.last_mut() {
        last.reports.push(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_proto::v1::event::Kind;
    use midrun_proto::v1::{Event, PointRefused, RankJoined, RankLeft};

    fn batch(events: usize) -> Batch {
        let events = vec![Event::default(); events];
        Batch { reports: vec![RankReport { events, ..RankReport::default() }], ..Batch::default() }
    }

    #[test]
    fn batches_wait_until_they_are_acknowledged() {
        let mut out = SendQueue::new(8, Shared::default());
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
    fn queues_of_one_user_have_the_bound_of_one_together() {
        let shared = Shared::default();
        let mut queues: Vec<SendQueue> = (0..4).map(|_| SendQueue::new(usize::MAX, shared.clone())).collect();
        let long = || Batch {
            reports: vec![RankReport { events: vec![text(1 << 20)], ..RankReport::default() }],
            ..Batch::default()
        };
        for _ in 0..QUEUED_BYTES >> 20 {
            queues.iter_mut().for_each(|queue| queue.push(long()));
        }
        let sum = |queues: &[SendQueue]| queues.iter().map(|queue| queue.bytes).sum::<usize>();
        assert!((QUEUED_BYTES - (8 << 20)..=QUEUED_BYTES + (4 << 20)).contains(&sum(&queues)), "{}", sum(&queues));
        assert!(queues.iter().all(|queue| !queue.is_empty() && queue.events_dropped > 0));
        queues.truncate(1);
        assert_eq!(shared.0.load(Ordering::Relaxed), sum(&queues), "what a job held is free when its agent ends");
        let (before, dropped) = (sum(&queues), queues[0].events_dropped);
        queues[0].push(long());
        assert!(sum(&queues) > before && queues[0].events_dropped == dropped, "there is room again");
    }

    #[test]
    fn what_is_too_much_is_dropped_from_the_old_end_and_counted() {
        let mut out = SendQueue::new(2, Shared::default());
        out.push(Batch { left: vec![RankLeft::default()], ..batch(5) });
        (0..3).for_each(|_| out.push(batch(1)));
        assert_eq!(out.events_dropped, 6);
        let oldest = out.unsent().unwrap();
        assert_eq!((oldest.sequence, oldest.left.len()), (3, 1));
        out.mark_sent();
        assert_eq!(out.unsent().unwrap().events_dropped, 6);
    }

    fn text(bytes: usize) -> Event {
        Event { kind: Some(Kind::PointRefused(PointRefused { why: "x".repeat(bytes), ..PointRefused::default() })) }
    }

    #[test]
    fn a_long_batch_goes_in_parts_that_are_together_the_same() {
        let report = |rank: u64, events: usize| RankReport {
            records_produced: rank,
            events: (0..events).map(|n| text(900 + n)).collect(),
            ..RankReport::default()
        };
        let whole = Batch {
            node: "n".into(),
            joined: vec![RankJoined::default()],
            reports: vec![report(1, 3), report(2, 50), report(3, 0), report(4, 7)],
            left: vec![RankLeft::default()],
            ..Batch::default()
        };
        let split = parts(whole.clone(), 10_000);
        assert!(split.len() > 5 && split.iter().all(|part| part.encoded_len() <= 10_000 && part.node == "n"));
        assert_eq!((split[0].joined.len(), split.last().unwrap().left.len()), (1, 1));
        let mut again: Vec<RankReport> = Vec::new();
        for report in split.into_iter().flat_map(|part| part.reports) {
            match again.last_mut() {
                Some(last) if last.records_produced == report.records_produced => last.events.extend(report.events),
                _ => again.push(report),
            }
        }
        assert_eq!(again, whole.reports);
        assert_eq!(parts(whole.clone(), 1 << 20), [whole]);
        assert_eq!(
            parts(Batch { reports: vec![report(1, 1)], ..Batch::default() }, 100).len(),
            1,
            "one event stays whole"
        );
    }

    #[test]
    fn the_queue_is_bounded_in_bytes_and_what_goes_is_counted() {
        let mut out = SendQueue::new(usize::MAX, Shared::default());
        let one = || Batch {
            reports: vec![RankReport { events: vec![text(1 << 20)], ..RankReport::default() }],
            ..Batch::default()
        };
        let pushed = 3 * QUEUED_BYTES / (1 << 20);
        for _ in 0..pushed {
            out.push(one());
            assert!(out.bytes <= QUEUED_BYTES);
        }
        let kept = out.batches.len() as u64;
        assert!(out.events_dropped > 0 && out.events_dropped + kept == pushed as u64, "{kept} {}", out.events_dropped);
    }

    /// Bytes that are held as they were made, and those that are held as on the wire.
    fn held(queue: &SendQueue) -> (usize, usize) {
        let bytes = |queued: &Queued| match &queued.held {
            Held::Decoded(_) => (queued.bytes, 0),
            Held::Encoded(bytes) => (0, bytes.capacity()),
        };
        queue.batches.iter().map(bytes).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    #[test]
    fn batches_that_wait_are_held_as_on_the_wire_and_go_out_as_they_were_made() {
        let small =
            |n: u32| Event { kind: Some(Kind::PointRefused(PointRefused { line: n, ..PointRefused::default() })) };
        let one = |from: u32| Batch {
            joined: vec![RankJoined { pid: from, ..RankJoined::default() }],
            reports: vec![RankReport { events: (from..from + 10_000).map(small).collect(), ..RankReport::default() }],
            ..Batch::default()
        };
        let mut out = SendQueue::new(40, Shared::default());
        let mut longest = 0;
        for from in 0..48 {
            let batch = one(from);
            longest = longest.max(batch.encoded_len() + LENGTH_PREFIX);
            out.push(batch);
            let (decoded, encoded) = held(&out);
            assert!(decoded <= DECODED_BYTES + longest && decoded == out.decoded_bytes, "{decoded}");
            // A batch's count of drops is added to it later.
            assert!(decoded + encoded <= out.bytes + 40 * LENGTH_PREFIX, "{decoded} {encoded} {}", out.bytes);
        }
        assert!(held(&out).1 > held(&out).0, "most of them are held as on the wire");
        assert_eq!((out.events_dropped, out.batches_dropped), (80_000, 8));
        for from in 8..48 {
            let next = out.unsent().unwrap();
            assert_eq!((next.sequence, &next.reports), (u64::from(from) + 1, &one(from).reports));
            assert_eq!(next.joined.len(), if from == 8 { 9 } else { 1 }, "those that were dropped had ranks");
            out.mark_sent();
            out.acknowledge(next.sequence);
        }
        assert_eq!((out.bytes, out.sent_bytes, out.decoded_bytes, out.encoded), (0, 0, 0, 0));
    }

    #[test]
    fn what_is_in_the_stream_is_bounded_in_bytes_and_goes_on_when_it_is_acknowledged() {
        let mut out = SendQueue::new(100, Shared::default());
        let one = || Batch {
            reports: vec![RankReport { events: vec![text(1 << 20)], ..RankReport::default() }],
            ..Batch::default()
        };
        (0..40).for_each(|_| out.push(one()));
        for acknowledged in 0..40 {
            while out.unsent().is_some() {
                out.mark_sent();
            }
            assert!(out.sent > 0 && out.sent_bytes <= STREAM_BYTES, "{} {}", out.sent, out.sent_bytes);
            out.acknowledge(acknowledged + 1);
        }
        assert!(out.is_empty() && !out.awaits());
        out.push(one());
        out.mark_sent();
        out.rewind();
        assert_eq!((out.unsent().map(|batch| batch.sequence), out.sent_bytes), (Some(41), 0));
    }

    #[test]
    fn a_batch_that_no_stream_survives_is_dropped_and_counted_and_its_ranks_go_on() {
        let mut out = SendQueue::new(8, Shared::default());
        out.push(Batch { left: vec![RankLeft::default()], ..batch(5) });
        for stream in 1..=REFUSALS {
            out.mark_sent();
            assert_eq!(out.rewind(), stream == REFUSALS);
        }
        assert_eq!(out.events_dropped, 5);
        let next = out.unsent().unwrap();
        assert_eq!((next.sequence, next.left.len(), events(&next)), (2, 1, 0));
        // A stream that took nothing says nothing about the batch.
        (0..10).for_each(|_| assert!(!out.rewind()));
    }
}
