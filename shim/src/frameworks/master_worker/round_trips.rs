//! Round trips of messages between the master and its workers, measured during an iteration without the workers' clocks.
//!
//! For a chunk sent to an idle worker, the round trip is the time from the send to the arrival of the result, minus the time
//! for which the worker held the chunk. Five kinds of chunks are left out: a prefetched chunk waited at the worker for an
//! unknown time, a result that arrived while the master was busy was noticed late, a message behind another one waited
//! for that one's bytes, one of a burst, as at the start of an iteration, finds the cores busy with those who got the others, and one that
//! is handed over synchronously holds its sender until the receiver takes it.

use crate::records;
use crate::records::LinkCost;

/// Round trips recorded per iteration, for each of the two kinds of links: enough to learn from, few enough to cost nothing.
const RECORDED: u8 = 4;

#[derive(Clone, Debug, Default)]
struct WorkerTimes {
    /// Time at which a chunk was sent while the worker was idle; 0: none is out.
    sent_ns: u64,
    first_ns: u64,
    last_ns: u64,
    held_ns: u64,
    tasks: u64,
}

/// The messages of one iteration, by the worker's position in the team.
#[derive(Debug)]
pub struct RoundTrips {
    workers: Vec<WorkerTimes>,
    /// Time per byte to another host and on this host, nanoseconds; 0 where not measured.
    per_byte_ns: [f64; 2],
    /// Time at which the bytes sent so far will have left.
    clear_ns: u64,
    /// Whether something was sent since the master waited for messages: to another host, and on this host.
    has_sent: [bool; 2],
    recorded: [u8; 2],
    /// Arrival time of the messages being processed, and whether it is exact.
    now_ns: u64,
    exact: bool,
}

impl RoundTrips {
    /// For an iteration with `workers` workers and the measured costs of links to other hosts and on this host.
    pub fn new(workers: usize, links: &[Option<LinkCost>; 2]) -> RoundTrips {
        let times = vec![WorkerTimes::default(); workers];
        let per_byte_ns = links.map(|link| link.map_or(0.0, |link| link.per_byte_s * 1e9));
        RoundTrips {
            workers: times,
            per_byte_ns,
            clear_ns: 0,
            has_sent: [false; 2],
            recorded: [0; 2],
            now_ns: 0,
            exact: false,
        }
    }

    /// The master sends a chunk of `bytes` bytes to a worker that is `idle` or not, on this host (`here`) or not.
    pub fn on_sent(&mut self, worker: usize, idle: bool, here: bool, bytes: usize, now_ns: u64) {
        let times = &mut self.workers[worker];
        if times.first_ns == 0 {
            times.first_ns = now_ns;
        }
        if idle {
            times.sent_ns = if now_ns >= self.clear_ns && !self.has_sent[usize::from(here)] { now_ns } else { 0 };
        }
        self.has_sent[usize::from(here)] = true;
        let bytes_ns = bytes as f64 * self.per_byte_ns[usize::from(here)];
        self.clear_ns = self.clear_ns.max(now_ns).saturating_add(bytes_ns as u64);
    }

    /// The master starts to process messages at `now_ns`; `slept`: they arrived while it waited.
    pub fn on_woken(&mut self, now_ns: u64, slept: bool) {
        (self.now_ns, self.exact) = (now_ns, slept);
        self.has_sent = self.has_sent.map(|has_sent| has_sent && !slept);
    }

    /// Another worker has this place, or none.
    pub fn forget(&mut self, worker: usize) {
        self.workers[worker] = WorkerTimes::default();
    }

    /// The oldest chunk of a worker came back after the worker held it for `held_ns`. Returns the round trip, nanoseconds, if it
    /// could be measured.
    pub fn on_result(&mut self, worker: usize, tasks: u64, held_ns: u64) -> Option<u64> {
        let times = &mut self.workers[worker];
        times.last_ns = self.now_ns;
        times.held_ns = times.held_ns.saturating_add(held_ns);
        times.tasks += tasks;
        let sent_ns = std::mem::take(&mut times.sent_ns);
        if sent_ns == 0 || !self.exact {
            return None;
        }
        self.now_ns.checked_sub(sent_ns)?.checked_sub(held_ns).filter(|round_trip_ns| *round_trip_ns > 0)
    }

