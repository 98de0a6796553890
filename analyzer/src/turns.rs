//! Windows that take turns: a program whose call ends an iteration only every m-th time, as mpi4py's `bcast`, which sends the size before
//! the data.
//!
//! The numbers of calls do not tell, for all of them keep their ratios. The times do: of windows in turns, m together scatter less than m that
//! have nothing to do with each other, whose variances add up,
//!
//! ```text
//! R_m = var(sums of m) / (m var(windows)) < F(k - 1, n - 1)
//! ```
//!
//! for k sums of n windows at the confidence level (Fisher), shared by the numbers that are tried.

use midrun_tunlets::chance::variance_ratio_probability;
use midrun_tunlets::confidence::LEVEL;

/// Most windows that make one iteration.
const MOST: usize = 6;
/// Windows that are looked at: of each number there are several sums.
pub const LOOKED_AT: usize = 8 * MOST;
/// What is longer than nine in ten is taken for disturbed, and for as long as they are.
const UNDISTURBED: f64 = 0.9;

/// How many windows of these times make one iteration; 1 where they take no turns.
pub fn per_iteration(times_s: &[f64]) -> u64 {
    let mut sorted = times_s.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(most_s) = sorted.get((UNDISTURBED * sorted.len() as f64) as usize) else { return 1 };
    let times_s: Vec<f64> = times_s.iter().map(|s| s.min(*most_s)).collect();
    let single = variance(&times_s);
    // They are all alike but for rounding.
    if single <= f64::EPSILON * most_s * most_s {
        return 1;
    }
    let of = |m: usize| {
        let sums: Vec<f64> = times_s.chunks_exact(m).map(|chunk| chunk.iter().sum()).collect();
        // Below the rounding all are alike.
        (m, sums.len() as f64 - 1.0, (variance(&sums) / (m as f64 * single)).max(f64::EPSILON))
    };
    let error = (1.0 - LEVEL) / (MOST - 1) as f64;
    let freedom = times_s.len() as f64 - 1.0;
    let surely = |(_, sums, ratio): &(usize, f64, f64)| variance_ratio_probability(*ratio, (*sums, freedom)) <= error;
    let turns: Vec<_> = (2..=MOST).map(of).filter(surely).collect();
    let Some((_, sums, least)) = turns.iter().copied().min_by(|a, b| a.2.total_cmp(&b.2)) else { return 1 };
    // Multiples of the right number scatter as little: the smallest that is not surely worse.
    let as_good = |(_, others, ratio): &&(usize, f64, f64)| {
        *ratio <= least || variance_ratio_probability(*ratio / least, (*others, sums)) < 1.0 - error
    };
    turns.iter().find(as_good).map_or(1, |(m, ..)| *m as u64)
}

fn variance(of: &[f64]) -> f64 {
    let mean = of.iter().sum::<f64>() / of.len().max(1) as f64;
    of.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (of.len() as f64 - 1.0).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, Gamma};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    /// Times of windows in turns: each of the means, with this variation.
    fn times(means: &[f64], variation: f64, seed: u64) -> Vec<f64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let shape = variation.powi(-2);
        let one = Gamma::new(shape, 1.0 / shape).expect("a distribution");
        (0..LOOKED_AT).map(|k| means[k % means.len()] * one.sample(&mut random)).collect()
    }

    #[test]
    fn a_size_and_its_data_make_one_iteration_and_so_do_three_kinds_of_windows() {
        for means in [&[0.016, 2e-5][..], &[2e-5, 1e-3, 0.016]] {
            let found: Vec<u64> = (0..50).map(|seed| per_iteration(&times(means, 0.2, seed))).collect();
            // A multiple is a window, too.
            assert!(found.iter().all(|several| several % means.len() as u64 == 0), "{found:?}");
            let right = found.iter().filter(|several| **several == means.len() as u64).count();
            assert!(right >= 48, "{right} of 50");
        }
        let disturbed: Vec<f64> =
            times(&[2e-5, 0.016], 0.2, 1).into_iter().enumerate().map(|(k, s)| if k == 20 { 1.0 } else { s }).collect();
        assert_eq!(per_iteration(&disturbed), 2);
    }

    #[test]
    fn windows_that_scatter_are_taken_for_turns_as_rarely_as_promised() {
        for variation in [0.01, 0.3, 1.0] {
            let wrong = (0..400).filter(|seed| per_iteration(&times(&[0.016], variation, *seed)) > 1).count();
            assert!(wrong as f64 <= 400.0 * (1.0 - LEVEL), "{wrong} of 400 at {variation}");
        }
        assert_eq!(per_iteration(&[]), 1);
        assert_eq!(per_iteration(&[0.5; LOOKED_AT]), 1);
    }
}
