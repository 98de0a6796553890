//! What a message of the program costs, from its sends and receives.
//!
//! A receive that waited when its message was sent shows the message's way: from the begin of the send to the end of the receive. So a
//! receive matches the first send of that rank to this one, of as many bytes, that began while it waited; one that found its message there
//! shows nothing. The message of a nonblocking send may rest until the program waits for it, so it shows nothing either, unless the program
//! waited at once: those that arrived before it did are the quick ones. Where the two ranks are on different hosts their clocks agree only
//! within an error, so that a receive has to have waited for longer than that, and the way out is put together with the next way back: in the
//! sum of both the clocks' offset cancels.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::events::{Moved, Trip};
use crate::limits;

/// One end of a message. Times in nanoseconds on the analyzer's clock.
#[derive(Clone, Copy, Debug)]
struct End {
    bytes: u64,
    begin_ns: i128,
    end_ns: i128,
    /// When the program began to wait for it, where its call did not.
    wait_ns: Option<i128>,
}

/// Ends of messages from one rank to another whose other end is not here yet, and the bytes and time of one whose clocks may be apart,
/// until one comes back.
#[derive(Clone, Debug, Default)]
struct Way {
    /// Messages that their sender, and their receiver, told of.
    told_of: [u64; 2],
    sent: VecDeque<End>,
    received: VecDeque<End>,
    out: Option<(u64, i128)>,
}

impl Way {
    fn is_repeated(&self) -> bool {
        self.told_of.iter().any(|messages| *messages > 1)
    }
}

/// What is known of messages by sender and receiver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {
    ways: BTreeMap<(u32, u32), Way>,
    /// See [`Messages::ways`].
    repeated: usize,
}

fn keep(list: &mut VecDeque<End>, new: End) {
    if list.len() >= limits::MESSAGES_PER_WAY {
        list.pop_front();
    }
    list.push_back(new);
}

impl Messages {
    /// A rank tells of a message; its host's clock has this offset, which is at most `error_ns` from the truth. Returns the round trip of a
    /// message and one back, once that is known.
    pub(crate) fn on_moved(&mut self, rank: u32, moved: &Moved, offset_ns: i64, error_ns: u64) -> Option<Trip> {
        let (from, to) = if moved.received { (moved.peer, rank) } else { (rank, moved.peer) };
        let at = |ns: u64| i128::from(ns) + i128::from(offset_ns);
        let (begin_ns, end_ns) = (at(moved.begin_ns), at(moved.end_ns));
        let new = End { bytes: moved.bytes, begin_ns, end_ns, wait_ns: moved.wait_ns.map(at) };
        if self.ways.len() >= limits::MESSAGE_WAYS && !self.ways.contains_key(&(from, to)) {
            return None;
        }
        let way = self.ways.entry((from, to)).or_default();
        self.repeated -= usize::from(way.is_repeated());
        way.told_of[usize::from(moved.received)] += 1;
        self.repeated += usize::from(way.is_repeated());
        let error_ns = if moved.same_host { 0 } else { i128::from(error_ns) };
        let matches = |sent: &End, got: &End| {
            sent.bytes == got.bytes && sent.begin_ns > got.begin_ns + error_ns && sent.begin_ns < got.end_ns + error_ns
        };
        let (sent, got) = if moved.received {
            let Some(at) = way.sent.iter().position(|sent| matches(sent, &new)) else {
                keep(&mut way.received, new);
                return None;
            };
            (way.sent.remove(at)?, new)
        } else {
            let Some(at) = way.received.iter().position(|got| matches(&new, got)) else {
                keep(&mut way.sent, new);
                return None;
            };
            (new, way.received.remove(at)?)
        };
        let took_ns = got.end_ns - sent.begin_ns;
        if sent.wait_ns.is_some_and(|wait_ns| wait_ns > sent.end_ns) {
            return None;
        }
        if moved.same_host {
            // There and back are alike on one host.
            return trip(true, 2 * u128::from(sent.bytes), 2 * took_ns);
        }
        way.out = Some((sent.bytes, took_ns));
        let (bytes, back_ns) = self.ways.get_mut(&(to, from))?.out.take()?;
        self.ways.get_mut(&(from, to))?.out = None;
        trip(false, u128::from(sent.bytes) + u128::from(bytes), took_ns + back_ns)
    }

    /// Senders and receivers of more than one message: a single one is no stream, such as a result at the end.
    fn streams(&self) -> impl Iterator<Item = (u32, u32)> {
        self.ways.iter().filter(|(_, way)| way.is_repeated()).map(|(way, _)| *way)
    }

