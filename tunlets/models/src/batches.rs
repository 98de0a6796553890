//! The search for the best chunks of a program that cuts them by itself: shares of its batches, the size of all chunks, or the share that each is of
//! what is left.
//!
//! DAF's divisors take as many batches as are needed; with few batches their last share stays large (0.59 of all for
//! three batches, 25 workers and a variation of 0.8). So the shares are searched: a first batch, then batches that fall
//! by a constant ratio, each judged by simulated iterations.

pub use crate::cutter::{Batches, Rest};
use crate::simulate::{Drawings, SimResult};
use crate::simulated_load::SimInput;
use midrun_scheduling::TechniqueParameters;

/// Approximate number of chunks simulated for one search; bounds its time.
const DRAWS: u64 = 500_000;
/// Simulated iterations for one candidate.
const RUNS: u64 = 12;
/// All candidates meet this fraction of these iterations, ...
const FEW: usize = 4;
/// ... and so many of the best the others.
const LEFT: usize = 24;
/// The first batch's share is tried in steps of 1 to this.
const STEPS: u32 = 40;
/// Ratio of a size of chunks, or of a share, that is tried to the next smaller one.
const FINER: f64 = std::f64::consts::SQRT_2;
/// Ratios of the share of each further batch to that of the one before it.
const FALLS: [f64; 7] = [0.15, 0.25, 0.35, 0.5, 0.65, 0.8, 1.0];

/// The best batches found, and what they take.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The batches.
    pub batches: Batches,
    /// Expected iteration time / ideal.
    pub ratio: f64,
}

/// Shares of all tasks that are tried for so many batches; they sum to 1.
fn candidates(batches: usize) -> impl Iterator<Item = Vec<f64>> {
    let firsts = (1..STEPS).map(|n| f64::from(n) / f64::from(STEPS));
    let pairs = firsts.flat_map(|first| FALLS.map(|fall| (first, fall)));
    pairs.take(if batches == 1 { 1 } else { usize::MAX }).map(move |(first, fall)| {
        let weights: Vec<f64> = (1..batches).map(|n| f64::powi(fall, n as i32)).collect();
        let sum: f64 = weights.iter().sum();
        let rest = weights.iter().map(|weight| (1.0 - first) * weight / sum);
        std::iter::once(if batches == 1 { 1.0 } else { first }).chain(rest).collect()
    })
}

/// The best found of `count` batches in iterations like `load`, drawn by seeds from `seed` on. They take all tasks; or, where it is known what the
/// program does with what they leave ([`Rest`]), they may leave some. Nothing where there is nothing to cut: no batch, no task, no worker.
pub fn best(load: &SimInput, count: usize, leaving: Option<Rest>, seed: u64) -> Option<Found> {
    if count == 0 {
        return None;
    }
    let whole = candidates(count).map(|shares| Batches::of_all(&shares, Rest::OneBatch));
    let some = leaving
        .into_iter()
        .flat_map(|rest| candidates(count + 1).map(move |shares| Batches::of_all(&shares[..count], rest)));
    let all = u64::from(STEPS) * FALLS.len() as u64 * (1 + u64::from(leaving.is_some()));
    best_of(load, whole.chain(some), all * u64::from(load.workers) * count as u64, seed)
}

/// The best found of chunks with `least` to `most` tasks each, as [`best`]; of sizes that the search can afford.
pub fn best_chunk(load: &SimInput, (least, most): (u64, u64), seed: u64) -> Option<Found> {
    let largest = load.tasks.div_ceil(u64::from(load.workers).max(1)).min(most).max(least).max(1);
    // A geometric series: of the finest there may be this share of all draws.
    let finest = load.tasks.div_ceil((DRAWS as f64 * (1.0 - 1.0 / FINER)) as u64).max(least).max(1);
    let steps = std::iter::successors(Some(largest as f64), |size| Some(size / FINER)).map(|size| size.round() as u64);
    let mut sizes: Vec<u64> = steps.take_while(|size| *size > finest).collect();
    sizes.dedup();
    sizes.push(finest);
    let chunks = sizes.iter().map(|size| load.tasks.div_ceil(*size)).sum();
    best_of(load, sizes.into_iter().map(Batches::of_chunks), chunks, seed)
}

/// The best found of guided chunks that are `least` to `most` of an equal part of what is left, as [`best`].
pub fn best_guided(load: &SimInput, (least, most): (f64, f64), seed: u64) -> Option<Found> {
    // A smaller share is single tasks from the first one on.
    let least = least.max(f64::from(load.workers) / load.tasks.max(1) as f64).min(most);
    if !(least > 0.0 && most.is_finite()) {
        return None;
    }
    let steps = std::iter::successors(Some(most), |share| Some(share / FINER)).take_while(|share| *share > least);
    let shares: Vec<f64> = steps.chain([least]).collect();
    // What is left falls by this factor with each chunk, down to the last task of each worker.
    let workers = f64::from(load.workers.max(1));
    let chunks = |share: &f64| workers / share * (1.0 + (load.tasks as f64 * share / workers).max(1.0).ln());
    let chunks = shares.iter().map(chunks).sum::<f64>() as u64;
    best_of(load, shares.into_iter().map(Batches::guided), chunks, seed)
}