    /// Records a round trip, unless enough were recorded in this iteration.
    pub fn record(&mut self, here: bool, bytes: u64, round_trip_ns: u64, iteration: u64, rank: usize) {
        let recorded = &mut self.recorded[usize::from(here)];
        if *recorded < RECORDED {
            *recorded += 1;
            records::trip(here, self.now_ns, bytes, round_trip_ns, iteration, rank);
        }
    }

    /// Time per task that each worker spent waiting for messages and the master, seconds; 0 for a worker without tasks.
    pub fn waits_s(&self) -> Vec<f64> {
        let wait = |times: &WorkerTimes| {
            let there_ns = times.last_ns.saturating_sub(times.first_ns).saturating_sub(times.held_ns);
            if times.tasks > 0 { there_ns as f64 * 1e-9 / times.tasks as f64 } else { 0.0 }
        };
        self.workers.iter().map(wait).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trips() -> RoundTrips {
        let link = LinkCost {
            start_up_s: 1e-6,
            start_up_error_s: 0.0,
            per_byte_s: 1e-9,
            per_byte_error_s: 0.0,
            samples: 5,
            eager_bytes: 0,
            rendezvous_bytes: 0,
        };
        RoundTrips::new(2, &[None, Some(link)])
    }

    #[test]
    fn a_round_trip_is_the_time_that_the_worker_did_not_hold() {
        let mut round_trips = round_trips();
        round_trips.on_sent(0, true, true, 100, 1_000);
        round_trips.on_woken(10_000, true);
        assert_eq!(round_trips.on_result(0, 4, 7_000), Some(2_000));
        let waits_s = round_trips.waits_s();
        assert!((waits_s[0] - 500e-9).abs() < 1e-15 && waits_s[1] == 0.0, "{waits_s:?}");
    }

    #[test]
    fn of_a_burst_only_the_first_counts() {
        let mut round_trips = round_trips();
        round_trips.on_sent(0, true, true, 100, 1_000);
        round_trips.on_sent(1, true, true, 100, 5_000); // when the other's bytes have left
        round_trips.on_woken(20_000, true);
        assert_eq!(round_trips.on_result(0, 1, 15_000), Some(4_000));
        assert_eq!(round_trips.on_result(1, 1, 10_000), None);
        round_trips.on_sent(0, true, true, 100, 20_100);
        round_trips.on_sent(1, true, false, 100, 20_500); // the first to another host
        round_trips.on_woken(20_900, true);
        assert_eq!(round_trips.on_result(1, 1, 100), Some(300));
        round_trips.on_sent(1, true, true, 100, 21_000);
        round_trips.on_woken(30_000, false);
        round_trips.on_sent(0, true, true, 100, 31_000); // while the master is busy with what came
        round_trips.on_woken(40_000, true);
        assert_eq!(round_trips.on_result(1, 1, 15_000), Some(4_000));
        assert_eq!(round_trips.on_result(0, 1, 5_000), None);
    }

    #[test]
    fn prefetched_late_and_crowded_messages_are_left_out() {
        let mut round_trips = round_trips();
        round_trips.on_sent(0, true, true, 5_000, 1_000);
        round_trips.on_sent(1, true, true, 5_000, 2_000); // behind the other's bytes
        round_trips.on_sent(0, false, true, 100, 9_000); // prefetched
        round_trips.on_woken(20_000, true);
        assert_eq!(round_trips.on_result(1, 1, 5_000), None);
        assert_eq!(round_trips.on_result(0, 1, 5_000), Some(14_000));
        assert_eq!(round_trips.on_result(0, 1, 5_000), None);
        round_trips.on_sent(0, true, true, 100, 30_000);
        round_trips.on_woken(40_000, false);
        assert_eq!(round_trips.on_result(0, 1, 5_000), None, "the master was not waiting for it");
        round_trips.on_sent(0, true, true, 100, 50_000);
        round_trips.on_woken(60_000, true);
        assert_eq!(round_trips.on_result(0, 1, 50_000), None, "held for longer than it was away");
    }
}
