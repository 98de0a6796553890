//! Measures the cost of a message between the master and a worker by a short ping-pong of several sizes before an iteration,
//! and MPI's eager limit: the size from which on a send waits for the receiver.
//!
//! The messages use the same endpoint as every chunk, so the start-up time includes the wake-up of a sleeping rank. The master
//! does not wait for a worker that has not entered the iteration yet.

use super::message::{HEADER_BYTES, Header, Kind};
use crate::clock;
use crate::frameworks::endpoint::{Endpoint, Message};
use crate::mpi::MpiFailed;
use crate::records::LinkCost;
use midrun_statistics::median_and_error;
use std::collections::VecDeque;

/// Payloads, bytes, and round trips with each. Large payloads are sent only if smaller ones were fast, and the largest ones only if the
/// program's messages may be longer than those before.
const SIZES: [usize; 6] = [0, 1 << 10, 1 << 13, 1 << 16, 1 << 18, 1 << 20];
const SHORT: usize = 1 << 16;
const REPEATS: usize = 5;
/// After a size with a longer round trip, no larger one is tried.
const LONG_NS: u64 = 3_000_000;
/// The first answer must come within this time, each later one within this factor of the longest so far.
const PATIENCE_NS: u64 = 5_000_000;
const PATIENCE_FACTOR: u64 = 50;

/// The eager limit is searched between these payloads, bytes, until it is known to this share.
const EAGER_LEAST: usize = 128;
const EAGER_MOST: usize = 1 << 20;
const EAGER_SHARE: f64 = 0.1;
/// A send is eager if it completes within a share of a pause in which the worker does not poll. The pause is so many round trips of such a
/// message at first, up to a millisecond; if that is too short to tell, it is doubled, up to the longest.
const LOCAL_SHARE: f64 = 0.4;
const HOLD_ROUND_TRIPS: f64 = 10.0;
const LONGEST_FIRST_HOLD_NS: f64 = 1e6;
const LONGEST_HOLD_NS: f64 = 8e6;

/// Measures the messages to `worker`, which have at most `most` bytes; `None` when it does not answer in time.
pub fn measure(
    endpoint: &mut Endpoint,
    worker: usize,
    iteration: u64,
    most: usize,
) -> Result<Option<LinkCost>, MpiFailed> {
    let mut measurement =
        Measurement { endpoint, worker, iteration, messages: VecDeque::new(), patience_ns: PATIENCE_NS };
    let mut medians: Vec<(f64, f64)> = Vec::new();
    let mut smallest_s = Vec::new();
    for size in SIZES {
        let longest = medians.last().map_or(0.0, |(size, _)| *size);
        if size > SHORT && longest >= most as f64 {
            break;
        }
        let mut round_trips_ns = Vec::new();
        for _ in 0..REPEATS {
            let begin_ns = clock::now_ns();
            measurement.send(Kind::Probe, size, 0)?;
            let Some(round_trip_ns) = measurement.echo(begin_ns)? else { return Ok(None) };
            round_trips_ns.push(round_trip_ns);
        }
        if smallest_s.is_empty() {
            smallest_s.extend(round_trips_ns.iter().map(|ns| *ns as f64 * 1e-9));
        }
        round_trips_ns.sort_unstable();
        let median_ns = round_trips_ns[REPEATS / 2];
        medians.push((size as f64, median_ns as f64 * 1e-9));
        if median_ns > LONG_NS {
            break;
        }
    }
    let largest = medians.last().map_or(0, |(size, _)| *size as usize);
    let (eager_bytes, rendezvous_bytes) = measurement.switch_over(largest.min(EAGER_MOST), &medians)?;
    let samples = (medians.len() * REPEATS) as u32;
    Ok(Some(LinkCost { samples, eager_bytes, rendezvous_bytes, ..fit(&medians, &smallest_s) }))
}

/// A measurement with one worker.
struct Measurement<'a> {
    endpoint: &'a mut Endpoint,
    worker: usize,
    iteration: u64,
    messages: VecDeque<Message>,
    patience_ns: u64,
}

