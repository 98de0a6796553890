//! Shares of the batches for programs that cut a fixed number of batches themselves.
//!
//! DAF's divisors take as many batches as are needed; with few batches their last share stays large (0.59 of all for
//! three batches, 25 workers and a variation of 0.8). So the shares are searched: a first batch, then batches that fall
//! by a constant ratio, each judged by handing out drawn chunks.

use crate::random::Random;

/// Approximate number of chunks drawn for one search; bounds its time.
const DRAWS: u64 = 500_000;
/// Drawn iterations for one candidate.
const RUNS: u64 = 12;
/// The first batch's share is tried in steps of 1 to this.
const STEPS: u32 = 40;
/// Ratios of the share of each further batch to that of the one before it.
const FALLS: [f64; 7] = [0.15, 0.25, 0.35, 0.5, 0.65, 0.8, 1.0];

/// Shares of the batches and the expected iteration time.
#[derive(Clone, Debug, PartialEq)]
pub struct Batches {
    /// Share of all tasks of each batch; they sum to 1.
    pub shares: Vec<f64>,
    /// Expected iteration time / ideal.
    pub ratio: f64,
    /// Drawn iterations that it rests on.
    pub runs: u64,
}

/// The best shares found for `batches` batches of one chunk per worker each; `variation` is sigma/mu of one task.
/// `None` where there is nothing to cut: no batch, no task, no worker.
pub fn best(variation: f64, tasks: u64, workers: u32, batches: usize) -> Option<Batches> {
    if batches == 0 || tasks == 0 || workers == 0 || !variation.is_finite() {
        return None;
    }
    let mut best: Option<Batches> = None;
    let all = u64::from(STEPS) * FALLS.len() as u64;
    let runs = (DRAWS / (all * u64::from(workers) * batches as u64).max(1)).clamp(1, RUNS);
    for first in (1..STEPS).map(|n| f64::from(n) / f64::from(STEPS)) {
        for fall in FALLS {
            let weights: Vec<f64> = (1..batches).map(|n| f64::powi(fall, n as i32)).collect();
            let sum: f64 = weights.iter().sum();
            let rest = weights.iter().map(|weight| (1.0 - first) * weight / sum);
            let shares: Vec<f64> = std::iter::once(if batches == 1 { 1.0 } else { first }).chain(rest).collect();
            let ratio = expected_ratio(&shares, variation, tasks, workers, runs);
            if best.as_ref().is_none_or(|known| ratio < known.ratio) {
                best = Some(Batches { shares, ratio, runs });
            }
        }
    }
    best
}

/// Iteration time / ideal over `runs` drawn iterations: each batch is cut into one chunk per worker, a free worker gets
/// the next. The same arguments give the same result.
pub fn expected_ratio(shares: &[f64], variation: f64, tasks: u64, workers: u32, runs: u64) -> f64 {
    let each = tasks as f64 / f64::from(workers.max(1));
    let total: f64 = (0..runs.max(1)).map(|seed| iteration(shares, variation, each, workers, seed)).sum();
    total / runs.max(1) as f64
}

fn iteration(shares: &[f64], variation: f64, each: f64, workers: u32, seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let mut free = vec![0.0_f64; workers.max(1) as usize];
    let mut worked = 0.0;
    for share in shares {
        let tasks = share * each;
        // The worker that is free first takes the next chunk.
        free.sort_unstable_by(f64::total_cmp);
        let mut again = std::collections::BinaryHeap::new();
        let mut next = 0;
        for _ in 0..free.len() {
            let chunk = (tasks + variation * tasks.sqrt() * random.normal()).max(0.0);
            worked += chunk;
            let Time(soonest) = again.peek().copied().unwrap_or(Time(f64::INFINITY));
            let begin = match free.get(next) {
                Some(&time) if time <= soonest => {
                    next += 1;
                    time
                }
                _ => {
                    again.pop();
                    soonest
                }
            };
            again.push(Time(begin + chunk));
        }
        free.splice(..next, again.into_iter().map(|Time(time)| time));
    }
    let end = free.iter().copied().fold(0.0, f64::max);
    if worked > 0.0 { end * f64::from(workers) / worked } else { 1.0 }
}

/// A time that a heap gives back smallest first.
#[derive(Clone, Copy, PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factoring::static_excess;
    use proptest::prelude::*;

    #[test]
    fn one_batch_is_the_static_split() {
        let ratio = expected_ratio(&[1.0], 0.8, 10_000, 25, 400);
        assert!((ratio - 1.0 - static_excess(0.8, 10_000, 25)).abs() < 0.004, "{ratio}");
        assert_eq!(best(0.8, 10_000, 25, 1).unwrap().shares, [1.0]);
    }

    #[test]
    fn few_batches_end_near_the_ideal() {
        for (variation, workers, batches, at_most) in
            [(0.8, 25, 3, 1.025), (0.4, 25, 3, 1.015), (0.8, 50, 4, 1.03), (0.8, 8, 2, 1.02), (0.8, 25, 6, 1.015)]
        {
            let found = best(variation, 10_000, workers, batches).unwrap();
            let ratio = expected_ratio(&found.shares, variation, 10_000, workers, 400);
            assert!(ratio < at_most, "{found:?}: {ratio}");
            let equal = vec![1.0 / batches as f64; batches];
            assert!(ratio < expected_ratio(&equal, variation, 10_000, workers, 400), "{found:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]
        #[test]
        fn shares_sum_to_one_wherever_there_is_something_to_cut(
            variation in 0.0_f64..3.0, tasks in 0_u64..100_000, workers in 0_u32..200, batches in 0_usize..8,
        ) {
            let found = best(variation, tasks, workers, batches);
            prop_assert_eq!(found.is_some(), tasks > 0 && workers > 0 && batches > 0);
            if let Some(found) = found {
                prop_assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                prop_assert!(found.shares.iter().all(|share| *share > 0.0));
                prop_assert!(found.ratio.is_finite());
            }
        }
    }
}
