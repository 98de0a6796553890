//! Seeded random numbers for the simulation: the same seed gives the same numbers on every machine.

/// xoshiro256++ (Blackman, Vigna), seeded by SplitMix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// A stream of its own for each seed.
    pub fn new(seed: u64) -> Random {
        let mut x = seed;
        let state = std::array::from_fn(|_| {
            x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Random { state }
    }

    fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in the open interval (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// A whole number from 0 to `n` - 1, each as likely; 0 for `n` = 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n.saturating_sub(1))
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// How many of `trials` succeed, each with probability `p`, drawn one by one.
    pub fn binomial(&mut self, trials: u32, p: f64) -> u32 {
        (0..trials).map(|_| u32::from(self.uniform() < p)).sum()
    }

    /// Standard normal, by the polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let q = u * u + v * v;
            if q > 0.0 && q < 1.0 {
                return u * (-2.0 * q.ln() / q).sqrt();
            }
        }
    }

    /// Gamma with mean 1 and this variance (Marsaglia, Tsang 2000); 1 for a variance that is not above 0.
    pub fn gamma(&mut self, variance: f64) -> f64 {
        if variance.is_nan() || variance <= 1e-12 {
            return 1.0;
        }
        let shape = 1.0 / variance.min(1e4);
        let (d, boost) =
            if shape < 1.0 { (shape + 2.0 / 3.0, self.uniform().powf(1.0 / shape)) } else { (shape - 1.0 / 3.0, 1.0) };
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v * boost / shape;
            }
        }
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
