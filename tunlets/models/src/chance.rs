//! Quantiles and probabilities of the normal distribution, of Student's, of Fisher's and of Poisson's.

use libm::erfc;
use statrs::distribution::{ContinuousCDF, FisherSnedecor, Gamma, StudentsT};
use statrs::function::erf::erfc_inv;
use std::f64::consts::SQRT_2;

/// Probability that a standard normal number is at most `z`.
pub fn normal_probability(z: f64) -> f64 {
    0.5 * erfc(-z / SQRT_2)
}

/// The standard normal number that is exceeded with probability `1 - probability`.
pub fn normal_quantile(probability: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * probability)
}

/// Half the width, in standard errors, of the interval around a mean that holds a number with this probability, where the standard
/// error was estimated with so many degrees of freedom (Student 1908); infinite without any.
pub fn student_half_width(probability: f64, freedom: f64) -> f64 {
    let quantile = |student: StudentsT| student.inverse_cdf(0.5 + 0.5 * probability);
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, quantile)
}

/// Probability that two estimates of one variance, with these degrees of freedom, have a ratio of at most `ratio` (Fisher's F); 0
/// without any.
pub fn variance_ratio_probability(ratio: f64, (above, below): (f64, f64)) -> f64 {
    FisherSnedecor::new(above, below).map_or(0.0, |fisher| fisher.cdf(ratio))
}

/// How many events are expected at least, and at most, where so many were counted: each of both at this probability (Garwood 1936).
pub fn poisson_limits(counted: f64, probability: f64) -> (f64, f64) {
    let quantile = |shape: f64, at: f64| Gamma::new(shape, 1.0).map_or(0.0, |gamma| gamma.inverse_cdf(at));
    (quantile(counted, 1.0 - probability), quantile(counted + 1.0, probability))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_a_count_are_those_of_the_tables() {
        // Half the quantiles of chi squared with 2 n and 2 n + 2 degrees of freedom.
        for (counted, least, most) in
            [(0.0, 0.0, 2.9957), (1.0, 0.0513, 4.7439), (2.0, 0.3554, 6.2958), (10.0, 5.4254, 16.9622)]
        {
            let limits = poisson_limits(counted, 0.95);
            assert!((limits.0 - least).abs() < 1e-3 && (limits.1 - most).abs() < 1e-3, "{counted}: {limits:?}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (probability, quantile) in [(0.5, 0.0), (0.95, 1.644_853_6), (0.975, 1.959_964), (0.01, -2.326_347_9)] {
            assert!((normal_quantile(probability) - quantile).abs() < 1e-6, "{probability}");
            assert!((normal_probability(quantile) - probability).abs() < 1e-7, "{quantile}");
        }
        for (freedom, half) in [(1.0, 12.706_205), (4.0, 2.776_445), (30.0, 2.042_272)] {
            assert!((student_half_width(0.95, freedom) / half - 1.0).abs() < 1e-5, "{freedom}");
        }
        assert_eq!(student_half_width(0.95, 0.0), f64::INFINITY);
        for (ratio, above, below) in [(10.127_96, 1.0, 3.0), (8.785_52, 10.0, 3.0), (3.325_83, 5.0, 10.0)] {
            assert!((variance_ratio_probability(ratio, (above, below)) - 0.95).abs() < 1e-5, "{ratio}");
        }
        assert_eq!(variance_ratio_probability(1.0, (0.0, 3.0)), 0.0);
    }
}