/// The best of these, whose simulated iterations have so many chunks together.
fn best_of(load: &SimInput, candidates: impl Iterator<Item = Batches>, chunks: u64, seed: u64) -> Option<Found> {
    if load.tasks == 0 || load.workers == 0 || !load.variation.is_finite() {
        return None;
    }
    let runs = (DRAWS / chunks.max(1)).clamp(1, RUNS) as usize;
    let drawings = Drawings::new(load, seed..seed + runs as u64);
    let mut own = load.clone();
    let mut simulated = |batches: &Batches, runs: std::ops::Range<usize>, most_s: f64| {
        own.batches = Some(batches.clone());
        drawings.each_within(&own, &TechniqueParameters::FALLBACK, runs, most_s)
    };
    let total_s = |each: &[SimResult]| each.iter().map(|result| result.iteration_s).sum::<f64>();
    // A few drawings tell most candidates from the best; only those that they leave meet all.
    let few = runs.div_ceil(FEW);
    let mut left: Vec<(Batches, Vec<SimResult>)> = Vec::new();
    for batches in candidates {
        let last_s = left.get(LEFT - 1).map_or(f64::INFINITY, |(_, each)| total_s(each));
        let Some(each) = simulated(&batches, 0..few, last_s / few as f64) else { continue };
        let at = left.partition_point(|(_, known)| total_s(known) <= total_s(&each));
        left.insert(at, (batches, each));
        left.truncate(LEFT);
    }
    let mut best: Option<(f64, Found)> = None;
    for (batches, mut each) in left {
        let most_s = best.as_ref().map_or(f64::INFINITY, |(least_s, _)| *least_s);
        let more_s = (most_s - total_s(&each)) / (runs - few).max(1) as f64;
        let Some(more) = simulated(&batches, few..runs, more_s) else { continue };
        each.extend(more);
        if total_s(&each) < most_s {
            best = Some((total_s(&each), Found { batches, ratio: SimResult::mean(&each).ratio() }));
        }
    }
    best.map(|(_, found)| found)
}

/// Iteration time / ideal with these batches over `runs` drawn iterations like `load`. The same arguments give the same result.
pub fn expected_ratio(load: &SimInput, batches: Batches, runs: u64) -> f64 {
    let own = SimInput { batches: Some(batches), ..load.clone() };
    Drawings::new(load, 0..runs.max(1)).run(&own, &TechniqueParameters::FALLBACK, runs.max(1) as usize).ratio()
}