impl Measurement<'_> {
    fn send(&mut self, kind: Kind, payload: usize, total: u64) -> Result<(), MpiFailed> {
        let mut message = self.endpoint.buffer();
        Header { total, ..Header::new(kind, self.iteration) }.write(&mut message, payload);
        self.endpoint.send(self.worker, message)
    }

    /// Receives all messages and returns whether the answer is among them. Any other message before an iteration is a late one
    /// and is dropped.
    fn answered(&mut self) -> bool {
        let (iteration, worker) = (self.iteration, self.worker);
        let is_echo = |message: &Message| {
            let header = Header::read(&message.bytes).map(|(header, _)| header);
            message.from == worker && header.is_some_and(|h| h.kind == Kind::Echo && h.iteration == iteration)
        };
        self.messages.drain(..).filter(is_echo).count() > 0
    }

    /// Waits for the answer to the message sent at `begin_ns`; returns the round trip, nanoseconds, or `None` after too long.
    fn echo(&mut self, begin_ns: u64) -> Result<Option<u64>, MpiFailed> {
        loop {
            self.endpoint.wait(&mut self.messages, false)?;
            let spent_ns = clock::now_ns().saturating_sub(begin_ns);
            if self.answered() {
                self.patience_ns = self.patience_ns.max(PATIENCE_FACTOR * spent_ns);
                return Ok(Some(spent_ns));
            }
            if spent_ns > self.patience_ns {
                return Ok(None);
            }
        }
    }

    /// Finds by bisection the largest eager message and the smallest rendezvous message, bytes; (0, 0) if that was not possible.
    fn switch_over(&mut self, most: usize, round_trips: &[(f64, f64)]) -> Result<(usize, usize), MpiFailed> {
        let round_trip_s = |size: usize| {
            let of_size = round_trips.iter().find(|(of, _)| *of >= size as f64).or(round_trips.last());
            of_size.map_or(0.0, |(_, s)| *s)
        };
        let (mut eager, mut not) = (0, 0);
        for size in [EAGER_LEAST, most] {
            match self.is_eager(size, round_trip_s(size))? {
                Some(true) => eager = size + HEADER_BYTES,
                Some(false) => {
                    not = size + HEADER_BYTES;
                    break;
                }
                None => return Ok((0, 0)),
            }
        }
        while eager > 0 && not as f64 > eager as f64 * (1.0 + EAGER_SHARE) {
            let size = (eager as f64 * not as f64).sqrt() as usize;
            match self.is_eager(size - HEADER_BYTES, round_trip_s(size))? {
                Some(true) => eager = size,
                Some(false) => not = size,
                None => break,
            }
        }
        Ok((eager, not))
    }

    /// Returns whether a send of this payload, whose round trip takes so long, completes while the worker does not poll; `None` if that
    /// could not be measured. The worker's pause cannot have begun before the request was sent, so it lasts at least until `hold_ns` after
    /// that.
    fn is_eager(&mut self, payload: usize, round_trip_s: f64) -> Result<Option<bool>, MpiFailed> {
        let mut hold_ns = (HOLD_ROUND_TRIPS * round_trip_s * 1e9).clamp(1.0, LONGEST_FIRST_HOLD_NS);
        while hold_ns <= LONGEST_HOLD_NS {
            self.endpoint.flush()?;
            let begin_ns = clock::now_ns();
            self.send(Kind::Hold, 0, hold_ns as u64)?;
            if self.echo(begin_ns)?.is_none() {
                return Ok(None);
            }
            self.endpoint.flush()?;
            let sent_ns = clock::now_ns();
            self.send(Kind::Probe, payload, 0)?;
            let mut result = None;
            while result.is_none() {
                // Whatever takes the core in between makes no eager send one that waited, and none that waited eager.
                let waited_ns = clock::now_ns().saturating_sub(sent_ns);
                let complete = !self.endpoint.sending();
                if clock::now_ns().saturating_sub(begin_ns) as f64 >= hold_ns {
                    break;
                }
                result = (complete || waited_ns as f64 >= LOCAL_SHARE * hold_ns).then_some(complete);
                self.endpoint.progress(&mut self.messages)?;
            }
            if !self.answered() && self.echo(sent_ns)?.is_none() {
                return Ok(None);
            }
            if result.is_some() {
                return Ok(result);
            }
            hold_ns *= 2.0;
        }
        Ok(None)
    }
}

