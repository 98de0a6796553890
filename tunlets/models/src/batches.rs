//! Shares of the batches for programs that cut a fixed number of batches themselves.
//!
//! DAF's divisors take as many batches as are needed; with few batches their last share stays large (0.59 of all for
//! three batches, 25 workers and a variation of 0.8). So the shares are searched: a first batch, then batches that fall
//! by a constant ratio, each judged by handing out drawn chunks.

use crate::random::Random;
use std::collections::BinaryHeap;

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

/// The best shares found for `batches` batches of one chunk per worker each; `variation` is sigma/mu of one task, `slowness` the relative
/// time of a task on each worker. `None` where there is nothing to cut: no batch, no task, no worker.
pub fn best(variation: f64, tasks: u64, slowness: &[f64], batches: usize) -> Option<Batches> {
    if batches == 0 || tasks == 0 || slowness.is_empty() || !variation.is_finite() {
        return None;
    }
    let mut best: Option<Batches> = None;
    let all = u64::from(STEPS) * FALLS.len() as u64;
    let runs = (DRAWS / (all * slowness.len() as u64 * batches as u64).max(1)).clamp(1, RUNS);
    for first in (1..STEPS).map(|n| f64::from(n) / f64::from(STEPS)) {
        for fall in FALLS {
            let weights: Vec<f64> = (1..batches).map(|n| f64::powi(fall, n as i32)).collect();
            let sum: f64 = weights.iter().sum();
            let rest = weights.iter().map(|weight| (1.0 - first) * weight / sum);
            let shares: Vec<f64> = std::iter::once(if batches == 1 { 1.0 } else { first }).chain(rest).collect();
            let ratio = expected_ratio(&shares, variation, tasks, slowness, runs);
            if best.as_ref().is_none_or(|known| ratio < known.ratio) {
                best = Some(Batches { shares, ratio, runs });
            }
        }
    }
    best
}

/// Iteration time / ideal over `runs` drawn iterations: each batch is cut into one chunk per worker, a free worker gets
/// the next. The same arguments give the same result.
pub fn expected_ratio(shares: &[f64], variation: f64, tasks: u64, slowness: &[f64], runs: u64) -> f64 {
    let each = tasks as f64 / slowness.len().max(1) as f64;
    let total: f64 = (0..runs.max(1)).map(|seed| iteration(shares, variation, each, slowness, seed)).sum();
    total / runs.max(1) as f64
}

fn iteration(shares: &[f64], variation: f64, each: f64, slowness: &[f64], seed: u64) -> f64 {
    let mut random = Random::new(seed);
    // When each worker is free.
    let mut free: BinaryHeap<(Time, usize)> = (0..slowness.len()).map(|worker| (Time(0.0), worker)).collect();
    let mut work = 0.0;
    for share in shares {
        let tasks = share * each;
        for _ in slowness {
            let chunk = (tasks + variation * tasks.sqrt() * random.normal()).max(0.0);
            work += chunk;
            if let Some((Time(begin), worker)) = free.pop() {
                free.push((Time(begin + chunk * slowness[worker]), worker));
            }
        }
    }
    let end = free.into_iter().map(|(Time(time), _)| time).fold(0.0, f64::max);
    let speed: f64 = slowness.iter().map(|slow| 1.0 / slow).sum();
    if work > 0.0 { end * speed / work } else { 1.0 }
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
        let ratio = expected_ratio(&[1.0], 0.8, 10_000, &[1.0; 25], 400);
        assert!((ratio - 1.0 - static_excess(0.8, 10_000, 25)).abs() < 0.004, "{ratio}");
        assert_eq!(best(0.8, 10_000, &[1.0; 25], 1).unwrap().shares, [1.0]);
    }

    #[test]
    fn few_batches_end_near_the_ideal() {
        for (variation, workers, batches, at_most) in
            [(0.8, 25, 3, 1.025), (0.4, 25, 3, 1.015), (0.8, 50, 4, 1.03), (0.8, 8, 2, 1.02), (0.8, 25, 6, 1.015)]
        {
            let workers = vec![1.0; workers];
            let found = best(variation, 10_000, &workers, batches).unwrap();
            let ratio = expected_ratio(&found.shares, variation, 10_000, &workers, 400);
            assert!(ratio < at_most, "{found:?}: {ratio}");
            let equal = vec![1.0 / batches as f64; batches];
            assert!(ratio < expected_ratio(&equal, variation, 10_000, &workers, 400), "{found:?}");
        }
    }

    #[test]
    fn where_workers_are_unequal_the_first_batch_leaves_more_to_even_out() {
        let unequal: Vec<f64> = (0..12).map(|worker| if worker < 6 { 3.0 } else { 1.0 }).collect();
        let of_equal = best(0.2, 10_000, &[1.0; 12], 4).unwrap().shares;
        let found = best(0.2, 10_000, &unequal, 4).unwrap();
        let [known, blind] = [&found.shares, &of_equal].map(|of| expected_ratio(of, 0.2, 10_000, &unequal, 400));
        assert!(found.shares[0] < of_equal[0] && known < 1.1 && known < 0.8 * blind, "{found:?}: {known} {blind}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]
        #[test]
        fn shares_sum_to_one_wherever_there_is_something_to_cut(
            variation in 0.0_f64..3.0, tasks in 0_u64..100_000, workers in 0_usize..200, batches in 0_usize..8,
        ) {
            let found = best(variation, tasks, &vec![1.0; workers], batches);
            prop_assert_eq!(found.is_some(), tasks > 0 && workers > 0 && batches > 0);
            if let Some(found) = found {
                prop_assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                prop_assert!(found.shares.iter().all(|share| *share > 0.0));
                prop_assert!(found.ratio.is_finite());
            }
        }
    }
}