    /// Between how many pairs of ranks more than one message was seen, each way for itself.
    pub(crate) fn ways(&self) -> usize {
        self.repeated
    }

    /// Whether all ranks of a world of this size get their work from one rank, pass it on three times at least, and no stream comes back, as in
    /// a pipeline. From a master tasks go out and results come back; results that all ranks send to one rank come from several; and where one
    /// hands out what another collects, the ranks between them are workers.
    pub(crate) fn go_one_way(&self, world_size: u32) -> bool {
        let ways: BTreeSet<(u32, u32)> = self.streams().collect();
        let senders: BTreeSet<u32> = ways.iter().map(|(from, _)| *from).collect();
        let mut awaited = BTreeMap::<u32, usize>::new();
        for (_, to) in &ways {
            *awaited.entry(*to).or_default() += 1;
        }
        let mut reached: Vec<u32> = senders.iter().copied().filter(|rank| !awaited.contains_key(rank)).collect();
        if reached.len() != 1 || awaited.len() + 1 != world_size as usize {
            return false;
        }
        // A rank is behind all that send to it; what is left over at the end is a circle.
        let (mut passed, mut depths) = (0, BTreeMap::<u32, u32>::new());
        while let Some(rank) = reached.pop() {
            passed += 1;
            let next = depths.get(&rank).copied().unwrap_or(0) + 1;
            for (_, to) in ways.range((rank, 0)..=(rank, u32::MAX)) {
                depths.entry(*to).and_modify(|depth| *depth = next.max(*depth)).or_insert(next);
                awaited.entry(*to).and_modify(|left| *left -= 1);
                if awaited.get(to) == Some(&0) {
                    reached.push(*to);
                }
            }
        }
        passed == world_size as usize && depths.values().any(|depth| *depth >= 3)
    }
}

