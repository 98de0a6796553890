//! Normally distributed times, cut off at 0.

use std::f64::consts::{PI, SQRT_2};

fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

fn probability(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// Mean and variance of a normal number (`mean`, `variance`), given that it is above 0.
pub(crate) fn above_zero(mean: f64, variance: f64) -> (f64, f64) {
    let deviation = variance.sqrt();
    let z = mean / deviation;
    if !(z.is_finite() && z < 8.0) {
        return (mean.max(0.0), variance.max(0.0));
    }
    // Far below 0 the rest is exponential with this mean (the hazard of a normal distribution grows as -z).
    let hazard = if z > -8.0 { density(z) / probability(z) } else { -z - 1.0 / z };
    (mean + deviation * hazard, (variance * (1.0 - hazard * (hazard + z))).max(0.0))
}

/// The part above 0 of a normal number (`mean`, `variance`): its expectation.
pub(crate) fn excess(mean: f64, variance: f64) -> f64 {
    if variance <= 0.0 {
        return mean.max(0.0);
    }
    let deviation = variance.sqrt();
    mean * probability(mean / deviation) + deviation * density(mean / deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_number_above_zero_has_the_moments_of_the_literature() {
        // Johnson, Kotz, Balakrishnan (1994): mean sqrt(2 / pi) and variance 1 - 2 / pi for half of a standard normal number.
        let (mean, variance) = above_zero(0.0, 1.0);
        assert!((mean - (2.0 / PI).sqrt()).abs() < 1e-12 && (variance - (1.0 - 2.0 / PI)).abs() < 1e-12);
        let (mean, variance) = above_zero(-20.0, 1.0);
        assert!((mean - 0.05).abs() < 1e-3 && (0.0..0.01).contains(&variance), "{mean} {variance}");
        assert_eq!(above_zero(20.0, 1.0), (20.0, 1.0));
        assert_eq!((above_zero(-3.0, 0.0), above_zero(3.0, 0.0)), ((0.0, 0.0), (3.0, 0.0)));
        assert!((excess(0.0, 1.0) - density(0.0)).abs() < 1e-12 && (excess(9.0, 1.0) - 9.0).abs() < 1e-9);
        assert_eq!((excess(2.0, 0.0), excess(-2.0, 0.0)), (2.0, 0.0));
    }
}
