//! Closed formulas of handing tasks out: divisors, the static split's loss, the least chunk.

use crate::order_statistics::expected_max_normal;

pub use midrun_scheduling::{daf_divisor, fac_divisor};

/// By which share a static split ends above the ideal `M mu/N`: the slowest of N sums of M/N tasks.
///
/// `variation` is sigma/mu of one task. César 2006, ch. III: 0.07 to 0.09 for 0.8, 10 000 tasks and 25 workers.
pub fn static_excess(variation: f64, tasks: u64, workers: u32) -> f64 {
    let each = tasks as f64 / f64::from(workers.max(1));
    if each > 0.0 { variation / each.sqrt() * expected_max_normal(workers) } else { 0.0 }
}

/// César 2006's upper bound of the imbalance of one chunk per worker: `1/(1 + (mu/sigma) sqrt(2/x))`.
pub fn imbalance_bound(variation: f64, workers: u32) -> f64 {
    if variation > 0.0 { 1.0 / (1.0 + (2.0 / f64::from(workers.max(1))).sqrt() / variation) } else { 0.0 }
}

/// Fewest tasks per chunk that keep the master from being the bottleneck: a chunk computes longer than the master
/// needs to serve the other N-1 workers.
///
/// `overhead_s` is the master's time per chunk, `mean_s` that of one task, seconds; 1 where they make no sense.
pub fn least_chunk(overhead_s: f64, mean_s: f64, workers: u32) -> u64 {
    let needed = overhead_s * f64::from(workers.max(1) - 1) / mean_s;
    if needed.is_finite() && needed > 0.0 { needed.min(1e9) as u64 + 1 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_static_split_loses_seven_to_nine_per_cent_at_a_variation_of_eighty() {
        let excess = static_excess(0.8, 10_000, 25);
        assert!((0.07..0.09).contains(&excess), "{excess}");
        assert_eq!(static_excess(0.0, 10_000, 25), 0.0);
        assert_eq!(static_excess(0.8, 0, 25), 0.0);
    }

    #[test]
    fn the_imbalance_bound_is_that_of_the_source() {
        assert!((imbalance_bound(0.8, 8) - 1.0 / (1.0 + 0.5 / 0.8)).abs() < 1e-12);
        assert_eq!(imbalance_bound(0.0, 8), 0.0);
    }

    #[test]
    fn a_chunk_outlasts_the_service_of_the_other_workers() {
        assert_eq!(least_chunk(1e-4, 1e-3, 51), 6);
        assert_eq!(least_chunk(1e-5, 1e-3, 25), 1);
        assert_eq!(least_chunk(1e-4, 0.0, 25), 1);
        assert_eq!(least_chunk(f64::NAN, 1e-3, 25), 1);
    }
}
