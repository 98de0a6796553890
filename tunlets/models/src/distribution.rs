//! Distributions of times: parameters, moments, random numbers.

use crate::random::Random;

/// A distribution of times, seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// A constant.
    Deterministic {
        /// The time.
        mean_s: f64,
    },
    /// Uniform between `low_s` and `high_s`.
    Uniform {
        /// The shortest.
        low_s: f64,
        /// The longest.
        high_s: f64,
    },
    /// Memoryless.
    Exponential {
        /// Mean, 1/rate.
        mean_s: f64,
    },
    /// Sum of `k` exponential phases.
    Erlang {
        /// Phases; the variance is mean²/k.
        k: u32,
        /// Mean of the sum.
        mean_s: f64,
    },
    /// Normal; not cut at 0.
    Normal {
        /// Mean.
        mean_s: f64,
        /// Standard deviation.
        sigma_s: f64,
    },
    /// Gamma of this mean and standard deviation: an Erlang whose k is not whole.
    Gamma {
        /// Mean.
        mean_s: f64,
        /// Standard deviation.
        sigma_s: f64,
    },
    /// Lognormal of this mean and standard deviation (of the time, not of its logarithm).
    Lognormal {
        /// Mean.
        mean_s: f64,
        /// Standard deviation.
        sigma_s: f64,
    },
}

/// A parameter outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{what} is {value}, but it must be {allowed}")]
pub struct DistributionError {
    /// Name of the value.
    pub what: &'static str,
    /// The value given.
    pub value: f64,
    /// The allowed values.
    pub allowed: &'static str,
}

/// Checks values in order: (good, name, value, allowed).
pub fn need(values: &[(bool, &'static str, f64, &'static str)]) -> Result<(), DistributionError> {
    match values.iter().find(|(good, ..)| !good) {
        Some(&(_, what, value, allowed)) => Err(DistributionError { what, value, allowed }),
        None => Ok(()),
    }
}

/// A finite number above 0.
pub fn positive(x: f64) -> bool {
    x.is_finite() && x > 0.0
}

/// A finite number, 0 or more.
pub fn fine(x: f64) -> bool {
    x.is_finite() && x >= 0.0
}

