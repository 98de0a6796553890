//! What the master notices of its messages' ways in passing, without a clock of the workers.
//!
//! Of a chunk that found its worker idle, time from sending it to its result's arrival, less the time the worker held it,
//! is the way there and back. A chunk that was queued ahead lay at the worker for a time that nobody measures; a result that
//! arrived while the master was busy was noticed too late; a message behind another waited for it: they are left out.

use crate::records;
use crate::records::LinkCost;

/// Ways that are told per iteration and class of links: enough to learn from, too few to matter.
const TOLD: u8 = 4;

#[derive(Clone, Debug, Default)]
struct Place {
    /// When the chunk that found it idle was sent; 0 = there is none.
    sent_ns: u64,
    first_ns: u64,
    last_ns: u64,
    held_ns: u64,
    tasks: u64,
}

/// One iteration's messages, by worker's place.
#[derive(Debug)]
pub struct Trips {
    places: Vec<Place>,
    /// Time of a byte to another host and on this one, nanoseconds, where measured.
    per_byte_ns: [f64; 2],
    /// When the bytes sent so far will have left.
    clear_ns: u64,
    told: [u8; 2],
    /// When the messages being taken in had arrived, and whether that is exact.
    now_ns: u64,
    exact: bool,
}

impl Trips {
    /// An iteration with so many workers; what calibration found of links to other hosts and on this one.
    pub fn new(workers: usize, links: &[Option<LinkCost>; 2]) -> Trips {
        let places = vec![Place::default(); workers];
        let per_byte_ns = links.map(|link| link.map_or(0.0, |link| link.per_byte_s * 1e9));
        Trips { places, per_byte_ns, clear_ns: 0, told: [0; 2], now_ns: 0, exact: false }
    }

    /// A chunk goes to a worker, idle or not, as a message of so many bytes.
    pub fn on_sent(&mut self, worker: usize, idle: bool, here: bool, bytes: usize, now_ns: u64) {
        let place = &mut self.places[worker];
        if place.first_ns == 0 {
            place.first_ns = now_ns;
        }
        if idle {
            place.sent_ns = if now_ns >= self.clear_ns { now_ns } else { 0 };
        }
        let bytes_ns = bytes as f64 * self.per_byte_ns[usize::from(here)];
        self.clear_ns = self.clear_ns.max(now_ns).saturating_add(bytes_ns as u64);
    }

    /// The master woke up at `now_ns`, or had not slept.
    pub fn on_woken(&mut self, now_ns: u64, slept: bool) {
        (self.now_ns, self.exact) = (now_ns, slept);
    }

    /// The oldest chunk of a worker came back after it was held for so long; of how many bytes both messages were.
    pub fn on_result(&mut self, worker: usize, tasks: u64, held_ns: u64) -> Option<u64> {
        let place = &mut self.places[worker];
        place.last_ns = self.now_ns;
        place.held_ns = place.held_ns.saturating_add(held_ns);
        place.tasks += tasks;
        let sent_ns = std::mem::take(&mut place.sent_ns);
        if sent_ns == 0 || !self.exact {
            return None;
        }
        self.now_ns.checked_sub(sent_ns)?.checked_sub(held_ns).filter(|trip_ns| *trip_ns > 0)
    }

    /// Tells a way there and back, unless enough were told.
    pub fn tell(&mut self, here: bool, bytes: u64, trip_ns: u64, iteration: u64, rank: usize) {
        let told = &mut self.told[usize::from(here)];
        if *told < TOLD {
            *told += 1;
            records::trip(here, self.now_ns, bytes, trip_ns, iteration, rank);
        }
    }

    /// How long each worker waited per task it did, seconds: what its messages and the master cost it; 0 where it did none.
    pub fn waits_s(&self) -> Vec<f64> {
        let wait = |place: &Place| {
            let there_ns = place.last_ns.saturating_sub(place.first_ns).saturating_sub(place.held_ns);
            if place.tasks > 0 { there_ns as f64 * 1e-9 / place.tasks as f64 } else { 0.0 }
        };
        self.places.iter().map(wait).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trips() -> Trips {
        let link = LinkCost {
            start_up_s: 1e-6,
            start_up_error_s: 0.0,
            per_byte_s: 1e-9,
            per_byte_error_s: 0.0,
            samples: 5,
            eager_bytes: 0,
            rendezvous_bytes: 0,
        };
        Trips::new(2, &[None, Some(link)])
    }

    #[test]
    fn a_way_is_what_the_worker_did_not_hold() {
        let mut trips = trips();
        trips.on_sent(0, true, true, 100, 1_000);
        trips.on_woken(10_000, true);
        assert_eq!(trips.on_result(0, 4, 7_000), Some(2_000));
        let waits_s = trips.waits_s();
        assert!((waits_s[0] - 500e-9).abs() < 1e-15 && waits_s[1] == 0.0, "{waits_s:?}");
    }

    #[test]
    fn queued_late_and_crowded_messages_say_nothing() {
        let mut trips = trips();
        trips.on_sent(0, true, true, 5_000, 1_000);
        trips.on_sent(1, true, true, 5_000, 2_000); // behind the other's bytes
        trips.on_sent(0, false, true, 100, 9_000); // queued ahead
        trips.on_woken(20_000, true);
        assert_eq!(trips.on_result(1, 1, 5_000), None);
        assert_eq!(trips.on_result(0, 1, 5_000), Some(14_000));
        assert_eq!(trips.on_result(0, 1, 5_000), None);
        trips.on_sent(0, true, true, 100, 30_000);
        trips.on_woken(40_000, false);
        assert_eq!(trips.on_result(0, 1, 5_000), None, "the master was not waiting for it");
        trips.on_sent(0, true, true, 100, 50_000);
        trips.on_woken(60_000, true);
        assert_eq!(trips.on_result(0, 1, 50_000), None, "held for longer than it was away");
    }
}
