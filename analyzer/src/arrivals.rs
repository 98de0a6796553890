//! When iterations came, and whether they have stopped coming.
//!
//! Where they come at random (Poisson), n intervals in a time T, none comes for a further `t` with the probability `(1 + t / T)^-n`, whatever their
//! rate is (Lomax 1954). Each iteration is a test of a series.

use midrun_tunlets::confidence::Confidence;

/// See the module. Nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrivals {
    count: u32,
    first_ns: u64,
    last_ns: u64,
}

impl Arrivals {
    /// An iteration came at `now`.
    pub(crate) fn add(&mut self, now: u64) {
        if self.count == 0 {
            self.first_ns = now;
        }
        (self.count, self.last_ns) = (self.count.saturating_add(1), now);
    }

    /// For how long none has come, seconds, if that is too long for chance; `None` else, and before two came apart.
    pub(crate) fn rest_s(&self, now: u64, confidence: Confidence) -> Option<f64> {
        let intervals = self.count.checked_sub(1).filter(|intervals| *intervals > 0)?;
        let took_s = self.last_ns.saturating_sub(self.first_ns) as f64 * 1e-9;
        let rest_s = now.saturating_sub(self.last_ns) as f64 * 1e-9;
        let chance = 1.0 - confidence.in_series(intervals.into(), 1).level();
        let most_s = took_s * (chance.powf(-1.0 / f64::from(intervals)) - 1.0);
        Some(rest_s).filter(|rest_s| took_s > 0.0 && *rest_s >= most_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, Exp1};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    const S: u64 = 1_000_000_000;

    fn each_second(count: u64) -> Arrivals {
        let mut arrivals = Arrivals::default();
        (1..=count).for_each(|k| arrivals.add(k * S));
        arrivals
    }

    #[test]
    fn the_more_iterations_came_the_fewer_of_their_times_are_a_rest() {
        let least_s = |count: u64| {
            let arrivals = each_second(count);
            (1..10_000).find(|tenths| arrivals.rest_s(count * S + tenths * S / 10, Confidence::default()).is_some())
        };
        // T = 3 s, chance 0.05 / 12: 3 (240^(1/3) - 1) s; and 100 intervals.
        assert_eq!((least_s(4), least_s(101)), (Some(157), Some(130)));
        assert_eq!((least_s(0), least_s(1)), (None, None), "nothing is known yet");
        let mut together = Arrivals::default();
        (0..3).for_each(|_| together.add(S));
        assert_eq!(together.rest_s(9 * S, Confidence::default()), None, "what came at once has no pace");
    }

    #[test]
    fn iterations_that_come_at_random_rest_as_rarely_as_promised() {
        let wrong = (0..400).filter(|seed| {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(*seed);
            let (mut arrivals, mut now_s) = (Arrivals::default(), 1.0_f64);
            (0..200).any(|_| {
                let gap_s: f64 = Exp1.sample(&mut random);
                now_s += gap_s;
                let now = (now_s * 1e9) as u64;
                let rests = arrivals.rest_s(now, Confidence::default()).is_some();
                arrivals.add(now);
                rests
            })
        });
        let wrong = wrong.count();
        assert!(wrong as f64 <= 400.0 * (1.0 - Confidence::default().level()), "{wrong} of 400");
    }
}