impl Distribution {
    /// An exponential time of this rate.
    ///
    /// # Errors
    /// A rate of 0, a negative one, NaN, infinity.
    ///
    /// ```
    /// use midrun_models::distribution::Distribution;
    /// assert_eq!(Distribution::exponential(4.0)?.mean_s(), 0.25);
    /// assert!(Distribution::exponential(0.0).is_err());
    /// # Ok::<(), midrun_models::distribution::DistributionError>(())
    /// ```
    pub fn exponential(rate_per_s: f64) -> Result<Distribution, DistributionError> {
        need(&[(positive(rate_per_s), "the rate", rate_per_s, "finite and above 0")])?;
        Distribution::Exponential { mean_s: 1.0 / rate_per_s }.checked()
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn checked(self) -> Result<Distribution, DistributionError> {
        use Distribution::*;
        let mean = |m: f64| (positive(m), "the mean", m, "finite and above 0");
        let sigma = |s: f64| (fine(s), "the standard deviation", s, "finite and 0 or more");
        match self {
            Deterministic { mean_s } => need(&[(fine(mean_s), "the time", mean_s, "finite and 0 or more")]),
            Uniform { low_s, high_s } => need(&[
                (low_s.is_finite(), "the shortest time", low_s, "finite"),
                (
                    high_s.is_finite() && high_s >= low_s,
                    "the longest time",
                    high_s,
                    "finite and not below the shortest",
                ),
            ]),
            Exponential { mean_s } => need(&[mean(mean_s)]),
            Erlang { k, mean_s } => need(&[mean(mean_s), (k > 0, "the number of phases", f64::from(k), "at least 1")]),
            Normal { mean_s, sigma_s } => need(&[(mean_s.is_finite(), "the mean", mean_s, "finite"), sigma(sigma_s)]),
            Gamma { mean_s, sigma_s } | Lognormal { mean_s, sigma_s } => need(&[mean(mean_s), sigma(sigma_s)]),
        }?;
        Ok(self)
    }

    /// Mean, seconds.
    pub fn mean_s(&self) -> f64 {
        use Distribution::*;
        match self {
            Deterministic { mean_s }
            | Exponential { mean_s }
            | Erlang { mean_s, .. }
            | Normal { mean_s, .. }
            | Gamma { mean_s, .. }
            | Lognormal { mean_s, .. } => *mean_s,
            Uniform { low_s, high_s } => 0.5 * (low_s + high_s),
        }
    }

    /// Variance, seconds squared.
    pub fn variance_s2(&self) -> f64 {
        use Distribution::*;
        match self {
            Deterministic { .. } => 0.0,
            Exponential { mean_s } => mean_s * mean_s,
            Erlang { k, mean_s } => mean_s * mean_s / f64::from(*k),
            Normal { sigma_s, .. } | Gamma { sigma_s, .. } | Lognormal { sigma_s, .. } => sigma_s * sigma_s,
            Uniform { low_s, high_s } => (high_s - low_s).powi(2) / 12.0,
        }
    }

    /// One time, seconds.
    pub fn sample(&self, random: &mut Random) -> f64 {
        use Distribution::*;
        match self {
            Deterministic { mean_s } => *mean_s,
            Uniform { low_s, high_s } => low_s + (high_s - low_s) * random.uniform(),
            Exponential { mean_s } => mean_s * random.exponential(),
            Erlang { k, mean_s } => mean_s * random.gamma(1.0 / f64::from(*k)),
            Normal { mean_s, sigma_s } => mean_s + sigma_s * random.normal(),
            Gamma { mean_s, sigma_s } => mean_s * random.gamma((sigma_s / mean_s).powi(2)),
            Lognormal { mean_s, sigma_s } => {
                let variance = (sigma_s / mean_s).powi(2).ln_1p();
                mean_s * (variance.sqrt() * random.normal() - 0.5 * variance).exp()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Distribution> {
        use Distribution::*;
        vec![
            Deterministic { mean_s: 2.0 },
            Uniform { low_s: 1.0, high_s: 3.0 },
            Exponential { mean_s: 2.0 },
            Erlang { k: 4, mean_s: 2.0 },
            Normal { mean_s: 2.0, sigma_s: 0.5 },
            Gamma { mean_s: 2.0, sigma_s: 1.5 },
            Lognormal { mean_s: 2.0, sigma_s: 1.0 },
        ]
    }

    #[test]
    fn drawn_numbers_have_the_moments_that_are_given() {
        for distribution in all() {
            let mut random = Random::new(3);
            let drawn: Vec<f64> = (0..200_000).map(|_| distribution.sample(&mut random)).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
            let (given, given_variance) = (distribution.mean_s(), distribution.variance_s2());
            assert!((mean - given).abs() < 0.01 * given, "{distribution:?}: mean {mean}");
            assert!(
                (variance - given_variance).abs() <= 0.05 * given_variance,
                "{distribution:?}: variance {variance}"
            );
        }
    }

    #[test]
    fn impossible_values_are_refused_with_what_is_allowed() {
        use Distribution::*;
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            for wrong in [
                Deterministic { mean_s: bad },
                Exponential { mean_s: bad },
                Erlang { k: 2, mean_s: bad },
                Gamma { mean_s: 1.0, sigma_s: bad },
                Lognormal { mean_s: bad, sigma_s: 1.0 },
                Uniform { low_s: 0.0, high_s: bad },
            ] {
                let text = wrong.clone().checked().unwrap_err().to_string();
                assert!(text.contains("must be finite"), "{wrong:?}: {text}");
            }
            assert!(Distribution::exponential(bad).unwrap_err().to_string().contains("the rate"));
        }
        assert!(Erlang { k: 0, mean_s: 1.0 }.checked().is_err());
        assert!(Distribution::exponential(0.0).is_err());
        assert!(all().into_iter().all(|fine| fine.checked().is_ok()));
    }
}