fn trip(same_host: bool, bytes: u128, took_ns: i128) -> Option<Trip> {
    let trip_s = took_ns as f64 * 1e-9;
    (trip_s > 0.0 && trip_s < 2.0 * limits::MESSAGE_S).then_some(Trip { same_host, bytes: bytes as f64, trip_s })
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    fn moved(received: bool, peer: u32, same_host: bool, bytes: u64, (begin_us, end_us): (u64, u64)) -> Moved {
        Moved { received, peer, same_host, bytes, begin_ns: begin_us * US, end_ns: end_us * US, wait_ns: None }
    }

    #[test]
    fn a_receive_that_waited_shows_the_way_and_one_that_did_not_shows_nothing() {
        for receive_first in [false, true] {
            let mut messages = Messages::default();
            let send = moved(false, 1, true, 100, (50, 55));
            let receive = moved(true, 0, true, 100, (20, 80));
            let order = if receive_first { [(1, receive), (0, send)] } else { [(0, send), (1, receive)] };
            let [first, second] = order.map(|(rank, moved)| messages.on_moved(rank, &moved, 0, 0));
            assert_eq!(first, None);
            assert_eq!(second, Some(Trip { same_host: true, bytes: 200.0, trip_s: 60e-6 }));
        }
        let mut messages = Messages::default();
        assert_eq!(messages.on_moved(0, &moved(false, 1, true, 100, (50, 55)), 0, 0), None);
        for late in [
            moved(true, 0, true, 100, (60, 90)),
            moved(true, 0, true, 99, (20, 80)),
            moved(true, 2, true, 100, (20, 80)),
            moved(true, 0, true, 100, (20, 40)),
        ] {
            assert_eq!(messages.on_moved(1, &late, 0, 0), None, "{late:?}");
        }
    }

    #[test]
    fn a_nonblocking_send_may_have_rested_while_its_program_computed() {
        let trip = |wait_us| {
            let mut messages = Messages::default();
            let posted = Moved { wait_ns: Some(wait_us * US), ..moved(false, 1, true, 100, (50, 51)) };
            messages.on_moved(0, &posted, 0, 0);
            messages.on_moved(1, &moved(true, 0, true, 100, (20, 80)), 0, 0).map(|trip| (trip.trip_s * 1e6).round())
        };
        assert_eq!([51, 52, 90].map(trip), [Some(60.0), None, None]);
    }

    #[test]
    fn of_several_sends_in_one_wait_the_first_is_the_one() {
        let mut messages = Messages::default();
        for begin_us in [50, 60] {
            messages.on_moved(0, &moved(false, 1, true, 8, (begin_us, begin_us + 1)), 0, 0);
        }
        let trip = messages.on_moved(1, &moved(true, 0, true, 8, (20, 70)), 0, 0).unwrap();
        assert!((trip.trip_s - 40e-6).abs() < 1e-12, "{trip:?}");
    }

    #[test]
    fn over_hosts_the_clocks_offset_cancels_in_a_message_and_one_back() {
        // Rank 1's clock is 300 us ahead, which is known only to be within 400 us; a message takes 100 us, one back 140 us.
        let (ahead_us, error_ns) = (300, 400 * US);
        let mut messages = Messages::default();
        let mut tell = |rank, moved: Moved| messages.on_moved(rank, &moved, 0, error_ns);
        assert_eq!(tell(0, moved(false, 1, false, 10, (2000, 2010))), None);
        assert_eq!(tell(1, moved(true, 0, false, 10, (900 + ahead_us, 2100 + ahead_us))), None);
        assert_eq!(tell(1, moved(false, 0, false, 30, (3000 + ahead_us, 3010 + ahead_us))), None);
        let trip = tell(0, moved(true, 1, false, 30, (2200, 3140))).unwrap();
        assert!(!trip.same_host && trip.bytes == 40.0 && (trip.trip_s - 240e-6).abs() < 1e-12, "{trip:?}");
        // A receive that began within the clocks' error of the send may have found its message there.
        assert_eq!(tell(0, moved(false, 1, false, 10, (5000, 5010))), None);
        assert_eq!(tell(1, moved(true, 0, false, 10, (4900 + ahead_us, 5100 + ahead_us))), None);
        assert_eq!(tell(1, moved(false, 0, false, 30, (6000 + ahead_us, 6010 + ahead_us))), None);
        assert_eq!(tell(0, moved(true, 1, false, 30, (5200, 6140))), None);
    }

    #[test]
    fn what_finds_no_other_end_is_forgotten_in_time() {
        let mut messages = Messages::default();
        for begin_us in 0..3 * limits::MESSAGES_PER_WAY as u64 {
            messages.on_moved(0, &moved(false, 1, true, 8, (begin_us, begin_us)), 0, 0);
        }
        assert_eq!(messages.ways[&(0, 1)].sent.len(), limits::MESSAGES_PER_WAY);
        for peer in 0..2 * limits::MESSAGE_WAYS as u32 {
            messages.on_moved(0, &moved(false, peer, true, 8, (1, 1)), 0, 0);
        }
        assert_eq!(messages.ways.len(), limits::MESSAGE_WAYS);
    }

    #[test]
    fn a_pipeline_is_where_nothing_but_a_result_comes_back() {
        let one_way = |world_size: u32, ways: &[(u32, u32)]| {
            let mut messages = Messages::default();
            for (from, to) in ways.iter().flat_map(|way| [way; 2]) {
                messages.on_moved(*from, &moved(false, *to, true, 8, (1, 1)), 0, 0);
            }
            let repeated = messages.go_one_way(world_size);
            messages.on_moved(world_size - 1, &moved(false, 0, true, 8, (1, 1)), 0, 0);
            assert!(ways.contains(&(world_size - 1, 0)) || messages.go_one_way(world_size) == repeated, "{ways:?}");
            repeated
        };
        let chain = [(0, 1), (1, 2), (2, 3)];
        assert!(one_way(4, &chain));
        assert!(one_way(4, &[(3, 2), (2, 1), (1, 0)]));
        assert!(one_way(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]), "a stage with two replicas");
        assert!(one_way(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]), "a stage is left out");
        assert!(!one_way(5, &chain), "a rank has no part in it");
        assert!(!one_way(4, &[&chain[..], &[(3, 0)]].concat()), "a ring");
        assert!(!one_way(4, &[&chain[..], &[(3, 2)]].concat()), "an answer");
        let star = [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)];
        assert!(!one_way(4, &star), "a master and workers");
        assert!(!one_way(4, &star[..3]), "a master and workers that give nothing back yet");
        assert!(!one_way(4, &star[3..]), "results of parts that the ranks know by themselves");
        assert!(!one_way(4, &[(3, 2), (2, 0), (1, 0)]), "such results, through a tree");
        assert!(!one_way(5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]), "workers between two ranks");
        assert!(!one_way(3, &chain[..2]), "perhaps one such worker");
        assert!(!one_way(1, &[]));
    }
}
