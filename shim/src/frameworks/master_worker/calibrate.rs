//! What a message costs between the master and a worker: a short ping-pong of several sizes before an iteration.
//!
//! It goes through the same post as every chunk, so the wake-up of a sleeping rank is part of the start-up time. A worker
//! that is not there yet is not waited for.

use super::message::{Header, Kind};
use crate::clock;
use crate::frameworks::post::Post;
use crate::port::MpiFailed;
use std::collections::VecDeque;

/// Payloads, bytes, and round trips of each. Large ones only where the small ones were fast.
const SIZES: [usize; 6] = [0, 1 << 10, 1 << 13, 1 << 16, 1 << 18, 1 << 20];
const REPEATS: usize = 5;
/// After a size whose round trip takes longer, no larger one is tried.
const LONG_NS: u64 = 3_000_000;
/// The first answer must come within this time, every other within so many times the longest until then.
const PATIENCE_NS: u64 = 5_000_000;
const PATIENCE_FACTOR: u64 = 50;

/// What was measured of one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Start-up time of a message, seconds (`mo`).
    pub start_up_s: f64,
    /// Time of a byte, seconds (`lambda`).
    pub per_byte_s: f64,
    /// Round trips measured.
    pub samples: u32,
}

/// Measures the way to `worker`; `None` when it does not answer in time.
pub fn measure(post: &mut Post, worker: usize, iteration: u64) -> Result<Option<Link>, MpiFailed> {
    let mut letters = VecDeque::new();
    let mut medians = Vec::new();
    let mut patience_ns = PATIENCE_NS;
    for size in SIZES {
        let mut trips_ns = Vec::new();
        for _ in 0..REPEATS {
            let mut probe = post.buffer();
            let header = Header::new(Kind::Probe, iteration);
            header.write(&mut probe, size);
            let begin_ns = clock::now_ns();
            post.send(worker, probe)?;
            let trip_ns = loop {
                post.wait(&mut letters, false)?;
                let spent_ns = clock::now_ns().saturating_sub(begin_ns);
                // Whatever else arrives before an iteration is late and says nothing any more.
                let echoes = letters.drain(..).filter(|letter| {
                    Header::read(&letter.bytes).is_some_and(|(h, _)| h.kind == Kind::Echo && h.iteration == iteration)
                });
                if echoes.count() > 0 {
                    break spent_ns;
                }
                if spent_ns > patience_ns {
                    return Ok(None);
                }
            };
            trips_ns.push(trip_ns);
            patience_ns = patience_ns.max(PATIENCE_FACTOR * trip_ns);
        }
        trips_ns.sort_unstable();
        let median_ns = trips_ns[REPEATS / 2];
        medians.push((size as f64, median_ns as f64 * 1e-9));
        if median_ns > LONG_NS {
            break;
        }
    }
    let (start_up_s, per_byte_s) = fit(&medians);
    Ok(Some(Link { start_up_s, per_byte_s, samples: (medians.len() * REPEATS) as u32 }))
}

/// `mo` and `lambda` of (bytes one way, round trip in seconds): the median of the slopes between all pairs (Theil, Sen),
/// which a disturbed point does not move, and the median of what is left. The answer carries no payload.
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let mut slopes = Vec::new();
    for (i, (x, y)) in points.iter().enumerate() {
        slopes.extend(points[i + 1..].iter().map(|(x2, y2)| (y2 - y) / (x2 - x)));
    }
    let per_byte_s = median(slopes).max(0.0);
    let rest = points.iter().map(|(x, y)| 0.5 * (y - per_byte_s * x)).collect();
    (median(rest).max(0.0), per_byte_s)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_up_and_byte_time_are_found_though_one_size_was_disturbed() {
        let mut points: Vec<(f64, f64)> = SIZES.iter().map(|s| (*s as f64, 2.0 * 50e-6 + 8e-8 * *s as f64)).collect();
        points[2].1 += 0.4;
        let (start_up_s, per_byte_s) = fit(&points);
        assert!((start_up_s - 50e-6).abs() < 1e-9 && (per_byte_s - 8e-8).abs() < 1e-12, "{start_up_s} {per_byte_s}");
    }

    #[test]
    fn one_size_alone_gives_a_start_up_and_no_byte_time() {
        assert_eq!(fit(&[(0.0, 1e-4)]), (5e-5, 0.0));
        assert_eq!(fit(&[]), (0.0, 0.0));
    }
}