/// Tasks of one size on workers of these relative times per task, whose messages cost nothing; `variation` is sigma/mu of one task.
pub fn load(variation: f64, tasks: u64, slowness: &[f64]) -> SimInput {
    let (workers, slowness) = (slowness.len() as u32, slowness.to_vec());
    SimInput { tasks, workers, mean_s: 1.0, variation, slowness, ..SimInput::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factoring::static_excess;
    use proptest::prelude::*;

    fn ratio(shares: &[f64], variation: f64, tasks: u64, slowness: &[f64]) -> f64 {
        expected_ratio(&load(variation, tasks, slowness), Batches::of_all(shares, Rest::OneBatch), 400)
    }

    fn found(variation: f64, tasks: u64, slowness: &[f64], batches: usize) -> Vec<f64> {
        best(&load(variation, tasks, slowness), batches, None, 0).unwrap().batches.shares_of_all()
    }

    #[test]
    fn one_batch_is_the_static_split() {
        let ratio = ratio(&[1.0], 0.8, 10_000, &[1.0; 25]);
        assert!((ratio - 1.0 - static_excess(0.8, 10_000, 25)).abs() < 0.004, "{ratio}");
        assert_eq!(found(0.8, 10_000, &[1.0; 25], 1), [1.0]);
    }

    #[test]
    fn few_batches_end_near_the_ideal() {
        for (variation, workers, batches, at_most) in
            [(0.8, 25, 3, 1.025), (0.4, 25, 3, 1.015), (0.8, 50, 4, 1.03), (0.8, 8, 2, 1.02), (0.8, 25, 6, 1.015)]
        {
            let workers = vec![1.0; workers];
            let found = found(variation, 10_000, &workers, batches);
            let reached = ratio(&found, variation, 10_000, &workers);
            assert!(reached < at_most, "{found:?}: {reached}");
            let equal = vec![1.0 / batches as f64; batches];
            assert!(reached < ratio(&equal, variation, 10_000, &workers), "{found:?}");
        }
    }

    #[test]
    fn where_workers_are_unequal_the_first_batch_leaves_more_to_even_out() {
        let unequal: Vec<f64> = (0..12).map(|worker| if worker < 6 { 3.0 } else { 1.0 }).collect();
        let of_equal = found(0.2, 10_000, &[1.0; 12], 4);
        let of_own = found(0.2, 10_000, &unequal, 4);
        let [known, blind] = [&of_own, &of_equal].map(|of| ratio(of, 0.2, 10_000, &unequal));
        assert!(of_own[0] < of_equal[0] && known < 1.1 && known < 0.8 * blind, "{of_own:?}: {known} {blind}");
    }

    #[test]
    fn where_dear_tasks_come_last_they_go_out_in_small_chunks() {
        let rising =
            SimInput { profile: (0..64).map(|at| f64::from(at) / 31.5).collect(), ..load(0.2, 4_000, &[1.0; 12]) };
        let of_rising = best(&rising, 3, None, 0).unwrap();
        let blind = best(&load(0.6, 4_000, &[1.0; 12]), 3, None, 0).unwrap().batches;
        let blind = expected_ratio(&rising, blind, 100);
        assert!(of_rising.ratio < 1.08 && blind > of_rising.ratio + 0.02, "{of_rising:?}: {blind}");
    }

    #[test]
    fn what_the_batches_leave_is_one_batch_more_where_the_program_sends_it_so() {
        let load = load(1.5, 2_000, &[1.0; 12]);
        let [whole, leaving] = [None, Some(Rest::OneBatch)].map(|leaving| best(&load, 2, leaving, 0).unwrap().batches);
        assert!(whole.left() < 1e-9 && leaving.left() > 0.01, "{leaving:?}");
        assert!(expected_ratio(&load, leaving, 200) < expected_ratio(&load, whole, 200) - 0.01);
    }

    #[test]
    fn chunks_are_the_smaller_the_less_one_costs_and_the_more_tasks_differ() {
        let of = |variation: f64, unexplained_s: f64| {
            let load = SimInput { unexplained_s, ..load(variation, 4_000, &[1.0; 8]) };
            let found = best_chunk(&load, (1, 1_000), 0).unwrap();
            let chunk = found.batches.size().unwrap();
            let ratio = |chunk| expected_ratio(&load, Batches::of_chunks(chunk), 100);
            let [own, twice, half] = [chunk, 2 * chunk, (chunk / 2).max(1)].map(ratio);
            assert!(own < twice + 0.002 && own < half + 0.002, "{chunk}: {own} {twice} {half}");
            chunk
        };
        let [cheap, dear, even] = [of(0.5, 0.01), of(0.5, 5.0), of(0.01, 5.0)];
        assert!(cheap < dear && dear <= even, "{cheap} {dear} {even}");
        assert_eq!(best_chunk(&load(0.5, 4_000, &[1.0; 8]), (50, 60), 0).unwrap().batches.size(), Some(50));
        assert_eq!(best_chunk(&load(0.5, 0, &[1.0; 8]), (1, 60), 0), None);
    }

    #[test]
    fn guided_chunks_are_the_smaller_the_dearer_the_first_tasks_are() {
        let falling = SimInput {
            profile: (0..64).map(|at| 2.0 - f64::from(at) / 31.5).collect(),
            unexplained_s: 0.1,
            ..load(0.1, 2_000, &[1.0; 8])
        };
        let share = |load: &SimInput| match best_guided(load, (0.05, 1.0), 0).unwrap().batches.rest {
            Rest::Guided(share) => share,
            other => panic!("{other:?}"),
        };
        let even = SimInput { profile: Vec::new(), ..falling.clone() };
        assert!(share(&falling) < 0.8 && share(&even) > share(&falling), "{} {}", share(&falling), share(&even));
        assert!(best_guided(&even, (0.0, 1.0), 0).is_some() && best_guided(&even, (0.0, 0.0), 0).is_none());
        assert_eq!(best_guided(&load(0.1, 0, &[1.0; 8]), (0.05, 1.0), 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]
        #[test]
        fn shares_sum_to_one_wherever_there_is_something_to_cut(
            variation in 0.0_f64..3.0, tasks in 0_u64..100_000, workers in 0_usize..200, batches in 0_usize..8,
        ) {
            let found = best(&load(variation, tasks, &vec![1.0; workers]), batches, None, 0);
            prop_assert_eq!(found.is_some(), tasks > 0 && workers > 0 && batches > 0);
            if let Some(found) = found {
                prop_assert!((found.batches.shares_of_all().iter().sum::<f64>() - 1.0).abs() < 1e-9);
                prop_assert!(found.ratio.is_finite());
            }
        }
    }
}