/// Fits `mo` and `lambda` to pairs of bytes one way and round trip in seconds; the answer carries no payload. `lambda` is the
/// median of the slopes between all pairs (Theil, Sen), which one disturbed point does not move; `mo` is the median of the
/// residuals. The errors follow from the scatter of slopes and residuals, and that of `mo` is no less than by the single round trips of the
/// smallest size, seconds. With a single size, `lambda` is unknown.
fn fit(points: &[(f64, f64)], smallest_s: &[f64]) -> LinkCost {
    let mut slopes = Vec::new();
    for (i, (x, y)) in points.iter().enumerate() {
        slopes.extend(points[i + 1..].iter().map(|(x2, y2)| (y2 - y) / (x2 - x)));
    }
    // `f64::max` takes 0 where nothing is known.
    let (slope, slope_error) = median_and_error(&slopes);
    let per_byte_s = slope.max(0.0);
    let rest: Vec<f64> = points.iter().map(|(x, y)| 0.5 * (y - per_byte_s * x)).collect();
    let (start_up_s, start_up_error_s) = median_and_error(&rest);
    // The slopes hold no more independent measurements than there are points.
    let dependent = (slopes.len() as f64 / points.len().max(1) as f64).sqrt();
    LinkCost {
        start_up_s: start_up_s.max(0.0),
        start_up_error_s: start_up_error_s.max(0.5 * median_and_error(smallest_s).1).max(0.0),
        per_byte_s,
        per_byte_error_s: (slope_error * dependent).max(0.0),
        samples: 0,
        eager_bytes: 0,
        rendezvous_bytes: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<(f64, f64)> {
        SIZES.iter().map(|s| (*s as f64, 2.0 * 50e-6 + 8e-8 * *s as f64)).collect()
    }

    #[test]
    fn start_up_and_byte_time_are_found_although_one_size_was_disturbed() {
        let mut points = points();
        points[2].1 += 0.4;
        let LinkCost { start_up_s, per_byte_s, .. } = fit(&points, &[]);
        assert!((start_up_s - 50e-6).abs() < 1e-9 && (per_byte_s - 8e-8).abs() < 1e-12, "{start_up_s} {per_byte_s}");
    }

    #[test]
    fn the_errors_cover_the_scatter_of_the_points() {
        let exact = fit(&points(), &[]);
        assert!(exact.start_up_error_s < 1e-9 && exact.per_byte_error_s < 1e-12, "{exact:?}");
        let mut rough = points();
        rough.iter_mut().zip([1.2, 0.9, 1.1, 0.8, 1.3, 0.9]).for_each(|(point, factor)| point.1 *= factor);
        let rough = fit(&rough, &[]);
        assert!(rough.start_up_error_s > 1e-6 && rough.start_up_error_s < 50e-6, "{rough:?}");
        assert!((rough.per_byte_s - 8e-8).abs() < 4.0 * rough.per_byte_error_s, "{rough:?}");
    }

    #[test]
    fn one_size_alone_gives_a_start_up_and_no_byte_time() {
        let one = fit(&[(0.0, 1e-4)], &[1e-4; 5]);
        assert_eq!((one.start_up_s, one.per_byte_s, one.start_up_error_s), (5e-5, 0.0, 0.0));
        // As where other programs take the cores.
        let crowded = fit(&[(0.0, 8e-3)], &[1e-4, 4e-3, 8e-3, 12e-3, 30e-3]);
        assert!(crowded.start_up_s == 4e-3 && crowded.start_up_error_s > 1e-3, "{crowded:?}");
        let none = fit(&[], &[]);
        assert_eq!((none.start_up_s, none.per_byte_s), (0.0, 0.0));
    }
}
