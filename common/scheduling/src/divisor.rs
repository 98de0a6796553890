//! The divisors x of factoring: a batch is R/x of the R remaining tasks, a chunk R/(x N).

/// DAF (César 2006, ch. III): `x0 = 1 + v sqrt(N/2)` for the first batch, `xj = 2 + v sqrt(N/2)` for later ones.
///
/// x0 solves `mu F + sigma F sqrt(N/2) = mu M/N`: the slowest chunk of the batch is expected to end when the whole
/// iteration ideally ends. `variation` is v = sigma/mu.
pub fn daf_divisor(first: bool, variation: f64, workers: u32) -> f64 {
    let base = if first { 1.0 } else { 2.0 };
    base + variation * (f64::from(workers) / 2.0).sqrt()
}

/// FAC (Hummel, Schonberg, Flynn 1992): `b = N v/(2 sqrt(R))`, `x0 = 1 + b² + b sqrt(b² + 2)`,
/// `xj = 2 + b² + b sqrt(b² + 4)`. `remaining` is R before the batch.
pub fn fac_divisor(first: bool, variation: f64, workers: u32, remaining: u64) -> f64 {
    let b = f64::from(workers) * variation / (2.0 * (remaining.max(1) as f64).sqrt());
    let base = if first { 1.0 } else { 2.0 };
    base + b * b + b * (b * b + 2.0 * base).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daf_divisors_are_those_of_the_formula() {
        // sigma = 80 % of mu, 25 workers: sqrt(12.5) = 3.535534.
        assert!((daf_divisor(true, 0.8, 25) - 3.828_427).abs() < 1e-6);
        assert!((daf_divisor(false, 0.8, 25) - 4.828_427).abs() < 1e-6);
        assert_eq!(daf_divisor(true, 0.0, 25), 1.0);
    }

    #[test]
    fn the_first_daf_chunk_solves_its_equation() {
        let (m, n, mu, sigma) = (10_000.0_f64, 25.0_f64, 2e-3, 1.6e-3);
        let f = m / (daf_divisor(true, sigma / mu, 25) * n);
        assert!((mu * f + sigma * f * (n / 2.0).sqrt() - mu * m / n).abs() < 1e-12);
    }

    #[test]
    fn fac_with_even_tasks_schedules_everything_at_once_and_then_halves() {
        assert_eq!(fac_divisor(true, 0.0, 25, 10_000), 1.0);
        assert_eq!(fac_divisor(false, 0.0, 25, 10_000), 2.0);
        // b = 25 * 0.8 / (2 * 100) = 0.1
        assert!((fac_divisor(true, 0.8, 25, 10_000) - (1.01 + 0.1 * 2.01_f64.sqrt())).abs() < 1e-12);
        assert!((fac_divisor(false, 0.8, 25, 10_000) - (2.01 + 0.1 * 4.01_f64.sqrt())).abs() < 1e-12);
    }
}
