//! Seeded random numbers for simulations and searches: a seed gives the same stream on every machine.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_distr::{Binomial, Distribution, Exp1, Gamma, Open01, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Gamma variances up to this bound count as 0: the value is then its mean.
const NO_VARIANCE: f64 = 1e-12;
/// Largest gamma variance; a wider one would draw zeros only.
const MOST_VARIANCE: f64 = 1e4;

/// A stream of random numbers (xoshiro256++).
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A uniform number from the open interval (0, 1).
    pub fn uniform(&mut self) -> f64 {
        Open01.sample(&mut self.0)
    }

    /// A uniform integer from 0 to `n` - 1; 0 for `n` = 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { self.0.random_range(0..n) }
    }

    /// Puts values into any order, each as likely as others.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        values.shuffle(&mut self.0);
    }

    /// An exponential number of mean 1.
    pub fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }

    /// The number of successes among `trials`, each of probability `p`; 0 where `p` is no probability.
    pub fn binomial(&mut self, trials: u32, p: f64) -> u32 {
        Binomial::new(u64::from(trials), p).map_or(0, |binomial| binomial.sample(&mut self.0) as u32)
    }

    /// A standard normal number.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// A gamma number of mean 1 and this variance; 1 where the variance is not above 0.
    pub fn gamma(&mut self, variance: f64) -> f64 {
        if variance.is_nan() || variance <= NO_VARIANCE {
            return 1.0;
        }
        let variance = variance.min(MOST_VARIANCE);
        Gamma::new(1.0 / variance, variance).map_or(1.0, |gamma| gamma.sample(&mut self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_numbers_have_mean_one_and_the_variance_asked_for() {
        for variance in [0.04, 0.64, 1.0, 2.5] {
            let mut random = Random::new(7);
            let drawn: Vec<f64> = (0..100_000).map(|_| random.gamma(variance)).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let var = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
            assert!((mean - 1.0).abs() < 0.02, "{variance}: mean {mean}");
            assert!((var / variance - 1.0).abs() < 0.05, "{variance}: {var}");
        }
    }

    #[test]
    fn whole_numbers_and_successes_are_as_frequent_as_they_should_be() {
        let mut random = Random::new(11);
        let mut counts = [0; 3];
        (0..30_000).for_each(|_| counts[random.below(3)] += 1);
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        let drawn: Vec<f64> = (0..20_000).map(|_| f64::from(random.binomial(100, 0.6))).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 60.0).abs() < 0.2 && (variance - 24.0).abs() < 1.0, "{mean} {variance}");
        assert_eq!((random.binomial(5, 0.0), random.binomial(5, 1.0), random.below(0)), (0, 5, 0));
    }

    #[test]
    fn no_variance_means_no_noise() {
        assert_eq!(Random::new(1).gamma(0.0), 1.0);
        assert_eq!(Random::new(1).gamma(f64::NAN), 1.0);
    }
}
